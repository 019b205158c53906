"""How steady states and their poles change with what they depend on, exactly.

The state follows a parameter by dw/dp = -(∂F/∂w)⁺·∂F/∂p, and poles by the total derivative of the pencil of small
motions. All derivatives are those of the expression graph. The pencil is

    δq̇ = ∂q̇/∂(q,u)·(δq, δu)
    M·δu̇ = -∂(M·u̇ + h - f - Bᵀ·λ)/∂(q,u)·(δq, δu) + Bᵀ·δλ
    0 = ∂φ/∂q·δq,  or, where only velocities are restricted,  0 = ∂(B·u + β)/∂(q,u)·(δq, δu)

Together: E·ẋ = A·x for x = (δq, δu, δλ), with solutions x·exp(s·t) for (A - s·E)·x = 0. With the left eigenvector y,
yᴴ·(A - s·E) = 0, a simple pole changes by ds = yᴴ·(dA - s·dE)·x / (yᴴ·E·x).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from multibody.compiler import Function
from multibody.errors import ModelError
from multibody.graph import (
    ONE,
    ZERO,
    Expr,
    Symbol,
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
from multibody.linearization.operating_points.point import require_names_of
from multibody.linearization.tolerances import DEFECTIVE_POLE, SENSITIVITY_RANK, SIMPLE_POLE
from multibody.linearization.trim.equilibrium_point import Equilibrium
from multibody.linearization.trim.steady_equations import SteadyEquations
from multibody.mechanics.assembly.assembly import Vector
from multibody.mechanics.constraints.rank import basis
from multibody.support.text_tables import TextTable


@dataclass(frozen=True)
class PoleSensitivity:
    """A pole, and its derivatives by name."""

    pole: complex
    derivatives: Mapping[str, complex]

    def __getitem__(self, name: str) -> complex:
        return self.derivatives[name]


@dataclass(frozen=True, eq=False)
class PoleSensitivities(TextTable, Sequence[PoleSensitivity]):
    """The derivatives of all simple poles, one of each conjugate pair; printed, a table."""

    entries: tuple[PoleSensitivity, ...]

    def __len__(self) -> int:
        return len(self.entries)

    def __getitem__(self, place):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN204 - a number or a slice
        return self.entries[place]

    def __iter__(self) -> Iterator[PoleSensitivity]:
        return iter(self.entries)

    def rows(self) -> list[list[str]]:
        """A row for each pole."""
        names = list(self.entries[0].derivatives) if self.entries else []
        cells = [[_written(entry.pole), *(_written(entry[name]) for name in names)] for entry in self.entries]
        return [["pole", *(f"by {name}" for name in names)], *cells]


def pole_sensitivities(steady: Equilibrium, *names: str) -> PoleSensitivities:
    """The exact derivatives of poles by parameters, inputs, or coordinates and speeds that were fixed.

    The steady state moves along: a heavier load hangs lower. A pole that several motions share has no derivative, and
    is left out.

    Args:
        steady: an equilibrium or a steady motion.
        names: of what changes; by default all parameters.

    Example:
        >>> import multibody as mb
        >>> from multibody.linearization.trim.steady_states import equilibrium
        >>> slide = mb.System("slide")
        >>> m, k, d = slide.parameters(m=1.0, k=100.0, d=2.0)
        >>> joint = slide.joint("x", slide.world, slide.body("block", m), "Tx")
        >>> pull, brake = slide.load(mb.JointSpring(joint, k)), slide.load(mb.JointDamper(joint, d))
        >>> print(pole_sensitivities(equilibrium(mb.derive(slide)), "k", "d"))
        pole         by k          by d
        -1+9.94987i  0+0.0502519i  -0.5-0.0502519i
    """
    if not isinstance(steady, Equilibrium):
        raise ModelError(
            f"A {type(steady).__name__} is not an equilibrium or a steady motion.",
            code="equilibrium-expected",
            where="pole_sensitivities",
            remedy="Write pole_sensitivities(mb.equilibrium(eom, …), …).",
            kind=type(steady).__name__,
        )
    symbols = _changing(steady, names)
    pencil = Pencil(steady)
    ways = [steady_derivative(steady, symbol) for symbol in symbols]
    poles = [complex(s) for s in steady.poles if s.imag >= 0]
    found = [(pole, pencil.derivatives(pole, ways)) for pole in poles]
    labels = [symbol.name for symbol in symbols]
    return PoleSensitivities(
        tuple(
            PoleSensitivity(pole, dict(zip(labels, changes, strict=True)))
            for pole, changes in found
            if changes is not None
        )
    )


def steady_derivative(steady: Equilibrium, by: Symbol) -> Vector:
    """dw/d(by): how all numbers of a steady state change with one that was given."""
    equations, w = steady.equations, steady.w
    slopes, cause = equations.slopes.dense(w), equations.slopes_by([by]).dense(w)[:, 0]
    scale = np.abs(slopes).max(axis=1, initial=0.0)
    scale = np.where(scale > 0, scale, 1.0)
    change = np.zeros(len(w))
    change[equations.symbols.index(by)] = 1.0
    change[equations.free] = -np.linalg.lstsq(slopes / scale[:, None], cause / scale, rcond=SENSITIVITY_RANK)[0]
    return change


def _changing(steady: Equilibrium, names: Sequence[str]) -> list[Symbol]:
    """The symbols by which poles are differentiated: anything that was not looked for."""
    eom, equations = steady.eom, steady.equations
    known = (*eom.parameters, *eom.inputs, *eom.coordinates, *eom.speeds)
    given = {
        symbol.name: symbol for symbol in known if symbol not in equations.unknown and symbol not in equations.formulas
    }
    require_names_of(eom.model, "fixed quantity", names, given)
    return (
        [given[name] for name in names]
        if names
        else [parameter for parameter in eom.parameters if parameter.name in given]
    )


def _written(number: complex) -> str:
    dust = 1e-12 * abs(number)
    real, imag = (0.0 if abs(part) <= dust else part for part in (number.real, number.imag))
    return f"{real:.6g}{imag:+.6g}i" if imag else f"{real:.6g}"


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
