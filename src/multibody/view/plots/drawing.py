"""Common parts of all figures: checks of arguments, colours, and writing to files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike
from typing import Any

from multibody.errors import ModelError
from multibody.simulation import Trajectory
from multibody.simulation.results.recording import split, unknown
from multibody.support.figures import save

File = str | PathLike[str] | None
"""Where a figure is written, if anywhere."""

SHADES = "viridis"
"""Colours for a number; brightness alone tells it, too."""

CUT = "#d55e00"
LINK = "#009e73"
LOAD = "#6a6a6a"
FILL = "#e8f1f8"
EDGE = "#0072b2"


def finished(figure: Any, path: File, overwrite: bool) -> Any:
    """The figure, after it was written to a file if one is named."""
    if path is not None:
        save(figure, path, overwrite)
    return figure


def wrong_subject(thing: Any, wanted: str, where: str, call: str, **details: Any) -> ModelError:
    """The error, with the code among the details, for a figure of something that it does not show."""
    return ModelError(
        f"plots.{where} expects {wanted}, got {type(thing).__name__}.",
        where=f"plots.{where}",
        remedy=f"Write plots.{where}({call}).",
        kind=type(thing).__name__,
        **details,
    )


def require_run(run: Any, where: str) -> None:
    """An error unless it is a run."""
    if not isinstance(run, Trajectory):
        raise wrong_subject(run, "a run", where, "mb.simulate(eom, duration), …", code="run-expected")


def require_names(names: Sequence[Any], known: Iterable[str], where: str) -> None:
    """An error for the first name that is not known; ``tip_3`` is known if ``tip`` is."""
    listed = list(known)
    for name in names:
        if not isinstance(name, str) or split(name, listed)[0] not in listed:
            raise unknown(name, listed, where)


def nothing(what: str, where: str, remedy: str) -> ModelError:
    """The error for a figure of nothing."""
    return ModelError(f"There is nothing to show: {what}.", code="plot-empty", where=where, remedy=remedy)
