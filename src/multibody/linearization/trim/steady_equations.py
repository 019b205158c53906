"""The equations of steady states: what must vanish so that a mechanism stays as it is, or goes on as it goes.

With the rates u̇ of all speeds zero but those of speeds that may change (``moving``), and λ for the constraint forces,

    q̇ = N(q,t)·u + ν(q,t) = 0                for coordinates that stay where they are,
    M·u̇ + h(q,u) - f(q,u,r) - Bᵀ·λ = 0,
    φ(q,t) = 0,   B·u + β = 0,   B·u̇ + γ = 0.

All of it is one vector F(w) of one vector w = (t, q, u, u̇, λ, r, p), with its exact derivatives, compiled.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from multibody.compiler import Function
from multibody.equations import EquationsOfMotion
from multibody.graph import ZERO, Expr, Symbol, array, evaluate, isolated, jacobian, product, substitute, topological
from multibody.graph.node import within
from multibody.linearization.derivatives.sparse_jacobians import SparseFunction
from multibody.linearization.operating_points.point import OperatingPoint
from multibody.mechanics.assembly.assembly import Vector
from multibody.mechanics.constraints.equations import quaternion_gaps

Row = tuple[str, Expr]
"""What an equation is about, in the user's words, and what must vanish."""


class SteadyEquations:
    """F(w) = 0 for some unknown entries of w.

    Args:
        eom: equations of motion.
        unknown: coordinates, speeds, inputs and parameters that are looked for.
        moving: coordinates and speeds whose rates need not vanish.
        given: names of parameters whose values are given; others follow the formulas that are their defaults.

    Attributes:
        symbols: of all entries of w.
        free: the places in w of what is looked for: ``unknown``, rates of speeds that move, and λ.
    """

    def __init__(
        self, eom: EquationsOfMotion, unknown: Sequence[Symbol], moving: Sequence[Symbol], given: Collection[str] = ()
    ) -> None:
        self.eom = eom
        self.unknown, self.moving = tuple(unknown), tuple(moving)
        rates = eom.model.accelerations
        self._groups: tuple[tuple[Symbol, ...], ...] = (
            (eom.model.time,), eom.coordinates, eom.speeds, rates, eom.multipliers, eom.inputs, eom.parameters,
        )  # fmt: skip
        self.symbols = tuple(variable for group in self._groups for variable in group)
        changing = [rate for rate, speed in zip(rates, eom.speeds, strict=True) if speed in moving]
        places = {symbol: k for k, symbol in enumerate(self.symbols)}
        self.free = np.array([places[symbol] for symbol in (*unknown, *changing, *eom.multipliers)], dtype=np.intp)
        self._still: dict[Expr, Expr] = {rate: ZERO for rate in rates if rate not in changing}
        self.formulas = _formulas(eom, {*given, *(symbol.name for symbol in unknown)})

    # expressions -------------------------------------------------------------------------------------------------

    @cached_property
    def rows(self) -> list[Row]:
        """All equations."""
        with within(self.eom.table):
            found = [*self._kinematics(), *self._dynamics(), *self._constraints()]
        with isolated(*topological([value for _, value in found])):
            values = substitute([value for _, value in found], {**self._still, **self.formulas}) if found else []
        return [(label, value) for (label, _), value in zip(found, values, strict=True)]

    @property
    def force_rows(self) -> slice:
        """The places of the balances of forces among the equations."""
        before = sum(q not in self.moving for q in self.eom.coordinates)
        return slice(before, before + len(self.eom.speeds))

    def _kinematics(self) -> Iterator[Row]:
        for q, rate in zip(self.eom.coordinates, self.eom.rates, strict=True):
            if q not in self.moving:
                yield f"the rate of '{q}'", rate

    def _dynamics(self) -> Iterator[Row]:
        forces = array(self.eom.kinetics.residual())
        if len(self.eom.constraints):
            forces = forces - product(self.eom.B.T, array(list(self.eom.multipliers)))
        for u, force in zip(self.eom.speeds, forces, strict=True):
            yield f"the balance of forces along '{u}'", force

    def _constraints(self) -> Iterator[Row]:
        constraints = self.eom.constraints
        for k, gap in enumerate(constraints.gaps):
            holonomic = constraints.holonomic
            named = constraints.names[holonomic[k]] if k < len(holonomic) else "the direction of an axis"
            yield f"the position of '{named}'", gap
        if len(constraints):
            changes = product(self.eom.B, array(list(self.eom.model.accelerations))) + self.eom.gamma
            for name, velocity, change in zip(constraints.names, constraints.velocity, changes, strict=True):
                yield f"the velocity of '{name}'", velocity
                yield f"the acceleration of '{name}'", change
        model = self.eom.model
        for places, gap in zip(model.quaternions, quaternion_gaps(model), strict=True):
            yield f"the length of the quaternion of '{model.coordinates[places[0]]}'", gap

    # numbers -----------------------------------------------------------------------------------------------------

    @cached_property
    def residual(self) -> Function:
        """w → F."""
        outputs = {"residual": [value for _, value in self.rows]}
        return Function(f"{self.eom.model.name}_steady", {"w": self.symbols}, outputs)

    @cached_property
    def slopes(self) -> SparseFunction:
        """w → ∂F/∂w for the unknown entries."""
        return self.slopes_by([self.symbols[k] for k in self.free])

    def slopes_by(self, symbols: Sequence[Symbol]) -> SparseFunction:
        """w → ∂F/∂symbols."""
        outputs = [value for _, value in self.rows]
        with isolated(*topological(outputs)):
            matrix = jacobian(outputs, symbols).reshape(len(outputs), len(symbols))
        return SparseFunction(f"{self.eom.model.name}_steady_slopes", {"w": self.symbols}, matrix)

    def point(self, w: Vector) -> OperatingPoint:
        """The operating point that w describes."""
        ends = np.cumsum([len(group) for group in self._groups])
        t, q, u, rates, forces, r, p = np.split(w.copy(), ends[:-1])
        known: dict[Symbol | str, Any] = dict(zip(self.eom.parameters, map(float, p), strict=True))
        for k, parameter in enumerate(self.eom.parameters):
            p[k] = float(evaluate(self.formulas[parameter], known)) if parameter in self.formulas else p[k]
        return OperatingPoint(self.eom.model, float(t[0]), q, u, r, p, rates, forces)


def steady_equations(
    eom: EquationsOfMotion, unknown: Sequence[Symbol], moving: Sequence[Symbol], given: Collection[str] = ()
) -> SteadyEquations:
    """The equations, which are made once for each choice of unknowns, and kept with the equations of motion."""
    key = "steady", tuple(unknown), tuple(moving), frozenset(given)
    return eom.once(key, lambda: SteadyEquations(eom, unknown, moving, given))


def _formulas(eom: EquationsOfMotion, given: Collection[str]) -> dict[Expr, Expr]:
    """Parameters that follow from others, in terms of those that do not."""
    pairs = [(symbol, default) for parameter in eom.model.parameters for symbol, default in parameter.default.items()]
    found: dict[Expr, Expr] = {
        symbol: default
        for symbol, default in pairs
        if default is not None and default.op != "const" and symbol.name not in given
    }
    for _ in range(len(found)):  # formulas of formulas
        found = {symbol: substitute(default, found) for symbol, default in found.items()}
    return found
