"""Poles of events' expressions: they change their sign by way of infinity, which is not a crossing of zero.

Searches in time find a change of sign. Towards a zero an expression becomes smaller, towards a jump it hardly changes,
and towards a pole it grows without bound, on both sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from multibody.graph import free_symbols, topological
from multibody.simulation.contract import Occurrence, Vector, Watch
from multibody.simulation.events.events import Event, Signals
from multibody.simulation.problem.problem import Problem

DIVIDING = frozenset({"recip", "pow", "tan"})
"""Operations that may have a pole."""

DISTANCE = 1e3
"""How far from a change of sign expressions are looked at, in times of the error with which it was located."""

FARTHER = 4.0
"""The second distance, relative to the first one."""

GROWTH = 1.2
"""An expression grows by more than this factor from the second distance to the first one: even a square root does."""


class Poles:
    """Tells poles of events' expressions from zeros.

    Args:
        problem: what moves.
        signals: the events; contacts and others that the package makes have no poles.
    """

    def __init__(self, problem: Problem, signals: Signals) -> None:
        self._problem, self._events = problem, signals.events

    def without_poles(self, occurrences: Sequence[Occurrence]) -> list[Occurrence]:
        """The occurrences that are zeros or jumps."""
        return [one for one in occurrences if one.event not in self._possible or not self._is_pole(one)]

    @cached_property
    def _possible(self) -> set[int]:
        """The events whose expressions divide by what moves."""
        functions, steady = self._problem.functions, set(self._problem.eom.parameters)
        possible = set()
        for k, event in enumerate(self._events):
            nodes = topological(functions.with_inputs([functions.events[k]]))
            if type(event) is Event and any(
                node.op in DIVIDING and not {*free_symbols([node])} <= steady for node in nodes
            ):
                possible.add(k)
        return possible

    def _is_pole(self, occurrence: Occurrence) -> bool:
        k, t, y = occurrence
        error = max(Watch().tolerance, 4 * float(np.finfo(float).eps) * abs(t))
        rate = self._problem.evaluate(t, y)
        near, far = DISTANCE * error, FARTHER * DISTANCE * error
        before, after, long_before, long_after = (
            self._value(k, t + away, y + away * rate) for away in (-near, near, -far, far)
        )
        grows = abs(before) > GROWTH * abs(long_before) and abs(after) > GROWTH * abs(long_after)
        return bool(before * after < 0 and grows)

    def _value(self, k: int, t: float, y: Vector) -> float:
        return float(self._problem.evaluate_signals(t, y)[k])
