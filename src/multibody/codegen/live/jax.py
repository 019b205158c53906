"""JAX: pure functions to be differentiated, compiled and mapped, as the text of a module or alive."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.resources import files as resources
from typing import Any

from multibody.codegen.code import Code, RoutineBody
from multibody.codegen.contract import Names, Target, check_options, routine_names
from multibody.codegen.live.guarding import guarded
from multibody.codegen.live.tape import Tape, taped
from multibody.codegen.live.tape_loop import looped
from multibody.codegen.naming import file_name
from multibody.codegen.program import Program
from multibody.codegen.program_data import Routine
from multibody.codegen.syntax import Syntax, one_line
from multibody.codegen.targets.python import numpy_start
from multibody.codegen.targets.python.pythonlike import (
    LISTS,
    PLACES,
    floats,
    function,
    lists,
    module,
    numpy_table,
    parameter_lines,
    result_lists,
    written_functions,
)
from multibody.graph import Expr, Symbol, Table, isolated, substitute, topological
from multibody.graph.evaluate import NUMPY, library_functions
from multibody.graph.traverse import flat
from multibody.lowering import schedule, translate

SYNTAX = Syntax(
    language="python", functions=written_functions("jnp", NUMPY), places=PLACES, table=numpy_table("jnp"), zeroed=True
)

OWN = """
    jnp packed parameters jax lax np looped spread operands operations plain condition PAD Any Callable Mapping Sequence
