"""Pictures of one scene from one camera, one after the other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multibody.errors import ModelError, NumberError
from multibody.view.camera import Camera, camera
from multibody.view.placement import Poses
from multibody.view.raster.floor import ball_around, ground_below, level
from multibody.view.raster.layers import shown_layers
from multibody.view.raster.painter import Painter, View
from multibody.view.raster.surfaces import Triangles, moved, pieces
from multibody.view.scenes import LAYERS, Scene

Vector = NDArray[np.float64]
Image = NDArray[np.uint8]

LARGEST = 25_000_000
"""Pixels of a picture."""

PALE = (0.90, 0.92, 0.94)


class Studio:
    """A scene, a camera and lights that fit all that will move.

    Args:
        scene: what is shown.
        poses: where its places will be, at all times.
        size: of pictures, width and height in pixels.
        camera: see ``picture``.
        layers: see ``picture``.
    """

    def __init__(
        self, scene: Scene, poses: Poses, size: tuple[int, int], camera: Any = None, layers: Any = None
    ) -> None:  # fmt: skip
        self.size = size = _size(size)
        if not all(np.isfinite(one).all() for one in poses):
            raise NumberError("Some bodies are nowhere: their poses are not numbers.", where=f"{scene!r}")
        shown = shown_layers(scene, layers)
        self.scene = scene = replace(scene, hidden=frozenset(LAYERS) - shown)  # the camera sees what is shown
        ground = ground_below(scene, poses) if "ground" in shown else None
        floors = [one for one in scene.solids if ground is not None and level(scene, one) is not None]
        self._pieces = pieces(replace(scene, solids=tuple(one for one in scene.solids if one not in floors)), shown)
        self._painter = Painter(View(_looking(scene, poses, camera, size), size, *ball_around(scene, poses), ground))

    def picture(self, poses: Poses) -> Image:
        """The scene with its places at these poses; all of them in one, if there are many: the earlier, the paler."""
        if poses.position.ndim == 2:
            return self._painter.paint(moved(self.scene, self._pieces, poses))
        count = len(poses.position)
        shots = [moved(self.scene, self._pieces, Poses(*(one[k] for one in poses))) for k in range(count)]
        faded = [self._faded(shot, 0.75 * (1 - (k + 1) / count)) for k, shot in enumerate(shots)]
        return self._painter.paint(Triangles(*(np.concatenate(one) for one in zip(*faded, strict=True))))

    def _faded(self, triangles: Triangles, share: float) -> Triangles:
        """The same in paler colours, and a little farther away: where nothing moves, the last one is seen."""
        colours, view = triangles.colours.copy(), self._painter.view
        colours[:, :3] += share * (np.array(PALE) - colours[:, :3])
        return Triangles(
            triangles.corners + 0.004 * share * (view.camera.target - view.camera.eye), triangles.normals, colours
        )


def _size(size: Any) -> tuple[int, int]:
    numbers = np.asarray(size)
    whole = numbers.shape == (2,) and numbers.dtype.kind in "iu" and bool((numbers > 0).all())
    if not whole or int(numbers[0]) * int(numbers[1]) > LARGEST:
        raise NumberError(
            f"{size!r:.80} is not the size of a picture.",
            remedy=f"Give width and height in pixels, such as (960, 640); no more than {LARGEST} of them.",
        )
    return int(numbers[0]), int(numbers[1])


def _looking(scene: Scene, poses: Poses, wanted: Any, size: tuple[int, int]) -> Camera:
    """A camera from what the user gives."""
    try:
        given = None if wanted is None else np.array([*wanted], dtype=float)
    except (TypeError, ValueError):
        given = np.zeros(0)
    aspect = size[0] / size[1]
    if given is None:
        return camera(scene, poses, None, aspect)
    if np.isfinite(given).all():
        if given.shape == (3,) and given.any():
            return camera(scene, poses, given, aspect)
        if given.shape in {(2, 3), (3, 3)} and (given[0] != given[1]).any() and given[2:].any(axis=1).all():
            return Camera(given[0], given[1], given[2] / np.linalg.norm(given[2]) if len(given) == 3 else scene.up)
    raise ModelError(
        f"{wanted!r:.100} is not a place to look from.",
        remedy="Give a direction such as (1, -1, 0.5), or eye and target such as ((3, -2, 1), (0, 0, 0)).",
    )
