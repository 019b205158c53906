"""The texts of new model files."""

from __future__ import annotations

import inspect
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from multibody.cli.exit_codes import CommandError
from multibody.cli.sources import PYTHON as PYTHON_SUFFIXES, NamedModel, find_model, mesh_root, robot_options
from multibody.io.model_files.yaml_text.emit import scalar
from multibody.model import System

if TYPE_CHECKING:
    from multibody.library import LibraryModel

YAML = """\
# {name}: a model file of multibody. SI units and radians. Values may be numbers or expressions of parameters.
# Check it:     multibody check {name}.yaml
# Simulate it:  multibody simulate {name}.yaml --duration 5
multibody: 1 # the version of this format
name: {written}
gravity: [0, 0, -9.81]

parameters: # numbers that can be changed without deriving anew
  m: {{value: 1.0, unit: kg, description: mass of the bob}}
  l: {{value: 1.0, unit: m, description: length of the rod}}
  d: {{value: 0.05, unit: N*m*s/rad, description: friction of the hinge}}

inputs: # what acts from outside; zero unless a run gives values
  M: {{unit: N*m, description: torque at the hinge}}

bodies: # the centre of mass lies in the frame of the body, here below the hinge
  bob:
    mass: m
    com: [0, 0, -l]
    inertia: [m*l**2/12, m*l**2/12, 0]
    frames: # places on the body that joints, loads and sensors can refer to
      tip: {{position: [0, 0, -l]}}

joints: # parent and child are bodies or frames; "world" does not move. q and u are start values
  angle: {{parent: world, child: bob, kind: Ry, q: 0.5}}

loads:
  drive: {{JointLoad: {{joint: angle, value: M}}}}
  friction: {{JointDamper: {{joint: angle, damping: d}}}}

sensors: # what is measured
  place: {{Position: {{frame: tip}}}}
"""

EMPTY_YAML = """\
# {name}: a model file of multibody. SI units and radians.
multibody: 1 # the version of this format
name: {written}
gravity: [0, 0, -9.81]

# parameters:
#   m: {{value: 1.0, unit: kg}}
# bodies:
#   bob: {{mass: m, com: [0, 0, -1]}}
# joints:
#   angle: {{parent: world, child: bob, kind: Ry}}
"""

PYTHON = '''\
"""{name}: a model of multibody. SI units and radians.

Check it:     multibody check {name}.py
Simulate it:  multibody simulate {name}.py --duration 5
"""

import multibody as mb

system = mb.System("{name}", gravity=(0, 0, -9.81))
'''

PENDULUM = """
# numbers that can be changed without deriving anew
m = system.parameter("m", 1.0, unit="kg", description="mass of the bob")
l = system.parameter("l", 1.0, unit="m", description="length of the rod")
d = system.parameter("d", 0.05, unit="N*m*s/rad", description="friction of the hinge")

# what acts from outside; zero unless a run gives values
M = system.input("M", unit="N*m", description="torque at the hinge")

# the centre of mass lies in the frame of the body, here below the hinge
bob = system.body("bob", mass=m, com=(0, 0, -l), inertia=(m * l**2 / 12, m * l**2 / 12, 0))
tip = bob.frame("tip", (0, 0, -l))

# parent and child are bodies or frames; system.world does not move; q is the start value
angle = system.joint("angle", system.world, bob, "Ry", q=0.5)

system.load(mb.JointLoad(angle, M), name="drive")
system.load(mb.JointDamper(angle, d), name="friction")
system.sensor("place", mb.Position(tip))
"""

MAIN = """
if __name__ == "__main__":
    run = mb.simulate(mb.derive(system), duration=5.0)
    print(run)
"""

LIBRARY = '''\
"""{name}: {title}, from the library of multibody.

{description}

Check it:     multibody check {name}.py
Simulate it:  multibody simulate {name}.py --duration 5
"""

import multibody as mb

# It is a System like any other: add to it, or give it other dimensions.
system = mb.library.{origin}(
{options})
'''


FILE = '''\
"""{name}: {title}.

Check it:     multibody check {name}.py
Simulate it:  multibody simulate {name}.py --duration 5
"""

from pathlib import Path

import multibody as mb
from multibody.io{package} import {reader}

HERE = Path(__file__).parent

# It is a System like any other: add loads, inputs and sensors to it.
system = {reader}(
{options}){system}
'''


