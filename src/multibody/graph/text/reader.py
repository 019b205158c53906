"""The machine behind ``parse``: tokens, and operator precedence with stacks of its own.

A deep expression cannot exhaust Python's stack. Errors point at the token that they are about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from multibody.errors import InvalidNameError, MultibodyError, ParseError
from multibody.graph.expr import Constant, Expr, as_expr, constant
from multibody.graph.functions import pi, symbol
from multibody.graph.names import suggestion
from multibody.graph.piecewise.conditions import Condition
from multibody.graph.text.grammar import BINARY, COMPARISON, FUNCTIONS, MAX_BITS, PREFIX, is_huge

MAX_DEPTH = 200
"""The deepest nesting of parentheses and calls."""

Functions = Mapping[str, Callable[..., Any]]


class _Entry(NamedTuple):
    """An operation that waits for its last operand, or an open parenthesis or call (level 0)."""

    level: int
    token: Token
    arity: int
    values_before: int = 0


class Reader:
    """Reads expressions in a text.

    Args:
        text: the whole text, for messages.
        names: what names stand for; None if every unknown name is to become a symbol.
        functions: functions by name, in addition to the elementary ones.
    """

    def __init__(self, text: str, names: Mapping[str, Any] | None, functions: Functions) -> None:
        self.text = text
        self.names: dict[str, Any] = dict(names or {})
        self._strict = names is not None
        self._functions = functions
        self._values: list[Any] = []
        self._waiting: list[_Entry] = []

    def read(self, stream: list[Token]) -> Any:
        """The expression, condition or truth value that the tokens up to the end token describe."""
        self._values, self._waiting = [], []
        self._stream = iter(stream)
        self._next = next(self._stream)
        while True:
            self._operand()
            if self._operators():
                return self._values.pop()

    def _take(self) -> Token:
        token = self._next
        self._next = next(self._stream, token)
        return token

    def _operand(self) -> None:
        """Signs, open parentheses and calls, then one value."""
        while True:
            token = self._take()
            if token.kind == "number":
                return self._values.append(self._number(token))
            if token.kind == "name" and self._next.text == "(":
                self._take()
                self._open(token)
                if self._next.text == ")":
                    return self._close(self._take())
            elif token.kind in ("name", "quoted"):
                return self._values.append(self._named(token))
            elif token.text == "(":
                self._open(token)
            elif token.text in PREFIX:
                self._waiting.append(_Entry(PREFIX[token.text][0], token, 1))
            else:
                raise self._error(token, f"Expected a number, a name or '(', not {_shown(token)}.")

    def _operators(self) -> bool:
        """Closed parentheses, then a comma or a binary operator; True at the end."""
        while True:
            token = self._take()
            if token.text == ")":
                self._close(token)
            elif token.text == "," and self._in_call():
                self._finish(1)
                return False
            elif token.kind == "operator" and token.text in BINARY:
                self._binary(token)
                return False
            elif token.kind == "end":
                self._end()
                return True
            else:
                remedy = _REMEDIES.get(token.text, "A product needs a '*': write 2*x, not 2x.")
                raise self._error(token, f"Expected an operator, not {_shown(token)}.", remedy)

    def _binary(self, token: Token) -> None:
        level = BINARY[token.text][0]
        self._finish(level + (token.text == "**"))  # powers group to the right
        self._waiting.append(_Entry(level, token, 2))

    def _finish(self, level: int) -> None:
        """Carry out the waiting operations that bind at least as tightly as ``level``."""
        while self._waiting and self._waiting[-1].level >= level:
            entry = self._waiting.pop()
            if entry.level == level == COMPARISON:
                raise self._error(entry.token, "Comparisons cannot be chained.", "Write a < b and b < c.")
            args = self._values[-entry.arity :]
            del self._values[-entry.arity :]
            _, function = (PREFIX if entry.arity == 1 else BINARY)[entry.token.text]
            self._values.append(self._applied(entry.token, function, args))

    def _open(self, token: Token) -> None:
        if sum(entry.level == 0 for entry in self._waiting) >= MAX_DEPTH:
            raise self._error(token, f"The text is nested more than {MAX_DEPTH} deep.")
        self._waiting.append(_Entry(0, token, 0, len(self._values)))

    def _in_call(self) -> bool:
        open_ = next((entry for entry in reversed(self._waiting) if entry.level == 0), None)
        return open_ is not None and open_.token.kind == "name"

    def _close(self, token: Token) -> None:
        self._finish(1)
        if not self._waiting:
            raise self._error(token, "There is no '(' for this ')'.")
        entry = self._waiting.pop()
        if entry.token.kind == "name":
            args = self._values[entry.values_before :]
            del self._values[entry.values_before :]
            self._values.append(self._called(entry.token, args))

    def _end(self) -> None:
        self._finish(1)
        if self._waiting:
            raise self._error(self._waiting[-1].token, "There is no ')' for this '('.")

    def _number(self, token: Token) -> Expr:
        """Whole numbers exactly, decimals as floats."""
        if token.text.isdigit():
            if len(token.text) > MAX_BITS * 0.3:
                raise self._error(token, f"The number has {len(token.text)} digits.", "Write it as a decimal: 1e20.")
            return constant(int(token.text))
        value = float(token.text)
        mantissa = token.text.lower().partition("e")[0]
        if value == float("inf") or (value == 0 and mantissa.strip("0.")):
            raise self._error(token, "The number is outside the range of floats, 1e-323 to 1e308.")
        return constant(value)

    def _named(self, token: Token) -> Any:
        if token.text in self.names:
            return self.names[token.text]
        if token.text == "pi" and token.kind == "name":
            return pi
        if self._strict:
            raise self._unknown(token, "name", self.names)
        try:
            return symbol(token.text)
        except InvalidNameError as fault:
            raise self._error(token, fault.what, fault.remedy, code=fault.code, **fault.fields) from fault

    def _called(self, token: Token, args: list[Any]) -> Any:
        if token.text in self._functions:
            return self._applied(token, self._functions[token.text], args)
        if token.text not in FUNCTIONS:
            raise self._unknown(token, "function", {**FUNCTIONS, **self._functions})
        function, fewest, most = FUNCTIONS[token.text]
        if not fewest <= len(args) <= most:
            needed = f"{fewest} or more" if most > fewest else fewest
            raise self._error(token, f"{token.text} needs {needed} arguments and got {len(args)}.")
        return self._applied(token, function, args)

    def _applied(self, token: Token, function: Callable[..., Any], args: list[Any]) -> Any:
        """The result of an operation, whose every fault becomes a ``ParseError`` at its place in the text."""
        try:
            result = function(*args)
        except ParseError:
            raise
        except MultibodyError as fault:
            raise self._error(token, fault.what, fault.remedy, code=fault.code, **fault.fields) from fault
        except (ArithmeticError, ValueError, TypeError, RecursionError) as fault:
            raise self._error(token, f"{_shown(token)} cannot be applied here.") from fault
        value = result if isinstance(result, Condition | bool) else as_expr(result)
        if isinstance(value, Constant) and is_huge(value):
            raise self._error(token, "The number is too large.")
        return value

    def _unknown(self, token: Token, what: str, known: Mapping[str, Any]) -> ParseError:
        said = f"The {what} '{token.text:.40}' is unknown."
        if what == "name" and token.text in FUNCTIONS:
            return self._error(
                token, said, f"It is a function: write {token.text}(…).", code="name-unknown", name=token.text
            )
        listed = ", ".join(sorted(known)[:10])
        remedy = suggestion([token.text], known) or (f"There are: {listed}." if listed else "")
        return self._error(token, said, remedy, code="name-unknown", name=token.text)

    def _error(self, token: Token, what: str, remedy: str = "", **details: Any) -> ParseError:
        return error(self.text, token.position, what, remedy=remedy, **details)


_REMEDIES = {"=": "To compare, write '=='.", ",": "Only calls have commas.", "not": "To compare, write '!='."}


def _shown(token: Token) -> str:
    return f"'{token.text:.40}'" if token.text else "the end"


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
