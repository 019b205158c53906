"""Linear algebra on matrices of expressions; zeros and pivots are decided by fingerprint.

Matrices are NumPy arrays of expressions (any nested list is accepted), vectors are one-dimensional.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from multibody.errors import ShapeError, SingularMatrixError
from multibody.graph.expr import ONE, ZERO, Expr, neg, recip
from multibody.graph.identity import independent_rows
from multibody.graph.traverse import Nested, array

Matrix = NDArray[Any]


class LDL(NamedTuple):
    """A = L·diag(D)·Lᵀ with unit lower triangular L; ``inverse_d`` holds 1/D."""

    l: Matrix  # noqa: E741 - the factor's name in every textbook
    d: Matrix
    inverse_d: Matrix


class LU(NamedTuple):
    """``A[rows][:, columns]`` = L·U with unit lower triangular L; ``inverse_diagonal`` holds 1/U[k, k]."""

    l: Matrix  # noqa: E741 - the factor's name in every textbook
    u: Matrix
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    inverse_diagonal: Matrix


def product(a: Nested, b: Nested) -> Any:
    """Matrix product of matrices and vectors of expressions, skipping zeros.

    Example:
        >>> from multibody.graph import symbols
        >>> x, y = symbols("x y")
        >>> product([[x, 0], [0, y]], [y, x])
        array([x*y, x*y], dtype=object)
    """
    left, right = array(a), array(b)
    if not left.ndim or not right.ndim or max(left.ndim, right.ndim) > 2 or left.shape[-1] != right.shape[0]:
        raise ShapeError(
            f"A product of shapes {left.shape} and {right.shape} does not exist.",
            code="array-wrong-shape",
            remedy="The first matrix needs as many columns as the second has rows.",
            shape=right.shape,
            expected=left.shape[-1:],
        )
    columns = (right if right.ndim == 2 else right[:, None]).T
    rows = left if left.ndim == 2 else left[None, :]
    shape = left.shape[:-1] + right.shape[1:]
    result = np.empty((len(rows), len(columns)), dtype=object)
    filled = [{k: b for k, b in enumerate(column) if b is not ZERO} for column in columns]
    for i, row in enumerate(rows):
        entries = [(k, a) for k, a in enumerate(row) if a is not ZERO]
        for j, column in enumerate(filled):
            result[i, j] = _dot(entries, column)
    return result.reshape(shape) if shape else result[0, 0]


def _dot(row: Iterable[tuple[int, Expr]], column: Mapping[int, Expr]) -> Expr:
    """Σ a·b of the places where both are not zero."""
    total: Expr = ZERO
    for k, a in row:
        if k in column:
            total = total + a * column[k]
    return total


def _square(matrix: Nested) -> Matrix:
    result = array(matrix)
    if result.ndim != 2 or result.shape[0] != result.shape[1]:
        raise ShapeError(
            f"A square matrix is needed, not one of shape {result.shape}.", code="array-wrong-shape", shape=result.shape
        )
    return result


def _singular(k: int) -> SingularMatrixError:
    return SingularMatrixError(
        f"The matrix is singular for all values of its symbols: no pivot is left in step {k + 1}.",
        cause="A row depends on the others: a part without mass, or an equation given twice.",
        remedy="Remove dependent rows, or give the part a mass or an inertia.",
    )


def _without_pivot(matrix: Matrix, k: int) -> SingularMatrixError:
    if len(independent_rows([[x.fp for x in row] for row in matrix])) < len(matrix):
        return _singular(k)
    return SingularMatrixError(
        f"The pivot of step {k + 1} is always zero, although the matrix is regular.",
        cause="A factorization L·D·Lᵀ without pivoting does not exist for this order of rows.",
        remedy="Use solve or lu, which choose pivots; or number the rows in another order.",
    )


def ldl(matrix: Nested) -> LDL:
    """Factor a symmetric matrix without pivoting, as for a mass matrix; only the lower triangle is read.

    Zeros of the matrix stay zeros of L where elimination allows it, so a matrix ordered along a tree is factored
    without fill-in (Featherstone 2008, section 6.5, has the numeric twin of this).
    """
    a = _square(matrix).copy()
    n = len(a)
    low = np.full((n, n), ZERO, dtype=object)
    d = np.full(n, ZERO, dtype=object)
    inverse_d = np.full(n, ZERO, dtype=object)
    for k in range(n):
        if a[k, k].fp == 0:
            raise _without_pivot(_square(matrix), k)
        low[k, k], d[k], inverse_d[k] = ONE, a[k, k], recip(a[k, k])
        below = [i for i in range(k + 1, n) if a[i, k].fp != 0]
        for i in below:
            low[i, k] = a[i, k] * inverse_d[k]
        for i in below:
            for j in below:
                if j <= i:
                    a[i, j] = a[i, j] - low[i, k] * a[j, k]
    return LDL(low, d, inverse_d)


def lu(matrix: Nested) -> LU:
    """Factor a square matrix with full pivoting for sparsity; every pivot is proved nonzero.

    Pivots that are constant come first, then those that cause the least fill-in (Markowitz 1957).
    """
    a = _square(matrix).copy()
    n = len(a)
    rows, columns = list(range(n)), list(range(n))
    inverse_diagonal = np.full(n, ZERO, dtype=object)
    for k in range(n):
        i, j = _pivot(a, k)
        a[[k, i]] = a[[i, k]]
        a[:, [k, j]] = a[:, [j, k]]
        rows[k], rows[i] = rows[i], rows[k]
        columns[k], columns[j] = columns[j], columns[k]
        inverse_diagonal[k] = recip(a[k, k])
        right = [c for c in range(k + 1, n) if a[k, c].fp != 0]
        for r in range(k + 1, n):
            if a[r, k].fp != 0:
                a[r, k] = a[r, k] * inverse_diagonal[k]
                for c in right:
                    a[r, c] = a[r, c] - a[r, k] * a[k, c]
    low, up = np.full((n, n), ZERO, dtype=object), np.full((n, n), ZERO, dtype=object)
    for r in range(n):
        low[r, :r], low[r, r], up[r, r:] = a[r, :r], ONE, a[r, r:]
    return LU(low, up, tuple(rows), tuple(columns), inverse_diagonal)


def _pivot(a: Matrix, k: int) -> tuple[int, int]:
    n = len(a)
    nonzero = [(i, j) for i in range(k, n) for j in range(k, n) if a[i, j].fp != 0]
    if not nonzero:
        raise _singular(k)
    in_row, in_column = Counter(i for i, _ in nonzero), Counter(j for _, j in nonzero)

    def burden(place: tuple[int, int]) -> tuple[bool, int, int]:
        i, j = place
        return a[i, j].op != "const", (in_row[i] - 1) * (in_column[j] - 1), i + j

    return min(nonzero, key=burden)


def solve(matrix: Nested, right: Nested) -> Any:
    """x with matrix · x = right, for one or several right-hand sides.

    Example:
        >>> from multibody.graph import symbols
        >>> a, b = symbols("a b")
        >>> solve([[a, 0], [1, b]], [a, 1])
        array([1, 0], dtype=object)
    """
    factors = lu(matrix)
    x, sides = _sides(right, len(factors.rows))
    x = x[list(factors.rows)]
    _forward(factors.l, x)
    _backward(factors.u, factors.inverse_diagonal, x)
    result = np.empty_like(x)
    result[list(factors.columns)] = x
    return result.reshape(sides.shape)


def solve_regular(matrix: Nested, right: Nested) -> Any:
    """x with matrix · x = right, wherever the matrix is regular.

    ``solve`` divides by pivots that are nonzero in general, but may vanish at special values where the matrix itself is
    regular. Here pivots are constants; what is left is solved by determinants, or, from four unknowns on, by the normal
    equations AᵀA·x = Aᵀ·b with one correction of their rounding.

    Example:
        >>> from multibody.graph import cos, sin, symbols
        >>> (q,) = symbols("q")
        >>> solve_regular([[cos(q), sin(q)], [-sin(q), cos(q)]], [cos(q), -sin(q)])
        array([1, 0], dtype=object)
    """
    a, (x, sides) = _square(matrix).copy(), _sides(right, len(_square(matrix)))
    rows, columns = list(range(len(a))), list(range(len(a)))
    pivots: list[tuple[int, int]] = []
    while place := _constant_pivot(a, rows, columns):
        i, j = place
        pivots.append(place)
        rows.remove(i)
        columns.remove(j)
        for r in rows:
            if a[r, j].fp != 0:
                factor = a[r, j] * recip(a[i, j])
                x[r] = x[r] - factor * x[i]
                for c in columns:
                    a[r, c] = a[r, c] - factor * a[i, c]
    result = np.empty_like(x)
    if rows:
        result[columns] = _solve_rest(a[np.ix_(rows, columns)], x[rows])
    for i, j in reversed(pivots):
        known = x[i]
        for c in columns:
            known = known - a[i, c] * result[c]
        result[j] = known * recip(a[i, j])
        columns.append(j)
    return result.reshape(sides.shape)


def _constant_pivot(a: Matrix, rows: list[int], columns: list[int]) -> tuple[int, int] | None:
    """A constant in the rows and columns that are left, the one that causes the least fill-in."""
    found = [(i, j) for i in rows for j in columns if a[i, j].op == "const" and a[i, j].fp != 0]

    def burden(place: tuple[int, int]) -> int:
        i, j = place
        return sum(a[i, c].fp != 0 for c in columns) * sum(a[r, j].fp != 0 for r in rows)

    return min(found, key=burden) if found else None


def _solve_rest(a: Matrix, x: Matrix) -> Matrix:
    if len(independent_rows([[entry.fp for entry in row] for row in a])) < len(a):
        raise _singular(0)
    if len(a) <= 3:
        return _by_determinants(a, x)
    gram = ldl(product(a.T, a))
    first = ldl_solve(gram, product(a.T, x))
    return first + ldl_solve(gram, product(a.T, x - product(a, first)))


def _by_determinants(a: Matrix, x: Matrix) -> Matrix:
    """Cramer's rule: the only divisor is the determinant."""
    divisor = recip(_determinant(a))
    result = np.empty_like(x)
    for j in range(len(a)):
        for side in range(x.shape[1]):
            changed = a.copy()
            changed[:, j] = x[:, side]
            result[j, side] = _determinant(changed) * divisor
    return result


