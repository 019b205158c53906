"""What C and C++ share: operations, tables, helpers, and functions in pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from multibody.codegen.code import Code, RoutineBody
from multibody.codegen.parameter_formulas import origin
from multibody.codegen.program import Program
from multibody.codegen.syntax import CALLED, RoutinePart, Syntax
from multibody.codegen.targets.c import circle
from multibody.graph import Table

OWN = ["c"]
"""What functions declare besides arguments and results."""


def guard(name: str, ending: str) -> str:
    """What a header defines so that it is read once.

    Example:
        >>> guard("cartpole", "h"), guard("math_", "hpp")
        ('CARTPOLE_H', 'MATH_HPP')
    """
    return f"{name.upper().rstrip('_')}_{ending.upper()}"


FREE_MEMBERS = CALLED | frozenset(
    "j0 j1 jn y0 y1 yn gamma lgamma tgamma erf erfc exp2 expm1 log1p log2 div labs malloc calloc free time clock index "
    "fabs fmod cbrt trunc main".split()
)
"""Functions of the library, whose names a member may have."""

ARGUMENTS = {"t": "double t", "q": "const double *q", "u": "const double *u", "r": "const double *r"}
"""What every function is given, before the parameters."""


def functions(module: str = "") -> dict[str, str]:
    """How C writes all operations; in C++ the library's functions are in a namespace."""
    same = "tan asin acos atan atan2 sinh cosh tanh exp log sqrt pow".split()
    calls = {op: f"{module}{op}" for op in same} | {"abs": f"{module}fabs"} | circle.FUNCTIONS
    calls |= {"sign": "sign_of", "min": "smaller_of", "max": "larger_of", "table": "{name}({})"}
    choice = {"where": "({} ? {} : {})", "lt": "({} < {})", "le": "({} <= {})", "eq": "({} == {})"}
    return calls | choice | {"and": "({} && {})", "or": "({} || {})", "not": "(!{})"}


def helpers(module: str = "") -> dict[str, str]:
    """Functions that C does not have; what is not a number stays so, which fmin and fmax do not promise."""
    return circle.helpers(module) | {
        "sign": "static inline double sign_of(double x) { return x > 0.0 ? 1.0 : (x < 0.0 ? -1.0 : x); }",
        "min": "static inline double smaller_of(double x, double y) { return (x < y || x != x) ? x : y; }",
        "max": "static inline double larger_of(double x, double y) { return (x > y || x != x) ? x : y; }",
    }


def table(one: Table, name: str) -> str:
    """The interval is found by halving; beyond the ends higher powers are absent, also at infinity."""
    rows = ",\n        ".join("{" + ", ".join(map(repr, map(float, row))) + "}" for row in one.coefficients)
    return f"""/* {one.rule} */
static double {name}(double x)
{{
    static const double breaks[] = {{{", ".join(map(repr, map(float, one.breaks)))}}};
    static const double starts[] = {{{", ".join(map(repr, map(float, one.starts)))}}};
    static const double rows[][{len(one.starts)}] = {{
        {rows}
    }};
    int low = 0, high = {len(one.breaks)}, k;
    double value;
    while (low < high) {{
        const int middle = (low + high) / 2;
        if (x < breaks[middle])
            high = middle;
        else
            low = middle + 1;
    }}
    value = rows[{len(one.coefficients) - 1}][low];
    for (k = {len(one.coefficients) - 2}; k >= 0; --k)
        value = (value == 0.0 ? 0.0 : value * (x - starts[low])) + rows[k][low];
    return x != x ? x : value;
}}"""


def fields(program: Program, code: Code, syntax: Syntax, *, defaults: bool = False) -> list[str]:
    """A member of a structure for each parameter, with its unit and meaning, and its default if that is wanted."""
    lines = []
    for parameter in program.parameters:
        value, name = f" = {number(parameter.value)}" if defaults else "", code.members[parameter.symbol]
        lines.append(f"double {name}{value}; {syntax.remark(origin(parameter, name))}".rstrip())
    return lines


def number(value: float) -> str:
    """A number as C writes it."""
    return repr(value) if isfinite(value) else "NAN"


@dataclass(frozen=True)
class Memory:
    """Where the values are kept that formulas gave to parameters.

    Attributes:
        last: a template for the last value, with ``{k}`` for the number of the formula.
        default: a template for the default, with ``{k}`` for the place of the parameter; empty if that does not count.
    """

    last: str
    default: str = ""


