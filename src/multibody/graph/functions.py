"""Elementary functions of expressions, and symbols and π to apply them to.

Each takes expressions and numbers alike. NumPy's functions work too: ``numpy.sin(x)`` calls ``x.sin()``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from multibody.errors import ExpressionError
from multibody.graph import names
from multibody.graph.expr import (
    ONE,
    ZERO,
    Constant,
    Expr,
    Kind,
    Symbol,
    as_expr,
    constant,
    entered,
    folded,
    is_negative,
    neg,
    recip,
)
from multibody.graph.field import FIRST, SECOND, Value
from multibody.graph.fingerprint import of_operation, pi_image, symbol_fingerprint
from multibody.graph.node import ANY, CONST, MUL, Node, find, find_structure, guard, intern, intern_structure
from multibody.graph.number import Number

pi: Constant = entered(Constant(math.pi, pi_image(FIRST), pi_image(SECOND), ("pi", ())))
"""The exact constant π: ``sin(pi) == 0``, ``cos(pi / 3) == Fraction(1, 2)``."""


def symbol(name: str, kind: Kind = "variable", scope: str = "") -> Symbol:
    """The symbol with this name and kind; the scope keeps equal names of different systems apart.

    Example:
        >>> symbol("m", "parameter") is symbol("m", "parameter")
        True
    """
    names.check(name, what=kind)
    fp = symbol_fingerprint(FIRST, scope, name, kind)
    node = find(fp, ANY)
    return node if isinstance(node, Symbol) and node.fp == fp else intern(Symbol(name, kind, scope, fp))


def symbols(names_: str, kind: Kind = "variable", scope: str = "") -> tuple[Symbol, ...]:
    """Several symbols from names separated by blanks or commas.

    Example:
        >>> q1, q2 = symbols("q1 q2", "coordinate")
        >>> q1.kind
        'coordinate'
    """
    return tuple(symbol(name, kind, scope) for name in names_.replace(",", " ").split())


def _own(node: Node) -> Value:
    return node.fp


def _second(node: Any) -> Value:
    return node.fp2


def apply(op: str, *args: Expr) -> Expr:
    """The expression ``op(args)`` in normal form."""
    node = find_structure(op, *args)
    return _applied(op, args) if node is None else intern(node)


def _applied(op: str, args: tuple[Any, ...]) -> Expr:
    numbers = all(arg.op == CONST for arg in args)
    if numbers:
        plain = exact_value(op, args)
        if plain is not None:
            return plain
    try:
        fp = of_operation(op, args, _own, FIRST)
        if numbers:
            return folded(op, args, lambda: _evaluated(op, args), fp, of_operation(op, args, _second, SECOND))
    except ZeroDivisionError as error:
        raise _without_value(op, args) from error
    guards = 0 if op in _TOTAL else guard(fp)
    for arg in args:
        guards |= arg.guards
    node = find(fp, guards)
    if node is not None:
        return node if node.fp == fp else neg(node)
    node = intern(Expr(op, args, fp, guards))
    return intern_structure(node) if node.op == op and node.args == args else node


def _evaluated(op: str, args: tuple[Any, ...]) -> Number:
    values = [arg.value for arg in args]
    try:
        return FLOAT_FUNCTIONS[op](*values)
    except (ValueError, OverflowError, ZeroDivisionError) as error:
        raise _without_value(op, args) from error


def _without_value(op: str, args: tuple[Any, ...]) -> ExpressionError:
    return ExpressionError(
        f"{op}({', '.join(repr(arg)[:100] for arg in args)}) has no finite real value.",
        code="expression-without-value",
        cause=f"The argument lies outside the domain of {op}.",
        remedy="Check the numbers that lead to it.",
        name=op,
    )


def exact_value(op: str, args: tuple[Any, ...]) -> Expr | None:
    """The result of a function of constants where it is one of them or a rational number."""
    a, b = args[0], args[-1]
    if op == "abs":
        return neg(a) if a.value < 0 else a
    if op in ("min", "max"):
        return a if (a.value <= b.value) == (op == "min") else b
    if op == "sign":
        return constant(_sign(a.value))
    if len(args) == 1 and (op, a.value) in _AT and not isinstance(a.value, float):
        return constant(_AT[op, a.value])
    if op == "atan2" and a.value == 0 and b.value > 0:
        return ZERO
    if (op, a.value) in _QUARTERS and len(args) == 1:
        return pi * constant(_QUARTERS[op, a.value])
    if op in ("sqrt", "pow") and a.formula is None and b.formula is None:
        return _exact_root(Fraction(a.value), Fraction(1, 2) if op == "sqrt" else Fraction(b.value))
    return None


_AT = {
    ("exp", 0): 1, ("cosh", 0): 1, ("sinh", 0): 0, ("tanh", 0): 0, ("log", 1): 0, ("atan", 0): 0, ("asin", 0): 0,
    ("acos", 1): 0,
}  # fmt: skip


_QUARTERS = {
    ("acos", 0): Fraction(1, 2), ("asin", 1): Fraction(1, 2), ("atan", 1): Fraction(1, 4), ("acos", -1): 1,
}  # fmt: skip


def _exact_root(base: Fraction, exponent: Fraction) -> Expr | None:
    """base ** exponent if it is rational, for roots of low order."""
    n = exponent.denominator
    if base <= 0 or n > 16 or abs(exponent.numerator) > 64:
        return ZERO if base == 0 and exponent > 0 else None
    roots = [round(part ** (1 / n)) if part < 2**100 else 0 for part in (base.numerator, base.denominator)]
    if Fraction(roots[0] ** n, max(1, roots[1]) ** n) != base:
        return None
    return constant(Fraction(*roots) ** exponent.numerator)


def _sign(x: Any) -> Any:
    return (x > 0) * 1 - (x < 0) * 1


FLOAT_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin, "acos": math.acos, "atan": math.atan,
    "atan2": math.atan2, "sinh": math.sinh, "cosh": math.cosh, "tanh": math.tanh, "exp": math.exp, "log": math.log,
    "sqrt": math.sqrt, "abs": abs, "sign": _sign, "min": min, "max": max, "pow": math.pow,
}  # fmt: skip

_TOTAL = frozenset("sin cos atan atan2 sinh cosh tanh exp abs sign min max".split())


def _odd(op: str, x: Any) -> Expr:
    a = as_expr(x)
    return neg(apply(op, neg(a))) if is_negative(a) else apply(op, a)


def _even(op: str, x: Any) -> Expr:
    a = as_expr(x)
    return apply(op, neg(a)) if is_negative(a) else apply(op, a)


def sin(x: Any) -> Expr:
    """Sine of an angle in radians."""
    return _odd("sin", x)


def cos(x: Any) -> Expr:
    """Cosine of an angle in radians."""
    return _even("cos", x)


def tan(x: Any) -> Expr:
    """Tangent of an angle in radians."""
    return _odd("tan", x)


def asin(x: Any) -> Expr:
    """Inverse sine, in [-π/2, π/2]."""
    return _odd("asin", x)


def acos(x: Any) -> Expr:
    """Inverse cosine, in [0, π]."""
    return apply("acos", as_expr(x))


def atan(x: Any) -> Expr:
    """Inverse tangent, in (-π/2, π/2)."""
    return _odd("atan", x)


def atan2(y: Any, x: Any) -> Expr:
    """The angle of the point (x, y), in (-π, π]."""
    return apply("atan2", as_expr(y), as_expr(x))


def sinh(x: Any) -> Expr:
    """Hyperbolic sine."""
    return _odd("sinh", x)


def cosh(x: Any) -> Expr:
    """Hyperbolic cosine."""
    return _even("cosh", x)


def tanh(x: Any) -> Expr:
    """Hyperbolic tangent."""
    return _odd("tanh", x)


def exp(x: Any) -> Expr:
    """e to the power x."""
    a = as_expr(x)
    return a.args[0] if a.op == "log" else apply("exp", a)


def log(x: Any) -> Expr:
    """Natural logarithm."""
    a = as_expr(x)
    return a.args[0] if a.op == "exp" else apply("log", a)


def sqrt(x: Any) -> Expr:
    """The non-negative square root; sqrt(x**2) is abs(x)."""
    a = as_expr(x)
    op, factors = a.formula or (a.op, ()) if isinstance(a, Constant) else (a.op, a.args)
    if op == MUL and factors[0] is factors[1]:
        return absolute(factors[0])
    return apply("sqrt", a)


def absolute(x: Any) -> Expr:
    """|x|; Python's ``abs(x)`` does the same."""
    return _even("abs", x)


