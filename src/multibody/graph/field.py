"""Arithmetic of fingerprints: residues modulo primes of about 2^60, and square roots adjoined to them.

A fingerprint is the exact value of an expression at one random point, an ``int`` in [0, P). Every node carries that at
the first point, modulo the product P of two primes, so that numbers that are equal modulo one of them are told apart;
the second point lies in the field of a third prime.
A square root is adjoined as a formal generator s with s² = a, so that an expression with roots is a
multilinear polynomial in its generators, a ``Surd``. Nothing but s² = a is ever used, hence equality of
fingerprints never relies on the sign of a root: sqrt(x²) is not merged with x, sqrt(x)·sqrt(y) not with sqrt(x·y).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple, Union

PRIMES = (838762239247866719, 707106781186546919)
"""Below 2^60; without any structure, unlike 2^61 - 1, in which 2^61 = 1 would make floats that differ by that factor
equal; (p - 1)/2 is prime too, so that every number but ±1 has a huge order; and p = 7 modulo 8, so that 2 has a root
and -1 has none. The second one is the first such prime below 10^18·sqrt(2)/2."""

P = PRIMES[0] * PRIMES[1]
"""The modulus of the first point. About twenty doubles are equal to a given one modulo a single prime, and as many to a
product or sum of constants in an expression: those would be found in its place. Modulo P there are none by accident."""

SECOND_P = 1118033988749893487
"""The prime of the second point, with the same properties: the first such prime below 10^18·sqrt(5)/2. No two different
doubles are equal modulo P, nor modulo both SECOND_P and a prime of P; a test proves it."""

HALF = P // 2

LARGE = PRIMES[0] // 2
"""Integers, numerators and denominators from here on have an opaque image: fractions of smaller ones are different
modulo P."""


class FieldPoint(NamedTuple):
    """Where fingerprints are taken.

    Attributes:
        p: the prime.
        seed: tells the random values of symbols and functions from those at other points of the same field.
        constants: the seed for π and for functions of numbers, which have one value in each field.
    """

    p: int
    seed: int
    constants: int


FIRST = FieldPoint(P, 0, 0)
"""The point of ``Node.fp``."""

SECOND = FieldPoint(SECOND_P, 1, 1)
"""The point at which equalities are confirmed."""

NEXT = FieldPoint(P, 1, 0)
"""Another point of the first field: there, and at the first point, a number has the same image."""

MAX_TERMS = 8
"""A surd with more terms (three independent roots) is replaced by an opaque value: sharing is lost, never truth."""

SMALL = 10_000
"""A fingerprint below this is that of the integer itself, not a coincidence."""

MAX_DEPTH = 2
"""So many roots inside roots are kept exact."""

Value = Union[int, "Surd"]
"""A fingerprint: an ``int`` below P, or a ``Surd`` when square roots are involved."""


def scramble(seed: int, *labels: object, p: int = P) -> int:
    """A reproducible pseudo-random field element, other than 0 and ±1, that depends on all the labels.

    Modulo P it is found modulo each prime by itself, from the residues of fingerprints among the labels.
    """
    if p == P:
        return joined(lambda k, q: scramble(seed + 2 * k, *[residue(label, q) for label in labels], p=q))
    digest = blake2b(repr((seed, labels)).encode(), digest_size=8).digest()
    return 2 + int.from_bytes(digest, "little") % (p - 3)


def joined(of_prime: Callable[[int, int], int]) -> int:
    """The number modulo P with the given residues, which are functions of a prime's place and the prime."""
    first, second = (of_prime(k, prime) for k, prime in enumerate(PRIMES))
    return first + PRIMES[0] * ((second - first) * _INVERSE_OF_FIRST % PRIMES[1])


_INVERSE_OF_FIRST = pow(PRIMES[0], -1, PRIMES[1])


def residue(label: Any, p: int) -> Any:
    """A fingerprint modulo one prime; what is none as it is."""
    return label % p if isinstance(label, int) else label.residue(p) if isinstance(label, Surd) else label


def sort_key(fp: Value) -> int:
    """A number to sort by that depends on nothing but the value."""
    return hash(residue(fp, PRIMES[0]))


def is_lower(fp: Value, p: int) -> bool:
    """Whether it is the one of ±fp that represents both."""
    if p != P or isinstance(fp, Surd):
        return fp < p // 2
    first = fp % PRIMES[0]
    return first < PRIMES[0] // 2 if first else fp % PRIMES[1] < PRIMES[1] // 2


