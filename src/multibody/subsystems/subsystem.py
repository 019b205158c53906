"""A subsystem: Orsino 2015, eq. (1), in whatever way it came about; and its ordinary equations of motion.

The state of these equations has all variables of all levels, dependent ones too: q are those whose rates are known, u
the others. The mass matrix and forces are those of the parts before they were coupled; B has the invariants of all
levels; u̇ comes from the reduced equations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from multibody.equations import EquationsOfMotion, Handling
from multibody.equations.power import Powers
from multibody.equations.solution import Solution, regularity
from multibody.equations.without_bodies import BodyPlace, EquationsWithoutBodies, PlacedDrawing
from multibody.errors import ModelError, SingularMatrixError
from multibody.graph import ONE, ZERO, Expr, array, product
from multibody.graph.workspace import alone, in_own_table
from multibody.model.freeze.inertia_checks import require_possible_numbers
from multibody.model.quantity import known_defaults
from multibody.subsystems.appearance import Appearance
from multibody.subsystems.arguments.named_values import by_variable
from multibody.subsystems.arguments.origin import OfCopy
from multibody.subsystems.content import SubsystemContent
from multibody.subsystems.explicit import explicit_form
from multibody.subsystems.renaming import renamed
from multibody.subsystems.subsystem_model import SubsystemKinetics, model_of, shown_invariants


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


@alone
def equations_of(system: SubsystemContent, handling: Handling | None = None) -> EquationsOfMotion:
    """See ``Subsystem.equations``."""
    kinetics = SubsystemKinetics(model_of(system))
    require_possible_numbers(kinetics.model, known_defaults(system.parameters))
    if handling is not None:
        _require_handling(system, handling)
        M, h, f = kinetics.parts
        solution = handling.solve(M, list(h - f), kinetics.constraints)
        return SubsystemEquations.of(kinetics, "Modular", lambda: kinetics.parts, solution)
    places = {variable: k for k, variable in enumerate(system.top)}
    acceleration = tuple(kinetics.rates[variable] for variable in system.top)
    independent = tuple(places[variable] for variable in system.independent)
    solution = Solution(acceleration, (), independent, _regularity(kinetics, independent))
    return SubsystemEquations.of(kinetics, "Modular", lambda: kinetics.parts, solution)


def _regularity(kinetics: SubsystemKinetics, independent: tuple[int, ...]) -> Expr:
    """Zero where the variables do not follow from the independent ones; 1 where that is not known."""
    constraints, essential = kinetics.constraints, set(kinetics.system.all_invariants())
    rows = [row for row, invariant in enumerate(shown_invariants(kinetics.system)) if invariant in essential]
    bound = [k for k in range(len(kinetics.model.speeds)) if k not in independent]
    if not rows or len(rows) != len(bound):
        return ONE
    return regularity(constraints.B[np.ix_(rows, bound)], [constraints.unit(row) for row in rows])


@in_own_table
class SubsystemEquations(EquationsWithoutBodies):
    """Equations of motion of a subsystem; it has no bodies and joints, but energies where they are known."""

    def __post_init__(self, known: Mapping[str, Any] | None) -> None:
        """Forces that were not solved for are solved for when they are asked for."""
        super().__post_init__(known)
        if not self.multiplier_values:
            del self.__dict__["multiplier_values"]

    @cached_property
    def kinetics(self) -> SubsystemKinetics:
        """Constraints, mass matrix and forces of the subsystem."""
        return SubsystemKinetics(self.model)

    @property
    def system(self) -> SubsystemContent:
        """The subsystem that they belong to."""
        return self.kinetics.system

    @property
    def places(self) -> tuple[BodyPlace, ...]:
        """Where the bodies of systems are that the subsystem was made from."""
        return self._appearance.bodies

    @property
    def drawings(self) -> tuple[PlacedDrawing, ...]:
        """What was drawn on these bodies."""
        return self._appearance.drawings

    @cached_property
    def _appearance(self) -> Appearance:
        return self.system.whole_appearance()

    @cached_property
    def multiplier_values(self) -> tuple[Expr, ...]:
        """λ as explicit functions of (t, q, u, r, p), one for each constraint equation.

        Equations that follow from others share their forces, as by ``Multipliers``.
        """
        shown = shown_invariants(self.system)
        if all(invariant in self.kinetics.forces for invariant in shown) or self.regularized is self:
            return tuple(self.kinetics.forces.get(invariant, ZERO) for invariant in shown)
        return self.regularized.multiplier_values

    @cached_property
    def regularized(self) -> EquationsOfMotion:
        """See ``EquationsOfMotion``; the same equations where they cannot be solved for all forces at once."""
        if any(invariant.velocity is None for invariant in self.system.all_invariants()):
            return self
        try:
            return super().regularized
        except SingularMatrixError:
            return self

    @property
    def energy_known(self) -> bool:
        """Whether all levels of the subsystem have energies."""
        return all(level.energy is not None for level in self.system.levels())

    @cached_property
    def kinetic_energy(self) -> Expr:
        """T of all levels."""
        return self._sum("kinetic")

    @cached_property
    def potential_energy(self) -> Expr:
        """V of all levels."""
        return self._sum("potential")

    @property
    def known_powers(self) -> Powers | None:
        """The power of forces without a potential, of all levels, and of constraints that move; zero if not known."""
        if not self.energy_known:
            return Powers(ZERO, ZERO, ZERO)
        moving = product(self.B, array(list(self.speeds))) if len(self.constraints) else []
        drives = sum((force * rate for force, rate in zip(self.multipliers, moving, strict=True)), ZERO)
        return Powers(self._sum("inputs"), self._sum("dissipated"), drives)

    def _sum(self, name: str) -> Expr:
        unknown = [level.label for level in self.system.levels() if level.energy is None]
        if unknown:
            raise ModelError(
                f"The energy of {', '.join(map(repr, unknown))} is not known.",
                where=f"subsystem '{self.system.label}'",
                cause="It was given by equations alone.",
                remedy="Give energy=(T, V) with the equations of this subsystem.",
                code="energy-unknown",
                names=tuple(unknown),
            )
        return sum((getattr(level.energy, name) for level in self.system.levels()), ZERO)

    @property
    def described(self) -> tuple[str, str]:
        """A subsystem, with its label."""
        return "a subsystem", f"subsystem '{self.system.label}'"


def _require_handling(system: SubsystemContent, handling: Any) -> None:
    if not isinstance(handling, Handling):
        raise ModelError(
            f"{handling!r:.80} is not a way to handle constraints.",
            where=f"equations of subsystem '{system.label}'",
            remedy="Give Multipliers() or IndependentSpeeds(…), or nothing.",
            code="constraint-handling-expected",
        )
    hidden = [invariant for invariant in system.all_invariants() if invariant.velocity is None]
    if hidden:
        raise ModelError(
            f"The constraint '{hidden[0].name}' restricts accelerations alone, which this handling cannot solve for.",
            where=f"subsystem '{hidden[0].owner}'",
            remedy="Derive the equations without naming a handling.",
            code="constraint-on-accelerations-only",
            name=hidden[0].name,
        )
