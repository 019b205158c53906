"""Rust: a module without dependencies and without allocation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

from multibody.codegen.code import Code, RoutineBody
from multibody.codegen.contract import SourceTarget
from multibody.codegen.naming import file_name
from multibody.codegen.parameter_formulas import origin
from multibody.codegen.program import Program
from multibody.codegen.syntax import CALLED, Syntax, one_line
from multibody.codegen.targets.python.pythonlike import floats, table_writer


def _functions() -> dict[str, str]:
    names = {op: op for op in "sin cos tan asin acos atan atan2 sinh cosh tanh exp sqrt abs".split()}
    calls = {op: f"f64::{name}" for op, name in (names | {"log": "ln", "pow": "powf"}).items()}
    calls |= {"sign": "sign_of", "min": "smaller_of", "max": "larger_of", "table": "{name}({})"}
    choice = {"where": "(if {} {{ {} }} else {{ {} }})", "lt": "({} < {})", "le": "({} <= {})", "eq": "({} == {})"}
    return calls | choice | {"and": "({} && {})", "or": "({} || {})", "not": "(!{})"}


HELPERS = {
    "sign": "fn sign_of(x: f64) -> f64 { if x > 0.0 { 1.0 } else if x < 0.0 { -1.0 } else { x } }",
    "min": "fn smaller_of(x: f64, y: f64) -> f64 { if x < y || x.is_nan() { x } else { y } }",
    "max": "fn larger_of(x: f64, y: f64) -> f64 { if x > y || x.is_nan() { x } else { y } }",
}
"""What is not a number stays so, which f64::min and f64::max do not promise."""


_TABLE = """/// {rule}
fn {name}(x: f64) -> f64 {{
    const BREAKS: [f64; {n}] = {breaks};
    const STARTS: [f64; {m}] = {starts};
    const ROWS: [[f64; {m}]; {d}] = [{rows}];
    if x.is_nan() {{
        return x;
    }}
    let k = BREAKS.partition_point(|b| *b <= x);
    let mut value = ROWS[{d} - 1][k];
    for row in ROWS.iter().rev().skip(1) {{
        // beyond the ends higher powers are absent, also at infinity
        value = (if value == 0.0 {{ 0.0 }} else {{ value * (x - STARTS[k]) }}) + row[k];
    }}
    value
}}"""

_table = table_writer(_TABLE)

SYNTAX = Syntax(
    language="rust",
    functions=_functions(),
    places={name: f"{name}[{{k}}]" for name in "qurw"} | {"t": "t", "p": "p.{name}", "c": "p.derived[{k}]"},
    declaration="let {name} = {value};",
    store="{result}[{k}] = {value};",
    save="w[{k}] = {name};",
    comment="/* {} */",
    helpers=HELPERS,
    table=_table,
    members=["derived"],
    free_members=CALLED,
)


OWN = "c Parameters START_Q START_U start close make_unit shortest_step largest_of approach close_gaps".split()
"""Identifiers that the module uses for itself."""


@dataclass(frozen=True)
class Rust(SourceTarget):
    """A module ``<name>.rs`` of functions of (t, q, u, r, p) that write to arrays of the caller.

    Args:
        jacobians: whether derivatives by states and inputs are written, too.
        names: ``"readable"`` intermediates, or ``"short"`` ones.
        limit: how many statements a function may have; compilers need more than twice the time for twice the length.
    """

    def files(self, program: Program) -> Mapping[str, str]:
        """One module."""
        code = self.code(program, SYNTAX, OWN, closure=True)
        parts = [
            _INTRODUCTION.format(name=one_line(program.name)),
            _sizes(program),
            _structure(program, code),
            *code.helpers,
            *(_table(table, name) for name, table in code.tables.items()),
            *(text for body in code.bodies for text in _function(body, program)),
            *_start(program, code),
        ]
        return {f"{file_name(program.name, 'rust')}.rs": "\n\n".join(parts) + "\n"}


def _sizes(program: Program) -> str:
    lines = [f"// {line}" for line in program.legend()]
    start = {"START_Q": program.coordinates, "START_U": program.speeds}
    return "\n".join(
        [*lines, *(f"pub const {n}: [f64; {len(g)}] = {floats(x.value for x in g)};" for n, g in start.items())]
    )


def _structure(program: Program, code: Code) -> str:
    names = [code.members[parameter.symbol] for parameter in program.parameters]
    pairs = list(zip(names, program.parameters, strict=True))
    members = [f"    pub {name}: f64, {SYNTAX.remark(origin(parameter, name))}".rstrip() for name, parameter in pairs]
    values = [f"            {name}: {_number(parameter.value)}," for name, parameter in pairs]
    lines = [line for part in code.prepare.parts for line in SYNTAX.lines(part)]
    first, size = len(code.constants), len(code.constants) + len(code.formulas)
    kept = [f"        c[{k}] = p.derived[{k}];" for k in range(first, size)]
    memory = [f"        p.derived[{first + k}] = p.{code.members[formula.quantity.symbol]};"
              for k, formula in enumerate(code.formulas)]  # fmt: skip
    return _STRUCTURE.format(
        members="\n".join(members), values="\n".join(values), size=size,
        memory="".join(f"{line}\n" for line in memory), follow=_FOLLOW if code.formulas else "",
        lines="\n".join([*kept, *(f"        {line}" for line in lines)]),
        formulas="".join(f"        {line}\n" for line in _formulas(code)),
    )  # fmt: skip


def _number(value: float) -> str:
    return repr(value) if isfinite(value) else "f64::NAN"


def _formulas(code: Code) -> list[str]:
    """Parameters that are formulas of others, as long as they have what these gave them, or no value."""
    lines = ["let p = &mut *self;"] if code.formulas else []
    for k, formula in enumerate(code.formulas, len(code.constants)):
        own, last = f"p.{code.members[formula.quantity.symbol]}", f"p.derived[{k}]"
        inner = [*formula.lines(SYNTAX), f"{own} = {formula.text};", f"{last} = {own};"]
        lines += [f"if {own} == {last} || {own}.is_nan() {{", *(f"    {line}" for line in inner), "}"]
    return lines


def _function(body: RoutineBody, program: Program) -> list[str]:
    """A function, or several that pass numbers through a workspace."""
    routine = body.routine
    arrays = [f"{a}: &[f64; {len(g)}]" for a, g in program.arguments.items() if a != "p"]
    results = [f"{result.name}: &mut [f64; {result.size}]" for result in routine.results]
    given = ["t: f64", *arrays, "p: &Parameters", *results]
    head = f"/// {routine.description}\npub fn {routine.name}"
    if len(body.parts) == 1:
        return [_block(head, given, SYNTAX.lines(body.parts[0]))]
    work = f"w: &mut [f64; {body.workspace}]"
    pieces = [_block(f"fn {routine.name}_{k}", [*given, work], SYNTAX.lines(p)) for k, p in enumerate(body.parts)]
    names = ", ".join(["t", "q", "u", "r", "p", *(result.name for result in routine.results), "&mut w"])
    calls = [f"{routine.name}_{k}({names});" for k in range(len(body.parts))]
    return [*pieces, _block(head, given, [f"let mut w = [0.0; {body.workspace}];", *calls])]


def _start(program: Program, code: Code) -> list[str]:
    """Functions that find start values for the parameters in use."""
    n, m, k = (len(group) for group in (program.coordinates, program.speeds, program.inputs))
    given = f"t: f64, q: &mut [f64; {n}], u: &mut [f64; {m}], r: &[f64; {k}], p: &Parameters"
    guess = [f"    *{a} = {floats(part)};" for a, part in (("q", program.guess[:n]), ("u", program.guess[n:]))]
    levels = list(program.levels)
    call = f"    close(t, q, u, r, p, &{levels})" if "closure" in code else "    true"
    start = "\n".join([_START + f"pub fn start({given}) -> bool {{", *guess, call, "}"])
    if "closure" not in code:
        return [start]
    gaps, slopes, rate_gaps, rate_slopes = (result.size for result in code["closure"].routine.results)
    turned = [f"    make_unit(q, level, &{list(places)});" for places in program.eom.model.quaternions]
    close = _CLOSE.format(
        given=given, states=n + m, n=n, m=m, gaps=gaps, slopes=slopes, rate_gaps=rate_gaps, rate_slopes=rate_slopes,
        unit="".join(f"{line}\n" for line in turned),
    )  # fmt: skip
    unit = [_UNIT] if turned else []
    return [_NEWTON, *unit, close, start]


def _block(head: str, given: Sequence[str], lines: Iterable[str]) -> str:
    return "\n".join([f"{head}({', '.join(given)}) {{", *(f"    {line}" for line in lines), "}"])


_INTRODUCTION = """//! {name}: equations of motion, generated by multibody.
//!
//! Functions take (t, q, u, r, p): time, coordinates, speeds, inputs, parameters, and write their results to arrays of
//! the caller, matrices row by row. SI units and radians.
#![allow(non_snake_case, unused_mut, unused_parens, unused_variables, clippy::all)]"""

