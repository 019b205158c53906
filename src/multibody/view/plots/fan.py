"""Many runs in one picture: median and quantiles over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from multibody.graph.names import element_name
from multibody.simulation import Sweep
from multibody.simulation.contract import Vector
from multibody.simulation.results.recording import split
from multibody.support.figures import COLORS, canvas, explain, labelled, light_grid
from multibody.support.text_tables import counted
from multibody.view.plots.drawing import File, finished, nothing, require_names, wrong_subject

BANDS = ((0.05, 0.95), (0.25, 0.75))
"""Nine of ten runs, and one half of them."""


def fan(
    sweep: Sweep, *names: str, path: File = None, overwrite: bool = False, figure: Any = None
) -> Any:  # fmt: skip
    """The median of all runs over time, within bands that hold one half and nine tenths of them.

    Args:
        sweep: many runs.
        names: of quantities, as in a trajectory, such as ``"angle"`` or ``"tip_3"``.
        path: a file to write: ``.png``, ``.svg`` or ``.pdf``.
        overwrite: whether a file of this name may be replaced.
        figure: a Matplotlib figure to draw in; by default a new one.

    Returns:
        The figure, with a panel for each number.

    Example:
        >>> import multibody as mb
        >>> cart = mb.System("cart")
        >>> slide = cart.joint("x", cart.world, cart.body("box", mass=2), "Tx")
        >>> runs = mb.sweep(mb.derive(cart), 2.0, initial={"x_dot": [1.0, 2.0, 6.0]}, samples=3)
        >>> fan(runs, "x").axes[0].lines[0].get_ydata().round(9)
        array([0., 2., 4.])
    """
    panels = _panels(sweep, names)
    made = canvas(figure, (8.0, 1.0 + 2.2 * len(panels)))
    failed = f", {len(sweep.failures)} failed" if sweep.failures else ""
    made.suptitle(f"{sweep.eom.model.name}: {counted(len(sweep), 'run')}{failed}")
    axes = made.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for axis, (label, values) in zip(axes, panels.items(), strict=True):
        _draw(axis, sweep.times, values)
        axis.set_ylabel(label)
    explain(axes[0], *axes[0].get_legend_handles_labels())
    axes[-1].set_xlabel("t [s]")
    made.align_ylabels()
    return finished(made, path, overwrite)


def _panels(sweep: Any, names: Sequence[str]) -> dict[str, Vector]:
    """Runs and times of each number, by its label."""
    if not isinstance(sweep, Sweep):
        raise wrong_subject(sweep, "a sweep", "fan", "mb.sweep(eom, …), 'name'", code="sweep-expected")
    where = f"sweep of '{sweep.eom.model.name}'"
    chosen = names or tuple(coordinate.name for coordinate in sweep.eom.coordinates)
    if not chosen:
        raise nothing("the system has no coordinates", where, "Name a sensor, or an energy.")
    require_names(chosen, sweep.quantities, where)
    found: dict[str, Vector] = {}
    for name in chosen:
        values, unit = sweep.values(name), sweep.quantities[split(name, sweep.quantities)[0]].unit
        for place in np.ndindex(values.shape[2:]):
            found[labelled(element_name(name, place), unit)] = values[(..., *place)].T
    if not any(np.isfinite(values).any() for values in found.values()):
        raise nothing("no run has a value", where, "Look at sweep.failures.")
    return found


def _draw(axis: Any, t: Vector, values: Vector) -> None:
    """Times in rows, runs in columns; runs count as long as they lasted."""
    lasting = np.isfinite(values).any(axis=1)
    t, values = t[lasting], values[lasting]
    axis.plot(t, np.nanmedian(values, axis=1), color=COLORS[0], linewidth=1.6, label="median")
    for low, high in BANDS:
        lower, upper = np.nanquantile(values, (low, high), axis=1)
        label = f"{low:.0%} to {high:.0%} of the runs"
        axis.fill_between(t, lower, upper, color=COLORS[0], alpha=0.22, linewidth=0, label=label)
    light_grid(axis)
    axis.margins(x=0.01)
