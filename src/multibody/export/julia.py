"""Julia: a module without dependencies, for any type of number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isfinite

from multibody.export.code import Body, Code
from multibody.export.contract import SourceTarget
from multibody.export.module_names import file_name
from multibody.export.parameter_formulas import origin
from multibody.export.program import Program
from multibody.export.pythonlike import floats
from multibody.export.quantities import Quantity
from multibody.export.syntax import Syntax, one_line
from multibody.graph import Table


def _functions() -> dict[str, str]:
    same = {op: op for op in "sin cos tan atan sinh cosh tanh exp abs sign min max".split()}
    safe = {"asin": "asin_of", "acos": "acos_of", "log": "log_of", "sqrt": "sqrt_of", "pow": "pow_of", "atan2": "atan"}
    choice = {"where": "ifelse", "lt": "({} < {})", "le": "({} <= {})", "eq": "({} == {})", "table": "{name}({})"}
    return same | safe | choice | {"and": "({} && {})", "or": "({} || {})", "not": "(!{})"}


HELPERS = {
    "asin": "asin_of(x) = abs(x) <= 1 ? asin(x) : oftype(float(x), NaN)",
    "acos": "acos_of(x) = abs(x) <= 1 ? acos(x) : oftype(float(x), NaN)",
    "log": "log_of(x) = x >= 0 ? log(x) : oftype(float(x), NaN)",
    "sqrt": "sqrt_of(x) = x >= 0 ? sqrt(x) : oftype(float(x), NaN)",
    "pow": "pow_of(x, y) = x >= 0 || isinteger(y) ? x^y : oftype(float(x), NaN)",
}
"""NaN where there is no value: a branch that is not taken must not end the program."""


def _table(table: Table, name: str) -> str:
    rows = ", ".join(floats(row) for row in table.coefficients)
    return _TABLE.format(name=name, breaks=floats(table.breaks), starts=floats(table.starts), rows=rows)


_TABLE = """function {name}(x)
    breaks = {breaks}
    starts = {starts}
    rows = [{rows}]
    isnan(x) && return x
    k = searchsortedlast(breaks, x) + 1
    value = rows[end][k]
    for row in rows[end-1:-1:1]
        value = (value == 0 ? zero(value) : value * (x - starts[k])) + row[k]
    end
    return value
