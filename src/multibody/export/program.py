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

from multibody.equations import EquationsOfMotion
from multibody.equations.dependent_angles import require_no_acting_angles
from multibody.equations.known_symbols import require_distinct, require_known
from multibody.equations.prescribed_motion import require_smooth
from multibody.equations.symbol_table import Entry
from multibody.errors import ConversionError, MissingValueError, UnknownNameError
from multibody.export.code import Code, coded
from multibody.export.naming import landmarks
from multibody.export.quantities import Quantity, Result, Routine, entries
from multibody.export.routines import ROUTINES
from multibody.export.sensor_descriptions import entry_descriptions
from multibody.export.syntax import Syntax, one_line
from multibody.graph import Constant, Expr, Symbol, isolated, substitute, topological
from multibody.graph.traverse import flat
from multibody.model import Model, System
from multibody.model.possible import require_possible_numbers


@dataclass(frozen=True, eq=False)
class Program:
    """What can be written about one set of equations of motion.

    Attributes:
        eom: the equations.
        parameters: with their numbers.
        coordinates: with consistent start values.
        speeds: likewise.
    """

    eom: EquationsOfMotion
    parameters: tuple[Quantity, ...]
    coordinates: tuple[Quantity, ...]
    speeds: tuple[Quantity, ...]

    @staticmethod
    def of(eom: EquationsOfMotion, parameters: Mapping[str, Any] | None = None) -> Program:
        """The program of equations of motion.

        Args:
            eom: what to export.
            parameters: numbers by name, where they are not the defaults; an array by its own name.

        Raises:
            ModelError: if one name stands for several quantities, or a symbol for none.
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
        _require_equations(eom)
        _require_names_and_values(eom)
        meanings = {(entry.kind, entry.name): entry for entry in eom.symbol_table().entries}

        def quantities(kind: str, values: Iterable[tuple[Symbol, float]]) -> tuple[Quantity, ...]:
            return tuple(_quantity(meanings[kind, one.name], float(value), one) for one, value in values)

        numbers = eom.model.known_parameter_values(parameters)
        require_possible_numbers(eom.model, numbers)
        q, u = _start(eom, parameters, complete=len(numbers) == len(eom.parameters))
        values = quantities("parameter", ((one, numbers.get(one, nan)) for one in eom.parameters))
        return Program(
            eom,
            tuple(replace(one, formula=_formula(eom, one.symbol, parameters or {})) for one in values),
            quantities("coordinate", zip(eom.coordinates, q, strict=True)),
            quantities("speed", zip(eom.speeds, u, strict=True)),
        )

    # names -------------------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """Of the system."""
        return self.eom.model.name

    @property
    def states(self) -> tuple[Quantity, ...]:
        """Coordinates, then speeds."""
        return self.coordinates + self.speeds

    @property
    def levels(self) -> tuple[int, ...]:
        """1 for each coordinate and speed whose start value the user gave, 0 for those that follow."""
        written = self.eom.model.written
        return tuple(int(one.name in written) for one in (*self.eom.coordinates, *self.eom.speeds))

    @property
    def guess(self) -> tuple[float, ...]:
        """Start values as the user has given them, or left them open, whether they keep the constraints or not."""
        return tuple(float(self.eom.model.start[one]) for one in (*self.eom.coordinates, *self.eom.speeds))

    @cached_property
    def inputs(self) -> tuple[Quantity, ...]:
        """The inputs r, zero by default."""
        pairs = ((one, symbol) for one in self.eom.model.inputs for symbol in one.flat)
        return tuple(Quantity(symbol.name, one.unit, one.description, 0.0, symbol) for one, symbol in pairs)

    @cached_property
    def outputs(self) -> tuple[Quantity, ...]:
        """What the sensors measure, as scalars."""
        found = []
        for name, value in self.eom.outputs.items():
            said = entry_descriptions(self.eom.model.sensors[name], np.shape(value))
            names = entries(name, np.shape(value))
            found += [Quantity(one, unit, what) for one, (what, unit) in zip(names, said, strict=True)]
        return tuple(found)

    @cached_property
    def multipliers(self) -> tuple[Quantity, ...]:
        """The constraint forces λ."""
        table = {entry.name: entry for entry in self.eom.symbol_table().entries if entry.kind == "multiplier"}
        return tuple(_quantity(table[one.name], 0.0, one) for one in self.eom.multipliers)

    @property
    def arguments(self) -> dict[str, tuple[Quantity, ...]]:
        """The arrays q, u, r and p that every routine is given, after the time t."""
        return {"q": self.coordinates, "u": self.speeds, "r": self.inputs, "p": self.parameters}

    @property
    def signals(self) -> dict[str, tuple[Quantity, ...]]:
        """Whatever changes while the system moves: the arrays q, u and r, and the outputs of all sensors."""
        return {"q": self.coordinates, "u": self.speeds, "r": self.inputs, "outputs": self.outputs}

    def require_values(self, target: str) -> None:
        """An error if a parameter has no number, for targets that cannot be without one."""
        missing = [one.name for one in self.parameters if one.is_open]
        if missing:
            raise MissingValueError(
                f"No value for: {', '.join(sorted(missing))}.",
                where=f"parameters of system '{self.name}'",
                cause=f"What {target} writes has a start value for each parameter.",
                remedy="Give each a default in the system, or a number by parameters=… here.",
            )

    def legend(self) -> list[str]:
        """What each place of each array holds, for comments."""
        return [
            one_line(f"{array}[{k}]: {quantity.name} {quantity.meaning}")
            for array, quantities in self.signals.items()
            for k, quantity in enumerate(quantities)
        ]

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

    def has(self, name: str) -> bool:
        """Whether a routine has any results for this model: without constraints there are no multipliers, say."""
        return any(result.size for result in self.routine(name).results)

    def own_routine(self, name: str, results: Mapping[str, Any], description: str = "") -> Routine:
        """A routine for expressions of (t, q, u, u̇, λ, r, p) of your own, such as poses for an animation."""
        made = tuple(Result.of(key, self.explicit(value)) for key, value in results.items())
        return Routine(name, description, made)

    def explicit(self, thing: Any) -> Any:
        """Expressions with what u̇ and λ are, where that is a number; elsewhere ``code`` puts it in."""
        numbers = {one: value for one, value in self.solved.items() if isinstance(value, Constant)}
        return substitute(thing, numbers) if numbers else thing

    @cached_property
    def solved(self) -> dict[Expr, Expr]:
        """u̇ and λ as functions of (t, q, u, r, p)."""
        known: dict[Expr, Expr] = dict(zip(self.eom.model.accelerations, self.eom.acceleration, strict=True))
        return known | dict(zip(self.eom.multipliers, self.eom.multiplier_values, strict=True))

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
        made = [self.routine(one) if isinstance(one, str) else one for one in routines]
        made = [one for one in made if any(result.size for result in one.results)]
        return coded(self, made, syntax, taken, self._landmarks if names == "readable" else {}, apart, limit)

    def _require_runnable(self) -> None:
        """An error for what no run can be made of: motions that jump, impossible inertias."""
        known = {one.symbol: one.value for one in self.parameters if one.symbol is not None and not isnan(one.value)}
        require_smooth(self.eom, known)

    @cached_property
    def _made(self) -> dict[str, Routine]:
        return {}

    @cached_property
    def _known(self) -> list[Any]:
        """All nodes of the equations, among which equal expressions are looked for."""
        eom = self.eom
        return topological(flat([*eom.acceleration, *eom.multiplier_values, *eom.rates]))

    @cached_property
    def _landmarks(self) -> dict[Any, str]:
        with isolated(*self._known):
            return landmarks(self.eom)


def _require_equations(eom: object) -> None:
    """An error for anything that is not equations of motion, which a system becomes by being derived."""
    if not isinstance(eom, EquationsOfMotion):
        raise ConversionError(
            f"{type(eom).__name__} is not equations of motion.",
            where="export",
            remedy="Derive them first: export(derive(system), …)."
            if isinstance(eom, System | Model)
            else "Give what derive(system) returns.",
        )


def _require_names_and_values(eom: EquationsOfMotion) -> None:
    """Code tells quantities apart by their names; symbols that are none of them could not be written."""
    outputs = {name: np.shape(value) for name, value in eom.outputs.items()}
    require_distinct(eom.model, [one for name, shape in outputs.items() for one in entries(name, shape)])
    values = [*eom.rates, *eom.acceleration, *(one for value in eom.outputs.values() for one in flat(value))]
    require_known(values, eom, f"system '{eom.model.name}'", eom.multipliers)


def _quantity(entry: Entry, value: float, symbol: Symbol) -> Quantity:
    return Quantity(entry.name, entry.unit, entry.description, value, symbol)


def _formula(eom: EquationsOfMotion, symbol: Symbol | None, given: Mapping[str, Any]) -> Expr | None:
    """The formula that a parameter follows; None if it is a number, by default or as given."""
    owner = next(one for one in eom.model.parameters if symbol in one.default)
    default = None if symbol is None or owner.name in given or symbol.name in given else owner.default[symbol]
    return None if default is None or isinstance(default, Constant) else default


def _start(eom: EquationsOfMotion, parameters: Mapping[str, Any] | None, *, complete: bool) -> tuple[Any, Any]:
    """Start values that keep all constraints, with unit quaternions; as given if parameters have no values."""
    if complete and (len(eom.constraints) or eom.model.quaternions):
        state = eom.consistent(parameters=parameters)
        return state.q, state.u
    return np.array([eom.model.start[q] for q in eom.coordinates]), [eom.model.start[u] for u in eom.speeds]