_FOLLOW = """ One that follows from others follows them until its own
/// value is changed, or again if it is set to NaN."""

_STRUCTURE = """/// Parameters; call `prepare` after they were changed.{follow}
#[derive(Clone, Debug)]
pub struct Parameters {{
{members}
    /// what follows from the others
    derived: [f64; {size}],
}}

impl Default for Parameters {{
    fn default() -> Self {{
        let mut p = Parameters {{
{values}
            derived: [0.0; {size}],
        }};
{memory}        p.prepare();
        p
    }}
}}

impl Parameters {{
    /// Compute what follows from the parameters alone.
    pub fn prepare(&mut self) {{
{formulas}        let p = &*self;
        let mut c = [0.0; {size}];
{lines}
        self.derived = c;
    }}
}}"""


_START = """\
/// Start values at the time t, for these inputs and parameters: those that the model gives are held if they can be,
/// and the others follow. Returns whether some near them keep the constraints.
"""

_CLOSE = """\
/// Moves your own start values onto the constraints: those with level 2 are held longest, those with level 1 if that
/// can be, those with level 0 follow; one level for each of q, then of u. Returns whether some are found.
pub fn close({given}, level: &[i32; {states}]) -> bool {{
{unit}    let (mut a, mut b) = ([0.0; {gaps}], [0.0; {slopes}]);
    let (mut c, mut d) = ([0.0; {rate_gaps}], [0.0; {rate_slopes}]);
    let speeds = *u;
    let mut positions = |x: &[f64; {n}], gaps: &mut [f64; {gaps}], slopes: &mut [f64; {slopes}]| {{
        closure(t, x, &speeds, r, p, gaps, slopes, &mut c, &mut d)
    }};
    if !close_gaps(&mut positions, q, &level[..{n}], 0.6, 1e-10, &mut a, &mut b) {{
        return false;
    }}
    let (mut e, mut f) = ([0.0; {rate_gaps}], [0.0; {rate_slopes}]);
    let mut velocities = |x: &[f64; {m}], gaps: &mut [f64; {rate_gaps}], slopes: &mut [f64; {rate_slopes}]| {{
        closure(t, q, x, r, p, &mut a, &mut b, gaps, slopes)
    }};
    close_gaps(&mut velocities, u, &level[{n}..], f64::INFINITY, 1e-9, &mut e, &mut f)
}}"""

