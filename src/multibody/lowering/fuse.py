"""Fusing: operations that are used once become part of the operation that uses them.

Which ones is said here and not left to a compiler, so that all machine code for a program, quickly made or with care,
for one state or several, gives the same numbers to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from multibody.lowering.program import Operation, StraightLineProgram


def fuse(program: StraightLineProgram) -> StraightLineProgram:
    """The program with divisions, and with sums of products that are rounded once.

    A reciprocal whose only use is one product becomes a division, a · (1/b) = a / b. Then a product whose only use is
    one sum or difference becomes part of it.

    Example:
        >>> from multibody.graph import symbols
        >>> from multibody.lowering import schedule
        >>> a, b, c, d = symbols("a b c d")
        >>> [step.op for step in fuse(schedule([a / b + c * d])).operations]
        ['div', 'fma']
    """
    return _absorbed(_absorbed(program, "recip", _division), "mul", _sum_of_products)


Join = Callable[[Operation, Operation], Operation | None]
"""Joins an operation with one of its operands, given as an operation, too; None if they do not fit."""


def _absorbed(program: StraightLineProgram, op: str, join: Join) -> StraightLineProgram:
    """The program in which operations ``op`` that are used once are joined with their users where possible."""
    uses = program.uses
    single = {step.node: step for step in program.operations if step.op == op and uses[step.node] == 1}
    absorbed: set[Any] = set()
    operations: list[Operation] = []
    for step in program.operations:
        operand = next((single[arg] for arg in step.args if arg in single), None)
        joined = None if operand is None else join(step, operand)
        if operand is not None and joined is not None:
            absorbed.add(operand.node)
        operations.append(joined or step)
    return StraightLineProgram(tuple(step for step in operations if step.node not in absorbed), program.results)


def _division(step: Operation, reciprocal: Operation) -> Operation | None:
    if step.op != "mul":
        return None
    dividend = step.args[1 if step.args[0] is reciprocal.node else 0]
    return Operation("div", step.node, (dividend, *reciprocal.args))


def _sum_of_products(step: Operation, product: Operation) -> Operation | None:
    if step.op not in {"add", "sub"}:
        return None
    is_first = step.args[0] is product.node
    op = "fma" if step.op == "add" else "fms" if is_first else "fnma"
    return Operation(op, step.node, (*product.args, step.args[1 if is_first else 0]))
