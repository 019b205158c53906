"""The order of terms and factors for reading: alphabetical, no matter in which order they were made."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from multibody.graph.expr import Constant
from multibody.graph.node import ADD, SUB
from multibody.graph.text.arrangement import Arrangement, Call, Product, Sum, operation

KeyOf = Callable[[Any], str]
"""The text of a node, by which it is sorted."""


def ordered(arrangement: Arrangement, key_of: KeyOf) -> Arrangement:
    """The arrangement in the order of reading."""
    if isinstance(arrangement, Sum):
        terms = sorted(arrangement.terms, key=lambda term: _term_key(term[2], key_of))
        first = next((i for i, (sign, _, _) in enumerate(terms) if sign > 0), 0)
        return Sum((terms[first], *terms[:first], *terms[first + 1 :]))
    if isinstance(arrangement, Product):
        over = sorted(arrangement.over, key=lambda factor: _factor_key(factor[0], key_of))
        under = sorted(arrangement.under, key=lambda divisor: _factor_key(divisor, key_of))
        return Product(arrangement.number, tuple(over), tuple(under))
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
    text = key_of(factor)
    rank = 1 if isinstance(factor, Constant) else 2 if text.isidentifier() else 3 + (operation(factor)[0] in (ADD, SUB))
    return rank, natural(text), text


_NUMBERS = re.compile(r"(\*\*)?([0-9]{1,9})")
_OPERATORS = str.maketrans({"*": "\x01", "/": "\x02", "`": None})


def natural(text: str) -> str:
    """A key that sorts as a reader expects: q2 before q10, x**3 before x**2 before x*y before x, no matter the case.

    Example:
        >>> sorted(["x", "q10", "q2", "x*y", "x**2", "x**3", "Q1"], key=natural)
        ['Q1', 'q2', 'q10', 'x**3', 'x**2', 'x*y', 'x']
    """
    return _NUMBERS.sub(_number_key, text.casefold()).translate(_OPERATORS) + "\x03"


def _number_key(match: re.Match[str]) -> str:
    """Exponents before all operators, the largest first; other numbers after punctuation, by their size."""
    power, digits = match.groups()
    return f"\x00{10**9 - int(digits):09}" if power else f"@{len(digits)}{digits}"
