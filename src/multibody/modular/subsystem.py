"""A subsystem: Orsino 2015, eq. (1), in whatever way it came about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.graph import Expr, Symbol, array, topological
from multibody.graph.linear_algebra import Matrix
from multibody.graph.workspace import alone
from multibody.model.quantity import Input, Parameter
from multibody.modular.appearance import Appearance, whole_appearance
from multibody.modular.invariant import Invariant
from multibody.modular.labelled import Labelled
from multibody.modular.product import combined, negative, times
from multibody.modular.reduction import Reduction, spread_of
from multibody.modular.vocabulary import rate_symbol

if TYPE_CHECKING:
    from multibody.equations import EquationsOfMotion, Handling
    from multibody.modular.energy import Energy

Identities = tuple[tuple[Expr, Expr], ...]


@dataclass(frozen=True, eq=False)
class Subsystem:
    """Generalized variables, how they are related, and their dynamic equations; made by ``subsystem`` and ``couple``.

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
        reference: the reference motion, as far as it is not zero.
        chosen: coordinates that were named as independent ones.
        identities: what is known to be equal, for the sake of shorter results.
        energy: kinetic and potential energy and power of this level's own rows; None if they are not known.
        quaternions: groups of four coordinates of unit length.
        appearance: bodies, drawings and sensors of this level, where it was made from a system.
        timings: seconds for each stage of its making.
    """

    label: str
    description: str
    parts: tuple[Subsystem, ...]
    orders: Mapping[Symbol, int]
    top: tuple[Symbol, ...]
    rates: Mapping[Symbol, Expr]
    aliases: Mapping[str, Expr]
    own: tuple[Symbol, ...]
    rows: Mapping[Symbol, Expr]
    invariants: tuple[Invariant, ...]
    redundant: tuple[Invariant, ...]
    reduced: Reduction
    parameters: tuple[Parameter, ...]
    inputs: tuple[Input, ...]
    start: Mapping[Symbol, float]
    reference: Mapping[Symbol, Expr]
    chosen: tuple[Symbol, ...] = ()
    identities: Identities = ()
    energy: Energy | None = None
    quaternions: tuple[tuple[Symbol, ...], ...] = ()
    appearance: Appearance = field(default_factory=Appearance, repr=False)
    timings: Mapping[str, float] = field(default_factory=dict, repr=False)

    # variables ---------------------------------------------------------------------------------------------------

    def variables(self, order: int) -> tuple[Symbol, ...]:
        """The variables of an order, of this system and its parts."""
        return tuple(one for one, own in self.orders.items() if own == order)

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
        known: dict[Expr, Expr] = {one: rate_symbol(one) for one in self.top}
        known.update(self.rates.items())
        return known

    def levels(self) -> tuple[Subsystem, ...]:
        """This system after all that it is made of."""
        return (*(below for part in self.parts for below in part.levels()), self)

    def whole_appearance(self) -> Appearance:
        """Bodies, drawings and sensors of all levels, with names that are all different."""
        return whole_appearance([(level.label, level.appearance) for level in self.levels()])

    def all_invariants(self) -> tuple[Invariant, ...]:
        """The invariants of all levels, those of the parts first."""
        return tuple(one for level in self.levels() for one in level.invariants)

    @cached_property
    def nodes(self) -> list[Any]:
        """All nodes of its expressions and of those of its parts, operands first."""
        return topological([one for level in self.levels() for one in level._expressions()])

    def _expressions(self) -> Iterator[Expr]:
        """Every expression of this level."""
        yield from (*self.rates.values(), *self.rows.values(), *self.aliases.values(), *self.reference.values())
        for one in (*self.invariants, *self.redundant):
            yield from one.levels
        for part in (getattr(self.reduced, one.name) for one in fields(self.reduced)):
            if isinstance(part, np.ndarray):
                yield from part.flat
        yield from (self.energy.parts() if self.energy else [])
        yield from self.appearance.expressions()
        yield from (side for pair in self.identities for side in pair)
        yield from (value for one in self.parameters for value in one.default.values() if value is not None)
        yield from (*self.S.matrix.flat, *self.s)

    # matrices ----------------------------------------------------------------------------------------------------

    @property
    def A(self) -> Labelled:
        """Ã: the constraints of this level, for all that the parts leave open."""
        return Labelled(tuple(one.name for one in self.invariants), _names(self.reduced.below), self.reduced.A)

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
        return _accumulated(self.parts, self.own, self.reduced.C, self.reduced.c)

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
        rates = array([rate_symbol(one) for one in self.independent])
        rows = _negative_sum(self.reduced.M, rates, self.reduced.k)
        return Labelled(_names(self.independent), ("d",), rows[:, None])

    # results -----------------------------------------------------------------------------------------------------

    def explicit(self, *, seconds: float = 4.0) -> Mapping[str, Expr]:
        """ẋ = f(t, x): the rate of every variable, in closed form, with the known identities put in."""
        from multibody.modular.explicit import explicit_form

        return explicit_form(self, seconds)

    def equations(self, *, constraints: Handling | None = None) -> EquationsOfMotion:
        """The equations of motion of the whole, to compile, simulate, linearize, export.

        Args:
            constraints: another way to solve for constrained motions, such as ``Multipliers()``, which works in all
                positions; by default the independent variables of all levels are used.
        """
        from multibody.modular.to_equations import equations_of

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
        from multibody.modular.renaming import renamed

        return renamed(self, label, names or {}, suffix, shared)

    def require_values(self, values: Mapping[Symbol, float]) -> None:
        """An error for values of parameters for which the equations do not hold; those of linear models may not."""

    def with_start(self, **values: float) -> Subsystem:
        """The same with start values for a run, by the names of variables."""
        from multibody.modular.named import by_variable

        known = {one.name: one for one in self.orders}
        new = by_variable(values, known, "start", self.label)
        return replace(self, start={**self.start, **{one: float(value.value) for one, value in new.items()}})

    def __repr__(self) -> str:
        return f"Subsystem({self.label!r}, independent={', '.join(_names(self.independent))})"


@alone
def _accumulated(parts: tuple[Subsystem, ...], own: tuple[Symbol, ...], C: Matrix, c: Matrix) -> tuple[Matrix, Matrix]:
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
    return tuple(one.name for one in symbols)
