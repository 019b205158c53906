"""Zero crossings within a step, in the order of time. Loaded late: everything here is compiled.

A signal is on one side of zero, +1 or -1, until it reaches zero or the other side: that is the crossing. Its side is 0
as long as it cannot be told from zero. Steps are looked at in intervals that are short enough for all signals.
"""

from __future__ import annotations

import math
from typing import Any

from multibody.compiler.loops.language import EPSILON, compiled, copy, doubles, larger, row, smaller, square
from multibody.simulation.events.search_constants import (
    CROWDED_WIDTH,
    FIRST_GROWTH,
    GROWTH,
    NARROWEST,
    PATIENCE,
    SETTLED,
    SOON,
)
from multibody.simulation.kernel.dense_output import prepare, state_within, time_within
from multibody.simulation.kernel.event_probes import (
    MARGIN,
    MOST_TURNS,
    estimate_rounding,
    probe_interval,
    resolved,
    side,
    signal,
    touch_tolerance,
    with_turning_points,
)
from multibody.simulation.kernel.run_record import PROBES

MOST_CROWDED = 64
"""So many intervals of a step may be as narrow as possible."""

MOST_INTERVALS = 1000
"""A step that needs more intervals is cut off."""


@compiled
def watch(run: Any) -> float:
    """Write down the events of this step: θ of the first one that stops, or infinity.

    A step with more intervals or events than there is memory for is cut off at ``run.cut``, which is 1 otherwise.
    """
    run.cut, run.fallen = 1.0, 0
    if run.events == 0:
        return math.inf
    prepare(run)
    estimate_rounding(run, run.next, run.new, run.later_roundings)
    begin, width, narrowest = 0.0, first_width(run), NARROWEST
    most, crowded, patience = run.hits + (PROBES - 2 * MOST_TURNS) * run.events, 0.0, 0.0
    for _ in range(MOST_INTERVALS):
        end = begin + width if begin + width < 1.0 - NARROWEST else 1.0
        probe_interval(run, begin, end)
        smooth = resolved(run)
        if not smooth and end - begin > narrowest and 0.5 * (end - begin) < width:  # else it would stay as it is
            width, patience = 0.5 * (end - begin), PATIENCE
            continue
        if not smooth:
            crowded += 1.0
            narrowest = CROWDED_WIDTH if crowded > MOST_CROWDED else NARROWEST
        stop = events_within(run, begin, end)
        run.interval = next_width(run, begin, begin + width, patience) * run.h if width < 1.0 else 0.0
        if stop < math.inf or end == 1.0:
            copy(run.later_roundings, run.roundings, run.events)
            return stop
        width, patience = next_width(run, begin, end, patience), patience - 1.0
        begin = end
        if run.hits > most:
            break
    run.cut = begin
    return math.inf


@compiled
def first_width(run: Any) -> float:
    """The width of the first interval: very short if there are events whose sides must be found out.

    After a step that was divided it is that of the next interval there: what has made them short may go on.
    """
    sides, quiet = doubles(run.sides), False
    for i in range(run.events):
        quiet = quiet or sides[i] == 0.0
    if quiet and run.steps == 1:
        return smaller(1.0, SETTLED * run.tolerance / run.h)
    return smaller(1.0, run.interval / run.h) if run.interval > 0.0 else 1.0


@compiled
def next_width(run: Any, begin: float, end: float, patience: float) -> float:
    """The width of the interval after another one."""
    if run.steps == 1 and end < SOON:
        return FIRST_GROWTH * (end - begin)
    return (end - begin) * (GROWTH if patience <= 0.0 else 1.0)


@compiled
def events_within(run: Any, begin: float, end: float) -> float:
    """Write down the events of an interval that has been probed: θ of the first one that stops, or infinity."""
    thetas, count = doubles(run.thetas), with_turning_points(run)
    for k in range(1, count):
        if begin < thetas[k] <= end:
            if MARGIN < (thetas[k] - begin) / (end - begin) < 1.0 - MARGIN:
                arm(run, k)
            stop = crossings(run, k)
            write_down(run, stop)
            if stop < math.inf:
                return stop
    return math.inf


@compiled
def arm(run: Any, k: int) -> None:
    """Note which signals are far from zero at probe k: their next touch is another one.

    Not for probes near the ends of an interval: a touch there is a turning point of both intervals.
    """
    armed, values = doubles(run.armed), doubles(row(run.probes, k, run.events))
    for i in range(run.events):
        if abs(values[i]) > 2.0 * touch_tolerance(run, i):
            armed[i] = 1.0


