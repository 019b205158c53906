"""Poles of linear systems with error bounds, part by part.

A mechanism that rolls has states that nothing depends on: where it is, which way it faces, how far its wheels have
turned. Each of them is an eigenvalue zero, and several of them spoil each other's digits, and those of any other
eigenvalue that comes near zero: an n-fold one is found to the n-th root of rounding only. If instead the states are
first divided into groups that depend on each other in a circle (strongly connected components), the matrix is block
triangular, its eigenvalues are those of the blocks, and zeros stay zeros. Zeros within a block are removed.

Nothing is compared with a fixed number of a unit, nor with entries of other rows or columns, whose units differ: an
entry of A is zero if it is so exactly; see ``rounding`` for those that are rounding errors.

Zeros within a block are removed before others are judged. Nothing depends on where a vehicle is, and on which way it
faces. Where no coordinate says so, as with the places of two masses that a spring ties, or with the heading of a car in
coordinates of the world, zeros belong to combinations of states. They are removed one by one by orthogonal similarities
(the staircase algorithm of Golub and Wilkinson 1976): if A·x = 0 and the columns of Y are orthonormal and perpendicular
to x, the other eigenvalues are those of Yᵀ·A·Y. An eigenvalue that comes near the zeros then keeps its digits: the n-th
root of rounding, by which n equal eigenvalues are off, belongs to the zeros alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from multibody.linearization.operating_points.point import Matrix
from multibody.linearization.spectra.eigenpairs import Eigenvalues, Poles, balance, bounded_eigenvalues
from multibody.linearization.tolerances import COARSEST_ZERO_POLE, ENTRY_ERROR, EPS, LOSSY_ENTRY, ZERO_POLE

__all__ = ["Poles", "Spectrum", "blocks", "eigenvalues", "growth_order", "spectrum", "spectrum_without", "zero_count"]


class Spectrum(NamedTuple):
    """The poles of a state matrix, those that grow fastest first.

    Attributes:
        poles: the eigenvalues.
        bounds: of the error of each of them, from the errors of the entries of A and of the computation.
        on_axis: which of them are on the imaginary axis exactly: zeros of rigid motions, and frequencies of undamped
            systems, whose poles come in pairs ±s, so that a single one near the axis is on it.
    """

    poles: Poles
    bounds: Matrix
    on_axis: NDArray[np.bool_]


def eigenvalues(A: Matrix) -> Poles:
    """All eigenvalues, those with the largest real part first.

    Example:
        >>> eigenvalues(np.array([[0.0, 1.0, 3.0], [0.0, 0.0, 5.0], [0.0, 0.0, -2.0]]))
        array([ 0.+0.j,  0.+0.j, -2.+0.j])
    """
    return spectrum(A).poles


def spectrum(A: Matrix, rounding: Matrix | None = None) -> Spectrum:
    """All eigenvalues with bounds of their errors.

    Args:
        A: the state matrix.
        rounding: errors of its entries where they are larger than those of single numbers.

    Example:
        >>> found = spectrum(np.diag([-1e7, 0.5, 0.0]))
        >>> found.poles.real.tolist(), found.bounds.round(15).tolist(), found.on_axis.tolist()
        ([0.5, 0.0, -10000000.0], [5e-13, 0.0, 1e-05], [False, True, False])
    """
    parts = []
    for block in _blocks(A, rounding):
        zeros = np.zeros(block.zeros_left)
        parts += [Spectrum(zeros.astype(complex), zeros, zeros == 0), _with_axis(block.without_zeros())]
    return _joined(parts)


def zero_count(A: Matrix, rounding: Matrix | None = None) -> int:
    """How many eigenvalues are zero as far as A is known, however many of them belong to one Jordan block.

    Example:
        >>> zero_count(np.array([[0.0, 1.0, 3.0], [0.0, 0.0, 5.0], [0.0, 0.0, -2.0]]))
        2
    """
    return sum(block.zeros_left for block in _blocks(A, rounding))


def spectrum_without(A: Matrix, zeros: int, rounding: Matrix | None = None) -> Spectrum:
    """The eigenvalues without some that are zero always.

    Args:
        A: the state matrix.
        zeros: how many eigenvalues zero are left out, at most ``zero_count``.
        rounding: see ``spectrum``.
    """
    parts = _blocks(A, rounding)
    for _ in range(zeros):
        candidates = [part for part in parts if part.zeros_left]
        if candidates:
            min(candidates, key=lambda part: part.smallest).remove()
    return _joined([_with_axis(part) for part in parts])


def _blocks(A: Matrix, rounding: Matrix | None) -> list[DeflatedBlock]:
    matrix = np.asarray(A, dtype=float)
    errors = ENTRY_ERROR * np.abs(matrix) + (0.0 if rounding is None else rounding)
    return [DeflatedBlock(matrix[np.ix_(part, part)], errors[np.ix_(part, part)]) for part in blocks(matrix)]


def _with_axis(block: DeflatedBlock) -> Spectrum:
    """The eigenvalues of a block; where they come in pairs ±s, single ones next to the axis are put on it."""
    poles, bounds, _ = block.eigenvalues
    on_axis = poles == 0
    if block.is_symmetric and len(poles):
        apart = np.abs(poles[:, None] - poles[None, :]) - bounds[:, None] - bounds[None, :]
        np.fill_diagonal(apart, np.inf)
        on_axis |= (np.abs(poles.real) <= bounds) & (apart.min(axis=1) > bounds)
    placed: Poles = poles.copy()
    placed.real[on_axis] = 0.0
    return Spectrum(placed, bounds, on_axis)


def _joined(parts: list[Spectrum]) -> Spectrum:
    """The eigenvalues of all blocks, in their order."""
    poles: Poles = np.concatenate([np.zeros(0), *(part.poles for part in parts)]).astype(np.complex128)
    bounds = np.concatenate([np.zeros(0), *(part.bounds for part in parts)])
    on_axis = np.concatenate([np.zeros(0, dtype=bool), *(part.on_axis for part in parts)])
    order = growth_order(poles)
    return Spectrum(poles[order], bounds[order], on_axis[order])


def growth_order(poles: Poles) -> NDArray[np.intp]:
    """Places of poles, those that grow fastest first; of a conjugate pair, the one with positive imaginary part."""
    return np.lexsort((-poles.imag, -poles.real))


def blocks(A: Matrix, weak: float = 0.0) -> list[NDArray[Any]]:
    """The states in groups whose rates depend on each other in a circle.

    Args:
        A: the state matrix.
        weak: entries that are smaller, relative to the largest of their row or column, count as zero.
    """
    from scipy.sparse import csr_array  # late, because importing it takes long
    from scipy.sparse.csgraph import connected_components

    sizes = np.abs(A)
    largest = np.maximum(sizes.max(axis=1, initial=0.0)[:, None], sizes.max(axis=0, initial=0.0)[None, :])
    links = csr_array((sizes > weak * largest).astype(np.int8))
    count, labels = connected_components(links, connection="strong")
    return [np.flatnonzero(labels == k) for k in range(count)]


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
