"""JavaScript: an ES module without dependencies, for browsers and Node.js."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isfinite

from multibody.codegen.code import Code, RoutineBody
from multibody.codegen.contract import SourceTarget
from multibody.codegen.naming import file_name
from multibody.codegen.parameter_formulas import arrays_of, origin
from multibody.codegen.program import Program
from multibody.codegen.program_data import ScalarVariable
from multibody.codegen.syntax import Syntax, one_line, quoted
from multibody.codegen.targets.python.pythonlike import ParameterForm, floats, table_writer


def _functions() -> dict[str, str]:
    same = "sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt abs sign min max pow".split()
    choice = {"where": "({} ? {} : {})", "lt": "({} < {})", "le": "({} <= {})", "eq": "({} === {})"}
    logic = {"and": "({} && {})", "or": "({} || {})", "not": "(!{})", "table": "{name}({})"}
    return {op: f"Math.{op}" for op in same} | choice | logic


_TABLE = """// {rule}
function {name}(x) {{
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

_table = table_writer(_TABLE)

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

LISTS = ["coordinates", "speeds", "inputs", "outputs", "parameterDefaults", "start", "parameters", "parameterArrays"]
OWN = [*LISTS, *"c changes known missing given RangeError Object guess held quaternions startValues".split(),
       *"shortestStep largestOf approach closeGaps".split()]  # fmt: skip
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
        code = self.code(program, SYNTAX, OWN, closure=True)
        spread = _SPREAD if arrays_of(program) else ""
        parts = [
            _INTRODUCTION.format(name=one_line(program.name)),
            _lists(program),
            *(_table(table, name) for name, table in code.tables.items()),
            *_arrays(program),
            _FORM.text(program, code, SYNTAX, _PARAMETERS.replace("@arrays@", spread), _MISSING),
            *(text for body in code.bodies for text in _function(body)),
            *_start(program, code),
        ]
        return {f"{file_name(program.name, 'javascript')}.mjs": "\n\n".join(parts) + "\n"}


def _lists(program: Program) -> str:
    groups = {"coordinates": program.coordinates, "speeds": program.speeds, "inputs": program.inputs}
    blocks = [
        _listing(title, "[]", group, "{name},") for title, group in {**groups, "outputs": program.outputs}.items()
    ]
    blocks.append(_listing("parameterDefaults", "{}", program.parameters, "{name}: {value},"))
    return "\n".join([*blocks, f"export const start = {floats(state.value for state in program.states)};"])


def _arrays(program: Program) -> list[str]:
    """The elements of parameters that are arrays, row by row."""
    groups = arrays_of(program)
    lines = [f"  {quoted(name)}: [{', '.join(map(quoted, elements))}]," for name, elements in groups.items()]
    return ["\n".join(["export const parameterArrays = {", *lines, "};"])] if groups else []


def _listing(title: str, brackets: str, quantities: Iterable[ScalarVariable], form: str) -> str:
    lines = [f"export const {title} = {brackets[0]}"]
    for quantity in quantities:
        item = form.format(
            name=quoted(quantity.name), value=repr(quantity.value) if isfinite(quantity.value) else "null"
        )
        lines.append(f"  {item} {SYNTAX.remark(origin(quantity))}".rstrip())
    return "\n".join([*lines, f"{brackets[1]};"])


_FORM = ParameterForm(
    "if (!Object.hasOwn(changes, {name})) {{", "p.values[{place}] = {text};", end="}", indent="  "
)  # fmt: skip


def _function(body: RoutineBody) -> list[str]:
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


def _start(program: Program, code: Code) -> list[str]:
    """Functions that find start values for the parameters in use."""
    lists = f"const guess = {floats(program.guess)}; // start values as the model gives them"
    if "closure" not in code:
        return [lists, _FREE_START]
    lists += f"\nconst held = {list(program.levels)}; // 1 for those that are held if they can be"
    lists += f"\nconst quaternions = {[list(quaternion) for quaternion in program.eom.model.quaternions]};"
    return [lists, _NEWTON, _CLOSED_START]


def _block(head: str, lines: Iterable[str]) -> str:
    return "\n".join([head, *(f"  {line}" for line in lines), "}"])


_INTRODUCTION = """// {name}: equations of motion, generated by multibody.
//
// Functions take (t, q, u, r, p): time, coordinates, speeds, inputs, and what parameters(...) returns; they return
// their results by name, matrices row by row. SI units and radians."""

_MISSING = """  const missing = [{needed}].filter((name) => !Object.hasOwn(changes, name));
  if (missing.length) throw new RangeError(`No value for the parameters: ${{missing.join(", ")}}.`);
"""

_SPREAD = """  changes = {{ ...changes }};
  for (const [name, elements] of Object.entries(parameterArrays)) {{
    if (!Object.hasOwn(changes, name)) continue;
    const given = Array.from(changes[name], (row) => (typeof row === "number" ? row : Array.from(row))).flat();
    if (given.length !== elements.length) {{
      throw new RangeError(`The parameter ${{name}} has ${{elements.length}} elements, not ${{given.length}}.`);
    }}
    delete changes[name];
    elements.forEach((element, k) => {{ changes[element] = given[k]; }});
  }}
"""

_PARAMETERS = """// All parameters, with other values for some of them, and what follows from them alone.
export function parameters(changes = {{}}) {{
@arrays@  const known = Object.keys(parameterDefaults);
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


_NAMED = """  const names = [...coordinates, ...speeds];
  for (const name of Object.keys(given)) {
    if (names.includes(name)) continue;
    throw new RangeError(`There is no coordinate or speed ${name}. There are: ${names.join(", ")}.`);
  }
  const y = Float64Array.from(names, (name, k) => (Object.hasOwn(given, name) ? given[name] : guess[k]));
"""

_FREE_START = f"""\
// Start values (q, u): those that are given by name are used, and the others are the model's.
export function startValues(p = parameters(), t = 0, r = [], given = {{}}) {{
{_NAMED}  return y;
}}"""

_CLOSED_START = """\
// Start values (q, u) that keep the constraints with the parameters p, at the time t and with the inputs r, which are
// zero by default. Those that are given by name are held if they can be, then those that the model gives; the others
// follow.
export function startValues(p = parameters(), t = 0, r = new Float64Array(inputs.length), given = {}) {
<named>  const level = names.map((name, k) => (Object.hasOwn(given, name) ? 2 : held[k]));
  for (const places of quaternions) { // of whatever length, it is the same rotation, unless some entries can be held
    const own = places.filter((k) => level[k] === 2), size = Math.hypot(...places.map((k) => y[k]));
    if (size === 0 || (own.length % 4 && Math.hypot(...own.map((k) => y[k])) <= 1)) continue;
    for (const k of places) y[k] /= size;
  }
  const q = y.subarray(0, coordinates.length), u = y.subarray(coordinates.length);
  closeGaps(() => { const { gaps, slopes } = closure(t, q, u, r, p); return [gaps, slopes]; },
    q, level.slice(0, q.length), 0.6, 1e-10);
  closeGaps(() => { const { rate_gaps, rate_slopes } = closure(t, q, u, r, p); return [rate_gaps, rate_slopes]; },
    u, level.slice(q.length), Infinity, 1e-9);
  return y;
}""".replace("<named>", _NAMED)

_NEWTON = """\
// The shortest step of the states that are free which closes gaps to first order, by Gram and Schmidt's method with
// pivoting: rows that depend on others are left out. Both arrays are overwritten.
function shortestStep(n, level, hold, gaps, slopes) {
  const m = gaps.length, step = new Float64Array(n);
  let first = 0;
  for (let k = 0; k < m; ++k) {
    let largest = 0, row = 0;
    for (let i = 0; i < m; ++i) {
      let square = 0;
      for (let j = 0; j < n; ++j) square += level[j] < hold ? slopes[i * n + j] * slopes[i * n + j] : 0;
      if (square > largest) { largest = square; row = i; }
    }
    largest = Math.sqrt(largest);
    first = k ? first : largest;
    if (!(largest > 1e-8 * first)) return step;
    const along = -gaps[row] / largest;
    for (let j = 0; j < n; ++j) {
      slopes[row * n + j] = level[j] < hold ? slopes[row * n + j] / largest : 0;
      step[j] += along * slopes[row * n + j];
    }
    for (let i = 0; i < m; ++i) {
      if (i === row) continue;
      let share = 0;
      for (let j = 0; j < n; ++j) share += slopes[i * n + j] * slopes[row * n + j];
      gaps[i] += share * along;
      for (let j = 0; j < n; ++j) slopes[i * n + j] -= share * slopes[row * n + j];
    }
    gaps[row] = 0;
    slopes.fill(0, row * n, (row + 1) * n);
  }
  return step;
}

function largestOf(values) {
  let largest = 0;
  for (const value of values) largest = Number.isFinite(value) ? Math.max(largest, Math.abs(value)) : Infinity;
  return largest;
}

// Moves x until the gaps are as small as rounding lets them become; returns the largest gap that remains.
function approach(equations, x, level, hold, longest) {
  let [gaps, slopes] = equations(), gap = largestOf(gaps);
  for (let tries = 0; tries < 60 && gap > 1e-16 && gap < Infinity; ++tries) {
    const before = x.slice(), step = shortestStep(x.length, level, hold, gaps, slopes), size = largestOf(step);
    if (!(size > 0 && size < Infinity)) break;
    let next = Infinity;
    for (const share of [1, 0.5, 0.25, 0.1, 0.02]) {
      for (let i = 0; i < x.length; ++i) x[i] = before[i] + share * Math.min(1, longest / size) * step[i];
      [gaps, slopes] = equations();
      next = largestOf(gaps);
      if (next < gap) break;
    }
    if (!(next < gap)) { x.set(before); break; }
    gap = next;
  }
  return gap;
}

// Closes gaps by x, near a guess: first with all held that have a level, then with those of level 2, then with none.
function closeGaps(equations, x, level, longest, tolerance) {
  const first = x.slice();
  for (let hold = 1; hold <= 3; ++hold) {
    for (let trial = 0; trial < 12 * (hold === 3 ? 2 : 1); ++trial) {
      const far = trial ? 0.02 * 1.35 ** trial : 0;
      for (let i = 0; i < x.length; ++i) {
        x[i] = first[i] + (level[i] < hold ? far * Math.sin(12.9898 * (i + 1) * trial + 0.7 * i) : 0);
      }
      if (approach(equations, x, level, hold, longest) <= tolerance) return;
    }
  }
  throw new RangeError("No state near the start values keeps all constraints.");
}"""
