"""Eigenvalues of state matrices, part by part.

A mechanism that rolls has states that nothing depends on: where it is, which way it faces, how far its wheels have
turned. Each of them is an eigenvalue zero, and several of them spoil each other's digits, and those of any other
eigenvalue that comes near zero: an n-fold one is found to the n-th root of rounding only. If instead the states are
first divided into groups that depend on each other in a circle (strongly connected components), the matrix is block
triangular, its eigenvalues are those of the blocks, and zeros stay zeros.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from multibody.linear.point import Matrix

Poles = NDArray[np.complex128]

ROUNDING = 64 * np.finfo(float).eps
"""An entry of A that is smaller than this, relative to its row and column, is a rounding error."""

KNOWN = 1e-12
"""To this A is known, relative to its size after balancing: Newton's method goes on until rounding stops it."""

COARSE = 1e-6
"""Relative to the largest pole, even those that several motions share are known to this."""


def eigenvalues(A: Matrix) -> Poles:
    """All eigenvalues, those with the largest real part first.

    Example:
        >>> eigenvalues(np.array([[0.0, 1.0, 3.0], [0.0, 0.0, 5.0], [0.0, 0.0, -2.0]]))
        array([ 0.+0.j,  0.+0.j, -2.+0.j])
    """
    parts = [np.linalg.eigvals(A[np.ix_(block, block)]) for block in blocks(A)]
    found = np.concatenate([np.zeros(0), *parts]).astype(complex)
    return found[growth_order(found)]


def growth_order(poles: Poles) -> NDArray[np.intp]:
    """Places of poles, those that grow fastest first; of a conjugate pair, the one with positive imaginary part."""
    return np.lexsort((-poles.imag, -poles.real))


def doubtful(A: Matrix, zeros: int = 0) -> tuple[Poles, Matrix]:
    """The eigenvalues, and for each of them by how much it may be off.

    Args:
        A: the state matrix.
        zeros: how many eigenvalues zero are left out; see ``zero_count``.

    An error δA moves a simple eigenvalue by up to |δA|/|yᴴ·x|, with its left and right unit vectors y and x. A stiff
    part of a system does not hide that another one grows slowly.

    Example:
        >>> poles, doubts = doubtful(np.diag([-1e7, 0.5]))
        >>> poles.real.tolist(), bool((doubts < 1e-4).all())
        ([0.5, -10000000.0], True)
    """
    whole = _Deflation(A).without(zeros) if zeros else [A[np.ix_(block, block)] for block in blocks(A)]
    parts = [_with_doubts(part) for part in whole]
    poles = np.concatenate([np.zeros(0), *(one for one, _ in parts)]).astype(complex)
    doubts = np.concatenate([np.zeros(0), *(doubt for _, doubt in parts)])
    order, size = growth_order(poles), float(np.abs(poles).max(initial=0.0))
    return poles[order], np.clip(doubts, ROUNDING * size, COARSE * size)[order]


def _with_doubts(A: Matrix) -> tuple[Any, Matrix]:
    from scipy.linalg import eig, matrix_balance  # late, because importing it takes long

    balanced = matrix_balance(A, permute=False)[0]
    poles, left, right = eig(balanced, left=True)
    along = np.abs(np.sum(left.conj() * right, axis=0))
    return poles, KNOWN * float(np.linalg.norm(balanced)) / np.maximum(along, 1e-300)


def zero_count(A: Matrix) -> int:
    """How many eigenvalues are zero as far as A is known, however many of them belong to one Jordan block.

    Example:
        >>> zero_count(np.array([[0.0, 1.0, 3.0], [0.0, 0.0, 5.0], [0.0, 0.0, -2.0]]))
        2
    """
    return _Deflation(A).zero_count()


class _Deflation:
    """Removes eigenvalues zero one by one, by orthogonal similarities (the staircase algorithm of Golub and Wilkinson).

    If A·x = 0 and the columns of Y are orthonormal and perpendicular to x, the other eigenvalues are those of Yᵀ·A·Y.
    This changes A by rounding only. An eigenvalue that comes near the zeros then keeps its digits: the n-th root of
    rounding, by which n equal eigenvalues are off, belongs to the zeros alone.

    Args:
        A: the state matrix.
    """

    def __init__(self, A: Matrix) -> None:
        from scipy.linalg import matrix_balance  # late, because importing it takes long

        self._parts = [matrix_balance(A[np.ix_(block, block)], permute=False)[0] for block in blocks(A)]
        largest = max((float(np.abs(np.linalg.eigvals(part)).max()) for part in self._parts), default=0.0)
        floor = ROUNDING / KNOWN * largest
        self._scales = [max(float(np.linalg.norm(part)), floor, 1e-300) for part in self._parts]
        self._singular = [np.linalg.svd(part)[1:] for part in self._parts]
        self._limits = [KNOWN] * len(self._parts)

    def zero_count(self) -> int:
        """Removes all zeros; their number."""
        count = 0
        while any(len(part) for part in self._parts):
            number = self._next()
            if self._size(number) > self._limits[number]:
                break
            self._remove(number)
            count += 1
        return count

    def without(self, zeros: int) -> list[Matrix]:
        """Diagonal blocks with all other eigenvalues, after the smallest singular values were taken for zeros."""
        for _ in range(zeros):
            self._remove(self._next())
        return [part for part in self._parts if len(part)]

    def _size(self, number: int) -> float:
        """The smallest singular value of a block, compared with the block."""
        sizes = self._singular[number][0]
        return float(sizes[-1] / self._scales[number]) if len(sizes) else np.inf

    def _next(self) -> int:
        return min(range(len(self._parts)), key=self._size)

    def _remove(self, number: int) -> None:
        sizes = self._singular[number][0] / self._scales[number]
        next_size = sizes[sizes > KNOWN].min(initial=1.0)  # x is off by the error of A over this, and so is the rest
        self._limits[number] = min(max(self._limits[number], KNOWN / next_size), COARSE)
        kept = self._singular[number][1][:-1]
        self._parts[number] = kept @ self._parts[number] @ kept.T
        self._singular[number] = np.linalg.svd(self._parts[number])[1:]


def blocks(A: Matrix) -> list[NDArray[Any]]:
    """The states in groups whose rates depend on each other in a circle."""
    from scipy.sparse import csr_array  # late, because importing it takes long
    from scipy.sparse.csgraph import connected_components

    sizes = np.abs(A)
    largest = np.maximum(sizes.max(axis=1, initial=0.0)[:, None], sizes.max(axis=0, initial=0.0)[None, :])
    links = csr_array((sizes > ROUNDING * largest).astype(np.int8))
    count, labels = connected_components(links, connection="strong")
    return [np.flatnonzero(labels == k) for k in range(count)]
