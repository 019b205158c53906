"""Left and right invariant subspaces of groups of poles that cannot be distinguished.

A double pole has no eigenvectors of its own: any error chooses others. Its invariant subspace is well defined. From
one Schur form A = Q·T·Qᴴ, poles are moved to the front or to the end (LAPACK ztrsen; Bai and Demmel 1993), which gives
orthonormal bases of the right and left subspaces.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multibody.linearization.operating_points.point import Matrix
from multibody.linearization.tolerances import JORDAN_POLE_ERROR, SCHUR_ERROR

Complex = NDArray[np.complex128]


REFINEMENTS = 2
"""Newton steps for the left subspaces, whose residuals then are those of rounding in each entry."""


@dataclass(frozen=True, eq=False)
class PoleGroup:
    """Poles with their left and right invariant subspaces: left·A = block·left, A·right = right·block.

    Attributes:
        poles: eigenvalues of the block.
        left: a basis of rows.
        right: the columns with left·right = 1.
        block: the matrix of the group.
        residual: |left·A - block·left|.
        others: an orthonormal basis of the right subspace of all other poles.
        others_block: their triangular matrix.
        mirrored: whether the conjugate poles are another group, which is left out.
    """

    poles: Complex
    left: Complex
    right: Complex
    block: Complex
    residual: Matrix
    others: Complex
    others_block: Complex
    mirrored: bool

    def resolvent(self, columns: Matrix) -> Complex:
        """Z = S·columns with the reduced resolvent S: errors δA change left·columns by left·δA·Z, to first order."""
        from scipy.linalg import solve_triangular  # late, because importing it takes long

        rest = self.others.conj().T @ (columns - self.right @ (self.left @ columns))
        if not len(self.others_block):
            return np.zeros(columns.shape, dtype=complex)
        shifted = self.others_block - self.poles.mean() * np.eye(len(self.others_block))
        return np.asarray(self.others @ solve_triangular(shifted, rest))


def pole_groups(A: Matrix, terms: Matrix, error: float) -> list[PoleGroup]:
    """The groups of a balanced matrix; of a real one, without those below the real axis that mirror others.

    Args:
        A: state matrix.
        terms: sizes of the terms in the entries of A.
        error: relative error of these terms; poles that it may bring together form a group.

    Raises:
        numpy.linalg.LinAlgError: if the Schur form is not found.
    """
    from scipy.linalg import schur  # late, because importing it takes long

    if not len(A):
        return []
    T, Q = schur(A, output="complex")
    poles = np.diag(T)
    members = clusters(poles, _radii(T, Q, terms, error))
    above, below = ([places for places in members if (sign * poles[places].imag > 0).all()] for sign in (1, -1))
    if np.iscomplexobj(A) or sorted(map(len, above)) != sorted(map(len, below)):
        above, below = [], []
    return [_group(A, T, Q, places, mirrored=places in above) for places in members if places not in below]


def clusters(points: Complex, radii: Matrix) -> list[list[int]]:
    """Points whose circles touch, in groups.

    Example:
        >>> clusters(np.array([0.0, 5.0, 0.1 + 0j]), np.array([0.06, 1.0, 0.06]))
        [[0, 2], [1]]
    """
    from scipy.sparse import csr_array  # late, because importing it takes long
    from scipy.sparse.csgraph import connected_components

    near = np.abs(points[:, None] - points) <= radii[:, None] + radii
    count, labels = connected_components(csr_array(near.astype(np.int8)), directed=False)
    return [np.flatnonzero(labels == k).tolist() for k in range(count)]


def _radii(T: Complex, Q: Complex, terms: Matrix, error: float) -> Matrix:
    """By how much each pole may be off: error·|y|·terms·|x|/|yᴴ·x| with unit left and right vectors y and x.

    The Schur form adds rounding errors, relative to the norm of A.
    """
    n, least = len(T), np.finfo(float).eps * float(np.linalg.norm(T)) + np.finfo(float).tiny
    radii, computed = np.zeros(n), SCHUR_ERROR * float(np.linalg.norm(T))
    for k in range(n):
        x, y = np.zeros(n, dtype=complex), np.zeros(n, dtype=complex)
        x[k] = y[k] = 1.0
        x[:k] = _triangular(T[:k, :k], T[k, k], -T[:k, k], least)
        y[k + 1 :] = _triangular(T[k + 1 :, k + 1 :].T, T[k, k], -T[k, k + 1 :], least, lower=True)
        right, left = Q @ (x / np.linalg.norm(x)), (y / np.linalg.norm(y)) @ Q.conj().T
        along = 1 / float(np.linalg.norm(x) * np.linalg.norm(y))
        size = float(np.abs(left) @ terms @ np.abs(right)) + computed / error
        radii[k] = min(error / along, JORDAN_POLE_ERROR) * size
    return radii


def _triangular(block: Complex, pole: complex, column: Complex, least: float, *, lower: bool = False) -> Complex:
    """(block - pole·1)⁻¹·column, where differences of poles below the least one are replaced by it (as in ztrevc)."""
    from scipy.linalg import solve_triangular  # late, because importing it takes long

    if not len(block):
        return np.zeros(0, dtype=complex)
    differences = np.diag(block) - pole
    differences = np.where(np.abs(differences) < least, least, differences)
    shifted = block - np.diag(np.diag(block)) + np.diag(differences)
    return np.asarray(solve_triangular(shifted, column, lower=lower))


def _group(A: Matrix, T: Complex, Q: Complex, members: list[int], *, mirrored: bool) -> PoleGroup:
    chosen = np.zeros(len(T), dtype=np.int32)
    chosen[members] = 1
    count = len(members)
    _, first = _reordered(T, Q, chosen)
    others_block, last = _reordered(T, Q, 1 - chosen)
    others, others_block = last[:, : len(T) - count], others_block[: len(T) - count, : len(T) - count]
    left, right = last[:, len(T) - count :].conj().T, first[:, :count]
    for _ in range(REFINEMENTS if len(others_block) else 0):
        right = right @ np.linalg.inv(left @ right)
        block = left @ A @ right
        residual = left @ A - block @ left
        left = left + _correction(block, others_block, residual @ others) @ _dual(others, left, right)
    right = right @ np.linalg.inv(left @ right)
    block = left @ A @ right
    poles = np.linalg.eigvals(block).astype(np.complex128)
    return PoleGroup(poles, left, right, block, np.abs(left @ A - block @ left), others, others_block, mirrored)


def _dual(others: Complex, left: Complex, right: Complex) -> Complex:
    """Rows that give coordinates in the basis of the other poles."""
    adjoint = others.conj().T
    return np.asarray(adjoint - (adjoint @ right) @ left)


def _correction(block: Complex, others: Complex, residual: Complex) -> Complex:
    """P with P·others - block·P = -residual."""
    from scipy.linalg import solve_sylvester, solve_triangular  # late, because importing it takes long

    if len(block) == 1:
        shifted = others - block[0, 0] * np.eye(len(others))
        return np.asarray(solve_triangular(shifted, -residual[0], trans="T")[None, :])
    return np.asarray(solve_sylvester(-block, others, -residual))


def _reordered(T: Complex, Q: Complex, chosen: Any) -> tuple[Complex, Complex]:
    """The Schur form with the chosen poles first."""
    from scipy.linalg.lapack import ztrsen  # late, because importing it takes long

    block, basis, *_, info = ztrsen(chosen, T, Q, job=b"N")
    if info:
        raise np.linalg.LinAlgError(f"ztrsen: {info}")
    return block, basis
