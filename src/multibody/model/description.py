"""The protocol of a system for its parts, and for functions that freeze or display it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, TypeVar

from multibody.algebra import Vec3
from multibody.graph import Symbol

Part = TypeVar("Part")


class Description(Protocol):
    """A system as its parts see it; ``System`` is one.

    Attributes:
        name: of the system, which is also the scope of its symbols.
        time: the symbol of time.
        world: the body that does not move.
        recognise_loops: whether loops of known shapes are solved in closed form.
    """

    name: str
    time: Symbol
    world: Any
    recognise_loops: bool
    loads: dict[str, Any]
    sensors: dict[str, Any]
    constraints: dict[str, Any]
    loops: dict[str, Any]
    drawings: dict[str, Any]
    starts: dict[str, float]

    @property
    def gravity(self) -> Vec3:
        """The acceleration of free fall in the world's axes."""

    def all(self, kind: type[Part]) -> Iterator[Part]:
        """All parts of one type, in the order of writing."""

    def _register(self, thing: Part) -> Part:
        """Enter a new part under its name."""
