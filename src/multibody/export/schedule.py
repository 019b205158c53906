"""The operations behind a routine, in an order that depends on the model alone.

Nodes of the graph are numbered as they were made, which depends on what else was made before. Here an operation comes
after its operands, and otherwise where a walk from the results first meets it: landmarks (poses, velocities …) before
the results, operands in the order of their fingerprints.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from multibody.graph import Condition, Expr, Symbol

COMMUTATIVE = frozenset({"add", "mul", "min", "max", "eq", "and", "or"})
SAME = "same"
"""An operation that gives a value another name."""
CONDITIONS = frozenset({"lt", "le", "eq", "and", "or", "not"})


class Operation(NamedTuple):
    """``op`` applied to ``args``; the result is known by ``node``."""

    op: str
    node: Any
    args: tuple[Any, ...]


class Schedule(NamedTuple):
    """Operations in order, and the nodes that hold the results."""

    operations: tuple[Operation, ...]
    results: tuple[Any, ...]

    def of(self, results: Iterable[Any] | None = None) -> Schedule:
        """What must be computed for some of the results, by their nodes."""
        wanted = self.results if results is None else tuple(results)
        needed, kept = set(wanted), []
        for step in reversed(self.operations):
            if step.node in needed:
                needed.update(step.args)
                kept.append(step)
        return Schedule(tuple(reversed(kept)), wanted)


def scheduled(outputs: Sequence[Expr], known: Mapping[Expr, Expr], first: Iterable[Any]) -> Schedule:
    """What must be computed for the outputs, each value once.

    Args:
        outputs: expressions.
        known: symbols that stand for expressions.
        first: fingerprints of values that should come early, in this order, if they are needed.
    """
    roots = [*_early(outputs, known, first), *outputs]
    stands_for: dict[Any, Any] = {}
    of_value: dict[Any, Any] = {}
    operations: list[Operation] = []
    for node in _walked(roots, known):
        if node in known:
            stands_for[node] = stands_for[known[node]]
            if stands_for[node].op == "neg":  # a sign gets no name; the symbol that it is known by does
                operations.append(Operation(SAME, node, (stands_for[node],)))
                stands_for[node] = node
            continue
        value = (node.fp, node.guards, type(node) is Condition) if node.args else node
        stands_for[node] = of_value.setdefault(value, node)
        if node.args and stands_for[node] is node:
            operations.append(Operation(node.op, node, tuple(stands_for[arg] for arg in _ordered(node))))
    return Schedule(tuple(operations), tuple(stands_for[output] for output in outputs)).of()


def _early(outputs: Sequence[Expr], known: Mapping[Expr, Expr], first: Iterable[Any]) -> list[Any]:
    """The nodes with the wanted fingerprints, among those that the outputs need."""
    by_value: dict[Any, Any] = {}
    for node in _walked(outputs, known):
        if node.args:
            by_value.setdefault(node.fp, node)
    return [by_value[fp] for fp in first if fp in by_value]


def _walked(roots: Iterable[Any], known: Mapping[Expr, Expr]) -> list[Any]:
    """All nodes below the roots, operands first, in the order of a walk in depth."""
    done: set[Any] = set()
    order: list[Any] = []
    for root in roots:
        stack = [(root, False)]
        while stack:
            node, ready = stack.pop()
            if node in done:
                continue
            if ready:
                done.add(node)
                order.append(node)
                continue
            stack.append((node, True))
            below = (known[node],) if node in known else _ordered(node)
            stack += [(arg, False) for arg in reversed(below) if arg not in done]
    return order


def _ordered(node: Any) -> tuple[Any, ...]:
    """The operands; where their order does not matter to the value, it is that of their fingerprints."""
    if node.op not in COMMUTATIVE:
        return tuple(node.args)
    return tuple(sorted(node.args, key=_rank))


def _rank(node: Any) -> tuple[Any, ...]:
    return bool(node.args), node.name if isinstance(node, Symbol) else "", hash(node.fp)


def fixed_nodes(operations: Iterable[Operation], parameters: Iterable[Symbol]) -> set[Any]:
    """The operations whose operands are parameters and constants, directly or not."""
    fixed: set[Any] = set(parameters)
    made: set[Any] = set()
    for step in operations:
        if all(arg in fixed or arg.op == "const" for arg in step.args):
            fixed.add(step.node)
            made.add(step.node)
    return made
