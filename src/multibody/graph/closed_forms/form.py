"""Closed forms for people to read."""

from __future__ import annotations

from typing import Any, NamedTuple

from multibody.graph.closed_forms.laurent import Budget, LimitReachedError
from multibody.graph.closed_forms.writer import Writer
from multibody.graph.expr import Expr
from multibody.graph.node import isolated, without_sharing
from multibody.graph.text.assignments import nodes_below
from multibody.graph.traverse import Nested, flat, shaped

MAX_NODES = 200_000
"""The largest number of nodes of an expression that is worth reading."""


class ClosedForm(NamedTuple):
    """A closed form, and whether it was found.

    Attributes:
        value: an expression, or an array of expressions; an entry for which a limit was reached is as it was.
        complete: True or False, or an array of them, one for each entry.
    """

    value: Any
    complete: Any


def closed_form(thing: Nested, *, seconds: float = 5.0, size: int = 2000) -> Any:
    """An equal expression, or array of expressions, that is as short to read as could be found.

    Its value is the same, which is proved by fingerprint; divisions that cancel are gone. It is a graph of its own that
    prints in its short form; the given one is the better one to compute with.

    Args:
        thing: an expression, or nested lists or arrays of expressions.
        seconds: how long it may take in all; entries that are not finished by then are returned as they are. Steps
            are counted, and no clock is read, so that the result is the same on all machines.
        size: how many terms a polynomial may have on the way; an entry that needs more is returned as it is.

    Example:
        >>> from multibody.graph import cos, sin, symbols
        >>> m, l, q1, q2 = symbols("m l q1 q2")
        >>> x = l * (sin(q1) + cos(q1) * sin(q2) + sin(q1) * cos(q2))
        >>> closed_form([m * x, m * l**2 - m * (l * cos(q1)) ** 2])
        array([l*m*(sin(q1 + q2) + sin(q1)), l**2*m*sin(q1)**2], dtype=object)
    """
    return closed_form_report(thing, seconds=seconds, size=size).value


def closed_form_report(thing: Nested, *, seconds: float = 5.0, size: int = 2000) -> ClosedForm:
    """As ``closed_form``, with the answer to whether a limit was reached.

    Example:
        >>> from multibody.graph import symbols
        >>> a, b = symbols("a b")
        >>> closed_form_report([a * b + a * b**2, (a + b) ** 50], size=20)
        ClosedForm(value=array([a*b*(b + 1), (a + b)**50], dtype=object), complete=array([True, False], dtype=object))
    """
    return report_within(Budget(seconds, size), thing)


def report_within(budget: Budget, thing: Nested) -> ClosedForm:
    """The same as a part of a longer computation."""
    entries = flat(thing)
    found = _closed(entries, budget)
    values = shaped([found.get(entry, entry) for entry in entries], thing)
    return ClosedForm(values, shaped([entry in found for entry in entries], thing))


def _closed(entries: list[Expr], budget: Budget) -> dict[Expr, Expr]:
    """The closed form of each entry for which one is found, small ones first."""
    nodes = nodes_below(entries, MAX_NODES)
    found: dict[Expr, Expr] = {}
    if len(nodes) > MAX_NODES:
        return found
    sizes: dict[Any, int] = {}
    for node in nodes:
        sizes[node] = min(10**9, 1 + sum(sizes[arg] for arg in node.args))
    with isolated(), without_sharing():  # expressions of equal value, but different form, must not become one
        writer = Writer(nodes, budget)
        for entry in sorted(set(entries), key=lambda entry: (sizes[entry], entry.serial)):
            try:
                found[entry] = writer.closed(entry)
            except LimitReachedError:
                continue
    return found
