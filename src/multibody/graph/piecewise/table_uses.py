"""Tables in expressions, each with the argument that must stay between its first and last point."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from multibody.graph.expr import Expr, as_expr
from multibody.graph.piecewise.conditions import Condition, where
from multibody.graph.piecewise.tables import Table, Tabulated
from multibody.graph.traverse import topological

CHECKED = ("warn", "error")
"""What ``outside`` is for tables that must not be left without a word."""


class TableUse(NamedTuple):
    """A table that is applied to an expression.

    Attributes:
        table: the table.
        quantity: the expression.
        argument: the same where the table counts, and a value within its range where a condition chooses another
            branch, as in ``where(x < 0, 0, table(x))``.
    """

    table: Table
    quantity: Expr
    argument: Expr

    @property
    def key(self) -> tuple[Expr, tuple[float, float]]:
        """What it differs from others by: its argument and its range."""
        return self.argument, self.table.range

    @property
    def name(self) -> str:
        """The name that the user gave."""
        return self.table.origin


def table_uses(outputs: Iterable[Expr]) -> tuple[TableUse, ...]:
    """The tables in expressions that must not be left; derivatives and integrals of a table count as that table.

    Example:
        >>> from multibody.graph import Table, symbols, where
        >>> (x,) = symbols("x")
        >>> stop = Table("stop", [0, 1], [0, 5])
        >>> table_uses([x + stop(x)])[0].argument
        x
        >>> table_uses([where(x < 0, 0, stop(x))])[0].argument
        where(x < 0, 0, x)
        >>> table_uses([Table("held", [0, 1], [0, 5], outside="hold")(x)])
        ()
    """
    listed = list(outputs)
    order = topological(listed)
    tables = [node for node in order if isinstance(node, Tabulated) and node.table.outside in CHECKED]
    if not tables:
        return ()
    counts = _conditions(listed, order, set(tables))
    uses: dict[Any, TableUse] = {}
    for node in tables:
        use = TableUse(node.table, node.args[0], _gated(node, counts[node]))
        if use.key not in uses or use.table.outside == "error":
            uses[use.key] = use
    return tuple(uses.values())


def _gated(node: Tabulated, counts: Condition | bool) -> Expr:
    low, _ = node.table.range
    return where(counts, node.args[0], as_expr(low))


def _conditions(outputs: list[Expr], order: list[Any], tables: set[Any]) -> dict[Any, Condition | bool]:
    """For each node above a table the condition under which its value counts."""
    above: set[Any] = set()
    for node in order:
        if node in tables or any(arg in above for arg in node.args):
            above.add(node)
    counts: dict[Any, Condition | bool] = {node: True for node in outputs if node in above}
    for node in reversed(order):
        if node not in above:
            continue
        for place, arg in enumerate(node.args):
            if arg in above:
                counts[arg] = counts.get(arg, False) | _through(node, place, counts[node])
    return counts


def _through(node: Any, place: int, counts: Condition | bool) -> Condition | bool:
    """The condition under which an operand counts, from that of the node."""
    if node.op != "where" or place == 0:
        return counts
    return counts & (node.args[0] if place == 1 else ~node.args[0])
