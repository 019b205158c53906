"""Equations of motion that were read from SymPy, with all that came with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from multibody.compat.sympy.read_equations import EnergyTerms, ReadEquations
from multibody.compat.sympy.vocabulary import SympyVocabulary
from multibody.equations import Handling
from multibody.equations.power import Powers
from multibody.equations.solution import Solution
from multibody.equations.without_bodies import (
    BodyPlace,
    EquationsWithoutBodies,
    KineticsWithoutBodies,
    ModelWithoutBodies,
)
from multibody.errors import ModelError
from multibody.graph import ZERO, Constant, Expr, Symbol, array, as_expr, directional, free_symbols, from_sympy, product
from multibody.graph.linear_algebra import Matrix
from multibody.graph.names import require_known_names
from multibody.graph.piecewise.signs import Sign, agrees
from multibody.graph.workspace import in_own_table
from multibody.model import Expression, Model
from multibody.model.constraints import ExpressionConstraint
from multibody.model.freeze.inertia_checks import require_possible_numbers
from multibody.model.quantity import acceleration_symbol, finite_value, known_defaults


@dataclass(frozen=True, eq=False)
class SympyModel(ModelWithoutBodies):
    """A model that was read from SymPy.

    Attributes:
        given: what was read.
        symbols: our expression for each of SymPy's symbols, functions of time and derivatives.
        notes: what had to be renamed.
        assumed: the signs of symbols that SymPy assumes.
    """

    given: ReadEquations | None = None
    symbols: Mapping[Any, Expr] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    assumed: Mapping[Symbol, Sign] = field(default_factory=dict)

    @property
    def signs(self) -> Mapping[Symbol, Sign]:
        """The signs of symbols that SymPy assumes, such as positive=True, and has simplified expressions by."""
        return self.assumed

    def require_values(self, values: Mapping[Symbol, float]) -> None:
        """An error for a parameter that does not have the sign that SymPy assumes."""
        for symbol, value in values.items():
            _require_sign(self, symbol, value, "parameter")

    @cached_property
    def inertias(self) -> tuple[tuple[tuple[str, ...], Sequence[Expr]], ...]:
        """Mass, first moment and tensor about the center of mass of every body, as far as the motion depends on them.

        SymPy gives names to the mass of the ground and to inertias of bodies that do not turn.
        """
        known = set(self.parameter_symbols)
        found = []
        for names, (mass, *others) in () if self.given is None else self.given.inertias:
            if known.issuperset(free_symbols(mass)):
                used = others if known.issuperset(free_symbols(others)) else [ZERO] * len(others)
                found.append((names, [mass, *used]))
        return tuple(found)

    @property
    def given_mass_matrix(self) -> Matrix | None:
        """M as it was read."""
        return None if self.given is None else self.given.parts[0]


@in_own_table
class SympyKinetics(KineticsWithoutBodies):
    """Constraints, mass matrix and forces that were read from SymPy."""

    @property
    def given(self) -> ReadEquations:
        """What was read."""
        assert isinstance(self.model, SympyModel)
        assert self.model.given is not None
        return self.model.given

    @property
    def parts(self) -> tuple[Matrix, Matrix, Matrix]:
        """M, h and f."""
        return self.given.parts


@in_own_table
class SympyModelEquations(EquationsWithoutBodies):
    """Equations of motion that were read from SymPy; energies are known where bodies or a Lagrangian were."""

    @cached_property
    def kinetics(self) -> SympyKinetics:
        """Constraints, mass matrix and forces."""
        return SympyKinetics(self.model)

    @property
    def described(self) -> tuple[str, str]:
        """A model from SymPy, with its name."""
        return "a model from SymPy", f"model '{self.model.name}'"

    @property
    def places(self) -> tuple[BodyPlace, ...]:
        """Where the bodies are; empty if that was not known."""
        return self.kinetics.given.places

    @property
    def symbols(self) -> Mapping[Any, Expr]:
        """Our expression for each of SymPy's symbols, functions of time and derivatives."""
        assert isinstance(self.model, SympyModel)
        return self.model.symbols

    def named(self, *given: Mapping[Any, Any]) -> dict[str, Any]:
        """Values by SymPy's objects, such as those of an ``op_point``, by our names: for ``at``, ``inputs`` and others.

        Args:
            given: values by coordinate, speed, input or parameter; values may be SymPy's expressions. Accelerations and
                multipliers follow from these, and are left away.

        Example:
            >>> import multibody as mb
            >>> import sympy
            >>> from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols
            >>> q, (m, k) = dynamicsymbols("q"), sympy.symbols("m k")
            >>> eom = mb.from_sympy(LagrangesMethod(m * q.diff() ** 2 / 2 - k * q**2 / 2, [q]))
            >>> eom.named({q: k / m}, {q.diff(): 0})
            {'q': k/m, 'q_dot': 0.0}
        """
        pairs = [(key, value) for mapping in given for key, value in mapping.items()]
        unknown = [str(key) for key, _ in pairs if not isinstance(self.symbols.get(key), Symbol)]
        if unknown:
            raise ModelError(
                f"There is no coordinate, speed, input or parameter {', '.join(unknown)}.",
                where=f"model '{self.model.name}'",
                cause="Accelerations and multipliers follow from the equations of motion.",
                remedy=f"There are: {', '.join(str(symbol) for symbol in self.symbols)}.",
                code="name-unknown",
                names=unknown,
            )
        return {str(self.symbols[key]): _read(value, self.symbols) for key, value in pairs}

    @property
    def notes(self) -> tuple[str, ...]:
        """What had to be renamed."""
        assert isinstance(self.model, SympyModel)
        return self.model.notes

    @property
    def constraints_known(self) -> bool:
        """False for a ``SymbolicSystem`` from elsewhere, which may have been made of a mechanism with constraints."""
        return self.kinetics.given.constraints_known

    @property
    def energy_known(self) -> bool:
        """Whether bodies, or a Lagrangian, were given."""
        return self.kinetics.given.energy is not None

    @cached_property
    def kinetic_energy(self) -> Expr:
        """T."""
        return self._energy.kinetic

    @cached_property
    def potential_energy(self) -> Expr:
        """V of constant forces at known places, or of the Lagrangian; other forces do work instead."""
        return self._energy.potential

    @property
    def known_powers(self) -> Powers | None:
        """The power of forces without a potential, of given motions, and of constraints that move."""
        energy = self.kinetics.given.energy
        if energy is None:
            return Powers(ZERO, ZERO, ZERO)
        moving = product(self.B, array(list(self.speeds))) if len(self.constraints) else []
        drives = sum((force * rate for force, rate in zip(self.multipliers, moving, strict=True)), energy.drives)
        return Powers(energy.inputs, energy.dissipated, drives - self._counted_with_inputs)

    @property
    def _counted_with_inputs(self) -> Expr:
        """The rate of T + V while only inputs change, which the power of inputs has already."""
        flow = self.model.flow()
        changing: dict[Expr, Expr] = {input_: flow[input_] for input_ in self.inputs if input_ in flow}
        return as_expr(directional(self.kinetic_energy + self.potential_energy, changing)) if changing else ZERO

    @property
    def _energy(self) -> EnergyTerms:
        energy = self.kinetics.given.energy
        if energy is None:
            raise ModelError(
                "The energy is not known.",
                where=f"model '{self.model.name}'",
                cause="SymPy's object has equations, but no bodies.",
                remedy="Convert the KanesMethod, LagrangesMethod or System that the equations come from.",
                code="energy-unknown",
            )
        return energy


