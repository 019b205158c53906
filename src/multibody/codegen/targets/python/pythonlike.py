"""What modules for NumPy, JAX and CasADi share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import isfinite

from multibody.codegen.code import Code, RoutineBody
from multibody.codegen.parameter_formulas import arrays_of, origin
from multibody.codegen.program import Program
from multibody.codegen.program_data import ScalarVariable
from multibody.codegen.syntax import Syntax, one_line, quoted
from multibody.graph import Table

PLACES = {name: f"{name}[{{k}}]" for name in "qurpcw"} | {"t": "t"}


INFIX = {"lt": "({} < {})", "le": "({} <= {})", "eq": "({} == {})", "pow": "({} ** {})"}
"""Operations that Python writes with its own operators, unless a library has functions for them."""


def written_functions(module: str, names: Mapping[str, str]) -> dict[str, str]:
    """How a library writes all operations, given its functions by operation."""
    return INFIX | {op: f"{module}.{name}" for op, name in names.items()} | {"table": "{name}({})"}


def numpy_table(module: str) -> Callable[[Table, str], str]:
    """What writes a table for NumPy, or for a library with NumPy's names."""

    def written(table: Table, name: str) -> str:
        rows = [f"        {floats(row)}," for row in table.coefficients]
        return _TABLE.format(
            module=module,
            name=name,
            rule=table.rule,
            breaks=floats(table.breaks),
            starts=floats(table.starts),
            rows="\n".join(rows),
        )

    return written


def table_writer(template: str) -> Callable[[Table, str], str]:
    """What writes a table by a template of a language in which lists of numbers look as in Python.

    The template may use ``name``, ``rule``, ``breaks``, ``starts``, ``rows``, and the sizes ``n`` (breaks), ``m``
    (starts) and ``d`` (rows).
    """

    def written(table: Table, name: str) -> str:
        rows = ", ".join(floats(row) for row in table.coefficients)
        sizes = {"n": len(table.breaks), "m": len(table.starts), "d": len(table.coefficients)}
        breaks, starts = floats(table.breaks), floats(table.starts)
        return template.format(name=name, rule=table.rule, breaks=breaks, starts=starts, rows=rows, **sizes)

    return written


def floats(values: Iterable[float]) -> str:
    """A list of numbers."""
    return f"[{', '.join(repr(float(value)) for value in values)}]"


_TABLE = """def {name}(x):
    # {rule}
    breaks = {module}.array({breaks})
    starts = {module}.array({starts})
    rows = {module}.array([
{rows}
    ])
    k = {module}.searchsorted(breaks, x, side="right")
    value = rows[-1][k]
    for row in rows[-2::-1]:  # beyond the ends higher powers are absent, also at infinity
        value = {module}.where(value == 0, 0.0, value * (x - starts[k])) + row[k]
    return {module}.where({module}.isnan(x), x, value)"""


def lists(program: Program) -> str:
    """Names, start values and defaults, each with its unit and meaning."""
    groups = {"COORDINATES": program.coordinates, "SPEEDS": program.speeds, "INPUTS": program.inputs}
    blocks = [f"NAME = {quoted(program.name)}"]
    blocks += [
        _listing(title, "()", group, "{name},") for title, group in {**groups, "OUTPUTS": program.outputs}.items()
    ]
    blocks.append(_listing("PARAMETERS", "{}", program.parameters, "{name}: {value},"))
    start = floats(state.value for state in program.states)
    blocks.append(f"START = {start}  # coordinates, then speeds, for the defaults of parameters")
    return "\n".join(blocks)


LISTS = ["NAME", "COORDINATES", "SPEEDS", "INPUTS", "OUTPUTS", "PARAMETERS", "START"]
"""The names of the lists."""


def _listing(title: str, brackets: str, quantities: Iterable[ScalarVariable], form: str) -> str:
    lines = [f"{title} = {brackets[0]}"]
    for quantity in quantities:
        item = form.format(name=quoted(quantity.name), value=quantity.value if isfinite(quantity.value) else None)
        remark = one_line(origin(quantity))
        lines.append(f"    {item}  # {remark}" if remark else f"    {item}")
    return "\n".join([*lines, brackets[1]])


