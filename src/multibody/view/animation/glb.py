"""Models that move, as GLB: glTF 2.0 in one binary file, for Blender, browsers and nearly everything else.

A node for each body carries its shapes and has keys for position and rotation; what is stretched between bodies has
keys for its scale, too. In glTF, y is up.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multibody.model.shapes.colors import Colour
from multibody.support.files import atomic_file
from multibody.view.animation.frames import AnimationFrames
from multibody.view.render.surfaces import corner_normals
from multibody.view.scenes.placement import quaternions, rotation_matrices, turning_z_to
from multibody.view.scenes.scene import shown_layers
from multibody.view.scenes.triangles import Surface

TARGETS = {"vertices": 34962, "indices": 34963}
FLOAT, SHORT, INT = 5126, 5123, 5125
KINDS = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}


class Buffer:
    """Arrays in one buffer; what is added twice is kept once."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._views: list[dict[str, Any]] = []
        self._accessors: list[dict[str, Any]] = []
        self._known: dict[tuple[bytes, str, bool], int] = {}

    def add(self, values: Any, *, bounded: bool = False, target: str = "") -> int:
        """The number of an array of rows, as floats; with the bounds of its columns, where the format wants them."""
        rows = np.ascontiguousarray(values, dtype="<f4")
        bounds = {"min": rows.min(axis=0).tolist(), "max": rows.max(axis=0).tolist()} if bounded else {}
        return self._accessor(rows, FLOAT, KINDS[rows.shape[1]], target, bounds)

    def add_indices(self, numbers: Any) -> int:
        """The number of a list of whole numbers; 65535 means something else to some graphics cards."""
        short = len(numbers) == 0 or int(np.max(numbers)) < 65535
        whole = np.ascontiguousarray(numbers, dtype="<u2" if short else "<u4")
        return self._accessor(whole, SHORT if short else INT, "SCALAR", "indices", {})

    def _accessor(self, array: Any, component: int, kind: str, target: str, bounds: dict[str, Any]) -> int:
        content = array.tobytes()
        key = (content, f"{component} {kind} {target}", bool(bounds))
        if key not in self._known:
            view = {"buffer": 0, "byteOffset": len(self._bytes), "byteLength": len(content)}
            self._views.append(view | ({"target": TARGETS[target]} if target else {}))
            self._bytes += content + bytes(-len(content) % 4)
            place = {"bufferView": len(self._views) - 1, "componentType": component, "count": len(array), "type": kind}
            self._known[key] = len(self._accessors)
            self._accessors.append(place | bounds)
        return self._known[key]

    def file(self, document: dict[str, Any]) -> bytes:
        """A GLB file: a header, the document as JSON, and the buffer (glTF 2.0, section 4)."""
        parts = {
            "buffers": [{"byteLength": len(self._bytes)}], "bufferViews": self._views, "accessors": self._accessors
        }  # fmt: skip
        text = json.dumps(document | parts, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        chunks = struct.pack("<I4s", len(text), b"JSON") + text
        chunks += struct.pack("<I4s", len(self._bytes), b"BIN\0") + bytes(self._bytes)
        return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


Vector = NDArray[np.float64]
Json = dict[str, Any]

Z_TO_Y = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
"""From z upward to y upward."""

SMALLEST = 1e-9
"""Of what is stretched, at least this length: a scale of zero has no inverse."""


def write_glb(
    moving: AnimationFrames, path: Path, layers: Collection[str] | None = None, *, overwrite: bool = False
) -> None:
    """Write a model that moves."""
    content = _Document(moving, shown_layers(moving.scene, layers)).content()
    with atomic_file(path, overwrite) as stream:
        stream.write(content)


def upright(up: Vector) -> Vector:
    """The rotation from the model's coordinates to some in which z is up."""
    return rotation_matrices(turning_z_to(up)).T


class _Document:
    """Collects nodes, meshes, materials and keys."""

    def __init__(self, moving: AnimationFrames, layers: Collection[str]) -> None:
        self.moving, self.layers = moving, layers
        self.buffer = Buffer()
        self.nodes: list[Json] = []
        self.meshes: list[Json] = []
        self.materials: list[Json] = []
        self.channels: list[Json] = []
        self.samplers: list[Json] = []
        self._colours: dict[Colour, int] = {}

    def content(self) -> bytes:
        """The whole file."""
        scene = self.moving.scene
        turn = _xyzw(quaternions(Z_TO_Y @ upright(scene.up)))
        root: Json = {"name": scene.model.name, "rotation": turn, "children": []}
        self.nodes.append(root)
        self.times = self.buffer.add(self.moving.watched[:, None], bounded=True)
        root["children"] = [*self._places(), *self._ties()]
        document: Json = {
            "asset": {"version": "2.0", "generator": "multibody"}, "scene": 0,
            "scenes": [{"name": scene.model.name, "nodes": [0]}], "nodes": self.nodes,
        }  # fmt: skip
        animations = [{"name": "run", "channels": self.channels, "samplers": self.samplers}] if self.channels else []
        lists = {"meshes": self.meshes, "materials": self.materials, "animations": animations}
        document |= {name: values for name, values in lists.items() if values}
        return self.buffer.file(document)

    # nodes -------------------------------------------------------------------------------------------------------

    def _node(self, **values: Any) -> int:
        self.nodes.append({name: value for name, value in values.items() if value not in (None, [])})
        return len(self.nodes) - 1

    def _places(self) -> list[int]:
        """All bodies, and inner frames of joints that carry something."""
        return [k for k in map(self._place, range(len(self.moving.scene.places))) if k is not None]

    def _place(self, number: int) -> int | None:
        scene, poses = self.moving.scene, self.moving.poses
        solids = [solid for solid in scene.solids if solid.place == number and solid.layer in self.layers]
        if not solids and not scene.places[number].body:
            return None
        children = [
            self._node(
                name=solid.name, translation=solid.pose.position.tolist(), rotation=_xyzw(solid.pose.quaternion),
                mesh=self._mesh(solid.name, solid.parts, solid.colour),
            )
            for solid in solids
        ]  # fmt: skip
        position, turn = poses.position[:, number], poses.quaternion[:, number]
        node = self._node(
            name=scene.places[number].name, translation=position[0].tolist(), rotation=_xyzw(turn[0]), children=children
        )
        self._keys(node, "translation", position)
        self._keys(node, "rotation", np.roll(turn, -1, axis=-1))
        return node

    def _ties(self) -> list[int]:
        found, ties = [], self.moving.ties
        for k, tie in enumerate(self.moving.scene.ties):
            if tie.layer in self.layers:
                position, turn = ties.position[:, k], ties.quaternion[:, k]
                scale = np.stack([*2 * [np.ones(len(position))], np.maximum(ties.length[:, k], SMALLEST)], axis=-1)
                node = self._node(
                    name=tie.name, translation=position[0].tolist(), rotation=_xyzw(turn[0]), scale=scale[0].tolist(),
                    mesh=self._mesh(tie.name, tie.parts, tie.colour),
                )  # fmt: skip
                self._keys(node, "translation", position)
                self._keys(node, "rotation", np.roll(turn, -1, axis=-1))
                self._keys(node, "scale", scale)
                found.append(node)
        return found

    def _keys(self, node: int, path: str, values: Vector) -> None:
        """A key for each frame; none for what rests."""
        if (values == values[0]).all():
            return
        self.channels.append({"sampler": len(self.samplers), "target": {"node": node, "path": path}})
        self.samplers.append({"input": self.times, "output": self.buffer.add(values), "interpolation": "LINEAR"})

    # surfaces ----------------------------------------------------------------------------------------------------

    def _mesh(self, name: str, parts: tuple[Surface, ...], colour: Colour) -> int:
        self.meshes.append(
            {"name": name, "primitives": [self._primitive(part, part.colour or colour) for part in parts]}
        )
        return len(self.meshes) - 1

    def _primitive(self, part: Surface, colour: Colour) -> Json:
        """Corners with the same place and normal become one vertex."""
        corners = np.concatenate([part.vertices[part.faces], corner_normals(part)], axis=-1).reshape(-1, 6)
        vertices, numbers = np.unique(corners.astype(np.float32), axis=0, return_inverse=True)
        places = self.buffer.add(vertices[:, :3], bounded=True, target="vertices")
        normals = self.buffer.add(vertices[:, 3:], target="vertices")
        return {
            "attributes": {"POSITION": places, "NORMAL": normals},
            "indices": self.buffer.add_indices(np.asarray(numbers).ravel()),
            "material": self._material(colour),
        }

    def _material(self, colour: Colour) -> int:
        if colour not in self._colours:
            self._colours[colour] = len(self.materials)
            look: Json = {"baseColorFactor": _linear(colour), "metallicFactor": 0.0, "roughnessFactor": 0.55}
            glass: Json = {} if colour[3] >= 1 else {"alphaMode": "BLEND"}
            self.materials.append({"pbrMetallicRoughness": look, "doubleSided": True, **glass})
        return self._colours[colour]


def _xyzw(quaternion: Vector) -> list[float]:
    """In glTF the scalar part is the last one."""
    w, x, y, z = quaternion.tolist()
    return [x, y, z, w]


def _linear(colour: Colour) -> list[float]:
    """Colours of screens (sRGB, IEC 61966-2-1) as light."""
    screen = np.array(colour[:3])
    light = np.where(screen <= 0.04045, screen / 12.92, ((screen + 0.055) / 1.055) ** 2.4)
    return [*light.tolist(), colour[3]]
