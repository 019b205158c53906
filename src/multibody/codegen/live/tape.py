"""Long routines as a list of vector operations, for tools that compile straight-line code too slowly.

A compiler such as XLA takes more than linear time for thousands of scalar statements. A tape holds the same operations
as data: each step applies one operation to at most ``WIDTH`` independent sets of operands. Sums of products are joined
into one operation, because they are nine tenths of all equations of motion. A loop of fixed size runs the tape, see
``tape_loop``, so that the time to compile does not depend on the model.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from multibody.codegen.live.tape_loop import PAD
from multibody.graph import Constant, Expr, Symbol
from multibody.graph.number import finite
from multibody.lowering import SAME, Operation, StraightLineProgram, canonical, schedule

WIDTH = 8
"""Sets of operands in a step: measured, 4 to 16 are about as fast."""

TERMS = 4
"""Products in a sum: likewise."""

SUM = "sum"
"""The operation ± a·b ± c·d …"""

Lane = tuple[Any, ...]
"""Operands of one operation: places in the workspace; of a sum, triples of sign and two places."""


@dataclass(frozen=True)
class Tape:
    """Vector operations on a workspace: constants, then t, q, u, r, p, then the values of all steps.

    Each step takes as many places as the longest one.

    Attributes:
        constants: the first numbers of the workspace.
        steps: names of operations, and the operands of each of their lanes.
        results: where the results are found.
    """

    constants: tuple[float, ...]
    steps: tuple[tuple[str, tuple[Lane, ...]], ...]
    results: tuple[int, ...]


class _Term(NamedTuple):
    """A product with its sign; the second factor is None where there is one factor."""

    sign: int
    a: Any
    b: Any

    @property
    def factors(self) -> tuple[Any, ...]:
        return (self.a,) if self.b is None else (self.a, self.b)


def taped(
    values: Sequence[Expr], known: Mapping[Expr, Expr], arguments: Sequence[Sequence[Symbol]], time: Symbol,
    table_names: Mapping[Any, str],
) -> Tape:  # fmt: skip
    """The tape that computes values.

    Args:
        values: expressions of the arguments.
        known: symbols that stand for expressions.
        arguments: the symbols of q, u, r and p.
        time: the symbol t.
        table_names: the names of tabulated functions, by digest.

    Example:
        >>> from multibody.graph import sin, symbols
        >>> t, x, y = symbols("t x y")
        >>> tape = taped([sin(x) * y + 2.0 * x], {}, [[x], [y]], t, {})
        >>> tape.constants  # 1 for single factors, the operand of unused lanes, and the model's own
        (1.0, 0.5, 2.0)
        >>> tape.steps, tape.results
        ((('sin', ((4,),)), ('sum', (((1, 2, 4), (1, 5, 6)),))), (7,))
    """
    program = schedule(values, canonical(known))
    terms = _sums(program)
    joined = _joined(program, terms)
    places, constants = _constant_places(joined)
    for k, symbol in enumerate([time, *(variable for group in arguments for variable in group)]):
        places[symbol] = len(constants) + k
    start = len(constants) + 1 + sum(map(len, arguments))
    vectors = list(_in_vectors(joined.operations))
    width = max(map(len, vectors), default=0)
    places |= {lane.node: start + width * k + j for k, lanes in enumerate(vectors) for j, lane in enumerate(lanes)}
    steps = [(_name(lanes[0], table_names), tuple(_lane(lane, terms, places) for lane in lanes)) for lanes in vectors]
    return Tape(tuple(constants), tuple(steps), tuple(places[node] for node in joined.results))


# sums of products ----------------------------------------------------------------------------------------------------


def _joined(program: StraightLineProgram, sums: Mapping[Any, tuple[_Term, ...]]) -> StraightLineProgram:
    """The program with products and sums joined; operations that are not needed any more are left out."""
    factors = {node: tuple(factor for term in terms for factor in term.factors) for node, terms in sums.items()}
    operations = (s if s.node not in sums else Operation(SUM, s.node, factors[s.node]) for s in program.operations)
    return StraightLineProgram(tuple(operations), program.results).restricted(program.results)


def _sums(program: StraightLineProgram) -> dict[Any, tuple[_Term, ...]]:
    """The terms of all values that are sums or products; operands that are used once are written out."""
    uses = program.uses
    sums: dict[Any, tuple[_Term, ...]] = {}

    def expanded(node: Any, sign: int, most: int) -> tuple[_Term, ...]:
        terms = sums.get(node, ())
        if terms and uses[node] == 1 and len(terms) <= most:
            return tuple(term._replace(sign=sign * term.sign) for term in terms)
        return (_Term(sign, node, None),)

    for step in program.operations:
        if step.op == "mul":
            sums[step.node] = (_Term(1, *step.args),)
        elif step.op in ("neg", SAME):
            sums[step.node] = expanded(step.args[0], -1 if step.op == "neg" else 1, TERMS)
        elif step.op in ("add", "sub"):
            first = expanded(step.args[0], 1, TERMS - 1)
            sums[step.node] = first + expanded(step.args[1], 1 if step.op == "add" else -1, TERMS - len(first))
    return sums


# vectors -------------------------------------------------------------------------------------------------------------


def _in_vectors(operations: Sequence[Operation]) -> Iterable[list[Operation]]:
    """List scheduling: of the operations that are ready, those come first on which the longest chain depends."""
    by_node = {operation.node: operation for operation in operations}
    users: dict[Any, list[Any]] = defaultdict(list)
    waits: dict[Any, int] = {}
    for operation in operations:
        before = {arg for arg in operation.args if arg in by_node}
        waits[operation.node] = len(before)
        for arg in before:
            users[arg].append(operation.node)
    rank = _ranks(operations, users)
    ready: dict[str, list[tuple[tuple[int, int], Any]]] = defaultdict(list)

    def release(node: Any) -> None:
        heapq.heappush(ready[_kind(by_node[node])], (rank[node], node))

    for operation in operations:
        if not waits[operation.node]:
            release(operation.node)
    while waiting := [kind for kind, heap in ready.items() if heap]:
        heap = ready[min(waiting, key=lambda kind: ready[kind][0][0])]
        lanes = [heapq.heappop(heap)[1] for _ in range(min(WIDTH, len(heap)))]
        yield [by_node[node] for node in lanes]
        for user in (user for node in lanes for user in users[node]):
            waits[user] -= 1
            if not waits[user]:
                release(user)


def _ranks(operations: Sequence[Operation], users: Mapping[Any, Sequence[Any]]) -> dict[Any, tuple[int, int]]:
    """Long chains of users first, then the order of the schedule; no two are equal."""
    height: dict[Any, int] = {}
    for operation in reversed(operations):
        height[operation.node] = 1 + max((height[user] for user in users.get(operation.node, ())), default=0)
    return {operation.node: (-height[operation.node], k) for k, operation in enumerate(operations)}


def _kind(one: Operation) -> str:
    """What lanes of a step have in common."""
    return f"table {one.node.table.digest}" if one.op == "table" else one.op


def _name(one: Operation, table_names: Mapping[Any, str]) -> str:
    return table_names[one.node.table.digest] if one.op == "table" else one.op


def _lane(one: Operation, terms: Mapping[Any, tuple[_Term, ...]], places: Mapping[Any, int]) -> Lane:
    if one.op == SUM:
        return tuple((term.sign, places[term.a], 0 if term.b is None else places[term.b]) for term in terms[one.node])
    return tuple(places[arg] for arg in one.args)


def _constant_places(program: StraightLineProgram) -> tuple[dict[Any, int], list[float]]:
    """Constants of the model behind 1, the factor of single terms, and the operand of unused lanes."""
    values: dict[float, int] = {1.0: 0, PAD: 1}
    places: dict[Any, int] = {}
    for node in [*(arg for operation in program.operations for arg in operation.args), *program.results]:
        if isinstance(node, Constant):
            places[node] = values.setdefault(float(finite(node.value)), len(values))
    return places, list(values)
