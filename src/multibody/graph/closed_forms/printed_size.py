"""The printed length of an expression."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from multibody.graph.expr import Constant
from multibody.graph.node import ADD, MUL, SUB
from multibody.graph.text.arrangement import Arrangement, Leaf, Product, Sum, arranged
from multibody.graph.traverse import depth_first

MANY_DIGITS = 8
"""Each digit beyond these counts as much as a symbol."""


def printed_size(root: Any) -> int:
    """The number of symbols, numbers, functions, operators and pairs of parentheses as an expression is printed.

    Example:
        >>> from multibody.graph.functions import sin, symbols
        >>> m, g, l, q = symbols("m g l q")
        >>> printed_size(m * g * sin(q) / l**2)  # m * g * sin q / l ** 2
        10
    """
    sizes: dict[Any, int] = {}
    for node in depth_first([root], lambda node: arranged(node, ()).children):
        sizes[node] = _size(arranged(node, ()), sizes)
    return sizes[root]


def number_size(number: Fraction | int) -> int:
    """The size of a rational factor with its operator; nothing for 1."""
    return 2 * (abs(number.numerator) != 1) + 2 * (number.denominator != 1)


def _size(arrangement: Arrangement, sizes: dict[Any, int]) -> int:
    if isinstance(arrangement, Sum):
        signs = sum(sign < 0 for sign, _, _ in arrangement.terms) == len(arrangement.terms)
        return sum(sizes[node] + 1 + 2 * (n > 1) for _, n, node in arrangement.terms) - 1 + signs
    if isinstance(arrangement, Product):
        over = sum(sizes[node] + (node.op in _SUMS) + 1 + 2 * (e > 1) for node, e in arrangement.over)
        under = sum(sizes[node] + _enclosed_below(node) + 1 for node in arrangement.under)
        number = number_size(arrangement.number) + (arrangement.number < 0)
        return (over or 2) + under + number - 1  # 1/x has a number above
    if isinstance(arrangement, Leaf):
        return 1 + _surplus(arrangement.node)
    return 1 + sum(sizes[child] for child in arrangement.children)


def _surplus(leaf: Any) -> int:
    """A float with many digits is hard to read."""
    digits = len(repr(leaf.value)) if isinstance(leaf, Constant) and isinstance(leaf.value, float) else 0
    return max(0, digits - MANY_DIGITS)


_SUMS = (ADD, SUB)


def _enclosed_below(node: Any) -> bool:
    """Whether a divisor has parentheses: a sum or a product, but not a square."""
    return node.op in _SUMS or (node.op == MUL and node.args[0] is not node.args[1])
