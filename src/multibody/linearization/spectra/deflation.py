"""Removal of eigenvalues zero from a strongly connected part of a state matrix, before others are judged.

Nothing depends on where a vehicle is, and on which way it faces. Where no coordinate says so, as with the places of two
masses that a spring ties, or with the heading of a car in coordinates of the world, zeros belong to combinations of
states. They are removed one by one by orthogonal similarities (the staircase algorithm of Golub and Wilkinson 1976): if
A·x = 0 and the columns of Y are orthonormal and perpendicular to x, the other eigenvalues are those of Yᵀ·A·Y. An
eigenvalue that comes near the zeros then keeps its digits: the n-th root of rounding, by which n equal eigenvalues are
off, belongs to the zeros alone.
"""

from __future__ import annotations

import numpy as np

from multibody.linearization.operating_points.point import Matrix
from multibody.linearization.spectra.eigenpairs import Eigenvalues, balance, bounded_eigenvalues
from multibody.linearization.tolerances import COARSEST_ZERO_POLE, EPS, LOSSY_ENTRY, ZERO_POLE


class DeflatedBlock:
    """A strongly connected part of a state matrix, from which zeros are removed.

    Args:
        A: its matrix.
        errors: of the entries.

    Attributes:
        eigenvalues: of what is left.
        zeros_left: how many of them are zero as far as they are known.
        is_symmetric: whether, with s, also -s is an eigenvalue, because states are of two kinds and rates of one kind
            depend on the other kind alone, as coordinates and speeds without damping.

    Example:
        >>> A = np.array([[0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0], [-3.0, 3.0, 0.0, 0.0], [1.0, -1.0, 0.0, 0.0]])
        >>> block = DeflatedBlock(A, 1e-12 * abs(A))
        >>> block.zeros_left, block.without_zeros().eigenvalues.poles.imag.round(9).tolist()
        (2, [2.0, -2.0])
    """

    def __init__(self, A: Matrix, errors: Matrix) -> None:
        self.eigenvalues = bounded_eigenvalues(A, errors)
        self.is_symmetric = _has_two_kinds(A)
        self.zeros_left = int((np.abs(self.eigenvalues.poles) <= self.eigenvalues.bounds).sum())
        if self.zeros_left:
            self._matrix, self._errors = balance(A, errors)
            self._size = float(np.linalg.norm(self._matrix)) or 1.0
            lossy = bool((errors > LOSSY_ENTRY * np.abs(A))[A != 0].any())
            self.zeros_left = 0 if lossy else min(self.zeros_left, _staircase_zeros(self._matrix / self._size))

    @property
    def smallest(self) -> float:
        """The smallest singular value, relative to the block."""
        return float(np.linalg.svd(self._matrix, compute_uv=False)[-1]) / self._size

    def without_zeros(self) -> DeflatedBlock:
        """The same after all zeros were removed."""
        while self.zeros_left:
            self.remove()
        return self

    def remove(self) -> None:
        """Take the smallest singular value for a zero, and remove it."""
        kept = _others(self._matrix)
        self._errors = np.abs(kept) @ (self._errors + EPS * self._size) @ np.abs(kept.T)
        self._matrix = kept @ self._matrix @ kept.T
        self.zeros_left -= 1
        nothing = Eigenvalues(np.zeros(0, dtype=complex), np.zeros(0))
        self.eigenvalues = bounded_eigenvalues(self._matrix, self._errors) if len(self._matrix) else nothing


def _has_two_kinds(A: Matrix) -> bool:
    """Whether the states of a connected matrix are of two kinds that depend on each other alone (a bipartite graph)."""
    linked = (A != 0) | (A.T != 0)
    kinds = np.zeros(len(A))
    kinds[0], reached = 1.0, [0]
    while reached:
        k = reached.pop()
        fresh = np.flatnonzero(linked[k] & (kinds == 0))
        kinds[fresh] = -kinds[k]
        reached += fresh.tolist()
    return not (linked & (kinds[:, None] * kinds[None, :] > 0)).any()


def _others(A: Matrix) -> Matrix:
    """Rows that are orthonormal and perpendicular to the vector that A nearly maps to zero."""
    return np.asarray(np.linalg.svd(A)[2][:-1])


def _staircase_zeros(A: Matrix) -> int:
    """How many zeros can be removed from a matrix of size one before its smallest singular value exceeds its error."""
    count, limit = 0, ZERO_POLE
    while len(A):
        sizes = np.linalg.svd(A, compute_uv=False)
        if sizes[-1] > limit:
            break
        next_size = sizes[sizes > ZERO_POLE].min(
            initial=1.0
        )  # x is off by the error of A over this, and so is the rest
        limit = min(max(limit, ZERO_POLE / next_size), COARSEST_ZERO_POLE)
        kept = _others(A)
        A = kept @ A @ kept.T
        count += 1
    return count
