"""The scene in the page: a frame for each place with its rigid parts, and stretched ties."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multibody.support.optional_libraries import require_library
from multibody.view.scenes.placement import NumericPose, Poses, turning_z_to
from multibody.view.scenes.scene import Scene, Solid, Tie
from multibody.view.scenes.triangles import Surface

Vector = NDArray[np.float64]

STILL = 1e-7
"""Movements that are so much smaller than the whole are not sent."""


class Stage:
    """What the page shows of a scene.

    A layer is built when it is first shown. Poses are sent for places that moved and carry something visible, all of
    them at once. They go past the handles of viser, which compare every number at some tenths of a millisecond each,
    straight into its queue.

    Args:
        server: viser's.
        scene: what is shown.
        visible: the layers that are shown.
    """

    def __init__(self, server: Any, scene: Scene, visible: Iterable[str]) -> None:
        self.scene = scene
        self.visible = set(visible)
        self._server, self._nodes = server, require_library("viser._messages", "view")
        self._layers: dict[str, list[Any]] = {}
        self._carried: list[set[str]] = [set() for _ in scene.places]
        self._names = _unique([place.name for place in scene.places])
        self.frames: list[Any] = []
        self._tied: dict[Tie, list[Any]] = {}
        self._sent = Poses(np.full((len(scene.places), 3), np.nan), np.full((len(scene.places), 4), np.nan))
        self._lengths = np.full(len(scene.ties), np.nan)
        with server.atomic():
            self.frames = [server.scene.add_frame(f"/{name}", show_axes=False) for name in self._names]
            for layer in sorted(self.visible):
                self._build(layer)

    def _build(self, layer: str) -> None:
        self._layers[layer] = []
        for solid in self.scene.solids:
            if solid.layer == layer:
                self._solid(solid)
        self._tied |= {tie: self._tie(tie) for tie in self.scene.ties if tie.layer == layer}

    def _solid(self, solid: Solid) -> None:
        self._carried[solid.place].add(solid.layer)
        where = f"/{self._names[solid.place]}/{_plain(solid.name)}"
        for k, part in enumerate(solid.parts):
            self._part(f"{where} {k}" if k else where, part, solid.colour, solid.layer, solid.pose)
        if solid.label:
            label = self._server.scene.add_label(f"{where} label", solid.label, position=solid.pose.position)
            self._layers[solid.layer].append(label)

    def _tie(self, tie: Tie) -> list[Any]:
        parts = enumerate(tie.parts)
        name = f"/ties/{_plain(tie.name)}"
        return [self._part(f"{name} {k}" if k else name, part, tie.colour, tie.layer) for k, part in parts]

    def _part(self, name: str, part: Surface, colour: Any, layer: str, pose: NumericPose | None = None) -> Any:
        r, g, b, alpha = part.colour or colour
        place = {} if pose is None else {"position": pose.position, "wxyz": pose.quaternion}
        made = self._server.scene.add_mesh_simple(
            name, part.vertices, part.faces, color=(r, g, b), opacity=None if alpha >= 1 else alpha,
            flat_shading=not part.smooth, **place,
        )  # fmt: skip
        self._layers[layer].append(made)
        return made

    # layers ------------------------------------------------------------------------------------------------------

    @property
    def layers(self) -> set[str]:
        """All that there is something of."""
        return {solid.layer for solid in self.scene.solids} | {tie.layer for tie in self.scene.ties}

    def show(self, layer: str, visible: bool, poses: Poses) -> None:
        """Show or hide a layer; what did not move while it was hidden moves now."""
        (self.visible.add if visible else self.visible.discard)(layer)
        with self._server.atomic():
            if visible and layer not in self._layers:
                self._build(layer)
            for handle in self._layers.get(layer, ()):
                handle.visible = visible
        self.place(poses)

    def clear(self) -> None:
        """Take everything away."""
        with self._server.atomic():
            for handle in self.frames:
                handle.remove()
            for handle in (part for parts in self._tied.values() for part in parts):
                handle.remove()

    # motion ------------------------------------------------------------------------------------------------------

    def place(self, poses: Poses) -> int:
        """Move everything to where it belongs; returns how many places moved."""
        slack = STILL * self.scene.size
        seen = np.array([bool(layers & self.visible) for layers in self._carried])
        shifted = seen & ~(np.abs(poses.position - self._sent.position).max(axis=1) <= slack)
        turned = seen & ~(np.abs(poses.quaternion - self._sent.quaternion).max(axis=1) <= STILL)
        with self._server.atomic():
            for k in np.flatnonzero(shifted):
                self._shift(self.frames[k], poses.position[k])
            for k in np.flatnonzero(turned):
                self._turn(self.frames[k], poses.quaternion[k])
            if self.scene.ties:
                self._stretch(poses)
        self._sent.position[shifted], self._sent.quaternion[turned] = poses.position[shifted], poses.quaternion[turned]
        return int((shifted | turned).sum())

    def _stretch(self, poses: Poses) -> None:
        laid = self.scene.stretched(poses)
        for k, tie in enumerate(self.scene.ties):
            if tie.layer not in self.visible:
                continue
            for part in self._tied[tie]:
                self._shift(part, laid.position[k])
                self._turn(part, laid.quaternion[k])
                if not abs(laid.length[k] - self._lengths[k]) <= STILL * self.scene.size:
                    part.scale = (1.0, 1.0, max(float(laid.length[k]), 1e-9))
            self._lengths[k] = laid.length[k]

    def _shift(self, handle: Any, position: Vector) -> None:
        inner = handle._impl
        inner.position[:] = position
        x, y, z = position.tolist()
        inner.api._queue_scene_message(self._nodes.SetPositionMessage(inner.name, (x, y, z)))

    def _turn(self, handle: Any, quaternion: Vector) -> None:
        inner = handle._impl
        inner.wxyz[:] = quaternion
        w, x, y, z = quaternion.tolist()
        inner.api._queue_scene_message(self._nodes.SetOrientationMessage(inner.name, (w, x, y, z)))


def add_grid(server: Any, scene: Scene, low: Vector, high: Vector) -> Any:
    """A grid across gravity, below everything."""
    up = scene.up
    span = float(np.linalg.norm(high - low))
    cell = 10.0 ** np.round(np.log10(max(span, 1e-12) / 10))
    middle = (low + high) / 2
    floor = middle + up * (float(np.minimum(low * up, high * up).sum()) - float(middle @ up))
    size = float(np.ceil(2 * span / cell) * cell)
    return server.scene.add_grid(
        "/grid", size, size, cell_size=cell, section_size=5 * cell, fade_distance=20 * span, wxyz=turning_z_to(up),
        position=floor,
    )  # fmt: skip


def _plain(name: str) -> str:
    """A name that is one step of a path."""
    return "".join(letter if letter.isalnum() or letter in "_- " else "_" for letter in name) or "_"


def _unique(names: Iterable[str]) -> list[str]:
    found: list[str] = []
    for name in map(_plain, names):
        taken = name in found or name in {"ties", "grid", "forces", "reactions", "traces"}
        found.append(f"{name} {len(found)}" if taken else name)
    return found
