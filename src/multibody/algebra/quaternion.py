"""Quaternions: Hamilton's, scalar first; a rotation R_AB belongs to ±q."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Self

from multibody.algebra.mat3 import Mat3
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
from multibody.algebra.value import Linear, set_once
from multibody.algebra.vec3 import Vec3, VectorLike
from multibody.errors import ConversionError, ZeroDivisorError
from multibody.graph.expr import ONE, ZERO

if TYPE_CHECKING:
    from multibody.algebra.rotation import Rotation

Frame = Literal["body", "parent"]
"""Where an angular velocity w_AB is expressed: in the rotating frame B, or in A."""

_SMALL = 1e-4  # squared angles below it go through a series; the first neglected term is 1e-19 of the result


def is_body(frame: Frame) -> bool:
    """Whether ``frame`` is the rotating one; an error for anything but "body" and "parent"."""
    if frame not in ("body", "parent"):
        raise ConversionError(
            f"There is no frame {frame!r} here.",
            remedy='Say "body" for components in the rotating frame B, "parent" for components in A.',
        )
    return frame == "body"


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
        from multibody.algebra.rotation import Rotation  # rotations are made of quaternions

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
                "A quaternion of length zero is no rotation.", remedy="Begin with (1, 0, 0, 0), no rotation at all."
            )
