"""The contract of loops that are solved explicitly (PyMbs manual, section 4.2).

A loop divides its coordinates into independent ones u and dependent ones v. It says which are dependent, how they
follow, v = H(u), and which constraint h(u, v) = 0 that replaces. B_vu and b′ of the manual, in v̇ = B_vu·u̇ and
v̈ = B_vu·ü + b′, are derived from the constraint, whose form is much simpler than that of H.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from multibody.graph import Expr, Symbol
from multibody.model.constraints import Constraint
from multibody.model.given import Given
from multibody.model.kinematics import Kinematics
from multibody.model.sensors.contract import named


class ExplicitLoop(Given, ABC):
    """A closed loop whose dependent coordinates are known in closed form.

    To add a kind of loop, say what closes it, which coordinates are dependent, and how they follow from the others; all
    the rest is done by ``reduced``. See ``Transmission`` for the shortest example.
    """

    @property
    @abstractmethod
    def closure(self) -> Constraint:
        """h(u, v) = 0: the constraint that the solution keeps."""

    @abstractmethod
    def dependent(self, kinematics: Kinematics) -> Sequence[Symbol]:
        """The dependent coordinates v."""

    @abstractmethod
    def solution(self, kinematics: Kinematics) -> Mapping[Symbol, Expr]:
        """H: the dependent coordinates as expressions of the others."""

    @property
    def touches(self) -> tuple[object, ...]:
        """The frames and joints that it concerns, for checks."""
        return self.closure.touches

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(named(element) for element in self.touches)})"
