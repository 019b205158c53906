"""Measures of runs that are stored: defined, computed from trajectories, and tried again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from multibody.errors import ModelError, StorageError
from multibody.simulation.contract import Status
from multibody.simulation.results.trajectory import Trajectory
from multibody.simulation.sweeps.cases import SweepPlan
from multibody.simulation.sweeps.runner import Measure, Outcome, measured
from multibody.simulation.sweeps.sweep_identity import measure_digests
from multibody.simulation.sweeps.sweep_store import Measured, Store

STORED_TOGETHER = 64
"""Runs whose measures are stored in one transaction."""


def define_measures(store: Store, measures: Mapping[str, Measure], replace: bool) -> None:
    """Add measures to a store; with ``replace``, also in place of others of the same name.

    Raises:
        StorageError: if there is a measure of the same name by another function.
    """
    is_file = store.path is not None
    digests, known = measure_digests(measures, is_file), store.measure_digests()
    changed = [name for name in digests if name in known and (known[name] != digests[name] or not is_file)]
    if changed and not replace:
        raise StorageError(
            f"The sweep has measures of the same name: {', '.join(changed)}.",
            code="measure-differs",
            where=store.where,
            cause="They were made by other functions." if is_file else "In memory, functions are not compared.",
            remedy="Choose other names, or write replace=True to measure all runs anew.",
            names=tuple(changed),
        )
    store.define_measures(digests, anew=replace)


def fill_measures(
    store: Store, measures: Mapping[str, Measure], trajectory_of: Callable[[Outcome], Trajectory]
) -> int:  # fmt: skip
    """Measure the stored runs for which a value is missing, or has failed; the number of runs with a failure."""
    known, waiting, failed = store.measured(), list[Outcome](), 0
    try:
        for number, ending in store.column("ending"):
            left = {name: law for name, law in measures.items() if _is_missing(known.get(name, {}).get(number))}
            outcome = store.outcome(number) if left and Status.named(ending).ok else None
            if outcome is not None:
                values, errors = measured(trajectory_of(outcome), left)
                waiting.append(Outcome(number, ending, measures=values, measure_errors=errors))
                failed += bool(errors)
            if len(waiting) == STORED_TOGETHER:
                store.add_measures(waiting)
                waiting.clear()
    finally:
        store.add_measures(waiting)
    return failed


def _is_missing(found: Measured | None) -> bool:
    return found is None or bool(found.error)


def require_measures(measures: Mapping[str, Any], plan: SweepPlan) -> None:
    """What is measured is a function; tables list it beside what varies, so their names must differ."""
    wrong = [name for name, law in measures.items() if not callable(law)]
    if wrong:
        raise ModelError(
            f"{measures[wrong[0]]!r:.200} is not a function.",
            code="measure-not-a-function",
            where=f"measure '{wrong[0]}' of the sweep",
            remedy="Give a function of a trajectory: lambda run: run['name'].max().",
            name=wrong[0],
        )
    taken = [
        name for name in measures if name in (*plan.names, "number", "status", "message", "start_changes", "seconds")
    ]
    if taken:
        raise ModelError(
            f"A measure cannot be called {' or '.join(map(repr, taken))}.",
            code="name-taken",
            where="measures of the sweep",
            cause="Something else in the table of all runs is called so.",
            remedy=f"Choose another name, such as '{taken[0]}_measured'.",
            names=tuple(taken),
        )
