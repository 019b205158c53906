"""The motor as a pair of straight lines, von Mises' geometric definition (section 2 and figure 1 of the seed)."""

from __future__ import annotations

from typing import NamedTuple

from multibody.algebra.motor import Motor
from multibody.algebra.scalar import Scalar, holds_anywhere, number_or_none
from multibody.algebra.vec3 import Vec3
from multibody.errors import ZeroDivisorError
from multibody.graph.expr import ZERO


class Line(NamedTuple):
    """A straight line through a point, along a direction of any length."""

    point: Vec3
    direction: Vec3


def motor_of_lines(first: Line, second: Line) -> Motor:
    """The motor of an ordered pair of lines.

    Its axis is the common normal. Its moment there is the segment of the normal from the first line to the second; its
    resultant has the tangent of the angle between them as length, and is such that a right-handed screw about it takes
    the first line to the second. Parallel lines give a pure moment.

    Example:
        >>> x_axis = Line(Vec3(0.0, 0.0, 0.0), Vec3(1.0, 0.0, 0.0))
        >>> motor_of_lines(x_axis, Line(Vec3(0.0, 0.0, 2.0), Vec3(1.0, 1.0, 0.0)))
        Motor(Vec3(0.0, 0.0, 1.0), Vec3(0.0, 0.0, 2.0))
    """
    a, b = first.direction, second.direction
    cosine = a.dot(b)
    if _vanishes(cosine):
        raise ZeroDivisorError(
            "Perpendicular lines define no motor.",
            cause="The tangent of the angle between them is infinite.",
            remedy="Take lines with another angle between them.",
        )
    normal = a.cross(b)
    offset = second.point - first.point
    square = normal.dot(normal)
    if _vanishes(square):
        return Motor(normal, offset - a * (offset.dot(a) / a.dot(a)))
    resultant = normal / cosine
    foot = first.point + a * (offset.cross(b).dot(normal) / square)
    return Motor(resultant, normal * (offset.dot(normal) / square) + foot.cross(resultant))


def _vanishes(x: Scalar) -> bool:
    number = number_or_none(x)
    return x is ZERO or (number is not None and holds_anywhere(number == 0))
