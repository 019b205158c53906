"""Equations with inputs and events, made ready once for any number of runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, cached_property
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.equations.validation.prescribed_motion import PrescribedMotion, motions
from multibody.errors import StepError
from multibody.graph import Symbol
from multibody.graph.number import is_number
from multibody.mechanics.assembly.assembly import StartChange, State
from multibody.model.freeze.inertia_checks import all_possible, possible_values
from multibody.model.quantity import rate_name
from multibody.simulation.checks.energy_check import with_energy_checked
from multibody.simulation.checks.failure_reasons import explained
from multibody.simulation.checks.redundant_constraints import checked
from multibody.simulation.checks.run_reports import with_tables_checked
from multibody.simulation.contract import Status, Vector
from multibody.simulation.events.active_branches import Modes
from multibody.simulation.events.continuous_angles import Quadrant, with_continuous_angles
from multibody.simulation.events.events import Event, ForceSign, Signals, Touch
from multibody.simulation.events.impacts import Impact, with_contacts
from multibody.simulation.integrators.integrator import Integrator
from multibody.simulation.integrators.rosenbrock import Rodas5P
from multibody.simulation.integrators.runge_kutta import DormandPrince8
from multibody.simulation.integrators.stiffness import IntegratorKind, stiffness
from multibody.simulation.integrators.sundials import Cvode
from multibody.simulation.problem.inputs import Inputs, known_inputs, read_inputs
from multibody.simulation.problem.problem import WORKS, Problem
from multibody.simulation.problem.run_functions import RunFunctions, functions_of
from multibody.simulation.problem.run_settings import RunSettings
from multibody.simulation.problem.time_function_checks import (
    require_course,
    require_rates,
    require_tables_of_time,
)
from multibody.simulation.results.named_samples import EventRecord
from multibody.simulation.results.statistics import Counts
from multibody.simulation.results.trajectory import Trajectory
from multibody.simulation.run import Progress, Record, Run
from multibody.support.progress_bars import compile_seconds


class Prepared:
    """Equations with inputs and events; what is compiled for one run serves all others, also at the same time.

    Args:
        eom: equations of motion.
        inputs: what inputs do, by name.
        events: ``Event`` and ``Impact`` objects.
        held: values by name with which inputs go on that are not given as numbers.

    Attributes:
        eom: the equations of the runs, with an input for each contact that may rest.
        inputs: what inputs do, sorted by kind.
        signals: the events.
        settings: equations, inputs and events as they were given.
    """

    def __init__(
        self, eom: EquationsOfMotion, inputs: Mapping[str, Any] | None = None, events: Sequence[Event | Impact] = (),
        held: Mapping[str, float] | None = None,
    ) -> None:  # fmt: skip
        self._given, given = eom, read_inputs(eom, inputs)
        self._asked, self._before = dict(inputs or {}), dict(held or {})
        self.settings = RunSettings.of(eom, {**_numbers(eom, held or {}), **(inputs or {})}, events)
        self.eom, happenings = with_contacts(eom, events)
        self.eom, happenings = with_continuous_angles(self.eom, happenings, given.expressions)
        names = [quantity.name for quantity in self.eom.inputs]
        self.inputs = _held(_extended(given, len(names)), names, held or {}, inputs or {})
        self.signals = Signals(self.eom, happenings, self.inputs.expressions, [names[k] for k in self.inputs.laws])
        self._finished: list[Problem] = []

    def start(
        self, q: Any, u: Any, fixed: Sequence[str], parameters: Mapping[str, float] | None, t: float
    ) -> State:  # fmt: skip
        """Coordinates and speeds that keep all constraints; see ``EquationsOfMotion.consistent``."""
        inputs = known_inputs(self._given, self.inputs, parameters, t)
        return self._given.consistent(q, u, fixed, parameters=parameters, inputs=inputs, t=t)

    def require_course(self, parameters: Mapping[Symbol, float], times: Vector) -> None:
        """An error if a table is too short for these times, or a prescribed motion jumps or has another rate."""
        if self._has_course:
            require_course(self._given, self.inputs.expressions, self._motions, parameters, times)
            require_rates(self._given, self._asked, self._before, self.inputs.expressions, parameters, times)

    def require_tables(self, times: Vector) -> None:
        """An error if a table of time, in a load or anywhere else, is too short for these times."""
        require_tables_of_time(self.eom, self.functions.table_uses, times)

    def possible_values(self, given: Mapping[str, float] | None) -> dict[Symbol, float]:
        """The number for every parameter, in order; an error if an inertia or an axis is impossible with them."""
        return possible_values(self._given.model, given)

    def all_possible(self, parameters: Vector) -> bool:
        """The same for many runs at once; a row of values for each."""
        symbols = self._given.model.parameter_symbols
        return all_possible(self._given.model, dict(zip(symbols, parameters.T, strict=True)))

    def parameters(self, given: Mapping[str, float] | None) -> Vector:
        """A value for each parameter, in order."""
        return np.array(list(self.eom.model.parameter_values(given).values()), dtype=float)

    def problem(self, p: Vector) -> Problem:
        """The equations as numbers in memory, for one run; a finished one with these parameters serves again."""
        with suppress(IndexError):  # another thread may take it
            problem = self._finished.pop()
            if problem.p.tobytes() == p.tobytes():  # 0.0 and -0.0 are not the same for atan2
                return problem
        return self._problem.with_parameters(list(p))

    def moved(
        self, problem: Problem, times: Vector, y: Vector, integrator: Integrator | None = None,
        progress: Progress | None = None, changes: tuple[StartChange, ...] = (), compiled: float | None = None,
    ) -> Trajectory:  # fmt: skip
        """The trajectory of a problem from a state on; without an integrator, one is chosen.

        ``changes`` are the start values that were changed; ``compiled`` is what ``compile_seconds`` said before the run
        was prepared, if that was earlier.

        Raises:
            Exception: of any kind, from a function that the user gave.
        """
        compiled = compile_seconds() if compiled is None else compiled
        inputs = self._with_references(problem, float(times[0]), y)
        problem.r[:] = inputs.values
        modes = Modes(problem, float(times[0]), float(times[-1]))
        with suppress(StepError):  # the run itself says what is wrong
            modes.begin(float(times[0]), y, anew=True)
        choice = Chosen(integrator) if integrator else chosen(problem, times, y)
        record = Run(self.eom, problem, choice.integrator, inputs, self.signals, modes, progress).through(times, y)
        if isinstance(problem.failure, Exception):
            raise problem.failure
        if record.status is not Status.INTERRUPTED and problem.renew():  # anything may be half done
            self._finished[:] = [problem]
        return self.trajectory(problem.p, record, choice, float(times[-1]), changes, compile_seconds() - compiled)

    def _with_references(self, problem: Problem, t: float, y: Vector) -> Inputs:
        """The inputs with angles of dependent joints as their own references, but for those that go on."""
        references = {k: event.reference for k, event in enumerate(self.signals.events) if isinstance(event, Quadrant)}
        if not references:
            return self.inputs
        values, names = self.inputs.values.copy(), [quantity.name for quantity in self.eom.inputs]
        q, u = y[: problem.n], y[problem.n : problem.n + problem.m]
        for k, reference in references.items():
            place = names.index(reference)
            if place not in self.inputs.held:
                values[place] = self.signals.after(k, t, q, u, values, problem.p)[reference]
        return replace(self.inputs, values=values)

    def trajectory(
        self, p: Vector, record: Record, choice: Chosen, end: float, changes: tuple[StartChange, ...] = (),
        compilation: float = 0.0,
    ) -> Trajectory:  # fmt: skip
        """The trajectory that was recorded.

        Args:
            p: values of the parameters.
            record: what was computed.
            choice: the integrator.
            end: the time that the run was to reach.
            changes: start values that were changed.
            compilation: seconds of compilation before and during the run.
        """
        t, y, r = (np.concatenate(column) for column in zip(*record.parts, strict=True))
        if self.inputs.expressions:
            places = [self.eom.inputs.index(expression) for expression in self.inputs.expressions]
            n, m = len(self.eom.coordinates), len(self.eom.speeds)
            r[:, places] = np.asarray(self.functions.followed.batch(t, y[:, :n], y[:, n : n + m], r, p)).reshape(
                len(t), -1
            )
        for array in (t, y, r):
            array.flags.writeable = False  # so that the trajectory need not copy it
        totals = {
            name: sum(getattr(segment, name) for segment in record.segments)
            for name in ("steps", "rejected", "evaluations", "jacobians")
        }
        counts = Counts(**totals, seconds=record.seconds, integrator=repr(choice.integrator), choice=choice.why,
                        compilation=compilation)  # fmt: skip
        listed = [
            occurrence
            for occurrence in record.occurrences
            if not isinstance(self.signals.events[occurrence.event], ForceSign)
        ]
        happened = [EventRecord(self.signals.names[item.event], item.t, item.y) for item in listed]
        explanation = explained(self.eom, record, p, end)
        message = "" if explanation is None else str(explanation)
        settings = replace(self.settings, integrator=None if choice.why else choice.integrator)
        run = Trajectory(
            self.eom, t, y, r, p, record.status, counts, happened, message, explanation, settings, changes,
            record.checks, record.checks.saturations, record.checks.table_exits,
        )  # fmt: skip
        return with_energy_checked(with_tables_checked(checked(run)))

    @property
    def functions(self) -> RunFunctions:
        """What is compiled."""
        return self._problem.functions

    @cached_property
    def _has_course(self) -> bool:
        """Whether joints, inputs, constraints or loops follow anything over time."""
        model = self._given.model
        prescribed = any(link.joint.prescribed is not None for link in model.links)
        closed = bool(len(self._given.constraints)) or model.unreduced is not None
        return prescribed or closed or bool(self.inputs.expressions)

    @cached_property
    def _motions(self) -> tuple[PrescribedMotion, ...]:
        """Functions of time and parameters alone, which must not jump in any run."""
        return tuple(motions(self._given, self.inputs.expressions))

    @cached_property
    def _problem(self) -> Problem:
        """The one whose compiled functions all others share; its numbers are never used."""
        laws = [self.eom.inputs[place] for place in self.inputs.laws]
        touches = [event for event in self.signals.events if isinstance(event, Touch)]
        functions = functions_of(self.eom, self.signals.expressions, self.inputs.expressions, laws, touches)
        return Problem(self.eom, [0.0] * len(self.eom.parameters), functions=functions)


def prepared(
    eom: EquationsOfMotion, inputs: Mapping[str, Any] | None = None, events: Sequence[Event | Impact] = (),
    held: Mapping[str, float] | None = None,
) -> Prepared:  # fmt: skip
    """Equations made ready for runs; without inputs and events, those of an earlier run."""
    if inputs or events or held:
        return Prepared(eom, inputs, events, held)
    return eom.once("runs without inputs and events", lambda: Prepared(eom))


def first_state(state: State) -> Vector:
    """y = (q, u, works) at the start of a run."""
    return np.concatenate([state.q, state.u, np.zeros(len(WORKS))])


class Chosen(NamedTuple):
    """An integrator, and why it was chosen; nothing if the user did."""

    integrator: Integrator
    why: str = ""


def chosen(problem: Problem, times: Vector, y: Vector) -> Chosen:
    """The integrator that is expected to take the least time."""
    found = stiffness(problem, float(times[0]), y, float(times[-1] - times[0]), has_bdf=has_sundials())
    integrators: dict[IntegratorKind, type[Integrator]] = {
        IntegratorKind.EXPLICIT: DormandPrince8, IntegratorKind.ROSENBROCK: Rodas5P, IntegratorKind.BDF: Cvode,
    }  # fmt: skip
    return Chosen(integrators[IntegratorKind(int(found.kind))](), str(found))


@cache
def has_sundials() -> bool:
    """Whether the solvers for large stiff systems are installed."""
    return find_spec("sksundae") is not None


def _numbers(eom: EquationsOfMotion, held: Mapping[str, float]) -> dict[str, float]:
    """Values that are held, for inputs of the user's own; what is held has no rate."""
    names = {quantity.name for quantity in eom.inputs}
    return {name: value for name, value in held.items() if name in names - set(map(rate_name, names))}


def _held(inputs: Inputs, names: list[str], held: Mapping[str, float], given: Mapping[str, Any]) -> Inputs:
    """Inputs that go on with their values, but for those that are given as numbers; what is held has no rate."""
    rates = {rate_name(name) for name in names}
    goes_on = [name in held and name not in rates and not is_number(given.get(name)) for name in names]
    places = [k for k, wanted in enumerate(goes_on) if wanted]
    values = inputs.asked.copy()
    values[places] = [held[names[k]] for k in places]
    return replace(inputs.with_numbers(values), held=frozenset(places))


def _extended(inputs: Inputs, count: int) -> Inputs:
    """Inputs with those of resting contacts, which begin with zero."""
    return inputs.with_numbers(np.concatenate([inputs.asked, np.zeros(count - len(inputs.asked))]))
