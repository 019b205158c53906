"""Changing a model file without disturbing what a person wrote in it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from multibody.errors import StorageError, UnknownNameError
from multibody.graph.names import suggestion
from multibody.io.model_files.documents import Gatherer, decode, read_content
from multibody.io.model_files.expressions.quantities import is_nothing
from multibody.io.model_files.folder import Folder
from multibody.io.model_files.reader import described
from multibody.io.model_files.yaml_text.compose import compose
from multibody.io.model_files.yaml_text.emit import flow, scalar
from multibody.io.model_files.yaml_text.nodes import List, Mapping, SourceText, YamlNode, plain_value
from multibody.model import System
from multibody.support.files import atomic_file


class ModelFile:
    r"""A model file to be edited: comments, order, quotes and line breaks stay as they are.

    Only the characters of a value are replaced, or those of a new one added; everything else in the file stays.

    Args:
        text: the content.
        path: where it comes from, and where ``save`` puts it.

    Example:
        >>> file = ModelFile("multibody: 1\nname: crane\nparameters:\n  m1: 10  # kg, with driver\n")
        >>> file.set("parameters.m1", 12.0)
        >>> print(file.text, end="")
        multibody: 1
        name: crane
        parameters:
          m1: 12.0  # kg, with driver
    """

    def __init__(self, text: str, path: str | os.PathLike[str] = "model.yaml") -> None:
        self.path = Path(path)
        self._text = text
        self._root = compose(self._source)
        self._on_disk = text.encode()  # the content that save may replace
        self._was_read = False

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> ModelFile:
        """The file with a name."""
        content = read_content(Path(path))
        file = cls(decode(content, Path(path)).text, path)
        file._on_disk, file._was_read = content, True
        return file

    @property
    def text(self) -> str:
        """Its content as it is now."""
        return self._text

    @property
    def _source(self) -> SourceText:
        return SourceText(self._text, self.path.name)

    def get(self, place: str) -> Any:
        """What stands at a place.

        Args:
            place: keys, and numbers of items counted from 0, with dots between them: ``"bodies.crab.com.2"``.

        Raises:
            UnknownNameError: if there is nothing.
        """
        return plain_value(self._find(place.split(".")))

    def set(self, place: str, value: Any) -> None:
        """Put a value at a place; the last key may be new.

        Args:
            place: as for ``get``. For a parameter with unit and description, its name represents its value.
            value: a number, a text such as a formula, True, False, None, an array, or lists and dictionaries of these.

        Raises:
            UnknownNameError: if there is nothing that the value could become part of.
            ModelFileError: if the file would be no YAML afterwards.
        """
        keys, value = place.split("."), _listed(value)
        parent = self._find(keys[:-1])
        if not isinstance(value, dict) and keys[0] == "parameters" and self._has([*keys, "value"]):
            keys = [*keys, "value"]
        if self._has(keys):
            new = replaced(self._text, self._find(keys), value)
        elif isinstance(parent, Mapping) or is_nothing(parent):
            new = added(self._text, parent, keys[-1], value)
        else:
            raise self._unknown(keys, [])
        root = compose(SourceText(new, self.path.name))
        if plain_value(_found(root, keys)) != value:
            raise self._source.place(0).error(
                f"'{place}' cannot be changed in this file.",
                remedy="Use an editor.",
                code="place-not-editable",
                name=place,
            )
        self._text, self._root = new, root

    def system(self) -> System | Any:
        """The system that the file describes now; a subsystem, where it describes subsystems."""
        path = self.path.resolve()
        folder = Folder.of_file(path)
        return described(Gatherer(folder).add(self._source, folder, path))

    def save(self, *, overwrite: bool = False) -> Path:
        """Write it back, as a whole or not at all; a file that describes no system any more is not written.

        Args:
            overwrite: whether changes that an editor or another program has made to the file are lost.

        Raises:
            StorageError: if the file on disk is not the one that was read: its content has changed, or it was deleted.
                The contents are compared, right before the file is replaced.
        """
        self.system()
        content = self._text.encode()
        with atomic_file(self.path, True, lambda: None if overwrite else self._require_unchanged()) as stream:
            stream.write(content)
        self._on_disk, self._was_read = content, True
        return self.path

    def _require_unchanged(self) -> None:
        """An error if the file on disk is not what was read or saved last."""
        if not os.path.lexists(self.path):
            if self._was_read:
                raise self._changed("The file was deleted or moved after it was read.")
        elif read_content(self.path) != self._on_disk:
            happened = "has changed on disk since it was read" if self._was_read else "exists already"
            raise self._changed(f"The file {happened}.")

    def _changed(self, what: str) -> StorageError:
        return StorageError(
            what,
            where=str(self.path),
            cause="An editor or another program has changed it; saving would undo that.",
            remedy="Read it again with ModelFile.read(path) and repeat your changes, or replace it with "
            "file.save(overwrite=True).",
            code="file-changed",
        )

    def _has(self, keys: list[str]) -> bool:
        return _found(self._root, keys) is not None

    def _find(self, keys: list[str]) -> YamlNode:
        node = _found(self._root, keys)
        if node is None:
            parent = self._find(keys[:-1])
            raise self._unknown(keys, list(parent.entries) if isinstance(parent, Mapping) else [])
        return node

    def _unknown(self, keys: list[str], known: list[str]) -> UnknownNameError:
        return UnknownNameError(
            f"There is no '{'.'.join(keys):.100}'.",
            where=self.path.name,
            cause=suggestion(keys[-1:], known),
            remedy=f"There are: {', '.join(known)}." if known else "",
            name=".".join(keys),
        )


def _found(node: YamlNode | None, keys: list[str]) -> YamlNode | None:
    """What is at a place; None if there is nothing."""
    for key in keys:
        if isinstance(node, List):
            node = node.items[int(key)] if key.isdecimal() and int(key) < len(node.items) else None
        else:
            node = node.get(key) if isinstance(node, Mapping) else None
    return node


def _listed(value: Any) -> Any:
    """The value with lists in place of tuples and arrays, and numbers of Python in place of those of NumPy."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, dict):
        return {str(key): _listed(item) for key, item in value.items()}
    return [_listed(item) for item in value] if isinstance(value, list | tuple) else value


