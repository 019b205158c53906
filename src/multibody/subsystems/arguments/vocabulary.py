"""The names of a subsystem, and how what a user writes becomes an expression of them.

Symbols of all subsystems live in one scope, as on a sheet of paper: equal names mean the same thing. A variable is
defined by one subsystem; parameters and inputs may be shared. The rate of a variable ``x`` is called ``x_dot``, that of
``x_dot`` is ``x_ddot``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from multibody.errors import ConversionError, ModelError, NumberError, ParseError
from multibody.graph import Expr, Kind, Symbol, as_expr, free_symbols, from_sympy, parse, substitute, symbol
from multibody.graph.names import suggestion
from multibody.model.quantity import rate_name

TIME = symbol("t", "time")
"""The symbol of time in all subsystems."""

_EQUALS = re.compile("(?<![<>=!])=(?!=)")  # of an equation, not of a comparison

_KINDS: tuple[Kind, ...] = ("coordinate", "speed")


def variable(name: str, order: int) -> Symbol:
    """The symbol of a generalized variable: a coordinate, a quasi-velocity, or one of a higher order."""
    return symbol(name, _KINDS[order] if order < len(_KINDS) else "variable")


def rate_symbol(one: Symbol) -> Symbol:
    """The symbol that represents the rate of a variable, where that is not known otherwise."""
    return symbol(rate_name(one.name), "variable")


class LevelVocabulary:
    """What names mean in a subsystem.

    Args:
        label: of the subsystem, for messages.
        known: what each name represents.
    """

    def __init__(self, label: str, known: Mapping[str, Expr]) -> None:
        self.label = label
        self.known = {"t": TIME, **known}

    def read(self, thing: Any, what: str) -> Expr:
        """The expression that a text, an expression, a SymPy expression or a number represents.

        A text ``"a = b"``, and SymPy's ``Eq(a, b)``, stand for a - b.

        Args:
            thing: what the user wrote.
            what: the place it was written in, for messages.
        """
        if isinstance(thing, str):
            left, *right = _EQUALS.split(thing, maxsplit=1)
            return self._parsed(left, what) - self._parsed(right[0], what) if right else self._parsed(thing, what)
        try:
            return self._named(as_expr(without_sympy(thing)), what)
        except (NumberError, ConversionError) as error:
            error.where = f"{what} of subsystem '{self.label}'" + (f", {error.where}" if error.where else "")
            raise

    def _parsed(self, text: str, what: str) -> Expr:
        try:
            return self._named(parse(text, self.known if "pi" in self.known else None), what)
        except ParseError as error:
            error.where = f"{what} of subsystem '{self.label}', {error.where}"
            raise

    def _named(self, expression: Expr, what: str) -> Expr:
        """The same with every symbol replaced by the one that its name represents."""
        free = free_symbols(expression)
        unknown = sorted(
            {symbol.name for symbol in free if symbol.name not in self.known and symbol.kind != "parameter"}
        )
        if unknown:
            raise ModelError(
                f"There is no definition of {', '.join(map(repr, unknown))}.",
                where=f"{what} of subsystem '{self.label}'",
                cause=suggestion(unknown, self.known),
                remedy="Add each to the variables, parameters or inputs, or correct the name. Known are: "
                f"{', '.join(sorted(self.known))}.",
                code="name-unknown",
                names=tuple(unknown),
            )
        known: dict[Expr, Expr] = {
            unknown: self.known[unknown.name] if unknown.name in self.known else symbol(unknown.name, "parameter")
            for unknown in free
        }
        return as_expr(substitute(expression, known))


def without_sympy(thing: Any) -> Any:
    """An equation a = b of SymPy as a - b, its expressions as ours; everything else as it is."""
    if type(thing).__module__.split(".")[0] != "sympy":
        return thing
    equation = getattr(thing, "rel_op", None) == "=="
    return from_sympy(thing.lhs - thing.rhs if equation else thing)


def listed(things: Any) -> dict[str, Any]:
    """Things by name: as they are given, or numbered ``1``, ``2`` … where they have none."""
    if isinstance(things, Mapping):
        return {str(name): expression for name, expression in things.items()}
    return {str(number): expression for number, expression in enumerate(several(things), 1)}


def several(things: Any) -> list[Any]:
    """What is in a list, or in a matrix of SymPy; something else is alone.

    Example:
        >>> several("x = 1"), several(["x", "y"]), several(None)
        (['x = 1'], ['x', 'y'], [])
    """
    if isinstance(things, str):
        return [things]
    try:
        return list(() if things is None else things)
    except TypeError:
        return [things]
