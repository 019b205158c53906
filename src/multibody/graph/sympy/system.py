"""Equations of motion as SymPy's ``SymbolicSystem``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from sympy.physics.mechanics import SymbolicSystem

ATTRIBUTE = "constrained_form"
"""The attribute of a ``SymbolicSystem`` that keeps what its three forms cannot hold."""


REDUNDANT = "redundant_constraints"
"""The attribute of SymPy's ``System`` that keeps constraints which follow from the others near the start, by name.

SymPy needs independent constraints; elsewhere, others may be independent.
"""


class ConstrainedForm(NamedTuple):
    """M·u̇ = forces + Bᵀ·λ with the constraints, as SymPy expressions: a ``SymbolicSystem`` has no place for them.

    Attributes:
        mass_matrix: M.
        forces: the column f - h, without constraint forces.
        constraints: what stays zero, by name: an expression of coordinates, or one of speeds.
        quaternions: groups of coordinates that have unit length, by their numbers.
    """

    mass_matrix: Any
    forces: Any
    constraints: Mapping[str, Any]
    quaternions: tuple[tuple[int, ...], ...] = ()


def symbolic_system(
    q: Any, u: Any, rates: Any, acceleration: Any, implicit: tuple[Any, Any] | None, motion: ConstrainedForm
) -> SymbolicSystem:
    """From columns of SymPy expressions: q̇ = rates beside M·u̇ = right, or (q̇, u̇) explicitly if that is not given.

    The constraints of ``motion`` are kept with it.
    """
    from sympy.physics.mechanics import SymbolicSystem

    if implicit is None:
        made = SymbolicSystem(q, rates.col_join(acceleration), speeds=u)
    else:
        made = SymbolicSystem(q, implicit[1], speeds=u, mass_matrix=implicit[0], coordinate_derivatives=rates)
    setattr(made, ATTRIBUTE, motion)
    return made


def constrained_form(system: SymbolicSystem) -> ConstrainedForm | None:
    """What was kept with a ``SymbolicSystem`` that this library has made; None for others."""
    found = getattr(system, ATTRIBUTE, None)
    return found if isinstance(found, ConstrainedForm) else None
