"""Closed forms of expressions: read as quotients, written in several ways, compared by how long they print."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import inf, lcm
from operator import sub, truediv
from typing import Any, NamedTuple

from multibody.graph.closed_forms.factoring import Factoring
from multibody.graph.closed_forms.fourier import Monomial
from multibody.graph.closed_forms.laurent import Budget, LimitReachedError, Ring, Terms
from multibody.graph.closed_forms.nested import Factors, NestedSum
from multibody.graph.closed_forms.printed_size import printed_size
from multibody.graph.closed_forms.quotient import Quotient
from multibody.graph.closed_forms.rational_form import RationalForms
from multibody.graph.closed_forms.real_forms import Poly, RealForms, times
from multibody.graph.closed_forms.squares import completed_square
from multibody.graph.expr import ZERO, Constant, Expr, Symbol, constant
from multibody.graph.functions import power
from multibody.graph.identity import same
from multibody.graph.piecewise.conditions import Condition
from multibody.graph.text.arrangement import Sum as Arranged, arranged
from multibody.graph.traverse import rebuilt

Exponents = tuple[int, ...]


class Collected(NamedTuple):
    """A polynomial, and the expressions that it is a polynomial in."""

    poly: dict[Exponents, Fraction]
    atoms: list[Expr]


def collected(poly: dict[Exponents, Fraction], atoms: list[Expr]) -> Collected:
    """Terms that differ only by numbers become one; numbers that stand alone stay as they are.

    Example:
        >>> from multibody.graph.functions import symbols
        >>> (x,) = symbols("x")
        >>> collected({(1, 1, 0): Fraction(1), (1, 0, 1): Fraction(2)}, [x, constant(2.5), constant(1.25)]).poly
        {(1, 0, 0): Fraction(5, 1)}
    """
    numbers = [i for i, atom in enumerate(atoms) if isinstance(atom, Constant)]
    groups: dict[Exponents, list[Exponents]] = {}
    for exponents in poly:
        groups.setdefault(tuple(0 if i in numbers else e for i, e in enumerate(exponents)), []).append(exponents)
    result: dict[Exponents, Fraction] = {}
    added: list[Expr] = []
    for plain, group in groups.items():
        if len(group) == 1:
            result[group[0]] = poly[group[0]]
        else:
            rational, rest = _separated(_total(group, poly, atoms, numbers))
            if rational:
                added += rest
                result[(*plain, *[0] * (len(added) - len(rest)), *[1] * len(rest))] = rational
    width = len(atoms) + len(added)
    return Collected({(*e, *[0] * (width - len(e))): c for e, c in result.items()}, [*atoms, *added])


def _total(group: list[Exponents], poly: dict[Exponents, Fraction], atoms: list[Expr], numbers: list[int]) -> Constant:
    """The sum of the numerical factors of some terms."""
    total: Expr = ZERO
    for exponents in group:
        factor: Expr = constant(poly[exponents])
        for i in numbers:
            factor = factor * power(atoms[i], exponents[i])
        total = total + factor
    assert isinstance(total, Constant), "constants fold"
    return total


def _separated(number: Constant) -> tuple[Fraction, list[Expr]]:
    """A number as a rational factor, and an atom if there has to be one; the factor is zero if the number is."""
    if number.rounded or isinstance(number.value, float):
        return (Fraction(1), [number]) if number.value >= 0 else (Fraction(-1), [-number])
    return Fraction(number.value), []


EFFORT = 2000
"""So much may be there to read in all forms of a polynomial that are factored; of a long one only the first is."""

HOPELESS = 10
"""A plain sum that is so many times longer than the expression itself will not become shorter by factoring."""


class Writer:
    """Writes closed forms of expressions, and of the arguments of functions in them.

    Args:
        nodes: all nodes that will be met.
        budget: the limits.
    """

    def __init__(self, nodes: list[Any], budget: Budget) -> None:
        self._budget = budget
        self._done: dict[Any, Any] = {}
        self._divisors: dict[int, tuple[Factors, Monomial]] = {}
        self._ring = Ring(budget)
        self._rational = RationalForms(self._ring, nodes, self.closed)
        self._real = RealForms(self._ring, self._rational.meanings, self._rational.divisions)

    def closed(self, node: Any) -> Any:
        """The closed form of an expression or condition."""
        if node not in self._done:
            self._done[node] = self._made(node)
        return self._done[node]

    def _made(self, node: Any) -> Any:
        if isinstance(node, Symbol | Constant):
            return node
        if isinstance(node, Condition):
            return rebuilt(node, [self.closed(arg) for arg in node.args])
        found = []
        try:
            for product in self._ways(node):
                found.append(product.expression())  # noqa: PERF401 - what is found before a limit is reached counts
        except LimitReachedError:
            if not found:
                raise
        by_size = sorted([node, *found], key=printed_size)
        return next(form for form in by_size if form is node or same(form, node, points=2))

    def _ways(self, node: Any) -> Iterator[Factors]:
        """Several ways to write an expression: as one quotient, and as a sum of quotients."""
        lowest = self._rational.arithmetic.lowest
        whole = lowest(self._rational.read(node))
        yield from self._products(whole, HOPELESS * printed_size(node))
        parts = self._parts(node)
        if len(parts) > 1 and sum(map(self._terms, parts)) < self._terms(whole):
            yield _sum(*(self._shortest(lowest(part)) for part in parts))

    def _parts(self, node: Any) -> list[Quotient]:
        """The terms of a sum, with those of equal denominator added."""
        arithmetic, arrangement = self._rational.arithmetic, arranged(node, ())
        parts: dict[frozenset[tuple[int, int]], Quotient] = {}
        for sign, count, term in arrangement.terms if isinstance(arrangement, Arranged) else ():
            part = arithmetic.product(self._rational.read(term), Quotient({0: sign * count}))
            key = frozenset(part.under.items())
            parts[key] = arithmetic.sum(parts[key], part) if key in parts else part
        return list(parts.values())

    def _terms(self, quotient: Quotient) -> int:
        """How many terms a quotient has above and below."""
        return len(quotient.over) + sum(len(self._rational.arithmetic.factors[index]) for index in quotient.under)

    def _products(self, quotient: Quotient, longest: float = inf) -> Iterator[Factors]:
        """Several ways to write a quotient as a product, from numerators that are not longer than given."""
        if not quotient.over:
            yield Factors(0)
            return
        below, single = self._denominator(quotient.under)

        def finished(poly: Poly) -> Poly:
            divided = {times(monomial, single): c for monomial, c in poly.items()}
            return self._real.with_tangents(divided)

        forms = self._real.shortest(quotient.over, quotient.number, finished if single else lambda poly: poly)
        for poly in forms[: max(1, EFFORT // (1 + self._real.size(forms[0])))]:
            if self._real.size(poly) > longest:
                return
            for above in self._factored(poly):
                yield above * below
        if not single:
            yield from (above * below for above in self._with_square(quotient.over, quotient.number))

    def _shortest(self, quotient: Quotient) -> Factors:
        return min(self._products(quotient), key=lambda product: printed_size(product.expression()))

    def _denominator(self, under: dict[int, int]) -> tuple[Factors, Monomial]:
        """The reciprocal of a denominator: its sums as factors, and what consists of a single term as a monomial."""
        below, single = Factors(1), Monomial()
        for index, exponent in under.items():
            if index not in self._divisors:
                self._divisors[index] = self._divisor(self._rational.arithmetic.factors[index])
            factors, monomial = self._divisors[index]
            below = below * factors**-exponent
            single = times(single, [(atom, -e * exponent) for atom, e in monomial])
        return below, single

    def _divisor(self, factor: Terms) -> tuple[Factors, Monomial]:
        form = self._real.shortest(factor, 1, lambda poly: poly)[0]
        if len(form) > 1:
            return self._shortest(Quotient(factor)), ()
        ((monomial, c),) = form.items()
        return Factors(c), monomial

    def _factored(self, poly: Poly) -> Iterator[Factors]:
        """Products for a polynomial, by greed for the largest saving, and for the largest in proportion."""
        ids = sorted({atom for monomial in poly for atom, _ in monomial})
        dense = {tuple(dict(monomial).get(atom, 0) for atom in ids): c for monomial, c in poly.items()}
        short, atoms = collected(dense, [self._real.expression(atom) for atom in ids])
        number = lcm(*(c.denominator for c in short.values()))
        whole = {exponents: int(c * number) for exponents, c in short.items()}
        for rank in (sub, truediv) if 2 * self._real.size(poly) < EFFORT else (sub,):
            factoring = Factoring(atoms, [printed_size(atom) for atom in atoms], self._budget, rank)
            yield factoring.factors(whole) * Factors(Fraction(1, number)) if whole else Factors(0)

    def _with_square(self, over: Terms, number: int) -> Iterator[Factors]:
        """A polynomial with a completed square in it."""
        square = completed_square(self._ring, over)
        if square is not None:
            root, left, rest = (self._shortest(Quotient(terms)) for terms in (square.root, square.left, square.rest))
            weight = self._shortest(Quotient({square.weight: 1}))
            yield _sum(weight * _sum(root**2, left), rest) * Factors(Fraction(1, number * square.number))


def _sum(*addends: Factors) -> Factors:
    """A sum as a product with one factor."""
    found = [addend for addend in addends if addend.number]
    return found[0] if len(found) == 1 else Factors(1, ((NestedSum(tuple(found)), 1),))
