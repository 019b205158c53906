"""Equations of motion as SymPy's ``SymbolicSystem``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sympy.physics.mechanics import SymbolicSystem


def symbolic_system(q: Any, u: Any, rates: Any, acceleration: Any, implicit: tuple[Any, Any] | None) -> SymbolicSystem:
    """From columns of SymPy expressions: q̇ = rates beside M·u̇ = right, or (q̇, u̇) explicitly if that is not given."""
    from sympy.physics.mechanics import SymbolicSystem

    if implicit is None:
        return SymbolicSystem(q, rates.col_join(acceleration), speeds=u)
    return SymbolicSystem(q, implicit[1], speeds=u, mass_matrix=implicit[0], coordinate_derivatives=rates)
