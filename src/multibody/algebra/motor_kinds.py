"""The motors of mechanics (section 2.2.1 of Zaiczek and Enge-Rosenblatt): velocity, acceleration, momentum, force.

Quantities of different kinds cannot be added; products give the kind that physics gives them:

| product | kind |
| --- | --- |
| velocity × velocity | acceleration |
| velocity × momentum | force: the rate of a momentum that is carried along, eq. (8) |
| (force, velocity) | power, a scalar |
| inertia ∘ velocity | momentum |
| inertia ∘ acceleration | force |
"""

from __future__ import annotations

from typing import ClassVar, Self, overload

from multibody.algebra.motor import Motor
from multibody.algebra.scalar import Scalar
from multibody.algebra.vec3 import Vec3, VectorLike
from multibody.errors import ConversionError


class ForceMotor(Motor):
    """A force f and its moment m_O about the origin: the sum of all forces and torques on a body.

    Example:
        >>> weight = ForceMotor.single_force((0.0, 0.0, -9.81), point=(1.0, 2.0, 0.0))
        >>> weight.moment
        Vec3(-19.62, 9.81, 0.0)
    """

    __slots__ = ()

    @classmethod
    def single_force(cls, force: VectorLike, point: VectorLike) -> Self:
        """The motor (f, r × f) of a force that acts at a point."""
        f = Vec3.from_any(force, what="force")
        return cls(f, Vec3.from_any(point, what="point").cross(f))

    @classmethod
    def torque(cls, torque: VectorLike) -> Self:
        """The motor (0, d) of a torque."""
        return cls(Vec3.zero(), torque)

    def power(self, velocity: VelocityMotor) -> Scalar:
        """P = (f, v): the power of the forces on a body with this velocity."""
        if not isinstance(velocity, VelocityMotor):
            raise ConversionError(
                f"A force has no power on a {type(velocity).__name__}.", remedy="Give the velocity motor of the body."
            )
        return self.inner(velocity)


class MomentumMotor(Motor):
    """Momentum p and angular momentum L_O about the origin; its rate is a force."""

    __slots__ = ()
    rate_kind: ClassVar[type[Motor]] = ForceMotor


class AccelerationMotor(Motor):
    """The rate of a velocity motor: angular acceleration, and the rate of change of the velocity at the origin.

    Being a motor, it is moved and turned like every other one. Its moment is the rate v_O° of the velocity *at the
    origin of the frame*, whichever point of the body is there; the acceleration of a point of the body is ``of_point``.
    """

    __slots__ = ()

    def of_point(self, point: VectorLike, velocity: VelocityMotor) -> Vec3:
        """The acceleration a_P = h(r) + ω × v_P of the body's point at r, which has velocity v_P."""
        return self.moment_at(point) + velocity.resultant.cross(velocity.moment_at(point))


class VelocityMotor(Motor):
    """Angular velocity ω, and the velocity v_O of the body's point at the origin.

    Example:
        >>> spin = VelocityMotor((0.0, 0.0, 2.0), (0.0, 0.0, 0.0))
        >>> spin.moment_at((1.0, 0.0, 0.0))
        Vec3(0.0, 2.0, 0.0)
        >>> spin + ForceMotor.zero()
        Traceback (most recent call last):
        multibody.errors.ConversionError: A ForceMotor cannot be added to a VelocityMotor...
    """

    __slots__ = ()
    rate_kind: ClassVar[type[Motor]] = AccelerationMotor
    is_velocity: ClassVar[bool] = True

    @overload
    def cross(self, other: VelocityMotor) -> AccelerationMotor: ...

    @overload
    def cross(self, other: MomentumMotor) -> ForceMotor: ...

    @overload
    def cross(self, other: Motor) -> Motor: ...

    def cross(self, other: Motor) -> Motor:
        """The outer product, eq. (3): the rate of a motor that is carried along by this velocity."""
        return super().cross(other)