def sign(x: Any) -> Expr:
    """-1, 0 or 1."""
    return _odd("sign", x)


def minimum(x: Any, y: Any) -> Expr:
    """The smaller of two values."""
    return _extremum("min", as_expr(x), as_expr(y))


def maximum(x: Any, y: Any) -> Expr:
    """The larger of two values."""
    return _extremum("max", as_expr(x), as_expr(y))


def smallest(values: Sequence[Any]) -> Expr:
    """The smallest of one or more values."""
    return _by_pairs(minimum, values)


def largest(values: Sequence[Any]) -> Expr:
    """The largest of one or more values."""
    return _by_pairs(maximum, values)


def _by_pairs(combine: Callable[[Any, Any], Expr], values: Sequence[Any]) -> Expr:
    """Combine values in the order of a knockout tournament: no comparison waits for more than log₂(n) others."""
    while len(values) > 1:
        pairs = [combine(a, b) for a, b in zip(values[::2], values[1::2], strict=False)]
        values = [*pairs, *values[2 * len(pairs) :]]
    return as_expr(values[0])


def _extremum(op: str, a: Expr, b: Expr) -> Expr:
    if a is b:
        return a
    return apply(op, a, b) if a.serial < b.serial else apply(op, b, a)


MAX_POWER = 1024
"""Integer powers up to this one become products."""


def power(base: Any, exponent: Any) -> Expr:
    """base ** exponent: integer exponents become products, halves square roots, anything else the power function."""
    a, e = as_expr(base), as_expr(exponent)
    if isinstance(e, Constant) and -MAX_POWER <= e.value <= MAX_POWER and 2 * e.value == int(2 * e.value):
        return _half_power(a, int(2 * e.value))
    return apply("pow", a, e)


def _half_power(a: Expr, halves: int) -> Expr:
    return _integer_power(sqrt(a), halves) if halves % 2 else _integer_power(a, halves // 2)


def _integer_power(a: Expr, n: int) -> Expr:
    if n < 0:
        return recip(_integer_power(a, -n))
    result: Expr = ONE
    while n:
        if n & 1:
            result = result * a
        n >>= 1
        a = a * a if n else a
    return result


for _name, _method in {
    "sin": sin, "cos": cos, "tan": tan, "arcsin": asin, "arccos": acos, "arctan": atan, "arctan2": atan2, "sinh": sinh,
    "cosh": cosh, "tanh": tanh, "exp": exp, "log": log, "sqrt": sqrt, "sign": sign,
}.items():  # fmt: skip
    setattr(Expr, _name, _method)  # numpy.sin(array of expressions) looks for a method of this name
