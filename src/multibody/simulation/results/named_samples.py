"""Samples with everything that is known of their run, by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.graph.names import element_name
from multibody.mechanics.assembly.assembly import StartChange
from multibody.simulation.checks.joint_limits import LimitViolation, limit_violations
from multibody.simulation.checks.run_checks import NO_CHECKS, RunChecks
from multibody.simulation.checks.table_exits import TableExit
from multibody.simulation.contract import Explanation, Status, Vector
from multibody.simulation.problem.input_limits import Saturation
from multibody.simulation.problem.run_settings import RunSettings
from multibody.simulation.results.digests import digest
from multibody.simulation.results.model_identity import motion_parts
from multibody.simulation.results.quantities import Quantity, quantities
from multibody.simulation.results.recording import component, split, unknown
from multibody.simulation.results.samples import Samples
from multibody.simulation.results.statistics import Counts, Statistics

NOTHING = Counts()


class EventRecord(NamedTuple):
    """An event that happened: its name, the time, and the state y = (q, u, works) just then."""

    name: str
    t: float
    y: Vector


@dataclass(frozen=True, eq=False, repr=False)
class NamedSamples(Samples):
    """The samples of a run, by name; what ``Trajectory`` is made of.

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
    """

    status: Status = Status.DONE
    counts: Counts = NOTHING
    occurrences: Sequence[EventRecord] = ()
    message: str = ""
    explanation: Explanation | None = None
    settings: RunSettings | None = None
    start_changes: tuple[StartChange, ...] = ()
    checks: RunChecks = NO_CHECKS
    saturations: tuple[Saturation, ...] = ()
    table_exits: tuple[TableExit, ...] = ()

    @property
    def source(self) -> EquationsOfMotion:
        """The equations as they were given to ``simulate``, without inputs that a run adds for contacts."""
        return self.eom if self.settings is None else self.settings.eom

    @property
    def digest(self) -> str:
        """A short text for model, equations and values of parameters: the same in every process and formalism.

        Sensors, start values and defaults of parameters do not count: the motion is known without them.

        Example:
            >>> import multibody as mb
            >>> cart = mb.System("cart")
            >>> slide = cart.joint("slide", cart.world, cart.body("box", mass=2), "Tx", u=1.0)
            >>> runs = [mb.simulate(mb.derive(cart, way), duration=1.0) for way in (mb.Kane(), mb.Lagrange())]
            >>> runs[0].digest == runs[1].digest
            True
        """
        return digest(motion_parts(self.source), dict(self.parameters))[:16]

    @property
    def energy_exchanged(self) -> float:
        """The largest energy that moved from one form to another at the end of any step; 0 where it is not known."""
        return self.checks.energy_scale

    @property
    def energy_drift(self) -> float:
        """The largest error of the energy balance, relative to the energies that are exchanged.

        It is that of the ends of all steps, whatever is kept of the run; that of the samples, ``energies.drift``, where
        the steps are not known.
        """
        if not self.checks.energy_scale:
            return self.energies.drift
        return self.checks.energy_error / self.checks.energy_scale

    @cached_property
    def limit_violations(self) -> tuple[LimitViolation, ...]:
        """Coordinates that left the limits of their joints: when first, and how far.

        The ends of all steps count, whatever is kept of the run; where they are not known, as in a file or a sweep, the
        samples do.
        """
        if self.checks is not NO_CHECKS:
            return self.checks.limit_violations
        return limit_violations(self.eom, self.t, self.q, self.u, self.r, self.p)

    @cached_property
    def statistics(self) -> Statistics:
        """What the run took, and how well it kept constraints and energy."""
        residual = max(self.residuals.at_end) if self.eom.constraints_known else None
        return Statistics(**asdict(self.counts), samples=len(self.t), constraint_residual=residual,
                          energy_drift=self.energy_drift if self.eom.energy_known else None,
                          constrained=bool(self.eom.constraints.equations or self.eom.model.quaternions))  # fmt: skip

    # by name -----------------------------------------------------------------------------------------------------

    @cached_property
    def quantities(self) -> Mapping[str, Quantity]:
        """Everything that has a name, with its kind and unit."""
        return quantities(self.eom)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of everything."""
        return tuple(self.quantities)

    def __getitem__(self, name: str) -> Vector:
        head, place = split(str(name), self.quantities)
        if head not in self.quantities:
            arrays = [name for name, sensor in self.eom.model.sensors.items() if sensor.shape]
            raise unknown(name, self.quantities, self.title, arrays)
        quantity = self.quantities[head]
        values = self._of_kind(quantity.kind)[quantity.place]
        if len(place) >= values.ndim or any(k >= size for k, size in zip(place, values.shape[1:], strict=False)):
            raise unknown(name, [element_name(head, place) for place in np.ndindex(values.shape[1:])], self.title)
        return component(values, place)

    def __iter__(self) -> Iterator[str]:
        return iter(self.quantities)

    def __contains__(self, name: object) -> bool:
        return name in self.quantities

    def _of_kind(self, kind: str) -> Sequence[Vector]:
        """All quantities of a kind, in order."""
        match kind:
            case "time":
                return [self.t]
            case "coordinate":
                return list(self.q.T)
            case "speed":
                return list(self.u.T)
            case "input":
                return list(self.r.T)
            case "acceleration":
                return list(self.accelerations.T)
            case "multiplier":
                return list(self.multipliers.T)
            case "energy":
                return self.energies.arrays
            case _:
                return list((self.sensors if kind == "sensor" else self.joints).values())
