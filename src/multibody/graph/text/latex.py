"""Expressions as LaTeX mathematics."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multibody.graph.expr import Symbol
from multibody.graph.node import Node
from multibody.graph.text.assignments import assignments, nodes_below
from multibody.graph.text.latex_names import latex_name, literal, symbol_latex
from multibody.graph.text.plain_text import MAX_CHARACTERS, TextPrinter, symbol_texts
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

_FUNCTIONS = {
    "sin": r"\sin", "cos": r"\cos", "tan": r"\tan", "asin": r"\arcsin", "acos": r"\arccos", "atan": r"\arctan",
    "sinh": r"\sinh", "cosh": r"\cosh", "tanh": r"\tanh", "log": r"\ln", "min": r"\min", "max": r"\max",
    "sign": r"\operatorname{sgn}", "atan2": r"\operatorname{atan2}",
}  # fmt: skip
_RELATIONS = {"lt": " < ", "le": r" \le ", "eq": " = "}
_LOGIC = {"and": (AND, r" \land "), "or": (OR, r" \lor ")}
_SQUARABLE = re.compile(r"\\(?:sin|cos|tan|sinh|cosh|tanh)(?=\\left\()")


def to_latex(expr: Any, *, max_lines: int | None = None) -> str:
    r"""LaTeX for an expression or a condition; a matrix for an array of expressions.

    Large expressions become an ``aligned`` block in which repeated parts have names.

    Args:
        expr: an expression, a condition, or a list or array (one- or two-dimensional) of expressions.
        max_lines: how many intermediate results to show at most.

    Example:
        >>> from multibody.graph import sin, symbols
        >>> m, g, theta1, l_rope = symbols("m g theta1 l_rope")
        >>> print(to_latex(-m * g * sin(theta1) ** 2 / l_rope))
        -\frac{g m \sin^{2}\left(\theta_{1}\right)}{l_{\mathrm{rope}}}
    """
    entries = np.array(expr, dtype=object) if isinstance(expr, Node) else array(expr)
    outputs = list(entries.flat)
    nodes = nodes_below(outputs, MAX_CHARACTERS)
    if len(nodes) <= MAX_CHARACTERS:
        try:
            return _assembled(_printer(nodes, {}, 2 * MAX_CHARACTERS), entries)
        except TooLongError:
            pass
    steps = assignments(outputs)
    printer = _printer(nodes_below(outputs), steps.names, None)
    lines = [rf"{latex_name(name)} &= {printer.definition(node)}" for name, node in steps.definitions[:max_lines]]
    if not steps.definitions:
        return _assembled(printer, entries)
    hidden = [r"& \vdots"] if len(lines) < len(steps.definitions) else []
    rows = [f"& {_assembled(printer, entries)}", r"& \text{where}", *lines, *hidden]
    return "\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}"


def _printer(nodes: Iterable[Any], names: Mapping[Node, str], limit: int | None) -> LatexPrinter:
    texts = symbol_texts(nodes)
    symbols = symbol_latex(texts, texts, [latex_name(name) for name in names.values()])
    return LatexPrinter(names, symbols, TextPrinter(names, texts, limit), limit)


def _assembled(printer: LatexPrinter, entries: NDArray[Any]) -> str:
    if entries.ndim == 0:
        return printer.text(entries.item())
    rows = entries.reshape(len(entries), -1)
    body = " \\\\ ".join(" & ".join(printer.text(entry) for entry in row) for row in rows)
    return rf"\begin{{bmatrix}} {body} \end{{bmatrix}}"


class LatexPrinter(ExpressionPrinter):
    """LaTeX notation; the order of terms is that of the plain text."""

    def __init__(
        self, names: Mapping[Node, str], symbols: Mapping[Symbol, str], plain: TextPrinter, limit: int | None
    ) -> None:
        super().__init__(names, limit)
        self._symbols = symbols
        self._plain = plain

    def _sort_key(self, node: Any) -> str:
        return self._plain.text(node)

    def _name(self, name: str) -> str:
        return latex_name(name)

    def _symbol(self, node: Symbol) -> PrintedPiece:
        return PrintedPiece(self._symbols[node])

    def _number(self, value: Any) -> PrintedPiece:
        text, level = _number_latex(abs(value))
        return PrintedPiece(f"-{text}", SUM, 0, True) if value < 0 else PrintedPiece(text, level)

    def _sum(self, terms: list[tuple[int, int, PrintedPiece]]) -> PrintedPiece:
        text = ""
        for sign, count, piece in terms:
            if piece.negative and (text or sign < 0 or count > 1):
                sign, piece = -sign, PrintedPiece(piece.text[1:], PRODUCT)
            first = not text and sign > 0 and count == 1
            factors = [self._number(count)] * (count > 1) + [piece]
            term = _enclosed(piece, SUM) if first else _row([(factor, 1) for factor in factors], alone=False)
            joint = " - " if sign < 0 else " + "
            text += joint + term if text else term if sign > 0 else f"-{term}"
        single = len(terms) == 1 and text.startswith("-")
        return PrintedPiece(text, SUM, depth_above(piece for _, _, piece in terms), single)

    def _product(
        self, number: Fraction, over: list[tuple[PrintedPiece, int]], under: list[PrintedPiece]
    ) -> PrintedPiece:
        above = self._with_number(abs(number.numerator), over)
        below = self._with_number(number.denominator, [(divisor, 1) for divisor in under])
        alone = len(below) > 0
        text = _row(above, alone) or "1"
        if below:
            text = rf"\frac{{{text}}}{{{_row(below, alone)}}}"
        depth = depth_above([*(piece for piece, _ in over), *under])
        level = POWER if number == 1 and len(over) == 1 and not under else PRODUCT
        return PrintedPiece(f"-{text}", SUM, depth, True) if number < 0 else PrintedPiece(text, level, depth)

    def _with_number(self, number: int, factors: list[tuple[PrintedPiece, int]]) -> list[tuple[PrintedPiece, int]]:
        return factors if number == 1 else [(self._number(number), 1), *factors]

    def _call(self, node: Any, op: str, args: list[PrintedPiece]) -> PrintedPiece:
        text, level = _call_latex(node, op, args)
        return PrintedPiece(text, level, depth_above(args))


def _call_latex(node: Any, op: str, args: list[PrintedPiece]) -> tuple[str, int]:
    texts = [arg.text for arg in args]
    if op in _RELATIONS:
        return _RELATIONS[op].join(_enclosed(arg, SUM) for arg in args), COMPARISON
    if op in _LOGIC:
        level, sign = _LOGIC[op]
        return sign.join((_enclosed(args[0], level), _enclosed(args[1], level + 1))), level
    if op == "not":
        return rf"\lnot {_enclosed(args[0], ATOM)}", NOT
    if op == "where":
        condition, value, other = texts
        cases = rf"{value} & \text{{if }} {condition} \\ {other} & \text{{otherwise}}"
        return rf"\begin{{cases}} {cases} \end{{cases}}", COMPARISON
    if op in ("pow", "exp"):
        base = "e" if op == "exp" else _enclosed(args[0], ATOM)
        return f"{base}^{{{texts[-1]}}}", POWER
    if op in ("sqrt", "abs", "pi"):
        return {"sqrt": r"\sqrt{%s}", "abs": r"\left|%s\right|", "pi": r"\pi%s"}[op] % "".join(texts), ATOM
    function = rf"\operatorname{{{_upright(node.table.name)}}}" if op == "table" else _FUNCTIONS[op]
    return rf"{function}\left({', '.join(texts)}\right)", ATOM


def _upright(name: str) -> str:
    return name.replace("_", r"\_") if name.isascii() else literal(name)


def _number_latex(value: Any) -> tuple[str, int]:
    if isinstance(value, Fraction):
        return rf"\frac{{{_digits(value.numerator)}}}{{{_digits(value.denominator)}}}", PRODUCT
    mantissa, _, exponent = _digits(value).partition("e")
    return (rf"{mantissa} \cdot 10^{{{int(exponent)}}}", PRODUCT) if exponent else (mantissa, ATOM)


def _digits(value: Any) -> str:
    huge = isinstance(value, int) and value.bit_length() > 10_000
    return rf"\mathtt{{{value:#x}}}" if huge else repr(value)


def _row(factors: list[tuple[PrintedPiece, int]], alone: bool) -> str:
    """Factors side by side, with a dot before a number; ``alone`` where nothing stands before or after them."""
    if alone and len(factors) == 1:
        return _power(factors[0], SUM)
    text = ""
    for i, factor in enumerate(factors):
        part = _power(factor, PRODUCT if i == 0 else POWER)
        text += (r" \cdot " if part[0].isdigit() or part.startswith(r"\frac") else " ") * bool(text) + part
    return text


def _power(factor: tuple[PrintedPiece, int], level: int) -> str:
    piece, exponent = factor
    if exponent == 1:
        return _enclosed(piece, level)
    function = _SQUARABLE.match(piece.text)
    if function and piece.level == ATOM:
        return f"{function[0]}^{{{exponent}}}{piece.text[function.end() :]}"
    return f"{_enclosed(piece, ATOM)}^{{{exponent}}}"


def _enclosed(piece: PrintedPiece, level: int) -> str:
    """The text, in parentheses if it binds less tightly than ``level``."""
    return piece.text if piece.level >= level else rf"\left({piece.text}\right)"
