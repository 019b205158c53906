"""Polynomials in expressions, with the numbers among them collected: 9.81·x + 1.62·x is 11.43·x."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from multibody.graph.expr import ZERO, Constant, Expr, constant
from multibody.graph.functions import power

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
