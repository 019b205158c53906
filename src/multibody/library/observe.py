"""Quantities that checks compare: motions, accelerations, linear systems, by the names of the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.linearization import linearize
from multibody.simulation import DormandPrince8, Event, Trajectory, simulate

Values = Mapping[str, float]


def moved(eom: EquationsOfMotion, *times: float, **start: Any) -> Trajectory:
    """A run whose samples are the start and some times; ``start`` is what ``simulate`` takes.

    Raises:
        SimulationError: if the run ends before.
    """
    options = {"integrator": DormandPrince8(rtol=1e-13, atol=1e-14), **start}
    return simulate(eom, times=[0.0, *times], **options)


def passages(eom: EquationsOfMotion, name: str, duration: float, **start: Any) -> np.ndarray:
    """The times at which a coordinate is zero."""
    (coordinate,) = (coordinate for coordinate in eom.coordinates if coordinate.name == name)
    run = moved(eom, duration, events=[Event(coordinate, name="zero")], **start)
    return np.array([occurrence.t for occurrence in run.occurrences])


def at_state(
    eom: EquationsOfMotion, q: Values, u: Values | None = None, inputs: Values | None = None,
    parameters: Values | None = None,
) -> tuple[Any, ...]:  # fmt: skip
    """(t, q, u, r, p) of a state that keeps the constraints, with what is given held."""
    speeds = dict(u or {})
    state = eom.consistent(dict(q), speeds, [*q, *speeds], parameters=parameters)
    given = eom.model.inputs_by_element(inputs)
    r = [given.get(symbol.name, 0.0) for symbol in eom.inputs]
    return 0.0, state.q, state.u, r, list(eom.model.parameter_values(parameters).values())


def accelerations(eom: EquationsOfMotion, state: tuple[Any, ...]) -> dict[str, float]:
    """Rates of all speeds in a state, by the names of the speeds."""
    found = eom.forward_dynamics(*state)
    return {speed.name: float(value) for speed, value in zip(eom.speeds, np.ravel(found), strict=True)}


def poles(eom: EquationsOfMotion, at: Values, *states: str, **options: Any) -> np.ndarray:
    """The poles of small deviations, in the order of their imaginary and then real parts.

    Args:
        eom: equations of motion.
        at: the operating point.
        states: those to look at, where they live for themselves; by default all.
        options: of ``linearize``.
    """
    lin = linearize(eom, dict(at), **options)
    found = (lin.part(*states) if states else lin).poles
    return found[np.lexsort((found.real, found.imag))]


def measured(eom: EquationsOfMotion, state: tuple[Any, ...], name: str) -> np.ndarray:
    """What a sensor shows in a state."""
    found = eom.sensors(*state)
    return np.ravel(getattr(found, name) if len(eom.outputs) > 1 else found)
