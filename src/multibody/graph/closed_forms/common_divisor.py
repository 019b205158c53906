"""The greatest common divisor of Laurent polynomials, whose units are the monomials.

Most pairs have none, which is seen at once from images modulo a prime with one generator left (Brown 1971); otherwise
it is found by Euclid's algorithm with pseudo-remainders and primitive parts (Collins 1967).
"""

from __future__ import annotations

from functools import reduce
from math import gcd

from multibody.graph.closed_forms.division import divided
from multibody.graph.closed_forms.laurent import I, Ring, Terms
from multibody.graph.field import PRIMES, scramble

PRIME = 998_244_353
_ROOT_OF_MINUS_ONE = pow(3, (PRIME - 1) // 4, PRIME)


def common_divisor(ring: Ring, a: Terms, b: Terms) -> Terms:
    """The greatest common divisor of two real polynomials, which is real too; {0: 1} if there is none.

    Example:
        >>> from multibody.graph.closed_forms.laurent import Budget
        >>> ring = Ring(Budget(1.0, 100))
        >>> x, y = (ring.monomial(ring.generator()) for _ in range(2))
        >>> common_divisor(ring, {2 * x: 1, 2 * y: -1}, {2 * x: 1, x + y: 2, 2 * y: 1}) == {x: 1, y: 1}
        True
    """
    if any(_degree(ring, terms, root) for terms in (a, b) for root in ring.squares):
        return {0: 1}
    a, b = _without_roots(ring, a), _without_roots(ring, b)
    shared = [g for g in range(1, ring.count) if _degree(ring, a, g) and _degree(ring, b, g)]
    if not any(_image_degree(ring, a, b, g) for g in shared):
        return {0: 1}
    return real_form(ring, _divisor(ring, a, b)) or {0: 1}


def _without_roots(ring: Ring, terms: Terms) -> Terms:
    """The polynomial without roots that are factors of all its terms: monomials are units, and roots do not divide."""
    for root in ring.squares:
        factor = ring.monomial(root, ring.exponent(next(iter(terms)), root))
        terms = {monomial - factor: c for monomial, c in terms.items()}
    return terms


def real_form(ring: Ring, terms: Terms) -> Terms | None:
    """The polynomial times a unit such that it is its own conjugate; None if that needs half angles.

    With 1 as the coefficient of the largest monomial and b as that of its mirror image, 1 + b̄ times it is real.
    """
    low, high = ring.box(terms)
    if any((low[i] + high[i]) % 2 for i in ring.angles):
        return None
    middle = [(low[i] + high[i]) // 2 if i in ring.angles else low[i] for i in range(ring.count)]
    shift = sum(ring.monomial(i, e) for i, e in enumerate(middle) if i)
    centred = {monomial - shift: c for monomial, c in terms.items()}
    lead = max(monomial & ~I for monomial in centred)
    monic = ring.product(centred, {0: centred.get(lead, 0), I: -centred.get(lead + I, 0)})
    mirror = next(iter(ring.conjugate({lead: 1})))
    factor = {0: monic[lead] + monic.get(mirror, 0), I: -monic.get(mirror + I, 0)}
    result = ring.product(monic, factor if any(factor.values()) else {I: 1})
    number = gcd(*result.values())
    return {m: c // number for m, c in result.items()} if result == ring.conjugate(result) else None


def _degree(ring: Ring, terms: Terms, generator: int) -> int:
    exponents = [ring.exponent(monomial, generator) for monomial in terms]
    return max(exponents) - min(exponents)


def _divisor(ring: Ring, a: Terms, b: Terms) -> Terms:
    """Euclid's algorithm in the first generator that occurs, with contents in the others."""
    ring.budget.spend()
    generator = next((g for g in range(1, ring.count) if _degree(ring, a, g) or _degree(ring, b, g)), None)
    if generator is None or len(a) == 1 or len(b) == 1:
        return {0: 1}
    content_a, a = _parts(ring, a, generator)
    content_b, b = _parts(ring, b, generator)
    content = _divisor(ring, content_a, content_b)
    if _degree(ring, a, generator) < _degree(ring, b, generator):
        a, b = b, a
    while b and _degree(ring, b, generator):
        a, b = b, _remainder(ring, a, b, generator)
        b = _parts(ring, b, generator)[1] if b else b
    return content if b else ring.product(content, a)


def _coefficients(ring: Ring, terms: Terms, generator: int) -> dict[int, Terms]:
    """The coefficients of a polynomial in one generator, by exponent from 0."""
    result: dict[int, Terms] = {}
    low = min(ring.exponent(monomial, generator) for monomial in terms)
    for monomial, c in terms.items():
        e = ring.exponent(monomial, generator)
        result.setdefault(e - low, {})[monomial - ring.monomial(generator, e)] = c
    return result


def _parts(ring: Ring, terms: Terms, generator: int) -> tuple[Terms, Terms]:
    """Content and primitive part as a polynomial in one generator, whose smallest exponent becomes 0."""
    content = reduce(lambda a, b: _divisor(ring, a, b), _coefficients(ring, terms, generator).values())
    content = {0: 1} if len(content) == 1 else content
    number = gcd(*terms.values())
    low = ring.monomial(generator, min(ring.exponent(monomial, generator) for monomial in terms))
    part = divided(ring, {monomial - low: c // number for monomial, c in terms.items()}, content)
    assert part is not None, "the content divides the polynomial"
    return content, part[0]


def _remainder(ring: Ring, a: Terms, b: Terms, generator: int) -> Terms:
    """The pseudo-remainder of a by b, both with 0 as the smallest exponent."""
    divisor = _coefficients(ring, b, generator)
    degree = max(divisor)
    while a:
        rest = _coefficients(ring, a, generator)
        excess = max(ring.exponent(monomial, generator) for monomial in a) - degree
        if excess < 0:
            break
        shifted = {monomial + ring.monomial(generator, excess): c for monomial, c in b.items()}
        a = ring.combined(ring.product(divisor[degree], a), 1, ring.product(rest[max(rest)], shifted), -1)
    return a


def _image_degree(ring: Ring, a: Terms, b: Terms, generator: int) -> int:
    """The degree of the common divisor in one generator, with numbers for the others, modulo a prime."""
    x, y = _image(ring, a, generator), _image(ring, b, generator)
    while y:
        x, y = y, _modular_remainder(x, y)
    return len(x) - 1


def _image(ring: Ring, terms: Terms, generator: int) -> list[int]:
    """Coefficients by exponent, the highest last."""
    values = [_ROOT_OF_MINUS_ONE, *(scramble(0, "generator", g, p=PRIMES[0]) % PRIME for g in range(1, ring.count))]
    low = min(ring.exponent(monomial, generator) for monomial in terms)
    result = [0] * (1 + _degree(ring, terms, generator))
    for monomial, c in terms.items():
        exponents = ring.exponents(monomial)
        place, exponents[generator] = exponents[generator] - low, 0
        for value, e in zip(values, exponents, strict=True):
            if e:
                c = c * pow(value, e, PRIME) % PRIME
        result[place] += c
    return _trimmed(result)


def _modular_remainder(x: list[int], y: list[int]) -> list[int]:
    inverse = pow(y[-1], -1, PRIME)
    while len(x) >= len(y):
        factor, shift = x[-1] * inverse, len(x) - len(y)
        x = _trimmed([c - factor * y[i - shift] if i >= shift else c for i, c in enumerate(x)])
    return x


def _trimmed(coefficients: list[int]) -> list[int]:
    result = [c % PRIME for c in coefficients]
    while result and not result[-1]:
        result.pop()
    return result
