"""Constraints of the user's own: velocity, position and force must belong to each other.

A constraint says φ = 0 and B·u + β = 0, apart from each other. Runs and linear models use both, so that a contradiction
gives wrong results without a message. Constraints of this package are proved right by tests; all others are compared:
by fingerprint, or else by numbers where φ = 0, because both need to restrict the same motion there and nowhere else. A
factor in B·u + β is the author's choice of what λ means.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multibody.errors import ModelError, MultibodyError
from multibody.graph import (
    ONE,
    ZERO,
    Expr,
    array,
    as_expr,
    evaluate,
    free_symbols,
    isolated,
    jacobian,
    product,
    time_derivative,
    topological,
)  # fmt: skip
from multibody.mechanics.assembly.newton import damped_newton
from multibody.mechanics.constraints.equations import ConstraintEquations
from multibody.mechanics.tolerances import CLOSED_GAP, DIFFERENT_ROW, UNREACHED_DIRECTION
from multibody.model.constraints import Constraint
from multibody.model.kinematics import Kinematics
from multibody.model.model import Model
from multibody.model.quantity import known_defaults

OWN = "multibody."

PASSED = "constraint velocities"
"""The name of this check."""

STATES, TRIES = 6, 30
SCALES = (0.01, 0.1, 0.5, 2.0)  # distances of guesses from the start

Vector = NDArray[np.float64]


def require_consistent_velocities(model: Model) -> None:
    """An error for the first constraint whose velocity form does not belong to its position form.

    A model that has passed is not looked at again.
    """
    if PASSED in model.remembered:
        return
    for error in inconsistent_velocities(model):
        raise error
    model.remembered[PASSED] = True


def inconsistent_velocities(model: Model) -> Iterator[ModelError]:
    """Errors for constraints that contradict themselves; nothing of it is left among expressions."""
    whole = model.unreduced or model
    names = [name for name, constraint in whole.constraints.items() if not _is_proved(constraint)]
    if not names:
        return
    with isolated(*topological(whole.expressions())):
        kinematics = Kinematics(whole)
        try:
            found = ConstraintEquations.of(kinematics)
        except MultibodyError:  # they cannot be made, which is an error of its own
            return
        for name in names:
            if _contradicts(found, name):
                yield ModelError(
                    f"The velocity form of constraint '{name}' does not belong to its position form.",
                    code="constraint-velocity-inconsistent",
                    where=f"constraint '{name}': {whole.constraints[name]!r}",
                    cause="Where the position is zero, its rate and the velocity restrict different motions.",
                    remedy="Let velocity be the rate of position: time_derivative(position, kinematics.model.flow()).",
                    name=name,
                )
            elif _pushes_elsewhere(found, kinematics, name):
                yield ModelError(
                    f"The wrench of constraint '{name}' does not belong to its velocity form.",
                    code="constraint-wrench-inconsistent",
                    where=f"constraint '{name}': {whole.constraints[name]!r}",
                    cause="The power of the wrench is not the velocity: λ would be one force in the motion "
                    "and another one in the reactions.",
                    remedy="Make the equation by Equation.between, or leave the wrench out.",
                    name=name,
                )


def _is_proved(constraint: Constraint) -> bool:
    """Whether a constraint is one of this package, unchanged."""
    kind, method = type(constraint), getattr(type(constraint).equations, "__module__", "")
    return kind.__module__.startswith(OWN) and method.startswith(OWN) and "equations" not in vars(constraint)


def _contradicts(found: ConstraintEquations, name: str) -> bool:
    """Whether velocity and position of a constraint restrict different motions."""
    rows = [k for k, owner in enumerate(found.owners) if owner == name and found.equations[k].position is not None]
    try:
        positions = [as_expr(found.equations[k].position) for k in rows]
        rates = [as_expr(rate) for rate in time_derivative(positions, found.model.flow())] if rows else []
        if all((rate - found.velocity[k]).fp == 0 for rate, k in zip(rates, rows, strict=True)):
            return False
        return _differ_where_closed(found, name, rates)
    except MultibodyError:
        return False


def _pushes_elsewhere(found: ConstraintEquations, kinematics: Kinematics, name: str) -> bool:
    """Whether the force of an equation has another power than B·u."""
    speeds = list(found.model.speeds)
    try:
        for row, (owner, equation) in enumerate(zip(found.owners, found.equations, strict=True)):
            if owner != name or equation.wrench is None:
                continue
            frame, base, axis = equation.wrench
            power = jacobian([kinematics.velocity(frame, relative_to=base).inner(axis)], speeds)[0]
            gaps = [a - b for a, b in zip(power, found.B[row], strict=True)]
            if any(gap.fp != 0 for gap in gaps) and _act_where_closed(found, gaps, list(found.B[row])):
                return True
    except MultibodyError:
        return False
    return False


def _act_where_closed(found: ConstraintEquations, gaps: Sequence[Expr], row: Sequence[Expr]) -> bool:
    """Whether a difference of rows is more than rounding in a state in which the constraints are kept."""
    for state in _closed_states(found, [*gaps, *row]):
        with np.errstate(all="ignore"):
            different, size = (np.abs(np.array(evaluate(list(part), state), float)).max() for part in (gaps, row))
        if different > DIFFERENT_ROW * max(size, UNREACHED_DIRECTION):
            return True
    return False


def _differ_where_closed(found: ConstraintEquations, name: str, rates: Sequence[Expr]) -> bool:
    """Whether the velocities and these rates span different rows together with all other constraints."""
    model = found.model
    own = [k for k, equation in enumerate(found.equations) if found.owners[k] == name and equation.position is not None]
    others = [k for k in range(len(found)) if k not in own]
    given = _rows(found, [found.velocity[k] for k in own])
    right, beside = _rows(found, rates), _rows(found, [found.velocity[k] for k in others])
    for state in _closed_states(found, [*given, *right, *beside]):
        a, b, c = (_values(part, len(model.speeds) + 1, state) for part in (given, right, beside))
        if _outside(a, np.vstack([b, c])) or _outside(b, np.vstack([a, c])):
            return True
    return False


def _rows(found: ConstraintEquations, velocities: Sequence[Expr]) -> list[Expr]:
    """[B | β] of velocities that are B·u + β, row by row."""
    speeds = list(found.model.speeds)
    B = jacobian(list(velocities), speeds).reshape(len(velocities), len(speeds))
    beta = array(list(velocities)) - product(B, array(speeds)) if len(velocities) else []
    return [entry for row, last in zip(B, beta, strict=True) for entry in (*row, last)]


def _closed_states(found: ConstraintEquations, used: Sequence[Expr]) -> Iterator[dict[Any, float]]:
    """Values of all symbols with which all constraints are kept, around the start; for some expressions."""
    model = found.model
    gaps = [*found.gaps, *(sum((model.coordinates[k] ** 2 for k in group), ZERO) - ONE for group in model.quaternions)]
    rng = np.random.default_rng(0)
    defaults = known_defaults(model.parameters)
    coordinates = list(model.coordinates)
    others = [symbol for symbol in free_symbols([*gaps, *used]) if symbol not in coordinates]
    slopes = jacobian(list(gaps), coordinates).reshape(len(gaps), len(coordinates))
    count = 0
    for attempt in range(TRIES):
        scale = SCALES[attempt % len(SCALES)]
        known: dict[Any, Any] = {
            other: defaults[other] if other in defaults else rng.uniform(0.5, 1.5) if other.kind == "parameter"
            else scale * rng.normal() if other.kind in ("input", "time") else rng.normal()
            for other in others
        }  # fmt: skip
        guess = np.array([model.start[coordinate] for coordinate in coordinates]) + scale * rng.normal(
            size=len(coordinates)
        )

        def values(expressions: Sequence[Expr], q: Vector, known: dict[Any, Any] = known) -> Vector:
            return np.array(evaluate(list(expressions), {**known, **dict(zip(coordinates, q, strict=True))}), float)

        def sloping(q: Vector) -> Vector:
            return values(list(slopes.flat), q).reshape(slopes.shape)

        with np.errstate(all="ignore"):
            q, gap = damped_newton(lambda q: values(gaps, q), sloping, guess, range(len(coordinates)))
        if gap < CLOSED_GAP:
            count += 1
            yield {**known, **dict(zip(coordinates, q, strict=True))}
        if count == STATES:
            return


def _values(rows: Sequence[Expr], width: int, state: dict[Any, float]) -> Vector:
    """Rows of length one; those that vanish are left out."""
    with np.errstate(all="ignore"):
        table = np.array(evaluate(list(rows), state) if rows else [], float).reshape(-1, width)
    sizes = np.linalg.norm(table, axis=1)
    kept = np.isfinite(sizes) & (sizes > UNREACHED_DIRECTION)
    return np.asarray(table[kept] / sizes[kept, None])


def _outside(rows: Vector, span: Vector) -> bool:
    """Whether some row is not a sum of others."""
    _, sizes, directions = np.linalg.svd(span, full_matrices=False)
    basis = directions[sizes > UNREACHED_DIRECTION]
    rest = rows - rows @ basis.T @ basis
    return bool((np.linalg.norm(rest, axis=1) > DIFFERENT_ROW).any())
