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
from heapq import heappop, heappush
from typing import Any

from multibody.graph.expr import Constant, Expr
from multibody.graph.field import HALF, P, Value, inverse, of_fraction, power, random_root, rational_root, scramble
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
    factors: dict[int, Fraction] = {-angle.serial: Fraction(1)}
    nodes = {-angle.serial: angle}
    queue = [-angle.serial]
    while queue:  # results before operands, so that a node with many ways to it is met once
        place = heappop(queue)
        node, factor = nodes[place], factors[place]
        terms = _terms(node)
        if not terms:
            parts[node] = factor
        for operand, coefficient in terms:
            if -operand.serial not in nodes:
                nodes[-operand.serial] = operand
                heappush(queue, -operand.serial)
            factors[-operand.serial] = factors.get(-operand.serial, Fraction(0)) + factor * coefficient
    return parts


def _terms(node: Expr) -> list[tuple[Expr, Fraction | int]]:
    """A sum, difference or multiple as terms with coefficients; nothing if it is none."""
    if node.op == ADD:
        return [(node.args[0], 1), (node.args[1], 1)]
    if node.op == SUB:
        return [(node.args[0], 1), (node.args[1], -1)]
    if node.op == NEG:
        return [(node.args[0], -1)]
    if node.op == MUL and (coefficient := _coefficient(node.args[0])) is not None:
        return [(node.args[1], coefficient)]
    return []


def _coefficient(factor: Any) -> Fraction | None:
    """A constant factor, if it is a fraction of moderate size."""
    if not isinstance(factor, Constant) or factor.rounded:
        return None
    value = Fraction(factor.value)
    return value if value.denominator <= 1000 and abs(value) < 1000 else None


def angle_point(angle: Expr, fingerprint_of: FingerprintOf, seed: int) -> Point:
    """(cos, sin) of an angle at the point of the field that belongs to ``seed``."""
    if angle.op == SYMBOL:
        return _random_point(fingerprint_of(angle), Fraction(1), seed)
    point: Point = (1, 0)
    for part, factor in linear_parts(angle).items():
        point = times(point, _part_point(part, factor, fingerprint_of, seed))
    return point


def _part_point(part: Expr, factor: Fraction, fingerprint_of: FingerprintOf, seed: int) -> Point:
    if isinstance(part, Constant):
        twelfths = pi_multiple(fingerprint_of(part), 12 * factor, seed)
        if twelfths is not None:
            return multiple(_pi_twelfth(), twelfths)
    if factor.denominator == 1 and part.op in _INVERSE:
        known = _INVERSE[part.op](*[fingerprint_of(arg) for arg in part.args])
        if known is not None:
            return multiple(known, factor.numerator)
    return _random_point(fingerprint_of(part), factor, seed)


@lru_cache(maxsize=10_000)  # sine and cosine of one angle share it
def _random_point(fp: Value, factor: Fraction, seed: int) -> Point:
    """A random point of the circle for an angle with fingerprint ``fp``, times ``factor``."""
    sign, key = (1, fp) if fp < HALF else (-1, -fp % P)
    key, exponent = _divided(seed, key, factor)
    t = scramble(seed, "angle", key)
    scale = pow(1 + t * t, -1, P)
    return multiple(((1 - t * t) * scale % P, 2 * t * scale % P), sign * exponent)


def pi_image(seed: int) -> int:
    """The random value that stands for π."""
    return scramble(seed, "pi")


def _divided(seed: int, key: Value, factor: Fraction) -> tuple[Value, int]:
    """What ``factor`` times a part is a whole multiple of: a DIVISIONS-th, or a part of its own for other fractions."""
    if DIVISIONS % factor.denominator == 0:
        return key, int(factor * DIVISIONS)
    return scramble(seed, key, factor.denominator), factor.numerator


def pi_multiple(fp: Value, divisions: Fraction, seed: int) -> int | None:
    """k, if the fingerprint is that of k·π/divisions for a moderate k."""
    if not isinstance(fp, int):
        return None
    k = fp * of_fraction(divisions) * pow(pi_image(seed), -1, P) % P
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
        key, times_ = _divided(seed, key, factor)
        result = result * power(scramble(seed, "exp", key), sign * times_) % P
    return result
