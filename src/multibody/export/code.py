"""Straight-line code in one language: names, statements, and pieces of limited length."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from multibody.export.naming import Namer, expression_names, free_names
from multibody.export.parameter_formulas import ParameterFormula, parameter_formulas
from multibody.export.parts import Item, Part, Place, in_parts
from multibody.export.planning import Plan, planned
from multibody.export.printer import Printer
from multibody.export.quantities import Routine
from multibody.export.schedule import Operation, fixed_nodes, scheduled
from multibody.graph import Symbol, Table
from multibody.graph.names import unique_names

if TYPE_CHECKING:
    from multibody.export.program import Program
    from multibody.export.syntax import Syntax

__all__ = ["Body", "Code", "Item", "Part", "coded"]


@dataclass(frozen=True)
class Body:
    """The code of one routine.

    Attributes:
        routine: what it computes.
        parts: pieces of limited length, to be run one after the other; one piece, unless the routine is long.
        workspace: how many numbers pass from piece to piece.
    """

    routine: Routine
    parts: tuple[Part, ...]
    workspace: int


@dataclass(frozen=True)
class Code:
    """Routines in one language.

    Attributes:
        names: the spelling of every quantity: of coordinates, speeds, inputs and parameters, by symbol.
        members: the spelling of parameters as members of a structure, where nothing of ours is in their way.
        constants: names of what follows from parameters alone, in order; they are computed by ``prepare``.
        prepare: the code that computes them, as stores to the result ``"c"``.
        bodies: one for each routine.
        tables: the tabulated functions that are called, by name.
        helpers: the definitions of functions that the language lacks and the code calls.
        formulas: of the parameters that follow from others, in an order in which they can be computed.
    """

    names: Mapping[Any, str]
    members: Mapping[Any, str]
    constants: tuple[str, ...]
    prepare: Body
    bodies: tuple[Body, ...]
    tables: Mapping[str, Table]
    helpers: tuple[str, ...]
    formulas: tuple[ParameterFormula, ...] = ()

    def __getitem__(self, name: str) -> Body:
        return next(body for body in self.bodies if body.routine.name == name)

    def __contains__(self, name: str) -> bool:
        return any(body.routine.name == name for body in self.bodies)


def coded(
    program: Program, routines: Sequence[Routine], syntax: Syntax, taken: Iterable[str], landmarks: Mapping[Any, str],
    apart: bool, limit: int | None,
) -> Code:  # fmt: skip
    """See ``Program.code``."""
    whole = scheduled([x for routine in routines for x in _values(routine)], program.solved, landmarks)
    steps = {step.node: step for step in whole.operations}
    formulas = [one.formula for one in program.parameters if one.formula is not None]
    rules = {step.node: step for step in scheduled(formulas, {}, ()).operations}
    fixed = fixed_nodes(whole.operations, program.eom.parameters) if apart else set()
    hoisted, first, plans = planned(routines, whole, fixed, landmarks)
    taken = {*taken, *_reserved(routines, syntax)}
    wishes = _wishes(program, routines, landmarks)
    names = _names(program, [first, *plans], syntax, taken, wishes, {**rules, **steps}, fixed)
    members = _members(program, syntax)
    places = _places(program, hoisted, names | members)
    printer = Printer(syntax, steps, names)
    return Code(
        names,
        members,
        tuple(names[node] for node in hoisted),
        _body(first, printer, names, places, [("c", k, node) for k, node in enumerate(hoisted)], None, syntax.zeroed),
        tuple(_body(plan, printer, names, places, _targets(plan), limit, syntax.zeroed) for plan in plans),
        {names[table.digest]: table for table in _tables({**rules, **steps})},
        _helpers(syntax, {step.op for step in (*steps.values(), *rules.values())}),
        parameter_formulas(program.parameters, syntax, names, members, [*taken, *names.values()]),
    )


def _helpers(syntax: Syntax, used: set[str]) -> tuple[str, ...]:
    """Definitions that the operations need, each once."""
    texts = [text for op, text in syntax.helpers.items() if op in used]
    return tuple(dict.fromkeys(piece for text in texts for piece in text.split("\n\n")))


def _reserved(routines: Iterable[Routine], syntax: Syntax) -> set[str]:
    """Names of routines, results, arguments and helpers; what a template leaves open is none of them."""
    results = {result.name for routine in routines for result in routine.results}
    templates = [_OPEN.sub("", text) for text in (*syntax.places.values(), *syntax.functions.values())]
    words = {word for text in templates for word in re.findall(r"[A-Za-z_]\w*", text)}
    return results | words | {routine.name for routine in routines}


_OPEN = re.compile(r"\{\w*\}")  # {}, {0}, {k}, {name}


def _members(program: Program, syntax: Syntax) -> dict[Any, str]:
    """Parameters as members of a structure."""
    spelled = member_names([one.name for one in program.parameters], syntax)
    return {one.symbol: spelled[one.name] for one in program.parameters}


def member_names(names: Sequence[str], syntax: Syntax) -> dict[str, str]:
    """How members of structures are spelled, by name."""
    plain = {name: name for name in names if name in syntax.free_members}
    others = [name for name in names if name not in plain]
    return plain | unique_names(others, syntax.language, [*syntax.members, *plain])


def _values(routine: Routine) -> list[Any]:
    return [x for result in routine.results for x in result.values]


def _wishes(program: Program, routines: Sequence[Routine], landmarks: Mapping[Any, str]) -> dict[Any, str]:
    """Names by fingerprint: of landmarks, of u̇ and λ, and of results; none if there are no landmarks."""
    if not landmarks:
        return {}
    solved = ((one.name, value) for one, value in program.solved.items() if isinstance(one, Symbol))
    labels = (pair for r in routines for result in r.results for pair in zip(result.labels, result.values, strict=True))
    return expression_names(labels) | expression_names(solved) | dict(landmarks)


def _names(
    program: Program, plans: Sequence[Plan], syntax: Syntax, taken: Iterable[str], wanted: Mapping[Any, str],
    steps: Mapping[Any, Operation], fixed: set[Any],
) -> dict[Any, str]:  # fmt: skip
    """Spellings of symbols, tables and intermediates, all different from each other and from what is taken."""
    given = [quantity.symbol for group in program.arguments.values() for quantity in group]
    symbols = [symbol for symbol in given if symbol is not None]
    own = free_names([symbol.name for symbol in symbols], taken)
    tables = {t.digest: t.name for t in _tables(steps)}
    plain: dict[Any, str] = {symbol: own[symbol.name] for symbol in symbols}
    namer = Namer([*taken, *own, *plain.values()], wanted, plain)
    plain |= {digest: namer.free(f"table_{name}") for digest, name in tables.items()}
    for plan in plans:
        for step in plan.schedule.operations:
            if step.node in plan.named and step.node not in plain:
                plain[step.node] = namer.name(step, "c" if step.node in fixed else "v")
    spelled = unique_names(plain.values(), syntax.language, taken)
    time = {program.eom.model.time: syntax.places["t"]}
    return time | {node: spelled[name] for node, name in plain.items()}


def _tables(steps: Mapping[Any, Operation]) -> list[Table]:
    found = [step.node.table for step in steps.values() if step.op == "table"]
    return list({table.digest: table for table in found}.values())


def _places(program: Program, hoisted: Sequence[Any], names: Mapping[Any, str]) -> dict[Any, Place]:
    """Where each symbol, and each value made before, comes from."""
    time = program.eom.model.time
    places: dict[Any, Place] = {time: ("t", 0, names[time])}
    for array, quantities in program.arguments.items():
        places |= {one.symbol: (array, k, names[one.symbol]) for k, one in enumerate(quantities)}
    return places | {node: ("c", k, names[node]) for k, node in enumerate(hoisted)}


def _targets(plan: Plan) -> list[tuple[str, int, Any]]:
    """Where each result goes."""
    places = [(result.name, k) for result in plan.routine.results for k in range(result.size)]
    return [(name, k, node) for (name, k), node in zip(places, plan.schedule.results, strict=True)]


def _body(
    plan: Plan, printer: Printer, names: Mapping[Any, str], places: Mapping[Any, Place],
    targets: Sequence[tuple[str, int, Any]], limit: int | None, zeroed: bool,
) -> Body:  # fmt: skip
    """Statements in order; a result is stored as soon as it is known."""
    stores: dict[Any, list[tuple[str, int]]] = {}
    for result, k, node in targets:
        stores.setdefault(node, []).append((result, k))
    items: list[Item] = []
    made = {step.node for step in plan.schedule.operations}
    for step in plan.schedule.operations:
        if step.node in plan.named:
            text = printer.definition(step.node)
            items.append(Item(names[step.node], text, step.node, tuple(printer.used())))
        for result, k in stores.get(step.node, ()):
            text = printer.text(step.node)
            items.append(Item(result, text, None, tuple(printer.used()), k))
    for result, k, node in targets:  # inputs, numbers, and what was computed before
        if node not in made and not (zeroed and node.fp == 0):
            text = printer.text(node)
            items.append(Item(result, text, None, tuple(printer.used()), k))
    parts, workspace = in_parts(items, names, places, limit)
    return Body(plan.routine, parts, workspace)
