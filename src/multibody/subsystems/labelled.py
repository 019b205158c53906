"""Matrices whose rows and columns have names, and print with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from multibody.errors import ModelError
from multibody.graph import Expr, array, closed_form, evaluate, to_latex, to_text
from multibody.graph.linear_algebra import Matrix
from multibody.graph.names import require_known_names


@dataclass(frozen=True, eq=False)
class Labelled:
    """A matrix of expressions with a name for every row and every column.

    Example:
        >>> from multibody.graph import symbols
        >>> (r,) = symbols("r")
        >>> rolling = Labelled(("v", "w"), ("w",), array([[r], [1]]))
        >>> print(rolling)
          | w
        --+--
        v | r
        w | 1
        >>> rolling["v", "w"]
        r
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    matrix: Matrix

    def __getitem__(self, place: Any) -> Expr:
        """The entry in a row and a column, by their names."""
        if not isinstance(place, tuple) or len(place) != 2:
            raise ModelError(
                f"{place!r:.80} is not a row and a column.",
                remedy="Name both: matrix['row', 'column'].",
                code="matrix-entry-unknown",
            )
        row, column = place
        entry: Expr = self.matrix[_position(row, self.rows, "row"), _position(column, self.columns, "column")]
        return entry

    def closed(self, *, seconds: float = 4.0) -> Labelled:
        """The same with closed forms as entries, which are easier to read."""
        if not self.matrix.size:
            return self
        return Labelled(self.rows, self.columns, array(closed_form(self.matrix, seconds=seconds)))

    def evaluate(self, values: dict[Any, float]) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Numbers for symbols, by symbol."""
        numbers = evaluate(list(self.matrix.flat), values) if self.matrix.size else []
        return np.array(numbers, dtype=float).reshape(self.matrix.shape)

    def __str__(self) -> str:
        cells = [["", *self.columns]]
        cells += [[name, *map(to_text, row)] for name, row in zip(self.rows, self.matrix, strict=True)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = [" | ".join([*_padded(row[:1], widths[:1]), "  ".join(_padded(row[1:], widths[1:]))]) for row in cells]
        head, *body = (line.rstrip() for line in lines)
        rule = "-" * (widths[0] + 1) + "+" + "-" * (sum(widths[1:]) + 2 * len(widths[2:]) + 1)
        return "\n".join([head, rule, *body])

    def _repr_latex_(self) -> str:
        return f"${to_latex(self.matrix)}$" if self.matrix.size else ""


def _padded(cells: list[str], widths: list[int]) -> list[str]:
    return [cell.ljust(width) for cell, width in zip(cells, widths, strict=True)]


def _position(name: str, names: tuple[str, ...], what: str) -> int:
    require_known_names([name], names, what, purpose="in the matrix", code="matrix-entry-unknown", name=name)
    return names.index(name)
