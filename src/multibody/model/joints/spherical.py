"""The spherical joint."""

from __future__ import annotations

from collections.abc import Sequence

from multibody.algebra import (
    ForceMotor,
    Quaternion,
    Rotation,
    Transform,
    Vec3,
    VelocityMotor,
    angle_rate_matrix,
    angular_velocity_matrix,
)
from multibody.errors import ModelError
from multibody.graph import ZERO, Expr
from multibody.model.joints.axis import UNIT
from multibody.model.joints.contract import Gauge, JointKind, Lock, Motion, Step, fixed, motor
from multibody.model.joints.locks import translation_locks

_NOTHING = Vec3(ZERO, ZERO, ZERO)
SPIN = ("wx", "wy", "wz")


class OrientationCoordinates:
    """Coordinates of an orientation: a unit quaternion, or three angles of an Euler or Cardan sequence."""

    def __init__(self, form: str) -> None:
        self.form = form
        if form != "quaternion" and (len(form) != 3 or any(letter not in "xyz" for letter in form)):
            raise ModelError(
                f"'{form}' is not a way to describe an orientation.",
                code="orientation-unknown",
                remedy="Use 'quaternion', or a sequence of axes such as 'zxz' or 'xyz'.",
                name=form,
            )

    @property
    def labels(self) -> tuple[str, ...]:
        """A label for each coordinate."""
        return ("qw", "qx", "qy", "qz") if self.form == "quaternion" else ("a1", "a2", "a3")

    @property
    def rest(self) -> tuple[float, ...]:
        """The coordinates of no rotation."""
        return (1.0, 0.0, 0.0, 0.0) if self.form == "quaternion" else (0.0, 0.0, 0.0)

    def rotation(self, q: Sequence[Expr]) -> Rotation:
        """The rotation; that of a quaternion does not depend on its length."""
        if self.form == "quaternion":
            return Rotation.quaternion(Quaternion(*q))
        return Rotation.euler(self.form, q)

    def rates(self, q: Sequence[Expr], w: Sequence[Expr]) -> tuple[Expr, ...]:
        """Rates of the coordinates from the angular velocity in the child frame."""
        spin = Vec3(*w)
        if self.form == "quaternion":
            return tuple(Quaternion(*q).rate(spin).components())
        return tuple(angle_rate_matrix(self.form, q) @ spin)

    def spin(self, q: Sequence[Expr], q_dot: Sequence[Expr]) -> tuple[Expr, ...]:
        """The angular velocity in the child frame from the rates of the coordinates."""
        if self.form == "quaternion":
            return tuple(Quaternion(*q).angular_velocity(Quaternion(*q_dot)))
        return tuple(angular_velocity_matrix(self.form, q) @ Vec3(*q_dot))


class Ball(Motion):
    """A rotation about a point; its speeds are the components of the angular velocity in the child frame."""

    def __init__(self, form: str) -> None:
        self._orientation = OrientationCoordinates(form)
        self.coordinates = self._orientation.labels
        self.speeds = SPIN
        self.rest = self._orientation.rest

    def pose(self, q: Sequence[Expr]) -> Transform:
        """A pure rotation."""
        return fixed(self._orientation.rotation(q))

    def axes(self, q: Sequence[Expr]) -> tuple[VelocityMotor, ...]:
        """The child's coordinate axes."""
        return tuple(motor(unit, _NOTHING) for unit in UNIT)

    def rates(self, q: Sequence[Expr], u: Sequence[Expr]) -> tuple[Expr, ...]:
        """The kinematic differential equations."""
        return self._orientation.rates(q, u)

    def speeds_from(self, q: Sequence[Expr], q_dot: Sequence[Expr]) -> tuple[Expr, ...]:
        """The angular velocity."""
        return self._orientation.spin(q, q_dot)


class Spherical(JointKind):
    """Any rotation about a point: a ball joint.

    Args:
        form: coordinates of the orientation: ``"quaternion"``, which has no singularity, or a sequence of axes such as
            ``"zxz"`` (Euler) or ``"xyz"`` (Cardan). The speeds are in any case the components of the child's angular
            velocity in its own axes.

    Example:
        >>> from multibody.model import System
        >>> top = System("top")
        >>> cone = top.body("cone", mass=1, com=(0, 0, 1), inertia=(1, 1, 2))
        >>> tip = top.joint("tip", top.world, cone, Spherical(), q=(1, 0, 0, 0), u=(0, 0, 50))
        >>> tip.coordinates, tip.speeds
        ((tip_qw, tip_qx, tip_qy, tip_qz), (tip_wx, tip_wy, tip_wz))
    """

    def __init__(self, form: str = "quaternion") -> None:
        self.form = form

    def steps(self) -> tuple[Step, ...]:
        """One rotation about a point."""
        return (Step(Ball(self.form), fixed()),)

    def locks(self, pose: Transform) -> Sequence[Lock]:
        """All translations."""
        return list(translation_locks(pose, "xyz"))

    def gauges(self, pose: Transform) -> Sequence[Gauge]:
        """The angular velocity in the axes of the child; no coordinates."""
        return [Gauge(None, ForceMotor(_NOTHING, unit.symbolic())) for unit in UNIT]
