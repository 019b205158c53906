"""Choices whose unused side does no harm to automatic differentiation.

JAX evaluates both sides of ``where`` and multiplies the slope of the unused one by zero; where that slope is infinite
or not a number, as that of √x at x = 0, the product is not a number either. So an operation that is needed under a
condition only, and has no value or no slope somewhere, gets a harmless operand where the condition does not hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import and_, or_
from typing import Any

from multibody.graph import Expr, as_expr, topological, where
from multibody.graph.field import sort_key
from multibody.graph.traverse import depth_first, rebuilt

Case = frozenset[tuple[Any, bool]]
"""Conditions that hold, or do not, at the same time."""

Need = frozenset[Case]
"""The cases in which a value is used; the empty case is: always."""

ALWAYS: Need = frozenset([frozenset()])

HARMLESS = {
    "sqrt": (0, 1.0), "log": (0, 1.0), "recip": (0, 1.0), "pow": (0, 1.0), "asin": (0, 0.0), "acos": (0, 0.0),
    "atan2": (1, 1.0), "exp": (0, 0.0), "sinh": (0, 0.0), "cosh": (0, 0.0), "tan": (0, 0.0),
}  # fmt: skip
"""Operations that may have no finite value or slope: which operand is replaced, and by what."""

MANY = 8
"""With more cases than this, a value counts as always needed."""


def guarded(values: Sequence[Expr]) -> list[Expr]:
    """The same values, with harmless operands where they are not used.

    Example:
        >>> from multibody.graph import sqrt, symbols, where
        >>> (x,) = symbols("x")
        >>> guarded([where(x > 0, sqrt(x), 0)])
        [where(0 < x, sqrt(where(0 < x, x, 1)), 0)]
    """
    order = topological(list(values))
    if not any(node.op == "where" for node in order):
        return list(values)
    needs = _needs(order, values)
    made: dict[Any, Any] = {}
    for node in depth_first(values, lambda node: _before(node, needs[node])):
        made[node] = _made(node, needs[node], made)
    return [made[value] for value in values]


def _needs(order: Sequence[Any], values: Iterable[Expr]) -> dict[Any, Need]:
    """When each node is used, from the results down to the symbols."""
    needs: dict[Any, Need] = dict.fromkeys(order, frozenset()) | dict.fromkeys(values, ALWAYS)
    for node in reversed(order):
        for k, arg in enumerate(node.args):
            branch = node.op == "where" and k > 0
            use = frozenset(case | {(node.args[0], k == 1)} for case in needs[node]) if branch else needs[node]
            needs[arg] = _shortest(needs[arg] | use)
    return needs


def _shortest(need: Need) -> Need:
    """Without cases that others contain, and without those that cannot be."""
    possible = [case for case in need if not any((condition, not holds) in case for condition, holds in case)]
    kept = frozenset(case for case in possible if not any(other < case for other in possible))
    return kept if len(kept) <= MANY else ALWAYS


def _before(node: Any, need: Need) -> list[Any]:
    """What must be known before a node is made."""
    asked = [condition for case in need for condition, _ in case] if node.op in HARMLESS else []
    return [*node.args, *asked]


def _made(node: Any, need: Need, made: dict[Any, Any]) -> Any:
    if not node.args:
        return node
    args = [made[arg] for arg in node.args]
    if node.op in HARMLESS and need and need != ALWAYS:
        place, value = HARMLESS[node.op]
        args[place] = where(_holds(need, made), args[place], as_expr(value))
    return rebuilt(node, args) if any(a is not b for a, b in zip(args, node.args, strict=True)) else node


def _holds(need: Need, made: dict[Any, Any]) -> Any:
    """The condition that one of the cases is given; in the same order every time."""

    def both(case: Case) -> Any:
        parts = sorted(case, key=lambda one: (sort_key(one[0].fp), one[1]))
        return reduce(and_, [made[condition] if holds else ~made[condition] for condition, holds in parts])

    return reduce(
        or_, [both(case) for case in sorted(need, key=lambda case: sorted((sort_key(c.fp), h) for c, h in case))]
    )
