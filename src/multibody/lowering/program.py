"""Straight-line programs: operations in an order in which operands come first, without jumps or loops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

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
