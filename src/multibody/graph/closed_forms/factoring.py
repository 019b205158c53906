"""A polynomial as a short nest of sums and products.

Greedy algebraic factoring, as in logic synthesis (Brayton and McMullen 1982; for polynomials Hosangadi, Fallah and
Kastner 2006): of all divisors with several terms that can be seen in the polynomial (its kernels, and what two of them
have in common), the one that saves most is taken out, P = Q·K + R, and the same is done with Q, K and R. Squares of
sums, which no kernel shows, are found as quadratic forms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from math import gcd, inf, isqrt, lcm
from operator import add, lshift, sub

from multibody.graph.closed_forms.laurent import Budget, LimitReachedError
from multibody.graph.closed_forms.nested import Factors, NestedSum
from multibody.graph.closed_forms.printed_size import number_size
from multibody.graph.expr import Expr

Exponents = tuple[int, ...]
Matrix = dict[int, dict[int, Fraction]]


def linear_factors(poly: dict[Exponents, int]) -> tuple[Fraction, list[dict[Exponents, int]]] | None:
    """(number, two linear forms) whose product is the given polynomial, if it is a quadratic form with squares in it.

    It is done by completing the square: a·P = L² - B, where B must be a square too, a·P = (L + M)·(L - M). The
    variables are atoms, or else products of atoms, as in (l₁·cos q₁ + l₂·cos q₂)².

    Example:
        >>> linear_factors({(2, 0): 1, (1, 1): 2, (0, 2): 1})  # (x + y)²
        (Fraction(1, 1), [{(1, 0): 1, (0, 1): 1}, {(1, 0): 1, (0, 1): 1}])
    """
    variables = _variables(poly)
    if len(poly) > len(variables) * (len(variables) + 1) // 2:
        return None
    matrix = _symmetric(poly, variables)
    pivot = next((i for i in matrix if matrix[i].get(i)), None)
    root = None if pivot is None else _square_root(_remainder(matrix, pivot))
    if pivot is None or root is None:
        return None
    row, number = matrix[pivot], 1 / matrix[pivot][pivot]
    forms = []
    for sign in (1, -1):
        form = {i: row.get(i, 0) + sign * root.get(i, 0) for i in matrix}
        scale = lcm(*(Fraction(c).denominator for c in form.values()))
        number /= scale
        forms.append({variables[i]: int(c * scale) for i, c in form.items() if c})
    return number, forms


def _variables(poly: dict[Exponents, int]) -> list[Exponents]:
    """What the form is quadratic in: single atoms, or the monomials whose squares occur."""
    if all(sum(exponents) == 2 for exponents in poly):
        columns = list(zip(*poly, strict=True))
        return [tuple(int(i == j) for j, _ in enumerate(columns)) for i, column in enumerate(columns) if any(column)]
    return [tuple(e // 2 for e in exponents) for exponents in poly if not any(e % 2 for e in exponents)]


def _symmetric(poly: dict[Exponents, int], variables: list[Exponents]) -> Matrix:
    """The matrix A of the form xᵀ·A·x, row by row, without zeros; empty if the polynomial does not have such a form."""
    pairs = combinations_with_replacement(range(len(variables)), 2)
    places = {tuple(map(add, variables[i], variables[j])): (i, j) for i, j in pairs}
    matrix: Matrix = {}
    for exponents, c in poly.items():
        if exponents not in places:
            return {}
        i, j = places[exponents]
        value = Fraction(c) if i == j else Fraction(c, 2)
        matrix.setdefault(i, {})[j] = value
        matrix.setdefault(j, {})[i] = value
    return matrix


def _remainder(matrix: Matrix, pivot: int) -> Matrix:
    """B = L² - a·P, with L the pivot's row and a its diagonal element."""
    row = matrix[pivot]
    return {
        i: {j: row.get(i, Fraction(0)) * row.get(j, 0) - row[pivot] * matrix[i].get(j, 0) for j in matrix}
        for i in matrix
    }


