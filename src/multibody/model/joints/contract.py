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
from typing import Any, NamedTuple

from multibody.algebra import ForceMotor, Rotation, Transform, Vec3, VelocityMotor
from multibody.errors import ModelError
from multibody.graph import Expr
from multibody.model.given import Given

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
        return Reversed(self)


class Reversed(Motion):
    """The movement of the parent frame as seen from the child frame; coordinates and speeds stay the same.

    With X = X_PC and axes S in the child frame, the new axes are -X·S. As seen in the parent frame they change by
    -X·(v × S) with v = S·u, and v × S·u = 0: the bias is only -X·bias.
    """

    def __init__(self, motion: Motion) -> None:
        self.coordinates = motion.coordinates
        self.speeds = motion.speeds
        self.rest = motion.rest
        self._motion = motion

    def pose(self, q: Sequence[Expr]) -> Transform:
        """X_CP."""
        return self._motion.pose(q).inverse()

    def axes(self, q: Sequence[Expr]) -> tuple[VelocityMotor, ...]:
        """-X·S."""
        pose = self._motion.pose(q)
        return tuple(-pose.to_parent(axis) for axis in self._motion.axes(q))

    def bias(self, q: Sequence[Expr], u: Sequence[Expr]) -> VelocityMotor | None:
        """-X·bias."""
        bias = self._motion.bias(q, u)
        return None if bias is None else -self._motion.pose(q).to_parent(bias)

    def rates(self, q: Sequence[Expr], u: Sequence[Expr]) -> tuple[Expr, ...]:
        """The same as before."""
        return self._motion.rates(q, u)

    def speeds_from(self, q: Sequence[Expr], q_dot: Sequence[Expr]) -> tuple[Expr, ...]:
        """The same as before."""
        return self._motion.speeds_from(q, q_dot)


@dataclass(frozen=True)
class Step:
    """A fixed transform from the parent frame, and the motion that follows it."""

    motion: Motion
    before: Transform


class Lock(NamedTuple):
    """One forbidden movement.

    Attributes:
        name: f for a force, t for a torque, with an axis.
        position: φ.
        wrench: what keeps it.
        side: 1 on the right one of several solutions, zero or less on those on which axes point elsewhere.
    """

    name: str
    position: Expr
    wrench: ForceMotor
    side: Expr | None = None


class Gauge(NamedTuple):
    """What can be read off two frames about a joint that closes a loop.

    Attributes:
        position: the coordinate; angles between -π and π. None where it is not known.
        wrench: at the origin and in the axes of the child frame: its inner product with the relative velocity is the
            speed, and a load on that speed acts along it.
    """

    position: Expr | None
    wrench: ForceMotor


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
            code="joint-cannot-close-loop",
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
    """A constant transform; None represents no rotation or no displacement."""
    return Transform(
        IDENTITY.rotation if rotation is None else rotation,
        IDENTITY.position if position is None else Vec3.from_any(position).symbolic(),
    )


def reversed_steps(steps: Sequence[Step], end: Transform) -> tuple[tuple[Step, ...], Transform]:
    """The steps of a joint from its child to its parent, and the transform that ends them."""
    before = end.inverse()
    result = []
    for step in reversed(steps):
        result.append(Step(step.motion.reversed(), before))
        before = step.before.inverse()
    return tuple(result), before
