"""Values of the inputs of a run at any time: what the inputs are there, not a mean of samples on both sides."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

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
    wanted = [(place, one.name) for place, one in enumerate(run.eom.inputs) if one.name in names]
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
