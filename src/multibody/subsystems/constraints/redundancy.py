"""Redundant invariants and independent variables, decided by exact rank."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from multibody.errors import ModelError, MultibodyError
from multibody.graph import Constant, Symbol, evaluate, free_symbols, jacobian
from multibody.graph.identity import independent_rows
from multibody.graph.linear_algebra import Matrix
from multibody.graph.traverse import topological
from multibody.mechanics.constraints.equations import unit_length_gaps
from multibody.mechanics.constraints.rank import pivoted_columns
from multibody.subsystems.constraints.closed_state import Numbers, new_where_closed
from multibody.subsystems.constraints.contradiction import require_agreement
from multibody.subsystems.constraints.invariant import Invariant
from multibody.subsystems.tolerances import ROUNDED_ROW


def essential_rows(
    A: Matrix, invariants: Sequence[Invariant], below: Sequence[Invariant], rates: Sequence[Symbol], values: Numbers
) -> list[int]:
    """The rows of A that do not follow from others; of equal ones those that also restrict positions.

    Args:
        A: of this level's invariants, for all that the parts leave open.
        invariants: of this level.
        below: those of the parts.
        rates: of all variables of the highest order.
        values: at the start, as far as they are known.

    Raises:
        ModelError: if a row that follows from others demands something else; it names all of them.
    """
    order = sorted(range(len(A)), key=lambda row: -len(invariants[row].levels))
    kept = sorted(order[k] for k in independent_rows([[entry.fp for entry in A[row]] for row in order]))
    for row in range(len(A)):
        if row not in kept:
            require_agreement(invariants[row], [*below, *(invariants[k] for k in kept)], rates, values)
    _require_clear(A[kept], [invariants[k] for k in kept])
    return kept


def rows_where_closed(
    A: Matrix, kept: Sequence[int], invariants: Sequence[Invariant], below: Sequence[Invariant],
    quaternions: Sequence[Sequence[Symbol]], start: Numbers,
) -> list[int]:  # fmt: skip
    """The rows of A that do not follow from others where all positions are kept, decided by numbers: kept ones first.

    Args:
        A: of this level's invariants, for all that the parts leave open.
        kept: rows that do not follow from others in general.
        invariants: of this level.
        below: those of the parts.
        quaternions: coordinates of unit length.
        start: values at the start, as far as they are known.
    """
    order = sorted(range(len(A)), key=lambda row: (row not in kept, -len(invariants[row].levels)))
    closing = [position for invariant in (*below, *invariants) for position in invariant.positions]
    closing += unit_length_gaps(quaternions)
    return sorted(order[k] for k in new_where_closed(A[order], len(kept), closing, start))


def _require_clear(A: Matrix, invariants: Sequence[Invariant]) -> None:
    """An error for rows that are independent only because numbers in them are rounded."""
    nodes = topological(list(A.flat)) if len(A) > 1 else []
    if not any(isinstance(node, Constant) and isinstance(node.value, float) for node in nodes):
        return
    sizes = _distances(A)
    if sizes is not None and sizes.min() < ROUNDED_ROW:
        one = invariants[int(sizes.argmin())]
        raise ModelError(
            f"The constraint '{one.name}' follows from others, but for the rounding of numbers.",
            where=f"subsystem '{one.owner}'",
            cause="Whether a constraint says something new is decided exactly, and floats are taken as they are.",
            remedy="Remove it; or write its numbers as parameters, or as fractions such as '1/10'.",
            code="constraint-redundant-by-rounding",
            name=one.name,
        )


def _distances(A: Matrix) -> Any:
    """How far each row is from all before it, in relation to its size, where symbols have random values."""
    rng = np.random.default_rng(0)
    known: dict[Any, Any] = {symbol: float(rng.uniform(0.5, 1.5)) for symbol in free_symbols(A)}
    try:
        numbers = np.array(evaluate(list(A.flat), known), dtype=float).reshape(A.shape)
    except MultibodyError:
        return None
    rows = numbers / np.linalg.norm(numbers, axis=1, keepdims=True)
    return np.abs(np.diag(np.linalg.qr(rows.T, mode="r")))


def independent_columns(
    A: Matrix, names: Sequence[str], wanted: Sequence[str] | None, label: str, start: Mapping[Any, float] | None
) -> list[int]:
    """The columns of A that stay independent: those that are wanted, or well chosen ones.

    Raises:
        ModelError: if the wanted ones are too many, too few, or do not determine the others.
    """
    if wanted is None:
        return _chosen(A, start)
    free = [names.index(name) for name in wanted]
    bound = [j for j in range(len(names)) if j not in free]
    if len(free) != len(names) - len(A):
        raise ModelError(
            f"{len(free)} independent variables are named, but {len(names) - len(A)} are needed.",
            where=f"subsystem '{label}'",
            cause=f"{len(names)} variables ({', '.join(names)}) are restricted by {len(A)} independent constraints.",
            remedy=f"Named were: {', '.join(wanted) or 'none'}. Name {len(names) - len(A)} of them, or none at all.",
            code="number-of-independent-variables-wrong",
            names=tuple(wanted),
        )
    if len(independent_rows([[entry.fp for entry in A[:, j]] for j in bound])) < len(bound):
        raise dependent_names(A, names, free, label)
    return free


def dependent_names(A: Matrix, names: Sequence[str], free: Sequence[int], label: str) -> ModelError:
    """The error for variables that cannot be independent of each other, with those that cannot."""
    guilty = []
    for j in free:  # if fixing all others of them fixes this one too, it is not free
        rest = [k for k in range(len(names)) if k not in free or k == j]
        without = [k for k in rest if k != j]
        if len(independent_rows([[e.fp for e in A[:, k]] for k in rest])) > len(
            independent_rows([[e.fp for e in A[:, k]] for k in without])
        ):
            guilty.append(names[j])
    return ModelError(
        f"The variables {', '.join(names[j] for j in free)} are not independent of each other.",
        where=f"subsystem '{label}'",
        cause="The constraints "
        + (f"relate {', '.join(guilty)} to each other" if len(guilty) > 1 else f"alone determine {''.join(guilty)}")
        + ", and leave variables open that are not named.",
        remedy="Name others, or none at all to have them chosen.",
        code="independent-variables-dependent",
        names=tuple(names[j] for j in free),
    )


def require_independent(
    label: str, chosen: Sequence[Symbol], coordinates: Iterable[Symbol], invariants: Sequence[Invariant]
) -> None:
    """An error for independent coordinates that the invariants already relate to each other.

    Args:
        label: of the subsystem.
        chosen: the coordinates that the user named.
        coordinates: all of them.
        invariants: of all levels.
    """
    positions = [position for invariant in invariants for position in invariant.positions]
    if not chosen or not positions:
        return
    J = jacobian(positions, [*(coordinate for coordinate in coordinates if coordinate not in chosen), *chosen])
    columns = [[entry.fp for entry in column] for column in J.T]
    related = [k - (len(columns) - len(chosen)) for k in independent_rows(columns)]
    guilty = [chosen[k].name for k in related if k >= 0]
    if guilty:
        raise ModelError(
            f"The coordinates {', '.join(symbol.name for symbol in chosen)} are not independent of each other.",
            where=f"subsystem '{label}'",
            cause=f"The constraints give {', '.join(guilty)} as soon as the others named are given.",
            remedy="Name others, or fewer.",
            code="independent-variables-dependent",
            names=tuple(symbol.name for symbol in chosen),
        )


def _chosen(A: Matrix, start: Mapping[Any, float] | None) -> list[int]:
    """Independent columns: the others are determined by constant pivots where possible, and well at the start."""
    columns = range(A.shape[1])

    def burden(j: int) -> tuple[bool, int, int]:
        entries = [entry for entry in A[:, j] if entry.fp != 0]
        return not any(entry.op == "const" for entry in entries), len(entries), j

    by_burden = sorted(columns, key=burden)
    basis = independent_rows([[entry.fp for entry in A[:, j]] for j in by_burden])
    bound = [by_burden[k] for k in basis]
    better = _pivoted(A, start, bound)
    return [j for j in columns if j not in set(better or bound)]


def _pivoted(A: Matrix, start: Mapping[Any, float] | None, bound: list[int]) -> list[int] | None:
    """Dependent columns by the largest pivots at the start, if the others are nearly singular there."""
    if start is None or not len(A):
        return None
    try:
        numbers = np.array(evaluate(list(A.flat), dict(start)), dtype=float).reshape(A.shape)
    except MultibodyError:
        return None
    values = np.linalg.svd(numbers[:, bound], compute_uv=False)
    if values[-1] > 1e-3 * values[0]:
        return None
    _, other = pivoted_columns(numbers)
    exact = len(independent_rows([[entry.fp for entry in A[:, j]] for j in other])) == len(A)
    found = np.linalg.svd(numbers[:, other], compute_uv=False)
    return other if exact and found[-1] > values[-1] else None
