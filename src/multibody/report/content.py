"""The sections of a report: options, contents, operation counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from math import isnan

from multibody.codegen.contract import Target, check_options
from multibody.codegen.program import Program
from multibody.codegen.program_data import ScalarVariable
from multibody.graph.piecewise.conditions import CONDITIONS
from multibody.lowering import canonical, schedule
from multibody.report.formulas import ReportFormulas
from multibody.report.pieces import Cell, CodeBlock, Math, Picture, Piece, ReportGrid, Section, words

NOTES = {
    "Mass matrix": "Symmetric; entries that are not listed are zero.",
    "Inertia forces and gravity": "Entries that are not listed are zero.",
    "Loads": "Entries that are not listed are zero.",
    "Constraint matrix": "Entries that are not listed are zero.",
    "Drift of the constraints": "Entries that are not listed are zero.",
    "Accelerations": "Solved for the rates of the speeds.",
    "Sensors": "They may use accelerations and constraint forces, which are given above.",
}
"""What is said before the formulas of a group."""

FEW = 8
"""So many symbols are listed in a line."""

COUNTED = ("additions", "multiplications", "divisions", "functions")


@dataclass(frozen=True)
class ReportTarget(Target):
    """The options of a report in any language.

    Args:
        seconds: how long closed forms of the equations are looked for.
        limit: how many intermediate results are shown at most.
    """

    seconds: float = 20.0
    limit: int = 300

    def __post_init__(self) -> None:
        check_options(self, "seconds", *(("limit",) if self.limit != 0 else ()))  # none at all may be wanted


def sections(program: Program, formulas: ReportFormulas) -> Iterator[Section]:
    """The report."""
    yield Section("System", tuple(_system(program)))
    yield Section("Symbols", tuple(_symbols(program, formulas)))
    yield Section("Equations of motion", tuple(_contract(program, formulas)))
    for title, shown in formulas.groups.items():
        missing = formulas.left_out[title]
        notes = [NOTES[title]] if title in NOTES and shown else []
        notes += [f"Too long to be read, and left out here: {missing}; exported code has them all."] if missing else []
        if shown or missing:
            yield Section(title, (*([words(" ".join(notes))] if notes else []), *shown))
    if formulas.intermediates:
        yield Section("Intermediate results", formulas.intermediates)
    yield Section("Operations", tuple(_operations(program)))


def _system(program: Program) -> Iterator[Piece]:
    eom = program.eom
    model = eom.model.unreduced or eom.model
    facts = {
        "bodies": len(model.bodies), "joints": len(model.joints) + len(model.cuts),
        "coordinates": len(eom.coordinates), "speeds": len(eom.speeds), "constraint equations": len(eom.constraints),
        "inputs": len(program.inputs), "parameters": len(program.parameters), "outputs": len(program.outputs),
    }  # fmt: skip
    yield words(
        "Equations of motion of ", CodeBlock(program.name), f", derived by {eom.formalism}. SI units and radians."
    )
    yield ReportGrid(("what", "number"), tuple((what, str(number)) for what, number in facts.items()))
    if model.bodies and model.joints:
        yield Picture("Bodies and joints; dashed lines close loops.")


def _symbols(program: Program, formulas: ReportFormulas) -> Iterator[Piece]:
    groups = {
        "coordinate": program.coordinates, "speed": program.speeds, "input": program.inputs,
        "parameter": program.parameters, "multiplier": program.multipliers,
    }  # fmt: skip
    rows = [
        (
            Math(formulas.symbols[quantity.symbol]),
            CodeBlock(quantity.name),
            kind,
            quantity.unit,
            _value(kind, quantity, formulas),
            quantity.description,
        )
        for kind, quantities in groups.items()
        for quantity in quantities
        if quantity.symbol is not None
    ]
    yield words("Values are start values of coordinates and speeds, and defaults of parameters, some by formulas.")
    yield ReportGrid(("symbol", "name", "kind", "unit", "value", "meaning"), tuple(rows))


def _value(kind: str, one: ScalarVariable, formulas: ReportFormulas) -> Cell:
    """A number; the formula of a parameter that follows from others; nothing for one that must be given."""
    if one.formula is not None:
        return Math(formulas.brief(one.formula)) if formulas.brief(one.formula) else "a formula"
    if kind not in ("coordinate", "speed", "parameter") or isnan(one.value):
        return ""
    return f"{one.value:.6g}"


def _contract(program: Program, formulas: ReportFormulas) -> Iterator[Piece]:
    eom = program.eom
    closed = len(eom.constraints) > 0
    form = r"M \dot{u} + h = f" + (r" + B^{\mathsf{T}} \lambda" if closed else "")
    limits = (r", \quad \varphi = 0" if len(eom.phi) else "") + (r", \quad B \dot{u} + \gamma = 0" if closed else "")
    yield words(Math(form + limits), ", with what the table above lists:")
    vectors = {"q": eom.coordinates, "u": eom.speeds, r"\lambda": eom.multipliers, "r": eom.inputs}
    names = {"q": "coordinates", "u": "speeds", r"\lambda": "constraint forces", "r": "inputs"}
    for letter, symbols in vectors.items():
        if symbols:
            listed = f"{letter} = {formulas.vector(symbols)}" if len(symbols) <= FEW else letter
            yield words(Math(listed), f", the {names[letter]}" + ("." if len(symbols) <= FEW else ", in that order."))


def _operations(program: Program) -> Iterator[Piece]:
    rows: list[tuple[Cell, ...]] = [
        (CodeBlock(name), *(str(counts[kind]) for kind in COUNTED), str(counts.total()))
        for name, counts in operation_counts(program).items()
    ]
    yield words("Shared values are computed once; signs and comparisons are not counted.")
    yield ReportGrid(("routine", *COUNTED, "all"), tuple(rows))


# operation counts ----------------------------------------------------------------------------------------------------


KINDS = {"add": "additions", "sub": "additions", "mul": "multiplications", "recip": "divisions"}
"""All other operations are functions; signs and comparisons are not counted."""

ROUTINES = ("state_rate", "mass_matrix", "bias", "multipliers", "sensors")


def operation_counts(program: Program) -> dict[str, Counter[str]]:
    """For each routine the number of additions, multiplications, divisions and functions, each value computed once."""
    return {name: _counted(program, name) for name in ROUTINES if program.has(name)}


def _counted(program: Program, name: str) -> Counter[str]:
    values = [value for result in program.routine(name).results for value in result.values]
    operations = (step.op for step in schedule(values, canonical(program.solved)).operations)
    return Counter(KINDS.get(op, "functions") for op in operations if op != "neg" and op not in CONDITIONS)
