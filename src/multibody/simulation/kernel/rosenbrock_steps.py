"""Steps of Rosenbrock methods: linearly implicit, with one factored matrix for all stages of a step.

With J = ∂f/∂y and g = ∂f/∂t at the beginning of the step, the rates K_k of the stages solve

    (1/γ - h·J)·K_k = f(t + c_k·h, y + h·Σ_j a_kj·K_j) + Σ_j C_kj·K_j + h·d_k·g

(Hairer & Wanner 1996, IV.7 (7.25), divided by h). Works are integrals: nothing depends on them, so that the matrix is
that of coordinates and speeds alone. Loaded late: everything here is compiled.
"""

from __future__ import annotations

import math
from typing import Any

from multibody.compiler.loops.language import (
    EPSILON,
    call,
    compiled,
    copy,
    doubles,
    finite,
    integers,
    larger,
    row,
    smaller,
    weighted,
)
from multibody.simulation.kernel.evaluation import evaluate, place
from multibody.simulation.kernel.run_record import ACCEPTED, NOT_FINITE

NUDGE = 6e-6
"""Relative change of an entry of the state for a central difference: about the cube root of the rounding error."""

SMALLEST_ENTRY = 1e-3
"""Entries that are smaller than this are changed by as much as if they were as large."""

TIME_NUDGE = 1e-5
"""The part of a step over which the change of rates with time is taken."""


@compiled
def rosenbrock(run: Any) -> int:
    """From y to new; the Jacobian serves all tries from the same state."""
    if run.linearized == 0:
        linearize(run)
    if not finite(run.bound_slopes, run.size * run.size) or not factored(run):
        return NOT_FINITE
    for k in range(1, run.stages):
        solve_stage(run, k)
    combine_stages(run, run.stages, run.new)
    return ACCEPTED


@compiled
def combine_stages(run: Any, k: int, result: int) -> None:
    """y + h·Σ_j a_kj·K_j."""
    y, total = doubles(run.y), doubles(result)
    weighted(run, row(run.A, k, run.rows), k, result)
    for i in range(run.width):
        total[i] = y[i] + run.h * total[i]


@compiled
def solve_stage(run: Any, k: int) -> None:
    """The rate K_k."""
    rate = row(run.K, k, run.width)
    if k == 1:
        copy(run.K, rate, run.size)
    else:
        combine_stages(run, k, run.point)
        evaluate(run, run.t + doubles(run.c)[k] * run.h, run.point, rate)
    weighted(run, row(run.C, k, run.rows), k, run.point)
    K, others, drift, share = doubles(rate), doubles(run.point), doubles(run.drift), run.h * doubles(run.d)[k]
    for i in range(run.size):
        K[i] += others[i] + share * drift[i]
    solve(run, rate)


@compiled
def linearize(run: Any) -> None:
    """J and g at the beginning of the step; columns of J without a value, by differences."""
    run.linearized, run.jacobians = 1, run.jacobians + 1
    slopes, size = doubles(run.bound_slopes), run.size
    if run.jacobian_at != 0:
        place(run, run.t, run.y)
        call(run.jacobian_at, run.jacobian_ports, run.jacobian_more)
    for k in range(run.coordinates + run.speeds):
        total = 0.0
        for i in range(size):
            total += 0.0 * slopes[i * size + k]
        if run.jacobian_at == 0 or total != 0.0:
            difference(run, k)
    drift, rate = doubles(run.drift), doubles(run.K)
    if run.timed:
        step = smaller(run.h, larger(TIME_NUDGE * run.h, 256.0 * EPSILON * abs(run.t)))
        evaluate(run, run.t + step, run.y, run.drift)
        for i in range(size):
            drift[i] = (drift[i] - rate[i]) / step


@compiled
def difference(run: Any, k: int) -> None:
    """Column k of J, by a central difference; the memory of the first stages is free before they are evaluated."""
    slopes, y, point, size = doubles(run.bound_slopes), doubles(run.y), doubles(run.point), run.size
    nudge = NUDGE * larger(abs(y[k]), SMALLEST_ENTRY)
    copy(run.y, run.point, size)
    after, before = row(run.K, 1, run.width), row(run.K, 2, run.width)
    point[k] = y[k] + nudge
    evaluate(run, run.t, run.point, after)
    point[k] = y[k] - nudge
    evaluate(run, run.t, run.point, before)
    high, low = doubles(after), doubles(before)
    for i in range(size):
        slopes[i * size + k] = (high[i] - low[i]) / (2.0 * nudge)


@compiled
def factored(run: Any) -> bool:
    """The matrix of coordinates and speeds as L·U with partial pivoting, in place; False if it is singular."""
    count, size = run.coordinates + run.speeds, run.size
    slopes, matrix, pivots = doubles(run.bound_slopes), doubles(run.matrix), integers(run.pivots)
    for i in range(count):
        for j in range(count):
            matrix[i * count + j] = -run.h * slopes[i * size + j]
        matrix[i * count + i] += 1.0 / run.gamma
    for k in range(count):
        best = k
        for i in range(k + 1, count):
            if abs(matrix[i * count + k]) > abs(matrix[best * count + k]):
                best = i
        pivots[k] = best
        pivot = matrix[best * count + k]
        if not 0.0 < abs(pivot) < math.inf:
            return False
        if best != k:
            for j in range(count):
                matrix[k * count + j], matrix[best * count + j] = matrix[best * count + j], matrix[k * count + j]
        for i in range(k + 1, count):
            if matrix[i * count + k] != 0.0:
                factor = matrix[i * count + k] / pivot
                matrix[i * count + k] = factor
                for j in range(k + 1, count):
                    matrix[i * count + j] -= factor * matrix[k * count + j]
    return True


@compiled
def solve(run: Any, address: int) -> None:
    """Solve with the factored matrix, in place; works follow from the other rates."""
    count, size = run.coordinates + run.speeds, run.size
    matrix, pivots, x, slopes = doubles(run.matrix), integers(run.pivots), doubles(address), doubles(run.bound_slopes)
    for k in range(count):
        best = pivots[k]
        if best != k:
            x[k], x[best] = x[best], x[k]
    for i in range(1, count):
        total = x[i]
        for j in range(i):
            total -= matrix[i * count + j] * x[j]
        x[i] = total
    for i in range(count - 1, -1, -1):
        total = x[i]
        for j in range(i + 1, count):
            total -= matrix[i * count + j] * x[j]
        x[i] = total / matrix[i * count + i]
    for i in range(count, size):
        total = 0.0
        for j in range(count):
            total += slopes[i * size + j] * x[j]
        x[i] = run.gamma * (x[i] + run.h * total)
