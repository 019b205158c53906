"""Splitting: pieces of limited length that pass values through a workspace.

The time of a compiler grows faster than the length of a function.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

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