def followed(code: Code, syntax: Syntax, memory: Memory) -> list[str]:
    """Statements that compute the parameters that are formulas of others.

    A parameter follows its formula as long as it has the value that the formula gave it last, or no value at all. One
    that the caller has changed keeps its value.
    """
    lines = []
    for k, formula in enumerate(code.formulas):
        own, last = syntax.place("p", formula.place, code.members[formula.quantity.symbol]), memory.last.format(k=k)
        follows = [
            f"{own} == {last}",
            *([f"{own} == {memory.default.format(k=formula.place)}"] if memory.default else []),
        ]
        inner = [*formula.lines(syntax), f"{own} = {formula.text};", f"{last} = {own};"]
        lines += [f"if ({' || '.join([*follows, f'{own} != {own}'])}) {{", *(f"    {line}" for line in inner), "}"]
    return lines


def prepared(code: Code, syntax: Syntax, array: str, memory: Memory) -> list[str]:
    """Statements that fill an array with what follows from parameters alone.

    They begin with the parameters that are formulas of others; see ``followed``.
    """
    (part,) = code.prepare.parts
    constants = [f"double *const c = {array};", *([] if code.constants else ["(void)c;"]), *syntax.lines(part)]
    return [*followed(code, syntax, memory), *constants]


Signature = Callable[[str, Sequence[str]], str]
"""The head of a function, from its name and what it is given besides (t, q, u, r, p)."""


@dataclass(frozen=True)
class FunctionForm:
    """How functions are declared and called.

    Attributes:
        syntax: of the language.
        head: of a function that is called from outside.
        piece: of a function that does a part of the work.
        call: how the latter are called: a template with ``{name}`` and ``{results}``.
        given: the names of all arguments before the results.
    """

    syntax: Syntax
    head: Signature
    piece: Signature
    call: str
    given: tuple[str, ...]

    def function(self, body: RoutineBody, name: str) -> str:
        """A routine as one function, or as several that pass numbers through a workspace."""
        names = [result.name for result in body.routine.results]
        results = [f"double *{result}" for result in names]
        if len(body.parts) == 1:
            return block(self.head(name, results), self._lines(body.parts[0], names))
        pieces, calls = [], [f"double w[{max(1, body.workspace)}];"]
        for k, part in enumerate(body.parts, 1):
            head = self.piece(f"{name}_{k}", [*results, "double *w"])
            pieces.append(block(head, self._lines(part, [*names, "w"])))
            calls.append(self.call.format(name=f"{name}_{k}", results=", ".join(names)))
        return "\n\n".join([*pieces, block(self.head(name, results), calls)])

    def _lines(self, part: RoutinePart, results: Sequence[str]) -> list[str]:
        """The statements, after a word about arguments that are not used."""
        used = part.arguments | {item.name for item in part.items if item.node is None}
        used |= ({"w"} if part.saves else set()) | ({"p"} if "c" in part.arguments else set())
        return [*(f"(void){x};" for x in (*self.given, *results) if x not in used), *self.syntax.lines(part)]


def block(head: str, lines: Iterable[str]) -> str:
    """A function from its head and its statements."""
    return "\n".join([head, "{", *(f"    {line}" for line in lines), "}"])


def start(program: Program, close: str) -> list[str]:
    """Statements that set q and u to start values, and return whether these keep the constraints.

    Args:
        program: whose states they are.
        close: a call that moves them onto the constraints and says whether that was possible; empty without any.
    """
    symbols = (*program.eom.coordinates, *program.eom.speeds)
    values: dict[Any, float] = dict(zip(symbols, program.guess, strict=True))
    groups = {"q": program.coordinates, "u": program.speeds}
    lines = [
        f"{array}[{k}] = {values[variable.symbol]!r};"
        for array, group in groups.items()
        for k, variable in enumerate(group)
    ]
    if not close:
        return [*(f"(void){array};" for array, group in groups.items() if not group), *lines, "return 1;"]
    levels = f"static const int written[] = {{{', '.join(map(str, program.levels))}}}; /* 1: held if that can be */"
    return [levels, *lines, f"return {close};"]


