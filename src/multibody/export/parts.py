"""Statements, and pieces of limited length that pass values through a workspace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from multibody.export.syntax import Syntax


Place = tuple[str, int, str]
"""Where a value comes from: an array, the position in it, and its name there if it is a structure."""


class Item(NamedTuple):
    """A statement: a new variable, or an entry of a result.

    Attributes:
        name: of the variable or of the result.
        text: its value.
        node: what is computed; None for an entry of a result.
        needs: the named nodes in the text.
        position: in the result.
    """

    name: str
    text: str
    node: Any
    needs: tuple[Any, ...]
    position: int = 0

    def line(self, syntax: Syntax) -> str:
        """The statement in a language."""
        if self.node is not None:
            return syntax.declaration.format(name=self.name, value=self.text)
        return syntax.store.format(result=self.name, k=self.position + syntax.first, value=self.text)


@dataclass(frozen=True)
class Part:
    """A piece of a routine.

    Attributes:
        loads: names to declare first, and where each comes from: array, position, name.
        items: statements in order.
        saves: positions in the workspace, and the names of what is kept there for later pieces.
        arguments: the arrays that it reads, and ``"t"`` if it needs the time.
    """

    loads: tuple[tuple[str, Place], ...]
    items: tuple[Item, ...]
    saves: tuple[tuple[int, str], ...]
    arguments: frozenset[str]


def in_parts(
    items: Sequence[Item], names: Mapping[Any, str], places: Mapping[Any, Place], limit: int | None
) -> tuple[tuple[Part, ...], int]:
    """Pieces of at most ``limit`` statements, and the room that their common workspace needs."""
    length = len(items) if limit is None else limit
    pieces = [items[k : k + length] for k in range(0, len(items), length or 1)] or [()]
    slots, width = _slots(pieces, places)
    order = {array: k for k, array in enumerate("tqurpcw")}
    parts = []
    for piece in pieces:
        made = {item.node for item in piece if item.node is not None}
        needed = dict.fromkeys(node for item in piece for node in item.needs if node not in made)
        sources = [(names[x], places[x] if x in places else ("w", slots[x], names[x])) for x in needed]
        sources.sort(key=lambda source: (order[source[1][0]], source[1][1]))
        loads = tuple((name, place) for name, place in sources if place[0] != "t")
        saves = tuple((slots[i.node], i.name) for i in piece if i.node is not None and i.node in slots)
        parts.append(Part(loads, tuple(piece), saves, frozenset(array for _, (array, _, _) in sources)))
    return tuple(parts), width


def _slots(pieces: Sequence[Sequence[Item]], places: Mapping[Any, object]) -> tuple[dict[Any, int], int]:
    """A place in the workspace for each value that a later piece needs; places that are free again are reused."""
    made = {
        item.node: k
        for k, piece in enumerate(pieces)
        for item in piece
        if item.node is not None and item.node not in places
    }
    until = {n: k for k, piece in enumerate(pieces) for item in piece for n in item.needs if made.get(n, k) < k}
    slots: dict[Any, int] = {}
    free: list[int] = []
    ending: dict[int, list[int]] = {}
    width = 0
    for k, piece in enumerate(pieces):
        free += ending.pop(k, [])
        for node in (item.node for item in piece if item.node in until):
            if not free:
                free.append(width)
                width += 1
            slots[node] = free.pop()
            ending.setdefault(until[node] + 1, []).append(slots[node])
    return slots, width
