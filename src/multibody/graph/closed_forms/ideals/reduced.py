"""Expressions reduced modulo known identities: what a reader obtains who knows that p·p = a² and p·v = 0."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import reduce
from operator import mul
from typing import Any

from multibody.errors import ExpressionError, ZeroDivisorError
from multibody.graph.closed_forms.form import MAX_NODES, report_within
from multibody.graph.closed_forms.ideals.reduction import IdealReduction, Pairs
from multibody.graph.closed_forms.laurent import Budget, LimitReachedError
from multibody.graph.closed_forms.printed_size import printed_size
from multibody.graph.expr import ZERO, Expr, as_expr, constant
from multibody.graph.functions import power
from multibody.graph.identity import same
from multibody.graph.node import ADD, MUL, NEG, RECIP, SUB, isolated, without_sharing
from multibody.graph.piecewise.conditions import Condition
from multibody.graph.text.arrangement import Product, Sum, arranged
from multibody.graph.text.assignments import nodes_below
from multibody.graph.traverse import Nested, flat, free_symbols, rebuilt, shaped, substitute

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


# arguments of functions ----------------------------------------------------------------------------------------------


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


# the shortest forms --------------------------------------------------------------------------------------------------


PART = 0.3
"""This part of the time that is left may be spent on one expression as a whole."""


class ShortestForms:
    """Finds the shortest forms of expressions, and of their terms and factors.

    Args:
        reduction: modulo the identities.
        budget: the limits.
    """

    def __init__(self, reduction: IdealReduction, budget: Budget) -> None:
        self._reduction = reduction
        self._budget = budget
        self._done: dict[Expr, Expr] = {}

    def form(self, entry: Expr) -> Expr:
        """The shortest form that is proved to be right; the expression itself if none is found."""
        if entry not in self._done:
            by_size = sorted([*self._by_pieces(entry), *self._as_one_quotient(entry)], key=printed_size)
            self._done[entry] = next((form for form in by_size if self._is_settled(form)), entry)
        return self._done[entry]

    def _is_settled(self, form: Expr) -> bool:
        try:
            with self._a_part_of_the_time():
                return self._reduction.is_settled(form)
        except LimitReachedError:
            return True

    def _as_one_quotient(self, entry: Expr) -> list[Expr]:
        """Closed forms of what the whole expression is reduced to."""
        try:
            with self._a_part_of_the_time() as budget:
                report = report_within(budget, self._reduction.forms(entry))
                closed = [form for form, complete in zip(report.value, report.complete, strict=True) if complete]
                return [form for form in closed if self._reduction.proves(entry, form)]
        except LimitReachedError:
            return []

    @contextmanager
    def _a_part_of_the_time(self) -> Iterator[Budget]:
        budget = self._budget.share(PART)
        self._reduction.limit(budget)
        try:
            yield budget
        finally:
            self._reduction.limit(self._budget)

    def _by_pieces(self, entry: Expr) -> list[Expr]:
        """The expression with its terms, or its factors, replaced one by one by what is proved to be equal to them."""
        arrangement = arranged(entry, ())
        try:
            if isinstance(arrangement, Sum):
                groups = self._groups(arrangement)
                return [sum(map(self.form, groups), ZERO)] if len(groups) > 1 else []
            if isinstance(arrangement, Product) and _contains_sums(entry):
                return [self._product(arrangement)]
        except (LimitReachedError, ZeroDivisorError):
            pass
        return []

    def _groups(self, arrangement: Sum) -> list[Expr]:
        """The terms of a sum; those without sums in them belong together if they have the same denominator."""
        groups: dict[Any, Expr] = {}
        for sign, count, term in arrangement.terms:
            key = term if _contains_sums(term) else self._reduction.denominator(term)
            groups[key] = groups.get(key, ZERO) + sign * count * term
        return list(groups.values())

    def _product(self, arrangement: Product) -> Expr:
        """A product with its sums replaced one by one, and with the rest of it replaced as a whole."""
        factors = [*arrangement.over, *((divisor, -1) for divisor in arrangement.under)]
        rest = [power(factor, e) for factor, e in factors if not _contains_sums(factor)]
        sums = [power(self.form(factor), e) for factor, e in factors if _contains_sums(factor)]
        return reduce(mul, sums, self.form(reduce(mul, rest, constant(arrangement.number))))


def _contains_sums(node: Any) -> bool:
    """Whether a node is a sum, or a product with sums among its factors and divisors."""
    arrangement = arranged(node, ())
    return isinstance(arrangement, Sum) or (
        isinstance(arrangement, Product) and any(map(_contains_sums, arrangement.children))
    )
