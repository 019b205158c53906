"""A subsystem in deviations from a reference motion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from multibody.equations import EquationsOfMotion, Handling
from multibody.graph import ZERO, Constant, Expr, Symbol, array, as_expr, free_symbols, jacobian, substitute
from multibody.graph.identity import independent_rows
from multibody.graph.linear_algebra import Matrix
from multibody.graph.workspace import alone
from multibody.model.quantity import rate_name
from multibody.subsystems.arguments.vocabulary import TIME, rate_symbol
from multibody.subsystems.explicit import accelerations, shortened
from multibody.subsystems.labelled import Labelled
from multibody.subsystems.linear.auxiliary import Auxiliary, Unknowns
from multibody.subsystems.linear.reference import Demand, ReferenceConditions, require_conditions, require_solution
from multibody.subsystems.reduction import solved_by_blocks
from multibody.subsystems.subsystem import Subsystem


class ComplementSlope(Protocol):
    """The first-order part of a level's complement."""

    @property
    def slope(self) -> Matrix:
        """S₁."""

    @property
    def auxiliary(self) -> Auxiliary | None:
        """Auxiliary parameters in it."""


@dataclass(frozen=True, eq=False)
class KnownSlope:
    """S₁ of a level as it was found before, with the auxiliary parameters in it."""

    slope: Matrix
    auxiliary: Auxiliary | None


Exchange = Mapping[Expr, Expr]


@dataclass(frozen=True, eq=False)
class LinearSubsystem(Subsystem):
    """A subsystem in deviations from a reference motion.

    Attributes:
        nominal: the reference value of every variable, rate and input.
        conditions: what must vanish so that the reference is a motion of the system, where that cannot be decided
            without numbers.
        residual: the reduced dynamic equations on the reference motion; constraint forces of the system that this one
            is a part of must balance them.
        residual_sizes: the sizes of the terms in it.
        complement: C₁ and S₁: the first-order parts of C̃ and S.
        turned: groups of four coordinates whose deviations keep a quaternion at unit length.
    """

    nominal: Mapping[Expr, Expr] = field(default_factory=dict, repr=False)
    conditions: tuple[Demand, ...] = ()
    residual: Matrix = field(default_factory=lambda: array([]), repr=False)
    residual_sizes: Matrix = field(default_factory=lambda: array([]), repr=False)
    complement: ComplementSlope | None = field(default=None, repr=False)
    turned: tuple[tuple[Symbol, ...], ...] = ()

    @property
    def unknowns(self) -> tuple[Unknowns, ...]:
        """Auxiliary parameters that stand for entries of complements, with the equations they satisfy."""
        own = self.complement.auxiliary.unknowns if self.complement and self.complement.auxiliary else []
        return (
            *(unknown for part in self.parts if isinstance(part, LinearSubsystem) for unknown in part.unknowns),
            *own,
        )

    @property
    def reference_conditions(self) -> ReferenceConditions:
        """What must vanish on the reference motion: constraints, lengths of quaternions, forces that do not balance."""
        names = [f"the balance of forces on '{variable.name}'" for variable in self.independent]
        balances = [Demand(*parts) for parts in zip(names, self.residual, self.residual_sizes, strict=True)]
        return ReferenceConditions(self.label, (*self.conditions, *balances), self.parameters, self.unknowns)

    @alone
    def renamed(
        self, label: str, names: Mapping[str, str] | None = None, *, suffix: str = "", shared: Any = ()
    ) -> LinearSubsystem:
        """The same in other names, to be a linearized part under them; see ``Subsystem.renamed``."""
        new: Any = super().renamed(label, names, suffix=suffix, shared=shared)
        return carried_over(self, new, exchanged_symbols(self, new))

    @alone
    def explicit(self, *, seconds: float = 4.0) -> Mapping[str, Expr]:
        """ẋ = f(t, x) in the deviations of the independent variables alone."""
        known = self.dependent_deviations
        rates = {rate_name(variable.name): rate for variable, rate in self.rates.items()}
        rates |= {rate_name(variable.name): rate for variable, rate in accelerations(self).items()}
        values = list(substitute(list(rates.values()), known)) if rates else []
        return dict(zip(rates, shortened(values, self, seconds), strict=True))

    @alone
    def equations(self, *, constraints: Handling | None = None) -> EquationsOfMotion:
        """The linear equations as ordinary ones, whose coordinates and speeds are deviations."""
        require_solution(self.reference_conditions)
        return super().equations(constraints=constraints)

    def require_values(self, values: Mapping[Symbol, float]) -> None:
        """An error for values of parameters for which the reference is not a motion of the system.

        Raises:
            ModelError: with the name of the constraint that is violated.
        """
        require_conditions(self.reference_conditions, values)

    @cached_property
    def states(self) -> tuple[Symbol, ...]:
        """The independent coordinates and quasi-velocities."""
        known = self.dependent_deviations
        return tuple(symbol for symbol in (*self.coordinates, *self.top) if symbol not in known)

    @alone
    def state_space(self) -> tuple[Labelled, Labelled]:
        """A and B in δẋ = A·δx + B·δr for the independent states."""
        known = self.dependent_deviations
        flow = {**self.rates, **accelerations(self)}
        rates = list(substitute([flow[state] for state in self.states], known))
        names, inputs = tuple(state.name for state in self.states), [s for input_ in self.inputs for s in input_.flat]
        A = jacobian(rates, self.states).reshape(len(names), len(names))
        B = jacobian(rates, inputs).reshape(len(names), len(inputs))
        return Labelled(names, names, A), Labelled(names, tuple(input_.name for input_ in inputs), B)

    @cached_property
    @alone
    def dependent_deviations(self) -> Mapping[Expr, Expr]:
        """Dependent coordinates and quasi-velocities in terms of independent ones, by the invariants."""
        require_solution(self.reference_conditions)
        everything = self.all_invariants()
        lengths = _kept_lengths(self)
        positions = [level for invariant in everything for level in invariant.positions]
        positions = list(substitute(positions, lengths)) if positions else []
        left = tuple(coordinate for coordinate in self.coordinates if coordinate not in lengths)
        found = _solved_for_dependent(self, positions, left, self.chosen)
        found |= {coordinate: as_expr(substitute(value, found)) for coordinate, value in lengths.items()}
        velocities = [invariant.velocity for invariant in everything if invariant.velocity is not None]
        velocities = list(substitute(velocities, found)) if velocities else []
        return found | _solved_for_dependent(self, velocities, self.top, self.independent)


