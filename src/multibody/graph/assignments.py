"""Large expressions as a list of named intermediate results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from typing import Any

from multibody.graph.arrangement import operation
from multibody.graph.expr import Symbol
from multibody.graph.node import NEG, Node

TRIVIAL = 4
"""A part with more operations and operands than these gets a name if it is used more than once."""

LARGE = 60
"""A part with more operations and operands than these gets a name in any case."""


def nodes_below(outputs: Iterable[Any], limit: int | None = None) -> list[Any]:
    """All nodes below the outputs, operands first, formulas of constants included; at most about ``limit`` of them."""
    seen = set(outputs)
    stack = list(seen)
    while stack and (limit is None or len(seen) <= limit):
        for arg in operation(stack.pop())[1]:
            if arg not in seen:
                seen.add(arg)
                stack.append(arg)
    return sorted(seen, key=lambda node: node.serial)


def walked(outputs: Iterable[Any]) -> list[Any]:
    """The same nodes in an order that depends on the expressions alone, not on when their nodes were made.

    It is that of a walk in depth from the outputs: operands come first, by name and fingerprint.
    """
    done: set[Any] = set()
    order: list[Any] = []
    stack = [(output, False) for output in reversed(list(outputs))]
    while stack:
        node, ready = stack.pop()
        if node in done:
            continue
        if ready:
            done.add(node)
            order.append(node)
            continue
        stack.append((node, True))
        below = sorted(set(operation(node)[1]), key=_rank, reverse=True)
        stack += [(arg, False) for arg in below if arg not in done]
    return order


def _rank(node: Any) -> tuple[bool, str, int]:
    return bool(operation(node)[1]), node.name if isinstance(node, Symbol) else "", hash(node.fp)


@dataclass(frozen=True)
class Assignments:
    """A computation as a list of named intermediate results, each of which may use those before it.

    Attributes:
        definitions: names and the nodes that they stand for, in order.
        outputs: the results.
    """

    definitions: tuple[tuple[str, Node], ...]
    outputs: tuple[Node, ...]

    @property
    def names(self) -> dict[Node, str]:
        """The name of each intermediate."""
        return {node: name for name, node in self.definitions}


def assignments(outputs: Iterable[Any], prefix: str = "v") -> Assignments:
    """Names for the parts of expressions that occur more than once, or are too large to be read in one line.

    Example:
        >>> from multibody.graph.functions import sin, symbols
        >>> v1, y = symbols("v1 y")
        >>> shared = sin(v1 + y) * v1
        >>> assignments([shared + 1, shared * y]).definitions
        (('v2', v1*sin(v1 + y)),)
    """
    results = tuple(outputs)
    nodes = walked(results)
    taken = {node.name for node in nodes if isinstance(node, Symbol)}
    free = (name for name in (f"{prefix}{i}" for i in count(1)) if name not in taken)
    uses = Counter(arg for node in nodes for arg in set(operation(node)[1]))
    uses.update(results)
    weights: dict[Any, int] = {}
    definitions: list[tuple[str, Node]] = []
    for node in nodes:
        op, args = operation(node)
        weight = 1 + sum(weights[arg] for arg in set(args))
        large = weight > LARGE and uses[node] > 0 and node not in results
        if op != NEG and (large or (uses[node] > 1 and weight > TRIVIAL)):
            definitions.append((next(free), node))
            weight = 1
        weights[node] = weight
    return Assignments(tuple(definitions), results)
