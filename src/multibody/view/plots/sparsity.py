"""Sparsity patterns of the mass matrix and of the constraint matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from multibody.equations import EquationsOfMotion
from multibody.equations.validation.argument_checks import require_equations
from multibody.graph import Expr, Symbol, topological
from multibody.graph.linear_algebra import Matrix
from multibody.model.quantity import rate_name
from multibody.support.figures import COLORS, canvas
from multibody.support.optional_libraries import require_library
from multibody.view.plots.drawing import File, finished, nothing

CONSTANT, CHANGING = "#9ecae9", COLORS[0]
MOST_NAMES = 80  # more rows than this have no names


class Pattern(NamedTuple):
    """A matrix to be shown: its title, its names along both sides, and where its parts meet."""

    title: str
    matrix: Matrix
    rows: list[str]
    columns: list[str]
    borders: tuple[int, ...] = ()


def sparsity(
    eom: EquationsOfMotion, *, path: File = None, overwrite: bool = False, figure: Any = None
) -> Any:  # fmt: skip
    """The mass matrix M; where there are constraints also Bᵀ, and all that is solved at once.

    An entry is empty if it is zero for all positions, light if it never changes, and dark if it does.

    Args:
        eom: equations of motion.
        path: a file to write: ``.png``, ``.svg`` or ``.pdf``.
        overwrite: whether a file of this name may be replaced.
        figure: a Matplotlib figure to draw in; by default a new one.

    Returns:
        The figure, with a panel for each matrix.

    Example:
        >>> import multibody as mb
        >>> pair = mb.System("pair")
        >>> a = pair.joint("a", pair.world, pair.body("left", 1), "Tx")
        >>> b = pair.joint("b", pair.world, pair.body("right", 2), "Tx")
        >>> sparsity(mb.derive(pair)).axes[0].get_title()
        'M: 2 of 4 entries'
    """
    patterns = _patterns(eom)
    cells = [len(pattern.columns) for pattern in patterns], max(len(pattern.rows) for pattern in patterns)
    side = float(np.clip(7.0 / sum(cells[0]), 0.11, 0.32))  # of an entry, in inches
    made = canvas(figure, (max(4.2, side * sum(cells[0]) + 1.2 * len(patterns)), side * cells[1] + 1.9))
    made.suptitle(eom.model.name)
    axes = made.subplots(1, len(patterns), squeeze=False, width_ratios=cells[0])[0]
    for axis, pattern in zip(axes, patterns, strict=True):
        _draw(axis, pattern)
        axis.set_anchor("N")
    _explain(made)
    return finished(made, path, overwrite)


def structure(matrix: Matrix, constant: Sequence[str] = ("parameter",)) -> NDArray[np.int_]:
    """0 where an entry is zero, 1 where it contains symbols of the given kinds only, 2 elsewhere."""
    changing: set[Expr] = set()
    for node in topological(matrix.flat):  # arguments first
        if (isinstance(node, Symbol) and node.kind not in constant) or not changing.isdisjoint(node.args):
            changing.add(node)
    kinds = [0 if entry.fp == 0 else 2 if entry in changing else 1 for entry in matrix.flat]
    return np.array(kinds, dtype=int).reshape(matrix.shape)


def _patterns(eom: Any) -> list[Pattern]:
    require_equations(eom, "plots.sparsity", "plots.sparsity(mb.derive(system))")
    speeds = [speed.name for speed in eom.speeds]
    if not speeds:
        raise nothing("the system has no speeds", f"system '{eom.model.name}'", "Let some joint move freely.")
    rates = [rate_name(name) for name in speeds]
    mass = Pattern("M", eom.M, speeds, rates)
    if not len(eom.constraints):
        return [mass]
    forces, equations = [multiplier.name for multiplier in eom.multipliers], list(eom.constraints.names)
    whole = [rate_name(coordinate.name) for coordinate in eom.coordinates]
    borders = (len(whole), len(whole) + len(speeds))
    combined = eom.combined_form().matrix
    return [
        mass,
        Pattern("Bᵀ", eom.B.T, speeds, equations),
        Pattern("combined form", combined, [*whole, *speeds, *equations], [*whole, *rates, *forces], borders),
    ]


def _draw(axis: Any, pattern: Pattern) -> None:
    found = structure(pattern.matrix)
    colours = require_library("matplotlib.colors", "plot").ListedColormap(["white", CONSTANT, CHANGING])
    axis.imshow(found, cmap=colours, vmin=0, vmax=2, interpolation="nearest")
    rows, columns = found.shape
    axis.set_title(f"{pattern.title}: {np.count_nonzero(found)} of {found.size} entries", fontsize=10)
    size = float(np.clip(220 / max(rows, columns), 3.0, 8.0))
    for side, names in ((axis.xaxis, pattern.columns), (axis.yaxis, pattern.rows)):
        side.set_ticks(range(len(names)), names if len(names) <= MOST_NAMES else [""] * len(names), fontsize=size)
        side.set_ticks(np.arange(-0.5, len(names)), minor=True)
        side.set_tick_params(which="both", length=0)
    axis.tick_params("x", rotation=90, labeltop=True, labelbottom=False)
    axis.grid(which="minor", color="0.88", linewidth=0.5)
    for border in pattern.borders:
        axis.axhline(border - 0.5, color="0.3", linewidth=0.9)
        axis.axvline(border - 0.5, color="0.3", linewidth=0.9)


def _explain(figure: Any) -> None:
    patch = require_library("matplotlib.patches", "plot").Patch
    shades = {"constant": CONSTANT, "changes with the position": CHANGING}
    handles = [patch(facecolor=colour, label=label) for label, colour in shades.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=2, fontsize=8, frameon=False)
