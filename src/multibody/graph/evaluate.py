"""Evaluation of expressions with any kind of number: float, complex, Fraction, mpmath, NumPy arrays."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from multibody.errors import ExpressionError, MissingValueError
from multibody.graph.expr import Constant, Symbol
from multibody.graph.functions import FLOAT_FUNCTIONS
from multibody.graph.traverse import Nested, flat, shaped, topological

Functions = dict[str, Callable[..., Any]]

ARITHMETIC: Functions = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "neg": lambda a: -a,
    "recip": lambda a: 1 / a,
    "pow": lambda a, b: a**b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "eq": lambda a, b: a == b,
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
    "not": lambda a: not a,
    "where": lambda condition, a, b: a if condition else b,
}
"""Operations that Python writes with its own operators."""


def evaluate(thing: Nested, values: Mapping[Symbol | str, Any]) -> Any:
    """The value of an expression, or of an array of expressions, for given values of its symbols.

    The values' type decides the arithmetic: floats, complex numbers (all functions are continued analytically, for
    complex-step derivatives), Fractions (exact as long as the operations are), mpmath numbers, NumPy arrays.

    Args:
        thing: an expression or nested lists or arrays of expressions.
        values: number for each symbol, by the symbol itself or by its name.

    Example:
        >>> from fractions import Fraction
        >>> from multibody.graph import symbols
        >>> x, y = symbols("x y")
        >>> evaluate(x / 3 + y, {x: Fraction(1, 2), "y": 1})
        Fraction(7, 6)
    """
    outputs = flat(thing)
    order = topological(outputs)
    results = _symbol_values(order, values)
    functions = _functions_for(list(results.values()))
    faults: list[tuple[Any, list[Any]]] = []
    with np.errstate(all="ignore"):  # arrays hold NaN where there is no value, also in branches that are not taken
        for node in order:
            if isinstance(node, Constant):
                results[node] = functions["const"](node)
            elif node not in results:
                results[node] = _applied(node, functions, [results[arg] for arg in node.args], faults)
    found = [results[output] for output in outputs]
    if faults and any(_undefined(value) for value in found):
        _refuse(*faults[0])
    return shaped(found, thing)


def _undefined(value: Any) -> bool:
    return not isinstance(value, np.ndarray) and bool(value != value)  # noqa: PLR0124 - only NaN differs from itself


def _applied(node: Any, functions: Functions, args: list[Any], faults: list[tuple[Any, list[Any]]]) -> Any:
    """The value of one node; NaN where there is none, which does no harm in a branch that is not taken."""
    try:
        return functions["table"](node.table, *args) if node.op == "table" else functions[node.op](*args)
    except (ZeroDivisionError, ValueError, OverflowError):
        faults.append((node, args))
        return math.nan


def _refuse(node: Any, args: list[Any]) -> None:
    raise ExpressionError(
        f"The operation '{node.op}' has no finite real value here.",
        code="expression-without-value",
        where=f"{repr(node)[:200]}, with argument {', '.join(map(str, args))}",
        cause="A singular configuration, or an argument outside the function's domain.",
        remedy="Check the values that were given.",
        name=node.op,
    )


def _symbol_values(order: list[Any], values: Mapping[Symbol | str, Any]) -> dict[Any, Any]:
    by_name = {key: value for key, value in values.items() if isinstance(key, str)}
    known: dict[Any, Any] = {}
    missing: list[str] = []
    for node in order:
        if not isinstance(node, Symbol):
            continue
        if node in values:
            known[node] = _plain(values[node])
        elif node.name in by_name:
            known[node] = _plain(by_name[node.name])
        else:
            missing.append(node.name)
    if missing:
        raise MissingValueError(
            f"No value for: {', '.join(sorted(missing))}.",
            remedy="Give a number for each of these symbols.",
            names=sorted(missing),
        )
    return known


def _plain(value: Any) -> Any:
    """NumPy's scalars as Python's, which complain where those only warn."""
    return value.item() if isinstance(value, np.generic) else value


def _functions_for(numbers: list[Any]) -> Functions:
    arrays = [number for number in numbers if isinstance(number, np.ndarray)]
    if arrays:
        return _complex_array_functions() if any(map(np.iscomplexobj, numbers)) else _array_functions()
    if any(type(number).__module__.startswith("mpmath") for number in numbers):
        return _mpmath_functions()
    if any(isinstance(number, complex) for number in numbers):
        return _complex_functions()
    return _real_functions()


def _real_functions() -> Functions:
    other: Functions = {
        "const": lambda node: node.value,
        "sqrt": _real_sqrt,
        "table": lambda table, x: float(table.evaluate(float(x))),
    }
    return ARITHMETIC | FLOAT_FUNCTIONS | _ORDERED | other


def _ordered(choose: Callable[..., Any]) -> Callable[..., Any]:
    """A function that compares: what is not a number stays so."""

    def function(*args: Any) -> Any:
        undefined = [x for x in args if _undefined(x)]
        return undefined[0] if undefined else choose(*args)

    return function


_ORDERED: Functions = {name: _ordered(FLOAT_FUNCTIONS[name]) for name in ("min", "max", "sign")}


def _real_sqrt(x: Any) -> Any:
    """Exact for the square of a Fraction."""
    if isinstance(x, int | Fraction) and x >= 0:
        numerator, denominator = math.isqrt(Fraction(x).numerator), math.isqrt(Fraction(x).denominator)
        if Fraction(numerator**2, denominator**2) == x:
            return Fraction(numerator, denominator)
    return math.sqrt(x)


def _complex_functions() -> Functions:
    names = "sin cos tan asin acos atan sinh cosh tanh exp log sqrt".split()
    plain: Functions = {name: getattr(cmath, name) for name in names}
    continued: Functions = {
        "const": lambda node: node.value,
        "abs": lambda x: x if _real(x) >= 0 else -x,
        "sign": lambda x: FLOAT_FUNCTIONS["sign"](_real(x)),
        "min": _ordered(lambda a, b: a if _real(a) <= _real(b) else b),
        "max": _ordered(lambda a, b: a if _real(a) >= _real(b) else b),
        "lt": lambda a, b: _real(a) < _real(b),
        "le": lambda a, b: _real(a) <= _real(b),
        "eq": lambda a, b: _real(a) == _real(b),
        "pow": lambda a, b: complex(a) ** b,
        "atan2": _complex_atan2,
        "table": _complex_table,
    }
    return ARITHMETIC | plain | continued


def _real(x: Any) -> float:
    return float(x.real)


def _complex_atan2(y: Any, x: Any) -> complex:
    """The analytic continuation of atan2: the real angle, plus the small rest."""
    angle = math.atan2(_real(y), _real(x))
    c, s = math.cos(angle), math.sin(angle)
    return angle + cmath.atan((y * c - x * s) / (x * c + y * s))


def _complex_table(table: Any, x: complex) -> complex:
    """The polynomial of the interval that holds the real part."""
    interval = int(np.searchsorted(table.breaks, _real(x), side="right"))
    offset = x - table.starts[interval]
    return complex(np.polyval(table.coefficients[::-1, interval], offset))


def _array_functions() -> Functions:
    other: Functions = {
        "const": lambda node: float(node.value),
        "table": lambda table, x: table.evaluate(np.asarray(x, dtype=float)),
    }
    return library_functions(np, NUMPY) | other


NUMPY = {name: name for name in "sin cos tan sinh cosh tanh exp log sqrt abs sign where".split()} | {
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "min": "minimum", "max": "maximum",
    "pow": "power", "and": "logical_and", "or": "logical_or", "not": "logical_not",
}  # fmt: skip
"""The functions of NumPy, and of libraries with its names, by operation."""


def library_functions(library: Any, names: Mapping[str, str]) -> Functions:
    """The functions of a library by operation; Python's own operators where ``names`` has none."""
    return ARITHMETIC | {op: getattr(library, name) for op, name in names.items()}