def of_fraction(number: Fraction, p: int = P) -> int:
    """The exact image of a rational number."""
    return number.numerator * pow(number.denominator, -1, p) % p


def of_float(number: float, p: int = P) -> int:
    """The exact image of a float, which is the dyadic rational m / 2^k."""
    mantissa, denominator = number.as_integer_ratio()
    return mantissa * pow(p + 1 >> 1, denominator.bit_length() - 1, p) % p


def inverse(value: Value, p: int = P) -> Value:
    """The multiplicative inverse; raises ZeroDivisionError for 0.

    That of a number that is zero modulo one prime of P only is opaque: sharing is lost, never truth.
    """
    if isinstance(value, Surd):
        return value.inverse()
    if value % p == 0:
        raise ZeroDivisionError("0 has no inverse in the field")
    try:
        return pow(value, -1, p)
    except ValueError:
        return scramble(0, "inverse", value, p=p)


def power(value: Value, exponent: int, p: int = P) -> Value:
    """value ** exponent for any integer exponent, by squaring."""
    if exponent < 0:
        return power(inverse(value, p), -exponent, p)
    if isinstance(value, int):
        return pow(value, exponent, p)
    result: Value = 1
    while exponent:
        if exponent & 1:
            result = result * value % p
        value = value * value % p
        exponent >>= 1
    return result


class Surd:
    """A polynomial Σ cₖ·sₖ in products of adjoined roots, with s² = a for each root s.

    ``terms`` maps a sorted tuple of radicands (each naming the root whose square it is) to a nonzero coefficient; the
    empty tuple is the rational part, ``p`` is the prime. Operators return a Surd; ``% p`` brings it to normal form, an
    ``int`` if it is one, so that the same text ``(a * b) % p`` serves integers and surds.
    """

    __slots__ = ("_hash", "p", "terms")

    def __init__(self, terms: dict[tuple[Value, ...], int], p: int = P) -> None:
        self.terms = terms
        self.p = p
        self._hash: int | None = None

    @staticmethod
    def root(radicand: Value, p: int = P) -> Surd:
        """The adjoined root of ``radicand``."""
        return Surd({(radicand,): 1}, p)

    def __add__(self, other: Value) -> Surd:
        added = _terms(other, self.p)
        if not added:
            return self
        terms = dict(self.terms)
        for roots, coefficient in added.items():
            total = (terms.get(roots, 0) + coefficient) % self.p
            if total:
                terms[roots] = total
            else:
                terms.pop(roots, None)
        return Surd(terms, self.p)

    __radd__ = __add__

    def __neg__(self) -> Surd:
        return Surd({roots: self.p - coefficient for roots, coefficient in self.terms.items()}, self.p)

    def __sub__(self, other: Value) -> Surd:
        return self + (-other)

    def __rsub__(self, other: Value) -> Surd:
        return -self + other

    def __mul__(self, other: Value) -> Surd:
        p = self.p
        if isinstance(other, int):
            return Surd({roots: c * other % p for roots, c in self.terms.items()} if other % p else {}, p)
        terms: dict[tuple[Value, ...], int] = {}
        for others, factor in other.terms.items():
            for roots, coefficient in self.terms.items():
                for product, unit in _product(roots, others, p):
                    terms[product] = (terms.get(product, 0) + coefficient * factor * unit) % p
        return Surd({roots: coefficient for roots, coefficient in terms.items() if coefficient}, p)

    __rmul__ = __mul__

    def __mod__(self, modulus: int) -> Value:
        if not self.terms:
            return 0
        if len(self.terms) == 1 and () in self.terms:
            return self.terms[()]
        return self._opaque("surd") if len(self.terms) > MAX_TERMS else self

    def inverse(self) -> Value:
        """1 / (u + v·s) = (u - v·s) / (u² - v²·a), one root at a time."""
        root = max((root for roots in self.terms for root in roots), key=_outermost)
        p = self.p
        free = Surd({roots: c for roots, c in self.terms.items() if root not in roots}, p)
        bound = Surd({tuple(r for r in roots if r != root): c for roots, c in self.terms.items() if root in roots}, p)
        norm = (free * free - bound * bound * root) % p
        if norm == 0:  # a zero divisor: the radicand is a perfect square; only an opaque value is safe
            return self._opaque("inverse")
        return (free - bound * Surd.root(root, p)) * inverse(norm, p) % p

    def depth(self) -> int:
        """How many roots stand inside each other."""
        inner = [r.depth() for roots in self.terms for r in roots if isinstance(r, Surd)]
        return 1 + max(inner, default=0)

    def residue(self, p: int) -> Surd:
        """The same modulo one prime."""
        if self.p != P:
            return self
        terms = {tuple(sorted((residue(r, p) for r in roots), key=_order)): c % p for roots, c in self.terms.items()}
        return Surd({roots: coefficient for roots, coefficient in terms.items() if coefficient}, p)

    def _opaque(self, what: str) -> int:
        if self.p == P:
            return joined(lambda _, prime: self.residue(prime)._opaque(what))
        return scramble(0, what, self._key(), p=self.p)

    def _key(self) -> tuple[tuple[tuple[int, ...], int], ...]:
        return tuple(sorted((_orders(roots), c) for roots, c in self.terms.items()))

    def __lt__(self, other: object) -> bool:
        """Whether the leading coefficient lies in the lower half of the field: a sign to normalise by."""
        p = PRIMES[0] if self.p == P else self.p
        leading = max((roots for roots, c in self.terms.items() if c % p), key=_orders)
        return self.terms[leading] % p <= p // 2

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Surd) and self.terms == other.terms

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self.terms.items()))
        return self._hash

    def __repr__(self) -> str:
        return f"Surd{self._key()}"


