"""Zero crossings of signals between the steps of a solver of a library, by the search of the compiled loop.

The solver says where the state is within a step. The states at some nodes become rows of a dense output as that of our
own methods, and the compiled loop searches it; see ``event_location`` and ``event_probes``. A step that one polynomial
does not fit is divided.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from multibody.errors import StepError
from multibody.simulation.contract import Occurrence, Status, Vector, Watch
from multibody.simulation.events.search_constants import NUDGE, TIME_NUDGE
from multibody.simulation.integrators.butcher_tableaus import STEPS_OF_OTHERS
from multibody.simulation.integrators.compiled_integrator import advance, notice_interruption
from multibody.simulation.kernel.run_memory import begun, mark_events
from multibody.simulation.kernel.run_record import DONE, EVENT, EVENTS_ACCUMULATE
from multibody.simulation.problem.problem import Problem

EPSILON = float(np.finfo(float).eps)

DEGREE = len(STEPS_OF_OTHERS.D) + 3
"""Degree of the polynomials; dense outputs of most solvers are of this degree or a lower one."""

NODES = 0.5 - 0.5 * np.cos(np.pi * np.arange(1, DEGREE) / DEGREE)
"""Where states are evaluated within a step: between the extremes of a Chebyshev polynomial."""

CHECKS = np.array([0.29, 0.5])
"""Where the polynomial is compared with the state."""

MISFIT = 1e-10
"""The allowed difference there, relative to the largest value of an entry in the step."""

MOST_HALVINGS = 8
"""How often a step is divided at most."""

Within = Callable[[float], Vector]
"""The state at a time within the last step."""


def _products(theta: Vector) -> Vector:
    """1, θ, θ(1-θ), θ²(1-θ), …: what the rows of the dense output after the first one are multiplied by, in columns."""
    factors = [np.ones(len(theta)), *(theta if k % 2 else 1 - theta for k in range(1, DEGREE - 1))]
    products: Vector = np.cumprod(np.array(factors), axis=0, dtype=float).T
    return products


TO_ROWS = np.linalg.inv(_products(NODES))
"""From values at the nodes, without the chord and divided by θ(1-θ), to these rows."""


class EventSearch:
    """Looks for events, step by step.

    Args:
        problem: whose signals are searched.
        watch: what to look for.
        t0: the start.
        y0: the state there.
        end: where the segment ends.
        rtol: of the solver, which decides what touches zero.
    """

    def __init__(self, problem: Problem, watch: Watch, t0: float, y0: Vector, end: float, rtol: float) -> None:
        self._problem, self._stops, count = problem, watch.stops, len(watch.directions)
        self._active, self._size, self.sides = count > 0, len(y0), tuple[float, ...]()
        if not self._active:
            return
        self._run, self._memory = begun(problem, STEPS_OF_OTHERS, False, count)
        self._width = len(self._memory["y"])
        mark_events(self._memory, watch)
        run = self._run
        run.events, run.most_hits, run.tolerance, run.rtol = count, len(self._memory["hit_t"]), watch.tolerance, rtol
        run.start, run.t, run.end = t0, t0, end
        self._memory["y"][: self._size] = y0
        self._memory["K"][: self._size] = problem.evaluate(t0, y0)
        self._search()

    def events(self, t: float, within: Within) -> tuple[list[Occurrence], float]:
        """The events since the last call, up to the first that stops; and its time, or infinity.

        Raises:
            StepError: if a signal does not come back to the side to which a reset has sent it.
        """
        found: list[Occurrence] = []
        if not self._active:
            return found, np.inf
        ends = [(t, MOST_HALVINGS)]  # of the parts of the step, the next one last
        y_end = within(t)
        while ends:
            end, halvings = ends[-1]
            if not self._prepare(end, y_end if end == t else within(end), within) and halvings:
                ends[-1] = end, halvings - 1
                ends.append((0.5 * (self._run.t + end), halvings - 1))
                continue
            ends.pop()
            while self._run.t < end:
                self._search()
                hits = zip(
                    self._memory["hit_event"][: self._run.hits], self._memory["hit_t"][: self._run.hits], strict=True
                )
                found += [Occurrence(int(k), float(when), within(float(when))) for k, when in hits]
                if self._run.code == EVENT:
                    return found, float(self._run.t)
                if self._run.code == EVENTS_ACCUMULATE:
                    raise StepError(Status.EVENTS_ACCUMULATE, "")
                if self._run.code != DONE:  # more than there is memory for: the rest of the step follows
                    self._memory["y"][: self._size] = within(self._run.t)
                    self._prepare(end, y_end if end == t else within(end), within)
            self._memory["y"][: self._size] = self._memory["new"][: self._size]
        return found, np.inf

    def _prepare(self, end: float, y_end: Vector, within: Within) -> bool:
        """Make the rows of the part of the step up to a time; whether they meet the state in between."""
        run, memory, y = self._run, self._memory, self._memory["y"][: self._size]
        begin, h, change = run.t, end - run.t, y_end - y
        states = np.array([within(begin + theta * h) for theta in (*NODES, *CHECKS)])
        values, theta = (states - y)[: len(NODES)], NODES[:, None]
        rows = TO_ROWS @ ((values - theta * change) / (theta * (1 - theta)))
        run.next, run.h = end, h
        memory["new"][: self._size] = y_end
        F = memory["F"].reshape(-1, self._width)
        F[0, : self._size], F[1:DEGREE, : self._size] = change, rows
        at = CHECKS[:, None]
        fitted = y + at * (change + (1 - at) * (_products(CHECKS) @ rows))
        largest = np.abs(states).max(axis=0, initial=0.0)
        return bool((np.abs(fitted - states[len(NODES) :]) <= MISFIT * largest).all())

    def _search(self) -> None:
        """By the compiled loop; the first time, on which side of zero signals start."""
        self._run.hits = 0
        with notice_interruption(self._problem):
            advance(self._run)
        self.sides = tuple(self._memory["sides"].tolist())
        failure = self._problem.failure
        if isinstance(failure, KeyboardInterrupt):
            raise failure
        if failure is not None:
            raise StepError(Status.NOT_FINITE, str(failure)) from failure


def rounding_of_signals(problem: Problem, t: float, y: Vector) -> Vector:
    """What rounding time and state may make of signals that are zero."""
    values = problem.evaluate_signals(t, y)
    nudged = problem.evaluate_signals(t * (1 + TIME_NUDGE), y * (1 + NUDGE))
    size: Vector = 8 * EPSILON * np.maximum(np.abs(nudged - values) / NUDGE, np.abs(values))
    return size


def side(values: Vector, rounding: Vector) -> Vector:
    """Which side of zero; 0 where it is not known."""
    return np.where(np.abs(values) > rounding, np.sign(values), 0.0)
