"""What a YAML text consists of, every piece with its place in the text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

from multibody.errors import ModelFileError, MultibodyError

Plain = None | bool | int | float | str
"""The value of a scalar."""


@dataclass(frozen=True)
class SourceText:
    """A text, and the name of the file that it comes from; empty if from none."""

    text: str
    name: str = ""

    def place(self, index: int) -> TextPlace:
        """The place of a character."""
        return TextPlace(self, min(max(index, 0), len(self.text)))


@dataclass(frozen=True)
class TextPlace:
    """A character of a text, counted from 0."""

    source: SourceText
    index: int

    @property
    def line(self) -> int:
        """Counted from 1."""
        return self.source.text.count("\n", 0, self.index) + 1

    @property
    def column(self) -> int:
        """Counted from 1."""
        return self.index - self.source.text.rfind("\n", 0, self.index)

    def error(
        self, what: str, cause: str = "", remedy: str = "", where: str = "", **details: Any
    ) -> ModelFileError:  # fmt: skip
        """An error that shows the line and points at the place.

        Args:
            what: is wrong.
            cause: the likely reason.
            remedy: what to do.
            where: which part of the model it is about, if that is known.
            details: the code of the error, and names and values that it is about.
        """
        spot = f"{self.source.name or 'text'}, line {self.line}, column {self.column}"
        shown = self._pointed_at()
        return ModelFileError(
            what, file=self.source.name, line=self.line, column=self.column, cause=cause, remedy=remedy,
            where=f"{spot}{f': {where}' if where else ''}{shown}", **details,
        )  # fmt: skip

    def located(self, error: MultibodyError, where: str = "") -> ModelFileError:
        """An error that has no place in a file, with this one; code and fields stay."""
        found = self.error(error.what, error.cause, error.remedy, where, code=error.code)
        found.fields.update(error.fields)
        return found

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
class YamlNode:
    """A piece of a document: where it begins, and the number of the character behind it.

    The end of a mapping or list that is written line by line is where the next piece begins.
    """

    at: TextPlace
    end: int

    def fail(self, what: str, cause: str = "", remedy: str = "", **details: Any) -> NoReturn:
        """An error at this place."""
        raise self.at.error(what, cause, remedy, **details)


@dataclass(frozen=True)
class Scalar(YamlNode):
    """A number, a text, a truth value, or nothing."""

    value: Plain

    def inside(self, offset: int) -> TextPlace:
        """The place of a character of the text, as far as it stands in the file as it is."""
        text = self.at.source.text
        for quote in (0, 1):
            start = self.at.index + quote
            if isinstance(self.value, str) and text.startswith(self.value, start):
                return self.at.source.place(start + offset)
        return self.at


@dataclass(frozen=True)
class List(YamlNode):
    """Several pieces in order."""

    items: tuple[YamlNode, ...]


@dataclass(frozen=True)
class YamlEntry:
    """What a mapping has under a key."""

    key: str
    at: TextPlace
    value: YamlNode


@dataclass(frozen=True)
class Mapping(YamlNode):
    """Pieces by name, in order."""

    entries: dict[str, YamlEntry]

    def __iter__(self) -> Iterator[YamlEntry]:
        return iter(self.entries.values())

    def get(self, key: str) -> YamlNode | None:
        """The piece with a name; None if there is none."""
        return self.entries[key].value if key in self.entries else None


def kind_of(node: YamlNode) -> str:
    """What a piece is, in words.

    Example:
        >>> kind_of(Scalar(SourceText("3").place(0), 1, 3))
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


def plain_value(node: YamlNode | None) -> Any:
    """What a piece says, as dictionaries, lists, texts and numbers.

    Example:
        >>> plain_value(List(SourceText("").place(0), 0, (Scalar(SourceText("").place(0), 0, 3),)))
        [3]
    """
    if isinstance(node, Mapping):
        return {entry.key: plain_value(entry.value) for entry in node}
    if isinstance(node, List):
        return [plain_value(item) for item in node.items]
    return node.value if isinstance(node, Scalar) else None
