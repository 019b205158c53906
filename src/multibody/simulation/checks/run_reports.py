"""Messages about a run: changed start values, joints and inputs at their limits, and tables that it has left.

A run that must not leave a table fails.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from multibody.equations import EquationsOfMotion
from multibody.errors import StartWarning, warn_user
from multibody.mechanics.assembly.assembly import StartChange
from multibody.simulation.checks.failure_reasons import failed_run
from multibody.simulation.checks.table_exits import TableExit
from multibody.simulation.contract import Status
from multibody.simulation.results.trajectory import Trajectory
from multibody.support.text_tables import aligned

_log = logging.getLogger("multibody")

START_REMEDY = (
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
        for name in (values if isinstance(values, Mapping) else (symbol.name for symbol in symbols))
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
    large = [change for change in changes if not change.is_rounding]
    given = [change for change in large if change.name in named]
    written = [change for change in large if change.name not in named and not parameters]
    if given:
        _warn(_text(eom, given))
    if written:
        _log.warning("%s\n%s", _text(eom, written), START_REMEDY)


def _text(eom: EquationsOfMotion, changes: Sequence[StartChange]) -> str:
    rows = [
        ["name", "given", "used"],
        *([change.name, f"{change.given:.6g}", f"{change.used:.6g}"] for change in changes),
    ]
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
    warn_user(f"{text}\n{START_REMEDY}", StartWarning)


MAX_LISTED_JOINTS = 6
"""Joints that are listed; ``run.limit_violations`` has all of them."""


def report_limits(run: Trajectory) -> None:
    """One message in the log for a run whose joints leave their limits; nothing holds them there."""
    if run.limit_violations:
        lines = "\n".join(
            f"  joint '{violation.joint}': {violation}" for violation in run.limit_violations[:MAX_LISTED_JOINTS]
        )
        others = len(run.limit_violations) - MAX_LISTED_JOINTS
        if others > 0:
            lines += f"\n  and {others} more: run.limit_violations"
        _log.warning("Joints of system '%s' leave their limits.\n%s", run.eom.model.name, lines)


def report_saturations(run: Trajectory) -> None:
    """One message in the log for a run whose inputs are held at their limits."""
    if run.saturations:
        lines = "\n".join(f"  input '{saturation.input}': {saturation}" for saturation in run.saturations)
        _log.warning("Inputs of system '%s' reach their limits.\n%s", run.eom.model.name, lines)


TABLE_REMEDY = 'Add points, or say what the table does there: Table(…, outside="hold") or outside="extrapolate".'


def with_tables_checked(run: Trajectory) -> Trajectory:
    """The run; one that leaves a table with ``outside="error"`` has failed, and all of it is kept."""
    refused = [table_exit for table_exit in run.table_exits if table_exit.outside == "error"]
    if not refused or not run.status.ok:
        return run
    said = "; ".join(map(str, refused))
    return failed_run(run, Status.TABLE_LEFT, said, "The motion goes beyond the data of the table.", TABLE_REMEDY)


def report_tables(run: Trajectory) -> None:
    """One message in the log for a run that leaves tables."""
    if run.table_exits and run.status is not Status.TABLE_LEFT:
        lines = "\n".join(f"  {table_exit}" for table_exit in run.table_exits)
        _log.warning("A run of system '%s' goes beyond its tables.\n%s\n%s", run.eom.model.name, lines, TABLE_REMEDY)


def report_tables_of_sweep(system: str, exits: Mapping[int, tuple[TableExit, ...]]) -> None:
    """One message in the log for a sweep whose runs leave tables."""
    if exits:
        number, (first, *_) = next(iter(exits.items()))
        _log.warning(
            "%d runs of system '%s' go beyond its tables: sweep.table_exits.\n  run %d: %s\n%s",
            len(exits), system, number, first, TABLE_REMEDY,
        )  # fmt: skip
