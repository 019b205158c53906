"""Back onto the constraints: one Newton step for positions and velocities, as expressions to be compiled.

Positions are corrected by N·δ with δ = -M⁻¹·Bᵀ·(B·M⁻¹·Bᵀ)⁻¹·φ, velocities by the same with B·u + β: the smallest
correction in the sense of kinetic energy. Quaternions are brought back to unit length.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from multibody.equations.contract import MotionEquations
from multibody.equations.regularized import regularized
from multibody.equations.solution import tips_first
from multibody.equations.tolerances import CORRECTION_SOFTNESS, DEPENDENT_PIVOT, FORCE_SOFTNESS, LARGE_LENGTH_OR_SPEED
from multibody.errors import SingularMatrixError
from multibody.graph import ONE, ZERO, Expr, absolute, array, ldl, ldl_solve, maximum, product, sqrt, where
from multibody.graph.functions import largest
from multibody.graph.linear_algebra import Matrix
from multibody.mechanics.constraints.gap_scales import length_coordinates, length_speeds


class Correction(NamedTuple):
    """A state nearer to the constraints.

    Attributes:
        q: corrected coordinates.
        u: corrected speeds.
        gaps: the largest |φ| and the largest |B·u + β| before the correction, relative to the sizes of the equations;
            above ``LARGE_LENGTH_OR_SPEED`` of these, to lengths and speeds, because rounding grows with them.
        plain_gaps: the same in the units of the equations; above ``LARGE_LENGTH_OR_SPEED`` in proportion.
        regularity: the smallest relative pivot of B·M⁻¹·Bᵀ; tiny where the constraints are not independent. There,
            velocities must not be corrected before positions.
    """

    q: list[Expr]
    u: list[Expr]
    gaps: list[Expr]
    plain_gaps: list[Expr]
    regularity: Expr


def correction(eom: MotionEquations) -> Correction | None:
    """One step towards the constraints; None if there is nothing to keep."""
    rows = list(eom.constraints.acting)
    quaternions = eom.model.quaternions
    if not rows and not quaternions:
        return None
    q, u = array(list(eom.coordinates)), array(list(eom.speeds))
    gaps: list[Expr] = [ZERO, ZERO]
    plain_gaps: list[Expr] = [ZERO, ZERO]
    lengths, length_rates = _largest(length_coordinates(eom.model)), _largest(length_speeds(eom.model))
    sliding = set(length_speeds(eom.model))
    turn_rates = _largest(one for one in eom.speeds if one not in sliding)
    regularity: Expr = ONE
    if rows:
        moving = [eom.constraints.velocity[row] for row in rows]
        change, regularity = _change(eom, rows, moving)
        u = u - change
        plain_gaps[1] = _largest(moving) / maximum(ONE, maximum(length_rates, turn_rates) / LARGE_LENGTH_OR_SPEED)
        turns = maximum(ONE, turn_rates / LARGE_LENGTH_OR_SPEED)
        gaps[1] = _largest_share(eom, rows, moving, turns, length_rates)
    positions = {row: eom.constraints.equations[row].position for row in rows}
    closed = [row for row, position in positions.items() if position is not None]
    if closed:
        phi = [position for position in positions.values() if position is not None]
        shift, _ = _change(eom, closed, phi)
        plain_gaps[0] = _largest(phi) / maximum(ONE, lengths / LARGE_LENGTH_OR_SPEED)
        gaps[0] = _largest_share(eom, closed, phi, ONE, lengths)
        q = q - product(eom.N, shift)
    for places in quaternions:
        square = sum((q[k] * q[k] for k in places), ZERO)
        gaps[0], plain_gaps[0] = (maximum(one, absolute(square - 1)) for one in (gaps[0], plain_gaps[0]))
        q[places] = q[places] / sqrt(square)
    return Correction(list(q), list(u), gaps, plain_gaps, regularity)


def dependent_rows(eom: MotionEquations) -> Expr:
    """How many of the constraint equations that act follow from others before them, by the size of pivots."""
    constraints, B = eom.constraints, eom.B[list(eom.constraints.acting)]
    factors = regularized(product(B, _compliance(eom, B)), constraints.units, FORCE_SOFTNESS)
    pivots = zip(factors.factors.d, factors.scales, strict=True)
    return sum((where(pivot < DEPENDENT_PIVOT * scale, 1, 0) for pivot, scale in pivots), ZERO)


def _change(eom: MotionEquations, rows: list[int], gap: list[Expr]) -> tuple[Matrix, Expr]:
    """W·Bᵀ·(B·W·Bᵀ)⁻¹·gap with W = M⁻¹, or W = 1 where M is singular; and the smallest pivot.

    The share ε/(σ + ε) that a correction leaves in a direction with the relative eigenvalue σ is left to the next one.
    """
    constraints, B = eom.constraints, eom.B[rows]
    units = [unit for row, unit in zip(constraints.acting, constraints.units, strict=True) if row in rows]
    effect = _compliance(eom, B)
    always = constraints.always_independent
    factors = regularized(product(B, effect), units, 0.0 if always else CORRECTION_SOFTNESS)
    return product(effect, factors.solved(array(gap))), ONE if always else factors.smallest_pivot


def _largest_share(
    eom: MotionEquations, rows: list[int], gaps: list[Expr], turns: Expr, large: Expr
) -> Expr:  # fmt: skip
    """The largest gap relative to the size of its equation times a factor, or to a large length or its rate."""
    constraints, of_size = eom.constraints, dict[Expr, list[Expr]]()
    for row, gap in zip(rows, gaps, strict=True):
        size = constraints.sizes.equations[row] * turns
        is_angle = constraints.unit(row) == "torque"
        allowed = size if is_angle else maximum(size, large / LARGE_LENGTH_OR_SPEED)
        of_size.setdefault(allowed, []).append(gap)
    return largest([ZERO, *(_largest(group) / allowed for allowed, group in of_size.items())])


def _largest(values: Iterable[Expr]) -> Expr:
    return largest([ZERO, *map(absolute, values)])


def _compliance(eom: MotionEquations, B: Matrix) -> Matrix:
    """M⁻¹·Bᵀ; Bᵀ where bodies without mass make M singular."""
    order = tips_first(eom.model)
    try:
        factors = ldl(eom.M[np.ix_(order, order)])
    except SingularMatrixError:
        return B.T
    result = np.empty(B.T.shape, dtype=object)
    result[order] = ldl_solve(factors, B.T[order])
    return result
