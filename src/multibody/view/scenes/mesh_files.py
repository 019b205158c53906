"""Surfaces from files, by trimesh: STL, OBJ, PLY, GLB, DAE.

A file is not trusted: what it refers to, such as textures and materials, is read only below the folder it belongs to,
and a file that is missing, broken or too large is replaced by a box with a message.
"""

from __future__ import annotations

import logging
import re
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from multibody.model.shapes.colors import Colour
from multibody.model.shapes.shapes import MESH_KINDS, Mesh
from multibody.support.files import read_regular
from multibody.support.optional_libraries import require_library
from multibody.view.scenes.triangles import Surface, box

KINDS = MESH_KINDS
LARGEST = 200_000_000
"""Bytes of a file that is still read."""

MATERIALS = re.compile(rb"<bind_material\b.*?</bind_material>", re.DOTALL)
PLACEHOLDER: Colour = (0.85, 0.35, 0.35, 0.6)


def mesh_parts(mesh: Mesh, size: float, messages: list[str]) -> tuple[Surface, ...]:
    """The surfaces in a file, scaled; a box of the given size, and a message, where there are none to be had."""
    trouble = _trouble(mesh)
    if not trouble:
        assert mesh.path is not None
        try:
            found = _kept(mesh.path, mesh.folder or mesh.path.parent, mesh.path.stat().st_mtime_ns)
        except Exception as error:  # noqa: BLE001 - readers of many formats fail in many ways
            trouble, found = f"cannot be read: {type(error).__name__}: {str(error)[:200]}", ()
        if found:
            return tuple(part.scaled(mesh.scale) for part in found)
        trouble = trouble or "has no surface"
    messages.append(f"The mesh '{mesh.label}' {trouble}; a box is drawn in its place.")
    edge = 0.06 * size
    return (Surface(box(edge, edge, edge).vertices, box(edge, edge, edge).faces, PLACEHOLDER),)


def _trouble(mesh: Mesh) -> str:
    if mesh.path is None:
        return "was not found below the model's folder or mesh_root"
    if not mesh.path.exists():
        return "was not found"
    if not mesh.path.is_file():
        return "is not a regular file"
    if mesh.path.suffix.lower() not in KINDS:
        return f"is of a kind that is not read (those are {', '.join(KINDS)})"
    return "is too large" if mesh.path.stat().st_size > LARGEST else ""


@lru_cache(maxsize=128)  # wheels, legs and fingers share their files, and a slider reads none of them again
def _kept(path: Path, folder: Path, changed: int) -> tuple[Surface, ...]:
    return _read(path, folder)


def _read(path: Path, folder: Path) -> tuple[Surface, ...]:
    kind, content = path.suffix.lower()[1:], read_regular(path)
    found = _surfaces(content, kind, path.parent, folder)
    if kind == "dae" and not found:  # the reader leaves out what has a broken material: better grey than not at all
        found = _surfaces(MATERIALS.sub(b"", content), kind, path.parent, folder)
    return found


def _surfaces(content: bytes, kind: str, start: Path, folder: Path) -> tuple[Surface, ...]:
    trimesh = require_library("trimesh", "view")
    with BytesIO(content) as stream, _quiet():
        scene = trimesh.load_scene(stream, file_type=kind, resolver=_below(trimesh, start, folder))
    factor = _metres(content) if kind == "dae" else 1.0
    found = []
    for name in scene.graph.nodes_geometry:
        matrix, geometry = scene.graph[name]
        mesh = scene.geometry[geometry]
        if getattr(mesh, "faces", None) is None or not len(mesh.faces):
            continue
        vertices = np.asarray(mesh.vertices) @ matrix[:3, :3].T + matrix[:3, 3]
        if not np.isfinite(vertices).all():
            continue
        faces = np.asarray(mesh.faces, dtype=np.int64)
        if faces.min() < 0 or faces.max() >= len(vertices):
            raise ValueError("its faces name corners that it does not have")
        found.append(Surface(vertices * factor, faces, _colour(mesh), smooth=kind != "stl"))
    return tuple(found)


def _metres(content: bytes) -> float:
    """The unit of a COLLADA file, which its reader leaves to us; metres if it says nothing of use."""
    head = content[:20000].decode("utf-8", "replace")
    _, mark, rest = head.partition('meter="')
    try:
        unit = float(rest.partition('"')[0]) if mark else 1.0
    except ValueError:
        return 1.0
    return unit if 1e-9 < unit < 1e9 else 1.0


def _colour(mesh: Any) -> Colour | None:
    """One colour for a surface: that of its material, or the mean of its vertices; None if it has none."""
    visual = mesh.visual
    if visual is None or not visual.defined:
        return None
    material = getattr(visual, "material", None)
    main = getattr(material, "main_color", None) if material is not None else getattr(visual, "main_color", None)
    if main is None:
        return None
    red, green, blue, opacity = (float(channel) / 255 for channel in np.asarray(main)[:4])
    return red, green, blue, opacity


def _below(trimesh: Any, start: Path, folder: Path) -> Any:
    """Finds the files that a mesh names: from its own folder, and never outside of ``folder``."""
    root = folder.resolve()

    class Below(trimesh.resolvers.Resolver):  # type: ignore[misc]
        def __init__(self) -> None:
            """Nothing to prepare; the library wants to be told so."""

        def get(self, name: str) -> bytes:
            place = (start / str(name)).resolve()
            if not place.is_relative_to(root) or not place.is_file() or place.stat().st_size > LARGEST:
                raise FileNotFoundError(name)
            return read_regular(place)

        def keys(self) -> tuple[str, ...]:
            return ()

        def write(self, name: str, data: bytes) -> None:
            raise PermissionError(name)

        def namespaced(self, namespace: str) -> Any:
            return self

    return Below()


class _quiet:  # noqa: N801 - it reads as a statement
    """Readers warn at length about what is then replaced."""

    def __enter__(self) -> None:
        self._log = logging.getLogger("trimesh")
        self._level = self._log.level
        self._log.setLevel(logging.CRITICAL)

    def __exit__(self, *_: object) -> None:
        self._log.setLevel(self._level)
