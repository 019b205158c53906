"""The fingerprint of each operation, at any point; the arithmetic ones are repeated, inlined, in ``expr``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache
from typing import Any

from multibody.graph.circle import FingerprintOf, Point, angle_point, exponential
from multibody.graph.expr import Constant, Symbol
from multibody.graph.field import HALF, P, Value, inverse, power, random_root, rational_root, scramble
from multibody.graph.node import Node

_HALF_IMAGE = pow(2, -1, P)


@lru_cache(maxsize=8192)
def symbol_fingerprint(seed: int, scope: str, name: str, kind: str) -> int:
    """The random value that stands for a symbol; the same in every process."""
    return scramble(seed, "symbol", scope, name, kind)


def of_operation(op: str, args: tuple[Any, ...], fp_of: FingerprintOf, seed: int) -> Value:
    """The fingerprint of ``op`` applied to ``args``, whose fingerprints ``fp_of`` gives."""
    rule = _RULES.get(op)
    if rule is not None:
        return rule(args, fp_of, seed)
    return scramble(seed, op, *[fp_of(arg) for arg in args])


def second_fingerprints(nodes: Iterable[Any]) -> dict[Node, Value]:
    """The fingerprints at the second, independent point, of nodes in topological order."""
    values: dict[Node, Value] = {}
    for node in nodes:
        if isinstance(node, Constant):
            values[node] = node.fp2
        elif isinstance(node, Symbol):
            values[node] = symbol_fingerprint(1, node.scope, node.name, node.kind)
        elif node.op == "table":
            values[node] = scramble(1, "table", node.table.digest, values[node.args[0]])
        else:
            values[node] = of_operation(node.op, node.args, lambda n: _value(n, values), 1)
    return values


def _value(node: Any, values: dict[Node, Value]) -> Value:
    return node.fp2 if isinstance(node, Constant) else values[node]


def _sqrt(args: tuple[Any, ...], fp_of: FingerprintOf, seed: int) -> Value:
    (a,) = args
    if isinstance(a, Constant) and not a.rounded and a.value > 0:
        return rational_root(Fraction(a.value))
    return random_root(fp_of(a))


def _absolute(args: tuple[Any, ...], fp_of: FingerprintOf, seed: int) -> Value:
    """|a| is the root of a²: the same fingerprint as sqrt(a²), and its square is that of a."""
    a = fp_of(args[0])
    return random_root(a * a % P)


def _minimum(args: tuple[Any, ...], fp_of: FingerprintOf, seed: int) -> Value:
    return scramble(seed, "min", *sorted(repr(fp_of(arg)) for arg in args))


def _maximum(args: tuple[Any, ...], fp_of: FingerprintOf, seed: int) -> Value:
    """max(a, b) = a + b - min(a, b)."""
    return (fp_of(args[0]) + fp_of(args[1]) - _minimum(args, fp_of, seed)) % P


def _power(args: tuple[Any, ...], fp_of: FingerprintOf, seed: int) -> Value:
    return scramble(seed, "pow", fp_of(args[0]), fp_of(args[1]))


def _circular(combine: Callable[[Point], Value]) -> Callable[..., Value]:
    return lambda args, fp_of, seed: combine(angle_point(args[0], fp_of, seed))


def _exponential(combine: Callable[[Value, Value], Value]) -> Callable[..., Value]:
    """A function of exp(x) and exp(-x)."""

    def rule(args: tuple[Any, ...], fp_of: FingerprintOf, seed: int) -> Value:
        value = exponential(args[0], fp_of, seed)
        return combine(value, inverse(value)) % P

    return rule


def _odd(op: str) -> Callable[..., Value]:
    """An opaque function with f(-x) = -f(x)."""

    def rule(args: tuple[Any, ...], fp_of: FingerprintOf, seed: int) -> Value:
        x = fp_of(args[0])
        return scramble(seed, op, x) if x < HALF else -scramble(seed, op, -x % P) % P

    return rule


def _comparison(op: str) -> Callable[..., Value]:
    return lambda args, fp_of, seed: scramble(seed, op, (fp_of(args[0]) - fp_of(args[1])) % P)


_RULES: dict[str, Callable[..., Value]] = {
    "add": lambda args, fp_of, seed: (fp_of(args[0]) + fp_of(args[1])) % P,
    "sub": lambda args, fp_of, seed: (fp_of(args[0]) - fp_of(args[1])) % P,
    "neg": lambda args, fp_of, seed: -fp_of(args[0]) % P,
    "mul": lambda args, fp_of, seed: fp_of(args[0]) * fp_of(args[1]) % P,
    "recip": lambda args, fp_of, seed: inverse(fp_of(args[0])),
    "sqrt": _sqrt,
    "abs": _absolute,
    "min": _minimum,
    "max": _maximum,
    "pow": _power,
    "cos": _circular(lambda point: point[0]),
    "sin": _circular(lambda point: point[1]),
    "tan": _circular(lambda point: point[1] * inverse(point[0]) % P),
    "exp": _exponential(lambda e, _: e),
    "sinh": _exponential(lambda e, i: (e - i) * _HALF_IMAGE),
    "cosh": _exponential(lambda e, i: (e + i) * _HALF_IMAGE),
    "tanh": _exponential(lambda e, i: (e - i) * inverse((e + i) % P)),
    "asin": _odd("asin"),
    "atan": _odd("atan"),
    "sign": _odd("sign"),
    "lt": _comparison("lt"),
    "le": _comparison("le"),
    "eq": lambda args, fp_of, seed: scramble(seed, "eq", power((fp_of(args[0]) - fp_of(args[1])) % P, 2)),
}
