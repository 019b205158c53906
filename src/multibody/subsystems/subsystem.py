"""A subsystem: Orsino 2015, eq. (1), in whatever way it came about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from multibody.equations import EquationsOfMotion, Handling
from multibody.graph import Expr
from multibody.subsystems.arguments.named_values import by_variable
from multibody.subsystems.arguments.origin import OfCopy
from multibody.subsystems.content import SubsystemContent
from multibody.subsystems.explicit import explicit_form
from multibody.subsystems.renaming import renamed
from multibody.subsystems.to_equations import equations_of


@dataclass(frozen=True, eq=False, repr=False)
class Subsystem(SubsystemContent):
    """Generalized variables, how they are related, and their dynamic equations; made by ``subsystem`` and ``couple``.

    Attributes are those of ``SubsystemContent``.
    """

    def explicit(self, *, seconds: float = 4.0) -> Mapping[str, Expr]:
        """ẋ = f(t, x): the rate of every variable, in closed form, with the known identities put in."""
        return explicit_form(self, seconds)

    def equations(self, *, constraints: Handling | None = None) -> EquationsOfMotion:
        """The equations of motion of the whole, to compile, simulate, linearize, export.

        Args:
            constraints: another way to solve for constrained motions, such as ``Multipliers()``, which works in all
                positions; by default the independent variables of all levels are used.
        """
        return equations_of(self, constraints)

    def renamed(
        self, label: str, names: Mapping[str, str] | None = None, *, suffix: str = "", shared: Any = ()
    ) -> Subsystem:
        """The same subsystem under other names, so that it can be used more than once.

        Args:
            label: of the copy.
            names: new names by old ones, for variables, parameters and inputs.
            suffix: is added to all other names, but not to those in ``shared``.
            shared: names that stay as they are; parameters such as ``g`` that all copies have in common.
        """
        return renamed(self, label, names or {}, suffix, shared)

    def with_start(self, **values: float) -> Subsystem:
        """The same with start values for a run, by the names of variables."""
        known = {variable.name: variable for variable in self.orders}
        new = by_variable(values, known, "start", self.label)
        start = {**self.start, **{variable: float(value.value) for variable, value in new.items()}}
        origin = OfCopy(self, {}, "", (), dict(values))
        return replace(self, start=start, guesses=self.guesses - set(new), origin=origin)

    def __repr__(self) -> str:
        return f"Subsystem({self.label!r}, independent={', '.join(variable.name for variable in self.independent)})"
