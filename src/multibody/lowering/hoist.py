"""Hoisting: work that depends on parameters alone moves to a stage that runs once per parameter set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from multibody.lowering.program import StraightLineProgram


class Stages(NamedTuple):
    """A program in two stages.

    Attributes:
        prepare: operations on parameters alone; its results are the hoisted values, in the order of their first use.
        main: all other operations, which may use the hoisted values.
    """

    prepare: StraightLineProgram
    main: StraightLineProgram


def hoist(
    program: StraightLineProgram, parameters: Iterable[Any], inline: Callable[[Any], bool] = lambda node: False
) -> Stages:
    """The program in two stages.

    Args:
        program: all operations.
        parameters: symbols that stay the same for many evaluations.
        inline: whether a node is written out where it is used and never kept; its operands are kept in its place.

    Example:
        >>> from multibody.graph import sqrt, symbols
        >>> from multibody.lowering import schedule
        >>> x, m = symbols("x m")
        >>> stages = hoist(schedule([sqrt(m + 1) * x]), [m])
        >>> stages.prepare.results, [step.op for step in stages.main.operations]
        ((sqrt(m + 1),), ['mul'])
    """
    operations = {step.node: step for step in program.operations}
    fixed = _parameter_only(program, parameters)

    def kept(node: Any) -> Iterator[Any]:
        if not inline(node):
            yield node
            return
        for arg in operations[node].args:
            yield from kept(arg)

    used = [arg for step in program.operations if step.node not in fixed for arg in step.args if arg in fixed]
    used += [result for result in program.results if result in fixed]
    hoisted = dict.fromkeys(leaf for node in used for leaf in kept(node) if leaf in fixed)
    main = tuple(step for step in program.operations if step.node not in fixed or inline(step.node))
    return Stages(program.restricted(hoisted), StraightLineProgram(main, program.results))


def _parameter_only(program: StraightLineProgram, parameters: Iterable[Any]) -> set[Any]:
    """The nodes of operations whose operands are parameters and constants, directly or not."""
    constant, fixed = set(parameters), set()
    for step in program.operations:
        if all(arg in constant or arg in fixed or arg.op == "const" for arg in step.args):
            fixed.add(step.node)
    return fixed
