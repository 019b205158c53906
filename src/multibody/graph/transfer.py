"""Nodes on their way to another process: taken apart into rows there, put together again as the same nodes here.

A node knows where it was born: a process, and its serial there. Where a node of that birth is alive already, it is
taken: what comes home is what was sent, and what two packages share is one. Otherwise exactly the same node is made,
with the same operands in the same order and with constants of the same digits, so that the same machine code follows
from it, and the same numbers to the last bit; nodes that are alive already can only change the order in which a program
does its operations. Symbols are one wherever scope, name and kind are, as everywhere.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple
from uuid import uuid4
from weakref import WeakKeyDictionary, WeakValueDictionary

from multibody.graph.expr import Constant, Expr, Symbol, has_own_image, neg
from multibody.graph.field import HALF, P, Value
from multibody.graph.functions import symbol
from multibody.graph.node import CONST, NEG, SYMBOL, Node, current_table, intern, intern_structure, place
from multibody.graph.piecewise.conditions import CONDITIONS, Condition, SmoothCondition, joined_guards
from multibody.graph.piecewise.tables import Tabulated
from multibody.graph.traverse import topological

Birth = tuple[str, int]
"""A process, and the serial of a node in it."""

_born: WeakKeyDictionary[Node, Birth] = WeakKeyDictionary()  # nodes that came from elsewhere
_alive: WeakValueDictionary[Birth, Node] = WeakValueDictionary()  # nodes that were sent or came


class _Process:
    """The name of this process; a fork is another one, because it counts its nodes by itself."""

    name = uuid4().hex

    @classmethod
    def renew(cls) -> None:
        cls.name = uuid4().hex


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_Process.renew)


class Row(NamedTuple):
    """A node without references to others.

    Attributes:
        serial: how the operands of other rows, and whoever holds the node, call it.
        birth: where it was born, if not in the process that sends it.
        op: name of the operation.
        operands: the serials of its operands.
        own: what else it has, see ``_symbol``, ``_constant`` and ``_operation``.
    """

    serial: int
    birth: Birth | None
    op: str
    operands: tuple[int, ...]
    own: tuple[Any, ...]


class DismantledNodes(NamedTuple):
    """All nodes below some, operands before results, and the process that they come from."""

    process: str
    rows: list[Row]


# taking apart --------------------------------------------------------------------------------------------------------


def dismantled(nodes: Iterable[Node]) -> DismantledNodes:
    """Nodes and all that is below them as numbers and texts, which can be pickled.

    Example:
        >>> from multibody.graph import symbols
        >>> x, y = symbols("x y")
        >>> product = x * y
        >>> parts = dismantled([product])
        >>> [row.op for row in parts.rows]
        ['symbol', 'symbol', 'mul']
        >>> assembled(parts)[product.serial] is product
        True
    """
    return DismantledNodes(_Process.name, [_row(node) for node in topological(nodes, _operands)])


def _operands(node: Node) -> Sequence[Node]:
    """Those of a constant are the constants that its formula is made of."""
    if not isinstance(node, Constant):
        return node.args
    if node.opposite is not None:
        return (node.opposite,)
    return node.formula[1] if node.formula else ()


def _row(node: Node) -> Row:
    birth = _born.get(node)
    _alive[birth or (_Process.name, node.serial)] = node
    op = NEG if isinstance(node, Constant) and node.opposite is not None else node.op
    return Row(node.serial, birth, op, tuple([operand.serial for operand in _operands(node)]), _own(node))


def _own(node: Any) -> tuple[Any, ...]:
    if isinstance(node, Symbol):
        return node.name, node.kind, node.scope
    if isinstance(node, Constant):
        return node.value, node.fp, node.fp2, node.formula and node.formula[0]
    mark = "smooth" if isinstance(node, SmoothCondition) else getattr(node, "table", None)
    return node.fp, node.guards ^ joined_guards(node.args), *_entries(node), mark


def _entries(node: Node) -> tuple[bool, bool]:
    """Whether it is found by its fingerprint, and by its structure; what was made in isolation is not."""
    value = current_table().get(_key(node.fp))
    structure = current_table().structures.get((node.label, *[arg.serial for arg in node.args]))
    return value is not None and value() is node, structure is not None and structure() is node


def _key(fp: Value) -> Value:
    return fp if fp < HALF else P - fp


# putting together ----------------------------------------------------------------------------------------------------


def assembled(parts: DismantledNodes) -> dict[int, Node]:
    """The nodes by the serials that they have in the parts; see ``dismantled``."""
    nodes: dict[int, Node] = {}
    for serial, birth, op, operands, own in parts.rows:
        origin = birth or (parts.process, serial)
        node = _alive.get(origin)
        if node is None:
            node = _alive[origin] = _made(op, tuple([nodes[operand] for operand in operands]), own)
            _born.setdefault(node, origin)
        nodes[serial] = node
    return nodes


def _made(op: str, operands: tuple[Any, ...], own: tuple[Any, ...]) -> Any:
    if op == SYMBOL:
        return symbol(*own)
    if op == NEG:
        return neg(operands[0])
    return _constant(operands, *own) if op == CONST else _operation(op, operands, *own)


def _constant(operands: tuple[Any, ...], value: Any, fp: Value, fp2: Value, op: str | None) -> Constant:
    """The constant that represents this number here, if it has the same digits; otherwise one of its own."""
    node = Constant(value, fp, fp2, (op, operands) if op else None)
    if value < 0 or not has_own_image(node):  # only the formula of its opposite knows it; or another number is found
        return node
    known: Constant = intern(node)
    same = type(known.value) is type(value) and known.value == value and known.fp == fp
    return known if same else node


def _operation(
    op: str, args: tuple[Any, ...], fp: Any, more: int, by_value: bool, by_structure: bool, table: Any
) -> Any:
    guards = joined_guards(args) ^ more
    if isinstance(table, str):
        node: Any = SmoothCondition(op, args, fp, guards)
    elif table is not None:
        node = Tabulated(table, args[0], fp)
    else:
        node = (Condition if op in CONDITIONS else Expr)(op, args, fp, guards)
    if by_structure:
        node = intern_structure(node)
    known = place(node, current_table(), _key(fp)) if by_value else node
    return known if known.label == node.label and known.args == args else node  # never another way to the same value
