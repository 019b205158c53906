"""A run in the making: segments between resets and controller samples, until the end or a failure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import takewhile
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from multibody.compiler import Function
from multibody.equations import EquationsOfMotion
from multibody.errors import StepError
from multibody.graph import free_symbols
from multibody.simulation.checks.run_checks import NO_CHECKS, RunChecks, StepChecks
from multibody.simulation.contract import Occurrence, Segment, Status, Vector, Watch
from multibody.simulation.events.active_branches import Modes
from multibody.simulation.events.active_contacts import Contacts
from multibody.simulation.events.continuous_angles import Quadrant
from multibody.simulation.events.dead_points import DeadPoints
from multibody.simulation.events.event_sequences import EventJumps, EventSequences
from multibody.simulation.events.events import Event, Signals, Touch
from multibody.simulation.events.poles import Poles
from multibody.simulation.events.reset_states import closed_state
from multibody.simulation.integrators.absolute_tolerances import first_scales
from multibody.simulation.integrators.integrator import Integrator
from multibody.simulation.problem.input_limits import Requests, require_motion_within, saturated
from multibody.simulation.problem.inputs import Inputs, called
from multibody.simulation.problem.problem import Problem
from multibody.support.progress_bars import compile_seconds

UNSOLVED = (Status.STEP_TOO_SMALL, Status.NOT_FINITE, Status.CONSTRAINTS_LOST, Status.SINGULAR)
"""Failures that may come from constraints which are not independent."""

CONSTRAINT_GAP = 1e-9  # m or rad, of constraints at the start and after impacts
MAX_BLOWS = 1_000  # impacts at one instant, from contact to contact
MAX_CASCADE = 1_000  # events at one instant, each by the reset of the one before
FIRST_SHARE = 0.01  # of the time of a run with listeners, in its first segment
SECONDS_BETWEEN_REPORTS = 0.5  # seconds of work between two looks at progress and interruptions
MAX_EVENTS = 100_000  # events
EVENTS_BEFORE_FORECAST = 2_000  # events after which one can tell how many there will be

Progress = Callable[[float], None]


class Part(NamedTuple):
    """Samples that follow each other.

    Attributes:
        t: their times.
        y: states, a row for each.
        r: inputs, likewise.
    """

    t: Vector
    y: Vector
    r: Vector


@dataclass
class Record:
    """What has been computed so far.

    Attributes:
        parts: samples, part by part.
        occurrences: number of the event, time, and state before it.
        switches: the same for branches that changed; their numbers begin with zero.
        segments: all stretches, for their statistics.
        status: how it ended.
        failed_at: where it failed.
        said: what there is to say about that, beyond the status.
        seconds: how long it took, without compilation.
        checks: what was found at the ends of all steps.
    """

    parts: list[Part] = field(default_factory=list)
    occurrences: list[Occurrence] = field(default_factory=list)
    switches: list[Occurrence] = field(default_factory=list)
    segments: list[Segment] = field(default_factory=list)
    status: Status = Status.DONE
    failed_at: tuple[float, Vector] | None = None
    said: str = ""
    seconds: float = 0.0
    checks: RunChecks = NO_CHECKS

    def cut(self, end: float) -> None:
        """Keep what is before the time that an interrupted run has reached: events may be half done there.

        Without events after the last sample, a run that goes on from that sample finds each of them once.
        """
        first, *later = self.parts
        self.parts = [first, *(Part(*(array[part.t < end] for array in part)) for part in later)]
        last = max(part.t[-1] for part in self.parts if len(part.t))
        self.occurrences = [one for one in self.occurrences if one.t <= last and one.t < end]
        self.switches = [one for one in self.switches if one.t <= last and one.t < end]


class Run:
    """Moves a problem from segment to segment.

    Args:
        eom: equations of motion.
        problem: the same, compiled.
        integrator: how to move.
        inputs: what inputs do.
        signals: the events.
        modes: the branches of the right-hand side.
        progress: called with the time reached, now and then.
    """

    def __init__(
        self, eom: EquationsOfMotion, problem: Problem, integrator: Integrator, inputs: Inputs, signals: Signals,
        modes: Modes, progress: Progress | None,
    ) -> None:  # fmt: skip
        self._eom, self._problem, self._integrator = eom, problem, integrator
        self._inputs, self._signals, self._modes, self._progress = inputs, signals, modes, progress
        problem.r[:] = inputs.values
        self._contacts = Contacts(eom, problem, signals)
        self._sequences = EventSequences(problem, signals)
        self._jumps = EventJumps(problem, signals)
        self._poles = Poles(problem, signals)
        self._lost = 0.0  # by the impacts and resets at one instant, where stops or joints move
        self._moved = False  # whether resets at one instant change coordinates or speeds, not inputs alone
        self._set: dict[str, None] = {}  # the coordinates and speeds that resets at one instant set, in their order
        self._returns: dict[int, float] = {}  # the sides to which resets have just sent signals back
        self._scales: Vector | None = None  # what absolute tolerances follow
        self._asked: dict[int, int] = {}  # the last sample of each controller
        self._asked_numbers = inputs.asked.copy()  # what was asked for inputs, before limits
        self._followed = [eom.inputs.index(expression) for expression in inputs.expressions]
        limited = {place: partial(self._asked_by, place) for place in inputs.laws if place in inputs.limits}
        requests = Requests(inputs.limits, inputs.asked_expressions, limited)
        self._checks = StepChecks(eom, problem, self._followed, list(inputs.laws), requests, self._asked_numbers)
        problem.corners = modes.corners(getattr(integrator, "step", 0.0))
        self._dead_points = DeadPoints(problem, projects=getattr(integrator, "project", True))
        problem.observer = None if self._checks.empty and self._dead_points.empty else self._observe
        if inputs.laws:
            problem.follow(self._laws, signals=self._are_watched(inputs.laws))
        self._longest_step = 0.0  # of the integrator, where it is known
        self._share = 1.0 if progress is None else FIRST_SHARE  # of the whole time, in the next segment

    def through(self, times: Vector, y: Vector) -> Record:
        """From the first of the times to the last, with a sample at each of them."""
        record, start = Record(), perf_counter() - compile_seconds()
        t, step = float(times[0]), 0.0
        integrator = self._integrator.for_run(float(times[-1]) - t)
        longest = getattr(integrator, "step", 0.0) or getattr(integrator, "max_step", 0.0)
        self._longest_step = longest if np.isfinite(longest) else 0.0
        quiet: tuple[int, ...] = ()
        sides: tuple[float, ...] = ()
        self._keep(record, t, y)
        try:
            self._scales = first_scales(self._problem, self._followed, t, float(times[-1]), y)
            self._observe(times[:1], self._problem.project(t, y, CONSTRAINT_GAP)[0][None])  # as the first step begins
            self._sample(record, t, y, frozenset(self._inputs.sampled) - self._inputs.held)
            record.occurrences += [Occurrence(k, t, y) for k in self._contacts.closed(t, y, float(times[-1]) - t)]
            self._jumps.note(t, y, ())
            y, quiet = self._reset(record, t, y, record.occurrences)
            if record.occurrences:
                self._observe(times[:1], y[None])
            self._modes.begin(t, y, anew=True)
            if record.occurrences:
                y, quiet = self._cascade(record, t, y, quiet)
            while t < times[-1] and record.status is Status.DONE:
                end = self._end(t, times)
                wanted = _followed_by(end, times[times.searchsorted(t, side="right") : times.searchsorted(end)])
                begun = perf_counter()
                self._contacts.balance(t, y)
                segment = integrator.run(self._problem, t, y, wanted, step, self._watch(quiet, sides))
                self._adapt(perf_counter() - begun)
                passed = self._contacts.passed(segment)
                if passed:
                    record.status, record.failed_at, record.said = Status.STOP_PASSED, (t, y), passed
                    break
                self._collect(record, segment, times)
                self._scales = segment.scales
                t, y, step, quiet, sides = segment.last_t, segment.last_y, segment.step, (), segment.sides
                fallen = self._sequences.fallen(self._returns, sides)
                self._returns = {k: side for k, side in self._returns.items() if not sides[k]}
                if isinstance(self._problem.failure, KeyboardInterrupt):
                    raise self._problem.failure
                if self._modes.is_rough(t):
                    step = 0.0
                if segment.status is Status.EVENT:
                    before = y
                    self._jumps.note(t, y, (), self._just_happened(record, t))
                    self._switch(record, t, y)
                    y, quiet = self._reset(record, t, y, segment.occurrences)
                    if y is not before:
                        self._observe(np.array([t]), y[None])
                    self._modes.begin(t, y, anew=y is not before)
                    y, quiet = self._cascade(record, t, y, quiet)
                    step, sides = 0.0, self._jumps.sides
                    self._end_of_pile(record, t, y, float(times[-1]) - t)
                elif not segment.status.ok and not self._recovers(segment.status):
                    record.status, record.failed_at = segment.status, (t, y)
                    if segment.status is Status.EVENTS_ACCUMULATE:
                        record.said = fallen
                if t < times[-1] and record.status is Status.DONE:
                    changes = bool(self._inputs.sampled) or bool(self._problem.functions.switching)
                    if changes:
                        self._jumps.note(t, y, sides, self._just_happened(record, t))
                    self._sample(record, t, y)
                    self._modes.begin(t, y)
                    events = len(record.occurrences)
                    if changes:
                        y, quiet = self._cascade(record, t, y, quiet)
                    if len(record.occurrences) > events:
                        sides = self._jumps.sides
                if self._progress is not None:
                    self._progress(t)
        except KeyboardInterrupt:
            record.status, record.failed_at = Status.INTERRUPTED, (t, y)
        except StepError as error:
            record.status, record.failed_at = error.status, (t, y)
            record.said = error.what
        record.seconds = perf_counter() - compile_seconds() - start
        if record.status is Status.INTERRUPTED:
            record.cut(t)
        record.checks = self._checks.results(self._end_of_motion())
        self._end_at_dead_point(record)
        return record

    def _observe(self, t: Vector, y: Vector) -> bool:
        """Note states at the ends of steps; whether the run goes on."""
        goes_on = self._dead_points.add(t, y)
        if self._checks.add(t, y):
            self._checks.look(self._end_of_motion())
        return goes_on

    def _end_of_motion(self) -> float:
        """The time of the first dead point: states after it are wrong."""
        found = self._dead_points.first()
        return np.inf if found is None else found.t

    def _end_at_dead_point(self, record: Record) -> None:
        """A run through a dead point of a loop in closed form has failed there; nothing after it is kept."""
        found = self._dead_points.first()
        if found is None and record.status is Status.NOT_FINITE and record.failed_at is not None:
            t, y = record.failed_at
            found = self._dead_points.after(t, y, self._longest_step)
        at_start = (
            found is not None and found.t == record.parts[0].t[0]
        )  # a loop that cannot be closed is reported as such
        if found is None or record.status is Status.INTERRUPTED or (at_start and record.status is Status.NOT_FINITE):
            return
        record.status, record.failed_at, record.said = Status.SINGULAR, (found.t, found.y), str(found)
        record.parts = [Part(*(array[part.t <= found.t] for array in part)) for part in record.parts]
        record.occurrences = [occurrence for occurrence in record.occurrences if occurrence.t <= found.t]

    # segments ----------------------------------------------------------------------------------------------------

    def _end(self, t: float, times: Vector) -> float:
        """Where the next segment ends: at the next sample of a controller, or after a share of what remains."""
        last = float(times[-1])
        ends = [last] + [_next(t, controller.period) for controller in self._inputs.sampled.values()]
        ends.append(self._modes.next_jump(t))
        if not self._integrator.ends_at_corners:
            ends.append(self._modes.next_corner(t))
        if self._share < 1:
            ends.append(t + self._share * (last - float(times[0])))
        end = min(ends)
        slack = 1e-12 * max(1.0, abs(last))
        sample = float(times[times.searchsorted(end - slack)])  # one at this time, but for rounding
        return sample if t < sample <= end + slack else end

    def _recovers(self, status: Status) -> bool:
        """Whether the run can go on with equations that hold where constraints, or independent speeds, fail."""
        return status in UNSOLVED and self._problem.failure is None and self._problem.regularize(for_good=True)

    def _adapt(self, seconds: float) -> None:
        """Segments that take about as long as one should wait for news; without listeners, time changes nothing."""
        if self._progress is not None:
            self._share = min(1.0, self._share * min(4.0, SECONDS_BETWEEN_REPORTS / max(seconds, 1e-4)))

    def _collect(self, record: Record, segment: Segment, times: Vector) -> None:
        """Keep what a segment found: events, changed branches, and samples at the given times."""
        record.segments.append(segment)
        if segment.occurrences:
            self._collect_events(record, segment)
        t, y = segment.t, segment.y
        if not getattr(self._integrator, "every_step", False):
            t, y = _at_times(times, t, y)
        if segment.status is Status.NOT_FINITE:  # between the last steps, numbers may be too large
            sound = np.isfinite(y).all(axis=1)
            t, y = t[sound], y[sound]
        self._keep_all(record, t, y)

    def _collect_events(self, record: Record, segment: Segment) -> None:
        """Keep the events of a segment and the branches that changed; angles get new references."""
        events = len(self._signals.events)
        turned = [k for k, event in enumerate(self._signals.events) if isinstance(event, Quadrant)]
        for occurrence in segment.occurrences:
            if occurrence.event in turned and occurrence.t == segment.last_t:
                self._changed(segment.last_y, self._values(occurrence.event, occurrence.t, occurrence.y))
        segment.occurrences = [occurrence for occurrence in segment.occurrences if occurrence.event not in turned]
        branches = [occurrence for occurrence in segment.occurrences if occurrence.event >= events]
        record.switches += [branch._replace(event=branch.event - events) for branch in branches]
        segment.occurrences = self._poles.without_poles(
            [occurrence for occurrence in segment.occurrences if occurrence.event < events]
        )
        record.occurrences += segment.occurrences

    def _keep(self, record: Record, t: float, y: Vector) -> None:
        """Keep a state as a sample, with the inputs that belong to it."""
        self._keep_all(record, np.array([t]), y[None].copy())

    def _keep_all(self, record: Record, t: Vector, y: Vector) -> None:
        """Keep samples, whose memory nothing else uses, with the inputs that belong to them."""
        r = np.empty((len(t), len(self._problem.r)))
        r[:] = self._problem.r
        if self._inputs.laws:
            for k in range(len(t)):
                self._problem.t[()], self._problem.y[:] = t[k], y[k]
                self._laws()
                r[k] = self._problem.r
        if len(t):
            record.parts.append(Part(t, y, r))  # together: an interrupt may come at any time

    # events ------------------------------------------------------------------------------------------------------

    def _watch(self, quiet: tuple[int, ...], sides: tuple[float, ...]) -> Watch:
        events = self._signals.events
        stops = tuple(self._stops(k) for k in range(len(events)))
        returns = tuple(self._returns.get(k, 0.0) for k in range(len(events)))
        touches = tuple(type(event) is Event for event in events)
        directions, branches = tuple(event.direction for event in events), self._modes.signals
        known = sides[: len(events)] or [0.0] * len(events)
        return Watch(
            (*directions, *[-1] * branches), (*stops, *[True] * branches), quiet, sides=(*known, *[1.0] * branches),
            returns=(*returns, *[0.0] * branches), touches=(*touches, *[False] * branches),
            scales=self._scales,
        )  # fmt: skip

    def _switch(self, record: Record, t: float, y: Vector) -> None:
        """Change the branches that ended the segment."""
        numbers = [switch.event for switch in record.switches if switch.t == t]
        if numbers:
            self._modes.switch(t, y, numbers)

    def _stops(self, k: int) -> bool:
        """Whether an event ends a segment."""
        return self._signals.events[k].terminal or self._signals.events[k].reset is not None

    def _just_happened(self, record: Record, t: float) -> set[int]:
        """The events that have happened at a time, as far as it is known."""
        near = 10 * max(Watch().tolerance, 4 * np.finfo(float).eps * abs(t))
        return {
            occurrence.event for occurrence in takewhile(lambda one: one.t >= t - near, reversed(record.occurrences))
        }

    def _cascade(
        self, record: Record, t: float, y: Vector, quiet: tuple[int, ...]
    ) -> tuple[Vector, tuple[int, ...]]:  # fmt: skip
        """The state after events that happen at once, because what has changed takes their expressions over zero.

        Their resets may make others happen; those that never end stop the run.
        """
        happened: Iterable[int] = self._just_happened(record, t)
        for _ in range(MAX_CASCADE):
            happened = self._jumps.crossed(t, y, [*happened]) if record.status is Status.DONE else []
            if not happened:
                self._drop_between(record, t)
                return y, quiet
            before, jumped = y, [Occurrence(k, t, y) for k in happened]
            record.occurrences += jumped
            y, more = self._reset(record, t, y, jumped)
            quiet = (*quiet, *more)
            if y is not before:
                self._observe(np.array([t]), y[None])
            self._modes.begin(t, y, anew=True)
        names = {self._signals.names[occurrence.event]: None for occurrence in record.occurrences[-MAX_CASCADE:]}
        record.status, record.failed_at = Status.EVENTS_ACCUMULATE, (t, y)
        record.said = f"at one instant, the resets of {', '.join(map(repr, names))} make each other happen without end"
        return y, quiet

    @staticmethod
    def _drop_between(record: Record, t: float) -> None:
        """Of the samples at the time of a reset, the first and the last one are kept: before it, and after all."""
        parts = record.parts
        while len(parts) > 2 and len(parts[-2].t) == 1 and parts[-2].t[0] == parts[-3].t[-1] == t:
            del parts[-2]

    def _reset(
        self, record: Record, t: float, y: Vector, happened: Sequence[Occurrence]
    ) -> tuple[Vector, tuple[int, ...]]:  # fmt: skip
        """The state after all events that stopped the segment; the run ends if one of them is terminal."""
        now = [occurrence.event for occurrence in happened if occurrence.t == t]
        if not now:
            return y, ()
        moving = self._sequences.rates(now, t, y)
        before, rates, self._lost, self._moved, self._set = y, self._contacts.rates(t, y), 0.0, False, {}
        if record.parts[-1].t[-1] != t and any(map(self._stops, now)):
            self._keep(record, t, y)
        for k in now:
            y = self._after(k, t, y, rates)
            if self._signals.events[k].terminal:
                record.status = Status.EVENT
        if y is not before:
            y, struck = self._passed_on(record, t, y, rates)
            now += struck
            y = self._closed(t, self._contacts.settled(t, y), now)
            self._account(t, before, y)
            self._keep(record, t, y)
        self._check_sequences(record, t, y, moving)
        return y, tuple(now)

    def _closed(self, t: float, y: Vector, happened: Iterable[int]) -> Vector:
        """The state after events on the constraints; impacts change speeds as these allow."""
        if not self._set or any(isinstance(self._signals.events[k], Touch) for k in happened):
            return self._problem.project(t, y, CONSTRAINT_GAP)[0]
        return closed_state(self._problem, t, y, self._set, self._all_inputs(t, *self._split(y)), CONSTRAINT_GAP)

    def _check_sequences(self, record: Record, t: float, y: Vector, before: Mapping[int, tuple[float, float]]) -> None:
        """The run ends if events accumulate, or if a reset does not turn back what it slows down."""
        turned, wrong_way = self._sequences.turned(before, t, y, moved=self._moved)
        self._returns = {k: side for k, side in self._returns.items() if k not in before} | turned
        said = wrong_way or self._sequences.accumulating(record.occurrences, t)
        if said and record.status is Status.DONE:
            record.status, record.failed_at, record.said = Status.EVENTS_ACCUMULATE, (t, y), said

    def _after(self, k: int, t: float, y: Vector, rates: dict[int, float]) -> Vector:
        """The state after an event; if it is an impact, the rate of its gap is renewed."""
        before, y = y, self._changed(y, self._values(k, t, y))
        rates |= self._contacts.rates(t, y, k)
        if self._contacts.moves:
            loss = self._contacts.loss(k, t, before, y)
            self._lost += self._energy(t, before) - self._energy(t, y) if loss is None else loss
        return y

    def _account(self, t: float, before: Vector, y: Vector) -> None:
        """Count what impacts and resets take as dissipated, and what moving stops and joints do then as their work."""
        taken = self._energy(t, before) - self._energy(t, y)
        lost = self._lost if self._contacts.moves and self._eom.energy_known else taken
        y[-2] += lost
        y[-1] += lost - taken

    def _passed_on(
        self, record: Record, t: float, y: Vector, rates: dict[int, float]
    ) -> tuple[Vector, list[int]]:  # fmt: skip
        """The state after blows that are passed on at once, because a body that is struck touches another one.

        Blows that go on without end leave no gap closing.
        """
        struck: list[int] = []
        while len(struck) < MAX_BLOWS and (k := self._contacts.struck(t, y, rates)) is not None:
            record.occurrences.append(Occurrence(k, t, y))
            y = self._after(k, t, y, rates)
            struck.append(k)
        if len(struck) == MAX_BLOWS:
            y = self._contacts.stopped(t, y)
        return y, struck

    def _end_of_pile(self, record: Record, t: float, y: Vector, left: float) -> None:
        """The run ends if there are too many events."""
        for what, happened in (("events", record.occurrences), ("changes of conditions", record.switches)):
            if record.status is Status.DONE and _pile_up(happened, left):
                record.status, record.failed_at = Status.EVENTS_ACCUMULATE, (t, y)
                record.said = f"{len(happened)} {what} so far"

    def _energy(self, t: float, y: Vector) -> float:
        if not self._eom.energy_known:
            return 0.0  # then there is no balance to keep
        q, u = self._split(y)
        return float(self._energies(t, q, u, self._all_inputs(t, q, u), self._problem.p))

    @cached_property
    def _energies(self) -> Function:
        eom = self._eom
        return eom.function("energy", {"total": eom.kinetic_energy + eom.potential_energy})

    def _values(self, k: int, t: float, y: Vector) -> Mapping[str, float]:
        q, u = self._split(y)
        return self._signals.after(k, t, q, u, self._problem.r, self._problem.p)

    def _changed(self, y: Vector, values: Mapping[str, float]) -> Vector:
        if not values:
            return y
        names = [symbol.name for symbol in (*self._eom.coordinates, *self._eom.speeds)]
        inputs = [quantity.name for quantity in self._eom.inputs]
        y = y.copy()
        for name, value in values.items():
            if name in names:
                y[names.index(name)], self._moved = value, True
                self._set[name] = None
            else:
                self._set_input(inputs.index(name), value)
        return y

    # inputs ------------------------------------------------------------------------------------------------------

    def _sample(self, record: Record, t: float, y: Vector, new: frozenset[int] = frozenset()) -> None:
        """Ask the controllers whose time has come, and those that are new; a sample at this time has what they say."""
        q, u = self._split(y)
        values = {}  # set together: what one controller does, the others see at their next sample
        for place, controller in self._inputs.sampled.items():
            if place in new or self._is_due(place, t, controller.period):
                values[place] = called(controller.function, self._eom, place, t, q, u, lambda: self._sensors(t, q, u))
        for place, value in values.items():
            self._set_input(place, value, t)
            if record.parts[-1].t[-1] == t:
                record.parts[-1].r[-1, place] = self._problem.r[place]

    def _set_input(self, place: int, asked: float, sampled_at: float | None = None) -> None:
        """Hold an input at a value, within its limits."""
        self._asked_numbers[place] = asked
        limits = self._inputs.limits.get(place)
        if limits is not None and sampled_at is not None:
            require_motion_within(self._eom, place, asked, limits, sampled_at)
        self._problem.r[place] = asked if limits is None else saturated(asked, limits)

    def _is_due(self, place: int, t: float, period: float) -> bool:
        """Whether t is a sample of a controller for which it has not been asked: an event may come right after."""
        number = round(t / period)
        if abs(t / period - number) >= 1e-6 or self._asked.get(place) == number:
            return False
        self._asked[place] = number
        return True

    def _laws(self) -> None:
        """Ask the functions of Python, at the state in the problem's memory."""
        t = float(self._problem.t)
        q, u = self._split(self._problem.y)
        for place, law in self._inputs.laws.items():
            asked = called(law, self._eom, place, t, q, u, lambda: self._sensors(t, q, u))
            limits = self._inputs.limits.get(place)
            if limits is not None:
                require_motion_within(self._eom, place, asked, limits, t)
                asked = saturated(asked, limits)
            self._problem.r[place] = asked

    def _asked_by(self, place: int, t: float, y: Vector) -> float:
        """What a function of Python asks for at a state; NaN after it has failed."""
        if self._problem.failure is not None:
            return np.nan
        q, u = self._split(y)
        return called(self._inputs.laws[place], self._eom, place, t, q, u, lambda: self._sensors(t, q, u))

    def _sensors(self, t: float, q: Vector, u: Vector) -> dict[str, Any]:
        names = list(self._eom.outputs)
        if not names:
            return {}
        values = self._eom.sensors(t, q, u, self._all_inputs(t, q, u), self._problem.p)
        return dict(zip(names, values if len(names) > 1 else [values], strict=True))

    def _all_inputs(self, t: float, q: Vector, u: Vector) -> Vector:
        """The inputs at a state, also those that follow expressions."""
        r = self._problem.r.copy()
        if self._inputs.expressions:
            r[self._followed] = np.ravel(self._problem.functions.followed(t, q, u, r, self._problem.p))
        return r

    def _are_watched(self, places: Iterable[int]) -> bool:
        """Whether events depend on inputs."""
        seen = free_symbols(list(self._problem.functions.events))
        return any(self._eom.inputs[place] in seen for place in places)

    def _split(self, y: Vector) -> tuple[Vector, Vector]:
        n, m = self._problem.n, self._problem.m
        return y[:n], y[n : n + m]


def _pile_up(happened: Sequence[Occurrence], left: float) -> bool:
    """Whether there are too many events, or will be ten times too many in the time that is left, at the latest pace."""
    if len(happened) <= EVENTS_BEFORE_FORECAST:
        return False
    seconds = happened[-1].t - happened[-EVENTS_BEFORE_FORECAST].t
    return len(happened) > MAX_EVENTS or seconds * 10 * MAX_EVENTS < left * EVENTS_BEFORE_FORECAST


def _at_times(times: Vector, t: Vector, y: Vector) -> tuple[Vector, Vector]:
    """The samples of a segment that are at one of the times: all but for its end, which may be between them."""
    if len(t) and times[times[:-1].searchsorted(t[-1])] != t[-1]:
        return t[:-1], y[:-1]
    return t, y


def _followed_by(last: float, times: Vector) -> Vector:
    """Times, and a last one."""
    longer = np.empty(len(times) + 1)
    longer[:-1], longer[-1] = times, last
    return longer


def _next(t: float, period: float) -> float:
    """The next sample of a controller after t."""
    return (int(np.floor(t / period + 1e-6)) + 1) * period
