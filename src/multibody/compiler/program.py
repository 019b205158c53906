"""Programs between ports: what the compiler writes machine code for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

from multibody.graph import Expr, Symbol
from multibody.lowering import StraightLineProgram, fuse, hoist, schedule


class OutputPlace(NamedTuple):
    """An output: what it is, its port, and its position there."""

    node: Any
    port: int
    position: int


@dataclass(frozen=True)
class PortProgram:
    """A program in two stages, with what goes in and out.

    Attributes:
        prepare: operations on parameters alone.
        main: all other operations.
        places: port number and position of every symbol.
        shared: input ports that all states of a batch have in common.
        sizes: how many numbers each port holds, inputs first.
        inputs: how many input ports there are.
    """

    prepare: StraightLineProgram
    main: StraightLineProgram
    places: dict[Symbol, tuple[int, int]]
    shared: frozenset[int]
    sizes: tuple[int, ...]
    inputs: int

    @cached_property
    def hoisted(self) -> tuple[Any, ...]:
        """Results of ``prepare`` that ``main`` or the outputs use, in the order in which they are computed."""
        used = set(self.prepare.results)
        return tuple(step.node for step in self.prepare.operations if step.node in used)

    @property
    def targets(self) -> Iterator[OutputPlace]:
        """All outputs."""
        places = ((port, k) for port, size in enumerate(self.sizes) if port >= self.inputs for k in range(size))
        return (OutputPlace(node, *place) for node, place in zip(self.main.results, places, strict=True))


def lowered(
    inputs: Sequence[Sequence[Symbol]], outputs: Sequence[Sequence[Expr]], shared: frozenset[int]
) -> PortProgram:
    """The program that computes ``outputs``; what depends on ``shared`` input ports alone goes to the first stage."""
    places = {symbol: (port, k) for port, items in enumerate(inputs) for k, symbol in enumerate(items)}
    parameters = [symbol for symbol, (port, _) in places.items() if port in shared]
    prepare, main = hoist(schedule(list(chain(*outputs))), parameters)
    sizes = tuple(len(port) for port in (*inputs, *outputs))
    return PortProgram(fuse(prepare), fuse(main), places, shared, sizes, len(inputs))
