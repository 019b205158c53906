"""The motor as a pair of straight lines, von Mises' geometric definition.

After Zaiczek and Enge-Rosenblatt, section 2 and figure 1.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from multibody.algebra.motor import Motor
from multibody.algebra.scalar import Scalar, holds_anywhere, number_or_none, one_like, vanishes, where, zero_like
from multibody.algebra.vectors import Vec3, VectorLike
from multibody.errors import ConversionError, ZeroDivisorError
from multibody.graph.expr import ZERO

_ALIGNED = 1e-14  # below this sine lines are parallel, below this cosine they are perpendicular, but for rounding


class StraightLine(NamedTuple):
    """A straight line through a point, along a direction of any length."""

    point: VectorLike
    direction: VectorLike


def motor_of_lines(first: StraightLine, second: StraightLine) -> Motor:
    """The motor of an ordered pair of lines.

    Its axis is the common normal. Its moment there is the segment of the normal from the first line to the second; its
    resultant has the tangent of the angle between them as length, and is such that a right-handed screw about it takes
    the first line to the second. Parallel lines give a pure moment.

    Example:
        >>> motor_of_lines(StraightLine((0, 0, 0), (1, 0, 0)), StraightLine((0, 0, 2), (1, 1, 0)))
        Motor(Vec3(0.0, 0.0, 1.0), Vec3(0.0, 0.0, 2.0))
    """
    (point, a), (other, b) = _read(first), _read(second)
    cosine, normal, offset = a.dot(b), a.cross(b), other - point
    square, lengths = normal.dot(normal), a.dot(a) * b.dot(b)
    if holds_anywhere(_negligible(cosine * cosine, lengths)):
        raise ZeroDivisorError(
            "Perpendicular lines define no motor.",
            cause="The tangent of the angle between them is infinite.",
            remedy="Take lines with another angle between them.",
        )
    parallel = _negligible(square, lengths)
    divisor = where(parallel, one_like(square), square)
    foot = point + a * (offset.cross(b).dot(normal) / divisor)
    resultant = _chosen(parallel, normal.map(zero_like), normal / cosine)
    moment = normal * (offset.dot(normal) / divisor) + foot.cross(resultant)
    return Motor(resultant, _chosen(parallel, offset - a * (offset.dot(a) / a.dot(a)), moment))


def _read(line: Any) -> tuple[Vec3, Vec3]:
    """Point and direction of a line."""
    if not isinstance(line, tuple | list) or len(line) != 2:
        raise ConversionError(
            f"{line!r:.100} is not a line.",
            code="value-not-a-line",
            remedy="Make one: StraightLine(point, direction).",
            value=repr(line)[:100],
        )
    along = Vec3.from_any(line[1], what="direction of a line")
    if vanishes(along.dot(along)):
        raise ZeroDivisorError(
            "A line needs a direction.",
            where=repr(line)[:200],
            cause="Its direction has length zero.",
            remedy="Give the direction as a vector with at least one component that is not zero.",
        )
    return Vec3.from_any(line[0], what="point of a line"), along


def _negligible(square: Scalar, lengths: Scalar) -> Any:
    """Whether a squared sine or cosine is zero but for rounding, for each member of a batch; symbols must cancel."""
    number, size = number_or_none(square), number_or_none(lengths)
    if number is None or size is None:
        return square is ZERO
    return number <= _ALIGNED**2 * size


def _chosen(condition: Any, a: Vec3, b: Vec3) -> Vec3:
    return Vec3(*(where(condition, x, y) for x, y in zip(a, b, strict=True)))
