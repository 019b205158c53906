"""Plotted signals: samples of the run without interpolation; very long runs are thinned out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multibody.graph.names import element_name
from multibody.simulation import Trajectory
from multibody.simulation.results.plots import energy_panels
from multibody.simulation.results.recording import split
from multibody.support.figures import Panel
from multibody.view.page.packing import DOUBLE, packed

SAMPLES = 3000
EVENTS = 50
"""More marks than this would hide the curves."""
COLUMNS = 60
"""Values of sensors that are listed at most."""


def signals(run: Trajectory, names: Sequence[str]) -> dict[str, Any]:
    """Curves, the panels they are in, the sensors and the events, ready for JSON.

    Args:
        run: where they come from.
        names: of what to plot; by default coordinates and energies.
    """
    curves: dict[str, dict[str, Any]] = {}
    kept = np.unique(np.linspace(0, len(run.t) - 1, min(len(run.t), SAMPLES)).round().astype(int))
    chosen = _chosen(run, names) if names else [*_coordinates(run), *energy_panels(run)]
    panels = [
        {
            "title": panel.title,
            "unit": panel.unit,
            "curves": [_number(curves, run, name, kept) for name in panel.curves],
        }
        for panel in chosen
    ]
    sensors = [_number(curves, run, name, kept) for name in _sensors(run)]
    marked = run.occurrences if len(run.occurrences) <= EVENTS else ()
    events = [{"name": occurrence.name, "t": float(occurrence.t)} for occurrence in marked]
    time = packed(run.t[kept], DOUBLE)
    return {"time": time, "curves": list(curves.values()), "panels": panels, "sensors": sensors, "events": events}


def _number(curves: dict[str, dict[str, Any]], run: Trajectory, name: str, kept: NDArray[np.int64]) -> int:
    """The number of a curve, which is kept once."""
    if name not in curves:
        about = run.quantities[split(name, run)[0]]
        values = packed(run[name][kept])
        curves[name] = {"name": name, "unit": about.unit, "meaning": about.meaning, "values": values}
    return list(curves).index(name)


def _chosen(run: Trajectory, names: Sequence[str]) -> list[Panel]:
    """The named quantities, sorted by unit; arrays bring a curve for each of their numbers."""
    panels: dict[str, Panel] = {}
    for name in names:
        unit = run.quantities[split(name, run)[0]].unit if split(name, run)[0] in run else ""
        for column in _columns(run, name):
            panels.setdefault(unit, Panel("", unit, {})).curves[column] = run.t
    return list(panels.values())


def _coordinates(run: Trajectory) -> list[Panel]:
    panels: dict[str, Panel] = {}
    for name, quantity in run.quantities.items():
        if quantity.kind == "coordinate":
            panels.setdefault(quantity.unit, Panel("coordinates", quantity.unit, {})).curves[name] = run.t
    return list(panels.values())


def _columns(run: Trajectory, name: str) -> list[str]:
    """One name for each number of an array."""
    return [element_name(name, place) for place in np.ndindex(run[name].shape[1:])]


def _sensors(run: Trajectory) -> list[str]:
    names = [name for name, quantity in run.quantities.items() if quantity.kind == "sensor"]
    return [column for name in names for column in _columns(run, name)][:COLUMNS]
