"""Forces and torques in joints, over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from multibody.compiler import Function
from multibody.equations import EquationsOfMotion
from multibody.model import Joint
from multibody.simulation import Trajectory
from multibody.simulation.contract import Vector
from multibody.simulation.results.plots import mark_events, title_of
from multibody.support.figures import COLORS, canvas, explain, labelled, light_grid
from multibody.view.plots.drawing import File, finished, nothing, require_names, require_run

MOST = 12  # joints in a figure
ROUNDING = 1e-12  # a force that is so much smaller than the largest one is none


def reactions(run: Trajectory, *joints: str, path: File = None, overwrite: bool = False, figure: Any = None) -> Any:
    """The force F and the torque M that joints transmit to their child frames, at its origin and in its axes.

    They are all that goes through a joint: constraint forces and, along its axes, springs, drives and friction. It may
    belong to the tree or close a loop, and no sensor is needed.

    Args:
        run: what ``simulate`` has found.
        joints: their names; by default all of them, if they are not too many.
        path: a file to write: ``.png``, ``.svg`` or ``.pdf``.
        overwrite: whether a file of this name may be replaced.
        figure: a Matplotlib figure to draw in; by default a new one.

    Returns:
        The figure, with a row for each joint.

    Example:
        >>> import multibody as mb
        >>> lamp = mb.System("lamp", gravity=(0, 0, -10))
        >>> hook = lamp.joint("hook", lamp.world, lamp.body("bulb", 2, (0, 0, -1)), "Ry")
        >>> figure = reactions(mb.simulate(mb.derive(lamp), duration=1.0), "hook")
        >>> {line.get_label(): float(abs(line.get_ydata()[0])) for line in figure.axes[0].lines}
        {'Fx [N]': 0.0, 'Fy [N]': 0.0, 'Fz [N]': 20.0}
    """
    require_run(run, "reactions")
    chosen = _chosen(run, joints)
    found = transmitted(run, chosen)
    made = canvas(figure, (8.0, 0.9 + 1.9 * len(chosen)))
    made.suptitle(title_of(run))
    axes = made.subplots(len(chosen), 2, sharex=True, squeeze=False)
    scale = _scale(run, found)
    for joint, row in zip(chosen, axes, strict=True):
        row[0].set_title(f"{joint.name}: on {joint.child.name}, in its axes", loc="left", fontsize=9)
        for axis, (letter, unit), values in zip(row, (("F", "N"), ("M", "N·m")), found[joint.name], strict=True):
            _draw(axis, run.t, letter, unit, values, scale)
    explain(axes[0, 1], axes[0, 1].lines, "xyz")
    mark_events(axes.ravel(), run)
    for axis in axes[-1]:
        axis.set_xlabel("t [s]")
    made.align_ylabels()
    return finished(made, path, overwrite)


def transmitted(run: Trajectory, joints: Sequence[Joint]) -> dict[str, Vector]:
    """By the name of each joint an array of force and torque, samples, and three components.

    Accelerations and multipliers are those of the run, which are known in singular positions, too.
    """
    function = _compiled(run.eom, tuple(joints))
    state = (run.t, run.q, run.u, run.r, run.p)
    parts = function.batch(*state, run.accelerations, run.multipliers).reshape(len(run.t), len(joints), 2, 3)
    return {joint.name: np.moveaxis(parts[:, k], 0, 1) for k, joint in enumerate(joints)}


def _compiled(eom: EquationsOfMotion, joints: tuple[Joint, ...]) -> Function:
    """(t, q, u, r, p, u̇, λ) → the components of all forces and torques; kept with the equations."""
    model = eom.model

    def make() -> Function:
        motors = [eom.reaction(joint) for joint in joints]
        ports = {"t": model.time, "q": eom.coordinates, "u": eom.speeds, "r": eom.inputs, "p": eom.parameters}
        ports |= {"a": model.accelerations, "multipliers": eom.multipliers}
        parts = [part for motor in motors for part in (*motor.resultant, *motor.moment)]
        return Function(f"{model.name}_reactions", ports, {"parts": parts})

    return eom.once(("reactions", joints), make)


def _chosen(run: Trajectory, names: Sequence[str]) -> list[Joint]:
    known = {joint.name: joint for joint in (*run.eom.model.joints, *run.eom.model.cuts)}
    if not known:
        raise nothing("the system has no joints", run.title, "Build the machine as a System, with bodies and joints.")
    require_names(names, known, f"joints of {run.title}")
    if not names and len(known) > MOST:
        few = ", ".join(repr(name) for name in list(known)[:2])
        raise nothing(f"{len(known)} joints are too many for one figure", run.title, f"Name some: {few}, ….")
    return [known[name] for name in names or known]


def _scale(run: Trajectory, found: Mapping[str, Vector]) -> float:
    """The largest force of all, in joints or constraints; at least that which moves the energies of the run by 1 m."""
    sizes = [float(np.abs(samples).max(initial=0.0)) for samples in (*found.values(), run.multipliers)]
    return max(*sizes, run.energies.scale if run.eom.energy_known else 0.0)


def _draw(axis: Any, t: Vector, letter: str, unit: str, values: Vector, scale: float) -> None:
    """Three components; where there is nothing but rounding, it is not enlarged."""
    for part, direction, colour in zip(values.T, "xyz", COLORS, strict=False):
        axis.plot(t, part, color=colour, linewidth=1.3, label=labelled(letter + direction, unit))
    axis.set_ylabel(labelled(letter, unit))
    light_grid(axis)
    axis.margins(x=0.01)
    if np.abs(values).max() <= ROUNDING * scale:
        axis.set_ylim(-1.0, 1.0)
