"""Elements of a report, before it is written in LaTeX or Markdown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Math(NamedTuple):
    """A formula in LaTeX's notation."""

    tex: str


class CodeBlock(NamedTuple):
    """A name as it is written in programs."""

    text: str


Cell = str | Math | CodeBlock
"""What stands in a table: a user's text, a formula, or a name."""


class Paragraph(NamedTuple):
    """Words, with formulas and names between them."""

    parts: tuple[Cell, ...]


class ReportGrid(NamedTuple):
    """A table."""

    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


class Formula(NamedTuple):
    """left = right; the right side in lines that begin with + or -, so that it fits on a page."""

    left: str
    right: tuple[str, ...]


class Picture(NamedTuple):
    """The place of the drawing."""

    caption: str


Piece = Paragraph | ReportGrid | Formula | Picture


@dataclass(frozen=True)
class Section:
    """A title and what follows it."""

    title: str
    pieces: tuple[Piece, ...]


def words(*parts: Cell) -> Paragraph:
    """A paragraph."""
    return Paragraph(parts)
