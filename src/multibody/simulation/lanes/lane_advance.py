"""The loop over steps of several runs side by side. Loaded late: everything here is compiled."""

from __future__ import annotations

from typing import Any

from multibody.compiler.loops.language import compiled, copy, doubles, larger, row, smaller, whole
from multibody.simulation.integrators.butcher_tableaus import ROSENBROCK
from multibody.simulation.kernel.run_record import CORRECTIONS, LEAST_ERROR, PAUSE
from multibody.simulation.kernel.step_size import (
    end_of_step,
    growth,
    next_step,
    reduction,
    smallest_step,
)
from multibody.simulation.lanes.lane_queue import fill, finish
from multibody.simulation.lanes.lane_record import ARRIVED, FINISHED, GIVEN_UP, IDLE, LANES, WORKING
from multibody.simulation.lanes.lane_registers import chosen
from multibody.simulation.lanes.lane_rosenbrock import rosenbrock
from multibody.simulation.lanes.lane_samples import keep_samples
from multibody.simulation.lanes.lane_steps import (
    bounded_in_lane,
    errors,
    evaluate,
    finite_in_lane,
    keep_scales,
    note_noise,
    onto_constraints,
    trial,
)  # fmt: skip


def advance(run: Any) -> None:
    """Move all lanes on: what Python calls, as machine code."""
    run.code = steps(run)


@compiled
def steps(run: Any) -> int:
    """Step after step, until no run is left, or a pause."""
    for _ in range(PAUSE):
        if not fill(run):
            return FINISHED
        aim(run)
        if run.kind == ROSENBROCK:
            rosenbrock(run)
        else:
            trial(run)
        settle(run)
        for lane in range(LANES):
            judge(run, lane)
        keep_samples(run)
        arrive(run)
    return WORKING


@compiled
def aim(run: Any) -> None:
    """Where the next step of each lane ends, and its length; lanes without a run stay where they are."""
    doing, t, ends, h, step = doubles(run.doing), doubles(run.t), doubles(run.next), doubles(run.h), doubles(run.step)
    tries, rejected = doubles(run.tries), doubles(run.rejected)
    for lane in range(LANES):
        ends[lane] = t[lane]
        if doing[lane] != IDLE:
            count = tries[lane] - rejected[whole(doing[lane])]
            ends[lane] = run.start + (count + 1.0) * run.fixed if run.fixed > 0.0 else t[lane] + step[lane]
            last = next_corner(run, lane) if run.corners > 0 else run.end
            ends[lane] = end_of_step(t[lane], ends[lane], last)
        h[lane] = ends[lane] - t[lane]


@compiled
def next_corner(run: Any, lane: int) -> float:
    """The next time at which the step of a lane must end."""
    times, place, t = doubles(run.corner_t), whole(doubles(run.corner)[lane]), doubles(run.t)[lane]
    while place < run.corners and times[place] - t < smallest_step(t, run.end):
        place += 1
    doubles(run.corner)[lane] = place
    return smaller(times[place], run.end) if place < run.corners else run.end


@compiled
def settle(run: Any) -> None:
    """The errors of the steps; their ends brought onto the constraints, and the rates there."""
    end_rate = row(run.K, run.stages, run.width)
    known = run.estimates > 0 and doubles(run.E)[run.stages] != 0.0
    copy(run.next, run.bound_t, LANES)
    if known:
        evaluate(run, run.new, end_rate)
    errors(run)
    error, unsettled, lost = doubles(run.error), doubles(run.open), doubles(run.lost)
    doing = doubles(run.doing)
    for lane in range(LANES):
        lost[lane] = 0.0
        unsettled[lane] = 1.0 if error[lane] <= 1.0 and doing[lane] != IDLE else 0.0
    if onto_constraints(run, run.new, CORRECTIONS) > 0 or not known:
        evaluate(run, run.new, end_rate)


@compiled
def judge(run: Any, lane: int) -> None:
    """Whether a lane's step is good, and how long the next one is."""
    doing, accepted, tries = doubles(run.doing), doubles(run.accepted), doubles(run.tries)
    error, step, h = doubles(run.error)[lane], doubles(run.step), doubles(run.h)[lane]
    accepted[lane] = 0.0
    if doing[lane] == IDLE:
        return
    tries[lane] += 1.0
    note_noise(run, lane, error)
    if good(run, lane):
        accepted[lane] = 1.0
        keep_scales(run, lane)
        if run.fixed == 0.0:
            adapt(run, lane, error)
        return
    doubles(run.rejected)[whole(doing[lane])] += 1.0
    doubles(run.rejected_last)[lane] = 1.0
    step[lane] = h * reduction(run.order, error)
    is_too_short = step[lane] < smallest_step(doubles(run.t)[lane], run.end)
    if run.fixed > 0.0 or is_too_short or tries[lane] >= run.max_steps:
        finish(run, lane, GIVEN_UP)


@compiled
def good(run: Any, lane: int) -> bool:
    """Accurate, on the constraints, and finite."""
    end_rate = row(run.K, run.stages, run.width)
    return (
        doubles(run.error)[lane] <= 1.0
        and doubles(run.lost)[lane] == 0.0
        and finite_in_lane(run.new, lane, run.width)
        and bounded_in_lane(run.new, lane, run.width)
        and finite_in_lane(end_rate, lane, run.width)
    )


@compiled
def adapt(run: Any, lane: int, error: float) -> None:
    """The length of the next step, as ``step_acceptance.adapt``."""
    h, step, last = doubles(run.h)[lane], doubles(run.step), doubles(run.last_error)
    factor = growth(run.order, run.beta, error, last[lane], doubles(run.rejected_last)[lane] != 0.0)
    step[lane] = next_step(h, factor, step[lane], run.max_step)
    last[lane] = larger(error, LEAST_ERROR)
    doubles(run.rejected_last)[lane] = 0.0


@compiled
def arrive(run: Any) -> None:
    """The end of a step becomes the beginning of the next, in lanes that have accepted it."""
    accepted, t, ends = doubles(run.accepted), doubles(run.t), doubles(run.next)
    later = row(run.K, run.stages, run.width)
    for i in range(run.size):
        at = row(0, i, LANES)
        chosen(run.y + at, run.accepted, run.new + at, run.y + at)
        chosen(run.K + at, run.accepted, later + at, run.K + at)
    doing, tries, rejected = doubles(run.doing), doubles(run.tries), doubles(run.rejected)
    for lane in range(LANES):
        if accepted[lane] != 0.0:
            t[lane] = ends[lane]
            doubles(run.steps)[whole(doing[lane])] = tries[lane] - rejected[whole(doing[lane])]
            if t[lane] >= run.end:
                finish(run, lane, ARRIVED)
            elif tries[lane] >= run.max_steps:
                finish(run, lane, GIVEN_UP)
