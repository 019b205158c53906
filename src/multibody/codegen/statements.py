"""Statements of routines: which values get a name, how expressions are written, and pieces of limited length."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from multibody.codegen.program_data import Routine
from multibody.codegen.syntax import Item, Place, RoutinePart, Syntax
from multibody.graph import Constant
from multibody.graph.number import finite
from multibody.graph.piecewise.conditions import CONDITIONS
from multibody.graph.text.term_order import natural
from multibody.lowering import COMMUTATIVE, SAME, Operation, Stages, StraightLineProgram, split, workspace

# names ---------------------------------------------------------------------------------------------------------------

LARGE = 12
"""So many operations may stand in one expression."""


class RoutinePlan(NamedTuple):
    """A routine's operations, and those of them that get a name."""

    routine: Routine
    program: StraightLineProgram
    named: set[Any]


def planned(
    routines: Sequence[Routine], stages: Stages, landmarks: Container[Any]
) -> tuple[RoutinePlan, list[RoutinePlan]]:
    """The plan of what is computed apart, and those of routines that share one program.

    Args:
        routines: whose results the program holds, one after the other.
        stages: all operations, those on parameters alone apart.
        landmarks: fingerprints of values that have a good name.
    """
    prepared = named_values(stages.prepare) | set(stages.prepare.results)
    prepare = RoutinePlan(Routine("prepare", "what follows from parameters alone", ()), stages.prepare, prepared)
    parts = list(_by_routine(routines, stages.main))
    named = set[Any]().union(*(named_values(part, landmarks) for _, part in parts))  # the same in all routines
    return prepare, [RoutinePlan(routine, part, named) for routine, part in parts]


def _by_routine(
    routines: Sequence[Routine], main: StraightLineProgram
) -> Iterator[tuple[Routine, StraightLineProgram]]:
    """Each routine with the operations that it needs."""
    results = iter(main.results)
    for routine in routines:
        yield routine, main.restricted(islice(results, sum(result.size for result in routine.results)))


def named_values(program: StraightLineProgram, landmarks: Container[Any] = ()) -> set[Any]:
    """The values that get a name: used more than once, too long for one expression, or with a good name."""
    uses = Counter(program.results)
    for step in reversed(program.operations):
        weight = uses[step.node] if written_out(step.node) else 1
        for arg in step.args:
            uses[arg] += weight
    named: set[Any] = set()
    sizes: dict[Any, int] = {}
    for step in program.operations:
        parts = sorted((arg for arg in dict.fromkeys(step.args) if sizes.get(arg, 0)), key=lambda arg: -sizes[arg])
        most = LARGE // 2 if written_out(step.node) else LARGE
        for part in [part for part in parts if not written_out(part)]:
            if sum(sizes[arg] for arg in parts) >= most:
                named.add(part)
                sizes[part] = 0
        sizes[step.node] = 1 + sum(sizes[arg] for arg in parts)
        good = step.op == SAME or step.node.fp in landmarks
        if not written_out(step.node) and (uses[step.node] > 1 or good):
            named.add(step.node)
            sizes[step.node] = 0
    return named


def written_out(node: Any) -> bool:
    """Signs and conditions never get a name."""
    return node.op == "neg" or node.op in CONDITIONS


# expressions ---------------------------------------------------------------------------------------------------------

OPEN, SUM, PRODUCT, ATOM = range(4)
"""How tightly the outermost operation of a text binds."""


class ExpressionText(NamedTuple):
    """The text of an expression, and how tightly it binds."""

    text: str
    level: int = ATOM

    def within(self, level: int) -> str:
        """The text, in parentheses if it binds less tightly."""
        return self.text if self.level >= level else f"({self.text})"


