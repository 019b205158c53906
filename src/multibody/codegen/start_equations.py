"""From a guess to start values that keep the constraints, as our own runs begin: what the user has given stays.

One step of Newton's method is Δx = -Jᵀ·(J·Jᵀ)⁻¹·g with the derivatives J of the gaps g by those states that may move:
the shortest step. These are the states whose start values were left open, or all if they do not suffice.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import Any, NamedTuple

import numpy as np

from multibody.codegen.program_data import ProgramData
from multibody.equations.regularized import regularized
from multibody.equations.tolerances import CORRECTION_SOFTNESS
from multibody.graph import ZERO, Expr, Symbol, absolute, array, evaluate, jacobian, maximum, product
from multibody.graph.linear_algebra import Matrix
from multibody.mechanics.constraints.equations import quaternion_gaps

INDEPENDENT = 1e-6
"""Singular values below this share of the largest one count as zero."""


SOME = 1.2345
"""In the place of a parameter that has no value, where only ranks are asked for."""


class AssemblyStep(NamedTuple):
    """Start values nearer to the constraints.

    Attributes:
        q: coordinates after a step.
        u: speeds after a step.
        gaps: the largest |φ|, or |quaternion|² - 1, and the largest |B·u + β| before it.
    """

    q: list[Expr]
    u: list[Expr]
    gaps: list[Expr]


class Closure(NamedTuple):
    """What start values must fulfil: gaps that vanish, and their derivatives by those that may be moved.

    Attributes:
        gaps: φ, what keeps axes from pointing the wrong way, and |quaternion|² - 1.
        slopes: their derivatives by the coordinates.
        rate_gaps: B·u + β.
        rate_slopes: their derivatives by the speeds.
    """

    gaps: list[Expr]
    slopes: Matrix
    rate_gaps: list[Expr]
    rate_slopes: Matrix


def closure(program: ProgramData) -> Closure | None:
    """The equations for start values; None if there are none."""
    eom = program.eom
    if not len(eom.constraints) and not eom.model.quaternions:
        return None
    gaps = [*eom.constraints.gaps, *_lengths(program)]
    rates = list(eom.constraints.velocity)
    return Closure(gaps, _slopes(gaps, eom.coordinates), rates, _slopes(rates, eom.speeds))


def _lengths(program: ProgramData) -> list[Expr]:
    """|quaternion|² - 1."""
    return quaternion_gaps(program.eom.model)


def _slopes(values: Sequence[Expr], symbols: Sequence[Symbol]) -> Matrix:
    if not values or not symbols:
        return np.empty((len(values), len(symbols)), dtype=object)
    return jacobian(list(values), list(symbols)).reshape(len(values), len(symbols))


def assembly_step(program: ProgramData) -> AssemblyStep | None:
    """One step towards the constraints; None if there are none. Speeds follow when coordinates have come to rest."""
    eom, rows = program.eom, program.eom.constraints.acting
    if not rows:
        return None
    positions = [eom.constraints.equations[row].position for row in rows]
    closed = [position for position in positions if position is not None]
    closed += _lengths(program)
    moving = [eom.constraints.velocity[row] for row in rows]
    return AssemblyStep(
        _nearer(program, closed, eom.coordinates),
        _nearer(program, moving, eom.speeds),
        [_largest(closed), _largest(moving)],
    )


def _nearer(program: ProgramData, gaps: Sequence[Expr], symbols: Sequence[Symbol]) -> list[Expr]:
    """The states after one step."""
    states = array(list(symbols))
    if not gaps:
        return list(states)
    slopes = _slopes(gaps, symbols)
    free = _movable(program, slopes, symbols)
    J = slopes[:, free]
    softness = 0.0 if program.eom.constraints.always_independent else CORRECTION_SOFTNESS
    shares = regularized(product(J, J.T), ["gap"] * len(gaps), softness).refined(array(list(gaps)))
    states[free] = states[free] - product(J.T, shares)
    return list(states)


def _movable(program: ProgramData, slopes: Matrix, symbols: Sequence[Symbol]) -> list[int]:
    """The positions of the states that were left open, if they can close all gaps; else all positions."""
    known: dict[Any, float] = {
        variable.symbol: variable.value for group in program.arguments.values() for variable in group
    }
    known |= {parameter.symbol: SOME for parameter in program.parameters if isnan(parameter.value)}
    values = evaluate(list(slopes.flat), known | {program.eom.model.time: 0.0})
    numbers = np.array(values, dtype=float).reshape(slopes.shape)
    left = [k for k, symbol in enumerate(symbols) if symbol.name not in program.eom.model.written]
    enough = bool(left) and _rank(numbers[:, left]) == _rank(numbers)
    return left if enough else list(range(len(symbols)))


def _rank(matrix: np.ndarray) -> int:
    sizes = np.linalg.svd(matrix, compute_uv=False)
    return int((sizes > INDEPENDENT * sizes.max(initial=0.0)).sum())


def _largest(values: Sequence[Expr]) -> Expr:
    found: Expr = ZERO
    for value in values:
        found = maximum(found, absolute(value))
    return found
