"""Expressions read from text, by a grammar of our own: nothing is ever evaluated by Python.

Grammar, loosest first: ``or`` ``|``, ``and`` ``&``, ``not`` ``~``, comparisons, ``+ -``, ``* /``, signs, ``**`` ``^``
(to the right), calls and parentheses. A name between backquotes is a symbol, whatever it is. An expression may be
followed by ``where`` and definitions ``v1 = …`` of names that it uses, as ``to_text`` writes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from multibody.errors import ConversionError
from multibody.graph.expr import Expr, Symbol, as_expr
from multibody.graph.piecewise.conditions import Condition
from multibody.graph.text.reader import Functions, Reader, Token, error, tokens

MAX_LENGTH = 100_000
"""The longest text, in characters."""

Symbols = Mapping[str, Any] | Iterable[Symbol]
"""What names stand for: expressions or numbers by name, or symbols that bring their names."""


def parse(text: str, symbols: Symbols | None = None, *, functions: Functions | None = None) -> Expr:
    """The expression that a text describes.

    Whole numbers and their quotients are exact, decimals are floats. ``pi`` is the exact constant unless ``symbols``
    has one of that name.

    Args:
        text: at most 100,000 characters, nested at most 200 deep.
        symbols: the names that may occur, as a mapping to expressions or as a list of symbols. Without it, every
            unknown name becomes a new symbol of kind "variable".
        functions: further functions by name, such as tables.

    Raises:
        ParseError: with the position and a line that points at it.

    Example:
        >>> parse("m*g*sin(q)^2 / 3")
        g*m*sin(q)**2/3
        >>> parse("2*lenght", {"length": 3})
        Traceback (most recent call last):
            ...
        multibody.errors.ParseError: The name 'lenght' is unknown. [name-unknown]
          where: character 2
              2*lenght
                ^
          fix: Did you mean 'length'?
    """
    value = _read(text, symbols, functions)
    if isinstance(value, Expr):
        return value
    raise error(text, 0, "The text is a condition, not a value.", remedy="Write where(condition, value, other value).")


def parse_condition(
    text: str, symbols: Symbols | None = None, *, functions: Functions | None = None
) -> Condition | bool:
    """The condition that a text describes; arguments as for ``parse``.

    Example:
        >>> parse_condition("x > 0 and not x == y")
        0 < x and not x == y
    """
    value: Expr | Condition | bool = _read(text, symbols, functions)
    if isinstance(value, Expr):
        raise error(text, 0, "The text is a value, not a condition.", remedy="Compare it with another: x < 1.")
    return value


def _read(text: str, symbols: Symbols | None, functions: Functions | None) -> Any:
    if not isinstance(text, str):
        raise ConversionError(
            f"Only text can be parsed, not a {type(text).__name__}.", code="value-not-text", value=type(text).__name__
        )
    if len(text) > MAX_LENGTH:
        raise error(text, MAX_LENGTH, f"The text has {len(text)} characters, more than {MAX_LENGTH}.")
    reader = Reader(text, None if symbols is None else _by_name(symbols), functions or {})
    head, definitions = _split(text, tokens(text))
    for name, body in definitions:
        reader.names[name.text] = reader.read(body)
    return reader.read(head)


def _by_name(symbols: Symbols) -> dict[str, Any]:
    if isinstance(symbols, Mapping):
        return {name: as_expr(value) for name, value in symbols.items()}
    result: dict[str, Any] = {}
    for symbol in symbols:
        if result.setdefault(symbol.name, symbol) is not symbol:
            raise ConversionError(
                f"Two symbols have the name '{symbol.name}'.",
                code="symbol-name-ambiguous",
                remedy="Give a mapping from different names to symbols.",
                name=symbol.name,
            )
    return result


def _split(text: str, stream: list[Token]) -> tuple[list[Token], list[tuple[Token, list[Token]]]]:
    """The expression, and the definitions after 'where'."""
    clause = next((i for i, t in enumerate(stream) if t[:2] == ("name", "where") and stream[i + 1].text != "("), None)
    if clause is None:
        return stream, []
    starts = [i for i in range(clause + 1, len(stream) - 1) if stream[i + 1][:2] == ("operator", "=")]
    if starts[:1] != [clause + 1] or any(stream[i].kind != "name" for i in starts):
        raise error(text, stream[clause + 1].position, "Expected a definition such as 'v1 = x + y' after 'where'.")
    bodies = [
        [*stream[start + 2 : stop], Token("end", "", stream[stop].position)]
        for start, stop in zip(starts, [*starts[1:], len(stream) - 1], strict=True)
    ]
    head = [*stream[:clause], Token("end", "", stream[clause].position)]
    return head, [(stream[start], body) for start, body in zip(starts, bodies, strict=True)]
