"""Zero crossings of signals between the steps of a solver, in the order of time.

A signal is on one side of zero, +1 or -1, until it reaches zero or the other side: that is the crossing. Its side is 0
as long as it cannot be told from zero, and for an event that has just happened until a little later. The compiled loops
keep to the same rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np

from multibody.simulate.contract import Occurrence, Vector, Watch
from multibody.simulate.problem import Problem

SLICES = 2  # a step is looked at in so many parts
SETTLED = 100.0  # so many tolerances after the start, the side of a quiet event is no longer a matter of rounding

Within = Callable[[float], Vector]
"""The state at a time within the last step."""


class Lookout:
    """Looks for events, step by step.

    Args:
        problem: whose signals are looked at.
        watch: what to look for.
        t0: the start.
        y0: the state there.
    """

    def __init__(self, problem: Problem, watch: Watch, t0: float, y0: Vector) -> None:
        self._problem, self._watch, self._start = problem, watch, t0
        self._t, self._noise = t0, 8 * np.finfo(float).eps * max(1.0, float(np.abs(y0).max(initial=0.0)))
        self._active = bool(watch.directions)
        self._sides = self._side(problem.evaluate_signals(t0, y0)) if self._active else np.zeros(0)
        if watch.sides:
            self._sides = np.where(self._sides == 0, watch.sides, self._sides)
        self._sides[list(watch.quiet)] = 0

    @property
    def sides(self) -> tuple[float, ...]:
        """On which side of zero signals are now."""
        return tuple(self._sides.tolist())

    def events(self, t: float, within: Within) -> tuple[list[Occurrence], float]:
        """The events since the last call, up to the first that stops; and its time, or infinity."""
        found: list[Occurrence] = []
        if not self._active:
            return found, np.inf
        for later in self._probes(t, within):
            crossed = self._crossed(later, within)
            stop = min((when for event, when in crossed if self._watch.stops[event]), default=np.inf)
            last = stop + self._watch.tolerance
            found += [Occurrence(k, min(when, stop), within(min(when, stop))) for k, when in crossed if when <= last]
            self._t = later
            if stop < np.inf:
                return found, stop
        return found, np.inf

    def _probes(self, t: float, within: Within) -> Iterator[float]:
        """Times up to t; at the start they double, to see what happens soon after it."""
        edges = list(np.linspace(self._t, t, SLICES + 1)[1:])
        soon = SETTLED * self._watch.tolerance
        while self._t == self._start and self._t + soon < edges[0]:
            edges.append(self._t + soon)
            soon *= 2
        for before, after in pairwise([self._t, *sorted(edges)]):
            yield from sorted(self._beyond(before, after, within))
            yield after

    def _beyond(self, before: float, after: float, within: Within) -> list[float]:
        """Where signals that seem to come near zero and turn back between two times are beyond it."""
        from scipy.optimize import minimize_scalar

        nudge = 1e-3 * (after - before)
        first, second, third, last = (
            self._problem.evaluate_signals(t, within(t)) for t in (before, before + nudge, after - nudge, after)
        )
        turning = (first * last > 0) & (first * (second - first) < 0) & (last * (last - third) > 0)
        found = []
        for k in np.flatnonzero(turning):
            distance = self._signal(int(k), float(np.sign(first[k])), within)
            lowest = minimize_scalar(distance, bounds=(before, after), method="bounded", options={"xatol": nudge})
            if lowest.fun <= 0:
                found.append(float(lowest.x))
        return found

    def _signal(self, k: int, side: float, within: Within) -> Callable[[float], float]:
        """A signal as a function of time, positive on a side."""
        return lambda t: side * float(self._problem.evaluate_signals(t, within(t))[k])

    def _crossed(self, t: float, within: Within) -> list[tuple[int, float]]:
        """Events between the last probe and t, with their times, in order."""
        values = self._problem.evaluate_signals(t, within(t))
        crossed = [
            (k, self._located(k, t, within))
            for k, (side, direction) in enumerate(zip(self._sides, self._watch.directions, strict=True))
            if side * values[k] <= 0 and side != 0 and direction * side <= 0
        ]
        self._sides = np.where(self._sides * values <= 0, 0, self._sides)
        if t - self._start >= 0.5 * SETTLED * self._watch.tolerance:
            self._sides = np.where(self._sides == 0, self._side(values), self._sides)
        return sorted(crossed, key=lambda one: one[1])

    def _located(self, k: int, after: float, within: Within) -> float:
        """Where signal k has just left its side, by bisection."""
        before, distance = self._t, self._signal(k, float(self._sides[k]), within)
        while after - before > max(self._watch.tolerance, 4 * np.finfo(float).eps * abs(after)):
            middle = 0.5 * (before + after)
            before, after = (middle, after) if distance(middle) > 0 else (before, middle)
        return after

    def _side(self, values: Vector) -> Vector:
        return np.where(np.abs(values) > self._noise, np.sign(values), 0.0)
