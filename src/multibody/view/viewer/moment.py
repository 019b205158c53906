"""States at an instant, and motions that can be played: a run or a mode."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from multibody.linearization.state_space.modal_motion import ModalMotion
from multibody.simulation import Trajectory
from multibody.view.viewer.closing import Closing
from multibody.view.viewer.freedoms import Freedom

Vector = NDArray[np.float64]


class Moment(NamedTuple):
    """Time, coordinates, speeds and inputs."""

    t: float
    q: Vector
    u: Vector
    r: Vector


class Playable(Protocol):
    """Something that can be played."""

    @property
    def span(self) -> tuple[float, float]:
        """When it begins and ends."""

    def at(self, t: float) -> Moment:
        """How things stand at a time within."""


class PlayedRun:
    """A run that is played."""

    def __init__(self, run: Trajectory) -> None:
        self.run = run

    @property
    def span(self) -> tuple[float, float]:
        """When it begins and ends."""
        return float(self.run.t[0]), float(self.run.t[-1])

    def at(self, t: float) -> Moment:
        """Coordinates and speeds by cubics, inputs by straight lines."""
        if t <= self.run.t[0]:  # what a page shows first need not wait for the rates
            return Moment(t, self.run.q[0], self.run.u[0], self.run.r[0])
        found = self.run.interpolated(t)
        return Moment(t, found.q, found.u, between(self.run.t, self.run.r, t))


class PlayedMode:
    """A mode that is played; loops are closed by its dependent coordinates.

    Args:
        motion: of the mode.
        closing: closes loops.
        kept: freedoms that move as the mode says.
    """

    def __init__(self, motion: ModalMotion, closing: Closing, kept: list[Freedom]) -> None:
        self.motion, self._closing, self._kept = motion, closing, kept

    @property
    def span(self) -> tuple[float, float]:
        """When it begins and ends."""
        return float(self.motion.t[0]), float(self.motion.t[-1])

    def at(self, t: float) -> Moment:
        """Between two samples by straight lines."""
        motion = self.motion
        q = between(motion.t, motion.q, t)
        for places in motion.point.model.quaternions:
            q[places] /= np.linalg.norm(q[places])
        return Moment(t, self._closing.near(q, self._kept), between(motion.t, motion.u, t), motion.point.r)


def between(t: Vector, rows: Vector, now: float) -> Vector:
    """Rows over time at one instant, by straight lines."""
    low = int(np.clip(np.searchsorted(t, now, side="right") - 1, 0, max(len(t) - 2, 0)))
    high = min(low + 1, len(t) - 1)
    step = t[high] - t[low]
    share = (now - t[low]) / step if step > 0 else 1.0
    return np.asarray(rows[low] + (rows[high] - rows[low]) * np.clip(share, 0.0, 1.0))
