"""How an expression is laid out for reading, before any syntax: flat sums and products in a fixed order.

The graph has binary sums, products and reciprocals, ordered by time of creation; a reader wants ``2*m*x**2/l``. An
arrangement gathers a chain of sums or of products, counts equal operands, and sorts. It keeps the value and its
fingerprint, so that the printed text, read again, gives the same node: that is checked for each arrangement, and where
it would fail (only with many square roots, whose fingerprints are cut off) the binary form is kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from heapq import heappop, heappush
from typing import Any

from multibody.graph.expr import Constant, Symbol
from multibody.graph.field import P, Surd, Value, inverse, power
from multibody.graph.node import ADD, MUL, NEG, RECIP, SUB, Node

KeyOf = Callable[[Node], str]
"""The text of a node, by which it is sorted."""


@dataclass(frozen=True)
class Sum:
    """Σ sign·count·node."""

    terms: tuple[tuple[int, int, Any], ...]

    @property
    def children(self) -> list[Any]:
        return [node for _, _, node in self.terms]


@dataclass(frozen=True)
class Product:
    """Π over / Π under: nodes and whole numbers, each with its exponent."""

    over: tuple[tuple[Any, int], ...]
    under: tuple[tuple[Any, int], ...]

    @property
    def children(self) -> list[Any]:
        return [factor for factor, _ in (*self.over, *self.under) if isinstance(factor, Node)]


@dataclass(frozen=True)
class Call:
    """Any other operation on its operands."""

    op: str
    children: list[Any]


@dataclass(frozen=True)
class Leaf:
    """A symbol or a number."""

    node: Any
    children: tuple[()] = ()


Arrangement = Sum | Product | Call | Leaf


def operation(node: Any) -> tuple[str, tuple[Any, ...]]:
    """The operation and its operands; an irrational constant counts as the formula behind it.

    Example:
        >>> from multibody.graph.functions import pi
        >>> operation(pi / 2)
        ('mul', (1/2, pi))
    """
    if isinstance(node, Constant) and node.formula is not None:
        return node.formula
    return node.op, node.args


def arranged(node: Any, names: Container[Any]) -> Arrangement:
    """The arrangement of a node, not sorted yet; nodes in ``names`` are not opened."""
    op, args = operation(node)
    if op in (ADD, SUB, NEG):
        return _flat_sum(node, names)
    if op in (MUL, RECIP):
        return _flat_product(node, names)
    return Leaf(node) if op in ("const", "symbol") else Call(op, list(args))


def binary(node: Any) -> Arrangement:
    """A sum or product as the graph has it, operand by operand."""
    op, args = operation(node)
    if op in (MUL, RECIP):
        over, under = ([], [(args[0], 1)]) if op == RECIP else ([(arg, 1) for arg in args], [])
        return Product(tuple(over), tuple(under))
    signs = {ADD: (1, 1), SUB: (1, -1), NEG: (-1,)}[op]
    return Sum(tuple((sign, 1, arg) for sign, arg in zip(signs, args, strict=True)))


def _gathered(root: Any, open_ops: dict[str, tuple[int, ...]], names: Container[Any]) -> dict[Any, tuple[int, int]]:
    """How often each operand occurs with either sign below a chain of operations; nodes before their operands."""
    counts: dict[Any, tuple[int, int]] = {root: (1, 0)}
    queue = [(-root.serial, root)]
    found: dict[Any, tuple[int, int]] = {}
    while queue:
        node = heappop(queue)[1]
        plus, minus = counts[node]
        op, args = operation(node)
        if op not in open_ops or (node is not root and node in names):
            found[node] = plus, minus
            continue
        for arg, sign in zip(args, open_ops[op], strict=True):
            if arg not in counts:
                heappush(queue, (-arg.serial, arg))
            p, m = counts.get(arg, (0, 0))
            counts[arg] = (p + plus, m + minus) if sign > 0 else (p + minus, m + plus)
    return found


def _flat_sum(root: Any, names: Container[Any]) -> Sum:
    counts = _gathered(root, {ADD: (1, 1), SUB: (1, -1), NEG: (-1,)}, names)
    plus = [(1, p, node) for node, (p, _) in counts.items() if p]
    return Sum((*plus, *((-1, m, node) for node, (_, m) in counts.items() if m)))


def _flat_product(root: Any, names: Container[Any]) -> Product:
    counts = _gathered(root, {MUL: (1, 1), RECIP: (-1,)}, names)
    over: list[tuple[Any, int]] = []
    under: list[tuple[Any, int]] = []
    for node, (above, below) in counts.items():
        if _is_fraction(node):
            fraction = Fraction(node.value) ** (above - below)
            over += [(fraction.numerator, 1)] if fraction.numerator != 1 else []
            under += [(fraction.denominator, 1)] if fraction.denominator != 1 else []
        else:
            over += [(node, above)] if above else []
            under += [(node, below)] if below else []
    return Product(tuple(over), tuple(under))


def _is_fraction(node: Any) -> bool:
    return isinstance(node, Constant) and isinstance(node.value, Fraction) and node.formula is None


def ordered(arrangement: Arrangement, key_of: KeyOf) -> Arrangement:
    """The arrangement in the order of reading."""
    if isinstance(arrangement, Sum):
        terms = sorted(arrangement.terms, key=lambda term: _term_key(term[2], key_of))
        first = next((i for i, (sign, _, _) in enumerate(terms) if sign > 0), 0)
        return Sum((terms[first], *terms[:first], *terms[first + 1 :]))
    if isinstance(arrangement, Product):
        over, under = (
            tuple(sorted(factors, key=lambda factor: _factor_key(factor[0], key_of)))
            for factors in (arrangement.over, arrangement.under)
        )
        return Product(over, under)
    if isinstance(arrangement, Call) and arrangement.op in ("min", "max"):
        return replace(arrangement, children=sorted(arrangement.children, key=lambda node: natural(key_of(node))))
    return arrangement


def _term_key(node: Any, key_of: KeyOf) -> tuple[Any, ...]:
    """Numbers last; a term's own numerical factor does not count."""
    text = key_of(node)
    return isinstance(node, Constant), natural(re.sub(r"^[0-9][0-9.e+\-]*\*", "", text)), text


