"""Tables that are left during a run: which, when, and how far their arguments go beyond their points."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from multibody.compiler import Function
from multibody.equations import EquationsOfMotion
from multibody.graph import Expr, as_expr, topological
from multibody.graph.piecewise.table_uses import TableUse
from multibody.graph.piecewise.tables import Tabulated
from multibody.simulation.contract import Vector
from multibody.simulation.problem.input_limits import Course, excess_beyond
from multibody.simulation.tolerances import TABLE_EXIT_INTERPOLATION, TABLE_EXIT_ROUNDING, TABLE_ROUNDING

CROSSING_POINTS = 101
"""Instants at which such a step is looked at to find out when the argument leaves the points."""


class TableExit(NamedTuple):
    """A table whose argument left the range of its points.

    Attributes:
        table: its name.
        quantity: the argument, as an expression.
        range: its first and last point.
        t: when the argument left the range first.
        furthest: the value of the argument furthest beyond the range.
        furthest_t: when it was there.
        outside: what the table does there: "warn" or "error".
    """

    table: str
    quantity: str
    range: tuple[float, float]
    t: float
    furthest: float
    furthest_t: float
    outside: str

    def __str__(self) -> str:
        low, high = self.range
        return (
            f"table '{self.table}' covers {self.quantity} from {low:.6g} to {high:.6g}; it is left at {self.t:.6g} s, "
            f"and the argument reaches {self.furthest:.6g} at {self.furthest_t:.6g} s"
        )

    @property
    def excess(self) -> float:
        """How far the argument went beyond the range."""
        return max(self.range[0] - self.furthest, self.furthest - self.range[1])


class TableWatch(NamedTuple):
    """The tables of a run.

    Attributes:
        uses: tables with their arguments.
        sharp: for each of them, whether steps end where its argument leaves its points.
        arguments: the function (t, q, u, r, p) → all arguments; None if there are no tables.
    """

    uses: tuple[TableUse, ...] = ()
    sharp: tuple[bool, ...] = ()
    arguments: Function | None = None


NO_TABLES = TableWatch()


def outputs_with_tables(eom: EquationsOfMotion) -> list[Expr]:
    """What sensors measure that were given tables; others are not computed, which takes time in large models."""
    names = [name for name, sensor in eom.model.sensors.items() if _has_tables(getattr(sensor, "given", {}))]
    return [as_expr(entry) for name in names for entry in np.ravel(eom.outputs[name])]


def _has_tables(arguments: Mapping[str, Any]) -> bool:
    given = [entry for value in arguments.values() for entry in np.ravel(np.array(value, dtype=object))]
    return any(isinstance(node, Tabulated) for node in topological([item for item in given if isinstance(item, Expr)]))


def joined_exits(*groups: Iterable[TableExit]) -> tuple[TableExit, ...]:
    """One for each table and argument, from those of a run and of one that goes on from it."""
    found: dict[Any, TableExit] = {}
    for node in (variable for group in groups for variable in group):
        known = found.setdefault((node.table, node.quantity, node.range), node)
        further = max(known, node, key=lambda some: some.excess)
        found[node.table, node.quantity, node.range] = known._replace(
            t=min(known.t, node.t), furthest=further.furthest, furthest_t=further.furthest_t
        )
    return tuple(found.values())


def table_exits(
    eom: EquationsOfMotion, watch: TableWatch, t: Vector, y: Vector, r: Vector, p: Vector
) -> tuple[TableExit, ...]:  # fmt: skip
    """Tables that are left during a stretch of a run.

    Where steps end at the points of a table, its argument is beyond them in whole steps: their middles tell.

    Args:
        eom: equations of motion.
        watch: the tables.
        t: the ends of steps.
        y: coordinates and speeds there, a row for each; what follows them does not matter.
        r: inputs there.
        p: parameters.
    """
    if watch.arguments is None or not len(t):
        return ()
    n, m = len(eom.coordinates), len(eom.speeds)
    found = np.asarray(watch.arguments.batch(t, y[:, :n], y[:, n : n + m], r, p)).reshape(len(t), -1)
    course = Course(eom, t, y, r, p)
    exits = [_exit(*parts, course) for parts in zip(watch.uses, watch.sharp, found.T, strict=True)]
    return tuple(table_exit for table_exit in exits if table_exit is not None)


def _exit(use: TableUse, sharp: bool, at_ends: Vector, course: Course) -> TableExit | None:
    low, high = use.table.range
    width = high - low
    limits = low - TABLE_ROUNDING * width, high + TABLE_ROUNDING * width
    ends = excess_beyond(at_ends, limits) / width  # beyond the range, relative to it
    near = ends > -TABLE_EXIT_ROUNDING if sharp else ends > -0.1
    if not near.any():
        return None
    t, h = course.t, np.diff(course.t)
    middles = t[:-1] + 0.5 * h
    at_middles = course.values(use.argument, middles) if len(middles) else middles
    beyond = excess_beyond(at_middles, limits) / width > (0.0 if sharp else TABLE_EXIT_INTERPOLATION)
    beyond &= near[1:] | near[:-1]
    steps = beyond | (ends[1:] > 0)  # those that go beyond, or end there
    if not (steps.any() or ends[0] > 0):
        return None
    first = float(t[0]) if ends[0] > 0 else _crossing(use, sharp, int(np.argmax(steps)), limits, course)
    when = float(t[int(np.argmax(ends))]) if (ends > 0).any() else float(middles[beyond][0])
    furthest = course.furthest(use.argument, limits, np.concatenate([t, middles]), when)
    return TableExit(use.name, str(use.quantity)[:80], (low, high), first, *furthest, use.table.outside)


def _crossing(use: TableUse, sharp: bool, step: int, limits: tuple[float, float], course: Course) -> float:
    """When the argument leaves the range in a step; at its begin where steps end at the points of the table."""
    begin, end = course.t[step : step + 2].tolist()
    if sharp:
        return float(begin)
    times = np.linspace(begin, end, CROSSING_POINTS)
    beyond = excess_beyond(course.values(use.argument, times), limits) > 0
    return float(times[int(np.argmax(beyond))]) if beyond.any() else float(begin)


# files ---------------------------------------------------------------------------------------------------------------


def plain_exit(one: TableExit) -> list[Any]:
    """A table exit for files."""
    return [one.table, one.quantity, [float(x) for x in (*one.range, one.t, one.furthest, one.furthest_t)], one.outside]


def exit_from(plain: Any) -> TableExit:
    """The table exit of a file."""
    table, quantity, (low, high, t, furthest, furthest_t), outside = plain
    return TableExit(
        str(table), str(quantity), (float(low), float(high)), float(t), float(furthest), float(furthest_t), str(outside)
    )
