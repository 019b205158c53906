"""From polynomials in e^{iθ} back to sines and cosines, in the ways that could be short."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from operator import add
from typing import TypeVar

from multibody.graph.closed_forms.fourier import (
    Carriers,
    Fourier,
    Monomial,
    Powers,
    carriers_along,
    choices_of_powers,
    fourier,
    parts_of,
)
from multibody.graph.closed_forms.laurent import Ring, Terms
from multibody.graph.closed_forms.printed_size import number_size, printed_size
from multibody.graph.closed_forms.trigonometric import (
    Circular,
    Frequency,
    chebyshev,
    direction,
    finest_groups,
    multiple_angle,
    one_group,
)
from multibody.graph.expr import Expr, constant
from multibody.graph.functions import cos, sin, tan

Poly = dict[Monomial, Fraction]
"""A polynomial in atoms: symbols, sines, cosines, tangents, and what is opaque."""

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")

Expansion = list[tuple[Monomial, int]]

_FUNCTIONS = {"cos": cos, "sin": sin, "tan": tan}
_OTHER = {"cos": "sin", "sin": "cos"}
_FIRST = 1 << 20  # atoms below are generators of the ring


class RealForms:
    """Real forms of polynomials over one ring.

    Args:
        ring: whose generators the polynomials have.
        meanings: what the generators stand for.
        divisions: the n of e^{iθ/n}, for each angle.
    """

    def __init__(self, ring: Ring, meanings: dict[int, Expr], divisions: dict[int, int]) -> None:
        self._ring = ring
        self._meanings = meanings
        self._divisions = divisions
        self._ids: dict[Circular, int] = {}
        self._circular: list[Circular] = []
        self._sizes: dict[int, int] = {}

    def expression(self, atom: int) -> Expr:
        """What an atom represents."""
        if atom < _FIRST:
            return self._meanings[atom]
        kind, frequency = self._circular[atom - _FIRST]
        angles = zip(self._ring.angles, frequency, strict=False)
        parts = [constant(Fraction(k, self._divisions[i])) * self._meanings[i] for i, k in angles if k]
        return _FUNCTIONS[kind](sum(parts[1:], start=parts[0]))

    def size_of_atom(self, atom: int) -> int:
        """How long an atom is to read."""
        if atom not in self._sizes:
            self._sizes[atom] = printed_size(self.expression(atom))
        return self._sizes[atom]

    def size(self, poly: Poly) -> int:
        """How long a polynomial is to read as a plain sum."""
        powers = sum(self.size_of_atom(atom) + 1 + 2 * (abs(e) > 1) for monomial in poly for atom, e in monomial)
        return powers + sum(map(number_size, poly.values()))

    def shortest(self, terms: Terms, number: int, finished: Callable[[Poly], Poly]) -> list[Poly]:
        """Forms of a real polynomial divided by a number, the shortest first; ``finished`` completes each of them."""
        parts = parts_of(self._ring, terms)
        groups = finest_groups(frozenset(frequency for part in parts.values() for frequency in part))
        groupings = (finest_groups, lambda _: groups, one_group)
        polynomials = _distinct(fourier(self._ring, parts, grouping) for grouping in groupings)
        forms = (form for polynomial in polynomials for form in self._forms(polynomial, number, finished))
        return sorted(_distinct(forms), key=self.size)

    def _forms(self, polynomial: Fourier, number: int, finished: Callable[[Poly], Poly]) -> Iterator[Poly]:
        """Forms over the choices of powers and carriers."""

        def form(powers: Powers, carriers: Carriers | None = None) -> Poly:
            return finished(self._with_powers(polynomial, number, powers, carriers or {}))

        best, powers = form({}), Powers()
        yield best
        choices = choices_of_powers(polynomial)
        for primitive, options in choices.items():  # the shortest when they are changed one by one
            for option in options:
                poly = form(powers | {primitive: option})
                if self.size(poly) < self.size(best):
                    best, powers = poly, powers | {primitive: option}
        yield best
        for i in range(2 * bool(choices)):  # all cosines, all sines
            yield form({primitive: options[i] for primitive, options in choices.items()})
        for primitive, options in choices.items():
            carriers = carriers_along(polynomial, primitive)
            for i in range(2 * bool(carriers)):
                yield form(powers | {primitive: options[i]}, carriers)

    def _with_powers(self, polynomial: Fourier, number: int, powers: Powers, carriers: Carriers) -> Poly:
        """The polynomial with multiple angles written as powers, where that is wanted."""
        expanded: dict[tuple[Circular, ...], Expansion] = {}
        result: Poly = {}
        for (plain, product), c in polynomial.items():
            self._ring.budget.spend(len(result))
            if product not in expanded:
                expanded[product] = self._expanded(product, powers, carriers)
            for monomial, factor in expanded[product]:
                key = plain + monomial
                result[key] = result.get(key, Fraction(0)) + c * factor
        return self._merged({monomial: c / number for monomial, c in result.items() if c})

    def _expanded(self, product: tuple[Circular, ...], powers: Powers, carriers: Carriers) -> Expansion:
        result: Expansion = [((), 1)]
        for kind, frequency in product:
            if frequency in carriers:
                factors = list(self._carried(kind, *carriers[frequency]))
            else:
                factors = self._powers(kind, frequency, powers)
            result = [(times(monomial, other), c * d) for monomial, c in result for other, d in factors]
        return result

    def _powers(self, kind: str, frequency: Frequency, powers: Powers) -> Expansion:
        primitive, n = direction(frequency)
        kept, base = powers.get(primitive, (kind, n))
        pair = [self._atom(name, tuple(base * k for k in primitive)) for name in ("cos", "sin")]
        return [(times((), zip(pair, e, strict=True)), c) for e, c in multiple_angle(kind, n // base, kept)]

    def _carried(self, kind: str, a: Frequency, b: Frequency, n: int) -> Iterator[tuple[Monomial, int]]:
        """sin(a + n·b) = Uₙ₋₁(cos b)·sin(a + b) - Uₙ₋₂(cos b)·sin a, and the same for cos."""
        cosine = self._atom("cos", direction(b)[0])
        for frequency, multiple, sign in ((tuple(map(add, a, b)), n, 1), (a, n - 1, -1)):
            first = next(k for k in frequency if k)
            primitive, m = direction(frequency if first > 0 else tuple(-k for k in frequency))
            atom = self._atom(kind, tuple(m * k for k in primitive))
            turned = -sign if first < 0 and kind == "sin" else sign
            yield from ((times(((cosine, e),), ((atom, 1),)), turned * c) for e, c in chebyshev(multiple))

    def _atom(self, kind: str, frequency: Frequency) -> int:
        key = (kind, frequency)
        if key not in self._ids:
            self._ids[key] = _FIRST + len(self._circular)
            self._circular.append(key)
        return self._ids[key]

    def _merged(self, poly: Poly) -> Poly:
        """X - X·sin² as X·cos², and the other way round."""
        result = dict(poly)
        squares = [(monomial, atom) for monomial in poly for atom, e in monomial if e >= 2 and atom >= _FIRST]
        for monomial, atom in sorted(squares, key=lambda square: -len(square[0])):
            rest = times(monomial, ((atom, -2),))
            kind, frequency = self._circular[atom - _FIRST]
            if kind in _OTHER and monomial in result and result.get(rest) == -result[monomial]:
                merged = times(rest, ((self._atom(_OTHER[kind], frequency), 2),))
                result[merged] = result.get(merged, Fraction(0)) + result.pop(rest)
                del result[monomial]
        return {monomial: c for monomial, c in result.items() if c}

    def with_tangents(self, poly: Poly) -> Poly:
        """sin/cos as tan, unless a cosine is left below."""
        result: Poly = {}
        for monomial, c in poly.items():
            below = [(atom, -e) for atom, e in monomial if e < 0 and atom >= _FIRST]
            for atom, n in below:
                kind, frequency = self._circular[atom - _FIRST]
                if kind == "cos":
                    sine, tangent = self._atom("sin", frequency), self._atom("tan", frequency)
                    monomial = times(monomial, ((atom, n), (sine, -n), (tangent, n)))
                    if dict(monomial).get(sine, 0) < 0:
                        return poly
            result[monomial] = c
        return result


def _distinct(polynomials: Iterable[dict[_Key, _Value]]) -> list[dict[_Key, _Value]]:
    return list({frozenset(polynomial.items()): polynomial for polynomial in polynomials}.values())


def times(a: Monomial, b: Iterable[tuple[int, int]]) -> Monomial:
    """The product of two monomials."""
    result = dict(a)
    for atom, exponent in b:
        result[atom] = result.get(atom, 0) + exponent
    return tuple(sorted((atom, e) for atom, e in result.items() if e))
