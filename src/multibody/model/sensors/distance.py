"""The straight line between two points: its length and the rate at which it changes."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from multibody.algebra import Vec3
from multibody.errors import ModelError
from multibody.graph import Expr, array, is_zero
from multibody.model.body import Frame
from multibody.model.kinematics import Kinematics
from multibody.model.sensors.contract import Sensor, named


class ConnectingLine:
    """The straight line from the origin of one frame to that of another.

    Args:
        kinematics: the motion of the model.
        a: where it begins.
        b: where it ends.
    """

    def __init__(self, kinematics: Kinematics, a: Frame, b: Frame) -> None:
        self._kinematics = kinematics
        self._a = a
        self._b = b
        pose = kinematics.pose(b, a)
        self.in_a: Vec3 = pose.position  # from a to b, in the axes of a
        self.in_b: Vec3 = pose.vector_to_child(pose.position)  # the same vector in the axes of b

    @cached_property
    def length(self) -> Expr:
        """The distance, never negative."""
        return self.in_a.symbolic().norm()

    @cached_property
    def rate(self) -> Expr:
        """The rate of the distance: e·v of b minus e·v of a, each in its own axes, with e = r / length."""
        self.require_length()
        forward = self.in_b.dot(self._kinematics.velocity(self._b).moment)
        return (forward - self.in_a.dot(self._kinematics.velocity(self._a).moment)) / self.length

    def require_length(self) -> None:
        """An error if the two points are one in all positions, so that no direction is defined."""
        if is_zero(self.length):
            raise ModelError(
                "The two points coincide in all positions: there is no direction from one to the other.",
                code="points-coincide",
                where=f"from {named(self._a)} to {named(self._b)}",
                remedy="Choose points that move relative to each other, or use Force or JointLoad.",
            )


class Between(Sensor):
    """A sensor between two points.

    Args:
        a: one frame; its origin counts.
        b: the other.
    """

    def __init__(self, a: Frame, b: Frame) -> None:
        self.a = a
        self.b = b

    @property
    def touches(self) -> tuple[object, ...]:
        """Two frames."""
        return self.a, self.b


class Distance(Between):
    """The distance of two points, a scalar that is never negative.

    PyMbs' ``Distance`` gives distance and rate in one vector: that is ``DistanceAndRate``.

    Example:
        >>> from multibody.model import System
        >>> crane = System("crane")
        >>> crab = crane.body("crab", mass=1)
        >>> slide = crane.joint("slide", crane.world, crab, ["Tx", "Ty"])
        >>> Distance(crane.world, crab).measure(Kinematics(crane.freeze()))
        sqrt(slide_tx**2 + slide_ty**2)
    """

    unit = "m"

    def measure(self, kinematics: Kinematics) -> Expr:
        """A length."""
        return ConnectingLine(kinematics, self.a, self.b).length


class DistanceRate(Between):
    """The rate at which the distance of two points grows; it does not exist (NaN) while they coincide."""

    unit = "m/s"

    def measure(self, kinematics: Kinematics) -> Expr:
        """A velocity along the line."""
        return ConnectingLine(kinematics, self.a, self.b).rate


class DistanceAndRate(Between):
    """Distance and rate of distance in one array, as PyMbs' ``Distance``: d[0] and d[1] of a spring and damper."""

    shape = (2,)

    def measure(self, kinematics: Kinematics) -> Any:
        """A length and a velocity."""
        line = ConnectingLine(kinematics, self.a, self.b)
        return array([line.length, line.rate])
