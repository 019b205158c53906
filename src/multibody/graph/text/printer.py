"""Base of the printers of text and LaTeX: the walk over the graph, parts of a text."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from multibody.graph.expr import Constant, Symbol
from multibody.graph.node import Node
from multibody.graph.text.arrangement import (
    Arrangement,
    Call,
    Leaf,
    Product,
    Sum,
    arranged,
    binary,
    reads_back,
)
from multibody.graph.text.term_order import ordered

OR, AND, NOT, COMPARISON, SUM, PRODUCT, POWER, ATOM = range(8)
"""How tightly the outermost operation of a text binds."""

MAX_DEPTH = 60
"""Deeper nesting gets named intermediates."""


class TooLongError(Exception):
    """The text would be longer than the printer's limit."""


@dataclass(frozen=True)
class PrintedPiece:
    """The text of a node, how tightly it binds, how deep it nests, and whether it is a minus sign and a product."""

    text: str
    level: int = ATOM
    depth: int = 0
    negative: bool = False


def depth_above(pieces: Iterable[PrintedPiece]) -> int:
    """The depth of what contains the pieces."""
    return 1 + max((piece.depth for piece in pieces), default=0)


class ExpressionPrinter(ABC):
    """Writes expressions in one syntax; a subclass says how each arrangement looks.

    Args:
        names: the nodes that are to be printed as a name.
        limit: the longest text; beyond it, ``TooLongError``.
    """

    def __init__(self, names: Mapping[Node, str], limit: int | None = None) -> None:
        self.names = names
        self.limit = limit
        self.pieces: dict[Node, PrintedPiece] = {}
        self._arrangements: dict[Node, Arrangement] = {}

    def text(self, root: Any) -> str:
        """The text of an expression."""
        return self._piece(root).text

    def definition(self, root: Any) -> str:
        """The text of an expression that has a name itself."""
        self.pieces.pop(root, None)
        return self._walked(root).text

    def _piece(self, root: Any) -> PrintedPiece:
        return PrintedPiece(self._name(self.names[root])) if root in self.names else self._walked(root)

    def _walked(self, root: Any) -> PrintedPiece:
        """Operands before results, on a stack of its own: the graph may be deeper than Python's."""
        stack = [root]
        while root not in self.pieces:
            node = stack[-1]
            piece = self._made(node, stack) if node is root or node not in self.names else self._piece(node)
            if piece is None:
                continue
            if self.limit is not None and (len(piece.text) > self.limit or piece.depth > MAX_DEPTH):
                raise TooLongError
            self.pieces[node] = piece
            stack.pop()
        return self.pieces.pop(root) if root in self.names else self.pieces[root]

    def _made(self, node: Any, stack: list[Any]) -> PrintedPiece | None:
        """The piece of a node; None if operands had to be put on the stack first."""
        if node not in self._arrangements:
            self._arrangements[node] = arranged(node, self.names)
        arrangement = self._arrangements[node]
        missing = [child for child in arrangement.children if child not in self.pieces]
        if missing:
            stack += missing
            return None
        result = ordered(arrangement, self._sort_key)
        if not reads_back(node, result):
            result = binary(node)
            if result != arrangement:
                self._arrangements[node] = result
                return None
        return self._written(node, result)

    def _written(self, node: Any, arrangement: Arrangement) -> PrintedPiece:
        if isinstance(arrangement, Sum):
            return self._sum([(sign, n, self.pieces[term]) for sign, n, term in arrangement.terms])
        if isinstance(arrangement, Product):
            over = [(self.pieces[factor], exponent) for factor, exponent in arrangement.over]
            return self._product(arrangement.number, over, [self.pieces[divisor] for divisor in arrangement.under])
        if isinstance(arrangement, Call):
            return self._call(node, arrangement.op, [self.pieces[child] for child in arrangement.children])
        assert isinstance(arrangement, Leaf)
        return self._number(node.value) if isinstance(node, Constant) else self._symbol(node)

    def _sort_key(self, node: Any) -> str:
        """The plain text of a node, by which operands are ordered."""
        return self.pieces[node].text

    @abstractmethod
    def _name(self, name: str) -> str:
        """The name of an intermediate."""

    @abstractmethod
    def _symbol(self, node: Symbol) -> PrintedPiece:
        """A symbol."""

    @abstractmethod
    def _number(self, value: Any) -> PrintedPiece:
        """A rational number or a float."""

    @abstractmethod
    def _sum(self, terms: list[tuple[int, int, PrintedPiece]]) -> PrintedPiece:
        """Σ sign·count·term."""

    @abstractmethod
    def _product(
        self, number: Fraction, over: list[tuple[PrintedPiece, int]], under: list[PrintedPiece]
    ) -> PrintedPiece:
        """number · Π factor^exponent / divisor / divisor …."""

    @abstractmethod
    def _call(self, node: Any, op: str, args: list[PrintedPiece]) -> PrintedPiece:
        """Any other operation."""
