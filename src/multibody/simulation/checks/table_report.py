"""Messages about tables that a run has left, and failure of runs that must not leave them."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from multibody.simulation.checks.failure_reasons import failed_run
from multibody.simulation.checks.table_exits import TableExit
from multibody.simulation.contract import Status
from multibody.simulation.results.trajectory import Trajectory

_log = logging.getLogger("multibody")

REMEDY = 'Add points, or say what the table does there: Table(…, outside="hold") or outside="extrapolate".'


def with_tables_checked(run: Trajectory) -> Trajectory:
    """The run; one that leaves a table with ``outside="error"`` has failed, and all of it is kept."""
    refused = [one for one in run.table_exits if one.outside == "error"]
    if not refused or not run.status.ok:
        return run
    said = "; ".join(map(str, refused))
    return failed_run(run, Status.TABLE_LEFT, said, "The motion goes beyond the data of the table.", REMEDY)


def report_tables(run: Trajectory) -> None:
    """One message in the log for a run that leaves tables."""
    if run.table_exits and run.status is not Status.TABLE_LEFT:
        lines = "\n".join(f"  {one}" for one in run.table_exits)
        _log.warning("A run of system '%s' goes beyond its tables.\n%s\n%s", run.eom.model.name, lines, REMEDY)


def report_tables_of_sweep(system: str, exits: Mapping[int, tuple[TableExit, ...]]) -> None:
    """One message in the log for a sweep whose runs leave tables."""
    if exits:
        number, (first, *_) = next(iter(exits.items()))
        _log.warning(
            "%d runs of system '%s' go beyond its tables: sweep.table_exits.\n  run %d: %s\n%s",
            len(exits), system, number, first, REMEDY,
        )  # fmt: skip
