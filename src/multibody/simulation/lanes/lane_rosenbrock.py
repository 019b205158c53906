"""Steps of Rosenbrock methods in all lanes, as ``rosenbrock_steps`` for one run. Loaded late: all here is compiled.

Each lane has a Jacobian, a factored matrix and an order of pivots of its own.
"""

from __future__ import annotations

from typing import Any

from multibody.compiler.loops.language import (
    EPSILON,
    call,
    compiled,
    copy,
    doubles,
    larger,
    row,
    smaller,
    weighted,
    whole,
)
from multibody.simulation.kernel.rosenbrock_steps import TIME_NUDGE
from multibody.simulation.lanes.lane_record import LANES
from multibody.simulation.lanes.lane_registers import (
    chosen,
    difference,
    minus_product,
    plus,
    product,
    product_plus,
    quotient,
)
from multibody.simulation.lanes.lane_steps import combine, evaluate, finite_in_lane


@compiled
def rosenbrock(run: Any) -> None:
    """From y to new; lanes in which that is not possible get states that are not finite."""
    linearize(run)
    factorize(run)
    for k in range(1, run.stages):
        solve_stage(run, k)
    combine(run, run.stages, run.new)


@compiled
def linearize(run: Any) -> None:
    """J and g at the beginning of the step; lanes without a value of the exact J are given up."""
    copy(run.t, run.bound_t, LANES)
    copy(run.y, run.bound_y, run.width)
    call(run.jacobian_at, run.jacobian_ports, run.jacobian_more)
    tries = doubles(run.tries)
    for lane in range(LANES):
        if not finite_in_lane(run.bound_slopes, lane, run.size * run.width):
            tries[lane] = run.max_steps
    if run.timed:
        time_derivative(run)


@compiled
def time_derivative(run: Any) -> None:
    """The change of rates with time, by a difference; a step that is tried again keeps it."""
    t, h, now, step = doubles(run.t), doubles(run.h), doubles(run.bound_t), doubles(run.rest)
    for lane in range(LANES):
        step[lane] = smaller(h[lane], larger(TIME_NUDGE * h[lane], 256.0 * EPSILON * abs(t[lane])))
        step[lane] = step[lane] if step[lane] > 0.0 else 1.0  # of lanes without a run
        now[lane] = t[lane] + step[lane]
    evaluate(run, run.y, run.new)
    for i in range(run.size):
        at = row(0, i, LANES)
        difference(run.new + at, run.new + at, run.K + at)
        quotient(run.new + at, run.new + at, run.rest)
        chosen(run.drift + at, run.rejected_last, run.drift + at, run.new + at)


@compiled
def solve_stage(run: Any, k: int) -> None:
    """The rate K_k."""
    t, h, now, share = doubles(run.t), doubles(run.h), doubles(run.bound_t), doubles(run.rest)
    c, d = doubles(run.c)[k], doubles(run.d)[k]
    rate = row(run.K, k, run.width)
    for lane in range(LANES):
        now[lane] = t[lane] + c * h[lane]
        share[lane] = h[lane] * d
    if k == 1:
        copy(run.K, rate, run.width)
    else:
        combine(run, k, run.bound_y)
        evaluate(run, run.bound_y, rate)
    weighted(run, row(run.C, k, run.rows), k, run.new)
    for i in range(run.size):
        at = row(0, i, LANES)
        if run.timed:
            product_plus(run.new + at, run.rest, run.drift + at, run.new + at)
        plus(rate + at, rate + at, run.new + at)
    solve(run, rate)


@compiled
def factorize(run: Any) -> None:
    """The matrices 1/γ - h·J as L·U with partial pivoting; a singular one leads to numbers that are not finite."""
    count, h, minus, diagonal = run.coordinates + run.speeds, doubles(run.h), doubles(run.rest), 1.0 / run.gamma
    matrix = doubles(run.matrix)
    for lane in range(LANES):
        minus[lane] = -h[lane]
    for i in range(count):
        for j in range(count):
            product(entry(run, i, j), run.rest, row(run.bound_slopes, i * run.size + j, LANES))
        for lane in range(LANES):
            matrix[(i * count + i) * LANES + lane] += diagonal
    for k in range(count):
        exchange_rows(run, k, count)
        for i in range(k + 1, count):
            if some_nonzero(entry(run, i, k)):
                quotient(entry(run, i, k), entry(run, i, k), entry(run, k, k))
                for j in range(k + 1, count):
                    minus_product(entry(run, i, j), entry(run, i, k), entry(run, k, j), entry(run, i, j))


@compiled
def entry(run: Any, i: int, j: int) -> int:
    """The address of an entry of all matrices."""
    return row(run.matrix, i * (run.coordinates + run.speeds) + j, LANES)


@compiled
def exchange_rows(run: Any, k: int, count: int) -> None:
    """Bring the largest entry of column k, from row k on, into row k; in each lane by itself."""
    matrix, pivots = doubles(run.matrix), doubles(row(run.pivots, k, LANES))
    for lane in range(LANES):
        best, largest = k, abs(matrix[(k * count + k) * LANES + lane])
        for i in range(k + 1, count):
            size = abs(matrix[(i * count + k) * LANES + lane])
            if size > largest:
                best, largest = i, size
        pivots[lane] = best
        if best != k:
            for j in range(count):
                one, other = (k * count + j) * LANES + lane, (best * count + j) * LANES + lane
                matrix[one], matrix[other] = matrix[other], matrix[one]


@compiled
def some_nonzero(address: int) -> bool:
    """Whether a number in any lane is not zero."""
    values, found = doubles(address), False
    for lane in range(LANES):
        found = found or values[lane] != 0.0
    return found


@compiled
def solve(run: Any, address: int) -> None:
    """Solve with the factored matrices, in place; works follow from the other rates."""
    count, x, pivots = run.coordinates + run.speeds, doubles(address), doubles(run.pivots)
    for k in range(count):
        for lane in range(LANES):
            one, other = k * LANES + lane, whole(pivots[k * LANES + lane]) * LANES + lane
            x[one], x[other] = x[other], x[one]
    for i in range(1, count):
        for j in range(i):
            minus_product(row(address, i, LANES), entry(run, i, j), row(address, j, LANES), row(address, i, LANES))
    for i in range(count - 1, -1, -1):
        for j in range(i + 1, count):
            minus_product(row(address, i, LANES), entry(run, i, j), row(address, j, LANES), row(address, i, LANES))
        quotient(row(address, i, LANES), row(address, i, LANES), entry(run, i, i))
    for i in range(count, run.size):
        total = row(run.new, i, LANES)
        for lane in range(LANES):
            doubles(total)[lane] = 0.0
        for j in range(count):
            product_plus(total, row(run.bound_slopes, i * run.size + j, LANES), row(address, j, LANES), total)
        product_plus(row(address, i, LANES), run.h, total, row(address, i, LANES))
        for lane in range(LANES):
            x[i * LANES + lane] *= run.gamma
