"""Curves of chosen signals over time, with a line at the present."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from multibody.graph.names import element_name
from multibody.simulation import Trajectory
from multibody.simulation.results.recording import split
from multibody.view.viewer.exhibit import Exhibit
from multibody.view.viewer.loop import PageLoop
from multibody.view.viewer.moment import Moment, PlayedRun, between

Vector = NDArray[np.float64]

NOTHING = "–"
COLOURS = ("#0072b2", "#d55e00", "#009e73")
POINTS = 500
"""Of a curve; more cannot be seen."""


class Curves:
    """The folder ``Plots``: up to three signals of a run.

    Args:
        exhibit: what is shown.
        loop: does what is asked for.
    """

    def __init__(self, exhibit: Exhibit, loop: PageLoop) -> None:
        self._exhibit = exhibit
        gui = exhibit.server.gui
        self.folder = gui.add_folder("Plots")
        with self.folder:
            self.choices = [gui.add_dropdown(f"signal {k + 1}", (NOTHING,)) for k in range(len(COLOURS))]
            first = np.array([0.0, 1.0])
            plain = ({"label": "t"}, *({"label": ""} for _ in range(len(COLOURS) + 1)))
            self.plot = gui.add_uplot(
                (first, *(np.zeros(2) for _ in plain[1:])), plain, scales={"x": {"time": False}}, aspect=1.6,
                legend={"show": True},
            )  # fmt: skip
        for choice in self.choices:
            choice.on_update(loop.asking("curves", self.choose))
        self._t, self._rows = np.zeros(0), np.zeros((0, 0))
        exhibit.readers.append(self.follow)
        self.renew()

    @property
    def run(self) -> Trajectory | None:
        """Whose signals they are."""
        motion = self._exhibit.motion
        return motion.run if isinstance(motion, PlayedRun) else None

    def renew(self) -> None:
        """There is another run: the same signals of it, if it has them."""
        self.folder.visible = self.run is not None
        if self.run is None:
            return
        names = (NOTHING, *_columns(self.run))
        for k, choice in enumerate(self.choices):
            kept = choice.value if choice.value in names and choice.value != NOTHING else NOTHING
            choice.options = names
            choice.value = names[1] if k == 0 and kept == NOTHING and len(names) > 1 else kept
        self.choose()

    def choose(self) -> None:
        """Draw the signals that were chosen."""
        run = self.run
        if run is None:
            return
        chosen = np.unique(np.linspace(0, len(run.t) - 1, min(len(run.t), POINTS)).astype(int))
        self._t = run.t[chosen]
        columns = [run[choice.value][chosen] for choice in self.choices if choice.value != NOTHING]
        self._rows = np.stack(columns, axis=1) if columns else np.zeros((len(self._t), 0))
        series: list[dict[str, Any]] = [{"label": "t [s]"}]
        names = [choice.value for choice in self.choices if choice.value != NOTHING]
        series += [
            {"label": _label(run, name), "stroke": colour, "width": 1.5}
            for name, colour in zip(names, COLOURS, strict=False)
        ]
        with self._exhibit.server.atomic():
            self.plot.series = (*series, {"label": "now", "stroke": "#888", "width": 1.0})
            self.follow(self._exhibit.moment)

    def follow(self, moment: Moment) -> None:
        """Move the line that marks the present: two points at the same time, at the bottom and at the top."""
        if self.run is None or len(self._t) < 2:
            return
        now = float(np.clip(moment.t, self._t[0], self._t[-1]))
        place = int(np.searchsorted(self._t, now))
        here = between(self._t, self._rows, now)
        t = np.insert(self._t, place, [now, now])
        rows = np.insert(self._rows, place, [here, here], axis=0)
        line = np.full(len(t), np.nan)
        line[place : place + 2] = _range(self._rows)
        self.plot.data = (t, *rows.T, line)


def _range(rows: Vector) -> tuple[float, float]:
    """The lowest and highest value of all curves, with a margin where they are constant."""
    known = rows[np.isfinite(rows)]
    if not known.size:
        return -1.0, 1.0
    low, high = float(known.min()), float(known.max())
    return (low, high) if high > low else (low - 1.0, high + 1.0)


def _columns(run: Trajectory) -> list[str]:
    """All signals, arrays component by component."""
    names = []
    for name, quantity in run.quantities.items():
        shape = run.eom.model.sensors[name].shape if quantity.kind == "sensor" else ()
        names += [element_name(name, place) for place in np.ndindex(shape)] if quantity.kind != "time" else []
    return names


def _label(run: Trajectory, name: str) -> str:
    unit = run.quantities[split(name, run.quantities)[0]].unit
    return f"{name} [{unit}]" if unit else name
