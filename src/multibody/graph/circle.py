"""Fingerprints of angles and exponentials: homomorphisms from sums to products.

An angle maps to a point (cos, sin) of the unit circle over the field, so that sin² + cos² = 1 holds exactly; the angle
Σ cₖ·xₖ maps to the product of the points of its parts, so that the addition theorems hold exactly. The same is done for
exp with field elements instead of points. The point of x itself is the ``DIVISIONS``-th power of a random one: half
and quarter angles are then known too.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

from multibody.graph.expr import Constant, Expr
from multibody.graph.field import HALF, P, Value, inverse, power, random_root, rational_root, scramble
from multibody.graph.node import ADD, MUL, NEG, SUB, SYMBOL

DIVISIONS = 4

Point = tuple[Value, Value]
FingerprintOf = Callable[[Expr], Value]
"""The fingerprint of an expression at the point under consideration."""


def times(a: Point, b: Point) -> Point:
    """The point of the sum of two angles."""
    return (a[0] * b[0] - a[1] * b[1]) % P, (a[0] * b[1] + a[1] * b[0]) % P


def multiple(point: Point, n: int) -> Point:
    """The point of n times an angle."""
    if n < 0:
        return multiple((point[0], -point[1] % P), -n)
    result: Point = (1, 0)
    while n:
        if n & 1:
            result = times(result, point)
        point = times(point, point)
        n >>= 1
    return result


def linear_parts(angle: Expr) -> dict[Expr, Fraction]:
    """``angle`` as a sum of parts with rational coefficients, through sums, differences and constant factors."""
    parts: dict[Expr, Fraction] = {}
    stack = [(angle, Fraction(1))]
    while stack:
        node, factor = stack.pop()
        if node.op == ADD:
            stack += [(node.args[0], factor), (node.args[1], factor)]
        elif node.op == SUB:
            stack += [(node.args[0], factor), (node.args[1], -factor)]
        elif node.op == NEG:
            stack.append((node.args[0], -factor))
        elif node.op == MUL and (coefficient := _coefficient(node.args[0])) is not None:
            stack.append((node.args[1], factor * coefficient))
        else:
            parts[node] = parts.get(node, Fraction(0)) + factor
    return parts


def _coefficient(factor: Any) -> Fraction | None:
    """A constant factor, if it is a multiple of 1/DIVISIONS of moderate size."""
    if not isinstance(factor, Constant) or factor.formula is not None:
        return None
    value = Fraction(factor.value)
    return value if DIVISIONS % value.denominator == 0 and abs(value) < 1000 else None


def angle_point(angle: Expr, fingerprint_of: FingerprintOf, seed: int) -> Point:
    """(cos, sin) of an angle at the point of the field that belongs to ``seed``."""
    if angle.op == SYMBOL:
        return _random_point(fingerprint_of(angle), Fraction(1), seed)
    point: Point = (1, 0)
    for part, factor in linear_parts(angle).items():
        point = times(point, _part_point(part, factor, fingerprint_of, seed))
    return point


def _part_point(part: Expr, factor: Fraction, fingerprint_of: FingerprintOf, seed: int) -> Point:
    if factor.denominator == 1:
        known = _known_point(part, fingerprint_of, seed)
        if known is not None:
            return multiple(known, factor.numerator)
    return _random_point(fingerprint_of(part), factor, seed)


@lru_cache(maxsize=10_000)  # sine and cosine of one angle share it
def _random_point(fp: Value, factor: Fraction, seed: int) -> Point:
    """A random point of the circle for an angle with fingerprint ``fp``, times ``factor``."""
    sign, key = (1, fp) if fp < HALF else (-1, -fp % P)
    if DIVISIONS % factor.denominator:
        key, factor = scramble(seed, key, factor), Fraction(1)
    t = scramble(seed, "angle", key)
    scale = pow(1 + t * t, -1, P)
    return multiple(((1 - t * t) * scale % P, 2 * t * scale % P), sign * int(factor * DIVISIONS))


def _known_point(part: Expr, fingerprint_of: FingerprintOf, seed: int) -> Point | None:
    """The point of an angle whose sine and cosine are algebraic: multiples of π/12, and inverse functions."""
    if isinstance(part, Constant):
        twelfths = pi_multiple(fingerprint_of(part), 12, seed)
        return None if twelfths is None else multiple(_pi_twelfth(), twelfths)
    if part.op not in _INVERSE:
        return None
    return _INVERSE[part.op](*[fingerprint_of(arg) for arg in part.args])


def pi_image(seed: int) -> int:
    """The random value that stands for π."""
    return scramble(seed, "pi")


def pi_multiple(fp: Value, divisions: int, seed: int) -> int | None:
    """k, if the fingerprint is that of k·π/divisions for a moderate k."""
    if not isinstance(fp, int):
        return None
    k = fp * divisions * pow(pi_image(seed), -1, P) % P
    k = k if k <= HALF else k - P
    return k if abs(k) < 10_000 else None


def _pi_twelfth() -> Point:
    """The point of π/12 = π/3 - π/4."""
    half = pow(2, -1, P)
    third = (half, rational_root(Fraction(3)) * half % P)
    fourth = rational_root(Fraction(2)) * half % P
    return times(third, (fourth, -fourth % P))


def _of_atan2(y: Value, x: Value) -> Point | None:
    radius = (x * x + y * y) % P
    if radius == 0:
        return None
    scale = inverse(random_root(radius))
    return x * scale % P, y * scale % P


def _of_asin(s: Value) -> Point | None:
    return random_root((1 - s * s) % P), s


def _of_acos(c: Value) -> Point | None:
    return c, random_root((1 - c * c) % P)


_INVERSE: dict[str, Callable[..., Point | None]] = {
    "atan2": _of_atan2,
    "atan": lambda tangent: _of_atan2(tangent, 1),
    "asin": _of_asin,
    "acos": _of_acos,
}


def exponential(exponent: Expr, fingerprint_of: FingerprintOf, seed: int) -> Value:
    """exp of an expression: the product of the values of its parts."""
    result: Value = 1
    for part, factor in linear_parts(exponent).items():
        fp = fingerprint_of(part)
        sign, key = (1, fp) if fp < HALF else (-1, -fp % P)
        if DIVISIONS % factor.denominator:
            key, factor = scramble(seed, key, factor), Fraction(1)
        result = result * power(scramble(seed, "exp", key), sign * int(factor * DIVISIONS)) % P
    return result