def _factor_key(factor: Any, key_of: KeyOf) -> tuple[Any, ...]:
    """Numbers first, then symbols, functions, sums."""
    if isinstance(factor, int):
        return 0, [], str(factor)
    text = key_of(factor)
    rank = 1 if isinstance(factor, Constant) else 2 if text.isidentifier() else 3 + (operation(factor)[0] in (ADD, SUB))
    return rank, natural(text), text


def natural(text: str) -> list[tuple[int, Any]]:
    """A key that sorts as a reader expects: q2 before q10, x**3 before x**2 before x*y before x, no matter the case.

    Example:
        >>> sorted(["x", "q10", "q2", "x*y", "x**2", "x**3", "Q1"], key=natural)
        ['Q1', 'q2', 'q10', 'x**3', 'x**2', 'x*y', 'x']
    """
    ranks = {"*": (1, 0), "/": (2, 0)}
    tokens = re.findall(r"\*\*[0-9]{1,9}|[0-9]{1,9}|.", text.casefold(), re.DOTALL)
    keys: list[tuple[int, Any]] = [_token_key(token) if token not in ranks else ranks[token] for token in tokens]
    return [*keys, (3, 0)]


def _token_key(token: str) -> tuple[int, int]:
    if token.startswith("**"):
        return 0, -int(token[2:])
    if token.isascii() and token.isdigit():
        return 5, int(token)
    return (6 if token.isalpha() or token == "_" else 4), ord(token[0])


def reads_back(node: Any, arrangement: Arrangement) -> bool:
    """Whether the arrangement, evaluated from left to right, has the fingerprint of the node."""
    if not isinstance(arrangement, Sum | Product):
        return True
    steps = list(_sum_steps(arrangement) if isinstance(arrangement, Sum) else _product_steps(arrangement))
    rooted = [isinstance(step, Surd) for step in steps]
    return bool(steps[-1] == node.fp and rooted == sorted(rooted))  # a root that vanishes may have been cut off


def _sum_steps(total: Sum) -> Iterator[Value]:
    result: Value = 0
    for sign, count, node in total.terms:
        result = (result + sign * count * node.fp) % P
        yield result


def _product_steps(product: Product) -> Iterator[Value]:
    parts: list[Value] = []
    for factors in (product.over, product.under):
        result: Value = 1
        for factor, exponent in factors:
            result = result * power(factor.fp if isinstance(factor, Node) else factor % P, exponent) % P
            yield result
        parts.append(result)
    if product.under:
        yield parts[0] * inverse(parts[1]) % P


def is_symbol(node: Any) -> bool:
    """Whether a node is a symbol."""
    return isinstance(node, Symbol)
