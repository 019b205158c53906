"""Products of sparse matrices of expressions: complements consist mostly of zeros and ones."""

from __future__ import annotations

import numpy as np

from multibody.graph import ONE, ZERO, Expr, absolute
from multibody.graph.expr import neg
from multibody.graph.linear_algebra import Matrix


def combined(left: Matrix, right: Matrix) -> Matrix:
    """left·right, row by row, over the entries that are not zero (Gustavson 1978); also where there are none.

    Example:
        >>> from multibody.graph import array
        >>> combined(array([[1, 0], [2, 3]]), array([[1], [0]]))
        array([[1],
               [2]], dtype=object)
    """
    result = np.full((left.shape[0], right.shape[1]), ZERO, dtype=object)
    filled = [[(j, b) for j, b in enumerate(row) if b is not ZERO] for row in right]
    for i, row in enumerate(left):
        sums: dict[int, Expr] = {}
        for k, a in enumerate(row):
            if a is not ZERO:
                for j, b in filled[k]:
                    term = b if a is ONE else a * b
                    sums[j] = sums[j] + term if j in sums else term
        for j, total in sums.items():
            result[i, j] = total
    return result


def times(matrix: Matrix, vector: Matrix) -> Matrix:
    """matrix·vector."""
    return combined(matrix, vector[:, None])[:, 0]


def magnitudes(matrix: Matrix) -> Matrix:
    """The absolute value of every entry."""
    result = matrix.copy()
    for place, entry in np.ndenumerate(matrix):
        if entry is not ZERO:
            result[place] = absolute(entry)
    return result


def negative(matrix: Matrix) -> Matrix:
    """Every entry with the other sign."""
    result = matrix.copy()
    for place, entry in np.ndenumerate(matrix):
        result[place] = neg(entry)
    return result
