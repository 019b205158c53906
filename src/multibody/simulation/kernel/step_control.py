"""How long a step may be, by the rules of ``step_size``. Loaded late: everything here is compiled."""

from __future__ import annotations

import math
from typing import Any

from multibody.compiler.loops.language import compiled, doubles, larger, row, smaller, square, weighted
from multibody.simulation.kernel.error_floors import MARGIN, TINY, characteristic_time, find_floors, is_noise
from multibody.simulation.kernel.evaluation import evaluate
from multibody.simulation.kernel.run_record import LARGEST_FLOOR
from multibody.simulation.kernel.step_size import combined_error, first_step, step_to_look


@compiled
def error_norm(run: Any) -> float:
    """The error of a step, 1 if it is just allowed: the root of the mean square of error over floor + rtol·|y|.

    Where works count, the mean square of their errors is added: that of coordinates and speeds is not diluted.
    With two estimates it is h·e₅²/√(e₅² + 0.01·e₃²). They share the memory of the dense output.
    """
    y, new, count = doubles(run.y), doubles(run.new), run.coordinates + run.speeds
    e5, e3 = doubles(run.F), doubles(row(run.F, 1, run.width))
    for k in range(run.estimates):
        weighted(run, row(run.E, k, run.rows), run.stages + 1, row(run.F, k, run.width))
    first, second = 0.0, 0.0
    find_floors(run, run.new, run.h)
    floors = doubles(run.floors)
    for i in range(count):
        scale = 1.0 / (floors[i] + run.rtol * larger(abs(y[i]), abs(new[i])))
        first += square(e5[i] * scale)
        if run.estimates > 1:
            second += square(e3[i] * scale)
    total = larger(count, 1.0)
    for i in range(count, count + run.works):
        weight = total / run.works / square(floors[i])
        first += weight * square(e5[i])
        if run.estimates > 1:
            second += weight * square(e3[i])
    return combined_error(run.h, first, second, total)


@compiled
def note_noise(run: Any, error: float) -> None:
    """Allow for errors of a step that is tried again if they have not decreased with its length."""
    if run.atol == 0.0 and is_noise(error, run.h, run.rejected_error, run.rejected_h):
        estimates, floors, noises = doubles(run.F), doubles(run.floors), doubles(run.noises)
        for i in range(run.coordinates + run.speeds + run.works):
            if run.h * abs(estimates[i]) > 0.1 * floors[i]:
                noises[i] = larger(noises[i], MARGIN * abs(estimates[i]))
    run.rejected_error, run.rejected_h = error, run.h if error > 1.0 else 0.0


@compiled
def guessed_step(run: Any) -> float:
    """The first step, from the sizes of y, ẏ and ÿ."""
    y, rate, point = doubles(run.y), doubles(run.K), doubles(run.point)
    change = doubles(row(run.K, 1, run.width))
    first_floors(run)
    speed = size(run, run.K)
    h = step_to_look(size(run, run.y), speed, run.end - run.t, run.max_step)
    for i in range(run.size):
        point[i] = y[i] + h * rate[i]
    evaluate(run, run.t + h, run.point, row(run.K, 1, run.width))
    for i in range(run.size):
        change[i] = (change[i] - rate[i]) / h
    return first_step(run.order, h, speed, size(run, row(run.K, 1, run.width)))


@compiled
def first_floors(run: Any) -> None:
    """Floors from the values at the start, and from what their rates will make of them."""
    y, rate, point, n = doubles(run.y), doubles(run.K), doubles(run.point), run.coordinates
    longest = smaller(run.end - run.t, run.max_step)
    time = characteristic_time(
        largest(run.y, 0, n), largest(run.y, n, n + run.speeds),
        largest(run.K, 0, n), largest(run.K, n, n + run.speeds), longest,
    )  # fmt: skip
    for i in range(run.size):
        point[i] = larger(abs(y[i]), abs(time * rate[i]))
    find_floors(run, run.point, time)
    floors = doubles(run.floors)
    for i in range(n + run.speeds):
        floors[i] = LARGEST_FLOOR if floors[i] <= TINY else floors[i]


@compiled
def largest(address: int, first: int, last: int) -> float:
    """The largest absolute value."""
    values, found = doubles(address), 0.0
    for i in range(first, last):
        found = larger(found, abs(values[i]))
    return found


@compiled
def size(run: Any, address: int) -> float:
    """The norm of values that are measured as y is."""
    values, y, count = doubles(address), doubles(run.y), run.coordinates + run.speeds
    floors, total = doubles(run.floors), 0.0
    for i in range(count):
        total += square(values[i] / (floors[i] + run.rtol * abs(y[i])))
    return math.sqrt(total / count)


@compiled
def limited_by_stability(run: Any) -> int:
    """1 if h·|∂f/∂y| is at the edge of the stability region (Hairer & Wanner 1996, IV.2 (2.26))."""
    if run.stability == 0.0:
        return 0
    late, end = doubles(row(run.K, run.stages - 1, run.width)), doubles(row(run.K, run.stages, run.width))
    point, new = doubles(run.point), doubles(run.new)
    rates, states = 0.0, 0.0
    for i in range(run.size):
        rates += square(end[i] - late[i])
        states += square(new[i] - point[i])
    return 1 if run.h * math.sqrt(rates) > run.stability * math.sqrt(states) else 0
