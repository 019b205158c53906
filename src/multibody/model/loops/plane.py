"""Triangles in a plane: what all loops with a closed form come down to.

Break a loop at a hinge, the pivot. The closing point is then seen twice: from the frame before the pivot as w, and from
the frame behind it as v(x), where x is the other unknown coordinate. The loop is closed if the pivot turns v to w:

    R(θ)·v(x) = w                                        (1)

Hence |v(x)|² = |w|², one equation for x, and then θ is the angle from v to w. All angles come as atan2(sin, cos) with
sin² + cos² = 1 exactly, so that their sines and cosines cost nothing where they are used.
"""

from __future__ import annotations

from typing import NamedTuple

from multibody.algebra import Vec3
from multibody.graph import Expr, atan2, sqrt


class Root(NamedTuple):
    """One of the two solutions of |v(x)|² = |w|².

    Attributes:
        value: x.
        transmission: the square of the sine of the transmission angle, the one at which v(x) meets the direction in
            which x moves it, less a quarter turn: 1 at best; 0 where both solutions meet, at a dead point; negative
            where there is none.
    """

    value: Expr
    transmission: Expr


def flat(vector: Vec3, axis: Vec3) -> Vec3:
    """The part of a vector in the plane perpendicular to an axis of length one."""
    return vector - axis * axis.dot(vector)


def angle_between(first: Vec3, second: Vec3, axis: Vec3) -> Expr:
    """The angle about an axis that turns one vector of the plane into another one of the same length."""
    square = second.dot(second)
    return atan2(axis.dot(first.cross(second)) / square, first.dot(second) / square)


def turned_to_reach(b: Vec3, c: Vec3, axis: Vec3, square: Expr, posture: int) -> Root:
    """The angle x for which v = b + R(x)·c has a given length: the law of cosines.

    With the angle ψ from b to R(x)·c, K = |b|·|c|·cos ψ = (|w|² - |b|² - |c|²)/2 and S = |b|·|c|·sin ψ = ±√(b²c² - K²).
    At x = 0 the same two products are b·c and b×c, so that x is the angle between (b·c, b×c) and (K, S).

    Args:
        b: from the pivot to the hinge that turns.
        c: from there to the closing point, for x = 0.
        axis: of the hinge.
        square: |w|².
        posture: the sign of S, positive if b and R(x)·c turn to the left, seen against the axis.
    """
    along, across = b.dot(c), axis.dot(b.cross(c))
    K = (square - b.dot(b) - c.dot(c)) / 2
    size = along * along + across * across
    rest = size - K * K
    S = sqrt(rest) * posture
    return Root(atan2((along * S - across * K) / size, (along * K + across * S) / size), rest / size)


def slid_to_reach(a: Vec3, direction: Vec3, axis: Vec3, square: Expr, posture: int) -> Root:
    """The displacement x for which v = a + x·d has a given length: Pythagoras, with the distance |a×d| of the line.

    Args:
        a: from the pivot to the closing point, for x = 0.
        direction: d, of length one.
        axis: perpendicular to the plane.
        square: |w|².
        posture: 1 for the larger x, -1 for the smaller one.
    """
    distance = axis.dot(a.cross(direction))
    rest = square - distance * distance
    return Root(sqrt(rest) * posture - a.dot(direction), rest / square)
