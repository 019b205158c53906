"""Straight-line programs: what a graph becomes on its way to machine code.

A program lists operations in an order in which operands come first. Work that depends on parameters alone is in a
stage of its own, which runs once per parameter set. A reciprocal that is used once becomes a division.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from multibody.graph import Constant, Expr, Symbol, topological

CONDITIONS = frozenset({"lt", "le", "eq", "and", "or", "not"})


@dataclass(frozen=True)
class Operation:
    """One step: ``op`` applied to ``args``; the result is named by ``node``, the graph's own object."""

    op: str
    node: Any
    args: tuple[Any, ...]


@dataclass(frozen=True)
class Program:
    """Operations in order, in two stages, with what goes in and out.

    Attributes:
        places: port number and position of every symbol.
        prepare: operations on parameters alone.
        main: all other operations.
        hoisted: results of ``prepare`` that ``main`` or the outputs use.
        outputs: for each output port its expressions, row by row.
        inputs: how many input ports there are.
        shared: input ports that all states of a batch have in common.
    """

    places: dict[Symbol, tuple[int, int]]
    prepare: tuple[Operation, ...]
    main: tuple[Operation, ...]
    hoisted: tuple[Any, ...]
    outputs: tuple[tuple[Expr, ...], ...]
    inputs: int
    shared: frozenset[int]

    @property
    def operations(self) -> dict[str, int]:
        """Counts by kind for one evaluation, without the work on parameters alone."""
        return _counts(self.main)

    @property
    def parameter_operations(self) -> dict[str, int]:
        """Counts by kind for the work that is done once per parameter set."""
        return _counts(self.prepare)


_COUNTED_AS = {"sub": "add", "recip": "div"}


def _counts(operations: Sequence[Operation]) -> dict[str, int]:
    counts = Counter(_COUNTED_AS.get(operation.op, operation.op) for operation in operations)
    return dict(sorted(counts.items()))


def lowered(inputs: Sequence[Sequence[Symbol]], outputs: Sequence[Sequence[Expr]], shared: frozenset[int]) -> Program:
    """The program that computes ``outputs``; what depends on ``shared`` input ports alone goes to the first stage."""
    places = {symbol: (port, k) for port, items in enumerate(inputs) for k, symbol in enumerate(items)}
    parameters = frozenset(symbol for symbol, (port, _) in places.items() if port in shared)
    order = [node for node in topological([x for port in outputs for x in port]) if not isinstance(node, Constant)]
    fixed = _fixed(order, parameters)
    fused = _fused_reciprocals(order, outputs, fixed)
    operations = [_operation(node, fused) for node in order if node.args and node not in fused]
    prepare = tuple(step for step in operations if step.node in fixed)
    main = tuple(step for step in operations if step.node not in fixed)
    used = {arg for step in main for arg in step.args} | {x for port in outputs for x in port}
    hoisted = tuple(step.node for step in prepare if step.node in used)
    return Program(places, prepare, main, hoisted, tuple(map(tuple, outputs)), len(inputs), shared)


def _fixed(order: list[Any], parameters: frozenset[Symbol]) -> set[Any]:
    """Nodes that depend on parameters and constants alone."""
    fixed: set[Any] = set()
    for node in order:
        if node in parameters or (node.args and all(arg in fixed or arg.op == "const" for arg in node.args)):
            fixed.add(node)
    return fixed


def _fused_reciprocals(order: list[Any], outputs: Sequence[Sequence[Expr]], fixed: set[Any]) -> set[Any]:
    """Reciprocals whose only use is one product in the same stage: a · (1/b) is then a / b."""
    uses = Counter(arg for node in order for arg in node.args)
    uses.update(x for port in outputs for x in port)
    found: set[Any] = set()
    for node in order:
        if node.op == "mul":
            single = [x for x in node.args if x.op == "recip" and uses[x] == 1 and (x in fixed) == (node in fixed)]
            found.update(single[:1])
    return found


def _operation(node: Any, fused: set[Any]) -> Operation:
    if node.op == "mul":
        for divisor, dividend in (node.args, node.args[::-1]):
            if divisor in fused:
                return Operation("div", node, (dividend, divisor.args[0]))
    return Operation(node.op, node, node.args)
