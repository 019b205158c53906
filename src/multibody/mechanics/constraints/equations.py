"""The constraints of a model as one system of equations: φ(q, t) = 0, B·u + β = 0, B·u̇ + γ = 0.

``PositionFunction`` evaluates φ again and again while loops are closed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, Self

from multibody.graph import (
    ZERO,
    Expr,
    Symbol,
    array,
    free_symbols,
    jacobian,
    product,
    substitute,
    symbol,
    time_derivative,
    topological,
)
from multibody.graph.linear_algebra import Matrix
from multibody.graph.node import NodeTable, within
from multibody.graph.workspace import in_own_table
from multibody.mechanics.constraints.gap_scales import EquationSizes, sizes_of
from multibody.mechanics.constraints.rank import Sparse
from multibody.model.constraints import Equation
from multibody.model.kinematics import Kinematics
from multibody.model.model import Model


@in_own_table
@dataclass(frozen=True, eq=False)
class ConstraintEquations:
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
    table: NodeTable = field(repr=False)
    compiler: Compiler | None = field(default=None, repr=False)

    @classmethod
    def of(cls, kinematics: Kinematics, compiler: Compiler | None = None) -> Self:
        """The constraints of the model that moves as ``kinematics`` says."""
        model = kinematics.model
        with within(kinematics.table):
            rows = [
                (owner, equation)
                for owner, constraint in model.constraints.items()
                for equation in constraint.equations(kinematics)
            ]
        names = [f"{owner}_{equation.name}".rstrip("_") for owner, equation in rows]
        return cls(
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
        return f"{type(self).__name__}({self.model.name!r}: {', '.join(self.names) or 'none'})"

    @cached_property
    def phi(self) -> Matrix:
        """φ of all equations that restrict positions."""
        return array([equation.position for equation in self.equations if equation.position is not None])

    @cached_property
    def holonomic(self) -> tuple[int, ...]:
        """The rows that restrict positions, in the order of ``phi``."""
        return tuple(k for k, equation in enumerate(self.equations) if equation.position is not None)

    @cached_property
    def sides(self) -> list[Expr]:
        """What must be one and not zero or less, so that no axis points against the one that it belongs to."""
        return list(dict.fromkeys(equation.side for equation in self.equations if equation.side is not None))

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
        return [equation.velocity for equation in self.equations]

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

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each equation: that of its constraint, and its own."""
        return tuple(multiplier.name.removeprefix("lambda_") for multiplier in self.multipliers)

    @cached_property
    def sizes(self) -> EquationSizes:
        """What gaps are measured by."""
        return sizes_of(self.model, self.owners, self.equations, [self.unit(row) for row in range(len(self))])

    def unit(self, row: int) -> str:
        """What the multiplier of a row is: "force", "torque" or "other"."""
        wrench = self.equations[row].wrench
        if wrench is None:
            return self.equations[row].unit
        return "torque" if all(part.fp == 0 for part in wrench.axis.resultant) else "force"


def quaternion_gaps(model: Model) -> list[Expr]:
    """|quaternion|² - 1 for all quaternions among the coordinates of a model."""
    return unit_length_gaps([[model.coordinates[k] for k in places] for places in model.quaternions])


def unit_length_gaps(groups: Iterable[Iterable[Expr]]) -> list[Expr]:
    """|quaternion|² - 1 for groups of symbols; zero where they are rotations."""
    return [sum((part * part for part in group), ZERO) - 1 for group in groups]


class Compiler(Protocol):
    """Makes a function of expressions; packages above this one have it."""

    def __call__(self, name: str, inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> Callable[..., Any]:
        """The function with the given name; symbols by input port, expressions by output port."""


class PositionFunction:
    """Expressions of (t, q, r, p), with machine code that is made when it is first needed.

    Args:
        name: what the expressions are, an identifier.
        model: the model whose time, coordinates, inputs and parameters they depend on.
        expressions: one for each value.
        compiler: makes machine code; without one, the expressions can only be interpreted.
    """

    def __init__(self, name: str, model: Model, expressions: Sequence[Expr], compiler: Compiler | None) -> None:
        self.name = name
        self.model = model
        self.expressions = list(expressions)
        self._compiler = compiler

    @cached_property
    def nodes(self) -> int:
        """The number of nodes of the expressions: the work of one evaluation that interprets them."""
        return len(topological(self.expressions))

    @cached_property
    def compiled(self) -> Callable[..., Any] | None:
        """(t, q, r, p) → all values; None without a compiler."""
        if self._compiler is None or not self.expressions:
            return None
        model = self.model
        ports = {"t": model.time, "q": model.coordinates, "r": model.input_symbols, "p": model.parameter_symbols}
        return self._compiler(f"{model.name}_{self.name}", ports, {"values": self.expressions})
