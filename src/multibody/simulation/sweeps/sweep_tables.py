"""Sweeps as tables: for pandas, for xarray, and for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from multibody.graph.names import element_name
from multibody.simulation.results.recording import component, split
from multibody.simulation.results.statistics import duration, table
from multibody.simulation.sweeps.outcomes import FailedRun, SweepOutcomes
from multibody.support.optional_libraries import require_library
from multibody.support.text_tables import counted

SHOWN = 5  # failures in a printout


def dataframe(sweep: SweepOutcomes) -> Any:
    """A pandas table with a row for each run."""
    columns: dict[str, Any] = {**sweep.cases, "status": sweep.status, "message": sweep.messages}
    if sweep.start_changes:
        columns["start_changes"] = [len(sweep.start_changes.get(number, ())) for number in range(len(sweep))]
    columns["seconds"] = sweep.seconds
    for name, values in sweep.measures.items():
        columns |= {element_name(name, place): component(values, place) for place in np.ndindex(values.shape[1:])}
    pandas = require_library("pandas", "data")
    return pandas.DataFrame(columns, index=pandas.RangeIndex(len(sweep), name="number"))


def dataset(sweep: SweepOutcomes, names: Sequence[str]) -> Any:
    """An xarray data set of runs and times; the axes of an array ``tip`` are the dimensions ``tip_0``, ``tip_1`` …."""
    variables = {}
    for name in names or [symbol.name for symbol in (*sweep.eom.coordinates, *sweep.eom.speeds)]:
        values = sweep.values(name)
        axes = ("run", "t", *(f"{name}_{axis}" for axis in range(values.ndim - 2)))
        variables[name] = (axes, values, {"units": sweep.quantities[split(name, sweep.quantities)[0]].unit})
    coordinates: dict[str, Any] = {"run": np.arange(len(sweep)), "t": ("t", sweep.times, {"units": "s"})}
    varied = {_free(name, variables): ("run", values) for name, values in sweep.cases.items()}
    status = "run_status" if "status" in {*variables, *varied} else "status"
    coordinates[status] = ("run", np.array(sweep.status, dtype=str))
    about = {"system": sweep.eom.model.name, "formalism": sweep.eom.formalism, "failed": sweep.failed}
    return require_library("xarray", "data").Dataset(variables, coords=coordinates | varied, attrs=about)


def _free(name: str, taken: dict[str, Any]) -> str:
    """The name of a value that varies; a start value is not called as the variable that starts there."""
    return f"{name}_start" if name in taken else name


def summary(sweep: SweepOutcomes) -> str:
    """What was run, how it went, and the first failures."""
    grid = " × ".join(f"{count} {name}" for count, name in zip(sweep.shape, sweep.dimensions, strict=True))
    rows = [
        ("system", sweep.eom.model.name),
        ("runs", f"{len(sweep)}{' = ' if grid else ''}{grid}"),
        ("time", f"{sweep.times[0]:.6g} s to {sweep.times[-1]:.6g} s, {counted(len(sweep.times), 'sample')}"),
        ("time taken", f"{duration(float(np.nansum(sweep.seconds)))}, all runs together"),
        ("stored in", sweep.where),
        ("status", ", ".join(f"{count} {status}" for status, count in Counter(sweep.status).most_common())),
    ]
    changed = [[change.name for change in some if not change.is_rounding] for some in sweep.start_changes.values()]
    if any(changed):
        names = dict.fromkeys(name for some in changed for name in some)
        rows.append(("start changed", f"{', '.join(names)} in {sum(map(bool, changed))} of {len(sweep)} runs"))
    if sweep.limit_violations:
        names = dict.fromkeys(violation.coordinate for run in sweep.limit_violations.values() for violation in run)
        rows.append(("limits left", f"{', '.join(names)} in {len(sweep.limit_violations)} of {len(sweep)} runs"))
    if sweep.saturations:
        names = dict.fromkeys(saturation.input for run in sweep.saturations.values() for saturation in run)
        rows.append(("inputs limited", f"{', '.join(names)} in {len(sweep.saturations)} of {len(sweep)} runs"))
    if sweep.table_exits:
        names = dict.fromkeys(table_exit.table for exits in sweep.table_exits.values() for table_exit in exits)
        rows.append(("tables left", f"{', '.join(names)} in {len(sweep.table_exits)} of {len(sweep)} runs"))
    if sweep.failures:
        more = len(sweep.failures) - SHOWN
        shown = [*map(_line, sweep.failures[:SHOWN]), *([f"and {more} more"] if more > 0 else [])]
        rows.append(("failures", "\n".join(shown)))
    return table(rows)


def failure_report(sweep: SweepOutcomes) -> str:
    """How many runs failed, by status, and the first reason; empty if none did."""
    if not sweep.failed:
        return ""
    counts = ", ".join(f"{count} {status}" for status, count in sweep.failure_counts.items())
    return (
        f"{sweep.failed} of {len(sweep)} runs of the sweep of '{sweep.eom.model.name}' failed: {counts}.\n"
        f"  first: {_line(sweep.failures[0])}\n  fix: Look at sweep.failures; failed runs are NaN in measures."
    )


def _line(one: FailedRun) -> str:
    values = ", ".join(f"{name}={value:.6g}" for name, value in one.values.items())
    return f"run {one.number} ({values}): {one.message.partition(chr(10))[0]}"
