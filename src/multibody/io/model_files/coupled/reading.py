"""From the section ``subsystems`` of a model file to a subsystem: everything is coupled as it is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from multibody.graph.names import suggestion
from multibody.io.model_files.build import built, located
from multibody.io.model_files.documents import Document, Gatherer
from multibody.io.model_files.folder import Folder
from multibody.io.model_files.vocabulary import kind_of_subsystem
from multibody.io.model_files.yaml_text.nodes import Mapping, TextPlace, YamlEntry, plain_value
from multibody.subsystems import KnownMotion, KnownRelations, OwnEquations, Subsystem, couple, from_system


def coupled(document: Document) -> Subsystem:
    """The subsystem that a document describes: the one that is called as the file is.

    Raises:
        ModelFileError: with the place of the first problem.
    """
    assert document.at is not None
    for entry in _others(document):
        raise entry.at.error(
            f"'{entry.key}' and 'subsystems' are given for one model.",
            remedy="A file describes one system, or subsystems: put this under 'system' of one of them.",
            code="model-file-mixed",
            name=entry.key,
        )
    made = _Parts(document)
    for entry, folder in document.sections["subsystems"].values():
        with located(entry.at), np.errstate(all="ignore"):
            made.add(entry, folder)
    name = document.head.get("name")
    if name is None:
        raise document.at.error(
            "The model has no name.", "", "Write 'name: …' with the name of the subsystem that is the whole.",
            code="model-name-missing",
        )  # fmt: skip
    whole = made.named(plain_value(name.value), name.value.at)
    for key, entry in made.unused(whole.label).items():
        raise entry.at.error(
            f"The subsystem '{key}' is not part of '{whole.label}'.",
            remedy="Name it among the subsystems of another one, or leave it out.",
            code="subsystem-unused",
            name=key,
        )
    return whole


def _others(document: Document) -> Iterator[YamlEntry]:
    """What does not belong to subsystems, from included files."""
    yield from (entry for key, entry in document.head.items() if key != "name")
    for section, entries in document.sections.items():
        if section != "subsystems":
            yield from (entry for entry, _ in entries.values())


class _Parts:
    """The subsystems of a file, made one after the other; each one uses those above it."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._made: dict[str, Subsystem] = {}
        self._used: set[str] = set()

    def named(self, name: Any, at: TextPlace) -> Subsystem:
        """The subsystem with a name."""
        if not isinstance(name, str) or name not in self._made:
            raise at.error(
                f"There is no subsystem {name!r:.60} above.",
                cause=suggestion([str(name)], self._made),
                remedy=f"There are: {', '.join(self._made) or 'none'}.",
                code="name-unknown",
                name=str(name),
            )
        self._used.add(name)
        return self._made[name]

    def unused(self, whole: str) -> dict[str, YamlEntry]:
        """Those that nothing is made from."""
        entries = self._document.sections["subsystems"]
        return {name: entries[name][0] for name in self._made if name not in self._used and name != whole}

    def add(self, entry: YamlEntry, folder: Folder) -> None:
        """One subsystem more."""
        node = entry.value
        assert isinstance(node, Mapping)  # the structure of the file has been checked
        said = {key: value for key, value in plain_value(node).items() if value is not None}
        label = said.get("label", entry.key)
        kind = kind_of_subsystem(node.entries)
        if kind == "system":
            inner = node.entries["system"].value
            assert isinstance(inner, Mapping)
            system = built(Gatherer(folder).of_system(inner))
            self._made[entry.key] = from_system(
                system, label, variables=_by_order(said), kinematics=said.get("kinematics", ()),
                constraints=said.get("constraints", ()), independent=said.get("independent"),
            )  # fmt: skip
        elif kind == "copy":
            self._made[entry.key] = self._copied(label, said, node)
        else:
            self._made[entry.key] = self._coupled(label, said, node)

    def _copied(self, label: str, said: dict[str, Any], node: Mapping) -> Subsystem:
        source = self.named(said.get("copy"), node.entries["copy"].value.at)
        names, suffix, shared = said.get("names", {}), said.get("suffix", ""), said.get("shared", ())
        if names or suffix or label != source.label:
            source = source.renamed(label, names, suffix=suffix, shared=shared)
        return source.with_start(**said["start"]) if said.get("start") else source

    def _coupled(self, label: str, said: dict[str, Any], node: Mapping) -> Subsystem:
        names = said.get("subsystems", [])
        at = node.entries["subsystems"].value.at if "subsystems" in node.entries else node.at
        parts = [self.named(name, at) for name in ([names] if isinstance(names, str) else names)]
        energy = said.get("energy")
        own = OwnEquations(
            said.get("kinematics", ()), said.get("dynamics", ()), None if energy is None else tuple(energy),
            said.get("quaternions", ()),
        )  # fmt: skip
        return couple(
            label, parts, said.get("constraints", ()), variables=_by_order(said), own=own,
            independent=said.get("independent"), parameters=said.get("parameters", ()), inputs=said.get("inputs", ()),
            motion=KnownMotion(said.get("start"), said.get("reference")),
            relations=KnownRelations(said.get("identities", ()), _texts(said.get("redundant", ()))),
            description=said.get("description", ""),
        )  # fmt: skip


def _by_order(said: dict[str, Any]) -> Any:
    """Variables as a list of lists, which stand for orders 0, 1 …; one list alone has coordinates."""
    given = said.get("variables", ())
    if isinstance(given, list) and given and all(isinstance(one, list) for one in given):
        return dict(enumerate(given))
    return given


def _texts(given: Any) -> Iterable[str]:
    return [given] if isinstance(given, str) else given
