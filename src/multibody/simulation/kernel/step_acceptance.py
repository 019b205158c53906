"""Steps that are good enough: short enough for the error, finite, and on the constraints.

Loaded late: everything here is compiled.
"""

from __future__ import annotations

import math
from typing import Any

from multibody.compiler.loops.language import compiled, copy, doubles, finite, larger, row, smaller
from multibody.simulation.integrators.butcher_tableaus import LEAPFROG
from multibody.simulation.kernel.error_floors import keep_scales
from multibody.simulation.kernel.evaluation import choose_equations, evaluate, onto_constraints
from multibody.simulation.kernel.run_record import (
    ABSURD,
    ACCEPTED,
    CONSTRAINTS_LOST,
    CORRECTIONS,
    DIVERGED,
    LARGEST_FLOOR,
    LARGEST_SHARE,
    LARGEST_UNESTIMATED,
    LEAST_ERROR,
    NOT_FINITE,
    SINGULAR,
    STEP_TOO_SMALL,
    TOO_MANY_STEPS,
)
from multibody.simulation.kernel.step_backtracking import remember, retreated
from multibody.simulation.kernel.step_control import error_norm, limited_by_stability, note_noise
from multibody.simulation.kernel.step_size import (
    RETREAT,
    end_of_step,
    growth,
    next_step,
    reduction,
    smallest_step,
)
from multibody.simulation.kernel.trial_steps import trial

MOST_ERRORS, LEAST_PIVOT = 1e3, 1e-12
"""How many allowed errors of a step may be corrected in its speeds, and how far that grows near singular positions."""

RELAXED_STEP = 1e-6
"""The first step with the largest floor, relative to the longest one."""


@compiled
def accepted_step(run: Any) -> int:
    """Try until a step is good, shorter every time; or else the reason why there is none."""
    while run.steps + run.rejected - run.counted_from < run.max_steps:
        aim(run)
        code = attempt(run)
        if code == ACCEPTED:
            keep_scales(run)
            remember(run)
            run.steps += 1
            return ACCEPTED
        run.rejected += 1
        run.rejected_last = 1
        shortest = smallest_step(run.t, run.end)
        if run.fixed > 0.0 or (not retreated(run) and run.step < shortest and not relaxed(run, code)):
            return code
    return TOO_MANY_STEPS


@compiled
def relaxed(run: Any, code: int) -> bool:
    """Allow the largest floor for the rest of the segment, if errors do not become small enough: they are rounding."""
    if code != STEP_TOO_SMALL or run.atol > 0.0:
        return False
    run.atol = LARGEST_FLOOR
    run.step = larger(smallest_step(run.t, run.end), RELAXED_STEP * smaller(run.max_step, run.end - run.t))
    return True


@compiled
def aim(run: Any) -> None:
    """Where the next step ends, and its length; steps of fixed length are counted from the last corner."""
    if run.fixed > 0.0:
        run.next = run.grid_t + (run.steps - run.grid_steps + 1) * run.fixed
    else:
        run.next = run.t + run.step
    last = next_corner(run) if run.corners > 0 else run.end
    run.next = end_of_step(run.t, run.next, last)
    run.h = run.next - run.t
    run.dense = 0


@compiled
def next_corner(run: Any) -> float:
    """The next time at which a step must end; a way back leads back to earlier ones."""
    times, before = doubles(run.corner_t), run.corner
    while run.corner > 0 and times[run.corner - 1] > run.t:
        run.corner -= 1
    while run.corner < run.corners and times[run.corner] - run.t < smallest_step(run.t, run.end):
        run.corner += 1
    if run.corner > before:
        run.grid_t, run.grid_steps, run.counted_from = run.t, run.steps, run.steps + run.rejected
    return smaller(times[run.corner], run.end) if run.corner < run.corners else run.end


@compiled
def attempt(run: Any) -> int:
    """One trial; a step that fails leaves in run.step what to try next."""
    code = trial(run)
    if code != ACCEPTED:
        run.step = run.h * RETREAT
        return code
    end_rate = row(run.K, run.stages, run.width)
    estimated_with_end = run.estimates > 0 and doubles(run.E)[run.stages] != 0.0
    if estimated_with_end:
        evaluate(run, run.next, run.new, end_rate)
    error = error_norm(run) if run.estimates > 0 else 0.0
    note_noise(run, error)
    if 1.0 < error < math.inf:
        run.step = run.h * reduction(run.order, error)
        return STEP_TOO_SMALL
    proposed, run.step = run.step, run.h * RETREAT
    if not (error <= 1.0 and finite(run.new, run.size)):
        return NOT_FINITE
    if not bounded(run.new, run.size):
        return DIVERGED
    code = settle(run, end_rate, estimated_with_end or run.kind == LEAPFROG)
    if code == ACCEPTED:
        adapt(run, error, proposed)
    return code


@compiled
def bounded(address: int, count: int) -> bool:
    """Whether no value is beyond any plausible scale."""
    values, largest = doubles(address), 0.0
    for i in range(count):
        largest = larger(largest, abs(values[i]))
    return largest <= ABSURD


@compiled
def settle(run: Any, end_rate: int, known: bool) -> int:
    """Bring the end of the step onto the constraints, and find its rate."""
    before = row(run.F, 2, run.width)
    copy(run.new, before, run.coordinates + run.speeds)
    corrections = onto_constraints(run, run.next, run.new, CORRECTIONS)
    if corrections < 0:
        return CONSTRAINTS_LOST
    if corrections > 0 and is_leap(run, before):
        return SINGULAR
    regularized = run.regularized
    if run.switchable:
        choose_equations(run)
    if corrections > 0 or not known or run.regularized != regularized:
        evaluate(run, run.next, run.new, end_rate)
    return ACCEPTED if finite(end_rate, run.size) else NOT_FINITE


@compiled
def is_leap(run: Any, before: int) -> bool:
    """Whether the speeds at the end of a step were corrected by more than errors of integration explain.

    A correction is as large as the error of the step, divided by the smallest singular value of the constraints, the
    root of the smallest pivot. Beyond that, or beyond a share of the largest speed, another motion would begin.
    """
    old, new, uncorrected = doubles(run.y), doubles(run.new), doubles(before)
    change, size = 0.0, 0.0
    for i in range(run.coordinates, run.coordinates + run.speeds):
        change = larger(change, abs(new[i] - uncorrected[i]))
        size = larger(size, larger(abs(old[i]), abs(uncorrected[i])))
    if run.estimates == 0:
        return change > LARGEST_UNESTIMATED * size
    allowed = (run.atol if run.atol > 0.0 else LARGEST_FLOOR) + run.rtol * size
    pivot = smaller(larger(doubles(run.bound_gaps)[2], LEAST_PIVOT), 1.0)
    explained = MOST_ERRORS * allowed / math.sqrt(pivot)
    return change > smaller(explained, larger(LARGEST_SHARE * size, 10.0 * allowed))


@compiled
def adapt(run: Any, error: float, proposed: float) -> None:
    """The length of the next step."""
    factor = growth(run.order, run.beta, error, run.error, run.rejected_last != 0)
    run.step = next_step(run.h, factor, proposed, run.max_step)
    run.error = larger(error, LEAST_ERROR)
    run.rejected_last = 0
    run.stiff += limited_by_stability(run)
