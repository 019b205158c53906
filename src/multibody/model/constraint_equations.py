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
from multibody.graph.field import NEXT
from multibody.graph.fingerprint import fingerprints_at
from multibody.graph.identity import independent_rows
from multibody.graph.linear_algebra import Matrix
from multibody.graph.node import Table, within
from multibody.graph.traverse import topological
from multibody.graph.workspace import in_own_table
from multibody.model.constraints import Equation
from multibody.model.kinematics import Kinematics
from multibody.model.model import Model
from multibody.model.position_function import Compiler, PositionFunction
from multibody.model.sparse import Sparse

ROUNDING = 1e-9
"""A constant gap in an equation that is smaller than this comes from rounded lengths and directions."""


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
        compiler: makes machine code for assemblies that take many evaluations.
    """

    model: Model
    owners: tuple[str, ...]
    multipliers: tuple[Symbol, ...]
    equations: tuple[Equation, ...]
    table: Table = field(repr=False)
    compiler: Compiler | None = field(default=None, repr=False)

    @staticmethod
    def of(kinematics: Kinematics, compiler: Compiler | None = None) -> Constraints:
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
            compiler,
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
    def gap_function(self) -> PositionFunction:
        """``gaps`` as a function of (t, q, r, p)."""
        return PositionFunction("gaps", self.model, self.gaps, self.compiler)

    @cached_property
    def slope_function(self) -> PositionFunction:
        """The entries of ``gap_slopes`` as a function of (t, q, r, p)."""
        return PositionFunction("gap_slopes", self.model, self.gap_slopes.entries, self.compiler)

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
        """The rows that are solved for: all that restrict motions, but for combinations of others in all positions.

        No row is left out because it follows from others in one position, or in closed positions with the default
        values of the parameters: elsewhere, or with other values, it may not.
        """
        rows, generic = self.moving, self.generic
        candidates = [row for row in rows if row not in generic]
        if not candidates:
            return rows
        return tuple(row for row in rows if row not in constant_combinations(self, candidates))

    @property
    def moving(self) -> tuple[int, ...]:
        """The rows that restrict motions at all."""
        return tuple(k for k, row in enumerate(self._heard()) if any(entry.fp != 0 for entry in row))

    @property
    def written(self) -> dict[str, Expr]:
        """What stays zero, by name: φ where positions are restricted, B·u + β elsewhere; of equations that matter."""
        rows = [(self.names[row], self.equations[row]) for row in self.moving]
        return {name: one.velocity if one.position is None else one.position for name, one in rows}

    @cached_property
    def always_independent(self) -> bool:
        """Whether the rows that act are independent in all positions, by the constants in them."""
        return independent_by_constants(self.B[list(self.acting)])

    @property
    def regular_at_start(self) -> bool:
        """Whether the rows that act are independent at the start, with the default values of the parameters."""
        return len(self.acting) == len(self.independent)

    @property
    def units(self) -> tuple[str, ...]:
        """For each row that acts what its multiplier is: a force, a torque, or something else."""
        return tuple(self.unit(row) for row in self.acting)

    def unit(self, row: int) -> str:
        """What the multiplier of a row is: "force", "torque" or "other"."""
        wrench = self.equations[row].wrench
        if wrench is None:
            return "other"
        return "torque" if all(part.fp == 0 for part in wrench.axis.resultant) else "force"

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


def independent_by_constants(B: Matrix) -> bool:
    """Whether the rows of a matrix are independent for all values of its symbols, by the constants in it.

    False means that it is not proved.
    """
    return not doubtful_rows(B)[0]


def doubtful_rows(B: Matrix) -> tuple[list[int], list[int]]:
    """Rows of a matrix that may become dependent, and the columns on which that depends.

    Rows are independent of the others that alone have a certain column, with a constant; these are left out with their
    columns, then those that alone have one among what remains, and so on.
    """
    rows, columns = set(range(len(B))), set(range(B.shape[1]))
    filled = [{row for row, entry in enumerate(column) if entry.fp != 0} for column in B.T]
    while True:
        alone = {j: next(iter(filled[j] & rows)) for j in sorted(columns) if len(filled[j] & rows) == 1}
        proved = {row: j for j, row in alone.items() if B[row, j].op == "const"}
        if not proved:
            return sorted(rows), sorted(columns)
        rows -= proved.keys()
        columns -= set(proved.values())


def constant_combinations(constraints: Constraints, candidates: Iterable[int]) -> frozenset[int]:
    """Those of the candidates that are combinations of the generic rows with constant coefficients.

    The coefficients are unique for almost all values of the symbols; they are constant if they are the same at two
    random points of one field.
    """
    basis = [constraints.B[row] for row in constraints.generic]
    rows = {row: constraints.B[row] for row in candidates}
    second = fingerprints_at(NEXT, topological([entry for row in (*basis, *rows.values()) for entry in row]))

    def at_both(row: Matrix) -> list[Any]:
        return [*(entry.fp for entry in row), *(second[entry] for entry in row)]

    known = [at_both(row) for row in basis]
    return frozenset(k for k, row in rows.items() if len(independent_rows([*known, at_both(row)])) == len(known))


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
