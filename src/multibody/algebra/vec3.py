"""Vectors of three components."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np

from multibody.algebra.scalar import (
    Scalar,
    difference_of_products,
    is_scalar,
    minus,
    plus,
    sqrt,
    sum_of_products,
    times,
    vanishes,
)
from multibody.algebra.value import Linear, items_of
from multibody.errors import ShapeError, ZeroDivisorError
from multibody.graph.expr import ZERO

if TYPE_CHECKING:
    from multibody.algebra.mat3 import Mat3

VectorLike: TypeAlias = "Vec3 | Iterable[Scalar]"
"""A ``Vec3``, or a list, tuple or array with three components."""


class Vec3(Linear):
    """A vector (x, y, z) of floats, of arrays (a batch of vectors) or of expressions.

    Example:
        >>> a, b = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 2.0, 0.0)
        >>> a.cross(b), a.dot(b), (a + b).norm()
        (Vec3(0.0, 0.0, 2.0), 0.0, 2.23606797749979)
        >>> from multibody.graph import symbols
        >>> Vec3(*symbols("x y z")).cross(a)
        Vec3(0, z, -y)
    """

    __slots__ = ("x", "y", "z")
    _fields = ("x", "y", "z")
    _products = "Use a.dot(b), a.cross(b) or a.outer(b)."
    x: Scalar
    y: Scalar
    z: Scalar

    def __init__(self, x: Scalar, y: Scalar, z: Scalar) -> None:
        _set_x(self, x)
        _set_y(self, y)
        _set_z(self, z)

    @classmethod
    def zero(cls) -> Self:
        """The zero vector."""
        return cls(0.0, 0.0, 0.0)

    @classmethod
    def ex(cls) -> Self:
        """The unit vector along x."""
        return cls(1.0, 0.0, 0.0)

    @classmethod
    def ey(cls) -> Self:
        """The unit vector along y."""
        return cls(0.0, 1.0, 0.0)

    @classmethod
    def ez(cls) -> Self:
        """The unit vector along z."""
        return cls(0.0, 0.0, 1.0)

    @classmethod
    def from_any(cls, thing: VectorLike, *, what: str = "vector") -> Vec3:
        """A vector from a vector, or from a list, tuple or array of three components.

        Example:
            >>> Vec3.from_any([1, 2, 3])
            Vec3(1, 2, 3)
        """
        if isinstance(thing, Vec3):
            return thing
        items = items_of(thing)
        if len(items) != 3 or not all(map(is_scalar, items)):
            wrong = f"There are {len(items)} entries." if items else "It is not a list of numbers or expressions."
            raise ShapeError(
                f"{'An' if what[0] in 'aeiou' else 'A'} {what} needs three components.",
                where=repr(thing)[:200],
                cause="Its entries are not all numbers or expressions." if len(items) == 3 else wrong,
                remedy=f"Write the {what} as (x, y, z); many vectors in one array are read by Vec3.from_batch.",
            )
        return cls(*items)

    @classmethod
    def from_batch(cls, array: Any) -> Self:
        """A batch of vectors from an array whose last dimension has length 3.

        Example:
            >>> Vec3.from_batch([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]).norm()
            array([1., 2.])
        """
        entries = np.asarray(array)
        if entries.ndim < 2 or entries.shape[-1] != 3:
            raise ShapeError(
                f"An array of shape {entries.shape} is not a batch of vectors.",
                remedy="Give an array of shape (…, 3), one vector in each row.",
            )
        return cls(*np.moveaxis(entries, -1, 0))

    def __iter__(self) -> Iterator[Scalar]:
        return iter((self.x, self.y, self.z))

    def __len__(self) -> int:
        return 3

    def __getitem__(self, index: int) -> Scalar:
        return (self.x, self.y, self.z)[index]

    def __add__(self, other: Any) -> Self:
        if isinstance(other, Vec3):
            return type(self)(plus(self.x, other.x), plus(self.y, other.y), plus(self.z, other.z))
        return super().__add__(other)

    def __sub__(self, other: Any) -> Self:
        if isinstance(other, Vec3):
            return type(self)(minus(self.x, other.x), minus(self.y, other.y), minus(self.z, other.z))
        return super().__sub__(other)

    def dot(self, other: VectorLike) -> Scalar:
        """The scalar product."""
        b = other if isinstance(other, Vec3) else Vec3.from_any(other)
        return plus(sum_of_products(self.x, b.x, self.y, b.y), times(self.z, b.z))

    def cross(self, other: VectorLike) -> Vec3:
        """The vector product."""
        b = other if isinstance(other, Vec3) else Vec3.from_any(other)
        return Vec3(
            difference_of_products(self.y, b.z, self.z, b.y),
            difference_of_products(self.z, b.x, self.x, b.z),
            difference_of_products(self.x, b.y, self.y, b.x),
        )

    def outer(self, other: VectorLike) -> Mat3:
        """The dyadic product, the matrix of all self[i]·other[j]."""
        from multibody.algebra.mat3 import Mat3  # matrices are made of vectors

        b = other if isinstance(other, Vec3) else Vec3.from_any(other)
        return Mat3(b * self.x, b * self.y, b * self.z)

    def norm(self) -> Scalar:
        """The length."""
        square = self.dot(self)
        return square if square is ZERO else sqrt(square)

    def unit(self) -> Vec3:
        """The vector of length 1 in the same direction.

        Example:
            >>> Vec3(0.0, 3.0, 4.0).unit()
            Vec3(0.0, 0.6, 0.8)
        """
        length = self.norm()
        if vanishes(length):
            raise ZeroDivisorError(
                "A vector of length zero has no direction.",
                where=repr(self)[:200],
                remedy="Give a vector with at least one component that is not zero.",
            )
        return self / length


_set_x, _set_y, _set_z = (Vec3.__dict__[name].__set__ for name in ("x", "y", "z"))
