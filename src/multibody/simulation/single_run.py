"""``simulate``: from equations of motion to a trajectory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ulp
from typing import Any, Literal

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.errors import ModelError
from multibody.graph.number import is_number, is_whole
from multibody.mechanics.assembly.assembly import State
from multibody.model.quantity import finite_value
from multibody.simulation.checks.energy_check import report_drift
from multibody.simulation.checks.run_reports import (
    given_names,
    report_limits,
    report_saturations,
    report_tables,
    warn_of_changes,
)
from multibody.simulation.contract import Vector
from multibody.simulation.events.events import Event
from multibody.simulation.events.impacts import Impact
from multibody.simulation.integrators.integrator import Integrator
from multibody.simulation.preparation import first_state, prepared
from multibody.simulation.problem.argument_checks import check_simulate_arguments
from multibody.simulation.problem.continuation import Start, beginning
from multibody.simulation.progress import time_bar
from multibody.simulation.results.trajectory import Trajectory
from multibody.support.progress_bars import compile_seconds

SAMPLES = 501


def simulate(
    eom: EquationsOfMotion, duration: float | None = None, *, times: Any = None, start: Start | None = None,
    q: Any = None, u: Any = None, fixed: Sequence[str] = (), parameters: Mapping[str, float] | None = None,
    inputs: Mapping[str, Any] | None = None, events: Sequence[Event | Impact] = (),
    integrator: Integrator | None = None, samples: int = SAMPLES, t0: float | None = None,
    progress: Callable[[float], None] | None = None, on_failure: Literal["raise", "return"] = "raise",
) -> Trajectory:  # fmt: skip
    """Move a mechanism through time.

    Args:
        eom: equations of motion.
        duration: in seconds; or give ``times``.
        times: the instants to keep, increasing; the first one is the start.
        start: where to begin: a run, to go on from its end; ``run.at(2.0)``, to go on from there;
            an equilibrium or operating point, with its inputs and parameters; or coordinates and
            speeds that belong together, such as ``eom.consistent(…)``. Of a run, time, works, parameters, and inputs
            that are not given go on; ``run + later`` is the trajectory of both. With other parameters, constraints are
            met anew, as near as possible. By default the start values of the
            model, with loops closed and speeds made consistent.
        q: start values of coordinates, by name or all in order.
        u: start values of speeds.
        fixed: names of coordinates and speeds that must keep their start values.
        parameters: values by name, where they are not the defaults.
        inputs: what inputs do, by name: a number; an expression of time, coordinates, speeds and measured values, or
            its text, ``"10*sin(t)"``; a ``Table`` over time; a function of t, of (t, q, u) or of (t, q, u, sensors); or
            ``Sampled(function, period)``. Those that are not given are zero, or what they were in the run before.
        events: ``Event`` and ``Impact`` objects.
        integrator: such as ``DormandPrince8(rtol=1e-10)`` or ``Rodas5P()``; by default the one that is expected to take
            the least time, by the equations at the start.
        samples: how many instants to keep, evenly spaced, where ``times`` are not given.
        t0: the time at the start; by default that of ``start``, or zero.
        progress: called with the time reached, now and then; by default a bar on a terminal, if it takes longer than a
            second.
        on_failure: what to do if the run ends before its time, and not by a terminal event: "raise" a
            ``SimulationError``, or "return" the trajectory up to there, whose ``status`` and ``message`` say how it
            ended.

    Returns:
        The trajectory.

    Raises:
        SimulationError: if the run ends before its time. ``error.trajectory`` is what was computed. Ctrl-C raises a
            ``SimulationInterrupted``, which is a ``KeyboardInterrupt``, too.

    Example:
        >>> import multibody as mb
        >>> pendulum = mb.System("pendulum", gravity=(0, 0, -9.81))
        >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", 2, (0, 0, -1)), "Ry", q=0.1)
        >>> run = mb.simulate(mb.derive(pendulum), duration=2.0)
        >>> bool(abs(run["angle"][-1] - 0.0999) < 1e-4), run.status.name
        (True, 'DONE')
    """
    check_simulate_arguments("simulate", eom, integrator, parameters=parameters, inputs=inputs)
    if on_failure not in ("raise", "return"):
        raise ModelError(
            f"on_failure is {on_failure!r:.200}.",
            code="option-unknown",
            name="on_failure",
            where="simulate",
            remedy='Give "raise" (the default) or "return".',
        )
    compiled = compile_seconds()
    parameters = eom.model.parameters_by_element(parameters)
    before = beginning(start, eom, given=(q, u, *fixed))
    instants = wanted_times(duration, times, samples, before.time(t0, times))
    ready = prepared(eom, inputs, events, before.inputs)
    known = {**before.parameters, **(parameters or {})}
    values = ready.possible_values(known)
    ready.require_course(values, instants)
    y, changes = before.y, start.changes if isinstance(start, State) else ()
    if start is None:
        state = ready.start(q, u, fixed, known, float(instants[0]))
        y, changes = first_state(state), state.changes
        warn_of_changes(eom, changes, given_names(eom, q, u), parameters)
    elif before.differs(parameters):
        state = ready.start(*before.state(len(eom.coordinates)), (), known, float(instants[0]))
        y, changes = before.met(state), (*changes, *state.changes)
    ready.require_tables(instants)
    problem = ready.problem(np.array([*values.values()]))
    with time_bar(problem.t, instants, progress):
        run = ready.moved(problem, instants, y, integrator, progress, changes, compiled)
    report_limits(run)
    report_saturations(run)
    report_tables(run)
    report_drift(run)
    return run.require_complete() if on_failure == "raise" else run


def wanted_times(duration: Any, times: Any, samples: Any, t0: float = 0.0) -> Vector:
    """The instants to keep, from what the user gave."""
    if (duration is None) == (times is None):
        raise ModelError(
            "Either duration or times are needed.",
            code="duration-missing",
            where="simulate",
            remedy="Write duration=10.0.",
        )
    if times is None:
        positive = is_number(duration) and 0 < duration < np.inf
        if not (positive and is_whole(samples) and samples >= 2):
            raise ModelError(
                f"samples must be a whole number from 2 on, got {samples!r:.80}."
                if positive
                else f"duration must be a positive number of seconds, got {duration!r:.80}.",
                code="duration-not-positive",
                where="simulate",
                remedy="Write simulate(eom, duration=10.0, samples=501), or give the instants: times=[…].",
            )
        begin = finite_value(t0, "t0 of simulate")
        end = begin + float(duration)
        if not end - begin > 2 * (int(samples) - 1) * ulp(max(abs(begin), abs(end))):
            raise ModelError(
                f"{samples} samples in {duration!r} s after t = {begin!r} s are not different numbers.",
                code="times-not-increasing",
                where="simulate",
                cause="Time has 16 digits.",
                remedy="Begin at a smaller t0, or let the run be longer, with fewer samples.",
                duration=float(duration),
                t0=begin,
            )
        return _evenly_spaced(begin, end, int(samples))
    try:
        instants = np.array(times, dtype=float)
    except (TypeError, ValueError):
        instants = np.empty(0)
    if instants.ndim != 1 or len(instants) < 2 or not ((np.diff(instants) > 0).all() and np.isfinite(instants).all()):
        raise ModelError(
            "Times must increase.",
            code="times-not-increasing",
            where="simulate",
            remedy="Give at least two, the start first.",
        )
    return instants


def _evenly_spaced(first: float, last: float, count: int) -> Vector:
    """The numbers of ``numpy.linspace``, which takes as long as some steps of a run."""
    values: Vector = np.arange(count, dtype=np.float64) * ((last - first) / (count - 1)) + first
    values[-1] = last
    return values
