"""Dyads: linear functions from vectors to vectors, and from motors to motors.

A ``Dyadic`` is a sum of pairs of vectors, as in SymPy's ``physics.vector``; a ``MotorDyad`` maps motors to motors
(section 2.1.3 of Zaiczek and Enge-Rosenblatt).
"""

from __future__ import annotations

from typing import Any, Self, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from multibody.algebra.motor import Motor, require_motor
from multibody.algebra.rotation import Rotation
from multibody.algebra.scalar import Scalar, stacked, zero_like
from multibody.algebra.transform import Transform
from multibody.algebra.value import Linear, set_once
from multibody.algebra.vectors import Mat3, MatrixLike, Vec3, VectorLike
from multibody.errors import ShapeError


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


Kind = TypeVar("Kind", bound=Motor)


class MotorDyad(Linear):
    """A motor dyad by its four 3×3 blocks; T∘h = (T₁₁·h + T₁₂·g, T₂₁·h + T₂₂·g), eq. (4).

    Note the crossing: the first column meets the moment h, the second the resultant g. With a 6×6 matrix, T∘h is T·Γ·h
    where Γ = (0 1; 1 0).

    Example:
        >>> h = Motor((1.0, 2.0, 3.0), (4.0, 5.0, 6.0))
        >>> MotorDyad.identity() @ h == h
        True
    """

    __slots__ = ("t11", "t12", "t21", "t22")
    _fields = ("t11", "t12", "t21", "t22")
    _products = "Use '@' for the product of dyads, and of a dyad and a motor."
    t11: Mat3
    t12: Mat3
    t21: Mat3
    t22: Mat3

    def __init__(self, t11: MatrixLike, t12: MatrixLike, t21: MatrixLike, t22: MatrixLike) -> None:
        for name, block in zip(self._fields, (t11, t12, t21, t22), strict=True):
            set_once(self, name, Mat3.from_any(block, what="block of a motor dyad"))

    @classmethod
    def zero(cls) -> Self:
        """The dyad that maps every motor to the zero motor."""
        return cls(Mat3.zero(), Mat3.zero(), Mat3.zero(), Mat3.zero())

    @classmethod
    def identity(cls) -> Self:
        """The dyad (0 1; 1 0) that maps every motor to itself."""
        return cls(Mat3.zero(), Mat3.identity(), Mat3.identity(), Mat3.zero())

    @classmethod
    def outer(cls, a: Motor, b: Motor) -> Self:
        """The dyadic product of two motors, which maps h to a·(b, h)."""
        return cls(
            a.resultant.outer(b.resultant),
            a.resultant.outer(b.moment),
            a.moment.outer(b.resultant),
            a.moment.outer(b.moment),
        )

    @classmethod
    def cross_dyad(cls, a: Motor) -> Self:
        """The dyad (0 G; G H) that maps h to a × h; G and H are the cross product matrices (after eq. (3))."""
        g, h = Mat3.cross_matrix(a.resultant), Mat3.cross_matrix(a.moment)
        return cls(_zero(g), g, g, h)

    @classmethod
    def coordinate_change(cls, X_AB: Transform) -> Self:
        """The dyad (0 A; A -A·R₁₂) of section 2.1.4: it maps the components of a motor in A to those in B."""
        a = X_AB.rotation.inverse().to_matrix()
        return cls(_zero(a), a, a, -(a @ Mat3.cross_matrix(X_AB.position)))

    @classmethod
    def from_array(cls, array: Any) -> Self:
        """A dyad from a 6×6 matrix; an array of shape (…, 6, 6) makes a batch."""
        entries = np.asarray(array)
        if entries.shape[-2:] != (6, 6):
            raise ShapeError(
                f"An array of shape {entries.shape} is not a motor dyad.",
                code="array-wrong-shape",
                remedy="Give a 6×6 matrix.",
                shape=entries.shape,
                expected=(6, 6),
            )
        read = Mat3.from_any if entries.ndim == 2 else Mat3.from_batch
        upper, lower = slice(0, 3), slice(3, 6)
        return cls(*[read(entries[..., rows, columns]) for rows in (upper, lower) for columns in (upper, lower)])

    def apply(self, motor: Motor, kind: type[Kind] = Motor) -> Kind:  # type: ignore[assignment]
        """T∘h, eq. (4), as a motor of the given kind."""
        require_motor(motor)
        g, h = motor.resultant, motor.moment
        return kind(self.t11 @ h + self.t12 @ g, self.t21 @ h + self.t22 @ g)

    @overload
    def __matmul__(self, other: Motor) -> Motor: ...

    @overload
    def __matmul__(self, other: MotorDyad) -> MotorDyad: ...

    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, Motor):
            return self.apply(other)
        if not isinstance(other, MotorDyad):
            return NotImplemented
        return MotorDyad(  # T₁·Γ·T₂, eq. (5)
            self.t11 @ other.t21 + self.t12 @ other.t11,
            self.t11 @ other.t22 + self.t12 @ other.t12,
            self.t21 @ other.t21 + self.t22 @ other.t11,
            self.t21 @ other.t22 + self.t22 @ other.t12,
        )

    def transposed(self) -> MotorDyad:
        """The dyad Tᵀ with (a, T∘b) = (b, Tᵀ∘a)."""
        return MotorDyad(self.t11.transposed(), self.t21.transposed(), self.t12.transposed(), self.t22.transposed())

    def rotated(self, rotation: Rotation) -> MotorDyad:
        """The dyad in A-coordinates from its B-coordinates, for R_AB and a common origin."""
        return MotorDyad(*[rotation.turn_matrix(block) for block in (self.t11, self.t12, self.t21, self.t22)])

    def referred_to(self, point: VectorLike) -> MotorDyad:
        """The dyad for motors whose moments are taken about another point, which becomes the origin."""
        p = Mat3.cross_matrix(-Vec3.from_any(point, what="point"))
        t12 = self.t12 - self.t11 @ p
        return MotorDyad(self.t11, t12, self.t21 + p @ self.t11, self.t22 + p @ t12 - self.t21 @ p)

    def to_array(self) -> NDArray[Any]:
        """The 6×6 matrix of the blocks; a batch keeps its own dimensions in front."""
        rows = [zip(left.rows, right.rows, strict=True) for left, right in ((self.t11, self.t12), (self.t21, self.t22))]
        return stacked([entry for pairs in rows for a, b in pairs for entry in (*a, *b)], 6, 6)


def _zero(like: Mat3) -> Mat3:
    """A zero block in scalars of the kind of another block."""
    return like.map(zero_like)
