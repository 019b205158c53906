"""Expressions as text that a person reads, and that ``parse`` reads back to the same expression."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from multibody.graph.expr import Symbol
from multibody.graph.node import Node
from multibody.graph.piecewise.conditions import is_smooth
from multibody.graph.text.assignments import Assignments, assignments, nodes_below
from multibody.graph.text.printer import (
    AND,
    ATOM,
    COMPARISON,
    NOT,
    OR,
    POWER,
    PRODUCT,
    SUM,
    ExpressionPrinter,
    PrintedPiece,
    TooLongError,
    depth_above,
)
from multibody.graph.traverse import array

MAX_CHARACTERS = 2000
"""Longer expressions are printed with named intermediates."""

RESERVED = frozenset(("pi", "and", "or", "not", "where"))
"""Words of the grammar; a symbol with such a name is written between backquotes."""

_RELATIONS = {"lt": " < ", "le": " <= ", "eq": " == "}
_LOGIC = {"and": (AND, " and "), "or": (OR, " or ")}


def to_text(expr: Node, *, max_lines: int | None = None) -> str:
    """The expression in infix notation; ``parse`` reads it back.

    An expression whose text would be longer than 2000 characters, or nested too deeply, is written with intermediates
    that follow it: ``v2*x + v1 where v1 = … v2 = …``. If two symbols have the same name, their scope or kind is shown,
    and the text cannot be read back.

    Args:
        expr: an expression or a condition.
        max_lines: how many intermediate results to print at most; a shortened text cannot be read back.

    Example:
        >>> from multibody.graph.functions import pi, sin, symbols
        >>> m, g, l, q = symbols("m g l q")
        >>> print(to_text(-m * g * sin(q - pi / 2) / l**2))
        -g*m*sin(q - pi/2)/l**2
    """
    nodes = nodes_below([expr], MAX_CHARACTERS)
    if len(nodes) <= MAX_CHARACTERS:
        try:
            return TextPrinter({}, symbol_texts(nodes), MAX_CHARACTERS).text(expr)
        except TooLongError:
            pass
    steps = assignments([expr])
    printer = TextPrinter(steps.names, symbol_texts(nodes_below([expr])))
    lines = [f"  {line}" for line in _definitions(steps, printer, max_lines)]
    return "\n".join([printer.text(expr), *(["where", *lines] if lines else [])])


def listing(exprs: Any, *, max_lines: int | None = None) -> str:
    """Expressions line by line, after the intermediate results that they share.

    Args:
        exprs: an expression, a list or array of expressions, or a mapping from names to expressions.
        max_lines: how many intermediate results to print at most.

    Example:
        >>> from multibody.graph.functions import cos, sin, symbols
        >>> a, b = symbols("a b")
        >>> r = a * cos(b) + b
        >>> print(listing({"x": r * sin(a), "y": r * cos(a)}))
        v1 = a*cos(b) + b
        x = v1*sin(a)
        y = v1*cos(a)
    """
    labels, outputs = _labelled(exprs)
    steps = assignments(outputs)
    printer = TextPrinter(steps.names, symbol_texts(nodes_below(outputs)))
    results = [label + printer.text(output) for label, output in zip(labels, outputs, strict=True)]
    return "\n".join(_definitions(steps, printer, max_lines) + results)


def _definitions(steps: Assignments, printer: ExpressionPrinter, max_lines: int | None) -> list[str]:
    lines = [f"{name} = {printer.definition(node)}" for name, node in steps.definitions[:max_lines]]
    hidden = len(steps.definitions) - len(lines)
    return [*lines, f"… and {hidden} more lines"] if hidden else lines


def _labelled(exprs: Any) -> tuple[list[str], list[Any]]:
    if isinstance(exprs, Mapping):
        return [f"{name} = " for name in exprs], list(exprs.values())
    if isinstance(exprs, Node):
        return [""], [exprs]
    entries = array(exprs)
    labels = [f"[{', '.join(map(str, index))}] = " for index in np.ndindex(*entries.shape)]
    return labels, list(entries.flat)


def symbol_texts(nodes: Iterable[Any]) -> dict[Symbol, str]:
    """How each symbol is written: by its name, unless that is a word of the grammar or not unique."""
    found = [node for node in nodes if isinstance(node, Symbol)]
    by_name = Counter(node.name for node in found)
    by_scope = Counter((node.name, node.scope) for node in found)
    texts: dict[Symbol, str] = {}
    for node in found:
        text = f"`{node.name}`" if node.name in RESERVED else node.name
        if by_name[node.name] > 1 and node.scope:
            text = f"{node.scope}.{text}"
        texts[node] = f"{text}[{node.kind}]" if by_scope[node.name, node.scope] > 1 else text
    return texts


class TextPrinter(ExpressionPrinter):
    """Infix notation."""

    def __init__(self, names: Mapping[Node, str], symbols: Mapping[Symbol, str], limit: int | None = None) -> None:
        super().__init__(names, limit)
        self.symbols = symbols
        self._pi = "pi()" if any(symbol.name == "pi" for symbol in symbols) else "pi"

    def _name(self, name: str) -> str:
        return name

    def _symbol(self, node: Symbol) -> PrintedPiece:
        return PrintedPiece(self.symbols[node])

    def _number(self, value: Any) -> PrintedPiece:
        level = SUM if value < 0 else PRODUCT if isinstance(value, Fraction) else ATOM
        return PrintedPiece(_number_text(value), level, negative=value < 0)

    def _sum(self, terms: list[tuple[int, int, PrintedPiece]]) -> PrintedPiece:
        text = ""
        for sign, count, piece in terms:
            if piece.negative and (text or sign < 0 or count > 1):
                sign, piece = -sign, PrintedPiece(piece.text[1:], PRODUCT)
            first = not text and sign > 0 and count == 1
            term = f"{count}*" * (count > 1) + _enclosed(piece, SUM if first else PRODUCT)
            if text:
                text += f" - {term}" if sign < 0 else f" + {term}"
            else:
                text = f"-{term}" if sign < 0 else term
        single = len(terms) == 1 and text.startswith("-")
        return PrintedPiece(text, SUM, depth_above(piece for _, _, piece in terms), single)

    def _product(
        self, number: Fraction, over: list[tuple[PrintedPiece, int]], under: list[PrintedPiece]
    ) -> PrintedPiece:
        above, below = abs(number.numerator), number.denominator
        divisors = [_enclosed(divisor, POWER) for divisor in under]
        factors = [_power_text(factor, i == 0 and above == 1) for i, factor in enumerate(over)]
        if below != 1 and under and under[0].level < POWER:  # 2/3*x/(y*z)
            text = "*".join([f"{_number_text(above)}/{_number_text(below)}", *factors])
        else:
            text = "*".join([_number_text(above)] * (above != 1 or not factors) + factors)
            if below != 1:
                divisors[:1] = ["*".join([_number_text(below), *divisors[:1]])]
                divisors[0] = f"({divisors[0]})" if under else divisors[0]
        text = "/".join([text, *divisors])
        depth = depth_above([*(piece for piece, _ in over), *under])
        level = POWER if number == 1 and len(over) == 1 and not under else PRODUCT
        return PrintedPiece(f"-{text}", SUM, depth, True) if number < 0 else PrintedPiece(text, level, depth)

    def _call(self, node: Any, op: str, args: list[PrintedPiece]) -> PrintedPiece:
        depth = depth_above(args)
        if op in _RELATIONS:
            text = _RELATIONS[op].join(_enclosed(arg, SUM) for arg in args)
            return (
                PrintedPiece(f"smooth({text})", ATOM, depth + 1)
                if is_smooth(node)
                else PrintedPiece(text, COMPARISON, depth)
            )
        if op in _LOGIC:
            level, word = _LOGIC[op]
            return PrintedPiece(word.join((_enclosed(args[0], level), _enclosed(args[1], level + 1))), level, depth)
        if op == "not":
            return PrintedPiece(f"not {_enclosed(args[0], COMPARISON)}", NOT, depth)
        if op == "pow":
            return PrintedPiece(f"{_enclosed(args[0], ATOM)}**{_enclosed(args[1], ATOM)}", POWER, depth)
        if op == "pi":
            return PrintedPiece(self._pi)
        function = node.table.name if op == "table" else op
        text = f"{function}({', '.join(arg.text for arg in args)})"
        return PrintedPiece(f"smooth({text})", ATOM, depth + 1) if is_smooth(node) else PrintedPiece(text, ATOM, depth)


def _number_text(value: Any) -> str:
    """All digits; of a whole number with thousands of digits, which Python does not print, in hexadecimal."""
    parts = (value.numerator, value.denominator) if isinstance(value, Fraction) else (value,)
    return "/".join(
        f"{part:#x}" if isinstance(part, int) and part.bit_length() > 10_000 else repr(part) for part in parts
    )


def _power_text(factor: tuple[PrintedPiece, int], first: bool) -> str:
    piece, exponent = factor
    if exponent > 1:
        return f"{_enclosed(piece, ATOM)}**{exponent}"
    return _enclosed(piece, PRODUCT if first else POWER)


def _enclosed(piece: PrintedPiece, level: int) -> str:
    """The text, in parentheses if it binds less tightly than ``level``."""
    return piece.text if piece.level >= level else f"({piece.text})"
