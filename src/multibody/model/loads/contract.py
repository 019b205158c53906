"""The contract that all loads keep."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, NamedTuple

from multibody.algebra import ForceMotor, Vec3
from multibody.errors import ModelError
from multibody.graph import ZERO, Expr, Symbol, as_expr, free_symbols
from multibody.model.body import Frame
from multibody.model.given import Given
from multibody.model.joint import Joint
from multibody.model.kinematics import Kinematics
from multibody.model.sensors.contract import named, resolved


class Applied(NamedTuple):
    """A force motor on a frame, at its origin and in its axes."""

    frame: Frame
    force: ForceMotor


class BeforeForces(Kinematics):
    """The motion as it is known while loads are still being collected."""

    def reaction(self, joint: Joint) -> ForceMotor:
        """An error."""
        raise ModelError(
            "A load cannot depend on constraint forces.",
            code="load-depends-on-constraint-forces",
            where=f"joint '{joint.name}'",
            cause="Constraint forces follow from the loads, not the other way round.",
            remedy="Use positions and velocities, or let the force come in through an input.",
            name=joint.name,
        )


class Load(Given, ABC):
    """Something that acts on bodies or joints.

    Attributes:
        holds_arguments: whether arguments that follow the motion (a rest length, a stiffness) count as held where the
            force is compared with the slope of the potential. What changes them then does work, as that of a drive.
    """

    holds_arguments: ClassVar[bool] = False

    def forces(self, kinematics: Kinematics) -> Iterable[Applied]:
        """The force motors on frames."""
        return ()

    def generalized(self, kinematics: Kinematics) -> Mapping[Symbol, Expr]:
        """Forces and torques that act directly on speeds of joints, by the symbol of the speed."""
        return {}

    def potential(self, kinematics: Kinematics) -> Expr:
        """The potential energy that the load stores; zero if it stores none."""
        return ZERO

    @property
    def conservative(self) -> bool:
        """Whether the force at rest is minus the slope of ``potential``, where there is one.

        ``derive`` and ``check`` then compare the two, and refuse a load of which they differ; inputs that only the
        force depends on count as a drive. False for a load that stores a part of its work only.
        """
        return True

    @property
    def dissipative(self) -> bool:
        """Whether the load only takes energy away, apart from what its potential stores; a run fails if it gives any.

        False for forces that may be those of a drive.
        """
        return False

    @property
    @abstractmethod
    def touches(self) -> tuple[object, ...]:
        """The frames and joints that it acts on, for checks."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(named(element) for element in self.touches)})"

    def scalar(self, value: Any, kinematics: Kinematics) -> Expr:
        """A value that the user gave, with measured values put in.

        Raises:
            ModelError: if it depends on accelerations or constraint forces, which follow from the loads.
        """
        expression = as_expr(value)
        values = kinematics.model.values
        if any(symbol.kind == "variable" or symbol in values for symbol in free_symbols(expression)):
            expression = resolved(expression, BeforeForces(kinematics.model))
        unknown = [s.name for s in free_symbols(expression) if s in kinematics.model.accelerations]
        if unknown:
            raise ModelError(
                f"A load cannot depend on accelerations: {', '.join(unknown)}.",
                code="load-depends-on-accelerations",
                where=repr(self),
                cause="Accelerations follow from the loads, not the other way round.",
                remedy="Use positions and velocities, or let the acceleration come in through an input.",
                names=tuple(unknown),
            )
        return expression

    def vector(self, value: Any, kinematics: Kinematics) -> Vec3:
        """Three values that the user gave, with measured values put in."""
        return Vec3.from_any(value, what="load").symbolic().map(lambda part: self.scalar(part, kinematics))