""".split()
"""Identifiers that the module uses for itself."""

LIMIT = 300
"""Statements that XLA compiles in about a second; with 1500 it takes a minute."""


@dataclass(frozen=True)
class Jax(Target):
    """A module ``<name>_jax.py`` of functions of (t, q, u, r, p), all of them arrays.

    Derivatives come from ``jax.jacfwd``, ``jax.jacrev`` and ``jax.grad``, by parameters, too. A side of a choice that
    is not taken has no part in them.

    XLA compiles straight-line code in more than quadratic time. So functions with more than ``limit`` statements become
    lists of vector operations that a loop runs: they compile in less than a second, however long they are.

    Args:
        names: ``"readable"`` intermediates, or ``"short"`` ones.
        limit: how many statements a function may have.
    """

    names: Names = "readable"
    limit: int = LIMIT

    def __post_init__(self) -> None:
        check_options(self, "names", "limit")

    def files(self, program: Program) -> Mapping[str, str]:
        """One module."""
        wanted = [_differentiable(program, program.routine(name)) for name in routine_names(jacobians=False)]
        code = program.code(wanted, SYNTAX, taken=[*LISTS, *OWN], names=self.names, apart=False)
        own = {*LISTS, *OWN, *numpy_start.OWN, *code.tables}
        start = program.code(["closure"], numpy_start.SYNTAX, taken=own, names=self.names, apart=False)
        long = [body for body in code.bodies if sum(len(part.items) for part in body.parts) > self.limit]
        text = module(
            _INTRODUCTION.format(name=one_line(program.name)),
            _imports(start, loop=bool(long)),
            lists(program),
            *(SYNTAX.table(table, name) for name, table in code.tables.items()),
            _PACKED,
            _parameters(program, code),
            *(_loop_function(program, body, code) if body in long else _function(body) for body in code.bodies),
            *numpy_start.closure_function(start),
            *numpy_start.start_functions(program, start, "p", "None", numpy_start.PLAIN_PARAMETERS),
        )
        return {f"{file_name(program.name, 'python')}_jax.py": text}


def _imports(start: Code, *, loop: bool) -> str:
    """The libraries, and the loop that runs lists of operations."""
    used = numpy_start.imports(start)
    if not loop:
        first, _, rest = used.partition("import numpy")
        return f"{first}import jax.numpy as jnp\nimport numpy{rest}"
    warnings = "import warnings\n" if "warnings" in used else ""
    return f"{_FUTURE}\n{warnings}import jax.numpy as jnp\n{_loop()}"


def _differentiable(program: Program, routine: Routine) -> Routine:
    """The routine, whose derivatives are right also where a side of a choice that is not taken has none."""
    results = []
    for result in routine.results:
        values = list(result.values)
        if any(node.op == "where" for node in topological([*values, *program.solved.values()])):
            with isolated(*topological([*values, *program.solved.values()])):
                values = guarded(flat(substitute(values, program.solved)))
        results.append(replace(result, values=tuple(values)))
    return replace(routine, results=tuple(results))


def _parameters(program: Program, code: Code) -> str:
    text = "all parameters as one array, with other values for some of them; formulas follow"
    lines = parameter_lines(program, code, SYNTAX, "jnp.asarray({}, dtype=float)", "jnp.ravel(jnp.asarray({}))")
    return function("parameters(**changes)", text, [*lines, "return jnp.stack(p) if p else jnp.zeros(0)"])


def _function(body: RoutineBody) -> str:
    packed = ", ".join(f"packed({result.name}, {result.shape})" for result in body.routine.results)
    lines = [line for part in body.parts for line in SYNTAX.lines(part)]
    head = f"{body.routine.name}(t, q, u, r, p)"
    return function(head, body.routine.description, [*result_lists(body), *lines, f"return {packed}"])


def _loop_function(program: Program, body: RoutineBody, code: Code) -> str:
    """A routine as a list of operations, and the function that runs it."""
    routine, arguments = body.routine, program.arguments.values()
    tape = taped(
        [value for result in routine.results for value in result.values], program.solved,
        [[v.symbol for v in group if v.symbol is not None] for group in arguments], program.eom.model.time,
        {table.digest: name for name, table in code.tables.items()},
    )  # fmt: skip
    shaped, start = [], 0
    for result in routine.results:
        shaped.append(f"w[{start}:{start + result.size}].reshape({result.shape} + w.shape[1:])")
        start += result.size
    lines = [f"w = _{routine.name}(t, q, u, r, p)", f"return {', '.join(shaped)}"]
    head = f"{routine.name}(t, q, u, r, p)"
    return f"{_listed(program, tape, routine, code)}\n\n\n{function(head, routine.description, lines)}"


def _listed(program: Program, tape: Tape, routine: Routine, code: Code) -> str:
    """The operations as data."""
    used = {name for name, _ in tape.steps}
    tables = ", ".join(f'"{name}": {name}' for name in code.tables if name in used)
    return "\n".join(
        [
            f"_{routine.name} = looped(",
            f"    {floats(tape.constants)},",
            "    [",
            *(f'        ("{name}", {list(lanes)}),' for name, lanes in tape.steps),
            "    ],",
            f"    {list(tape.results)},",
            f"    {tuple(len(group) for group in program.arguments.values())},",
            f"    {{{tables}}},",
            ")",
        ]
    )


def _loop() -> str:
    """The text of the module that runs lists of operations, from its imports on."""
    text = (resources("multibody.codegen.live") / "tape_loop.py").read_text(encoding="utf-8")
    return text.partition(_FUTURE)[2].strip()


def live_function(
    outputs: Sequence[Expr], time: Symbol, groups: Sequence[Sequence[Symbol]], jnp: Any
) -> Callable[..., Any]:
    """Expressions as a function of arrays (t, q, u, r, p) that JAX can trace.

    Args:
        outputs: what to compute, as one array; more than ``LIVE_LIMIT`` operations are run by a loop.
        time: the symbol t.
        groups: the symbols of q, u, r and p.
        jnp: the module ``jax.numpy``.
    """
    program = schedule(outputs)
    if len(program.operations) > LIVE_LIMIT:
        tables = {step.node.table.digest: step.node.table for step in program.operations if step.op == "table"}
        names = {digest: f"table {digest}" for digest in tables}
        tape = taped(outputs, {}, groups, time, names)
        own = {names[digest]: partial(_live_table, jnp, table) for digest, table in tables.items()}
        return looped(tape.constants, tape.steps, tape.results, [len(group) for group in groups], own)
    functions = library_functions(jnp, NUMPY)

    def evaluate(t: Any, *arrays: Any) -> Any:
        known = {time: t}
        for group, array in zip(groups, arrays, strict=True):
            known |= zip(group, array, strict=True)
        values = translate(program, known, functions, partial(_live_table, jnp))
        return jnp.stack([jnp.asarray(value, dtype=t.dtype) for value in values]) if values else jnp.zeros(0)

    return evaluate


LIVE_LIMIT = 1000
"""So many operations are translated one by one; XLA compiles these in about a second, and twice as many in ten."""


def _live_table(jnp: Any, table: Table, x: Any) -> Any:
    """The polynomial of the interval that x lies in."""
    interval = jnp.searchsorted(jnp.asarray(table.breaks), x, side="right")
    offset = x - jnp.asarray(table.starts)[interval]
    result: Any = 0.0
    for row in table.coefficients[::-1]:
        result = result * offset + jnp.asarray(row)[interval]
    return result


_FUTURE = "from __future__ import annotations\n"

_INTRODUCTION = """{name}: equations of motion for JAX, generated by multibody.

Functions take arrays (t, q, u, r, p): time, coordinates, speeds, inputs, parameters in the order of PARAMETERS. SI
units and radians. JAX computes with single precision unless told otherwise:

    jax.config.update("jax_enable_x64", True)
    p = parameters()  # or some with other values, by name; those that are formulas of others follow
    y = start(p)  # coordinates and speeds that keep the constraints, found by NumPy
"""

_PACKED = '''def packed(values, shape):
    """Numbers as one array."""
    values = jnp.stack(jnp.broadcast_arrays(*values))
    return values.reshape(shape + values.shape[1:])'''
