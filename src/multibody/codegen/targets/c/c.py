"""C99: one header, one source file, no allocation, no state of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from multibody.codegen.code import Code
from multibody.codegen.contract import SourceTarget
from multibody.codegen.naming import module_name
from multibody.codegen.program import Program
from multibody.codegen.program_data import Routine
from multibody.codegen.syntax import Syntax, one_line, quoted
from multibody.codegen.targets.c import clike, mass_solve
from multibody.codegen.targets.c.newton import NEWTON

SYNTAX = Syntax(
    language="c",
    functions=clike.functions(),
    places={name: f"{name}[{{k}}]" for name in "qurw"} | {"t": "t", "p": "p->{name}", "c": "p->derived[{k}]"},
    declaration="const double {name} = {value};",
    store="{result}[{k}] = {value};",
    save="w[{k}] = {name};",
    comment="/* {} */",
    helpers=clike.helpers(),
    table=clike.table,
    members=["derived"],
    free_members=clike.FREE_MEMBERS,
)


@dataclass(frozen=True)
class C(SourceTarget):
    """C99 for any compiler: ``<name>.h``, ``<name>.c``, a test program and a ``CMakeLists.txt``.

    All functions take (t, q, u, r, p) and write to arrays of the caller; nothing is allocated, and nothing is kept
    between calls, so that they may be used by several threads and in interrupts. ``<name>_step`` makes a Runge-Kutta
    step of fixed size, for real-time targets.

    Args:
        jacobians: whether derivatives by states and inputs are written, too. For a humanoid that is seven times the
            code, and as much more time for the compiler.
        names: ``"readable"`` intermediates, or ``"short"`` ones.
        limit: how many statements a function may have; compilers need more than twice the time for twice the length.
    """

    limit: int = 100

    def files(self, program: Program) -> Mapping[str, str]:
        """Header, source, test program and build file."""
        own = clike.guard(module_name(program.name, "c"), "h")  # a macro, which nothing else may be called
        syntax = replace(SYNTAX, members=[*SYNTAX.members, own])
        writer = _CWriter(program, self.code(program, syntax, [*clike.OWN, own], closure=True, loops=True))
        name = writer.name
        return {
            f"{name}.h": writer.header(),
            f"{name}.c": writer.source(),
            f"{name}_test.c": writer.test(),
            f"{name}_model.cmake": _CMAKE.format(name=name),
            "CMakeLists.txt": _CMAKE_LISTS,
        }


class _CWriter:
    """Writes the files of one program."""

    def __init__(self, program: Program, code: Code) -> None:
        self._program, self._code = program, code
        self.name = module_name(program.name, "c")
        self._form = clike.FunctionForm(
            SYNTAX, self._head, lambda *args: f"static {self._head(*args)}", "{name}(t, q, u, r, p, {results}, w);",
            (*clike.ARGUMENTS, "p"),
        )  # fmt: skip

    def header(self) -> str:
        """Sizes, the structure of parameters, and all functions."""
        sizes = [f"    {self.name.upper()}_{key.upper()} = {len(g)}," for key, g in self._program.signals.items()]
        return _HEADER.format(
            title=one_line(self._program.name),
            name=self.name,
            guard=clike.guard(self.name, "h"),
            sizes="\n".join(sizes),
            legend="\n".join(f" * {line}" for line in self._program.legend()),
            fields="\n".join(f"    {line}" for line in clike.fields(self._program, self._code, SYNTAX)),
            derived=max(1, len(self._code.constants) + len(self._code.formulas)),
            follow=_FOLLOW if self._code.formulas else "",
            functions="\n".join(self._declared(mass_solve.solved_routine(body.routine)) for body in self._code.bodies),
            step=self._step_head(),
            start=self._start_head() + ";" + (_CLOSE + self._close_head() + ";" if "closure" in self._code else ""),
        )

    def _declared(self, routine: Routine) -> str:
        results = [f"double *{result.name}" for result in routine.results]
        sizes = ", ".join(f"{r.name}: {' by '.join(map(str, r.shape))}" for r in routine.results)
        head = self._head(f"{self.name}_{routine.name}", results)
        return f"/* {routine.description}; {sizes} */\n{head};\n"

    def _head(self, name: str, more: Sequence[str]) -> str:
        given = [*clike.ARGUMENTS.values(), f"const {self.name}_parameters *p", *more]
        return f"void {name}({', '.join(given)})"

    def _step_head(self) -> str:
        given = f"double t, double h, double *q, double *u, const double *r, const {self.name}_parameters *p"
        return f"void {self.name}_step({given})"

    def source(self) -> str:
        """The definitions of all functions."""
        code = self._code
        parts = [
            f'#include "{self.name}.h"\n\n#include <math.h>',
            *code.helpers,
            *(clike.table(table, name) for name, table in code.tables.items()),
            self._prepare(),
            self._defaults(),
            *mass_solve.loops(code),
            *(mass_solve.function(self._form, self._program, body, f"{self.name}_") for body in code.bodies),
            *self._start(),
            self._step(),
        ]
        return "\n\n".join(parts) + "\n"

    def _prepare(self) -> str:
        head = f"void {self.name}_prepare({self.name}_parameters *p)"
        memory = clike.Memory(f"p->derived[{len(self._code.constants)} + {{k}}]")
        return clike.block(head, clike.prepared(self._code, SYNTAX, "p->derived", memory))

    def _defaults(self) -> str:
        members = self._code.members
        lines = [
            f"p->{members[parameter.symbol]} = {clike.number(parameter.value)};"
            for parameter in self._program.parameters
        ]
        first = len(self._code.constants)
        lines += [
            f"p->derived[{first + k}] = p->{members[formula.quantity.symbol]};"
            for k, formula in enumerate(self._code.formulas)
        ]
        head = f"void {self.name}_defaults({self.name}_parameters *p)"
        return clike.block(head, [*lines, f"{self.name}_prepare(p);"])

    def _start_head(self) -> str:
        given = f"double t, double *q, double *u, const double *r, const {self.name}_parameters *p"
        return f"int {self.name}_start({given})"

    def _close_head(self) -> str:
        given = f"double t, double *q, double *u, const double *r, const {self.name}_parameters *p, const int *level"
        return f"int {self.name}_close({given})"

    def _start(self) -> list[str]:
        """Start values for the parameters in use."""
        if "closure" not in self._code:
            unused = [f"(void){name};" for name in "trp"]
            return [clike.block(self._start_head(), [*unused, *clike.start(self._program, "")])]
        place = "const start_place place = {t, q, u, r, p};"
        call = f"{self.name}_closure(s->t, s->q, s->u, s->r, s->p, {{results}});"
        return [
            NEWTON.rstrip(),
            _PLACE.format(name=self.name),
            clike.gap_functions(self._program, "const start_place *s = (const start_place *)place;", call),
            clike.block(self._close_head(), clike.close(self._program, place)),
            clike.block(self._start_head(), clike.start(self._program, f"{self.name}_close(t, q, u, r, p, written)")),
        ]

    def _step(self) -> str:
        rate = f"{self.name}_state_rate(t + h * ahead[k], xq, xu, r, p, dq, du)"
        projection = f"{self.name}_projection(t + h, q, u, r, p, xq, xu)" if "projection" in self._code else ""
        unused = [] if self._program.states else ["(void)p;"]
        return clike.block(self._step_head(), [*unused, *clike.step(self._program, rate, projection)])

    def test(self) -> str:
        """A program that moves the model for a second."""
        sizes = {array: max(1, len(group)) for array, group in self._program.signals.items()}
        shown = [
            f"    show({quoted(variable.name)}, {array}[{k}]);"
            for array, group in (("q", self._program.coordinates), ("u", self._program.speeds))
            for k, variable in enumerate(group)
        ]
        return _TEST.format(name=self.name, shown="\n".join(shown or [_TIME]), **sizes)


_HEADER = """/* {title}: equations of motion, generated by multibody.
 *
 * All functions take (t, q, u, r, p): time, coordinates, speeds, inputs, parameters. Arrays belong to the caller;
 * matrices are stored row by row. Nothing is allocated or kept between calls. SI units and radians.
 *
{legend}
 */
