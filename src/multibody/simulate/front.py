"""``simulate``: from equations of motion to a trajectory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.errors import ModelError
from multibody.model.assembly import State
from multibody.simulate.contact import Impact, with_contacts
from multibody.simulate.contract import Integrator, Status, Vector
from multibody.simulate.events import Event, Signals
from multibody.simulate.inputs import Inputs, read_inputs
from multibody.simulate.problem import WORKS, Problem
from multibody.simulate.run import Record, Run
from multibody.simulate.runge_kutta import DormandPrince8
from multibody.simulate.statistics import Counts
from multibody.simulate.stiffness import stiffness
from multibody.simulate.sundials import Cvode
from multibody.simulate.trajectory import EventRecord, Trajectory

SAMPLES = 501

_REASONS: dict[Status, tuple[str, str]] = {
    Status.STEP_TOO_SMALL: (
        "The equations are stiff there, or a singular configuration or an endless series of events was met.",
        "Try Cvode(), or look at eom.margin(q) and at the loads in this state.",
    ),
    Status.NOT_FINITE: (
        "A singular configuration, an argument outside a function's domain, or a loop that cannot close any further.",
        "Look at this state; use Multipliers() instead of independent speeds or explicit loops, or limit the motion.",
    ),
    Status.TOO_MANY_STEPS: (
        "The equations are stiff, or events pile up.",
        "Try Cvode(), a larger max_steps, or an impact with rest > 0.",
    ),
    Status.CONSTRAINTS_LOST: (
        "The mechanism is in, or next to, a singular configuration.",
        "Look at eom.margin(q) there; change the start a little, or use a smaller max_step.",
    ),
    Status.SOLVER_FAILED: ("The solver says why.", "Try another integrator, or other tolerances."),
    Status.INTERRUPTED: ("You stopped it.", "What was computed is kept; run on from its last state."),
}


def simulate(
    eom: EquationsOfMotion, duration: float | None = None, *, times: Any = None, start: State | None = None,
    q: Any = None, u: Any = None, fixed: Sequence[str] = (), parameters: Mapping[str, float] | None = None,
    inputs: Mapping[str, Any] | None = None, events: Sequence[Event | Impact] = (),
    integrator: Integrator | None = None, samples: int = SAMPLES, t0: float = 0.0,
    progress: Callable[[float], None] | None = None,
) -> Trajectory:  # fmt: skip
    """Move a mechanism through time.

    Args:
        eom: equations of motion.
        duration: in seconds; or give ``times``.
        times: the instants to keep, increasing; the first one is the start.
        start: coordinates and speeds to start from, such as ``trajectory.at(2.0)``; by default the start values of the
            model, with loops closed and speeds made consistent.
        q: start values of coordinates, by name or all in order.
        u: start values of speeds.
        fixed: names of coordinates and speeds that must keep their start values.
        parameters: values by name, where they are not the defaults.
        inputs: what inputs do, by name: a number; an expression of time, coordinates, speeds and measured values; a
            ``Table`` over time; a function of t, of (t, q, u) or of (t, q, u, sensors); or
            ``Sampled(function, period)``. Those that are not given are zero.
        events: ``Event`` and ``Impact`` objects.
        integrator: such as ``DormandPrince8(rtol=1e-10)`` or ``Cvode()``; by default one is chosen by the stiffness of
            the equations at the start.
        samples: how many instants to keep, evenly spaced, where ``times`` are not given.
        t0: the time at the start.
        progress: called with the time reached, about twice a second.

    Returns:
        The trajectory, also if the run failed: then its ``status`` and ``message`` say when and why.

    Example:
        >>> import multibody as mb
        >>> pendulum = mb.System("pendulum", gravity=(0, 0, -9.81))
        >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", 2, (0, 0, -1)), "Ry", q=0.1)
        >>> run = mb.simulate(mb.derive(pendulum), duration=2.0)
        >>> bool(abs(run["angle"][-1] - 0.0999) < 1e-4), run.status.name
        (True, 'DONE')
    """
    instants = _times(duration, times, samples, t0)
    follow = read_inputs(eom, inputs)
    state = start or eom.consistent(q, u, fixed, parameters=parameters, inputs=_numbers(eom, follow), t=instants[0])
    moving, happenings = with_contacts(eom, events)
    follow = _extended(follow, len(moving.inputs))
    signals = Signals(moving, happenings, follow.expressions)
    p = np.array(list(moving.model.parameter_values(parameters).values()), dtype=float)
    problem = Problem(moving, list(p), signals.expressions, follow.expressions)
    y0 = np.concatenate([state.q, state.u, np.zeros(len(WORKS))])
    chosen = integrator or _chosen(problem, float(instants[0]), y0, float(instants[-1] - instants[0]))
    record = Run(moving, problem, chosen, follow, signals, progress).through(instants, y0)
    if isinstance(problem.failure, Exception):
        raise problem.failure
    return _trajectory(moving, p, record, follow, signals, chosen)


def _times(duration: float | None, times: Any, samples: int, t0: float) -> Vector:
    if (duration is None) == (times is None):
        raise ModelError("Either duration or times are needed.", where="simulate", remedy="Write duration=10.0.")
    if times is None:
        if not duration or duration <= 0 or samples < 2:
            raise ModelError(
                f"A run of {duration} s with {samples} samples goes nowhere.",
                where="simulate",
                remedy="Give a positive duration and at least 2 samples.",
            )
        return np.linspace(t0, t0 + duration, samples)
    instants = np.array(times, dtype=float)
    if instants.ndim != 1 or len(instants) < 2 or not (np.diff(instants) > 0).all():
        raise ModelError("Times must increase.", where="simulate", remedy="Give at least two, the start first.")
    return instants


def _numbers(eom: EquationsOfMotion, inputs: Inputs) -> dict[str, float]:
    return dict(zip([one.name for one in eom.inputs], map(float, inputs.values), strict=True))


def _extended(inputs: Inputs, count: int) -> Inputs:
    """Inputs with those of resting contacts, which begin with zero."""
    values = np.concatenate([inputs.values, np.zeros(count - len(inputs.values))])
    return Inputs(values, inputs.expressions, inputs.laws, inputs.sampled)


def _chosen(problem: Problem, t: float, y: Vector, duration: float) -> Integrator:
    """An implicit method for stiff equations, if its library is there; an explicit one otherwise."""
    if find_spec("sksundae") is not None and stiffness(problem, t, y, duration).stiff:
        return Cvode()
    return DormandPrince8()


def _trajectory(
    eom: EquationsOfMotion, p: Vector, record: Record, inputs: Inputs, signals: Signals, integrator: Integrator
) -> Trajectory:
    t, y, r = np.array(record.t), np.array(record.y), np.array(record.r)
    if inputs.expressions:
        symbols = list(inputs.expressions)
        places = [eom.inputs.index(one) for one in symbols]
        function = eom.function("inputs", {"values": [inputs.expressions[one] for one in symbols]})
        n, m = len(eom.coordinates), len(eom.speeds)
        r[:, places] = np.asarray(function.batch(t, y[:, :n], y[:, n : n + m], r, p)).reshape(len(t), -1)
    totals = {
        name: sum(getattr(one, name) for one in record.segments)
        for name in ("steps", "rejected", "evaluations", "jacobians")
    }
    counts = Counts(**totals, seconds=record.seconds, integrator=repr(integrator))
    happened = [EventRecord(signals.names[one.event], one.t, one.y) for one in record.occurrences]
    return Trajectory(eom, t, y, r, p, record.status, counts, happened, _message(eom, record))


def _message(eom: EquationsOfMotion, record: Record) -> str:
    """When, in which state, why, and what to do; empty for a run that came to its end."""
    if record.failed_at is None or record.status not in _REASONS:
        return ""
    t, y = record.failed_at
    cause, remedy = _REASONS[record.status]
    names = [one.name for one in (*eom.coordinates, *eom.speeds)]
    state = ", ".join(f"{name}={value:.6g}" for name, value in zip(names, y, strict=False))
    said = record.segments[-1].message if record.segments else ""
    detail = f" ({said})" if said else ""
    return (
        f"The run ended at t = {t:.9g} s: {record.status.value}{detail}.\n  where: system '{eom.model.name}', {state}\n"
        f"  likely cause: {cause}\n  what to do: {remedy}"
    )
