"""Poles of linear systems with error bounds, part by part.

A mechanism that rolls has states that nothing depends on: where it is, which way it faces, how far its wheels have
turned. Each of them is an eigenvalue zero, and several of them spoil each other's digits, and those of any other
eigenvalue that comes near zero: an n-fold one is found to the n-th root of rounding only. If instead the states are
first divided into groups that depend on each other in a circle (strongly connected components), the matrix is block
triangular, its eigenvalues are those of the blocks, and zeros stay zeros. Zeros within a block are removed; see
``deflation``.

Nothing is compared with a fixed number of a unit, nor with entries of other rows or columns, whose units differ: an
entry of A is zero if it is so exactly; see ``rounding`` for those that are rounding errors.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from multibody.linearization.operating_points.point import Matrix
from multibody.linearization.spectra.deflation import DeflatedBlock
from multibody.linearization.spectra.eigenpairs import Poles
from multibody.linearization.tolerances import ENTRY_ERROR

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
