"""Expressions as quotients of real polynomials: in symbols, sines, cosines, roots, and what is opaque."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from operator import mul
from typing import Any, NamedTuple

from multibody.graph.closed_forms.fourier import fourier, parts_of
from multibody.graph.closed_forms.ideals.ideal import Poly, add_multiple
from multibody.graph.closed_forms.laurent import Budget, Ring, Terms
from multibody.graph.closed_forms.rational_form import RationalForms
from multibody.graph.closed_forms.trigonometric import Circular, Frequency, Group, direction, multiple_angle
from multibody.graph.expr import ZERO, Expr, constant
from multibody.graph.functions import cos, power, sin

_FUNCTIONS = {"cos": cos, "sin": sin}


class Fractional(NamedTuple):
    """over / Π factorᵉ."""

    over: Poly
    under: list[tuple[Poly, int]]


class RealPolynomials:
    """Reads and writes expressions; sin² is read as 1 - cos², so that equal expressions become equal polynomials.

    Args:
        nodes: all nodes that will be met.
        budget: the limits.

    Attributes:
        ring: of the real polynomials.
        meanings: what each of its generators represents.
    """

    def __init__(self, nodes: list[Any], budget: Budget) -> None:
        self.ring = Ring(budget)
        self.meanings: dict[int, Expr] = {}
        self._complex = Ring(budget)
        self._rational = RationalForms(self._complex, nodes, lambda node: node)
        self._generators: dict[tuple[str, int], int] = {}

    def limit(self, budget: Budget) -> None:
        """Set the limits for what follows."""
        self.ring.budget = self._complex.budget = budget

    def read(self, node: Any) -> Fractional:
        """The quotient of an expression, in lowest terms."""
        quotient = self._rational.arithmetic.lowest(self._rational.read(node))
        if not quotient.over:
            return Fractional({}, [])
        low, _ = self._complex.box([0, *quotient.over])
        single = {i: -e for i, e in enumerate(low) if e < 0 and i not in self._complex.angles}
        raised = sum(self._complex.monomial(i, e) for i, e in single.items())
        over = self._real({m + raised: c for m, c in quotient.over.items()})
        factors = [(self._real(self._rational.arithmetic.factors[f]), e) for f, e in quotient.under.items()]
        singles = [({self._monomial("", i): Fraction(1)}, e) for i, e in single.items()]
        return Fractional({m: c / quotient.number for m, c in over.items()}, singles + factors)

    def relations(self, polys: list[Poly]) -> list[Poly]:
        """What is known of generators in polynomials: sin² + cos² = 1 of an angle, and r² = p of a root."""
        met = {i for poly in polys for m in poly for i, e in enumerate(self.ring.exponents(m)) if e}
        places = [place for place, generator in self._generators.items() if generator in met]
        circles = {index for kind, index in places if kind}
        roots = [index for kind, index in places if index in self._complex.squares]
        known = [self._squared("sin", i) | self._squared("cos", i) | {0: Fraction(-1)} for i in sorted(circles)]
        for index in roots:
            known.append(self._squared("", index))
            add_multiple(known[-1], Fraction(-1), 0, self._real(self._complex.squares[index]))
        return known

    def expression(self, poly: Poly) -> Expr:
        """The polynomial as an expression: a plain sum."""
        return sum((self._term(monomial, c) for monomial, c in poly.items()), ZERO)

    def product(self, a: Poly, b: Poly) -> Poly:
        """a·b."""
        result: Poly = {}
        for monomial, c in a.items():
            self.ring.budget.spend(len(result))
            add_multiple(result, c, monomial, b)
        self.ring.check(result)
        return result

    def _term(self, monomial: int, c: Fraction) -> Expr:
        exponents = enumerate(self.ring.exponents(monomial))
        return reduce(mul, [power(self.meanings[i], e) for i, e in exponents if e], constant(c))

    def _real(self, terms: Terms) -> Poly:
        """A real polynomial in e^{iθ} as one in sines and cosines."""
        result: Poly = {}
        for (plain, product), c in fourier(self._complex, parts_of(self._complex, terms), self._single_angles).items():
            monomial = sum(e * self._monomial("", i) for i, e in plain)
            for factor, n in reduce(self.product, map(self._powers, product), {0: Fraction(1)}).items():
                add_multiple(result, n * c, monomial + factor, {0: Fraction(1)})
            self.ring.budget.spend(len(result))
        self.ring.check(result)
        return result

    def _single_angles(self, _: frozenset[Frequency]) -> tuple[Group, ...]:
        return tuple((i,) for i in range(len(self._complex.angles)))

    def _powers(self, circular: Circular) -> Poly:
        """cos nθ or sin nθ as a polynomial in cos θ and sin θ."""
        kind, frequency = circular
        primitive, n = direction(frequency)
        angle = self._complex.angles[len(primitive) - 1]
        cosine, sine = self._monomial("cos", angle), self._monomial("sin", angle)
        return {a * cosine + b * sine: Fraction(c) for (a, b), c in multiple_angle(kind, n, "cos")}

    def _squared(self, kind: str, index: int) -> Poly:
        return {2 * self._monomial(kind, index): Fraction(1)}

    def _monomial(self, kind: str, index: int) -> int:
        return self.ring.monomial(self._generator(kind, index))

    def _generator(self, kind: str, index: int) -> int:
        """The generator for one of the complex ring, or for the sine or cosine of an angle of it."""
        if (kind, index) not in self._generators:
            self._generators[kind, index] = generator = self.ring.generator()
            self.meanings[generator] = self._meaning(kind, index)
        return self._generators[kind, index]

    def _meaning(self, kind: str, index: int) -> Expr:
        meaning = self._rational.meanings[index]
        share = constant(Fraction(1, self._rational.divisions.get(index, 1)))
        return _FUNCTIONS[kind](share * meaning) if kind else meaning
