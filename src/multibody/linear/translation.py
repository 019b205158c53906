"""Expressions in the terms of another library, node by node: no text is written, and none is run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from multibody.graph import Constant, Expr, Symbol, Table, topological

Operations = Mapping[str, Callable[..., Any]]


def translated(
    outputs: Sequence[Expr], symbols: Mapping[Symbol, Any], operations: Operations, table: Callable[[Table, Any], Any]
) -> list[Any]:
    """The values of expressions in another library.

    Args:
        outputs: what is wanted.
        symbols: what stands for each symbol there.
        operations: the functions of that library by the names of our operations.
        table: how a tabulated function is applied there.

    Example:
        >>> from multibody.graph import sin, symbols
        >>> x, y = symbols("x y")
        >>> words = {"sub": "({} - {})".format, "sin": "SIN({})".format}
        >>> translated([sin(x - y) - x, x], {x: "X", y: "Y"}, words, str)
        ['(SIN((X - Y)) - X)', 'X']
    """
    values: dict[Any, Any] = dict(symbols)
    for node in topological(outputs):
        if isinstance(node, Constant):
            values[node] = float(node.value)
        elif node not in values:
            args = [values[arg] for arg in node.args]
            values[node] = table(node.table, *args) if node.op == "table" else operations[node.op](*args)
    return [values[output] for output in outputs]


ARITHMETIC: Operations = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "neg": lambda a: -a,
    "recip": lambda a: 1 / a,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "eq": lambda a, b: a == b,
}
"""Operations that Python writes with its own operators."""
