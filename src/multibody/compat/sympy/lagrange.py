"""Lagrange's equations for a Lagrangian that was written in SymPy, formed in the graph.

    p = ∂L/∂q̇,   ṗ - ∂L/∂q = Q + Bᵀ·λ,   M = ∂p/∂q̇

The energy is E = p·q̇ - L, with the rate Q·q̇ + λ·B·q̇ - ∂L/∂t; it is T + V where nothing is moved from outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from multibody.compat.sympy.bodies_and_loads import ActingLoad
from multibody.compat.sympy.kinematics import SympyKinematics
from multibody.compat.sympy.mechanism import Mechanism
from multibody.compat.sympy.read_equations import EnergyTerms
from multibody.graph import ONE, ZERO, Expr, array, directional, free_symbols, gradient, jacobian, product, substitute
from multibody.graph.linear_algebra import Matrix


class Lagrangian:
    """L in coordinates and their rates, and loads beside it."""

    def __init__(self, kinematics: SympyKinematics, lagrangian: Any, mechanism: Mechanism | None) -> None:
        self._kinematics = kinematics
        self.value: Expr = kinematics.read(lagrangian)
        self._mechanism = mechanism
        self._p = gradient(self.value, kinematics.u)

    def balance(self) -> tuple[Matrix, Matrix, Matrix]:
        """M, h and f."""
        q, u = self._kinematics.q, self._kinematics.u
        M = jacobian(self._p, u)
        h = array(self._kinematics.change(self._p)) - array(gradient(self.value, q))
        forces = [self._generalized(load) for load in self._loads]
        return M, h, sum(forces, array([ZERO] * len(u)))

    @property
    def _loads(self) -> Sequence[ActingLoad]:
        return self._mechanism.loads if self._mechanism else ()

    def _generalized(self, load: ActingLoad) -> Matrix:
        assert self._mechanism is not None
        return self._mechanism.forces([load])

    def energy(self) -> EnergyTerms:
        """p·q̇ - L in two parts, of which one does not depend on the rates, and the powers."""
        u = self._kinematics.u
        potential = -substitute(self.value, dict.fromkeys(u, ZERO))
        kinetic = product(array(self._p), array(list(u))) - self.value - potential
        inputs: Expr = ZERO
        dissipated: Expr = ZERO
        for load in self._loads:
            power = product(self._generalized(load), array(list(u)))
            driven = any(symbol.kind == "input" for symbol in free_symbols(power))
            inputs, dissipated = (inputs + power, dissipated) if driven else (inputs, dissipated - power)
        return EnergyTerms(kinetic, potential, inputs, dissipated, -self._change_from_outside())

    def _change_from_outside(self) -> Expr:
        """∂L/∂t, also by inputs that change."""
        vocabulary = self._kinematics.vocabulary
        rates: dict[Expr, Expr] = {vocabulary.time: ONE, **vocabulary.input_rates(self.value)}
        changing: Expr = directional(self.value, rates)
        return changing
