"""The fingerprint of each operation, at any point; the arithmetic ones are repeated, inlined, in ``expr``.

Angles and exponentials are homomorphisms from sums to products. An angle maps to a point (cos, sin) of the unit circle
over the field, so that sin² + cos² = 1 holds exactly; the angle Σ cₖ·xₖ maps to the product of the points of its parts,
so that the addition theorems hold exactly. The same is done for exp with field elements instead of points. The point of
x itself is the ``DIVISIONS``-th power of a random one: half and quarter angles are then known too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache
from heapq import heappop, heappush
from math import gcd
from operator import attrgetter
from typing import Any

from multibody.graph.expr import Constant, Expr, Symbol
from multibody.graph.field import (
    SECOND,
    FieldPoint,
    P,
    Value,
    inverse,
    is_lower,
    joined,
    of_fraction,
    power,
    random_root,
    rational_root,
    residue,
    scramble,
)
from multibody.graph.node import ADD, MUL, NEG, SUB, SYMBOL, Node

DIVISIONS = 4

Point = tuple[Value, Value]
FingerprintOf = Callable[[Expr], Value]
"""The fingerprint of an expression at the point under consideration."""


def times(a: Point, b: Point, p: int) -> Point:
    """The point of the sum of two angles."""
    return (a[0] * b[0] - a[1] * b[1]) % p, (a[0] * b[1] + a[1] * b[0]) % p


def multiple(point: Point, n: int, p: int) -> Point:
    """The point of n times an angle."""
    if n < 0:
        return multiple((point[0], -point[1] % p), -n, p)
    result: Point = (1, 0)
    while n:
        if n & 1:
            result = times(result, point, p)
        point = times(point, point, p)
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


def angle_point(angle: Expr, fingerprint_of: FingerprintOf, at: FieldPoint) -> Point:
    """(cos, sin) of an angle at a point of a field."""
    if angle.op == SYMBOL:
        return _random_point(fingerprint_of(angle), Fraction(1), at.p, at.seed)
    point: Point = (1, 0)
    for part, factor in linear_parts(angle).items():
        point = times(point, _part_point(part, factor, fingerprint_of, at), at.p)
    return point


def _part_point(part: Expr, factor: Fraction, fingerprint_of: FingerprintOf, at: FieldPoint) -> Point:
    p = at.p
    if isinstance(part, Constant):
        twelfths = pi_multiple(fingerprint_of(part), 12 * factor, at)
        if twelfths is not None:
            return multiple(_pi_twelfth(p), twelfths, p)
    if factor.denominator == 1 and part.op in _INVERSE:
        known = _INVERSE[part.op](p, *[fingerprint_of(arg) for arg in part.args])
        if known is not None:
            return multiple(known, factor.numerator, p)
    return _random_point(fingerprint_of(part), factor, p, _seed(part, at))


def _seed(part: Expr, at: FieldPoint) -> int:
    return at.constants if isinstance(part, Constant) else at.seed


@lru_cache(maxsize=10_000)  # sine and cosine of one angle share it
def _random_point(fp: Value, factor: Fraction, p: int, seed: int) -> Point:
    """A random point of the circle for an angle with fingerprint ``fp``, times ``factor``."""
    sign, key = _signed(fp, p)
    key, exponent = _divided(key, factor, p, seed)
    t = scramble(seed, "angle", key, p=p)
    scale = pow(1 + t * t, -1, p)
    return multiple(((1 - t * t) * scale % p, 2 * t * scale % p), sign * exponent, p)


def _signed(fp: Value, p: int) -> tuple[int, Value]:
    """A sign, and the one of ±fp that represents both."""
    return (1, fp) if is_lower(fp, p) else (-1, -fp % p)


def pi_image(at: FieldPoint) -> int:
    """The random value that represents π."""
    return scramble(at.constants, "pi", p=at.p)


def _divided(key: Value, factor: Fraction, p: int, seed: int) -> tuple[Value, int]:
    """What ``factor`` times a part is a whole multiple of: a DIVISIONS-th, or a part of its own for other fractions."""
    if DIVISIONS % factor.denominator == 0:
        return key, int(factor * DIVISIONS)
    return scramble(seed, key, factor.denominator, p=p), factor.numerator


def pi_multiple(fp: Value, divisions: Fraction, at: FieldPoint) -> int | None:
    """k, if the fingerprint is that of k·π/divisions for a moderate k."""
    if not isinstance(fp, int):
        return None
    p = at.p
    k = fp * of_fraction(divisions, p) * pow(pi_image(at), -1, p) % p
    k = k if k <= p // 2 else k - p
    return k if abs(k) < 10_000 else None


def _pi_twelfth(p: int) -> Point:
    """The point of π/12 = π/3 - π/4."""
    half = pow(2, -1, p)
    third = (half, rational_root(Fraction(3), p) * half % p)
    fourth = rational_root(Fraction(2), p) * half % p
    return times(third, (fourth, -fourth % p), p)


def _of_atan2(p: int, y: Value, x: Value) -> Point | None:
    radius = (x * x + y * y) % p
    if radius == 0:
        return None
    scale = inverse(random_root(radius, p), p)
    return x * scale % p, y * scale % p


def _of_asin(p: int, s: Value) -> Point | None:
    return random_root((1 - s * s) % p, p), s


def _of_acos(p: int, c: Value) -> Point | None:
    return c, random_root((1 - c * c) % p, p)


_INVERSE: dict[str, Callable[..., Point | None]] = {
    "atan2": _of_atan2,
    "atan": lambda p, tangent: _of_atan2(p, tangent, 1),
    "asin": _of_asin,
    "acos": _of_acos,
}


def exponential(exponent: Expr, fingerprint_of: FingerprintOf, at: FieldPoint) -> Value:
    """exp of an expression: the product of the values of its parts."""
    result: Value = 1
    p = at.p
    for part, factor in linear_parts(exponent).items():
        seed = _seed(part, at)
        sign, key = _signed(fingerprint_of(part), p)
        key, times_ = _divided(key, factor, p, seed)
        result = result * power(scramble(seed, "exp", key, p=p), sign * times_, p) % p
    return result


@lru_cache(maxsize=8192)
def symbol_fingerprint(at: FieldPoint, scope: str, name: str, kind: str) -> int:
    """The random value that represents a symbol; the same in every process."""
    return scramble(at.seed, "symbol", scope, name, kind, p=at.p)


def of_operation(op: str, args: tuple[Any, ...], fp_of: FingerprintOf, at: FieldPoint) -> Value:
    """The fingerprint of ``op`` applied to ``args``, whose fingerprints ``fp_of`` gives."""
    rule = _RULES.get(op)
    if rule is not None:
        return rule(args, fp_of, at)
    return scramble(at.seed, op, *[fp_of(arg) for arg in args], p=at.p)


def second_fingerprints(nodes: Iterable[Any]) -> dict[Node, Value]:
    """The fingerprints at the second point, in the field of a third prime, of nodes in topological order."""
    return fingerprints_at(SECOND, nodes)


def fingerprints_at(at: FieldPoint, nodes: Iterable[Any]) -> dict[Node, Value]:
    """The fingerprints at any point, of nodes in topological order."""
    number = attrgetter("fp2" if at.p == SECOND.p else "fp")
    values: dict[Node, Value] = {}

    def value_of(node: Any) -> Value:
        return number(node) if isinstance(node, Constant) else values[node]

    for node in nodes:
        if isinstance(node, Constant):
            values[node] = number(node)
        elif isinstance(node, Symbol):
            values[node] = symbol_fingerprint(at, node.scope, node.name, node.kind)
        elif node.op == "table":
            values[node] = scramble(at.seed, "table", node.table.digest, values[node.args[0]], p=at.p)
        else:
            values[node] = of_operation(node.op, node.args, value_of, at)
    return values


def _sqrt(args: tuple[Any, ...], fp_of: FingerprintOf, at: FieldPoint) -> Value:
    (a,) = args
    radicand = fp_of(a)
    if isinstance(a, Constant) and a.value > 0:
        number = Fraction(a.value)
        invertible = gcd(number.denominator, at.p) == 1
        if invertible and of_fraction(number, at.p) == radicand:  # neither rounded nor opaque
            return rational_root(number, at.p)
    return random_root(radicand, at.p)


def _absolute(args: tuple[Any, ...], fp_of: FingerprintOf, at: FieldPoint) -> Value:
    """|a| is the root of a²: the same fingerprint as sqrt(a²), and its square is that of a."""
    a = fp_of(args[0])
    return random_root(a * a % at.p, at.p)


def _minimum(args: tuple[Any, ...], fp_of: FingerprintOf, at: FieldPoint) -> Value:
    values = [fp_of(arg) for arg in args]

    def modulo(k: int, prime: int) -> int:
        return scramble(at.seed + 2 * k, "min", *sorted(repr(residue(value, prime)) for value in values), p=prime)

    return joined(modulo) if at.p == P else modulo(0, at.p)


def _maximum(args: tuple[Any, ...], fp_of: FingerprintOf, at: FieldPoint) -> Value:
    """max(a, b) = a + b - min(a, b)."""
    return (fp_of(args[0]) + fp_of(args[1]) - _minimum(args, fp_of, at)) % at.p


def _power(args: tuple[Any, ...], fp_of: FingerprintOf, at: FieldPoint) -> Value:
    return scramble(at.seed, "pow", fp_of(args[0]), fp_of(args[1]), p=at.p)


def _circular(combine: Callable[[Point, int], Value]) -> Callable[..., Value]:
    return lambda args, fp_of, at: combine(angle_point(args[0], fp_of, at), at.p)


def _exponential(combine: Callable[[Value, Value, int], Value]) -> Callable[..., Value]:
    """A function of exp(x), exp(-x) and the prime."""

    def rule(args: tuple[Any, ...], fp_of: FingerprintOf, at: FieldPoint) -> Value:
        value = exponential(args[0], fp_of, at)
        return combine(value, inverse(value, at.p), at.p) % at.p

    return rule


def _odd(op: str) -> Callable[..., Value]:
    """An opaque function with f(-x) = -f(x)."""

    def rule(args: tuple[Any, ...], fp_of: FingerprintOf, at: FieldPoint) -> Value:
        x, p = fp_of(args[0]), at.p
        return scramble(at.seed, op, x, p=p) if is_lower(x, p) else -scramble(at.seed, op, -x % p, p=p) % p

    return rule


def _comparison(op: str) -> Callable[..., Value]:
    return lambda args, fp_of, at: scramble(at.seed, op, (fp_of(args[0]) - fp_of(args[1])) % at.p, p=at.p)


def _equality(args: tuple[Any, ...], fp_of: FingerprintOf, at: FieldPoint) -> Value:
    return scramble(at.seed, "eq", power((fp_of(args[0]) - fp_of(args[1])) % at.p, 2, at.p), p=at.p)


_RULES: dict[str, Callable[..., Value]] = {
    "add": lambda args, fp_of, at: (fp_of(args[0]) + fp_of(args[1])) % at.p,
    "sub": lambda args, fp_of, at: (fp_of(args[0]) - fp_of(args[1])) % at.p,
    "neg": lambda args, fp_of, at: -fp_of(args[0]) % at.p,
    "mul": lambda args, fp_of, at: fp_of(args[0]) * fp_of(args[1]) % at.p,
    "recip": lambda args, fp_of, at: inverse(fp_of(args[0]), at.p),
    "sqrt": _sqrt,
    "abs": _absolute,
    "min": _minimum,
    "max": _maximum,
    "pow": _power,
    "cos": _circular(lambda point, _: point[0]),
    "sin": _circular(lambda point, _: point[1]),
    "tan": _circular(lambda point, p: point[1] * inverse(point[0], p) % p),
    "exp": _exponential(lambda e, _, __: e),
    "sinh": _exponential(lambda e, i, p: (e - i) * pow(2, -1, p)),
    "cosh": _exponential(lambda e, i, p: (e + i) * pow(2, -1, p)),
    "tanh": _exponential(lambda e, i, p: (e - i) * inverse((e + i) % p, p)),
    "asin": _odd("asin"),
    "atan": _odd("atan"),
    "sign": _odd("sign"),
    "lt": _comparison("lt"),
    "le": _comparison("le"),
    "eq": _equality,
}
