"""Euler and Cardan angles: the twelve sequences, intrinsic and extrinsic.

A sequence in small letters is *intrinsic*: "zxz" turns about z, then about the new x, then about the newest z, so that
R_AB = R_z(α)·R_x(β)·R_z(γ). In capital letters it is *extrinsic*, about the fixed axes of A: "XYZ" with (α, β, γ) is
R_z(γ)·R_y(β)·R_x(α). (SciPy's letters are the other way round.) All formulas below are for intrinsic sequences; an
extrinsic one is the intrinsic one read backwards.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from multibody.algebra.rotation_forms import DirectionCosines, Frame, Identity, RotationForm, composed, is_body, turn
from multibody.algebra.scalar import Scalar, atan2, cos, holds_anywhere, number_or_none, one_like, sin, where, zero_like
from multibody.algebra.vectors import Mat3, Vec3
from multibody.errors import ConversionError, ZeroDivisorError
from multibody.graph import Expr

_LOCKED = 1e-14  # below this sine or cosine of the middle angle, the outer two angles turn about one axis

Angles = tuple[Scalar, Scalar, Scalar]


class AxisSequence(NamedTuple):
    """A sequence, understood: the axes i, j, k of the intrinsic turns.

    ``third`` is the axis that is neither i nor j, ``sign`` is +1 if (i, j, third) is cyclic and -1 if not.
    """

    i: int
    j: int
    k: int
    third: int
    sign: int
    reverse: bool

    @property
    def proper(self) -> bool:
        """Whether the first axis comes back as the last (Euler), or all three differ (Cardan)."""
        return self.i == self.k

    def ordered(self, angles: Iterable[Scalar]) -> Angles:
        """Angles as the user lists them, in the order of the intrinsic turns; and back again."""
        a, b, c = Vec3.from_any(angles, what="list of angles")
        return (c, b, a) if self.reverse else (a, b, c)


def axes_of(sequence: str) -> AxisSequence:
    """The axes of a sequence such as "zxz"; an error says what a sequence looks like.

    Example:
        >>> axes_of("ZYX")[:3]
        (0, 1, 2)
    """
    low = str(sequence).lower()
    valid = len(low) == 3 and set(low) <= set("xyz") and low[0] != low[1] != low[2] and sequence in (low, low.upper())
    if not valid:
        raise ConversionError(
            f"{sequence!r} is not a sequence of rotation axes.",
            code="rotation-sequence-invalid",
            cause="It takes three letters of x, y, z, all small or all capital, and no axis twice in a row.",
            remedy='Write "zxz" or "xyz" for turns about moving axes, "ZXZ" or "XYZ" for turns about fixed axes.',
            value=repr(sequence)[:80],
        )
    i, j, k = ("xyz".index(letter) for letter in (low if sequence == low else low[::-1]))
    return AxisSequence(i, j, k, 3 - i - j, 1 if (j - i) % 3 == 1 else -1, sequence != low)


def turn_by(axis: int, angle: Scalar) -> RotationForm:
    """The rotation about a coordinate axis."""
    return turn(axis, cos(angle), sin(angle))


def form_of(sequence: str, angles: Iterable[Scalar]) -> RotationForm:
    """The rotation with these angles."""
    axes = axes_of(sequence)
    result: RotationForm = Identity()
    for axis, angle in zip(axes[:3], axes.ordered(angles), strict=True):
        result = composed(result, turn_by(axis, angle))
    return result


def angles_of(matrix: Mat3, sequence: str) -> Angles:
    """The angles of a rotation matrix; the middle one in [0, π] (Euler) or [-π/2, π/2] (Cardan).

    In gimbal lock, where only the sum or difference of the outer angles is known, the last intrinsic one becomes 0. The
    first angle is read off, its turn is undone, and the other two are read off what is left: thus the angles always
    give the matrix back, near gimbal lock too.
    """
    axes = axes_of(sequence)
    i, j, _, third, e, _ = axes
    if axes.proper:
        y, x = matrix[j, i], -e * matrix[third, i]
    else:
        y, x = -e * matrix[j, third], matrix[third, third]
    first = atan2(y, x)
    size = number_or_none(x * x + y * y)
    if size is not None:
        first = where(size < _LOCKED**2, atan2(e * matrix[third, j], matrix[j, j]), first)
    rest = composed(turn_by(i, -first), DirectionCosines(matrix)).matrix()
    if axes.proper:
        middle = atan2(_positive(-e * rest[third, i]), rest[i, i])
        last = atan2(-e * rest[j, third], rest[j, j])
    else:
        middle = atan2(e * rest[i, third], _positive(rest[third, third]))
        last = atan2(e * rest[j, i], rest[j, j])
    return axes.ordered((first, middle, last))


def _positive(x: Scalar) -> Scalar:
    """What cannot be negative, but for rounding."""
    return x if isinstance(x, Expr) else abs(x)


def angular_velocity_matrix(sequence: str, angles: Iterable[Scalar], frame: Frame = "body") -> Mat3:
    """H with w_AB = H·(rates of the angles), in coordinates of B (``frame="body"``) or of A (``frame="parent"``).

    Example:
        >>> angular_velocity_matrix("xyz", (0.0, 0.0, 0.0)) @ Vec3(1.0, 2.0, 3.0)
        Vec3(1.0, 2.0, 3.0)
    """
    axes = axes_of(sequence)
    a, b, c = axes.ordered(angles)
    u, v, w = (_unit_vector(axis, a) for axis in axes[:3])
    if is_body(frame):
        last, middle = turn_by(axes.k, c), turn_by(axes.j, b)
        columns = [last.apply_inverse(middle.apply_inverse(u)), last.apply_inverse(v), w]
    else:
        first, middle = turn_by(axes.i, a), turn_by(axes.j, b)
        columns = [u, first.apply(v), first.apply(middle.apply(w))]
    return Mat3.from_columns(*(columns[::-1] if axes.reverse else columns))


def angle_rate_matrix(sequence: str, angles: Iterable[Scalar], frame: Frame = "body") -> Mat3:
    """The inverse of ``angular_velocity_matrix``: (rates of the angles) = G·w_AB; an error in gimbal lock.

    Example:
        >>> angle_rate_matrix("zxz", (0.0, 1.0, 0.0)) @ Vec3(1.0, 0.0, 0.0)
        Vec3(0.0, 1.0, 0.0)
    """
    axes = axes_of(sequence)
    a, b, c = axes.ordered(angles)
    middle = turn_by(axes.j, b)
    if is_body(frame):  # undo the last turn: what is left is f·ȧ + e_j·ḃ + e_k·ċ
        near, outer, far = axes.k, turn_by(axes.k, c), middle.apply_inverse(_unit_vector(axes.i, a))
    else:  # undo the first turn: what is left is e_i·ȧ + e_j·ḃ + f·ċ
        near, outer, far = axes.i, turn_by(axes.i, -a), middle.apply(_unit_vector(axes.k, a))
    across = 3 - near - axes.j
    _require_free(far[across], sequence)
    of_far = _unit_vector(across, a) / far[across]
    of_near = _unit_vector(near, a) - of_far * far[near]
    rows = [outer.apply_inverse(row) for row in (of_far, _unit_vector(axes.j, a), of_near)]
    return Mat3(*(rows if is_body(frame) is not axes.reverse else rows[::-1]))


def _unit_vector(axis: int, like: Scalar) -> Vec3:
    """The unit vector along a coordinate axis, in scalars of the kind of ``like``."""
    one, zero = one_like(like), zero_like(like)
    return Vec3(*(one if axis == index else zero for index in range(3)))


def _require_free(divisor: Scalar, sequence: str) -> None:
    number = number_or_none(divisor)
    if number is not None and holds_anywhere(abs(number) < _LOCKED):
        raise ZeroDivisorError(
            "In gimbal lock the rates of the angles do not follow from the angular velocity.",
            where=f"sequence {sequence!r}",
            cause="The middle angle is such that the first and the last axis coincide.",
            remedy="Use another sequence, or a quaternion.",
        )
