"""Events whose expressions jump over zero: a reset, the sample of a controller or a branch has changed them.

Between two steps nothing moves. So such a crossing is found by the values before and after the change, not by a search
in time.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from multibody.simulation.contract import Vector
from multibody.simulation.events.continuous_angles import Quadrant
from multibody.simulation.events.events import ForceSign, Signals, Touch
from multibody.simulation.events.zero_crossings import rounding_of_signals, side
from multibody.simulation.problem.problem import Problem

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
        looked_at = [not isinstance(one, (Touch, ForceSign, Quadrant)) for one in signals.events]
        self._is_active = any(looked_at)
        self._values = self._sides = np.zeros(self._count)
        if self._is_active:
            self._looked_at = np.array(looked_at)
            self._directions = np.array([one.direction for one in signals.events], dtype=float)

    @property
    def sides(self) -> tuple[float, ...]:
        """On which side of zero expressions are now, +1 or -1; 0 where it cannot be told, and for contacts."""
        return tuple(self._sides.tolist())

    def note(self, t: float, y: Vector, sides: Collection[float], happened: Collection[int] = ()) -> None:
        """Note the expressions before a change.

        Args:
            t: time.
            y: state.
            sides: on which side of zero they have been, for those that cannot be told from zero; or nothing.
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
