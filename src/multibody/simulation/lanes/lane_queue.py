"""Which run is in which lane: a lane that has finished takes the next one. Loaded late: everything here is compiled."""

from __future__ import annotations

import math
from typing import Any

from multibody.compiler.loops.language import (
    call,
    compiled,
    copy,
    doubles,
    larger,
    row,
    smaller,
    square,
    whole,
)
from multibody.simulation.kernel.error_floors import TINY, characteristic_time
from multibody.simulation.kernel.run_record import LARGEST_FLOOR, LEAST_ERROR
from multibody.simulation.kernel.step_size import first_step, smallest_step, step_to_look
from multibody.simulation.lanes.lane_record import IDLE, LANES
from multibody.simulation.lanes.lane_steps import evaluate, find_floors


@compiled
def fill(run: Any) -> bool:
    """Give idle lanes the next runs; whether there is anything to do."""
    doing, fresh = doubles(run.doing), doubles(run.fresh)
    some, busy = False, False
    for lane in range(LANES):
        fresh[lane] = 0.0
        if doing[lane] == IDLE and run.taken < run.runs:
            load(run, lane, run.taken)
            doing[lane], fresh[lane], some = run.taken, 1.0, True
            run.taken += 1
        busy = busy or doing[lane] != IDLE
    if some:
        begin(run)
    return busy


@compiled
def load(run: Any, lane: int, k: int) -> None:
    """The start of run k, into a lane."""
    into_lane(row(run.starts, k, run.size), run.y, lane, run.size)
    y, scales, noises = doubles(run.y), doubles(run.scales), doubles(run.noises)
    for i in range(lane, LANES * (run.coordinates + run.speeds + run.works), LANES):
        scales[i], noises[i] = abs(y[i]), 0.0
    into_lane(row(run.all_r, k, run.inputs), run.bound_r, lane, run.inputs)
    into_lane(row(run.all_p, k, run.parameters), run.bound_p, lane, run.parameters)
    doubles(run.t)[lane] = doubles(run.next)[lane] = run.start
    doubles(run.tries)[lane] = doubles(run.rejected_last)[lane] = 0.0
    doubles(run.last_error)[lane] = LEAST_ERROR
    doubles(run.rejected_h)[lane] = doubles(run.corner)[lane] = 0.0
    keep_start(run, lane, k)


@compiled
def keep_start(run: Any, lane: int, k: int) -> None:
    """Samples at the start are known."""
    times, kept = doubles(run.sample_t), 0
    while kept < run.wanted and times[kept] <= run.start:
        copy(row(run.starts, k, run.size), row(run.sample_y, k * run.wanted + kept, run.size), run.size)
        kept += 1
    doubles(run.samples)[lane] = kept


@compiled
def into_lane(source: int, target: int, lane: int, count: int) -> None:
    """Numbers side by side, into a lane."""
    a, b = doubles(source), doubles(target)
    for i in range(count):
        b[LANES * i + lane] = a[i]


@compiled
def begin(run: Any) -> None:
    """What parameters determine, the rates at the start, and the length of the first step."""
    call(run.rhs_prepare_at, run.rhs_ports, run.rhs_more)
    if run.projection_at != 0:
        call(run.projection_prepare_at, run.projection_ports, run.projection_more)
    if run.jacobian_at != 0:
        call(run.jacobian_prepare_at, run.jacobian_ports, run.jacobian_more)
    copy(run.t, run.bound_t, LANES)
    evaluate(run, run.y, run.K)
    if run.fixed == 0.0:
        first_steps(run)


@compiled
def first_steps(run: Any) -> None:
    """The first step of the lanes that are fresh, as ``step_control.guessed_step``."""
    y, rate, point, now = doubles(run.y), doubles(run.K), doubles(run.bound_y), doubles(run.bound_t)
    fresh, h, t, step = doubles(run.fresh), doubles(run.h), doubles(run.t), doubles(run.step)
    first_floors(run)
    for lane in range(LANES):
        speed = size(run, run.K, lane)
        h[lane] = step_to_look(size(run, run.y, lane), speed, run.end - t[lane], run.max_step)
        now[lane] = t[lane] + h[lane]
        for i in range(lane, run.width, LANES):
            point[i] = y[i] + h[lane] * rate[i]
    change = doubles(row(run.K, 1, run.width))
    evaluate(run, run.bound_y, row(run.K, 1, run.width))
    for lane in range(LANES):
        if fresh[lane] != 0.0:
            for i in range(lane, run.width, LANES):
                change[i] = (change[i] - rate[i]) / h[lane]
            change_of_rate = size(run, row(run.K, 1, run.width), lane)
            guess = first_step(run.order, h[lane], size(run, run.K, lane), change_of_rate)
            step[lane] = smaller(larger(guess, smallest_step(t[lane], run.end)), run.max_step)


@compiled
def first_floors(run: Any) -> None:
    """Floors from the values at the start and their rates, as ``step_control.first_floors``."""
    y, rate, point, n = doubles(run.y), doubles(run.K), doubles(run.bound_y), run.coordinates
    t, h, end = doubles(run.t), doubles(run.h), run.coordinates + run.speeds
    for lane in range(LANES):
        h[lane] = characteristic_time(
            largest(run.y, lane, 0, n), largest(run.y, lane, n, end),
            largest(run.K, lane, 0, n), largest(run.K, lane, n, end), smaller(run.end - t[lane], run.max_step),
        )  # fmt: skip
        for i in range(lane, LANES * end, LANES):
            point[i] = larger(abs(y[i]), abs(h[lane] * rate[i]))
    find_floors(run, run.bound_y)
    floors = doubles(run.floors)
    for i in range(LANES * end):
        floors[i] = LARGEST_FLOOR if floors[i] <= TINY else floors[i]


@compiled
def largest(address: int, lane: int, first: int, last: int) -> float:
    """The largest absolute value in a lane."""
    values, found = doubles(address), 0.0
    for i in range(LANES * first + lane, LANES * last + lane, LANES):
        found = larger(found, abs(values[i]))
    return found


@compiled
def size(run: Any, address: int, lane: int) -> float:
    """The norm of a lane's values that are measured as y is."""
    values, y, floors, total = doubles(address), doubles(run.y), doubles(run.floors), 0.0
    count = run.coordinates + run.speeds
    for i in range(lane, LANES * count, LANES):
        total += square(values[i] / (floors[i] + run.rtol * abs(y[i])))
    return math.sqrt(total / count)


@compiled
def finish(run: Any, lane: int, code: int) -> None:
    """What came out of a lane; then it is free."""
    k, y = whole(doubles(run.doing)[lane]), doubles(run.y)
    ends = doubles(row(run.ends, k, run.size + 1))
    ends[0] = doubles(run.t)[lane]
    for i in range(run.size):
        ends[1 + i] = y[LANES * i + lane]
    doubles(run.codes)[k] = code
    doubles(run.doing)[lane] = IDLE
