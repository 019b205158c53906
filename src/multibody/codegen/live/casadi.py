"""CasADi: symbolic functions for optimization, as the text of a module or alive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from multibody.codegen.code import Code, RoutineBody
from multibody.codegen.contract import Names, Target, check_options, routine_names
from multibody.codegen.naming import file_name
from multibody.codegen.program import Program
from multibody.codegen.program_data import Result
from multibody.codegen.syntax import Syntax, one_line
from multibody.codegen.targets.python import numpy_start
from multibody.codegen.targets.python.pythonlike import (
    LISTS,
    PLACES,
    floats,
    function,
    lists,
    module,
    parameter_lines,
    written_functions,
)
from multibody.graph import Expr, Symbol, Table
from multibody.graph.evaluate import library_functions
from multibody.lowering import schedule, translate

CASADI = {op: op for op in "sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt sign".split()} | {
    "abs": "fabs", "min": "fmin", "max": "fmax", "where": "if_else", "and": "logic_and", "or": "logic_or",
    "not": "logic_not",
}  # fmt: skip
"""The functions of CasADi by operation."""


def _table(table: Table, name: str) -> str:
    """The polynomials of all intervals, of which the last one that has begun counts."""
    columns = [f"        {floats(column)}," for column in table.coefficients.T]
    return _TABLE.format(name=name, rule=table.rule, starts=floats(table.starts), columns="\n".join(columns))


_TABLE = """def {name}(x):
    # {rule}
    starts = {starts}
    columns = [
{columns}
    ]
    value = None
    for start, column in zip(starts, columns):
        s, piece = x - start, 0.0
        for coefficient in reversed(column):
            piece = piece * s + coefficient
        value = piece if value is None else ca.if_else(x >= start, piece, value)
    return value"""

SYNTAX = Syntax(language="python", functions=written_functions("ca", CASADI), places=PLACES, table=_table, zeroed=True)


@dataclass(frozen=True)
class Casadi(Target):
    """A module ``<name>_casadi.py``, each of whose functions makes a ``casadi.Function`` of (t, q, u, r, p).

    Args:
        names: ``"readable"`` intermediates, or ``"short"`` ones.
    """

    names: Names = "readable"

    def __post_init__(self) -> None:
        check_options(self, "names")

    def files(self, program: Program) -> Mapping[str, str]:
        """One module."""
        taken = [*LISTS, "ca", "parameters"]
        code = program.code(routine_names(jacobians=False), SYNTAX, taken=taken, names=self.names, apart=False)
        own = {*taken, *numpy_start.OWN, *code.tables}
        start = program.code(["closure"], numpy_start.SYNTAX, taken=own, names=self.names, apart=False)
        text = module(
            _INTRODUCTION.format(name=one_line(program.name)),
            numpy_start.imports(start).replace("import numpy", "import casadi as ca\nimport numpy"),
            lists(program),
            *(SYNTAX.table(table, name) for name, table in code.tables.items()),
            _parameters(program, code),
            *(_function(body, program) for body in code.bodies),
            *numpy_start.closure_function(start),
            *numpy_start.start_functions(program, start, "p", "None", numpy_start.PLAIN_PARAMETERS),
        )
        return {f"{file_name(program.name, 'python')}_casadi.py": text}


def _parameters(program: Program, code: Code) -> str:
    text = "all parameters as one vector, with other values for some of them; formulas follow"
    lines = parameter_lines(program, code, SYNTAX, "{}", "ca.vertsplit(ca.vec(ca.vertcat(*{})))")
    return function("parameters(**changes)", text, [*lines, "return ca.vertcat(*p)"])


def _function(body: RoutineBody, program: Program) -> str:
    routine = body.routine
    lines = ['t = ca.SX.sym("t")']
    lines += [f'{array} = ca.SX.sym("{array}", {len(group)})' for array, group in program.arguments.items()]
    lines += [f"{result.name} = ca.SX.zeros({result.size})" for result in routine.results]
    lines += [line for part in body.parts for line in SYNTAX.lines(part)]
    results = ", ".join(_shaped(result) for result in routine.results)
    names = ", ".join(f'"{result.name}"' for result in routine.results)
    made = f'return ca.Function("{routine.name}", [t, q, u, r, p], [{results}], ["t", "q", "u", "r", "p"], [{names}])'
    return function(f"{routine.name}()", f"{routine.description}, as a function of (t, q, u, r, p)", [*lines, made])


def _shaped(result: Result) -> str:
    """CasADi stores matrices column by column."""
    if len(result.shape) < 2:
        return result.name
    return f"ca.reshape({result.name}, {result.shape[1]}, {result.shape[0]}).T"


def live_values(outputs: Sequence[Expr], symbols: Mapping[Symbol, Any], casadi: Any) -> list[Any]:
    """Expressions as CasADi's own.

    Args:
        outputs: what to compute.
        symbols: what represents each symbol in CasADi.
        casadi: the library.
    """
    return translate(schedule(outputs), symbols, library_functions(casadi, CASADI), partial(_live_table, casadi))


def _live_table(casadi: Any, table: Table, x: Any) -> Any:
    """The polynomial of the interval that x lies in, with coefficients that are constant there."""

    def chosen(values: Any) -> Any:
        return casadi.pw_const(x, casadi.DM(table.breaks), casadi.DM(np.asarray(values)))

    offset = x - chosen(table.starts)
    result: Any = 0.0
    for row in table.coefficients[::-1]:
        result = result * offset + chosen(row)
    return result


_INTRODUCTION = """{name}: equations of motion for CasADi, generated by multibody.

state_rate() and the others return a casadi.Function of (t, q, u, r, p): time, coordinates, speeds, inputs, parameters
in the order of PARAMETERS, as parameters() returns them. start(p) has coordinates and speeds that keep the constraints.
SI units and radians.
"""
