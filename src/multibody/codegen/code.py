"""Straight-line code in one language: names, statements, and pieces of limited length."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from multibody.codegen.naming import Namer, expression_names, free_names
from multibody.codegen.parameter_formulas import ParameterFormula, parameter_formulas
from multibody.codegen.program_data import ProgramData, Routine
from multibody.codegen.statements import CodePrinter, RoutinePlan, in_parts, planned, written_out
from multibody.codegen.syntax import Item, Place, RoutinePart, Syntax
from multibody.graph import Symbol, Table
from multibody.graph.names import unique_names
from multibody.lowering import Operation, Stages, StraightLineProgram, canonical, hoist, schedule

__all__ = ["Code", "Item", "RoutineBody", "RoutinePart", "coded"]


@dataclass(frozen=True)
class RoutineBody:
    """The code of one routine.

    Attributes:
        routine: what it computes.
        parts: pieces of limited length, to be run one after the other; one piece, unless the routine is long.
        workspace: how many numbers pass from piece to piece.
    """

    routine: Routine
    parts: tuple[RoutinePart, ...]
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
    prepare: RoutineBody
    bodies: tuple[RoutineBody, ...]
    tables: Mapping[str, Table]
    helpers: tuple[str, ...]
    formulas: tuple[ParameterFormula, ...] = ()

    def __getitem__(self, name: str) -> RoutineBody:
        return next(body for body in self.bodies if body.routine.name == name)

    def __contains__(self, name: str) -> bool:
        return any(body.routine.name == name for body in self.bodies)


def coded(
    program: ProgramData, routines: Sequence[Routine], syntax: Syntax, taken: Iterable[str],
    landmarks: Mapping[Any, str], apart: bool, limit: int | None,
) -> Code:  # fmt: skip
    """See ``Program.code``."""
    values = [x for routine in routines for result in routine.results for x in result.values]
    whole = schedule(values, canonical(program.solved, landmarks))
    steps = {step.node: step for step in whole.operations}
    formulas = [parameter.formula for parameter in program.parameters if parameter.formula is not None]
    rules = {step.node: step for step in schedule(formulas, canonical()).operations}
    all_at_once = Stages(StraightLineProgram((), ()), whole)
    stages = hoist(whole, program.eom.parameters, written_out) if apart else all_at_once
    prepare, plans = planned(routines, stages, landmarks)
    hoisted = stages.prepare.results
    taken = {*taken, *_reserved(routines, syntax)}
    wishes = _wishes(program, routines, landmarks)
    names = _names(program, prepare, plans, syntax, taken, wishes, {**rules, **steps})
    members = _members(program, syntax)
    places = _places(program, hoisted, names | members)
    printer = CodePrinter(syntax, steps, names)
    return Code(
        names,
        members,
        tuple(names[node] for node in hoisted),
        _body(prepare, printer, names, places, [("c", k, node) for k, node in enumerate(hoisted)], None, syntax.zeroed),
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


def _members(program: ProgramData, syntax: Syntax) -> dict[Any, str]:
    """Parameters as members of a structure."""
    spelled = member_names([parameter.name for parameter in program.parameters], syntax)
    return {parameter.symbol: spelled[parameter.name] for parameter in program.parameters}


def member_names(names: Sequence[str], syntax: Syntax) -> dict[str, str]:
    """How members of structures are spelled, by name."""
    plain = {name: name for name in names if name in syntax.free_members}
    others = [name for name in names if name not in plain]
    return plain | unique_names(others, syntax.language, [*syntax.members, *plain])


def _wishes(program: ProgramData, routines: Sequence[Routine], landmarks: Mapping[Any, str]) -> dict[Any, str]:
    """Names by fingerprint: of landmarks, of u̇ and λ, and of results; none if there are no landmarks."""
    if not landmarks:
        return {}
    solved = ((symbol.name, value) for symbol, value in program.solved.items() if isinstance(symbol, Symbol))
    labels = (pair for r in routines for result in r.results for pair in zip(result.labels, result.values, strict=True))
    return expression_names(labels) | expression_names(solved) | dict(landmarks)


def _names(
    program: ProgramData, prepare: RoutinePlan, plans: Sequence[RoutinePlan], syntax: Syntax, taken: Iterable[str],
    wanted: Mapping[Any, str], steps: Mapping[Any, Operation],
) -> dict[Any, str]:  # fmt: skip
    """Spellings of symbols, tables and intermediates, all different from each other and from what is taken."""
    given = [quantity.symbol for group in program.arguments.values() for quantity in group]
    symbols = [symbol for symbol in given if symbol is not None]
    own = free_names([symbol.name for symbol in symbols], taken)
    tables = {t.digest: t.name for t in _tables(steps)}
    plain: dict[Any, str] = {symbol: own[symbol.name] for symbol in symbols}
    namer = Namer([*taken, *own, *plain.values()], wanted, plain)
    plain |= {digest: namer.free(f"table_{name}") for digest, name in tables.items()}
    for plan in (prepare, *plans):
        for step in plan.program.operations:
            if step.node in plan.named and step.node not in plain:
                plain[step.node] = namer.name(step, "c" if plan is prepare else "v")
    spelled = unique_names(plain.values(), syntax.language, taken)
    time = {program.eom.model.time: syntax.places["t"]}
    return time | {node: spelled[name] for node, name in plain.items()}


def _tables(steps: Mapping[Any, Operation]) -> list[Table]:
    found = [step.node.table for step in steps.values() if step.op == "table"]
    return list({table.digest: table for table in found}.values())


def _places(program: ProgramData, hoisted: Sequence[Any], names: Mapping[Any, str]) -> dict[Any, Place]:
    """Where each symbol, and each value made before, comes from."""
    time = program.eom.model.time
    places: dict[Any, Place] = {time: ("t", 0, names[time])}
    for array, quantities in program.arguments.items():
        places |= {quantity.symbol: (array, k, names[quantity.symbol]) for k, quantity in enumerate(quantities)}
    return places | {node: ("c", k, names[node]) for k, node in enumerate(hoisted)}


def _targets(plan: RoutinePlan) -> list[tuple[str, int, Any]]:
    """Where each result goes."""
    places = [(result.name, k) for result in plan.routine.results for k in range(result.size)]
    return [(name, k, node) for (name, k), node in zip(places, plan.program.results, strict=True)]


def _body(
    plan: RoutinePlan, printer: CodePrinter, names: Mapping[Any, str], places: Mapping[Any, Place],
    targets: Sequence[tuple[str, int, Any]], limit: int | None, zeroed: bool,
) -> RoutineBody:  # fmt: skip
    """Statements in order; a result is stored as soon as it is known."""
    stores: dict[Any, list[tuple[str, int]]] = {}
    for result, k, node in targets:
        stores.setdefault(node, []).append((result, k))
    items: list[Item] = []
    for step in plan.program.operations:
        items += [printer.definition(step.node)] if step.node in plan.named else []
        items += [printer.store(result, k, step.node) for result, k in stores.pop(step.node, ())]
    for result, k, node in targets:  # inputs, numbers, and what was computed before
        if node in stores and not (zeroed and node.fp == 0):
            items.append(printer.store(result, k, node))
    return RoutineBody(plan.routine, *in_parts(items, names, places, limit))
