"""Absolute tolerances that follow the scale of each coordinate and speed, for solvers of libraries.

Compiled loops keep a running scale, see ``error_floors``; these solvers get a vector at the start of a segment.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from multibody.simulation.contract import Vector
from multibody.simulation.kernel.run_record import GROUP_SHARE, LARGEST_FLOOR, OWN_SHARE, RATE_ROUNDING, VALUE_ROUNDING
from multibody.simulation.problem.problem import Problem
from multibody.simulation.problem.sample_functions import probe

NUDGES, LARGEST_NOISE = (1e-11, 1.7e-11, 0.6e-11), 1e-9
"""Changes of the state for second differences, and what is too large to be rounding."""

LOOKS, GOLDEN = 64, 0.6180339887498949
"""Times at which energies are looked at before a run; their order by the golden section does not meet any period."""

NOISE_MARGIN = 1e3
"""What implicit methods make of rounding errors of rates."""


def absolute_tolerances(
    problem: Problem, rtol: float, t: float, y: Vector, scales: Vector, longest_step: float
) -> Vector:  # fmt: skip
    """The absolute tolerance of each entry, by the formula of ``error_floors`` with what is known at the start.

    The scale of an entry is its largest value so far, or the change that its rate makes in a characteristic time.

    Args:
        problem: what moves.
        rtol: relative tolerance.
        t: time.
        y: state.
        scales: the largest |y| so far.
        longest_step: limit of the characteristic time.
    """
    n, m = problem.n, problem.m
    rates = problem.evaluate(t, y)
    values, sizes = np.maximum(scales, np.abs(y)), np.abs(rates)
    if not sizes[: n + m].any():  # at rest, perhaps until a load begins to act
        later = problem.evaluate(t + longest_step, y)
        sizes = np.where(np.isfinite(later), np.abs(later), 0.0)
    time = _characteristic_time(values[:n], values[n : n + m], sizes[n : n + m], longest_step)
    noise = np.zeros(problem.size) if problem.law else _noise(problem, t, y, rates)
    if n == m:
        noise[:n] = np.maximum(noise[:n], time * noise[n : n + m])
    tolerances = np.full(problem.size, LARGEST_FLOOR)
    speed = 0.0
    for part in (slice(n, n + m), slice(0, n)):
        own = np.maximum(values[part], time * sizes[part])
        largest = own.max(initial=0.0) or time * speed
        if not 0 < largest < np.inf:
            continue
        common = max(
            GROUP_SHARE * rtol * largest, VALUE_ROUNDING * largest, RATE_ROUNDING * time * sizes[part].max(initial=0.0)
        )
        own_or_group = np.maximum(OWN_SHARE * rtol * np.where(own > 0, own, 1e-3 * largest), common)
        if part.start == n and n == m:  # what changes coordinates by less than they are allowed to be off
            own_or_group = np.maximum(own_or_group, OWN_SHARE * rtol * OWN_SHARE * values[:n] / time)
        tolerances[part] = np.minimum(np.maximum(own_or_group, NOISE_MARGIN * time * noise[part]), LARGEST_FLOOR)
        speed = largest
    energy = values[n + m :].max(initial=0.0)
    if problem.functions.counted_works and energy > 0:
        tolerances[n + m :] = OWN_SHARE * rtol * energy
    return tolerances


def first_scales(problem: Problem, places: Sequence[int], first: float, last: float, y: Vector) -> Vector | None:
    """The scales at the start of a run in which works count; None where they do not.

    The scale of works is the largest kinetic energy, or change of the potential, that prescribed motions make while
    coordinates and speeds stay as they are.

    Args:
        problem: what moves.
        places: of inputs that follow expressions.
        first: the start of the run.
        last: its end.
        y: the state at the start.
    """
    if not problem.functions.counted_works:
        return None
    n, m, eom = problem.n, problem.m, problem.eom
    scales = np.zeros((2, problem.size))
    if eom.energy_known:
        t = first + (last - first) * (GOLDEN * np.arange(LOOKS) % 1.0)
        state = [t, np.tile(y[:n], (LOOKS, 1)), np.tile(y[n : n + m], (LOOKS, 1)), np.tile(problem.r, (LOOKS, 1))]
        with np.errstate(all="ignore"):
            if places:
                values = problem.functions.followed.batch(*state, problem.p)
                state[3][:, list(places)] = np.asarray(values).reshape(LOOKS, -1)
            found = probe(eom, "energies").batch(*state, problem.p)
            energy = max(float(np.max(found.kinetic)), float(np.ptp(found.potential)))
        scales[0, n + m :] = energy if np.isfinite(energy) else 0.0
    return scales


def _characteristic_time(q: Vector, u: Vector, acceleration: Vector, longest: float) -> float:
    """√(|q|/|u̇|) or |u|/|u̇|, whichever is longer, where they are known."""
    distance, speed, rate = (part.max(initial=0.0) for part in (q, u, acceleration))
    if not rate > 0 or not (distance > 0 or speed > 0):
        return longest
    return float(min(longest, max(np.sqrt(distance / rate), speed / rate)))


def _noise(problem: Problem, t: float, y: Vector, rates: Vector) -> Vector:
    """Rounding errors of the rates, by second differences (Moré & Wild 2011); 0 where they are more than that."""
    turns = np.where(np.arange(problem.size) % 2 == 0, 1.0, -0.7) * problem.weights * np.maximum(1.0, np.abs(y))
    differences = np.zeros(problem.size)
    with np.errstate(all="ignore"):
        for nudge in NUDGES:
            two_sides = problem.evaluate(t, y + nudge * turns) + problem.evaluate(t, y - nudge * turns)
            differences = np.maximum(differences, np.abs(two_sides - 2 * rates))
    return np.where((differences < LARGEST_NOISE) & problem.weights, differences, 0.0)
