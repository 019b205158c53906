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


def doubtful(A: Matrix) -> tuple[Poles, Matrix]:
    """The eigenvalues, and for each of them by how much it may be off.

    An error δA moves a simple eigenvalue by up to |δA|/|yᴴ·x|, with its left and right unit vectors y and x. A stiff
    part of a system does not hide that another one grows slowly.

    Example:
        >>> poles, doubts = doubtful(np.diag([-1e7, 0.5]))
        >>> poles.real.tolist(), bool((doubts < 1e-4).all())
        ([0.5, -10000000.0], True)
    """
    parts = [_with_doubts(A[np.ix_(block, block)]) for block in blocks(A)]
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


def blocks(A: Matrix) -> list[NDArray[Any]]:
    """The states in groups whose rates depend on each other in a circle."""
    from scipy.sparse import csr_array  # late, because importing it takes long
    from scipy.sparse.csgraph import connected_components

    sizes = np.abs(A)
    largest = np.maximum(sizes.max(axis=1, initial=0.0)[:, None], sizes.max(axis=0, initial=0.0)[None, :])
    links = csr_array((sizes > ROUNDING * largest).astype(np.int8))
    count, labels = connected_components(links, connection="strong")
    return [np.flatnonzero(labels == k) for k in range(count)]
