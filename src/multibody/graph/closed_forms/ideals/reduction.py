"""Quotients of polynomials modulo identities, in the forms that could be short, and the proof that a form is right.

Known identities are directed rules: which parts are to be replaced, and by what.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import reduce
from operator import mul
from typing import NamedTuple

from multibody.errors import ExpressionError
from multibody.graph.closed_forms.ideals.ideal import Basis, Order, Poly, Rule, add_multiple
from multibody.graph.closed_forms.ideals.real_polynomials import Fractional, RealPolynomials
from multibody.graph.closed_forms.laurent import Budget, Ring
from multibody.graph.closed_forms.printed_size import number_size
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


# identities as rules -------------------------------------------------------------------------------------------------


MAX_ORDERS = 6
"""So many monomial orders, each of which prefers other symbols, are tried."""


class PolynomialIdentity(NamedTuple):
    """pattern = value, as polynomials that have no monomial in common."""

    pattern: Poly
    value: Poly

    @property
    def difference(self) -> Poly:
        """What is zero: pattern - value."""
        return self.pattern | {monomial: -c for monomial, c in self.value.items()}


def identity(pattern: Poly, value: Poly) -> PolynomialIdentity:
    """The identity without what occurs on both sides.

    Example:
        >>> x, y, one = 1 << 20, 1 << 40, Fraction(1)
        >>> identity({x: one, y: one}, {x: 2 * one}) == PolynomialIdentity({x: -one, y: one}, {})  # x + y = 2·x
        True
    """
    difference = dict(pattern)
    add_multiple(difference, Fraction(-1), 0, value)
    kept = {monomial: c for monomial, c in difference.items() if monomial in pattern} or difference
    return PolynomialIdentity(kept, {monomial: -c for monomial, c in difference.items() if monomial not in kept})


def directed_orders(ring: Ring, identities: list[PolynomialIdentity]) -> list[Order]:
    """Monomial orders in which the largest monomial of each identity is one of its pattern; any, if there is none."""
    found: dict[tuple[int, ...], Order] = {}
    other: dict[tuple[int, ...], Order] = {}
    for order in _orders(ring, identities):
        leads = [max(known.difference, key=order) for known in identities]
        directed = all(lead in known.pattern for lead, known in zip(leads, identities, strict=True))
        (found if directed else other).setdefault(tuple(leads), order)
    return list((found or other).values())[:MAX_ORDERS]


def _orders(ring: Ring, identities: list[PolynomialIdentity]) -> Iterator[Order]:
    """Orders that compare the symbols of patterns first, by degree or one by one, each of them in front once."""
    monomials = [monomial for known in identities for monomial in known.pattern]
    first = [i for i in range(ring.count) if any(ring.exponent(monomial, i) for monomial in monomials)]
    for graded in (True, False):
        for row in (first, first[::-1]):
            for i in range(max(1, len(row))):
                yield _order(ring, [*row[i:], *row[:i]], graded)


def _order(ring: Ring, first: list[int], graded: bool) -> Order:
    def key(monomial: int) -> list[int]:
        exponents = ring.exponents(monomial)
        front, rest = [exponents[i] for i in first], [e for i, e in enumerate(exponents) if i not in first]
        return [sum(front) if graded else 0, *front, sum(rest), *rest[::-1]]

    return key


class Shortening:
    """Replaces patterns that fit as a whole; and parts of patterns, where that makes a polynomial shorter."""

    def __init__(self, ring: Ring, identities: list[PolynomialIdentity]) -> None:
        self._ring = ring
        self._identities = sorted(identities, key=lambda known: -len(known.pattern))

    def shortened(self, poly: Poly) -> Poly:
        """The polynomial when nothing more fits, or when it repeats itself."""
        seen: set[frozenset[tuple[int, Fraction]]] = set()
        while (key := frozenset(poly.items())) not in seen:
            seen.add(key)
            self._ring.check(poly)
            poly = self._step(poly)
        return poly

    def size(self, poly: Poly) -> int:
        """How long a polynomial is to read as a plain sum."""
        return sum(self._size(monomial, c) for monomial, c in poly.items())

    def _size(self, monomial: int, c: Fraction | int) -> int:
        return 1 + number_size(c) + sum(2 + 2 * (e > 1) for e in self._ring.exponents(monomial) if e) if c else 0

    def _step(self, poly: Poly) -> Poly:
        """A whole pattern replaced, or the part that is worth most; the polynomial itself if there is none."""
        best, most = poly, 0
        for known, factor, monomial in self._fits(poly):
            self._ring.budget.spend(len(poly))
            touched = {monomial + m: factor * c for m, c in known.difference.items()}
            before = {m: poly.get(m, Fraction(0)) for m in touched}
            saved = sum(self._size(m, c) - self._size(m, c - touched[m]) for m, c in before.items())
            whole = all(before[monomial + m] == touched[monomial + m] for m in known.pattern)
            if whole or saved > most:
                most = saved
                best = dict(poly)
                add_multiple(best, -factor, monomial, known.difference)
            if whole:
                break
        return best

    def _fits(self, poly: Poly) -> Iterator[tuple[PolynomialIdentity, Fraction, int]]:
        """All multiples of identities with a monomial of the pattern that cancels one of the polynomial."""
        for known in self._identities:
            for part, c in known.pattern.items():
                for monomial, d in poly.items():
                    if self._ring.divides(part, monomial):
                        yield known, d / c, monomial - part