# text that is replaced -----------------------------------------------------------------------------------------------


def replaced(text: str, node: YamlNode, value: Any) -> str:
    """The text with another value in the place of a node."""
    start, end = node.at.index, last(text, node)
    gap = " " if start == end and text[start - 1 : start].strip() else ""  # a key without a value: 'm:'
    return f"{text[:start]}{gap}{flow(value)}{text[end:]}"


def added(text: str, parent: YamlNode, key: str, value: Any) -> str:
    """The text with a new key at the end of a mapping."""
    if not isinstance(parent, Mapping) or not parent.entries:
        return replaced(text, parent, {key: value})
    *_, final = parent
    end = last(text, final.value)
    said = f"{scalar(key)}: {flow(value)}"
    if _is_flow(text, parent):
        return f"{text[:end]}, {said}{text[end:]}"
    first = next(iter(parent)).at
    end += len(text[end:].partition("\n")[0].removesuffix("\r"))  # behind a comment in that line
    line_end = "\r\n" if "\r\n" in text else "\n"
    return f"{text[:end]}{line_end}{' ' * (first.column - 1)}{said}{text[end:]}"


def last(text: str, node: YamlNode) -> int:
    """The end of a node without blank lines and comments that follow it."""
    if isinstance(node, Mapping) and node.entries and not _is_flow(text, node):
        *_, final = node
        return last(text, final.value)
    if isinstance(node, List) and node.items and not _is_flow(text, node):
        return last(text, node.items[-1])
    return node.at.index + len(text[node.at.index : node.end].rstrip())


def _is_flow(text: str, node: YamlNode) -> bool:
    return text[node.at.index : node.at.index + 1] in ("{", "[")
