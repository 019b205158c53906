"""XML from untrusted files: elements with their lines, and nothing that reaches beyond the text.

Documents with a DOCTYPE are refused, so that there are no entities to expand and no addresses to follow. Size, depth
and number of elements are limited. Prefixes are kept as they stand (``xacro:macro``), because robot files use prefixes
that they never declare.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn
from xml.parsers import expat

from multibody.errors import ModelError, ParseError, StorageError
from multibody.support.files import open_regular

MAX_BYTES = 32 * 2**20
MAX_ELEMENTS = 400_000
MAX_DEPTH = 100
MAX_TEXT = 80
_ILL_FORMED = "It is cut off or misspelled, or has a bare '&' or '<' in a value, or '--' in a comment."

Source = str | bytes | os.PathLike[str]
"""The path of a file, or XML itself: bytes, or a string with a ``<`` in it."""


@dataclass(frozen=True, slots=True)
class Element:
    """An element and where it stands.

    Attributes:
        tag: with its prefix, if it has one.
        attributes: as text.
        line: counted from 1.
        source: the file, for messages.
        children: in order.
        texts: the beginning of the text between its tags; empty if there are only spaces.
    """

    tag: str
    attributes: dict[str, str]
    line: int
    source: str
    children: list[Element] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    @property
    def place(self) -> str:
        """Where it stands, for messages."""
        return f"<{self.tag}> in {self.source}, line {self.line}"

    def get(self, attribute: str, default: str = "") -> str:
        """An attribute as text."""
        return self.attributes.get(attribute, default)

    def child(self, tag: str) -> Element | None:
        """The first child with this tag."""
        return next((child for child in self.children if child.tag == tag), None)

    def all(self, tag: str) -> list[Element]:
        """All children with this tag."""
        return [child for child in self.children if child.tag == tag]

    def walk(self) -> Iterator[Element]:
        """The element and everything in it."""
        stack = [self]
        while stack:
            one = stack.pop()
            yield one
            stack += one.children


def read_xml(source: Source) -> Element:
    """The root element of a document.

    Example:
        >>> robot = read_xml('<robot name="arm"><link name="base"/></robot>')
        >>> robot.get("name"), robot.child("link").get("name")
        ('arm', 'base')
        >>> read_xml("<robot><link></robot>")
        Traceback (most recent call last):
            ...
        multibody.errors.ParseError: The text is not well-formed XML: mismatched tag. [xml-invalid]
          where: the given text, line 1, column 16
          ...
    """
    data, label, encoding = _content(source)
    if len(data) > MAX_BYTES:
        raise ModelError(
            f"The document is larger than {MAX_BYTES // 2**20} MB.",
            where=label,
            cause="It is not the description of a robot, or meshes are written into it.",
            code="file-too-large",
        )
    return _ElementBuilder(label, encoding).parsed(data)


def folder_of(source: Source) -> Path | None:
    """The folder that a file is in; None for XML itself."""
    if isinstance(source, bytes) or (isinstance(source, str) and "<" in source):
        return None
    return Path(source).parent


def _content(source: Source) -> tuple[bytes, str, str | None]:
    """The document as bytes, what to call it, and its encoding if the document has no say in that."""
    if isinstance(source, bytes):
        return source, "the given text", None
    if isinstance(source, str) and "<" in source:
        return source.encode("utf-8", errors="replace"), "the given text", "utf-8"
    if not isinstance(source, str | os.PathLike):
        raise ModelError(
            f"A {type(source).__name__} is neither a path nor text.",
            remedy="Give a path or XML text.",
            code="value-of-wrong-type",
        )
    try:
        with open_regular(source) as file:
            return file.read(MAX_BYTES + 1), Path(source).name, None
    except StorageError as error:
        error.remedy += " XML text can be given itself."
        raise
    except (OSError, ValueError) as error:
        raise ModelError(
            "The file cannot be read.",
            where=repr(os.fspath(source))[:200],
            cause=str(error)[:200],
            remedy="Give the path of an XML file, or the XML text itself.",
            code="file-unreadable",
        ) from error


class _ElementBuilder:
    """Makes elements while expat reads, and stops it where it should not go on."""

    def __init__(self, label: str, encoding: str | None) -> None:
        self._label = label
        self._skipped = b""
        self._count = 0
        self._open: list[Element] = []
        self._root: Element | None = None
        self._parser: Any = expat.ParserCreate(encoding)
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        for handler in ("StartDoctypeDecl", "EntityDecl", "ExternalEntityRef", "UnparsedEntityDecl"):
            setattr(self._parser, f"{handler}Handler", self._refuse_doctype)

    def parsed(self, data: bytes) -> Element:
        """The root element."""
        text = data.lstrip()
        self._skipped = data[: len(data) - len(text)]
        if b"\0" not in text[:4]:  # as UTF-16 has there
            text = text.rstrip(b"\0")  # with which programs in C end their texts
        try:
            self._parser.Parse(text, True)
        except expat.ExpatError as error:
            self._fail(
                f"The text is not well-formed XML: {expat.ErrorString(error.code)}.", _ILL_FORMED, code="xml-invalid"
            )
        except (LookupError, ValueError) as error:  # an encoding that Python does not know
            self._fail(
                f"The text cannot be decoded: {error}.",
                "The encoding that the first line names is unusual.",
                code="xml-encoding-unknown",
            )
        assert self._root is not None  # expat does not accept a document without elements
        return self._root

    @property
    def _line(self) -> int:
        return int(self._parser.CurrentLineNumber) + self._skipped.count(b"\n")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._count += 1
        if self._count > MAX_ELEMENTS or len(self._open) >= MAX_DEPTH:
            what = f"more than {MAX_ELEMENTS} elements" if self._count > MAX_ELEMENTS else f"depth beyond {MAX_DEPTH}"
            self._fail(
                f"The document is too large: {what}.", "It is not the description of a robot.", code="file-too-large"
            )
        element = Element(tag, attributes, self._line, self._label)
        if self._open:
            self._open[-1].children.append(element)
        else:
            self._root = element
        self._open.append(element)

    def _end(self, tag: str) -> None:
        self._open.pop()

    def _text(self, text: str) -> None:
        if self._open and not self._open[-1].texts and text.strip():
            self._open[-1].texts.append(text.strip()[:MAX_TEXT])

    def _refuse_doctype(self, *_: Any) -> None:
        self._fail(
            "XML with a DOCTYPE or with entities is not read.",
            "Entities can grow without limit and fetch other files; no description of a robot needs them.",
            code="xml-with-doctype",
        )

    def _fail(self, what: str, cause: str, **details: str) -> NoReturn:
        raise ParseError(
            what,
            position=len(self._skipped) + self._parser.CurrentByteIndex,
            where=f"{self._label}, line {self._line}, column {self._parser.CurrentColumnNumber + 1}",
            cause=cause,
            remedy="Correct the file at this place.",
            **details,
        ) from None
