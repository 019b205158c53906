"""The graph of bodies and joints: spanning tree, numbering, paths, cut joints. No physics.

Joints are edges from a parent to a child. The tree grows from the root by the shortest way, and its numbering
follows the names: the computation does not depend on the order in which the user wrote things down. Coordinates and
speeds have that order; see ``freeze``.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from typing import Any


def natural(name: str) -> list[Any]:
    """A sort key that puts ``joint2`` before ``joint10``."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


@dataclass(frozen=True)
class Edge:
    """A joint: its name, and the bodies that it connects."""

    name: str
    parent: Hashable
    child: Hashable


@dataclass(frozen=True)
class Branch:
    """An edge of the tree; ``reversed`` if the tree runs from its child to its parent."""

    edge: Edge
    reversed: bool

    @property
    def inner(self) -> Hashable:
        """The body nearer to the root."""
        return self.edge.child if self.reversed else self.edge.parent

    @property
    def outer(self) -> Hashable:
        """The body that the branch carries."""
        return self.edge.parent if self.reversed else self.edge.child


@dataclass(frozen=True)
class Tree:
    """A spanning tree.

    Attributes:
        root: where it starts.
        branches: parents before children.
        cuts: edges that close a loop, in the order in which they were given.
        unreached: bodies without a connection to the root.
    """

    root: Hashable
    branches: tuple[Branch, ...]
    cuts: tuple[Edge, ...]
    unreached: tuple[Hashable, ...]

    def path(self, body: Hashable) -> tuple[Branch, ...]:
        """The branches from the root to a body."""
        carrying = {branch.outer: branch for branch in self.branches}
        found: list[Branch] = []
        while body != self.root:
            found.append(carrying[body])
            body = found[-1].inner
        return tuple(reversed(found))


def spanning_tree(
    root: Hashable, bodies: Iterable[Hashable], edges: Sequence[Edge], cut: Iterable[str] = (),
    preference: Mapping[str, int] | None = None,
) -> Tree:  # fmt: skip
    """The tree of shortest paths from the root, as far as preferences allow.

    Args:
        root: where the tree starts.
        bodies: all of them.
        edges: the joints.
        cut: names of edges that are left to close loops.
        preference: for each name how much the edge would rather close a loop than belong to the tree; by default all
            are equal, and the shortest way decides.

    Example:
        >>> edges = [Edge("b", "arm", "hand"), Edge("a", "world", "arm"), Edge("c", "hand", "world")]
        >>> tree = spanning_tree("world", ["arm", "hand"], edges, cut=["c"])
        >>> [branch.edge.name for branch in tree.branches], [edge.name for edge in tree.cuts]
        (['a', 'b'], ['c'])
    """
    carried = _grown(root, [edge for edge in edges if edge.name not in set(cut)], preference or {})
    used = {branch.edge.name for branch in carried.values()}
    reached = {root, *carried}
    cuts = tuple(edge for edge in edges if edge.name not in used)
    lost = tuple(body for body in bodies if body not in reached)
    closing = tuple(edge for edge in cuts if edge.parent in reached and edge.child in reached)
    return Tree(root, tuple(_depth_first(root, carried)), closing, lost)


def _grown(root: Hashable, edges: Sequence[Edge], preference: Mapping[str, int]) -> dict[Hashable, Branch]:
    """The branch that carries each body; the least reluctant edge first, then the one nearest to the root (Prim)."""
    at: dict[Hashable, list[Edge]] = {}
    for edge in sorted(edges, key=lambda e: natural(e.name)):
        at.setdefault(edge.parent, []).append(edge)
        at.setdefault(edge.child, []).append(edge)
    carried: dict[Hashable, Branch] = {}
    waiting: list[tuple[int, int, int, Branch]] = []
    order = count()

    def offer(body: Hashable, depth: int) -> None:
        for edge in at.get(body, []):
            heappush(waiting, (preference.get(edge.name, 0), depth, next(order), Branch(edge, edge.parent != body)))

    offer(root, 0)
    while waiting:
        _, depth, _, branch = heappop(waiting)
        if branch.outer != root and branch.outer not in carried:
            carried[branch.outer] = branch
            offer(branch.outer, depth + 1)
    return carried


def _depth_first(root: Hashable, carried: dict[Hashable, Branch]) -> list[Branch]:
    """Branches in depth-first order, each chain in one piece: what belongs together is numbered together."""
    at: dict[Hashable, list[Branch]] = {}
    for branch in sorted(carried.values(), key=lambda b: natural(b.edge.name), reverse=True):
        at.setdefault(branch.inner, []).append(branch)
    order: list[Branch] = []
    stack = list(at.get(root, []))
    while stack:
        branch = stack.pop()
        order.append(branch)
        stack += at.get(branch.outer, [])
    return order
