"""The result of a sweep: all its runs, by number and by name."""

from __future__ import annotations

from typing import Any

from multibody.simulation.sweeps import sweep_tables
from multibody.simulation.sweeps.outcomes import MISSING, SweepOutcomes
from multibody.support.text_tables import html_text


class Sweep(SweepOutcomes):
    """Many runs of the same equations.

    ``sweep[k]`` is the trajectory of run number k, read from where it is stored.

    Args:
        eom: the equations of the runs.
        plan: what was to be run.
        times: of the samples.
        measures: their names.
        store: where the outcomes are.
        settings: inputs, events and integrator of all runs.

    Example:
        >>> import multibody as mb
        >>> cart = mb.System("cart")
        >>> slide = cart.joint("x", cart.world, cart.body("box", mass=2), "Tx")
        >>> runs = mb.sweep(mb.derive(cart), 2.0, initial={"x_dot": [1.0, 3.0]}, samples=3)
        >>> runs.values("x").round(9)
        array([[0., 1., 2.],
               [0., 3., 6.]])
        >>> runs[1]
        Trajectory('cart', 0 s to 2 s, 3 samples, done)
        >>> runs.status, runs.failures
        (['DONE', 'DONE'], [])
    """

    # to other programs -------------------------------------------------------------------------------------------

    def to_dataframe(self) -> Any:
        """A pandas table with a row for each run: the values that vary, status, message, seconds, measures."""
        return sweep_tables.dataframe(self)

    def to_xarray(self, *names: str) -> Any:
        """An xarray data set with the dimensions ``run`` and ``t``; the values that vary are coordinates of the runs.

        Args:
            names: what is wanted; by default coordinates and speeds.
        """
        return sweep_tables.dataset(self, names)

    # to people ---------------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        done = len(self) - self.status.count(MISSING)
        failed = f", {self.failed} failed" if self.failed else ""
        return f"Sweep('{self.eom.model.name}', {done} of {len(self)} runs{failed})"

    def __str__(self) -> str:
        return sweep_tables.summary(self)

    def _repr_html_(self) -> str:
        return html_text(str(self))