def _determinant(a: Matrix) -> Expr:
    if len(a) == 1:
        return a[0, 0]
    total: Expr = ZERO
    for j in range(len(a)):
        minor = a[1:, [c for c in range(len(a)) if c != j]]
        term = a[0, j] * _determinant(minor)
        total = total - term if j % 2 else total + term
    return total


def ldl_solve(factors: LDL, right: Nested) -> Any:
    """x with L·D·Lᵀ·x = right."""
    x, sides = _sides(right, len(factors.d))
    _forward(factors.l, x)
    for k in range(len(x)):
        x[k] = x[k] * factors.inverse_d[k]
    _backward(factors.l.T, np.full(len(x), ONE, dtype=object), x)
    return x.reshape(sides.shape)


def _sides(right: Nested, n: int) -> tuple[Matrix, Matrix]:
    """The right-hand sides as columns of a new matrix, and as they were given."""
    sides = array(right)
    if sides.ndim not in (1, 2) or sides.shape[0] != n:
        raise ShapeError(
            f"A matrix with {n} rows needs a right-hand side with {n} rows, not shape {sides.shape}.",
            code="array-wrong-shape",
            shape=sides.shape,
            expected=(n,),
        )
    return (sides if sides.ndim == 2 else sides[:, None]).copy(), sides


