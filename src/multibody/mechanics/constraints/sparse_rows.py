"""Matrices of expressions of which most are zero."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from multibody.graph import ZERO
from multibody.graph.linear_algebra import Matrix


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
