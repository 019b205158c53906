"""Whether a motion stays steady, and whether a linear system stays the same along it: only then do its poles decide.

Where it does not, growth and decay are those of a system with changing coefficients (Floquet), and poles at one instant
say nothing about them.
"""

from __future__ import annotations

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.errors import MultibodyError
from multibody.graph import evaluate
from multibody.linear.linear_system import LinearizedSystem
from multibody.linear.linearization import linearize
from multibody.linear.point import by_name
from multibody.linear.spectrum import blocks
from multibody.linear.steady_equations import SteadyEquations
from multibody.linear.trim import Trim
from multibody.model.assembly import Vector
from multibody.simulate import simulate

SAME = 1e-5
"""Entries that change by less, relative to the largest of their block, stay the same: the motion is integrated."""

MOMENT = 1e-4
"""A time, measured by the fastest rate, over which a motion is looked at."""

NOTHING = 1e-12
"""Entries below this, relative to the largest of all, are rounding."""


def lasting(eom: EquationsOfMotion, linear: LinearizedSystem, after: float) -> bool:
    """Whether A is the same some time later, but for entries that have no part in its poles.

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
    change, size = np.abs(later - linear.A), np.abs(later) + np.abs(linear.A)
    parts = [np.ix_(block, block) for block in blocks(size)]
    return all(change[one].max() <= SAME * size[one].max() + NOTHING * size.max() for one in parts)


def goes_on(equations: SteadyEquations, w: Vector) -> bool:
    """Whether the equations of a steady state still hold a moment later, so that it is more than an instant.

    Along the motion dF/dt = ∂F/∂w·ẇ must vanish, for some change of the forces and of the rates that are free.
    """
    rates = _rates(equations, w)
    step = MOMENT / max(1.0, float(np.abs(rates).max()))
    trim = Trim(equations, w)
    now = trim.local(w)
    ahead, back = (np.asarray(equations.residual(w + sign * step * rates)).reshape(-1) for sign in (1, -1))
    change = (ahead - back) / now.scale * (0.5 / MOMENT)  # relative to the fastest rate
    follow = now.slopes[:, trim.chosen :]
    rest = change - follow @ np.linalg.lstsq(follow, change, rcond=None)[0]
    return bool(np.abs(rest).max(initial=0.0) <= SAME)


def _rates(equations: SteadyEquations, w: Vector) -> Vector:
    """ẇ of time, and of the coordinates and speeds that move."""
    eom = equations.eom
    point = equations.point(w)
    numbers = dict(zip(equations.symbols, map(float, w), strict=True)) | dict(zip(eom.parameters, point.p, strict=True))
    rates = dict(zip(eom.coordinates, evaluate(list(eom.rates), dict(numbers)), strict=True))
    rates |= {u: numbers[rate] for u, rate in zip(eom.speeds, eom.model.accelerations, strict=True)}
    moving = {eom.model.time: 1.0} | {one: rates[one] for one in equations.moving}
    return np.array([float(moving.get(one, 0.0)) for one in equations.symbols])
