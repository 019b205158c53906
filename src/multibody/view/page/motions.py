"""Motions of all places along the time of a run or along a coordinate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multibody.errors import NumberError
from multibody.simulation import Trajectory
from multibody.view.page.packing import DOUBLE, packed
from multibody.view.scenes.placement import Poses
from multibody.view.scenes.scene import Scene
from multibody.view.scenes.subject import inputs_at

Vector = NDArray[np.float64]

RATE = 60
"""Frames for each second of a run; more if it is short, fewer if it is long."""
FEWEST, MOST = 301, 3000
NUMBERS = 4_000_000
"""Of all poses of a run together: what has many places has fewer frames."""


@dataclass(frozen=True, eq=False)
class PageMotion:
    """Poses of all places along an axis.

    Attributes:
        name: of what changes: time, or a coordinate.
        unit: its unit.
        meaning: what it is, in words.
        axis: its values, in rising order.
        start: the value to begin with.
        poses: for each value.
    """

    name: str
    unit: str
    meaning: str
    axis: Vector
    start: float
    poses: Poses

    @property
    def rows(self) -> Vector:
        """Position and quaternion side by side: for each value and place seven numbers."""
        return np.concatenate([self.poses.position, self.poses.quaternion], axis=-1)


def of_run(scene: Scene, run: Trajectory) -> PageMotion:
    """The motion of a run, at times that are evenly spaced.

    Raises:
        NumberError: if a pose is not a number.
    """
    times = frame_times(run, len(scene.places))
    poses = scene.poses(times, run.interpolated(times).q, inputs_at(run, times))
    _require_numbers(scene, times, poses)
    return PageMotion("t", "s", "time", times, float(times[0]), poses)


def frame_times(run: Trajectory, places: int) -> Vector:
    """When there are frames: 60 for each second if possible."""
    first, last = float(run.t[0]), float(run.t[-1])
    if not last > first:
        return np.array([first])
    most = int(np.clip(NUMBERS / (7 * places), FEWEST, MOST))
    wanted = np.clip(np.ceil((last - first) * RATE), FEWEST - 1, most - 1)
    return np.linspace(first, last, int(wanted) + 1)


def packed_motions(motions: list[PageMotion]) -> dict[str, Any]:
    """Motions for JSON: where all places are at the start, and for each motion the poses of those that move."""
    rest = motions[0].rows[int(np.argmin(np.abs(motions[0].axis - motions[0].start)))]
    return {"rest": packed(rest), "motions": [_packed(motion, rest) for motion in motions]}


def _packed(motion: PageMotion, rest: Vector) -> dict[str, Any]:
    rows = motion.rows
    moving = np.flatnonzero((rows.astype(np.float32) != rest.astype(np.float32)).any(axis=(0, 2)))
    return {
        "name": motion.name, "unit": motion.unit, "meaning": motion.meaning, "start": motion.start,
        "axis": packed(motion.axis, DOUBLE), "moving": moving.tolist(), "frames": packed(rows[:, moving]),
    }  # fmt: skip


def _require_numbers(scene: Scene, times: Vector, poses: Poses) -> None:
    wrong = ~(np.isfinite(poses.position).all(axis=-1) & np.isfinite(poses.quaternion).all(axis=-1))
    if wrong.any():
        frame, place = np.argwhere(wrong)[0]
        raise NumberError(
            "A pose is not a number.",
            code="pose-not-finite",
            where=f"'{scene.places[place].name}' of system '{scene.model.name}' at {times[frame]:.6g} s",
            cause="A function of the coordinates is used outside of its domain.",
            remedy="Shorten the run, or change the parameters.",
            name=scene.places[place].name,
            t=float(times[frame]),
        )
