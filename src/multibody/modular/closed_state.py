"""Invariants by numbers: states in which they are kept, and which of them say something new there.

Exact rank holds for almost all values of the variables. A machine may move only because its positions are special: with
three equal cranks side by side, one equation follows from the others where the loops are closed, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from multibody.errors import ExpressionError, MultibodyError
from multibody.graph import Expr, Symbol, evaluate, free_symbols, jacobian
from multibody.graph.linear_algebra import Matrix
from multibody.model.regularity import RANK, basis
from multibody.model.sparse import Sparse

TRIES = 3
ITERATIONS = 60
MET = 1e-10  # residual of equations that are satisfied
ROUNDED = 1e-15  # residual that cannot become smaller

Numbers = Mapping[Any, float]


def new_where_closed(A: Matrix, generic: int, closing: Sequence[Expr], start: Numbers) -> list[int]:
    """The first rows of A that form a basis in closed states near the start.

    Args:
        A: its first rows are independent for almost all values of the variables, and all others follow from them.
        generic: the number of these first rows; they are the answer if there is nothing to decide by.
        closing: what vanishes in closed states: positions of invariants, and what quaternions lack to unit length.
        start: values of variables and parameters, as far as they are known.
    """
    doubtful = _doubtful(A)
    sure = [row for row in range(len(A)) if row not in doubtful]
    needed = generic - len(sure)
    found, tables = doubtful[:needed], []
    if needed and closing and any(one.kind == "coordinate" for one in free_symbols(A[doubtful])):
        for table in _tables(A[doubtful], closing, start):
            tables.append(table)
            if len(basis(table)) == needed:
                break
    if tables and not all(map(_degenerate, tables)):
        found = [doubtful[k] for k in max(map(basis, tables), key=len)]
    return sorted([*sure, *found])


def _doubtful(A: Matrix) -> list[int]:
    """The rows that may follow from others somewhere: not those that alone have a certain rate, with a constant."""
    left = set(range(len(A)))
    filled = [{row for row, entry in enumerate(column) if entry.fp != 0} for column in A.T]
    constant = [{row for row in rows if A[row, j].op == "const"} for j, rows in enumerate(filled)]
    while True:
        alone = [rows & left & fixed for rows, fixed in zip(filled, constant, strict=True) if len(rows & left) == 1]
        if not any(alone):
            return sorted(left)
        left -= set().union(*alone)


def _tables(A: Matrix, closing: Sequence[Expr], start: Numbers) -> Iterator[Any]:
    """A in closed states: in the start if it is one, then in states around it; what is not known is random."""
    rng = np.random.default_rng(1)
    symbols = free_symbols([*A.flat, *closing])
    moving = [one for one in symbols if one.kind not in ("parameter", "time", "input")]
    closed_by = [one for one in free_symbols(list(closing)) if one in moving]
    known = {one: start.get(one, 0.0 if one.kind == "input" else rng.uniform(0.5, 1.5)) for one in symbols}
    known |= {one: rng.uniform(0.5, 1.5) for one in moving if one not in closed_by and one.kind != "coordinate"}
    sparse = Sparse(A)
    for size in (0.0, *[0.03] * TRIES):  # the start itself may be singular, also because of its time
        near = known | {one: known[one] + size * rng.normal() for one in symbols if one.kind != "parameter"}
        found = closed_state(closing, closed_by, near)
        try:
            table = None if found is None else sparse.filled(numbers(sparse.entries, found))
        except ExpressionError:  # a singular state
            table = None
        if table is not None:
            yield table


def _degenerate(table: Any) -> bool:
    """Whether an equation has lost its meaning, because it hardly depends on any rate."""
    sizes = np.linalg.norm(table, axis=1)
    return bool(sizes.min() < RANK * sizes.max())


def closed_state(
    equations: Sequence[Expr], unknown: Sequence[Symbol], known: dict[Any, float]
) -> dict[Any, float] | None:
    """A nearby point at which equations hold, by Newton's method with the shortest steps; None if there is none.

    It goes on until rounding stops it, because gaps of redundant equations shrink with the square of the distance.
    """
    try:
        gaps = numbers(equations, known)
        if _size(gaps) < ROUNDED:
            return known
        slopes = Sparse(jacobian(equations, unknown).reshape(len(equations), len(unknown)))
        for _ in range(ITERATIONS):
            table = slopes.filled(numbers(slopes.entries, known))
            step = np.linalg.lstsq(table, -gaps, rcond=1e-10)[0]
            moved = known | {s: known[s] + float(d) for s, d in zip(unknown, step, strict=True)}
            left = numbers(equations, moved)
            if _size(gaps) < MET and _size(left) >= _size(gaps):
                break
            known, gaps = moved, left
    except (MultibodyError, np.linalg.LinAlgError):
        return None
    return known if _size(gaps) < MET else None


def numbers(expressions: Sequence[Expr], known: Numbers) -> Any:
    """The values of expressions."""
    return np.array(evaluate(list(expressions), dict(known)) if expressions else [], dtype=float)


def _size(gaps: Any) -> float:
    return float(np.abs(gaps).max(initial=0.0))
