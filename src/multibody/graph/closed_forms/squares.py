"""Squares inside a polynomial: m·(a²·l² + 2·a·b·l + c) = m·((a·l + b)² + c - b²), a mass times velocities squared."""

from __future__ import annotations

from math import isqrt
from typing import NamedTuple

from multibody.graph.closed_forms.division import divided
from multibody.graph.closed_forms.laurent import I, Ring, Terms


class Square(NamedTuple):
    """number·P = weight·(root² + left) + rest, where the weight is a monomial."""

    number: int
    weight: int
    root: Terms
    left: Terms
    rest: Terms


def completed_square(ring: Ring, terms: Terms) -> Square | None:
    """The completed square that leaves the fewest terms, if these are fewer than before."""
    low, high = ring.box(terms)
    plain = [i for i in range(1, ring.count) if i not in ring.angles and i not in ring.squares]
    content = sum(ring.monomial(i, low[i]) for i in plain)
    primitive = {monomial - content: c for monomial, c in terms.items()}
    degree = {i: high[i] - low[i] for i in plain}
    weights = [None, *(i for i in plain if degree[i] == 1)]
    lengths = [i for i in plain if degree[i] == 2]
    tried = [_completed(ring, primitive, weight, length) for weight in weights for length in lengths]
    best = min((square for square in tried if square), key=_count, default=None)
    if best is None or _count(best) >= len(terms):
        return None
    return best._replace(weight=best.weight + content, rest={m + content: c for m, c in best.rest.items()})


def _count(square: Square) -> int:
    return len(square.root) + len(square.left) + len(square.rest)


def _completed(ring: Ring, terms: Terms, weight: int | None, length: int) -> Square | None:
    """The square in the coefficient of a generator, or in all terms, completed with respect to another generator."""
    unit = 0 if weight is None else ring.monomial(weight)
    part = {m - unit: c for m, c in terms.items() if weight is None or ring.exponent(m, weight)}
    powers: list[Terms] = [{}, {}, {}]
    for monomial, c in part.items():
        e = ring.exponent(monomial, length)
        powers[e][monomial - ring.monomial(length, e)] = c
    if not powers[1] or not powers[2]:
        return None
    number = _to_square(powers[2][max(powers[2])])
    a = square_root(ring, {m: number * c for m, c in powers[2].items()})
    double = divided(ring, powers[1], a) if a else None  # 2·b = number·B/a
    if a is None or double is None or any(number * c % (2 * double[1]) for c in double[0].values()):
        return None
    b = {m: number * c // (2 * double[1]) for m, c in double[0].items()}
    root = {m + ring.monomial(length): c for m, c in a.items()} | b
    left = ring.combined(part, number, ring.product(root, root), -1)
    return Square(number, unit, root, left, {m: number * c for m, c in terms.items() if m - unit not in part})


def _to_square(number: int) -> int:
    """The smallest factor with small primes that makes a number a square, up to its sign."""
    rest, result = abs(number), 1
    for prime in (2, 3, 5, 7):
        while rest % prime == 0:
            rest //= prime
            result = result // prime if result % prime == 0 else result * prime
    return result


def square_root(ring: Ring, terms: Terms) -> Terms | None:
    """The real polynomial with this square, if there is one with whole coefficients.

    It is extracted term by term from the largest, as one does it by hand.

    Example:
        >>> from multibody.graph.closed_forms.laurent import Budget
        >>> ring = Ring(Budget(1.0, 100))
        >>> x, y = (ring.monomial(ring.generator()) for _ in range(2))
        >>> square_root(ring, {2 * x: 4, x + y: -12, 2 * y: 9}) in ({x: 2, y: -3}, {x: -2, y: 3})
        True
    """
    lead = max(monomial & ~I for monomial in terms)
    sign, half = (1, isqrt(terms.get(lead, 0))) if terms.get(lead, 0) >= 0 else (-1, isqrt(-terms[lead]))
    if sign * half * half != terms.get(lead) or lead + I in terms or any(e % 2 for e in ring.exponents(lead)):
        return None
    turn = I if sign < 0 else 0  # the root of a negative coefficient is imaginary
    root = {lead // 2 + turn: half}
    rest = ring.combined(terms, 1, ring.product(root, root), -1)
    while rest and len(root) < len(terms):
        top = max(monomial & ~I for monomial in rest)
        largest = {monomial: c for monomial, c in rest.items() if monomial in (top, top + I)}
        step = ring.product(largest, {turn - lead // 2: sign})  # 1/i = -i
        if any(c % (2 * half) for c in step.values()) or step.keys() & root.keys():
            return None
        step = {monomial: c // (2 * half) for monomial, c in step.items()}
        rest = ring.combined(rest, 1, ring.product(step, ring.combined(root, 2, step, 1)), -1)
        root |= step
    return root if not rest and root == ring.conjugate(root) else None