def close(program: Program, place: str) -> list[str]:
    """Statements that move q and u onto the constraints, and return whether that was possible.

    Args:
        program: whose states they are.
        place: how what the gaps depend on is written down, as a local variable ``place``.
    """
    n, m, gaps, rate_gaps = start_sizes(program)
    work_size = max(1, gaps + gaps * n + 3 * n, rate_gaps + rate_gaps * m + 3 * m)
    groups = program.eom.model.quaternions
    places = ", ".join(str(k) for group in groups for k in group)
    unit = _UNIT.format(place=place, places=places, count=len(groups)) if groups else place
    return _CLOSE.format(unit=unit, work_size=work_size, n=n, m=m, gaps=gaps, rate_gaps=rate_gaps).splitlines()


def start_sizes(program: Program) -> tuple[int, int, int, int]:
    """How many coordinates, speeds, gaps and gaps of velocities there are."""
    sizes = {result.name: result.size for result in program.routine("closure").results}
    return len(program.coordinates), len(program.speeds), sizes["gaps"], sizes["rate_gaps"]


def gap_functions(program: Program, head: str, call: str) -> str:
    """Two functions for ``close_gaps_by``.

    Args:
        program: whose gaps they compute.
        head: what they begin with: a declaration of ``s`` from ``place``.
        call: of the routine ``closure``, with ``{results}``.
    """
    n, m, gaps, rate_gaps = start_sizes(program)
    parts = []
    for what, others, results in (
        ("coordinates", (rate_gaps, rate_gaps * m), "gaps, slopes, a, b"),
        ("speeds", (gaps, gaps * n), "a, b, gaps, slopes"),
    ):  # fmt: skip
        arrays = f"double a[{max(1, others[0])}], b[{max(1, others[1])}];"
        own = f"static void gaps_of_{what}(const void *place, double *gaps, double *slopes)"
        parts.append(block(own, [head, arrays, call.format(results=results)]))
    return "\n\n".join(parts)


_UNIT = """{place}
static const int quaternions[] = {{{places}}};
int k;
for (k = 0; k < {count}; ++k)
    make_unit(q, level, quaternions + 4 * k);"""

_CLOSE = """double work[{work_size}];
{unit}
if (!close_gaps_by(gaps_of_coordinates, &place, q, {n}, {gaps}, level, 0.6, 1e-10, work))
    return 0;
return close_gaps_by(gaps_of_speeds, &place, u, {m}, {rate_gaps}, level + {n}, HUGE_VAL, 1e-9, work) != 0;"""


def step(program: Program, rate: str, projection: str) -> list[str]:
    """Statements for one step of Runge and Kutta.

    Args:
        program: whose states are moved on.
        rate: a call for the rates ``dq, du`` at the state ``xq, xu``.
        projection: a call that corrects ``q, u`` to ``xq, xu``; empty if there is nothing to correct.
    """
    if not program.states:  # a given motion alone: there is nothing to move on
        return [f"(void){argument};" for argument in ("t", "h", "q", "u", "r")]
    n, m = len(program.coordinates), len(program.speeds)
    text = _STEP.format(n=n, m=m, rn=max(1, n), rm=max(1, m), rate=rate)
    return (text + (_PROJECT.format(n=n, m=m, projection=projection) if projection else "")).splitlines()


_STEP = """static const double part[4] = {{1.0, 2.0, 2.0, 1.0}}, ahead[4] = {{0.0, 0.5, 0.5, 1.0}};
double dq[{rn}] = {{0.0}}, du[{rm}] = {{0.0}}, sq[{rn}] = {{0.0}}, su[{rm}] = {{0.0}}, xq[{rn}], xu[{rm}];
int i, k;
for (k = 0; k < 4; ++k) {{
    for (i = 0; i < {n}; ++i)
        xq[i] = q[i] + h * ahead[k] * dq[i];
    for (i = 0; i < {m}; ++i)
        xu[i] = u[i] + h * ahead[k] * du[i];
    {rate};
    for (i = 0; i < {n}; ++i)
        sq[i] += part[k] * dq[i];
    for (i = 0; i < {m}; ++i)
        su[i] += part[k] * du[i];
}}
for (i = 0; i < {n}; ++i)
    q[i] += h / 6.0 * sq[i];
for (i = 0; i < {m}; ++i)
    u[i] += h / 6.0 * su[i];
"""

_PROJECT = """{projection};
for (i = 0; i < {n}; ++i)
    q[i] = xq[i];
for (i = 0; i < {m}; ++i)
    u[i] = xu[i];
"""
