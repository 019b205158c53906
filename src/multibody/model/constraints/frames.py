"""Two frames that keep together in some directions: transLock and rotLock of the PyMbs manual."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from multibody.errors import ModelError
from multibody.graph import Expr
from multibody.model.body import Frame
from multibody.model.constraints.contract import Constraint, Equation
from multibody.model.constraints.expression import ExpressionConstraint
from multibody.model.joint import Joint
from multibody.model.joints.contract import Lock
from multibody.model.joints.locks import rotation_locks, translation_locks
from multibody.model.kinematics import Kinematics


class FrameConstraint(Constraint):
    """Keeps the origin and the axes of one frame where those of another one are.

    Args:
        base: the frame to hold on to; forces and directions are given in its axes.
        frame: the frame that is held.
        translation: directions of ``base`` in which the origins coincide, such as ``"xyz"`` or ``"z"``.
        rotation: axes about which ``frame`` cannot turn relative to ``base``: ``"xy"`` leaves a hinge about z,
            ``"xyz"`` keeps the orientation, ``"x"`` leaves turns about y of the base and z of the frame.
    """

    def __init__(self, base: Frame, frame: Frame, translation: str = "", rotation: str = "") -> None:
        self.base = base
        self.frame = frame
        self.translation = _letters(translation, "translation")
        self.rotation = _letters(rotation, "rotation")

    def equations(self, kinematics: Kinematics) -> Sequence[Equation]:
        """One for each direction and axis."""
        pose = kinematics.pose(self.frame, self.base)
        locks = [*translation_locks(pose, self.translation), *rotation_locks(pose, self.rotation)]
        return held(kinematics, self.base, self.frame, locks)

    @property
    def touches(self) -> tuple[object, ...]:
        """Both frames."""
        return self.base, self.frame


class ClosedJoint(Constraint):
    """A joint that closes a loop: what it forbids, as equations between its frames.

    Args:
        joint: any joint that can be cut.
    """

    def __init__(self, joint: Joint) -> None:
        self.joint = joint

    def equations(self, kinematics: Kinematics) -> Sequence[Equation]:
        """One for each movement that the joint forbids."""
        base, frame = self.joint.parent, self.joint.child
        if self.joint.prescribed is not None:
            raise ModelError(
                "A joint whose motion is prescribed cannot close a loop.",
                code="joint-cannot-close-loop",
                where=f"joint '{self.joint.name}'",
                cause="All joints of the loop have prescribed motions or loads, or are asked not to be cut.",
                remedy="Cut another joint of the loop, with cut=True.",
                name=self.joint.name,
            )
        try:
            locks = self.joint.kind.locks(kinematics.pose(frame, base))
        except ModelError as error:
            error.where = error.where or f"joint '{self.joint.name}'"
            raise
        return held(kinematics, base, frame, locks)

    @property
    def touches(self) -> tuple[object, ...]:
        """The joint."""
        return (self.joint,)


def held(kinematics: Kinematics, base: Frame, frame: Frame, locks: Sequence[Lock]) -> list[Equation]:
    """The equations for locks between two frames."""
    return [
        Equation.between(kinematics, lock.name, frame, base, lock.wrench, lock.position, lock.side) for lock in locks
    ]


def _letters(text: str, what: str) -> str:
    if set(text) - set("xyz") or len(set(text)) != len(text):
        raise ModelError(
            f"{text!r} does not name axes.",
            code="axes-unknown",
            where=f"{what} of a constraint",
            remedy="Give a text of the letters x, y, z, such as 'xz'.",
        )
    return "".join(sorted(text))


def as_constraint(first: Any, second: Frame | None, translation: str, rotation: str) -> Any:
    """A constraint from what the user wrote: a constraint, an expression, or two frames with locked directions."""
    if isinstance(first, Frame):
        if not isinstance(second, Frame):
            raise ModelError(
                f"{second!r} is not a frame to be held.",
                code="frame-not-in-system",
                where="constraint",
                remedy="Give two frames.",
            )
        if not translation and not rotation:
            raise ModelError(
                "The constraint restricts nothing.",
                code="constraint-without-effect",
                where=f"constraint of '{second.name}' to '{first.name}'",
                remedy="Say which directions are held, such as translation='xyz' or rotation='xy'.",
            )
        return FrameConstraint(first, second, translation, rotation)
    if second is not None or translation or rotation:
        raise ModelError(
            f"{first!r} is not a frame to hold on to.",
            code="frame-not-in-system",
            where="constraint",
            remedy="Give a body, a frame or the world.",
        )
    return ExpressionConstraint(first) if isinstance(first, Expr) else first
