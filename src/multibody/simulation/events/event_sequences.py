"""Checks of event sequences: events that accumulate, resets that do not turn a signal back, and jumps of expressions.

A reset, the sample of a controller or a branch may change an event's expression across zero. Nothing moves between two
steps, so such a crossing is found by the values before and after the change, not by a search in time.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np

from multibody.compiler import Function
from multibody.graph import jacobian
from multibody.simulation.contract import Occurrence, Vector
from multibody.simulation.events.continuous_angles import Quadrant
from multibody.simulation.events.events import ForceSign, Signals, Touch
from multibody.simulation.events.zero_crossings import rounding_of_signals, side
from multibody.simulation.problem.problem import Problem
from multibody.simulation.tolerances import EVENT_TIME_ERROR, SHRUNK_INTERVAL, UNCHANGED_RATE

SHORTER_EACH = 0.995
"""The largest ratio of successive intervals of a geometric sequence."""

IN_A_ROW = 8
"""So many intervals in a row must become shorter."""


LOCATED = 1e3
"""A signal is at zero within so many tolerances of the time of its event."""


SHORTLY_AFTER = 1e-8
"""After so many seconds, the rate of a signal shows where it is going."""


class EventSequences:
    """The events of a run so far, as far as they change the state.

    Args:
        problem: what moves.
        signals: the events.
    """

    def __init__(self, problem: Problem, signals: Signals) -> None:
        self._problem, self._signals = problem, signals
        self._last: dict[int, float] = {}  # the time of each event
        self._longest: dict[int, float] = {}  # the longest interval, and the last ones
        self._latest: dict[int, list[float]] = {}
        self._sides: dict[int, float] = {}  # where the last event has left the signal

    def accumulating(self, happened: Sequence[Occurrence], t: float) -> str:
        """Note the events at a time; what there is to say if one of them accumulates."""
        for k in {occurrence.event for occurrence in happened if occurrence.t == t}:
            event = self._signals.events[k]
            if event.reset is None or isinstance(event, ForceSign) or (isinstance(event, Touch) and event.rests):
                continue
            before = self._last.get(k)
            self._last[k] = t
            if before is None or t <= before:
                continue
            interval = t - before
            latest = self._latest.setdefault(k, [])
            latest.append(interval)
            del latest[: -IN_A_ROW - 1]
            self._longest[k] = max(self._longest.get(k, 0.0), interval)
            ratios = [later / earlier for earlier, later in pairwise(latest)]
            geometric = len(ratios) >= IN_A_ROW and max(ratios) < SHORTER_EACH
            if geometric and interval < SHRUNK_INTERVAL * self._longest[k]:
                count = sum(occurrence.event == k for occurrence in happened)
                limit = t + interval * ratios[-1] / (1 - ratios[-1])
                return (
                    f"event '{self._signals.names[k]}' happens without end: intervals shrink by {ratios[-1]:.3g} each, "
                    f"the last one is {interval:.2g} s, and after {count} events there are infinitely many before "
                    f"t = {limit:.9g} s"
                )
        return ""

    def rates(self, events: Sequence[int], t: float, y: Vector) -> dict[int, tuple[float, float]]:
        """Signals of events with resets, and their rates along the motion, by number."""
        watched = [k for k in events if self._turns(k)]
        if not watched:
            return {}
        values = self._problem.evaluate_signals(t, y)
        motion = np.concatenate([[1.0], self._problem.evaluate(t, y)[: self._problem.n + self._problem.m]])
        q, u = y[: self._problem.n], y[self._problem.n : self._problem.n + self._problem.m]
        found = self._gradients(t, q, u, self._problem.all_r, self._problem.p)
        gradients = np.reshape(np.asarray(found, dtype=float), (len(values), -1))
        return {k: (float(values[k]), float(gradients[k] @ motion)) for k in watched}

    def turned(
        self, before: Mapping[int, tuple[float, float]], t: float, y: Vector, *, moved: bool = True
    ) -> tuple[dict[int, float], str]:  # fmt: skip
        """The sides to which signals are sent back by resets; and what there is to say if one moves on through zero.

        Args:
            before: signals and rates before the resets.
            t: the time.
            y: the state after them.
            moved: whether they change coordinates or speeds. Those that change inputs alone need not turn anything
                back: a motor may go on with less power.
        """
        returns: dict[int, float] = {}
        near = LOCATED * max(EVENT_TIME_ERROR, 4 * np.finfo(float).eps * abs(t))
        for k, (value, new_rate) in self.rates([*before], t, y).items():
            event, rate = self._signals.events[k], before[k][1]
            way = float(event.direction or -self._sides.get(k, 0.0) or np.sign(rate))
            self._sides[k] = -way
            if abs(value) > near * max(abs(rate), abs(new_rate)):
                self._sides[k] = float(np.sign(value))  # the reset has moved the signal away from zero
            elif way * new_rate > UNCHANGED_RATE * abs(rate):
                if moved and not event.passes and self._is_wrong_way(k, way, rate, new_rate, t, y):
                    return {}, (
                        f"the reset of event '{self._signals.names[k]}' changes the rate of its expression "
                        f"from {rate:.6g} to {new_rate:.6g} per second, and it moves on through zero"
                    )
                self._sides[k] = way
            elif way * rate > 0 and (moved or way * new_rate < -UNCHANGED_RATE * abs(rate)):
                returns[k] = -way
        return returns, ""

    def _is_wrong_way(self, k: int, way: float, rate: float, new_rate: float, t: float, y: Vector) -> bool:
        """Whether a reset slows a signal down and lets it pass, or sends it through zero for good.

        The second is possible where errors of the method let a signal arrive that is already on its way back.
        """
        if way * rate > 0:
            return way * new_rate < (1 - UNCHANGED_RATE) * abs(rate)
        return way * self._rate_shortly_after(k, t, y) > way * new_rate

    def _rate_shortly_after(self, k: int, t: float, y: Vector) -> float:
        """The rate of a signal a little later."""
        later = y + SHORTLY_AFTER * self._problem.evaluate(t, y)
        return self.rates([k], t + SHORTLY_AFTER, later)[k][1]

    def fallen(self, returns: Mapping[int, float], sides: Sequence[float]) -> str:
        """What there is to say about signals that did not come back to their sides."""
        names = [self._signals.names[k] for k, side in returns.items() if len(sides) > k and sides[k] * side < 0]
        if not names:
            return ""
        return f"after the last event '{names[0]}' its expression moves on through zero instead of coming back"

    def _turns(self, k: int) -> bool:
        """Whether an event may turn a signal back: contacts are looked after by themselves."""
        event = self._signals.events[k]
        return event.reset is not None and not isinstance(event, Touch | ForceSign) and not event.terminal

    @cached_property
    def _gradients(self) -> Function:
        """∂g/∂(t, q, u), a row for each signal."""
        functions = self._problem.functions
        eom = functions.eom
        places = [eom.model.time, *eom.coordinates, *eom.speeds]
        return functions.function(
            "gradients", {"gradients": jacobian(functions.with_inputs(list(functions.events)), places)}
        )


DISPLACED = 1e6
"""An event has just happened at zero; a reset has moved its expression away from there by more roundings than this."""


class EventJumps:
    """The expressions of events at one time, before and after changes.

    Args:
        problem: what moves.
        signals: the events; contacts and references of angles are not looked at.
    """

    def __init__(self, problem: Problem, signals: Signals) -> None:
        self._problem, self._count = problem, len(signals.events)
        looked_at = [not isinstance(event, (Touch, ForceSign, Quadrant)) for event in signals.events]
        self._is_active = any(looked_at)
        self._values = self._sides = np.zeros(self._count)
        if self._is_active:
            self._looked_at = np.array(looked_at)
            self._directions = np.array([event.direction for event in signals.events], dtype=float)

    @property
    def sides(self) -> tuple[float, ...]:
        """On which side of zero expressions are now, +1 or -1; 0 where it is not known, and for contacts."""
        return tuple(self._sides.tolist())

    def note(self, t: float, y: Vector, sides: Collection[float], happened: Collection[int] = ()) -> None:
        """Note the expressions before a change.

        Args:
            t: time.
            y: state.
            sides: on which side of zero they have been, for those that cannot be distinguished from zero; or nothing.
            happened: events that have just happened, by number: they are at zero.
        """
        if not self._is_active:
            return
        self._values = self._evaluated(t, y)
        known = np.array([*sides][: self._count] or np.zeros(self._count))
        now = side(self._values, rounding_of_signals(self._problem, t, y)[: self._count])
        self._sides = np.where(now == 0, known, now) * self._looked_at
        self._sides[list(happened)] = 0.0

    def crossed(self, t: float, y: Vector, happened: Collection[int]) -> list[int]:
        """The events whose expressions have reached zero, or are beyond it, since they were noted last.

        Args:
            t: time.
            y: state after the change.
            happened: events that have just happened: what their own resets do is not a crossing.
        """
        if not self._is_active:
            return []
        before, self._values = self._values, self._evaluated(t, y)
        if np.array_equal(before, self._values):
            return []
        rounding = rounding_of_signals(self._problem, t, y)[: self._count]
        changed = np.abs(self._values - before) > rounding
        now = side(self._values, rounding)
        reached = changed & (self._sides * self._looked_at != 0) & (now != self._sides)
        reached[list(happened)] = False
        crossed = np.flatnonzero(reached & (self._directions * self._sides <= 0))
        self._sides = np.where(changed | (self._sides == 0), now, self._sides) * self._looked_at
        just = list(happened)
        self._sides[just] = side(self._values[just], DISPLACED * rounding[just]) * self._looked_at[just]
        return [int(k) for k in crossed]

    def _evaluated(self, t: float, y: Vector) -> Vector:
        return self._problem.evaluate_signals(t, y)[: self._count]
