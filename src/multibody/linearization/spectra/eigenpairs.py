"""Eigenvalues of one strongly connected state matrix, each with an error bound.

Poles of a mechanism may spread over twenty orders of magnitude, and LAPACK's errors are relative to the largest. Three
steps give each pole its own digits:

1. LAPACK's eigenvalues and vectors of the balanced matrix (Parlett and Reinsch 1969).
2. The correction yᴴ·(A - s·1)·x/(yᴴ·x), with a residual in twice the digits (Ogita, Rump and Oishi 2005, Dot2). What is
   left is of second order in the errors of the vectors.
3. Where the bound of that is still larger than what the entries of A allow: QR with as many digits as it takes.

An error δA of the entries moves a simple pole by up to |y|ᵀ·|δA|·|x|/|yᴴ·x|, whatever the units of the states. Poles
that nearly coincide move by roots of that; see ``cluster_bounds``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from multibody.linearization.operating_points.point import Matrix
from multibody.linearization.tolerances import COMPUTATION_SHARE, EPS, SEPARATE_POLE

Poles = NDArray[np.complex128]


SPLITTER = 2.0**27 + 1
"""Dekker 1971: splits a number into two halves whose products are exact."""


DIGITS = (34, 60, 110, 200)
"""Decimal digits that are tried one after the other."""


LARGEST_PRECISE = 40
"""Larger matrices are not computed with many digits: it takes minutes."""


class Eigenvalues(NamedTuple):
    """Poles with bounds of their errors, and whether they took more digits than plain numbers have."""

    poles: Poles
    bounds: Matrix
    precise: bool = False


def bounded_eigenvalues(A: Matrix, errors: Matrix) -> Eigenvalues:
    """The eigenvalues of a matrix whose entries are known to within errors.

    Args:
        A: any square matrix.
        errors: of each entry.

    Example:
        >>> A = np.array([[0.0, 1.0, 0.0], [-80.0, -0.2, 1e2], [8e1, 2e-1, -1e14]])
        >>> found = bounded_eigenvalues(A, 1e-12 * abs(A))
        >>> sorted(f"{s:.9g}" for s in found.poles)
        ['-0.1+8.94371288j', '-0.1-8.94371288j', '-1e+14+0j']
    """
    if len(A) == 1:
        return Eigenvalues(A[0].astype(complex), errors[0].copy())
    balanced, scaled_errors = balance(A, errors)
    largest = float(np.abs(balanced).max(initial=0.0))
    size = 2.0 ** np.floor(np.log2(largest)) if largest else 1.0  # products must neither overflow nor vanish
    balanced, scaled_errors = balanced / size, scaled_errors / size
    plain = _plain(balanced, scaled_errors)
    found = plain._replace(precise=False)
    if not plain.precise and len(A) <= LARGEST_PRECISE:
        found = _with_digits(balanced, scaled_errors) or found
    return Eigenvalues(found.poles * size, found.bounds * size, found.precise)


def balance(A: Matrix, errors: Matrix) -> tuple[Matrix, Matrix]:
    """A matrix in units in which rows and columns have the same size, and its errors."""
    from scipy.linalg import matrix_balance  # late, because importing it takes long

    with np.errstate(all="ignore"):  # SciPy casts scales that are too large for a permutation
        balanced, (scale, _) = matrix_balance(A, permute=False, separate=True)
    return balanced, errors * (scale[None, :] / scale[:, None])


def cluster_bounds(gaps: Matrix, simple: Matrix) -> Matrix:
    """How far eigenvalues move, also where they nearly coincide.

    Args:
        gaps: distances between eigenvalues, a row for each; diagonal entries are ignored.
        simple: how far each would move if it were a simple one, by first-order theory.

    The characteristic polynomial p changes at s by e = simple·Π|s - sⱼ|, its derivative times the shift. Of m
    eigenvalues that are nearer to each other than they move, each moves by up to the m-th root of e/Π|s - sⱼ| over the
    others, and within the group.

    Example:
        >>> cluster_bounds(np.array([[0.0, 1e-9], [1e-9, 0.0]]), np.array([1e-3, 1e-3])).round(7).tolist()
        [1.4e-06, 1.4e-06]
    """
    found = np.empty(len(gaps))
    for k, row in enumerate(gaps):
        near = np.sort(np.delete(row, k))
        found[k] = _cluster_bound(near, float(simple[k]))
    return found


def _cluster_bound(near: Matrix, simple: float) -> float:
    """The bound for one eigenvalue, with its distances to the others in their order."""
    power = simple  # e over the distances to those outside the group
    for m in range(1, len(near) + 2):
        radius = simple if m == 1 else float((2 * power) ** (1 / m) + near[m - 2])
        if m > len(near) or radius <= near[m - 1] / 2:
            return radius
        power = power * float(near[m - 1])
    return np.inf


# plain numbers -------------------------------------------------------------------------------------------------------


def _plain(A: Matrix, errors: Matrix) -> Eigenvalues:
    """By LAPACK, with corrections; ``precise`` says whether that is enough."""
    from scipy.linalg import eig  # late, because importing it takes long

    poles, left, right = eig(A, left=True)
    along = np.maximum(np.abs(np.sum(left.conj() * right, axis=0)), 1e-300)
    gaps = np.abs(poles[:, None] - poles[None, :])
    data = cluster_bounds(gaps, _products(left, errors, right) / along)
    simple = 2 * EPS * np.sqrt(len(A)) * float(np.linalg.norm(A)) / along
    nearest = np.where(np.eye(len(A), dtype=bool), np.inf, gaps).min(axis=1)
    shifts = _corrections(A, poles, left, right)
    alone = (simple <= SEPARATE_POLE * nearest) & (np.abs(shifts) <= simple)
    poles = np.where(alone, poles + np.where(poles.imag == 0, shifts.real, shifts), poles)
    ratio = np.where(alone, simple, 0.0) / np.maximum(nearest, 1e-300)
    second_order = 4 * ratio * simple + 4 * EPS * np.abs(poles)
    computed = np.where(alone, second_order, cluster_bounds(gaps, simple))
    return Eigenvalues(_paired(poles), data + computed, bool((computed <= data).all()))


def _corrections(A: Matrix, poles: Any, left: Any, right: Any) -> Any:
    """yᴴ·(A - s·1)·x/(yᴴ·x) for each pole; zero where left and right vectors are perpendicular."""
    along = np.sum(left.conj() * right, axis=0)
    regular = along != 0
    found = np.sum(left.conj() * _residuals(A, right, poles), axis=0)
    return np.where(regular, found / np.where(regular, along, 1.0), 0.0)


def _products(left: Any, errors: Matrix, right: Any) -> Matrix:
    """|y|ᵀ·|δA|·|x| for each pair of vectors."""
    return np.asarray(np.einsum("ik,ij,jk->k", np.abs(left), errors, np.abs(right)))


def _paired(poles: Any) -> Poles:
    """Conjugate pairs that are so to the last digit; LAPACK gives both one after the other."""
    found = np.array(poles, dtype=complex)
    upper = np.flatnonzero(found.imag > 0)
    found[upper + 1] = found[upper].conj()
    return found


def _residuals(A: Matrix, vectors: Any, poles: Any) -> Any:
    """A·x - s·x, as if it were computed with twice the digits."""
    real, imag = np.ascontiguousarray(vectors.real), np.ascontiguousarray(vectors.imag)
    rows = range(len(A))
    upper = [(A[:, k, None], real[None, k]) for k in rows] + [(-real, poles.real[None]), (imag, poles.imag[None])]
    lower = [(A[:, k, None], imag[None, k]) for k in rows] + [(-real, poles.imag[None]), (-imag, poles.real[None])]
    return _sum_of_products(upper) + 1j * _sum_of_products(lower)


def _sum_of_products(pairs: Iterable[tuple[Matrix, Matrix]]) -> Matrix:
    """Σ a·b with the errors of all products and sums (Dot2)."""
    total: Any = 0.0
    lost: Any = 0.0
    for a, b in pairs:
        product, below = _two_product(a, b)
        before, total = total, total + product
        part = total - before
        lost = lost + ((before - (total - part)) + (product - part) + below)
    return np.asarray(total + lost)


def _two_product(a: Matrix, b: Matrix) -> tuple[Matrix, Matrix]:
    """a·b and its rounding error (Dekker 1971)."""
    product = a * b
    (a_high, a_low), (b_high, b_low) = _split(a), _split(b)
    return product, a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)


def _split(a: Matrix) -> tuple[Matrix, Matrix]:
    large = SPLITTER * a
    high = large - (large - a)
    return high, a - high


# many digits ---------------------------------------------------------------------------------------------------------


def _with_digits(A: Matrix, errors: Matrix) -> Eigenvalues | None:
    """With as many digits as it takes; None if that fails."""
    import mpmath  # late, because few matrices need it

    for digits in DIGITS:
        with mpmath.workdps(digits):
            try:
                poles, left, right = mpmath.eig(mpmath.matrix(A.tolist()), left=True, right=True)
            except (ValueError, ArithmeticError, RuntimeError):
                return None
            y, x, along = _unit_vectors(left, right)
            gaps = np.array([[float(abs(a - b)) for b in poles] for a in poles])
            numbers = np.array([complex(s) for s in poles])
        data = cluster_bounds(gaps, _products(y, errors, x) / along)
        simple = 10.0 ** (2 - digits) * float(np.linalg.norm(A)) / along
        computed = cluster_bounds(gaps, simple)
        if (computed <= np.maximum(COMPUTATION_SHARE * data, EPS * np.abs(numbers))).all():
            real = np.abs(numbers.imag) <= computed
            numbers = _matched_pairs(np.where(real, numbers.real, numbers))
            return Eigenvalues(numbers, data + computed + 2 * EPS * np.abs(numbers), True)
    return None


def _unit_vectors(left: Any, right: Any) -> tuple[Matrix, Matrix, Matrix]:
    """Sizes of the components of left and right unit vectors, as columns, and |yᴴ·x|."""
    import mpmath

    n = left.rows
    y = [[left[k, i] for i in range(n)] for k in range(n)]
    x = [[right[i, k] for i in range(n)] for k in range(n)]
    sizes = [(mpmath.norm(a), mpmath.norm(b)) for a, b in zip(y, x, strict=True)]
    along = [abs(mpmath.fdot(a, b)) / (s * t) for a, b, (s, t) in zip(y, x, sizes, strict=True)]
    rows_y = [[float(abs(e) / s) for e in a] for a, (s, _) in zip(y, sizes, strict=True)]
    rows_x = [[float(abs(e) / t) for e in b] for b, (_, t) in zip(x, sizes, strict=True)]
    return np.array(rows_y).T, np.array(rows_x).T, np.maximum(np.array(list(map(float, along))), 1e-300)


def _matched_pairs(poles: Any) -> Poles:
    """Conjugate pairs that are so to the last digit, wherever they are."""
    found = np.array(poles, dtype=complex)
    free = [int(k) for k in np.flatnonzero(found.imag < 0)]
    for k in np.flatnonzero(found.imag > 0):
        if free:
            other = free[int(np.abs(found[free].conj() - found[k]).argmin())]
            found[other] = found[k].conj()
            free.remove(other)
    return found
