"""Zero crossings of signals between the steps of a solver, in the order of time.

A signal is on one side of zero, +1 or -1, until it reaches zero or the other side: that is the crossing. Its side is 0
as long as it cannot be told from zero, and for an event that has just happened until a little later. Steps are divided
into intervals so short that a polynomial through some probes of each signal meets the others. The compiled loops keep
to the same rules, with the same constants; see ``event_probes`` and ``event_location``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from multibody.errors import StepError
from multibody.simulation.contract import Occurrence, Status, Vector, Watch
from multibody.simulation.events.search_constants import (
    ACCUMULATED,
    CROWDED_WIDTH,
    FINER,
    FIRST_GROWTH,
    FLAT,
    GOLDEN,
    GROWTH,
    LARGEST_RELATIVE_ERROR,
    LEAST_RELATIVE_ERROR,
    LOCATED,
    NARROWEST,
    NEAR,
    NOISE,
    NUDGE,
    PATIENCE,
    REFINEMENTS,
    RESOLVED,
    SETTLED,
    SOON,
    TIME_NUDGE,
)
from multibody.simulation.kernel.run_memory import FINER_WEIGHTS, PROBE_NODES, PROBE_WEIGHTS
from multibody.simulation.problem.problem import Problem

EPSILON = float(np.finfo(float).eps)

EDGE = 1e-3
"""Probes beside both ends of an interval, to see turning points there; relative to its width."""

BEYOND = 0.12
"""Beyond both ends of an interval, polynomials through its probes are evaluated; relative to its width."""

BEYOND_WEIGHTS = np.array([
    [np.prod([(at - other) / (node - other) for other in PROBE_NODES if other != node]) for node in PROBE_NODES]
    for at in (-BEYOND, 1 + BEYOND)
])  # fmt: skip

MOST_CROWDED = 16
"""So many intervals of a step may be as narrow as possible."""

Within = Callable[[float], Vector]
"""The state at a time within the last step."""


class SignalProbe(NamedTuple):
    """All signals at a time."""

    t: float
    values: Vector


class Lookout:
    """Looks for events, step by step.

    Args:
        problem: whose signals are looked at.
        watch: what to look for.
        t0: the start.
        y0: the state there.
        end: where the segment ends.
        rtol: of the solver, which decides what touches zero.
    """

    def __init__(self, problem: Problem, watch: Watch, t0: float, y0: Vector, end: float, rtol: float) -> None:
        self._problem, self._watch, self._start, self._end = problem, watch, t0, end
        self._active, count = bool(watch.directions), len(watch.directions)
        self._sides, self._armed, self._scales = np.zeros(count), np.zeros(count, dtype=bool), np.zeros(count)
        self._returns = np.array(watch.returns or np.zeros(count))
        self._relative_error = min(max(10.0 * rtol, LEAST_RELATIVE_ERROR), LARGEST_RELATIVE_ERROR)
        self._touch = self._relative_error * np.array(watch.touches or np.zeros(count), dtype=float)
        self._before: SignalProbe | None = None  # the last one before the end of the step
        self._interval = 0.0  # the width of intervals, if the last step was divided
        if self._active:
            self._last = SignalProbe(t0, problem.evaluate_signals(t0, y0))
            self._first_sides(t0, y0)

    def _first_sides(self, t0: float, y0: Vector) -> None:
        """On which side of zero signals start: where they are, or else have been before."""
        values, soon = self._last.values, LOCATED * self._watch.tolerance
        self._rounding = rounding_of_signals(self._problem, t0, y0)
        moved = self._problem.evaluate_signals(t0 + soon, y0 + soon * self._problem.evaluate(t0, y0))
        self._sides = side(values, np.maximum(self._rounding, np.abs(moved - values)))
        if self._watch.sides:
            self._sides = np.where(self._sides == 0, self._watch.sides, self._sides)
        self._sides[list(self._watch.quiet)] = 0
        self._scales = np.abs(values)
        self._armed = np.abs(values) > 2 * self._touch * self._scales

    @property
    def sides(self) -> tuple[float, ...]:
        """On which side of zero signals are now."""
        return tuple(self._sides.tolist())

    def events(self, t: float, within: Within) -> tuple[list[Occurrence], float]:
        """The events since the last call, up to the first that stops; and its time, or infinity.

        Raises:
            StepError: if a signal does not come back to the side to which a reset has sent it.
        """
        found: list[Occurrence] = []
        if not self._active:
            return found, np.inf
        begin = self._last.t
        step, width, narrowest, crowded, patience = t - begin, self._first_width(t), NARROWEST, 0, 0.0
        later_rounding = rounding_of_signals(self._problem, t, within(t))
        self._scales = np.maximum(self._scales, np.abs(self._problem.signals))
        while begin < t:
            end = begin + width if begin + width < t - NARROWEST * step else t
            probes = self._probed(begin, end, within, later_rounding)
            smooth = self._resolved(probes)
            half = 0.5 * (end - begin)
            if not smooth and end - begin > narrowest * step and half < width:  # else it would stay as it is
                width, patience = half, PATIENCE
                continue
            crowded += not smooth
            narrowest = CROWDED_WIDTH if crowded > MOST_CROWDED else NARROWEST
            stop = self._events_within(probes, within, found)
            if stop < np.inf:
                return found, stop
            soon = self._last.t == self._start or end - self._start < SOON * step
            grown = FIRST_GROWTH if begin < self._start + SOON * step and soon else GROWTH if patience <= 0 else 1.0
            self._interval = grown * width if width < step else 0.0
            width, patience, begin = grown * (end - begin), patience - 1, end
        self._rounding = later_rounding
        return found, np.inf

    def _first_width(self, t: float) -> float:
        """The width of the first interval: very short if there are events whose sides must be found out.

        After a step that was divided it is that of the next interval there: what has made them short may go on.
        """
        step = t - self._last.t
        if self._last.t == self._start and not self._sides.all():
            return min(step, SETTLED * self._watch.tolerance)
        return min(step, self._interval) if self._interval > 0 else step

    # probes ------------------------------------------------------------------------------------------------------

    def _probed(self, begin: float, end: float, within: Within, later_rounding: Vector) -> list[SignalProbe]:
        """Probes of an interval: those of the polynomials, and two beside its ends."""
        times = begin + PROBE_NODES * (end - begin)
        times[-1] = end
        probes = [self._last] + [self._probe(float(t), within) for t in times[1:]]
        if end == self._end:
            last = probes[-1].values
            last[np.abs(last) <= ACCUMULATED * later_rounding] = 0.0
        edge = EDGE * (end - begin)
        return [
            probes[0],
            self._probe(begin + edge, within),
            *probes[1:-1],
            self._probe(end - edge, within),
            probes[-1],
        ]

    def _probe(self, t: float, within: Within) -> SignalProbe:
        return SignalProbe(t, self._problem.evaluate_signals(t, within(t)))

    def _resolved(self, probes: list[SignalProbe]) -> bool:
        """Whether all signals are where polynomials through every other probe expect them."""
        values = np.array([probe.values for k, probe in enumerate(probes) if k not in (1, len(probes) - 2)])
        largest = np.abs(values).max(axis=0)
        self._scales = np.maximum(self._scales, largest)
        missed = np.abs(PROBE_WEIGHTS @ values[0::2] - values[1::2]).max(axis=0)
        noise = 4 * self._rounding + NOISE * self._scales
        return not ((missed > RESOLVED * largest + noise).any() or _has_flat_crossing(values, noise))

    def _with_turns(self, probes: list[SignalProbe], within: Within) -> list[SignalProbe]:
        """The probes in order, with those where signals turn back beyond zero, or touch it."""
        probes = self._with_hidden_turns(probes, within)
        before = [] if self._before is None else [self._before]
        row, turns = [*before, *probes], []
        largest = np.abs(np.array([probe.values for probe in probes])).max(axis=0)
        for k in range(1, len(row) - 1):
            a, b, c = (row[j].values for j in (k - 1, k, k + 1))
            allowed = self._touch * self._scales
            low = (np.abs(b) <= np.abs(a)) & (np.abs(b) <= np.abs(c)) & (np.sign(a) * np.sign(c) > 0)
            for i in np.flatnonzero(low & ((np.sign(a) * np.sign(b) > 0) | (np.abs(b) <= allowed))):
                turn = self._turn(int(i), row[k - 1 : k + 2], float(largest[i]), float(allowed[i]), probes[0].t, within)
                turns += [] if turn is None else [turn]
        return sorted([*probes[1:], *turns], key=lambda one: one.t)

    def _with_hidden_turns(self, probes: list[SignalProbe], within: Within) -> list[SignalProbe]:
        """The probes with others where the polynomial through all of them turns back between two of them."""
        nodes = [probes[0], *probes[2:-2], probes[-1]]
        values = np.array([node.values for node in nodes])
        between = (FINER_WEIGHTS @ values).reshape(len(nodes) - 1, FINER, -1)
        near, places = NEAR * np.abs(values).max(axis=0), set()
        for k in range(len(nodes) - 1):
            times = np.linspace(nodes[k].t, nodes[k + 1].t, FINER + 2)[1:-1]
            for i in range(values.shape[1]):
                a, b = values[k : k + 2, i].tolist()
                j = _hidden_turn(a, b, between[k, :, i].tolist(), float(near[i]))
                places |= set() if j is None else {float(times[j])}
        return sorted([*probes, *(self._probe(t, within) for t in places)], key=lambda one: one.t)

    def _turn(
        self, i: int, three: list[SignalProbe], largest: float, allowed: float, first: float, within: Within
    ) -> SignalProbe | None:  # fmt: skip
        """A probe where signal i turns back between three others, if it reaches zero there."""
        before = 1.0 if three[0].values[i] > 0 else -1.0
        (low, low_value), (at, value), (high, high_value) = (
            (sample.t, before * float(sample.values[i])) for sample in three
        )
        resolution = 1e-9 * (high - low)
        for _ in range(REFINEMENTS):
            guess = max(_vertex(low, at, high, low_value, value, high_value), first)
            if not low < guess < high or abs(guess - at) <= resolution or value > NEAR * largest or value < -allowed:
                break
            new = before * float(self._probe(guess, within).values[i])
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
        if value > allowed:
            return None
        probe = self._probe(max(at, first), within)
        if value >= -min(allowed, self._signal_error(i, probe, within)):
            middle = three[1].values
            if middle[i] * before <= 0:
                middle[i] = before * allowed  # a probe beside a touch is not beyond zero
            probe.values[i] = 0.0
        return probe

    def _signal_error(self, i: int, probe: SignalProbe, within: Within) -> float:
        """What errors of the state make of signal i: a signal that goes farther beyond zero has crossed it."""
        nudged = self._problem.evaluate_signals(probe.t, within(probe.t) * (1 + NUDGE))
        rounding = ACCUMULATED * self._rounding[i] + NOISE * self._scales[i]
        return float(self._relative_error * abs(nudged[i] - probe.values[i]) / NUDGE + rounding)

    # events ------------------------------------------------------------------------------------------------------

    def _events_within(self, probes: list[SignalProbe], within: Within, found: list[Occurrence]) -> float:
        """Add the events of an interval; the time of the first that stops, or infinity."""
        for probe in self._with_turns(probes, within):
            crossed = self._crossed(probe, within)
            stop = min((when for event, when in crossed if self._watch.stops[event]), default=np.inf)
            last = stop + self._watch.tolerance
            found += [
                Occurrence(k, float(min(when, stop)), within(min(when, stop))) for k, when in crossed if when <= last
            ]
            self._before, self._last = (self._last, probe) if probe.t > self._last.t else (self._before, probe)
            if stop < np.inf:
                return stop
        return np.inf

    def _crossed(self, probe: SignalProbe, within: Within) -> list[tuple[int, float]]:
        """Events between the last probe and this one, with their times, in order."""
        values, sides = probe.values, self._sides
        self._armed |= np.abs(values) > 2 * self._touch * self._scales
        reached = (sides != 0) & (sides * values <= 0) & ((values != 0) | self._armed)
        self._armed &= ~reached
        crossed = [
            (int(k), self._located(int(k), probe, within))
            for k in np.flatnonzero(reached)
            if self._watch.directions[k] * sides[k] <= 0
        ]
        self._sides = np.where(reached, 0.0, sides)
        if probe.t - self._start >= 0.5 * SETTLED * self._watch.tolerance:
            self._sides = np.where(self._sides == 0, side(values, self._rounding), self._sides)
            if (self._sides * self._returns < 0).any():
                raise StepError(Status.EVENTS_ACCUMULATE, "")
            self._returns = np.where(self._sides == 0, self._returns, 0.0)
        return sorted(crossed, key=lambda one: one[1])

    def _located(self, k: int, probe: SignalProbe, within: Within) -> float:
        """Where signal k has just left its side, by the ITP method; see ``event_location.located``."""
        side = float(self._sides[k])
        a, b, value_a, value_b = (
            self._last.t,
            probe.t,
            side * float(self._last.values[k]),
            side * float(probe.values[k]),
        )
        if value_b == 0 or b <= a:
            return b
        half = 0.5 * max(self._watch.tolerance, 4 * EPSILON * abs(b))
        radius, bend = 2.0 * (b - a), 0.2 / (b - a)
        while b - a > 2 * half and value_b != 0:
            middle, chord = 0.5 * (a + b), (value_b * a - value_a * b) / (value_b - value_a)
            shift, reach = bend * (b - a) ** 2, max(0.0, radius - 0.5 * (b - a))
            guess = middle if shift > abs(middle - chord) else chord + shift if chord < middle else chord - shift
            guess = min(max(guess, middle - reach), middle + reach)
            guess = min(max(guess, a + half), b - half)
            value = side * float(self._probe(guess, within).values[k])
            if value > 0:
                a, value_a = guess, value
            else:
                b, value_b = guess, value
            radius *= 0.5
        return b


def rounding_of_signals(problem: Problem, t: float, y: Vector) -> Vector:
    """What rounding time and state may make of signals that are zero."""
    values = problem.evaluate_signals(t, y)
    nudged = problem.evaluate_signals(t * (1 + TIME_NUDGE), y * (1 + NUDGE))
    size: Vector = 8 * EPSILON * np.maximum(np.abs(nudged - values) / NUDGE, np.abs(values))
    return size


def side(values: Vector, rounding: Vector) -> Vector:
    """Which side of zero; 0 where it cannot be told."""
    return np.where(np.abs(values) > rounding, np.sign(values), 0.0)


def _hidden_turn(a: float, b: float, between: list[float], near: float) -> int | None:
    """The place between two values at which a signal turns back, see ``event_probes.hidden_turn``; None if nowhere."""
    inner = [value if a > 0 else -value for value in between]
    j = int(np.argmin(inner))
    return j if a * b > 0 and inner[j] < min(near, abs(a), abs(b)) else None


def _has_flat_crossing(values: Vector, noise: Vector) -> bool:
    """Whether a signal that crosses zero, in the interval or just beyond it, may do so several times.

    There is a row for each probe and a column for each signal; see ``event_probes.has_flat_end``.
    """
    between = (FINER_WEIGHTS @ values).reshape(len(values) - 1, FINER, -1)
    near, sizes = NEAR * np.abs(values).max(axis=0), np.maximum(np.abs(values[1:]), np.abs(values[:-1]))
    for k, i in np.argwhere((np.sign(values[1:]) * np.sign(values[:-1]) < 0) & (sizes > noise)):
        for pair in range(max(k - 1, 0), min(k + 2, len(between))):
            a, b = values[pair : pair + 2, i].tolist()
            if _is_flat(a, b, between[pair, :, i].tolist(), float(near[i])):
                return True
    for beyond, end, inner, pair in ((0, 0, 1, 0), (1, -1, -2, -1)):
        outer = np.sign(BEYOND_WEIGHTS[beyond] @ values) * np.sign(values[inner])
        beside = (outer < 0) & (np.sign(values[end]) * np.sign(values[inner]) >= 0)
        for i in np.flatnonzero(beside & (np.abs(values[end]) <= near) & (np.abs(values[inner]) > noise)):
            row = values[:, i].tolist()
            a, b = (row[0], row[1]) if pair == 0 else (row[-2], row[-1])
            if _is_flat(a, b, between[pair, :, i].tolist(), float(near[i])):
                return True
    return False


def _is_flat(a: float, b: float, between: list[float], near: float) -> bool:
    """Whether a signal is near zero and nearly constant, or turns back, between two values; see ``event_probes``."""
    steps, mean = np.diff([a, *between, b]), (b - a) / (FINER + 1)
    return bool(
        min(abs(a), abs(b), *map(abs, between)) <= near and not (steps * np.sign(mean) > FLAT * abs(mean)).all()
    )


def _vertex(low: float, at: float, high: float, low_value: float, value: float, high_value: float) -> float:
    """Where the parabola through three points is lowest; where that is at the middle one, a golden section."""
    before, after = at - low, at - high
    left, right = (value - low_value) * after, (value - high_value) * before
    vertex = at if left == right else at - 0.5 * (before * right - after * left) / (right - left)
    if low < vertex < high and abs(vertex - at) > 1e-9 * (high - low):
        return vertex
    return at + GOLDEN * (high - at) if high - at > at - low else at - GOLDEN * (at - low)
