"""JAX: a module of pure functions, to be differentiated, compiled and mapped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.resources import files as resources

from multibody.export.code import Body, Code
from multibody.export.contract import Names, Target, routine_names
from multibody.export.guarding import guarded
from multibody.export.module_names import file_name
from multibody.export.options import check_options
from multibody.export.program import Program
from multibody.export.pythonlike import (
    LISTS,
    PLACES,
    floats,
    function,
    lists,
    module,
    numpy_functions,
    numpy_table,
    parameter_lines,
    rooms,
)
from multibody.export.quantities import Routine
from multibody.export.syntax import Syntax, one_line
from multibody.export.tape import Tape, taped
from multibody.graph import isolated, substitute, topological
from multibody.graph.traverse import flat

SYNTAX = Syntax(
    language="python", functions=numpy_functions("jnp"), places=PLACES, table=numpy_table("jnp"), zeroed=True
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
        long = [body for body in code.bodies if sum(len(part.items) for part in body.parts) > self.limit]
        text = module(
            _INTRODUCTION.format(name=one_line(program.name)),
            _LOOP_IMPORTS.format(loop=_loop()) if long else "import jax.numpy as jnp",
            lists(program),
            *(SYNTAX.table(table, name) for name, table in code.tables.items()),
            _PACKED,
            _parameters(program, code),
            *(_loop_function(program, body, code) if body in long else _function(body) for body in code.bodies),
        )
        return {f"{file_name(program.name, 'python')}_jax.py": text}


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


def _function(body: Body) -> str:
    packed = ", ".join(f"packed({result.name}, {result.shape})" for result in body.routine.results)
    lines = [line for part in body.parts for line in SYNTAX.lines(part)]
    head = f"{body.routine.name}(t, q, u, r, p)"
    return function(head, body.routine.description, [*rooms(body), *lines, f"return {packed}"])


def _loop_function(program: Program, body: Body, code: Code) -> str:
    """A routine as a list of operations, and the function that runs it."""
    routine, arguments = body.routine, program.arguments.values()
    tape = taped(
        [value for result in routine.results for value in result.values], program.solved,
        [[one.symbol for one in group if one.symbol is not None] for group in arguments], program.eom.model.time,
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
    text = (resources("multibody.export") / "tape_loop.py").read_text(encoding="utf-8")
    return text.partition(_FUTURE)[2].strip()


_FUTURE = "from __future__ import annotations\n"

_LOOP_IMPORTS = f"{_FUTURE}\nimport jax.numpy as jnp\n{{loop}}"

_INTRODUCTION = """{name}: equations of motion for JAX, generated by multibody.

Functions take arrays (t, q, u, r, p): time, coordinates, speeds, inputs, parameters in the order of PARAMETERS. SI
units and radians. JAX computes with single precision unless told otherwise:

    jax.config.update("jax_enable_x64", True)
    p = parameters()  # or some with other values, by name; those that are formulas of others follow
"""

_PACKED = '''def packed(values, shape):
    """Numbers as one array."""
    values = jnp.stack(jnp.broadcast_arrays(*values))
    return values.reshape(shape + values.shape[1:])'''
