"""All equations of motion in one column, and their derivatives by all variables.

    rates:         q̇ = N(q,t)·u + ν(q,t)
    force:         R = M·u̇ + h - f - Bᵀ·λ = 0
    acceleration:  α = B·u̇ + γ = 0
    position:      φ(q,t) = 0, and |quaternion|² - 1 = 0
    velocity:      ψ = B·u + β = 0
    output:        y = g(t,q,u,u̇,λ,r)

u̇ and λ are variables of their own here, so nothing is solved before it is differentiated: that keeps the derivatives
small. They are entries of the matrix J with these rows, and columns for q, u, u̇, λ and r.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, Literal

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.graph import (
    ZERO,
    Expr,
    Symbol,
    array,
    free_symbols,
    isolated,
    jacobian,
    product,
    substitute,
    symbol,
    topological,
)
from multibody.graph.linear_algebra import Matrix
from multibody.graph.node import within
from multibody.linearization.derivatives.signals import Signal
from multibody.mechanics.constraints.equations import quaternion_gaps
from multibody.mechanics.constraints.rank import Sparse

ROWS = ("rates", "force", "acceleration", "position", "velocity", "output")
COLUMNS = ("q", "u", "a", "l", "r")
GEOMETRY = (("position", "q"), ("velocity", "u"), ("rates", "u"))
"""Blocks of J that say which coordinates and speeds are independent."""
STEADY = (*GEOMETRY, ("force", "a"), ("force", "l"), ("acceleration", "a"))
"""Blocks of J that do not depend on u̇ and λ, and from which these follow."""


@dataclass(frozen=True, eq=False)
class Blocks:
    """J and the equations themselves, as numbers or as expressions; ``blocks["force", "q"]`` is ∂R/∂q.

    Attributes:
        matrix: J.
        values: the equations themselves.
        rows: where each kind of equation is.
        columns: where each kind of variable is.
    """

    matrix: Any
    values: Any
    rows: Mapping[str, slice]
    columns: Mapping[str, slice]

    def __getitem__(self, place: tuple[str, str]) -> Any:
        row, column = place
        return self.matrix[self.rows[row], self.columns[column]]

    def value(self, row: str) -> Any:
        """The equations of one kind."""
        return self.values[self.rows[row]]


class Slopes:
    """The expressions of J for equations of motion.

    Args:
        eom: the equations.
        outputs: what is measured.
    """

    def __init__(self, eom: EquationsOfMotion, outputs: Sequence[Signal] = ()) -> None:
        self.eom = eom
        self.outputs = tuple(outputs)
        with within(eom.table):
            kinds = {
                "rates": list(eom.rates),
                "force": list(_force(eom)),
                "acceleration": _acceleration(eom),
                "position": positions(eom),
                "velocity": list(eom.constraints.velocity),
                "output": [output.value for output in outputs],
            }
        model = eom.model
        groups = (model.coordinates, model.speeds, model.accelerations, eom.multipliers, model.input_symbols)
        self.equations: list[Expr] = [equation for kind in ROWS for equation in kinds[kind]]
        self.variables: list[Symbol] = [variable for group in groups for variable in group]
        self.rows = _slices(ROWS, [len(kinds[kind]) for kind in ROWS])
        self.columns = _slices(COLUMNS, [len(group) for group in groups])

    @cached_property
    def matrix(self) -> Matrix:
        """J."""
        with isolated(*topological(self.equations)):
            return jacobian(self.equations, self.variables).reshape(len(self.equations), len(self.variables))

    @cached_property
    def sparse(self) -> Sparse:
        """The entries of J that are not zero."""
        return Sparse(self.matrix)

    def part(self, places: Iterable[tuple[str, str]]) -> Matrix:
        """J with zeros except in some of its blocks."""
        kept = np.full(self.matrix.shape, ZERO, dtype=object)
        for row, column in places:
            place = self.rows[row], self.columns[column]
            kept[place] = self.matrix[place]
        return kept

    @cached_property
    def steady(self) -> Sparse:
        """The entries of the blocks ``STEADY`` that are not zero."""
        return Sparse(self.part(STEADY))

    def state_lasts(self, zeros: Collection[Symbol]) -> Literal[True] | None:
        """True if rates and forces do not follow time where some symbols are zero; otherwise None: it is undecided."""
        end = self.rows["output"].start
        zeros = {*zeros, *self.eom.model.accelerations}
        return None if depend_on(self.equations[:end], [self.eom.model.time], zeros) else True

    def state_matrix_lasts(
        self, zeros: Collection[Symbol], moving: Collection[Symbol] = ()
    ) -> Literal[True] | None:  # fmt: skip
        """True if the entries of J from which the state matrix follows do not follow time; otherwise None.

        Args:
            zeros: symbols that are zero, and stay so.
            moving: coordinates that change as time goes by.
        """
        end, inputs = self.rows["output"].start, self.columns["r"].start
        entries = self.matrix[:end, :inputs].ravel().tolist()
        return None if depend_on(entries, [self.eom.model.time, *moving], zeros) else True

    def linear_system_lasts(self, zeros: Collection[Symbol], moving: Collection[Symbol]) -> Literal[True] | None:
        """True if neither the state nor the state matrix follows time where some symbols are zero; otherwise None.

        Args:
            zeros: symbols that are zero.
            moving: coordinates that change as time goes by, also if they are zero now.
        """
        still = {*zeros} - {*moving}
        return self.state_lasts(still) and self.state_matrix_lasts(still, moving)

    def blocks(self, matrix: Any, values: Any) -> Blocks:
        """J and the equations with something in their places."""
        return Blocks(matrix, values, self.rows, self.columns)

    def name(self, row: int) -> str:
        """What an equation is, in words, for messages."""
        kind = next(kind for kind, where in self.rows.items() if where.start <= row < where.stop)
        number = row - self.rows[kind].start
        named: dict[str, Sequence[Any]] = {
            "rates": [f"rate of {q.name}" for q in self.eom.coordinates],
            "force": [f"force on {u.name}" for u in self.eom.speeds],
            "acceleration": [f"constraint {name}" for name in self.eom.constraints.names],
            "velocity": [f"constraint {name}" for name in self.eom.constraints.names],
            "output": [f"output {output.name}" for output in self.outputs],
        }
        return str(named[kind][number]) if kind in named else f"position {number + 1}"


def depend_on(expressions: Sequence[Expr], variables: Collection[Symbol], zeros: Collection[Symbol] = ()) -> bool:
    """Whether the values of expressions depend on variables: those of cos² + sin² do not, however they are written.

    Args:
        expressions: of any symbols.
        variables: symbols, such as time.
        zeros: symbols that are zero.

    Example:
        >>> from multibody.graph import cos, sin, symbols
        >>> t, x = symbols("t x")
        >>> [depend_on([one], [t]) for one in (x * sin(t) ** 2 + x * cos(t) ** 2, x * sin(t))]
        [False, True]
        >>> depend_on([x * sin(t)], [t], zeros=[x])
        False
    """
    concerned = [expression for expression in expressions if not {*free_symbols([expression])}.isdisjoint(variables)]
    if not concerned:
        return False
    with isolated(*topological(concerned)):
        here = substitute(concerned, dict.fromkeys(zeros, ZERO)) if zeros else concerned
        later = substitute(here, {variable: symbol(f"another_{variable.name}") for variable in variables})
    return any(before.fp != other.fp for before, other in zip(here, later, strict=True))


def positions(eom: EquationsOfMotion) -> list[Expr]:
    """φ, and |quaternion|² - 1."""
    return [*eom.phi, *quaternion_gaps(eom.model)]


def _force(eom: EquationsOfMotion) -> Matrix:
    residual = array(eom.kinetics.residual())
    if not len(eom.constraints):
        return residual
    return residual - product(eom.B.T, array(list(eom.multipliers)))


def _acceleration(eom: EquationsOfMotion) -> list[Expr]:
    if not len(eom.constraints):
        return []
    return list(product(eom.B, array(list(eom.model.accelerations))) + eom.gamma)


def _slices(kinds: Sequence[str], sizes: Sequence[int]) -> dict[str, slice]:
    ends = list(accumulate(sizes))
    return {kind: slice(end - size, end) for kind, size, end in zip(kinds, sizes, ends, strict=True)}
