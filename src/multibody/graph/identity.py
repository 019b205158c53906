"""Questions that fingerprints answer: is it zero, are two the same, what rank has a matrix."""

from __future__ import annotations

from typing import Any

from multibody.graph.expr import as_expr
from multibody.graph.field import SECOND_P, P, Value
from multibody.graph.fingerprint import second_fingerprints
from multibody.graph.traverse import Nested, array, flat, topological


def is_zero(expression: Any, *, points: int = 1) -> bool:
    """Whether an expression is zero for all values of its symbols.

    A True is wrong with a probability of at most d²·1.8e-36, or d³·1.7e-54 with ``points=2``, where d is the degree of
    the expression's numerator in the random values that stand for symbols. A False means: not zero, or zero for a
    reason that the fingerprint does not know (identities of logarithms, products of different roots).

    Example:
        >>> from multibody.graph import cos, sin, symbols
        >>> x, y = symbols("x y")
        >>> is_zero(sin(x + y) - sin(x) * cos(y) - cos(x) * sin(y))
        True
    """
    return same(expression, 0, points=points)


def same(a: Any, b: Any, *, points: int = 1) -> bool:
    """Whether two expressions are the same function of their symbols; see ``is_zero`` for the odds.

    Example:
        >>> from multibody.graph import cos, symbols
        >>> (x,) = symbols("x")
        >>> same(cos(2 * x), 2 * cos(x) ** 2 - 1, points=2)
        True
    """
    return all_same([as_expr(a)], [as_expr(b)], points=points)


def all_same(a: Nested, b: Nested, *, points: int = 1) -> bool:
    """Whether all entries of two arrays of expressions are the same functions; one pass for the whole array.

    Example:
        >>> from multibody.graph import symbols
        >>> x, y = symbols("x y")
        >>> all_same([x + y, (x + y) ** 2], [y + x, x**2 + 2 * x * y + y**2], points=2)
        True
    """
    pairs = list(zip(flat(a), flat(b), strict=True))
    if any(first.fp != second.fp for first, second in pairs):
        return False
    unlike = [pair for pair in pairs if pair[0] is not pair[1]]
    if points == 1 or not unlike:
        return True
    values = second_fingerprints(topological([node for pair in unlike for node in pair]))
    return all(values[first] == values[second] for first, second in unlike)


def rank(matrix: Nested, *, points: int = 1) -> int:
    """The generic rank of a matrix of expressions: its rank for almost all values of the symbols.

    Example:
        >>> from multibody.graph import symbols
        >>> x, y = symbols("x y")
        >>> rank([[x, y], [x * y, y * y], [1, 2]])
        2
    """
    entries = array(matrix)
    ranks = [len(independent_rows([[x.fp for x in row] for row in entries]))]
    if points > 1:
        second = second_fingerprints(topological(flat(matrix)))
        ranks.append(len(independent_rows([[second[x] for x in row] for row in entries], SECOND_P)))
    return max(ranks)


def independent_rows(matrix: list[list[Value]], p: int = P) -> list[int]:
    """The first rows that form a basis of all rows; sparse elimination without division, for the sake of roots."""
    basis: list[tuple[int, dict[int, Value]]] = []
    chosen = []
    for index, row in enumerate(matrix):
        rest = {j: value for j, value in enumerate(row) if value}
        for column, pivot_row in basis:
            if column in rest:
                rest = _without(rest, pivot_row, column, p)
        if rest:
            plain = [j for j, value in rest.items() if isinstance(value, int)]
            basis.append((min(plain or rest), rest))
            chosen.append(index)
    return chosen


def _without(row: dict[int, Value], pivot_row: dict[int, Value], column: int, p: int) -> dict[int, Value]:
    """pivot·row - factor·pivot_row, in which the column vanishes."""
    pivot, factor = pivot_row[column], row[column]
    result = {j: pivot * value % p for j, value in row.items() if j not in pivot_row}
    for j, value in pivot_row.items():
        entry = (pivot * row[j] - factor * value) % p if j in row else -(factor * value) % p
        if entry:
            result[j] = entry
    return {j: value for j, value in result.items() if value}
