"""Equations of motion as SymPy's ``SymbolicSystem``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from multibody.equations import EquationsOfMotion
from multibody.graph import array, product, rank, to_sympy
from multibody.graph.sympy_system import symbolic_system

if TYPE_CHECKING:
    from sympy.physics.mechanics import SymbolicSystem


def written_equations(eom: EquationsOfMotion) -> SymbolicSystem:
    """q̇ and M·u̇ = f - h + Bᵀ·λ with λ put in; (q̇, u̇) explicitly if M is singular, as bodies without mass make it."""
    parts = (eom.coordinates, eom.speeds, eom.rates, eom.acceleration)
    q, u, rates, acceleration = (_column(part) for part in parts)
    if len(eom.speeds) and rank(eom.M) < len(eom.speeds):
        return symbolic_system(q, u, rates, acceleration, None)
    right = eom.f - eom.h
    if len(eom.constraints):
        right = right + product(eom.B.T, array(list(eom.multiplier_values)))
    return symbolic_system(q, u, rates, acceleration, (to_sympy(eom.M), _column(right)))


def _column(entries: Any) -> Any:
    return to_sympy([[entry] for entry in entries])
