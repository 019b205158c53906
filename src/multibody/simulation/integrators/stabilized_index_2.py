"""The stabilised form of constrained motion: differential and algebraic equations of index 2.

    q̇ = N·u + ν + N·B_hᵀ·μ + Σ quaternion·σ        0 = φ(q, t),  |quaternion|² - 1
    M·u̇ + h = f + Bᵀ·λ                             0 = B·u + β
    ẇ = powers(t, q, u, u̇, λ)

Gear, Gupta and Leimkuhler, Journal of Computational and Applied Mathematics 12 (1985). Both positions and velocities
keep the constraints; the multipliers μ and σ, for the rows h that restrict positions and for quaternions, allow for
that, and are zero but for errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from multibody.compiler import Function
from multibody.compiler.calls import BoundCall
from multibody.equations import EquationsOfMotion
from multibody.equations.power import powers
from multibody.graph import (
    ZERO,
    Expr,
    Symbol,
    array,
    is_zero,
    isolated,
    jacobian,
    product,
    substitute,
    symbol,
    topological,
)
from multibody.graph.linear_algebra import Matrix
from multibody.graph.node import within
from multibody.mechanics.constraints.equations import quaternion_gaps
from multibody.simulation.contract import Vector
from multibody.simulation.events.events import Touch
from multibody.simulation.integrators.library_solver import end_with, working_rows
from multibody.simulation.problem.difference_quotients import fill_by_differences
from multibody.simulation.problem.problem import WORKS, Problem


class StabilisedForm:
    """F(t, Y, Ẏ) = 0 with Y = (q, u, works, λ, μ, σ), and ∂F/∂Y + c·∂F/∂Ẏ, compiled.

    Args:
        problem: what moves.

    Attributes:
        size: number of unknowns.
        weights: which of them count in the error norm.
        finite: whether all values were finite since it was last set.
    """

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        equations = _Equations(problem.eom, working_rows(problem), problem.functions.touches)
        self.size = len(equations.unknowns)
        self.weights = np.arange(self.size) < problem.size  # all but the multipliers
        self.finite = True
        self._Y, self._rate, self._c = np.zeros(self.size), np.zeros(problem.size), np.zeros(())
        self._residual, self._slopes = np.zeros(self.size), np.zeros((self.size, self.size))
        self._forces = np.zeros(len(equations.forces))
        self._equations, self._F = equations, problem.functions.with_inputs(equations.residual)
        self._F = problem.eom.with_continuous_angles(problem.functions.switching.frozen(self._F))
        self._call = self._bound("stabilised", {"residual": self._F}, residual=self._residual)
        self._call_forces = problem.bound(
            problem.functions.function("independent_forces", {"forces": equations.forces}), forces=self._forces
        )

    @cached_property
    def _call_slopes(self) -> BoundCall:
        matrix = _iteration_matrix(self._F, self._equations)
        self._places = (matrix != ZERO).nonzero()  # most entries are zero: only the others are computed
        self._entries = np.zeros(len(self._places[0]))
        return self._bound("stabilised_slopes", {"entries": list(matrix[self._places])}, entries=self._entries)

    def residual(self, t: float, Y: Vector, rate: Vector) -> Vector:
        """F."""
        self._place(t, Y, rate)
        self._call()
        self.finite = self.finite and bool(np.isfinite(self._residual).all())
        return self._residual

    def jacobian(self, t: float, Y: Vector, rate: Vector, c: float) -> Vector:
        """∂F/∂Y + c·∂F/∂Ẏ."""
        self._place(t, Y, rate)
        self._c[()] = c
        self._call_slopes()
        self._slopes[self._places] = self._entries

        def shifted(Z: Vector) -> Vector:
            return self.residual(t, Z, rate + c * (Z - Y)).copy()

        return fill_by_differences(self._slopes.copy(), shifted, Y)

    def consistent(self, t: float, y: Vector) -> tuple[Vector, Vector]:
        """Y and Ẏ for a state that keeps the constraints; rates of multipliers are not needed and are zero."""
        Y, rate = np.zeros(self.size), np.zeros(self.size)
        rate[: len(y)] = self._problem.evaluate(t, y)
        self._call_forces()
        Y[: len(y)] = y
        Y[len(y) : len(y) + len(self._forces)] = self._forces
        return Y, rate

    def stepped(self, length: float) -> None:
        """Nothing depends on the length of steps."""

    def _place(self, t: float, Y: Vector, rate: Vector) -> None:
        problem = self._problem
        if problem.law is not None:
            problem.evaluate(t, Y[: problem.size])  # inputs follow
            end_with(problem.failure)
        problem.t[()], self._Y[:], self._rate[:] = t, Y, rate[: problem.size]

    def _bound(self, name: str, outputs: dict[str, Any], **arrays: Vector) -> BoundCall:
        problem, equations = self._problem, self._equations
        eom = problem.eom
        inputs = (*eom.inputs, *problem.functions.switching.inputs)
        ports = {"t": eom.model.time, "Y": equations.unknowns, "rate": equations.rates, "c": equations.c}
        function = Function(f"{eom.model.name}_{name}", {**ports, "r": inputs, "p": eom.parameters}, outputs)
        memory = {"t": problem.t, "Y": self._Y, "rate": self._rate, "c": self._c, "r": problem.all_r}
        if any(port.fixed for port in function.inputs):
            return function.fix(p=problem.p).bind(**memory, **arrays)
        return function.bind(**memory, p=problem.p, **arrays)


class _Equations:
    """F as expressions, with the symbols that it is made of.

    Attributes:
        unknowns: Y.
        rates: the rates of (q, u, works).
        c: the factor of ∂F/∂Ẏ.
        forces: λ of the independent rows as explicit functions of the state, to start with.
        residual: F.
    """

    def __init__(self, eom: EquationsOfMotion, rows: list[int], touches: Sequence[Touch] = ()) -> None:
        self._touches = touches
        constraints = eom.constraints
        self._eom, self._rows = eom, rows
        self._closed = [row for row in self._rows if constraints.equations[row].position is not None]
        works = _fresh(eom, "W", WORKS)
        self._shifts = _fresh(eom, "mu", [constraints.names[row] for row in self._closed])
        self._stretches = _fresh(eom, "sigma", range(len(eom.model.quaternions)))
        self._q_dot = _fresh(eom, "rate", [coordinate.name for coordinate in eom.coordinates])
        self._powers = _fresh(eom, "power", WORKS)
        multipliers = [constraints.multipliers[row] for row in self._rows]
        self.unknowns = [*eom.coordinates, *eom.speeds, *works, *multipliers, *self._shifts, *self._stretches]
        self.rates = [*self._q_dot, *eom.model.accelerations, *self._powers]
        self.c = symbol("c_iteration", "variable", eom.model.name)
        self.forces = [eom.regularized.multiplier_values[row] for row in self._rows]
        with within(eom.table):
            parts = self._kinematics(), self._dynamics(), self._work(), self._velocity(), self._position()
        self.residual = [expression for part in parts for expression in part]

    def _kinematics(self) -> list[Expr]:
        """q̇ - N·(u + B_hᵀ·μ) - ν - quaternion·σ."""
        eom = self._eom
        rates = array(list(eom.rates))
        if self._closed:
            rates = rates + product(eom.N, product(eom.B[self._closed].T, array(list(self._shifts))))
        for places, stretch in zip(eom.model.quaternions, self._stretches, strict=True):
            rates[places] = rates[places] + array([eom.coordinates[k] * stretch for k in places])
        return list(array(list(self._q_dot)) - rates)

    def _dynamics(self) -> list[Expr]:
        """M·u̇ + h - f - Bᵀ·λ - what else is in the accelerations."""
        eom = self._eom
        given = product(eom.M, array(list(eom.acceleration))) + eom.h - eom.f
        total = array(list(eom.kinetics.residual()))  # M·u̇ + h - f with the fewest operations
        if self._rows:
            across = eom.B[self._rows].T
            given = given - product(across, array(self.forces))
            total = total - product(across, array([eom.multipliers[row] for row in self._rows]))
        # pushes of resting contacts are known by the accelerations alone; for all others the difference is proved zero
        return [term if is_zero(other) else term - other for term, other in zip(total, given, strict=True)]

    def _work(self) -> list[Expr]:
        """ẇ - powers; multipliers of redundant rows are zero."""
        gone: dict[Expr, Expr] = {
            multiplier: ZERO for row, multiplier in enumerate(self._eom.multipliers) if row not in set(self._rows)
        }
        works = powers(self._eom)
        works = works._replace(drives=sum((touch.power for touch in self._touches), works.drives))
        found = substitute(list(works), gone)
        return [rate - power for rate, power in zip(self._powers, found, strict=True)]

    def _velocity(self) -> list[Expr]:
        """B·u + β."""
        return [self._eom.constraints.velocity[row] for row in self._rows]

    def _position(self) -> list[Expr]:
        """φ and |quaternion|² - 1."""
        positions = (self._eom.constraints.equations[row].position for row in self._closed)
        return [position for position in positions if position is not None] + quaternion_gaps(self._eom.model)


def _fresh(eom: EquationsOfMotion, kind: str, names: Any) -> list[Symbol]:
    return [symbol(f"{kind}_{name}", "variable", eom.model.name) for name in names]


def _iteration_matrix(F: Sequence[Expr], equations: _Equations) -> Matrix:
    """∂F/∂Y + c·∂F/∂Ẏ."""
    with isolated(*topological(F)):
        matrix = jacobian(list(F), equations.unknowns)
        slopes = jacobian(list(F), equations.rates)
        matrix[:, : slopes.shape[1]] = matrix[:, : slopes.shape[1]] + equations.c * slopes
    return matrix
