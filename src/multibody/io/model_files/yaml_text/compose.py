"""From YAML text to nodes, by the scanner and parser of ruamel.yaml; nothing is constructed, and nothing can run.

Tags, anchors and aliases are refused: tags could name types, and aliases let a small file stand for a huge one. So are
keys that are given twice, which YAML forbids and most readers accept.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from multibody.errors import ModelFileError
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
from multibody.io.model_files.yaml_text.scalars import resolved

MAX_CHARACTERS = 2_000_000
MAX_NODES = 60_000
MAX_DEPTH = 50
MAX_PROBLEMS = 10


def compose(source: SourceText) -> Mapping:
    r"""The document of a text, which must consist of keys with values.

    Raises:
        ModelFileError: with the place of the first problem; further ones are its ``others``.

    Example:
        >>> document = compose(SourceText("name: crane\nmass: 2.5"))
        >>> document.get("mass").value, document.get("mass").at.line
        (2.5, 2)
    """
    if len(source.text) > MAX_CHARACTERS:
        raise source.place(0).error(
            f"The text has {len(source.text)} characters, more than {MAX_CHARACTERS}.",
            remedy="Split the model into files, and include them.",
            code="file-too-large",
        )
    composer = _Composer(source)
    root = composer.document()
    raise_all(composer.problems)
    if not isinstance(root, Mapping):
        root.fail(
            f"A model file has keys with values, not {kind_of(root)}.",
            remedy="Begin with 'multibody: 1'.",
            code="value-of-wrong-type",
        )
    return root


def raise_all(problems: list[ModelFileError]) -> None:
    """Raise the first problem, with the others in it; nothing if there is none."""
    if problems:
        first, *others = problems[:MAX_PROBLEMS]
        first.others = tuple(others)
        raise first


class _Composer:
    """Builds nodes from the events of the parser; as deep as ``MAX_DEPTH``."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.problems: list[ModelFileError] = []
        self._events = _events(source)
        self._count = 0
        self._end = 0

    def document(self) -> YamlNode:
        """The only document of the stream; an empty text is an empty scalar."""
        nodes = [self._node(event, 0) for event in self._events if _kind(event) in _BEGINNINGS]
        if len(nodes) > 1:
            nodes[1].fail(
                "There is a second document in the text.",
                remedy="Leave out the line '---'.",
                code="yaml-several-documents",
            )
        return nodes[0] if nodes else Scalar(self.source.place(0), 0, None)

    def _node(self, event: Any, depth: int) -> YamlNode:
        at = self.source.place(event.start_mark.index)
        self._count += 1
        if depth > MAX_DEPTH:
            raise at.error(f"The text is nested more than {MAX_DEPTH} deep.", code="yaml-nested-too-deep")
        if self._count > MAX_NODES:
            raise at.error(
                f"The text has more than {MAX_NODES} values.",
                remedy="Split it into several models.",
                code="file-too-large",
            )
        self._refuse_magic(event, at)
        if _kind(event) == "MappingStartEvent":
            entries = self._entries(depth + 1)
            return Mapping(at, self._end, entries)
        if _kind(event) == "SequenceStartEvent":
            items = tuple(self._node(event, depth + 1) for event in self._until("SequenceEndEvent"))
            return List(at, self._end, items)
        return Scalar(at, event.end_mark.index, self._value(event, at))

    def _entries(self, depth: int) -> dict[str, YamlEntry]:
        entries: dict[str, YamlEntry] = {}
        for event in self._until("MappingEndEvent"):
            at = self.source.place(event.start_mark.index)
            self._refuse_magic(event, at)
            if _kind(event) != "ScalarEvent":
                raise at.error("A key must be a word.", remedy="Write 'key: value'.", code="yaml-key-not-a-word")
            key = event.value
            value = self._node(next(self._events), depth)
            if isinstance(value, Scalar) and value.value is None:
                value = self._beside(event, value)
            if key in entries:
                said = f"The key {key!r:.80} is given twice."
                self._note(
                    at.error(said, f"It stands in line {entries[key].at.line} already.", code="name-repeated", name=key)
                )
            entries.setdefault(key, YamlEntry(key, at, value))
        return entries

    def _beside(self, key: Any, nothing: Scalar) -> Scalar:
        """A value that is missing, or null, in its place behind the colon."""
        word = self.source.text[nothing.at.index : nothing.end]
        if word.strip():
            return nothing
        colon = self.source.text.find(":", key.end_mark.index) + 1
        return Scalar(self.source.place(colon), colon, None) if colon else nothing

    def _until(self, end: str) -> Iterator[Any]:
        for event in self._events:
            if _kind(event) == end:
                self._end = event.end_mark.index
                return
            yield event

    def _value(self, event: Any, at: TextPlace) -> Any:
        if _kind(event) == "AliasEvent" or event.style is not None:
            return getattr(event, "value", None)
        try:
            return resolved(event.value)
        except ValueError as fault:
            self._note(at.error(str(fault), remedy="Give a finite number in SI units.", code="number-invalid"))
            return 0

    def _refuse_magic(self, event: Any, at: TextPlace) -> None:
        if _kind(event) == "AliasEvent" or event.anchor is not None:
            self._note(
                at.error(
                    "Anchors (&) and aliases (*) are not allowed in model files.",
                    remedy="Write the value itself.",
                    code="yaml-anchor-or-alias",
                )
            )
        elif event.tag is not None:
            self._note(
                at.error(
                    "Tags (!) are not allowed in model files.",
                    "A model file holds values only.",
                    "Leave it out, or use quotes.",
                    code="yaml-tag",
                )
            )

    def _note(self, problem: ModelFileError) -> None:
        self.problems.append(problem)
        if len(self.problems) >= MAX_PROBLEMS:
            raise_all(self.problems)


_BEGINNINGS = {"MappingStartEvent", "SequenceStartEvent", "ScalarEvent", "AliasEvent"}


def _kind(event: Any) -> str:
    return type(event).__name__


def _context(error: Any) -> str:
    """What the parser was reading when it stumbled, and where that begins: the bracket or quote that was not closed."""
    begun = error.context_mark
    if not error.context or begun is None or begun is error.problem_mark:
        return str(error.note or "")
    return f"It happened {error.context}, which begins in line {begun.line + 1}, column {begun.column + 1}."


def _events(source: SourceText) -> Iterator[Any]:
    """The events of the parser; whatever it stumbles over is an error with a place."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        yield from YAML(typ="safe", pure=True).parse(source.text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        index = mark.index if mark else 0
        said = f"{error.problem or error.context}".strip().rstrip(".")
        remedy = "Indent with spaces; YAML allows no tabs there." if source.text[index : index + 1] == "\t" else ""
        raise source.place(index).error(
            f"This is not YAML: {said}.", _context(error), remedy, code="yaml-invalid"
        ) from error
    except (
        YAMLError,
        ValueError,
        TypeError,
        LookupError,
        AttributeError,
        AssertionError,
        NotImplementedError,
    ) as error:
        position = getattr(error, "position", 0)
        at = source.place(position if isinstance(position, int) else 0)
        raise at.error(
            "This is not YAML.", f"{type(error).__name__}: {error!s:.200}".splitlines()[0], code="yaml-invalid"
        ) from error
