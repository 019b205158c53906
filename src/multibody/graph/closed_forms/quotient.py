"""Quotients of polynomials whose denominators are kept as products of factors, as one does it by hand.

A factor is entered once, and is cancelled by long division wherever it divides a numerator. That finds all that an
elimination leaves behind: each pivot divides what follows from it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from math import gcd, lcm

from multibody.graph.closed_forms.common_divisor import common_divisor
from multibody.graph.closed_forms.division import divided
from multibody.graph.closed_forms.laurent import LimitReachedError, Ring, Terms


@dataclass(frozen=True)
class Quotient:
    """over / (number · Π factorᵉ).

    Attributes:
        over: the numerator; single symbols below the line are negative exponents in it.
        number: a positive integer.
        under: the exponent of each factor of the denominator, by its index.
    """

    over: Terms
    number: int = 1
    under: dict[int, int] = field(default_factory=dict)


class Quotients:
    """Arithmetic of quotients over one ring.

    Attributes:
        factors: those of the denominators that were met; real, and without a number or a symbol in front.
    """

    def __init__(self, ring: Ring) -> None:
        self.ring = ring
        self.factors: list[Terms] = []

    def sum(self, a: Quotient, b: Quotient, sign: int = 1) -> Quotient:
        """a + sign·b."""
        number = lcm(a.number, b.number)
        under = {f: max(a.under.get(f, 0), b.under.get(f, 0)) for f in a.under | b.under}
        left, right = self._extended(a, under), self._extended(b, under)
        over = self.ring.combined(left, number // a.number, right, sign * number // b.number)
        return self._cancelled(over, number, under)

    def product(self, a: Quotient, b: Quotient) -> Quotient:
        """a·b."""
        left = self._cancelled(a.over, a.number, b.under)
        right = self._cancelled(b.over, b.number, a.under)
        under = {f: left.under.get(f, 0) + right.under.get(f, 0) for f in left.under | right.under}
        return _reduced(self.ring.product(left.over, right.over), left.number * right.number, under)

    def reciprocal(self, a: Quotient) -> Quotient:
        """1 / a."""
        if not a.over:  # zero for a reason that the fingerprint does not know, such as an identity of thirds of angles
            raise LimitReachedError
        number, monomial, rest = self._primitive(a.over)
        over = self._extended(Quotient({0: a.number if number > 0 else -a.number}), a.under)
        result = Quotient(over, abs(number))
        for root, square in self.ring.squares.items():  # 1/r = r/r²
            while self.ring.exponent(monomial, root) > 0:
                monomial -= self.ring.monomial(root)
                result = self.product(result, Quotient({self.ring.monomial(root): 1}))
                result = self.product(result, self.reciprocal(Quotient(square)))
        return self.product(self.product(result, Quotient({-monomial: 1})), self._inverse(rest))

    def lowest(self, a: Quotient) -> Quotient:
        """The quotient in lowest terms; if it takes too long to find a common divisor, as it is."""
        budget, self.ring.budget = self.ring.budget, self.ring.budget.share(0.2)
        try:
            for index in a.under:
                common = common_divisor(self.ring, a.over, self.factors[index])
                if len(common) > 1:
                    return self.lowest(self._split(a, index, common))
        except LimitReachedError:
            pass
        finally:
            self.ring.budget = budget
        return self._with_roots_below(a)

    def _split(self, a: Quotient, index: int, common: Terms) -> Quotient:
        """The quotient with a factor of its denominator split into a divisor and the rest; the divisor cancels."""
        rest = divided(self.ring, self.factors[index], common)
        assert rest is not None, "a divisor divides"
        result = Quotient(a.over, a.number, {f: e for f, e in a.under.items() if f != index})
        for _ in range(a.under[index]):
            for factor, number in ((common, 1), rest):
                inverse = self.reciprocal(Quotient(factor))
                result = self.product(result, self.product(inverse, Quotient({0: number})))
        return result

    def _with_roots_below(self, a: Quotient) -> Quotient:
        """1/r instead of r/r²."""
        for root, square in self.ring.squares.items():
            number, monomial, rest = self._primitive(square)
            index = next((f for f in a.under if self.factors[f] == rest), None)
            if index is not None and all(self.ring.exponent(m, root) == 1 for m in a.over):
                step = monomial - self.ring.monomial(root, 2)
                under = a.under | {index: a.under[index] - 1}
                a = _reduced({m + step: c * number for m, c in a.over.items()}, a.number, under)
        return a

    def _primitive(self, terms: Terms) -> tuple[int, int, Terms]:
        """A number, a monomial without angles, and what is left; it is real if the polynomial is."""
        number = gcd(*terms.values())
        number = number if terms[max(terms)] > 0 else -number
        low, _ = self.ring.box(terms)
        monomial = sum(self.ring.monomial(i, e) for i, e in enumerate(low) if i and i not in self.ring.angles)
        return number, monomial, {m - monomial: c // number for m, c in terms.items()}

    def _inverse(self, terms: Terms) -> Quotient:
        """The reciprocal of a primitive polynomial, by known factors and a new one."""
        under: dict[int, int] = {}
        ratio = Fraction(1)
        for index, factor in enumerate(self.factors):
            while (rest := divided(self.ring, terms, factor)) is not None:
                number, _, terms = self._primitive(rest[0])
                ratio *= Fraction(rest[1], number)
                under[index] = under.get(index, 0) + 1
        if terms != {0: 1}:
            self.factors.append(terms)
            under[len(self.factors) - 1] = 1
        return Quotient({0: ratio.numerator}, ratio.denominator, under)

    def _extended(self, a: Quotient, under: dict[int, int]) -> Terms:
        """The numerator over a common denominator."""
        missing = {f: e - a.under.get(f, 0) for f, e in under.items()}
        powers = [self.ring.power(self.factors[f], e) for f, e in missing.items() if e > 0]
        return reduce(self.ring.product, powers, a.over)

    def _cancelled(self, over: Terms, number: int, under: dict[int, int]) -> Quotient:
        """The quotient without factors that divide its numerator."""
        left = dict(under)
        for index in under:
            while over and left[index] and (rest := divided(self.ring, over, self.factors[index])) is not None:
                over, number = rest[0], number * rest[1]
                left[index] -= 1
        return _reduced(over, number, left)


def _reduced(over: Terms, number: int, under: dict[int, int]) -> Quotient:
    """The quotient without a number that divides both sides."""
    if not over:
        return Quotient({})
    common = gcd(number, *over.values())
    if common > 1:
        over = {monomial: c // common for monomial, c in over.items()}
    return Quotient(over, number // common, {f: e for f, e in under.items() if e})
