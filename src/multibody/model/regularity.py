"""Which constraint equations and which speeds are independent, decided by numbers in closed configurations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from multibody.errors import AssemblyError, ExpressionError, MissingValueError
from multibody.graph import Symbol, free_symbols
from multibody.graph.signs import random_values
from multibody.model.assembly import Assembly, Vector
from multibody.model.constraint_equations import Constraints
from multibody.model.start_state import guessed, placed, start_guess

RANK = 1e-6  # relative size of a row that counts as dependent
ROUNDED = 1e-12  # size of a row that is rounding, in metres and radians, or relative to the largest
SINGULAR = 1e-7  # smallest singular value of the independent constraint equations, relative to the largest
NO_INERTIA = 1e-6  # smallest eigenvalue of a mass matrix whose diagonal is scaled to one
RANDOM_TRIES = 12  # sets of random values for parameters without values
RANDOM_STEP = 0.1  # by which each of them starts farther away from the start values
NO_NUMBERS = (MissingValueError, AssemblyError, ExpressionError)
"""Why there may be nothing to decide by: no parameters, no closed configuration, or a singular start."""


def at_start(constraints: Constraints) -> tuple[Assembly, Vector, Vector]:
    """The constraints as numbers, the closed configuration from which runs start, and B there.

    Parameters without values get random ones, for which the loops can be closed. Newton's method may end in a singular
    configuration then, such as a parallelogram that is folded flat: of several, the one with the largest rank counts.

    Raises:
        MissingValueError: if parameters have no values, and no random ones were found with which loops can be closed.
        AssemblyError: if the loops cannot be closed.
        ExpressionError: if the constraints have no value at the start.
    """
    rng = np.random.default_rng(1)
    missing = _missing(constraints)
    if not set(missing) & set(free_symbols([*constraints.gaps, *constraints.B.flat, *constraints.beta])):
        return _closed_at_start(constraints, _random(constraints, missing, rng))
    best, found, count = -1, None, len(constraints.model.coordinates)
    for k in range(RANDOM_TRIES):
        try:
            away = RANDOM_STEP * (k + 1) * rng.normal(size=count)
            held = [int(rng.integers(count))] if k % 2 and count else []  # so that it does not return to the start
            closed = _closed_at_start(constraints, _random(constraints, missing, rng), away, held)
        except NO_NUMBERS:
            continue
        rank = len(basis(closed[2][list(constraints.moving)]))
        if rank > best:
            best, found = rank, closed
        if rank == len(constraints.generic):
            break
    if found is not None:
        return found
    raise MissingValueError(
        f"The parameters {', '.join(one.name for one in missing)} have no values, and the loops could not be closed "
        "with random ones.",
        where=f"system '{constraints.model.name}'",
        remedy="Give default values to them.",
    )


def _missing(constraints: Constraints) -> list[Symbol]:
    """The parameters that have no values."""
    given = [pair for one in constraints.model.parameters for pair in one.default.items()]
    return [one for one, value in given if value is None]


def _random(constraints: Constraints, missing: Iterable[Symbol], rng: np.random.Generator) -> dict[str, float]:
    """Random values of parameters by name."""
    return {one.name: value for one, value in random_values(missing, constraints.model.signs, rng).items()}


def _closed_at_start(
    constraints: Constraints, parameters: Mapping[str, float], away: Vector | float = 0.0, held: Iterable[int] = ()
) -> tuple[Assembly, Vector, Vector]:
    """As ``at_start``, for certain parameters, and from a guess some way away from the start values."""
    assembly = Assembly(constraints, parameters)
    q = placed(assembly, start_guess(constraints.model) + away, 1e-10, held)
    return assembly, q, assembly.velocity(q)[0]


def silent_rows(constraints: Constraints) -> frozenset[int]:
    """Rows of B between frames that are rounding at the start and elsewhere; see ``Constraints.silent``."""
    held = [k for k, one in enumerate(constraints.equations) if one.wrench is not None and constraints.beta[k].fp == 0]
    silent = {k for k in held if any(entry.fp != 0 for entry in constraints.B[k])}
    rng = np.random.default_rng(1)
    try:
        assembly = Assembly(constraints, _random(constraints, _missing(constraints), rng))
        start = start_guess(constraints.model)
        for size in (0.0, 0.3, 0.3):
            B = assembly.velocity(start + size * rng.normal(size=len(start)))[0] if silent else np.zeros((0, 0))
            sizes = np.linalg.norm(B, axis=1)
            silent = {k for k in silent if sizes[k] < ROUNDED * max(1.0, sizes.max())}
    except NO_NUMBERS:
        return frozenset()
    return frozenset(silent)


def regular_rows(constraints: Constraints) -> tuple[int, ...]:
    """Rows of B that are independent in closed configurations near the start; see ``Constraints.independent``."""
    generic = constraints.generic
    rows = list(constraints.moving)
    try:
        assembly, start, B = at_start(constraints)
    except NO_NUMBERS:
        return generic
    matrices = [B[rows]]
    chosen = [basis(matrices[0])]
    rng = np.random.default_rng(1)
    for k in range(6):  # the start itself may be singular
        moved = None
        if len(chosen[-1]) < len(generic):
            near = start + 0.03 * rng.normal(size=len(start))
            held = [int(rng.integers(len(start)))] if k > 2 else []  # so that it does not return to the start
            moved = assembly.closed(near, held, 1e-10)
        if moved is not None:
            matrices.append(assembly.velocity(moved)[0][rows])
            chosen.append(basis(matrices[-1]))
    best = max(chosen, key=len)
    undecided = len(best) < len(generic) and all(map(_degenerate, matrices))
    return generic if undecided else tuple(rows[k] for k in best)


def _degenerate(matrix: Vector) -> bool:
    """Whether an equation has lost its meaning, because it hardly depends on any speed."""
    sizes = np.linalg.norm(matrix, axis=1)
    return bool(len(sizes) and sizes.min() < RANK * sizes.max())


def basis(matrix: Vector) -> list[int]:
    """The first rows that form a basis, by orthogonalization; what is left of a row must be more than rounding."""
    units = np.zeros_like(matrix)
    chosen: list[int] = []
    scale = float(np.linalg.norm(matrix, axis=1).max(initial=0.0))
    for k, row in enumerate(matrix):
        rest, known = row.copy(), units[: len(chosen)]
        for _ in range(2):  # twice is enough
            rest = rest - known.T @ (known @ rest)
        length = float(np.linalg.norm(rest))
        if length > RANK * max(scale, float(np.linalg.norm(row))):
            units[len(chosen)] = rest / length
            chosen.append(k)
    return chosen


def is_singular(B: Vector) -> bool:
    """Whether equations that are independent elsewhere are not, or hardly, independent here."""
    values = np.linalg.svd(B, compute_uv=False)
    return len(basis(B)) < len(B) or bool(len(values) and values[-1] < SINGULAR * values[0])


def without_inertia(M: Vector) -> list[int]:
    """The speeds of a motion for which a mass matrix, with all entries scaled to 1 on its diagonal, is singular."""
    sizes = np.sqrt(np.maximum(np.diagonal(M), 0.0))
    if not len(M) or not np.isfinite(M).all():
        return []
    if not (sizes > 0).all():
        return [k for k, size in enumerate(sizes) if not size]
    values, motions = np.linalg.eigh(M / np.outer(sizes, sizes))
    return [] if values[0] > NO_INERTIA else [k for k, part in enumerate(motions[:, 0]) if abs(part) > 0.1]


def pivoted_columns(B: Vector) -> tuple[list[int], list[int]]:
    """Independent and dependent columns of a constraint matrix: the dependent ones are the best basis of B.

    A QR factorization with column pivoting takes the largest remaining column first (Wehage and Haug 1982 use the same
    idea with LU).
    """
    from scipy.linalg import qr  # late, because importing it takes long

    if not len(B):
        return list(range(B.shape[1])), []
    order = qr(B, mode="r", pivoting=True)[1]
    bound = sorted(int(k) for k in order[: len(B)])
    return [k for k in range(B.shape[1]) if k not in bound], bound


def well_chosen(constraints: Constraints) -> list[int] | None:
    """Speeds that are good independent ones at the start; None if there are no numbers to decide by."""
    try:
        B = at_start(constraints)[2]
    except NO_NUMBERS:
        return None
    return pivoted_columns(B[list(constraints.independent)])[0]


def margin(
    constraints: Constraints, independent: Sequence[int], q: Any, parameters: Mapping[str, float] | None, t: float
) -> float:
    """The smallest relative singular value of the constraint equations; see ``EquationsOfMotion.margin``."""
    where, _ = guessed(constraints.model, constraints.model.coordinates, q)
    B = Assembly(constraints, parameters, None, t).velocity(where)[0][list(constraints.independent)]
    bound = [k for k in range(B.shape[1]) if not independent or k not in independent]
    values = np.linalg.svd(B[:, bound], compute_uv=False)
    return float(values[-1] / values[0]) if len(values) else 1.0
