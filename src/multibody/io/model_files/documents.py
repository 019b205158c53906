"""A model file together with the files that it includes, as one document."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from multibody.errors import ModelFileError, StorageError
from multibody.io.model_files.folder import Folder
from multibody.io.model_files.structure import problems
from multibody.io.model_files.vocabulary import SECTIONS
from multibody.io.model_files.yaml_text.compose import MAX_CHARACTERS, compose, raise_all
from multibody.io.model_files.yaml_text.nodes import (
    List,
    Mapping,
    Scalar,
    SourceText,
    TextPlace,
    YamlEntry,
    YamlNode,
    kind_of,
)
from multibody.support.files import open_regular

MAX_FILES = 100

_OWN = ("multibody", "include")  # what each file says about itself
_NAMED = (*SECTIONS, "start", "subsystems")


@dataclass
class Document:
    """What one file and its includes say.

    Attributes:
        folder: below which all files lie.
        at: where the first file begins.
        head: what is given once, such as the gravity.
        sections: named things, with the folder of the file in which each one stands.
    """

    folder: Folder
    at: TextPlace | None = None
    head: dict[str, YamlEntry] = field(default_factory=dict)
    sections: dict[str, dict[str, tuple[YamlEntry, Folder]]] = field(default_factory=dict)


def read_content(path: Path) -> bytes:
    """The bytes of a model file; of a file that is too large, only as many as show that.

    Raises:
        StorageError: if it cannot be read.
    """
    try:
        with open_regular(path) as stream:
            return stream.read(4 * MAX_CHARACTERS + 1)
    except StorageError:
        raise
    except (OSError, ValueError) as error:
        raise StorageError(
            "The file cannot be read.",
            where=str(path),
            cause=getattr(error, "strerror", None) or str(error),
            remedy="Check the name. A model given as text has more than one line.",
            code="file-unreadable",
        ) from error


def decode(content: bytes, path: Path) -> SourceText:
    """The text of a file, in UTF-8.

    Raises:
        ModelFileError: if it is not text.
    """
    try:
        return SourceText(content.decode("utf-8-sig"), path.name)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ModelFileError(
            "The file is not UTF-8 text.", file=path.name, line=line,
            where=f"{path.name}, line {line}, byte {error.start} of the file", remedy="Save it as UTF-8.",
            code="file-not-utf8",
        ) from error  # fmt: skip


class Gatherer:
    """Puts a file and those that it includes together.

    Args:
        folder: of the first file.
    """

    def __init__(self, folder: Folder) -> None:
        self.document = Document(folder)
        self._open: list[Path | None] = []
        self._done: set[Path] = set()
        self._size = 0

    def add(self, source: SourceText, folder: Folder, path: Path | None = None) -> Document:
        """The document with one file more; what it includes comes before what it says itself."""
        self._size += len(source.text)
        if self._size > MAX_CHARACTERS:
            raise source.place(0).error(
                f"The files together have more than {MAX_CHARACTERS} characters.", code="file-too-large"
            )
        content = compose(source)
        raise_all(list(problems(content)))
        self.document.at = self.document.at or content.at
        self._open.append(path)
        for node in _paths(content.get("include")):
            self._include(node, folder)
        self._open.pop()
        self._merge(content, folder)
        return self.document

    def of_system(self, content: Mapping) -> Document:
        """The document of a system that stands inside a file; it includes no others."""
        self.document.at = content.at
        self._merge(content, self.document.folder)
        return self.document

    def _include(self, node: YamlNode, folder: Folder) -> None:
        if not isinstance(node, Scalar) or not isinstance(node.value, str):
            node.fail(f"The path of a file is needed here, not {kind_of(node)}.", code="value-of-wrong-type")
        path = folder.file(node, node.value)
        if path in self._open:
            way = " includes ".join(file.name for file in (*self._open[self._open.index(path) :], path) if file)
            node.fail(
                "The files include each other.", f"{way}.", "Leave out one of the includes.", code="includes-circular"
            )
        if path in self._done:
            return
        self._done.add(path)
        if len(self._done) > MAX_FILES:
            node.fail(f"More than {MAX_FILES} files are included.", code="includes-too-many")
        try:
            source = decode(read_content(path), path)
        except StorageError as error:
            raise node.at.error(
                f"The file '{node.value:.100}' cannot be read.", error.cause, code=error.code
            ) from error
        self.add(source, folder.below(path.parent), path)

    def _merge(self, content: Mapping, folder: Folder) -> None:
        own = _OWN if not self._open else (*_OWN, "name", "description")
        for entry in content:
            if entry.key in _NAMED:
                known = self.document.sections.setdefault(entry.key, {})
                for item in entry.value if isinstance(entry.value, Mapping) else ():
                    _require_new(item, known[item.key][0] if item.key in known else None)
                    known[item.key] = item, folder
            elif entry.key not in own:
                _require_new(entry, self.document.head.get(entry.key))
                self.document.head[entry.key] = entry


def _require_new(entry: YamlEntry, known: YamlEntry | None) -> None:
    if known is not None:
        raise entry.at.error(
            f"'{entry.key:.80}' is given in two files.",
            f"It stands in {known.at.source.name}, line {known.at.line}, too.",
            "Leave one of them out, or choose another name.",
            code="name-repeated",
            name=entry.key,
        )


def _paths(node: YamlNode | None) -> tuple[YamlNode, ...]:
    if node is None or (isinstance(node, Scalar) and node.value is None):
        return ()
    return node.items if isinstance(node, List) else (node,)


def gathered(source: str | os.PathLike[str], folder: str | os.PathLike[str] | None) -> Document:
    """The document of a file or a text.

    Args:
        source: a path, or a text with more than one line.
        folder: below which all files must lie; by default that of the file.
    """
    if isinstance(source, str) and "\n" in source:
        root = None if folder is None else Path(folder).resolve()
        place = Folder(root, root)
        return Gatherer(place).add(SourceText(source), place)
    path = Path(source)
    text = decode(read_content(path), path)
    path = path.resolve()
    place = Folder.of_file(path) if folder is None else Folder(Path(folder).resolve(), path.parent)
    return Gatherer(place).add(text, place, path)
