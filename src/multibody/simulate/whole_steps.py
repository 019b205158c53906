"""Steps that are good enough: short enough for the error, finite, and on the constraints.

Loaded late: everything here is compiled.
"""

from __future__ import annotations

import math
from typing import Any

from multibody.simulate.coefficients import LEAPFROG
from multibody.simulate.evaluation import evaluate, onto_constraints
from multibody.simulate.loops import bounded, compiled, doubles, finite, larger, row, smaller
from multibody.simulate.retreat import remember, retreated
from multibody.simulate.run_record import (
    ACCEPTED,
    CONSTRAINTS_LOST,
    DIVERGED,
    NOT_FINITE,
    STEP_TOO_SMALL,
    TOO_MANY_STEPS,
)
from multibody.simulate.step_control import error_norm, growth, limited_by_stability, reduction, smallest_step
from multibody.simulate.trial_steps import trial

CORRECTIONS = 6
"""Newton steps onto the constraints, at most."""

ALMOST = 1e-6
"""By so much a step may be longer than it should be, to come to the end with it."""

RETREAT = 0.25
"""How much shorter the next trial is, where there is nothing to estimate an error from."""


@compiled
def accepted_step(run: Any) -> int:
    """Try until a step is good, shorter every time; or else the reason why there is none."""
    while run.steps + run.rejected < run.max_steps:
        aim(run)
        code = attempt(run)
        if code == ACCEPTED:
            remember(run)
            run.steps += 1
            return ACCEPTED
        run.rejected += 1
        run.rejected_last = 1
        if run.fixed > 0.0 or (not retreated(run) and run.step < smallest_step(run)):
            return code
    return TOO_MANY_STEPS


@compiled
def aim(run: Any) -> None:
    """Where the next step ends, and its length."""
    if run.fixed > 0.0:
        run.next = run.start + (run.steps + 1) * run.fixed
    else:
        run.next = run.t + run.step
    if run.next + ALMOST * (run.next - run.t) >= run.end:
        run.next = run.end
    run.h = run.next - run.t
    run.dense = 0


@compiled
def attempt(run: Any) -> int:
    """One trial; a step that fails leaves in run.step what to try next."""
    code = trial(run)
    if code != ACCEPTED:
        return code
    end_rate = row(run.K, run.stages, run.width)
    estimated_with_end = run.estimates > 0 and doubles(run.E)[run.stages] != 0.0
    if estimated_with_end:
        evaluate(run, run.next, run.new, end_rate)
    error = error_norm(run) if run.estimates > 0 else 0.0
    if 1.0 < error < math.inf:
        run.step = run.h * reduction(run, error)
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
def settle(run: Any, end_rate: int, known: bool) -> int:
    """Bring the end of the step onto the constraints, and find its rate."""
    corrections = onto_constraints(run, run.next, run.new, CORRECTIONS)
    if corrections < 0:
        return CONSTRAINTS_LOST
    if corrections > 0 or not known:
        evaluate(run, run.next, run.new, end_rate)
    return ACCEPTED if finite(end_rate, run.size) else NOT_FINITE


@compiled
def adapt(run: Any, error: float, proposed: float) -> None:
    """The length of the next step; one that was cut off at the end says little about it."""
    cut_off = run.h < (1.0 - ALMOST) * proposed
    run.step = smaller(larger(run.h * growth(run, error), proposed if cut_off else 0.0), run.max_step)
    run.error = larger(error, 1e-4)
    run.rejected_last = 0
    run.stiff += limited_by_stability(run)
