"""Constraints: what restricts the motion of a system beyond the joints of its tree."""

from multibody.model.constraints.contract import Constraint, Equation, Wrench
from multibody.model.constraints.expression import ExpressionConstraint
from multibody.model.constraints.frames import ClosedJoint, FrameConstraint, as_constraint

__all__ = [
    "ClosedJoint", "Constraint", "Equation", "ExpressionConstraint", "FrameConstraint", "Wrench", "as_constraint",
]  # fmt: skip
