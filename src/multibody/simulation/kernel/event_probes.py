"""Signals of events along a step. Loaded late: everything here is compiled.

A step is divided into intervals so short that a polynomial through some probes of each signal meets the others. Where a
signal comes near zero and turns back, its turning point is another probe.
"""

from __future__ import annotations

from typing import Any

from multibody.compiler.loops.language import EPSILON, call, compiled, copy, doubles, larger, row, smaller
from multibody.simulation.events.search_constants import (
    ACCUMULATED,
    FINER,
    FLAT,
    GOLDEN,
    LARGEST_RELATIVE_ERROR,
    LEAST_RELATIVE_ERROR,
    LOCATED,
    NEAR,
    NOISE,
    NUDGE,
    REFINEMENTS,
    RESOLVED,
    TIME_NUDGE,
)
from multibody.simulation.kernel.dense_output import interpolate
from multibody.simulation.kernel.evaluation import place
from multibody.simulation.kernel.run_record import CHECKS, FITTED, NODES, QUIET

BEYOND = 0.12
"""Probes beyond both ends of an interval, to see turning points there; relative to its width."""

MOST_TURNS = 20
"""Largest number of turning points of an interval."""

MOST_HIDDEN = 12
"""Largest number of probes that are added to an interval between its nodes."""

MARGIN = 0.02
"""How far beyond the ends of an interval a turning point may be, in widths."""


@compiled
def signal(run: Any, t: float, y: int) -> None:
    """Evaluate all signals."""
    place(run, t, y)
    call(run.events_at, run.events_ports, run.events_more)


@compiled
def first_sides(run: Any) -> None:
    """On which side of zero signals start: where they are, or else have been before; quiet ones are found out later."""
    signals, sides, roundings = doubles(run.bound_signals), doubles(run.sides), doubles(run.roundings)
    armed = doubles(run.armed)
    if run.events == 0:
        return
    estimate_rounding(run, run.t, run.y, run.roundings)
    add_location_error(run)
    signal(run, run.t, run.y)
    for i in range(run.events):
        now = side(signals[i], roundings[i])
        armed[i] = 1.0 if abs(signals[i]) > 2.0 * touch_tolerance(run, i) else 0.0
        if sides[i] == QUIET:
            sides[i] = 0.0
        elif now != 0.0:
            sides[i] = now
    estimate_rounding(run, run.t, run.y, run.roundings)


@compiled
def estimate_rounding(run: Any, t: float, y: int, result: int) -> None:
    """What rounding time and state may make of signals that are zero: their change where all numbers change."""
    signals, roundings, scales = doubles(run.bound_signals), doubles(result), doubles(run.signal_scales)
    values, point = doubles(y), doubles(run.point)
    signal(run, t, y)
    copy(run.bound_signals, result, run.events)
    for j in range(run.size):
        point[j] = values[j] * (1.0 + NUDGE)
    signal(run, t * (1.0 + TIME_NUDGE), run.point)
    for i in range(run.events):
        size = larger(abs(signals[i] - roundings[i]) / NUDGE, abs(roundings[i]))
        scales[i] = larger(scales[i], abs(roundings[i]))
        roundings[i] = 8.0 * EPSILON * size


@compiled
def add_location_error(run: Any) -> None:
    """How much signals change at the start while time moves on by a few times the tolerance of events."""
    signals, roundings, rate = doubles(run.bound_signals), doubles(run.roundings), doubles(run.K)
    values, point, before = doubles(run.y), doubles(run.point), doubles(run.later_roundings)
    soon = LOCATED * run.tolerance
    signal(run, run.t, run.y)
    copy(run.bound_signals, run.later_roundings, run.events)
    for j in range(run.size):
        point[j] = values[j] + soon * rate[j]
    signal(run, run.t + soon, run.point)
    for i in range(run.events):
        roundings[i] = larger(roundings[i], abs(signals[i] - before[i]))


@compiled
def side(value: float, rounding: float) -> float:
    """Which side of zero; 0 if it cannot be told."""
    if value > rounding:
        return 1.0
    return -1.0 if value < -rounding else 0.0


@compiled
def probe_interval(run: Any, begin: float, end: float) -> None:
    """Probe an interval of a step, and a little beyond both ends; in the last row but one the run may end."""
    nodes, width = doubles(run.nodes), end - begin
    probe(run, begin - BEYOND * width, 0)
    for k in range(NODES):
        probe(run, begin + nodes[k] * width if k < NODES - 1 else end, 1 + k)
    probe(run, end + BEYOND * width, NODES + 1)
    if end == 1.0 and run.next == run.end:
        values, roundings = doubles(row(run.probes, NODES, run.events)), doubles(run.later_roundings)
        for i in range(run.events):
            if abs(values[i]) <= ACCUMULATED * roundings[i]:
                values[i] = 0.0


@compiled
def probe(run: Any, theta: float, k: int) -> None:
    """Probe number k."""
    interpolate(run, theta, run.point)
    signal(run, run.t + theta * run.h, run.point)
    doubles(run.thetas)[k] = theta
    copy(run.bound_signals, row(run.probes, k, run.events), run.events)


