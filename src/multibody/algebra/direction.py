"""Unit vectors that are exactly of length 1, also in the fingerprint field."""

from __future__ import annotations

from fractions import Fraction

from multibody.algebra.scalar import Scalar, number_or_none
from multibody.algebra.vectors import Vec3
from multibody.errors import ModelError, ZeroDivisorError
from multibody.graph import Constant, Expr, constant
from multibody.graph.expr import ONE, ZERO


def direction(vector: Vec3) -> Vec3:
    """The unit vector along ``vector``.

    Numbers are divided by their length. Expressions are too, unless they are of length 1 already; but a vector of graph
    constants that come from floats is replaced by the rational point of the unit sphere nearest to it, because the
    rounded length of such a vector would be 1 in no exact arithmetic.

    Example:
        >>> from multibody.graph import is_zero
        >>> axis = direction(Vec3(0.6, 0.8, 0.0).symbolic())
        >>> is_zero(axis.dot(axis) - 1)
        True
    """
    if not any(isinstance(component, Expr) for component in vector):
        return vector if _is_unit(vector) else vector.unit()
    exact = vector.symbolic()
    if exact.dot(exact) is ONE:
        return exact
    if all(isinstance(component, Constant) for component in exact):
        along = coordinate_axis(exact)
        if along is not None:
            index, sign = along
            return Vec3(*(constant(sign) if i == index else ZERO for i in range(3)))
        if not all(component.exact for component in exact):
            return _on_sphere(exact)
    return exact.unit()


def named_axis(name: str) -> tuple[int, int]:
    """The coordinate axis 0, 1 or 2 with the name "x", "y" or "z", and the sign in front of it.

    Example:
        >>> named_axis("-y")
        (1, -1)
    """
    letter = name.removeprefix("-").removeprefix("+").lower()
    if letter not in ("x", "y", "z"):
        raise ModelError(
            f"'{name}' is not an axis.",
            code="axis-unknown",
            remedy="Use 'x', 'y', 'z', '-x' …, or a vector such as (0, 1, 1).",
            name=name,
        )
    return "xyz".index(letter), -1 if name.startswith("-") else 1


def coordinate_axis(vector: Vec3) -> tuple[int, int] | None:
    """The coordinate axis 0, 1 or 2 that a vector of numbers is exactly parallel to, and the sign; or None."""
    numbers = [number_or_none(component) for component in vector]
    if any(number is None or getattr(number, "ndim", 0) for number in numbers):
        return None
    nonzero = [index for index, number in enumerate(numbers) if number != 0]
    if len(nonzero) != 1:
        return None
    return nonzero[0], 1 if numbers[nonzero[0]] > 0 else -1


def _is_unit(vector: Vec3) -> bool:
    square = vector.dot(vector)
    return not getattr(square, "ndim", 0) and square == 1


def _on_sphere(vector: Vec3) -> Vec3:
    """Stereographic projection from the farthest pole: a rational point of the sphere, one rounding away."""
    floats = Vec3(*(float(component) for component in vector))
    largest = max(range(3), key=lambda index: abs(floats[index]))
    if floats[largest] == 0:
        raise ZeroDivisorError("A vector of length zero has no direction.", remedy="Give a vector that is not zero.")
    pole = 1 if floats[largest] > 0 else -1
    n = floats.unit()
    plane: list[Scalar] = [constant(n[i] / (1 + abs(n[largest]))) if i != largest else ZERO for i in range(3)]
    square = plane[0] * plane[0] + plane[1] * plane[1] + plane[2] * plane[2]
    scale = constant(Fraction(2)) / (square + 1)
    return Vec3(*(pole * (scale - 1) if i == largest else scale * plane[i] for i in range(3)))
