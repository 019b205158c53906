"""Tables of laws as they stand in a file: by points, or piece by piece where points do not give the same table."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from multibody.errors import ExpressionError
from multibody.graph import Table, names
from multibody.graph.piecewise.tables import checked_outside
from multibody.io.model_files.expressions.quantities import QuantityReader
from multibody.io.model_files.yaml_text.nodes import Mapping, YamlNode

_POINTS, _PIECES = {"x", "y"}, {"breaks", "coefficients"}


def read_table(name: str, node: YamlNode, values: QuantityReader) -> Table:
    """``{x: […], y: […], interpolation: cubic, outside: hold}``, or ``{breaks: […], coefficients: [[…], …]}``.

    The coefficients are those of the powers 0, 1 … of the distance from the beginning of an interval, one row for each
    power; there is one interval more than breaks, and the outer two are measured from the nearest break.
    """
    entries = node.entries if isinstance(node, Mapping) else {}
    keys = set(entries)
    options: Any = {key: values.text(entries[key].value) for key in ("interpolation", "outside") if key in entries}
    if keys - options.keys() == _POINTS:
        return Table(name, *(values.numbers(entries[key].value) for key in "xy"), **options)
    if keys - {"outside"} != _PIECES:
        node.fail(
            "A table has x and y, or breaks and coefficients.",
            remedy="Write {x: [0, 1, 3], y: [0, 5, 7]}.",
            code="table-invalid",
        )
    return _of_pieces(name, *(values.numbers(entries[key].value) for key in ("breaks", "coefficients")), **options)


def _of_pieces(name: str, breaks: Any, coefficients: Any, outside: Any = "warn") -> Table:
    points, rows = np.array(breaks, dtype=float), np.array(coefficients, dtype=float)
    fits = points.ndim == 1 and len(points) >= 2 and rows.ndim == 2 and rows.shape[1] == len(points) + 1
    if not fits or not 1 <= len(rows) <= 12 or not (np.diff(points) > 0).all():
        raise ExpressionError(
            "The table cannot be used: breaks must increase, and each row of coefficients has one entry more "
            "than they.",
            code="table-invalid",
        )
    table = object.__new__(Table)
    table._fill(names.check(name, "table"), points, rows, outside=checked_outside(outside, name))
    return table


def plain_table(table: Table) -> dict[str, Any]:
    """A table as it stands in a file; exactly the same table when it is read.

    Example:
        >>> plain_table(Table("pull", [0, 1, 3], [0, 5, 7]))
        {'x': [0.0, 1.0, 3.0], 'y': [0.0, 5.0, 7.0]}
    """
    rule = {} if table.outside == "warn" else {"outside": table.outside}
    way = {2: "linear", 4: "cubic"}.get(len(table.coefficients), "")
    for values in _possible_points(table) if way else ():
        if Table("trial", table.breaks, values, way, table.outside).digest == table.digest:  # type: ignore[arg-type]
            points = {"x": table.breaks.tolist(), "y": list(values)}
            return (points if way == "linear" else points | {"interpolation": way}) | rule
    return {"breaks": table.breaks.tolist(), "coefficients": table.coefficients.tolist()} | rule


def _possible_points(table: Table) -> Iterator[list[float]]:
    """The values at the breaks; the last one is known up to rounding only."""
    *inner, last = map(float, table.coefficients[0, 1:])
    for candidate in (float(f"{last:.15g}"), last, *(math.nextafter(last, end) for end in (math.inf, -math.inf))):
        yield [*inner, candidate]
