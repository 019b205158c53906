"""Whether a linear system stays the same along the motion that it is a picture of: only then do its poles decide.

Where it does not, growth and decay are those of a system with changing coefficients (Floquet), and poles at one instant
say nothing about them.
"""

from __future__ import annotations

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.errors import MultibodyError
from multibody.linear.linear_system import LinearizedSystem
from multibody.linear.linearization import linearize
from multibody.linear.point import by_name
from multibody.linear.spectrum import blocks
from multibody.simulate import simulate

SAME = 1e-5
"""Entries that change by less, relative to the largest of their block, stay the same: the motion is integrated."""

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
    except MultibodyError:
        return False  # no motion goes on from here, or other states are independent there
    change, size = np.abs(later - linear.A), np.abs(later) + np.abs(linear.A)
    parts = [np.ix_(block, block) for block in blocks(size)]
    return all(change[one].max() <= SAME * size[one].max() + NOTHING * size.max() for one in parts)
