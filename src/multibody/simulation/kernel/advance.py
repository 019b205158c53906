"""The loop over steps. Loaded late: everything here is compiled."""

from __future__ import annotations

import math
from typing import Any

from multibody.compiler.loops.language import call, compiled, copy, doubles, finite, larger, row, smaller
from multibody.simulation.integrators.butcher_tableaus import OTHERS
from multibody.simulation.kernel.dense_output import prepare, state_within, time_within
from multibody.simulation.kernel.evaluation import choose_equations, evaluate, onto_constraints, place
from multibody.simulation.kernel.event_location import watch
from multibody.simulation.kernel.event_probes import first_sides
from multibody.simulation.kernel.run_record import (
    ACCEPTED,
    CORRECTIONS,
    DONE,
    EVENT,
    EVENTS_ACCUMULATE,
    NOT_FINITE,
    PAUSE,
    PAUSED,
    PROBES,
)
from multibody.simulation.kernel.step_acceptance import accepted_step
from multibody.simulation.kernel.step_backtracking import forget
from multibody.simulation.kernel.step_control import guessed_step
from multibody.simulation.kernel.step_size import smallest_step


def advance(run: Any) -> None:
    """Move a run on: what Python calls, as machine code."""
    run.code = events_of_step(run) if run.kind == OTHERS else steps(run)


@compiled
def events_of_step(run: Any) -> int:
    """Look for events within a step that was made elsewhere, up to the first that stops; first where signals start."""
    if run.begun == 0:
        first_sides(run)
        run.begun = 1
        return DONE
    run.dense = 1
    run.steps += 1
    stop = watch(run)
    if run.fallen != 0:
        return EVENTS_ACCUMULATE
    run.t = time_within(run, smaller(run.cut, stop))
    if stop < math.inf:
        return EVENT
    return DONE if run.cut == 1.0 else PAUSED


@compiled
def begin(run: Any) -> None:
    """Everything that is known only after the first evaluation; a start between samples is not quite on constraints."""
    onto_constraints(run, run.t, run.y, CORRECTIONS)
    evaluate(run, run.t, run.y, run.K)
    if run.step == 0.0:
        run.step = guessed_step(run)
    run.step = smaller(larger(run.step, smallest_step(run.t, run.end)), run.max_step)
    first_sides(run)
    run.begun = 1


@compiled
def steps(run: Any) -> int:
    """Step after step, until the end, an event that stops, a failure, or a pause."""
    if run.begun == 0 and run.switchable and looked_at_constraints(run):
        return PAUSED
    if run.begun == 0:
        begin(run)
    elif run.switched:
        evaluate(run, run.t, run.y, run.K)
    run.switched = 0
    if not finite(run.K, run.size):
        return NOT_FINITE
    pause = run.steps + PAUSE
    while run.t < run.end:
        if run.steps >= pause or run.hits + PROBES * run.events > run.most_hits:
            forget(run)
            return PAUSED
        code = accepted_step(run)
        if code != ACCEPTED:
            return code
        stop = watch(run)
        if run.cut < 1.0 or run.fallen != 0:
            cut_off(run, smaller(run.cut, stop))
            if run.fallen != 0:
                return EVENTS_ACCUMULATE
            continue
        keep_samples(run, time_within(run, stop))
        if stop < math.inf:
            arrive(run, time_within(run, stop), row(run.hit_y, run.hits - 1, run.size))
            return EVENT
        arrive(run, run.next, run.new)
        if run.switched:
            if run.hits > 0 or run.every_step:
                forget(run)
            return PAUSED if run.t < run.end else DONE
    return DONE


@compiled
def cut_off(run: Any, theta: float) -> None:
    """The step ends at θ."""
    t = time_within(run, theta)
    keep_samples(run, t)
    state_within(run, theta, run.point)
    arrive(run, t, run.point)
    evaluate(run, run.t, run.y, run.K)
    if run.fixed > 0.0:
        run.steps -= 1


@compiled
def looked_at_constraints(run: Any) -> bool:
    """Whether other equations are needed at the start."""
    if run.switched == 0:
        place(run, run.t, run.y)
        call(run.projection_at, run.projection_ports, run.projection_more)
        choose_equations(run)
        return run.switched != 0
    run.switched = 0
    return False


@compiled
def keep_samples(run: Any, until: float) -> None:
    """States at the wanted times within this step."""
    times = doubles(run.sample_t)
    while run.samples < run.wanted and times[run.samples] <= until:
        result = row(run.sample_y, run.samples, run.size)
        if times[run.samples] == run.next:
            copy(run.new, result, run.size)
        else:
            prepare(run)
            state_within(run, (times[run.samples] - run.t) / run.h, result)
        run.samples += 1


@compiled
def arrive(run: Any, t: float, y: int) -> None:
    """The end of a step becomes the beginning of the next."""
    copy(y, run.y, run.size)
    copy(row(run.K, run.stages, run.width), run.K, run.size)
    run.t, run.linearized = t, 0
    if run.step_t != 0:
        doubles(run.step_t)[run.ends] = t
        copy(y, row(run.step_y, run.ends, run.size), run.size)
        run.ends += 1
    if run.every_step:
        doubles(run.sample_t)[run.samples] = t
        copy(y, row(run.sample_y, run.samples, run.size), run.size)
        run.samples += 1
