"""Parameters and inputs: named symbols or arrays of symbols, with value, unit and description."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from multibody.errors import MissingValueError, ModelError, NumberError
from multibody.graph import Constant, Expr, Kind, Symbol, array, evaluate, free_symbols, symbol
from multibody.graph.number import finite, is_number

Shape = tuple[int, ...]


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
    """A quantity that comes from outside while the system moves, such as a driving force."""

    name: str
    symbols: Any
    unit: str = ""
    description: str = ""
    limits: tuple[float, float] = (-1.0, 1.0)

    @property
    def flat(self) -> tuple[Symbol, ...]:
        """All its symbols, row by row."""
        return tuple(np.ravel(np.array(self.symbols, dtype=object)))


def as_shape(given: Any, where: str) -> Shape:
    """How many, or rows and columns, as whole numbers.

    Example:
        >>> as_shape(3, "input 'F'"), as_shape([2, 2], "input 'K'"), as_shape((), "input 't'")
        ((3,), (2, 2), ())
    """
    sizes = tuple(np.atleast_1d(np.asarray(given, dtype=object)).flat)
    if not all(isinstance(one, int | np.integer) and not isinstance(one, bool) and one >= 0 for one in sizes):
        raise ModelError(
            f"{given!r:.80} is no shape.",
            where=where,
            remedy="Give a whole number, or rows and columns: (2, 3).",
        )
    return tuple(int(one) for one in sizes)


def shaped_symbols(name: str, kind: Kind, scope: str, shape: Shape) -> Any:
    """The symbol ``name``, or an array of symbols ``name_1``, ``name_2`` … of the given shape."""
    if not shape:
        return symbol(name, kind, scope)
    result = np.empty(shape, dtype=object)
    for place, one in zip(np.ndindex(*shape), shaped_names(name, shape), strict=True):
        result[place] = symbol(one, kind, scope)
    return result


def shaped_names(name: str, shape: Shape) -> list[str]:
    """The names of such symbols, row by row."""
    return ["_".join([name, *(str(k + 1) for k in place)]) for place in np.ndindex(*shape)]


def parameter(name: str, default: Any, scope: str, unit: str, description: str) -> Parameter:
    """A parameter whose shape is that of its default; a scalar without value if there is none."""
    if default is None:
        one = symbol(name, "parameter", scope)
        return Parameter(name, one, {one: None}, unit, description)
    values = array(default)
    symbols = shaped_symbols(name, "parameter", scope, values.shape)
    strangers = [s.name for s in free_symbols(values) if s.kind != "parameter" or s.scope != scope]
    if strangers:
        raise ModelError(
            f"The default depends on {', '.join(strangers)}.",
            where=f"parameter '{name}'",
            cause="A parameter stays the same during a run, and so must all that its default depends on.",
            remedy="Use parameters of the same system in the formula.",
        )
    pairs = zip(np.ravel(symbols), values.flat, strict=True) if values.shape else [(symbols, values.item())]
    return Parameter(name, symbols, dict(pairs), unit, description)


def defaults(parameters: Iterable[Parameter], given: Mapping[str, float] | None = None) -> dict[Symbol, float]:
    """The number for every parameter: as given, or else its default, whose formula may use other parameters.

    Raises:
        MissingValueError: with the names of all parameters that have no number.
    """
    numbers: dict[Any, float] = {}
    pending: dict[Symbol, Expr] = {}
    missing: list[str] = []
    for one, default in ((s, d) for p in parameters for s, d in p.default.items()):
        if given is not None and one.name in given:
            numbers[one] = finite_value(given[one.name], f"parameter '{one.name}'")
        elif default is None:
            missing.append(one.name)
        elif isinstance(default, Constant):
            numbers[one] = finite(default.value)
        else:
            pending[one] = default
    while pending:
        ready = {s: d for s, d in pending.items() if not any(other in pending for other in free_symbols(d))}
        if not ready or missing:
            break
        for one, default in ready.items():
            numbers[one] = float(evaluate(default, numbers))
            del pending[one]
    if missing or pending:
        raise MissingValueError(
            f"No value for: {', '.join(sorted(missing or (one.name for one in pending)))}.",
            where="parameters",
            cause="" if missing else "Their formulas lead in a circle, or to no parameter.",
            remedy="Give each a default in the system, or a number here.",
        )
    return numbers


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
        multibody.errors.NumberError: None is not a finite number.
          where: parameter 'm'
          what to do: Give a finite number in SI units; angles in radians.
    """
    plain = value.item() if isinstance(value, np.ndarray) and value.ndim == 0 else value
    if isinstance(plain, Constant):
        plain = plain.value
    if not is_number(plain) or not np.isfinite(float(plain)):
        raise NumberError(
            f"{value!r:.200} is not a finite number.",
            where=where,
            remedy="Give a finite number in SI units; angles in radians.",
        )
    return float(plain)


def rate_name(name: str) -> str:
    """The name of a rate: x, x_dot, x_ddot."""
    return f"{name.removesuffix('_dot')}_ddot" if name.endswith("_dot") else f"{name}_dot"


def acceleration_symbol(speed: Symbol) -> Symbol:
    """The symbol that stands for the rate of a speed."""
    return symbol(rate_name(speed.name), "variable", speed.scope)