def text(name: str, path: Path, origin: str | None, *, empty: bool) -> str:
    """The text of a new model file.

    Args:
        name: of the system.
        path: of the file; its suffix tells whether it is a Python file, rather than YAML.
        origin: the library model or the file to begin with; a pendulum without it.
        empty: whether there is to be nothing in it.

    Raises:
        ModelError: if there is no such model.
    """
    python = path.suffix.lower() in PYTHON_SUFFIXES
    if origin is not None:
        return _begun_with(find_model(origin), name, path.resolve().parent, python=python)
    if python:
        return PYTHON.format(name=name) + ("" if empty else PENDULUM + MAIN)
    return (EMPTY_YAML if empty else YAML).format(name=name, written=scalar(name))


def _begun_with(source: NamedModel, name: str, folder: Path, *, python: bool) -> str:
    if not python or source.kind == "yaml":
        _require_system(source)
    if not python:
        return _yaml(source, name, folder)
    return _file_python(source, name, folder) if source.model is None else _library_python(name, source.model)


def _require_system(source: NamedModel) -> None:
    if not isinstance(source.thing, System):
        raise CommandError(
            f"'{source.name}' holds no System that a new model could begin with.",
            where="--from",
            remedy="Give a library model, robot.urdf, model.yaml, or a script that defines a System; copy files with "
            "subsystems.",
            code="value-not-writable",
        )


def _yaml(source: NamedModel, name: str, folder: Path) -> str:
    """A model file with everything that another model consists of; meshes are found from its folder."""
    from multibody.io.model_files import model_text

    system, model = source.thing, source.model
    assert isinstance(system, System)
    written = model_text(system, folder=folder).replace(f"name: {scalar(system.name)}\n", f"name: {scalar(name)}\n", 1)
    if model is None:
        return f"# {name}: begun with {Path(source.name).name}.\n{written}"
    return f"# {name}: {model.title}, from the library of multibody.\n# {model.description}\n{written}"


def _file_python(source: NamedModel, name: str, folder: Path) -> str:
    """A script that reads a robot or a model file."""
    if source.kind not in ("urdf", "yaml"):
        raise CommandError(
            f"A Python file cannot begin with '{source.name}'.",
            where="--from",
            remedy="Copy it, or import it.",
            code="script-start-unsupported",
        )
    path = Path(source.name.removesuffix(f":{source.wishes}") if source.wishes else source.name).resolve()
    given = {"yaml": _yaml_arguments, "urdf": _robot_arguments}[source.kind](source, name, path, folder)
    return FILE.format(name=name, title=f"begun with {path.name}", **given) + MAIN


def _yaml_arguments(source: NamedModel, name: str, path: Path, folder: Path) -> dict[str, str]:
    options = f"    {_from(folder, path)},\n"
    return {"package": ".model_files", "reader": "read_model", "options": options, "system": ""}


def _robot_arguments(source: NamedModel, name: str, path: Path, folder: Path) -> dict[str, str]:
    chosen = {"name": name, **robot_options(source.wishes)}
    words = {key: json.dumps(value) if isinstance(value, str) else str(value) for key, value in chosen.items()}
    words["mesh_root"] = _from(folder, mesh_root(path))
    lines = [_from(folder, path), *(f"{key}={value}" for key, value in words.items())]
    options = "".join(f"    {line},\n" for line in lines)
    return {"package": "", "reader": "read_urdf", "options": options, "system": ".system"}


def _from(folder: Path, path: Path) -> str:
    """A path in a script, which starts at the folder of the script."""
    try:
        return f"HERE / {json.dumps(Path(os.path.relpath(path, folder)).as_posix(), ensure_ascii=False)}"
    except ValueError:  # on two drives of Windows
        return f"Path({json.dumps(str(path), ensure_ascii=False)})"


def _library_python(name: str, model: LibraryModel) -> str:
    given = inspect.signature(model.build).parameters.values()
    options = "".join(map(_option, given))
    return LIBRARY.format(
        name=name, title=model.title, description=model.description, origin=model.name, options=options
    ) + MAIN  # fmt: skip


def _option(one: inspect.Parameter) -> str:
    """The line for an option: with its default, or a hint at further ones."""
    if one.kind is one.VAR_KEYWORD:
        return f"    # {one.name}: others by name, see help(mb.library)\n"
    return f"    {one.name}={one.default!r},\n"