def _terms(value: Value, p: int) -> dict[tuple[Value, ...], int]:
    if isinstance(value, Surd):
        return value.terms
    return {(): value % p} if value % p else {}


def _outermost(root: Value) -> tuple[int, int]:
    """Roots that stand inside others come first."""
    return (root.depth() if isinstance(root, Surd) else 0, _order(root))


def _order(value: Value) -> int:
    """A total order on radicands that does not depend on the process."""
    if isinstance(value, int):
        return value if value < SECOND_P else value % PRIMES[0]
    return scramble(0, value.residue(PRIMES[0])._key(), p=PRIMES[0])


@lru_cache(maxsize=10_000)
def _orders(roots: tuple[Value, ...]) -> tuple[int, ...]:
    """A total order on products of roots."""
    return tuple(map(_order, roots))


@lru_cache(maxsize=10_000)  # few roots occur, in many products
def _product(roots: tuple[Value, ...], others: tuple[Value, ...], p: int) -> tuple[tuple[tuple[Value, ...], int], ...]:
    """The terms of Π roots · Π others, with every squared root replaced by its radicand."""
    result = Surd({tuple(sorted(set(roots) ^ set(others), key=_order)): 1}, p)
    for radicand in set(roots) & set(others):
        result = result * radicand
    return tuple(result.terms.items())


def random_root(radicand: Value, p: int = P) -> Value:
    """The fingerprint of a square root; roots in roots in roots are opaque."""
    if isinstance(radicand, Surd):
        return scramble(0, "root", radicand, p=p) if radicand.depth() >= MAX_DEPTH else Surd.root(radicand, p)
    if radicand < SMALL and math.isqrt(radicand) ** 2 == radicand:
        return math.isqrt(radicand)
    return Surd.root(radicand, p)


def rational_root(number: Fraction, p: int = P) -> Value:
    """The fingerprint of sqrt(number) for a rational number > 0: Π sqrt(prime), so that sqrt(8) = 2·sqrt(2)."""
    result: Value = pow(number.denominator, -1, p)
    rest = number.numerator * number.denominator
    if math.isqrt(rest) ** 2 == rest:
        return math.isqrt(rest) * result % p
    divisor = 2
    while divisor * divisor <= rest and divisor < 1000:
        while rest % (divisor * divisor) == 0:
            rest //= divisor * divisor
            result = result * divisor % p
        if rest % divisor == 0:
            rest //= divisor
            result = result * _prime_root(divisor, p) % p
        divisor += 1
    return result * _prime_root(rest, p) % p if rest > 1 else result


def _prime_root(prime: int, p: int) -> Value:
    """A root of 2 lies in the field itself; any other is adjoined."""
    return _root_of_two(p) if prime == 2 else Surd.root(prime % p, p)


@lru_cache
def _root_of_two(p: int) -> int:
    """2^((p + 1)/4) modulo a prime, as p = 7 modulo 8; modulo P, the number that is that modulo both primes."""
    if p != P:
        return pow(2, (p + 1) // 4, p)
    (one, a), (other, b) = ((prime, _root_of_two(prime)) for prime in PRIMES)
    return a + one * ((b - a) * pow(one, -1, other) % other)
