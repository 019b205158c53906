"""Zero crossings within a step, in the order of time. Loaded late: everything here is compiled.

A signal is on one side of zero, +1 or -1, until it reaches zero or the other side: that is the crossing. Its side is 0
as long as it cannot be told from zero.
"""

from __future__ import annotations

import math
from typing import Any

from multibody.simulate.dense_output import prepare, state_within, time_within
from multibody.simulate.event_probes import SETTLED, noise, probe_step, side, signal
from multibody.simulate.loops import EPSILON, compiled, doubles, larger, row, smaller, square


@compiled
def watch(run: Any) -> float:
    """Write down the events of this step: θ of the first one that stops, or infinity."""
    if run.events == 0:
        return math.inf
    prepare(run)
    thetas, count = doubles(run.thetas), probe_step(run)
    for k in range(1, count):
        if 0.0 < thetas[k] <= 1.0:
            stop = crossings(run, k)
            write_down(run, stop)
            if stop < math.inf:
                return stop
    return math.inf


@compiled
def crossings(run: Any, k: int) -> float:
    """Crossings between probes k - 1 and k, as roots, infinite where there is none; the first that stops."""
    sides, roots, values = doubles(run.sides), doubles(run.roots), doubles(row(run.probes, k, run.events))
    directions, stops, stop = doubles(run.directions), doubles(run.stops), math.inf
    settled = run.t + doubles(run.thetas)[k] * run.h - run.start >= 0.5 * SETTLED * run.tolerance
    for i in range(run.events):
        roots[i] = math.inf
        if sides[i] != 0.0 and sides[i] * values[i] <= 0.0:
            if directions[i] * sides[i] <= 0.0:
                roots[i] = located(run, k, i)
                stop = smaller(stop, roots[i]) if stops[i] != 0.0 else stop
            sides[i] = 0.0
        if sides[i] == 0.0 and settled:
            sides[i] = side(values[i], noise(run))
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
