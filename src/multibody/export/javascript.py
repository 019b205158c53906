"""JavaScript: an ES module without dependencies, for browsers and Node.js."""

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
from multibody.export.syntax import Syntax, one_line, quoted
from multibody.graph import Table


def _functions() -> dict[str, str]:
    same = "sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt abs sign min max pow".split()
    choice = {"where": "({} ? {} : {})", "lt": "({} < {})", "le": "({} <= {})", "eq": "({} === {})"}
    logic = {"and": "({} && {})", "or": "({} || {})", "not": "(!{})", "table": "{name}({})"}
    return {op: f"Math.{op}" for op in same} | choice | logic


def _table(table: Table, name: str) -> str:
    rows = ", ".join(floats(row) for row in table.coefficients)
    return _TABLE.format(name=name, breaks=floats(table.breaks), starts=floats(table.starts), rows=rows)


_TABLE = """function {name}(x) {{
  const breaks = {breaks};
  const starts = {starts};
  const rows = [{rows}];
  let low = 0, high = breaks.length;
  while (low < high) {{
    const middle = (low + high) >> 1;
    if (x < breaks[middle]) high = middle; else low = middle + 1;
  }}
  let value = rows[rows.length - 1][low];
  for (let k = rows.length - 2; k >= 0; --k) {{ // beyond the ends higher powers are absent, also at infinity
    value = (value === 0 ? 0 : value * (x - starts[low])) + rows[k][low];
  }}
  return Number.isNaN(x) ? x : value;
}}"""

SYNTAX = Syntax(
    language="javascript",
    functions=_functions(),
    places={name: f"{name}[{{k}}]" for name in "qurw"} | {"t": "t", "p": "p.values[{k}]", "c": "p.derived[{k}]"},
    declaration="const {name} = {value};",
    store="{result}[{k}] = {value};",
    save="w[{k}] = {name};",
    comment="// {}",
    zeroed=True,
    table=_table,
)

LISTS = ["coordinates", "speeds", "inputs", "outputs", "parameterDefaults", "start", "parameters"]
OWN = [*LISTS, "c", "changes", "known", "missing", "given", "RangeError", "Object"]
"""Identifiers that the module uses for itself."""


@dataclass(frozen=True)
class JavaScript(SourceTarget):
    """A module ``<name>.mjs``: ``state_rate(t, q, u, r, p)`` and the rest, with p from ``parameters({…})``.

    Args:
        jacobians: whether derivatives by states and inputs are written, too.
        names: ``"readable"`` intermediates, or ``"short"`` ones.
        limit: how many statements a function may have; engines do not compile very long ones.
    """

    limit: int = 1000

    def files(self, program: Program) -> Mapping[str, str]:
        """One module."""
        code = self.code(program, SYNTAX, OWN)
        parts = [
            _INTRODUCTION.format(name=one_line(program.name)),
            _lists(program),
            *(_table(table, name) for name, table in code.tables.items()),
            _parameters(program, code),
            *(text for body in code.bodies for text in _function(body)),
        ]
        return {f"{file_name(program.name, 'javascript')}.mjs": "\n\n".join(parts) + "\n"}


def _lists(program: Program) -> str:
    groups = {"coordinates": program.coordinates, "speeds": program.speeds, "inputs": program.inputs}
    blocks = [
        _listing(title, "[]", group, "{name},") for title, group in {**groups, "outputs": program.outputs}.items()
    ]
    blocks.append(_listing("parameterDefaults", "{}", program.parameters, "{name}: {value},"))
    return "\n".join([*blocks, f"export const start = {floats(one.value for one in program.states)};"])


def _listing(title: str, brackets: str, quantities: Iterable[Quantity], form: str) -> str:
    lines = [f"export const {title} = {brackets[0]}"]
    for one in quantities:
        item = form.format(name=quoted(one.name), value=repr(one.value) if isfinite(one.value) else "null")
        lines.append(f"  {item} {SYNTAX.remark(origin(one))}".rstrip())
    return "\n".join([*lines, f"{brackets[1]};"])


def _parameters(program: Program, code: Code) -> str:
    lines = [f"  {line}" for part in code.prepare.parts for line in SYNTAX.lines(part)]
    needed = ", ".join(quoted(one.name) for one in program.parameters if one.is_open)
    return _PARAMETERS.format(
        size=len(code.constants), lines="\n".join(lines), missing=_MISSING.format(needed=needed) if needed else "",
        formulas="".join(f"  {line}\n" for line in _formulas(code)),
    )  # fmt: skip


def _formulas(code: Code) -> list[str]:
    """Parameters that are formulas of others, unless they are given."""
    lines = []
    for one in code.formulas:
        inner = [*one.lines(SYNTAX), f"p.values[{one.place}] = {one.text};"]
        lines += [
            f"if (!Object.hasOwn(changes, {quoted(one.quantity.name)})) {{", *(f"  {line}" for line in inner), "}"
        ]  # fmt: skip
    return lines


def _function(body: Body) -> list[str]:
    """A function that returns an object with all results; long ones call others."""
    routine = body.routine
    names = [result.name for result in routine.results]
    given = ", ".join(["t", "q", "u", "r", "p", *names, *(["w"] if len(body.parts) > 1 else [])])
    head = f"{SYNTAX.remark(routine.description)}\nexport function {routine.name}(t, q, u, r, p) {{"
    made = [f"const {result.name} = new Float64Array({result.size});" for result in routine.results]
    back = f"return {{ {', '.join(names)} }};"
    if len(body.parts) == 1:
        return [_block(head, [*made, *SYNTAX.lines(body.parts[0]), back])]
    pieces = [
        _block(f"function {routine.name}_{k}({given}) {{", SYNTAX.lines(part)) for k, part in enumerate(body.parts)
    ]
    calls = [f"{routine.name}_{k}({given});" for k in range(len(body.parts))]
    return [*pieces, _block(head, [*made, f"const w = new Float64Array({body.workspace});", *calls, back])]


def _block(head: str, lines: Iterable[str]) -> str:
    return "\n".join([head, *(f"  {line}" for line in lines), "}"])


_INTRODUCTION = """// {name}: equations of motion, generated by multibody.
//
// Functions take (t, q, u, r, p): time, coordinates, speeds, inputs, and what parameters(...) returns; they return
// their results by name, matrices row by row. SI units and radians."""

_MISSING = """  const missing = [{needed}].filter((name) => !Object.hasOwn(changes, name));
  if (missing.length) throw new RangeError(`No value for the parameters: ${{missing.join(", ")}}.`);
"""

_PARAMETERS = """// All parameters, with other values for some of them, and what follows from them alone.
export function parameters(changes = {{}}) {{
  const known = Object.keys(parameterDefaults);
  for (const name of Object.keys(changes)) {{
    if (known.includes(name)) continue;
    throw new RangeError(`There is no parameter ${{name}}. There are: ${{known.join(", ")}}.`);
  }}
{missing}  const given = Object.values({{ ...parameterDefaults, ...changes }});
  const p = {{ values: Float64Array.from(given), derived: null }};
{formulas}  const c = p.derived = new Float64Array({size});
{lines}
  return p;
}}"""
