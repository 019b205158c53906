"""Expressions reduced modulo known identities: what a reader obtains who knows that p·p = a² and p·v = 0."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from multibody.graph.closed_forms.form import MAX_NODES, report_within
from multibody.graph.closed_forms.ideals.arguments import arguments, outermost_calls, with_new_arguments
from multibody.graph.closed_forms.ideals.reduction import IdealReduction, Pairs
from multibody.graph.closed_forms.ideals.shortest_forms import ShortestForms
from multibody.graph.closed_forms.laurent import Budget, LimitReachedError
from multibody.graph.closed_forms.printed_size import printed_size
from multibody.graph.expr import Expr, as_expr
from multibody.graph.identity import same
from multibody.graph.node import isolated, without_sharing
from multibody.graph.text.assignments import nodes_below
from multibody.graph.traverse import Nested, flat, free_symbols, shaped

Identities = Mapping[Any, Any] | Iterable[tuple[Any, Any]]
"""Patterns, and the values that they are known to have."""


def reduced(expressions: Nested, identities: Identities, *, seconds: float = 5.0, size: int = 2000) -> Any:
    """Closed forms of expressions whose symbols are known to fulfil identities.

    Each pattern that fits as a whole is replaced by its value; a part of a pattern, if the result is shorter. The
    result is equal for all values of the symbols that fulfil the identities. That is proved for each entry: the
    difference is a combination of the identities. What takes too long, and what would divide by zero, is returned as
    its ``closed_form``.

    Args:
        expressions: an expression, or nested lists or arrays of expressions.
        identities: pattern -> value, as a mapping or as pairs; both are expressions. sin² + cos² = 1 is known anyway.
        seconds: how long it may take in all; steps are counted, and no clock is read.
        size: how many terms a polynomial may have on the way.

    Raises:
        ExpressionError: if the identities contradict each other.

    Example:
        >>> from multibody.graph import symbols
        >>> x, y, z, a, g = symbols("x y z a g")
        >>> reduced([x * (g * z - 1) / (x**2 + y**2 + z**2), x**2 + y**2 + 2 * z**2], {x**2 + y**2 + z**2: a**2})
        array([x*(g*z - 1)/a**2, a**2 + z**2], dtype=object)
    """
    budget = Budget(seconds, size)
    entries = flat(expressions)
    pairs = _pairs(identities)
    plain = dict(zip(entries, report_within(budget.share(0.3), entries).value, strict=True))
    found = _reduced(plain.values(), pairs, budget)
    return shaped([found.get(plain[entry], plain[entry]) for entry in entries], expressions)


def _pairs(identities: Identities) -> Pairs:
    pairs = identities.items() if isinstance(identities, Mapping) else identities
    return [(as_expr(pattern), as_expr(value)) for pattern, value in pairs]


def _reduced(entries: Iterable[Expr], pairs: Pairs, budget: Budget) -> dict[Expr, Expr]:
    """The reduced form of each entry for which one is found, small ones first."""
    distinct = set(entries)
    if len(nodes_below(distinct, MAX_NODES)) > MAX_NODES:
        return {}
    originals = sorted(distinct, key=lambda entry: (printed_size(entry), entry.serial))
    with isolated(), without_sharing():  # expressions of equal value, but different form, must not become one
        try:
            renewed = _with_reduced_arguments(originals, pairs, budget)
            shortest = ShortestForms(IdealReduction(renewed, pairs, budget), budget)
        except LimitReachedError:
            return {}
        return {original: shortest.form(entry) for original, entry in zip(originals, renewed, strict=True)}


def _with_reduced_arguments(entries: list[Expr], pairs: Pairs, budget: Budget) -> list[Expr]:
    """The entries with reduced arguments of functions, but for the functions that the patterns contain."""
    known = {symbol for pair in pairs for symbol in free_symbols(pair)}
    kept = {node.fp for node in nodes_below([pattern for pattern, _ in pairs])}
    calls = [call for call in outermost_calls(entries) if call.fp not in kept and known & set(free_symbols(call))]
    found = _reduced({arg for call in calls for arg in arguments(call)}, pairs, budget) if calls else {}
    new = {arg: form for arg, form in found.items() if not same(arg, form)}
    return with_new_arguments(entries, [call for call in calls if new.keys() & set(arguments(call))], new)
