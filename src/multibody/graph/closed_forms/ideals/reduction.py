"""Quotients of polynomials modulo identities, in the forms that could be short, and the proof that a form is right."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from operator import mul

from multibody.errors import ExpressionError
from multibody.graph.closed_forms.ideals.ideal import Basis, Poly, Rule
from multibody.graph.closed_forms.ideals.identities import PolynomialIdentity, Shortening, directed_orders, identity
from multibody.graph.closed_forms.ideals.real_polynomials import Fractional, RealPolynomials
from multibody.graph.closed_forms.laurent import Budget
from multibody.graph.expr import Constant, Expr
from multibody.graph.functions import power
from multibody.graph.identity import is_zero
from multibody.graph.text.assignments import nodes_below

Pairs = list[tuple[Expr, Expr]]

MAX_FORMS = 4
"""So many forms of a quotient, the shortest as plain sums, are worth a closer look."""

PREPARATION = 0.3
"""This part of the time may be spent on the identities themselves."""


class IdealReduction:
    """Reduces expressions modulo identities.

    Args:
        entries: the expressions that will be met.
        pairs: patterns and their values.
        budget: the limits.

    Raises:
        ExpressionError: if the identities contradict each other.
        LimitReachedError: if they are too large.
    """

    def __init__(self, entries: list[Expr], pairs: Pairs, budget: Budget) -> None:
        nodes = nodes_below([*entries, *(side for pair in pairs for side in pair)])
        self._polynomials = RealPolynomials(nodes, budget)
        self._ring = self._polynomials.ring
        identities = [known for pair in pairs if (known := self._identity(*pair)).pattern]
        self._shortening = Shortening(self._ring, identities)
        self._size = self._shortening.size
        self._lengthening = [known for known in identities if self._size(known.value) > self._size(known.pattern)]
        self._bases = self._found_bases(identities, pairs)

    def limit(self, budget: Budget) -> None:
        """Set the limits for what follows."""
        self._polynomials.limit(budget)

    def forms(self, node: Expr) -> list[Expr]:
        """Equal quotients, the shortest first; none if the denominator is zero where the identities hold."""
        quotient = self._polynomials.read(node)
        over = self._ways(quotient.over)
        under = [self._ways(factor) for factor, _ in quotient.under]
        if not all(factor for ways in under for factor in ways):
            return []
        exponents = [e for _, e in quotient.under]
        mixed = [min(ways, key=self._size) for ways in (over, *under)]
        combinations = (mixed, *map(list, zip(over, *under, strict=True)))
        distinct = {tuple(frozenset(poly.items()) for poly in polys): polys for polys in combinations}
        by_size = sorted(distinct.values(), key=lambda polys: sum(map(self._size, polys)))
        return [self._expression(polys[0], polys[1:], exponents) for polys in by_size[:MAX_FORMS]]

    def denominator(self, node: Expr) -> frozenset[tuple[frozenset[int], int]]:
        """A key that is the same for expressions with the same denominator."""
        return frozenset((frozenset(factor), e) for factor, e in self._polynomials.read(node).under)

    def proves(self, a: Expr, b: Expr) -> bool:
        """Whether the difference of two expressions is a combination of the identities."""
        over = self._polynomials.read(a - b).over
        rests = (basis.remainder(over) for basis in self._bases)
        return any(is_zero(self._polynomials.expression(rest), points=2) for rest in rests)  # 2.5·9.81 = 24.525

    def is_settled(self, node: Expr) -> bool:
        """Whether no pattern with a longer value is left: the shortest form need not be what was asked for."""
        if not self._lengthening:
            return True
        quotient = self._polynomials.read(node)
        polys = [quotient.over, *(factor for factor, _ in quotient.under)]
        lengthening = Shortening(self._ring, self._lengthening)
        return all(lengthening.shortened(poly) == poly for poly in polys)

    def _identity(self, pattern: Expr, value: Expr) -> PolynomialIdentity:
        """The identity times its denominators."""
        left, right = self._polynomials.read(pattern), self._polynomials.read(value)
        if left.under == right.under:
            return identity(left.over, right.over)
        return identity(self._times(left.over, right), self._times(right.over, left))

    def _times(self, poly: Poly, quotient: Fractional) -> Poly:
        """A polynomial times a denominator."""
        return reduce(self._polynomials.product, [factor for factor, e in quotient.under for _ in range(e)], poly)

    def _found_bases(self, identities: list[PolynomialIdentity], pairs: Pairs) -> list[Basis]:
        """A Gröbner basis for each order."""
        differences = [known.difference for known in identities]
        known = [*differences, *self._polynomials.relations(differences)]
        orders = directed_orders(self._ring, identities)
        budget = self._ring.budget
        bases = []
        for i, order in enumerate(orders):
            self._ring.budget = budget.share(PREPARATION / (len(orders) - i))
            bases.append(Basis(self._ring, order, known))
            self._ring.budget = budget
            if any(self._contradicts(rule) for rule in bases[-1].rules):
                raise ExpressionError(
                    "The identities contradict each other: no values of the symbols fulfil them all.",
                    code="identities-contradictory",
                    where=", ".join(f"{pattern} -> {value}" for pattern, value in pairs),
                    cause="one of them is wrong, or two of them give different numbers to the same thing",
                    remedy="Leave one of them out, and see whether the others are accepted.",
                )
        return bases

    def _contradicts(self, rule: Rule) -> bool:
        """Whether a rule says that a number is another number."""
        poly = {rule.lead: Fraction(-1)} | rule.tail
        atoms = {i for monomial in poly for i, e in enumerate(self._ring.exponents(monomial)) if e}
        numbers = all(isinstance(self._polynomials.meanings[i], Constant) for i in atoms)
        return numbers and not is_zero(self._polynomials.expression(poly))

    def _ways(self, poly: Poly) -> list[Poly]:
        """A polynomial with patterns replaced where they fit, and its normal form for each order."""
        normal = (basis.remainder(poly) for basis in self._bases)
        return [self._shortening.shortened(way) for way in (poly, *normal)]

    def _expression(self, over: Poly, under: list[Poly], exponents: list[int]) -> Expr:
        written = self._polynomials.expression
        divisors = [power(written(factor), e) for factor, e in zip(under, exponents, strict=True)]
        return reduce(mul, [1 / divisor for divisor in divisors], written(over))
