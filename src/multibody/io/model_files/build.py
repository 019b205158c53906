"""From the document of a model file to a system, section by section."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from multibody.errors import ModelFileError, MultibodyError
from multibody.graph.text.grammar import FUNCTIONS
from multibody.io.model_files.documents import Document
from multibody.io.model_files.expressions.quantities import is_nothing
from multibody.io.model_files.expressions.tables import read_table
from multibody.io.model_files.folder import Folder
from multibody.io.model_files.values import Values
from multibody.io.model_files.vocabulary import SECTIONS
from multibody.io.model_files.yaml_text.compose import raise_all
from multibody.io.model_files.yaml_text.nodes import List, Mapping, Scalar, TextPlace, YamlEntry, YamlNode
from multibody.model import Frame, System


def built(document: Document) -> System:
    """The system that a document describes.

    Raises:
        ModelFileError: with the place of the first problem; further ones of the same section are its ``others``.
    """
    with np.errstate(all="ignore"):  # what overflows is refused with an error, not with a warning
        return _ModelBuilder(document).system()


class _ModelBuilder:
    def __init__(self, document: Document) -> None:
        self.document = document
        self.problems: list[ModelFileError] = []
        head = document.head
        with self._stage():
            self._system = self._begun(head)
        self.values = Values(self._system, document.folder)
        self.values.symbols.add_time(self._system)

    def _begun(self, head: dict[str, YamlEntry]) -> System:
        values = Values(System("reading"), self.document.folder)
        loops = values.truth(head["recognise_loops"].value) if "recognise_loops" in head else True
        if "name" not in head:
            assert self.document.at is not None
            raise self.document.at.error(
                "The model has no name.", "", "Write 'name: my_model' below the version.", code="model-name-missing"
            )
        with located(head["name"].value.at):
            said = values.text(head["description"].value) if "description" in head else ""
            return System(values.text(head["name"].value), recognise_loops=loops, description=said)

    def system(self) -> System:
        """All sections, those first that others refer to."""
        with self._stage():
            self._know_parameters()
        for section in (
            "tables",
            *(heading for heading in SECTIONS if heading != "tables"),
        ):  # parameters may use tables
            with self._stage():
                self._section(section)
        with self._stage():
            self._start()
        return self._system

    def _section(self, section: str) -> None:
        if section == "bodies" and "gravity" in self.document.head:
            with located(self.document.head["gravity"].at):
                self._system.gravity = self.values.value(self.document.head["gravity"].value)
        entries = self.document.sections.get(section, {})
        if section == "frames":
            self._frames(dict(entries))
            return
        for entry, folder in entries.values():
            with self._item(entry.at):
                self._in(folder)
                _MAKERS[section](self, entry.key, entry.value)

    def _in(self, folder: Folder) -> None:
        self.values.folder = folder

    @contextmanager
    def _item(self, at: TextPlace) -> Iterator[None]:
        """While a thing is made: its errors are noted, and the next one is tried."""
        try:
            with located(at):
                yield
        except ModelFileError as error:
            self.problems.append(error)

    @contextmanager
    def _stage(self) -> Iterator[None]:
        """While things are made that do not depend on each other: all their errors are raised together."""
        yield
        raise_all(self.problems)

    # things ------------------------------------------------------------------------------------------------------

    def _know_parameters(self) -> None:
        """The symbols of all parameters, so that their formulas can use each other in any order."""
        for entry, _ in self.document.sections.get("parameters", {}).values():
            with self._item(entry.at):
                self.values.symbols.add_parameter(entry.key, self._system.name, _shape_of(_default(entry.value)))

    def parameter(self, name: str, node: YamlNode) -> None:
        """A number, a formula, an array; alone or with unit and description."""
        default = _default(node)
        value = None if default is None or is_nothing(default) else self.values.value(default)
        self._system.parameter(name, value, **self._named("parameters", node, "value"))

    def input(self, name: str, node: YamlNode) -> None:
        """An input, or an array of inputs."""
        self._system.input(name, **self._named("inputs", node))
        self.values.symbols.add("input", self._system[name].flat)

    def table(self, name: str, node: YamlNode) -> None:
        """A function given by points."""
        if name in FUNCTIONS:
            raise node.at.error(
                f"Formulas know a function '{name}' already.",
                remedy="Choose another name.",
                code="name-reserved",
                name=name,
            )
        self.values.tables[name] = read_table(name, node, self.values)

    def body(self, name: str, node: YamlNode) -> None:
        """A body, and the frames that are listed with it."""
        body = self._system.body(name, **self._named("bodies", node, "frames"))
        frames = node.get("frames") if isinstance(node, Mapping) else None
        for entry in frames if isinstance(frames, Mapping) else ():
            with self._item(entry.at):
                self.frame(entry.key, entry.value, body)

    def frame(self, name: str, node: YamlNode, on: Frame) -> None:
        """A frame on another one."""
        on.frame(name, **self._named("frames", node, "on"))

    def _frames(self, waiting: dict[str, tuple[YamlEntry, Folder]]) -> None:
        """Frames in any order: each one after the one that it stands on."""
        while waiting:
            ready = [key for key, (entry, _) in waiting.items() if _carrier(entry.value) not in waiting]
            if not ready:
                entry, _ = next(iter(waiting.values()))
                raise entry.at.error(
                    f"The frames {', '.join(waiting)} are defined relative to each other, in a circle.",
                    code="frames-circular",
                    names=list(waiting),
                )
            for key in ready:
                entry, folder = waiting.pop(key)
                with self._item(entry.at):
                    self._in(folder)
                    on = entry.value.get("on") if isinstance(entry.value, Mapping) else None
                    self.frame(key, entry.value, self._system.world if on is None else self.values.frame(on))

    def joint(self, name: str, node: YamlNode) -> None:
        """A joint."""
        self.values.symbols.add_joint(self._system.joint(name, **self._named("joints", node)))

    def loop(self, name: str, node: YamlNode) -> None:
        """A loop that is solved in closed form."""
        self._system.loop(self.values.object(node, "loops"), name)

    def constraint(self, name: str, node: YamlNode) -> None:
        """A constraint."""
        self._system.constraint(self.values.object(node, "constraints"), name=name)

    def sensor(self, name: str, node: YamlNode) -> None:
        """A sensor; those that follow can use what it measures."""
        self._system.sensor(name, self.values.object(node, "sensors"))
        self.values.symbols.add_sensor(self._system, name)

    def load(self, name: str, node: YamlNode) -> None:
        """A load."""
        self._system.load(self.values.object(node, "loads"), name)

    def drawing(self, name: str, node: YamlNode) -> None:
        """A drawing."""
        self._system.draw(name=name, **self._named("drawings", node))

    def _start(self) -> None:
        for entry, _ in self.document.sections.get("start", {}).values():
            with self._item(entry.at):
                if not self.values.symbols.is_state(entry.key):
                    self.values.symbols.parsed(f"`{entry.key}`", {})  # which knows names that are similar
                    raise entry.at.error(
                        f"'{entry.key}' is not a coordinate or a speed.", code="name-unknown", name=entry.key
                    )
                self._system.start(**{entry.key: self.values.number(entry.value)})

    def _named(self, section: str, node: YamlNode, *without: str) -> dict[str, Any]:
        """The keys of a thing that have values, as arguments."""
        found = node.entries.values() if isinstance(node, Mapping) else ()
        given = [entry for entry in found if entry.key not in without and not is_nothing(entry.value)]
        return {item.key: self._value(section, item) for item in given}

    def _value(self, section: str, entry: YamlEntry) -> Any:
        with located(entry.value.at):
            kinds = SECTIONS[section]
            assert kinds is not None
            return self.values.read(entry.value, kinds[entry.key])


_MAKERS: dict[str, Callable[[_ModelBuilder, str, YamlNode], None]] = {
    "parameters": _ModelBuilder.parameter,
    "inputs": _ModelBuilder.input,
    "tables": _ModelBuilder.table,
    "bodies": _ModelBuilder.body,
    "joints": _ModelBuilder.joint,
    "loops": _ModelBuilder.loop,
    "constraints": _ModelBuilder.constraint,
    "sensors": _ModelBuilder.sensor,
    "loads": _ModelBuilder.load,
    "drawings": _ModelBuilder.drawing,
}

_FAULTS = (TypeError, ValueError, LookupError, ArithmeticError, AttributeError, RecursionError)
"""Errors of Python for unforeseen values."""


@contextmanager
def located(at: TextPlace) -> Iterator[None]:
    """Errors that have no place in a file get this one."""
    try:
        yield
    except ModelFileError:
        raise
    except MultibodyError as error:
        where = "" if "\n" in error.where else error.where
        raise at.located(error, where) from error
    except _FAULTS as error:
        raise at.error(
            "This value cannot be used here.", f"{error!s:.200}".replace("\n", " "), code="value-unusable"
        ) from error


def _default(node: YamlNode) -> YamlNode | None:
    return node.get("value") if isinstance(node, Mapping) else node


def _shape_of(node: YamlNode | None) -> tuple[int, ...]:
    """The shape of nested lists, which must be even."""
    if not isinstance(node, List):
        return ()
    shapes = {_shape_of(item) for item in node.items}
    if len(shapes) != 1:
        node.fail("The rows of an array must be equally long, and not empty.", code="array-ragged")
    return len(node.items), *shapes.pop()


def _carrier(node: YamlNode) -> str:
    """The name of the frame that a frame stands on."""
    on = node.get("on") if isinstance(node, Mapping) else None
    return on.value if isinstance(on, Scalar) and isinstance(on.value, str) else "world"
