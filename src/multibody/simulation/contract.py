"""Data that integrators take and return: status, occurrences of events, segments and what to watch."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


class Status(Enum):
    """How a run ended, or a segment of it: ``DONE``, stopped by a terminal ``EVENT``, or one of the failures.

    A run that was read from a file that does not say how it ended is ``UNKNOWN``, which is not ``ok``.

    Example:
        >>> Status.EVENT.ok, Status.NOT_FINITE.ok, Status.NOT_FINITE.value
        (True, False, 'the accelerations are not finite')
    """

    DONE = "done"
    EVENT = "stopped by an event"
    STEP_TOO_SMALL = "the step became too small"
    NOT_FINITE = "the accelerations are not finite"
    TOO_MANY_STEPS = "too many steps"
    CONSTRAINTS_LOST = "the constraints could not be kept"
    SINGULAR = "the velocities jump in a singular configuration"
    SOLVER_FAILED = "the solver failed"
    DIVERGED = "the motion diverges"
    EVENTS_ACCUMULATE = "events accumulate"
    STOP_PASSED = "a stop was passed"
    SWITCHING = "a condition switches without end"
    ENERGY_LOST = "the energy balance does not hold"
    ENERGY_GENERATED = "a damper gives energy instead of taking it"
    TABLE_LEFT = "a table was left"
    INTERRUPTED = "interrupted"
    UNKNOWN = "status unknown"

    @classmethod
    def named(cls, name: object) -> Status:
        """The status of a name, such as from a file; UNKNOWN if there is none of this name."""
        return cls.__members__.get(str(name), cls.UNKNOWN)

    @property
    def ok(self) -> bool:
        """Whether it came to its end, or to an event."""
        return self in (Status.DONE, Status.EVENT)


class Explanation(NamedTuple):
    """The four parts of an error about a run that ended before its time.

    Attributes:
        what: when it ended, of how long it was to run, and the status in words.
        where: the system and its state.
        cause: the likely cause.
        remedy: what to do.
    """

    what: str
    where: str
    cause: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.what}\n  where: {self.where}\n  cause: {self.cause}\n  fix: {self.remedy}"


class Occurrence(NamedTuple):
    """An event that happened: its number, the time, and the state just then."""

    event: int
    t: float
    y: Vector


@dataclass
class Segment:
    """A stretch of a run.

    Attributes:
        t: the times of the samples.
        y: a row for each of them.
        status: how it ended.
        last_t: where it ended.
        last_y: the state there.
        step: a good size for the next step, or 0 if the integrator does not say.
        occurrences: events on the way, in the order of time.
        steps: accepted steps.
        rejected: steps that were tried and taken back.
        evaluations: calls of the right-hand side.
        jacobians: calls of its derivative.
        message: what a solver had to say.
        sides: on which side of zero the signals of events are in the end, +1 or -1; 0 where it is not known.
        scales: what absolute tolerances follow: the largest |y| of each entry so far, and rounding errors of its rate.
    """

    t: Vector
    y: Vector
    status: Status
    last_t: float
    last_y: Vector
    step: float
    occurrences: list[Occurrence]
    steps: int = 0
    rejected: int = 0
    evaluations: int = 0
    jacobians: int = 0
    message: str = ""
    sides: tuple[float, ...] = ()
    scales: Vector | None = None


@dataclass(frozen=True)
class Watch:
    """What to do about events within a segment.

    Attributes:
        directions: for each event +1 for crossings from below, -1 from above, 0 for both.
        stops: for each event whether the segment ends there.
        quiet: events that are not looked for until they have moved away from zero, because one has just happened.
        tolerance: how close in time an event is located.
        sides: on which side of zero signals were before, for those that cannot be distinguished from it at the start.
        returns: the side to which a reset has sent a signal back, +1 or -1, 0 where there is none: a signal that is
            seen on the other side first ends the segment with ``Status.EVENTS_ACCUMULATE``.
        touches: for each event whether a signal that touches zero without crossing it counts as reaching it; none if
            this is empty.
        scales: those of the segment before, None at the start of a run.
    """

    directions: tuple[int, ...] = ()
    stops: tuple[bool, ...] = ()
    quiet: tuple[int, ...] = ()
    tolerance: float = 1e-12
    sides: tuple[float, ...] = ()
    returns: tuple[float, ...] = ()
    touches: tuple[bool, ...] = ()
    scales: Vector | None = field(default=None, compare=False)
