"""A motion seen from its child: the same movement, run from the other end."""

from __future__ import annotations

from collections.abc import Sequence

from multibody.algebra import Transform, VelocityMotor
from multibody.graph import Expr
from multibody.model.joints.contract import Motion, Step


class Reversed(Motion):
    """The movement of the parent frame as seen from the child frame; coordinates and speeds stay the same.

    With X = X_PC and axes S in the child frame, the new axes are -X·S. As seen in the parent frame they change by
    -X·(v × S) with v = S·u, and v × S·u = 0: the bias is only -X·bias.
    """

    def __init__(self, motion: Motion) -> None:
        self.coordinates = motion.coordinates
        self.speeds = motion.speeds
        self.rest = motion.rest
        self._motion = motion

    def pose(self, q: Sequence[Expr]) -> Transform:
        """X_CP."""
        return self._motion.pose(q).inverse()

    def axes(self, q: Sequence[Expr]) -> tuple[VelocityMotor, ...]:
        """-X·S."""
        pose = self._motion.pose(q)
        return tuple(-pose.to_parent(axis) for axis in self._motion.axes(q))

    def bias(self, q: Sequence[Expr], u: Sequence[Expr]) -> VelocityMotor | None:
        """-X·bias."""
        bias = self._motion.bias(q, u)
        return None if bias is None else -self._motion.pose(q).to_parent(bias)

    def rates(self, q: Sequence[Expr], u: Sequence[Expr]) -> tuple[Expr, ...]:
        """The same as before."""
        return self._motion.rates(q, u)

    def speeds_from(self, q: Sequence[Expr], q_dot: Sequence[Expr]) -> tuple[Expr, ...]:
        """The same as before."""
        return self._motion.speeds_from(q, q_dot)


def reversed_steps(steps: Sequence[Step], end: Transform) -> tuple[tuple[Step, ...], Transform]:
    """The steps of a joint from its child to its parent, and the transform that ends them."""
    before = end.inverse()
    result = []
    for step in reversed(steps):
        result.append(Step(step.motion.reversed(), before))
        before = step.before.inverse()
    return tuple(result), before
