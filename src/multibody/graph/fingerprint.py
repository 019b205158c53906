"""The fingerprint of each operation, at any point; the arithmetic ones are repeated, inlined, in ``expr``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache
from operator import attrgetter
from typing import Any

from multibody.graph.circle import FingerprintOf, Point, angle_point, exponential
from multibody.graph.expr import Constant, Symbol
from multibody.graph.field import (
    SECOND,
    FieldPoint,
    Value,
    inverse,
    of_fraction,
    power,
    random_root,
    rational_root,
    scramble,
)
from multibody.graph.node import Node


@lru_cache(maxsize=8192)
def symbol_fingerprint(at: FieldPoint, scope: str, name: str, kind: str) -> int:
    """The random value that stands for a symbol; the same in every process."""
    return scramble(at.seed, "symbol", scope, name, kind, p=at.p)


def of_operation(op: str, args: tuple[Any, ...], fp_of: FingerprintOf, at: FieldPoint) -> Value:
    """The fingerprint of ``op`` applied to ``args``, whose fingerprints ``fp_of`` gives."""
    rule = _RULES.get(op)
    if rule is not None:
        return rule(args, fp_of, at)
    return scramble(at.seed, op, *[fp_of(arg) for arg in args], p=at.p)


def second_fingerprints(nodes: Iterable[Any]) -> dict[Node, Value]:
    """The fingerprints at the second point, in the field of another prime, of nodes in topological order."""
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
        if number.denominator % at.p and of_fraction(number, at.p) == radicand:  # neither rounded nor opaque
            return rational_root(number, at.p)
    return random_root(radicand, at.p)


def _absolute(args: tuple[Any, ...], fp_of: FingerprintOf, at: FieldPoint) -> Value:
    """|a| is the root of a²: the same fingerprint as sqrt(a²), and its square is that of a."""
    a = fp_of(args[0])
    return random_root(a * a % at.p, at.p)


def _minimum(args: tuple[Any, ...], fp_of: FingerprintOf, at: FieldPoint) -> Value:
    return scramble(at.seed, "min", *sorted(repr(fp_of(arg)) for arg in args), p=at.p)


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
        return scramble(at.seed, op, x, p=p) if x < p // 2 else -scramble(at.seed, op, -x % p, p=p) % p

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
