"""The contract that all joints keep. No algorithm asks for a joint's type.

A joint is a chain of steps. Each step is a fixed transform followed by a *motion*, which says, for its coordinates
q and speeds u: the pose of its child frame, the motion axes (the columns of the velocity motor, in the child
frame), their apparent derivative, and q̇. Between the steps there are frames without mass. Where a joint allows it,
the steps move about or along one coordinate axis each, because that is what costs least.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from multibody.algebra import Rotation, Transform, Vec3, VelocityMotor
from multibody.errors import ModelError
from multibody.graph import Expr
from multibody.model.given import Given

if TYPE_CHECKING:
    from multibody.model.joints.locks import Gauge, Lock

IDENTITY = Transform.identity().symbolic()
"""No displacement, with components that are known to be zero."""


class Motion(ABC):
    """A movement of a child frame relative to a parent frame.

    Attributes:
        coordinates: a short label for each coordinate, unique within the motion.
        speeds: a label for each speed; empty if the speeds are the rates of the coordinates.
        rest: the coordinates at which parent and child frame coincide.
    """

    coordinates: tuple[str, ...]
    speeds: tuple[str, ...] = ()
    rest: tuple[float, ...]

    @property
    def freedom(self) -> int:
        """The number of speeds."""
        return len(self.speeds or self.coordinates)

    @abstractmethod
    def pose(self, q: Sequence[Expr]) -> Transform:
        """X_PC: from child coordinates to parent coordinates."""

    @abstractmethod
    def axes(self, q: Sequence[Expr]) -> tuple[VelocityMotor, ...]:
        """The child's velocity motor for each unit speed, at the child's origin, in its axes."""

    def is_turn(self, q: Sequence[Expr]) -> bool:
        """Whether it has one coordinate, and this is an angle: it turns about an axis and does not advance along it."""
        if len(q) != 1:
            return False
        (axis,) = self.axes(q)
        return any(part.fp != 0 for part in axis.resultant) and all(part.fp == 0 for part in axis.moment)

    def bias(self, q: Sequence[Expr], u: Sequence[Expr]) -> VelocityMotor | None:
        """Σ (d axis/dt)·u as seen in the child frame; None where the axes are constant there."""
        return None

    def rates(self, q: Sequence[Expr], u: Sequence[Expr]) -> tuple[Expr, ...]:
        """q̇ as a function of q and u."""
        return tuple(u)

    def speeds_from(self, q: Sequence[Expr], q_dot: Sequence[Expr]) -> tuple[Expr, ...]:
        """u as a function of q and q̇: the inverse of ``rates`` for all q̇ that it can give."""
        return tuple(q_dot)

    def reversed(self) -> Motion:
        """The same movement seen from the child frame."""
        from multibody.model.joints.reverse import Reversed  # it is a motion itself

        return Reversed(self)


@dataclass(frozen=True)
class Step:
    """A fixed transform from the parent frame, and the motion that follows it."""

    motion: Motion
    before: Transform


class JointKind(Given, ABC):
    """A kind of joint, such as ``Revolute("z")``: what a user names when connecting two frames."""

    @abstractmethod
    def steps(self) -> tuple[Step, ...]:
        """The movements from the parent frame to the child frame, in order."""

    def end(self) -> Transform:
        """The fixed transform from the last step to the child frame."""
        return IDENTITY

    def locks(self, pose: Transform) -> Sequence[Lock]:
        """What the joint forbids: the equations that hold between its frames where it closes a loop.

        Args:
            pose: X_PC, from child coordinates to parent coordinates.

        Raises:
            ModelError: if the joint cannot close a loop.
        """
        raise ModelError(
            f"{self!r} cannot close a loop: no equations between its frames are known for it.",
            remedy="Cut another joint of the loop with cut=True, or split it into several joints with bodies between.",
        )

    def gauges(self, pose: Transform) -> Sequence[Gauge]:
        """For each speed what can be read off the frames where the joint closes a loop; empty if that is not known."""
        return []

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in vars(self).items())})"


def motor(angular: Vec3, linear: Vec3) -> VelocityMotor:
    """The velocity motor (ω, v) with all components as expressions, so that zeros are known as zeros."""
    return VelocityMotor(angular.symbolic(), linear.symbolic())


def fixed(rotation: Rotation | None = None, position: Any = None) -> Transform:
    """A constant transform; None stands for no rotation or no displacement."""
    return Transform(
        IDENTITY.rotation if rotation is None else rotation,
        IDENTITY.position if position is None else Vec3.from_any(position).symbolic(),
    )