_UNIT = """\
/// A quaternion of any length but zero means the rotation of that of length one. It is made one, unless some of its
/// entries have level 2 and can be held.
fn make_unit(q: &mut [f64], level: &[i32], places: &[usize; 4]) {
    let square: f64 = places.iter().map(|&k| q[k] * q[k]).sum();
    let own = places.iter().filter(|&&k| level[k] == 2);
    let count = own.clone().count();
    let held: f64 = own.map(|&k| q[k] * q[k]).sum();
    if square > 1e-24 && (count % 4 == 0 || held > 1.0) {
        for &k in places {
            q[k] /= square.sqrt();
        }
    }
}"""

_NEWTON = """\
/// The shortest step of the states that are free which closes gaps to first order, by Gram and Schmidt's method with
/// pivoting: rows that depend on others are left out. Both arrays are overwritten.
fn shortest_step<const N: usize>(level: &[i32], hold: i32, gaps: &mut [f64], slopes: &mut [f64]) -> [f64; N] {
    let m = gaps.len();
    let (mut step, mut first) = ([0.0; N], 0.0);
    for k in 0..m {
        let (mut largest, mut row) = (0.0, 0);
        for i in 0..m {
            let square: f64 = (0..N).filter(|&j| level[j] < hold).map(|j| slopes[i * N + j] * slopes[i * N + j]).sum();
            if square > largest {
                largest = square;
                row = i;
            }
        }
        largest = f64::sqrt(largest);
        first = if k > 0 { first } else { largest };
        if !(largest > 1e-8 * first) {
            return step;
        }
        let along = -gaps[row] / largest;
        for j in 0..N {
            slopes[row * N + j] = if level[j] < hold { slopes[row * N + j] / largest } else { 0.0 };
            step[j] += along * slopes[row * N + j];
        }
        for i in (0..m).filter(|&i| i != row) {
            let share: f64 = (0..N).map(|j| slopes[i * N + j] * slopes[row * N + j]).sum();
            gaps[i] += share * along;
            for j in 0..N {
                slopes[i * N + j] -= share * slopes[row * N + j];
            }
        }
        gaps[row] = 0.0;
        slopes[row * N..(row + 1) * N].fill(0.0);
    }
    step
}

fn largest_of(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |a, b| if b.is_finite() { f64::max(a, b.abs()) } else { f64::INFINITY })
}

/// Moves x until the gaps are as small as rounding lets them become; returns the largest gap that remains.
fn approach<const N: usize, const G: usize, const S: usize>(
    equations: &mut dyn FnMut(&[f64; N], &mut [f64; G], &mut [f64; S]), x: &mut [f64; N], level: &[i32], hold: i32,
    longest: f64, gaps: &mut [f64; G], slopes: &mut [f64; S],
) -> f64 {
    equations(x, gaps, slopes);
    let mut gap = largest_of(gaps);
    for _ in 0..60 {
        if !(gap > 1e-16 && gap < f64::INFINITY) {
            break;
        }
        let (before, step) = (*x, shortest_step::<N>(level, hold, gaps, slopes));
        let size = largest_of(&step);
        if !(size > 0.0 && size < f64::INFINITY) {
            break;
        }
        let mut next = f64::INFINITY;
        for share in [1.0, 0.5, 0.25, 0.1, 0.02] {
            for i in 0..N {
                x[i] = before[i] + share * f64::min(1.0, longest / size) * step[i];
            }
            equations(x, gaps, slopes);
            next = largest_of(gaps);
            if next < gap {
                break;
            }
        }
        if !(next < gap) {
            *x = before;
            break;
        }
        gap = next;
    }
    gap
}

/// Closes gaps by x, near a guess: first with all held that have a level, then with those of level 2, then with none.
fn close_gaps<const N: usize, const G: usize, const S: usize>(
    equations: &mut dyn FnMut(&[f64; N], &mut [f64; G], &mut [f64; S]), x: &mut [f64; N], level: &[i32],
    longest: f64, tolerance: f64, gaps: &mut [f64; G], slopes: &mut [f64; S],
) -> bool {
    let guess = *x;
    for hold in 1..4 {
        for trial in 0..if hold == 3 { 24 } else { 12 } {
            let far = if trial > 0 { 0.02 * f64::powi(1.35, trial) } else { 0.0 };
            for i in 0..N {
                let angle = 12.9898 * (i + 1) as f64 * f64::from(trial) + 0.7 * i as f64;
                x[i] = guess[i] + if level[i] < hold { far * angle.sin() } else { 0.0 };
            }
            if approach(equations, x, level, hold, longest, gaps, slopes) <= tolerance {
                return true;
            }
        }
    }
    *x = guess;
    false
}"""
