"""Figures of trajectories: curves over time, those with the same unit in one panel."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from multibody.errors import StorageError
from multibody.simulate.contract import Vector
from multibody.simulate.files import whole_file
from multibody.simulate.optional import library
from multibody.simulate.recording import column_name, component, split

if TYPE_CHECKING:
    from multibody.simulate.trajectory import Trajectory

FORMATS = (".png", ".svg", ".pdf")
LEGEND = 10  # a legend with more lines than this hides what it explains
EVENTS = 50
COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22")
DASHES = ("-", "--", "-.", ":")  # the next ten curves
TITLES = {"coordinate": "coordinates", "speed": "speeds", "energy": "energies"}


class Panel(NamedTuple):
    """Curves that share an axis."""

    title: str
    unit: str
    curves: dict[str, Vector]


def plot(run: Trajectory, names: Sequence[str], figure: Any = None) -> Any:
    """A figure with a panel for each unit, one below the other.

    Args:
        run: what to show.
        names: of quantities; by default coordinates, speeds, energies and their balance.
        figure: to draw in; by default a new one.
    """
    panels = _chosen(run, names) if names else _overview(run)
    if figure is None:
        size = (8.0, 1.0 + 1.9 * len(panels))
        figure = library("matplotlib.figure", "plot").Figure(size, layout="constrained")
    figure.suptitle(run.eom.model.name if run.status.ok else f"{run.eom.model.name}: {run.status.value}")
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for panel, axis in zip(panels, axes, strict=True):
        _draw(axis, run.t, panel)
    _mark_events(axes, run)
    axes[-1].set_xlabel("t [s]")
    figure.align_ylabels()
    return figure


def save(figure: Any, path: str | PathLike[str], overwrite: bool) -> None:
    """Write a figure to a file; the suffix says how.

    Raises:
        StorageError: if the file exists and must not be replaced, or if it cannot be written.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        raise StorageError(
            f"'{suffix}' is not a format for figures.", where=str(path), remedy=f"Use {', '.join(FORMATS)}."
        )
    with whole_file(path, overwrite) as stream:
        figure.savefig(stream, format=suffix[1:], dpi=150)


# what is shown -------------------------------------------------------------------------------------------------------


def _chosen(run: Trajectory, names: Sequence[str]) -> list[Panel]:
    """The named quantities, sorted by unit; arrays bring a curve for each of their numbers."""
    panels: dict[str, Panel] = {}
    for name in names:
        values, unit = run[name], run.quantities[split(name)[0]].unit
        curves = {column_name(name, place): component(values, place) for place in np.ndindex(values.shape[1:])}
        panels.setdefault(unit, Panel("", unit, {})).curves.update(curves)
    return list(panels.values())


def _overview(run: Trajectory) -> list[Panel]:
    """Coordinates and speeds by unit, energies, and the balance of these, which is small and needs its own scale."""
    panels: dict[tuple[str, str], Panel] = {}
    for name, one in run.quantities.items():
        if one.kind in {"coordinate", "speed"}:
            panels.setdefault((one.kind, one.unit), Panel(TITLES[one.kind], one.unit, {})).curves[name] = run[name]
    *energies, balance = [name for name, one in run.quantities.items() if one.kind == "energy"] or [""]
    if not balance:
        return list(panels.values())
    curves = {name: run[name] for k, name in enumerate(energies) if k < 3 or np.any(run[name])}  # no works without any
    return [*panels.values(), Panel("energies", "J", curves), Panel("", "J", {balance: run[balance]})]


# how it is shown -----------------------------------------------------------------------------------------------------


def _draw(axis: Any, t: Vector, panel: Panel) -> None:
    """A curve alone is named at its axis, several in a legend beside it."""
    unit = f" [{panel.unit}]" if panel.unit else ""
    for k, (name, values) in enumerate(panel.curves.items()):
        style = DASHES[k // len(COLOURS) % len(DASHES)]
        axis.plot(t, values, style, color=COLOURS[k % len(COLOURS)], linewidth=1.3, label=name + unit)
    alone = len(panel.curves) == 1
    axis.set_ylabel(next(iter(panel.curves)) + unit if alone else (panel.title + unit).strip())
    axis.grid(alpha=0.3, linewidth=0.6)
    axis.margins(x=0.01)
    if not alone:
        _explain(axis)


def _explain(axis: Any) -> None:
    handles, labels = axis.get_legend_handles_labels()
    if len(labels) > LEGEND:
        nothing = library("matplotlib.lines", "plot").Line2D([], [], linestyle="none")
        handles = [*handles[: LEGEND - 1], nothing]
        labels = [*labels[: LEGEND - 1], f"and {len(labels) - LEGEND + 1} more"]
    axis.legend(handles, labels, loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8, frameon=False)


def _mark_events(axes: Sequence[Any], run: Trajectory) -> None:
    """A dotted line at each event; too many of them would hide the curves."""
    if not 0 < len(run.occurrences) <= EVENTS:
        return
    names = ", ".join(dict.fromkeys(one.name for one in run.occurrences))
    axes[0].set_title(f"dotted: {names}", loc="right", fontsize=8, color="0.4")
    for axis in axes:
        for one in run.occurrences:
            axis.axvline(one.t, color="0.5", linewidth=0.7, linestyle=":", zorder=0)