def _square_root(matrix: Matrix) -> dict[int, Fraction] | None:
    """The linear form M with M² = xᵀ·B·x, if there is one with rational coefficients."""
    pivot = next((i for i in matrix if matrix[i][i]), None)
    if pivot is None:
        return {} if not any(any(row.values()) for row in matrix.values()) else None
    row, root = matrix[pivot], _rational_root(matrix[pivot][pivot])
    rank_one = all(matrix[i][j] * row[pivot] == row[i] * row[j] for i in matrix for j in matrix)
    return {i: c / root for i, c in row.items()} if root and rank_one else None


def _rational_root(number: Fraction) -> Fraction | None:
    if number < 0:
        return None
    root = Fraction(isqrt(number.numerator), isqrt(number.denominator))
    return root if root * root == number else None


Packed = dict[int, int]
"""A polynomial: exponents of the atoms, each in a field of bits -> coefficient."""

Rank = Callable[[int, int], float]

WIDTH = 16
LONG = 300
"""In a polynomial with more terms, only single atoms are tried as common factors."""

MANY = 40
"""So many kernels are compared with each other."""


class Factoring:
    """Factors polynomials in given atoms.

    Args:
        atoms: the expressions that the polynomials consist of.
        sizes: how long each of them is to read.
        budget: the time.
        rank: how good it is to take out a divisor, from the size of the terms before and after.
    """

    def __init__(self, atoms: Sequence[Expr], sizes: Sequence[int], budget: Budget, rank: Rank = sub) -> None:
        self._atoms = atoms
        self._sizes = sizes
        self._budget = budget
        self._rank = rank
        self._shifts = range(0, WIDTH * len(atoms), WIDTH)
        self._guard = sum(1 << shift + WIDTH - 1 for shift in self._shifts)
        self._odd = self._guard >> WIDTH - 1  # the lowest bit of each exponent
        self._known: dict[int, Exponents] = {}
        self._weights: dict[int, int] = {}

    def factors(self, poly: dict[Exponents, int]) -> Factors:
        """A short product for a polynomial other than zero."""
        self._budget.spend()
        low = tuple(map(min, zip(*poly, strict=True)))
        number = gcd(*poly.values()) * (-1 if all(c < 0 for c in poly.values()) else 1)
        rest = {tuple(map(sub, e, low)): c // number for e, c in poly.items()}
        outer = Factors(number, tuple((a, e) for a, e in zip(self._atoms, low, strict=True) if e))
        if len(rest) == 1:
            return outer  # all of it
        found = linear_factors(rest)
        if found is None:
            return outer * self._sum({self._pack(e): c for e, c in rest.items()})
        result = outer * Factors(found[0])
        for form in found[1]:
            result = result * self.factors(form)
        return result

    def _pack(self, exponents: Exponents) -> int:
        if max(exponents, default=0) >> WIDTH - 1:
            raise LimitReachedError
        key = sum(map(lshift, exponents, self._shifts))
        self._known[key] = exponents
        return key

    def _unpack(self, key: int) -> Exponents:
        if key not in self._known:
            mask = (1 << WIDTH) - 1
            self._known[key] = tuple(key >> shift & mask for shift in self._shifts)
        return self._known[key]

    def _factored(self, poly: Packed) -> Factors:
        return self.factors({self._unpack(key): c for key, c in poly.items()})

    def _sum(self, poly: Packed) -> Factors:
        """A product if one divisor is found for all terms, otherwise a sum."""
        addends: list[Factors] = []
        while poly and (best := self._best_divisor(poly)) is not None:
            divisor, quotient, poly = best
            addends.append(self._factored(quotient) * self._factored(divisor))
        addends += [self._factored({key: c}) for key, c in poly.items()]
        return addends[0] if len(addends) == 1 else Factors(1, ((NestedSum(tuple(addends)), 1),))

    def _best_divisor(self, poly: Packed) -> tuple[Packed, Packed, Packed] | None:
        """K, Q, R with P = Q·K + R, where K saves most."""
        best: tuple[Packed, Packed, Packed] | None = None
        highest = -inf
        for divisor in self._divisors(poly):
            self._budget.spend()
            quotient, covered = divided(poly, divisor)
            gone = sum(self._weight(key, poly[key]) for key in covered)
            left = self._size(quotient) + self._divisor_size(divisor) + (2 if len(quotient) > 1 else 1)  # parentheses
            if left < gone and (rank := self._rank(gone, left)) > highest:
                best = divisor, quotient, {key: c for key, c in poly.items() if key not in covered}
                highest = rank
        return best

    def _divisors(self, poly: Packed) -> list[Packed]:
        """Kernels, that is what is left of the terms with a common factor, what two of them share, and squares."""
        kernels: dict[frozenset[tuple[int, int]], Packed] = {}
        promise: dict[frozenset[tuple[int, int]], int] = {}
        for common in self._common_factors(poly):
            self._budget.spend()
            multiples = {m: c for m, c in poly.items() if (m | self._guard) - common & self._guard == self._guard}
            if len(multiples) > 1:
                kernel = self._normalised(multiples)
                key = frozenset(kernel.items())
                kernels[key] = kernel
                promise[key] = promise.get(key, 0) + (len(kernel) - 1) * self._weight(common, 1)
        likely = sorted(kernels, key=promise.__getitem__, reverse=True)[:MANY]
        for shared in (a & b for a, b in combinations(likely, 2)):
            if len(shared) > 1 and shared not in kernels:
                kernels[shared] = self._normalised(dict(shared))
        return [*kernels.values(), *map(self._normalised, self._squares(poly))]

    def _common_factors(self, poly: Packed) -> set[int]:
        """Of any two terms; in a long polynomial only single atoms."""
        if len(poly) > LONG:
            return {1 << shift for shift in self._shifts}
        exponents = [self._unpack(key) for key in poly]
        return {self._pack(common) for common in {tuple(map(min, a, b)) for a, b in combinations(exponents, 2)}} - {0}

    def _squares(self, poly: Packed) -> Iterator[Packed]:
        """Three terms c²·a² ± 2·c·d·a·b + d²·b²."""
        candidates = [key for key, c in poly.items() if isqrt(abs(c)) ** 2 == abs(c)]
        for a, b in combinations(candidates, 2):
            middle = a + b >> 1
            if not (a + b) & self._odd and poly.get(middle, 0) ** 2 == 4 * poly[a] * poly[b]:
                yield {key: poly[key] for key in (a, middle, b)}

    def _normalised(self, poly: Packed) -> Packed:
        """Without common factors, and with a positive first coefficient."""
        low = self._pack(tuple(map(min, zip(*map(self._unpack, poly), strict=True))))
        number = gcd(*poly.values())
        number = number if poly[max(poly)] > 0 else -number
        return {key - low: c // number for key, c in poly.items()}

    def _size(self, poly: Packed) -> int:
        return sum(self._weight(key, c) for key, c in poly.items())

    def _divisor_size(self, poly: Packed) -> int:
        """The size of a divisor, which is shorter if it is a product itself."""
        square = any(not key & self._odd for key in poly)
        found = linear_factors({self._unpack(key): c for key, c in poly.items()}) if square else None
        if found is None:
            return self._size(poly)
        first, second = ({self._pack(e): c for e, c in form.items()} for form in found[1])
        return self._size(first) + (2 if first == second else self._size(second))

    def _weight(self, key: int, number: int) -> int:
        """How long a term is to read, with the operator before it."""
        if key not in self._weights:
            powers = zip(self._sizes, self._unpack(key), strict=True)
            self._weights[key] = sum(size + 1 + 2 * (e > 1) for size, e in powers if e) or 2
        return self._weights[key] + number_size(number)


def divided(poly: Packed, divisor: Packed) -> tuple[Packed, set[int]]:
    """The terms of Q such that all products with the divisor's terms are there to be seen, and which these are."""
    (first, lead), *others = divisor.items()
    quotient: Packed = {}
    covered: set[int] = set()
    for key, c in poly.items():
        place = key - first
        if c % lead or key in covered:
            continue
        factor = c // lead
        if all(poly.get(place + e) == factor * d and place + e not in covered for e, d in others):
            quotient[place] = factor
            covered.update(place + e for e in divisor)
    return quotient, covered
