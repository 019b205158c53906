"""Contacts during a run: those that touch at the start, that a blow has struck, or that were passed through."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.errors import ModelError
from multibody.graph import evaluate, substitute
from multibody.simulate.contract import Vector
from multibody.simulate.events import Signals, Touch
from multibody.simulate.inputs import Inputs
from multibody.simulate.problem import Problem

CLOSED = 1e-9  # the gap of a contact that touches
DEEP = 1e-6  # the gap of a contact that has been passed through
STILL = 1e-12  # the rate of a gap that comes from rounding, relative to the fastest speed


class Contacts:
    """The contacts of a run, as numbers.

    Args:
        eom: equations of motion.
        problem: the same, compiled; it knows which contacts rest.
        inputs: what inputs do.
        signals: the events, contacts among them.
    """

    def __init__(self, eom: EquationsOfMotion, problem: Problem, inputs: Inputs, signals: Signals) -> None:
        self._eom, self._problem, self._inputs, self._names = eom, problem, inputs, signals.names
        self._touches = {k: one for k, one in enumerate(signals.events) if isinstance(one, Touch)}

    def closed(self, t: float, y: Vector) -> list[int]:
        """The contacts that touch at the start of a run and do not rest yet, by number.

        Raises:
            ModelError: if bodies overlap.
        """
        found = []
        for k in self._open():
            gap, rate = self._gap(k, t, y)
            if gap < -DEEP:
                raise ModelError(
                    f"The gap is {gap:.6g} at the start.",
                    where=f"impact '{self._names[k]}' of a run of '{self._eom.model.name}'",
                    cause="Bodies overlap, or the sign is wrong: a gap is positive while there is no contact.",
                    remedy="Give start values with a gap that is not negative.",
                )
            if gap <= CLOSED and rate <= 0:
                found.append(k)
        return found

    def passed(self, t: float, y: Vector) -> bool:
        """Whether a gap has become negative without an impact: there were too many of them in too short a time."""
        return any(self._gap(k, t, y)[0] < -DEEP for k in self._open())

    def rates(self, t: float, y: Vector, *only: int) -> dict[int, float]:
        """The rates of gaps that are closed, by number; of all contacts, or of some alone."""
        found = {k: self._gap(k, t, y) for k in self._touches if not only or k in only}
        return {k: rate for k, (gap, rate) in found.items() if gap <= CLOSED}

    def struck(self, t: float, y: Vector, before: Mapping[int, float]) -> int | None:
        """A contact that touches and now closes faster than before; or one that does not open any more, and may rest.

        Args:
            t: the time.
            y: the state after a blow elsewhere.
            before: rates of gaps, after the last blow of their own if there was one.
        """
        speeds = y[self._problem.n : self._problem.n + self._problem.m]
        still = STILL * max(1.0, float(np.abs(speeds).max(initial=0.0)))
        may_rest = [k for k in self._open() if self._touches[k].rests]
        for k, rate in self.rates(t, y).items():
            if rate < before.get(k, np.inf) - still and rate < (still if k in may_rest else -still):
                return k
        return None

    def _open(self) -> list[int]:
        """The numbers of the contacts that do not rest."""
        resting = {k: self._eom.inputs.index(one.resting) for k, one in self._touches.items()}
        return [k for k, place in resting.items() if self._problem.r[place] < 0.5]

    def _gap(self, k: int, t: float, y: Vector) -> tuple[float, float]:
        """The gap of a contact and its rate."""
        both = substitute([self._touches[k].expression, self._touches[k].rate], self._inputs.expressions)
        symbols = (*self._eom.coordinates, *self._eom.speeds, *self._eom.inputs, *self._eom.parameters)
        numbers = (*y[: self._problem.n + self._problem.m], *self._problem.r, *self._problem.p)
        gap, rate = evaluate(both, {self._eom.model.time: t, **dict(zip(symbols, numbers, strict=True))})
        return float(gap), float(rate)
