"""``sweep``: from equations of motion to many runs."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from multibody.equations import EquationsOfMotion
from multibody.errors import MissingValueError, ModelError, NumberError, StorageError
from multibody.graph.number import is_whole
from multibody.simulation.checks.run_reports import report_tables_of_sweep, warn_of_changed_runs
from multibody.simulation.events.continuous_angles import with_recorded_angles
from multibody.simulation.events.events import Event
from multibody.simulation.events.impacts import Impact, with_contacts
from multibody.simulation.integrators.integrator import Integrator
from multibody.simulation.problem.argument_checks import check_simulate_arguments
from multibody.simulation.problem.run_settings import FROM_FILE, RunSettings
from multibody.simulation.progress import SweepProgress, runs_bar
from multibody.simulation.single_run import wanted_times
from multibody.simulation.sweeps.cases import SweepPlan, planned
from multibody.simulation.sweeps.measures import require_measures
from multibody.simulation.sweeps.result import Sweep
from multibody.simulation.sweeps.runner import Measure, Outcome, Runner
from multibody.simulation.sweeps.sweep_identity import facts_of, measure_digests, opened, plan_of, require_equations
from multibody.simulation.sweeps.sweep_store import Store
from multibody.simulation.sweeps.sweep_tables import failure_report
from multibody.simulation.sweeps.workers import pool

SAMPLES = 101

_log = logging.getLogger("multibody")


def sweep(
    eom: EquationsOfMotion, duration: float | None = None, *, times: Any = None,
    parameters: Mapping[str, Any] | None = None, initial: Mapping[str, Any] | None = None,
    cases: Iterable[Mapping[str, float]] | None = None, draws: int = 1, seed: int = 0,
    inputs: Mapping[str, Any] | None = None, events: Sequence[Event | Impact] = (), fixed: Sequence[str] = (),
    integrator: Integrator | None = None, samples: int = SAMPLES, measures: Mapping[str, Measure] | None = None,
    path: str | PathLike[str] | None = None, workers: int | None = None, client: Any = None,
    progress: SweepProgress | None = None,
) -> Sweep:  # fmt: skip
    """Move a mechanism through time again and again, with other values each time.

    The runs are all combinations: every case of the list, at every point of the grid that the sequences span, as often
    as values are drawn; the last axis changes fastest. A run that fails does not end the sweep: its reason is kept, and
    a warning in the log ``multibody``, which Python shows by default, says how many have failed.

    Args:
        eom: equations of motion.
        duration: of each run, in seconds; or give ``times``.
        times: the instants to keep, increasing; the first one is the start.
        parameters: by name a number, which all runs share; a sequence, which is an axis of the grid; or a
            distribution: ``Uniform(low, high)``, ``Normal(mean, deviation)`` or ``Choice(values)``.
        initial: start values of coordinates and speeds, in the same way.
        cases: a list of runs that are no grid: mappings from names of parameters, coordinates and speeds to numbers;
            what one of them does not mention is as in the model.
        draws: how many times values are drawn for each case and point of the grid.
        seed: of the random values; the same seed gives the same values.
        inputs: what inputs do; see ``simulate``.
        events: ``Event`` and ``Impact`` objects.
        fixed: names of coordinates and speeds that must keep their start values.
        integrator: by default chosen for each run by its stiffness.
        samples: how many instants to keep, evenly spaced, where ``times`` are not given.
        measures: by name a function of a trajectory that gives a number, or an array of numbers.
        path: of a file to store runs in as they come. If it is there already, with the same sweep, only the runs that
            are missing are done; a sweep that was killed goes on like that. Measures that are new or have failed are
            taken from the stored runs. Model, cases, inputs, events, integrator and measures must be the same.
        workers: how many threads; by default as many as there are processors.
        client: a Dask client, for workers on other machines.
        progress: called with the numbers of runs that are done, that there are, and that have failed; by default a
            bar on a terminal, if it takes longer than a second.

    Returns:
        All runs. If you interrupt it, those that were done; give a ``path`` to go on from there.

    Raises:
        StorageError: if the file cannot be written, or holds something else; what was stored before is kept. Also if
            an input, an event or a measure cannot be identified, such as one that holds an open file.

    Example:
        >>> import multibody as mb
        >>> pendulum = mb.System("pendulum", gravity=(0, 0, -9.81))
        >>> (l,) = pendulum.parameters(l=1.0)
        >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", 2, (0, 0, -l)), "Ry")
        >>> runs = mb.sweep(
        ...     mb.derive(pendulum),
        ...     2.0,
        ...     parameters={"l": [0.5, 1.0]},
        ...     initial={"angle": [0.1, 0.2, 0.3]},
        ...     measures={"largest": lambda run: abs(run["angle"]).max()},
        ... )
        >>> runs, runs.shape
        (Sweep('pendulum', 6 of 6 runs), (2, 3))
        >>> runs.measures["largest"].reshape(runs.shape)[0].round(3)
        array([0.1, 0.2, 0.3])
    """
    given = {"parameters": parameters, "initial": initial, "inputs": inputs, "measures": measures}
    check_simulate_arguments("sweep", eom, integrator, **given)
    _require_workers(workers, client)
    plan = planned(eom, parameters, initial, cases, draws, seed)
    require_measures(measures or {}, plan)
    _require_values(eom, plan)
    instants = wanted_times(duration, times, samples)
    happenings = (events,) if isinstance(events, Event | Impact) else tuple(events)
    runner = Runner(eom, instants, inputs, happenings, _names(fixed), integrator, dict(measures or {}))
    moving = runner.prepared.eom  # now, because what is wrong with inputs and events shows here
    runner.prepared.require_course(eom.model.parameter_values(plan.case(0).parameters), instants)
    runner.prepared.require_tables(instants)
    settings = replace(runner.prepared.settings, integrator=integrator)
    digests = measure_digests(runner.measures, path is not None)
    with opened(path, facts_of(runner, plan, path is not None), digests) as store:
        runs = Sweep(moving, plan, instants, tuple(runner.measures), store, settings)
        changed, with_messages, resumed = _fill(store, runner, plan, workers, client, progress)
        if resumed:
            with suppress(KeyboardInterrupt):
                with_messages += runs.measure_missing(runner.measures)
    warn_of_changed_runs(eom, changed, len(plan))
    if runner.prepared.functions.table_uses:
        report_tables_of_sweep(eom.model.name, runs.table_exits)
    return _reported(runs) if with_messages else runs  # reading all messages again takes time


def read_sweep(
    path: str | PathLike[str], eom: EquationsOfMotion, events: Sequence[Event | Impact] = ()
) -> Sweep:  # fmt: skip
    """A sweep that was stored, complete or not; also one that another process is writing, as it is now.

    Args:
        path: of its file.
        eom: the same equations, from any formalism; the model may have other sensors.
        events: the same as in the sweep, if there were impacts among them.

    Raises:
        StorageError: if the file is not a sweep, or one of another model or of other impacts.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> import multibody as mb
        >>> cart = mb.System("cart")
        >>> slide = cart.joint("x", cart.world, cart.body("box", mass=2), "Tx")
        >>> eom = mb.derive(cart)
        >>> with TemporaryDirectory() as folder:
        ...     runs = mb.sweep(eom, 2.0, initial={"x_dot": [1.0, 3.0]}, path=f"{folder}/cart.sweep")
        ...     mb.read_sweep(f"{folder}/cart.sweep", eom).last("x").round(9)
        array([2., 6.])
    """
    check_simulate_arguments("read_sweep", eom)
    if not Path(path).exists():
        raise StorageError(
            "There is no such file.",
            code="file-missing",
            where=str(path),
            remedy="Run the sweep with this path.",
            path=str(path),
        )
    store = Store(path)
    facts = store.facts()
    happenings = (events,) if isinstance(events, Event | Impact) else tuple(events)
    require_equations(store, facts, eom, happenings)
    moving = with_recorded_angles(with_contacts(eom, happenings)[0], facts["inputs"])
    settings = replace(RunSettings.of(eom, None, happenings), unknown=FROM_FILE)
    store.take_snapshot()
    return _reported(Sweep(moving, plan_of(facts), facts["times"], tuple(store.measure_digests()), store, settings))


def _reported(runs: Sweep) -> Sweep:
    """The runs, after a warning in the log if some of them failed."""
    report = failure_report(runs)
    if report:
        _log.warning("%s", report)
    return runs


def _names(fixed: str | Sequence[str]) -> tuple[str, ...]:
    return (fixed,) if isinstance(fixed, str) else tuple(fixed)


def _require_workers(workers: Any, client: Any) -> None:
    if workers is not None and not (is_whole(workers) and workers > 0):
        raise NumberError(
            f"{workers!r} is not a number of workers.",
            code="worker-count-invalid",
            where="sweep",
            remedy="Give 1 or more, or leave it.",
            value=workers,
        )
    if client is not None and not hasattr(client, "get_executor"):
        raise ModelError(
            f"{client!r} is not a Dask client.",
            code="not-a-dask-client",
            where="sweep",
            remedy="Write client=Client('tcp://scheduler:8786').",
            kind=type(client).__name__,
        )


def _require_values(eom: EquationsOfMotion, plan: SweepPlan) -> None:
    """A parameter that no run has a value for."""
    defaults = {symbol: default for part in eom.model.parameters for symbol, default in part.default.items()}
    missing = [symbol.name for symbol, default in defaults.items() if default is None and symbol.name not in plan.kinds]
    if missing:
        raise MissingValueError(
            f"No value for: {', '.join(missing)}.",
            where=f"sweep of system '{eom.model.name}'",
            remedy="Give each a default in the system, or a value in parameters={…}.",
            names=tuple(missing),
        )


def _changed(outcomes: Iterable[Outcome], plan: SweepPlan) -> int:
    """The number of runs in which start values were changed that were given to the sweep."""
    pairs = ((outcome.start_changes, plan.case(outcome.number)) for outcome in outcomes if outcome.start_changes)
    return sum(
        any(not change.is_rounding and (change.name in case.q or change.name in case.u) for change in changes)
        for changes, case in pairs
    )


def _fill(
    store: Store, runner: Runner, plan: SweepPlan, workers: int | None, client: Any, progress: SweepProgress | None
) -> tuple[int, int, int]:
    """Do all runs that are not there; how many had their start values changed, have failed, and were there before."""
    known = dict(store.column("message"))
    left = [number for number in range(len(plan)) if number not in known]
    changed, done, failed = 0, len(known), sum(map(bool, known.values()))
    if not left:
        return changed, failed, len(known)
    with pool(runner, workers, client) as hands, runs_bar(progress) as report:
        try:
            for group in hands.outcomes((plan.case(number) for number in left), len(left)):
                store.add(group)
                changed += _changed(group, plan)
                done, failed = done + len(group), failed + sum(outcome.failed for outcome in group)
                report(done, len(plan), failed)
        except KeyboardInterrupt:
            for group in hands.rest():
                store.add(group)
                changed += _changed(group, plan)
                failed += sum(outcome.failed for outcome in group)
    return changed, failed, len(known)
