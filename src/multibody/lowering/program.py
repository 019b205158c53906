"""Straight-line programs: operations in an order in which operands come first, without jumps or loops.

A long program is split into pieces that pass values through a workspace, because the time of a compiler grows faster
than the length of a function. ``translate`` runs a program in the terms of another library, operation by operation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from multibody.graph import Constant, Symbol, Table

COMMUTATIVE = frozenset({"add", "mul", "min", "max", "eq", "and", "or"})
"""Operations whose operands may change places."""

SAME = "same"
"""An operation that gives a value another name."""

_FUSED = {"fma": "a·b + c", "fms": "a·b - c", "fnma": "c - a·b"}
"""Operations with one rounding, made by ``fuse``."""

_COUNTED_AS = {"sub": ("add",), "recip": ("div",)} | dict.fromkeys(_FUSED, ("mul", "add"))


class Operation(NamedTuple):
    """``op`` applied to the values of ``args``; the result is the value of ``node``."""

    op: str
    node: Any
    args: tuple[Any, ...]


class StraightLineProgram(NamedTuple):
    """Operations in order, and the nodes that hold the results.

    Example:
        >>> from multibody.graph import sin, symbols
        >>> from multibody.lowering import schedule
        >>> x, y = symbols("x y")
        >>> program = schedule([sin(x) * y, 1 / sin(x)])
        >>> [step.op for step in program.operations]
        ['sin', 'mul', 'recip']
        >>> [step.op for step in program.restricted(program.results[1:]).operations]
        ['sin', 'recip']
        >>> program.counts
        {'div': 1, 'mul': 1, 'sin': 1}
    """

    operations: tuple[Operation, ...]
    results: tuple[Any, ...]

    def restricted(self, results: Iterable[Any]) -> StraightLineProgram:
        """The part that computes some nodes."""
        wanted = tuple(results)
        nodes, operations = set(wanted), []
        for step in reversed(self.operations):
            if step.node in nodes:
                nodes.update(step.args)
                operations.append(step)
        return StraightLineProgram(tuple(reversed(operations)), wanted)

    @property
    def uses(self) -> Counter[Any]:
        """How often each node is an operand or a result."""
        return Counter([*(arg for step in self.operations for arg in step.args), *self.results])

    @property
    def counts(self) -> dict[str, int]:
        """The number of operations by kind; a fused operation is a product and a sum."""
        kinds = (kind for step in self.operations for kind in _COUNTED_AS.get(step.op, (step.op,)))
        return dict(sorted(Counter(kinds).items()))


ItemT = TypeVar("ItemT")


def split(items: Sequence[ItemT], length: int) -> list[Sequence[ItemT]]:
    """Pieces of limited length; one empty piece if there are no items.

    Example:
        >>> split("abcde", 2), split("", 2)
        (['ab', 'cd', 'e'], [()])
    """
    return [items[k : k + length] for k in range(0, len(items), length)] or [()]


def workspace(pieces: Sequence[Sequence[Any]]) -> tuple[dict[Any, int], int]:
    """A place for each value that a later piece uses, and the number of places; free places are reused.

    Pieces consist of operations, or of statements of a language: each makes the value of a ``node`` from ``args``.
    """
    made = {step.node: k for k, piece in enumerate(pieces) for step in piece}
    last_use = {arg: k for k, piece in enumerate(pieces) for step in piece for arg in step.args if made.get(arg, k) < k}
    places: dict[Any, int] = {}
    free: list[int] = []
    released: dict[int, list[int]] = {}
    width = 0
    for k, piece in enumerate(pieces):
        free += released.pop(k - 1, [])
        for node in (step.node for step in piece if step.node in last_use):
            if not free:
                free.append(width)
                width += 1
            places[node] = free.pop()
            released.setdefault(last_use[node], []).append(places[node])
    return places, width


Functions = Mapping[str, Callable[..., Any]]


def translate(
    program: StraightLineProgram, symbols: Mapping[Symbol, Any], functions: Functions,
    table: Callable[[Table, Any], Any],
) -> list[Any]:  # fmt: skip
    """The results of a program in another library.

    Args:
        program: what to compute.
        symbols: what represents each symbol there.
        functions: the functions of that library by the names of our operations.
        table: how a tabulated function is applied there.

    Example:
        >>> from multibody.graph import sin, symbols
        >>> from multibody.lowering import schedule
        >>> x, y = symbols("x y")
        >>> words = {"sub": "({} - {})".format, "sin": "SIN({})".format}
        >>> translate(schedule([sin(x - y) - x, x]), {x: "X", y: "Y"}, words, str)
        ['(SIN((X - Y)) - X)', 'X']
    """
    values: dict[Any, Any] = dict(symbols)

    def value(node: Any) -> Any:
        return float(node.value) if isinstance(node, Constant) else values[node]

    for op, node, args in program.operations:
        operands = [value(arg) for arg in args]
        values[node] = table(node.table, *operands) if op == "table" else functions[op](*operands)
    return [value(result) for result in program.results]
