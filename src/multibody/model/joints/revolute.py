"""The revolute joint."""

from __future__ import annotations

from collections.abc import Sequence

from multibody.algebra import Transform
from multibody.model.joints.axis import Direction, axis, known_axis
from multibody.model.joints.contract import Gauge, JointKind, Lock, Step
from multibody.model.joints.elementary import turn_steps
from multibody.model.joints.locks import others, turn_gauge, turned_locks


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

    def locks(self, pose: Transform) -> Sequence[Lock]:
        """All translations, and turns about the other two axes."""
        along = known_axis(self, self.axis)
        return list(turned_locks(pose, along.rotation, ("xyz", others(along.index))))

    def gauges(self, pose: Transform) -> Sequence[Gauge]:
        """The angle."""
        along = known_axis(self, self.axis)
        return [turn_gauge(pose, along.rotation, along.index, along.sign)]
