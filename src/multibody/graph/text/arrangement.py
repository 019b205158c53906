"""Arrangement of an expression for reading, before any syntax: flat sums and products.

The graph has binary sums, products and reciprocals, ordered by time of creation; a reader wants ``2*m*x**2/l``. An
arrangement gathers a chain of sums or of products, and counts equal operands. It keeps the value and its
fingerprint, so that the printed text, read again, gives the same node: that is checked for each arrangement, and where
it would fail (only with many square roots, whose fingerprints are cut off) the binary form is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from heapq import heappop, heappush
from operator import add, mul, or_
from typing import Any

from multibody.graph.expr import Constant
from multibody.graph.field import P, Value, inverse, power
from multibody.graph.node import ADD, MUL, NEG, RECIP, SUB, guard
from multibody.graph.number import image


@dataclass(frozen=True)
class Sum:
    """Σ sign·count·node."""

    terms: tuple[tuple[int, int, Any], ...]

    @property
    def children(self) -> list[Any]:
        """The nodes that the arrangement consists of."""
        return [node for _, _, node in self.terms]


@dataclass(frozen=True)
class Product:
    """number · Π factor^exponent / divisor / divisor …."""

    number: Fraction
    over: tuple[tuple[Any, int], ...]
    under: tuple[Any, ...]

    @property
    def children(self) -> list[Any]:
        """The nodes that the arrangement consists of."""
        return [*(factor for factor, _ in self.over), *self.under]


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
        ('mul', (pi, 1/2))
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
        over, under = ((), args) if op == RECIP else (tuple((arg, 1) for arg in args), ())
        return Product(Fraction(1), over, under)
    signs = {ADD: (1, 1), SUB: (1, -1), NEG: (-1,)}[op]
    return Sum(tuple((sign, 1, arg) for sign, arg in zip(signs, args, strict=True)))


_TERMS = {ADD: (1, 1), SUB: (1, -1), NEG: (-1,)}  # the operations to be opened, and the sign that each operand gets
_FACTORS = {MUL: (1, 1), NEG: (1,)}

Counts = dict[Any, tuple[int, int]]
"""How often a node occurs with a plus and with a minus."""


def _gathered(root: Any, opened: dict[str, tuple[int, ...]], names: Container[Any]) -> tuple[Counts, Counts]:
    """The operands of a chain of operations, and the operations themselves; each node before its operands."""
    counts: Counts = {root: (1, 0)}
    queue = [(-root.serial, root)]
    operands: Counts = {}
    operations: Counts = {}
    while queue:
        node = heappop(queue)[1]
        plus, minus = counts[node]
        op, args = operation(node)
        if op not in opened or (node is not root and node in names):
            operands[node] = plus, minus
            continue
        operations[node] = plus, minus
        for arg, sign in zip(args, opened[op], strict=True):
            if arg not in counts:
                heappush(queue, (-arg.serial, arg))
            p, m = counts.get(arg, (0, 0))
            counts[arg] = (p + plus, m + minus) if sign > 0 else (p + minus, m + plus)
    return operands, operations


def _flat_sum(root: Any, names: Container[Any]) -> Sum:
    counts, _ = _gathered(root, _TERMS, names)
    plus = [(1, p, node) for node, (p, _) in counts.items() if p]
    return Sum((*plus, *((-1, m, node) for node, (_, m) in counts.items() if m)))


def _flat_product(root: Any, names: Container[Any]) -> Product:
    """Each division stays a division of its own: x/y/z is not x/(y·z), which is singular at one place less."""
    counts, operations = _gathered(root, _FACTORS, names)
    minus_signs = sum(times for node, (times, _) in operations.items() if operation(node)[0] == NEG)
    number = Fraction((-1) ** (minus_signs % 2))
    over: list[tuple[Any, int]] = []
    under: list[Any] = []
    for node, (times, _) in counts.items():
        op, args = operation(node)
        if _is_rational(node):
            number *= Fraction(node.value) ** times
        elif op == RECIP and times == 1 and (node is root or node not in names):
            under += args
        else:
            over.append((node, times))
    return Product(number, tuple(over), tuple(under))


def _is_rational(node: Any) -> bool:
    return isinstance(node, Constant) and node.formula is None and not isinstance(node.value, float)


def reads_back(node: Any, arrangement: Arrangement) -> bool:
    """Whether the arrangement, evaluated from left to right, gives the node again.

    It must have the same fingerprint, and must not hide a division or a root: x·y/x must not be shown as y.
    """
    if isinstance(arrangement, Call | Leaf):
        return True
    operands = arrangement.children
    try:
        guards = reduce(or_, [operand.guards for operand in operands], 0)
        if isinstance(arrangement, Product):
            guards = reduce(or_, [guard(inverse(divisor.fp)) for divisor in arrangement.under], guards)
        hidden = node.guards & ~guards or len(set(operands)) < len(operands)
        return not hidden and bool(_value(arrangement) == node.fp)
    except (_VanishedError, ArithmeticError, RecursionError):  # nested roots may have no inverse, or a very long one
        return False


class _VanishedError(Exception):
    """A root has vanished on the way: it was squared or cancelled, or its fingerprint was cut off."""


def _value(arrangement: Sum | Product) -> Value:
    if isinstance(arrangement, Sum):
        return _chained(add, [sign * count * term.fp % P for sign, count, term in arrangement.terms])
    over = _chained(mul, [image(arrangement.number), *map(_power, arrangement.over)])
    return _chained(mul, [over, *(_rooted(inverse(divisor.fp), divisor.fp) for divisor in arrangement.under)])


def _power(factor: tuple[Any, int]) -> Value:
    base, exponent = factor
    return _rooted(power(base.fp, exponent), base.fp)


def _chained(combine: Callable[[Any, Any], Any], values: list[Value]) -> Value:
    """Sum or product from left to right."""
    result = values[0]
    for value in values[1:]:
        result = _rooted(combine(result, value) % P, result, value)
    return result


def _rooted(result: Value, *operands: Value) -> Value:
    """The result itself, which must have roots if an operand has."""
    if isinstance(result, int) and not all(isinstance(operand, int) for operand in operands):
        raise _VanishedError
    return result
