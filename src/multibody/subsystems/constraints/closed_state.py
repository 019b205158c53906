"""Invariants by numbers: states in which they are kept, and which of them say something new there.

Exact rank holds for almost all values of the variables. A machine may move only because its positions are special: with
three equal cranks side by side, one equation follows from the others where the loops are closed, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from multibody.errors import ExpressionError, MultibodyError
from multibody.graph import Expr, Symbol, evaluate, free_symbols, jacobian
from multibody.graph.linear_algebra import Matrix
from multibody.graph.running_error import balanced_sizes
from multibody.mechanics.assembly.newton import Vector, damped_newton
from multibody.mechanics.constraints.independence import doubtful_rows
from multibody.mechanics.constraints.rank import Sparse, basis, has_vanishing_row
from multibody.subsystems.tolerances import CLOSED_RESIDUAL, HOPELESS_RESIDUAL, VANISHING_TERMS

TRIES = 3
ROUNDS = 4
"""Searches, each of which compares gaps with the terms where the one before ended: these may be much smaller."""

Numbers = Mapping[Any, float]


def new_where_closed(A: Matrix, generic: int, closing: Sequence[Expr], start: Numbers) -> list[int]:
    """The first rows of A that form a basis in closed states near the start.

    Args:
        A: its first rows are independent for almost all values of the variables, and all others follow from them.
        generic: the number of these first rows; they are the answer if there is nothing to decide by.
        closing: what vanishes in closed states: positions of invariants, and what quaternions lack to unit length.
        start: values of variables and parameters, as far as they are known.
    """
    doubtful = doubtful_rows(A)[0]
    sure = [row for row in range(len(A)) if row not in doubtful]
    needed = generic - len(sure)
    found, tables = doubtful[:needed], []
    if needed and closing and any(symbol.kind == "coordinate" for symbol in free_symbols(A[doubtful])):
        for table in _tables(A[doubtful], closing, start):
            tables.append(table)
            if len(basis(table)) == needed:
                break
    if tables and not all(map(has_vanishing_row, tables)):
        found = [doubtful[k] for k in max(map(basis, tables), key=len)]
    return sorted([*sure, *found])


def _tables(A: Matrix, closing: Sequence[Expr], start: Numbers) -> Iterator[Any]:
    """A in closed states: in the start if it is one, then in states around it; what is not known is random."""
    rng = np.random.default_rng(1)
    symbols = free_symbols([*A.flat, *closing])
    moving = [symbol for symbol in symbols if symbol.kind not in ("parameter", "time", "input")]
    closed_by = [symbol for symbol in free_symbols(list(closing)) if symbol in moving]
    known = {symbol: start.get(symbol, 0.0 if symbol.kind == "input" else rng.uniform(0.5, 1.5)) for symbol in symbols}
    known |= {
        symbol: rng.uniform(0.5, 1.5) for symbol in moving if symbol not in closed_by and symbol.kind != "coordinate"
    }
    sparse = Sparse(A)
    for size in (0.0, *[0.03] * TRIES):  # the start itself may be singular, also because of its time
        near = known | {symbol: known[symbol] + size * rng.normal() for symbol in symbols if symbol.kind != "parameter"}
        found = closed_state(closing, closed_by, near)
        try:
            table = None if found is None else sparse.filled(numbers(sparse.entries, found))
        except ExpressionError:  # a singular state
            table = None
        if table is not None:
            yield table


def closed_state(
    equations: Sequence[Expr], unknown: Sequence[Symbol], known: dict[Any, float]
) -> dict[Any, float] | None:
    """A nearby point at which equations hold, by Newton's method with the shortest steps; None if there is none.

    It goes on until rounding stops it, because gaps of redundant equations shrink with the square of the distance. Gaps
    are relative to the terms of their equations, so that mechanisms of micrometers are closed as those of meters.
    """

    @cache
    def derivatives() -> Sparse:
        return Sparse(jacobian(equations, unknown).reshape(len(equations), len(unknown)))

    def slopes(x: Vector) -> Vector:
        return derivatives().filled(numbers(derivatives().entries, state(x)))

    def state(x: Vector) -> dict[Any, float]:
        return {**known, **dict(zip(unknown, map(float, x), strict=True))}

    def nearer(x: Vector, scale: Vector) -> Vector:
        return damped_newton(
            lambda x: numbers(equations, state(x)) / scale, lambda x: slopes(x) / scale[:, None], x, range(len(x))
        )[0]

    x, shares = np.array([known[symbol] for symbol in unknown], dtype=float), np.array([np.inf])
    try:
        sizes = _sizes(equations, state(x))
        for _ in range(ROUNDS):
            before = np.where(sizes > 0, sizes, 1.0)
            x = nearer(x, before)
            gaps, sizes = np.abs(numbers(equations, state(x))), _sizes(equations, state(x))
            shares = gaps / np.maximum(sizes, VANISHING_TERMS * before)
            if (gaps <= CLOSED_RESIDUAL * sizes).all() or not (shares <= HOPELESS_RESIDUAL).all():
                break
    except (MultibodyError, np.linalg.LinAlgError):
        return None
    return state(x) if (shares <= CLOSED_RESIDUAL).all() else None


def _sizes(equations: Sequence[Expr], known: Numbers) -> Any:
    """The sizes of the terms of equations."""
    return np.nan_to_num(balanced_sizes(equations, known), posinf=0.0)


def numbers(expressions: Sequence[Expr], known: Numbers) -> Any:
    """The values of expressions."""
    return np.array(evaluate(list(expressions), dict(known)) if expressions else [], dtype=float)