class CodePrinter:
    """Writes operations.

    Args:
        syntax: of the language.
        operations: for each node the operation that it represents.
        names: of symbols, of intermediates, and of tables by their digest.
    """

    def __init__(self, syntax: Syntax, operations: Mapping[Any, Operation], names: Mapping[Any, str]) -> None:
        self._syntax = syntax
        self._operations = operations
        self._names = names
        self._used: dict[Any, None] = {}

    def definition(self, node: Any) -> Item:
        """A new variable with the name of a node."""
        self._used = {}
        text = self._operation(self._operations[node]).text
        return Item(self._names[node], text, node, tuple(self._used))

    def store(self, result: str, position: int, node: Any) -> Item:
        """An entry of a result: the name of a node if it has one, or else the expression."""
        self._used = {}
        text = self._piece(node).text
        return Item(result, text, None, tuple(self._used), position)

    def _piece(self, node: Any) -> ExpressionText:
        if node in self._names:
            self._used[node] = None
            return ExpressionText(self._names[node])
        if isinstance(node, Constant):
            value = finite(node.value)
            return ExpressionText(self._syntax.number(value), SUM if value < 0 else ATOM)
        return self._operation(self._operations[node])

    def _operation(self, step: Operation) -> ExpressionText:
        op, args = step.op, step.args
        if op == "recip":
            return ExpressionText(f"{self._syntax.number(1.0)}/{self._piece(args[0]).within(ATOM)}", PRODUCT)
        if op == SAME:
            return self._piece(args[0])
        if op == "neg":
            return ExpressionText(f"-{self._piece(args[0]).within(PRODUCT)}", SUM)
        if op == "mul":
            return self._product(args)
        pieces = [self._piece(arg) for arg in args]
        if op in COMMUTATIVE:
            pieces = _readable(pieces, SUM if op == "add" else OPEN)
        if op in ("add", "sub"):
            return ExpressionText(
                f"{pieces[0].within(SUM)} {'+' if op == 'add' else '-'} {pieces[1].within(PRODUCT)}", SUM
            )
        return self._call(step, pieces)

    def _product(self, args: tuple[Any, ...]) -> ExpressionText:
        """A factor 1/x that has no name of its own becomes a division."""
        inverse = [arg for arg in args if arg not in self._names and arg.op == "recip"]
        if inverse:
            over = args[1] if args[0] is inverse[0] else args[0]
            under = self._piece(self._operations[inverse[0]].args[0])
            return ExpressionText(f"{self._piece(over).within(PRODUCT)}/{under.within(ATOM)}", PRODUCT)
        a, b = _readable([self._piece(arg) for arg in args], PRODUCT)
        return ExpressionText(f"{a.within(PRODUCT)}*{b.within(ATOM)}", PRODUCT)

    def _call(self, step: Operation, args: list[ExpressionText]) -> ExpressionText:
        form = self._syntax.functions[step.op]
        if step.op == "table":
            form = form.replace("{name}", self._names[step.node.table.digest])
        if "{" not in form:
            return ExpressionText(f"{form}({', '.join(arg.text for arg in args)})")
        return ExpressionText(form.format(*(arg.within(ATOM) for arg in args)))


def _readable(pieces: list[ExpressionText], level: int) -> list[ExpressionText]:
    """Two operands whose order does not matter: one that would need parentheses comes first, else by the alphabet."""

    def rank(piece: ExpressionText) -> tuple[bool, int, str]:
        number = piece.text[:1].isdigit() if level == PRODUCT else not piece.text[:1].isdigit()
        return not number, 0 if piece.level == level else 1, natural(piece.text)

    return sorted(pieces, key=rank)


# pieces --------------------------------------------------------------------------------------------------------------


def in_parts(
    items: Sequence[Item], names: Mapping[Any, str], places: Mapping[Any, Place], limit: int | None
) -> tuple[tuple[RoutinePart, ...], int]:
    """Pieces of at most ``limit`` statements, and the size of their common workspace."""
    pieces = split(items, limit or len(items) or 1)
    slots, width = workspace(pieces)
    order = {array: k for k, array in enumerate("tqurpcw")}
    parts = []
    for piece in pieces:
        made = {item.node for item in piece if item.node is not None}
        needed = dict.fromkeys(node for item in piece for node in item.args if node not in made)
        sources = [(names[x], places[x] if x in places else ("w", slots[x], names[x])) for x in needed]
        sources.sort(key=lambda source: (order[source[1][0]], source[1][1]))
        loads = tuple((name, place) for name, place in sources if place[0] != "t")
        saves = tuple((slots[i.node], i.name) for i in piece if i.node in slots)
        parts.append(RoutinePart(loads, tuple(piece), saves, frozenset(array for _, (array, _, _) in sources)))
    return tuple(parts), width
