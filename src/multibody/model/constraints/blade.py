"""Blades that do not slip sideways."""

from __future__ import annotations

from collections.abc import Sequence

from multibody.algebra import ForceMotor, Vec3
from multibody.errors import ModelError
from multibody.graph import Expr, is_zero
from multibody.model.body import Frame
from multibody.model.constraints.between import BetweenFrames, unit_vector
from multibody.model.constraints.contract import Equation
from multibody.model.joints.axis import UNIT, Direction
from multibody.model.kinematics import ZERO3, Kinematics
from multibody.model.sensors.contract import resolved


class KnifeEdge(BetweenFrames):
    """A blade that cuts into the plane: its point moves along the blade, never across. A skate, a sledge, a thin wheel.

    The velocity of the frame's origin along e = n × b / |n × b| is zero, with the normal n (z of the base) and the
    direction b of the blade; e points to the left. The multiplier is the force on ``frame`` along e, in N. The height
    is not restricted: add ``PointOnPlane`` if it is free. A blade along the normal, b = ±n, has no direction across:
    there the equation does not exist (NaN).

    Args:
        base: the frame that carries the plane; its z axis is the normal.
        frame: the frame with the blade at its origin.
        direction: of the blade in its frame; it may follow coordinates, time and inputs: a blade that is steered.

    Example:
        >>> from multibody.model import System
        >>> sledge = System("sledge")
        >>> body = sledge.body("body", mass=5, com=(0.2, 0, 0), inertia=(1, 1, 1))
        >>> motion = sledge.joint("p", sledge.world, body, ["Tx", "Ty", "Rz"])
        >>> blade = sledge.constraint(KnifeEdge(sledge.world, body), name="blade")
        >>> blade.equations(Kinematics(sledge.freeze()))[0].velocity
        p_ty_dot*cos(p_rz) - p_tx_dot*sin(p_rz)
    """

    def __init__(self, base: Frame, frame: Frame, direction: Direction = "x") -> None:
        super().__init__(base, frame)
        self.direction = unit_vector(direction, self)

    def equations(self, kinematics: Kinematics) -> Sequence[Equation]:
        """One, across the blade; nonholonomic."""
        normal = kinematics.pose(self.frame, self.base).vector_to_child(UNIT[2].symbolic())
        across = normal.cross(Vec3(*resolved(list(self.direction), Kinematics(kinematics.model))))
        if is_zero(across.dot(across)):
            raise ModelError(
                "The blade is perpendicular to the plane in all positions, so it has no direction across.",
                code="constraint-without-direction",
                where=repr(self),
                remedy="Give a direction of the frame that lies in the plane z = 0 of the base.",
            )
        force = ForceMotor(across.unit(), ZERO3)
        return [Equation.between(kinematics, "", self.frame, self.base, force)]

    @property
    def expressions(self) -> Sequence[Expr]:
        """The components of the direction."""
        return tuple(self.direction)
