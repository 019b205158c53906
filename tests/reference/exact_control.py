"""Reachable subspaces with fractions, and solutions of Riccati's equation with 50 digits.

Numbers of a model are binary fractions. If its matrices are rational in them, ranks are exact: no tolerance is needed.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import mpmath as mp

DIGITS = 50

Rows = list[list[Fraction]]


def fractions(rows: Any) -> Rows:
    """A matrix of exact numbers."""
    return [[Fraction(value) for value in row] for row in rows]


def product(left: Rows, right: Rows) -> Rows:
    """left·right."""
    columns = list(zip(*right, strict=True))
    return [[sum((a * b for a, b in zip(row, column, strict=True)), Fraction(0)) for column in columns] for row in left]


def transposed(rows: Rows) -> Rows:
    """The transpose."""
    return [list(column) for column in zip(*rows, strict=True)]


def solved(matrix: Rows, right: Rows) -> Rows:
    """matrix⁻¹·right by elimination."""
    n, work = len(matrix), [[*row, *other] for row, other in zip(matrix, right, strict=True)]
    for k in range(n):
        pivot = next(i for i in range(k, n) if work[i][k])
        work[k], work[pivot] = work[pivot], work[k]
        work[k] = [value / work[k][k] for value in work[k]]
        for i in range(n):
            if i != k and work[i][k]:
                work[i] = [a - work[i][k] * b for a, b in zip(work[i], work[k], strict=True)]
    return [row[n:] for row in work]


def reachable(A: Rows, B: Rows) -> Rows:
    """A basis of the smallest space with the columns of B that A maps into itself, as rows."""
    basis: Rows = []
    leads: list[int] = []
    waiting = transposed(B)
    while waiting:
        vector = waiting.pop(0)
        reduced = list(vector)
        for lead, known in zip(leads, basis, strict=True):
            if reduced[lead]:
                factor = reduced[lead] / known[lead]
                reduced = [a - factor * b for a, b in zip(reduced, known, strict=True)]
        lead = next((k for k, value in enumerate(reduced) if value), None)
        if lead is not None:
            basis.append(reduced)
            leads.append(lead)
            waiting.append([row[0] for row in product(A, [[value] for value in reduced])])
    return basis


def unreached_poles(A: Rows, B: Rows) -> list[Any]:
    """Eigenvalues of A modulo the reachable subspace."""
    n, basis = len(A), reachable(A, B)
    others: Rows = []
    for k in range(n):  # unit vectors that complete the basis
        unit = [Fraction(int(i == k)) for i in range(n)]
        if len(_independent([*basis, *others, unit])) > len(basis) + len(others):
            others.append(unit)
    if not others:
        return []
    columns = transposed([*basis, *others])
    changed = solved(columns, product(A, columns))
    rest = [row[len(basis) :] for row in changed[len(basis) :]]
    return eigenvalues(rest)


def _independent(rows: Rows) -> Rows:
    kept: Rows = []
    leads: list[int] = []
    for row in rows:
        reduced = list(row)
        for lead, known in zip(leads, kept, strict=True):
            if reduced[lead]:
                factor = reduced[lead] / known[lead]
                reduced = [a - factor * b for a, b in zip(reduced, known, strict=True)]
        lead = next((k for k, value in enumerate(reduced) if value), None)
        if lead is not None:
            kept.append(reduced)
            leads.append(lead)
    return kept


def precise(rows: Rows) -> Any:
    """A matrix of mpmath."""
    return mp.matrix([[mp.mpf(value.numerator) / value.denominator for value in row] for row in rows])


def eigenvalues(A: Rows) -> list[Any]:
    """With 50 digits, but for multiple ones, after the matrix is balanced."""
    with mp.workdps(2 * DIGITS):
        matrix = precise(A)
        n = len(A)
        for _ in range(10):
            for k in range(n):
                row = sum(abs(matrix[k, i]) for i in range(n) if i != k)
                column = sum(abs(matrix[i, k]) for i in range(n) if i != k)
                if row and column:
                    factor = mp.sqrt(column / row)
                    for i in range(n):
                        matrix[k, i] *= factor
                        matrix[i, k] /= factor
        return list(mp.eig(matrix, left=False, right=False)) if n > 1 else [matrix[0, 0]]


class Regulation(NamedTuple):
    """Gains and costs with 50 digits."""

    K: Any
    P: Any


def regulation(A: Any, B: Any, Q: Any, R: Any, K: Any) -> Regulation:
    """The solution of Riccati's equation by Newton's method, from gains that stabilize (Kleinman 1968).

    Raises:
        ValueError: if the gains do not stabilize, or if the iteration does not converge.
    """
    n = A.rows
    if any(mp.re(pole) >= 0 for pole in mp.eig(A - B * K, left=False, right=False)):
        raise ValueError("the gains do not stabilize")
    P = mp.zeros(n)
    for _ in range(60):
        closed = A - B * K
        new = lyapunov(closed, Q + K.T * R * K)
        change = max(
            abs(new[i, j] - P[i, j]) / (mp.sqrt(abs(new[i, i] * new[j, j])) or mp.mpf(1))
            for i in range(n)
            for j in range(n)
        )
        P, K = new, mp.inverse(R) * B.T * new
        if change < mp.mpf(10) ** (-DIGITS // 2):
            return Regulation(K, P)
    raise ValueError("Newton's method does not converge")


def lyapunov(closed: Any, right: Any) -> Any:
    """X = Xᵀ with closedᵀ·X + X·closed + right = 0."""
    n = closed.rows
    places = [(i, j) for i in range(n) for j in range(i + 1)]
    index = {pair: k for k, pair in enumerate(places)}

    def at(i: int, j: int) -> int:
        return index[(max(i, j), min(i, j))]

    matrix, vector = mp.zeros(len(places)), mp.zeros(len(places), 1)
    for row, (i, j) in enumerate(places):
        vector[row] = -right[i, j]
        for k in range(n):
            if closed[k, i]:
                matrix[row, at(k, j)] += closed[k, i]
            if closed[k, j]:
                matrix[row, at(i, k)] += closed[k, j]
    solution = mp.lu_solve(matrix, vector)
    return mp.matrix([[solution[at(i, j)] for j in range(n)] for i in range(n)])