def equations_of(
    given: ReadEquations, vocabulary: SympyVocabulary, start: Mapping[Any, Any] | None, handling: Handling
) -> SympyModelEquations:
    """Equations of motion from what was read."""
    model = _model(given, vocabulary, start)
    kinetics = SympyKinetics(model)
    require_possible_numbers(model, known_defaults(model.parameters))
    if given.acceleration is not None:
        solution = Solution(given.acceleration, ())
    else:
        M, h, f = given.parts
        solution = handling.solve(M, list(h - f), kinetics.constraints)
    made = SympyModelEquations.of(kinetics, given.formalism, lambda: given.parts, solution, given.auxiliary)
    assert isinstance(made, SympyModelEquations)
    return made


def _model(given: ReadEquations, vocabulary: SympyVocabulary, start: Mapping[Any, Any] | None) -> Model:
    used = set(free_symbols(given.expressions()))
    values = vocabulary.named(start)
    states = {symbol.name: symbol for symbol in (*given.q, *given.u)}
    _require_states(vocabulary.scope, values, states)
    made = SympyModel.made(
        vocabulary.scope,
        time=vocabulary.time,
        coordinates=given.q,
        speeds=given.u,
        accelerations=tuple(acceleration_symbol(speed) for speed in given.u),
        rates=given.rates,
        start={state: finite_value(values.get(name, 0.0), f"start of '{name}'") for name, state in states.items()},
        written=frozenset(values),
        parameters=vocabulary.used_parameters(used),
        inputs=vocabulary.used_inputs(used),
        constraints={name: ExpressionConstraint(value) for name, value in given.constraints.items()},
        sensors={name: Expression(value) for name, value in given.outputs.items()},
        given=given,
        unit=given.quaternions,
        symbols=dict(vocabulary.items()),
        notes=vocabulary.notes,
        assumed=dict(vocabulary.signs),
    )
    for key, value in ((symbol, value) for parameter in made.parameters for symbol, value in parameter.default.items()):
        if isinstance(value, Constant):
            _require_sign(made, key, float(value), "parameter")
    for name in values:
        _require_sign(made, states[name], made.start[states[name]], "start value")
    return made


def _require_sign(model: Model, one: Symbol, value: float, what: str) -> None:
    """An error for a number that SymPy's assumptions on its symbol exclude."""
    sign = model.signs.get(one)
    if sign is not None and not agrees(value, sign):
        raise ModelError(
            f"The {what} '{one.name}' is {value:.6g}, but SymPy assumes that it is {sign}.",
            where=f"model '{model.name}'",
            cause=f"Its symbol was made with {sign}=True, and expressions were simplified by that.",
            remedy=f"Give a value that is {sign}, or make the symbol without the assumption.",
            code="assumption-violated",
            name=one.name,
            value=value,
        )


def _require_states(name: str, values: Mapping[str, Any], states: Mapping[str, Symbol]) -> None:
    require_known_names(values, states, "coordinate or speed", code="name-unknown", where=f"start of model '{name}'")


def _read(value: Any, symbols: Mapping[Any, Expr]) -> Any:
    """A number, or an expression for one of SymPy's."""
    from sympy import Basic

    return from_sympy(value, symbols) if isinstance(value, Basic) and not value.is_number else float(value)
