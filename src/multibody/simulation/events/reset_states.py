"""States after the resets of events: what a reset sets is kept, and what the constraints bind follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from multibody.errors import AssemblyError, StepError
from multibody.simulation.contract import Status, Vector
from multibody.simulation.problem.problem import Problem
from multibody.simulation.tolerances import KEPT_RESET


def closed_state(problem: Problem, t: float, y: Vector, kept: Iterable[str], inputs: Vector, gap: float) -> Vector:
    """The state after resets with all constraints kept: the values that were set stay, others change.

    Args:
        problem: what moves.
        t: the time.
        y: the state as resets have left it.
        kept: names of the coordinates and speeds that were set.
        inputs: the values of all inputs.
        gap: of constraints that are kept, in m or rad.

    Raises:
        StepError: if the constraints cannot be kept with these values.
    """
    eom, n, m = problem.eom, problem.n, problem.m
    names = [symbol.name for symbol in (*eom.coordinates, *eom.speeds)]
    turned = {int(k) for places in eom.model.quaternions for k in places}  # these are made unit quaternions
    places = [k for k in map(names.index, kept) if k not in turned]
    projected, gaps = problem.project(t, y, gap)
    if not places or (gaps.max() <= gap and _same(projected, y, places, n)):
        return projected
    said = f"the reset of {', '.join(repr(names[k]) for k in places)} contradicts the constraints"
    try:
        state = eom.consistent(
            list(y[:n]), list(y[n : n + m]), [names[k] for k in places], t=t,
            parameters=dict(zip((parameter.name for parameter in eom.parameters), map(float, problem.p), strict=True)),
            inputs=dict(zip((quantity.name for quantity in eom.inputs), map(float, inputs), strict=True)),
        )  # fmt: skip
    except AssemblyError as error:
        raise StepError(Status.CONSTRAINTS_LOST, said) from error
    closed, gaps = problem.project(t, np.concatenate([state.q, state.u, y[n + m :]]), gap)
    if gaps.max() > gap or not _same(closed, y, places, n):
        raise StepError(Status.CONSTRAINTS_LOST, said)
    return closed


def _same(state: Vector, wanted: Vector, places: Sequence[int], coordinates: int) -> bool:
    """Whether the values at some places are those that were wanted, up to rounding."""
    for own, values in (
        ([k for k in places if k < coordinates], wanted[:coordinates]),
        ([k for k in places if k >= coordinates], wanted[coordinates:]),
    ):
        if own and np.abs(state[own] - wanted[own]).max() > KEPT_RESET * np.abs(values).max():
            return False
    return True
