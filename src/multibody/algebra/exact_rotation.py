"""Fixed rotations that are exactly orthogonal in the fingerprint field, from matrices that are so up to rounding."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multibody.algebra.euler import angles_of, turn_by
from multibody.algebra.rotation import Quaternion, Rotation
from multibody.algebra.rotation_forms import Identity, RotationForm, composed
from multibody.algebra.vectors import Mat3, MatrixLike
from multibody.graph import constant, pi

_ROUNDING = 1e-15

Floats = NDArray[np.float64]


def exact_rotation(matrix: MatrixLike, tolerance: float = 0.0) -> Rotation:
    """A rotation of graph constants that is exactly orthogonal, from a rounded matrix.

    R·Rᵀ of a rounded matrix is not 1, and no proof by fingerprint survives that. So:

    - a matrix with an entry 0 is a product of two or three turns about coordinate axes. Quarter turns are exact (a
      signed permutation becomes integers), other turns are cosine and sine of a constant angle;
    - any other matrix is a rational function of a quaternion of floats.

    Args:
        matrix: three rows of numbers, orthonormal to within 1e-9.
        tolerance: how far entries may be moved to make them 0 and angles to make them quarter turns; 0.0 allows for
            rounding only. Angles from files such as 1.5708 need about 1e-5.

    Returns:
        A rotation whose entries differ from the given ones by at most 1e-15 or, for three angles, three times the
        tolerance, plus the deviation of the given matrix from a rotation.

    Example:
        >>> import math
        >>> c, s = math.cos(math.pi / 2), math.sin(math.pi / 2)
        >>> c
        6.123233995736766e-17
        >>> exact_rotation([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]).to_matrix().row_x
        Vec3(0, -1, 0)
    """
    cosines = Rotation.matrix(Mat3.from_any(matrix, what="rotation matrix").map(float)).to_array()
    defect = float(np.max(np.abs(cosines @ cosines.T - np.eye(3))))
    allowed = max(_ROUNDING, 3 * tolerance) + defect
    i, j = divmod(int(np.argmin(np.abs(cosines))), 3)
    if abs(cosines[i, j]) <= max(_ROUNDING, tolerance):
        turns = Rotation(_turns(cosines, i, j, max(_ROUNDING, tolerance)))
        if _distance(turns, cosines) <= allowed:
            return turns
    return _from_quaternion(cosines)


def _turns(cosines: Floats, i: int, j: int, tolerance: float) -> RotationForm:
    """The product of turns for a matrix whose entry (i, j) vanishes: then the middle angle is a multiple of π/2."""
    middle = (i + 1) % 3 if i == j else 3 - i - j
    sequence = "".join("xyz"[axis] for axis in (i, middle, j))
    form: RotationForm = Identity()
    for letter, angle in zip(sequence, angles_of(Mat3.from_any(cosines), sequence), strict=True):
        form = composed(form, _turn("xyz".index(letter), angle, tolerance))
    return form


def _turn(axis: int, angle: float, tolerance: float) -> RotationForm:
    """A number of quarter turns, and a turn by at most π/4 if there is more to it."""
    rest = math.remainder(angle, math.pi / 2)
    quarter_turns = turn_by(axis, pi * Fraction(round((angle - rest) / (math.pi / 2)), 2))
    return quarter_turns if abs(rest) <= tolerance else composed(quarter_turns, turn_by(axis, constant(rest)))


def _distance(rotation: Rotation, cosines: Floats) -> float:
    return float(np.max(np.abs(rotation.map(float).to_array() - cosines)))


def _from_quaternion(cosines: Floats) -> Rotation:
    """Entries that are quotients of exact products of floats, with the exact square of the length as divisor."""
    q = Quaternion(*map(constant, _nearest_quaternion(cosines)))
    return Rotation.quaternion(q)


def _nearest_quaternion(cosines: Floats) -> list[float]:
    """The quaternion whose rotation is nearest to the matrix, rounded to floats only at the end.

    It is the eigenvector for the largest eigenvalue (4; the others are near 0) of 4·q·qᵀ (Bar-Itzhack 2000). From the
    float solution, one step of the power method in exact arithmetic is all that is needed.
    """
    exact = [[Fraction(float(entry)) for entry in row] for row in cosines]
    (a, b, c), (d, e, f), (g, h, i) = exact
    products = [
        [1 + a + e + i, h - f, c - g, d - b],
        [h - f, 1 + a - e - i, b + d, c + g],
        [c - g, b + d, 1 - a + e - i, f + h],
        [d - b, c + g, f + h, 1 - a - e + i],
    ]
    start = Quaternion.from_matrix(Mat3.from_any(cosines)).components()
    step: list[Any] = [sum(x * Fraction(q) for x, q in zip(row, start, strict=True)) for row in products]
    return [float(x / 4) for x in step]
