"""Julia: a module without dependencies, for any type of number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isfinite

from multibody.codegen.code import Code, RoutineBody
from multibody.codegen.contract import SourceTarget
from multibody.codegen.naming import file_name
from multibody.codegen.parameter_formulas import origin
from multibody.codegen.program import Program
from multibody.codegen.program_data import ScalarVariable
from multibody.codegen.syntax import Syntax, one_line
from multibody.codegen.targets.python.pythonlike import ParameterForm, floats, table_writer


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


_TABLE = """# {rule}
function {name}(x)
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

_table = table_writer(_TABLE)

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
    *"GUESS HELD QUATERNIONS start shortest_step largest_of approach close_gaps".split(),
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
        code = self.code(program, SYNTAX, OWN, closure=True)
        name = file_name(program.name, "julia")
        capital = file_name(f"{program.name[:1].upper()}{program.name[1:]}", "julia")
        parts = [
            _INTRODUCTION.format(name=one_line(program.name), module=f"{capital}_" if capital in LISTS else capital),
            _lists(program),
            *code.helpers,
            *(_table(table, own) for own, table in code.tables.items()),
            _FORM.text(program, code, SYNTAX, _PARAMETERS, _MISSING),
            *(text for body in code.bodies for text in _function(body)),
            *_start(program, code),
            "end # module",
        ]
        return {f"{name}.jl": "\n\n".join(parts) + "\n"}


def _lists(program: Program) -> str:
    groups = {"COORDINATES": program.coordinates, "SPEEDS": program.speeds, "INPUTS": program.inputs}
    blocks = [_listing(title, group) for title, group in {**groups, "OUTPUTS": program.outputs}.items()]
    blocks.append(_listing("PARAMETERS", program.parameters))
    values = ", ".join(
        repr(parameter.value) if isfinite(parameter.value) else "NaN" for parameter in program.parameters
    )
    blocks.append(f"const DEFAULTS = Float64[{values}]")
    return "\n".join([*blocks, f"const START = Float64{floats(state.value for state in program.states)}"])


def _listing(title: str, quantities: Iterable[ScalarVariable]) -> str:
    lines = [
        f"    Symbol({_text(quantity.name)}), {SYNTAX.remark(origin(quantity))}".rstrip() for quantity in quantities
    ]
    return "\n".join([f"const {title} = Symbol[", *lines, "]"])


def _text(name: str) -> str:
    """A name between quotes; it is an identifier, and has nothing that Julia would read in another way."""
    return f'"{name}"'


def _key(name: str) -> str:
    return f"Symbol({_text(name)})"


_FORM = ParameterForm("if !haskey(changes, {name})", "p.values[{place}] = {text}", end="end", quote=_key)


def _function(body: RoutineBody) -> list[str]:
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


def _start(program: Program, code: Code) -> list[str]:
    """Functions that find start values for the parameters in use."""
    lists = f"const GUESS = Float64{floats(program.guess)} # start values as the model gives them"
    if "closure" not in code:
        return [lists, _FREE_START]
    quaternions = ", ".join(str([k + 1 for k in places]) for places in program.eom.model.quaternions)
    lists += f"\nconst HELD = Int{list(program.levels)} # 1 for those that are held if they can be"
    lists += f"\nconst QUATERNIONS = Vector{{Int}}[{quaternions}]"
    return [lists, _NEWTON, _CLOSED_START]


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


_NAMED = """    names = [COORDINATES; SPEEDS]
    for name in keys(given)
        name in names || throw(ArgumentError("There is no coordinate or speed $name. There are: $(join(names, ", "))."))
    end
    y = Float64[get(given, name, value) for (name, value) in zip(names, GUESS)]
"""

_FREE_START = f"""\
# Start values (q, u): those that are given by name are used, and the others are the model's.
function start(p = parameters(); t = 0.0, r = Float64[], given...)
{_NAMED}    return y
end"""

