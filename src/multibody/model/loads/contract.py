"""The contract that all loads keep."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from multibody.algebra import ForceMotor
from multibody.graph import ZERO, Expr, Symbol
from multibody.model.body import Frame
from multibody.model.kinematics import Kinematics


class Applied(NamedTuple):
    """A force motor on a frame, at its origin and in its axes."""

    frame: Frame
    force: ForceMotor


class Load(ABC):
    """Something that acts on bodies or joints."""

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
    @abstractmethod
    def touches(self) -> tuple[object, ...]:
        """The frames and joints that it acts on, for checks."""
