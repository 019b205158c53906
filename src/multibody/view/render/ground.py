"""The ground below everything."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from multibody.view.scenes.camera import bounds
from multibody.view.scenes.placement import Poses
from multibody.view.scenes.scene import Scene, Solid

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Ground:
    """A floor below everything.

    Attributes:
        middle: a point on it.
        radius: how far everything reaches from there.
    """

    middle: Vector
    radius: float


def ball_around(scene: Scene, poses: Poses) -> tuple[Vector, float]:
    """Centre and radius of a ball that holds everything."""
    low, high = bounds(scene, poses)
    return (low + high) / 2, float(np.linalg.norm(high - low)) / 2 or scene.size


def ground_below(scene: Scene, poses: Poses) -> Ground | None:
    """A floor where one was drawn, or else through the lowest point; none without gravity, where nothing is below."""
    if not scene.heavy:
        return None
    middle, radius = ball_around(scene, poses)
    heights = [level(scene, solid) for solid in scene.solids]
    drawn = [height for height in heights if height is not None]
    height = max(drawn) if drawn else float(np.minimum(*(corner * scene.up for corner in bounds(scene, poses))).sum())
    return Ground(middle + (height - middle @ scene.up) * scene.up, radius)


def level(scene: Scene, solid: Solid) -> float | None:
    """The height of a floor that was drawn: flat, level and at rest; None for everything else."""
    if solid.layer != "ground" or solid.place != 0:
        return None
    pose = solid.pose.matrix
    heights = np.concatenate([part.vertices for part in solid.parts]) @ pose[:3, :3].T @ scene.up
    return float(heights[0] + pose[:3, 3] @ scene.up) if np.ptp(heights) < 1e-6 * scene.size else None