_CLOSED_START = """\
# Start values (q, u) that keep the constraints with the parameters p, at the time t and with the inputs r, which are
# zero by default. Those that are given by name are held if they can be, then those that the model gives; the others
# follow.
function start(p = parameters(); t = 0.0, r = zeros(length(INPUTS)), given...)
<named>    level = [haskey(given, name) ? 2 : held for (name, held) in zip(names, HELD)]
    for places in QUATERNIONS # of whatever length, it is the same rotation, unless some entries can be held
        own = [k for k in places if level[k] == 2]
        size_of_all = sqrt(sum(abs2, y[places]))
        if size_of_all > 0 && (length(own) in (0, 4) || sum(abs2, y[own]) > 1)
            y[places] ./= size_of_all
        end
    end
    n = length(COORDINATES)
    q, u = y[1:n], y[n+1:end]
    q = close_gaps(x -> closure(t, x, u, r, p)[1:2], q, level[1:n], 0.6, 1e-10)
    u = close_gaps(x -> closure(t, q, x, r, p)[3:4], u, level[n+1:end], Inf, 1e-9)
    return [q; u]
end""".replace("<named>", _NAMED)

_NEWTON = """\
# The shortest step of the states that are free which closes gaps to first order, by Gram and Schmidt's method with
# pivoting: rows that depend on others are left out. Both arrays are overwritten.
function shortest_step(level, hold, gaps, slopes)
    m, n = size(slopes)
    step = zeros(n)
    first_size = 0.0
    for k in 1:m
        largest, row = 0.0, 1
        for i in 1:m
            square = 0.0
            for j in 1:n
                square += level[j] < hold ? slopes[i, j] * slopes[i, j] : 0.0
            end
            if square > largest
                largest, row = square, i
            end
        end
        largest = sqrt(largest)
        first_size = k > 1 ? first_size : largest
        if !(largest > 1e-8 * first_size)
            return step
        end
        along = -gaps[row] / largest
        for j in 1:n
            slopes[row, j] = level[j] < hold ? slopes[row, j] / largest : 0.0
            step[j] += along * slopes[row, j]
        end
        for i in 1:m
            i == row && continue
            share = 0.0
            for j in 1:n
                share += slopes[i, j] * slopes[row, j]
            end
            gaps[i] += share * along
            for j in 1:n
                slopes[i, j] -= share * slopes[row, j]
            end
        end
        gaps[row] = 0.0
        for j in 1:n
            slopes[row, j] = 0.0
        end
    end
    return step
end

function largest_of(values)
    largest = 0.0
    for value in values
        largest = isfinite(value) ? max(largest, abs(value)) : Inf
    end
    return largest
end

# Values for which the gaps are as small as rounding lets them become, and the largest gap that remains.
function approach(equations, x, level, hold, longest)
    gaps, slopes = equations(x)
    gap = largest_of(gaps)
    for _ in 1:60
        1e-16 < gap < Inf || break
        step = shortest_step(level, hold, gaps, slopes)
        size_of_step = largest_of(step)
        0.0 < size_of_step < Inf || break
        step *= min(1.0, longest / size_of_step)
        there, next = x, Inf
        for share in (1.0, 0.5, 0.25, 0.1, 0.02)
            there = x + share * step
            gaps, slopes = equations(there)
            next = largest_of(gaps)
            next < gap && break
        end
        next < gap || break
        x, gap = there, next
    end
    return x, gap
end

# Values near a guess that close all gaps: first with all held that have a level, then with those of level 2, then
# with none.
function close_gaps(equations, guess, level, longest, tolerance)
    for hold in 1:3, trial in 0:(hold == 3 ? 23 : 11)
        far = trial > 0 ? 0.02 * 1.35^trial : 0.0
        moved = [level[i] < hold ? far * sin(12.9898 * i * trial + 0.7 * (i - 1)) : 0.0 for i in eachindex(guess)]
        x, gap = approach(equations, guess + moved, level, hold, longest)
        gap <= tolerance && return x
    end
    throw(ArgumentError("No state near the start values keeps all constraints."))
end"""
