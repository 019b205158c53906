"""What stands in a file, as the arguments that ``System`` and the classes of its vocabulary take."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from multibody.errors import ModelError
from multibody.graph import Symbol, Table, as_expr, names
from multibody.graph.names import suggestion
from multibody.io.model_files.expressions.functions import WrittenField, WrittenFunction, local_symbol
from multibody.io.model_files.expressions.quantities import QuantityReader, is_nothing
from multibody.io.model_files.folder import Folder
from multibody.io.model_files.structure import class_and_arguments, object_problems
from multibody.io.model_files.vocabulary import LAWS, arguments, words
from multibody.io.model_files.yaml_text.nodes import List, Mapping, Scalar, YamlNode, kind_of
from multibody.model import Frame, Joint, Mesh, System
from multibody.model.quantity import Input, Parameter

Part = TypeVar("Part")


class Values(QuantityReader):
    """Reads values for one system.

    Args:
        system: in the making; its frames and joints are known by name.
        folder: where meshes may lie.
    """

    def __init__(self, system: System, folder: Folder) -> None:
        super().__init__()
        self.system = system
        self.folder = folder

    def read(self, node: YamlNode, kind: str) -> Any:
        """The value of one of the kinds in ``vocabulary.KINDS``."""
        return _READERS[kind](self, node)

    def value(self, node: YamlNode) -> Any:
        """A number, a formula, or nested lists of these; or an array of parameters or inputs by its own name."""
        if isinstance(node, Scalar) and isinstance(node.value, str):
            quantities: list[Parameter | Input] = [*self.system.all(Parameter), *self.system.all(Input)]
            for quantity in quantities:
                if quantity.name == node.value.strip() and np.ndim(quantity.symbols):
                    return quantity.symbols
        return super().value(node)

    # names -------------------------------------------------------------------------------------------------------

    def frame(self, node: YamlNode) -> Frame:
        """A body or frame by its name; ``{frame: com}`` where the name alone would mean something else."""
        inner = node.get("frame") if isinstance(node, Mapping) and len(node.entries) == 1 else None
        return self._part(inner or node, Frame, "body or frame")

    def frames(self, node: YamlNode) -> list[Frame]:
        """Several of them."""
        return [self.frame(item) for item in self.items(node)]

    def joint(self, node: YamlNode) -> Joint:
        """A joint by its name."""
        return self._part(node, Joint, "joint")

    def movement(self, node: YamlNode) -> Any:
        """A joint, or a joint and the number of one of its coordinates, counted from 0."""
        if isinstance(node, List) and len(node.items) == 2:
            return self.joint(node.items[0]), self.whole_number(node.items[1])
        return self.joint(node)

    def coordinates(self, node: YamlNode) -> list[Any]:
        """Joints, or single coordinates, by their names."""
        return [self._joint_or_coordinate(item) for item in self.items(node)]

    def _joint_or_coordinate(self, node: YamlNode) -> Any:
        name = self.text(node)
        with suppress(ModelError):
            if isinstance(self.system[name], Joint):
                return self.joint(node)
        return self.expression(node)

    def _part(self, node: YamlNode, kind: type[Part], what: str) -> Part:
        name = self.text(node, f"The name of a {what}")
        with suppress(ModelError):
            found = self.system[name]
            if isinstance(found, kind):
                return found
        known: list[str] = [part.name for part in self.system.all(kind)]  # type: ignore[attr-defined]
        raise node.at.error(
            f"There is no {what} '{name:.80}'.",
            suggestion([name], known),
            f"There are: {_few(known)}.",
            code="name-unknown",
            name=name,
        )

    def point(self, node: YamlNode) -> Any:
        """A frame whose origin is meant, or three coordinates."""
        return self.value(node) if isinstance(node, List) else self.frame(node)

    def frame_or_com(self, node: YamlNode) -> Any:
        """A frame, or the word ``com``."""
        return "com" if isinstance(node, Scalar) and node.value == "com" else self.frame(node)

    def point_of_body(self, node: YamlNode) -> Any:
        """``com``, ``origin``, or three coordinates."""
        return self.value(node) if isinstance(node, List) else self.text(node)

    def direction(self, node: YamlNode) -> Any:
        """``x``, ``-z`` …, or three coordinates."""
        return self.value(node) if isinstance(node, List) else self.text(node, "An axis")

    # functions and objects ---------------------------------------------------------------------------------------

    def law(self, node: YamlNode) -> Any:
        """A number or formula, ``{table: name}``, ``{of: x, is: formula}``, ``{Friction: {…}}``; or a list of these."""
        if isinstance(node, List):
            return [self.law(item) for item in node.items]
        if not isinstance(node, Mapping):
            return self.expression(node)
        if "table" in node.entries:
            return self._table(node)
        if "of" in node.entries or "is" in node.entries:
            return self.function(node, 1)
        return self.object(node, "laws")

    def _table(self, node: Mapping) -> Table:
        name = self.text(node.entries["table"].value)
        if len(node.entries) > 1 or name not in self.tables:
            node.fail(
                f"There is no table '{name:.80}'.",
                suggestion([name], self.tables),
                "Write {table: name}.",
                code="name-unknown",
                name=name,
            )
        return self.tables[name]

    def function(self, node: YamlNode, count: int, made: type[WrittenFunction] = WrittenFunction) -> Any:
        """``{of: x, is: formula}`` with as many arguments as needed; a table or Friction for one."""
        if isinstance(node, List) and count == 1:
            return [self.function(item, count) for item in node.items]
        if not isinstance(node, Mapping) or set(node.entries) != {"of", "is"}:
            if count == 1 and isinstance(node, Mapping) and ("table" in node.entries or len(node.entries) == 1):
                return self.law(node)
            example = {1: "{of: x, is: k*x**3}", 2: "{of: [x, v], is: k*x*v}"}.get(
                count, "{of: [x, y, z], is: x*y - z}"
            )
            node.fail(
                f"A function is needed here, not {kind_of(node)}.",
                remedy=f"Write {example}.",
                code="value-of-wrong-type",
            )
        letters = [names.check(self.text(item), "argument") for item in self.items(node.entries["of"].value)]
        if len(letters) != count or len(set(letters)) != count:
            node.fail(
                f"The function has {count} arguments, each with a name of its own.", code="function-arguments-wrong"
            )
        local = {letter: local_symbol(letter) for letter in letters}
        return made(list(local.values()), self._body(node.entries["is"].value, local))

    def _body(self, node: YamlNode, local: dict[str, Symbol]) -> Any:
        if isinstance(node, List):
            return [as_expr(self.expression(item, local)) for item in node.items]
        return as_expr(self.expression(node, local))

    def object(self, node: YamlNode, section: str) -> Any:
        """``{ClassName: {argument: value}}``, or the name of the class alone."""
        for problem in object_problems(node, section, ""):
            raise problem
        name, inner = class_and_arguments(node)
        word = (LAWS if section == "laws" else words(section))[str(name)]
        known, given = arguments(word), inner.entries.values() if isinstance(inner, Mapping) else ()
        named = {item.key: self.read(item.value, known[item.key].kind) for item in given if not is_nothing(item.value)}
        if word is Mesh:
            return self._mesh(**named)
        spread = [named.pop(symbol.name, ()) for symbol in known.values() if symbol.spread]
        return word(*(item for items in spread for item in items), **named)

    def joint_kind(self, node: YamlNode) -> Any:
        """``Tx``, ``[Tx, Ry]``, ``Revolute``, ``{Revolute: {axis: y}}``."""
        if isinstance(node, List) or (isinstance(node, Scalar) and node.value not in words("joints")):
            return self.movements(node)
        return self.object(node, "joints")

    def shape_object(self, node: YamlNode) -> Any:
        """``{Box: {x: 1, y: 2}}``."""
        return self.object(node, "drawings")

    def path(self, node: YamlNode) -> tuple[YamlNode, str]:
        """The path of a file, below the folder."""
        return node, self.text(node, "A path")

    def _mesh(self, path: tuple[YamlNode, str] | None = None, scale: Any = 1.0, colour: Any = None) -> Mesh:
        if path is None:
            return Mesh(None, scale, colour=colour)
        node, text = path
        file = self.folder.mesh(node, text)
        if not _is_file(file):
            return Mesh(None, scale, text, self.folder.here, colour=colour)
        root = self.folder.root
        return Mesh(file, scale, text, root if root and file.is_relative_to(root) else file.parent, colour=colour)


def _is_file(path: Path) -> bool:
    with suppress(OSError, ValueError):  # a folder that may not be entered, a name that cannot exist
        return path.is_file()
    return False


def _few(listed: list[str]) -> str:
    return ", ".join(listed[:30]) + (f" … ({len(listed)} in all)" if len(listed) > 30 else "")


_READERS: dict[str, Callable[[Values, YamlNode], Any]] = {
    "value": Values.value, "numbers": Values.numbers, "number rows": Values.numbers, "start": Values.numbers,
    "frame": Values.frame, "frames": Values.frames, "joint": Values.joint, "movement": Values.movement,
    "coordinates": Values.coordinates, "point": Values.point, "frame or com": Values.frame_or_com,
    "point of body": Values.point_of_body, "direction": Values.direction, "text": Values.text,
    "whole number": Values.whole_number, "truth": Values.truth, "movements": Values.movements, "shape": Values.shape,
    "range": Values.range, "ranges": Values.ranges, "colour": Values.colour, "rotation": Values.rotation,
    "law": Values.law, "path": Values.path, "joint kind": Values.joint_kind, "shape object": Values.shape_object,
    "function of 1": lambda values, node: values.function(node, 1),
    "function of 2": lambda values, node: values.function(node, 2),
    "function of 3": lambda values, node: values.function(node, 3),
    "field": lambda values, node: values.function(node, 3, WrittenField),
}  # fmt: skip
