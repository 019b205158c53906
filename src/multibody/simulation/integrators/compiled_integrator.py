"""From an integrator's options to the compiled loop, and from its memory to a segment."""

from __future__ import annotations

import signal
import threading
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import ClassVar

import numpy as np

from multibody.compiler.loops.shipped import ShippedLoop
from multibody.errors import NumberError, ShapeError
from multibody.simulation.contract import Occurrence, Segment, Status, Vector, Watch
from multibody.simulation.integrators.butcher_tableaus import Tableau
from multibody.simulation.integrators.integrator import Integrator, require_positive
from multibody.simulation.integrators.stability_limits import instability
from multibody.simulation.kernel.run_memory import address, begun, mark_events, of_jacobian, of_problem
from multibody.simulation.kernel.run_record import DIVERGED, LEAST_ERROR, PAUSE, PAUSED, SINGULAR, RunRecord
from multibody.simulation.problem.problem import Problem

STATUS = (
    Status.INTERRUPTED, Status.DONE, Status.EVENT, Status.STEP_TOO_SMALL, Status.NOT_FINITE, Status.TOO_MANY_STEPS,
    Status.CONSTRAINTS_LOST, Status.SOLVER_FAILED, Status.DIVERGED, Status.EVENTS_ACCUMULATE, Status.SINGULAR,
)  # fmt: skip
"""What the loop's answers mean; a pause that is not followed by more is an interruption."""

UNLIMITED = 2**62
"""More steps than any run has."""

advance = ShippedLoop("multibody.simulation.kernel.advance", RunRecord)
"""Moves a run on, as far as it goes without Python."""

STIFF = "Stability, not accuracy, limits the steps: the problem looks stiff."


@dataclass(frozen=True)
class Stepping:
    """How long steps are: all the same, or as errors allow if ``step`` is 0; with ``atol`` 0 it follows the state."""

    step: float = 0.0
    rtol: float = 0.0
    atol: float = 0.0
    max_step: float = np.inf


@dataclass(frozen=True, kw_only=True)
class CompiledIntegrator(Integrator):
    """What integrators in compiled loops share.

    Attributes:
        max_steps: tries, good or not, after which a segment is given up; None for any number.
        project: whether the state is brought back onto the constraints after every step.
        gap: how far positions and velocities may be off the constraints, in their own units; None for 1e-10 of the
            size of each constraint equation.
        every_step: samples are the ends of all steps, instead of the given times.
    """

    ends_at_corners: ClassVar[bool] = True
    max_steps: int | None = 1_000_000
    project: bool = True
    gap: float | None = None
    every_step: bool = False

    def __post_init__(self) -> None:
        require_positive(self, optional=("max_steps", "gap"))

    @property
    @abstractmethod
    def method(self) -> Tableau:
        """The numbers of the method."""

    @property
    @abstractmethod
    def stepping(self) -> Stepping:
        """How long its steps are."""

    @property
    def most_steps(self) -> int:
        """``max_steps`` as a number."""
        return UNLIMITED if self.max_steps is None else int(min(self.max_steps, UNLIMITED))

    def run(self, problem: Problem, t0: float, y0: Vector, times: Vector, step: float, watch: Watch) -> Segment:
        """From (t0, y0) to the last of the times; see ``Integrator``."""
        _require_fitting(problem, y0, watch)
        return _Loop(self, problem, t0, y0, _checked(times, t0), step, watch).segment()


def _require_fitting(problem: Problem, y0: Vector, watch: Watch) -> None:
    """The compiled loop reads and writes by address: sizes must be right."""
    events = len(problem.signals) if watch.directions else 0
    sizes = {"entries of the state": (len(y0), problem.size), "directions of events": (len(watch.directions), events)}
    sizes["actions on events"] = len(watch.stops), events
    for what, (size, needed) in sizes.items():
        if size != needed:
            raise ShapeError(
                f"{size} {what}, where {needed} are needed.",
                code="number-of-values-wrong",
                where="a run of an integrator",
            )


def _checked(times: Vector, t0: float) -> Vector:
    times = np.ascontiguousarray(times, dtype=float)
    if (
        times.ndim != 1
        or not len(times)
        or not (times[:-1] <= times[1:]).all()
        or not t0 <= times[0] <= times[-1] < np.inf
    ):
        raise NumberError(
            "The times of the samples do not increase from the start.",
            code="times-not-increasing",
            where=f"a run from t = {t0}",
            remedy="Give at least one time, none of them before the start, sorted.",
        )
    return times


