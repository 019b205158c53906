"""Curves over time: coordinates, speeds, energies, sensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from multibody.graph.names import element_name
from multibody.simulation import Trajectory
from multibody.simulation.results.plots import energy_panels, over_time
from multibody.simulation.results.recording import component, split
from multibody.support.figures import Panel
from multibody.view.plots.drawing import File, finished, nothing, require_names, require_run

ADD_A_SENSOR = "Add one before the equations are derived: system.sensor('tip', mb.Position(frame))."


def coordinates(
    run: Trajectory, *names: str, path: File = None, overwrite: bool = False, figure: Any = None
) -> Any:  # fmt: skip
    """Coordinates over time, those with the same unit in one panel.

    Args:
        run: what ``simulate`` has found.
        names: which; by default all that are states. Those of joints that are driven or close a loop can be named, too.
        path: a file to write: ``.png``, ``.svg`` or ``.pdf``.
        overwrite: whether a file of this name may be replaced.
        figure: a Matplotlib figure to draw in, such as ``plt.figure()`` for a window; by default a new one.

    Returns:
        The figure.

    Example:
        >>> import multibody as mb
        >>> cart = mb.System("cart")
        >>> slide = cart.joint("slide", cart.world, cart.body("box", mass=2), "Tx", u=1.0)
        >>> figure = coordinates(mb.simulate(mb.derive(cart), duration=2.0))
        >>> [axis.get_ylabel() for axis in figure.axes]
        ['slide [m]']
    """
    require_run(run, "coordinates")
    return finished(over_time(run, _motion(run, "coordinate", names), figure), path, overwrite)


def speeds(run: Trajectory, *names: str, path: File = None, overwrite: bool = False, figure: Any = None) -> Any:
    """Speeds over time, those with the same unit in one panel; see ``coordinates``.

    Args:
        run: what ``simulate`` has found.
        names: which; by default all that are states. Those of joints that are driven or close a loop can be named, too.
        path: a file to write: ``.png``, ``.svg`` or ``.pdf``.
        overwrite: whether a file of this name may be replaced.
        figure: a Matplotlib figure to draw in; by default a new one.

    Returns:
        The figure.

    Example:
        >>> import multibody as mb
        >>> cart = mb.System("cart")
        >>> slide = cart.joint("slide", cart.world, cart.body("box", mass=2), "Tx", u=1.0)
        >>> figure = speeds(mb.simulate(mb.derive(cart), duration=2.0), "slide_dot")
        >>> [axis.get_ylabel() for axis in figure.axes]
        ['slide_dot [m/s]']
    """
    require_run(run, "speeds")
    return finished(over_time(run, _motion(run, "speed", names), figure), path, overwrite)


def energies(run: Trajectory, *, path: File = None, overwrite: bool = False, figure: Any = None) -> Any:
    """Energies and works over time; below, at its own scale, their balance, which is zero for an exact solution.

    Args:
        run: what ``simulate`` has found.
        path: a file to write: ``.png``, ``.svg`` or ``.pdf``.
        overwrite: whether a file of this name may be replaced.
        figure: a Matplotlib figure to draw in; by default a new one.

    Returns:
        The figure.

    Example:
        >>> import multibody as mb
        >>> cart = mb.System("cart")
        >>> slide = cart.joint("slide", cart.world, cart.body("box", mass=2), "Tx", u=1.0)
        >>> figure = energies(mb.simulate(mb.derive(cart), duration=2.0))
        >>> [axis.get_ylabel() for axis in figure.axes]
        ['energies [J]', 'energy_balance [J]']
    """
    require_run(run, "energies")
    panels = energy_panels(run)
    if not panels:
        raise nothing("the energies are not known", run.title, "Give energy=(T, V) with the equations of subsystems.")
    made = over_time(run, panels, figure)
    made.axes[-1].set_title(f"drift {run.energy_drift:.1e}, relative to what is exchanged", loc="right", fontsize=8)
    return finished(made, path, overwrite)


def sensors(run: Trajectory, *names: str, path: File = None, overwrite: bool = False, figure: Any = None) -> Any:
    """What sensors measure, over time: numbers with the same unit in one panel, each array in one of its own.

    Args:
        run: what ``simulate`` has found.
        names: of sensors, or of components such as ``"tip_3"``; by default all sensors.
        path: a file to write: ``.png``, ``.svg`` or ``.pdf``.
        overwrite: whether a file of this name may be replaced.
        figure: a Matplotlib figure to draw in; by default a new one.

    Returns:
        The figure.

    Example:
        >>> import multibody as mb
        >>> cart = mb.System("cart")
        >>> box = cart.body("box", mass=2)
        >>> slide, place = cart.joint("slide", cart.world, box, "Tx", u=1.0), cart.sensor("place", mb.Position(box))
        >>> figure = sensors(mb.simulate(mb.derive(cart), duration=2.0))
        >>> [line.get_label() for line in figure.axes[0].lines]
        ['place_1 [m]', 'place_2 [m]', 'place_3 [m]']
    """
    require_run(run, "sensors")
    known = [name for name, quantity in run.quantities.items() if quantity.kind == "sensor"]
    if not known:
        raise nothing("the system has no sensors", run.title, ADD_A_SENSOR)
    require_names(names, known, f"sensors of {run.title}")
    panels: dict[object, Panel] = {}
    for name in names or known:
        values, unit = run[name], run.quantities[split(name, run.quantities)[0]].unit
        key = unit if values.ndim == 1 else (name,)
        curves = {element_name(name, place): component(values, place) for place in np.ndindex(values.shape[1:])}
        panels.setdefault(key, Panel("" if values.ndim == 1 else name, unit, {})).curves.update(curves)
    return finished(over_time(run, list(panels.values()), figure), path, overwrite)


def _motion(run: Trajectory, kind: str, names: Sequence[str]) -> list[Panel]:
    """Coordinates or speeds by unit."""
    states = [name for name, quantity in run.quantities.items() if quantity.kind == kind]
    others = [value.name for value in run.eom.model.values if value.kind == kind]
    if not states and not others:
        raise nothing(f"the system has no {kind}s", run.title, "Connect bodies by joints that can move.")
    require_names(names, [*states, *others], f"{kind}s of {run.title}")
    panels: dict[str, Panel] = {}
    for name in names or states or others:
        unit = run.quantities[name].unit
        panels.setdefault(unit, Panel(f"{kind}s", unit, {})).curves[name] = run[name]
    return list(panels.values())