#ifndef {guard}
#define {guard}

#ifdef __cplusplus
extern "C" {{
#endif

enum {{
{sizes}
}};

typedef struct {name}_parameters {{
{fields}
    double derived[{derived}]; /* what follows from the others, by {name}_prepare */
}} {name}_parameters;

/* default values of all parameters, prepared */
void {name}_defaults({name}_parameters *p);

/* to be called after parameters were changed{follow} */
void {name}_prepare({name}_parameters *p);

/* start values at the time t, for these inputs and parameters: those that the model gives are held if they can be,
 * and the others follow; returns 1, or 0 if none near them keep the constraints */
{start}

{functions}
/* one step of Runge and Kutta, of size h, with constant inputs */
{step};

#ifdef __cplusplus
}}
#endif

#endif /* {guard} */
"""

_CLOSE = """

/* moves your own start values onto the constraints: those with level 2 are held longest, those with level 1 if that can
 * be, those with level 0 follow; one level for each of q, then of u; returns 1, or 0 if none near them are found */
"""

_PLACE = """typedef struct {{
    double t;
    const double *q, *u, *r;
    const {name}_parameters *p;
}} start_place;"""

_FOLLOW = """; one that follows from others follows them until its own value is changed,
 * or again if it is set to NAN"""

_TIME = '    show("t", 0.001 * k); /* there are no states */'

_TEST = """#include "{name}.h"

#include <stdio.h>

static int wrong = 0;

static void show(const char *what, double value)
{{
    printf("%s = %.17g\\n", what, value);
    if (value - value != 0.0) /* infinite, or not a number */
        wrong = 1;
}}

/* One second from the start values, inputs zero. */
int main(void)
{{
    {name}_parameters p;
    double q[{q}] = {{0.0}}, u[{u}] = {{0.0}}, r[{r}] = {{0.0}};
    int k;
    {name}_defaults(&p);
    if (!{name}_start(0.0, q, u, r, &p))
        return 1;
    for (k = 0; k < 1000; ++k)
        {name}_step(0.001 * k, 0.001, q, u, r, &p);
{shown}
    return wrong;
}}
"""

_CMAKE_LISTS = """# Builds all models in this folder, and runs the test program of each by ctest.
cmake_minimum_required(VERSION 3.10)
project(multibody_models C)
set(CMAKE_C_STANDARD 99)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
enable_testing()
file(GLOB models ${CMAKE_CURRENT_SOURCE_DIR}/*_model.cmake)
foreach(model IN LISTS models)
  include(${model})
endforeach()
"""
"""The same for all models, so that several may share a folder."""

_CMAKE = """add_library({name}_model STATIC {name}.c)
target_include_directories({name}_model PUBLIC ${{CMAKE_CURRENT_LIST_DIR}})
find_library(MATH m)
if(MATH)
  target_link_libraries({name}_model PUBLIC ${{MATH}})
endif()

add_executable({name}_test {name}_test.c)
target_link_libraries({name}_test {name}_model)
add_test(NAME {name} COMMAND {name}_test)
"""
