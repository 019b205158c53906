"""Expressions, numbers and arrays of them as plain values for a file."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from multibody.algebra import Vec3
from multibody.algebra.symmetric3 import Symmetric3
from multibody.algebra.value import Value
from multibody.graph import Constant, Expr, Symbol, Table, as_expr, is_zero
from multibody.graph.field import inverse
from multibody.graph.number import image
from multibody.graph.text.assignments import assignments, nodes_below
from multibody.graph.text.grammar import FUNCTIONS
from multibody.graph.text.plain_text import MAX_CHARACTERS, RESERVED, TextPrinter
from multibody.graph.text.printer import PRODUCT, SUM, PrintedPiece, TooLongError
from multibody.io.model_files.expressions.symbols import Symbols


class NamedTables:
    """The tables that a system uses, each with a name of its own."""

    def __init__(self) -> None:
        self.by_name: dict[str, Table] = {}

    def name(self, table: Table) -> str:
        """The name of a table; a new one gets its own name, with a number if that is taken."""
        for name, known in self.by_name.items():
            if known.digest == table.digest:
                return name
        taken = {*self.by_name, *FUNCTIONS, *RESERVED}
        name, number = table.name, 1
        while name in taken:
            number += 1
            name = f"{table.name}_{number}"
        self.by_name[name] = table
        return name


class FormulaWriter:
    """Writes expressions in the names of a system.

    Args:
        symbols: of the system.
    """

    def __init__(self, symbols: Symbols) -> None:
        self.symbols = symbols
        self.tables = NamedTables()

    def plain(self, value: Any, local: Mapping[Symbol, str] | None = None) -> Any:
        """A number, a text, or nested lists of these.

        Args:
            value: an expression, a number, a vector, a symmetric matrix, or nested lists or arrays.
            local: names of symbols that are known in this formula only.
        """
        if isinstance(value, Symmetric3):
            mixed = [value.xy, value.xz, value.yz]
            return self.plain([value.xx, value.yy, value.zz] if _all_zero(mixed) else value.to_array(), local)
        if isinstance(value, Vec3):
            return self.plain(value.components(), local)
        if isinstance(value, Value):
            return self.plain(value.to_array(), local)
        if isinstance(value, np.ndarray) and value.ndim:
            return [self.plain(item, local) for item in value]
        if isinstance(value, list | tuple):
            return [self.plain(item, local) for item in value]
        return self._scalar(value.item() if isinstance(value, np.ndarray | np.generic) else value, local or {})

    def _scalar(self, value: Any, local: Mapping[Symbol, str]) -> int | float | str:
        if isinstance(value, float | int) and not isinstance(value, bool):
            return value
        expr = as_expr(value)
        number = _number(expr)
        return self._text(expr, local) if number is None else number

    def _text(self, expr: Expr, local: Mapping[Symbol, str]) -> str:
        def named(nodes: list[Any]) -> dict[Symbol, str]:
            found = [node for node in nodes if isinstance(node, Symbol)]
            return {symbol: local[symbol] if symbol in local else self.symbols.text(symbol) for symbol in found}

        return written(expr, named, self.tables.name)


def written(expr: Expr, named: Callable[[list[Any]], dict[Symbol, str]], table_name: Callable[[Table], str]) -> str:
    """As ``to_text``, with names for symbols and tables from outside."""
    nodes = nodes_below([expr], MAX_CHARACTERS)
    if len(nodes) <= MAX_CHARACTERS:
        try:
            return _FilePrinter({}, named(nodes), table_name, MAX_CHARACTERS).text(expr)
        except TooLongError:
            pass
    steps = assignments([expr])
    printer = _FilePrinter(steps.names, named(nodes_below([expr])), table_name)
    lines = [f"  {name} = {printer.definition(node)}" for name, node in steps.definitions]
    return "\n".join([printer.text(expr), *(["where", *lines] if lines else [])])


class _FilePrinter(TextPrinter):
    """Infix notation that is read back to the same fingerprint, wherever that can be seen from a number."""

    def __init__(
        self, names: Any, symbols: Mapping[Symbol, str], table_name: Callable[[Table], str], limit: int | None = None
    ) -> None:
        super().__init__(names, symbols, limit)
        self._table_name = table_name

    def _written(self, node: Any, arrangement: Any) -> PrintedPiece:
        if isinstance(node, Constant) and node.formula is None:
            quotient = _quotient(node)
            if quotient is not None:
                return PrintedPiece(
                    quotient, SUM if quotient.startswith("-") else PRODUCT, negative=quotient.startswith("-")
                )
        return super()._written(node, arrangement)

    def _call(self, node: Any, op: str, args: list[PrintedPiece]) -> PrintedPiece:
        piece = super()._call(node, op, args)
        if op != "table":
            return piece
        return PrintedPiece(
            f"{self._table_name(node.table)}{piece.text.removeprefix(node.table.name)}", piece.level, piece.depth
        )


def _number(expr: Expr) -> int | float | None:
    """The number that a constant is, if it can be written as one."""
    if not isinstance(expr, Constant) or expr.formula is not None or _quotient(expr) is not None:
        return None
    value = expr.value
    if isinstance(value, Fraction):
        return float(value) if Fraction(float(value)) == value else None
    return value


def _quotient(number: Constant) -> str | None:
    """``1/0.3`` for a rounded number that is exactly this in the field; None if the number says it itself."""
    if not isinstance(number.value, float) or not number.value or not number.rounded:
        return None
    nearest = 1 / number.value
    for divisor in (nearest, math.nextafter(nearest, math.inf), math.nextafter(nearest, -math.inf)):
        if math.isfinite(divisor) and divisor and inverse(image(divisor)) == number.fp:
            return f"-1/{-divisor!r}" if divisor < 0 else f"1/{divisor!r}"
    return None


def _all_zero(values: list[Any]) -> bool:
    return all(is_zero(as_expr(value)) for value in values)
