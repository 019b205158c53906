"""The arguments of functions in expressions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from multibody.errors import ExpressionError
from multibody.graph.expr import Expr
from multibody.graph.node import ADD, MUL, NEG, RECIP, SUB
from multibody.graph.piecewise.conditions import Condition
from multibody.graph.traverse import rebuilt, substitute

_ARITHMETIC = (ADD, SUB, MUL, NEG, RECIP)


def outermost_calls(entries: Iterable[Expr]) -> list[Expr]:
    """The functions in expressions that are not arguments of other functions.

    Example:
        >>> from multibody.graph.functions import exp, sin, symbols
        >>> x, y = symbols("x y")
        >>> outermost_calls([x * sin(y + exp(x))])
        [sin(exp(x) + y)]
    """
    seen = set(entries)
    stack, found = list(seen), []
    while stack:
        node = stack.pop()
        if node.op in _ARITHMETIC:
            new = [arg for arg in node.args if arg not in seen]
            seen.update(new)
            stack += new
        elif node.args:
            found.append(node)
    return found


def arguments(node: Any) -> Iterator[Expr]:
    """The expressions that a function depends on, those in its conditions included."""
    for arg in node.args:
        if isinstance(arg, Condition):
            yield from arguments(arg)
        else:
            yield arg


def with_new_arguments(entries: list[Expr], calls: Iterable[Expr], new: Mapping[Expr, Expr]) -> list[Expr]:
    """The expressions with other arguments in some functions; a function that has no value there stays as it is."""
    replacements = {}
    for call in calls:
        try:
            replacements[call] = _renewed(call, new)
        except ExpressionError:
            continue
    return list(substitute(entries, replacements))


def _renewed(node: Any, new: Mapping[Expr, Expr]) -> Any:
    return rebuilt(node, [_renewed(arg, new) if isinstance(arg, Condition) else new.get(arg, arg) for arg in node.args])
