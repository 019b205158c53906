"""Numbers for many expressions at once: walked through in Python at first, compiled where they are wanted often."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from multibody.compile import Function
from multibody.errors import ExpressionError
from multibody.graph import Expr, Symbol, cos, evaluate, isolated, topological
from multibody.linear.limit import Limit, approached, without_value
from multibody.linear.point import Matrix

OFTEN = 3
"""Calls after which compiling pays."""

LARGE = 30_000
"""Operations from which on compiling takes as long as many walks."""

MANY = 30
"""Calls after which compiling pays even then: so many systems are looked at for a root locus or a critical value."""

TINY = 1e-7
"""A divisor below this may be a zero that rounding hides: the limit is taken there."""

TOUCHING = 1e-12
"""Two sides of a condition, or the argument of an absolute value, so close to each other or to zero are at a kink."""

_DIVISORS: dict[str, Callable[[Any], Expr]] = {
    "recip": lambda node: node.args[0],
    "tan": lambda node: cos(node.args[0]),
}
"""Operations that divide, and by what."""

_SWITCHES: dict[str, Callable[[Any], Expr]] = dict.fromkeys(
    ("min", "max", "lt", "le", "eq"), lambda node: node.args[0] - node.args[1]
) | dict.fromkeys(("abs", "sign"), lambda node: node.args[0])
"""Operations that choose, and what changes its sign where they choose otherwise."""


class Numbers:
    """The values of expressions; where one divides by zero, its limit.

    Args:
        expressions: of any symbols.
        symbols: all of these.
        moving: those along which limits are taken.
        told: gives the name of an expression by its number, for messages.
    """

    def __init__(
        self, expressions: Sequence[Expr], symbols: Sequence[Symbol], moving: Sequence[Symbol],
        told: Callable[[int], str],
    ) -> None:  # fmt: skip
        self.expressions = list(expressions)
        self.symbols = tuple(symbols)
        self.moving = tuple(moving)
        self._told = told
        self._calls = 0

    def __call__(self, known: Mapping[Symbol, float]) -> Matrix:
        """The values for a number of each symbol.

        Raises:
            ExpressionError: where there is no value and no limit either; it names the expression.
        """
        self._calls += 1
        found = self._found(known)
        values, probes = found[: len(self.expressions)].copy(), found[len(self.expressions) :]
        sizes = np.abs(probes)
        zeros = _small(self._divisors, sizes[: len(self._divisors)], TINY)
        kinks = _small(self._switches, sizes[len(self._divisors) :], TOUCHING)
        doubtful = self._above(zeros) | set(np.flatnonzero(~np.isfinite(values)).tolist())
        if changing := self._above(kinks) - doubtful:
            self._require_approached(sorted(changing), known, values, list(kinks))
        if doubtful:
            places = sorted(doubtful)
            limit = Limit([self.expressions[k] for k in places], self.moving, known)
            values[places] = limit([self._told(k) for k in places], list(zeros))
        return values

    def _require_approached(
        self, places: Sequence[int], known: Mapping[Symbol, float], values: Matrix, kinks: Sequence[Expr]
    ) -> None:
        """An error where a value jumps."""
        chosen, here = [self.expressions[k] for k in places], values[list(places)]
        good = approached(chosen, self.moving, known, here)
        if not good.all():
            raise without_value([self._told(k) for k in places], np.logical_not(good), kinks, self.moving, known)

    def _found(self, known: Mapping[Symbol, float]) -> Matrix:
        """The values of the expressions, the divisors and the switches."""
        wanted = [*self.expressions, *self._divisors, *self._switches]
        if not wanted:
            return np.zeros(0)
        if self._calls > (OFTEN if len(self._order) < LARGE else MANY):
            return np.asarray(self._function([known[one] for one in self.symbols]))
        return _walked(wanted, known)

    @cached_property
    def _order(self) -> list[Any]:
        return topological(self.expressions)

    @cached_property
    def _divisors(self) -> dict[Expr, list[Any]]:
        """What is divided by, with the nodes that do so; not if it depends on parameters alone."""
        return self._probed(_DIVISORS)

    @cached_property
    def _switches(self) -> dict[Expr, list[Any]]:
        """What decides between two formulas, with the nodes for which it does."""
        return self._probed(_SWITCHES)

    def _probed(self, kinds: Mapping[str, Callable[[Any], Expr]]) -> dict[Expr, list[Any]]:
        moved = _moved(self._order, self.moving)
        found: dict[Expr, list[Any]] = {}
        probed = [node for node in self._order if node.op in kinds and node in moved]
        with isolated(*topological(probed)):
            for node in probed:
                found.setdefault(kinds[node.op](node), []).append(node)
        return found

    def _above(self, critical: Mapping[Expr, list[Any]]) -> set[int]:
        """The numbers of the expressions that contain one of these nodes."""
        nodes = [node for each in critical.values() for node in each]
        reached = _moved(self._order, nodes) if nodes else set()
        return {k for k, one in enumerate(self.expressions) if one in reached}

    @cached_property
    def _function(self) -> Function:
        outputs = [*self.expressions, *self._divisors, *self._switches]
        return Function("numbers", {"x": list(self.symbols)}, {"y": outputs})


def _small(probes: Mapping[Expr, list[Any]], sizes: Matrix, limit: float) -> dict[Expr, list[Any]]:
    """Those that are zero, or not a number."""
    return {one: nodes for (one, nodes), size in zip(probes.items(), sizes, strict=True) if not size > limit}


def _moved(order: Sequence[Any], sources: Sequence[Any]) -> set[Any]:
    """All nodes that depend on some of these."""
    found = set(sources)
    for node in order:
        if any(arg in found for arg in node.args):
            found.add(node)
    return found


def _walked(wanted: list[Expr], known: Mapping[Symbol, float]) -> Matrix:
    """The values one by one; NaN where one does not exist."""
    plain: dict[Any, Any] = dict(known)
    try:
        return np.array(evaluate(wanted, plain), dtype=np.float64)
    except ExpressionError:
        rows: dict[Any, Any] = {one: np.array([value]) for one, value in known.items()}
        return np.array([np.ravel(one)[0] for one in evaluate(wanted, rows)], dtype=np.float64)
