"""The rigid connection."""

from __future__ import annotations

from collections.abc import Sequence

from multibody.algebra import Transform
from multibody.model.joints.contract import JointKind, Lock, Step
from multibody.model.joints.locks import rotation_locks, translation_locks


class Weld(JointKind):
    """No movement at all."""

    def steps(self) -> tuple[Step, ...]:
        """None."""
        return ()

    def locks(self, pose: Transform) -> Sequence[Lock]:
        """Everything."""
        return [*translation_locks(pose, "xyz"), *rotation_locks(pose, "xyz")]
