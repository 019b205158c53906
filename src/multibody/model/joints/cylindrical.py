"""The cylindrical joint."""

from __future__ import annotations

from collections.abc import Sequence

from multibody.algebra import Transform
from multibody.model.joints.axis import Direction, axis, known_axis
from multibody.model.joints.contract import Gauge, JointKind, Lock, Step, fixed
from multibody.model.joints.elementary import Slide, slide_direction, turn_steps
from multibody.model.joints.locks import others, slide_gauge, turn_gauge, turned_locks


class Cylindrical(JointKind):
    """A translation along an axis and a rotation about it, independent of each other: a shaft in a bushing.

    Args:
        axis: ``"x"``, ``"-z"`` …, or a direction in the parent frame, which is the same in the child frame.
    """

    def __init__(self, axis: Direction = "z") -> None:
        self.axis = axis

    def steps(self) -> tuple[Step, ...]:
        """The translation, then the rotation."""
        along = axis(self.axis)
        return (Step(Slide(slide_direction(along), "t"), fixed()), *turn_steps(along, "r")[0])

    def end(self) -> Transform:
        """Back from the turned frame of an axis that is not a coordinate axis."""
        return turn_steps(axis(self.axis), "r")[1]

    def locks(self, pose: Transform) -> Sequence[Lock]:
        """Translations along and turns about the other two axes."""
        along = known_axis(self, self.axis)
        return list(turned_locks(pose, along.rotation, (others(along.index), others(along.index))))

    def gauges(self, pose: Transform) -> Sequence[Gauge]:
        """The displacement, and the angle."""
        along = known_axis(self, self.axis)
        slide = slide_gauge(pose, slide_direction(along))
        return [slide, turn_gauge(pose, along.rotation, along.index, along.sign)]