@compiled
def largest_value(run: Any, i: int, last: int) -> float:
    """The largest |value| of signal i in the interval, which ends with probe number ``last``."""
    probes, largest = doubles(run.probes), 0.0
    for k in range(1, last + 1):
        largest = larger(largest, abs(probes[k * run.events + i]))
    return largest


@compiled
def resolved(run: Any) -> bool:
    """Whether all signals are where polynomials through every other probe expect them."""
    probes, weights, width = doubles(run.probes), doubles(run.weights), run.events
    roundings, scales = doubles(run.roundings), doubles(run.signal_scales)
    good = True
    for i in range(width):
        largest = largest_value(run, i, NODES)
        scales[i] = larger(scales[i], largest)
        allowed = RESOLVED * largest + 4.0 * roundings[i] + NOISE * scales[i]
        for j in range(CHECKS):
            expected = 0.0
            for k in range(FITTED):
                expected += weights[j * FITTED + k] * probes[(1 + 2 * k) * width + i]
            if abs(expected - probes[(2 + 2 * j) * width + i]) > allowed:
                good = False
        for k in range(1, NODES):
            a, b = probes[k * width + i], probes[(k + 1) * width + i]
            if a * b < 0.0 and larger(abs(a), abs(b)) > 4.0 * roundings[i] + NOISE * scales[i]:
                for pair in range(k - 1 if k > 1 else 1, k + 2 if k < NODES - 1 else NODES):
                    good = good and not is_flat(run, pair, i, NEAR * largest)
        noise = 4.0 * roundings[i] + NOISE * scales[i]
        good = good and not has_flat_end(run, 0, 1, 2, i, NEAR * largest, noise)
        good = good and not has_flat_end(run, NODES + 1, NODES, NODES - 1, i, NEAR * largest, noise)
    return good


@compiled
def has_flat_end(run: Any, outer: int, end: int, inner: int, i: int, near: float, noise: float) -> bool:
    """Whether signal i crosses zero at an end of the interval, and may do so several times.

    The numbers are those of the probe beyond the end, of that at the end, and of its neighbor in the interval.
    """
    probes, width = doubles(run.probes), run.events
    beyond, value, neighbor = probes[outer * width + i], probes[end * width + i], probes[inner * width + i]
    if beyond * neighbor >= 0.0 or value * neighbor < 0.0 or abs(value) > near or abs(neighbor) <= noise:
        return False
    return is_flat(run, end if end < inner else inner, i, near)


@compiled
def finer_value(run: Any, k: int, j: int, i: int) -> float:
    """Signal i at place j between probes k and k + 1, by the polynomial through all probes."""
    probes, weights, value = doubles(run.probes), doubles(run.finer_weights), 0.0
    for node in range(NODES):
        value += weights[((k - 1) * FINER + j) * NODES + node] * probes[(1 + node) * run.events + i]
    return value


@compiled
def is_flat(run: Any, k: int, i: int, near: float) -> bool:
    """Whether signal i is near zero and nearly constant, or turns back, somewhere between probes k and k + 1."""
    probes = doubles(run.probes)
    a, b = probes[k * run.events + i], probes[(k + 1) * run.events + i]
    mean, nearest, last, flat = (b - a) / (FINER + 1.0), smaller(abs(a), abs(b)), a, False
    for j in range(FINER + 1):
        value = finer_value(run, k, j, i) if j < FINER else b
        nearest = smaller(nearest, abs(value))
        flat = flat or not (value - last if mean > 0.0 else last - value) > FLAT * abs(mean)
        last = value
    return flat and nearest <= near


@compiled
def touch_tolerance(run: Any, i: int) -> float:
    """A signal that turns back nearer to zero than this has touched it."""
    return relative_error(run) * doubles(run.signal_scales)[i] if doubles(run.touches)[i] != 0.0 else 0.0


@compiled
def relative_error(run: Any) -> float:
    """What the state may be off by, relative to itself."""
    return smaller(larger(10.0 * run.rtol, LEAST_RELATIVE_ERROR), LARGEST_RELATIVE_ERROR) if run.rtol > 0.0 else 1e-7


@compiled
def signal_error(run: Any, theta: float, i: int) -> float:
    """What errors of the state make of signal i at θ: a signal that goes farther beyond zero has crossed it."""
    point, signals = doubles(run.point), doubles(run.bound_signals)
    t = run.t + theta * run.h
    interpolate(run, theta, run.point)
    signal(run, t, run.point)
    value = signals[i]
    for j in range(run.size):
        point[j] *= 1.0 + NUDGE
    signal(run, t, run.point)
    rounding = ACCUMULATED * doubles(run.roundings)[i] + NOISE * doubles(run.signal_scales)[i]
    return relative_error(run) * abs(signals[i] - value) / NUDGE + rounding


