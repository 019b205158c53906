"""The free joint."""

from __future__ import annotations

from collections.abc import Sequence

from multibody.algebra import Transform, Vec3, VelocityMotor
from multibody.graph import ZERO, Expr
from multibody.model.joints.axis import UNIT
from multibody.model.joints.contract import JointKind, Lock, Motion, Step, fixed, motor
from multibody.model.joints.spherical import SPIN, OrientationCoordinates

_NOTHING = Vec3(ZERO, ZERO, ZERO)


class Flight(Motion):
    """Six degrees of freedom; speeds are angular velocity and velocity of the origin, in the child's axes."""

    def __init__(self, form: str) -> None:
        self._orientation = OrientationCoordinates(form)
        self.coordinates = ("x", "y", "z", *self._orientation.labels)
        self.speeds = (*SPIN, "vx", "vy", "vz")
        self.rest = (0.0, 0.0, 0.0, *self._orientation.rest)

    def pose(self, q: Sequence[Expr]) -> Transform:
        """Position in the parent frame, and orientation."""
        return Transform(self._orientation.rotation(q[3:]), Vec3(*q[:3]))

    def axes(self, q: Sequence[Expr]) -> tuple[VelocityMotor, ...]:
        """The child's coordinate axes, to turn about and to move along."""
        return (*(motor(unit, _NOTHING) for unit in UNIT), *(motor(_NOTHING, unit) for unit in UNIT))

    def rates(self, q: Sequence[Expr], u: Sequence[Expr]) -> tuple[Expr, ...]:
        """The velocity turned into the parent frame, and the kinematic differential equations."""
        velocity = self._orientation.rotation(q[3:]).apply(Vec3(*u[3:]))
        return (*velocity.components(), *self._orientation.rates(q[3:], u[:3]))

    def speeds_from(self, q: Sequence[Expr], q_dot: Sequence[Expr]) -> tuple[Expr, ...]:
        """The angular velocity, and the velocity turned into the child's axes."""
        velocity = self._orientation.rotation(q[3:]).apply_inverse(Vec3(*q_dot[:3]))
        return (*self._orientation.spin(q[3:], q_dot[3:]), *velocity)


class Free(JointKind):
    """No constraint at all: a body in flight, the floating base of a robot.

    Args:
        form: coordinates of the orientation: ``"quaternion"``, which has no singularity, or a sequence of axes such as
            ``"zxz"`` (Euler) or ``"xyz"`` (Cardan).

    The coordinates are the position of the child's origin in the parent frame, then the orientation; the speeds are the
    angular velocity, then the velocity of the origin, both in the axes of the child.

    Example:
        >>> from multibody.model import System
        >>> space = System("space", gravity=(0, 0, 0))
        >>> flight = space.joint("f", space.world, space.body("stone", 1, inertia=(1, 2, 3)), Free())
        >>> flight.coordinates
        (f_x, f_y, f_z, f_qw, f_qx, f_qy, f_qz)
        >>> flight.speeds
        (f_wx, f_wy, f_wz, f_vx, f_vy, f_vz)
    """

    def __init__(self, form: str = "quaternion") -> None:
        self.form = form

    def steps(self) -> tuple[Step, ...]:
        """One motion with six degrees of freedom."""
        return (Step(Flight(self.form), fixed()),)

    def locks(self, pose: Transform) -> Sequence[Lock]:
        """Nothing."""
        return []
