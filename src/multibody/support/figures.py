"""Figures with Matplotlib: panels of curves, axes, legends, files."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from multibody.errors import StorageError
from multibody.support.files import atomic_file
from multibody.support.optional_libraries import require_library

Vector = NDArray[np.float64]

FORMATS = (".png", ".svg", ".pdf")
MAX_LEGEND_LINES = 10  # a legend with more lines than this hides what it explains
CONSTANT_RANGE = 1e-9  # a range below this share of the values is rounding
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#4d4d4d")
"""Colors that people with color vision deficiency can distinguish (M. Okabe, K. Ito: Color universal design, 2008)."""
DASHES = ("-", "--", "-.", ":")  # the next seven curves
UNDATED = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}  # the same figure is the same file


class Panel(NamedTuple):
    """Curves that share an axis."""

    title: str
    unit: str
    curves: dict[str, Vector]


def canvas(figure: Any, size: tuple[float, float]) -> Any:
    """The figure of the user, or a new one of this size in inches, in which nothing covers anything else."""
    return require_library("matplotlib.figure", "plot").Figure(size, layout="constrained") if figure is None else figure


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
            f"'{suffix}' is not a format for figures.",
            where=str(path),
            remedy=f"Use {', '.join(FORMATS)}.",
            code="file-format-unknown",
        )
    fixed_names = require_library("matplotlib", "plot").rc_context({"svg.hashsalt": "multibody"})
    with atomic_file(path, overwrite) as stream, fixed_names:
        figure.savefig(stream, format=suffix[1:], dpi=150, metadata=UNDATED.get(suffix))


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
    return {"color": COLORS[k % len(COLORS)], "linestyle": DASHES[k // len(COLORS) % len(DASHES)]}


def _without_rounding(axis: Any) -> None:
    """What is constant is drawn so: its last digits are not enlarged."""
    low, high = axis.get_ylim()
    size = max(abs(low), abs(high))
    if high - low < CONSTANT_RANGE * size:
        axis.set_ylim(low - 0.1 * size, high + 0.1 * size)


def light_grid(axis: Any) -> None:
    """Lines to read values by, behind the curves."""
    axis.grid(alpha=0.3, linewidth=0.6)
    axis.set_axisbelow(True)


def explain(axis: Any, handles: Sequence[Any], labels: Sequence[str], title: str = "") -> None:
    """A legend beside the panel, where it covers nothing; it is no longer than the panel."""
    shown, texts = list(handles), list(labels)
    if len(texts) > MAX_LEGEND_LINES:
        nothing = require_library("matplotlib.lines", "plot").Line2D([], [], linestyle="none")
        shown, texts = (
            [*shown[: MAX_LEGEND_LINES - 1], nothing],
            [*texts[: MAX_LEGEND_LINES - 1], f"and {len(texts) - MAX_LEGEND_LINES + 1} more"],
        )
    place = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5)}
    axis.legend(shown, texts, title=title or None, fontsize=8, title_fontsize=8, frameon=False, **place)
