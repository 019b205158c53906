"""States to start from: what the user has said of them is kept as far as possible, and the rest follows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from multibody.errors import AssemblyError, ModelError
from multibody.graph import Symbol
from multibody.model.assembly import Assembly, State, Vector
from multibody.model.constraint_equations import Constraints
from multibody.model.model import Model

FEW = 12
"""Guesses around the start values with much of them held, before less is held."""


def consistent(
    constraints: Constraints, q: Any = None, u: Any = None, fixed: Iterable[str] = (),
    parameters: Mapping[str, float] | None = None, inputs: Mapping[str, float] | None = None, t: float = 0.0,
    tolerance: float = 1e-12,
) -> State:  # fmt: skip
    """A state that keeps all constraints, near the start values; see ``EquationsOfMotion.consistent``."""
    model = constraints.model
    names = [one.name for one in model.coordinates], [one.name for one in model.speeds]
    _require_known(model, fixed, [*names[0], *names[1]])
    assembly = Assembly(constraints, parameters, inputs, t)
    guess, given = guessed(model, model.coordinates, q)
    speeds, driven = guessed(model, model.speeds, u)
    if not constraints.equations and not model.quaternions:
        return State(model, guess, speeds)
    held, kept = ([k for k, name in enumerate(group) if name in set(fixed)] for group in names)
    q_written, u_written = ([k for k, name in enumerate(group) if name in model.written] for group in names)
    found = _first(
        lambda still: assembly.closed(guess, still, tolerance, FEW),
        {*held, *given, *q_written}, {*held, *given},
    )  # fmt: skip
    if found is None:  # what was given is a guess only
        found = assembly.assembled(guess, held, tolerance)
    moving = _first(
        lambda still: assembly.moving(found, speeds, sorted(still), tolerance),
        {*kept, *driven, *u_written}, {*kept, *driven},
    )  # fmt: skip
    if moving is None:
        moving = assembly.moving(found, speeds, kept, tolerance)
    return State(model, found, moving)


def _first(attempt: Callable[[set[int]], Vector | None], *holding: set[int]) -> Vector | None:
    """What is found with as much as possible held: the first attempt that succeeds."""
    for still in holding:
        try:
            found = attempt(still)
        except AssemblyError:
            continue
        if found is not None:
            return found
    return None


def modes(
    constraints: Constraints, fixed: Iterable[str], q: Mapping[str, float] | None, tries: int,
    parameters: Mapping[str, float] | None, t: float,
) -> list[Vector]:  # fmt: skip
    """Ways to assemble a mechanism; see ``EquationsOfMotion.assembly_modes``."""
    model = constraints.model
    names = [one.name for one in model.coordinates]
    _require_known(model, fixed, names)
    guess, _ = guessed(model, model.coordinates, q)
    held = [names.index(name) for name in fixed]
    return Assembly(constraints, parameters, None, t).modes(guess, held, tries, 1e-12)


def guessed(model: Model, symbols: Sequence[Symbol], values: Any) -> tuple[Vector, list[int]]:
    """Start values with what was given in their place, and the numbers of what was given."""
    start = np.array([model.start[one] for one in symbols], dtype=float)
    if values is None:
        return start, []
    if isinstance(values, Mapping):
        names = [one.name for one in symbols]
        _require_known(model, values, names)
        for name, value in values.items():
            start[names.index(name)] = value
        return start, [names.index(name) for name in values]
    given = np.asarray(values, dtype=float)
    if given.shape != start.shape:
        raise ModelError(
            f"{len(start)} values are needed, not {given.size}.",
            where=f"system '{model.name}'",
            remedy=f"Give them in the order {', '.join(one.name for one in symbols)}, or by name.",
        )
    return given.copy(), []


def _require_known(model: Model, names: Iterable[str], known: Sequence[str]) -> None:
    unknown = [name for name in names if name not in known]
    whole = model.unreduced or model
    dependent = [name for name in unknown if name in {one.name for one in (*whole.coordinates, *whole.speeds)}]
    if dependent:
        raise ModelError(
            f"The value of {', '.join(map(repr, dependent))} follows from others, and cannot be given.",
            where=f"system '{model.name}'",
            cause="The loop that it belongs to is solved in closed form.",
            remedy=f"Give others: {', '.join(known)}; or derive with ``constraints=Multipliers()``, which keeps all.",
        )
    if unknown:
        raise ModelError(
            f"There is no coordinate or speed {', '.join(map(repr, unknown))}.",
            where=f"system '{model.name}'",
            remedy=f"There are: {', '.join(known)}.",
        )


def start_guess(model: Model) -> Vector:
    """The start values of all coordinates, whether they close the loops or not."""
    return guessed(model, model.coordinates, None)[0]
