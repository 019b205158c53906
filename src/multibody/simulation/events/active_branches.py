"""Branches of the right-hand side during a run: which are active, and when they change; see ``switching_functions``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from multibody.errors import StepError
from multibody.simulation.contract import Status, Vector
from multibody.simulation.events.switching_functions import NO_TIMES
from multibody.simulation.problem.problem import Problem

BAND = 1e-13
"""How far a switching function goes beyond its interval before it switches, relative to what it depends on."""

LEAST_BAND = 1e-14
"""The same where all that it depends on is near zero."""

REST = 1e3
"""How far a switching function that rests on its level has to move to leave it, in bands."""

PROBE = 1e-6
"""A short time that shows where switching functions go, relative to the duration."""

SMALLEST_RELATIVE_CHANGE = 1e-6
"""A change of a switching function that counts as none, relative to those with both branches."""


class Modes:
    """The active branches of a run.

    Args:
        problem: what moves; the discrete inputs of its branches are set here.
        first: the start of the run.
        last: its end.
    """

    def __init__(self, problem: Problem, first: float, last: float) -> None:
        self._problem, self._switching = problem, problem.functions.switching
        self._switches = self._switching.switches
        self._watched = [k for k, switch in enumerate(self._switches) if not switch.of_time]
        self._intervals: list[float | None] = [None] * len(self._switches)
        self._bands = np.full(len(self._switches), LEAST_BAND)
        self._first, self._last = first, last
        self._times = NO_TIMES
        if self._switching:
            parameters = dict(zip(problem.eom.parameters, map(float, problem.p), strict=True))
            self._times = self._switching.known_times(parameters, first, last)
        self._bends = self._times.bends
        self._signals = [(k, part) for k in self._watched for part in range(1 if self._switches[k].single else 2)]

    @property
    def signals(self) -> int:
        """The number of signals that are watched beside those of events."""
        return len(self._signals)

    def next_jump(self, t: float) -> float:
        """The next time after t at which a branch that depends on time alone changes."""
        return self._next(self._times.jumps, t) if len(self._times.jumps) else np.inf

    def corners(self, step: float = 0.0) -> Vector:
        """The times at which steps must end and all branches stay; those of smooth tables only for longer steps.

        Steps of one length end at more times within a pulse than others, which become shorter by themselves.

        Args:
            step: the length of all steps, 0 where they adapt.
        """
        times = self._times
        if not step:
            return np.union1d(times.kinks, times.bends) if len(times.bends) else times.kinks
        close = len(times.knots) > 1 and step > np.diff(times.knots).min()
        parts = [times.kinks, *([times.knots] if close else []), times.pulses]
        return np.unique(np.concatenate(parts)) if close or len(times.pulses) else times.kinks

    def next_corner(self, t: float) -> float:
        """The next time after t at which steps must end and all branches stay."""
        return min(self._next(self._times.kinks, t), self._next(self._bends, t))

    def is_rough(self, t: float) -> bool:
        """Whether something jumps at t, or changes its rate: the method has to start anew."""
        times = [time for time in self._times[:2] if len(time)]
        return any(abs(self._nearest(time, t) - t) <= 2 * self._slack for time in times)

    @staticmethod
    def _nearest(times: Vector, t: float) -> float:
        place = int(np.searchsorted(times, t))
        return min(
            (float(time) for time in times[max(place - 1, 0) : place + 1]), key=lambda one: abs(one - t), default=np.inf
        )

    @property
    def _slack(self) -> float:
        """A time that is too short for a step."""
        return 1e-12 * max(1.0, abs(self._last))

    def _next(self, times: Vector, t: float) -> float:
        place = int(np.searchsorted(times, t + self._slack, side="right"))
        return float(times[place]) if place < len(times) else np.inf

    # segments ----------------------------------------------------------------------------------------------------

    def begin(self, t: float, y: Vector, *, anew: bool = False) -> None:
        """Set all branches for a segment that begins at t.

        Args:
            t: the time.
            y: the state.
            anew: whether the state has jumped, or the run begins: where a switching function is on a level, its motion
                decides, not its past.
        """
        if not self._switches:
            return
        self._set_times(t, y)
        if not self._watched:
            return
        doubtful = [k for k in self._watched if anew or self._intervals[k] is None]
        for k in doubtful:
            self._intervals[k] = None
        for _ in range(len(self._watched) + 2):  # one branch may decide on another
            if not self._follow(t, y):
                break
        self._wake(t, y)
        self._settle(t, y)
        values = self._look(t, y)
        if any(self._on_level(k, values[k]) is not None for k in doubtful):
            self._find_directions(t, y, doubtful)

    def switch(self, t: float, y: Vector, numbers: Sequence[int]) -> None:
        """Change the branches whose signals have reached zero, by number.

        Raises:
            StepError: if a branch switches back at once, with the condition.
        """
        values = self._look(t, y)
        for number in numbers:
            k, part = self._signals[number]
            switch, before = self._switches[k], self._intervals[k]
            assert before is not None
            ahead = self._look_ahead(t, y)[k] - values[k]
            if before % 1:
                after = 1.0 if values[k] > 0 else 0.0
            elif switch.single:
                after = 1.0 - before
            else:
                after = before + (1 if part else -1)
            direction = 1.0 if after > before else -1.0
            self._set(k, after)
            behind = self._look_ahead(t, y)[k] - values[k]
            if switch.single and direction * behind < 0 < direction * ahead:
                self._rest(t, y, k, values[k], min(abs(ahead), abs(behind)))

    def _rest(self, t: float, y: Vector, k: int, value: float, change: float) -> None:
        """Let a switching function rest on its level, if it stays there by itself; both branches lead back to it."""
        self._set(k, 0.5)
        if abs(self._look_ahead(t, y)[k] - value) > SMALLEST_RELATIVE_CHANGE * change:
            raise StepError(Status.SWITCHING, f"'{self._switches[k].text}' changes back and forth without end")

    # inputs ------------------------------------------------------------------------------------------------------

    def _set_times(self, t: float, y: Vector) -> None:
        """The branches that depend on time alone, as they are until the next known time."""
        timed = [k for k in range(len(self._switches)) if k not in self._watched]
        if timed:
            end = min(self.next_jump(t), self._last)
            values = self._look(0.5 * (t + max(t, end)), y)
            for k in timed:
                switch = self._switches[k]
                resting = switch.single and values[k] == switch.levels[0]  # as max(t - 1, 0) before t = 1
                self._set(k, 0.5 if resting else switch.interval(values[k]))

    def _follow(self, t: float, y: Vector) -> bool:
        """Set the branches in which switching functions are, but for those near a level; whether one was changed."""
        values, changed = self._look(t, y), False
        self._measure(t, y)
        for k in self._watched:
            switch, now = self._switches[k], self._intervals[k]
            level = self._on_level(k, values[k])
            wanted: float = switch.interval(values[k])
            if now is not None and level is not None and (level <= now <= level + 1):
                wanted = now  # the past decides
            if now is not None and now % 1 and abs(values[k]) <= REST * self._bands[k]:
                wanted = now
            changed |= wanted != now
            self._set(k, wanted)
        return changed

    def _settle(self, t: float, y: Vector) -> None:
        """Let switching functions rest that stay exactly on a level with the present branches.

        ``max(x - 1, 0)`` does so where x < 1, ``min(x, 1) - 1`` where x > 1: 0 > 0 is false on either side of x = 1.
        """
        values = self._look(t, y)
        level_numbers = {k: int(self._switches[k].levels.searchsorted(values[k])) for k in self._watched}
        on_level = [k for k, number in level_numbers.items() if values[k] in self._switches[k].levels[number:][:1]]
        if not on_level:
            return
        ahead = self._look_ahead(t, y)
        for k in on_level:
            if ahead[k] == values[k]:
                self._set(k, level_numbers[k] + (0.5 if self._switches[k].single else 1.0))

    def _wake(self, t: float, y: Vector) -> None:
        """Let switching functions leave their level where another branch has set them in motion."""
        resting = [k for k in self._watched if (self._intervals[k] or 0.0) % 1]
        if not resting:
            return
        moved = self._look_ahead(t, y) - self._look(t, y)
        for k in resting:
            if abs(moved[k]) > REST * self._bands[k]:
                self._set(k, 1.0 if moved[k] > 0 else 0.0)

    def _find_directions(self, t: float, y: Vector, doubtful: Sequence[int]) -> None:
        """Branches of switching functions that begin on a level: the ones that they move into."""
        now = self._look(t, y)
        doubtful = [k for k in doubtful if self._on_level(k, now[k]) is not None]
        for k in doubtful:
            if self._switches[k].single:
                self._set(k, 0.5)
        for _ in range(len(doubtful) + 3):
            now, later, changed = self._look(t, y), self._look_ahead(t, y), False
            for k in doubtful:
                level = self._on_level(k, now[k])
                if level is None:
                    continue
                moved = later[k] - now[k]
                noise = 4 * np.finfo(float).eps * max(abs(later[k]), abs(now[k]))
                wanted = level + (1.0 if moved > noise else 0.0 if moved < -noise else 0.5)
                if wanted % 1 and not self._switches[k].single:
                    wanted = level + 1.0
                changed |= wanted != self._intervals[k]
                self._set(k, wanted)
            if not changed:
                return
        names = ", ".join(f"'{self._switches[k].text}'" for k in doubtful)
        raise StepError(Status.SWITCHING, f"no consistent branch was found for {names}")

    def _on_level(self, k: int, value: float) -> int | None:
        """The level next to which a value is; None if it is clear which interval it is in."""
        levels = self._switches[k].levels
        place = int(np.abs(levels - value).argmin())
        return place if abs(levels[place] - value) < 0.9 * self._bands[k] else None

    def _set(self, k: int, interval: float) -> None:
        """Enter an interval; halfway between two for a function that rests on its level."""
        self._intervals[k] = interval
        band = self._bands[k] * (REST if interval % 1 else 1.0)
        self._problem.modes[self._place(k)] = self._switches[k].values(interval, band)

    def _place(self, k: int) -> slice:
        begin = sum(len(switch.symbols) for switch in self._switches[:k])
        return slice(begin, begin + len(self._switches[k].symbols))

    # values ------------------------------------------------------------------------------------------------------

    def _look(self, t: float, y: Vector) -> Vector:
        """The switching functions at a state."""
        return self._problem.evaluate_switching(t, y)[0]

    def _measure(self, t: float, y: Vector) -> None:
        """By how much rounding may move each switching function."""
        slopes = np.abs(self._problem.evaluate_switching(t, y)[1])
        count = self._problem.n + self._problem.m
        self._bands = np.maximum(slopes @ (LEAST_BAND + BAND * np.abs(y[:count])), 1e-300)

    def _look_ahead(self, t: float, y: Vector) -> Vector:
        """The switching functions after a short time with the present branches, by the midpoint rule."""
        step = PROBE * (self._last - self._first)
        with np.errstate(all="ignore"):
            middle = y + 0.5 * step * self._problem.evaluate(t, y)
            return self._look(t + step, y + step * self._problem.evaluate(t + 0.5 * step, middle))
