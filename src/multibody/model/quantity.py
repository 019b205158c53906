"""Parameters and inputs: named symbols or arrays of symbols, with value, unit and description."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from multibody.errors import MissingValueError, ModelError, NumberError
from multibody.graph import Constant, Expr, Kind, Symbol, array, evaluate, free_symbols, substitute, symbol
from multibody.graph.names import element_name
from multibody.graph.number import finite, is_number

Shape = tuple[int, ...]

Range = tuple[float, float]
"""Low and high."""


@dataclass(frozen=True)
class Parameter:
    """A quantity that stays the same during a run.

    Attributes:
        name: the identifier; entries of an array are called ``name_1``, or ``name_1_2`` in a matrix.
        symbols: the symbol, or an array of them.
        default: a number or a formula of other parameters for each symbol; None where none was given.
        unit: SI unit, as text.
        description: what it is.
    """

    name: str
    symbols: Any
    default: dict[Symbol, Expr | None] = field(repr=False)
    unit: str = ""
    description: str = ""


@dataclass(frozen=True)
class Input:
    """A quantity that comes from outside while the system moves, such as a driving force.

    Attributes:
        name: the identifier; entries of an array are called ``name_1``, or ``name_1_2`` in a matrix.
        symbols: the symbol, or an array of them.
        unit: SI unit, as text.
        description: what it is.
        limits: low and high, between which runs hold it; an end may be infinite. None if it has no limits.
        slider: low and high of its slider in the viewer; None for a range that follows from the limits.
    """

    name: str
    symbols: Any
    unit: str = ""
    description: str = ""
    limits: Range | None = None
    slider: Range | None = None

    @property
    def slider_range(self) -> Range:
        """Low and high of its slider: as given, or the limits, or from -1 to 1; within the limits.

        Example:
            >>> Input("F", None).slider_range, Input("F", None, limits=(0.0, math.inf)).slider_range
            ((-1.0, 1.0), (0.0, 1.0))
            >>> Input("F", None, limits=(5.0, math.inf)).slider_range
            (5.0, 7.0)
        """
        bottom, top = self.limits or (-math.inf, math.inf)
        low, high = self.slider or (
            bottom if math.isfinite(bottom) else -1.0, top if math.isfinite(top) else 1.0
        )  # fmt: skip
        low, high = min(max(low, bottom), top), min(max(high, bottom), top)
        if low < high:
            return low, high
        return (low, low + 2.0) if low < top else (high - 2.0, high)

    @property
    def flat(self) -> tuple[Symbol, ...]:
        """All its symbols, row by row."""
        return tuple(np.ravel(np.array(self.symbols, dtype=object)))


def input_limits(given: Any, where: str) -> Range | None:
    """The limits of an input; None if neither end is finite.

    Args:
        given: None, or low and high; an end is a number, or None or infinity for one without limit.
        where: what they are limits of.

    Raises:
        ModelError: for anything else, and if low is above high.

    Example:
        >>> input_limits((-3, 3), "input 'F'"), input_limits((None, 2.5), "input 'F'")
        ((-3.0, 3.0), (-inf, 2.5))
    """
    if given is None:
        return None
    low, high = two_ends(given, (-math.inf, math.inf))
    if not is_range(low, high):
        raise ModelError(
            f"{given!r:.200} is not a range of values.",
            code="limits-invalid",
            where=f"limits of {where}",
            remedy="Give limits=(low, high) with low <= high; None for an end without limit.",
        )
    return None if low == -math.inf and high == math.inf else (low, high)


def is_range(low: float, high: float) -> bool:
    """Whether some number is between two ends; not if an end is not a number, or both are the same infinity."""
    return low <= high and low < math.inf and high > -math.inf


def slider_range(given: Any, where: str) -> Range | None:
    """The range of a slider: two finite numbers.

    Raises:
        ModelError: for anything else, and if low is not below high.
    """
    if given is None:
        return None
    low, high = two_ends(given)
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ModelError(
            f"{given!r:.200} is not a range of values.",
            code="limits-invalid",
            where=f"slider of {where}",
            remedy="Give slider=(low, high) with two numbers, low < high.",
        )
    return low, high


def two_ends(given: Any, missing: Range = (math.nan, math.nan)) -> Range:
    """Low and high as numbers; NaN where something else was given, such as text.

    Args:
        given: low and high.
        missing: what represents None.
    """
    try:
        low, high = (other if item is None else _end(item) for item, other in zip(given, missing, strict=True))
    except (TypeError, ValueError, OverflowError):
        return math.nan, math.nan
    return low, high


def _end(value: Any) -> float:
    plain = value.value if isinstance(value, Constant) else value
    return float(plain) if is_number(plain) else math.nan


def as_shape(given: Any, where: str) -> Shape:
    """How many, or rows and columns, as whole numbers.

    Example:
        >>> as_shape(3, "input 'F'"), as_shape([2, 2], "input 'K'"), as_shape((), "input 't'")
        ((3,), (2, 2), ())
    """
    sizes = tuple(np.atleast_1d(np.asarray(given, dtype=object)).flat)
    if not all(isinstance(size, int | np.integer) and not isinstance(size, bool) and size >= 0 for size in sizes):
        raise ModelError(
            f"{given!r:.80} is not a shape.",
            code="shape-of-array-invalid",
            where=where,
            remedy="Give a whole number, or rows and columns: (2, 3).",
        )
    return tuple(int(size) for size in sizes)


def shaped_symbols(name: str, kind: Kind, scope: str, shape: Shape) -> Any:
    """The symbol ``name``, or an array of symbols ``name_1``, ``name_2`` … of the given shape."""
    if not shape:
        return symbol(name, kind, scope)
    result = np.empty(shape, dtype=object)
    for place, entry in zip(np.ndindex(*shape), shaped_names(name, shape), strict=True):
        result[place] = symbol(entry, kind, scope)
    return result


def shaped_names(name: str, shape: Shape) -> list[str]:
    """The names of such symbols, row by row."""
    return [element_name(name, place) for place in np.ndindex(*shape)]


def parameter(name: str, default: Any, scope: str, unit: str, description: str) -> Parameter:
    """A parameter whose shape is that of its default; a scalar without value if there is none."""
    if default is None:
        one = symbol(name, "parameter", scope)
        return Parameter(name, one, {one: None}, unit, description)
    values = array(default)
    symbols = shaped_symbols(name, "parameter", scope, values.shape)
    others = [s.name for s in free_symbols(values) if s.kind != "parameter" or s.scope != scope]
    if others:
        raise ModelError(
            f"The default depends on {', '.join(others)}.",
            code="parameter-default-changing",
            where=f"parameter '{name}'",
            cause="A parameter stays the same during a run, and so must all that its default depends on.",
            remedy="Use parameters of the same system in the formula.",
            name=name,
            names=tuple(others),
        )
    pairs = zip(np.ravel(symbols), values.flat, strict=True) if values.shape else [(symbols, values.item())]
    return Parameter(name, symbols, dict(pairs), unit, description)


def with_symmetric_parameters(
    matrix: Any, parameters: Iterable[Parameter]
) -> tuple[Any, tuple[tuple[Symbol, Symbol], ...]]:
    """A matrix in which entries above the diagonal stand for those below, of parameters with a symmetric default.

    Args:
        matrix: an inertia as a user gave it; anything but a matrix with such parameters is returned as it is.
        parameters: of the system.

    Returns:
        The matrix, and the pairs of parameters of which the first now represents both.

    Example:
        >>> J = parameter("J", [[1.0, 0.1], [0.1, 2.0]], "arm", "", "")
        >>> with_symmetric_parameters(J.symbols, [J])
        (array([[J_1_1, J_1_2],
           [J_1_2, J_2_2]], dtype=object), ((J_1_2, J_2_1),))
    """
    if not isinstance(matrix, np.ndarray | list | tuple) or np.ndim(matrix) != 2:
        return matrix, ()
    used = set(free_symbols(array(matrix)))
    pairs = [pair for parameter in parameters for pair in _twins(parameter) if used.intersection(pair)]
    if not pairs:
        return matrix, ()
    return array(substitute(array(matrix), {second: first for first, second in pairs})), tuple(pairs)


def _twins(given: Parameter) -> Iterator[tuple[Symbol, Symbol]]:
    """The entries of a symmetric matrix that have equal defaults: above and below the diagonal."""
    symbols = given.symbols
    if not isinstance(symbols, np.ndarray) or symbols.ndim != 2 or symbols.shape[0] != symbols.shape[1]:
        return
    pairs = [(symbols[i, j], symbols[j, i]) for i in range(len(symbols)) for j in range(i + 1, len(symbols))]
    values = [[given.default[symbol] for symbol in pair] for pair in pairs]
    if all(a is not None and b is not None and a.fp == b.fp for a, b in values):
        yield from pairs


def defaults(parameters: Iterable[Parameter], given: Mapping[str, Any] | None = None) -> dict[Symbol, float]:
    """The number for every parameter: as given, or else its default, whose formula may use other parameters.

    Args:
        parameters: of a system.
        given: numbers by name; for an array its own name with an array of numbers, or the names of its elements.

    Raises:
        MissingValueError: with the names of all parameters that have no number.
        ModelError: if an array does not have the shape of its parameter.
    """
    known = _defaults(parameters, given)
    unknown = known.missing or [symbol.name for symbol in known.pending]
    if unknown:
        path = " -> ".join(symbol.name for symbol in circle(known.pending))
        no_parameter = "" if known.missing else "Their formulas lead to no parameter."
        raise MissingValueError(
            f"No value for: {', '.join(sorted(unknown))}.",
            where="parameters",
            cause=f"Formulas lead in a circle: {path}." if path else no_parameter,
            remedy="Give each a default in the system, or a number here.",
        )
    return known.numbers


def circle_of(parameters: Iterable[Parameter], given: Mapping[str, Any] | None = None) -> str:
    """Parameters whose formulas need each other, as ``a -> b -> a``; empty if there are none."""
    return " -> ".join(symbol.name for symbol in circle(_defaults(parameters, given).pending))


def circle(formulas: Mapping[Symbol, Expr]) -> list[Symbol]:
    """The first circle among formulas: symbols, each of which needs the next one; the last one is the first again."""
    needs = {
        symbol: [other for other in free_symbols(formula) if other in formulas] for symbol, formula in formulas.items()
    }
    while ends := [symbol for symbol, others in needs.items() if not any(other in needs for other in others)]:
        for end in ends:  # what leads out of all circles
            del needs[end]
    path = list(needs)[:1]
    while path:
        following = next(other for other in needs[path[-1]] if other in needs)
        if following in path:
            return [*path[path.index(following) :], following]
        path.append(following)
    return []


def known_defaults(parameters: Iterable[Parameter], given: Mapping[str, Any] | None = None) -> dict[Symbol, float]:
    """Likewise, without the parameters that have no number."""
    return _defaults(parameters, given).numbers


class _Known(NamedTuple):
    """Numbers of parameters; names of those without any; and formulas that need one of these."""

    numbers: dict[Any, float]
    missing: list[str]
    pending: dict[Symbol, Expr]


def _defaults(parameters: Iterable[Parameter], given: Mapping[str, Any] | None) -> _Known:
    parameters = tuple(parameters)
    values = by_element(parameters, given or {}, "parameter")
    known = _Known({}, [], {})
    for entry, default in ((s, d) for p in parameters for s, d in p.default.items()):
        if entry.name in values:
            known.numbers[entry] = finite_value(values[entry.name], f"parameter '{entry.name}'")
        elif default is None:
            known.missing.append(entry.name)
        elif isinstance(default, Constant):
            known.numbers[entry] = finite(default.value)
        else:
            known.pending[entry] = default
    while ready := [
        symbol for symbol, formula in known.pending.items() if known.numbers.keys() >= {*free_symbols(formula)}
    ]:
        for entry in ready:
            known.numbers[entry] = float(evaluate(known.pending.pop(entry), known.numbers))
    return known


def by_element(quantities: Iterable[Parameter | Input], given: Mapping[str, Any], what: str) -> dict[str, Any]:
    """Values by the names of elements: an array that was given by its own name is taken apart.

    Args:
        quantities: parameters or inputs.
        given: values by name; other names stay as they are.
        what: the quantities are, for errors.

    Raises:
        ModelError: if an array does not have the shape of its quantity, or an element is given twice.

    Example:
        >>> by_element([parameter("cp", [1, 2, 3], "rocket", "", "")], {"cp": [4, 5, 6], "m": 2}, "parameter")
        {'cp_1': 4, 'cp_2': 5, 'cp_3': 6, 'm': 2}
    """
    arrays = {quantity.name: quantity.symbols for quantity in quantities if np.ndim(quantity.symbols)}
    result = {name: value for name, value in given.items() if name not in arrays}
    for name in [name for name in given if name in arrays]:
        names = [symbol.name for symbol in np.ravel(arrays[name])]
        twice = [name for name in names if name in result]
        found, wanted = _shape_of(given[name]), np.shape(arrays[name])
        if found != wanted:
            raise ModelError(
                f"The shape of {what} '{name}' is {wanted}, that of the value {found}.",
                code="array-wrong-shape",
                where=f"{what} '{name}'",
                remedy=f"Give an array of this shape, or {', '.join(names)}.",
                name=name,
            )
        if twice:
            raise ModelError(
                f"{', '.join(twice)} is given twice: by its own name and as an element of '{name}'.",
                code="value-twice",
                where=f"{what} '{name}'",
                remedy="Give each number once.",
                name=name,
                names=tuple(twice),
            )
        result |= zip(names, np.ravel(np.array(given[name], dtype=object)), strict=True)
    return {name: result[name] for name in _in_order(given, arrays)}


def _shape_of(value: Any) -> Shape | None:
    """The shape of what was given; None for rows of different lengths."""
    try:
        return np.shape(value)
    except ValueError:
        return None


def _in_order(given: Iterable[str], arrays: Mapping[str, Any]) -> list[str]:
    """The names of elements in the order in which they or their arrays were given."""
    groups = ([symbol.name for symbol in np.ravel(arrays[name])] if name in arrays else [name] for name in given)
    return [name for group in groups for name in group]


def finite_value(value: Any, where: str) -> float:
    """A number that the user gave.

    Raises:
        NumberError: if it is none, or not finite.

    Example:
        >>> finite_value(2, "parameter 'm'")
        2.0
        >>> finite_value(None, "parameter 'm'")
        Traceback (most recent call last):
            ...
        multibody.errors.NumberError: None is not a finite number. [number-not-finite]
          where: parameter 'm'
          fix: Give a finite number in SI units; angles in radians.
    """
    plain = value.item() if isinstance(value, np.ndarray) and value.ndim == 0 else value
    if isinstance(plain, Constant):
        plain = plain.value
    if not is_number(plain) or not np.isfinite(float(plain)):
        raise NumberError(
            f"{value!r:.200} is not a finite number.",
            code="number-not-finite",
            where=where,
            remedy="Give a finite number in SI units; angles in radians.",
        )
    return float(plain)


def rate_name(name: str) -> str:
    """The name of a rate: x, x_dot, x_ddot."""
    return f"{name.removesuffix('_dot')}_ddot" if name.endswith("_dot") else f"{name}_dot"


def rate_unit(unit: str) -> str:
    """The unit of a rate; empty where that of the quantity is not known.

    Example:
        >>> [rate_unit(unit) for unit in ("rad", "m/s", "1", "")]
        ['rad/s', 'm/s^2', '1/s', '']
    """
    if unit.endswith("/s"):
        return f"{unit}^2"
    return f"{unit}/s" if unit else ""


def acceleration_symbol(speed: Symbol) -> Symbol:
    """The symbol that represents the rate of a speed."""
    return symbol(rate_name(speed.name), "variable", speed.scope)
