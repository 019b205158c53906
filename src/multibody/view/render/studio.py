"""Pictures of one scene from one camera, one after the other; configurations with closed loops; notebook pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multibody.errors import ModelError, NumberError, ShapeError
from multibody.mechanics.assembly.start_state import consistent
from multibody.mechanics.constraints.independence import Constraints
from multibody.model import Kinematics, Model
from multibody.support.optional_libraries import require_library
from multibody.view.render.ground import ball_around, ground_below, level
from multibody.view.render.painter import Painter, View
from multibody.view.render.surfaces import Triangles, moved, pieces
from multibody.view.scenes.camera import Camera, camera
from multibody.view.scenes.placement import Poses
from multibody.view.scenes.scene import LAYERS, Scene, shown_layers

Vector = NDArray[np.float64]
Image = NDArray[np.uint8]

NOTEBOOK_SIZE = (720, 480)

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
        if not all(np.isfinite(array).all() for array in poses):
            raise NumberError(
                "The poses of some bodies are not finite numbers.",
                code="pose-not-finite",
                where=f"{scene!r}",
                name=scene.model.name,
            )
        shown = shown_layers(scene, layers)
        self.scene = scene = replace(scene, hidden=frozenset(LAYERS) - shown)  # the camera sees what is shown
        ground = ground_below(scene, poses) if "ground" in shown else None
        floors = [solid for solid in scene.solids if ground is not None and level(scene, solid) is not None]
        self._pieces = pieces(
            replace(scene, solids=tuple(solid for solid in scene.solids if solid not in floors)), shown
        )
        self._painter = Painter(View(_looking(scene, poses, camera, size), size, *ball_around(scene, poses), ground))

    def picture(self, poses: Poses) -> Image:
        """The scene with its places at these poses; all of them in one, if there are many: the earlier, the paler."""
        if poses.position.ndim == 2:
            return self._painter.paint(moved(self.scene, self._pieces, poses))
        count = len(poses.position)
        shots = [moved(self.scene, self._pieces, Poses(*(array[k] for array in poses))) for k in range(count)]
        faded = [self._faded(shot, 0.75 * (1 - (k + 1) / count)) for k, shot in enumerate(shots)]
        return self._painter.paint(Triangles(*(np.concatenate(arrays) for arrays in zip(*faded, strict=True))))

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
            code="picture-size-invalid",
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
        code="camera-invalid",
        remedy="Give a direction such as (1, -1, 0.5), or eye and target such as ((3, -2, 1), (0, 0, 0)).",
    )


def configurations(model: Model, q: Any, parameters: Mapping[str, float] | None = None, t: Any = 0.0) -> Vector:
    """Coordinates as rows, with all loops closed.

    Args:
        model: whose they are.
        q: a list, or values by name; or many of these; the start by default.
        parameters: values by name, where they are not the defaults.
        t: the time, or one for each row.
    """
    rows: Sequence[Any] = list(q) if _many(q) else [q]
    if not len(rows):
        raise ModelError(
            "There is no configuration to be drawn.",
            code="configuration-missing",
            where=f"system '{model.name}'",
            remedy="Give one.",
        )
    if np.ndim(t) and len(t) != len(rows):
        raise ShapeError(
            f"There are {len(t)} times for {len(rows)} configurations.",
            code="times-do-not-fit",
            where=f"system '{model.name}'",
            times=len(t),
            configurations=len(rows),
        )
    constraints = Constraints.of(Kinematics(model))
    return np.array(
        [
            consistent(constraints, q=row, parameters=parameters, t=float(when)).q
            for row, when in zip(rows, np.broadcast_to(t, len(rows)), strict=True)
        ]
    )


def _many(q: Any) -> bool:
    """Whether there is more than one configuration: a list of lists, or of values by name."""
    if isinstance(q, np.ndarray):
        return q.ndim > 1
    return isinstance(q, list | tuple) and any(
        isinstance(value, Mapping | Sequence) or np.ndim(value) > 0 for value in q
    )


def scene_png(scene: Scene) -> bytes:
    """The start of a scene as a PNG file, with all loops closed.

    Example:
        >>> import multibody as mb
        >>> from multibody.view import scene
        >>> scene_png(scene(mb.library.pendulum()))[1:4]
        b'PNG'
    """
    names = (symbol.name for symbol in scene.model.parameter_symbols)
    rows = configurations(scene.model, None, dict(zip(names, map(float, scene.parameters), strict=True)))
    poses = scene.poses(0.0, rows[0])
    stream = BytesIO()
    require_library("PIL.Image", "view").fromarray(Studio(scene, poses, NOTEBOOK_SIZE).picture(poses)).save(
        stream, "PNG"
    )
    return stream.getvalue()
