"""Known identities as directed rules for polynomials: which parts are to be replaced, and by what."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from multibody.graph.closed_forms.ideals.ideal import Order, Poly, add_multiple
from multibody.graph.closed_forms.laurent import Ring
from multibody.graph.closed_forms.printed_size import number_size

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
