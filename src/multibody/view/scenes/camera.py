"""Camera positions from which all of the motion is visible, and planar mechanisms are seen from the front."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from multibody.view.scenes.placement import Poses, rotation_matrices
from multibody.view.scenes.scene import Scene

Vector = NDArray[np.float64]

FIELD = 0.7
"""Angle of view, from top to bottom, in radians."""

MARGIN = 1.1
"""How much farther the eye is than where everything would just be seen."""


CORNERS, FEWEST = 1_000_000, 100
"""Of boxes that must be seen, at all times together; but some times are always looked at."""


class Camera(NamedTuple):
    """An eye, the point it looks at, and the direction that is up in the picture."""

    eye: Vector
    target: Vector
    up: Vector


def camera(scene: Scene, poses: Poses, direction: Any = None, aspect: float = 1.5) -> Camera:
    """A good place to look from: as near as it can be.

    Args:
        scene: what is looked at.
        poses: where its places are; many, if it moves.
        direction: from what is looked at to the eye; by default one that shows most.
        aspect: width of the picture by its height.
    """
    normal = _normal(scene)
    upward = _upward(scene, normal)
    away = _front(upward, normal) if direction is None else np.asarray(direction, dtype=float)
    away = away / np.linalg.norm(away)
    right, up = _across(away, upward)
    points = np.concatenate(list(_spots(scene, poses)) or [_around(scene, poses)])
    high = np.tan(FIELD / 2)
    sideways, near = _fit(points @ right, points @ away, high * aspect)
    lifted, nearer = _fit(points @ up, points @ away, high)
    depth = float(np.mean([(points @ away).min(), (points @ away).max()]))
    target = sideways * right + lifted * up + depth * away
    return Camera(target + away * max(max(near, nearer) - depth, 1e-9) * MARGIN, target, upward)


def _fit(x: Vector, z: Vector, slope: float) -> tuple[float, float]:
    """Where an eye must be to see all points (x, z) between two lines of the given slope: s, and the smallest height.

    From |x - s| ≤ slope·(h - z) for all points: h ≥ max(z + x/slope) - s/slope, and h ≥ max(z - x/slope) + s/slope.
    """
    above, below = float((z + x / slope).max()), float((z - x / slope).max())
    return slope * (above - below) / 2, (above + below) / 2


def bounds(scene: Scene, poses: Poses) -> tuple[Vector, Vector]:
    """The corners of a box that holds everything visible, at all times."""
    spots = np.concatenate(list(_spots(scene, poses)) or [_around(scene, poses)])
    return spots.min(axis=0), spots.max(axis=0)


def _around(scene: Scene, poses: Poses) -> Vector:
    """Where there is nothing to see: a margin about all places."""
    low, high = poses.position.reshape(-1, 3).min(axis=0), poses.position.reshape(-1, 3).max(axis=0)
    return _corners(np.array([low - 0.5 * scene.size, high + 0.5 * scene.size]))


def _spots(scene: Scene, poses: Poses) -> Iterator[Vector]:
    """Corners of the boxes about all visible things, at all times; of very many times at some."""
    things = [solid for solid in scene.solids if solid.layer not in scene.hidden and solid.layer != "ground"]
    ties = [tie for tie in scene.ties if tie.layer not in scene.hidden]
    position, turn = _sampled(poses, 8 * sum(len(solid.parts) for solid in things) + 2 * len(ties))
    for solid in things:
        pose = solid.pose.matrix
        for part in solid.parts:
            corners = _corners(part.vertices) @ pose[:3, :3].T + pose[:3, 3]
            yield (corners @ np.swapaxes(turn[:, solid.place], 1, 2) + position[:, solid.place, None]).reshape(-1, 3)
    for tie in ties:
        for end, point in zip(tie.ends, tie.points, strict=True):
            yield turn[:, end] @ point + position[:, end]


def _sampled(poses: Poses, corners: int) -> tuple[Vector, Vector]:
    """Positions and rotation matrices at so many times that there are not too many corners."""
    many = Poses(*(array.reshape(-1, *array.shape[-2:]) for array in poses))
    count = min(len(many.position), max(CORNERS // max(corners, 1), FEWEST))
    chosen = np.linspace(0, len(many.position) - 1, count).round().astype(int)
    return many.position[chosen], rotation_matrices(many.quaternion[chosen])


def _corners(vertices: Vector) -> Vector:
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    return np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])


def _across(away: Vector, up: Vector) -> tuple[Vector, Vector]:
    """Right and up in the picture."""
    right = np.cross(up, away)
    if np.linalg.norm(right) < 1e-9:  # from straight above
        right = np.cross([0.0, 1.0, 0.0] if abs(away[1]) < 0.9 else [0.0, 0.0, 1.0], away)
    right = right / np.linalg.norm(right)
    return right, np.cross(away, right)


def _upward(scene: Scene, normal: Vector | None) -> Vector:
    """Up in the picture: away from gravity; without it, in the plane in which everything moves."""
    if scene.heavy or normal is None or abs(normal @ scene.up) < 0.1:
        return scene.up
    along = np.array([0.0, 1.0, 0.0] if abs(normal[1]) < 0.9 else [0.0, 0.0, 1.0])
    along -= (along @ normal) * normal
    return np.asarray(along / np.linalg.norm(along))


def _front(up: Vector, normal: Vector | None) -> Vector:
    """Across the plane in which everything moves, a little from above; or else from the front, right and above."""
    side = np.cross(up, [1.0, 0.0, 0.0] if abs(up[0]) < 0.9 else [0.0, 1.0, 0.0])
    side /= np.linalg.norm(side)
    forward = np.cross(side, up)
    if normal is None or abs(normal @ up) > 0.1:
        return np.asarray(forward - 0.9 * side + 0.6 * up)
    normal = normal if normal @ (forward - 1.1 * side) > 0 else -normal
    return np.asarray(normal + 0.25 * np.cross(up, normal) + 0.2 * up)


def _normal(scene: Scene) -> Vector | None:
    """The axis about which everything turns, if everything moves across it; None for motion in space."""
    start = scene.start
    moved = scene.poses(0.0, np.vstack([start, start + 0.3 * np.eye(len(start))]))
    turns = rotation_matrices(moved.quaternion)
    change = turns[1:] @ np.swapaxes(turns[0], -1, -2)
    axes = np.stack([change[..., 2, 1] - change[..., 1, 2], change[..., 0, 2] - change[..., 2, 0],
                     change[..., 1, 0] - change[..., 0, 1]], axis=-1).reshape(-1, 3)  # fmt: skip
    length = np.linalg.norm(axes, axis=1)
    if not (length > 1e-9).any():
        return None
    normal = axes[np.argmax(length)] / length.max()
    slides = (moved.position[1:] - moved.position[0]).reshape(-1, 3)
    flat = np.abs(np.cross(axes, normal)).max() < 1e-9 and np.abs(slides @ normal).max() < 1e-9 * scene.size
    return np.asarray(normal) if flat else None
