"""Text cut into the tokens of the expression grammar, and errors that point at one of them."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from multibody.errors import ParseError

_TOKEN = re.compile(
    r"""(?P<space>\s+)
    | (?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
    | (?P<name>[^\W\d]\w*)
    | `(?P<quoted>[^`\n]*)`
    | (?P<operator>\*\*|<=|>=|==|!=|[-+*/^<>=&|~(),])""",
    re.VERBOSE,
)

_SYNONYMS = {"^": "**", "&": "and", "|": "or", "~": "not"}
_WORDS = frozenset(("and", "or", "not"))


class Token(NamedTuple):
    """A piece of text: its kind ("number", "name", "quoted", "operator", "end"), its meaning, and where it begins."""

    kind: str
    text: str
    position: int


def tokens(text: str) -> list[Token]:
    """The tokens of a text, with an end token last; '^', '&', '|' and '~' become '**', 'and', 'or' and 'not'.

    Example:
        >>> [token.text for token in tokens("-x^2 & y")]
        ['-', 'x', '**', '2', 'and', 'y', '']
    """
    result: list[Token] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            remedy = "Elements of arrays are called name_1, name_2, name_1_2." if text[position] in "[." else ""
            raise error(text, position, f"The character {text[position]!r} has no place in an expression.", "", remedy)
        kind = str(match.lastgroup)
        if kind != "space":
            content = match[kind]
            kind = "operator" if kind == "name" and content in _WORDS else kind
            result.append(Token(kind, _SYNONYMS.get(content, content), position))
        position = match.end()
    return [*result, Token("end", "", len(text))]


def error(text: str, position: int, what: str, cause: str = "", remedy: str = "", **details: Any) -> ParseError:
    """A ``ParseError`` that shows the line and points at the position; ``details`` are its code and fields."""
    start = text.rfind("\n", 0, position) + 1
    end = text.find("\n", position)
    line = text[start : len(text) if end < 0 else end]
    column = position - start
    cut = max(0, column - 40)
    shown = "".join(c if c.isprintable() else "?" for c in line[cut : column + 40])
    where = f"character {position}\n      {shown}\n      {' ' * (column - cut)}^"
    return ParseError(what, position=position, where=where, cause=cause, remedy=remedy, **details)
