"""The order of terms and factors for reading: alphabetical, no matter in which order they were made."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from multibody.graph.arrangement import Arrangement, Call, Product, Sum, operation
from multibody.graph.expr import Constant
from multibody.graph.node import ADD, SUB

KeyOf = Callable[[Any], str]
"""The text of a node, by which it is sorted."""


def ordered(arrangement: Arrangement, key_of: KeyOf) -> Arrangement:
    """The arrangement in the order of reading."""
    if isinstance(arrangement, Sum):
        terms = sorted(arrangement.terms, key=lambda term: _term_key(term[2], key_of))
        first = next((i for i, (sign, _, _) in enumerate(terms) if sign > 0), 0)
        return Sum((terms[first], *terms[:first], *terms[first + 1 :]))
    if isinstance(arrangement, Product):
        over, under = (
            tuple(sorted(factors, key=lambda factor: _factor_key(factor[0], key_of)))
            for factors in (arrangement.over, arrangement.under)
        )
        return Product(arrangement.sign, over, under)
    if isinstance(arrangement, Call) and arrangement.op in ("min", "max"):
        return replace(arrangement, children=sorted(arrangement.children, key=lambda node: natural(key_of(node))))
    return arrangement


def _term_key(node: Any, key_of: KeyOf) -> tuple[Any, ...]:
    """Numbers last; a term's own numerical factor does not count."""
    text = key_of(node)
    rank = 2 if text[:1].isdigit() and isinstance(node, Constant) else isinstance(node, Constant)
    return rank, natural(re.sub(r"^[0-9][0-9.e+\-]*\*", "", text)), text


def _factor_key(factor: Any, key_of: KeyOf) -> tuple[Any, ...]:
    """Numbers first, then symbols, functions, sums."""
    if isinstance(factor, int):
        return 0, [], ""
    text = key_of(factor)
    rank = 1 if isinstance(factor, Constant) else 2 if text.isidentifier() else 3 + (operation(factor)[0] in (ADD, SUB))
    return rank, natural(text), text


def natural(text: str) -> list[tuple[int, int]]:
    """A key that sorts as a reader expects: q2 before q10, x**3 before x**2 before x*y before x, no matter the case.

    Example:
        >>> sorted(["x", "q10", "q2", "x*y", "x**2", "x**3", "Q1"], key=natural)
        ['Q1', 'q2', 'q10', 'x**3', 'x**2', 'x*y', 'x']
    """
    parts = re.findall(r"\*\*[0-9]{1,9}|[0-9]{1,9}|.", text.casefold().replace("`", ""), re.DOTALL)
    return [*map(_part_key, parts), (3, 0)]


def _part_key(part: str) -> tuple[int, int]:
    if part.startswith("**"):
        return 0, -int(part[2:])
    if part.isascii() and part.isdigit():
        return 5, int(part)
    rank = {"*": 1, "/": 2, "_": 6}.get(part, 6 if part.isalpha() else 4)
    return rank, ord(part)
