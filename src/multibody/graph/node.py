"""Nodes of the expression graph: interned, each with the fingerprint of its value.

A node is found by its fingerprint: whoever wants to make a value that a live node (or its negative) already has, gets
that node. This one rule covers neutral and absorbing elements, x - x, x·x⁻¹, cancellation, commuted operands, and
sharing across different-looking expressions.

Nodes are held weakly: a node without references is freed and leaves the table. Several threads may build at once.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count
from typing import Any

from multibody.errors import ConditionError, ConversionError
from multibody.graph.field import HALF, P, Value, sort_key

CONST, SYMBOL, ADD, SUB, NEG, MUL, RECIP = "const", "symbol", "add", "sub", "neg", "mul", "recip"


class WeakEntries(dict[Any, "weakref.ref[Any]"]):
    """Nodes by a key; ``limit`` is the size at which the entries of dropped nodes are removed."""

    __slots__ = ("limit",)

    def __init__(self) -> None:
        super().__init__()
        self.limit = 10_000


class NodeTable(WeakEntries):
    """Operations and constants by their fingerprints, up to sign.

    Attributes:
        structures: functions, and everything made without sharing, by operation and serials of the operands.
        negatives: -x by the serial of x.
    """

    __slots__ = ("negatives", "structures")

    def __init__(self) -> None:
        super().__init__()
        self.structures = WeakEntries()
        self.negatives = WeakEntries()

    def __reduce__(self) -> Any:
        return NodeTable, ()  # in another process, there are no nodes yet


_serials = count()
_leaves = (
    WeakEntries()
)  # fingerprint, up to sign -> the symbol that represents it; also the constants that live forever
default_table = NodeTable()  # the same for what is made outside all isolated blocks
_cleaning = threading.RLock()

_current: ContextVar[NodeTable] = ContextVar("multibody_table", default=default_table)
_unshared: list[object] = []  # one entry for each active ``without_sharing``
_sharing: ContextVar[bool] = ContextVar("multibody_sharing", default=True)
current_table = _current.get


class Node:
    """What expressions and conditions have in common: an operation on operands, and a fingerprint.

    Attributes:
        op: name of the operation, such as ``"add"``.
        args: the operands.
        fp: the fingerprint at the first point.
        guards: a set of bits for what must not come in unasked: one for each division, root or logarithm below (up
            to coincidence), and one for each symbol. A node represents a value only where it brings in nothing new.
        serial: order of creation; operands have smaller ones, so sorting by it is a topological order. Those of
            constants are negative: many models share them, and none may depend on which of them came first.
    """

    __slots__ = ("__weakref__", "args", "fp", "guards", "op", "serial")

    def __init__(self, op: str, args: tuple[Any, ...], fp: Value, guards: int) -> None:
        self.op = op
        self.args: tuple[Any, ...] = args
        self.fp = fp
        self.guards = guards
        self.serial = next(_serials)

    @property
    def total(self) -> bool:
        """Whether it is finite for all real arguments: no division, root or logarithm below."""
        return not self.guards & SINGULAR

    @property
    def label(self) -> str:
        """The operation with all that tells it from others."""
        return self.op

    def __bool__(self) -> bool:
        raise ConditionError(
            "A symbolic expression has no truth value.",
            where=repr(self)[:200],
            cause="It was used in 'if', 'and', 'or', 'not', 'min', 'max', 'sorted' or a chained comparison.",
            remedy="Use where(condition, a, b), '&', '|', '~', minimum and maximum; is_zero(...) asks for a proof.",
        )

    def __reduce__(self) -> Any:
        raise ConversionError(
            "Expressions cannot be pickled.",
            code="expression-not-picklable",
            where=repr(self)[:200],
            remedy="Send str(expression) and read it with parse(...) on the other side.",
        )

    def __copy__(self) -> Node:
        return self

    def __deepcopy__(self, memo: object) -> Node:
        return self


def sharing() -> bool:
    """Whether nodes are found by fingerprint in this thread and context."""
    return _sharing.get()


SINGULAR = (1 << 61) - 1  # the bits of divisions, roots and logarithms; those of symbols lie above
ANY = -1  # all bits: whatever a node brings in is welcome


def guard(fp: Value) -> int:
    """The bit of a division, root or logarithm with this fingerprint."""
    return 1 << sort_key(fp) % 61


def symbol_guard() -> int:
    """A bit that no other living symbol has, so that a node with a foreign symbol never represents a value."""
    try:
        return _free_bits.pop()
    except IndexError:
        return SINGULAR + 1 << next(_bits)


_bits = count()
_free_bits: list[int] = []
give_back = _free_bits.append
"""Takes the bit of a symbol that is gone: no node contains it any more, so that the next symbol may have the bit."""


def find(fp: Value, guards: int) -> Any:
    """The node whose fingerprint is ``fp`` or ``-fp``, or None; it must not bring in more than ``guards``."""
    key = fp if fp < HALF else P - fp
    ref = _leaves.get(key) or current_table().get(key)
    node = None if ref is None else ref()
    if node is None or node.guards & ~guards or (node.args and _unshared and not _sharing.get()):
        return None
    return node


def find_structure(op: str, *args: Node) -> Any:
    """The node with exactly this operation and these operands, or None."""
    ref = current_table().structures.get((op, *[arg.serial for arg in args]))
    return None if ref is None else ref()


def intern(node: Any) -> Any:
    """The one node that represents the value of ``node``: itself, if it is the first."""
    key = node.fp if node.fp < HALF else P - node.fp
    if node.op == SYMBOL:
        return place(node, _leaves, key)
    if node.op == CONST:
        return place(node, current_table(), key)
    if _unshared and not _sharing.get():
        return intern_structure(node)
    return place(node, current_table(), key)


def intern_structure(node: Any) -> Any:
    """The one node with the operation and the operands of ``node``."""
    return place(node, current_table().structures, (node.label, *[arg.serial for arg in node.args]))


def make(kind: type[Any], op: str, args: tuple[Any, ...], fp: Value, guards: int, key: Value) -> Any:
    """``intern(kind(op, args, fp, guards))`` in one step, for speed; ``key`` is the fingerprint up to sign."""
    if _unshared and not _sharing.get():
        return intern_structure(kind(op, args, fp, guards))
    node = _new(kind)
    node.op = op
    node.args = args
    node.fp = fp
    node.guards = guards
    node.serial = next(_serials)
    ref = _weak(node)
    table = current_table()
    other = table.setdefault(key, ref)
    if other is ref and node.serial & 1023:
        return node
    if other() is None:  # the entry of a dropped node
        with _cleaning:
            if table.get(key) is other:
                table[key] = ref
                return node
    return place(node, table, key)


_new = object.__new__
_weak = weakref.ref


def place(node: Any, table: WeakEntries, key: Any) -> Any:
    """Enter ``node`` under ``key``; if another thread was faster, return the node that it entered."""
    ref = _weak(node)
    if table.setdefault(key, ref) is ref:
        if len(table) > table.limit:
            _sweep(table)
        return node
    with _cleaning:
        other = table.get(key)
        winner = None if other is None else other()
        if winner is None or _better(node, winner):
            table[key] = ref
            return node
    if node.args and winner.guards & ~node.guards and isinstance(table, NodeTable):  # each has what the other has not
        return intern_structure(node)
    return winner if winner.fp == node.fp else -winner


def claim(node: Any, table: WeakEntries, key: Any) -> Any:
    """The first living node that was entered under ``key``: ``node`` itself, if there is no other."""
    ref = _weak(node)
    while True:
        held = table.setdefault(key, ref)
        if held is ref:
            if len(table) > table.limit:
                _sweep(table)
            return node
        holder = held()
        if holder is not None:
            return holder
        with _cleaning:
            if table.get(key) is held:  # the entry of a dropped node
                table[key] = ref
                return node


def _better(node: Any, other: Any) -> bool:
    """Whether ``node`` should stand for the value from now on: (x² - y²)/(x - y) gives way to x + y, 0.5 to 1/2."""
    if node.op == CONST:
        return other.op != CONST or (other.rounded and not node.rounded) or (node.exact and not other.exact)
    return bool(other.guards & ~node.guards) and not node.guards & ~other.guards and other.op != CONST


def _sweep(table: WeakEntries) -> None:
    """Remove the entries of dropped nodes; done so rarely that it costs a constant time per node."""
    with _cleaning:
        for key, ref in table.copy().items():
            if ref() is None and table.get(key) is ref:
                del table[key]
        table.limit = 10_000 + 2 * len(table)


@contextmanager
def isolated(*known: Any) -> Iterator[NodeTable]:
    """Look only among the nodes made inside this block (and symbols) for a node with the wanted value.

    Args:
        known: nodes from outside, operands before results, that may be found as well.

    What is built inside then does not depend on what other operations happen to be alive: a derivation takes the form
    that its author gave it, and not that of another one with the same result. ``within`` comes back to the table that
    is given to the block.

    Example:
        >>> from multibody.graph import isolated, symbols
        >>> x, y = symbols("x y")
        >>> short = x * x
        >>> (x + y) * (x - y) + y * y is short
        True
        >>> with isolated():
        ...     print((x + y) * (x - y) + y * y)
        (x + y)*(x - y) + y**2
    """
    table = NodeTable()
    with within(table):
        for node in known:
            _enter(node, table)
        yield table


def _enter(node: Any, table: NodeTable) -> None:
    """Let a node from outside be found."""
    if node.op == SYMBOL:
        return
    if node.op == NEG:
        place(node, table.negatives, node.args[0].serial)
        return
    intern(node)
    if node.args and node.op not in _ARITHMETIC:
        intern_structure(node)


_ARITHMETIC = frozenset({ADD, SUB, MUL, RECIP})


class _Within:
    """The block that ``within`` opens; it is entered so often that a generator would be slow."""

    __slots__ = ("_table", "_token")

    def __init__(self, table: NodeTable) -> None:
        self._table = table

    def __enter__(self) -> None:
        self._token = _current.set(self._table)

    def __exit__(self, *_: object) -> None:
        _current.reset(self._token)


def within(table: NodeTable) -> _Within:
    """Look for nodes, and enter new ones, in a table that an isolated block was given.

    Example:
        >>> from multibody.graph import symbols
        >>> x, y = symbols("x y")
        >>> with isolated() as table:
        ...     inside = x * y + 7
        >>> with within(table):
        ...     print(x * y + 7 is inside)
        True
        >>> x * y + 7 is inside
        False
    """
    return _Within(table)


@contextmanager
def without_sharing() -> Iterator[None]:
    """Merge only expressions of equal structure inside this block; to measure what fingerprints save.

    Example:
        >>> from multibody.graph import cos, sin, symbols, without_sharing
        >>> x, y = symbols("x y")
        >>> sin(x) ** 2 + cos(x) ** 2
        1
        >>> with without_sharing():
        ...     print(sin(y) ** 2 + cos(y) ** 2)
        cos(y)**2 + sin(y)**2
    """
    _unshared.append(None)
    token = _sharing.set(False)
    try:
        yield
    finally:
        _sharing.reset(token)
        _unshared.pop()


def live_nodes() -> int:
    """How many nodes are alive in this process."""
    tables = (_leaves, default_table, default_table.negatives, default_table.structures)
    for table in tables:
        _sweep(table)
    return len({id(ref()) for table in tables for ref in table.copy().values()})
