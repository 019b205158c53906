"""Matrices of weights, from numbers by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from multibody.errors import ModelError
from multibody.graph.names import require_known_names
from multibody.linearization.operating_points.point import Matrix
from multibody.linearization.tolerances import WEIGHT_ROUNDING
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
    matrix = _summed(directions, weights, size, what) if isinstance(weights, Mapping) else _matrix(weights)
    cause = _defect(matrix, size, definite=definite)
    if cause:
        raise ModelError(
            f"The weights are no {'positive' if definite else 'non-negative'} symmetric matrix of {size} rows.",
            code="weights-invalid",
            where=what,
            cause=cause,
            remedy=f"Give a {'positive ' if definite else ''}weight for {'each of' if definite else 'some of'} "
            f"{', '.join(directions)}.",
        )
    return (matrix + matrix.T) / 2


def _summed(directions: Mapping[str, Matrix], weights: Mapping[str, Any], size: int, what: str) -> Matrix:
    require_known_names(weights, directions, "quantity", purpose="to weight", code="name-unknown", where=what)
    total = np.zeros((size, size))
    for name, weight in weights.items():
        total += finite_value(weight, f"{what} of '{name}'") * np.outer(directions[name], directions[name])
    return total


def _matrix(weights: Any) -> Matrix:
    """A matrix; an empty one if these are no numbers."""
    try:
        return np.atleast_2d(np.asarray(weights, dtype=float))
    except (TypeError, ValueError):
        return np.zeros((0, 0))


def _defect(matrix: Matrix, size: int, *, definite: bool) -> str:
    """What is wrong with a matrix of weights, whatever the units of its rows; empty if nothing is."""
    if matrix.shape != (size, size):
        return f"It has the shape {matrix.shape} instead of {(size, size)}."
    if not np.isfinite(matrix).all():
        return "It has entries that are not finite."
    diagonal = np.diag(matrix)
    bad = diagonal <= 0 if definite else diagonal < 0
    if bad.any():
        return f"The diagonal has the entry {diagonal[np.argmax(bad)]:.6g}."
    roots = np.where(diagonal > 0, np.sqrt(diagonal), 1.0)
    scaled = matrix / roots[:, None] / roots
    if (scaled[diagonal == 0] != 0).any() or (scaled[:, diagonal == 0] != 0).any():
        return "A row with a zero on the diagonal has other entries."
    if np.abs(scaled - scaled.T).max(initial=0.0) > WEIGHT_ROUNDING:
        return "It is not symmetric."
    least = float(np.linalg.eigvalsh((scaled + scaled.T) / 2).min(initial=np.inf))
    if least < -WEIGHT_ROUNDING or (definite and least <= WEIGHT_ROUNDING):
        return f"It has the eigenvalue {least:.3g}, relative to its diagonal."
    return ""
