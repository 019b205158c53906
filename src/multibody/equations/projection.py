"""Back onto the constraints: one Newton step for positions and velocities, as expressions to be compiled.

Positions are corrected by N·δ with δ = -M⁻¹·Bᵀ·(B·M⁻¹·Bᵀ)⁻¹·φ, velocities by the same with B·u + β: the smallest
correction in the sense of kinetic energy. Quaternions are brought back to unit length.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from multibody.equations.equations import EquationsOfMotion
from multibody.equations.solution import solved_softly, tips_first
from multibody.errors import SingularMatrixError
from multibody.graph import ONE, ZERO, Expr, absolute, array, ldl, ldl_solve, maximum, product, sqrt
from multibody.graph.linear_algebra import Matrix
from multibody.model.assembly import angles_of

LARGE = 1000.0
"""A speed from which on rounding is felt in velocities, and a length from which on it is felt in positions."""


class Correction(NamedTuple):
    """A state nearer to the constraints.

    Attributes:
        q: corrected coordinates.
        u: corrected speeds.
        gaps: the largest |φ| and the largest |B·u + β| before the correction; at lengths and speeds above ``LARGE`` in
            proportion, because rounding grows with them.
    """

    q: list[Expr]
    u: list[Expr]
    gaps: list[Expr]


def correction(eom: EquationsOfMotion, softness: float = 0.0) -> Correction | None:
    """One step towards the constraints, softer where they are not independent; None if there is nothing to keep."""
    rows, softness = list(eom.constraints.acting), max(softness, eom.constraints.softness)
    quaternions = eom.model.quaternions
    if not rows and not quaternions:
        return None
    q, u = array(list(eom.coordinates)), array(list(eom.speeds))
    gaps: list[Expr] = [ZERO, ZERO]
    if rows:
        moved, gap = _moved(eom, rows, [eom.constraints.velocity[row] for row in rows], u, softness)
        u, gaps[1] = moved, gap / maximum(ONE, _largest(eom.speeds) / LARGE)
    positions = {row: eom.constraints.equations[row].position for row in rows}
    closed = [row for row, position in positions.items() if position is not None]
    if closed:
        phi = [position for position in positions.values() if position is not None]
        shift, gap = _moved(eom, closed, phi, array([ZERO] * len(eom.speeds)), softness)
        gaps[0] = gap / maximum(ONE, _largest(_lengths(eom)) / LARGE)
        q = q + product(eom.N, shift)
    for places in quaternions:
        square = sum((q[k] * q[k] for k in places), ZERO)
        gaps[0] = maximum(gaps[0], absolute(square - 1))
        q[places] = q[places] / sqrt(square)
    return Correction(list(q), list(u), gaps)


def _moved(
    eom: EquationsOfMotion, rows: list[int], gap: list[Expr], start: Matrix, softness: float
) -> tuple[Matrix, Expr]:
    """start - W·Bᵀ·(B·W·Bᵀ)⁻¹·gap with W = M⁻¹, or W = 1 where M is singular; and the largest gap."""
    B = eom.B[rows]
    effect = _compliance(eom, B)
    forces = solved_softly(product(B, effect), array(gap), softness)
    return start - product(effect, forces), _largest(gap)


def _lengths(eom: EquationsOfMotion) -> list[Expr]:
    """The coordinates that may become large: neither angles nor parts of quaternions."""
    bounded = angles_of(eom.model) | {eom.coordinates[k] for places in eom.model.quaternions for k in places}
    return [one for one in eom.coordinates if one not in bounded]


def _largest(values: Iterable[Expr]) -> Expr:
    found: Expr = ZERO
    for one in values:
        found = maximum(found, absolute(one))
    return found


def _compliance(eom: EquationsOfMotion, B: Matrix) -> Matrix:
    """M⁻¹·Bᵀ; Bᵀ where bodies without mass make M singular."""
    order = tips_first(eom.model)
    try:
        factors = ldl(eom.M[np.ix_(order, order)])
    except SingularMatrixError:
        return B.T
    result = np.empty(B.T.shape, dtype=object)
    result[order] = ldl_solve(factors, B.T[order])
    return result
