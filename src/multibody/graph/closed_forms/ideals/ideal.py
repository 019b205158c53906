"""Ideals of polynomials: what vanishes wherever some given polynomials do, and normal forms modulo that.

Buchberger's algorithm (1965) as in Cox, Little, O'Shea, "Ideals, Varieties, and Algorithms", chapter 2. SymPy's
``groebner`` and ``reduced`` do the same, but cannot be stopped by a ``Budget`` with what was found by then, and take
longer: 33 times for the remainders of 20 polynomials with 30 terms modulo p·p = a², p·v = 0, v·v = b² and |q|² = 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from fractions import Fraction
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from multibody.graph.closed_forms.laurent import LimitReachedError, Ring

Poly = dict[int, Fraction]
"""A polynomial: monomial of a ring, without negative exponents -> coefficient other than zero."""

Order = Callable[[int], list[int]]
"""A monomial order: the key by which monomials are compared."""


class Rule(NamedTuple):
    """A member of an ideal as a rule: its leading monomial is to be replaced by the tail."""

    lead: int
    tail: Poly


def add_multiple(poly: Poly, factor: Fraction, monomial: int, other: Poly) -> None:
    """poly += factor·monomial·other."""
    for m, c in other.items():
        total = poly.get(monomial + m, Fraction(0)) + factor * c
        if total:
            poly[monomial + m] = total
        else:
            poly.pop(monomial + m, None)


class Basis:
    """Members of an ideal, and normal forms modulo them.

    Args:
        ring: of the polynomials.
        order: of their monomials.
        generators: of the ideal.

    Attributes:
        rules: a Gröbner basis, if it is found within the limits of the ring: remainders are then zero for all members
            of the ideal. Otherwise what was found by then.

    Example:
        >>> from multibody.graph.closed_forms.laurent import Budget
        >>> ring = Ring(Budget(1.0, 100))
        >>> x, y = (ring.monomial(ring.generator()) for _ in range(2))
        >>> circle, line = {2 * x: Fraction(1), 2 * y: Fraction(1), 0: Fraction(-1)}, {x: Fraction(1), y: Fraction(-1)}
        >>> basis = Basis(ring, ring.exponents, [circle, line])
        >>> basis.remainder({x + y: Fraction(1)})  # x² + y² = 1 and x = y: x·y is one half
        {0: Fraction(1, 2)}
    """

    def __init__(self, ring: Ring, order: Order, generators: Iterable[Poly]) -> None:
        self.rules: list[Rule] = []
        self._ring = ring
        self._order = order
        self._pairs: list[tuple[int, Rule, Rule]] = []
        with suppress(LimitReachedError):
            self._complete(generators)
        self.rules = [rule for i, rule in enumerate(self.rules) if not self._applies(rule.lead, self.rules[i + 1 :])]

    def remainder(self, poly: Poly) -> Poly:
        """What is left when no rule applies any more (§2.3): it differs by a member of the ideal.

        Large monomials are replaced first, each of them once; a heap finds them.
        """
        rest, result = dict(poly), Poly()
        heap = [self._place(monomial) for monomial in rest]
        heapify(heap)
        while heap:
            _, monomial = heappop(heap)
            c = rest.pop(monomial)
            rule = next((rule for rule in self.rules if self._ring.divides(rule.lead, monomial)), None)
            if c and rule is None:
                result[monomial] = c
            elif c and rule is not None:
                new = {monomial - rule.lead + m: c * d for m, d in rule.tail.items()}
                for m, d in new.items():
                    if m not in rest:
                        heappush(heap, self._place(m))
                    rest[m] = rest.get(m, Fraction(0)) + d
                self._ring.check(new)
                self._ring.budget.spend(len(rest) + len(result))
        return result

    def _place(self, monomial: int) -> tuple[list[int], int]:
        return [-entry for entry in self._order(monomial)], monomial

    def _complete(self, generators: Iterable[Poly]) -> None:
        """Buchberger's algorithm (§2.7), with the smallest pairs first."""
        for generator in generators:
            self._enter(self.remainder(generator))
        while self._pairs:
            pair = min(self._pairs, key=lambda pair: self._order(pair[0]))
            self._pairs.remove(pair)
            self._enter(self.remainder(_s_polynomial(*pair)))

    def _enter(self, poly: Poly) -> None:
        """A new member, and its pairs with those others whose leading monomials have a factor in common."""
        if poly:
            lead = max(poly, key=self._order)
            new = Rule(lead, {m: -c / poly[lead] for m, c in poly.items() if m != lead})
            pairs = ((self._least_multiple(lead, old.lead), new, old) for old in self.rules)
            self._pairs += [pair for pair in pairs if pair[0] != lead + pair[2].lead]
            self.rules.append(new)

    def _least_multiple(self, a: int, b: int) -> int:
        """The least common multiple of two monomials."""
        exponents = zip(self._ring.exponents(a), self._ring.exponents(b), strict=True)
        return sum(self._ring.monomial(i, max(pair)) for i, pair in enumerate(exponents))

    def _applies(self, monomial: int, rules: list[Rule]) -> bool:
        return any(self._ring.divides(rule.lead, monomial) for rule in rules)


def _s_polynomial(multiple: int, a: Rule, b: Rule) -> Poly:
    """The difference of what two rules make of a common multiple (§2.6, definition 4)."""
    result = {multiple - a.lead + m: c for m, c in a.tail.items()}
    add_multiple(result, Fraction(-1), multiple - b.lead, b.tail)
    return result
