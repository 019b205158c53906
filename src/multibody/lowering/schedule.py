"""Scheduling: the operations behind expressions in order, each value once.

The order is a policy. ``by_creation`` takes nodes as they were made, link by link, which keeps operands near their use;
but it depends on what else was made before. ``canonical`` depends on the expressions alone, so that two exports are
equal byte by byte. ``with_near_operands`` improves the order of a long program for registers.

Hoisting: work that depends on parameters alone moves to a stage that runs once per parameter set.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from multibody.graph import Condition, Expr, topological
from multibody.graph.traverse import content_rank, depth_first
from multibody.lowering.program import COMMUTATIVE, SAME, Operation, StraightLineProgram

Order = Callable[[Sequence[Expr]], Iterable[Operation]]
"""From outputs to all operations, symbols and constants below them, operands first."""


def by_creation(outputs: Sequence[Expr]) -> Iterable[Operation]:
    """The order in which nodes were made; operands as they were written."""
    return (Operation(node.op, node, node.args) for node in topological(outputs))


def canonical(known: Mapping[Expr, Expr] | None = None, early: Collection[Any] = ()) -> Order:
    """Depth first from the outputs; operands that may change places in the order of their fingerprints.

    Args:
        known: symbols that stand for expressions.
        early: fingerprints of values (poses, velocities …) that come first, in this order, if they are needed.
    """
    meanings = known or {}

    def operands(node: Any) -> tuple[Any, ...]:
        if node in meanings:
            return (meanings[node],)
        return tuple(sorted(node.args, key=_rank)) if node.op in COMMUTATIVE else node.args

    def order(outputs: Sequence[Expr]) -> Iterable[Operation]:
        first: dict[Any, Any] = {}
        for node in depth_first(outputs, operands) if early else ():
            if node.args:
                first.setdefault(node.fp, node)
        roots = [first[fp] for fp in early if fp in first]
        for node in depth_first([*roots, *outputs], operands):
            yield Operation(SAME if node in meanings else node.op, node, operands(node))

    return order


def _rank(node: Any) -> tuple[Any, ...]:
    return content_rank(node, node.args)


def schedule(outputs: Sequence[Expr], order: Order = by_creation) -> StraightLineProgram:
    """The program that computes the outputs.

    Of nodes with one value and the same guards, made in different places, the first is computed.

    Example:
        >>> from multibody.graph import cos, isolated, sin, symbols
        >>> x, y = symbols("x y")
        >>> with isolated():
        ...     a = sin(x) * cos(y) + 1
        >>> with isolated():
        ...     b = 1 + cos(y) * sin(x)
        >>> schedule([a, b]).counts
        {'add': 1, 'cos': 1, 'mul': 1, 'sin': 1}
    """
    stands_for: dict[Any, Any] = {}
    first_of_value: dict[Any, Any] = {}
    operations: list[Operation] = []
    for op, node, operands in order(outputs):
        args = tuple(stands_for[arg] for arg in operands)
        if op == SAME:  # a sign gets no name; the symbol that represents it does
            stands_for[node] = node if args[0].op == "neg" else args[0]
        else:
            value = (node.fp, node.guards, type(node) is Condition) if args else node
            stands_for[node] = first_of_value.setdefault(value, node)
        if args and stands_for[node] is node:
            operations.append(Operation(op, node, args))
    results = tuple(stands_for[output] for output in outputs)
    return StraightLineProgram(tuple(operations), results).restricted(results)


NEAR = 24
"""Operations after which a value has left the registers, about."""


def with_near_operands(program: StraightLineProgram) -> StraightLineProgram:
    """The program as it is or depth first, whichever has fewer operands to fetch from memory.

    The order in which a formalism made operations, link by link, is good for robots. A row of loops is better computed
    loop by loop: each operation right before the first one that needs it. The compiler keeps to the order that it is
    given, and takes longer where more must be kept in memory.

    Example:
        >>> from multibody.graph import sin, symbols
        >>> sines = [sin(x) for x in symbols(" ".join(f"x{k}" for k in range(40)))]
        >>> program = schedule([s * s for s in sines])
        >>> ["".join(step.op + " " for step in p.operations[:3]) for p in (program, with_near_operands(program))]
        ['sin sin sin ', 'sin mul sin ']
    """
    return min(program, _depth_first(program), key=lambda one: _far_operands(one.operations))


def _depth_first(program: StraightLineProgram) -> StraightLineProgram:
    steps = {step.node: step for step in program.operations}

    def operands(node: Any) -> list[Any]:
        return [arg for arg in steps[node].args if arg in steps]

    order = depth_first([node for node in program.results if node in steps], operands)
    return StraightLineProgram(tuple(steps[node] for node in order), program.results)


def _far_operands(operations: Iterable[Operation]) -> int:
    """The number of operands that were neither made nor used shortly before."""
    touched: dict[Any, int] = {}
    far = 0
    for now, step in enumerate(operations):
        for arg in step.args:
            far += now - touched.get(arg, now) > NEAR
            touched[arg] = now
        touched[step.node] = now
    return far


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
