"""One step of all lanes, each with a length of its own. Loaded late: everything here is compiled."""

from __future__ import annotations

import math
from typing import Any

from multibody.compiler.loops.language import call, compiled, copy, doubles, larger, row, weighted
from multibody.simulation.kernel.error_floors import FADING, MARGIN, group_floor, is_noise, work_tolerance
from multibody.simulation.kernel.evaluation import AIM, ROUNDING
from multibody.simulation.kernel.run_record import ABSURD, REGULAR, SINGULAR_BELOW
from multibody.simulation.kernel.step_size import combined_error
from multibody.simulation.lanes.lane_record import COMMON, LANES, LARGEST_RATE, LARGEST_SCALE, NO_RTOL, OWN_RTOL, RTOL
from multibody.simulation.lanes.lane_registers import (
    floor,
    largest_of_two,
    plus_weighted_square,
    product_plus,
)


@compiled
def evaluate(run: Any, y: int, rate: int) -> None:
    """rate = f(t, y), at the times in ``bound_t``."""
    if y != run.bound_y:
        copy(y, run.bound_y, run.width)
    call(run.rhs_at, run.rhs_ports, run.rhs_more)
    copy(run.bound_rate, rate, run.width)
    run.evaluations += 1


@compiled
def trial(run: Any) -> None:
    """From y to new; the rates of the stages are K_k = f(t + c_k·h, y + h·Σ_j a_kj·K_j)."""
    for k in range(1, run.stages):
        stage(run, k)
    combine(run, run.stages, run.new)


@compiled
def stage(run: Any, k: int) -> None:
    """Rate k from those before it."""
    t, h, now, c = doubles(run.t), doubles(run.h), doubles(run.bound_t), doubles(run.c)[k]
    for lane in range(LANES):
        now[lane] = t[lane] + c * h[lane]
    combine(run, k, run.bound_y)
    evaluate(run, run.bound_y, row(run.K, k, run.width))


@compiled
def combine(run: Any, k: int, result: int) -> None:
    """y + h·Σ_j a_kj·K_j; the small sum first, because it has more digits than y."""
    weighted(run, row(run.A, k, run.rows), k, result)
    for i in range(run.size):
        product_plus(row(result, i, LANES), run.h, row(result, i, LANES), row(run.y, i, LANES))


@compiled
def errors(run: Any) -> None:
    """The error of the step in each lane, as ``step_control.error_norm``; not a number where a rate is not finite."""
    h, first, second = doubles(run.h), doubles(run.error), doubles(run.worst)
    for lane in range(LANES):
        first[lane] = second[lane] = 0.0
    if run.estimates > 0:
        find_floors(run, run.new)
    for k in range(run.estimates):
        weighted(run, row(run.E, k, run.rows), run.stages + 1, row(run.F, k, run.width))
        sum_of_squares(run, row(run.F, k, run.width), run.error if k == 0 else run.worst)
    for lane in range(LANES):
        first[lane] = combined_error(h[lane], first[lane], second[lane], larger(run.coordinates + run.speeds, 1.0))


@compiled
def sum_of_squares(run: Any, error: int, total: int) -> None:
    """Total + Σ (error over what is allowed)²."""
    for i in range(run.coordinates + run.speeds):
        y, new = row(run.y, i, LANES), row(run.new, i, LANES)
        allowed = row(run.floors, i, LANES)
        plus_weighted_square(total, total, row(error, i, LANES), y, new, allowed, row(run.groups, RTOL, LANES))
    for i in range(run.coordinates + run.speeds, run.coordinates + run.speeds + run.works):
        y, new, allowed = row(run.y, i, LANES), row(run.new, i, LANES), row(run.floors, i, LANES)
        plus_weighted_square(total, total, row(error, i, LANES), y, new, allowed, row(run.groups, NO_RTOL, LANES))


@compiled
def find_floors(run: Any, new: int) -> None:
    """The floors of all lanes, as ``error_floors.find_floors``."""
    if run.atol == 0.0:
        floors_of_kind(run, new, 0, run.coordinates)
        floors_of_kind(run, new, run.coordinates, run.coordinates + run.speeds)
    if run.works > 0:
        tolerances_of_works(run, new, run.coordinates + run.speeds)


@compiled
def tolerances_of_works(run: Any, new: int, first: int) -> None:
    """The allowed errors of works in all lanes, with their weight beside coordinates and speeds."""
    h, scales, rates = doubles(run.h), doubles(run.scales), doubles(run.K)
    floors, noises, later = doubles(run.floors), doubles(run.noises), doubles(new)
    root = math.sqrt(larger(first, 1.0) / run.works)
    for lane in range(LANES):
        group, rate, last = 0.0, 0.0, LANES * (first + run.works)
        for i in range(LANES * first + lane, last, LANES):
            group = larger(group, larger(scales[i], abs(later[i])))
            rate = larger(rate, abs(rates[i]))
        common = work_tolerance(run.rtol, run.atol, group, rate, h[lane])
        for i in range(LANES * first + lane, last, LANES):
            floors[i] = larger(common, h[lane] * noises[i]) / root


