"""Eigenvalues: along a number, and those of one linear system."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from multibody.errors import ModelError, ShapeError
from multibody.linearization import LinearSystem
from multibody.linearization.studies.root_locus import RootLocus
from multibody.support.figures import COLORS, canvas, light_grid
from multibody.view.plots.drawing import CUT, SHADES, File, finished, nothing, wrong_subject

RATIOS = (0.1, 0.3, 0.5, 0.7, 0.9)
"""Damping ratios that lines are drawn for."""

HOW = "Give what root_locus returns, or linear systems: eigenvalues([linearize(…), …], values=[…])."


def eigenvalues(
    locus: RootLocus | Iterable[LinearSystem], label: str = "", *, values: Sequence[float] | None = None,
    path: File = None, overwrite: bool = False, figure: Any = None,
) -> Any:  # fmt: skip
    """Eigenvalues along a number: in the complex plane, shaded by the number, and their parts over it.

    Args:
        locus: what ``root_locus`` returns, whose branches are lines; or linear systems, whose eigenvalues are dots.
        label: what the number is, such as ``"v [m/s]"``.
        values: the number of each linear system; by default they are counted.
        path: a file to write: ``.png``, ``.svg`` or ``.pdf``.
        overwrite: whether a file of this name may be replaced.
        figure: a Matplotlib figure to draw in; by default a new one.

    Returns:
        The figure: the plane, real parts, imaginary parts.

    Example:
        >>> import numpy as np
        >>> import multibody as mb
        >>> slide = mb.System("slide")
        >>> k, d = slide.parameters(k=100.0, d=2.0)
        >>> joint = slide.joint("x", slide.world, slide.body("block", 1.0), "Tx")
        >>> pull, brake = slide.load(mb.JointSpring(joint, k)), slide.load(mb.JointDamper(joint, d))
        >>> figure = eigenvalues(mb.root_locus(mb.along(mb.derive(slide), "d"), np.linspace(0, 25, 26)), "d [N·s/m]")
        >>> figure.axes[1].get_xlabel(), figure.axes[1].get_ylabel()
        ('', 'real part [1/s]')
    """
    numbers, poles, joined = _branches(locus, values)
    made = canvas(figure, (8.0, 4.2))
    axes = made.subplot_mosaic([["plane", "real"], ["plane", "imaginary"]])
    axes["imaginary"].sharex(axes["real"])
    text = (label or ("number" if values is None and not joined else "value")).replace("$", r"\$")
    _plane(made, axes["plane"], numbers, poles, joined, text)
    for name, part, unit in (("real", poles.real, "1/s"), ("imaginary", poles.imag, "rad/s")):
        _over(axes[name], numbers, part, joined)
        axes[name].set_ylabel(f"{name} part [{unit}]")
    axes["imaginary"].set_xlabel(text)
    axes["real"].tick_params(labelbottom=False)
    made.align_ylabels()
    return finished(made, path, overwrite)


def poles(linear: LinearSystem, *, path: File = None, overwrite: bool = False, figure: Any = None) -> Any:
    """The poles of a linear system, with lines of equal damping; those that do not decay stand out.

    Args:
        linear: a linear system.
        path: a file to write: ``.png``, ``.svg`` or ``.pdf``.
        overwrite: whether a file of this name may be replaced.
        figure: a Matplotlib figure to draw in; by default a new one.

    Returns:
        The figure.

    Example:
        >>> import multibody as mb
        >>> lin = mb.LinearSystem([[0, 1], [-4, -1]], [[0], [1]], [[1, 0]], [[0]], ("x", "v"), ("F",), ("x",))
        >>> [text.get_text() for text in poles(lin).axes[0].texts]
        ['ζ = 0.1', 'ζ = 0.3', 'ζ = 0.5', 'ζ = 0.7', 'ζ = 0.9']
    """
    _require_poles(linear)
    made = canvas(figure, (5.6, 4.6))
    made.suptitle(linear.name if linear.stable else f"{linear.name}: not every mode decays")
    axis = made.subplots()
    reach = _limits(axis, linear.poles)
    _damping_lines(axis, reach)
    decays = linear.poles.real < 0
    for chosen, colour in ((~decays, CUT), (decays, COLORS[0])):
        here = linear.poles[chosen]
        axis.plot(here.real, here.imag, "x", color=colour, markersize=8, markeredgewidth=1.8, zorder=3)
    _count(axis, linear.poles, reach)
    _name_axes(axis)
    return finished(made, path, overwrite)


def _require_poles(linear: Any) -> None:
    if not isinstance(linear, LinearSystem):
        raise wrong_subject(linear, "a linear system", "poles", "mb.linearize(eom)", code="linear-system-expected")
    if not len(linear.poles):
        raise nothing("the linear system has no states", f"linear system '{linear.name}'", "Linearize what can move.")


# along a number ------------------------------------------------------------------------------------------------------


def _branches(locus: Any, values: Any) -> tuple[Any, Any, bool]:
    """Numbers, poles in a row for each, and whether columns hang together."""
    if isinstance(locus, RootLocus):
        return locus.values, locus.poles, True
    systems = list(locus) if isinstance(locus, Iterable) else [locus]
    if not systems or not all(isinstance(system, LinearSystem) for system in systems):
        raise ModelError(
            "There are no linear systems.", code="linear-system-expected", where="plots.eigenvalues", remedy=HOW
        )
    numbers = np.arange(len(systems)) if values is None else np.asarray(values, dtype=float)
    if numbers.shape != (len(systems),):
        what = f"There are {len(systems)} linear systems, and values of shape {numbers.shape}."
        raise ShapeError(
            what,
            code="plot-values-shape-wrong",
            where="plots.eigenvalues",
            remedy="Give a value for each.",
            shape=numbers.shape,
            wanted=(len(systems),),
        )
    table = np.full((len(systems), max(len(system.poles) for system in systems)), np.nan, dtype=complex)
    for row, system in zip(table, systems, strict=True):
        row[: len(system.poles)] = system.poles
    return numbers, table, False


def _plane(figure: Any, axis: Any, numbers: Any, found: Any, joined: bool, label: str) -> None:
    """The complex plane; a branch begins at a cross."""
    for branch in found.T if joined else ():
        axis.plot(branch.real, branch.imag, color="0.75", linewidth=0.8, zorder=1)
    shade = np.repeat(numbers, found.shape[1])
    dots = axis.scatter(found.real.ravel(), found.imag.ravel(), c=shade, s=9, cmap=SHADES, zorder=2)
    axis.plot(found[0].real, found[0].imag, "x", color="black", markersize=6, zorder=3)
    axis.text(0.02, 0.02, f"× at {numbers[0]:.4g}", transform=axis.transAxes, fontsize=8)
    figure.colorbar(dots, ax=axis, label=label, location="top", aspect=40, pad=0.02)
    _limits(axis, found[np.isfinite(found)])
    _name_axes(axis)


def _over(axis: Any, numbers: Any, part: Any, joined: bool) -> None:
    """Parts of all branches over the number."""
    axis.axhline(0.0, color="black", linewidth=0.8)
    for k, branch in enumerate(part.T):
        if joined:
            axis.plot(numbers, branch, color=COLORS[k % len(COLORS)], linewidth=1.3)
        else:
            axis.plot(numbers, branch, ".", color=COLORS[0], markersize=4)
    light_grid(axis)
    axis.margins(x=0.01)


# the plane -----------------------------------------------------------------------------------------------------------


def _limits(axis: Any, found: Any) -> float:
    """All poles and both sides of the imaginary axis in sight; neither direction is a mere line. How far it reaches."""
    high = float(np.abs(found.imag).max())
    left, right = min(0.0, float(found.real.min())), max(0.0, float(found.real.max()))
    size = max(right - left, high) or 1.0
    high = max(1.2 * high, 0.5 * size)
    left, right = min(1.1 * left, -0.5 * size), max(1.1 * right, 0.2 * size)
    axis.set_xlim(left, right)
    axis.set_ylim(-high, high)
    axis.axvspan(0.0, right, color=CUT, alpha=0.06, linewidth=0, zorder=0)
    return float(np.hypot(max(-left, right), high))


def _damping_lines(axis: Any, reach: float) -> None:
    """Rays on which ζ = -Re/|p| is the same; each is named where it leaves the picture."""
    left, high = axis.get_xlim()[0], axis.get_ylim()[1]
    for ratio in RATIOS:
        x, y = -ratio * reach, np.sqrt(1 - ratio**2) * reach
        axis.plot([x, 0, x], [y, 0, -y], color="0.7", linewidth=0.7, linestyle=":", zorder=0)
        inside = min(left / x, high / y) * 0.92
        axis.text(x * inside, y * inside, f"ζ = {ratio:g}", fontsize=7, color="0.45", ha="center", va="center",
                  bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8})  # fmt: skip


def _count(axis: Any, found: Any, reach: float) -> None:
    """How many poles lie on each other, where it is more than one."""
    for pole in dict.fromkeys(np.round(found / reach, 6).tolist()):
        number = np.count_nonzero(np.round(found / reach, 6) == pole)
        if number > 1:
            place = (pole.real * reach, pole.imag * reach)
            axis.annotate(f"{number}×", place, (6, 6), textcoords="offset points", fontsize=8)


def _name_axes(axis: Any) -> None:
    axis.axhline(0.0, color="black", linewidth=0.6, zorder=0)
    axis.axvline(0.0, color="black", linewidth=0.8, zorder=0)
    axis.set_xlabel("real part [1/s]")
    axis.set_ylabel("imaginary part [rad/s]")
    light_grid(axis)
