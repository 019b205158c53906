"""Blender's way, as in Wittenburg's method with Blender: a table of the motion, and a script that animates from it.

Three files: ``<name>.csv`` with the motion, ``<name>_shapes.json`` with the surfaces, and ``<name>_blender.py``, which
is run by ``blender --python <name>_blender.py``, or by any Python that has Blender's module ``bpy``.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Collection, Iterator
from importlib import resources
from io import StringIO
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from multibody.errors import StorageError
from multibody.simulation import Trajectory
from multibody.support.files import atomic_file, destination, refuse_existing
from multibody.view.animation.frames import AnimationFrames, motion
from multibody.view.animation.glb import upright
from multibody.view.render.ground import ground_below, level
from multibody.view.scenes.camera import FIELD, camera
from multibody.view.scenes.placement import quaternions
from multibody.view.scenes.scene import shown_layers
from multibody.view.scenes.subject import require_run
from multibody.view.scenes.triangles import Surface

SUFFIXES = (".csv", "_shapes.json", "_blender.py")


def write_blender(
    run: Trajectory, folder: str | PathLike[str], *, name: str = "", thing: Any = None, fps: float = 30,
    speed: float = 1.0, layers: Collection[str] | None = None, overwrite: bool = False,
) -> tuple[Path, ...]:  # fmt: skip
    """Write a run for Blender: a table of the motion, the shapes, and a script that builds and animates them.

    Args:
        run: what ``simulate`` returns.
        folder: where to; it is made, if it does not exist.
        name: how the files begin; by default the name of the system.
        thing: what the run belongs to, if something else than its own system is to be checked.
        fps: frames for each second of watching.
        speed: seconds of the run for each second of watching: 0.1 is slow motion.
        layers: what to show; see ``picture``.
        overwrite: whether files of these names may be replaced.

    Returns:
        The paths of the table, the shapes and the script.

    Example:
        >>> import tempfile
        >>> import multibody as mb
        >>> from multibody.view.animation import write_blender
        >>> cart = mb.System("cart")
        >>> slide = cart.joint("slide", cart.world, cart.body("box", mass=2), "Tx", u=1.0)
        >>> run = mb.simulate(mb.derive(cart), duration=1.0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     files = write_blender(run, folder, fps=10)
        ...     print(*(one.name for one in files))
        ...     print(files[0].read_text().splitlines()[0])
        cart.csv cart_shapes.json cart_blender.py
        t [s],box.x [m],box.y [m],box.z [m],box.qw,box.qx,box.qy,box.qz...
    """
    require_run(run)
    stem = _stem(name or run.eom.model.name)
    home = destination(folder, "write_blender(run, 'folder')")
    paths = tuple(home / f"{stem}{suffix}" for suffix in SUFFIXES)
    for path in paths:
        refuse_existing(path, overwrite)
    moving = motion(run, thing, fps, speed)
    shown = shown_layers(moving.scene, layers)
    contents = table(moving, shown), json.dumps(_shapes(moving, shown), ensure_ascii=False), _script(stem)
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(
            "The folder cannot be made.", code="folder-not-made", where=str(folder), cause=str(error)
        ) from error
    for path, content in zip(paths, contents, strict=True):
        with atomic_file(path, overwrite) as stream:
            stream.write(content.encode())
    return paths


def _stem(name: str) -> str:
    """A name for files: letters, digits, dots, hyphens."""
    return re.sub(r"[^\w.-]", "_", name, flags=re.ASCII).lstrip(".") or "run"


def _script(stem: str) -> str:
    text = resources.files(__package__).joinpath("blender_script.txt").read_text(encoding="utf-8")
    return text.replace("@NAME@", stem)


# motion --------------------------------------------------------------------------------------------------------------


def movers(moving: AnimationFrames, layers: Collection[str]) -> tuple[dict[str, int], dict[str, int]]:
    """What is in the table, by names that are unique: numbers of places, and of ties."""
    scene, taken = moving.scene, set[str]()
    carrying = {solid.place for solid in scene.solids if solid.layer in layers}
    places = {
        _unique(place.name, taken): k
        for k, place in enumerate(scene.places)
        if k in carrying or (place.body and k)
    }  # fmt: skip
    ties = {_unique(tie.name, taken): k for k, tie in enumerate(scene.ties) if tie.layer in layers}
    return places, ties


def _unique(name: str, taken: set[str]) -> str:
    found, k = name, 1
    while found in taken:
        k += 1
        found = f"{name}_{k}"
    taken.add(found)
    return found


def table(moving: AnimationFrames, layers: Collection[str]) -> str:
    """Time, and position and quaternion of everything that moves, a row for each frame; numbers are exact."""
    places, ties = movers(moving, layers)
    header, columns = ["t [s]"], [moving.times[:, None]]
    for name, k in places.items():
        header += _header(name)
        columns += [moving.poses.position[:, k], moving.poses.quaternion[:, k]]
    for name, k in ties.items():
        header += [*_header(name), f"{name}.length [m]"]
        columns += [moving.ties.position[:, k], moving.ties.quaternion[:, k], moving.ties.length[:, k, None]]
    text = StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(header)
    writer.writerows([*map(repr, row)] for row in np.hstack(columns).tolist())
    return text.getvalue()


def _header(name: str) -> list[str]:
    return [*(f"{name}.{axis} [m]" for axis in "xyz"), *(f"{name}.q{part}" for part in "wxyz")]


# shapes --------------------------------------------------------------------------------------------------------------


def _shapes(moving: AnimationFrames, layers: Collection[str]) -> dict[str, Any]:
    scene = moving.scene
    places, ties = movers(moving, layers)
    names = {k: name for name, k in places.items()}
    view, floor = camera(scene, moving.poses), ground_below(scene, moving.poses) if "ground" in layers else None
    return {
        "system": scene.model.name,
        "fps": moving.fps,
        "upright": quaternions(upright(scene.up)).tolist(),  # turns the system so that z is up
        "camera": {"eye": view.eye.tolist(), "target": view.target.tolist(), "field": FIELD},
        "size": scene.size,
        "floor": None if floor is None else {"middle": floor.middle.tolist(), "radius": floor.radius},
        "movers": list(places),
        "solids": [
            {"name": solid.name, "on": names[solid.place], "position": solid.pose.position.tolist(),
             "quaternion": solid.pose.quaternion.tolist(), "parts": list(_parts(solid.parts, solid.colour))}
            for solid in scene.solids
            if solid.layer in layers and (floor is None or level(scene, solid) is None)
        ],
        "stretched": [
            {"name": name, "parts": list(_parts(scene.ties[k].parts, scene.ties[k].colour))} for name, k in ties.items()
        ],
    }  # fmt: skip


def _parts(parts: tuple[Surface, ...], colour: Any) -> Iterator[dict[str, Any]]:
    for part in parts:
        short = [[float(f"{entry:.7g}") for entry in row] for row in part.vertices.tolist()]
        yield {
            "vertices": short, "faces": part.faces.tolist(), "colour": list(part.colour or colour),
            "smooth": part.smooth,
        }  # fmt: skip