def _complex_array_functions() -> Functions:
    """As ``_complex_functions``, for arrays."""
    continued: Functions = {
        "abs": lambda x: np.where(np.real(x) >= 0, x, -x),
        "sign": lambda x: np.sign(np.real(x)),
        "min": lambda a, b: np.where(np.real(a) <= np.real(b), a, b),
        "max": lambda a, b: np.where(np.real(a) >= np.real(b), a, b),
        "lt": lambda a, b: np.real(a) < np.real(b),
        "le": lambda a, b: np.real(a) <= np.real(b),
        "eq": lambda a, b: np.real(a) == np.real(b),
        "atan2": np.vectorize(_complex_atan2, otypes=[complex]),
        "table": lambda table, x: np.vectorize(lambda z: _complex_table(table, z), otypes=[complex])(x),
    }
    return _array_functions() | continued


def _mpmath_functions() -> Functions:
    import mpmath  # optional: whoever passes its numbers has it

    names = [name for name in FLOAT_FUNCTIONS if hasattr(mpmath, name)]
    plain: Functions = {name: _real_only(getattr(mpmath, name)) for name in names}
    other: Functions = {
        "pow": _real_only(mpmath.power),
        "abs": mpmath.fabs,
        "recip": _real_only(lambda x: 1 / x),
        "table": lambda table, x: mpmath.mpf(float(table.evaluate(float(x)))),
    }
    functions = ARITHMETIC | plain | _ORDERED | other
    return functions | {"const": lambda node: _exact(node, functions, mpmath)}


def _real_only(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of real numbers without the complex and infinite values that mpmath gives it."""

    def checked(*args: Any) -> Any:
        result = function(*args)
        real = not any(hasattr(arg, "imag") and arg.imag for arg in args)
        if real and (result.imag or (abs(result) == math.inf and all(abs(arg) != math.inf for arg in args))):
            raise ValueError("no finite real value")
        return result

    return checked


def _exact(node: Constant, functions: Functions, mpmath: Any) -> Any:
    """A constant to the full working precision, through its formula where it has one."""
    if node.formula is None:
        value = Fraction(node.value)
        return mpmath.mpf(value.numerator) / value.denominator
    op, args = node.formula
    if op == "pi":
        return +mpmath.pi
    return functions[op](*[_exact(arg, functions, mpmath) for arg in args])
