"""Conditions on expressions, and the choice between two expressions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from multibody.errors import ConversionError
from multibody.graph.expr import Constant, Expr, above, as_expr
from multibody.graph.field import FIRST, scramble
from multibody.graph.fingerprint import of_operation
from multibody.graph.node import Node, find, intern, intern_structure

CONDITIONS = frozenset({"lt", "le", "eq", "and", "or", "not"})
"""The operations whose values are true or false."""


class Condition(Node):
    """A comparison, or a combination of comparisons with ``&``, ``|`` and ``~``.

    Example:
        >>> from multibody.graph import symbols, where
        >>> (x,) = symbols("x")
        >>> where((x > 0) & (x < 1), x, 0)
        where(0 < x and x < 1, x, 0)
    """

    __slots__ = ()

    def __and__(self, other: Any) -> Condition | bool:
        if isinstance(other, Condition):
            return self if other is self else _made("and", self, other)
        return (self if other else False) if isinstance(other, bool | np.bool_) else NotImplemented

    def __or__(self, other: Any) -> Condition | bool:
        if isinstance(other, Condition):
            return self if other is self else _made("or", self, other)
        return (True if other else self) if isinstance(other, bool | np.bool_) else NotImplemented

    __rand__ = __and__
    __ror__ = __or__

    def __invert__(self) -> Condition:
        return self.args[0] if self.op == "not" else _made("not", self)

    def __repr__(self) -> str:
        text: str = above("text.plain_text", "to_text")(self)
        return text


class SmoothCondition(Condition):
    """A comparison that is not a root function of runs; see ``smooth``."""

    __slots__ = ()

    @property
    def label(self) -> str:
        """The operation, and that it is smooth."""
        return f"{self.op} smooth"


def smooth_comparison(condition: Any) -> Any:
    """A comparison that is not a root function of runs; truth values and combined conditions as they are."""
    if not isinstance(condition, Condition) or condition.op not in ("lt", "le", "eq"):
        return condition
    fp = scramble(0, "smooth", condition.fp)
    return intern_structure(SmoothCondition(condition.op, condition.args, fp, condition.guards))


def is_smooth(node: Any) -> bool:
    """Whether a comparison or a tabulated value is marked by ``smooth``."""
    return isinstance(node, SmoothCondition) or (node.op == "table" and node.table.smooth)


def deciding_value(node: Any) -> Expr:
    """What decides which piece of an operation holds, such as x - y for x < y, and x for abs(x) and for a table of x.

    Its sign does; of a table, its place among the points.
    """
    difference: Expr = node.args[0] if len(node.args) == 1 else node.args[0] - node.args[1]
    return difference


def _made(op: str, *args: Any) -> Condition:
    fp = of_operation(op, args, lambda node: node.fp, FIRST)
    return intern_structure(Condition(op, args, fp, joined_guards(args)))


def joined_guards(args: Iterable[Any]) -> int:
    """All guards of some nodes."""
    result = 0
    for arg in args:
        result |= arg.guards
    return result


def _compared(op: str, x: Any, y: Any, of_equal: bool) -> Condition | bool:
    a, b = as_expr(x), as_expr(y)
    if isinstance(a, Constant) and isinstance(b, Constant):
        return {"lt": a.value < b.value, "le": a.value <= b.value, "eq": a.fp == b.fp}[op]
    return of_equal if a.fp == b.fp else _made(op, a, b)


def less(x: Any, y: Any) -> Condition | bool:
    """x < y."""
    return _compared("lt", x, y, False)


def less_equal(x: Any, y: Any) -> Condition | bool:
    """x <= y."""
    return _compared("le", x, y, True)


def equal(x: Any, y: Any) -> Condition | bool:
    """x = y as a condition on values; Python's ``==`` asks whether two expressions are one."""
    return _compared("eq", x, y, True)


def where(condition: Condition | bool, x: Any, y: Any) -> Expr:
    """x where the condition holds, y elsewhere. Both are evaluated; the other one may be NaN without harm.

    Example:
        >>> from multibody.graph import evaluate, symbols
        >>> (v,) = symbols("v")
        >>> evaluate(where(v < 0, -v, 2 * v), {v: 3.0})
        6.0
    """
    a, b = as_expr(x), as_expr(y)
    if not isinstance(condition, Condition):
        return a if _truth(condition) else b
    if a is b:
        return a
    if condition.op == "not":
        return where(condition.args[0], b, a)
    fp = scramble(0, "where", condition.fp, a.fp, b.fp)
    guards = joined_guards((condition, a, b))
    node = find(fp, guards)
    return intern(Expr("where", (condition, a, b), fp, guards)) if node is None else node


def _truth(condition: Any) -> bool:
    if not isinstance(condition, bool | np.bool_):
        raise ConversionError(
            "The first argument of where must be a condition.",
            code="condition-not-a-comparison",
            where=repr(condition)[:200],
            remedy="Compare expressions: where(x < 0, a, b).",
        )
    return bool(condition)
