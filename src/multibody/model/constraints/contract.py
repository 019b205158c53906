"""The contract that all constraints keep.

A constraint gives scalar equations. Each of them has a velocity form, B·u + β = 0, which is linear in the speeds; one
that restricts positions too (a holonomic one) also has φ(q, t) = 0. The multiplier λ of an equation is the force, or
torque, that acts in the direction in which the velocity form grows: it does the work λ·(B·u + β) per unit of time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from multibody.algebra import ForceMotor
from multibody.graph import Expr
from multibody.model.body import Frame
from multibody.model.given import Given
from multibody.model.kinematics import Kinematics
from multibody.model.sensors.contract import named


class Wrench(NamedTuple):
    """Where a constraint pushes, for λ = 1: on ``frame`` at its origin and in its axes; the opposite on ``base``."""

    frame: Frame
    base: Frame
    axis: ForceMotor


@dataclass(frozen=True, eq=False)
class Equation:
    """One scalar constraint equation.

    Attributes:
        name: of the equation within its constraint, such as ``"x"``; empty if it is the only one.
        velocity: B·u + β, an expression that is linear in the speeds.
        position: φ(q, t), whose zero is equivalent; None if only velocities are restricted (nonholonomic).
        wrench: the force that keeps it, where it acts between two frames; None if it acts on speeds of joints.
        side: 1 on the right one of several solutions of φ = 0, zero or less on the wrong ones.
        unit: what its multiplier is, "force", "torque" or "other", where no wrench says so.
    """

    name: str
    velocity: Expr
    position: Expr | None = None
    wrench: Wrench | None = None
    side: Expr | None = None
    unit: str = "other"

    @staticmethod
    def between(
        kinematics: Kinematics, name: str, frame: Frame, base: Frame, axis: ForceMotor, position: Expr | None = None,
        side: Expr | None = None,
    ) -> Equation:  # fmt: skip
        """``frame`` does not move relative to ``base`` along a wrench axis (at the origin and in the axes of frame)."""
        velocity = kinematics.velocity(frame, relative_to=base).inner(axis)
        return Equation(name, velocity, position, Wrench(frame, base, axis), side)


class Constraint(Given, ABC):
    """Something that restricts the motion."""

    @abstractmethod
    def equations(self, kinematics: Kinematics) -> Sequence[Equation]:
        """The scalar equations, in a fixed order."""

    @property
    @abstractmethod
    def touches(self) -> tuple[object, ...]:
        """The frames and joints that it acts on, for checks."""

    @property
    def expressions(self) -> Sequence[Expr]:
        """What the user gave as expressions of time and inputs."""
        return ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(named(element) for element in self.touches)})"
