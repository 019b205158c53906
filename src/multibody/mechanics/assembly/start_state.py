"""States to start from: what the user has said of them is kept as far as possible, and the rest follows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from multibody.errors import AssemblyError, ModelError
from multibody.graph import Symbol
from multibody.graph.names import require_known_names
from multibody.mechanics.assembly.assembly import Assembly, State, Vector
from multibody.mechanics.assembly.start_changes import start_changes
from multibody.mechanics.constraints.equations import ConstraintEquations
from multibody.mechanics.tolerances import NO_ROTATION
from multibody.model.freeze.inertia_checks import possible_values
from multibody.model.model import Model
from multibody.model.quantity import finite_value

FEW = 12
"""Guesses around the start values with much of them held, before less is held."""


def consistent(
    constraints: ConstraintEquations, q: Any = None, u: Any = None, fixed: Iterable[str] = (),
    parameters: Mapping[str, float] | None = None, inputs: Mapping[str, float] | None = None, t: float = 0.0,
    tolerance: float = 1e-12,
) -> State:  # fmt: skip
    """A state that keeps all constraints, near the start values; see ``EquationsOfMotion.consistent``."""
    model = constraints.model
    names = [coordinate.name for coordinate in model.coordinates], [speed.name for speed in model.speeds]
    fixed = [fixed] if isinstance(fixed, str) else list(fixed)
    _require_known(model, fixed, [*names[0], *names[1]])
    possible_values(model, parameters)
    assembly = Assembly(constraints, parameters, inputs, t)
    guess, given = guessed(model, model.coordinates, q)
    speeds, driven = guessed(model, model.speeds, u)
    named = _named(model.coordinates, q, given) | _named(model.speeds, u, driven)
    if not constraints.equations and not model.quaternions:
        return _reported(assembly, State(model, guess, speeds), (guess, speeds), named)
    _require_turned(model, guess)
    held, kept = ([k for k, name in enumerate(group) if name in set(fixed)] for group in names)
    u_written = [k for k, name in enumerate(names[1]) if name in model.written]
    found = placed(assembly, guess, tolerance, held, given)
    moving = _first(
        lambda still: assembly.moving(found, speeds, sorted(still), tolerance),
        {*kept, *driven, *u_written}, {*kept, *driven},
    )  # fmt: skip
    if moving is None:
        moving = assembly.moving(found, speeds, kept, tolerance)
    return _reported(assembly, State(model, found, moving), (guess, speeds), named)


def _named(symbols: Sequence[Symbol], values: Any, places: Iterable[int]) -> set[str]:
    """The names of values that were given in the call: some by name, or all as a list."""
    everything = values is not None and not isinstance(values, Mapping)
    return {symbol.name for symbol in symbols} if everything else {symbols[k].name for k in places}


def _reported(assembly: Assembly, state: State, guess: tuple[Vector, Vector], named: set[str]) -> State:
    """The state with the values that the user gave and that it does not have."""
    changes = start_changes(state, guess, named, assembly.known)
    return replace(state, changes=changes) if changes else state


def placed(
    assembly: Assembly, guess: Vector, tolerance: float, held: Iterable[int] = (), given: Iterable[int] = ()
) -> Vector:
    """Coordinates near a guess that keep all constraints: with all that was given and written, or as much as can be.

    Args:
        assembly: the constraints as numbers.
        guess: of all coordinates.
        tolerance: of the gaps, relative to the sizes of the equations.
        held: places of coordinates that must not change.
        given: places of those that should not change, before those for which the system has start values.

    Raises:
        AssemblyError: if none are found.
    """
    written = [
        k for k, coordinate in enumerate(assembly.model.coordinates) if coordinate.name in assembly.model.written
    ]
    found = _first(
        lambda still: assembly.closed(guess, still, tolerance, FEW),
        {*held, *given, *written}, {*held, *given},
    )  # fmt: skip
    return assembly.assembled(guess, held, tolerance) if found is None else found  # what was given is a guess only


def _require_turned(model: Model, q: Vector) -> None:
    """An error for a quaternion that is zero: it has no direction in which it could be made one of length one."""
    for places in model.quaternions:
        if np.linalg.norm(q[places]) < NO_ROTATION:
            names = [coordinate.name for coordinate in model.coordinates]
            raise ModelError(
                f"The quaternion {', '.join(names[k] for k in places)} is zero at the start, which is not a rotation.",
                code="quaternion-zero",
                where=f"system '{model.name}'",
                cause=f"Start values are in another order than {', '.join(names)}, or were forgotten.",
                remedy="Give (1, 0, 0, 0) for no rotation; scalar first, of length one.",
            )


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
    constraints: ConstraintEquations, fixed: Iterable[str], q: Mapping[str, float] | None, tries: int,
    parameters: Mapping[str, float] | None, t: float,
) -> list[Vector]:  # fmt: skip
    """Ways to assemble a mechanism; see ``EquationsOfMotion.assembly_modes``."""
    model = constraints.model
    names = [coordinate.name for coordinate in model.coordinates]
    _require_known(model, fixed, names)
    guess, _ = guessed(model, model.coordinates, q)
    held = [names.index(name) for name in fixed]
    return Assembly(constraints, parameters, None, t).modes(guess, held, tries, 1e-12)


def guessed(model: Model, symbols: Sequence[Symbol], values: Any) -> tuple[Vector, list[int]]:
    """Start values with what was given in their place, and the numbers of what was given."""
    start = np.array([model.start[symbol] for symbol in symbols], dtype=float)
    if values is None:
        return start, []
    names = [symbol.name for symbol in symbols]
    if isinstance(values, Mapping):
        _require_known(model, values, names)
        for name, value in values.items():
            start[names.index(name)] = finite_value(value, f"start of '{name}' in system '{model.name}'")
        return start, [names.index(name) for name in values]
    if np.shape(values) != start.shape or isinstance(values, str):
        raise ModelError(
            f"{len(start)} values are needed, not {values!r:.200}.",
            code="start-value-invalid",
            where=f"system '{model.name}'",
            remedy=f"Give a list in the order {', '.join(names)}; or by name, such as {{'{names[0]}': 0.1}}."
            if names
            else "There is nothing to give.",
        )
    where = f"start of system '{model.name}'"
    return np.array([finite_value(value, f"{where}, {name}") for value, name in zip(values, names, strict=True)]), []


def _require_known(model: Model, names: Iterable[str], known: Sequence[str]) -> None:
    unknown = [name for name in names if name not in known]
    if not unknown:
        return
    cause, remedy = _follows(model, unknown, known)
    if cause:
        raise ModelError(
            f"The value of {', '.join(map(repr, unknown))} follows from others, and cannot be given.",
            code="start-value-dependent",
            where=f"system '{model.name}'",
            cause=cause,
            remedy=remedy,
            names=tuple(unknown),
        )
    where = f"system '{model.name}'"
    require_known_names(unknown, known, _kinds(model, known), code="start-value-unknown", where=where)


def _follows(model: Model, names: Sequence[str], known: Sequence[str]) -> tuple[str, str]:
    """Why these coordinates or speeds are no states, and what to do; nothing if they are not known at all."""
    own = {symbol.name for symbol in (*model.coordinates, *model.speeds)}
    whole = model.unreduced or model
    if any(name in {symbol.name for symbol in (*whole.coordinates, *whole.speeds)} - own for name in names):
        return "The loop that it belongs to is solved in closed form.", (
            f"Give others: {', '.join(known)}; or derive with ``constraints=Multipliers()``, which keeps all."
        )
    driven = {
        symbol.name for joint in model.joints if joint.prescribed for symbol in (*joint.coordinates, *joint.speeds)
    }
    if any(name in driven for name in names):
        return "The motion of its joint is prescribed: it begins where that begins.", (
            f"Change the prescribed motion; there are to give: {', '.join(known) or 'none'}."
        )
    return "", ""


def _kinds(model: Model, known: Sequence[str]) -> str:
    """What the known names stand for."""
    coordinates = all(coordinate.name in known for coordinate in model.coordinates)
    speeds = all(speed.name in known for speed in model.speeds)
    return "coordinate or speed" if coordinates == speeds else "coordinate" if coordinates else "speed"


def start_guess(model: Model) -> Vector:
    """The start values of all coordinates, whether they close the loops or not."""
    return guessed(model, model.coordinates, None)[0]