@compiled
def floors_of_kind(run: Any, new: int, first: int, last: int) -> None:
    """The same for the entries from first to last."""
    scale, rate = row(run.groups, LARGEST_SCALE, LANES), row(run.groups, LARGEST_RATE, LANES)
    h, scales, rates, common = doubles(run.h), doubles(scale), doubles(rate), doubles(row(run.groups, COMMON, LANES))
    for lane in range(LANES):
        scales[lane] = rates[lane] = 0.0
    for i in range(first, last):
        at = row(0, i, LANES)
        largest_of_two(run.floors + at, run.scales + at, new + at)
        largest_of_two(scale, scale, run.floors + at)
        largest_of_two(rate, rate, run.K + at)
    for lane in range(LANES):
        common[lane] = group_floor(run.rtol, scales[lane], rates[lane], h[lane])
    for i in range(first, last):
        at = row(0, i, LANES)
        own, common_floor = row(run.groups, OWN_RTOL, LANES), row(run.groups, COMMON, LANES)
        floor(run.floors + at, run.floors + at, own, common_floor, run.h, run.noises + at)


@compiled
def keep_scales(run: Any, lane: int) -> None:
    """Note the values at the end of a step that was accepted."""
    scales, noises, new = doubles(run.scales), doubles(run.noises), doubles(run.new)
    for i in range(lane, LANES * (run.coordinates + run.speeds + run.works), LANES):
        scales[i] = larger(abs(new[i]), scales[i])
        if noises[i] != 0.0:
            noises[i] *= FADING


@compiled
def note_noise(run: Any, lane: int, error: float) -> None:
    """Allow for errors that have not decreased with the step, as ``step_control.note_noise``."""
    h, last_error, last_h = doubles(run.h)[lane], doubles(run.rejected_error), doubles(run.rejected_h)
    if run.atol == 0.0 and is_noise(error, h, last_error[lane], last_h[lane]):
        estimates, floors, noises = doubles(run.F), doubles(run.floors), doubles(run.noises)
        for i in range(lane, LANES * (run.coordinates + run.speeds + run.works), LANES):
            if h * abs(estimates[i]) > 0.1 * floors[i]:
                noises[i] = larger(noises[i], MARGIN * abs(estimates[i]))
    last_error[lane], last_h[lane] = error, h if error > 1.0 else 0.0


@compiled
def onto_constraints(run: Any, y: int, most: int) -> int:
    """Newton's method from y, in place, for lanes that are ``open``, at the times in ``bound_t``.

    Lanes that do not come close enough are ``lost``; the answer is the number of corrections in any lane.
    """
    if run.projection_at == 0:
        return 0
    unsettled, worst, lost = doubles(run.open), doubles(run.worst), doubles(run.lost)
    gaps, corrections = doubles(run.bound_gaps), 0
    for _ in range(most):
        copy(y, run.bound_y, run.width)
        call(run.projection_at, run.projection_ports, run.projection_more)
        going = False
        for lane in range(LANES):
            if unsettled[lane] != 0.0:
                worst[lane] = larger(gaps[lane], gaps[LANES + lane])
                if run.switchable and not gaps[2 * LANES + lane] >= SINGULAR_BELOW:
                    unsettled[lane], lost[lane] = 0.0, 1.0  # other equations are needed there
                elif worst[lane] <= ROUNDING:
                    unsettled[lane] = 0.0
                elif not moved(run, y, lane, gaps[lane], gaps[2 * LANES + lane]):
                    unsettled[lane], lost[lane] = 0.0, 1.0
                elif worst[lane] <= AIM * run.gap:
                    unsettled[lane], corrections = 0.0, corrections + 1
                else:
                    going, corrections = True, corrections + 1
        if not going:
            break
    for lane in range(LANES):
        if unsettled[lane] != 0.0 and not worst[lane] <= run.gap:
            lost[lane] = 1.0
    return corrections


@compiled
def moved(run: Any, y: int, lane: int, gap: float, regularity: float) -> bool:
    """Take the corrected state into a lane of y, if it is finite; velocities as ``evaluation.onto_constraints``."""
    target, source = doubles(y), doubles(run.bound_projected)
    middle, end = LANES * run.coordinates, LANES * (run.coordinates + run.speeds)
    if not finite_in_lane(run.bound_projected, lane, end):
        return False
    for i in range(lane, middle, LANES):
        target[i] = source[i]
    if gap <= AIM * run.gap or regularity > REGULAR:
        for i in range(middle + lane, end, LANES):
            target[i] = source[i]
    return True


@compiled
def bounded_in_lane(address: int, lane: int, end: int) -> bool:
    """Whether no value in a lane is beyond any plausible scale."""
    values, largest = doubles(address), 0.0
    for i in range(lane, end, LANES):
        largest = larger(largest, abs(values[i]))
    return largest <= ABSURD


@compiled
def finite_in_lane(address: int, lane: int, end: int) -> bool:
    """Whether there is no NaN and no infinity in a lane."""
    values, total = doubles(address), 0.0
    for i in range(lane, end, LANES):
        total += 0.0 * values[i]
    return total == 0.0
