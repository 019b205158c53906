"""The revolute joint."""

from __future__ import annotations

from multibody.algebra import Transform
from multibody.model.joints.axis import Direction, axis
from multibody.model.joints.contract import JointKind, Step
from multibody.model.joints.elementary import turn_steps


class Revolute(JointKind):
    """A rotation about one axis: a hinge, a pin.

    Args:
        axis: ``"x"``, ``"-z"`` …, or a direction in the parent frame, which is the same in the child frame.
    """

    def __init__(self, axis: Direction = "z") -> None:
        self.axis = axis

    def steps(self) -> tuple[Step, ...]:
        """One rotation."""
        return turn_steps(axis(self.axis), "r")[0]

    def end(self) -> Transform:
        """Back from the turned frame of an axis that is not a coordinate axis."""
        return turn_steps(axis(self.axis), "r")[1]
