"""Quadratic forms as products of linear ones: u₁² + 2·u₁·u₂ + u₂² = (u₁ + u₂)²."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement
from math import isqrt, lcm
from operator import add

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
    """The matrix A of the form xᵀ·A·x, row by row, without zeros; empty if the polynomial is no such form."""
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
