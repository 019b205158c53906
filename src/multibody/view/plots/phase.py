"""Phase portraits: coordinates against their rates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil
from typing import Any, NamedTuple

import numpy as np

from multibody.model.quantity import rate_name
from multibody.simulation import Sweep, Trajectory
from multibody.simulation.contract import Vector
from multibody.simulation.problem.sample_functions import probe
from multibody.simulation.results.plots import title_of
from multibody.support.figures import COLORS, canvas, explain, labelled, light_grid, style
from multibody.support.optional_libraries import require_library
from multibody.view.plots.drawing import SHADES, File, finished, nothing, require_names, require_run

MOST = 16  # panels in a figure, unless they are asked for


class Shown(NamedTuple):
    """Runs that are drawn over each other: how each is called and drawn, and the value that tells them apart."""

    runs: list[Trajectory]
    labels: list[str]
    styles: list[dict[str, Any]]
    title: str
    varied: tuple[str, Vector] | None = None


def phase_portrait(
    runs: Trajectory | Sweep | Iterable[Trajectory], *names: str, path: File = None, overwrite: bool = False,
    figure: Any = None,
) -> Any:  # fmt: skip
    """Coordinates against their rates, a panel for each; a ring marks the start, a square the end.

    Args:
        runs: a run, several runs of the same system, or a sweep, which are drawn over each other.
        names: of coordinates; by default all that are states. Those of joints that are driven or close a loop can be
            named, too.
        path: a file to write: ``.png``, ``.svg`` or ``.pdf``.
        overwrite: whether a file of this name may be replaced.
        figure: a Matplotlib figure to draw in; by default a new one.

    Returns:
        The figure.

    Example:
        >>> import multibody as mb
        >>> pendulum = mb.System("pendulum")
        >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", 1, (0, 0, -1)), "Ry", q=1.0)
        >>> figure = phase_portrait(mb.simulate(mb.derive(pendulum), duration=2.0), "angle")
        >>> figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()
        ('angle [rad]', 'angle_dot [rad/s]')
    """
    shown = _shown(runs)
    chosen = _chosen(shown.runs, names)
    columns = min(len(chosen), 3 if len(chosen) <= 9 else 4)
    rows, side = ceil(len(chosen) / columns), 8.0 / max(columns, 2)
    made = canvas(figure, (side * columns + 0.8, 0.9 * side * rows + 0.5))
    made.suptitle(shown.title)
    axes = made.subplots(rows, columns, squeeze=False).ravel()
    for name, axis in zip(chosen, axes, strict=False):
        _draw(axis, name, shown)
    for axis in axes[len(chosen) :]:
        axis.remove()
    _tell_apart(made, axes[: len(chosen)], axes[columns - 1], shown)
    return finished(made, path, overwrite)


def rate(run: Trajectory, name: str) -> Vector:
    """dq/dt of a coordinate at all samples."""
    quantity = run.quantities[name]
    if quantity.kind != "coordinate":
        return run[rate_name(name)]
    rates = probe(run.eom, "rates").batch(run.t, run.q, run.u, run.r, run.p).q_dot
    return np.asarray(rates[:, quantity.place])


# which runs and coordinates ------------------------------------------------------------------------------------------


def _shown(given: Any) -> Shown:
    """The runs with their styles: shades where one number varies, else colours."""
    if isinstance(given, Sweep):
        return _of_sweep(given)
    runs = [given] if isinstance(given, Trajectory) or not isinstance(given, Iterable) else list(given)
    for run in runs:
        require_run(run, "phase_portrait")
    if not runs:
        raise nothing("there is no run", "plots.phase_portrait", "Give a run, several of them, or a sweep.")
    titles = list(dict.fromkeys(title_of(run) for run in runs))
    return Shown(runs, [f"run {k}" for k in range(len(runs))], [style(k) for k in range(len(runs))], ", ".join(titles))


def _of_sweep(sweep: Sweep) -> Shown:
    found = dict(sweep.trajectories())
    if not found:
        raise nothing("no run of the sweep has a trajectory", sweep.where, "Look at sweep.failures.")
    failed = f", {len(sweep.failures)} of {len(sweep)} runs failed" if sweep.failures else ""
    labels = [", ".join(f"{name}={values[k]:.4g}" for name, values in sweep.cases.items()) for k in found]
    runs, title = list(found.values()), sweep.eom.model.name + failed
    if len(sweep.cases) != 1:
        return Shown(runs, labels, [style(k) for k in range(len(runs))], title)
    ((name, values),) = sweep.cases.items()
    numbers = np.asarray(values)[list(found)]
    shade = require_library("matplotlib", "plot").colormaps[SHADES]
    span = float(np.ptp(numbers)) or 1.0
    return Shown(
        runs, labels, [{"color": shade((number - numbers.min()) / span)} for number in numbers], title, (name, numbers)
    )


def _chosen(runs: Sequence[Trajectory], names: Sequence[str]) -> list[str]:
    first = runs[0]
    states = [coordinate.name for coordinate in first.eom.coordinates]
    others = [
        value.name for value in first.eom.model.values if value.kind == "coordinate" and rate_name(value.name) in first
    ]
    if not states and not others:
        raise nothing("the system has no coordinates", first.title, "Connect bodies by joints that can move.")
    for run in runs:
        require_names(names or states or others, [*states, *others] if run is first else run, run.title)
    if not names and len(states or others) > MOST:
        few = ", ".join(repr(name) for name in (states or others)[:2])
        raise nothing(f"{len(states)} coordinates are too many for one figure", first.title, f"Name some: {few}, ….")
    return list(names or states or others)


# how they are drawn --------------------------------------------------------------------------------------------------


def _draw(axis: Any, name: str, shown: Shown) -> None:
    for run, label, how in zip(shown.runs, shown.labels, shown.styles, strict=True):
        x, y = run[name], rate(run, name)
        turns = _turns(x) if run.quantities[name].kind == "joint" and run.quantities[name].unit == "rad" else []
        axis.plot(np.insert(x, turns, np.nan), np.insert(y, turns, np.nan), linewidth=1.2, label=label, **how)
        ends = {"color": how["color"], "markersize": 5, "linestyle": "none"}
        axis.plot(x[:1], y[:1], marker="o", markerfacecolor="white", label="start", **ends)
        axis.plot(x[-1:], y[-1:], marker="s", label="end", **ends)
    unit = shown.runs[0].quantities[name].unit
    small = 9 if len(name) < 12 else 7.5
    axis.set_xlabel(labelled(name, unit), fontsize=small)
    axis.set_ylabel(labelled(rate_name(name), f"{unit or '1'}/s"), fontsize=small)
    light_grid(axis)


def _turns(angle: Vector) -> Any:
    """Where an angle that is known between -π and π leaves at one end and comes back at the other: no line there."""
    return np.flatnonzero(np.abs(np.diff(angle)) > np.pi) + 1


def _tell_apart(figure: Any, axes: Sequence[Any], corner: Any, shown: Shown) -> None:
    """Runs are told apart by a bar of shades, or by a legend."""
    if shown.varied is not None:
        matplotlib = require_library("matplotlib", "plot")
        require_library("matplotlib.cm", "plot")
        name, values = shown.varied
        scale = matplotlib.colors.Normalize(values.min(), values.max())
        figure.colorbar(matplotlib.cm.ScalarMappable(scale, SHADES), ax=list(axes), label=name, aspect=30)
    elif len(shown.runs) > 1:
        explain(corner, corner.lines[::3], shown.labels)
    else:
        line = require_library("matplotlib.lines", "plot").Line2D
        grey = {"linestyle": "none", "color": COLORS[0], "markersize": 5}
        ends = [line([], [], marker="o", markerfacecolor="white", **grey), line([], [], marker="s", **grey)]
        explain(corner, ends, ["start", "end"])
