"""The planar joint."""

from __future__ import annotations

from collections.abc import Sequence

from multibody.algebra import Transform
from multibody.model.joints.contract import Gauge, JointKind, Lock, Step
from multibody.model.joints.elementary import Elementary
from multibody.model.joints.locks import others, rotation_locks, translation_locks


class Planar(JointKind):
    """Two translations in a plane and the rotation about its normal: a puck on a table.

    Args:
        normal: ``"x"``, ``"y"`` or ``"z"``; the plane is fixed to the parent frame.
    """

    def __init__(self, normal: str = "z") -> None:
        self.normal = normal

    def steps(self) -> tuple[Step, ...]:
        """Two translations along the plane's axes, then the rotation."""
        return self._stack().steps()

    def locks(self, pose: Transform) -> Sequence[Lock]:
        """The translation along the normal, and turns about the other two axes."""
        return [*translation_locks(pose, self.normal), *rotation_locks(pose, others("xyz".index(self.normal)))]

    def gauges(self, pose: Transform) -> Sequence[Gauge]:
        """Two displacements, and the angle."""
        return self._stack().gauges(pose)

    def _stack(self) -> Elementary:
        plane = {"x": "yz", "y": "zx", "z": "xy"}.get(self.normal, self.normal)
        return Elementary([f"T{letter}" for letter in plane] + [f"R{self.normal}"])
