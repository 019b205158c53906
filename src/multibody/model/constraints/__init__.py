"""Constraints: what restricts the motion of a system beyond the joints of its tree."""

from multibody.model.constraints.blade import KnifeEdge
from multibody.model.constraints.contract import Constraint, Equation, Wrench
from multibody.model.constraints.curves import PointOnCurve, PointOnSurface
from multibody.model.constraints.disc import RollingDisc
from multibody.model.constraints.distance import DistanceConstraint
from multibody.model.constraints.expression import ExpressionConstraint
from multibody.model.constraints.frames import ClosedJoint, FrameConstraint, as_constraint
from multibody.model.constraints.gears import Gear, RackAndPinion
from multibody.model.constraints.points import PointOnLine, PointOnPlane
from multibody.model.constraints.rolling import RollingSphere

__all__ = [
    "ClosedJoint", "Constraint", "DistanceConstraint", "Equation", "ExpressionConstraint", "FrameConstraint",
    "Gear", "KnifeEdge", "PointOnCurve", "PointOnLine", "PointOnPlane", "PointOnSurface", "RackAndPinion",
    "RollingDisc", "RollingSphere", "Wrench", "as_constraint",
]  # fmt: skip
