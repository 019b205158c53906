"""Tables of words, on a terminal and in a notebook."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from multibody.model.display import html_table


class Table(ABC):
    """Something that is shown as a table: aligned text when it is printed, HTML in a notebook."""

    @abstractmethod
    def rows(self) -> list[list[str]]:
        """The cells, with the head as the first row."""

    def __str__(self) -> str:
        return aligned(self.rows())

    def _repr_html_(self) -> str:
        return html_table(self.rows())


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Columns side by side.

    Example:
        >>> print(aligned([["symbol", "unit"], ["t", "s"]]))
        symbol  unit
        t       s
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    padded = (zip(row, widths, strict=True) for row in rows)
    return "\n".join("  ".join(cell.ljust(width) for cell, width in row).rstrip() for row in padded)