def _forward(low: Matrix, x: Matrix) -> None:
    """Solve L·x = x in place."""
    for i in range(len(x)):
        for j in range(i):
            if low[i, j] is not ZERO:
                x[i] = x[i] - low[i, j] * x[j]


def _backward(up: Matrix, inverse_diagonal: Matrix, x: Matrix) -> None:
    """Solve U·x = x in place."""
    for i in reversed(range(len(x))):
        for j in range(i + 1, len(x)):
            if up[i, j] is not ZERO:
                x[i] = x[i] - up[i, j] * x[j]
        if inverse_diagonal[i] is not ONE:
            x[i] = x[i] * inverse_diagonal[i]


class Complement(NamedTuple):
    """An orthogonal complement C of a constraint matrix B: B·C = 0, and C is a unit matrix in the independent rows."""

    matrix: Matrix
    independent: tuple[int, ...]
    dependent: tuple[int, ...]
    used_rows: tuple[int, ...]  # rows of B without the redundant ones


def orthogonal_complement(constraints: Nested, independent: Sequence[int] | None = None) -> Complement:
    """All motions that B·v = 0 allows: v = C·v_independent.

    Redundant rows of B are found by exact rank and left out. Without ``independent``, the dependent columns are chosen
    so that the elimination is sparse.

    Args:
        constraints: the matrix B, one row per constraint.
        independent: numbers of the columns to keep as independent ones.

    Example:
        >>> from multibody.graph import symbols
        >>> (r,) = symbols("r")
        >>> orthogonal_complement([[1, -r]], independent=[1]).matrix
        array([[r],
               [1]], dtype=object)
    """
    b = array(constraints)
    if b.ndim != 2:
        raise ShapeError(
            f"A constraint matrix has two dimensions, not shape {b.shape}.", code="array-wrong-shape", shape=b.shape
        )
    rows = independent_rows([[x.fp for x in row] for row in b])
    b = b[rows]
    free = _chosen(b) if independent is None else _checked(b, list(independent))
    bound = [j for j in range(b.shape[1]) if j not in free]
    result = np.full((b.shape[1], len(free)), ZERO, dtype=object)
    for column, j in enumerate(free):
        result[j, column] = ONE
    if bound and free:
        solved = solve_regular(b[:, bound], b[:, free])
        result[bound] = np.frompyfunc(neg, 1, 1)(solved)
    return Complement(result, tuple(free), tuple(bound), tuple(rows))


def _chosen(b: Matrix) -> list[int]:
    """Independent columns, so that the others are a basis; columns with many entries are kept independent."""
    by_density = sorted(range(b.shape[1]), key=lambda j: (sum(x.fp != 0 for x in b[:, j]), j))
    basis = independent_rows([[x.fp for x in b[:, j]] for j in by_density])
    bound = {by_density[k] for k in basis}
    return [j for j in range(b.shape[1]) if j not in bound]


def _checked(b: Matrix, free: list[int]) -> list[int]:
    bound = [j for j in range(b.shape[1]) if j not in free]
    regular = len(bound) == len(b) == len(independent_rows([[x.fp for x in b[:, j]] for j in bound]))
    if not regular or len(set(free)) != len(free) or not all(0 <= j < b.shape[1] for j in free):
        raise SingularMatrixError(
            f"The columns {free} cannot be the independent ones.",
            cause=f"There are {len(b)} independent constraints on {b.shape[1]} variables, hence {b.shape[1] - len(b)} "
            "independent variables, and the dependent ones must follow from them.",
            remedy="Choose other columns, or let them be chosen.",
        )
    return free
