"""Motors: pairs of a resultant vector and a moment, after R. von Mises (1924).

Equation numbers are those of T. Zaiczek and O. Enge-Rosenblatt, "Towards an Object-oriented Implementation of von
Mises' Motor Calculus Using Modelica".

The motors of mechanics (section 2.2.1) are velocity, acceleration, momentum and force. Quantities of different kinds
cannot be added; products give the kind that physics gives them:

| product | kind |
| --- | --- |
| velocity × velocity | acceleration |
| velocity × momentum | force: the rate of a momentum that is carried along, eq. (8) |
| (force, velocity) | power, a scalar |
| inertia ∘ velocity | momentum |
| inertia ∘ acceleration | force |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, Self, TypeVar, overload

import numpy as np

from multibody.algebra.rotation import Rotation
from multibody.algebra.scalar import Scalar, vanishes
from multibody.algebra.value import Linear, set_once
from multibody.algebra.vectors import Vec3, VectorLike
from multibody.errors import ConversionError, ShapeError, ZeroDivisorError
from multibody.graph import Expr

Kind = TypeVar("Kind", bound="Motor")


class MotorAxis(NamedTuple):
    """The straight line on which a motor's moment is parallel to its resultant."""

    point: Vec3
    direction: Vec3


class Motor(Linear):
    """A motor (g, h_O): the field of moments h(r) = h_O + g × r, eq. (1).

    Its components belong to one frame: they are coordinates along its axes, and the moment is the one at its origin O.
    A plain motor is pure geometry; velocities, forces and momenta have classes of their own.

    Example:
        >>> wrench = Motor(Vec3(0.0, 0.0, 1.0), Vec3(0.0, 0.0, 0.0))
        >>> wrench.moment_at((2.0, 0.0, 0.0))
        Vec3(0.0, 2.0, 0.0)
    """

    __slots__ = ("moment", "resultant")
    _fields = ("resultant", "moment")
    _remedy = "Check the formula; motor.as_type(Kind) says that a motor is of another kind."
    _products = "Use a.inner(b), eq. (2), or a.cross(b), eq. (3)."
    resultant: Vec3
    moment: Vec3

    rate_kind: ClassVar[type[Motor]]
    """The kind of the time derivative."""
    is_velocity: ClassVar[bool] = False

    def __init__(self, resultant: VectorLike, moment: VectorLike) -> None:
        set_once(self, "resultant", Vec3.from_any(resultant, what="resultant"))
        set_once(self, "moment", Vec3.from_any(moment, what="moment"))

    @classmethod
    def zero(cls) -> Self:
        """The zero motor, the neutral element of addition (section 2.1.1)."""
        return cls(Vec3.zero(), Vec3.zero())

    @classmethod
    def from_array(cls, array: Any) -> Self:
        """A motor from six numbers, the resultant first; an array of shape (…, 6) makes a batch.

        Example:
            >>> Motor.from_array([1, 2, 3, 4, 5, 6])
            Motor(Vec3(1, 2, 3), Vec3(4, 5, 6))
        """
        entries = np.asarray(array)
        if entries.shape[-1:] != (6,):
            raise ShapeError(
                f"An array of shape {entries.shape} is not a motor.",
                code="array-wrong-shape",
                remedy="Give resultant and moment in one row of six.",
                shape=entries.shape,
                expected=(6,),
            )
        read = Vec3.from_any if entries.ndim == 1 else Vec3.from_batch
        return cls(read(entries[..., :3]), read(entries[..., 3:]))

    def as_type(self, kind: type[Kind]) -> Kind:
        """The same two vectors as a motor of another kind: ``axis.as_type(AccelerationMotor) * q_ddot``."""
        return kind(self.resultant, self.moment)

    # products ----------------------------------------------------------------------------------------------------

    def inner(self, other: Motor) -> Scalar:
        """The inner product g₁·h₂ + g₂·h₁, eq. (2), the same in all frames: of a force and a velocity the power."""
        require_motor(other)
        return self.resultant.dot(other.moment) + other.resultant.dot(self.moment)

    def cross(self, other: Motor) -> Motor:
        """The outer product (g₁ × g₂, g₁ × h₂ + h₁ × g₂), eq. (3).

        Carried along by a velocity, a motor changes at the rate velocity × motor, eq. (6). So a velocity and a momentum
        give a force, and two velocities an acceleration; other pairs give a plain motor.
        """
        require_motor(other)
        g, h = self.resultant, self.moment
        kind = other.rate_kind if self.is_velocity else self.rate_kind if other.is_velocity else Motor
        return kind(g.cross(other.resultant), g.cross(other.moment) + h.cross(other.resultant))

    # geometry ----------------------------------------------------------------------------------------------------

    def moment_at(self, point: VectorLike) -> Vec3:
        """h(r) = h_O + g × r, eq. (1): the velocity of a point of the body, or the torque about it."""
        return self.moment + self.resultant.cross(Vec3.from_any(point, what="point"))

    def axis(self) -> MotorAxis:
        """The motor axis r_n(λ) = g × h_O / g² + λ·g (section 2), by its point nearest to O and its direction."""
        square = self._square()
        return MotorAxis(self.resultant.cross(self.moment) / square, self.resultant.unit())

    def pitch(self) -> Scalar:
        """The ratio g·h_O / g² of moment to resultant on the axis: 0 for a pure rotation or a single force."""
        return self.resultant.dot(self.moment) / self._square()

    def _square(self) -> Scalar:
        square = self.resultant.dot(self.resultant)
        if vanishes(square):
            raise ZeroDivisorError(
                "A motor without resultant has no axis.",
                where=repr(self)[:200],
                cause="It is a pure translation or a pure couple: its moment is the same everywhere.",
                remedy="Ask for its moment instead.",
            )
        return square

    # change of coordinates, section 2.1.4; Transform.to_parent and to_child put the two steps together ---------------

    def rotated(self, rotation: Rotation) -> Self:
        """The motor in A-coordinates from its B-coordinates, for R_AB and a common origin."""
        return type(self)(rotation @ self.resultant, rotation @ self.moment)

    def referred_to(self, point: VectorLike) -> Self:
        """The motor with its moment taken about another point, which becomes the origin."""
        return type(self)(self.resultant, self.moment_at(point))

    # derivatives -------------------------------------------------------------------------------------------------

    def time_derivative(self, rates: Mapping[Expr, Any]) -> Motor:
        """d/dt of each component along given rates, such as ``{q: u}`` (section 2.1.5)."""
        return super().time_derivative(rates).as_type(self.rate_kind)

    def fixed_frame_rate(self, moving_frame_rate: Motor, frame_velocity: VelocityMotor) -> Motor:
        """The rate seen from a fixed frame, ḣ = h° + v × h, eq. (6), from the rate h° in a frame that moves with v."""
        require_motor(frame_velocity)
        return moving_frame_rate + frame_velocity.cross(self)

    def moving_frame_rate(self, fixed_frame_rate: Motor, frame_velocity: VelocityMotor) -> Motor:
        """The rate h° seen from a frame that moves with v, from the rate seen from a fixed frame; eq. (6) backwards."""
        require_motor(frame_velocity)
        return fixed_frame_rate - frame_velocity.cross(self)


Motor.rate_kind = Motor


def require_motor(thing: object) -> None:
    """An error for anything but a motor."""
    if not isinstance(thing, Motor):
        raise ConversionError(
            f"A {type(thing).__name__} is not a motor.",
            code="value-not-a-motor",
            remedy="Make one of two vectors: Motor(resultant, moment).",
            value=type(thing).__name__,
        )


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
                f"A force has no power on a {type(velocity).__name__}.",
                code="operands-incompatible",
                remedy="Give the velocity motor of the body.",
                value=type(velocity).__name__,
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
