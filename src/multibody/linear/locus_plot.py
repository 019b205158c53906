"""Figures of root loci."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.simulate.optional import library
from multibody.simulate.plots import COLOURS

if TYPE_CHECKING:
    from multibody.linear.studies import RootLocus


def locus_figure(locus: RootLocus, label: str = "") -> Any:
    """Real parts as lines, imaginary parts dashed, and the axis that separates stable from unstable."""
    figure = library("matplotlib.figure", "plot").Figure((8.0, 5.0), layout="constrained")
    axis = figure.subplots()
    axis.axhline(0.0, color="black", linewidth=0.8)
    for k, branch in enumerate(locus.poles.T):
        colour = COLOURS[k % len(COLOURS)]
        axis.plot(locus.values, branch.real, color=colour)
        axis.plot(locus.values, _where_it_turns(branch.imag), color=colour, linestyle="--", linewidth=1.0)
    axis.plot([], [], color="grey", label="real part")
    axis.plot([], [], color="grey", linestyle="--", linewidth=1.0, label="imaginary part")
    axis.set_xlabel(label)
    axis.set_ylabel("poles [1/s]")
    axis.margins(x=0.0)
    axis.legend(loc="best")
    axis.grid(alpha=0.3)
    return figure


def _where_it_turns(imaginary: Any) -> Any:
    """Imaginary parts where they are not zero, and from or to the zero beside them."""
    shown = imaginary != 0
    beside = np.concatenate([shown[1:], [False]]) | np.concatenate([[False], shown[:-1]])
    return np.where(shown | beside, imaginary, np.nan)
