"""The part of equations of motion that checks, corrections and printed forms need.

    q̇ = N(q,t)·u + ν(q,t)
    M(q,t)·u̇ + h(q,u,t) = f(q,u,r,t) + Bᵀ(q,t)·λ
    φ(q,t) = 0,   B(q,t)·u + β(q,t) = 0,   B·u̇ + γ(q,u,t) = 0

``EquationsOfMotion`` has all of it; see there for what each name means.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from multibody.graph import Expr, Symbol
from multibody.graph.linear_algebra import Matrix
from multibody.mechanics.constraints.independence import Constraints
from multibody.model import Model

if TYPE_CHECKING:
    from multibody.compiler import Function


class MotionEquations(Protocol):
    """Equations of motion with their names, matrices and constraints, which can be compiled."""

    @property
    def model(self) -> Model:
        """The frozen model they belong to."""

    @property
    def formalism(self) -> str:
        """How they were derived."""

    @property
    def coordinates(self) -> tuple[Symbol, ...]:
        """The symbols q."""

    @property
    def speeds(self) -> tuple[Symbol, ...]:
        """The symbols u."""

    @property
    def inputs(self) -> tuple[Symbol, ...]:
        """The symbols r."""

    @property
    def parameters(self) -> tuple[Symbol, ...]:
        """The symbols p."""

    @property
    def multipliers(self) -> tuple[Symbol, ...]:
        """The symbols λ."""

    @property
    def constraints(self) -> Constraints:
        """φ, B, β and γ, with the names of their equations."""

    @property
    def rates(self) -> tuple[Expr, ...]:
        """q̇ as expressions of q, u and t."""

    @property
    def acceleration(self) -> tuple[Expr, ...]:
        """u̇ as an explicit function of (t, q, u, r, p)."""

    @property
    def N(self) -> Matrix:
        """The matrix in q̇ = N·u + ν."""

    @property
    def M(self) -> Matrix:
        """The mass matrix."""

    @property
    def h(self) -> Matrix:
        """Inertia forces and gravity."""

    @property
    def f(self) -> Matrix:
        """Generalized forces of the loads."""

    @property
    def phi(self) -> Matrix:
        """φ of all constraints that restrict positions."""

    @property
    def B(self) -> Matrix:
        """The matrix in B·u + β = 0."""

    @property
    def gamma(self) -> Matrix:
        """The vector in B·u̇ + γ = 0."""

    @property
    def regularity(self) -> Expr:
        """Zero where the accelerations have no meaning."""

    @property
    def may_be_undetermined(self) -> bool:
        """Whether there may be positions in which the accelerations do not follow from the equations."""

    @property
    def regularized(self) -> MotionEquations:
        """The same equations with constraint forces from all equations."""

    @property
    def mass_matrix(self) -> Function:
        """(t, q, u, r, p) → M."""

    def function(self, name: str, outputs: Mapping[str, Any]) -> Function:
        """Any expressions of (t, q, u, r, p) as a compiled function."""