class _Loop:
    """A run in the compiled loop: its memory, and what has been carried away from it."""

    def __init__(
        self, integrator: CompiledIntegrator, problem: Problem, t0: float, y0: Vector, times: Vector, step: float,
        watch: Watch,
    ) -> None:  # fmt: skip
        method, stepping = integrator.method, integrator.stepping
        self._problem = problem  # its machine code must live as long as this
        gap = integrator.allowed_gap(problem)
        self._run, self._memory = begun(problem, method, integrator.project, len(watch.directions))
        run = self._run
        self._memory["y"][: problem.size] = y0
        if watch.scales is not None:
            self._memory["scales"][: problem.size], self._memory["noises"][: problem.size] = watch.scales
        self._memory["scales"][: problem.size] = np.maximum(self._memory["scales"][: problem.size], np.abs(y0))
        self._integrator, self._evaluated, self._unstable = integrator, 0, ""
        if watch.directions:
            mark_events(self._memory, watch)
        run.events, run.most_hits, run.tolerance = len(watch.directions), len(self._memory["hit_t"]), watch.tolerance
        run.rtol, run.atol, run.fixed, run.max_step = stepping.rtol, stepping.atol, stepping.step, stepping.max_step
        run.max_steps, run.gap = integrator.most_steps, gap
        run.start, run.t, run.end, run.step, run.error = t0, t0, times[-1], stepping.step or step, LEAST_ERROR
        run.corner_t, run.corners = address(problem.corners), len(problem.corners)
        run.corner = problem.corners.searchsorted(t0, side="right")
        run.grid_t = t0
        self._prepare_samples(times, integrator.every_step)
        if problem.observer is not None:
            run.step_t, run.step_y = address(self._memory.step_t), address(self._memory.step_y)
        self._parts: list[tuple[Vector, Vector]] = []
        self._occurrences: list[Occurrence] = []

    @property
    def _last_y(self) -> Vector:
        return self._memory["y"][: self._run.size]

    def _prepare_samples(self, times: Vector, every_step: bool) -> None:
        """Memory for samples; those at the start are known."""
        run, y0 = self._run, self._last_y
        self._t = np.empty(PAUSE) if every_step else times
        self._y = np.empty((len(self._t), len(y0)))
        run.sample_t, run.sample_y, run.every_step = address(self._t), address(self._y), every_step
        if not every_step:
            run.wanted, run.samples = len(times), times.searchsorted(run.start, side="right")
            self._y[: run.samples] = y0

    def segment(self) -> Segment:
        """Run to the end, or as far as it goes."""
        try:
            with notice_interruption(self._problem):
                self._check_stability(0)
                while self._run.code == PAUSED:
                    before = self._run.steps
                    advance(self._run)
                    self._settle()
                    self._carry_away()
                    self._check_stability(self._run.steps - before)
        except KeyboardInterrupt:
            self._run.code = PAUSED
            self._carry_away()
        return self._result()

    def _check_stability(self, steps: int) -> None:
        """End the run if its steps of fixed length are too long; looked at now and then."""
        run, problem = self._run, self._problem
        problem.unchecked_steps += steps
        if run.code != PAUSED or run.fixed == 0.0 or problem.unchecked_steps < PAUSE or run.t >= run.end:
            return
        problem.unchecked_steps = 0
        left = (run.end - run.t) / run.fixed
        self._unstable = instability(self._integrator.method, problem, run.t, self._last_y.copy(), run.fixed, left)
        if self._unstable:
            run.code = DIVERGED

    def _settle(self) -> None:
        """Go on with faster code, if that pays by now; or with other equations, if constraints become dependent."""
        run, project = self._run, self._integrator.project
        if run.switchable:
            self._problem.regularize(bool(run.regularized))
        switched = run.switched and run.code == PAUSED and self._problem.regularize(not self._problem.regularized)
        if (self._problem.settled(run.evaluations - self._evaluated) and run.code == PAUSED) or switched:
            fields = of_problem(self._problem, project) | of_jacobian(self._problem, self._integrator.method)
            for name, value in fields.items():
                setattr(run, name, value)
        self._evaluated = run.evaluations

    def _carry_away(self) -> None:
        """Take what the loop has found, so that its memory is free for more."""
        run = self._run
        if run.hits:
            states = self._memory["hit_y"].reshape(-1, run.size)
            found = zip(self._memory["hit_event"][: run.hits], self._memory["hit_t"], states, strict=False)
            events = [Occurrence(int(event), float(t), y.copy()) for event, t, y in found]
            self._occurrences, run.hits = [*self._occurrences, *events], 0  # together: an interrupt finds none twice
        if run.ends and self._problem.observer is not None:
            goes_on = self._problem.observer(self._memory.step_t[: run.ends], self._memory.step_y[: run.ends])
            run.code = run.code if goes_on or run.code != PAUSED else SINGULAR
        run.ends = 0
        if run.every_step:
            part = self._t[: run.samples].copy(), self._y[: run.samples].copy()
            self._parts += [part]  # without a call up to the next line: an interrupt would keep them twice
            run.samples = 0

    def _result(self) -> Segment:
        run = self._run
        t, y = self._t[: run.samples], self._y[: run.samples]
        if run.every_step:
            t, y = (np.concatenate(part) for part in zip(*self._parts, strict=True))
        stiff = STIFF if run.stiff > 0.5 * run.steps > 50 else ""
        return Segment(
            t, y, STATUS[run.code], run.t, self._last_y.copy(), run.step, self._occurrences, run.steps, run.rejected,
            run.evaluations, run.jacobians, message=self._unstable or stiff,
            sides=tuple(self._memory["sides"].tolist()),
            scales=np.array([self._memory[name][: run.size] for name in ("scales", "noises")]),
        )  # fmt: skip


@contextmanager
def notice_interruption(problem: Problem) -> Iterator[None]:
    """Within this block Ctrl-C is noticed, and ends the run at the next evaluation; pressed again, it is raised.

    An exception cannot pass through compiled code: it would be printed and forgotten wherever it comes up just as the
    function of Python is entered, and the rates would be those of the call before.
    """
    here = threading.current_thread() is threading.main_thread()
    handler = signal.getsignal(signal.SIGINT) if problem.law is not None and here else None
    if handler is not signal.default_int_handler:
        yield
        return

    def notice(number: int, frame: FrameType | None) -> None:
        if problem.failure is not None:
            signal.default_int_handler(number, frame)
        problem.failure = KeyboardInterrupt()

    signal.signal(signal.SIGINT, notice)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