@compiled
def crossings(run: Any, k: int) -> float:
    """Crossings between probes k - 1 and k, as roots, infinite where there is none; the first that stops."""
    sides, roots, values = doubles(run.sides), doubles(run.roots), doubles(row(run.probes, k, run.events))
    directions, stops, stop = doubles(run.directions), doubles(run.stops), math.inf
    armed = doubles(run.armed)
    returns, roundings, theta = doubles(run.returns), doubles(run.roundings), doubles(run.thetas)[k]
    settled = run.t + theta * run.h - run.start >= 0.5 * SETTLED * run.tolerance
    for i in range(run.events):
        roots[i] = math.inf
        touched = values[i] == 0.0 and armed[i] == 0.0  # the same touch once more
        if sides[i] != 0.0 and sides[i] * values[i] <= 0.0 and not touched:
            armed[i] = 0.0
            if directions[i] * sides[i] <= 0.0:
                roots[i] = located(run, k, i)
                stop = smaller(stop, roots[i]) if stops[i] != 0.0 else stop
            sides[i] = 0.0
        if sides[i] == 0.0 and settled:
            sides[i] = side(values[i], roundings[i])
            if sides[i] * returns[i] < 0.0:
                run.fallen = 1
                stop = smaller(stop, theta)
            if sides[i] != 0.0:
                returns[i] = 0.0
    return stop


@compiled
def located(run: Any, k: int, i: int) -> float:
    """A zero of signal i between probes k - 1 and k, on its far side, by the ITP method.

    It lies between regula falsi and bisection, and is never slower than the latter (Oliveira & Takahashi 2020).
    """
    thetas, probes, before = doubles(run.thetas), doubles(run.probes), doubles(run.sides)[i]
    a, b = thetas[k - 1], thetas[k]
    value_a, value_b = before * probes[(k - 1) * run.events + i], before * probes[k * run.events + i]
    half = 0.5 * larger(run.tolerance, 2.0 * EPSILON * (abs(run.t) + run.h)) / run.h
    radius, bend = 2.0 * (b - a), 0.2 / (b - a)
    while b - a > 2.0 * half and value_b != 0.0:
        middle = 0.5 * (a + b)
        guess = truncated(a, b, value_a, value_b, bend)
        reach = larger(0.0, radius - 0.5 * (b - a))
        guess = smaller(larger(guess, middle - reach), middle + reach)
        guess = smaller(larger(guess, a + half), b - half)
        value = before * signal_within(run, guess, i)
        if value > 0.0:
            a, value_a = guess, value
        else:
            b, value_b = guess, value
        radius *= 0.5
    return b


@compiled
def truncated(a: float, b: float, value_a: float, value_b: float, bend: float) -> float:
    """The zero of the chord, moved a little towards the middle so that the bracket shrinks from both sides."""
    middle, chord = 0.5 * (a + b), (value_b * a - value_a * b) / (value_b - value_a)
    shift = bend * square(b - a)
    if shift > abs(middle - chord):
        return middle
    return chord + shift if chord < middle else chord - shift


@compiled
def signal_within(run: Any, theta: float, i: int) -> float:
    """Signal i at θ, on the constraints."""
    state_within(run, theta, run.point)
    signal(run, run.t + theta * run.h, run.point)
    return doubles(run.bound_signals)[i]


@compiled
def write_down(run: Any, stop: float) -> None:
    """The crossings of a slice in the order of time, up to the one that stops and those at the same time."""
    roots = doubles(run.roots)
    for _ in range(run.events):
        i = first_root(run)
        if roots[i] > stop + run.tolerance / run.h or roots[i] == math.inf:
            return
        theta = smaller(roots[i], stop)
        doubles(run.hit_event)[run.hits] = i
        doubles(run.hit_t)[run.hits] = time_within(run, theta)
        state_within(run, theta, row(run.hit_y, run.hits, run.size))
        run.hits += 1
        roots[i] = math.inf


@compiled
def first_root(run: Any) -> int:
    """The event that crosses first."""
    roots, first = doubles(run.roots), 0
    for i in range(run.events):
        if roots[i] < roots[first]:
            first = i
    return first
