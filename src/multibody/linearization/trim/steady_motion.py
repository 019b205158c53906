"""Verdicts on steady motions: does the motion stay steady, and does its linear system stay the same along it?

Only then do poles decide about stability. Where the linear system changes, growth and decay are those of a system with
changing coefficients (Floquet), and poles at one instant say nothing about them.

Each verdict is True, False, or None where it is not decided: equations follow time, which has no end, and no change was
seen; formulas switch along the motion; or a change is too small to be distinguished from rounding. What follows time is
True only if time cancels in the equations.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.errors import MultibodyError
from multibody.graph import Expr, evaluate, free_symbols, isolated, substitute, topological
from multibody.linearization.derivatives.signals import input_places, output_signals
from multibody.linearization.derivatives.slopes import depend_on
from multibody.linearization.operating_points.point import LinearizationPoint, Matrix, by_name
from multibody.linearization.spectra.spectrum import blocks
from multibody.linearization.state_space.linearized_system import LinearizedSystem
from multibody.linearization.state_space.linearizer import Linearizer, linearize
from multibody.linearization.tolerances import (
    ENTRY_CHANGE,
    ENTRY_CHANGE_ROUNDING,
    MOMENT_OF_MOTION,
    STEADY_CHANGE,
    STEADY_CHANGE_ROUNDING,
    WEAK_ENTRY,
)
from multibody.linearization.trim.newton import Trim
from multibody.linearization.trim.steady_equations import SteadyEquations
from multibody.linearization.trim.unknown_sizes import state_sizes, term_sizes
from multibody.mechanics.assembly.assembly import Vector
from multibody.simulation import simulate

Verdict = bool | None


TIMES = (0.0137, 0.0731, 0.317, 0.73, 1.71, 3.33, 7.77, 23.1, 91.7, 371.3, 2113.7, 19127.1)
"""Times after which a motion is looked at, relative to times of the mechanism; no multiples of a period."""

AWHILE = 0.37
"""The time after which a motion is looked at that must be integrated, likewise."""

SWITCHES = frozenset({"lt", "le", "eq", "where", "min", "max", "abs", "sign", "table"})


# linear systems ------------------------------------------------------------------------------------------------------


def stays_same(equations: SteadyEquations, w: Vector, linear: LinearizedSystem) -> Verdict:
    """Whether the linear system is the same all along a steady motion, but for entries that have no part in its poles.

    Args:
        equations: of the motion.
        w: the motion.
        linear: its linear system now.
    """
    eom = equations.eom
    changing = _changing(equations, w)
    linearizer = Linearizer.of(eom, output_signals(eom, None))
    zeros = [zero for zero in equations.point(w).zeros if zero not in changing]
    with_time = linearizer.slopes.state_matrix_lasts(zeros) is None
    if _integrated(equations, changing):
        verdict = lasting(eom, linear, AWHILE / state_sizes(equations, w).rate)
        return None if verdict and with_time else verdict
    entries = [entry for entry in linearizer.slopes.sparse.entries if changing & {*free_symbols(entry)}]
    if not entries:
        return True
    verdicts: list[Verdict] = []
    for later in _later(equations, w):
        point = equations.point(later)
        place = LinearizationPoint(point.t, point.q, point.u, point.r, point.p)
        try:
            verdicts.append(same_matrix(linear.A, linearizer.at(place, input_places(eom, None), linear.states).A))
        except MultibodyError:
            return False  # no linear system exists there, or other states are independent
        if verdicts[-1] is False:
            return False
    return None if with_time or None in verdicts or _switches(entries, changing) else True


def same_matrix(A: Matrix, later: Matrix) -> Verdict:
    """Whether two state matrices have the same entries, where these have a part in poles.

    Entries are compared one by one, so that a stiff part of a system does not hide changes elsewhere.

    Example:
        >>> A = np.array([[0.0, 1.0, 0.0], [-9.0, 0.0, 1e9], [0.0, 1e-3, -1e12]])
        >>> later = A.copy()
        >>> later[1, 0] = -10.0
        >>> same_matrix(A, A), same_matrix(A, later)
        (True, False)
    """
    from scipy.linalg import matrix_balance  # late, because importing it takes long

    change, size = np.abs(later - A), np.maximum(np.abs(later), np.abs(A))
    verdict: Verdict = True
    for block in blocks(size, WEAK_ENTRY):
        part = np.ix_(block, block)
        balanced, (scale, _) = matrix_balance(size[part], permute=False, separate=True)
        weighed = change[part] * scale[None, :] / scale[:, None]
        norm = float(np.linalg.norm(balanced, 2)) if len(block) else 0.0
        differs = change[part] > STEADY_CHANGE * size[part]
        if (differs & (weighed > ENTRY_CHANGE * norm)).any():
            return False
        verdict = None if (differs & (weighed > ENTRY_CHANGE_ROUNDING * norm)).any() else verdict
    return verdict


def lasting(eom: EquationsOfMotion, linear: LinearizedSystem, after: float) -> Verdict:
    """Whether A is the same some time later, by integrating the motion.

    Args:
        eom: the equations of motion.
        linear: the linear system now, at its operating point.
        after: how much later, in s.
    """
    point = linear.point
    inputs, parameters = by_name(eom.inputs, point.r), by_name(eom.parameters, point.p)
    try:
        run = simulate(
            eom, after, q=point.q, u=point.u, inputs=inputs, parameters=parameters, t0=point.t, samples=2
        )  # fmt: skip
        later = linearize(eom, run.at(run.t[-1]), independent=linear.states).A
    except KeyboardInterrupt:
        raise
    except MultibodyError:
        return False  # no motion goes on from here so long, or other states are independent there
    change, size = np.abs(later - linear.A), np.maximum(np.abs(later), np.abs(linear.A))
    parts = [np.ix_(block, block) for block in blocks(size)]
    return all(
        (change[part] <= STEADY_CHANGE * np.maximum(size[part], STEADY_CHANGE * size[part].max())).all()
        for part in parts
    )


# motions -------------------------------------------------------------------------------------------------------------


def goes_on(equations: SteadyEquations, w: Vector) -> Verdict:
    """Whether the equations of a steady state hold later, too, so that it is more than an instant."""
    changing = _changing(equations, w)
    rows = _with_numbers(equations, w, changing)
    if not changing & {*free_symbols(rows)}:
        return True
    with_time = depend_on(rows, [equations.eom.model.time])
    if changing == {equations.eom.model.time} and not with_time:
        return True
    if not _holds_for_a_moment(equations, w):
        return False
    if _integrated(equations, changing):
        return None if with_time else True
    trim, unchanged = Trim(equations, w), True
    for later in _later(equations, w):
        now = trim.local(trim.with_forces(later))
        terms = np.maximum(term_sizes(equations, later), now.scale)
        change = np.abs(now.residual) * now.scale
        if not (change <= STEADY_CHANGE * terms).all():
            return False
        unchanged = unchanged and bool((change <= STEADY_CHANGE_ROUNDING * terms).all())
    return None if with_time or not unchanged or _switches(rows, changing) else True


def _holds_for_a_moment(equations: SteadyEquations, w: Vector) -> bool:
    """Whether dF/dt = ∂F/∂w·ẇ vanishes along the motion, for some change of the forces and rates that are free."""
    rates, trim = _rates(equations, w), Trim(equations, w)
    sizes = state_sizes(equations, w)
    relative = np.abs(rates[1 : 1 + len(sizes.coordinates)]) / sizes.coordinates
    fastest = max(float(relative.max(initial=0.0)), sizes.rate)
    now, step = trim.local(w), MOMENT_OF_MOTION / fastest
    ahead, back = (np.asarray(equations.residual(w + sign * step * rates)).reshape(-1) for sign in (1, -1))
    change = (ahead - back) / now.scale * (0.5 / MOMENT_OF_MOTION)  # relative to the fastest rate
    follow = now.slopes[:, trim.chosen :]
    rest = change - follow @ np.linalg.lstsq(follow, change, rcond=None)[0]
    return bool(np.abs(rest).max(initial=0.0) <= STEADY_CHANGE)


def _changing(equations: SteadyEquations, w: Vector) -> set[Any]:
    """Time, and the coordinates and speeds that change along the motion."""
    rates = dict(zip(equations.symbols, _rates(equations, w), strict=True))
    return {symbol for symbol in (equations.eom.model.time, *equations.moving) if rates[symbol]}


def _integrated(equations: SteadyEquations, changing: set[Any]) -> bool:
    """Whether a motion does not go on at constant rates: speeds change, or quaternions turn."""
    eom = equations.eom
    turning = {eom.coordinates[k] for places in eom.model.quaternions for k in places}
    uneven = [coordinate for coordinate, rate in zip(eom.coordinates, eom.rates, strict=True) if rate not in eom.speeds]
    return bool(changing & ({*eom.speeds} | turning | {*uneven}))


def _later(equations: SteadyEquations, w: Vector) -> list[Vector]:
    """The motion at later times, at constant rates."""
    rates, sizes = _rates(equations, w), state_sizes(equations, w)
    return [w + share / rate * rates for rate in {sizes.rate, sizes.slowest} for share in TIMES]


def _with_numbers(equations: SteadyEquations, w: Vector, changing: Collection[Any]) -> list[Expr]:
    """The equations with numbers for everything but what changes, and forces that may follow it."""
    kept = {*changing, *(equations.symbols[k] for k in equations.free[len(equations.unknown) :])}
    point = equations.point(w)
    numbers: dict[Any, Any] = dict(zip(equations.symbols, w.tolist(), strict=True))
    numbers |= dict(zip(equations.eom.parameters, point.p.tolist(), strict=True))
    values = [value for _, value in equations.rows]
    with isolated(*topological(values)):
        try:
            return list(substitute(values, {number: x for number, x in numbers.items() if number not in kept}))
        except MultibodyError:
            return values


def _switches(expressions: Sequence[Expr], changing: Collection[Any]) -> bool:
    """Whether expressions decide by what changes between formulas, so that samples may miss something."""
    reached = set(changing)
    for node in topological(list(expressions)):
        if any(arg in reached for arg in node.args):
            if node.op in SWITCHES:
                return True
            reached.add(node)
    return False


def _rates(equations: SteadyEquations, w: Vector) -> Vector:
    """ẇ of time, and of the coordinates and speeds that move."""
    eom = equations.eom
    point = equations.point(w)
    numbers = dict(zip(equations.symbols, map(float, w), strict=True)) | dict(zip(eom.parameters, point.p, strict=True))
    rates = dict(zip(eom.coordinates, evaluate(list(eom.rates), dict(numbers)), strict=True))
    rates |= {u: numbers[rate] for u, rate in zip(eom.speeds, eom.model.accelerations, strict=True)}
    moving = {eom.model.time: 1.0} | {symbol: rates[symbol] for symbol in equations.moving}
    return np.array([float(moving.get(symbol, 0.0)) for symbol in equations.symbols])
