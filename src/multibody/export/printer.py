"""Expressions in the syntax of a language, with the names of what was computed before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from multibody.export.schedule import COMMUTATIVE, SAME, Operation
from multibody.export.syntax import Syntax
from multibody.graph import Constant
from multibody.graph.number import finite
from multibody.graph.order import natural

OPEN, SUM, PRODUCT, ATOM = range(4)
"""How tightly the outermost operation of a text binds."""


class Piece(NamedTuple):
    """The text of an expression, and how tightly it binds."""

    text: str
    level: int = ATOM

    def within(self, level: int) -> str:
        """The text, in parentheses if it binds less tightly."""
        return self.text if self.level >= level else f"({self.text})"


class Printer:
    """Writes operations.

    Args:
        syntax: of the language.
        operations: for each node the operation that it stands for.
        names: of symbols, of intermediates, and of tables by their digest.
    """

    def __init__(self, syntax: Syntax, operations: Mapping[Any, Operation], names: Mapping[Any, str]) -> None:
        self._syntax = syntax
        self._operations = operations
        self._names = names
        self._used: dict[Any, None] = {}

    def text(self, node: Any) -> str:
        """A value: its name if it has one, or else the expression."""
        return self._piece(node).text

    def definition(self, node: Any) -> str:
        """The expression behind a name."""
        return self._operation(self._operations[node]).text

    def used(self) -> list[Any]:
        """The named nodes that were written since the last call."""
        used, self._used = list(self._used), {}
        return used

    def _piece(self, node: Any) -> Piece:
        if node in self._names:
            self._used[node] = None
            return Piece(self._names[node])
        if isinstance(node, Constant):
            value = finite(node.value)
            return Piece(self._syntax.number(value), SUM if value < 0 else ATOM)
        return self._operation(self._operations[node])

    def _operation(self, step: Operation) -> Piece:
        op, args = step.op, step.args
        if op == "recip":
            return Piece(f"{self._syntax.number(1.0)}/{self._piece(args[0]).within(ATOM)}", PRODUCT)
        if op == SAME:
            return self._piece(args[0])
        if op == "neg":
            return Piece(f"-{self._piece(args[0]).within(PRODUCT)}", SUM)
        if op == "mul":
            return self._product(args)
        pieces = [self._piece(arg) for arg in args]
        if op in COMMUTATIVE:
            pieces = _readable(pieces, SUM if op == "add" else OPEN)
        if op in ("add", "sub"):
            return Piece(f"{pieces[0].within(SUM)} {'+' if op == 'add' else '-'} {pieces[1].within(PRODUCT)}", SUM)
        return self._call(step, pieces)

    def _product(self, args: tuple[Any, ...]) -> Piece:
        """A factor 1/x that has no name of its own becomes a division."""
        inverse = [arg for arg in args if arg not in self._names and arg.op == "recip"]
        if inverse:
            over = args[1] if args[0] is inverse[0] else args[0]
            under = self._piece(self._operations[inverse[0]].args[0])
            return Piece(f"{self._piece(over).within(PRODUCT)}/{under.within(ATOM)}", PRODUCT)
        a, b = _readable([self._piece(arg) for arg in args], PRODUCT)
        return Piece(f"{a.within(PRODUCT)}*{b.within(ATOM)}", PRODUCT)

    def _call(self, step: Operation, args: list[Piece]) -> Piece:
        form = self._syntax.functions[step.op]
        if step.op == "table":
            form = form.replace("{name}", self._names[step.node.table.digest])
        if "{" not in form:
            return Piece(f"{form}({', '.join(arg.text for arg in args)})")
        return Piece(form.format(*(arg.within(ATOM) for arg in args)))


def _readable(pieces: list[Piece], level: int) -> list[Piece]:
    """Two operands whose order does not matter: one that would need parentheses comes first, else by the alphabet."""

    def rank(piece: Piece) -> tuple[bool, int, str]:
        number = piece.text[:1].isdigit() if level == PRODUCT else not piece.text[:1].isdigit()
        return not number, 0 if piece.level == level else 1, natural(piece.text)

    return sorted(pieces, key=rank)
