"""The result of a run: everything by name, tables, files and figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

from multibody.equations import EquationsOfMotion
from multibody.errors import SimulationError, SimulationInterrupted
from multibody.simulation.contract import Status
from multibody.simulation.events.continuous_angles import with_recorded_angles
from multibody.simulation.events.events import Event
from multibody.simulation.events.impacts import Impact, with_contacts
from multibody.simulation.problem.argument_checks import check_simulate_arguments
from multibody.simulation.problem.continuation import joined
from multibody.simulation.problem.run_settings import FROM_FILE, RunSettings
from multibody.simulation.results import recording, records, store
from multibody.simulation.results.named_samples import NamedSamples
from multibody.simulation.results.recording import Recording
from multibody.simulation.results.statistics import table
from multibody.support.files import refuse_existing
from multibody.support.text_tables import counted, html_table


@dataclass(frozen=True, eq=False, repr=False)
class Trajectory(NamedSamples):
    """The result of a run.

    ``trajectory["name"]`` is the array over time of a coordinate, speed, acceleration, multiplier, input, sensor or
    energy, also of joints that are driven or close a loop; ``names`` lists them all. ``trajectory["tip_3"]`` is the
    third component of what the sensor ``tip`` measures.

    Attributes:
        status: how the run ended.
        counts: what the integrator did.
        occurrences: events, in the order of time.
        message: if the run failed: when, in which state, why, and what to do.
        explanation: the same in its parts; None for a run that came to its end, or was read from a file.
        settings: inputs, events and integrator of the run, to make it again; None if it was not made by ``simulate``.
        start_changes: start values that the user gave, and that were changed so that the constraints hold: name, value
            given, value used. Changes as small as those of values with few digits are listed, too: ``is_rounding``.
        checks: what was found at the ends of all steps: energies and limits.
        saturations: inputs that were held at their limits: when first, for how long, and what was asked for.
        table_exits: tables whose arguments left the range of their points: when first, and how far.

    Example:
        >>> import numpy as np
        >>> import multibody as mb
        >>> cart = mb.System("cart")
        >>> slide = cart.joint("slide", cart.world, cart.body("box", mass=2), "Tx", u=1.0)
        >>> eom = mb.derive(cart)
        >>> t = np.array([0.0, 1.0, 2.0])
        >>> run = Trajectory(eom, t, np.stack([t, 1 + 0 * t, 0 * t, 0 * t, 0 * t], axis=1), np.zeros((3, 0)), [])
        >>> run["slide"], run["kinetic_energy"]
        (array([0., 1., 2.]), array([1., 1., 1.]))
        >>> run.at(0.5).q
        array([0.5])
        >>> run
        Trajectory('cart', 0 s to 2 s, 3 samples, done)
    """

    def require_complete(self) -> Trajectory:
        """This run, if it came to its end or to a terminal event.

        Raises:
            SimulationError: otherwise; its ``trajectory`` is this run. After Ctrl-C, a ``SimulationInterrupted``.

        Example:
            >>> import multibody as mb
            >>> cart = mb.System("cart")
            >>> slide = cart.joint("slide", cart.world, cart.body("box", mass=2), "Tx", u=1.0)
            >>> mb.simulate(mb.derive(cart), duration=1.0, on_failure="return").require_complete().status.name
            'DONE'
        """
        if self.status.ok:
            return self
        kind = SimulationInterrupted if self.status is Status.INTERRUPTED else SimulationError
        fields: dict[str, Any] = {"status": self.status.name, "t": float(self.t[-1])}
        if self.explanation is None and self.message:  # in all its parts, as text from a file
            raise kind(self.message, trajectory=self, **fields)
        if self.explanation is None:
            what = f"The run ended at t = {self.t[-1]:.9g} s: {self.status.value}."
            raise kind(what, where=self.title, trajectory=self, **fields)
        what, where, cause, remedy = self.explanation
        raise kind(what, where=where, cause=cause, remedy=remedy, trajectory=self, **fields)

    def __add__(self, later: Any) -> Trajectory:
        """One trajectory over this run and one that goes on from it.

        Where the later one begins before the end of this one, it takes its place. Its status counts, unless
        energies of this one do not balance. It must begin with the state of this one, before or after an event that
        happens just then.

        Example:
            >>> import multibody as mb
            >>> cart = mb.System("cart")
            >>> slide = cart.joint("slide", cart.world, cart.body("box", mass=2), "Tx", u=1.0)
            >>> eom = mb.derive(cart)
            >>> run = mb.simulate(eom, duration=1.0, samples=3)
            >>> run + mb.simulate(eom, duration=1.0, samples=3, start=run)
            Trajectory('cart', 0 s to 2 s, 5 samples, done)
        """
        return joined(self, later) if isinstance(later, Trajectory) else NotImplemented

    # to other programs -------------------------------------------------------------------------------------------

    def recording(self, *names: str) -> Recording:
        """Arrays by name with their units, and all that is known about the run.

        Args:
            names: those that are wanted beside the time; by default all.
        """
        return records.recorded(self, names)

    def to_dataframe(self, *names: str) -> Any:
        """A pandas table with a column for each number and the time as its index; units are in its ``attrs``."""
        return recording.dataframe(self.recording(*names))

    def to_xarray(self, *names: str) -> Any:
        """An xarray data set with the time as its first dimension; every variable knows its unit."""
        return recording.dataset(self.recording(*names))

    def save(self, path: str | PathLike[str], *names: str, overwrite: bool = False) -> None:
        """Write to a file: ``.csv``, ``.npz`` or ``.parquet``.

        A file is either written as a whole or not at all. The columns of a CSV file are called ``name [unit]``. If
        everything is written, or if the run failed, it has one more column, which is called after the status, such as
        ``status: DONE``, and is 1 if the run came to its end and 0 if not. It does not hold the values of parameters,
        which the other two do.

        Args:
            path: where to; the suffix says how.
            names: what to write beside the time; by default everything, which is needed to read a trajectory back.
            overwrite: whether a file of this name may be replaced.

        Raises:
            StorageError: if the file exists already, or cannot be written.
        """
        refuse_existing(path, overwrite)  # before anything is computed
        store.write(self.recording(*names), path, overwrite)

    @classmethod
    def read(
        cls, path: str | PathLike[str], eom: EquationsOfMotion, parameters: Mapping[str, float] | None = None,
        events: Sequence[Event | Impact] = (),
    ) -> Trajectory:  # fmt: skip
        """A trajectory that was saved, to be used with the same equations, or those of another formalism.

        If the file does not say how the run ended, the status is ``UNKNOWN``. Values of parameters that are given, and
        are not those of the run, are reported in the log ``multibody``.

        Args:
            path: of a file that ``save`` has written.
            eom: equations with the same names.
            parameters: values by name, for files that do not hold them; what is not given has its default.
            events: those of the run; where there were impacts, forces and accelerations depend on whether they rest.

        Raises:
            StorageError: if the file cannot be read, or the run was made with other equations or impacts.
        """
        check_simulate_arguments("Trajectory.read", eom)
        recording = store.read_trajectory(path)
        moving = with_recorded_angles(with_contacts(eom, events)[0], recording)
        settings = replace(RunSettings.of(eom, None, events), unknown=FROM_FILE)
        return records.restored(cls, recording, moving, settings, parameters, str(path))

    def plot(
        self, *names: str, path: str | PathLike[str] | None = None, overwrite: bool = False, figure: Any = None
    ) -> Any:
        """Curves over time, those with the same unit in one panel.

        Args:
            names: what to show; by default coordinates, speeds and energies.
            path: a file to write: ``.png``, ``.svg`` or ``.pdf``.
            overwrite: whether a file of this name may be replaced.
            figure: a Matplotlib figure to draw in, such as ``plt.figure()`` for a window; by default a new one.

        Returns:
            The figure.
        """
        from multibody.simulation.results.plots import plot
        from multibody.support.figures import save

        made = plot(self, names, figure)
        if path is not None:
            save(made, path, overwrite)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        """For other processes of the user's own, such as those of ``multiprocessing``; for files there is ``save``."""
        from multibody.simulation.sweeps.shipping import packed, unpacked

        return unpacked, (packed(self),)

    # to people ---------------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        span = f"{self.t[0]:.6g} s to {self.t[-1]:.6g} s"
        return f"Trajectory('{self.eom.model.name}', {span}, {counted(len(self.t), 'sample')}, {self.status.value})"

    def __str__(self) -> str:
        return table(self._rows())

    def _repr_html_(self) -> str:
        from multibody.simulation.results.plots import html_figure

        return html_table([["", ""], *self._rows()], repr(self)) + html_figure(self)

    def _rows(self) -> list[tuple[str, str]]:
        shown = [f"{occurrence.name} at {occurrence.t:.6g} s" for occurrence in self.occurrences[:6]]
        more = len(self.occurrences) - len(shown)
        rows = [("system", self.eom.model.name), ("time", f"{self.t[0]:.6g} s to {self.t[-1]:.6g} s")]
        rows += self.statistics.rows()
        changed = [str(change) for change in self.start_changes if not change.is_rounding]
        rows += [("start changed", "\n".join(changed))] if changed else []
        rows += [("events", "\n".join(shown + ([f"and {more} more"] if more else [])))] if shown else []
        violations = self.limit_violations
        rows += [("limits left", "\n".join(map(str, violations)))] if violations else []
        rows += [("inputs limited", "\n".join(map(str, self.saturations)))] if self.saturations else []
        rows += [("tables left", "\n".join(map(str, self.table_exits)))] if self.table_exits else []
        return [*rows, ("status", self.message if self.message else self.status.value)]
