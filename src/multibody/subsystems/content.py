"""Contents of a subsystem: variables, rates, rows, invariants, the reduction of each level, energies.

The rates x of all that the parts leave open, and of the variables new at a level, keep Ã·x + γ̃ = 0. With the orthogonal
complement C̃ (Ã·C̃ = 0) and a particular solution c̃, all of them follow from independent ones: x = C̃·a + c̃.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from multibody.graph import ONE, ZERO, Expr, Symbol, array, topological
from multibody.graph.linear_algebra import Matrix
from multibody.graph.workspace import alone
from multibody.model.quantity import Input, Parameter
from multibody.subsystems.appearance import Appearance, whole_appearance
from multibody.subsystems.arguments.origin import Origin
from multibody.subsystems.arguments.vocabulary import rate_symbol
from multibody.subsystems.constraints.invariant import Invariant
from multibody.subsystems.labelled import Labelled
from multibody.subsystems.sparse_product import combined, negative, times

Identities = tuple[tuple[Expr, Expr], ...]


@dataclass(frozen=True, eq=False)
class LevelEnergy:
    """What one level stores and exchanges.

    Attributes:
        kinetic: T.
        potential: V.
        inputs: the power of forces that follow inputs.
        dissipated: what all other forces without a potential take.
    """

    kinetic: Expr
    potential: Expr
    inputs: Expr
    dissipated: Expr

    def parts(self) -> list[Expr]:
        """All of it, in order."""
        return [self.kinetic, self.potential, self.inputs, self.dissipated]


@dataclass(frozen=True, eq=False)
class LevelReduction:
    """What coupling has found at one level.

    Attributes:
        below: x: the independent variables of the parts, then the new ones.
        A, gamma: Ã and γ̃.
        mass, bias: M̃ and k̃, before the constraints of this level are put in.
        C, c: the orthogonal complement and the particular solution.
        independent: the variables that the rates a belong to.
        dependent: columns of Ã that the constraints are solved for.
        M, k: the reduced dynamic equations, M·a + k = 0.
        essential: numbers of the invariants that say something new.
    """

    below: tuple[Symbol, ...]
    A: Matrix
    gamma: Matrix
    mass: Matrix
    bias: Matrix
    C: Matrix
    c: Matrix
    independent: tuple[Symbol, ...]
    dependent: tuple[int, ...]
    M: Matrix
    k: Matrix
    essential: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class SubsystemContent:
    """Generalized variables, how they are related, and their dynamic equations: Orsino 2015, eq. (1).

    Attributes:
        label: its name.
        description: what it is.
        parts: the subsystems that it was coupled from; none if it was written down.
        orders: every variable with its order: 0 for coordinates, 1 for quasi-velocities, and so on.
        top: u: the variables whose rates are unknown; those of the parts first.
        rates: the rates of all other variables, as expressions.
        aliases: quasi-accelerations and other names for expressions of variables and rates.
        own: the variables in ``top`` that are new at this level.
        rows: contributions of this level to the dynamic equations d̄, by the variable whose row they belong to.
        invariants: equations that are new at this level and say something new.
        redundant: equations of this level that follow from others.
        reduced: what coupling has found at this level.
        parameters: of this system and its parts.
        inputs: of this system and its parts.
        start: values that were given for the beginning of a run.
        guesses: variables whose start values only select how the system is assembled, and may change.
        reference: the reference motion, as far as it is not zero.
        chosen: coordinates that were named as independent ones.
        identities: what is known to be equal, for the sake of shorter results.
        energy: kinetic and potential energy and power of this level's own rows; None if they are not known.
        quaternions: groups of four coordinates of unit length.
        appearance: bodies, drawings, sensors and joints of this level, where it was made from a system.
        timings: seconds for each stage of its making.
        known_complement: S and s, where they are known already; None if they follow from the parts.
        origin: how it was made, for files; None if that is not known.
    """

    label: str
    description: str
    parts: tuple[SubsystemContent, ...]
    orders: Mapping[Symbol, int]
    top: tuple[Symbol, ...]
    rates: Mapping[Symbol, Expr]
    aliases: Mapping[str, Expr]
    own: tuple[Symbol, ...]
    rows: Mapping[Symbol, Expr]
    invariants: tuple[Invariant, ...]
    redundant: tuple[Invariant, ...]
    reduced: LevelReduction
    parameters: tuple[Parameter, ...]
    inputs: tuple[Input, ...]
    start: Mapping[Symbol, float]
    reference: Mapping[Symbol, Expr]
    chosen: tuple[Symbol, ...] = ()
    identities: Identities = ()
    energy: LevelEnergy | None = None
    quaternions: tuple[tuple[Symbol, ...], ...] = ()
    guesses: frozenset[Symbol] = frozenset()
    appearance: Appearance = field(default_factory=Appearance, repr=False)
    timings: Mapping[str, float] = field(default_factory=dict, repr=False)
    known_complement: tuple[Matrix, Matrix] | None = field(default=None, repr=False)
    origin: Origin | None = field(default=None, repr=False)

    # variables ---------------------------------------------------------------------------------------------------

    def variables(self, order: int) -> tuple[Symbol, ...]:
        """The variables of an order, of this system and its parts."""
        return tuple(variable for variable, own in self.orders.items() if own == order)

    @property
    def order(self) -> int:
        """σ, the highest order."""
        return max(self.orders.values(), default=0)

    @property
    def independent(self) -> tuple[Symbol, ...]:
        """The variables from whose rates all other rates follow."""
        return self.reduced.independent

    @cached_property
    def coordinates(self) -> tuple[Symbol, ...]:
        """All variables whose rates are known expressions of others: those in ``rates``."""
        return tuple(self.rates)

    @property
    def flow(self) -> dict[Expr, Expr]:
        """The rate of every variable; those of the highest are symbols."""
        known: dict[Expr, Expr] = {variable: rate_symbol(variable) for variable in self.top}
        known.update(self.rates.items())
        return known

    def levels(self) -> tuple[SubsystemContent, ...]:
        """This system after all that it is made of."""
        return (*(below for part in self.parts for below in part.levels()), self)

    def whole_appearance(self) -> Appearance:
        """Bodies, drawings, sensors and joints of all levels, with names that are all different."""
        taken = [*(variable.name for variable in self.orders), *(parameter.name for parameter in self.parameters)]
        taken += [input_.name for input_ in self.inputs]
        return whole_appearance([(level.label, level.appearance) for level in self.levels()], taken)

    def all_invariants(self) -> tuple[Invariant, ...]:
        """The invariants of all levels, those of the parts first."""
        return tuple(invariant for level in self.levels() for invariant in level.invariants)

    @cached_property
    def nodes(self) -> list[Any]:
        """All nodes of its expressions and of those of its parts, operands first."""
        return topological([expression for level in self.levels() for expression in level.expressions()])

    def expressions(self) -> Iterator[Expr]:
        """Every expression of this level, always in the same order."""
        yield from (*self.rates.values(), *self.rows.values(), *self.aliases.values(), *self.reference.values())
        for invariant in (*self.invariants, *self.redundant):
            yield from invariant.levels
            yield from [] if invariant.side is None else [invariant.side]
        for part in (getattr(self.reduced, entry.name) for entry in fields(self.reduced)):
            if isinstance(part, np.ndarray):
                yield from part.flat
        yield from (self.energy.parts() if self.energy else [])
        yield from self.appearance.expressions()
        yield from (side for pair in self.identities for side in pair)
        yield from (value for parameter in self.parameters for value in parameter.default.values() if value is not None)
        yield from (*self.S.matrix.flat, *self.s)

    # matrices ----------------------------------------------------------------------------------------------------

    @property
    def A(self) -> Labelled:
        """Ã: the constraints of this level, for all that the parts leave open."""
        return Labelled(
            tuple(invariant.name for invariant in self.invariants), _names(self.reduced.below), self.reduced.A
        )

    @property
    def C(self) -> Labelled:
        """C̃: the orthogonal complement of Ã, Ã·C̃ = 0."""
        return Labelled(_names(self.reduced.below), _names(self.independent), self.reduced.C)

    @cached_property
    def S(self) -> Labelled:
        """The complement accumulated through all levels: u̇ = S·u̇_independent + s."""
        return Labelled(_names(self.top), _names(self.independent), self._accumulated[0])

    @property
    def s(self) -> Matrix:
        """The particular solution in u̇ = S·u̇_independent + s."""
        return self._accumulated[1]

    @cached_property
    def _accumulated(self) -> tuple[Matrix, Matrix]:
        return self.known_complement or _accumulated(self.parts, self.own, self.reduced.C, self.reduced.c)

    @property
    def M(self) -> Labelled:
        """The reduced mass matrix: d̄ = -(M·a + k) with the rates a of the independent variables."""
        return Labelled(_names(self.independent), _names(self.independent), self.reduced.M)

    @property
    def k(self) -> Matrix:
        """All of the reduced dynamic equations but the inertia of the independent variables."""
        return self.reduced.k

    @cached_property
    def dynamics(self) -> Labelled:
        """d̄ of equation (3): what must vanish, a row for each independent variable."""
        rates = array([rate_symbol(variable) for variable in self.independent])
        rows = _negative_sum(self.reduced.M, rates, self.reduced.k)
        return Labelled(_names(self.independent), ("d",), rows[:, None])

    def require_values(self, values: Mapping[Symbol, float]) -> None:
        """An error for values of parameters for which the equations do not hold; those of linear models may not.

        Raises:
            ModelError: if a part that was linearized does not hold for them.
        """
        for part in self.parts:
            part.require_values(values)


class Spread(NamedTuple):
    """u̇ = S·x + s: the rates of all variables, by those that the parts leave open and those that are new."""

    variables: tuple[Symbol, ...]
    below: tuple[Symbol, ...]
    S: Matrix
    s: Matrix


def spread_of(parts: Sequence[SubsystemContent], own: Sequence[Symbol]) -> Spread:
    """How the rates of all variables follow from those that the parts leave open, and from new ones."""
    variables = (*(variable for part in parts for variable in part.top), *own)
    below = (*(variable for part in parts for variable in part.independent), *own)
    S, s = np.full((len(variables), len(below)), ZERO, dtype=object), np.full(len(variables), ZERO, dtype=object)
    row = column = 0
    for part in parts:
        rows, columns = len(part.top), len(part.independent)
        S[row : row + rows, column : column + columns] = part.S.matrix
        s[row : row + rows] = part.s
        row, column = row + rows, column + columns
    for offset in range(len(own)):
        S[row + offset, column + offset] = ONE
    return Spread(variables, below, S, s)


@alone
def _accumulated(
    parts: tuple[SubsystemContent, ...], own: tuple[Symbol, ...], C: Matrix, c: Matrix
) -> tuple[Matrix, Matrix]:
    """S and s of a level, from those of its parts and its own complement."""
    if not parts:
        return C, c
    _, _, S, s = spread_of(parts, own)
    return combined(S, C), times(S, c) + s


@alone
def _negative_sum(M: Matrix, rates: Matrix, k: Matrix) -> Matrix:
    """-(M·a + k)."""
    return negative(times(M, rates) + k)


def _names(symbols: tuple[Symbol, ...]) -> tuple[str, ...]:
    return tuple(symbol.name for symbol in symbols)