@compiled
def with_turning_points(run: Any) -> int:
    """Add probes where a signal that seems to turn back before zero is beyond it, or touches it: how many there are."""
    first = with_hidden_turns(run)
    total = first
    for i in range(run.events):
        largest = largest_value(run, i, first - 2)
        for k in range(1, first - 1):
            if total < first + MOST_TURNS:
                total = turn(run, k, i, largest, first - 2, total)
    for k in range(first, total):
        sort_in(run, k)
    return total


@compiled
def with_hidden_turns(run: Any) -> int:
    """Add probes where the polynomial through all probes turns back between two of them: how many there are."""
    thetas, total = doubles(run.thetas), NODES + 2
    for i in range(run.events):
        near = NEAR * largest_value(run, i, NODES)
        for k in range(1, NODES):
            place = hidden_turn(run, k, i, near)
            known = place == 0.0
            for other in range(NODES + 2, total):
                known = known or thetas[other] == place
            if not known and total < NODES + 2 + MOST_HIDDEN:
                probe(run, place, total)
                total += 1
    for k in range(NODES + 2, total):
        sort_in(run, k)
    return total


@compiled
def hidden_turn(run: Any, k: int, i: int, near: float) -> float:
    """Where signal i is nearest to zero, or farthest beyond it, between probes k and k + 1 on one side; else 0."""
    x, probes = doubles(run.thetas), doubles(run.probes)
    a, b = probes[k * run.events + i], probes[(k + 1) * run.events + i]
    before, lowest, found = 1.0 if a > 0.0 else -1.0, smaller(near, smaller(abs(a), abs(b))), 0.0
    for j in range(FINER):
        value = before * finer_value(run, k, j, i)
        if a * b > 0.0 and value < lowest:
            lowest, found = value, x[k] + (x[k + 1] - x[k]) * (j + 1.0) / (FINER + 1.0)
    return found


@compiled
def turn(run: Any, k: int, i: int, largest: float, last: int, total: int) -> int:
    """Add a probe where signal i turns back near probe k, if it reaches zero there; the number of probes then.

    The interval ends with probe number ``last``.
    """
    x, probes, width = doubles(run.thetas), doubles(run.probes), run.events
    a, b, c = probes[(k - 1) * width + i], probes[k * width + i], probes[(k + 1) * width + i]
    allowed = touch_tolerance(run, i)
    same = a * b > 0.0 or abs(b) <= allowed
    if not (a * c > 0.0 and same and abs(b) <= abs(a) and abs(b) <= abs(c)):
        return total
    before = 1.0 if a > 0.0 else -1.0
    low, at, high = x[k - 1], x[k], x[k + 1]
    low_value, value, high_value = before * a, before * b, before * c
    for _ in range(REFINEMENTS):
        guess = vertex(low, at, high, low_value, value, high_value)
        if not low < guess < high or abs(guess - at) <= 1e-9 * (x[last] - x[1]) or value > NEAR * largest:
            break
        probe(run, guess, total)
        new = before * probes[total * width + i]
        if new < value:
            if guess < at:
                high, high_value = at, value
            else:
                low, low_value = at, value
            at, value = guess, new
        elif guess < at:
            low, low_value = guess, new
        else:
            high, high_value = guess, new
        if value < -allowed:
            break
    if value > allowed:
        return total
    margin = MARGIN * (x[last] - x[1])
    if not x[1] - margin <= at <= x[last] + margin:
        return total
    if at > x[last] and before * b > 0.0 and not (x[last] == 1.0 and run.next == run.end):
        return total  # the next interval finds it
    if value < -smaller(allowed, signal_error(run, at, i)):
        if not 0.0 < at <= 1.0:
            return total
        probe(run, at, total)
        return total + 1
    at = smaller(larger(at, x[1] + 1e-6 * (x[last] - x[1])), x[last])
    probe(run, at, total)
    clear(run, k, i, before * allowed)
    probes[total * width + i] = 0.0
    return total + 1


@compiled
def clear(run: Any, k: int, i: int, least: float) -> None:
    """A probe beside a touch is not beyond zero."""
    probes, at = doubles(run.probes), k * run.events + i
    if probes[at] * least <= 0.0:
        probes[at] = least


@compiled
def vertex(low: float, at: float, high: float, low_value: float, value: float, high_value: float) -> float:
    """Where the parabola through three points is lowest; where that is at the middle one, a golden section."""
    before, after = at - low, at - high
    left, right = (value - low_value) * after, (value - high_value) * before
    found = at
    if left != right:
        found = at - 0.5 * (before * right - after * left) / (right - left)
    if low < found < high and abs(found - at) > 1e-9 * (high - low):
        return found
    return at + GOLDEN * (high - at) if high - at > at - low else at - GOLDEN * (at - low)


@compiled
def sort_in(run: Any, k: int) -> None:
    """Move probe k to its place among those before it."""
    thetas, probes, width = doubles(run.thetas), doubles(run.probes), run.events
    while k > 0 and thetas[k - 1] > thetas[k]:
        thetas[k - 1], thetas[k] = thetas[k], thetas[k - 1]
        for i in range((k - 1) * width, k * width):
            probes[i], probes[i + width] = probes[i + width], probes[i]
        k -= 1
