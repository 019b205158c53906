"""The pencil of small motions around a steady state, with its derivatives.

    δq̇ = ∂q̇/∂(q,u)·(δq, δu)
    M·δu̇ = -∂(M·u̇ + h - f - Bᵀ·λ)/∂(q,u)·(δq, δu) + Bᵀ·δλ
    0 = ∂φ/∂q·δq,  or, where only velocities are restricted,  0 = ∂(B·u + β)/∂(q,u)·(δq, δu)

Together: E·ẋ = A·x for x = (δq, δu, δλ), with solutions x·exp(s·t) for (A - s·E)·x = 0. With the left eigenvector y,
yᴴ·(A - s·E) = 0, a simple pole changes by ds = yᴴ·(dA - s·dE)·x / (yᴴ·E·x).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from multibody.compiler import Function
from multibody.errors import ModelError
from multibody.graph import (
    ONE,
    ZERO,
    Expr,
    array,
    directional,
    isolated,
    jacobian,
    product,
    substitute,
    symbol,
    topological,
)
from multibody.linearization.derivatives.elimination import largest_entries
from multibody.linearization.tolerances import DEFECTIVE_POLE, SIMPLE_POLE
from multibody.linearization.trim.equilibrium_point import Equilibrium
from multibody.linearization.trim.steady_equations import SteadyEquations
from multibody.mechanics.assembly.assembly import Vector
from multibody.mechanics.constraints.rank import basis


class Pencil:
    """E·ẋ = A·x, with the derivatives of E and A along any change of w.

    Args:
        steady: where it is taken; of redundant constraints only as many as count there are used.
    """

    def __init__(self, steady: Equilibrium) -> None:
        self._w = steady.w
        equations, eom = steady.equations, steady.eom
        rows = _independent(steady)
        key = "pencil", frozenset(equations.formulas), rows
        self._function, self._size = eom.once(key, lambda: _compiled(equations, rows))

    def derivatives(self, pole: complex, ways: Iterable[Vector]) -> list[complex] | None:
        """ds/dw·way for each way; None if the pole is not a simple one."""
        found: tuple[Any, Any] | None = None
        result = []
        for way in ways:
            E, A, dE, dA = (
                np.asarray(matrix).reshape(self._size, self._size) for matrix in self._function(self._w, way)
            )
            found = found or _vectors(A - pole * E, E)
            if found is None:
                return None
            y, x = found
            result.append(complex(y @ (dA - pole * dE) @ x / (y @ E @ x)))
        return result


def _compiled(equations: SteadyEquations, rows: tuple[int, ...]) -> tuple[Function, int]:
    """w and its rate → E, A and their rates."""
    with isolated(*topological(equations.eom.kinetics.residual())):
        return _differentiated(equations, rows)


def _differentiated(equations: SteadyEquations, rows: tuple[int, ...]) -> tuple[Function, int]:
    eom = equations.eom
    constraints, speeds = eom.constraints, eom.speeds
    forces = array(eom.kinetics.residual())
    if len(constraints):
        forces = forces - product(eom.B.T, array(list(eom.multipliers)))
    closed = [
        equation.position if equation.position is not None else equation.velocity for equation in constraints.equations
    ]
    restricted = [closed[k] for k in rows]
    unknown = (*eom.coordinates, *speeds, *(eom.multipliers[k] for k in rows))
    right = [*eom.rates, *(-force for force in forces), *restricted]
    A = jacobian(right, unknown).reshape(len(right), len(unknown))
    E = np.full(A.shape, ZERO, dtype=object)
    n, m = len(eom.coordinates), len(speeds)
    E[range(n), range(n)] = ONE
    E[n : n + m, n : n + m] = jacobian(list(forces), eom.model.accelerations).reshape(m, m)
    E, A = (array(substitute(matrix, equations.formulas)).reshape(matrix.shape) for matrix in (E, A))
    rates: dict[Expr, Expr] = {
        variable: symbol(f"{variable.name}_change", "variable", eom.model.name) for variable in equations.symbols
    }
    outputs = {"E": E, "A": A, "E_rate": directional(E, rates), "A_rate": directional(A, rates)}
    ports = {"w": equations.symbols, "change": tuple(rates.values())}
    return Function(f"{eom.model.name}_pencil", ports, {name: output.ravel() for name, output in outputs.items()}), len(
        A
    )


def _vectors(matrix: Any, E: Any) -> tuple[Any, Any] | None:
    """The left and right vectors y, x that a singular matrix maps to zero; None if there are several, or yᴴ·E·x = 0."""
    rows = largest_entries(matrix, axis=1)[:, None]
    columns = largest_entries(matrix / rows, axis=0)
    left, sizes, right = np.linalg.svd(matrix / rows / columns)
    y, x, scaled = left[:, -1].conj(), right[-1].conj(), E / rows / columns
    if sizes[-1] > SIMPLE_POLE * sizes[0]:
        raise ModelError(
            "Poles do not follow from the equations at one instant.",
            code="poles-not-at-one-instant",
            where="pole_sensitivities",
            cause="Quantities that constraints tie to each other change along the steady motion, as the velocity of a "
            "place on a circle does.",
            remedy="Take differences: poles of equilibrium(…) for two values of the parameter.",
        )
    several = len(sizes) > 1 and sizes[-2] < SIMPLE_POLE * sizes[0]
    if several or abs(y @ scaled @ x) <= DEFECTIVE_POLE * np.abs(scaled).max(initial=0.0):
        return None
    return y / rows[:, 0], x / columns


def _independent(steady: Equilibrium) -> tuple[int, ...]:
    """Constraint equations that do not follow from others at this state."""
    eom = steady.eom
    if not len(eom.constraints):
        return ()
    matrix = eom.once("steady constraint matrix", lambda: eom.function("constraint_matrix", {"B": eom.B}))
    point = steady.point
    B = np.asarray(matrix(point.t, point.q, point.u, point.r, point.p)).reshape(eom.B.shape)
    return tuple(basis(B))