def _kept_lengths(system: LinearSubsystem) -> dict[Expr, Expr]:
    """One component of each quaternion that stands still on the reference motion, from q₀·δq = 0.

    Of one that turns all four are kept: no component of it is far from zero all the time.
    """
    found: dict[Expr, Expr] = {}
    for group in system.turned:
        values = [system.nominal[coordinate] for coordinate in group]
        free = [k for k, coordinate in enumerate(group) if coordinate not in system.chosen and values[k].fp != 0]
        if not free or TIME in free_symbols(values):
            continue
        k = max(free, key=lambda j: _size(values[j]))
        rest = sum((values[j] * coordinate for j, coordinate in enumerate(group) if j != k), ZERO)
        found[group[k]] = -rest / values[k]
    return found


def _size(value: Expr) -> float:
    """Of a number; one where it depends on parameters, which have no values yet."""
    return abs(float(value.value)) if isinstance(value, Constant) else 1.0


def _solved_for_dependent(
    system: Subsystem, equations: list[Expr], variables: tuple[Symbol, ...], kept: tuple[Symbol, ...]
) -> dict[Expr, Expr]:
    """Linear equations solved for all variables but those that are kept; what is kept is completed if need be."""
    if not equations:
        return {}
    matrix = jacobian(equations, variables).reshape(len(equations), len(variables))
    rows = independent_rows([[entry.fp for entry in row] for row in matrix])
    order = sorted(range(len(variables)), key=lambda j: variables[j] in kept)
    basis = independent_rows([[entry.fp for entry in matrix[rows, j]] for j in order])
    bound = [order[k] for k in basis]
    rest = substitute([equations[row] for row in rows], dict.fromkeys([variables[j] for j in bound], ZERO))
    if not bound:
        return {}
    values = solved_by_blocks(matrix[np.ix_(rows, bound)], -array(rest)[:, None])[:, 0]
    return {variables[j]: value for j, value in zip(bound, values, strict=True)}


def exchanged_symbols(old: Subsystem, new: Subsystem) -> dict[Expr, Expr]:
    """The symbols of a subsystem, by those that its copy has in their places."""
    pairs: list[tuple[Any, Any]] = [*zip(old.orders, new.orders, strict=True)]
    pairs += [(rate_symbol(a), rate_symbol(b)) for a, b in pairs]
    for mine, theirs in zip(old.parameters, new.parameters, strict=True):
        pairs += zip(mine.default, theirs.default, strict=True)
    for input_, other in zip(old.inputs, new.inputs, strict=True):
        pairs += zip(input_.flat, other.flat, strict=True)
    return dict(pairs)


def carried_over(old: LinearSubsystem, new: LinearSubsystem, exchange: Exchange) -> LinearSubsystem:
    """A copy with reference motion, residual and first-order complement in its own symbols, at all levels."""
    pairs: Any = zip(old.parts, new.parts, strict=True)
    return replace(
        new,
        parts=tuple(carried_over(mine, theirs, exchange) for mine, theirs in pairs),
        nominal={_in(exchange, symbol): _in(exchange, value) for symbol, value in old.nominal.items()},
        conditions=tuple(
            Demand(demand.source, _in(exchange, demand.condition), _in(exchange, demand.size))
            for demand in old.conditions
        ),
        residual=_matrix(exchange, old.residual),
        residual_sizes=_matrix(exchange, old.residual_sizes),
        complement=None if old.complement is None else _slope(exchange, old.complement),
        turned=tuple(tuple(exchange[coordinate] for coordinate in group) for group in old.turned),  # type: ignore[misc]
    )


def _slope(exchange: Exchange, known: Any) -> KnownSlope:
    slope, auxiliary = _matrix(exchange, known.slope), None
    if known.auxiliary is not None:
        auxiliary = Auxiliary("")
        auxiliary.unknowns = [_unknowns(exchange, unknown) for unknown in known.auxiliary.unknowns]
    return KnownSlope(slope, auxiliary)


def _unknowns(exchange: Exchange, one: Unknowns) -> Unknowns:
    symbols: Any = tuple(_in(exchange, s) for s in one.symbols)
    return one._replace(symbols=symbols, matrix=_matrix(exchange, one.matrix), right=_matrix(exchange, one.right))


def _in(exchange: Exchange, one: Expr) -> Expr:
    return as_expr(substitute(one, exchange))


def _matrix(exchange: Exchange, entries: Matrix) -> Matrix:
    new: Matrix = np.array(substitute(list(entries.flat), exchange) if entries.size else [], dtype=object)
    return new.reshape(entries.shape)
