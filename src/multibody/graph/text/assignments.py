"""Large expressions as a list of named intermediate results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from math import inf
from typing import Any

from multibody.graph.expr import Symbol
from multibody.graph.node import NEG, Node
from multibody.graph.text.arrangement import operation
from multibody.graph.traverse import content_rank, depth_first, topological

TRIVIAL = 4
"""A part with more operations and operands than these gets a name if it is used more than once."""

LARGE = 60
"""A part with more operations and operands than these gets a name in any case."""


def nodes_below(outputs: Iterable[Any], limit: float = inf) -> list[Any]:
    """All nodes below the outputs, operands first, formulas of constants included; at most about ``limit`` of them."""
    return topological(outputs, lambda node: operation(node)[1], limit)


def _sorted_operands(node: Any) -> list[Any]:
    """The operands in an order that depends on the expressions alone, not on when their nodes were made."""
    return sorted(set(operation(node)[1]), key=lambda arg: content_rank(arg, operation(arg)[1]))


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
    nodes = depth_first(results, _sorted_operands)
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
