"""Rust: a module without dependencies and without allocation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

from multibody.export.code import Body, Code
from multibody.export.contract import SourceTarget
from multibody.export.module_names import file_name
from multibody.export.parameter_formulas import origin
from multibody.export.program import Program
from multibody.export.pythonlike import floats
from multibody.export.syntax import CALLED, Syntax, one_line
from multibody.graph import Table


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


def _table(table: Table, name: str) -> str:
    rows = ", ".join(floats(row) for row in table.coefficients)
    return _TABLE.format(
        name=name, breaks=floats(table.breaks), starts=floats(table.starts), rows=rows, n=len(table.breaks),
        m=len(table.starts), d=len(table.coefficients),
    )  # fmt: skip


_TABLE = """fn {name}(x: f64) -> f64 {{
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
        code = self.code(program, SYNTAX, ["c", "Parameters", "START_Q", "START_U"])
        parts = [
            _INTRODUCTION.format(name=one_line(program.name)),
            _sizes(program),
            _structure(program, code),
            *code.helpers,
            *(_table(table, name) for name, table in code.tables.items()),
            *(text for body in code.bodies for text in _function(body, program)),
        ]
        return {f"{file_name(program.name, 'rust')}.rs": "\n\n".join(parts) + "\n"}


def _sizes(program: Program) -> str:
    lines = [f"// {line}" for line in program.legend()]
    start = {"START_Q": program.coordinates, "START_U": program.speeds}
    return "\n".join(
        [*lines, *(f"pub const {n}: [f64; {len(g)}] = {floats(x.value for x in g)};" for n, g in start.items())]
    )


def _structure(program: Program, code: Code) -> str:
    names = [code.members[one.symbol] for one in program.parameters]
    pairs = list(zip(names, program.parameters, strict=True))
    members = [f"    pub {name}: f64, {SYNTAX.remark(origin(one, name))}".rstrip() for name, one in pairs]
    values = [f"            {name}: {_number(one.value)}," for name, one in pairs]
    lines = [line for part in code.prepare.parts for line in SYNTAX.lines(part)]
    first, size = len(code.constants), len(code.constants) + len(code.formulas)
    kept = [f"        c[{k}] = p.derived[{k}];" for k in range(first, size)]
    memory = [f"        p.derived[{first + k}] = p.{code.members[one.quantity.symbol]};"
              for k, one in enumerate(code.formulas)]  # fmt: skip
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
    for k, one in enumerate(code.formulas, len(code.constants)):
        own, last = f"p.{code.members[one.quantity.symbol]}", f"p.derived[{k}]"
        inner = [*one.lines(SYNTAX), f"{own} = {one.text};", f"{last} = {own};"]
        lines += [f"if {own} == {last} || {own}.is_nan() {{", *(f"    {line}" for line in inner), "}"]
    return lines


def _function(body: Body, program: Program) -> list[str]:
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
