"""Straight-line programs: what a graph becomes on its way to machine code.

A program lists operations in an order in which operands come first. Work that depends on parameters alone is in a
stage of its own, which runs once per parameter set. A reciprocal that is used once becomes a division, and a product
that is used once, in a sum, is added with one rounding.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from multibody.graph import Condition, Expr, Symbol, topological

CONDITIONS = frozenset({"lt", "le", "eq", "and", "or", "not"})


class Operation(NamedTuple):
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
        sizes: how many numbers each port holds, inputs first.
    """

    places: dict[Symbol, tuple[int, int]]
    prepare: tuple[Operation, ...]
    main: tuple[Operation, ...]
    hoisted: tuple[Any, ...]
    outputs: tuple[tuple[Expr, ...], ...]
    inputs: int
    shared: frozenset[int]
    sizes: tuple[int, ...]

    @property
    def operations(self) -> dict[str, int]:
        """Counts by kind for one evaluation, without the work on parameters alone."""
        return _counts(self.main)

    @property
    def parameter_operations(self) -> dict[str, int]:
        """Counts by kind for the work that is done once per parameter set."""
        return _counts(self.prepare)


FUSED = {"fma": "a·b + c", "fms": "a·b - c", "fnma": "c - a·b"}
"""Operations with one rounding."""

_COUNTED_AS = {"sub": ("add",), "recip": ("div",)} | dict.fromkeys(FUSED, ("mul", "add"))


def _counts(operations: Sequence[Operation]) -> dict[str, int]:
    counts = Counter(kind for one in operations for kind in _COUNTED_AS.get(one.op, (one.op,)))
    return dict(sorted(counts.items()))


def lowered(inputs: Sequence[Sequence[Symbol]], outputs: Sequence[Sequence[Expr]], shared: frozenset[int]) -> Program:
    """The program that computes ``outputs``; what depends on ``shared`` input ports alone goes to the first stage."""
    places = {symbol: (port, k) for port, items in enumerate(inputs) for k, symbol in enumerate(items)}
    parameters = {symbol for symbol, (port, _) in places.items() if port in shared}
    steps, results = _steps(outputs)
    fixed = _fixed(steps, parameters)
    steps = _with_sums_of_products(_with_divisions(steps, results, fixed), results, fixed)
    prepare = tuple(step for step in steps if step.node in fixed)
    main = tuple(step for step in steps if step.node not in fixed)
    used = {arg for step in main for arg in step.args} | {x for port in results for x in port}
    hoisted = tuple(step.node for step in prepare if step.node in used)
    sizes = tuple(len(port) for port in (*inputs, *outputs))
    return Program(places, prepare, main, hoisted, results, len(inputs), shared, sizes)


def _steps(outputs: Sequence[Sequence[Expr]]) -> tuple[list[Operation], tuple[tuple[Any, ...], ...]]:
    """All operations in order; of nodes with one value, made in different places, only the first is computed."""
    first: dict[Any, Any] = {}
    stands_for: dict[Any, Any] = {}
    steps: list[Operation] = []
    for node in topological([x for port in outputs for x in port]):
        if node.args:
            stands_for[node] = first.setdefault((node.fp, node.guards, type(node) is Condition), node)
            if stands_for[node] is node:
                steps.append(Operation(node.op, node, tuple(stands_for.get(arg, arg) for arg in node.args)))
    results = tuple(tuple(stands_for.get(x, x) for x in port) for port in outputs)
    if len(steps) == len(stands_for):
        return steps, results
    needed = {x for port in results for x in port}
    for step in reversed(steps):
        if step.node in needed:
            needed.update(step.args)
    return [step for step in steps if step.node in needed], results


def _fixed(steps: list[Operation], parameters: set[Symbol]) -> set[Any]:
    """Nodes that depend on parameters and constants alone."""
    fixed: set[Any] = set(parameters)
    for step in steps:
        if all(arg in fixed or arg.op == "const" for arg in step.args):
            fixed.add(step.node)
    return fixed


def _with_divisions(steps: list[Operation], outputs: Sequence[Sequence[Any]], fixed: set[Any]) -> list[Operation]:
    """A reciprocal whose only use is one product in the same stage becomes a division: a · (1/b) is a / b."""
    uses = Counter(arg for step in steps for arg in step.args)
    uses.update(x for port in outputs for x in port)
    inverted = {step.node: step.args[0] for step in steps if step.op == "recip"}
    gone: set[Any] = set()
    result: list[Operation] = []
    for step in steps:
        single = [x for x in step.args if step.op == "mul" and x in inverted and uses[x] == 1]
        single = [x for x in single if (x in fixed) == (step.node in fixed)]
        if single:
            dividend = step.args[1] if step.args[0] is single[0] else step.args[0]
            gone.add(single[0])
            step = Operation("div", step.node, (dividend, inverted[single[0]]))
        result.append(step)
    return [step for step in result if step.node not in gone]


def _with_sums_of_products(
    steps: list[Operation], outputs: Sequence[Sequence[Any]], fixed: set[Any]
) -> list[Operation]:
    """A product whose only use is one sum or difference in the same stage becomes part of it.

    Which ones is said here and not left to the compiler, so that all machine code for a program, quickly made or with
    care, for one state or several, gives the same numbers to the last bit.
    """
    uses = Counter(arg for step in steps for arg in step.args)
    uses.update(x for port in outputs for x in port)
    products = {step.node: step.args for step in steps if step.op == "mul" and uses[step.node] == 1}
    gone: set[Any] = set()
    result: list[Operation] = []
    for step in steps:
        single = [x for x in step.args if step.op in {"add", "sub"} and x in products]
        single = [x for x in single if (x in fixed) == (step.node in fixed)]
        if single:
            is_first = step.args[0] is single[0]
            op = "fma" if step.op == "add" else "fms" if is_first else "fnma"
            gone.add(single[0])
            step = Operation(op, step.node, (*products[single[0]], step.args[1 if is_first else 0]))
        result.append(step)
    return [step for step in result if step.node not in gone]
