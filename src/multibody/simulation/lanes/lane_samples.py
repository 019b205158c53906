"""Samples within a step of all lanes, as in ``dense_output``. Loaded late: everything here is compiled."""

from __future__ import annotations

from typing import Any

from multibody.compiler.loops.language import compiled, copy, doubles, row, weighted, whole
from multibody.simulation.integrators.butcher_tableaus import ROSENBROCK
from multibody.simulation.kernel.dense_output import TOUCHES, refine_rows
from multibody.simulation.lanes.lane_record import LANES
from multibody.simulation.lanes.lane_registers import difference, product, product_minus, product_plus
from multibody.simulation.lanes.lane_steps import onto_constraints, stage


@compiled
def keep_samples(run: Any) -> None:
    """States at the wanted times within the steps that were accepted, one for each lane at a time."""
    dense = False
    while True:
        inside = due_samples(run)
        if inside < 0:
            return
        if inside and not dense:
            prepare(run)
            dense = True
        if inside:
            states_within(run)
        store_samples(run)


@compiled
def due_samples(run: Any) -> int:
    """Mark lanes with another sample; -1 if there is none, otherwise how many are not at the end of a step."""
    times, t, h, ends = doubles(run.sample_t), doubles(run.t), doubles(run.h), doubles(run.next)
    due, theta, kept, accepted = doubles(run.due), doubles(run.theta), doubles(run.samples), doubles(run.accepted)
    some, inside = False, 0
    for lane in range(LANES):
        due[lane] = theta[lane] = 0.0
        if accepted[lane] != 0.0 and kept[lane] < run.wanted and times[whole(kept[lane])] <= ends[lane]:
            some, due[lane], theta[lane] = True, 1.0, 1.0
            if times[whole(kept[lane])] < ends[lane]:
                theta[lane] = (times[whole(kept[lane])] - t[lane]) / h[lane]
                inside += 1
    return inside if some else -1


@compiled
def store_samples(run: Any) -> None:
    """Put a sample of each lane that is due at its place in the arrays of its run."""
    due, theta, kept, doing = doubles(run.due), doubles(run.theta), doubles(run.samples), doubles(run.doing)
    new, within = doubles(run.new), doubles(row(run.F, 3 + run.refinements, run.width))
    for lane in range(LANES):
        if due[lane] != 0.0:
            place = doubles(row(run.sample_y, whole(doing[lane]) * run.wanted + whole(kept[lane]), run.size))
            for i in range(run.size):
                place[i] = new[LANES * i + lane] if theta[lane] == 1.0 else within[LANES * i + lane]
            kept[lane] += 1.0


@compiled
def prepare(run: Any) -> None:
    """Fill the rows of F, for all lanes."""
    if run.kind == ROSENBROCK:
        own_rows(run)
        return
    for k in range(run.stages + 1, run.rows):
        stage(run, k)
    later = row(run.K, run.stages, run.width)
    F0, F1, F2 = run.F, row(run.F, 1, run.width), row(run.F, 2, run.width)
    for i in range(run.size):
        at = row(0, i, LANES)
        difference(F0 + at, run.new + at, run.y + at)
        product_minus(F1 + at, run.h, run.K + at, F0 + at)
        product_plus(F2 + at, run.h, later + at, F1 + at)
        difference(F2 + at, F0 + at, F2 + at)
    refine_rows(run)
    for i in range(run.size * run.refinements):
        at = row(row(run.F, 3, run.width), i, LANES)
        product(at, run.h, at)


@compiled
def own_rows(run: Any) -> None:
    """The rows of an implicit method, as ``dense_output.own_rows``."""
    for k in range(run.refinements + 2):
        weighted(run, row(run.D, k, run.rows), run.stages, row(run.F, 1 + k, run.width))
    for i in range(run.size * (run.refinements + 2)):
        at = row(row(run.F, 1, run.width), i, LANES)
        product(at, run.h, at)
    for i in range(run.size):
        at = row(0, i, LANES)
        difference(run.F + at, run.new + at, run.y + at)


@compiled
def states_within(run: Any) -> None:
    """y(θ), each lane with its own θ, brought onto the constraints; in the last row of F."""
    last, result = 2 + run.refinements, row(run.F, 3 + run.refinements, run.width)
    theta, rest = doubles(run.theta), doubles(run.rest)
    for lane in range(LANES):
        rest[lane] = 1.0 - theta[lane]
    copy(row(run.F, last, run.width), result, run.width)
    for i in range(run.size):
        at = row(0, i, LANES)
        for k in range(last - 1, -1, -1):
            product_plus(result + at, run.rest if k % 2 == 0 else run.theta, result + at, row(run.F, k, run.width) + at)
        product_plus(result + at, run.theta, result + at, run.y + at)
    settle_samples(run, result)


@compiled
def settle_samples(run: Any, states: int) -> None:
    """Samples need no more than a touch, and are never a reason to give up."""
    if run.projection_at == 0:
        return
    now, t, h, theta = doubles(run.bound_t), doubles(run.t), doubles(run.h), doubles(run.theta)
    lost = doubles(run.lost)
    for lane in range(LANES):
        now[lane] = t[lane] + theta[lane] * h[lane]
    copy(run.due, run.open, LANES)
    onto_constraints(run, states, TOUCHES)
    for lane in range(LANES):
        lost[lane] = 0.0
