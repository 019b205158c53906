"""Runs that go on from where others have been, and the trajectory of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.errors import ModelError, ShapeError
from multibody.mechanics.assembly.assembly import State
from multibody.model import Model
from multibody.model.quantity import finite_value
from multibody.simulation.checks.table_exits import joined_exits
from multibody.simulation.contract import Status, Vector
from multibody.simulation.problem.input_limits import joined_saturations
from multibody.simulation.problem.run_functions import WORKS
from multibody.simulation.problem.sample_functions import probe
from multibody.simulation.results.digests import different
from multibody.simulation.results.interpolation import hermite
from multibody.simulation.results.model_identity import motion_parts
from multibody.simulation.results.named_samples import NamedSamples
from multibody.simulation.results.samples import Instant, Samples
from multibody.simulation.results.statistics import Counts

LARGEST_DEFECT = 1e-3
"""Difference between rates of interpolated coordinates and interpolated speeds, relative to rates: for a start."""


UNSOUND = (Status.ENERGY_LOST, Status.ENERGY_GENERATED)
"""Failures after which the states of a run are not to be relied on, though it came to its end."""

SAME_STATE = 1e-6
"""States that differ by less, relative to the largest values of two runs, are the same."""


@runtime_checkable
class Point(Protocol):
    """Values of all variables at one time, such as an operating point or the point of an equilibrium."""

    model: Model
    t: float
    q: Vector
    u: Vector
    r: Vector
    p: Vector


@runtime_checkable
class AtPoint(Protocol):
    """What is known by its point, such as an equilibrium."""

    @property
    def point(self) -> Point:
        """All its numbers."""


AnyRun = TypeVar("AnyRun", bound=NamedSamples)

Start = State | Instant | NamedSamples | Point | AtPoint
"""What a run can begin with."""


class Beginning(NamedTuple):
    """The start of a run, with what is known from another one.

    Attributes:
        y: coordinates, speeds and works; empty if they are not known.
        t: the time; None if it is not known.
        inputs: values that are held, by name.
        parameters: by name.
    """

    y: Vector
    t: float | None
    inputs: Mapping[str, float]
    parameters: Mapping[str, float]

    def differs(self, parameters: Mapping[str, float] | None) -> bool:
        """Whether parameters are wanted that are not those of the start: it may not keep the constraints with them."""
        return any(name not in self.parameters or self.parameters[name] != x for name, x in (parameters or {}).items())

    def state(self, n: int) -> tuple[Vector, Vector]:
        """The n coordinates, and the speeds."""
        return self.y[:n], self.y[n : -len(WORKS)]

    def met(self, state: State) -> Vector:
        """Coordinates and speeds that keep the constraints; works go on."""
        return np.concatenate([state.q, state.u, self.y[-len(WORKS) :]])

    def time(self, t0: float | None, times: Any) -> float:
        """The time to begin with: the one that is wanted, if any, or that of the start.

        Raises:
            ModelError: if times are wanted that begin at another one.
        """
        begin = self.t if t0 is None else finite_value(t0, "t0 of simulate")
        if begin is None:
            return 0.0
        first = begin if times is None or not np.size(times) else float(np.ravel(times)[0])
        if abs(first - begin) > 1e-12 * max(1.0, abs(begin)):
            raise ModelError(
                f"The times begin at {first:.9g} s, but the start is at {begin:.9g} s.",
                code="start-time-differs",
                times_begin=first,
                start=begin,
                where="simulate",
                remedy="Let the times begin there, or set the clock: t0=times[0].",
            )
        return begin


def beginning(start: Start | None, eom: EquationsOfMotion, given: Sequence[Any] = ()) -> Beginning:
    """What is known about the start of a run: a state, an operating point, an instant of a run, or its end; or nothing.

    Args:
        start: where to begin.
        eom: what is to begin there.
        given: what else the user has said about it.
    """
    if start is None:
        return Beginning(np.empty(0), None, {}, {})
    if any(item is not None for item in given):
        raise ModelError(
            "The start is given twice.",
            code="start-value-twice",
            where="simulate",
            remedy="Give either start, or q, u and fixed.",
        )
    if not isinstance(start, (State, Instant, NamedSamples)):
        if isinstance(start, AtPoint):
            return beginning(start.point, eom, given)
        if isinstance(start, Point):
            return _at_point(start, eom)
        raise ModelError(
            f"{start!r:.200} is not a start of a run.",
            code="start-not-a-state",
            where="simulate",
            remedy="Give a run, run.at(2.0), an equilibrium or eom.consistent(…); "
            "start values by name are q={'name': 0.1} and u={…}.",
        )
    instant = Instant(start.q[-1], start.u[-1], start.t[-1], start) if isinstance(start, NamedSamples) else start
    model = instant.model if isinstance(instant, State) else instant.run.eom.model
    _require_states_of(model, eom)
    if isinstance(instant, Instant):
        _require_equations(instant.run, eom)
    if isinstance(instant, State):
        return Beginning(np.concatenate([instant.q, instant.u, np.zeros(len(WORKS))]), None, {}, {})
    if np.ndim(instant.t):
        raise ShapeError(
            "A run begins at one time.",
            code="start-not-one-instant",
            where="simulate",
            remedy="Write start=trajectory.at(2.0).",
        )
    run, t = instant.run, float(instant.t)
    _require_resolved(instant, t)
    k = int(np.searchsorted(run.t, t, side="right")) - 1
    inputs = {quantity.name: float(value) for quantity, value in zip(run.eom.inputs, run.r[k], strict=True)}
    return Beginning(np.concatenate([instant.q, instant.u, _works(run, t)]), t, inputs, run.parameters)


def _at_point(point: Point, eom: EquationsOfMotion) -> Beginning:
    """Its state, with its inputs held and its parameters."""
    _require_states_of(point.model, eom)
    inputs, parameters = (
        {name.name: float(value) for name, value in zip(names, values, strict=True)}
        for names, values in ((eom.inputs, point.r), (eom.parameters, point.p))
    )
    return Beginning(np.concatenate([point.q, point.u, np.zeros(len(WORKS))]), point.t, inputs, parameters)


def _require_resolved(instant: Instant, t: float) -> None:
    """Refuse a state between samples that are too far apart: its speeds are not the rates of its coordinates."""
    run = instant.run
    if t in run.t:
        return
    (missed,) = run.interpolation_errors(np.array([t]))
    if missed > LARGEST_DEFECT:
        raise ModelError(
            f"The samples of the run are too far apart to know its state at t = {t:.9g} s.",
            code="samples-too-far-apart",
            t=t,
            where=f"start of a run of '{run.eom.model.name}'",
            cause="Between samples, states are interpolated; here, rates of coordinates are off by "
            f"{missed:.2g} of the largest rate.",
            remedy=f"Let the first run end at this time, or keep a sample there: simulate(…, times=[…, {t:.9g}, …]).",
        )


def _works(run: Any, t: float) -> Vector:
    """The works at any time within, as ``at`` finds the state."""
    if t == run.t[-1]:
        return run.works[-1]
    rates = probe(run.eom, "powers").batch(run.t, run.q, run.u, run.r, run.p)
    return hermite(run.t, run.works, rates, np.array([t]))[0]


# both as one ---------------------------------------------------------------------------------------------------------


def joined(earlier: NamedSamples, later: AnyRun) -> AnyRun:
    """One trajectory over both; see ``Trajectory.__add__``."""
    t = float(later.t[0])
    where = f"{earlier!r} + {later!r}"
    kinds = {"coordinates and speeds": ("coordinates", "speeds"), "inputs": ("inputs",), "parameters": ("parameters",)}
    for what, parts in kinds.items():
        _require_same(what, [[x for part in parts for x in getattr(run.eom, part)] for run in (earlier, later)], where)
    pairs = [(earlier.source, later.source), (earlier.eom, later.eom)]  # without and with the forces of contacts
    others = list(dict.fromkeys(name for pair in pairs for name in different(*map(motion_parts, pair))))
    if others:
        raise ModelError(
            f"These runs were made with other equations; different: {', '.join(others[:8])}.",
            code="run-equations-differ",
            names=others,
            where=where,
            remedy="Keep them as two runs: one trajectory has one set of equations.",
        )
    if not np.array_equal(earlier.p, later.p) or not earlier.t[0] <= t <= earlier.t[-1]:
        raise ModelError(
            "These runs are not one.",
            code="runs-not-consecutive",
            where=where,
            cause=f"The first covers {earlier.t[0]:.9g} s to {earlier.t[-1]:.9g} s; parameters: "
            f"{dict(earlier.parameters)} and {dict(later.parameters)}.",
            remedy="Join a run with one that goes on from it: simulate(…, start=run).",
        )
    _require_same_state(earlier, later, where)
    before = earlier.t < t
    before |= (earlier.t == t) & (earlier.y != later.y[0]).any(axis=1)  # a jump at the seam
    unsound = earlier.status in UNSOUND and later.status.ok
    return replace(
        later,
        status=earlier.status if unsound else later.status,
        message=earlier.message if unsound else later.message,
        t=np.concatenate([earlier.t[before], later.t]),
        y=np.concatenate([earlier.y[before], later.y]),
        r=np.concatenate([earlier.r[before], later.r]),
        counts=_sum(earlier.counts, later.counts),
        settings=earlier.settings and later.settings and earlier.settings.joined(later.settings),
        start_changes=(*earlier.start_changes, *later.start_changes),
        occurrences=[*(occurrence for occurrence in earlier.occurrences if occurrence.t <= t), *later.occurrences],
        checks=earlier.checks.followed_by(later.checks),
        saturations=joined_saturations(earlier.saturations, later.saturations),
        table_exits=joined_exits(earlier.table_exits, later.table_exits),
    )


def _require_same_state(earlier: NamedSamples, later: NamedSamples, where: str) -> None:
    """An error if the later run begins with another state; where an event resets it, that before or after it counts."""
    t, n, m = float(later.t[0]), len(earlier.eom.coordinates), len(earlier.eom.speeds)
    found = earlier.interpolated(t)
    states = [np.concatenate([found.q, found.u]), *earlier.y[earlier.t == t, : n + m]]
    start = later.y[0, : n + m]
    sizes = np.abs(np.concatenate([earlier.y, later.y])[:, : n + m]).max(axis=0)
    largest = np.repeat([sizes[:n].max(initial=0.0), sizes[n:].max(initial=0.0)], [n, m])
    allowed = SAME_STATE * np.maximum(sizes, SAME_STATE * largest)
    if any((np.abs(state - start) <= allowed).all() for state in states):
        return
    symbols, last = (*earlier.eom.coordinates, *earlier.eom.speeds), states[-1]
    jumps = [k for k in range(n + m) if not abs(last[k] - start[k]) <= allowed[k]]
    raise ModelError(
        "The second run does not begin with the state of the first one.",
        code="runs-not-consecutive",
        where=where,
        cause=f"At t = {t:.9g} s: " + ", ".join(f"{symbols[k]} is {last[k]:.9g} and {start[k]:.9g}" for k in jumps[:6]),
        remedy="Go on from the first run, simulate(…, start=run); change its state by an Event with reset={…}.",
    )


def _sum(one: Counts, other: Counts) -> Counts:
    """The work of both."""
    pairs = {x.name: (getattr(one, x.name), getattr(other, x.name)) for x in fields(Counts)}
    work: dict[str, Any] = {name: _both(*x) if isinstance(x[0], str) else sum(x) for name, x in pairs.items()}
    return Counts(**work)


def _both(one: str, other: str) -> str:
    return one if one == other or not other else f"{one}; then {other}" if one else other


def _require_states_of(model: Model, eom: EquationsOfMotion) -> None:
    if model is not eom.model:
        _require_same(
            "coordinates and speeds", [[*each.coordinates, *each.speeds] for each in (eom.model, model)], "simulate"
        )


def _require_equations(run: Samples, eom: EquationsOfMotion) -> None:
    """An error if a run is to go on with other equations than it was made with."""
    source = run.source if isinstance(run, NamedSamples) else run.eom
    others = [] if source is eom else different(motion_parts(source), motion_parts(eom))
    if others:
        raise ModelError(
            f"The start is a run of other equations; different: {', '.join(others[:8])}{' …' if others[8:] else ''}.",
            code="run-equations-differ",
            names=others,
            where=f"simulate, start of system '{eom.model.name}'",
            cause="The system was changed since, or the equations treat constraints in another way.",
            remedy="To start with this state anyway, write start=eom.consistent(*run.at(t)), t0=t. Dependent angles "
            "then begin between -π and π.",
        )


def _require_same(what: str, symbols: list[list[Any]], where: str) -> None:
    """An error if two runs, or a run and its start, do not have the same names."""
    first, second = ([variable.name for variable in group] for group in symbols)
    if first != second:
        raise ModelError(
            f"The {what} are not the same.",
            code="run-equations-differ",
            where=where,
            cause=f"{', '.join(first) or 'none'} on one side, {', '.join(second) or 'none'} on the other.",
            remedy="Go on with the equations and events of the same system.",
        )
