"""The constraints of a model as one system of equations: φ(q, t) = 0, B·u + β = 0, B·u̇ + γ = 0."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from multibody.errors import ExpressionError, MissingValueError, ModelError
from multibody.graph import (
    ZERO,
    Expr,
    Symbol,
    array,
    evaluate,
    free_symbols,
    jacobian,
    product,
    rank,
    substitute,
    symbol,
    time_derivative,
)
from multibody.graph.identity import independent_rows
from multibody.graph.linear_algebra import Matrix
from multibody.graph.node import Table, within
from multibody.graph.workspace import in_own_table
from multibody.model.constraints import Equation
from multibody.model.kinematics import Kinematics
from multibody.model.model import Model
from multibody.model.sparse import Sparse

ROUNDING = 1e-9
"""A constant gap in an equation that is smaller than this comes from rounded lengths and directions."""

SHARED = 1e-6
"""The softness of equations that share their forces; see ``Multipliers``.

Within a step of an integrator, states are off the constraints by some δ, where redundant equations contradict each
other: their share of the forces is δ/ε, which smaller values make rough (Bennett's linkage takes twice the steps with
1e-7). Larger ones hold less firmly near singular positions (three parallel cranks do not pass the flat one with 1e-4).
"""


@in_own_table
@dataclass(frozen=True, eq=False)
class Constraints:
    """All constraint equations of a model, in the order of its constraints.

    Attributes:
        model: what they belong to.
        owners: for each equation the name of its constraint.
        multipliers: a symbol λ for each equation, called after the constraint and the equation.
        equations: one for each multiplier.
        table: where expressions are made; see ``Kinematics``.
    """

    model: Model
    owners: tuple[str, ...]
    multipliers: tuple[Symbol, ...]
    equations: tuple[Equation, ...]
    table: Table = field(repr=False)

    @staticmethod
    def of(kinematics: Kinematics) -> Constraints:
        """The constraints of the model that moves as ``kinematics`` says."""
        model = kinematics.model
        with within(kinematics.table):
            rows = [
                (owner, equation)
                for owner, constraint in model.constraints.items()
                for equation in constraint.equations(kinematics)
            ]
        names = [f"{owner}_{equation.name}".rstrip("_") for owner, equation in rows]
        return Constraints(
            model,
            tuple(owner for owner, _ in rows),
            tuple(symbol(f"lambda_{name}", "variable", model.name) for name in names),
            tuple(equation for _, equation in rows),
            kinematics.table,
        )

    def __len__(self) -> int:
        return len(self.equations)

    def __repr__(self) -> str:
        return f"Constraints({self.model.name!r}: {', '.join(self.names) or 'none'})"

    @cached_property
    def phi(self) -> Matrix:
        """φ of all equations that restrict positions."""
        return array([one.position for one in self.equations if one.position is not None])

    @cached_property
    def holonomic(self) -> tuple[int, ...]:
        """The rows that restrict positions, in the order of ``phi``."""
        return tuple(k for k, one in enumerate(self.equations) if one.position is not None)

    @cached_property
    def sides(self) -> list[Expr]:
        """What must be one and not zero or less, so that no axis points against the one that it belongs to."""
        return list(dict.fromkeys(one.side for one in self.equations if one.side is not None))

    @cached_property
    def gaps(self) -> list[Expr]:
        """What must vanish so that all loops are closed the right way round: φ, and what the sides lack."""
        return [*self.phi, *(side - 1 for side in self.sides)]

    @cached_property
    def gap_slopes(self) -> Sparse:
        """The derivatives of ``gaps`` by the coordinates."""
        return Sparse(jacobian(self.gaps, self.model.coordinates).reshape(len(self.gaps), len(self.model.coordinates)))

    @cached_property
    def velocity(self) -> list[Expr]:
        """B·u + β."""
        return [one.velocity for one in self.equations]

    @cached_property
    def B(self) -> Matrix:
        """The matrix in B·u + β = 0."""
        return jacobian(self.velocity, self.model.speeds).reshape(len(self), len(self.model.speeds))

    @cached_property
    def sparse_B(self) -> Sparse:
        """The entries of B that are not zero."""
        return Sparse(self.B)

    @cached_property
    def beta(self) -> Matrix:
        """The vector β in B·u + β = 0; zero unless something moves with time, or an equation is not linear in u."""
        if self.linear:
            return array(substitute(self.velocity, dict.fromkeys(self.model.speeds, ZERO)))
        return array(self.velocity) - product(self.B, array(list(self.model.speeds)))

    @cached_property
    def linear(self) -> bool:
        """Whether all equations are linear in the speeds, as those of joints, loops and rolling are."""
        return not len(self) or not set(self.model.speeds) & set(free_symbols(self.B))

    @cached_property
    def gamma(self) -> Matrix:
        """The vector γ in B·u̇ + γ = 0."""
        return array(time_derivative(self.velocity, self.model.flow()))

    def without_drift(self) -> Constraints:
        """The same equations with γ = 0, as they act on impulses: B·Δu = 0."""
        other = replace(self)
        known = {"B": self.B, "silent": self.silent, "generic": self.generic, "independent": self.independent}
        vars(other).update(known, gamma=array([ZERO] * len(self)))  # where cached properties keep their values
        return other

    @cached_property
    def silent(self) -> frozenset[int]:
        """Rows of B that are nothing but rounding in all positions: the joints do not move in their direction.

        Axes that are parallel or at right angles by their meaning may be so up to 1e-16 only. What is left would pass
        for an equation, and hold fast what is free to move.
        """
        from multibody.model.regularity import silent_rows  # which needs the constraints itself

        return silent_rows(self)

    @cached_property
    def generic(self) -> tuple[int, ...]:
        """Rows of B that do not follow from those before them, for almost all positions; decided exactly.

        Raises:
            ModelError: if rows contradict each other.
        """
        self._require_possible()
        rows = tuple(independent_rows([[entry.fp for entry in row] for row in self._heard()]))
        moving = any(entry.fp != 0 for entry in self.beta)
        if moving and rank(np.column_stack([self._heard(), self.beta])) > len(rows):
            raise _contradiction(self, rows)
        return rows

    @cached_property
    def independent(self) -> tuple[int, ...]:
        """Rows of B that do not follow from others where the constraints are kept.

        A mechanism may move only because of special lengths or directions (Bennett, Bricard), so that rows are
        independent in general, but not for positions in which its loops are closed. That is decided by numbers, near
        the start, with the default values of the parameters; where there are none, the generic rows count.
        """
        from multibody.model.regularity import regular_rows  # which needs the constraints itself

        return regular_rows(self) if self.equations else ()

    @cached_property
    def acting(self) -> tuple[int, ...]:
        """The rows that are solved for.

        These are the independent ones; but where only special lengths or directions let a mechanism move, any choice of
        rows may fail somewhere on its way, though all of them together do not: then all rows act, and share the forces.
        """
        if len(self.independent) == len(self.generic):
            return self.independent
        return self.moving

    @property
    def moving(self) -> tuple[int, ...]:
        """The rows that restrict motions at all."""
        return tuple(k for k, row in enumerate(self._heard()) if any(entry.fp != 0 for entry in row))

    @property
    def softness(self) -> float:
        """How much the equations must give way to be solved, because more of them act than are independent."""
        return 0.0 if self.acting == self.independent else SHARED

    def _heard(self) -> Matrix:
        """B with zeros in silent rows."""
        heard = self.B.copy()
        heard[sorted(self.silent)] = ZERO
        return heard

    def _require_possible(self) -> None:
        """An error if a coordinate equation that no motion can change does not hold."""
        for k, (name, row, equation) in enumerate(zip(self.names, self.B, self.equations, strict=True)):
            fixed = k in self.silent or (all(entry.fp == 0 for entry in row) and equation.velocity.fp == 0)
            if fixed and equation.position is not None and self._open(equation.position):
                raise ModelError(
                    f"The constraint equation {name} can never hold.",
                    where=f"system '{self.model.name}'",
                    cause="The joints do not move in its direction, and their frames are elsewhere.",
                    remedy="Give the joints more freedom, or move the frames.",
                )

    def _open(self, position: Expr) -> bool:
        """Whether a φ that does not change is not zero, for the start values; rounding is forgiven."""
        if position.fp == 0:
            return False
        try:
            known: dict[Any, Any] = {**self.model.start, **self.model.parameter_values(), self.model.time: 0.0}
            known |= dict.fromkeys(self.model.input_symbols, 0.0)
            return abs(float(evaluate(position, known))) > ROUNDING
        except (MissingValueError, ExpressionError):
            return False

    @cached_property
    def redundant(self) -> tuple[str, ...]:
        """The names of equations that say nothing new."""
        kept = set(self.independent)
        return tuple(name for row, name in enumerate(self.names) if row not in kept)

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each equation: that of its constraint, and its own."""
        return tuple(one.name.removeprefix("lambda_") for one in self.multipliers)


def _contradiction(constraints: Constraints, rows: Iterable[int]) -> ModelError:
    """Redundant rows that demand another motion than the rows that they follow from."""
    kept = list(rows)
    guilty = []
    for row in sorted(set(range(len(constraints))) - set(kept)):
        chosen = [*kept, row]
        if rank(np.column_stack([constraints.B[chosen], constraints.beta[chosen]])) > len(kept):
            guilty.append(constraints.names[row])
    return ModelError(
        f"The constraint equations {', '.join(guilty)} contradict the others.",
        where=f"system '{constraints.model.name}'",
        cause="They prescribe motions that other constraints or prescribed joints determine already, otherwise.",
        remedy="Remove one of them, or prescribe the same motion.",
    )
