"""Matrices of weights, from numbers by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from multibody.errors import ModelError
from multibody.graph.names import suggestion
from multibody.linear.point import Matrix
from multibody.model.quantity import finite_value

Weights = Mapping[str, float] | Any
"""Numbers by name, or a whole matrix."""


def weighted(
    directions: Mapping[str, Matrix], weights: Weights, size: int, what: str, *, definite: bool = False
) -> Matrix:
    """Σ weight·v·vᵀ over the named directions v; or the matrix itself, if one was given.

    Example:
        >>> weighted({"x": np.array([1.0, 0.0]), "y": np.array([1.0, 1.0])}, {"x": 4.0, "y": 1.0}, 2, "deviations")
        array([[5., 1.],
               [1., 1.]])
    """
    if isinstance(weights, Mapping):
        unknown = [name for name in weights if name not in directions]
        if unknown:
            raise ModelError(
                f"There is nothing called {', '.join(map(repr, unknown))} to weigh.",
                where=what,
                cause=suggestion(unknown, directions),
                remedy=f"There are: {', '.join(directions) or 'none'}.",
            )
        found = np.zeros((size, size))
        for name, weight in weights.items():
            found += finite_value(weight, f"{what} of '{name}'") * np.outer(directions[name], directions[name])
    else:
        found = _matrix(weights)
    if found.shape != (size, size) or not np.isfinite(found).all() or not _allowed(found, definite=definite):
        raise ModelError(
            f"The weights are no {'positive' if definite else 'non-negative'} symmetric matrix of {size} rows.",
            where=what,
            remedy=f"Give a {'positive ' if definite else ''}weight for {'each of' if definite else 'some of'} "
            f"{', '.join(directions)}.",
        )
    return found


def _matrix(weights: Any) -> Matrix:
    """A matrix; an empty one if these are no numbers."""
    try:
        return np.atleast_2d(np.asarray(weights, dtype=float))
    except (TypeError, ValueError):
        return np.zeros((0, 0))


def _allowed(matrix: Matrix, *, definite: bool) -> bool:
    """Whether a matrix is symmetric, and positive as far as it has to be."""
    sizes = np.linalg.eigvalsh(matrix)
    rounding = 1e-12 * np.abs(sizes).max(initial=0.0)
    least = sizes.min(initial=np.inf)
    return np.allclose(matrix, matrix.T) and bool(least > 0 if definite else least >= -rounding)
