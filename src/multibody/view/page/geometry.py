"""Solids and ties of a scene for the page: every surface once, and what is drawn with it."""

from __future__ import annotations

from typing import Any

import numpy as np

from multibody.view.page.packing import LONG, SHORT, packed, rounded
from multibody.view.scenes.placement import NumericPose
from multibody.view.scenes.scene import Scene, Solid, Tie
from multibody.view.scenes.triangles import Surface

LAYERS = ("drawings", "skeleton", "joints", "frames", "masses")
"""Those that the page can show and hide, in the order of the check boxes; the ground comes after them."""


def geometry(scene: Scene) -> dict[str, Any]:
    """Surfaces, things, labels and layers, ready for JSON."""
    surfaces = _Surfaces()
    things: list[dict[str, Any]] = []
    everything: tuple[Solid | Tie, ...] = (*scene.solids, *scene.ties)
    for shown in everything:
        place = _on_place(shown) if isinstance(shown, Solid) else _between(shown)
        for part in shown.parts:
            if len(part.faces):
                colour = rounded(part.colour or shown.colour)
                things.append({"layer": shown.layer, "colour": colour, "surface": surfaces.number(part), **place})
    return {"surfaces": surfaces.packed, "things": things, "labels": _labels(scene), "layers": _layers(scene)}


class _Surfaces:
    """Equal surfaces are kept once."""

    def __init__(self) -> None:
        self.packed: list[dict[str, Any]] = []
        self._numbers: dict[tuple[bytes, bytes, bool], int] = {}

    def number(self, part: Surface) -> int:
        vertices, faces = merged(part)
        key = vertices.tobytes(), faces.tobytes(), part.smooth
        if key not in self._numbers:
            self._numbers[key] = len(self.packed)
            wide = len(vertices) > 0xFFFF
            self.packed.append(
                {"vertices": packed(vertices), "faces": packed(faces, LONG if wide else SHORT), "wide": wide,
                 "smooth": part.smooth}
            )  # fmt: skip
        return self._numbers[key]


def merged(part: Surface) -> tuple[Any, Any]:
    """Vertices in single precision, each place once, and the faces that are more than lines between them."""
    single = part.vertices.astype(np.float32) + np.float32(0)  # no -0, which would be another place than 0
    vertices, numbers = np.unique(single, axis=0, return_inverse=True)
    faces = numbers.reshape(-1)[part.faces]
    a, b, c = faces.T
    used, numbers = np.unique(faces[(a != b) & (b != c) & (c != a)], return_inverse=True)
    return vertices[used], numbers.reshape(-1, 3)


def posed(pose: NumericPose) -> dict[str, list[float]]:
    """A pose for JSON."""
    return {"position": rounded(pose.position), "quaternion": rounded(pose.quaternion)}


def _on_place(solid: Solid) -> dict[str, Any]:
    return {"place": solid.place, "pose": posed(solid.pose)}


def _between(tie: Tie) -> dict[str, Any]:
    return {"ends": list(tie.ends), "points": [rounded(point) for point in tie.points]}


def _labels(scene: Scene) -> list[dict[str, Any]]:
    return [
        {"text": solid.label, "place": solid.place, "point": rounded(solid.pose.position), "layer": solid.layer}
        for solid in scene.solids
        if solid.label
    ]


def _layers(scene: Scene) -> list[dict[str, Any]]:
    """Layers with something in them, and the ground."""
    there = {solid.layer for solid in scene.solids} | {tie.layer for tie in scene.ties}
    listed = [name for name in LAYERS if name in there]
    shown = [{"name": name, "on": name not in scene.hidden} for name in listed]
    return [*shown, {"name": "ground", "on": scene.heavy}]
