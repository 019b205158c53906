"""C++: a small class in one header, C++11 or later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from textwrap import indent

from multibody.codegen.code import Code
from multibody.codegen.contract import SourceTarget
from multibody.codegen.naming import module_name
from multibody.codegen.program import Program
from multibody.codegen.syntax import one_line
from multibody.codegen.targets.c import clike, mass_solve
from multibody.codegen.targets.c.c import SYNTAX as C_SYNTAX
from multibody.codegen.targets.c.newton import NEWTON

SYNTAX = replace(
    C_SYNTAX,
    language="cpp",
    functions=clike.functions("std::"),
    places={**C_SYNTAX.places, "p": "p_.{name}", "c": "c_[{k}]"},
    comment="// {}",
    members=("followed",),
    helpers={op: text.replace("static inline", "inline") for op, text in clike.helpers("std::").items()},
    table=lambda table, name: clike.table(table, name).replace("static", "inline", 1),
)


@dataclass(frozen=True)
class Cpp(SourceTarget):
    """A header ``<name>.hpp`` with a class that holds the parameters and all functions.

    Args:
        jacobians: whether derivatives by states and inputs are written, too.
        names: ``"readable"`` intermediates, or ``"short"`` ones.
        limit: how many statements a function may have; compilers need more than twice the time for twice the length.
    """

    limit: int = 100

    def files(self, program: Program) -> Mapping[str, str]:
        """One header."""
        name = module_name(program.name, "cpp")
        sizes = [f"n_{array}" for array in program.signals]
        own = clike.guard(name, "hpp")  # a macro, which nothing else may be called
        syntax = replace(SYNTAX, members=[*SYNTAX.members, own])
        code = self.code(program, syntax, [*_OWN, *sizes, own], closure=True, loops=True)
        return {f"{name}.hpp": _header(program, code, name)}


def _header(program: Program, code: Code, name: str) -> str:
    tables = [SYNTAX.table(table, own) for own, table in code.tables.items()]
    return _HEADER.format(
        name=name,
        title=one_line(program.name),
        guard=clike.guard(name, "hpp"),
        legend="\n".join(f"// {line}" for line in program.legend()),
        sizes="\n".join(f"constexpr int n_{array} = {len(group)};" for array, group in program.signals.items()),
        helpers="".join(f"{text}\n\n" for text in [*code.helpers, *tables, *_newton(code), *mass_solve.loops(code)]),
        private=_private(program, code),
        fields="\n".join(
            f"    {line}" for line in [*clike.fields(program, code, SYNTAX, defaults=True), *_memory(code)]
        ),
        prepare=indent("\n".join(clike.prepared(code, SYNTAX, "c_", clike.Memory("p_.followed[{k}]"))), "        "),
        members=indent("\n\n".join(_members(program, code)), "    "),
        size=max(1, len(code.constants)),
    )


_OWN = [*clike.OWN, "Model", "Parameters", "parameters", "StartPlace"]
"""Identifiers that the header uses for itself."""


def _newton(code: Code) -> list[str]:
    return [f"{_USING}\n{NEWTON.rstrip()}"] if "closure" in code else []


def _memory(code: Code) -> list[str]:
    """What parameters that are formulas of others had last: a value that differs is the caller's own."""
    values = ", ".join(clike.number(formula.quantity.value) for formula in code.formulas)
    return (
        [f"double followed[{len(code.formulas)}] = {{{values}}}; // by formulas; not to be changed"] if values else []
    )


def _members(program: Program, code: Code) -> list[str]:
    projection = "projection(t + h, q, u, r, xq, xu)" if "projection" in code else ""
    steps = clike.step(program, "state_rate(t + h * ahead[k], xq, xu, r, dq, du)", projection)
    return [
        *(mass_solve.function(_FORM, program, body) for body in code.bodies),
        clike.block(_START, _start(program, code)),
        *([clike.block(_CLOSE, _close(program))] if "closure" in code else []),
        clike.block("void step(double t, double h, double *q, double *u, const double *r) const", steps),
    ]


_START = """// Start values at the time t, for these inputs, zero by default: those that the model gives are held if
// they can be, and the others follow. Returns whether some near them keep the constraints.
bool start(double *q, double *u, double t = 0.0, const double *r = nullptr) const"""


def _start(program: Program, code: Code) -> list[str]:
    if "closure" not in code:
        return ["(void)t;", "(void)r;", *clike.start(program, "")]
    return clike.start(program, "close(q, u, written, t, r)")


_CLOSE = """// Moves your own start values onto the constraints: those with level 2 are held longest, those with level 1
// if that can be, those with level 0 follow; one level for each of q, then of u. Returns whether some are found.
bool close(double *q, double *u, const int *level, double t = 0.0, const double *r = nullptr) const"""


def _close(program: Program) -> list[str]:
    place = "const StartPlace place = {t, q, u, r ? r : none, this};"
    return ["static const double none[n_r + 1] = {0.0};", *clike.close(program, place)]


def _private(program: Program, code: Code) -> str:
    """What start values need."""
    if "closure" not in code:
        return ""
    head = "const StartPlace *s = static_cast<const StartPlace *>(place);"
    functions = clike.gap_functions(program, head, "s->model->closure(s->t, s->q, s->u, s->r, {results});")
    return indent(f"{_PLACE}\n\n{functions}", "    ") + "\n\n"


_PLACE = """struct StartPlace {
    double t;
    const double *q, *u, *r;
    const Model *model;
};"""

_USING = "".join(f"using std::{name};\n" for name in "fabs fmax fmin pow sin sqrt".split())


def _head(name: str, more: Sequence[str]) -> str:
    return f"void {name}({', '.join([*clike.ARGUMENTS.values(), *more])}) const"


_FORM = clike.FunctionForm(SYNTAX, _head, _head, "{name}(t, q, u, r, {results}, w);", tuple(clike.ARGUMENTS))

_HEADER = """// {title}: equations of motion, generated by multibody.
//
// Functions take (t, q, u, r): time, coordinates, speeds, inputs; a Model holds the parameters. Results go to arrays of
// the caller, matrices row by row. Nothing is allocated or kept between calls. SI units and radians.
//
{legend}
#ifndef {guard}
#define {guard}

#include <cmath>

namespace {name} {{

{sizes}

{helpers}struct Parameters {{
{fields}
}};

class Model {{
public:
    explicit Model(const Parameters &parameters = Parameters()) : p_(parameters), c_()
    {{
{prepare}
    }}

    const Parameters &parameters() const {{ return p_; }}

{members}

private:
{private}    Parameters p_;
    double c_[{size}]; // what follows from parameters alone
}};

}} // namespace {name}

#endif // {guard}
"""
