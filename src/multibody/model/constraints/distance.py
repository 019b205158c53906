"""Two points that keep a distance: a massless rod with ball joints at both ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from multibody.algebra import ForceMotor
from multibody.graph import Expr, time_derivative
from multibody.model.body import Frame
from multibody.model.constraints.between import BetweenFrames, given, positive
from multibody.model.constraints.contract import Equation
from multibody.model.kinematics import ZERO3, Kinematics


class DistanceConstraint(BetweenFrames):
    """Keeps the distance of two frames' origins: a rod without mass, with a ball joint at each end.

    With r from one origin to the other, φ = (r² - L²)/(2·L), and B·u + β = r·ṙ/L - L̇, which is the same as φ̇ while
    φ = 0. There is no square root in it and no position without a direction. The multiplier is the force in the rod in
    N: positive if it pushes its ends apart (compression), negative if it pulls (tension).

    Args:
        base: one end.
        frame: the other end.
        length: the distance, positive: a number, or an expression of parameters, time and inputs. If it follows an
            input, the first and second rate of this input become inputs too.

    Example:
        >>> from multibody.model import System
        >>> swing = System("swing")
        >>> L, seat = swing.parameter("L", 2.0), swing.body("seat", mass=30)
        >>> motion = swing.joint("p", swing.world, seat, ["Tx", "Tz"])
        >>> rope = swing.constraint(DistanceConstraint(swing.world, seat, length=L), name="rope")
        >>> [equation] = rope.equations(Kinematics(swing.freeze()))
        >>> equation.velocity
        p_tx*p_tx_dot/L + p_tz*p_tz_dot/L
    """

    def __init__(self, base: Frame, frame: Frame, length: Any) -> None:
        super().__init__(base, frame)
        self.length = positive(
            length, "length", self, "Use FrameConstraint(base, frame, translation='xyz') for points that coincide."
        )

    def equations(self, kinematics: Kinematics) -> Sequence[Equation]:
        """One, along the rod."""
        length = given(self.length, kinematics, self)
        pose = kinematics.pose(self.frame, self.base)
        r = pose.position
        position = (r.dot(r) - length * length) / (2 * length)
        along = ForceMotor(pose.vector_to_child(r) / length, ZERO3)
        rigid = Equation.between(kinematics, "", self.frame, self.base, along, position)
        return [replace(rigid, velocity=rigid.velocity - time_derivative(length, kinematics.model.flow()))]

    @property
    def expressions(self) -> Sequence[Expr]:
        """The length."""
        return (self.length,)
