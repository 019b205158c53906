"""Sources of models for commands: the library, and files."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from multibody.equations import EquationsOfMotion
from multibody.errors import ModelError
from multibody.formalisms import Formalism, derive
from multibody.graph.names import suggestion
from multibody.model import Model, System
from multibody.support.files import require_regular

if TYPE_CHECKING:
    from multibody.library import LibraryModel

YAML = (".yaml", ".yml")
URDF = (".urdf", ".xml", ".xacro")
PYTHON = (".py",)
ROBOTS: dict[str, dict[str, Any]] = {
    "floating": {"floating": True},
    "coupled": {"mimic": "couple"},
    "driven": {"drive": True},
    "undamped": {"dynamics": "ignore"},
}
"""What may stand behind a URDF file and a colon: a root that moves freely; joints that follow those they mimic; efforts
as inputs, such as ``elbow_effort``; no damping and friction."""


@dataclass(frozen=True, eq=False)
class NamedModel:
    """A model that was found.

    Attributes:
        name: as it was given.
        kind: ``"library"``, ``"yaml"``, ``"urdf"`` or ``"python"``.
        thing: the system; or a model or equations, where a Python file has no system.
        model: its entry in the library, if it comes from there.
        messages: what was odd about the file, in plain sentences.
        wishes: the words behind a URDF file and a colon.
    """

    name: str
    kind: str
    thing: System | Model | EquationsOfMotion
    model: LibraryModel | None = None
    messages: tuple[str, ...] = ()
    wishes: str = ""

    @property
    def system(self) -> System | Model:
        """What can be derived."""
        return self.thing.model if isinstance(self.thing, EquationsOfMotion) else self.thing

    def equations(self, formalism: Formalism | None = None) -> EquationsOfMotion:
        """The equations of motion; those of a Python file as they are, unless another formalism is wanted."""
        if isinstance(self.thing, EquationsOfMotion) and formalism is None:
            return self.thing
        return derive(self.system, formalism)


def find_model(text: str) -> NamedModel:
    """The model that is meant by what stands on the command line.

    Args:
        text: the name of a library model; or the path of a YAML file, a URDF file, or a Python file, of which
            ``file.py:name`` picks one of several things. ``robot.urdf:floating`` has a root that moves freely, in
            ``robot.urdf:coupled`` joints follow those that they mimic, in ``robot.urdf:driven`` efforts are inputs,
            and ``robot.urdf:undamped`` is without damping and friction.

    Raises:
        ModelError: if there is no such model, or the file does not describe one.

    Example:
        >>> found = find_model("pendulum")
        >>> found.kind, found.equations().coordinates
        ('library', (angle,))
    """
    for suffixes, read in _READERS.items():
        path, colon, name = text.rpartition(":")
        if text.lower().endswith(suffixes):
            return read(_existing(text), "")
        if colon and path.lower().endswith(suffixes):
            return read(_existing(path), name)
    return _from_library(text)


def _existing(path: str) -> Path:
    if not Path(path).exists():
        near = _namesake(Path(path))
        raise ModelError(
            "There is no such file.", where=path, cause=near, remedy="Check the path.", code="file-missing"
        )
    require_regular(path)
    return Path(path)


def _namesake(path: Path) -> str:
    """The files beside it that were perhaps meant; names are compared without their suffixes, which are all alike."""
    beside = [one for one in _listed(path.parent) if one.suffix.lower() in (*PYTHON, *YAML, *URDF)]
    near = [repr(file.name) for file in beside if suggestion([path.stem], [file.stem])]
    return f"Did you mean {' or '.join(near[:3])}?" if near else ""


def _listed(folder: Path) -> list[Path]:
    with contextlib.suppress(OSError):
        return sorted(folder.iterdir())
    return []


def _from_library(name: str) -> NamedModel:
    from multibody import library

    if name not in library.names():
        raise ModelError(
            f"There is no model '{name:.200}'.",
            cause=suggestion([name], library.names()),
            remedy=f"Give a file that ends in .yaml, .urdf or .py, or a library model: {', '.join(library.names())}.",
            code="model-unknown",
            name=name,
        )
    model = library.find(name)
    return NamedModel(name, "library", model.build(), model)


def _from_yaml(path: Path, name: str) -> NamedModel:
    from multibody.io.model_files import read_model

    if name:
        raise ModelError(
            f"A model file holds one model; ':{name}' has no meaning.",
            where=str(path),
            code="model-selector-invalid",
            name=name,
        )
    described = read_model(path)
    return NamedModel(str(path), "yaml", described if isinstance(described, System) else described.equations())


def _from_urdf(path: Path, wishes: str) -> NamedModel:
    from multibody.io import read_urdf

    for word in _words(wishes):
        if word not in ROBOTS:
            raise ModelError(
                f"A robot cannot be read as '{word}'.",
                where=f"{path}:{wishes}",
                cause=suggestion([word], list(ROBOTS)),
                remedy=f"Put one or several of these behind the file: {path.name}:{','.join(ROBOTS)}.",
                code="model-selector-invalid",
                name=word,
            )
    robot = read_urdf(path, mesh_root=mesh_root(path.resolve()), **robot_options(wishes))
    messages = (*robot.messages, *robot.report.lines())
    name = f"{path}:{wishes}" if wishes else str(path)
    return NamedModel(name, "urdf", robot.system, messages=messages, wishes=wishes)


def _words(wishes: str) -> list[str]:
    return [word.strip() for word in wishes.split(",")] if wishes else []


def robot_options(wishes: str) -> dict[str, Any]:
    """The arguments of ``read_urdf`` for the words behind a URDF file and a colon."""
    return {key: value for word in _words(wishes) for key, value in ROBOTS[word].items()}


def mesh_root(path: Path) -> Path:
    """Where a robot's meshes may be: in its ROS package or beside that; or in its folder, or beside a folder 'urdf'."""
    for folder in path.parents:
        if (folder / "package.xml").is_file():
            return folder.parent
    return path.parent.parent if path.parent.name == "urdf" else path.parent


