"""Rotations R_AB, which map B-coordinates to A-coordinates, and quaternions.

Quaternions are Hamilton's, scalar first; a rotation R_AB belongs to ±q.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self, overload

import numpy as np

from multibody.algebra import euler
from multibody.algebra.direction import coordinate_axis, direction, named_axis
from multibody.algebra.rotation_forms import (
    AxisRotation,
    DirectionCosines,
    Frame,
    Identity,
    RotationForm,
    composed,
    is_body,
)
from multibody.algebra.scalar import (
    Scalar,
    atan2,
    cos,
    holds_anywhere,
    number_or_none,
    one_like,
    sin,
    sqrt,
    times,
    where,
    zero_like,
)
from multibody.algebra.symmetric3 import Symmetric3
from multibody.algebra.value import Linear, Value, set_once
from multibody.algebra.vectors import Mat3, MatrixLike, Vec3, VectorLike
from multibody.errors import NumberError, ZeroDivisorError
from multibody.graph import Expr
from multibody.graph.expr import ONE, ZERO

_SMALL = 1e-4  # squared angles below it go through a series; the first neglected term is 1e-19 of the result


class Quaternion(Linear):
    """w + x·i + y·j + z·k.

    Example:
        >>> i, j = Quaternion(0.0, 1.0, 0.0, 0.0), Quaternion(0.0, 0.0, 1.0, 0.0)
        >>> i * j
        Quaternion(0.0, 0.0, 0.0, 1.0)
    """

    __slots__ = ("w", "x", "y", "z")
    _fields = ("w", "x", "y", "z")
    w: Scalar
    x: Scalar
    y: Scalar
    z: Scalar

    def __init__(self, w: Scalar, x: Scalar, y: Scalar, z: Scalar) -> None:
        for name, value in zip(self._fields, (w, x, y, z), strict=True):
            set_once(self, name, value)

    @classmethod
    def identity(cls) -> Self:
        """No rotation."""
        return cls(1.0, 0.0, 0.0, 0.0)

    @classmethod
    def from_parts(cls, scalar: Scalar, vector: Vec3) -> Self:
        """The quaternion with this scalar and this vector part."""
        return cls(scalar, vector.x, vector.y, vector.z)

    @classmethod
    def exp(cls, rotation_vector: VectorLike) -> Self:
        """The unit quaternion of a rotation vector: direction of the axis, length of the angle.

        Example:
            >>> Quaternion.exp([0.0, 0.0, 0.0])
            Quaternion(1.0, 0.0, 0.0, 0.0)
        """
        v = Vec3.from_any(rotation_vector, what="rotation vector")
        square = v.dot(v) / 4
        if square is ZERO:
            return cls(ONE, ZERO, ZERO, ZERO)
        small = square < _SMALL
        half = sqrt(where(small, one_like(square), square))
        sinc = where(small, 1 - square / 6 * (1 - square / 20 * (1 - square / 42)), sin(half) / half)
        cosine = where(small, 1 - square / 2 * (1 - square / 12 * (1 - square / 30 * (1 - square / 56))), cos(half))
        return cls.from_parts(cosine, v * (sinc / 2))

    @classmethod
    def from_matrix(cls, matrix: Mat3) -> Self:
        """The unit quaternion of a rotation matrix, w ≥ 0; sound for all angles (Shepperd 1978).

        The products 4·q·qᵀ are sums of entries of the matrix; the row with the largest diagonal entry is taken.
        """
        (a, b, c), (d, e, f), (g, h, i) = matrix.rows
        w, x, y, z = 1 + a + e + i, 1 + a - e - i, 1 - a + e - i, 1 - a - e + i
        rows = [[w, h - f, c - g, d - b], [h - f, x, b + d, c + g], [c - g, b + d, y, f + h], [d - b, c + g, f + h, z]]
        best, largest = rows[0], w
        for row, square in zip(rows[1:], (x, y, z), strict=True):
            if square is not ZERO:
                better = square > largest
                best = [where(better, new, old) for new, old in zip(row, best, strict=True)]
                largest = where(better, square, largest)
        return cls(*best).unit().canonical()

    @classmethod
    def from_rotation(cls, rotation: Rotation) -> Quaternion:
        """The unit quaternion of a rotation, w ≥ 0."""
        return rotation.to_quaternion()

    @property
    def vector(self) -> Vec3:
        """The vector part (x, y, z)."""
        return Vec3(self.x, self.y, self.z)

    def __mul__(self, other: Any) -> Self:
        if not isinstance(other, Quaternion):
            return super().__mul__(other)
        a, b = self.vector, other.vector
        scalar = times(self.w, other.w) - a.dot(b)
        return self.from_parts(scalar, b * self.w + a * other.w + a.cross(b))

    def conjugate(self) -> Self:
        """w - x·i - y·j - z·k: the inverse rotation, for a unit quaternion."""
        return self.from_parts(self.w, -self.vector)

    def dot(self, other: Quaternion) -> Scalar:
        """The sum of the products of the components."""
        return times(self.w, other.w) + self.vector.dot(other.vector)

    def norm(self) -> Scalar:
        """The length."""
        return sqrt(self.dot(self))

    def unit(self) -> Self:
        """The quaternion divided by its length."""
        self._require_nonzero()
        return self / self.norm()

    def canonical(self) -> Self:
        """The one of ±q with w ≥ 0."""
        sign = where(self.w < 0, -one_like(self.w), one_like(self.w))
        return self * sign

    def to_matrix(self, *, unit: bool = False) -> Mat3:
        """The rotation matrix; with ``unit=True`` the length is taken to be 1 and not divided out."""
        self._require_nonzero()
        square = self.dot(self)
        scale = 2.0 if unit or square is ONE else 2 / square
        w, x, y, z = self.parts()
        xs, ys, zs = times(x, scale), times(y, scale), times(z, scale)
        wx, wy, wz = times(w, xs), times(w, ys), times(w, zs)
        xx, xy, xz = times(x, xs), times(x, ys), times(x, zs)
        yy, yz, zz = times(y, ys), times(y, zs), times(z, zs)
        return Mat3(
            Vec3(1 - (yy + zz), xy - wz, xz + wy),
            Vec3(xy + wz, 1 - (xx + zz), yz - wx),
            Vec3(xz - wy, yz + wx, 1 - (xx + yy)),
        )

    def to_rotation(self, *, unit: bool = False) -> Rotation:
        """The rotation R_AB; see ``Rotation.quaternion``."""
        return Rotation.quaternion(self, unit=unit)

    def log(self) -> Vec3:
        """The rotation vector of a unit quaternion, of length at most π."""
        q = self.canonical()
        v = q.vector
        square = v.dot(v)
        if square is ZERO:
            return v
        small = square < _SMALL
        sine = sqrt(where(small, one_like(square), square))
        cosine = where(small, q.w, one_like(square))
        ratio = square / (cosine * cosine)  # atan(t)/t = 1 - t²/3 + t⁴/5 - … with t² = ratio
        series = (1 - ratio * (1 / 3 - ratio * (1 / 5 - ratio * (1 / 7 - ratio / 9)))) / cosine
        return v * (2 * where(small, series, atan2(sine, q.w) / sine))

    def slerp(self, other: Quaternion, fraction: Scalar) -> Self:
        """The unit quaternion that lies on the shortest way to another one, at a fraction in [0, 1] of it.

        Example:
            >>> Quaternion.identity().slerp(Quaternion(0.0, 1.0, 0.0, 0.0), 0.5)
            Quaternion(0.707106781186547..., 0.707106781186547..., 0.0, 0.0)
        """
        step = (self.conjugate() * other).log()
        return self * self.exp(step * fraction)

    def rate(self, angular_velocity: VectorLike, frame: Frame = "body") -> Self:
        """dq/dt = ½·q∘(0, ω_B), or ½·(0, ω_A)∘q with ``frame="parent"``."""
        spin = Vec3.from_any(angular_velocity, what="angular velocity")
        pure = self.from_parts(zero_like(spin.x), spin)
        return (self * pure if is_body(frame) else pure * self) / 2

    def angular_velocity(self, rate: Quaternion, frame: Frame = "body") -> Vec3:
        """The angular velocity w_AB that belongs to a rate of this quaternion; inverse of ``rate``."""
        product = self.conjugate() * rate if is_body(frame) else rate * self.conjugate()
        return product.vector * (2 / self.dot(self))

    def _require_nonzero(self) -> None:
        square = number_or_none(self.dot(self))
        if square is not None and holds_anywhere(square == 0):
            raise ZeroDivisorError(
                "A quaternion of length zero is not a rotation.", remedy="Begin with (1, 0, 0, 0), no rotation at all."
            )


class Rotation(Value):
    """R_AB: ``v_A = R_AB @ v_B`` and ``R_AC = R_AB @ R_BC``.

    Rotations about x, y and z know that they are: applying one costs 4 multiplications and 2 additions. ``Rotation(R)``
    with a 3×3 matrix of direction cosines is ``Rotation.matrix(R)``.

    Example:
        >>> from multibody.graph import symbol
        >>> R_AB = Rotation.about_z(symbol("q"))
        >>> R_AB @ Vec3(1, 0, 0)
        Vec3(cos(q), sin(q), 0)
    """

    __slots__ = ("form",)
    _fields = ("form",)
    form: RotationForm

    def __init__(self, form: RotationForm | MatrixLike) -> None:
        set_once(self, "form", form if isinstance(form, RotationForm) else Rotation.matrix(form).form)

    # making one --------------------------------------------------------------------------------------------------

    @classmethod
    def identity(cls) -> Self:
        """No rotation; applying it costs nothing."""
        return cls(Identity())

    @classmethod
    def about_x(cls, angle: Scalar) -> Self:
        """The rotation about x."""
        return cls(euler.turn_by(0, angle))

    @classmethod
    def about_y(cls, angle: Scalar) -> Self:
        """The rotation about y."""
        return cls(euler.turn_by(1, angle))

    @classmethod
    def about_z(cls, angle: Scalar) -> Self:
        """The rotation about z."""
        return cls(euler.turn_by(2, angle))

    @classmethod
    def about(cls, axis: VectorLike | str, angle: Scalar) -> Self:
        """The rotation about any axis, which need not have length 1; about x, y or z at the lower price.

        Example:
            >>> Rotation.about([0, 0, -2], 0.5) == Rotation.about("-z", 0.5) == Rotation.about_z(-0.5)
            True
        """
        if isinstance(axis, str):
            index, sign = named_axis(axis)
            return cls(euler.turn_by(index, angle * sign))
        given = Vec3.from_any(axis, what="axis")
        along = coordinate_axis(given)
        if along is not None:
            return cls(euler.turn_by(along[0], angle * along[1]))
        n = direction(given.symbolic() if isinstance(angle, Expr) else given)
        c, s = cos(angle), sin(angle)
        by_sine = n * s
        rows = zip(
            n * (1 - c), Mat3.cross_matrix(by_sine).rows, Mat3.identity().map(lambda x: times(x, c)).rows, strict=True
        )
        return cls(DirectionCosines(Mat3(*[n * x + cross + diagonal for x, cross, diagonal in rows])))

    @classmethod
    def euler(cls, sequence: str, angles: Iterable[Scalar]) -> Self:
        """Three turns: "zxz" (any of the 12 sequences) about moving axes, "ZXZ" about fixed axes; see ``euler``.

        Example:
            >>> Rotation.euler("xyz", (0.1, 0.2, 0.3)) == Rotation.euler("ZYX", (0.3, 0.2, 0.1))
            True
        """
        return cls(euler.form_of(sequence, angles))

    @classmethod
    def quaternion(cls, quaternion: Quaternion, *, unit: bool = False) -> Self:
        """The rotation of a quaternion; ``unit=True`` promises that its length is 1 and saves the division."""
        return cls(DirectionCosines(quaternion.to_matrix(unit=unit)))

    @classmethod
    def matrix(cls, matrix: MatrixLike, *, tolerance: float = 1e-9) -> Self:
        """The rotation with these direction cosines; numbers are checked, expressions are trusted.

        Example:
            >>> Rotation.matrix([[1, 0, 0], [0, 1, 0], [0, 0, -1]])
            Traceback (most recent call last):
            multibody.errors.NumberError: The matrix is a reflection, not a rotation...
        """
        cosines = Mat3.from_any(matrix, what="rotation matrix")
        numbers = [number_or_none(entry) for entry in cosines.components()]
        if all(number is not None for number in numbers):
            _require_rotation(cosines.map(number_or_none).to_array(), tolerance)
        return cls(DirectionCosines(cosines))

    @classmethod
    def exp(cls, rotation_vector: VectorLike) -> Self:
        """The rotation of a rotation vector: direction of the axis, length of the angle."""
        return cls.quaternion(Quaternion.exp(rotation_vector))

    # using it ----------------------------------------------------------------------------------------------------

    @overload
    def __matmul__(self, other: Vec3) -> Vec3: ...

    @overload
    def __matmul__(self, other: Rotation) -> Rotation: ...

    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, Vec3):
            return self.form.apply(other)
        return Rotation(composed(self.form, other.form)) if isinstance(other, Rotation) else NotImplemented

    def apply(self, vector: VectorLike) -> Vec3:
        """A vector in A-coordinates, from its B-coordinates."""
        return self.form.apply(Vec3.from_any(vector))

    def apply_inverse(self, vector: VectorLike) -> Vec3:
        """A vector in B-coordinates, from its A-coordinates."""
        return self.form.apply_inverse(Vec3.from_any(vector))

    def inverse(self) -> Rotation:
        """R_BA."""
        return Rotation(self.form.inverse())

    def turn_matrix(self, matrix: Mat3) -> Mat3:
        """R·M·Rᵀ: a tensor in A-coordinates, from its B-coordinates."""
        return self.form.turn_matrix(matrix)

    def turn_symmetric(self, matrix: Symmetric3) -> Symmetric3:
        """R·S·Rᵀ for a symmetric tensor."""
        return self.form.turn_symmetric(matrix)

    # looking at it -----------------------------------------------------------------------------------------------

    @property
    def axis(self) -> str | None:
        """'x', 'y' or 'z' for a rotation that is kept as a turn about this axis, otherwise None."""
        return "xyz"[self.form.axis] if isinstance(self.form, AxisRotation) else None

    def to_matrix(self) -> Mat3:
        """The direction cosines."""
        return self.form.matrix()

    def to_quaternion(self) -> Quaternion:
        """The unit quaternion with w ≥ 0."""
        return Quaternion.from_matrix(self.to_matrix())

    def log(self) -> Vec3:
        """The rotation vector, of length at most π; ``exp`` gives the rotation back."""
        if isinstance(self.form, AxisRotation):
            zero = zero_like(self.form.cosine)
            angle = atan2(self.form.sine, self.form.cosine)
            return Vec3(*(angle if index == self.form.axis else zero for index in range(3)))
        return self.to_quaternion().log()

    def angles(self, sequence: str) -> tuple[Scalar, Scalar, Scalar]:
        """The Euler or Cardan angles; ``euler`` gives the rotation back, in gimbal lock too."""
        return euler.angles_of(self.to_matrix(), sequence)

    def to_array(self) -> Any:
        """The direction cosines as an array of shape (3, 3); a batch keeps its own dimensions in front."""
        return self.to_matrix().to_array()


def _require_rotation(cosines: Any, tolerance: float) -> None:
    """An error unless the rows are orthonormal and right-handed."""
    defect = float(np.max(np.abs(cosines @ np.swapaxes(cosines, -1, -2) - np.eye(3))))
    remedy = "Check the entries; Rotation.about, euler or quaternion make rotations that are right by construction."
    if not defect <= tolerance:
        raise NumberError(
            "The matrix is not a rotation.",
            code="matrix-not-a-rotation",
            where=str(cosines.tolist())[:200],
            cause=f"Its rows are not orthonormal; the largest error is {defect:.1e}.",
            remedy=remedy,
            value=float(defect),
        )
    if np.any(np.linalg.det(cosines) < 0):
        raise NumberError(
            "The matrix is a reflection, not a rotation.",
            code="matrix-not-a-rotation",
            where=str(cosines.tolist())[:200],
            cause="Its determinant is -1: the frame is left-handed.",
            remedy=remedy,
        )
