"""Symmetric 3×3 matrices: six components, and half the work."""

from __future__ import annotations

from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from multibody.algebra.scalar import Scalar, is_scalar, number_or_none, plus, stacked, sum_of_products, times, zero_like
from multibody.algebra.value import Linear, set_once
from multibody.algebra.vectors import Mat3, MatrixLike, Vec3
from multibody.errors import NumberError, ShapeError
from multibody.graph import same

SymmetricLike: TypeAlias = "Symmetric3 | MatrixLike"

_ASYMMETRY = 1e-9  # relative; what is left of symmetry in a matrix that went through a file


class Symmetric3(Linear):
    """A symmetric matrix, exactly so: xy represents both xy and yx.

    The components are the entries of the matrix. For an inertia tensor, xy is therefore -∫ x·y dm.

    Example:
        >>> s = Symmetric3(1.0, 2.0, 3.0, xy=0.5)
        >>> s @ Vec3(1.0, 0.0, 0.0)
        Vec3(1.0, 0.5, 0.0)
    """

    __slots__ = ("xx", "xy", "xz", "yy", "yz", "zz")
    _fields = ("xx", "yy", "zz", "xy", "xz", "yz")
    _products = "Use '@' for the product of a matrix and a vector."
    xx: Scalar
    yy: Scalar
    zz: Scalar
    xy: Scalar
    xz: Scalar
    yz: Scalar

    def __init__(
        self, xx: Scalar, yy: Scalar, zz: Scalar, xy: Scalar = 0.0, xz: Scalar = 0.0, yz: Scalar = 0.0
    ) -> None:
        set_once(self, "xx", xx)
        set_once(self, "yy", yy)
        set_once(self, "zz", zz)
        set_once(self, "xy", xy)
        set_once(self, "xz", xz)
        set_once(self, "yz", yz)

    @classmethod
    def zero(cls) -> Self:
        """The zero matrix."""
        return cls(0.0, 0.0, 0.0)

    @classmethod
    def identity(cls) -> Self:
        """The identity matrix."""
        return cls(1.0, 1.0, 1.0)

    @classmethod
    def diagonal(cls, xx: Scalar, yy: Scalar, zz: Scalar) -> Self:
        """The matrix with these entries on its diagonal, and zeros elsewhere."""
        o = zero_like(xx)
        return cls(xx, yy, zz, o, o, o)

    @classmethod
    def square(cls, a: Vec3) -> Self:
        """a·aᵀ, the dyadic square of a vector."""
        return cls(a.x * a.x, a.y * a.y, a.z * a.z, times(a.x, a.y), times(a.x, a.z), times(a.y, a.z))

    @classmethod
    def moment(cls, a: Vec3, b: Vec3) -> Self:
        """(a·b)·1 - (a·bᵀ + b·aᵀ)/2; with b = m·a the inertia of a point mass m at a, about the origin."""
        x, y, z = times(a.x, b.x), times(a.y, b.y), times(a.z, b.z)
        xy, xz, yz = (sum_of_products(a[i], b[j], a[j], b[i]) / -2 for i, j in ((0, 1), (0, 2), (1, 2)))
        return cls(plus(y, z), plus(x, z), plus(x, y), xy, xz, yz)

    @classmethod
    def moments(cls, a: Vec3, b: Vec3) -> Self:
        """2·(a·b)·1 - (a·bᵀ + b·aᵀ), twice the ``moment``, with a doubled first: it is often a constant."""
        x, y, z = (times(plus(a[k], a[k]), b[k]) for k in range(3))
        xy, xz, yz = (-sum_of_products(a[i], b[j], a[j], b[i]) for i, j in ((0, 1), (0, 2), (1, 2)))
        return cls(plus(y, z), plus(x, z), plus(x, y), xy, xz, yz)

    @classmethod
    def from_any(cls, thing: SymmetricLike, *, what: str = "symmetric matrix") -> Symmetric3:
        """A symmetric matrix from three rows; numbers may be asymmetric by rounding only.

        Example:
            >>> Symmetric3.from_any([[1, 4, 5], [4, 2, 6], [5, 6, 3]])
            Symmetric3(1, 2, 3, 4, 5, 6)
        """
        if isinstance(thing, Symmetric3):
            return thing
        if isinstance(thing, list | tuple | Vec3) and all(map(is_scalar, thing)):
            raise ShapeError(
                f"A {what} needs three rows of three components.",
                code="array-wrong-shape",
                where=repr(thing)[:200],
                remedy="For principal axes write Symmetric3.diagonal(xx, yy, zz).",
                name=what,
            )
        m = Mat3.from_any(thing, what=what)
        scale = _size(m)
        xy, xz, yz = (_common(m[i, j], m[j, i], scale, what) for i, j in ((0, 1), (0, 2), (1, 2)))
        return cls(m[0, 0], m[1, 1], m[2, 2], xy, xz, yz)

    def to_mat3(self) -> Mat3:
        """The same as a general matrix."""
        return Mat3(*self.rows)

    @property
    def rows(self) -> tuple[Vec3, Vec3, Vec3]:
        """The three rows, which are the three columns too."""
        return Vec3(self.xx, self.xy, self.xz), Vec3(self.xy, self.yy, self.yz), Vec3(self.xz, self.yz, self.zz)

    def __matmul__(self, other: Vec3) -> Vec3:
        if not isinstance(other, Vec3):
            return NotImplemented
        x, y, z = self.rows
        return Vec3(x.dot(other), y.dot(other), z.dot(other))

    def __getitem__(self, index: tuple[int, int]) -> Scalar:
        return self.rows[index[0]][index[1]]

    def trace(self) -> Scalar:
        """The sum of the diagonal."""
        return self.xx + self.yy + self.zz

    def to_array(self) -> NDArray[Any]:
        """An array of shape (3, 3); a batch keeps its own dimensions in front."""
        return stacked(self.to_mat3().components(), 3, 3)


def _size(matrix: Mat3) -> float:
    numbers = [number_or_none(entry) for entry in matrix.components()]
    return max((float(np.max(np.abs(n))) for n in numbers if n is not None), default=0.0)


def _common(a: Scalar, b: Scalar, scale: float, what: str) -> Scalar:
    """The entry that two mirrored entries stand for: their mean, if they differ by rounding only."""
    x, y = number_or_none(a), number_or_none(b)
    unknown = x is None or y is None
    if not (same(a, b) if unknown else np.all(np.abs(x - y) <= _ASYMMETRY * scale)):
        raise NumberError(
            f"The {what} is not symmetric.",
            code="matrix-not-symmetric",
            where=f"{a} and {b} on opposite sides of the diagonal",
            remedy="Make mirrored entries equal.",
            name=what,
        )
    return a if unknown or np.all(x == y) else (a + b) / 2
