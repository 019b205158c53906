"""Constraint matrices: sparse matrices of expressions, and their rank in numbers.

The rank gives independent rows, independent columns and singular positions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from multibody.graph import ZERO
from multibody.graph.linear_algebra import Matrix
from multibody.mechanics.tolerances import DEPENDENT_ROW, NO_INERTIA, SINGULAR_CONSTRAINTS

Vector = NDArray[np.float64]


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
        if length > DEPENDENT_ROW * max(scale, float(np.linalg.norm(row))):
            units[len(chosen)] = rest / length
            chosen.append(k)
    return chosen


def is_singular(B: Vector) -> bool:
    """Whether equations that are independent elsewhere are not, or hardly, independent here."""
    values = np.linalg.svd(B, compute_uv=False)
    return len(basis(B)) < len(B) or bool(len(values) and values[-1] < SINGULAR_CONSTRAINTS * values[0])


def has_vanishing_row(matrix: Vector) -> bool:
    """Whether an equation has lost its meaning, because it hardly depends on any speed."""
    sizes = np.linalg.norm(matrix, axis=1)
    return bool(len(sizes) and sizes.min() < DEPENDENT_ROW * sizes.max())


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


def spanning_columns(matrix: Vector, choose: Callable[[Vector, list[int]], int | None]) -> list[int]:
    """Columns that span the space of all, found one after the other by Gram and Schmidt.

    Args:
        matrix: with at most as many columns to be found as it has rows.
        choose: by the lengths of what the columns found so far leave of all columns, and by the numbers of these, the
            next one; None if there is none.
    """
    rest = np.array(matrix, dtype=float)
    found: list[int] = []
    while len(found) < len(rest):
        lengths = np.linalg.norm(rest, axis=0)
        column = choose(lengths, found)
        if column is None:
            break
        unit = rest[:, column] / lengths[column]
        rest -= np.outer(unit, unit @ rest)
        found.append(column)
    return found


def without_inertia(M: Vector) -> list[int]:
    """The speeds of a motion for which a mass matrix, with all entries scaled to 1 on its diagonal, is singular."""
    sizes = np.sqrt(np.maximum(np.diagonal(M), 0.0))
    if not len(M) or not np.isfinite(M).all():
        return []
    if not (sizes > 0).all():
        return [k for k, size in enumerate(sizes) if not size]
    values, motions = np.linalg.eigh(M / np.outer(sizes, sizes))
    return [] if values[0] > NO_INERTIA else [k for k, part in enumerate(motions[:, 0]) if abs(part) > 0.1]


class Sparse:
    """A matrix of expressions of which most are zero.

    Attributes:
        entries: those that are not.

    Example:
        >>> from multibody.graph import ONE
        >>> unit = Sparse(np.array([[ONE, ZERO], [ZERO, ONE]]))
        >>> unit.entries, unit.filled([2.0, 3.0])
        ([1, 1], array([[2., 0.],
                        [0., 3.]]))
    """

    def __init__(self, matrix: Matrix) -> None:
        self._shape = matrix.shape
        self._places = tuple(np.array([[entry is not ZERO for entry in row] for row in matrix], dtype=bool).nonzero())
        self.entries = list(matrix[self._places]) if matrix.size else []

    def filled(self, values: Sequence[float]) -> NDArray[np.float64]:
        """The numbers in their places."""
        result = np.zeros(self._shape)
        if len(values):
            result[self._places] = values
        return result

    def gathered(self, matrix: NDArray[np.float64]) -> NDArray[np.float64]:
        """The numbers in the places of the entries, in their order."""
        return np.asarray(matrix[self._places]) if matrix.size else np.zeros(0)
