"""Exact division of Laurent polynomials."""

from __future__ import annotations

from fractions import Fraction
from heapq import heapify, heappop, heappush
from math import lcm
from operator import sub

from multibody.graph.closed_forms.laurent import I, Ring, Terms

Gaussian = tuple[int | Fraction, int | Fraction]
"""Real and imaginary part."""


def divided(ring: Ring, a: Terms, b: Terms) -> tuple[Terms, int] | None:
    """(q, n) with a = b·q/n, or None if b does not divide a.

    Long division by the largest monomial, with a heap for the monomials of the remainder (Johnson 1974). In a Laurent
    ring each monomial divides any other; what ends the division is that the exponents of q must lie between the
    differences of those of a and b.

    Example:
        >>> from multibody.graph.closed_forms.laurent import Budget
        >>> ring = Ring(Budget(1.0, 100))
        >>> x = ring.monomial(ring.generator())
        >>> divided(ring, {2 * x: 1, 0: -1}, {x: 2, 0: 2}) == ({x: 1, 0: -1}, 2)
        True
    """
    (low_a, high_a), (low_b, high_b) = ring.box(a), ring.box(b)
    low, high = list(map(sub, low_a, low_b)), list(map(sub, high_a, high_b))
    if not _between(low, high, high) or any(high_b[root] for root in ring.squares):
        return None
    divisor, rest = _gaussian(b), _gaussian(a)
    lead = max(divisor)
    others = [(monomial, c) for monomial, c in divisor.items() if monomial != lead]
    heap = [-monomial for monomial in rest]
    heapify(heap)
    result: dict[int, Gaussian] = {}
    while heap:
        monomial = -heappop(heap)
        c = rest.pop(monomial)
        if c != (0, 0):
            place = monomial - lead
            if not _between(low, ring.exponents(place), high):
                return None
            ring.budget.spend(len(result))
            result[place] = factor = _quotient(c, divisor[lead])
            for other, d in others:
                if place + other not in rest:
                    heappush(heap, -(place + other))
                rest[place + other] = _difference(rest.get(place + other, (0, 0)), factor, d)
    return _whole(result)


def _between(low: list[int], exponents: list[int], high: list[int]) -> bool:
    """Whether all exponents, but for that of the imaginary unit, lie in a box."""
    return all(x <= e <= y for x, e, y in zip(low[1:], exponents[1:], high[1:], strict=True))


def _gaussian(terms: Terms) -> dict[int, Gaussian]:
    """The polynomial with complex coefficients instead of the imaginary unit."""
    result: dict[int, Gaussian] = {}
    for monomial, c in terms.items():
        real, imaginary = result.get(monomial & ~I, (0, 0))
        result[monomial & ~I] = (real, imaginary + c) if monomial & I else (real + c, imaginary)
    return result


def _quotient(a: Gaussian, b: Gaussian) -> Gaussian:
    norm = b[0] * b[0] + b[1] * b[1]
    parts = a[0] * b[0] + a[1] * b[1], a[1] * b[0] - a[0] * b[1]
    real, imaginary = (part // norm if part % norm == 0 else Fraction(part) / norm for part in parts)
    return real, imaginary


def _difference(c: Gaussian, a: Gaussian, b: Gaussian) -> Gaussian:
    """c - a·b."""
    return c[0] - a[0] * b[0] + a[1] * b[1], c[1] - a[0] * b[1] - a[1] * b[0]


def _whole(terms: dict[int, Gaussian]) -> tuple[Terms, int]:
    """Whole coefficients, and the number that they are to be divided by."""
    number = lcm(*(Fraction(part).denominator for c in terms.values() for part in c))
    return {m + unit: int(c[unit] * number) for m, c in terms.items() for unit in (0, I) if c[unit]}, number
