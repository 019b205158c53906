"""Signals of events along a step. Loaded late: everything here is compiled.

A step is probed at several points of its dense output; where a signal seems to come near zero and turn back, also at
its turning point; and in the first step at times that double, to see what happens soon after the start.
"""

from __future__ import annotations

from typing import Any

from multibody.simulate.dense_output import interpolate
from multibody.simulate.evaluation import place
from multibody.simulate.loops import EPSILON, call, compiled, copy, doubles, larger, row
from multibody.simulate.run_record import PROBES, QUIET

SLICES = 8
"""Probes of an ordinary step."""

SETTLED = 100.0
"""So many tolerances after the start, the side of a quiet event is no longer a matter of how it was located."""


@compiled
def signal(run: Any, t: float, y: int) -> None:
    """Evaluate all signals."""
    place(run, t, y)
    call(run.events_at, run.events_ports, run.events_more)


@compiled
def first_sides(run: Any) -> None:
    """On which side of zero signals start: where they are, or else have been before; quiet ones are found out later."""
    signals, sides = doubles(run.bound_signals), doubles(run.sides)
    if run.events > 0:
        signal(run, run.t, run.y)
    for i in range(run.events):
        now = side(signals[i], noise(run))
        if sides[i] == QUIET:
            sides[i] = 0.0
        elif now != 0.0:
            sides[i] = now


@compiled
def noise(run: Any) -> float:
    """What rounding may make of a signal that is zero."""
    y, largest = doubles(run.y), 1.0
    for i in range(run.coordinates + run.speeds):
        largest = larger(largest, abs(y[i]))
    return 8.0 * EPSILON * largest


@compiled
def side(value: float, rounding: float) -> float:
    """Which side of zero; 0 if it cannot be told."""
    if value > rounding:
        return 1.0
    return -1.0 if value < -rounding else 0.0


@compiled
def probe_step(run: Any) -> int:
    """Probe a step, and a little beyond both ends to see turning points there: the number of probes."""
    count = probe(run, -1.0 / SLICES, 0)
    count = probe(run, 0.0, count)
    theta = SETTLED * run.tolerance / run.h
    while run.steps == 1 and theta < 0.75 / SLICES and count < PROBES // 2:
        count = probe(run, theta, count)
        theta *= 2.0
    for k in range(SLICES + 1):
        count = probe(run, (k + 1.0) / SLICES, count)
    return with_turning_points(run, count)


@compiled
def probe(run: Any, theta: float, count: int) -> int:
    """One more probe."""
    interpolate(run, theta, run.point)
    signal(run, run.t + theta * run.h, run.point)
    doubles(run.thetas)[count] = theta
    copy(run.bound_signals, row(run.probes, count, run.events), run.events)
    return count + 1


@compiled
def with_turning_points(run: Any, count: int) -> int:
    """Add probes where a signal that seems to turn back before zero is beyond it."""
    probes, width, total = doubles(run.probes), run.events, count
    for k in range(1, count - 1):
        for i in range(width):
            theta = turning_point(run, k, i)
            if 0.0 < theta < 1.0 and total < PROBES:
                probe(run, theta, total)
                if probes[total * width + i] * probes[k * width + i] < 0.0:
                    total += 1
    for k in range(count, total):
        sort_in(run, k)
    return total


@compiled
def turning_point(run: Any, k: int, i: int) -> float:
    """Where signal i turns back, by the parabola through probes k - 1 to k + 1; -1 if it does not."""
    x, probes, width = doubles(run.thetas), doubles(run.probes), run.events
    a, b, c = probes[(k - 1) * width + i], probes[k * width + i], probes[(k + 1) * width + i]
    if not (a * b > 0.0 and b * c > 0.0 and abs(b) <= abs(a) and abs(b) <= abs(c)):
        return -1.0
    before, after = x[k] - x[k - 1], x[k] - x[k + 1]
    left, right = (b - a) * after, (b - c) * before
    return x[k] - 0.5 * (before * right - after * left) / (right - left) if left != right else -1.0


@compiled
def sort_in(run: Any, k: int) -> None:
    """Move probe k to its place among those before it."""
    thetas, probes, width = doubles(run.thetas), doubles(run.probes), run.events
    while k > 0 and thetas[k - 1] > thetas[k]:
        thetas[k - 1], thetas[k] = thetas[k], thetas[k - 1]
        for i in range((k - 1) * width, k * width):
            probes[i], probes[i + width] = probes[i + width], probes[i]
        k -= 1