@dataclass(frozen=True)
class ParameterForm:
    """How a language writes the function that makes parameters from those that are given.

    Attributes:
        absent: a template for the beginning of a block: a parameter is not among those that are given.
        store: a template for the statement that keeps a value.
        end: the end of the block.
        indent: within a block.
        quote: writes a name as a key.
    """

    absent: str
    store: str
    end: str = ""
    indent: str = "    "
    quote: Callable[[str], str] = quoted

    def formulas(self, code: Code, syntax: Syntax) -> list[str]:
        """Parameters that are formulas of others, unless they are given."""
        lines = []
        for formula in code.formulas:
            store = self.store.format(place=formula.place + syntax.first, text=formula.text)
            inner = [f"{self.indent}{line}" for line in (*formula.lines(syntax), store)]
            lines += [
                self.absent.format(name=self.quote(formula.quantity.name)),
                *inner,
                *([self.end] if self.end else []),
            ]
        return lines

    def text(self, program: Program, code: Code, syntax: Syntax, template: str, missing: str) -> str:
        """The function itself, in a language with braces or ``end``.

        Args:
            program: what is written.
            code: in the language.
            syntax: of the language.
            template: for ``size``, ``lines``, ``missing`` and ``formulas``.
            missing: for ``needed``, the names of parameters without a default.
        """
        lines = [f"{self.indent}{line}" for part in code.prepare.parts for line in syntax.lines(part)]
        needed = ", ".join(self.quote(parameter.name) for parameter in program.parameters if parameter.is_open)
        return template.format(
            size=len(code.constants), lines="\n".join(lines), missing=missing.format(needed=needed) if needed else "",
            formulas="".join(f"{self.indent}{line}\n" for line in self.formulas(code, syntax)),
        )  # fmt: skip


_FORM = ParameterForm("if {name} not in changes:", "p[{place}] = {text}")


def parameter_lines(program: Program, code: Code, syntax: Syntax, given: str, flat: str) -> list[str]:
    """Statements for ``parameters(**changes)``: a list ``p`` of all of them, formulas computed unless they are given.

    Args:
        program: what is written.
        code: in the language.
        syntax: of the language.
        given: a template for a value that was given, or is the default.
        flat: likewise for the elements of an array that was given by its own name.
    """
    lines = []
    for name, elements in arrays_of(program).items():
        lines += _ARRAY.format(
            name=quoted(name), elements=", ".join(map(quoted, elements)), flat=flat.format("given")
        ).splitlines()
    lines += _UNKNOWN.splitlines()
    needed = [quoted(parameter.name) for parameter in program.parameters if parameter.is_open]
    if needed:
        lines += _MISSING.format(needed=", ".join(needed)).splitlines()
    lines.append(f"p = [{given.format('changes.get(name, value)')} for name, value in PARAMETERS.items()]")
    return [*lines, *_FORM.formulas(code, syntax)]


_ARRAY = """if {name} in changes:
    given = changes.pop({name})
    changes.update(zip(({elements},), {flat}, strict=True))"""

_UNKNOWN = """unknown = sorted(changes.keys() - PARAMETERS.keys())
if unknown:
    raise TypeError(f"There is no parameter {', '.join(unknown)}. There are: {', '.join(PARAMETERS) or 'none'}.")"""

_MISSING = """missing = [name for name in ({needed},) if name not in changes]
if missing:
    raise TypeError(f"No value for the parameters: {{', '.join(missing)}}.")"""


def result_lists(body: RoutineBody) -> list[str]:
    """Lists that the results are written to."""
    return [f"{result.name} = [0.0] * {result.size}" for result in body.routine.results]


def function(head: str, description: str, lines: Iterable[str]) -> str:
    """A function from its head, what it does, and its statements."""
    return "\n".join(
        [f"def {head}:", f'    """{description[:1].upper()}{description[1:]}."""', *(f"    {x}" for x in lines)]
    )


def module(*parts: str) -> str:
    """A module from its parts, the first of which is its documentation."""
    introduction, imports, *rest = parts
    return "\n\n\n".join([f'"""{introduction}"""\n\n{imports}', *rest]) + "\n"
