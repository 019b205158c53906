"""Signs of expressions that follow from signs of their symbols, and what becomes shorter with them.

|L| is L where L is positive. A sign is the set of values that sign(x) may take; sums, products and functions combine
these sets, and all three values mean that nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from operator import mul
from typing import Any, Literal

from multibody.graph.expr import ONE, Constant, Expr, Symbol, as_expr, neg, recip
from multibody.graph.functions import sqrt
from multibody.graph.text.arrangement import Product, arranged
from multibody.graph.traverse import flat, rebuilt, shaped, topological

Sign = Literal["positive", "negative", "nonnegative", "nonpositive", "nonzero"]
"""What is known of the sign of a symbol."""

_Signs = frozenset[int]

POSSIBLE: dict[str, _Signs] = {
    "positive": frozenset({1}), "negative": frozenset({-1}), "nonnegative": frozenset({0, 1}),
    "nonpositive": frozenset({-1, 0}), "nonzero": frozenset({-1, 1}),
}  # fmt: skip
"""The values that the sign of a number may take."""

_ANY: _Signs = frozenset({-1, 0, 1})


def agrees(value: float, sign: Sign) -> bool:
    """Whether a number has a sign.

    Example:
        >>> agrees(2.0, "positive"), agrees(0.0, "nonzero")
        (True, False)
    """
    return (value > 0) - (value < 0) in POSSIBLE[sign]


def random_values(symbols: Iterable[Symbol], signs: Mapping[Symbol, Sign], rng: Any) -> dict[Symbol, float]:
    """Random values between 0.5 and 1.5, with a minus for symbols that are known not to be positive."""
    below = {symbol for symbol, sign in signs.items() if sign in ("negative", "nonpositive")}
    return {symbol: float(rng.uniform(0.5, 1.5)) * (-1 if symbol in below else 1) for symbol in symbols}


def with_signs(thing: Any, signs: Mapping[Symbol, Sign]) -> Any:
    """Expressions in which absolute values, signs and roots of squares are gone, where signs of symbols decide them.

    Args:
        thing: an expression, or nested lists or arrays of them.
        signs: what is known of symbols.

    Example:
        >>> from multibody.graph import absolute, sqrt, symbols
        >>> L, x = symbols("L x")
        >>> list(with_signs([sqrt(L**2), absolute(L * x), sqrt(L**2 * x)], {L: "positive"}))
        [L, L*abs(x), L*sqrt(x)]
    """
    if not signs:
        return thing
    outputs = [as_expr(entry) for entry in flat(thing)]
    found: dict[Any, Any] = {}
    known: dict[Any, _Signs] = {symbol: POSSIBLE[sign] for symbol, sign in signs.items()}
    for node in topological(outputs):
        args = [found[arg] for arg in node.args]
        same = all(a is b for a, b in zip(args, node.args, strict=True))
        made = node if same else rebuilt(node, args)
        if isinstance(made, Expr) and made.op in ("abs", "sign", "sqrt"):
            made = _decided(made, known)
        found[node] = made
    return shaped([found[output] for output in outputs], thing)


def _decided(node: Expr, known: dict[Any, _Signs]) -> Expr:
    """|x|, sign(x) or √x by the signs of factors."""
    x = node.args[0]
    if node.op == "sqrt":
        return _root(x, known)
    if node.op == "sign":
        possible = _sign_of(x, known)
        return as_expr(next(iter(possible))) if len(possible) == 1 else node
    return reduce(mul, (_absolute(factor, known) ** power for factor, power in _factors(x)), ONE)


def _absolute(x: Expr, known: dict[Any, _Signs]) -> Expr:
    possible = _sign_of(x, known)
    if -1 not in possible:
        return x
    return neg(x) if 1 not in possible else abs(x)


def _root(x: Expr, known: dict[Any, _Signs]) -> Expr:
    """√(Π xᵢ^nᵢ) with |xᵢ| for each pair of equal factors that are not negative; other factors stay below the root."""
    outside: Expr = ONE
    inside: Expr = ONE
    for factor, power in _factors(x):
        pairs = power // 2 if -1 not in _sign_of(factor, known) or power % 2 == 0 else 0
        outside = outside * _absolute(factor, known) ** pairs
        inside = inside * factor ** (power - 2 * pairs)
    return outside * sqrt(inside)


def _factors(x: Expr) -> list[tuple[Expr, int]]:
    """The factors of a product with their exponents, after sums in it were multiplied out and factorized."""
    from multibody.graph import closed_form  # it stands above this module

    arrangement = arranged(closed_form(x), ())
    if not isinstance(arrangement, Product):
        return [(x, 1)]
    under: list[tuple[Expr, int]] = []
    for divisor in arrangement.under:
        under += [(recip(factor), power) for factor, power in _factors(divisor)]
    number = as_expr(arrangement.number)
    return [*([] if number is ONE else [(number, 1)]), *arrangement.over, *under]


def _sign_of(root: Expr, known: dict[Any, _Signs]) -> _Signs:
    for node in topological([root]):
        if node not in known:
            known[node] = _combined(node, known)
    return known[root]


def _combined(node: Any, known: dict[Any, _Signs]) -> _Signs:
    """What is known of the sign of an operation, from that of its operands."""
    if isinstance(node, Constant):
        return frozenset({(node.value > 0) - (node.value < 0)})
    signs = [known.get(arg, _ANY) for arg in node.args]
    match node.op:
        case "neg":
            return frozenset(-sign for sign in signs[0])
        case "recip":
            return signs[0] - {0}
        case "mul" if node.args[0] is node.args[1]:
            return frozenset(sign * sign for sign in signs[0])
        case "mul":
            return frozenset(a * b for a in signs[0] for b in signs[1])
        case "add":
            return _total(*signs)
        case "sub":
            return _total(signs[0], frozenset(-sign for sign in signs[1]))
        case "abs" | "sqrt":
            return frozenset(abs(sign) for sign in signs[0] if node.op == "abs" or sign >= 0) or _ANY
        case "exp" | "cosh":
            return frozenset({1})
        case "where":
            return signs[1] | signs[2]
        case "sinh" | "tanh" | "atan" | "asin" | "sign":
            return signs[0]
        case _:
            return _ANY


def _total(a: _Signs, b: _Signs) -> _Signs:
    """x + y: the sign of one where the other is zero or has the same one; anything where they differ."""
    found: set[int] = set()
    for condition in a:
        for other in b:
            found |= _ANY if condition * other < 0 else {condition or other}
    return frozenset(found)
