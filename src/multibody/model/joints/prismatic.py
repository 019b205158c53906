"""The prismatic joint."""

from __future__ import annotations

from collections.abc import Sequence

from multibody.algebra import Transform
from multibody.model.joints.axis import Direction, axis, known_axis
from multibody.model.joints.contract import Gauge, JointKind, Lock, Step, fixed
from multibody.model.joints.elementary import Slide, slide_direction
from multibody.model.joints.locks import others, slide_gauge, turned_locks


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

    def locks(self, pose: Transform) -> Sequence[Lock]:
        """All turns, and translations along the other two axes."""
        along = known_axis(self, self.axis)
        return list(turned_locks(pose, along.rotation, (others(along.index), "xyz")))

    def gauges(self, pose: Transform) -> Sequence[Gauge]:
        """The displacement."""
        return [slide_gauge(pose, slide_direction(axis(self.axis)))]
