"""What a run took, and how well it kept its constraints and its energy."""

from __future__ import annotations

from dataclasses import dataclass, field

from multibody.simulation.tolerances import DOUBTFUL_DRIFT
from multibody.support.text_tables import html_table

DOUBTFUL_NOTE = f"more than {DOUBTFUL_DRIFT:.0e}: use shorter steps or a smaller rtol, or look at run.energies"
"""What a printed run says about a drift that it should not have."""


@dataclass(frozen=True)
class Counts:
    """The work that an integrator did.

    Attributes:
        steps: accepted steps.
        rejected: steps that were tried and taken back.
        evaluations: calls of the right-hand side.
        jacobians: calls of its derivative.
        seconds: how long it took, without compilation.
        integrator: what did it, with its options.
        choice: why it was chosen, if the user left that open.
        compilation: seconds of compilation before and during the run.
    """

    steps: int = 0
    rejected: int = 0
    evaluations: int = 0
    jacobians: int = 0
    seconds: float = 0.0
    integrator: str = ""
    choice: str = ""
    compilation: float = field(default=0.0, kw_only=True)


@dataclass(frozen=True)
class Statistics(Counts):
    """The work of a run and the quality of its result.

    Attributes:
        samples: how many instants were kept.
        constraint_residual: the largest of all |φ| and |B·u + β| at the end; None where equations were given without
            their constraints.
        energy_drift: the largest error of the energy balance, relative to the energies that are exchanged; None where
            equations were given without energies.
        constrained: whether there are constraints, or quaternions.

    Example:
        >>> counts = {"steps": 40, "rejected": 2, "evaluations": 252, "seconds": 0.0012, "compilation": 0.25}
        >>> print(Statistics(**counts, samples=101, constraint_residual=3e-14, energy_drift=2e-11))
        integrator   not named
        steps        40, and 2 rejected
        evaluations  252
        time taken   1.2 ms, and 250 ms of compilation
        samples      101
        constraints  kept to 3.0e-14
        energy       drift 2.0e-11
    """

    samples: int = 0
    constraint_residual: float | None = 0.0
    energy_drift: float | None = 0.0
    constrained: bool = True

    def rows(self) -> list[tuple[str, str]]:
        """What and how much, as text."""
        rejected = f", and {self.rejected:,} rejected" if self.rejected else ""
        jacobians = f", and {self.jacobians:,} Jacobians" if self.jacobians else ""
        chosen = [("chosen", self.choice)] if self.choice else []
        return [
            ("integrator", self.integrator or "not named"),
            *chosen,
            ("steps", f"{self.steps:,}{rejected}"),
            ("evaluations", f"{self.evaluations:,}{jacobians}"),
            ("time taken", self._time_text),
            ("samples", f"{self.samples:,}"),
            ("constraints", self._constraints_text),
            ("energy", self._energy_text),
        ]

    @property
    def _time_text(self) -> str:
        """The time of the run; that of compilation apart, where there was any."""
        compilation = f", and {duration(self.compilation)} of compilation" if self.compilation > 0 else ""
        return duration(self.seconds) + compilation

    @property
    def _energy_text(self) -> str:
        """The drift, with a note where it is larger than a run should have."""
        if self.energy_drift is None:
            return "not known"
        drift = f"drift {self.energy_drift:.1e}"
        return drift if self.energy_drift <= DOUBTFUL_DRIFT else f"{drift}, {DOUBTFUL_NOTE}"

    @property
    def _constraints_text(self) -> str:
        if self.constraint_residual is None:
            return "not known"
        return f"kept to {self.constraint_residual:.1e}" if self.constrained else "none"

    def __str__(self) -> str:
        return table(self.rows())

    def _repr_html_(self) -> str:
        return html_table([["", ""], *self.rows()])


def table(rows: list[tuple[str, str]]) -> str:
    """Two columns as text; values with several lines stay in theirs."""
    width = max(len(label) for label, _ in rows) + 2
    return "\n".join(label.ljust(width) + text.replace("\n", "\n" + " " * width) for label, text in rows)


def duration(seconds: float) -> str:
    """A time in a unit that suits it.

    Example:
        >>> duration(0.0000123), duration(0.05), duration(3.0)
        ('12 µs', '50 ms', '3 s')
    """
    for factor, unit in ((1e6, "µs"), (1e3, "ms")):
        if seconds * factor < 1e3:
            return f"{seconds * factor:.2g} {unit}" if seconds * factor < 10 else f"{seconds * factor:.0f} {unit}"
    return f"{seconds:.3g} s"
