"""The shortest among the forms that an expression has where identities hold."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import reduce
from operator import mul
from typing import Any

from multibody.errors import ZeroDivisorError
from multibody.graph.closed_forms.form import report_within
from multibody.graph.closed_forms.ideals.reduction import IdealReduction
from multibody.graph.closed_forms.laurent import Budget, LimitReachedError
from multibody.graph.closed_forms.printed_size import printed_size
from multibody.graph.expr import ZERO, Expr, constant
from multibody.graph.functions import power
from multibody.graph.text.arrangement import Product, Sum, arranged

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
