"""Warnings about start values that were changed so that the constraints hold."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence

from multibody.equations import EquationsOfMotion
from multibody.equations.table import aligned
from multibody.errors import StartWarning
from multibody.model.assembly import StartChange

REMEDY = (
    "Give values that satisfy the constraints, such as those of eom.consistent(…); name values that must not change in "
    "fixed=[…]; or leave out what follows from other values. In a model, write joint(…, guess=…) for a value that only "
    "selects how the mechanism is assembled."
)


def warn_of_changes(eom: EquationsOfMotion, changes: Sequence[StartChange]) -> None:
    """One warning for a run, with a table of the values that were changed."""
    if changes:
        rows = [["name", "given", "used"], *([one.name, f"{one.given:.6g}", f"{one.used:.6g}"] for one in changes)]
        _warn(
            f"Start values of system '{eom.model.name}' were changed so that its constraints hold.\n"
            + "\n".join(f"  {line}" for line in aligned(rows).splitlines())
        )


def warn_of_changed_runs(eom: EquationsOfMotion, changed: int, runs: int) -> None:
    """One warning for a sweep, with the number of runs whose start values were changed."""
    if changed:
        _warn(
            f"Start values of system '{eom.model.name}' were changed in {changed} of {runs} runs, so that its "
            "constraints hold. sweep.start_changes lists them."
        )


def _warn(text: str) -> None:
    """A warning at the line of the user's program, below which nothing but this package is called."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "multibody":
        level, frame = level + 1, frame.f_back
    warnings.warn(f"{text}\n{REMEDY}", StartWarning, stacklevel=level)
