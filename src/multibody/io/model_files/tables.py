"""Tables of laws as they stand in a file: by points, or piece by piece where points do not give the same table."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from multibody.errors import ExpressionError
from multibody.graph import Table, names
from multibody.io.model_files.nodes import Mapping, Node
from multibody.io.model_files.quantities import Quantities

_POINTS, _PIECES = {"x", "y"}, {"breaks", "coefficients"}


def read_table(name: str, node: Node, values: Quantities) -> Table:
    """``{x: […], y: […], interpolation: cubic}``, or ``{breaks: […], coefficients: [[…], …]}``.

    The coefficients are those of the powers 0, 1 … of the distance from the beginning of an interval, one row for each
    power; there is one interval more than breaks, and the outer two are measured from the nearest break.
    """
    entries = node.entries if isinstance(node, Mapping) else {}
    keys = set(entries)
    if _POINTS <= keys <= _POINTS | {"interpolation"}:
        x, y = (values.numbers(entries[key].value) for key in "xy")
        way = values.text(entries["interpolation"].value) if "interpolation" in entries else "linear"
        return Table(name, x, y, way)  # type: ignore[arg-type]
    if keys != _PIECES:
        node.fail("A table has x and y, or breaks and coefficients.", remedy="Write {x: [0, 1, 3], y: [0, 5, 7]}.")
    return _of_pieces(name, *(values.numbers(entries[key].value) for key in ("breaks", "coefficients")))


def _of_pieces(name: str, breaks: Any, coefficients: Any) -> Table:
    points, rows = np.array(breaks, dtype=float), np.array(coefficients, dtype=float)
    fits = points.ndim == 1 and len(points) >= 2 and rows.ndim == 2 and rows.shape[1] == len(points) + 1
    if not fits or not 1 <= len(rows) <= 12 or not (np.diff(points) > 0).all():
        raise ExpressionError(
            "The table cannot be used: breaks must increase, and each row of coefficients has one entry more than they."
        )
    table = object.__new__(Table)
    table._fill(names.check(name, "table"), points, rows)
    return table


def plain_table(table: Table) -> dict[str, Any]:
    """A table as it stands in a file; exactly the same table when it is read.

    Example:
        >>> plain_table(Table("pull", [0, 1, 3], [0, 5, 7]))
        {'x': [0.0, 1.0, 3.0], 'y': [0.0, 5.0, 7.0]}
    """
    way = {2: "linear", 4: "cubic"}.get(len(table.coefficients), "")
    for values in _possible_points(table) if way else ():
        if Table("trial", table.breaks, values, way).digest == table.digest:  # type: ignore[arg-type]
            points = {"x": table.breaks.tolist(), "y": list(values)}
            return points if way == "linear" else points | {"interpolation": way}
    return {"breaks": table.breaks.tolist(), "coefficients": table.coefficients.tolist()}


def _possible_points(table: Table) -> Iterator[list[float]]:
    """The values at the breaks; the last one is known up to rounding only."""
    *inner, last = map(float, table.coefficients[0, 1:])
    for candidate in (float(f"{last:.15g}"), last, *(math.nextafter(last, end) for end in (math.inf, -math.inf))):
        yield [*inner, candidate]
