"""Warnings about start values that were changed so that the constraints hold."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from multibody.equations import EquationsOfMotion
from multibody.errors import StartWarning
from multibody.mechanics.assembly.assembly import StartChange
from multibody.support.text_tables import aligned
from multibody.support.user_warnings import warn_user

_log = logging.getLogger("multibody")

REMEDY = (
    "Give values that satisfy the constraints, such as those of eom.consistent(…); name values that must not change in "
    "fixed=[…]; or leave out what follows from other values. In a model, write joint(…, guess=…) for a value that only "
    "selects how the mechanism is assembled."
)


def given_names(eom: EquationsOfMotion, q: Any, u: Any) -> set[str]:
    """The names of start values that were given in a call, by name or all in order."""
    return {
        name
        for values, symbols in ((q, eom.coordinates), (u, eom.speeds))
        if values is not None
        for name in (values if isinstance(values, Mapping) else (one.name for one in symbols))
    }


def warn_of_changes(
    eom: EquationsOfMotion, changes: Sequence[StartChange], named: Collection[str],
    parameters: Mapping[str, float] | None,
) -> None:  # fmt: skip
    """A report of the values that were changed by more than rounding: names, the values given and the values used.

    A change of values that were given in the call is a warning. Values of the model that contradict each other are
    reported in the log: they are often rough. Where a run has other parameters than the model, such as lengths, it is
    expected that values of the model follow them.
    """
    large = [one for one in changes if not one.is_rounding]
    given = [one for one in large if one.name in named]
    written = [one for one in large if one.name not in named and not parameters]
    if given:
        _warn(_text(eom, given))
    if written:
        _log.warning("%s\n%s", _text(eom, written), REMEDY)


def _text(eom: EquationsOfMotion, changes: Sequence[StartChange]) -> str:
    rows = [["name", "given", "used"], *([one.name, f"{one.given:.6g}", f"{one.used:.6g}"] for one in changes)]
    table = "\n".join(f"  {line}" for line in aligned(rows).splitlines())
    return f"Start values of system '{eom.model.name}' were changed so that its constraints hold.\n{table}"


def warn_of_changed_runs(eom: EquationsOfMotion, changed: int, runs: int) -> None:
    """One warning for a sweep, with the number of runs whose start values were changed."""
    if changed:
        _warn(
            f"Start values of system '{eom.model.name}' were changed in {changed} of {runs} runs, so that its "
            "constraints hold. sweep.start_changes lists them."
        )


def _warn(text: str) -> None:
    warn_user(f"{text}\n{REMEDY}", StartWarning)
