"""Forms of a rotation: identity, turn about a coordinate axis, matrix of direction cosines.

A turn about x, y or z costs 4 multiplications and 2 additions per vector; the matrix that it represents would cost 9
and 6. So a turn stays a turn as long as it can.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Literal, Self

from multibody.algebra.scalar import (
    Scalar,
    difference_of_products,
    minus,
    one_like,
    plus,
    sum_of_products,
    times,
    zero_like,
)
from multibody.algebra.symmetric3 import Symmetric3
from multibody.algebra.value import Value, set_once
from multibody.algebra.vectors import Mat3, Vec3
from multibody.errors import ConversionError
from multibody.graph.expr import ONE, ZERO

Frame = Literal["body", "parent"]
"""Where an angular velocity w_AB is expressed: in the rotating frame B, or in A."""


def is_body(frame: Frame) -> bool:
    """Whether ``frame`` is the rotating one; an error for anything but "body" and "parent"."""
    if frame not in ("body", "parent"):
        raise ConversionError(
            f"There is no frame {frame!r} here.",
            code="option-unknown",
            remedy='Say "body" for components in the rotating frame B, "parent" for components in A.',
            value=repr(frame)[:80],
        )
    return frame == "body"


class RotationForm(Value, ABC):
    """What every form can do."""

    __slots__ = ()

    @abstractmethod
    def apply(self, v: Vec3) -> Vec3:
        """R·v."""

    @abstractmethod
    def inverse(self) -> RotationForm:
        """R⁻¹."""

    @abstractmethod
    def matrix(self) -> Mat3:
        """The direction cosines."""

    def apply_inverse(self, v: Vec3) -> Vec3:
        """R⁻¹·v."""
        return self.inverse().apply(v)

    def turn_matrix(self, m: Mat3) -> Mat3:
        """R·M·Rᵀ."""
        half = Mat3.from_columns(*map(self.apply, m.columns))
        return Mat3(*map(self.apply, half.rows))

    def turn_symmetric(self, s: Symmetric3) -> Symmetric3:
        """R·S·Rᵀ."""
        x, y, z = self.matrix().rows
        sx, sy, sz = s @ x, s @ y, s @ z
        return Symmetric3(x.dot(sx), y.dot(sy), z.dot(sz), x.dot(sy), x.dot(sz), y.dot(sz))


class Identity(RotationForm):
    """No rotation."""

    __slots__ = ()

    def apply(self, v: Vec3) -> Vec3:
        """v itself."""
        return v

    def inverse(self) -> RotationForm:
        """No rotation either."""
        return self

    def matrix(self) -> Mat3:
        """The identity matrix."""
        return Mat3.identity()

    def turn_matrix(self, m: Mat3) -> Mat3:
        """M itself."""
        return m

    def turn_symmetric(self, s: Symmetric3) -> Symmetric3:
        """S itself."""
        return s


class AxisRotation(RotationForm):
    """A rotation about coordinate axis 0, 1 or 2, by its cosine and sine."""

    __slots__ = ("axis", "cosine", "sine")
    _fields = ("axis", "cosine", "sine")
    axis: int
    cosine: Scalar
    sine: Scalar

    def __init__(self, axis: int, cosine: Scalar, sine: Scalar) -> None:
        set_once(self, "axis", axis)
        set_once(self, "cosine", cosine)
        set_once(self, "sine", sine)

    def components(self) -> list[Scalar]:
        """Cosine and sine; the axis is not a scalar."""
        return [self.cosine, self.sine]

    def map(self, function: Callable[[Scalar], Scalar]) -> Self:
        """The turn about the same axis with a function applied to cosine and sine."""
        return type(self)(self.axis, function(self.cosine), function(self.sine))

    def apply(self, v: Vec3) -> Vec3:
        """Two components are mixed, the third stays."""
        return _turned(v, self.axis, self.cosine, self.sine)

    def apply_inverse(self, v: Vec3) -> Vec3:
        """The same with the opposite angle."""
        return _turned(v, self.axis, self.cosine, -self.sine)

    def inverse(self) -> AxisRotation:
        """The turn by the opposite angle."""
        return AxisRotation(self.axis, self.cosine, -self.sine)

    def matrix(self) -> Mat3:
        """Rows of cosine and sine, and one of the identity matrix."""
        c, s, o, i = self.cosine, self.sine, zero_like(self.cosine), one_like(self.cosine)
        if self.axis == 0:
            return Mat3(Vec3(i, o, o), Vec3(o, c, -s), Vec3(o, s, c))
        if self.axis == 1:
            return Mat3(Vec3(c, o, s), Vec3(o, i, o), Vec3(-s, o, c))
        return Mat3(Vec3(c, -s, o), Vec3(s, c, o), Vec3(o, o, i))

    def turn_symmetric(self, s: Symmetric3) -> Symmetric3:
        """A plane turn of a 2×2 block (a, b; b, d), and of a vector of two components.

        With z = s·(a - d) + 2·c·b the block becomes (a - s·z, c·z - b; c·z - b, d + s·z): half the usual products.
        """
        i, j, k = self.axis, (self.axis + 1) % 3, (self.axis + 2) % 3
        c, n = self.cosine, self.sine
        z = sum_of_products(n, minus(s[j, j], s[k, k]), c, plus(s[j, k], s[j, k]))
        moved = times(n, z)
        on_diagonal = {i: s[i, i], j: minus(s[j, j], moved), k: plus(s[k, k], moved)}
        opposite = {  # an entry beside the diagonal, by the axis that it does not contain
            i: minus(times(c, z), s[j, k]),
            j: sum_of_products(n, s[i, j], c, s[i, k]),
            k: difference_of_products(c, s[i, j], n, s[i, k]),
        }
        return Symmetric3(*[on_diagonal[axis] for axis in (0, 1, 2)], *[opposite[axis] for axis in (2, 1, 0)])


class DirectionCosines(RotationForm):
    """A rotation by its nine direction cosines."""

    __slots__ = ("cosines",)
    _fields = ("cosines",)
    cosines: Mat3

    def __init__(self, cosines: Mat3) -> None:
        set_once(self, "cosines", cosines)

    def apply(self, v: Vec3) -> Vec3:
        """Rows times vector."""
        return self.cosines @ v

    def apply_inverse(self, v: Vec3) -> Vec3:
        """Columns times vector."""
        return self.cosines.apply_transposed(v)

    def inverse(self) -> DirectionCosines:
        """The transposed matrix."""
        return DirectionCosines(self.cosines.transposed())

    def matrix(self) -> Mat3:
        """The matrix itself."""
        return self.cosines


def turn(axis: int, cosine: Scalar, sine: Scalar) -> RotationForm:
    """The turn, or nothing if the angle is exactly zero."""
    return Identity() if cosine is ONE and sine is ZERO else AxisRotation(axis, cosine, sine)


def composed(first: RotationForm, second: RotationForm) -> RotationForm:
    """The product of two rotations; two turns about one axis make one turn."""
    if isinstance(first, Identity):
        return second
    if isinstance(second, Identity):
        return first
    if isinstance(first, AxisRotation) and isinstance(second, AxisRotation) and first.axis == second.axis:
        a, b = (first.cosine, first.sine), (second.cosine, second.sine)
        return turn(
            first.axis,
            difference_of_products(a[0], b[0], a[1], b[1]),
            sum_of_products(a[1], b[0], a[0], b[1]),
        )
    if isinstance(second, AxisRotation):
        return DirectionCosines(Mat3(*map(second.apply_inverse, first.matrix().rows)))
    return DirectionCosines(Mat3.from_columns(*map(first.apply, second.matrix().columns)))


def _turned(v: Vec3, axis: int, c: Scalar, s: Scalar) -> Vec3:
    if axis == 0:
        return Vec3(v.x, difference_of_products(c, v.y, s, v.z), sum_of_products(s, v.y, c, v.z))
    if axis == 1:
        return Vec3(sum_of_products(s, v.z, c, v.x), v.y, difference_of_products(c, v.z, s, v.x))
    return Vec3(difference_of_products(c, v.x, s, v.y), sum_of_products(s, v.x, c, v.y), v.z)
