"""Figures of trajectories: curves over time, those with the same unit in one panel."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from multibody.errors import MissingLibraryError, StorageError
from multibody.simulate.contract import Vector
from multibody.simulate.files import whole_file
from multibody.simulate.optional import library
from multibody.simulate.recording import column_name, component, split

if TYPE_CHECKING:
    from multibody.simulate.trajectory import Trajectory

FORMATS = (".png", ".svg", ".pdf")
LEGEND = 10  # a legend with more lines than this hides what it explains
EVENTS = 50
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#4d4d4d")
"""Colours that people tell apart who do not see red or green (M. Okabe, K. Ito: Color universal design, 2008)."""
DASHES = ("-", "--", "-.", ":")  # the next seven curves
UNDATED = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}  # the same figure is the same file
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
    return over_time(run, _chosen(run, names) if names else _overview(run), figure)


def html_figure(run: Trajectory) -> str:
    """The overview of a run for a notebook; nothing without Matplotlib."""
    try:
        made = plot(run, ())
    except MissingLibraryError:
        return ""
    stream = BytesIO()
    made.savefig(stream, format="png", dpi=80)
    return f'<img alt="curves over time" src="data:image/png;base64,{b64encode(stream.getvalue()).decode()}">'


def over_time(run: Trajectory, panels: Sequence[Panel], figure: Any = None) -> Any:
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


def canvas(figure: Any, size: tuple[float, float]) -> Any:
    """The figure of the user, or a new one of this size in inches, in which nothing covers anything else."""
    return library("matplotlib.figure", "plot").Figure(size, layout="constrained") if figure is None else figure


def title_of(run: Trajectory) -> str:
    """The name of the system; how the run ended, if not well."""
    return run.eom.model.name if run.status.ok else f"{run.eom.model.name}: {run.status.value}"


def labelled(name: str, unit: str) -> str:
    """Name and unit at an axis; a dollar sign is one, and does not begin a formula."""
    return f"{name} [{unit}]".strip().replace("$", r"\$") if unit else name


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
    fixed_names = library("matplotlib", "plot").rc_context({"svg.hashsalt": "multibody"})
    with whole_file(path, overwrite) as stream, fixed_names:
        figure.savefig(stream, format=suffix[1:], dpi=150, metadata=UNDATED.get(suffix))


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
    return [*panels.values(), *energy_panels(run)]


def energy_panels(run: Trajectory) -> list[Panel]:
    """The energies, with works where there are any, and their balance; nothing if they are not known."""
    *energies, balance = [name for name, one in run.quantities.items() if one.kind == "energy"] or [""]
    if not balance:
        return []
    curves = {name: run[name] for k, name in enumerate(energies) if k < 3 or np.any(run[name])}  # no works without any
    return [Panel("energies", "J", curves), Panel("", "J", {balance: run[balance]})]


# how it is shown -----------------------------------------------------------------------------------------------------


def draw(axis: Any, x: Vector, panel: Panel) -> None:
    """A curve alone is named at its axis, several in a legend beside it."""
    for k, (name, values) in enumerate(panel.curves.items()):
        axis.plot(x, values, linewidth=1.3, label=labelled(name, panel.unit), **style(k))
    alone = len(panel.curves) == 1
    axis.set_ylabel(labelled(next(iter(panel.curves)) if alone else panel.title, panel.unit))
    light_grid(axis)
    axis.margins(x=0.01)
    _without_rounding(axis)
    if not alone:
        explain(axis, axis.lines, [line.get_label() for line in axis.lines])


def style(k: int) -> dict[str, str]:
    """Colour and dashes of curve number k."""
    return {"color": COLOURS[k % len(COLOURS)], "linestyle": DASHES[k // len(COLOURS) % len(DASHES)]}


def _without_rounding(axis: Any) -> None:
    """What is constant is drawn so: its last digits are not enlarged."""
    low, high = axis.get_ylim()
    size = max(abs(low), abs(high))
    if high - low < 1e-9 * size:
        axis.set_ylim(low - 0.1 * size, high + 0.1 * size)


def light_grid(axis: Any) -> None:
    """Lines to read values by, behind the curves."""
    axis.grid(alpha=0.3, linewidth=0.6)
    axis.set_axisbelow(True)


def explain(axis: Any, handles: Sequence[Any], labels: Sequence[str], title: str = "") -> None:
    """A legend beside the panel, where it covers nothing; it is no longer than the panel."""
    shown, texts = list(handles), list(labels)
    if len(texts) > LEGEND:
        nothing = library("matplotlib.lines", "plot").Line2D([], [], linestyle="none")
        shown, texts = [*shown[: LEGEND - 1], nothing], [*texts[: LEGEND - 1], f"and {len(texts) - LEGEND + 1} more"]
    place = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5)}
    axis.legend(shown, texts, title=title or None, fontsize=8, title_fontsize=8, frameon=False, **place)


def mark_events(axes: Sequence[Any], run: Trajectory) -> None:
    """A dotted line at each event; too many of them would hide the curves."""
    if not 0 < len(run.occurrences) <= EVENTS:
        return
    names = ", ".join(dict.fromkeys(one.name for one in run.occurrences))
    axes[0].set_title(f"dotted: {names}", loc="right", fontsize=8, color="0.4")
    for axis in axes:
        for one in run.occurrences:
            axis.axvline(one.t, color="0.5", linewidth=0.7, linestyle=":", zorder=0)
