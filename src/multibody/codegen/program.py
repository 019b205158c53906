"""The language-independent picture of what is exported: names, units, numbers, and routines as expressions.

Every routine is a function of (t, q, u, r, p). ``Program.code`` turns routines into straight-line code, see ``code``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan, nan
from typing import Any

import numpy as np

from multibody.codegen.code import Code, coded
from multibody.codegen.naming import landmarks
from multibody.codegen.program_data import ProgramData, Result, Routine, ScalarVariable, quantity
from multibody.codegen.routines import ROUTINES
from multibody.codegen.syntax import Syntax
from multibody.equations import EquationsOfMotion
from multibody.equations.dependent_angles import require_no_acting_angles
from multibody.equations.singularity import square_roots
from multibody.equations.validation.argument_checks import require_distinct, require_equations, require_known
from multibody.equations.validation.prescribed_motion import require_smooth
from multibody.errors import ConversionError, UnknownNameError
from multibody.graph import Constant, Expr, Symbol, free_symbols, isolated, topological
from multibody.graph.traverse import flat
from multibody.model.freeze.inertia_checks import require_possible_numbers
from multibody.model.quantity import shaped_names


@dataclass(frozen=True, eq=False)
class Program(ProgramData):
    """What can be written about one set of equations of motion; see ``ProgramData`` for its attributes."""

    @staticmethod
    def of(eom: EquationsOfMotion, parameters: Mapping[str, Any] | None = None) -> Program:
        """The program of equations of motion.

        Args:
            eom: what to export.
            parameters: numbers by name, where they are not the defaults; an array by its own name.

        Raises:
            ModelError: if one name represents several quantities, or a symbol for none.
            AssemblyError: if no position keeps all constraints.

        Example:
            >>> import multibody as mb
            >>> pendulum = mb.System("pendulum", gravity=(0, 0, -9.81))
            >>> bob = pendulum.body("bob", mass=2, com=(0, 0, -1))
            >>> hinge = pendulum.joint("angle", pendulum.world, bob, "Ry", q=0.3)
            >>> program = Program.of(mb.derive(pendulum))
            >>> program.coordinates[0].unit, program.coordinates[0].value, program.speeds[0].name
            ('rad', 0.3, 'angle_dot')
        """
        require_equations(eom, "export", "export(mb.derive(system), …)", error=ConversionError)
        _require_names_and_values(eom)
        meanings = {(entry.kind, entry.name): entry for entry in eom.symbol_table().entries}

        def quantities(kind: str, values: Iterable[tuple[Symbol, float]]) -> tuple[ScalarVariable, ...]:
            return tuple(quantity(meanings[kind, symbol.name], float(value), symbol) for symbol, value in values)

        numbers = eom.model.known_parameter_values(parameters)
        require_possible_numbers(eom.model, numbers)
        q, u = _start(eom, parameters, complete=len(numbers) == len(eom.parameters))
        values = quantities("parameter", ((parameter, numbers.get(parameter, nan)) for parameter in eom.parameters))
        return Program(
            eom,
            tuple(replace(value, formula=_formula(eom, value.symbol, parameters or {})) for value in values),
            quantities("coordinate", zip(eom.coordinates, q, strict=True)),
            quantities("speed", zip(eom.speeds, u, strict=True)),
        )

    # routines ----------------------------------------------------------------------------------------------------

    def routine(self, name: str) -> Routine:
        """One of the routines that every target may write.

        ``state_rate`` (q̇, u̇), ``acceleration`` (u̇), ``mass_matrix`` (M), ``bias`` (h - f), ``sensors`` (all outputs in
        one vector), ``multipliers`` (λ), ``residuals`` (φ and B·u + β), ``projection`` (a step back onto the
        constraints), ``assembly`` (likewise for start values), ``closure`` (what start values must fulfill),
        ``jacobian`` (∂(q̇, u̇)/∂(q, u) and by r), ``unsolved_jacobian`` (likewise, where the language solves with M by
        loops), ``sensor_jacobian``, ``energy``.
        """
        if name not in ROUTINES:
            raise UnknownNameError(f"There is no routine '{name}'.", remedy=f"There are: {', '.join(ROUTINES)}.")
        if name not in self._made:
            with isolated(*self._known):
                self._made[name] = ROUTINES[name](self)
        return self._made[name]

    @cached_property
    def loops(self) -> dict[Expr, tuple[str, ...]]:
        """Discriminants of loops in closed form that change with the motion, and what they determine."""
        fixed = {*self.eom.parameters}
        return {D: names for D, names in square_roots(self.eom).items() if {*free_symbols([D])} - fixed}

    @cached_property
    def watched(self) -> Routine:
        """What becomes zero at the dead points of loops in closed form; nothing if there are no such loops."""
        results = (Result.of("discriminants", list(self.loops)),) if self.loops else ()
        return Routine("watched", "zero at the dead points of loops", results)

    def has(self, name: str) -> bool:
        """Whether a routine has any results for this model: without constraints there are no multipliers, say."""
        return any(result.size for result in self.routine(name).results)

    def own_routine(self, name: str, results: Mapping[str, Any], description: str = "") -> Routine:
        """A routine for expressions of (t, q, u, u̇, λ, r, p) of your own, such as poses for an animation."""
        made = tuple(Result.of(key, self.explicit(value)) for key, value in results.items())
        return Routine(name, description, made)

    def code(
        self, routines: Iterable[str | Routine], syntax: Syntax, *, taken: Iterable[str] = (), names: str = "readable",
        apart: bool = True, limit: int | None = None,
    ) -> Code:  # fmt: skip
        """Routines as straight-line code in one language.

        Args:
            routines: which ones, by name, or own ones; those without results are left out.
            syntax: how the language is written.
            taken: identifiers that the files use for themselves.
            names: ``"readable"`` for intermediates with names that mean something, ``"short"`` for the shortest code.
            apart: whether what follows from parameters alone is computed apart, once.
            limit: how many statements a function may have; longer ones are split. Without it, none are.

        Raises:
            ConversionError: if a load depends on the angle of a dependent joint, which code without a memory cannot
                follow beyond π. Sensors of such angles show values between -π and π.
            ModelError: if a prescribed motion jumps, or a body has an inertia that cannot be: runs refuse these, too.
        """
        require_no_acting_angles(self.eom, "generated code")
        self._require_runnable()
        made = [self.routine(routine) if isinstance(routine, str) else routine for routine in routines]
        made = [routine for routine in made if any(result.size for result in routine.results)]
        return coded(self, made, syntax, taken, self._landmarks if names == "readable" else {}, apart, limit)

    def _require_runnable(self) -> None:
        """An error for what no run can be made of: motions that jump, impossible inertias."""
        known = {
            parameter.symbol: parameter.value
            for parameter in self.parameters
            if parameter.symbol is not None and not isnan(parameter.value)
        }
        require_smooth(self.eom, known)

    @cached_property
    def _made(self) -> dict[str, Routine]:
        return {}

    @cached_property
    def _known(self) -> list[Any]:
        """All nodes of the equations, among which equal expressions are looked for."""
        eom = self.eom
        return topological(flat([*eom.acceleration, *eom.multiplier_values, *eom.rates]))

    @property
    def _landmarks(self) -> dict[Any, str]:
        return self.eom.once("landmarks", self._named_quantities)

    def _named_quantities(self) -> dict[Any, str]:
        with isolated(*self._known):
            return landmarks(self.eom)


def _require_names_and_values(eom: EquationsOfMotion) -> None:
    """Code tells quantities apart by their names; symbols that are none of them could not be written."""
    outputs = {name: np.shape(value) for name, value in eom.outputs.items()}
    require_distinct(eom.model, [entry for name, shape in outputs.items() for entry in shaped_names(name, shape)])
    values = [*eom.rates, *eom.acceleration, *(entry for value in eom.outputs.values() for entry in flat(value))]
    require_known(values, eom, f"system '{eom.model.name}'", eom.multipliers)


def _formula(eom: EquationsOfMotion, symbol: Symbol | None, given: Mapping[str, Any]) -> Expr | None:
    """The formula that a parameter follows; None if it is a number, by default or as given."""
    owner = next(parameter for parameter in eom.model.parameters if symbol in parameter.default)
    default = None if symbol is None or owner.name in given or symbol.name in given else owner.default[symbol]
    return None if default is None or isinstance(default, Constant) else default


def _start(eom: EquationsOfMotion, parameters: Mapping[str, Any] | None, *, complete: bool) -> tuple[Any, Any]:
    """Start values that keep all constraints, with unit quaternions; as given if parameters have no values."""
    if complete and (len(eom.constraints) or eom.model.quaternions):
        state = eom.consistent(parameters=parameters)
        return state.q, state.u
    return np.array([eom.model.start[q] for q in eom.coordinates]), [eom.model.start[u] for u in eom.speeds]
