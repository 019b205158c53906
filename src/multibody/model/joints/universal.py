"""The universal joint."""

from __future__ import annotations

from collections.abc import Sequence

from multibody.algebra import Transform
from multibody.model.joints.axis import Axis, Direction, axis, known_axis
from multibody.model.joints.contract import JointKind, Lock, Step
from multibody.model.joints.elementary import turn_steps
from multibody.model.joints.locks import angle_lock, translation_locks


class Universal(JointKind):
    """Two rotations, the second about an axis that the first carries along: a Cardan or Hooke joint.

    Args:
        first: an axis of the parent frame.
        second: an axis of the frame after the first rotation, which is the same in the child frame.

    Example:
        >>> from multibody.model import System
        >>> shaft = System("shaft")
        >>> yoke = shaft.joint("yoke", shaft.world, shaft.body("rod", mass=1, inertia=(1, 1, 1)), Universal("y", "z"))
        >>> yoke.coordinates
        (yoke_r1, yoke_r2)
    """

    def __init__(self, first: Direction = "x", second: Direction = "y") -> None:
        self.first = first
        self.second = second

    def steps(self) -> tuple[Step, ...]:
        """The two rotations."""
        (one,), between = turn_steps(axis(self.first), "r1")
        (two,), _ = turn_steps(axis(self.second), "r2")
        return one, Step(two.motion, between @ two.before)

    def end(self) -> Transform:
        """Back from the turned frame of an axis that is not a coordinate axis."""
        return turn_steps(axis(self.second), "r2")[1]

    def locks(self, pose: Transform) -> Sequence[Lock]:
        """All translations, and the angle between the two axes."""
        first, second = (along.rotation.apply(along.vector) for along in self._axes())
        return [*translation_locks(pose, "xyz"), angle_lock("t", pose, first, second)]

    def _axes(self) -> list[Axis]:
        return [known_axis(self, self.first), known_axis(self, self.second)]
