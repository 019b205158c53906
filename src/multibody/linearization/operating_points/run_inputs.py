"""Values of the inputs of a run at any time: what the inputs are there, not a mean of samples on both sides."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.equations.compiled import continuous_angle
from multibody.equations.dependent_angles import acting_angles
from multibody.errors import ModelError, MultibodyError
from multibody.graph import evaluate
from multibody.mechanics.assembly.assembly import Vector
from multibody.simulation.problem.inputs import Inputs, arity, called, read_inputs, remembers


def inputs_at(run: Any, names: Collection[str], t: float, q: Vector, u: Vector) -> dict[str, float]:
    """The inputs of a run by name.

    At the time of a sample they are what was recorded; of two samples at a jump, the later one counts. Between samples,
    numbers, expressions and functions are evaluated. A sampled controller holds its value since its last call.

    Args:
        run: a trajectory.
        names: of the inputs that are wanted; a run adds others for contacts.
        t: a time within it.
        q: coordinates then.
        u: speeds then.

    Raises:
        ModelError: for a time between samples, where the run does not know its inputs (it was read from a file, or a
            controller has a memory), unless they are the same all the time.
    """
    wanted = [(place, quantity.name) for place, quantity in enumerate(run.eom.inputs) if quantity.name in names]
    samples = np.flatnonzero(run.t == t)
    if len(samples):
        return {name: float(run.r[samples[-1], place]) for place, name in wanted}
    settings = getattr(run, "settings", None)
    known = None if settings is None or settings.unknown else settings.inputs
    inputs = None if known is None else read_inputs(run.eom, known)
    return {name: _value(run, inputs, place, t, q, u) for place, name in wanted}


def _value(run: Any, inputs: Inputs | None, place: int, t: float, q: Vector, u: Vector) -> float:
    column, symbol = run.r[:, place], run.eom.inputs[place]
    if inputs is not None and place in inputs.sampled:
        return _held(run, place, inputs.sampled[place].period, t)
    if inputs is not None and symbol in inputs.expressions:
        known: dict[Any, Any] = {run.eom.model.time: t}
        known |= dict(zip((*run.eom.coordinates, *run.eom.speeds, *run.eom.parameters), (*q, *u, *run.p), strict=True))
        return float(evaluate(inputs.expressions[symbol], known))
    law = None if inputs is None else inputs.laws.get(place)
    if inputs is not None and law is not None and arity(law) <= 3 and not remembers(law):
        return inputs.saturated(place, called(law, run.eom, place, t, q, u, dict))
    if np.ptp(column) == 0:
        return float(column[0])
    raise _unknown(run, place, t)


def _held(run: Any, place: int, period: float, t: float) -> float:
    """What a sampled controller holds: it is known from a sample since its last call."""
    last = run.t[0] if t < period else period * np.floor(t / period)
    since = np.flatnonzero((run.t >= last) & (run.t <= t))
    if len(since):
        return float(run.r[since[-1], place])
    raise _unknown(run, place, t)


def _unknown(run: Any, place: int, t: float) -> MultibodyError:
    return ModelError(
        f"The value of input '{run.eom.inputs[place].name}' at t = {t:.9g} s is not known.",
        code="input-unknown-between-samples",
        where=run.title,
        cause="The time lies between samples, and the input cannot be evaluated there: the run was read from a file or "
        "joined, or the input is a controller with a memory.",
        remedy="Choose the time of a sample, run.at(run.t[k]); or give the values: at={**values, 'input': number}.",
        name=run.eom.inputs[place].name,
        value=t,
    )


def require_no_turns(eom: EquationsOfMotion, instant: Any) -> None:
    """An error if loads depend on an angle that is not its principal value at an instant of a run.

    Args:
        eom: equations that are to be evaluated there, in which such angles are between -π and π.
        instant: of a run, which measures them from recorded references.
    """
    run = instant.run
    acting, references = acting_angles(eom), run.eom.angles
    row = run.r[max(int(np.searchsorted(run.t, float(instant.t), side="right")) - 1, 0)]
    known: dict[Any, Any] = {run.eom.model.time: instant.t}
    symbols = (*run.eom.coordinates, *run.eom.speeds, *run.eom.inputs, *run.eom.parameters)
    known |= dict(zip(symbols, (*instant.q, *instant.u, *row, *run.p), strict=True))
    turned = {}
    for fp in acting.keys() & references.keys():
        coordinate, angle = acting[fp]
        principal, value = (float(evaluate(value, known)) for value in (angle, continuous_angle(angle, references[fp])))
        if abs(value - principal) > np.pi:
            turned[coordinate] = round((value - principal) / (2 * np.pi))
    if turned:
        names = ", ".join(f"'{name}'" for name in sorted(turned))
        raise ModelError(
            f"Loads depend on the angle of {names}, which has made turns in the run before t = {instant.t:.9g} s.",
            code="angle-turned",
            where=f"operating point of system '{eom.model.name}'",
            cause="The angle follows from others by a closed loop. In a linear system it is between -π and π, where "
            "the loads differ from those of the run.",
            remedy="Derive with constraints=Multipliers(), and cut the loop at a joint without a load.",
            names=tuple(sorted(turned)),
            value=float(instant.t),
        )
