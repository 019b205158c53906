"""Rendering of triangles with perspective, light and shadows on a ground, by the compiled kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from multibody.compiler.loops.shipped import ShippedLoop
from multibody.view.render.canvas import CORNER, GAMMA, ROW, Canvas, encoding
from multibody.view.render.ground import Ground
from multibody.view.render.surfaces import Triangles, before_eye
from multibody.view.scenes.camera import FIELD, Camera

Vector = NDArray[np.float64]
Image = NDArray[np.uint8]

SHADE = 768
"""Pixels of the map of shadows, in each direction."""

TOP, BOTTOM = (0.88, 0.92, 0.97), (0.985, 0.985, 0.985)
paint = ShippedLoop("multibody.view.render.kernel", Canvas)
"""Paints all that a canvas refers to."""

NEAR = 1e-3
"""What is nearer to the eye than this part of its distance from the target is cut off."""


@dataclass(frozen=True, eq=False)
class View:
    """How things are looked at.

    Attributes:
        camera: from where.
        size: of the picture, width and height in pixels.
        middle: the centre of all that may be seen.
        radius: of a ball about it that holds everything.
        ground: a floor, if there is one.
    """

    camera: Camera
    size: tuple[int, int]
    middle: Vector
    radius: float
    ground: Ground | None


class Painter:
    """Paints pictures of the same view again and again.

    Args:
        view: how things are looked at.
    """

    def __init__(self, view: View) -> None:
        self.view = view
        width, height = 2 * view.size[0], 2 * view.size[1]
        self._axes = _axes(view.camera)
        self._scale = height / 2 / np.tan(FIELD / 2)
        self._centre = np.array([(width - 1) / 2, (height - 1) / 2])
        self._near = NEAR * float(np.linalg.norm(view.camera.target - view.camera.eye))
        self._arrays = {
            "depth": np.empty((height, width)), "colour": np.empty((height, width, 3)),
            "shade": np.empty((SHADE, SHADE)), "cover": np.empty((SHADE // 2, SHADE // 2)),
            "scratch": np.empty((SHADE // 2, SHADE // 2)),
            "encode": encoding(), "picture": np.empty((view.size[1], view.size[0], 3)),
        }  # fmt: skip
        self._canvas = self._prepared(width, height)

    def paint(self, triangles: Triangles) -> Image:
        """A picture, of shape (height, width, 3)."""
        rows = np.ascontiguousarray(self._rows(triangles))
        self._canvas.triangles, self._canvas.count = rows.ctypes.data, len(rows)
        paint(self._canvas)
        self._canvas.count = 0  # the rows live no longer
        return np.rint(self._arrays["picture"]).astype(np.uint8)

    def _prepared(self, width: int, height: int) -> Canvas:
        view, (right, up, forward) = self.view, self._axes
        canvas = Canvas(width=width, height=height, shade_size=SHADE, blur=SHADE // 220, shade_bias=0.008 * view.radius)
        for name, array in self._arrays.items():
            setattr(canvas, name, array.ctypes.data)
        key = _unit(0.9 * view.camera.up - 0.75 * forward - 0.55 * right)
        self._to_light = _light_map(view, key)
        corner = forward - (self._centre[0] * right - self._centre[1] * up) / self._scale
        vectors = {
            "key": key, "fill": _unit(0.2 * view.camera.up - 0.6 * forward + right), "half": _unit(key - forward),
            "up": view.camera.up, "eye": view.camera.eye,
            "top": np.power(TOP, GAMMA), "bottom": np.power(BOTTOM, GAMMA),
            "ray": [*corner, *(right / self._scale), *(-up / self._scale)], "to_light": self._to_light.ravel(),
        }  # fmt: skip
        if view.ground is not None:
            vectors |= self._floor(canvas, view.ground)
        for name, values in vectors.items():
            getattr(canvas, name)[:] = [float(value) for value in values]
        return canvas

    def _floor(self, canvas: Canvas, ground: Ground) -> dict[str, Vector]:
        """A grid with meshes of 1, 2 or 5 times a power of ten, about eight of them across."""
        canvas.ground = 1
        mesh = _round(ground.radius / 4)
        canvas.floor_reach, canvas.floor_pixel = 3.5 * ground.radius / mesh, 2 / self._scale / mesh
        up = self.view.camera.up
        along = _unit(np.cross(up, [1.0, 0.0, 0.0] if abs(up[0]) < 0.9 else [0.0, 1.0, 0.0]))
        return {"floor": ground.middle, "floor_x": along / mesh, "floor_y": np.cross(up, along) / mesh}

    def _rows(self, triangles: Triangles) -> Vector:
        """What the compiled painter reads: see ``Canvas``."""
        axes, eye = np.array(self._axes), self.view.camera.eye
        z = (triangles.corners - eye) @ axes[2]
        triangles, z = before_eye(triangles, z, self._near)
        colours = triangles.colours
        clear = np.flatnonzero(colours[:, 3] < 1)
        order = np.concatenate([np.flatnonzero(colours[:, 3] >= 1), clear[np.argsort(-z[clear].mean(axis=1))]])
        corners, normals, z = triangles.corners[order], triangles.normals[order], z[order]
        rows = np.empty((len(order), ROW))
        corner, w = rows[:, : 3 * CORNER].reshape(-1, 3, CORNER), 1 / z
        corner[..., :2] = (corners - eye) @ (axes[:2] * [[self._scale], [-self._scale]]).T * w[..., None] + self._centre
        corner[..., 2] = w
        corner[..., 3:6] = normals * w[..., None]
        corner[..., 6:9] = (corners @ self._to_light[:, :3].T + self._to_light[:, 3]) * w[..., None]
        rows[:, 27:30], rows[:, 30] = colours[order, :3] ** GAMMA, colours[order, 3]
        return rows


def _axes(camera: Camera) -> tuple[Vector, Vector, Vector]:
    """Right, up and forward, as the eye sees them."""
    forward = _unit(camera.target - camera.eye)
    right = np.cross(forward, camera.up)
    if np.linalg.norm(right) < 1e-9:  # from straight above
        right = np.cross(forward, [0.0, 1.0, 0.0] if abs(forward[1]) < 0.9 else [1.0, 0.0, 0.0])
    right = _unit(right)
    return right, np.cross(right, forward), forward


def _light_map(view: View, key: Vector) -> Vector:
    """From the world's coordinates to those of the map of shadows, which holds all that may be seen."""
    across = _unit(np.cross(key, [1.0, 0.0, 0.0] if abs(key[0]) < 0.9 else [0.0, 1.0, 0.0]))
    scale = SHADE / (2.2 * view.radius)
    turn = np.array([across * scale, np.cross(key, across) * scale, key])
    return np.column_stack([turn, [SHADE / 2, SHADE / 2, 0.0] - turn @ view.middle])


def _round(length: float) -> float:
    """The nearest of 1, 2, 5 times a power of ten, from below."""
    power = 10.0 ** np.floor(np.log10(length))
    return float(power * max(digit for digit in (1, 2, 5) if digit * power <= length * (1 + 1e-9)))


def _unit(vector: Vector) -> Vector:
    return np.asarray(vector / np.linalg.norm(vector))