end"""

SYNTAX = Syntax(
    language="julia",
    functions=_functions(),
    places={name: f"{name}[{{k}}]" for name in "qurw"} | {"t": "t", "p": "p.values[{k}]", "c": "p.derived[{k}]"},
    first=1,
    zeroed=True,
    helpers=HELPERS,
    table=_table,
)

LISTS = ["COORDINATES", "SPEEDS", "INPUTS", "OUTPUTS", "PARAMETERS", "DEFAULTS", "START"]
OWN = [
    *LISTS, *"c parameters number changes values keys throw ArgumentError get zip join promote_type typeof".split(),
    "reshape", "permutedims", "missing_names", "haskey", "isempty",
]  # fmt: skip
"""Identifiers that the module uses for itself."""


@dataclass(frozen=True)
class Julia(SourceTarget):
    """A module ``<name>.jl``: ``state_rate(t, q, u, r, p)`` and the rest, with p from ``parameters(; …)``.

    Args:
        jacobians: whether derivatives by states and inputs are written, too.
        names: ``"readable"`` intermediates, or ``"short"`` ones.
        limit: how many statements a function may have; compilers need more than twice the time for twice the length.
    """

    def files(self, program: Program) -> Mapping[str, str]:
        """One module."""
        code = self.code(program, SYNTAX, OWN)
        name = file_name(program.name, "julia")
        capital = file_name(f"{program.name[:1].upper()}{program.name[1:]}", "julia")
        parts = [
            _INTRODUCTION.format(name=one_line(program.name), module=f"{capital}_" if capital in LISTS else capital),
            _lists(program),
            *code.helpers,
            *(_table(table, own) for own, table in code.tables.items()),
            _parameters(program, code),
            *(text for body in code.bodies for text in _function(body)),
            "end # module",
        ]
        return {f"{name}.jl": "\n\n".join(parts) + "\n"}


def _lists(program: Program) -> str:
    groups = {"COORDINATES": program.coordinates, "SPEEDS": program.speeds, "INPUTS": program.inputs}
    blocks = [_listing(title, group) for title, group in {**groups, "OUTPUTS": program.outputs}.items()]
    blocks.append(_listing("PARAMETERS", program.parameters))
    values = ", ".join(repr(one.value) if isfinite(one.value) else "NaN" for one in program.parameters)
    blocks.append(f"const DEFAULTS = Float64[{values}]")
    return "\n".join([*blocks, f"const START = Float64{floats(one.value for one in program.states)}"])


def _listing(title: str, quantities: Iterable[Quantity]) -> str:
    lines = [f"    Symbol({_text(one.name)}), {SYNTAX.remark(origin(one))}".rstrip() for one in quantities]
    return "\n".join([f"const {title} = Symbol[", *lines, "]"])


def _text(name: str) -> str:
    """A name between quotes; it is an identifier, and has nothing that Julia would read in another way."""
    return f'"{name}"'


def _parameters(program: Program, code: Code) -> str:
    lines = [f"    {line}" for part in code.prepare.parts for line in SYNTAX.lines(part)]
    needed = ", ".join(f"Symbol({_text(one.name)})" for one in program.parameters if one.is_open)
    return _PARAMETERS.format(
        size=len(code.constants), lines="\n".join(lines), missing=_MISSING.format(needed=needed) if needed else "",
        formulas="".join(f"    {line}\n" for line in _formulas(code)),
    )  # fmt: skip


def _formulas(code: Code) -> list[str]:
    """Parameters that are formulas of others, unless they are given."""
    lines = []
    for one in code.formulas:
        inner = [*one.lines(SYNTAX), f"p.values[{one.place + 1}] = {one.text}"]
        given = f"haskey(changes, Symbol({_text(one.quantity.name)}))"
        lines += [f"if !{given}", *(f"    {line}" for line in inner), "end"]
    return lines


def _function(body: Body) -> list[str]:
    routine = body.routine
    names = [result.name for result in routine.results]
    given = ", ".join(["t", "q", "u", "r", "p", *names, *(["w"] if len(body.parts) > 1 else [])])
    made = ["number = promote_type(typeof(t), eltype(q), eltype(u), eltype(r), eltype(p.values))"]
    made += [f"{result.name} = zeros(number, {result.size})" for result in routine.results]
    back = f"return {', '.join(_shaped(result.name, result.shape) for result in routine.results)}"
    head = f"{SYNTAX.remark(routine.description)}\nfunction {routine.name}(t, q, u, r, p)"
    if len(body.parts) == 1:
        return [_block(head, [*made, *SYNTAX.lines(body.parts[0]), back])]
    pieces = [
        _block(f"function {routine.name}_{k}({given})", [*SYNTAX.lines(part), "return nothing"])
        for k, part in enumerate(body.parts, 1)
    ]
    calls = [f"{routine.name}_{k}({given})" for k in range(1, len(body.parts) + 1)]
    return [*pieces, _block(head, [*made, f"w = zeros(number, {body.workspace})", *calls, back])]


def _shaped(name: str, shape: tuple[int, ...]) -> str:
    """Julia stores matrices column by column."""
    return name if len(shape) < 2 else f"permutedims(reshape({name}, {shape[1]}, {shape[0]}))"


def _block(head: str, lines: Iterable[str]) -> str:
    return "\n".join([head, *(f"    {line}" for line in lines), "end"])


_INTRODUCTION = """# {name}: equations of motion, generated by multibody.
#
# Functions take (t, q, u, r, p): time, coordinates, speeds, inputs, and what parameters(; ...) returns. SI units and
# radians.
module {module}"""

_MISSING = """    missing_names = [name for name in Symbol[{needed}] if !haskey(changes, name)]
    isempty(missing_names) || throw(ArgumentError("No value for the parameters: $(join(missing_names, ", "))."))
"""

_PARAMETERS = """# All parameters, with other values for some of them, and what follows from them alone.
function parameters(; changes...)
    for name in keys(changes)
        name in PARAMETERS || throw(ArgumentError("There is no parameter $name. There are: $(join(PARAMETERS, ", "))."))
    end
{missing}    values = [get(changes, name, value) for (name, value) in zip(PARAMETERS, DEFAULTS)]
    p = (values = values, derived = zeros(eltype(values), {size}))
{formulas}    c = p.derived
{lines}
    return p
end"""
