"""What a YAML text consists of, every piece with its place in the text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from multibody.errors import ModelFileError

Plain = None | bool | int | float | str
"""The value of a scalar."""


@dataclass(frozen=True)
class Source:
    """A text, and the name of the file that it comes from; empty if from none."""

    text: str
    name: str = ""

    def place(self, index: int) -> Place:
        """The place of a character."""
        return Place(self, min(max(index, 0), len(self.text)))


@dataclass(frozen=True)
class Place:
    """A character of a text, counted from 0."""

    source: Source
    index: int

    @property
    def line(self) -> int:
        """Counted from 1."""
        return self.source.text.count("\n", 0, self.index) + 1

    @property
    def column(self) -> int:
        """Counted from 1."""
        return self.index - self.source.text.rfind("\n", 0, self.index)

    def error(self, what: str, cause: str = "", remedy: str = "", where: str = "") -> ModelFileError:
        """An error that shows the line and points at the place.

        Args:
            what: is wrong.
            cause: the likely reason.
            remedy: what to do.
            where: which part of the model it is about, if that is known.
        """
        spot = f"{self.source.name or 'text'}, line {self.line}, column {self.column}"
        shown = self._pointed_at()
        return ModelFileError(
            what, file=self.source.name, line=self.line, column=self.column, cause=cause, remedy=remedy,
            where=f"{spot}{f': {where}' if where else ''}{shown}",
        )  # fmt: skip

    def _pointed_at(self) -> str:
        start = self.source.text.rfind("\n", 0, self.index) + 1
        end = self.source.text.find("\n", self.index)
        line = self.source.text[start : len(self.source.text) if end < 0 else end]
        cut = max(0, self.index - start - 60)
        shown = "".join(map(_visible, line[cut : self.index - start + 60])).rstrip()
        return f"\n      {shown}\n      {' ' * (self.index - start - cut)}^" if shown.strip() else ""


def _visible(letter: str) -> str:
    """A letter for a terminal; tabs and the ends of lines of Windows are as wide as one letter."""
    return letter if letter.isprintable() else " " if letter in "\t\r" else "?"


@dataclass(frozen=True)
class Node:
    """A piece of a document: where it begins, and the number of the character behind it.

    The end of a mapping or list that is written line by line is where the next piece begins.
    """

    at: Place
    end: int

    def fail(self, what: str, cause: str = "", remedy: str = "") -> NoReturn:
        """An error at this place."""
        raise self.at.error(what, cause, remedy)


@dataclass(frozen=True)
class Scalar(Node):
    """A number, a text, a truth value, or nothing."""

    value: Plain

    def inside(self, offset: int) -> Place:
        """The place of a character of the text, as far as it stands in the file as it is."""
        text = self.at.source.text
        for quote in (0, 1):
            start = self.at.index + quote
            if isinstance(self.value, str) and text.startswith(self.value, start):
                return self.at.source.place(start + offset)
        return self.at


@dataclass(frozen=True)
class List(Node):
    """Several pieces in order."""

    items: tuple[Node, ...]


@dataclass(frozen=True)
class Entry:
    """What a mapping has under a key."""

    key: str
    at: Place
    value: Node


@dataclass(frozen=True)
class Mapping(Node):
    """Pieces by name, in order."""

    entries: dict[str, Entry]

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries.values())

    def get(self, key: str) -> Node | None:
        """The piece with a name; None if there is none."""
        return self.entries[key].value if key in self.entries else None


def kind_of(node: Node) -> str:
    """What a piece is, in words.

    Example:
        >>> kind_of(Scalar(Source("3").place(0), 1, 3))
        'the number 3'
    """
    if isinstance(node, Mapping):
        return "keys with values"
    if isinstance(node, List):
        return "a list"
    value = node.value if isinstance(node, Scalar) else None
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return f"the word {str(value).lower()}"
    return f"the text {value!r:.60}" if isinstance(value, str) else f"the number {value}"
