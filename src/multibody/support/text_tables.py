"""Tables and texts for terminals and notebooks; HTML with user text escaped."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence


class TextTable(ABC):
    """Something that is shown as a table: aligned text when it is printed, HTML in a notebook."""

    @abstractmethod
    def rows(self) -> list[list[str]]:
        """The cells, with the head as the first row."""

    def __str__(self) -> str:
        return aligned(self.rows())

    def _repr_html_(self) -> str:
        return html_table(self.rows())


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun, in the plural unless the number is one.

    Example:
        >>> counted(1, "speed"), counted(2, "speed"), counted(0, "body", "bodies")
        ('1 speed', '2 speeds', '0 bodies')
    """
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


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


def escape(text: str) -> str:
    """Text with what HTML would read as a mark written out."""
    import html  # late: only notebooks need it

    return html.escape(text)


def html_text(text: str) -> str:
    """Text as it stands, with its lines.

    Example:
        >>> html_text("1 < 2")
        '<pre>1 &lt; 2</pre>'
    """
    return f"<pre>{escape(text)}</pre>"


def html_table(rows: Iterable[Sequence[str]], title: str = "") -> str:
    """A table; the first row is its head.

    Example:
        >>> html_table([["name"], ["<crab>"]], "bodies")
        '<table><caption>bodies</caption><tr><th>name</th></tr><tr><td>&lt;crab&gt;</td></tr></table>'
    """
    head, *body = rows
    caption = f"<caption>{escape(title)}</caption>" if title else ""
    return f"<table>{caption}{_line('th', head)}{''.join(_line('td', row) for row in body)}</table>"


def _line(kind: str, cells: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{kind}>{escape(cell)}</{kind}>' for cell in cells)}</tr>"
