"""How many operations each routine needs."""

from __future__ import annotations

from collections import Counter

from multibody.codegen.program import Program
from multibody.graph.piecewise.conditions import CONDITIONS
from multibody.lowering import canonical, schedule

KINDS = {"add": "additions", "sub": "additions", "mul": "multiplications", "recip": "divisions"}
"""All other operations are functions; signs and comparisons are not counted."""

ROUTINES = ("state_rate", "mass_matrix", "bias", "multipliers", "sensors")


def operation_counts(program: Program) -> dict[str, Counter[str]]:
    """For each routine the number of additions, multiplications, divisions and functions, each value computed once."""
    return {name: _counted(program, name) for name in ROUTINES if program.has(name)}


def _counted(program: Program, name: str) -> Counter[str]:
    values = [value for result in program.routine(name).results for value in result.values]
    operations = (step.op for step in schedule(values, canonical(program.solved)).operations)
    return Counter(KINDS.get(op, "functions") for op in operations if op != "neg" and op not in CONDITIONS)
