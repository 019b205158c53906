"""Whether a file has the right keys, before anything is built: all problems at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from multibody.errors import ModelFileError
from multibody.graph.names import suggestion
from multibody.io.model_files.vocabulary import (
    COUPLED,
    HEAD,
    LAWS,
    OF_COUPLED,
    OF_PARTS,
    REQUIRED,
    SECTIONS,
    TOP,
    VERSION,
    arguments,
    kind_of_subsystem,
    words,
)  # fmt: skip
from multibody.io.model_files.yaml_text.nodes import List, Mapping, Scalar, YamlEntry, YamlNode, kind_of


def problems(document: Mapping) -> Iterator[ModelFileError]:
    """Unknown keys and classes, missing arguments, values of the wrong shape.

    Args:
        document: of one file.
    """
    parts = document.get("subsystems")
    yield from _unknown(document, TOP if parts is None else OF_COUPLED)
    yield from _version(document)
    yield from _nameless(parts, "subsystems")
    for entry in parts if isinstance(parts, Mapping) else ():
        yield from _subsystem_problems(entry.value, f"subsystems: {entry.key}")
    yield from _system_problems(document)


def _subsystem_problems(node: YamlNode, where: str) -> Iterator[ModelFileError]:
    if not isinstance(node, Mapping):
        said = f"Keys with values are needed here, not {kind_of(node)}."
        remedy = f"Write one of: {', '.join(COUPLED)}."
        yield node.at.error(said, "", remedy, where, code="value-of-wrong-type")
        return
    kind = kind_of_subsystem(node.entries)
    yield from _unknown(node, COUPLED[kind], where)
    if kind == "system":
        inner = node.entries["system"].value
        if not isinstance(inner, Mapping):
            said = f"The sections of a system are needed under 'system', not {kind_of(inner)}."
            yield inner.at.error(said, "", f"The keys are: {', '.join(OF_PARTS)}.", where, code="value-of-wrong-type")
            return
        yield from _unknown(inner, OF_PARTS, where)
        yield from _values_in_head(inner)
        yield from _system_problems(inner)


def _system_problems(document: Mapping) -> Iterator[ModelFileError]:
    """Of the sections of a system."""
    yield from _nameless(document.get("start"), "start")
    for section, keys in SECTIONS.items():
        part = document.get(section)
        yield from _nameless(part, section)
        for entry in part if isinstance(part, Mapping) else ():
            where = f"{section}: {entry.key}"
            if keys is None:
                yield from object_problems(entry.value, section, where)
            else:
                yield from _item_problems(entry.value, section, keys, where)


def _nameless(part: YamlNode | None, section: str, where: str = "") -> Iterator[ModelFileError]:
    """A section whose things have no names; it may be empty."""
    if part is not None and not isinstance(part, Mapping) and not _is_nothing(part):
        said = f"Under '{section}' there must be names with values, not {kind_of(part)}."
        yield part.at.error(said, where=where, code="value-of-wrong-type", name=section)


def _version(document: Mapping) -> Iterator[ModelFileError]:
    first = document.get("multibody")
    if first is None:
        yield document.at.error(
            "The version of the format is missing.",
            remedy=f"Begin with 'multibody: {VERSION}'.",
            code="version-missing",
        )
    elif not isinstance(first, Scalar) or first.value != VERSION or first.value is True:
        yield first.at.error(
            f"Only version {VERSION} of the format is known here, not {kind_of(first)}.",
            remedy="If the file comes from a newer multibody, update this one.",
            code="version-unknown",
        )
    yield from _values_in_head(document)


def _values_in_head(document: Mapping) -> Iterator[ModelFileError]:
    for key in HEAD:
        value = document.get(key)
        if isinstance(value, Mapping):
            yield value.at.error(f"'{key}' is one value, not {kind_of(value)}.", code="value-of-wrong-type")


def _item_problems(node: YamlNode, section: str, keys: Iterable[str], where: str) -> Iterator[ModelFileError]:
    if not isinstance(node, Mapping):
        missing = REQUIRED[section]
        short = section == "parameters" or _is_nothing(node)
        if missing or not short:
            known = ", ".join(keys)
            yield node.at.error(
                f"Keys with values are needed here, not {kind_of(node)}.",
                "",
                f"The keys are: {known}.",
                where,
                code="value-of-wrong-type",
            )
        return
    yield from _unknown(node, keys, where)
    for key in REQUIRED[section]:
        if _lacks(node, key):
            yield node.at.error(f"'{key}' is missing.", where=where, code="key-missing", name=key)
    inner = node.get("frames") if section == "bodies" else None
    yield from _nameless(inner, "frames", where)
    if isinstance(inner, Mapping):
        for entry in inner:
            if not _is_nothing(entry.value):
                yield from _item_problems(entry.value, "frames", ("position", "rotation"), f"{where}: {entry.key}")
    if section == "drawings" and not _lacks(node, "shape"):
        yield from object_problems(node.entries["shape"].value, "drawings", where)
    kind = node.get("kind") if section == "joints" else None
    if isinstance(kind, Mapping):
        yield from object_problems(kind, "joints", where)


def object_problems(node: YamlNode, section: str, where: str) -> Iterator[ModelFileError]:
    """For ``{ClassName: {argument: value}}``, or the name of the class alone."""
    known = LAWS if section == "laws" else words(section)
    name, given = class_and_arguments(node)
    if name is None:
        example = next(iter(known))
        yield node.at.error(
            f"A single class with its arguments is needed here, not {kind_of(node)}.",
            "",
            f"Write {example}: {{…}}.",
            where,
            code="value-of-wrong-type",
        )
    elif name not in known:
        remedy = f"There are: {', '.join(known)}."
        yield node.at.error(
            f"There is no class '{name:.60}' here.",
            suggestion([name], known),
            remedy,
            where,
            code="name-unknown",
            name=name,
        )
    else:
        yield from _argument_problems(node, name, given, known[name], where)


def _argument_problems(
    node: YamlNode, name: str, given: YamlNode | None, word: type, where: str
) -> Iterator[ModelFileError]:
    expected = arguments(word)
    if given is None or _is_nothing(given):
        given = Mapping(node.at, node.end, {})
    if not isinstance(given, Mapping):
        yield given.at.error(
            f"The arguments of {name} have names.",
            "",
            f"The keys are: {', '.join(expected) or 'none'}.",
            where,
            code="value-of-wrong-type",
        )
        return
    yield from _unknown(given, expected, where)
    for argument in expected.values():
        if argument.required and _lacks(given, argument.name):
            yield node.at.error(f"{name} needs '{argument.name}'.", where=where, code="key-missing", name=argument.name)


def class_and_arguments(node: YamlNode) -> tuple[str | None, YamlNode | None]:
    """The name of the class and the node of its arguments; None where there is none."""
    if isinstance(node, Scalar) and isinstance(node.value, str):
        return node.value, None
    if isinstance(node, Mapping) and len(node.entries) == 1:
        (entry,) = node
        return entry.key, entry.value
    return None, None


def _unknown(node: Mapping, known: Iterable[str], where: str = "") -> Iterator[ModelFileError]:
    keys = list(known)
    for entry in node:
        if entry.key not in keys:
            remedy = f"The keys are: {', '.join(keys) or 'none'}."
            said = f"There is no key '{entry.key:.60}' here."
            cause = suggestion([entry.key], keys) or _cut_off(node, entry)
            yield entry.at.error(said, cause, remedy, where, code="name-unknown", name=entry.key)


def _cut_off(node: Mapping, entry: YamlEntry) -> str:
    """Why there may be a word without a value between braces: ``{mass: 3,5}``, ``{value: where(x < 0, 1, 0)}``."""
    in_braces = node.at.source.text.startswith("{", node.at.index)
    alone = isinstance(entry.value, Scalar) and entry.value.value is None
    hint = "A comma ends the value before it: put a formula with commas into quotes, and write 3.5 for 3,5."
    return hint if in_braces and alone else ""


def _lacks(node: Mapping, key: str) -> bool:
    """Whether a key is not there, or has no value."""
    value = node.get(key)
    return value is None or (isinstance(value, Scalar) and value.value is None)


def _is_nothing(node: YamlNode) -> bool:
    empty = isinstance(node, Mapping) and not node.entries
    return empty or (isinstance(node, Scalar) and node.value is None) or (isinstance(node, List) and not node.items)
