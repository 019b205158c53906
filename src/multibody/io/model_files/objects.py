"""Objects as they stand in a file, ``{ClassName: {argument: value}}``, from what they were made with."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path, PurePosixPath
from typing import Any

from multibody.errors import ModelFileError
from multibody.graph import Expr, Table, as_expr
from multibody.io.model_files.expressions.formulas import FormulaWriter
from multibody.io.model_files.expressions.functions import function_text
from multibody.io.model_files.vocabulary import LAWS, arguments, words
from multibody.model import Elementary, Frame, Joint, Mesh, Shape
from multibody.model.given import Given
from multibody.model.shapes.shapes import MESH_KINDS


class Objects:
    """Writes objects of one system.

    Args:
        formulas: writes expressions.
        folder: to which the paths of meshes are relative; by default the folder that each mesh knows.
    """

    def __init__(self, formulas: FormulaWriter, folder: Path | None) -> None:
        self._formulas = formulas
        self._folder = None if folder is None else folder.resolve()

    def plain(self, thing: Any, section: str) -> dict[str, Any]:
        """``{ClassName: {argument: value}}``."""
        word: type = type(thing)
        known = LAWS if section == "laws" else words(section)
        if known.get(word.__name__) is not word:
            raise ModelFileError(
                f"A {word.__name__} cannot be written to a model file.",
                cause="Its class is not part of the vocabulary of multibody.",
                remedy="Describe it by classes such as GravityField, SpringDamper, ExpressionConstraint or Expression.",
                code="value-not-writable",
            )
        given = _fields(thing) if isinstance(thing, Shape) else _current(thing)
        if isinstance(thing, Mesh):
            given["path"] = thing
        kinds = arguments(word)
        named = {name: self.value(given[name], kind.kind) for name, kind in kinds.items() if name in given}
        return {word.__name__: {name: argument for name, argument in named.items() if argument is not None}}

    def joint_kind(self, kind: Any) -> Any:
        """``Tx``, ``[Tx, Ry]``, ``Weld``, ``{Revolute: {axis: y}}``."""
        if type(kind) is Elementary:
            movements = list(kind.movements)
            return movements[0] if len(movements) == 1 else movements
        said = self.plain(kind, "joints")
        ((name, given),) = said.items()
        return said if given else name

    def value(self, value: Any, kind: str) -> Any:
        """An argument as it stands in a file; None if it can be left out."""
        return None if value is None else _WRITERS[kind](self, value)

    def _value(self, value: Any) -> Any:
        return self._formulas.plain(value)

    def _name(self, thing: Any) -> str:
        if isinstance(thing, Frame | Joint):
            return thing.name
        raise ModelFileError(f"{thing!r:.100} is not a frame or a joint.", code="value-of-wrong-type")

    def _names(self, things: Any) -> list[str]:
        return [self._name(thing) for thing in things]

    def _movement(self, movement: Any) -> Any:
        return [self._name(movement[0]), int(movement[1])] if isinstance(movement, tuple) else self._name(movement)

    def _coordinates(self, given: Any) -> list[Any]:
        listed = list(given) if isinstance(given, list | tuple) else [given]
        return [item.name if isinstance(item, Joint) else self._formulas.plain(item) for item in listed]

    def _point(self, point: Any) -> Any:
        return self._name(point) if isinstance(point, Frame) else self._value(point)

    def _frame_or_com(self, point: Any) -> Any:
        if isinstance(point, str):
            return point
        return {"frame": "com"} if self._name(point) == "com" else self._name(point)

    def _direction(self, direction: Any) -> Any:
        return str(direction) if isinstance(direction, str) else self._value(direction)

    def _law(self, law: Any) -> Any:
        if isinstance(law, Table):
            return {"table": self._formulas.tables.name(law)}
        if isinstance(law, Given):
            return self.plain(law, "laws")
        return self._function(law, 1) if callable(law) or _has_functions(law) else self._value(law)

    def _function(self, function: Any, count: int) -> Any:
        if isinstance(function, list | tuple):
            return [self._law(law) for law in function]
        if isinstance(function, Table | Given):
            return self._law(function)
        return function_text(function, count, self._formulas)

    def _field(self, function: Any) -> Any:
        return function_text(function, 3, self._formulas, field=True)

    def _path(self, mesh: Mesh) -> str:
        """Relative to the folder, with slashes."""
        base = self._folder or mesh.folder
        if mesh.path is None:
            return _missing(mesh, base)
        path = mesh.path
        if base is not None:  # a relative path starts at the working folder, whether or not the file is there now
            path = _relative(path.resolve(), base.resolve())
        elif path.is_absolute() or ".." in path.parts:
            raise ModelFileError(
                f"The mesh {path.name!r} has a path that exists on this computer only.",
                where=str(path),
                remedy="Say to which folder it is relative: model_text(system, folder=…), or use write_model.",
                code="mesh-path-not-portable",
            )
        return _encodable(path.as_posix())


def _relative(path: Path, base: Path) -> Path:
    """The way from a folder to a file; the whole path where there is none, as between two drives of Windows."""
    try:
        return Path(os.path.relpath(path, base))
    except ValueError:
        return path


def _missing(mesh: Mesh, base: Path | None) -> str:
    """The path of a mesh that was not found: the same place, if the folder that it starts from is known."""
    uri = mesh.uri
    if base is not None and mesh.folder is not None and uri and "://" not in uri:
        uri = _relative(Path(os.path.normpath(mesh.folder.resolve() / uri)), base.resolve()).as_posix()
        if uri.lower().endswith(MESH_KINDS):
            return _encodable(uri)
    return _encodable(_inside(mesh.uri) or "mesh")


def _encodable(path: str) -> str:
    try:
        path.encode()
    except UnicodeEncodeError as error:
        raise ModelFileError(
            f"The mesh {path!a} has a name that is not Unicode.",
            remedy="Rename the file of the mesh.",
            code="file-name-impossible",
        ) from error
    return path


def _inside(uri: str) -> str:
    """The name of a file that is missing, as one below the folder: a way out of it would not be read back."""
    path = PurePosixPath(uri)
    within = [part for part in path.parts if part not in (path.anchor, "..")]
    return uri if len(within) == len(path.parts) > 0 else "/".join(within)


def _colour(colour: Any) -> Any:
    """``"#rrggbb"``, if the colour is one of these; otherwise its numbers."""
    parts = [round(255 * part) for part in colour]
    if any(channel / 255 != part for channel, part in zip(parts, colour, strict=True)):
        return list(colour)
    return "#" + "".join(f"{part:02x}" for part in (parts if parts[3] < 255 else parts[:3]))


def _has_functions(law: Any) -> bool:
    return isinstance(law, list | tuple) and any(callable(function) for function in law)


def _current(thing: Given) -> dict[str, Any]:
    """What an object was made with; where an attribute of the same name has been changed since, its value now."""
    return {name: _newest(value, getattr(thing, name, value)) for name, value in thing.given.items()}


def _newest(given: Any, now: Any) -> Any:
    """The attribute, if it can be compared with what was given, and differs."""
    if given is now or given is None or isinstance(given, bool) or callable(given):
        return given
    if isinstance(given, str | Frame | Joint):
        return now if isinstance(now, type(given) | Frame) and now != given else given
    scalars = isinstance(given, Expr | int | float) and isinstance(now, Expr | int | float)
    return now if scalars and as_expr(given) is not as_expr(now) else given


def _fields(shape: Shape) -> dict[str, Any]:
    """The fields of a shape that are not at their defaults."""
    found = {field.name: (getattr(shape, field.name), field.default) for field in fields(shape)}
    return {name: value for name, (value, default) in found.items() if value != default}


_WRITERS: dict[str, Callable[[Objects, Any], Any]] = {
    "value": Objects._value, "frame": Objects._name, "frames": Objects._names, "joint": Objects._name,
    "movement": Objects._movement, "coordinates": Objects._coordinates, "point": Objects._point,
    "frame or com": Objects._frame_or_com, "direction": Objects._direction, "law": Objects._law,
    "function of 1": lambda objects, value: objects._function(value, 1),
    "function of 2": lambda objects, value: objects._function(value, 2),
    "function of 3": lambda objects, value: objects._function(value, 3),
    "field": Objects._field, "path": Objects._path, "text": lambda objects, value: str(value),
    "whole number": lambda objects, value: int(value), "truth": lambda objects, value: bool(value),
    "colour": lambda objects, value: _colour(value), "movements": lambda objects, value: value,
}  # fmt: skip
