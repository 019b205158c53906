"""The panel of layers: drawings, skeleton, axes, frames, masses, grid, forces, traces."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from multibody.view.scenes.placement import rotation_matrices
from multibody.view.viewer.exhibit import Exhibit
from multibody.view.viewer.loop import PageLoop
from multibody.view.viewer.moment import PlayedRun
from multibody.view.viewer.panels.arrows import Arrows, Scale

TITLES = {
    "drawings": "drawings", "skeleton": "skeleton", "joints": "joint axes", "frames": "frames",
    "masses": "centres of mass", "ground": "ground",
}  # fmt: skip
POINTS = 400
"""Of a trace."""

FORCE = (200, 60, 40)
REACTION = (30, 110, 200)


class Layers:
    """The folder ``Show``.

    Args:
        exhibit: what is shown.
        loop: does what is asked for.
    """

    def __init__(self, exhibit: Exhibit, loop: PageLoop) -> None:
        self._exhibit, self._loop = exhibit, loop
        self.boxes: dict[str, Any] = {}
        self._traces: list[Any] = []
        gui = exhibit.server.gui
        with gui.add_folder("Show"):
            for layer, title in TITLES.items():
                if layer in exhibit.stage.layers:
                    self._box(layer, title, layer in exhibit.stage.visible)
            self._box("grid", "grid", True)
            self._box("traces", "traces", False)
            if exhibit.shown.eom is not None:
                self._box("forces", "forces", False)
                self._box("reactions", "joint forces", False)
                self._lengths = Scale()
                colours = {"forces": FORCE, "reactions": REACTION}
                self.arrows = {kind: Arrows(exhibit, kind, colour, self._lengths) for kind, colour in colours.items()}
                self.scale = gui.add_slider("length of arrows", 0.1, 5.0, 0.1, 1.0)
                self.scale.on_update(loop.asking("scale", self._rescale))
            else:
                gui.add_markdown("*Forces need the equations: show them with* `mb.show(mb.derive(system))`.")

    def _box(self, layer: str, title: str, shown: bool) -> None:
        box = self._exhibit.server.gui.add_checkbox(title, shown)
        box.on_update(self._loop.asking(f"layer {layer}", partial(self.switch, layer)))
        self.boxes[layer] = box

    def switch(self, layer: str) -> None:
        """Show or hide a layer, as its box says."""
        shown = self.boxes[layer].value
        match layer:
            case "grid":
                self._exhibit.grid.visible = shown
            case "traces":
                self.trace(shown)
            case "forces" | "reactions":
                self.arrows[layer].switch(shown)
            case _:
                self._exhibit.stage.show(layer, shown, self._exhibit.poses)

    def renew(self) -> None:
        """There is another run: its forces and traces are others."""
        if self._exhibit.shown.eom is not None:
            self._lengths.typical = 0.0
            for kind, arrows in self.arrows.items():
                if self.boxes[kind].value:
                    arrows.renew()
        self.trace(self.boxes["traces"].value)

    def _rescale(self) -> None:
        self._lengths.stretch = self.scale.value
        self._exhibit.stay()

    def trace(self, shown: bool) -> None:
        """Draw the ways of all centres of mass through a run, or take them away."""
        for line in self._traces:
            line.remove()
        self._traces = []
        motion = self._exhibit.motion
        if not shown or not isinstance(motion, PlayedRun):
            told = ["A trace needs a run: give one, or press 'run'."] if shown else []
            self._exhibit.notices.tell("traces", *told)
            return
        self._exhibit.notices.tell("traces")
        run, scene = motion.run, self._exhibit.scene
        chosen = np.unique(np.linspace(0, len(run.t) - 1, min(len(run.t), POINTS)).astype(int))
        poses = scene.poses(run.t[chosen], run.q[chosen], run.r[chosen])
        for solid in scene.solids:
            if solid.layer == "masses":
                turn = rotation_matrices(poses.quaternion[:, solid.place])
                path = poses.position[:, solid.place] + turn @ solid.pose.position
                self._traces.append(self._line(f"/traces/{len(self._traces)}", path))

    def _line(self, name: str, path: Any) -> Any:
        pieces = np.stack([path[:-1], path[1:]], axis=1).astype(np.float32)
        return self._exhibit.server.scene.add_line_segments(name, pieces, colors=(150, 90, 160))