def _from_python(path: Path, name: str) -> NamedModel:
    from multibody.cli.scripts import run_script

    found = run_script(path)
    return NamedModel(f"{path}:{name}" if name else str(path), "python", _chosen(found, name, str(path)))


_READERS: dict[tuple[str, ...], Callable[[Path, str], NamedModel]] = {
    PYTHON: _from_python, YAML: _from_yaml, URDF: _from_urdf
}  # fmt: skip


def _chosen(found: dict[str, Any], name: str, where: str) -> System | Model | EquationsOfMotion:
    """One thing of a Python file: the one with a name; or the only system, or else the only equations."""
    if name:
        return _named(found, name, where)
    shown = {name: thing for name, value in found.items() if (thing := _mechanical(value)) and not name.startswith("_")}
    for kind in (System, EquationsOfMotion, Model):
        names = {id(element): name for name, element in shown.items() if isinstance(element, kind)}
        if len(names) == 1:
            return shown[next(iter(names.values()))]
        if names:
            raise ModelError(
                f"There are several to choose from: {', '.join(names.values())}.",
                where=where,
                remedy=f"Say which: {where}:{next(iter(names.values()))}.",
                code="system-ambiguous",
                names=list(names.values()),
            )
    raise ModelError(
        "The file defines no system.",
        where=where,
        remedy="Let it assign one to a name: crane = mb.System('crane'). A function that returns one is meant by "
        f"{where}:its_name.",
        code="script-without-system",
    )


def _named(found: dict[str, Any], name: str, where: str) -> System | Model | EquationsOfMotion:
    from multibody.cli.scripts import called

    if name not in found:
        known = [name for name, value in found.items() if _mechanical(value)]
        raise ModelError(
            f"The file defines no '{name}'.",
            where=where,
            cause=suggestion([name], known),
            remedy=f"It defines: {', '.join(known) or 'no systems'}.",
            code="name-unknown",
            name=name,
        )
    thing = found[name]
    if callable(thing) and not _mechanical(thing):
        thing = called(thing, name, Path(where))
    mechanical = _mechanical(thing)
    if mechanical is None:
        raise ModelError(
            f"'{name}' is a {type(thing).__name__}, not a system.",
            where=where,
            remedy="Name a System, a robot, equations of motion, or a function that returns one.",
            code="value-of-wrong-type",
            name=name,
        )
    return mechanical


def _mechanical(value: Any) -> System | Model | EquationsOfMotion | None:
    """A system, a model or equations; also the system of a robot, or of a PyMbs script."""
    if isinstance(value, type):
        return None
    inner = value if isinstance(value, System | Model | EquationsOfMotion) else getattr(value, "system", None)
    return inner if isinstance(inner, System | Model | EquationsOfMotion) else None


def known_models(beginning: str = "") -> list[str]:
    """Names that may be meant by the beginning of one: library models, and files nearby. For the shell."""
    from multibody import library

    named = [name for name in library.names() if name.startswith(beginning)]
    folder = Path(beginning if beginning.endswith(("/", "\\")) else Path(beginning).parent)
    files = [path for path in _listed(folder) if path.is_dir() or path.suffix.lower() in (*PYTHON, *YAML, *URDF)]
    shown = [f"{file}/" if file.is_dir() else str(file) for file in files if not file.name.startswith(".")]
    return named + [name for name in shown if name.startswith(beginning)]
