"""Sparse Laurent polynomials with whole coefficients.

Their generators stand for symbols, for e^{iθ} of an angle θ, for roots, and for anything opaque; the first one is the
imaginary unit. A monomial is one integer in which the exponent of each generator, positive or negative, has a field of
bits: the product of two monomials is the sum of two integers, and their order as integers is a monomial order (Bachmann
and Schönemann 1998; Monagan and Pearce 2011).
"""

from __future__ import annotations

from collections.abc import Iterable

Terms = dict[int, int]
"""A polynomial: monomial -> coefficient other than zero."""

I = 1  # noqa: E741 - everybody's name for it
"""The imaginary unit as a monomial."""

WIDTH = 20
_MASK, _HALF = (1 << WIDTH) - 1, 1 << WIDTH - 2

STEP, TERM = 5e-5, 1e-6
"""Seconds that a step, and each term of its result, take on an ordinary machine."""


class LimitReachedError(Exception):
    """The time is over, a polynomial has become too large, or an expression has no such form."""


class Budget:
    """How long a computation may last, and how many terms a polynomial may have.

    Steps are counted, and no clock is read: what is found must not depend on the machine, or on how busy it is.

    Args:
        seconds: that an ordinary machine would take.
        size: the number of terms.
        whole: the budget that this one is a part of.
    """

    def __init__(self, seconds: float, size: int, whole: Budget | None = None) -> None:
        self.size = size
        self._left = seconds
        self._whole = whole

    def share(self, part: float) -> Budget:
        """A part of the time that is left; what is spent of it is spent of the whole, too."""
        return Budget(part * max(0.0, self._left), self.size, self)

    def spend(self, terms: int = 0) -> None:
        """Go on only if there is time left, and if the number of terms is within the limit."""
        over = terms > self.size
        budget: Budget | None = self
        while budget is not None:
            budget._left -= STEP + TERM * terms
            over |= budget._left < 0.0
            budget = budget._whole
        if over:
            raise LimitReachedError


class Ring:
    """The generators, and the relations i² = -1, and r² = p for each root r.

    Attributes:
        count: how many generators there are.
        angles: the generators that stand for e^{iθ}.
        squares: the polynomial p for each root.

    Example:
        >>> ring = Ring(Budget(1.0, 100))
        >>> x = ring.monomial(ring.generator())
        >>> ring.product({x: 1, I - x: 1}, {x: 1, I - x: -1}) == {2 * x: 1, -2 * x: 1}  # (x + i/x)·(x - i/x)
        True
    """

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.count = 0
        self.angles: list[int] = []
        self.squares: dict[int, Terms] = {}
        self._bias = self._guard = 0
        self.generator()  # the imaginary unit

    def generator(self) -> int:
        """The index of a new generator."""
        self._bias += _HALF << WIDTH * self.count
        self._guard += 2 * _HALF << WIDTH * self.count
        self.count += 1
        return self.count - 1

    def monomial(self, generator: int, exponent: int = 1) -> int:
        """A power of a generator."""
        return exponent << WIDTH * generator

    def exponents(self, monomial: int) -> list[int]:
        """The exponent of each generator."""
        shifted = monomial + self._bias
        return [(shifted >> WIDTH * i & _MASK) - _HALF for i in range(self.count)]

    def exponent(self, monomial: int, generator: int) -> int:
        """The exponent of one generator."""
        return (monomial + self._bias >> WIDTH * generator & _MASK) - _HALF

    def divides(self, a: int, b: int) -> bool:
        """Whether no exponent of a monomial is larger than that of another one."""
        return b - a + self._bias & self._bias == self._bias

    def check(self, monomials: Iterable[int]) -> None:
        """Go on only if all exponents fit into their fields."""
        if any(monomial + self._bias & self._guard for monomial in monomials):
            raise LimitReachedError

    def box(self, terms: Iterable[int]) -> tuple[list[int], list[int]]:
        """The smallest and the largest exponent of each generator."""
        columns = list(zip(*map(self.exponents, terms), strict=True))
        return [min(column) for column in columns], [max(column) for column in columns]

    def combined(self, a: Terms, factor: int, b: Terms, other: int) -> Terms:
        """factor·a + other·b."""
        result = {monomial: factor * c for monomial, c in a.items()}
        for monomial, c in b.items():
            result[monomial] = result.get(monomial, 0) + other * c
        self.budget.spend(len(result))
        return {monomial: c for monomial, c in result.items() if c}

    def product(self, a: Terms, b: Terms) -> Terms:
        """a·b in normal form."""
        if len(a) > len(b):
            a, b = b, a
        result: Terms = {}
        for monomial, c in a.items():
            self.budget.spend(len(result) // 4)  # much may cancel
            for other, d in b.items():
                key = monomial + other
                result[key] = result.get(key, 0) + c * d
        return self._reduced(result)

    def power(self, a: Terms, exponent: int) -> Terms:
        """A natural power of a."""
        result: Terms = {0: 1}
        for _ in range(exponent):
            result = self.product(result, a)
        return result

    def conjugate(self, terms: Terms) -> Terms:
        """The complex conjugate: e^{iθ} becomes e^{-iθ}, and i becomes -i."""
        result = {}
        for monomial, c in terms.items():
            angles = sum(self.monomial(i, self.exponent(monomial, i)) for i in self.angles)
            result[monomial - 2 * angles] = -c if monomial & I else c
        return result

    def _reduced(self, terms: Terms) -> Terms:
        """Apply the relations, so that i and each root occur at most once in a term."""
        result = dict(terms)
        for monomial in [m for m in result if m & 2 * I]:
            result[monomial - 2 * I] = result.get(monomial - 2 * I, 0) - result.pop(monomial)
        result = {monomial: c for monomial, c in result.items() if c}
        self.budget.spend(len(result))
        self.check(result)
        for root, square in self.squares.items():
            result = self._without_squares(result, root, square)
        return result

    def _without_squares(self, terms: Terms, root: int, square: Terms) -> Terms:
        squared = {m: c for m, c in terms.items() if self.exponent(m, root) >= 2}
        if not squared:
            return terms
        rest = {monomial: c for monomial, c in terms.items() if monomial not in squared}
        lower = {monomial - self.monomial(root, 2): c for monomial, c in squared.items()}
        return self.combined(rest, 1, self.product(lower, square), 1)
