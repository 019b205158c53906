"""Dyadics, for those who think of tensors as sums of pairs of vectors, as in SymPy's ``physics.vector``."""

from __future__ import annotations

from typing import Any, Self

from numpy.typing import NDArray

from multibody.algebra.mat3 import Mat3, MatrixLike
from multibody.algebra.rotation import Rotation
from multibody.algebra.scalar import Scalar
from multibody.algebra.value import Linear, set_once
from multibody.algebra.vec3 import Vec3, VectorLike


class Dyadic(Linear):
    """A sum of dyads a⊗b in one frame, kept as the matrix of its nine components.

    SymPy's operators are there too: ``&`` for dot, ``^`` for cross.

    Example:
        >>> x, y = Vec3.ex(), Vec3.ey()
        >>> d = Dyadic.outer(x, y) + 2.0 * Dyadic.outer(y, y)
        >>> d.dot(y), d.left_dot(y)
        (Vec3(1.0, 2.0, 0.0), Vec3(0.0, 2.0, 0.0))
    """

    __slots__ = ("matrix",)
    _fields = ("matrix",)
    _products = "Use a.dot(b) or a & b."
    matrix: Mat3

    def __init__(self, matrix: MatrixLike) -> None:
        set_once(self, "matrix", Mat3.from_any(matrix, what="dyadic"))

    @classmethod
    def outer(cls, a: VectorLike, b: VectorLike) -> Self:
        """The dyad a⊗b."""
        return cls(Vec3.from_any(a).outer(b))

    @classmethod
    def unit(cls) -> Self:
        """x⊗x + y⊗y + z⊗z, which changes no vector."""
        return cls(Mat3.identity())

    @classmethod
    def zero(cls) -> Self:
        """The dyadic that maps every vector to zero."""
        return cls(Mat3.zero())

    @classmethod
    def of_inertia(
        cls, ixx: Scalar, iyy: Scalar, izz: Scalar, ixy: Scalar = 0.0, iyz: Scalar = 0.0, izx: Scalar = 0.0
    ) -> Self:
        """An inertia dyadic, with the arguments of SymPy's ``inertia``."""
        return cls(Mat3(Vec3(ixx, ixy, izx), Vec3(ixy, iyy, iyz), Vec3(izx, iyz, izz)))

    def dot(self, vector: VectorLike) -> Vec3:
        """D·v: (a⊗b)·v = a (b·v)."""
        return self.matrix @ Vec3.from_any(vector)

    def left_dot(self, vector: VectorLike) -> Vec3:
        """v·D: v·(a⊗b) = (v·a) b."""
        return self.matrix.apply_transposed(Vec3.from_any(vector))

    def cross(self, vector: VectorLike) -> Dyadic:
        """D×v: (a⊗b)×v = a⊗(b×v)."""
        v = Vec3.from_any(vector)
        return Dyadic(Mat3(*[row.cross(v) for row in self.matrix.rows]))

    def left_cross(self, vector: VectorLike) -> Dyadic:
        """v×D: v×(a⊗b) = (v×a)⊗b."""
        v = Vec3.from_any(vector)
        return Dyadic(Mat3.from_columns(*[v.cross(column) for column in self.matrix.columns]))

    def product(self, other: Dyadic) -> Dyadic:
        """D·E: (a⊗b)·(c⊗d) = (b·c) a⊗d."""
        return Dyadic(self.matrix @ other.matrix)

    def double_dot(self, other: Dyadic) -> Scalar:
        """D:E, the sum of the products of the components: (a⊗b):(c⊗d) = (a·c)(b·d)."""
        x, y, z = (a.dot(b) for a, b in zip(self.matrix.rows, other.matrix.rows, strict=True))
        return x + y + z

    def transposed(self) -> Dyadic:
        """The dyadic with b⊗a for a⊗b."""
        return Dyadic(self.matrix.transposed())

    def trace(self) -> Scalar:
        """The scalar of the dyadic: a·b for a⊗b."""
        return self.matrix.trace()

    def vector(self) -> Vec3:
        """The vector of the dyadic: a×b for a⊗b."""
        m = self.matrix
        return Vec3(m[1, 2] - m[2, 1], m[2, 0] - m[0, 2], m[0, 1] - m[1, 0])

    def rotated(self, rotation: Rotation) -> Dyadic:
        """The dyadic in A-coordinates from its B-coordinates, for R_AB."""
        return Dyadic(rotation.turn_matrix(self.matrix))

    def __and__(self, other: Any) -> Any:
        if isinstance(other, Dyadic):
            return self.product(other)
        return self.dot(other) if isinstance(other, Vec3) else NotImplemented

    def __rand__(self, other: Any) -> Any:
        return self.left_dot(other) if isinstance(other, Vec3) else NotImplemented

    def __xor__(self, other: Any) -> Any:
        return self.cross(other) if isinstance(other, Vec3) else NotImplemented

    def __rxor__(self, other: Any) -> Any:
        return self.left_cross(other) if isinstance(other, Vec3) else NotImplemented

    def to_array(self) -> NDArray[Any]:
        """The nine components as an array of shape (3, 3); a batch keeps its own dimensions in front."""
        return self.matrix.to_array()
