"""Start values that the user gave and that were changed so that the constraints hold."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from multibody.errors import ExpressionError
from multibody.graph import Expr, Symbol, evaluate
from multibody.mechanics.assembly.assembly import RoundedStart, StartChange, State, Vector
from multibody.mechanics.coordinate_kinds import length_coordinates
from multibody.mechanics.tolerances import ROUNDED_NORM, ROUNDED_SPEED, ROUNDED_VALUE, SMALLEST_LISTED_CHANGE
from multibody.model.model import Model

Numbers = Callable[[Sequence[Expr], Mapping[Any, float]], Sequence[float]]


def start_changes(
    state: State, guess: tuple[Vector, Vector], named: Collection[str], known: Mapping[Symbol, float],
    numbers: Numbers = evaluate,
) -> tuple[StartChange, ...]:  # fmt: skip
    """The values that the user gave, in the call or in the model, and that a state does not have.

    Values with few digits are listed as ``RoundedStart``, which is not a reason for a warning: a change counts if it is
    larger than 0.1 % of the value, and for an angle larger than 1 mrad, for a length larger than 0.1 % of the longest
    distance between two joints of a body.

    Args:
        state: coordinates and speeds that are used.
        guess: coordinates and speeds before the constraints were satisfied.
        named: names of values that were given in the call.
        known: values of time, inputs and parameters.
        numbers: how expressions are evaluated.
    """
    model, given = state.model, {*named, *state.model.written}
    changes = [*_changed_states(state, guess, given, known)]
    dependent = _dependent_values(model)
    if dependent:
        changes += _changed_dependents(state, dependent, known, numbers)
    return tuple(changes)


def _changed_states(
    state: State, guess: tuple[Vector, Vector], given: Collection[str], known: Mapping[Symbol, float]
) -> Iterator[StartChange]:
    """Of coordinates and speeds that are states."""
    model = state.model
    before, after = np.concatenate(guess), np.concatenate([state.q, state.u])
    if np.array_equal(before, after):
        return
    symbols, unit = (*model.coordinates, *model.speeds), before.copy()
    stretched = np.zeros(len(before), dtype=bool)
    for places in model.quaternions:
        norm = float(np.linalg.norm(before[places]))
        stretched[places] = abs(norm - 1) > ROUNDED_NORM
        unit[places] /= norm or 1.0  # of whatever length, it is the same rotation
    sizes = np.maximum(np.abs(before), np.abs(after))
    n, fastest = len(model.coordinates), np.abs([*guess[1], *state.u]).max(initial=0.0)
    scales = np.concatenate([_scales(model, known), np.full(len(before) - n, fastest)])
    rounded = np.maximum(
        ROUNDED_VALUE * sizes, scales * np.where(np.arange(len(before)) < n, ROUNDED_VALUE, ROUNDED_SPEED)
    )
    changed = np.abs(after - unit)
    large = (stretched & (after != before)) | (changed > rounded)
    for k in np.flatnonzero(large | (changed > SMALLEST_LISTED_CHANGE * np.maximum(sizes, scales))):
        if symbols[k].name in given:
            kind = StartChange if large[k] else RoundedStart
            yield kind(symbols[k].name, float(before[k]), float(after[k]))


def _scales(model: Model, known: Mapping[Symbol, float]) -> Vector:
    """What changes of coordinates are compared with: 1 for angles and quaternions, an arm for lengths."""
    lengths, arm = set(length_coordinates(model)), _arm(model, known)
    return np.array([arm if coordinate in lengths else 1.0 for coordinate in model.coordinates], dtype=float)


def _arm(model: Model, known: Mapping[Symbol, float]) -> float:
    """The longest constant distance between two joints of one body; 0 where there is none."""
    values: dict[Any, Any] = dict(known)
    components = [part for link in model.links if link.parent >= 0 for part in link.before.position.components()]
    places = np.asarray(evaluate(components, values), dtype=float).reshape(-1, 3)
    return float(np.linalg.norm(places, axis=1).max(initial=0.0))


def _dependent_values(model: Model) -> dict[Symbol, float]:
    """Start values of coordinates and speeds that are not states: solved in closed form, cut, or prescribed."""
    states, whole = {*model.coordinates, *model.speeds}, model.unreduced or model
    values = {
        symbol: value for symbol, value in whole.start.items() if symbol not in states and symbol.name in model.written
    }
    for joint in (*model.cuts, *(joint for joint in model.joints if joint.prescribed is not None)):
        pairs = (*zip(joint.coordinates, joint.q, strict=True), *zip(joint.speeds, joint.u, strict=True))
        values |= {symbol: value for symbol, value in pairs if symbol.name in joint.written}
    return values


def _changed_dependents(
    state: State, given: Mapping[Symbol, float], known: Mapping[Symbol, float], numbers: Numbers
) -> Iterator[StartChange]:
    """Of coordinates and speeds that follow from the states; an angle is the same after a whole turn."""
    model = state.model
    formulas: dict[Symbol, Expr] = {symbol: model.values[symbol] for symbol in given if symbol in model.values}
    for joint in model.joints:
        if joint.prescribed is not None:
            formulas |= {
                coordinate: value
                for coordinate, value in zip(joint.coordinates, joint.prescribed, strict=True)
                if coordinate in given
            }
    values: dict[Any, float] = {**known, **dict(zip(model.coordinates, map(float, state.q), strict=True))}
    values |= dict(zip(model.speeds, map(float, state.u), strict=True))
    try:
        used = dict(zip(formulas, map(float, numbers(list(formulas.values()), values)), strict=True))
    except ExpressionError:
        return  # a formula has no value there, which evaluation reports
    turning = {angle for joint in (*model.joints, *model.cuts) for angle in joint.angles}
    arm, fastest = _arm(model, known), float(np.abs(state.u).max(initial=0.0))
    for symbol, value in used.items():
        before, difference = given[symbol], abs(value - given[symbol])
        if symbol in turning:
            difference = abs((difference + np.pi) % (2 * np.pi) - np.pi)
        scale = 1.0 if symbol in turning else arm
        least = ROUNDED_SPEED * fastest if symbol.kind == "speed" else ROUNDED_VALUE * scale
        size = max(abs(before), abs(value))
        if difference > max(ROUNDED_VALUE * size, least):
            yield StartChange(symbol.name, before, value)
        elif difference > SMALLEST_LISTED_CHANGE * max(size, fastest if symbol.kind == "speed" else scale):
            yield RoundedStart(symbol.name, before, value)
