"""Programs in the terms of another library, operation by operation: no text is written, and none is run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from multibody.graph import Constant, Symbol, Table
from multibody.lowering.program import StraightLineProgram

Functions = Mapping[str, Callable[..., Any]]


def translate(
    program: StraightLineProgram, symbols: Mapping[Symbol, Any], functions: Functions,
    table: Callable[[Table, Any], Any],
) -> list[Any]:  # fmt: skip
    """The results of a program in another library.

    Args:
        program: what to compute.
        symbols: what stands for each symbol there.
        functions: the functions of that library by the names of our operations.
        table: how a tabulated function is applied there.

    Example:
        >>> from multibody.graph import sin, symbols
        >>> from multibody.lowering import schedule
        >>> x, y = symbols("x y")
        >>> words = {"sub": "({} - {})".format, "sin": "SIN({})".format}
        >>> translate(schedule([sin(x - y) - x, x]), {x: "X", y: "Y"}, words, str)
        ['(SIN((X - Y)) - X)', 'X']
    """
    values: dict[Any, Any] = dict(symbols)

    def value(node: Any) -> Any:
        return float(node.value) if isinstance(node, Constant) else values[node]

    for op, node, args in program.operations:
        operands = [value(arg) for arg in args]
        values[node] = table(node.table, *operands) if op == "table" else functions[op](*operands)
    return [value(result) for result in program.results]
