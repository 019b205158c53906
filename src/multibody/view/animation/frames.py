"""Frames of an animation: times and poses taken from a run."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multibody.errors import NumberError
from multibody.graph.number import is_number
from multibody.simulation import Trajectory
from multibody.view.scenes.build import scene
from multibody.view.scenes.placement import Poses, Stretched, continuous
from multibody.view.scenes.scene import Scene
from multibody.view.scenes.subject import inputs_at, with_run

Vector = NDArray[np.float64]

_log = logging.getLogger("multibody")

MOST = 100_000
"""Frames of an animation."""


@dataclass(frozen=True, eq=False)
class AnimationFrames:
    """A scene that moves.

    Attributes:
        scene: what is seen.
        times: of the run, one for each frame.
        fps: frames for each second of watching.
        poses: of all places for all frames; quaternions do not jump.
    """

    scene: Scene
    times: Vector
    fps: float
    poses: Poses

    @property
    def watched(self) -> Vector:
        """When each frame is shown, in seconds from the first one."""
        return np.arange(len(self.times)) / self.fps

    @cached_property
    def ties(self) -> Stretched:
        """Of all ties for all frames; quaternions do not jump."""
        found = self.scene.stretched(self.poses)
        return found._replace(quaternion=continuous(found.quaternion))


def motion(run: Trajectory, thing: Any = None, fps: float = 30, speed: float = 1.0) -> AnimationFrames:
    """What a run looks like, frame by frame; a warning in the log says so if it is not complete.

    Args:
        run: what moves.
        thing: that it belongs to; known to the run itself, if None.
        fps: frames for each second of watching.
        speed: seconds of the run for each second of watching.

    Example:
        >>> import multibody as mb
        >>> cart = mb.System("cart")
        >>> slide = cart.joint("slide", cart.world, cart.body("box", mass=2), "Tx", u=1.0)
        >>> moving = motion(mb.simulate(mb.derive(cart), duration=2.0), fps=10, speed=2.0)
        >>> moving.poses.position[:, 1, 0].round(6)
        array([0. , 0.2, 0.4, 0.6, 0.8, 1. , 1.2, 1.4, 1.6, 1.8, 2. ])
    """
    shown = with_run(run if thing is None else thing, run)
    times = frame_times(run, fps, speed)
    if not run.status.ok:
        _log.warning("The animation shows a run that is not complete: %s", run.message or run.status.value)
    seen = scene(shown, run.parameters)
    poses = seen.poses(times, run.interpolated(times).q, inputs_at(run, times))
    return AnimationFrames(seen, times, fps, poses._replace(quaternion=continuous(poses.quaternion)))


def frame_times(run: Trajectory, fps: float, speed: float) -> Vector:
    """The times that are shown, at even distances from the start of the run on.

    Raises:
        NumberError: if there would be fewer than two, or far too many.
    """
    for name, value in (("fps", fps), ("speed", speed)):
        if not is_number(value) or not 0 < value < np.inf:
            raise NumberError(
                f"{name} is {value!r:.80}.",
                code="number-not-positive",
                where=run.title,
                remedy="Give a positive number.",
                name=name,
            )
    start, end = float(run.t[0]), float(run.t[-1])
    length = (end - start) / speed
    count = length * fps + 1 + 1e-9
    if not 2 <= count <= MOST:
        raise NumberError(
            "An animation needs at least two frames." if count < 2 else f"{min(count, 1e12):.0f} frames are too many.",
            code="frame-count-invalid",
            where=run.title,
            cause=f"The run goes from {start:.6g} s to {end:.6g} s; it would be watched for {length:.6g} s.",
            remedy=f"Give another fps or speed, so that there are from 2 to {MOST} frames.",
        )
    return np.minimum(start + np.arange(int(count)) * speed / fps, end)
