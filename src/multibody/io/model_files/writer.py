"""Writing a model file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.algebra import Transform, Vec3
from multibody.errors import ModelFileError, MultibodyError
from multibody.graph import as_expr
from multibody.graph.workspace import alone
from multibody.io.model_files.documents import Gatherer
from multibody.io.model_files.expressions.formulas import FormulaWriter
from multibody.io.model_files.expressions.rotations import plain_rotation
from multibody.io.model_files.expressions.symbols import Symbols
from multibody.io.model_files.expressions.tables import plain_table
from multibody.io.model_files.folder import Folder
from multibody.io.model_files.objects import Objects
from multibody.io.model_files.vocabulary import TOP, VERSION
from multibody.io.model_files.yaml_text.emit import emitted
from multibody.io.model_files.yaml_text.nodes import SourceText
from multibody.model import Body, Frame, Input, Joint, Parameter, System
from multibody.model.body import as_inertia, as_rotation
from multibody.model.error_context import concerning
from multibody.model.given import given_to
from multibody.model.quantity import with_symmetric_parameters
from multibody.support.files import atomic_file

if TYPE_CHECKING:
    from multibody.subsystems import Subsystem


def body_arguments(body: Body) -> dict[str, Any]:
    """What a body was made with; what it is now, if it has been changed since."""
    given = given_to(body) or {}
    kept: dict[str, Any] = {key: given[key] for key in ("mass", "com", "inertia", "about") if key in given}
    com = Vec3.from_any(kept.get("com", (0, 0, 0))).symbolic()
    mass = as_expr(kept.get("mass", 0))
    written, _ = with_symmetric_parameters(kept.get("inertia", (0, 0, 0)), body._system.all(Parameter))
    inertia = as_inertia(written, mass, com, kept.get("about", "com"), body.name)
    if _same([mass, *com, *inertia.components()], [body.mass, *body.com, *body.inertia.components()]):
        return kept
    return {"mass": body.mass, "com": body.com, "inertia": body.inertia}


def frame_arguments(frame: Frame) -> dict[str, Any]:
    """What a frame was made with, on the frame ``self``; where it is on its body, if it has been moved since."""
    given = given_to(frame)
    if given is not None:
        position = Vec3.from_any(given.get("position", (0, 0, 0))).symbolic()
        pose = given["self"].pose @ Transform(as_rotation(given.get("rotation"), frame.name), position)
        if _same(pose.entries(), frame.pose.entries()):
            return given
    return {"self": frame.body, "position": frame.pose.position, "rotation": frame.pose.rotation}


def _same(some: list[Any], others: list[Any]) -> bool:
    return all(as_expr(a).fp == as_expr(b).fp for a, b in zip(some, others, strict=True))


@alone
def model_text(system: System | Subsystem, *, folder: str | os.PathLike[str] | None = None) -> str:
    """A system as the text of a model file; ``read_model`` gives the same system back.

    So does a machine that is coupled from subsystems, where these were made from systems or by texts. Its text is read
    once more before it is returned, and compared: a system that was changed after ``from_system`` is refused.

    Bodies, frames, laws and all the rest are written as they were given. Functions are written by their formulas, and
    what ``contact``, ``tyre`` and the like put into a system as the inputs, loads and sensors that they are.

    Args:
        system: what is to be written.
        folder: to which the paths of meshes are relative; by default to the folder that each mesh knows.

    Raises:
        ModelFileError: if something cannot be written, such as a load of a class of your own.

    Example:
        >>> from multibody.model import System
        >>> pendulum = System("pendulum")
        >>> bob = pendulum.body("bob", mass=pendulum.parameter("m", 2.5, unit="kg"), com=(0, 0, -1))
        >>> hinge = pendulum.joint("angle", pendulum.world, bob, "Ry", q=0.3)
        >>> print(model_text(pendulum), end="")
        multibody: 1
        name: pendulum
        gravity: [0, 0, -9.81]
        parameters:
          m: {value: 2.5, unit: kg}
        bodies:
          bob: {mass: m, com: [0, 0, -1]}
        joints:
          angle: {parent: world, child: bob, kind: Ry, q: 0.3}
    """
    place = None if folder is None else Path(folder)
    if isinstance(system, System):
        return emitted(_ModelWriter(system, place).document())
    from multibody.subsystems import Subsystem

    if isinstance(system, Subsystem):
        return _coupled_text(system, place)
    raise ModelFileError(
        f"A {type(system).__name__} cannot be written to a model file.",
        cause="A model file describes systems, and subsystems made from them; this was frozen or derived from such.",
        remedy="Write the System, or the Subsystem, that it was made from; or export the equations: "
        "mb.export(equations, mb.C(), folder).",
        code="value-not-writable",
    )


def write_model(system: System | Subsystem, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
    """Write a system to a model file, as a whole or not at all.

    Args:
        system: what is to be written.
        path: of the file, such as ``"crane.yaml"``; the paths of meshes are written relative to its folder.
        overwrite: whether a file that is there already may be replaced.

    Returns:
        The path of the file.

    Raises:
        StorageError: if the file exists already, or cannot be written.
        ModelFileError: if something cannot be written.
    """
    text = model_text(system, folder=Path(path).resolve().parent)
    with atomic_file(path, overwrite) as stream:
        stream.write(text.encode())
    return Path(path)


def _coupled_text(whole: Subsystem, folder: Path | None) -> str:
    """The text of a coupled machine, which was read and compared."""
    from multibody.io.model_files.coupled.reading import coupled
    from multibody.io.model_files.coupled.writing import coupled_document, difference, refusal

    def of_system(system: System) -> dict[str, Any]:
        found = _ModelWriter(system, folder).document()
        return {key: value for key, value in found.items() if key != "multibody"}

    text = emitted(coupled_document(whole, of_system))
    place = Folder.of_file((folder or Path()).resolve() / "model.yaml")
    try:
        differing = difference(whole, coupled(Gatherer(place).add(SourceText(text), place)))
    except MultibodyError as error:
        raise refusal(whole, f"What would be written cannot be read: {error.what}") from error
    if differing:
        raise refusal(
            whole,
            f"What would be written differs in {differing}.",
            "If a system was changed after from_system, call from_system and couple again.",
        )
    return text


class _ModelWriter:
    def __init__(self, system: System, folder: Path | None) -> None:
        self._system = system
        self._formulas = FormulaWriter(Symbols.of(system))
        self._objects = Objects(self._formulas, folder)
        self._given = {frame: frame_arguments(frame) for frame in system.all(Frame) if not isinstance(frame, Body)}

    def document(self) -> dict[str, Any]:
        """All that is to be written, in the order of the format."""
        system = self._system
        with concerning(f"system '{system.name}'"):
            found: dict[str, Any] = {
                "multibody": VERSION,
                "name": system.name,
                "description": system.description or None,
                "gravity": self._plain(system.gravity),
                "recognise_loops": None if system.recognise_loops else False,
                "parameters": dict(map(self._parameter, system.all(Parameter))),
                "inputs": dict(map(self._input, system.all(Input))),
                "bodies": self._bodies(),
                "frames": dict(self._frames()),
                "joints": {joint.name: self._joint(joint) for joint in system.all(Joint)},
            }
            for section in ("loops", "constraints", "sensors", "loads"):
                found[section] = dict(self._section(section, getattr(system, section)))
            found["drawings"] = {name: self._drawing(name, drawing) for name, drawing in system.drawings.items()}
            found["start"] = dict(system.starts)
            found["tables"] = {name: plain_table(table) for name, table in self._formulas.tables.by_name.items()}
        return {key: found[key] for key in TOP if found.get(key) not in (None, {})}

    def _plain(self, value: Any) -> Any:
        return self._formulas.plain(value)

    def _parameter(self, one: Parameter) -> tuple[str, Any]:
        missing = any(value is None for value in one.default.values())
        values = np.array(list(one.default.values()), dtype=object).reshape(np.shape(one.symbols))
        value = None if missing else self._plain(values if values.shape else values.item())
        more = _present(unit=one.unit, description=one.description)
        return one.name, ({} if value is None else {"value": value}) | more if more else value

    def _input(self, one: Input) -> tuple[str, Any]:
        shape = list(np.shape(one.symbols))
        limits, slider = ([] if pair is None else _range(pair) for pair in (one.limits, one.slider))
        size = shape[0] if len(shape) == 1 else shape
        return one.name, _present(shape=size, unit=one.unit, description=one.description, limits=limits, slider=slider)

    # bodies and frames -------------------------------------------------------------------------------------------

    def _bodies(self) -> dict[str, dict[str, Any]]:
        """Bodies, each with the frames that were made on it."""
        found = {body.name: self._body(body) for body in self._system.all(Body) if body is not self._system.world}
        for frame, given in self._given.items():
            if given["self"].name in found:
                found[given["self"].name].setdefault("frames", {})[frame.name] = self._place(frame)
        return found

    def _body(self, body: Body) -> dict[str, Any]:
        with concerning(f"body '{body.name}'"):
            given = body_arguments(body)
            about = given.pop("about", None)
            said = {key: self._plain(value) for key, value in given.items()}
            if about is not None:
                said["about"] = about if isinstance(about, str) else self._plain(about)
            return said

    def _frames(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Frames on the world, and on other frames."""
        for frame, given in self._given.items():
            carrier = given["self"]
            if carrier is self._system.world:
                yield frame.name, self._place(frame)
            elif not isinstance(carrier, Body):
                yield frame.name, {"on": carrier.name} | self._place(frame)

    def _place(self, frame: Frame) -> dict[str, Any]:
        given = self._given[frame]
        return self._placed(f"frame '{frame.name}'", given.get("position"), given.get("rotation"))

    def _placed(self, what: str, position: Any, rotation: Any) -> dict[str, Any]:
        with concerning(what):
            here = self._plain(position) if position is not None else [0, 0, 0]
            said = {} if here == [0, 0, 0] else {"position": here}
            turned = None if rotation is None else plain_rotation(rotation, self._plain)
            return said if turned is None else said | {"rotation": turned}

    # joints and objects ------------------------------------------------------------------------------------------

    def _joint(self, joint: Joint) -> dict[str, Any]:
        with concerning(f"joint '{joint.name}'"):
            said = {
                "parent": joint.parent.name,
                "child": joint.child.name,
                "kind": self._objects.joint_kind(joint.kind),
                "q": _one_or_all(joint.q) if joint.written & {q.name for q in joint.coordinates} else None,
                "guess": _one_or_all(joint.q) if joint.guessed else None,
                "u": _one_or_all(joint.u) if joint.written & {u.name for u in joint.speeds} else None,
                "limits": _one_or_all([None if pair is None else _range(pair) for pair in joint.limits])
                if any(joint.limits)
                else None,
                "prescribed": None if joint.prescribed is None else self._plain(_one_or_all(joint.prescribed)),
                "cut": joint.cut,
            }
            return {key: value for key, value in said.items() if value is not None}

    def _section(self, section: str, things: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        for name, thing in things.items():
            with concerning(f"{section.removesuffix('s')} '{name}'"):
                yield name, self._objects.plain(thing, section)

    def _drawing(self, name: str, drawing: Any) -> dict[str, Any]:
        given = given_to(drawing) or {"position": drawing.pose.position, "rotation": drawing.pose.rotation}
        with concerning(f"drawing '{name}'"):
            said = {"frame": drawing.frame.name, "shape": self._objects.plain(drawing.shape, "drawings")}
            said |= {} if drawing.to is None else {"to": drawing.to.name}
            return said | self._placed(f"drawing '{name}'", given.get("position"), given.get("rotation"))


def _present(**named: Any) -> dict[str, Any]:
    return {key: value for key, value in named.items() if value not in ("", [], None)}


def _range(pair: Any) -> list[Any]:
    return [str(float(end)) if np.isinf(end) else float(end) for end in pair]


def _one_or_all(values: Any) -> Any:
    return values[0] if len(values) == 1 else list(values)
