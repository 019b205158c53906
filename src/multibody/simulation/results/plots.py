"""Figures of trajectories: curves over time, those with the same unit in one panel."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from io import BytesIO
from typing import Any

import numpy as np

from multibody.errors import MissingLibraryError
from multibody.graph.names import element_name
from multibody.simulation.results.named_samples import NamedSamples
from multibody.simulation.results.recording import component, split
from multibody.support.figures import Panel, canvas, draw

EVENTS = 50
"""Most events that are marked in a figure."""
TITLES = {"coordinate": "coordinates", "speed": "speeds", "energy": "energies"}


def plot(run: NamedSamples, names: Sequence[str], figure: Any = None) -> Any:
    """A figure with a panel for each unit, one below the other.

    Args:
        run: what to show.
        names: of quantities; by default coordinates, speeds, energies and their balance.
        figure: to draw in; by default a new one.
    """
    return over_time(run, _chosen(run, names) if names else _overview(run), figure)


def html_figure(run: NamedSamples) -> str:
    """The overview of a run for a notebook; nothing without Matplotlib."""
    try:
        made = plot(run, ())
    except MissingLibraryError:
        return ""
    stream = BytesIO()
    made.savefig(stream, format="png", dpi=80)
    return f'<img alt="curves over time" src="data:image/png;base64,{b64encode(stream.getvalue()).decode()}">'


def over_time(run: NamedSamples, panels: Sequence[Panel], figure: Any = None) -> Any:
    """A figure of panels, one below the other, with a common axis of time; events are marked.

    Args:
        run: whose times, events and name are shown.
        panels: what to draw.
        figure: to draw in; by default a new one.
    """
    made = canvas(figure, (8.0, 1.0 + 1.9 * len(panels)))
    made.suptitle(title_of(run))
    axes = made.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for panel, axis in zip(panels, axes, strict=True):
        draw(axis, run.t, panel)
    mark_events(axes, run)
    axes[-1].set_xlabel("t [s]")
    made.align_ylabels()
    return made


def title_of(run: NamedSamples) -> str:
    """The name of the system; how the run ended, if not well."""
    return run.eom.model.name if run.status.ok else f"{run.eom.model.name}: {run.status.value}"


# what is shown -------------------------------------------------------------------------------------------------------


def _chosen(run: NamedSamples, names: Sequence[str]) -> list[Panel]:
    """The named quantities, sorted by unit; arrays bring a curve for each of their numbers."""
    panels: dict[str, Panel] = {}
    for name in names:
        values, unit = run[name], run.quantities[split(name, run.quantities)[0]].unit
        curves = {element_name(name, place): component(values, place) for place in np.ndindex(values.shape[1:])}
        panels.setdefault(unit, Panel("", unit, {})).curves.update(curves)
    return list(panels.values())


def _overview(run: NamedSamples) -> list[Panel]:
    """Coordinates and speeds by unit, energies, and the balance of these, which is small and needs its own scale."""
    panels: dict[tuple[str, str], Panel] = {}
    for name, quantity in run.quantities.items():
        if quantity.kind in {"coordinate", "speed"}:
            panels.setdefault((quantity.kind, quantity.unit), Panel(TITLES[quantity.kind], quantity.unit, {})).curves[
                name
            ] = run[name]
    return [*panels.values(), *energy_panels(run)]


def energy_panels(run: NamedSamples) -> list[Panel]:
    """The energies, with works where there are any, and their balance; nothing if they are not known."""
    *energies, balance = [name for name, quantity in run.quantities.items() if quantity.kind == "energy"] or [""]
    if not balance:
        return []
    curves = {name: run[name] for k, name in enumerate(energies) if k < 3 or np.any(run[name])}  # no works without any
    return [Panel("energies", "J", curves), Panel("", "J", {balance: run[balance]})]


# how it is shown -----------------------------------------------------------------------------------------------------


def mark_events(axes: Sequence[Any], run: NamedSamples) -> None:
    """A dotted line at each event; too many of them would hide the curves."""
    if not 0 < len(run.occurrences) <= EVENTS:
        return
    names = ", ".join(dict.fromkeys(occurrence.name for occurrence in run.occurrences))
    axes[0].set_title(f"dotted: {names}", loc="right", fontsize=8, color="0.4")
    for axis in axes:
        for occurrence in run.occurrences:
            axis.axvline(occurrence.t, color="0.5", linewidth=0.7, linestyle=":", zorder=0)
