"""Linearization about a reference motion, level by level (Orsino 2015, section 2).

With deviations δ from the reference (index 0), every level is expanded to first order: the kinematic relations, all
orders of the invariants, the dynamic equations, and the complement C̃ = C₀ + C₁(δ), which follows from Ã·C̃ = 0:

    Ã₀·C₁ + Ã₁·C₀ = 0

C₁ is needed because constraint forces are not zero on the reference motion: with the residual e = M̃·x + k̃ = -d̄,

    δ(C̃ᵀ·e) = C₀ᵀ·δe + C₁ᵀ·e₀

Deviations keep the names of their variables. The result is a subsystem like any other, whose functions are linear.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from multibody.graph import ZERO, Expr, Symbol, array
from multibody.graph.linear_algebra import Matrix
from multibody.graph.workspace import alone
from multibody.mechanics.constraints.equations import unit_length_gaps
from multibody.model.freeze.inertia_checks import require_known_inertias
from multibody.model.quantity import Parameter, known_defaults
from multibody.subsystems.arguments.groups import Clock, Progress
from multibody.subsystems.arguments.named_values import by_variable, named_identities, with_parameters
from multibody.subsystems.arguments.vocabulary import LevelVocabulary, rate_symbol
from multibody.subsystems.constraints.identity_checks import of_parameters, require_parameters_equal
from multibody.subsystems.constraints.invariant import Invariant, coefficients
from multibody.subsystems.content import LevelReduction, Spread, SubsystemContent, spread_of
from multibody.subsystems.linear.auxiliary import Auxiliary
from multibody.subsystems.linear.first_order import Expansion
from multibody.subsystems.linear.linear_subsystem import LinearSubsystem
from multibody.subsystems.linear.reference import (
    Demand,
    full_reference,
    on_reference_motion,
    require_linearizable,
    require_same_reference,
    require_solution,
    same_part,
)
from multibody.subsystems.reduction import reduction, solved_by_blocks
from multibody.subsystems.sparse_product import combined, magnitudes, negative, times
from multibody.subsystems.subsystem import Subsystem


@alone
def linearize(
    system: Subsystem, reference: Mapping[str, Any] | None = None, *, inputs: Mapping[str, Any] | None = None,
    subsystems: Mapping[str, LinearSubsystem] | None = None, auxiliary: bool = False, part: bool = False,
    identities: Any = (), parameters: Mapping[str, Any] | None = None, progress: Progress | None = None,
) -> LinearSubsystem:  # fmt: skip
    """The linearized model of a system about a reference motion.

    Args:
        system: any subsystem.
        reference: values of variables on the reference motion, as numbers or expressions of time and parameters; they
            are added to what the subsystems say themselves. All others are zero, or move on at their reference rate.
        inputs: values of inputs on the reference motion; zero by default.
        subsystems: linearized models of parts, by label, that are known already.
        auxiliary: whether the entries of complements become auxiliary parameters, whose values ``evaluate_parameters``
            finds; formulas stay short where the complement of a large system has no short closed form.
        part: whether it shall be one of the ``subsystems`` of a larger system, whose constraint forces keep up the
            reference motion; forces need not balance then.
        identities: pairs of expressions of parameters that are equal, such as ``{"m_2": "m_1"}``, to shorten results;
            those of the system that speak of parameters alone hold too.
        parameters: values by name, numbers or formulas, where they are not the defaults; they become the defaults of
            the linear model.
        progress: receives the label, the finished stage, and the seconds that it took.

    Raises:
        ModelError: if the reference is not a motion of the system, or is a singular configuration; it names the
            constraint that is violated.

    Example:
        >>> import multibody as mb
        >>> ball = mb.modular.newton_euler("B", "position", gravity="-z")
        >>> pendulum = mb.modular.couple("S", [ball], ["p_B_x = a*sin(q)", "p_B_y = 0", "p_B_z = -a*cos(q)"],
        ...     variables=["q"], parameters="a", motion=mb.modular.KnownMotion(reference={"p_B_z": "-a"}))
        >>> linearize(pendulum).explicit()["q_ddot"]
        -g*q/a
    """  # fmt: skip
    require_linearizable(system, subsystems or {})
    system = with_parameters(system, parameters)
    require_known_inertias(system.label, system.whole_appearance().inertias, known_defaults(system.parameters))
    clock = Clock(system.label, progress)
    names = {variable.name: variable for variable in system.orders}
    words: dict[str, Expr] = {symbol.name: symbol for p in system.parameters for symbol in p.default}
    vocabulary = LevelVocabulary(system.label, words)
    given = by_variable(reference, names, "reference", system.label, vocabulary)
    known = {s.name: s for input_ in system.inputs for s in input_.flat}
    driven = by_variable(inputs, known, "reference", system.label, vocabulary, kind="input")
    nominal = full_reference(system, given, driven)
    clock("reference")
    made = _linearized(system, Expansion(nominal), dict(subsystems or {}), auxiliary, clock)
    if not part:
        require_solution(made.reference_conditions)
    named = [Parameter(s.name, s, {s: None}, "", "auxiliary") for unknown in made.unknowns for s in unknown.symbols]
    known_equal = named_identities(vocabulary, identities, [made])
    require_parameters_equal(made, known_equal)
    return replace(made, parameters=(*made.parameters, *named), identities=known_equal)


def _linearized(
    system: SubsystemContent, expansion: Expansion, known: Mapping[str, LinearSubsystem], auxiliary: bool, clock: Clock
) -> LinearSubsystem:
    """One level after its parts."""
    given = known.get(system.label)
    if given is not None and same_part(given, system):  # parts of parts may have equal labels
        require_same_reference(given, expansion.nominal)
        return given
    parts = tuple(_linearized(part, expansion, known, auxiliary, clock) for part in system.parts)
    invariants, conditions = _linear_invariants(system, expansion)
    constants, moved, sizes = expansion.split(list(system.rows.values()))
    rows = dict(zip(system.rows, moved, strict=True))
    helper = Auxiliary(system.label) if auxiliary and invariants else None
    names = [variable.name for variable in system.independent]
    solve_for = helper.solve if helper else None
    with on_reference_motion(system.label):
        found = reduction(system.label, parts, system.own, invariants, rows, names, None, clock, solve_for)
    lost = {row: -value for row, value in zip(system.rows, constants, strict=True)}
    complement = FirstOrder(system, parts, expansion, found, lost, dict(zip(system.rows, sizes, strict=True)), helper)
    found, rows = _with_geometric(found, complement, rows)
    clock("complement of first order")
    own = {field.name: getattr(system, field.name) for field in fields(SubsystemContent)}
    changed = {
        "parts": parts, "rates": dict(zip(system.rates, expansion.linear(list(system.rates.values())), strict=True)),
        "rows": rows, "invariants": invariants, "redundant": (), "reduced": found, "start": {}, "reference": {},
        "guesses": frozenset(), "known_complement": None,
        "aliases": dict(zip(system.aliases, expansion.linear(list(system.aliases.values())), strict=True)),
        "identities": tuple(filter(of_parameters, system.identities)), "quaternions": (), "energy": None,
        "appearance": system.appearance.of_inertias,
        "timings": dict(clock.seconds),
    }  # fmt: skip
    everything = [*(demand for part in parts for demand in part.conditions), *conditions]
    demands = {demand.condition: demand for demand in everything if demand.condition.fp != 0}
    return LinearSubsystem(
        **own | changed, nominal=expansion.nominal, conditions=tuple(demands.values()),
        residual=times(found.C.T, complement.residual),
        residual_sizes=times(magnitudes(found.C.T), complement.residual_sizes),
        complement=complement, turned=system.quaternions,
    )  # fmt: skip


def _linear_invariants(system: SubsystemContent, expansion: Expansion) -> tuple[tuple[Invariant, ...], list[Demand]]:
    """All orders of the invariants to first order, and what they are on the reference motion, with unit quaternions."""
    constants, _, sizes = expansion.split(unit_length_gaps(system.quaternions))
    names = [f"the unit length of the quaternion {', '.join(map(str, group))}" for group in system.quaternions]
    conditions = [Demand(*parts) for parts in zip(names, constants, sizes, strict=True)]
    made = []
    for invariant in system.invariants:
        constants, moved, sizes = expansion.split(invariant.levels)
        name = f"the constraint '{invariant.name}' of '{invariant.owner}'"
        conditions += [Demand(name, constant, size) for constant, size in zip(constants, sizes, strict=True)]
        velocity = None if invariant.velocity is None else moved[-2]
        made.append(
            replace(
                invariant,
                positions=tuple(moved[: len(invariant.positions)]),
                velocity=velocity,
                acceleration=moved[-1],
                side=None,
            )
        )
    return tuple(made), conditions


def _with_geometric(
    found: LevelReduction, complement: FirstOrder, rows: dict[Symbol, Expr]
) -> tuple[LevelReduction, dict[Symbol, Expr]]:
    """The same with C₁ᵀ·e₀ added: how forces that are there already turn with the motion."""
    forces = complement.geometric
    if all(force.fp == 0 for force in forces):
        return found, rows
    places = [complement.spread.variables.index(variable) for variable in found.independent]
    onto = complement.spread.S[places].T
    new = dict(rows)
    for coordinate, force in zip(found.independent, forces, strict=True):
        new[coordinate] = new.get(coordinate, ZERO) - force
    return replace(found, k=found.k + forces, bias=found.bias + times(onto, forces)), new


# the complement that is linear ---------------------------------------------------------------------------------------


class FirstOrder:
    """The first-order part C₁ of a level's complement, and what it does; computed when it is asked for.

    Args:
        system: the level that is linearized.
        parts: its parts, linearized.
        expansion: about the reference motion.
        found: the reduction on the reference motion.
        lost: the residual -d̄ of this level's own rows on the reference motion.
        sizes: of the terms in it.
        auxiliary: gives names to what is not solved for.
    """

    def __init__(
        self, system: SubsystemContent, parts: tuple[LinearSubsystem, ...], expansion: Expansion, found: LevelReduction,
        lost: Mapping[Symbol, Expr], sizes: Mapping[Symbol, Expr], auxiliary: Auxiliary | None,
    ) -> None:  # fmt: skip
        self._system, self._parts, self._expansion, self._found = system, parts, expansion, found
        self._lost, self._sizes, self.auxiliary = lost, sizes, auxiliary

    @cached_property
    def spread(self) -> Spread:
        """S₀ of the parts."""
        return spread_of(self._parts, self._system.own)

    @cached_property
    def _own_residual(self) -> Matrix:
        """e₀ of this level's own rows, for all variables."""
        return array([self._lost.get(variable, ZERO) for variable in self.spread.variables])

    @cached_property
    def residual(self) -> Matrix:
        """e₀ of all that the parts leave open."""
        of_parts = [entry for part in self._parts for entry in part.residual]
        below = array([*of_parts, *[ZERO] * len(self._system.own)])
        return below + times(self.spread.S.T, self._own_residual)

    @cached_property
    def residual_sizes(self) -> Matrix:
        """The sizes of the terms in it."""
        of_parts = [entry for part in self._parts for entry in part.residual_sizes]
        own = array([self._sizes.get(variable, ZERO) for variable in self.spread.variables])
        return array([*of_parts, *[ZERO] * len(self._system.own)]) + times(magnitudes(self.spread.S.T), own)

    @property
    def geometric(self) -> Matrix:
        """C₁ᵀ·e₀, and C₀ᵀ·S₁ᵀ·e₀ of this level's own rows."""
        total = array([ZERO] * len(self._found.independent))
        if any(entry.fp != 0 for entry in self.residual):
            total = total + times(self.C1.T, self.residual)
        if any(entry.fp != 0 for entry in self._own_residual):
            total = total + times(self._found.C.T, times(self._slope_below.T, self._own_residual))
        return total

    @cached_property
    def C1(self) -> Matrix:
        """From K·C̃ = (0, 1), where K has the constraints and the rows of the independent variables."""
        chosen = [self.spread.variables.index(variable) for variable in self._found.independent]
        rates = [rate_symbol(variable) for variable in self.spread.variables]
        A0, A1 = self._expansion.matrix(coefficients(self._system.invariants, rates)[0])
        K0 = np.vstack([combined(A0, self.spread.S), self.spread.S[chosen]])
        K1 = np.vstack([combined(A1, self.spread.S) + combined(A0, self._slope_below), self._slope_below[chosen]])
        right = negative(combined(K1, self._found.C))
        names = [f"{variable.name}_slope" for variable in self.spread.below]
        how = self.auxiliary.solve if self.auxiliary else lambda matrix, sides, _: solved_by_blocks(matrix, sides)
        return how(K0, right, names)

    @cached_property
    def _slope_below(self) -> Matrix:
        """S₁ of the parts."""
        result = np.full(self.spread.S.shape, ZERO, dtype=object)
        row = column = 0
        for part in self._parts:
            rows, columns = len(part.top), len(part.independent)
            if part.complement is not None:
                result[row : row + rows, column : column + columns] = part.complement.slope
            row, column = row + rows, column + columns
        return result

    @cached_property
    def slope(self) -> Matrix:
        """S₁ of this level: S₁·C₀ + S₀·C₁."""
        if not self._system.invariants and not self._parts:
            return np.full((len(self.spread.variables), len(self._found.independent)), ZERO, dtype=object)
        return combined(self._slope_below, self._found.C) + combined(self.spread.S, self.C1)
