"""The shown system with its present state, observed by all panels of the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np

from multibody.errors import AssemblyError, ExpressionError
from multibody.simulation.results.samples import Samples
from multibody.view.scenes.build import scene as scene_of
from multibody.view.scenes.camera import FIELD, bounds, camera
from multibody.view.scenes.placement import Poses
from multibody.view.scenes.scene import Scene
from multibody.view.scenes.subject import Subject
from multibody.view.viewer.closing import Closing
from multibody.view.viewer.moment import Moment, Playable, PlayedRun
from multibody.view.viewer.notices import Notices
from multibody.view.viewer.stage import Stage, add_grid

Watcher = Callable[[Moment], None]

ASPECT = 0.85
"""Width by height of the space for the picture beside the panel, in a small window."""

SLOWLY = 0.08
"""Seconds between two updates of numbers and curves while something is played."""


class Exhibit:
    """A system in the page.

    Args:
        server: viser's.
        shown: what it is, with its equations if they are known.
        motion: what it does by itself, if anything.
        parameters: values by name, where they are not the defaults.
        notices: where messages go.
        start: how it stands at first; by default at the start of the motion or of the model.

    Attributes:
        scene: what can be seen.
        moment: how it stands.
        poses: where all places are.
        motion: what can be played.
    """

    def __init__(
        self, server: Any, shown: Subject, motion: Playable | None, parameters: Mapping[str, float], notices: Notices,
        start: Moment | None = None,
    ) -> None:  # fmt: skip
        self.server, self.shown, self.motion, self.notices = server, shown, motion, notices
        self.watchers: list[Watcher] = []  # of every picture
        self.readers: list[Watcher] = []  # now and then
        self._read = 0.0
        self.scene: Scene = scene_of(shown, parameters)
        self.moment = self._first() if start is None else start
        self.poses = self._poses(self.moment)
        whole = self._everywhere()
        self._look(whole)
        self.stage = Stage(server, self.scene, self._visible())
        self.stage.place(self.poses)
        self.grid = add_grid(server, self.scene, *bounds(self.scene, whole))
        notices.tell("scene", *self.scene.messages)

    # how it stands -----------------------------------------------------------------------------------------------

    @cached_property
    def closing(self) -> Closing:
        """What closes its loops."""
        return Closing(self.scene.model, self.scene.parameters, self.scene.size)

    def go(self, moment: Moment, *, playing: bool = False) -> bool:
        """Move everything to where it is then; whether such a position exists."""
        poses = self._poses(moment)
        if not (np.isfinite(poses.position).all() and np.isfinite(poses.quaternion).all()):
            return False
        self.moment, self.poses = moment, poses
        self.stage.place(poses)
        for watcher in self.watchers:
            watcher(moment)
        if not playing or perf_counter() - self._read > SLOWLY:
            self._read = perf_counter()
            for reader in self.readers:
                reader(moment)
        return True

    def stay(self) -> None:
        """Show everything again as it stands, after something else has changed."""
        self.go(self.moment)

    @property
    def sample(self) -> Samples | None:
        """The state as it stands, for what follows from it by the equations; None without them."""
        eom, (t, q, u, r) = self.shown.eom, self.moment
        if eom is None:
            return None
        return Samples(eom, np.array([t]), np.array([[*q, *u, 0.0, 0.0, 0.0]]), r[None], self.scene.parameters)

    def _poses(self, moment: Moment) -> Poses:
        return self.scene.poses(moment.t, moment.q, moment.r)

    def _first(self) -> Moment:
        """The start of the motion, or of the model with closed loops; where they do not close, they are shown open."""
        if self.motion is not None:
            return self.motion.at(self.motion.span[0])
        model = self.scene.model
        speeds = np.array([model.start[speed] for speed in model.speeds])
        inputs = np.zeros(len(model.input_symbols))
        try:
            return Moment(0.0, self.closing.start(), speeds, inputs)
        except (AssemblyError, ExpressionError) as error:
            self.notices.tell("closing", str(error))
            return Moment(0.0, self.scene.start, speeds, inputs)

    # how it looks ------------------------------------------------------------------------------------------------

    def change(self, parameters: Mapping[str, float]) -> None:
        """Other values of parameters: another geometry, and loops that are closed anew."""
        scene = scene_of(self.shown, parameters)
        closing = Closing(scene.model, scene.parameters, scene.size)
        q = closing.start(self.moment.q)
        visible = self.stage.visible
        self.stage.clear()
        self.scene, self.closing = scene, closing
        self.stage = Stage(self.server, scene, visible)
        self.notices.tell("scene", *scene.messages)
        self.go(self.moment._replace(q=q))

    def _visible(self) -> set[str]:
        layers = {solid.layer for solid in self.scene.solids} | {tie.layer for tie in self.scene.ties}
        return layers - self.scene.hidden

    def _everywhere(self) -> Poses:
        """Where places are during all of a run."""
        if not isinstance(self.motion, PlayedRun):
            return self.poses
        run = self.motion.run
        chosen = np.linspace(0, len(run.t) - 1, min(len(run.t), 60)).astype(int)
        return self.scene.poses(run.t[chosen], run.q[chosen], run.r[chosen])

    def _look(self, poses: Poses) -> None:
        """A good place for the camera, from which all of the motion is seen."""
        found = camera(self.scene, poses, aspect=ASPECT)
        self.server.scene.set_up_direction(tuple(map(float, found.up)))
        start = self.server.initial_camera
        start.position, start.look_at, start.up = found.eye, found.target, found.up
        start.fov, start.near, start.far = FIELD, 1e-2 * self.scene.size, 1e3 * self.scene.size
