"""Numbers for many expressions at once: walked through in Python at first, compiled where they are wanted often."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from multibody.compiler import Function
from multibody.errors import ExpressionError
from multibody.graph import Expr, Symbol, cos, evaluate, free_symbols, isolated, topological
from multibody.graph.piecewise.conditions import deciding_value
from multibody.linearization.derivatives.limit import Limit, approached, without_value
from multibody.linearization.operating_points.point import Matrix
from multibody.linearization.tolerances import (
    BRANCH_NEAR,
    DIFFERENCE_STEP,
    DIVISOR_PROBE_DISTANCE,
    DIVISOR_WITHOUT_DIGITS,
    KINK_DISTANCE,
    TABLE_KINK_DISTANCE,
)

OFTEN = 3
"""Calls after which compiling pays."""

LARGE = 30_000
"""Operations from which on compiling takes as long as many walks."""

MANY = 30
"""Calls after which compiling pays even then: so many systems are looked at for a root locus or a critical value."""


_DIVISORS: dict[str, Callable[[Any], Expr]] = {
    "recip": lambda node: node.args[0],
    "tan": lambda node: cos(node.args[0]),
}
"""Operations that divide, and by what."""

_SWITCHES: dict[str, Callable[[Any], Expr]] = dict.fromkeys(
    ("min", "max", "lt", "le", "eq", "abs", "sign", "table"), deciding_value
)
"""Operations that choose, and what decides."""


class ExpressionValues:
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

    def __call__(self, known: Mapping[Symbol, float], sizes: Mapping[Symbol, float]) -> Matrix:
        """The values for a number of each symbol.

        Args:
            known: the numbers.
            sizes: those of the moving symbols, in their units; zero where nothing is known about them.

        Raises:
            ExpressionError: where there is no value and no limit either; it names the expression.
        """
        self._calls += 1
        values = self._found(self.expressions, "_function", known)
        zeros, kinks = self._critical(known, sizes)
        doubtful = self._above(zeros) | set(np.flatnonzero(~np.isfinite(values)).tolist())
        if changing := self._above(kinks) - doubtful:
            places = sorted(changing)
            wide = self._across_tables(kinks, known, sizes)
            good = approached([self.expressions[k] for k in places], self._along(kinks), known, values[places], wide)
            self._require(good, places, list(kinks), known)
        if doubtful:
            places = sorted(doubtful)
            limit = Limit([self.expressions[k] for k in places], self._along(zeros), known, sizes)
            values[places] = limit([self._told(k) for k in places], list(zeros))
        return values

    def plain(self, known: Mapping[Symbol, float]) -> Matrix:
        """The values as the formulas give them, without limits; NaN where there is none."""
        with np.errstate(all="ignore"):
            return self._found(self.expressions, "_function", known)

    def sensitivities(self, values: Matrix, known: Mapping[Symbol, float], sizes: Mapping[Symbol, float]) -> Matrix:
        """How much the values change where symbols change by their sizes, to first order; zero if that is not known.

        Args:
            values: those for the numbers.
            known: a number for each symbol.
            sizes: of the symbols that change, in their units.
        """
        return (
            self.changes(values, known, {symbol: DIFFERENCE_STEP * size for symbol, size in sizes.items()})
            / DIFFERENCE_STEP
        )

    def changes(self, values: Matrix, known: Mapping[Symbol, float], steps: Mapping[Symbol, float]) -> Matrix:
        """How much the values change where symbols change by up to some steps; zero if that is not known."""
        shares = np.random.default_rng(5).uniform(0.5, 1.0, (2, len(steps))) * np.array([[1.0], [-1.0]])
        changes = []
        with np.errstate(all="ignore"):
            for row in shares:
                moved = {
                    symbol: known[symbol] + step * share
                    for (symbol, step), share in zip(steps.items(), row, strict=True)
                }
                changes.append(np.abs(self.plain({**known, **moved}) - values))
        return np.nan_to_num(np.max(changes, axis=0), nan=0.0, posinf=0.0)

    def _require(
        self, good: Matrix, places: Sequence[int], kinks: Sequence[Expr], known: Mapping[Symbol, float]
    ) -> None:
        """An error where a value jumps."""
        if not good.all():
            raise without_value([self._told(k) for k in places], np.logical_not(good), kinks, self.moving, known)

    def _along(self, critical: Mapping[Expr, list[Any]]) -> list[Symbol]:
        """The symbols that move what is critical; all where that is not known."""
        found = set(free_symbols(list(critical))) if critical else set()
        return [symbol for symbol in self.moving if symbol in found] or list(self.moving)

    def _critical(
        self, known: Mapping[Symbol, float], sizes: Mapping[Symbol, float]
    ) -> tuple[dict[Expr, list[Any]], dict[Expr, list[Any]]]:
        """Divisors that are zero or may have lost their digits, and what decides between formulas just there."""
        divisors, switches = self._divisors, self._switches
        if not divisors and not switches:
            return {}, {}
        rng = np.random.default_rng(3)
        lines = rng.uniform(0.5, 1.0, (2, len(self.moving))) * rng.choice([-1.0, 1.0], (2, len(self.moving)))
        aside = [self._probes(known, sizes, DIVISOR_PROBE_DISTANCE * line) for line in lines] if divisors else []
        here = self._probes(known, sizes, 0.0 * lines[0])
        n = len(divisors)
        small = np.zeros(n, dtype=bool)
        for divisor in aside:
            small |= ~(np.abs(here[:n]) > DIVISOR_WITHOUT_DIGITS * np.abs(divisor[:n]))
        zeros = {symbol: nodes for (symbol, nodes), is_small in zip(divisors.items(), small, strict=True) if is_small}
        if not switches:
            return zeros, {}
        near = [self._probes(known, sizes, side * KINK_DISTANCE * line)[n:] for line in lines for side in (1, -1)]
        rows = np.array([here[n:], *near]).T
        return zeros, {
            symbol: nodes for (symbol, nodes), row in zip(switches.items(), rows, strict=True) if _turns(nodes, row)
        }

    def _across_tables(
        self, kinks: Mapping[Expr, list[Any]], known: Mapping[Symbol, float], sizes: Mapping[Symbol, float]
    ) -> dict[Symbol, float]:
        """Sizes with which the nearest points that are looked at are on both sides of a point of a table."""
        plain = {symbol: sizes.get(symbol) or 1.0 for symbol in self.moving}
        moved = {**known, **{symbol: known[symbol] + DIFFERENCE_STEP * size for symbol, size in plain.items()}}
        factor = 1.0
        for argument, nodes in kinks.items():
            spans = [node.table.breaks[-1] - node.table.breaks[0] for node in nodes if node.op == "table"]
            if spans:
                ends = [float(_walked([argument], numbers)[0]) for numbers in (known, moved)]
                change = abs(ends[1] - ends[0]) / DIFFERENCE_STEP
                least = 4 * TABLE_KINK_DISTANCE / BRANCH_NEAR * max(spans)
                factor = max(factor, least / change) if 0 < change < np.inf else factor
        return {symbol: factor * size for symbol, size in plain.items()}

    def _probes(self, known: Mapping[Symbol, float], sizes: Mapping[Symbol, float], step: Matrix) -> Matrix:
        """What is divided by, and what decides between formulas, some way off the point."""
        moved = {
            symbol: known[symbol] + sizes.get(symbol, 0.0) * d for symbol, d in zip(self.moving, step, strict=True)
        }
        return self._found([*self._divisors, *self._switches], "_probe_function", {**known, **moved})

    def _found(self, wanted: list[Expr], function: str, known: Mapping[Symbol, float]) -> Matrix:
        """The values of some expressions, compiled after a while."""
        if not wanted:
            return np.zeros(0)
        if self._calls > (OFTEN if len(self._order) < LARGE else MANY):
            return np.array(
                getattr(self, function)([known[symbol] for symbol in self.symbols]), dtype=np.float64
            ).reshape(-1)
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
        return {k for k, expression in enumerate(self.expressions) if expression in reached}

    @cached_property
    def _function(self) -> Function:
        return Function("numbers", {"x": list(self.symbols)}, {"y": self.expressions})

    @cached_property
    def _probe_function(self) -> Function:
        return Function("probes", {"x": list(self.symbols)}, {"y": [*self._divisors, *self._switches]})


def _turns(nodes: Sequence[Any], values: Matrix) -> bool:
    """Whether what decides has another sign, or is on another piece of a table, just beside the point."""
    if not np.isfinite(values).all():
        return True
    tables = [node.table for node in nodes if node.op == "table"]
    if any(_has_point(table.breaks, values) for table in tables):
        return True
    signs = np.sign(values)
    return len(tables) < len(nodes) and bool((signs == 0).any() or len({*signs.tolist()}) > 1)


def _has_point(breaks: Matrix, values: Matrix) -> bool:
    """Whether one of the points of a table is among the values, or as near to them as rounding of the table is."""
    slack = TABLE_KINK_DISTANCE * float(breaks[-1] - breaks[0])
    first, after = (
        np.searchsorted(breaks, values.min() - slack),
        np.searchsorted(breaks, values.max() + slack, "right"),
    )
    return bool(first < after)


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
        rows: dict[Any, Any] = {symbol: np.array([value]) for symbol, value in known.items()}
        return np.array([np.ravel(value)[0] for value in evaluate(wanted, rows)], dtype=np.float64)
