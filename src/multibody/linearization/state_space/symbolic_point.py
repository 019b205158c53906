"""Operating points with symbols in them: what is given as a number or formula, what is left free, what follows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.errors import ModelError
from multibody.graph import Constant, Expr, Symbol, as_expr, free_symbols, substitute
from multibody.graph.piecewise.signs import with_signs
from multibody.linearization.derivatives.signals import listed_names
from multibody.linearization.derivatives.slopes import positions
from multibody.linearization.operating_points.point import (
    LinearizationPoint,
    by_kind,
    require_kept,
    require_names_of,
    require_tables,
    require_within,
)
from multibody.mechanics.assembly.assembly import State
from multibody.model.freeze.inertia_checks import require_possible_numbers

Values = dict[Any, Expr]
"""An expression for each symbol of a model."""


def symbolic_place(
    eom: EquationsOfMotion, at: Mapping[str, Any] | None, free: Iterable[Any], parameters: Mapping[str, Any] | None,
    t: Any,
) -> tuple[Values, set[Symbol]]:  # fmt: skip
    """A value for time, every coordinate, speed, input and parameter; and the symbols whose values were given.

    Coordinates that follow from constraints are found where everything is a number; speeds are not solved for here.
    """
    model = eom.model
    q, u, r = by_kind(model, at or {})
    left = _left_free(eom, free)
    values: Values = {model.time: model.time if model.time in left else as_expr(t)}
    values |= _parameters(eom, eom.model.parameters_by_element(parameters), left)
    given = q | u | r
    for symbol in (*model.coordinates, *model.speeds, *model.input_symbols):
        known = given.get(symbol.name, model.start.get(symbol, 0.0))
        values[symbol] = symbol if symbol in left or known is None else substitute(as_expr(known), values)
    numbers = {symbol: float(x.value) for symbol, x in values.items() if isinstance(x, Constant)}
    require_within(model, numbers)
    require_tables(eom, numbers)
    model.require_values({number: value for number, value in numbers.items() if number in model.parameter_symbols})
    require_possible_numbers(model, numbers)
    said = {value for value in values if isinstance(value, Symbol) and (value in left or value.name in given)}
    return _closed(eom, values, {name: value for name, value in q.items() if value is not None}), said


def _left_free(eom: EquationsOfMotion, free: Iterable[Any]) -> set[Symbol]:
    model = eom.model
    symbols = (model.time, *model.coordinates, *model.speeds, *model.input_symbols, *model.parameter_symbols)
    known = {symbol.name: symbol for symbol in symbols}
    listed = listed_names(free)
    require_names_of(model, "quantity", listed, known)
    return {known[name] for name in listed}


def _parameters(eom: EquationsOfMotion, given: Mapping[str, Any], left: set[Symbol]) -> Values:
    """As given, or the default, which may be a formula of others; what has neither stays a symbol."""
    pairs = {symbol: default for each in eom.model.parameters for symbol, default in each.default.items()}
    require_names_of(eom.model, "parameter", given, [symbol.name for symbol in pairs])
    values: Values = {}
    for key, default in pairs.items():
        known = given.get(key.name, default)
        values[key] = key if key in left or known is None else as_expr(known)
    for _ in pairs:  # a formula of a formula of a formula
        values = {symbol: value if value is symbol else substitute(value, values) for symbol, value in values.items()}
        if not any(set(free_symbols(value)) & (set(pairs) - left) for value in values.values()):
            break
    return values


def _closed(eom: EquationsOfMotion, values: Values, given: Mapping[str, Any]) -> Values:
    """The coordinates with those that follow from constraints in their places, where they are numbers."""
    model, loops = eom.model, positions(eom)
    gaps = list(with_signs(substitute(loops, values), model.signs)) if loops else []
    gaps = [gap for gap in gaps if gap.fp != 0]
    if not gaps:
        return values
    moving = {symbol for symbol in free_symbols(gaps) if symbol in model.coordinates}
    if moving:
        _require_all_free(eom, loops, values, given, moving)
        return values  # closed for some values of the coordinates that are left free, which ``at`` checks
    if free_symbols(gaps) or not all(isinstance(values[q], Constant) for q in model.coordinates):
        raise ModelError(
            f"The coordinates do not keep the constraints: {gaps[0]!r:.120} is not zero.",
            code="values-break-constraints",
            where=f"operating point of system '{model.name}'",
            cause="Where lengths are symbols, dependent coordinates are not solved for.",
            remedy="Give dependent coordinates as formulas, such as at={'x': L}, or leave them free. In a model from "
            "SymPy, make lengths with positive=True.",
            name=model.name,
        )
    state = _assembled(eom, values, given)
    return values | {q: as_expr(float(value)) for q, value in zip(model.coordinates, state.q, strict=True)}


def _require_all_free(
    eom: EquationsOfMotion, loops: list[Expr], values: Values, given: Mapping[str, Any], moving: set[Any]
) -> None:
    """An error for coordinates that stay where they are while others in the same loop are left free."""
    among = [symbol for gap in loops if moving & {*_with_values(gap, values)} for symbol in free_symbols(gap)]
    frozen = dict.fromkeys(
        symbol.name
        for symbol in among
        if symbol in eom.model.coordinates and isinstance(values[symbol], Constant) and symbol.name not in given
    )
    if frozen:
        names = ", ".join(sorted(symbol.name for symbol in moving))
        raise ModelError(
            f"{', '.join(frozen)} would stay where they are while {names} is left free: the loops would open.",
            code="coordinates-frozen",
            where=f"operating point of system '{eom.model.name}'",
            cause="Dependent coordinates are not solved for where others are left free.",
            remedy=f"Leave all of them free, free={[*sorted(s.name for s in moving), *frozen]!r}, and give their "
            "numbers to at(…), such as those of eom.consistent(…); give them as formulas; or use linearize, which "
            "closes the loops.",
            names=tuple(map(str, frozen)),
        )


def _with_values(gap: Expr, values: Values) -> list[Symbol]:
    return free_symbols(substitute(gap, values))


def _assembled(eom: EquationsOfMotion, values: Values, given: Mapping[str, Any]) -> State:
    """A state that keeps all constraints with the given coordinates."""
    model = eom.model
    known = {symbol.name: float(value.value) for symbol, value in values.items() if isinstance(value, Constant)}
    start = {name: known[name] for name in given}
    parameters = {
        symbol.name: known.get(symbol.name, 1.0) for symbol in model.parameter_symbols
    }  # what is free has no part in it
    inputs = {symbol.name: known.get(symbol.name, 0.0) for symbol in model.input_symbols}
    state = eom.consistent(start, parameters=parameters, inputs=inputs, t=known.get(model.time.name, 0.0))
    p = np.array([parameters[symbol.name] for symbol in model.parameter_symbols])
    require_kept(eom, start, LinearizationPoint(0.0, state.q, state.u, np.zeros(0), p))
    return state
