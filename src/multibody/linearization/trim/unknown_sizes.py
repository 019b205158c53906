"""Sizes of the unknowns of steady states, in the units of the model, and of the terms that balance in each equation.

Angles have the size 1, lengths that of the mechanism. A time follows from how fast the forces at the start accelerate
it, or how fast it moves; speeds, their rates and constraint forces follow from these. All of them change with the units
as the unknowns do, so that the search takes the same way in any units.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from multibody.errors import ExpressionError
from multibody.graph import Symbol, evaluate
from multibody.graph.running_error import balanced_sizes
from multibody.linearization.operating_points.sizes import (
    LENGTH,
    coordinate_sizes,
    coordinate_units,
    speed_lengths,
    typical_length,
)
from multibody.linearization.tolerances import EPS, LAW_CHANGE
from multibody.linearization.trim.steady_equations import SteadyEquations
from multibody.mechanics.assembly.assembly import Vector


class StateSizes(NamedTuple):
    """Sizes at a place, in the units of the model.

    Attributes:
        coordinates: of the coordinates.
        lengths: of what each speed is the rate of.
        rate: one over a time of the mechanism.
        slowest: the same of its slowest part.
        forces: of the terms in each balance of forces.
    """

    coordinates: Vector
    lengths: Vector
    rate: float
    slowest: float
    forces: Vector


def state_sizes(equations: SteadyEquations, w: Vector) -> StateSizes:
    """Sizes of coordinates, speeds and forces at w."""
    eom = equations.eom
    point = equations.point(w)
    coordinates = coordinate_sizes(eom, _length_estimate(equations, w, point.q, point.p), point.p)
    kinds = coordinate_units(eom)
    lengths = speed_lengths(
        eom, max([size for size, kind in zip(coordinates, kinds, strict=True) if kind == "m"] or [1.0])
    )
    slopes = np.nan_to_num(np.abs(equations.slopes.dense(w)))[equations.force_rows]
    residual = np.nan_to_num(np.abs(np.asarray(equations.residual(w)).reshape(-1)))[equations.force_rows]
    known = dict(zip(eom.coordinates, coordinates.tolist(), strict=True))
    statics = slopes @ np.array([known.get(equations.symbols[k], 0.0) for k in equations.free]) + residual
    inertia = _inertias(equations, w, lengths)
    rate, slowest = _rates(inertia, statics, point.u, lengths)
    forces = inertia * rate**2 + statics
    forces = np.where(forces > 0, forces, float(forces.max(initial=0.0)) or 1.0)
    return StateSizes(coordinates, lengths, rate, slowest, forces)


def unknown_sizes(equations: SteadyEquations, w: Vector) -> Vector:
    """The size of each unknown at w."""
    eom, sizes = equations.eom, state_sizes(equations, w)
    known: dict[Symbol, float] = dict(zip(eom.coordinates, sizes.coordinates.tolist(), strict=True))
    known |= dict(zip(eom.speeds, (sizes.lengths * sizes.rate).tolist(), strict=True))
    known |= dict(zip(eom.model.accelerations, (sizes.lengths * sizes.rate**2).tolist(), strict=True))
    slopes = np.nan_to_num(np.abs(equations.slopes.dense(w)))[equations.force_rows]
    places = enumerate(equations.free)
    others = [
        known.get(equations.symbols[at]) or _input_size(abs(w[at]), slopes[:, k], sizes.forces) for k, at in places
    ]
    return np.array(others, dtype=float)


def law_lengths(equations: SteadyEquations, w: Vector, sizes: Vector, scale: Vector) -> Vector:
    """How far each length goes from w until slopes change; of what is not a length, or has no such law, its size.

    The travel of a spring may be a millionth of the body that it carries, or a thousand times as long.

    Args:
        equations: of the steady state.
        w: a place.
        sizes: of the unknowns.
        scale: what each equation is divided by, so that slopes are comparable.
    """
    units = dict(zip(equations.eom.coordinates, coordinate_units(equations.eom), strict=True))
    found = np.array(sizes, dtype=float)

    def column(k: int, step: float) -> Vector:
        there = w.copy()
        there[equations.free[k]] += step
        return np.asarray(equations.slopes.dense(there)[:, k] * sizes[k] / scale)

    for k, place in enumerate(equations.free):
        if units.get(equations.symbols[place]) == LENGTH:
            found[k] = _first_change(partial(column, k), float(found[k]))
    return found


def _first_change(column: Callable[[float], Vector], size: float) -> float:
    """How far it is to where a column of slopes changes by more than ``LAW_CHANGE``; the size if it does not."""
    here = column(0.0)
    limit = LAW_CHANGE * float(np.abs(here).max(initial=0.0))
    if not 0 < limit < np.inf:
        return size
    for distance in size * EPS * 2.0 ** np.arange(2 * np.log2(1 / EPS)):
        if not all(np.abs(column(side * distance) - here).max() <= limit for side in (1.0, -1.0)):
            return float(distance)
    return size


def _input_size(value: float, slopes: Vector, forces: Vector) -> float:
    """Of an input, a parameter or a constraint force: its value, and as much as balances one of the forces."""
    largest = float((slopes / forces).max(initial=0.0))
    return max(float(value), 1 / largest if largest > 0 else 0.0) or 1.0


def _length_estimate(equations: SteadyEquations, w: Vector, q: Vector, p: Vector) -> Vector:
    """The coordinates; where neither they nor the mechanism have any length, those that one step of Newton has."""
    lengths = np.array([kind == "m" for kind in coordinate_units(equations.eom)], dtype=bool)
    if not lengths.any() or np.abs(q[lengths]).max() > 0 or typical_length(equations.eom, p) > 0:
        return q
    slopes, residual = equations.slopes.dense(w), np.asarray(equations.residual(w)).reshape(-1)
    scale = np.abs(slopes).max(axis=1, initial=0.0)
    rows = np.isfinite(scale) & (scale > 0) & np.isfinite(residual)
    if not rows.any():
        return q
    step = np.linalg.lstsq(slopes[rows] / scale[rows, None], residual[rows] / scale[rows], rcond=None)[0]
    steps = dict(zip((equations.symbols[k] for k in equations.free), step.tolist(), strict=True))
    moved = np.array([steps.get(coordinate, 0.0) for coordinate in equations.eom.coordinates])
    return np.where(lengths, moved, q)


def _inertias(equations: SteadyEquations, w: Vector, lengths: Vector) -> Vector:
    """About the forces that give each speed its size within one second, by two random accelerations of this size."""
    eom = equations.eom
    rng = np.random.default_rng(4)
    known: dict[Any, Any] = dict(zip(equations.symbols, (np.full(3, x) for x in w.tolist()), strict=True))
    known |= {parameter: np.full(3, x) for parameter, x in zip(eom.parameters, equations.point(w).p, strict=True)}
    for acceleration, length in zip(eom.model.accelerations, lengths, strict=True):
        known[acceleration] = length * np.array([0.0, *rng.choice([-1.0, 1.0], 2) * rng.uniform(0.5, 1.0, 2)])
    try:
        values = evaluate(list(eom.kinetics.residual()), known)
    except ExpressionError:
        return np.ones(len(eom.speeds))
    rows = np.array([np.broadcast_to(value, 3) for value in values], dtype=float).reshape(-1, 3)
    return np.nan_to_num(np.abs(rows[:, 1:] - rows[:, :1]).max(axis=1, initial=0.0))


def _rates(inertia: Vector, forces: Vector, u: Vector, lengths: Vector) -> tuple[float, float]:
    """One over a time of the mechanism and of its slowest part, in 1/s: how fast forces move it, or how fast it moves.

    Both are 1 if nothing moves it.
    """
    with np.errstate(all="ignore"):
        squares = np.where((inertia > 0) & (forces > 0), forces / inertia, 0.0)
    found = np.sqrt(squares[squares > 0])
    moving = float((np.abs(u) / lengths).max(initial=0.0))
    if not len(found):
        return moving or 1.0, moving or 1.0
    return max(float(np.median(found)), moving), float(found.min())


@np.errstate(all="ignore")
def term_sizes(equations: SteadyEquations, w: Vector) -> Vector:
    """For each equation the size of the terms that balance in it at w; zero where it has no value."""
    point = equations.point(w)
    known = dict(zip(equations.symbols, w.tolist(), strict=True))
    known |= dict(zip(equations.eom.parameters, point.p.tolist(), strict=True))
    return np.nan_to_num(balanced_sizes([value for _, value in equations.rows], known), posinf=0.0)
