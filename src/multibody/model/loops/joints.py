"""Joints whose coordinates follow from others: Transmission and ExpJoint of the PyMbs manual."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from multibody.errors import ModelError
from multibody.graph import Expr, Symbol, as_expr, free_symbols
from multibody.model.constraints import Constraint, ExpressionConstraint
from multibody.model.joint import Joint
from multibody.model.kinematics import Kinematics
from multibody.model.loops.contract import ExplicitLoop
from multibody.model.sensors.contract import resolved


class ExpJoint(ExplicitLoop):
    """A joint whose coordinate is an expression of other coordinates.

    Args:
        joint: a joint with one degree of freedom.
        value: an expression of coordinates, parameters, inputs and time.

    Example:
        >>> from multibody.model import System
        >>> cam = System("cam")
        >>> wheel = cam.joint("turn", cam.world, cam.body("wheel", 1, (0, 0, 0), (1, 1, 1)), "Rz")
        >>> follower = cam.joint("lift", cam.world, cam.body("follower", 1), "Ty")
        >>> loop = cam.loop(ExpJoint(follower, 0.1 * wheel.coordinate**2))
        >>> cam.freeze().coordinates
        (turn,)
    """

    def __init__(self, joint: Joint, value: Any) -> None:
        self.joint = joint
        self.value = as_expr(value)
        if self.coordinate in free_symbols(self.value):
            raise ModelError(
                f"The coordinate {self.coordinate} is given by itself.",
                code="coordinate-given-by-itself",
                where=f"{type(self).__name__} on joint '{joint.name}'",
                remedy="Use a constraint, which need not be solved.",
                name=self.coordinate.name,
            )

    @property
    def coordinate(self) -> Symbol:
        """The coordinate that the expression represents."""
        return self.joint.coordinate

    @property
    def closure(self) -> Constraint:
        """The difference of both sides."""
        return ExpressionConstraint(self.coordinate - self.value)

    def dependent(self, kinematics: Kinematics) -> Sequence[Symbol]:
        """The coordinate of the joint."""
        return [self.coordinate]

    def solution(self, kinematics: Kinematics) -> Mapping[Symbol, Expr]:
        """The expression."""
        return {self.coordinate: resolved(self.value, kinematics)}

    @property
    def touches(self) -> tuple[object, ...]:
        """The joint."""
        return (self.joint,)


class Transmission(ExpJoint):
    """A gear without play: q₁ = ratio·q₂.

    Args:
        first: the joint that follows; a ratio of zero holds it fast.
        second: the joint that drives.
        ratio: how much the first moves for one unit of the second.
    """

    def __init__(self, first: Joint, second: Joint, ratio: Any = 1) -> None:
        self.second = second
        super().__init__(first, as_expr(ratio) * second.coordinate)

    @property
    def touches(self) -> tuple[object, ...]:
        """Both joints."""
        return self.joint, self.second
