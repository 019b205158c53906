"""The prismatic joint."""

from __future__ import annotations

from multibody.model.joints.axis import Direction, axis
from multibody.model.joints.contract import JointKind, Step, fixed
from multibody.model.joints.elementary import Slide, slide_direction


class Prismatic(JointKind):
    """A translation along one axis: a slider, a piston.

    Args:
        axis: ``"x"``, ``"-z"`` …, or a direction in the parent frame.
    """

    def __init__(self, axis: Direction = "x") -> None:
        self.axis = axis

    def steps(self) -> tuple[Step, ...]:
        """One translation."""
        return (Step(Slide(slide_direction(axis(self.axis))), fixed()),)
