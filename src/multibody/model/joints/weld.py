"""The rigid connection."""

from __future__ import annotations

from multibody.model.joints.contract import JointKind, Step


class Weld(JointKind):
    """No movement at all."""

    def steps(self) -> tuple[Step, ...]:
        """None."""
        return ()
