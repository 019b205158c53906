"""Vectors of three components, and matrices of 3×3 scalars, made of three row vectors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol, Self, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from multibody.algebra.scalar import (
    Scalar,
    difference_of_products,
    is_scalar,
    minus,
    plus,
    sqrt,
    stacked,
    sum_of_products,
    times,
    vanishes,
    zero_like,
)
from multibody.algebra.value import Linear, items_of, set_once
from multibody.errors import ShapeError, ZeroDivisorError
from multibody.graph.expr import ZERO

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
                code="array-wrong-shape",
                where=repr(thing)[:200],
                cause="Its entries are not all numbers or expressions." if len(items) == 3 else wrong,
                remedy=f"Write the {what} as (x, y, z); many vectors in one array are read by Vec3.from_batch.",
                name=what,
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
                code="array-wrong-shape",
                remedy="Give an array of shape (…, 3), one vector in each row.",
                shape=entries.shape,
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


class HasRows(Protocol):
    """A matrix that is not general, such as ``Symmetric3``."""

    @property
    def rows(self) -> tuple[Vec3, Vec3, Vec3]:
        """The three rows."""


MatrixLike: TypeAlias = "Mat3 | HasRows | Iterable[Iterable[Scalar]]"
"""A ``Mat3`` or ``Symmetric3``, or three rows of three components as lists or as an array."""


class Mat3(Linear):
    """A 3×3 matrix by its rows.

    Example:
        >>> a = Mat3.diagonal(1.0, 2.0, 3.0)
        >>> a @ Vec3(1.0, 1.0, 1.0)
        Vec3(1.0, 2.0, 3.0)
        >>> (a @ a).trace(), a.determinant(), a[2, 2]
        (14.0, 6.0, 3.0)
    """

    __slots__ = ("row_x", "row_y", "row_z")
    _fields = ("row_x", "row_y", "row_z")
    _products = "Use '@' for the product of matrices, and of a matrix and a vector."
    row_x: Vec3
    row_y: Vec3
    row_z: Vec3

    def __init__(self, row_x: VectorLike, row_y: VectorLike, row_z: VectorLike) -> None:
        set_once(self, "row_x", row_x if isinstance(row_x, Vec3) else Vec3.from_any(row_x, what="row of a matrix"))
        set_once(self, "row_y", row_y if isinstance(row_y, Vec3) else Vec3.from_any(row_y, what="row of a matrix"))
        set_once(self, "row_z", row_z if isinstance(row_z, Vec3) else Vec3.from_any(row_z, what="row of a matrix"))

    @classmethod
    def zero(cls) -> Self:
        """The zero matrix."""
        return cls(Vec3.zero(), Vec3.zero(), Vec3.zero())

    @classmethod
    def identity(cls) -> Self:
        """The identity matrix."""
        return cls(Vec3.ex(), Vec3.ey(), Vec3.ez())

    @classmethod
    def diagonal(cls, x: Scalar, y: Scalar, z: Scalar) -> Self:
        """The matrix with x, y, z on its diagonal and zeros elsewhere."""
        o = zero_like(x)
        return cls(Vec3(x, o, o), Vec3(o, y, o), Vec3(o, o, z))

    @classmethod
    def from_columns(cls, x: Vec3, y: Vec3, z: Vec3) -> Self:
        """The matrix with these columns."""
        return cls(*map(Vec3, x, y, z))

    @classmethod
    def cross_matrix(cls, vector: VectorLike) -> Self:
        """The matrix A of a vector a with A·b = a × b (footnote 1 of Zaiczek and Enge-Rosenblatt)."""
        a = Vec3.from_any(vector)
        o = zero_like(a.x)
        return cls(Vec3(o, -a.z, a.y), Vec3(a.z, o, -a.x), Vec3(-a.y, a.x, o))

    @classmethod
    def from_any(cls, thing: MatrixLike, *, what: str = "matrix") -> Mat3:
        """A matrix from a matrix, symmetric or not, or from three rows of three components.

        Example:
            >>> Mat3.from_any([[1, 0, 0], [0, 1, 0], [0, 0, 1]]).row_y
            Vec3(0, 1, 0)
        """
        if isinstance(thing, Mat3):
            return thing
        rows = list(thing.rows) if isinstance(thing, Linear) and hasattr(thing, "rows") else items_of(thing)
        if len(rows) != 3 or not all(isinstance(row, Vec3) or len(items_of(row)) == 3 for row in rows):
            raise ShapeError(
                f"A {what} needs three rows of three components.",
                code="array-wrong-shape",
                where=repr(thing)[:200],
                remedy=f"Write the {what} as three rows; many matrices in one array are read by Mat3.from_batch.",
                name=what,
            )
        return cls(*[Vec3.from_any(row, what=f"row of a {what}") for row in rows])

    @classmethod
    def from_batch(cls, array: Any) -> Self:
        """A batch of matrices from an array of shape (…, 3, 3)."""
        entries = np.asarray(array)
        if entries.ndim < 3 or entries.shape[-2:] != (3, 3):
            raise ShapeError(
                f"An array of shape {entries.shape} is not a batch of matrices.",
                code="array-wrong-shape",
                remedy="Give an array of shape (…, 3, 3), one matrix for each member of the batch.",
                shape=entries.shape,
            )
        return cls(*[Vec3.from_batch(entries[..., i, :]) for i in range(3)])

    @property
    def rows(self) -> tuple[Vec3, Vec3, Vec3]:
        """The three rows."""
        return self.row_x, self.row_y, self.row_z

    @property
    def columns(self) -> tuple[Vec3, Vec3, Vec3]:
        """The three columns."""
        return self.transposed().rows

    def __getitem__(self, index: tuple[int, int]) -> Scalar:
        return self.rows[index[0]][index[1]]

    @overload
    def __matmul__(self, other: Vec3) -> Vec3: ...

    @overload
    def __matmul__(self, other: Mat3) -> Mat3: ...

    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, Vec3):
            return Vec3(self.row_x.dot(other), self.row_y.dot(other), self.row_z.dot(other))
        if isinstance(other, Mat3):
            return Mat3(*[other.apply_transposed(row) for row in self.rows])
        return NotImplemented

    def apply_transposed(self, vector: Vec3) -> Vec3:
        """Aᵀ·v."""
        return self.row_x * vector.x + self.row_y * vector.y + self.row_z * vector.z

    def transposed(self) -> Mat3:
        """Aᵀ."""
        return Mat3.from_columns(*self.rows)

    def trace(self) -> Scalar:
        """The sum of the diagonal."""
        return self.row_x.x + self.row_y.y + self.row_z.z

    def determinant(self) -> Scalar:
        """The triple product of the rows."""
        return self.row_x.dot(self.row_y.cross(self.row_z))

    def inverse(self) -> Mat3:
        """A⁻¹, by cross products of the rows."""
        x, y, z = self.row_y.cross(self.row_z), self.row_z.cross(self.row_x), self.row_x.cross(self.row_y)
        determinant = self.row_x.dot(x)
        if vanishes(determinant):
            raise ZeroDivisorError(
                "The matrix has no inverse.", where=repr(self)[:200], cause="Its determinant is zero."
            )
        return Mat3.from_columns(x, y, z) / determinant

    def to_array(self) -> NDArray[Any]:
        """An array of shape (3, 3); a batch keeps its own dimensions in front."""
        return stacked(self.components(), 3, 3)
