"""The settings that a run was made with, so that it can be made again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from multibody.equations import EquationsOfMotion
from multibody.simulation.events.events import Event
from multibody.simulation.events.impacts import Impact
from multibody.simulation.integrators.integrator import Integrator
from multibody.simulation.problem.inputs import copied
from multibody.simulation.results.digests import digest
from multibody.simulation.results.object_identity import UnidentifiedError

ELSEWHERE = "The run comes from another process."
FROM_FILE = "The run was read from a file."
JOINED = "The run was joined from runs with different settings."


@dataclass(frozen=True, eq=False)
class RunSettings:
    """Inputs, events and integrator of a run.

    Attributes:
        eom: the equations as the user gave them, without inputs that a run adds for contacts.
        inputs: what inputs do, by name, as for ``simulate``; controllers as they were before the run.
        events: ``Event`` and ``Impact`` objects.
        integrator: the one that the user gave; None if it was chosen.
        unknown: why inputs and integrator are not known; empty if they are.
    """

    eom: EquationsOfMotion
    inputs: Mapping[str, Any] = field(default_factory=dict)
    events: tuple[Event | Impact, ...] = ()
    integrator: Integrator | None = None
    unknown: str = ""

    @classmethod
    def of(
        cls, eom: EquationsOfMotion, inputs: Mapping[str, Any] | None, events: Event | Impact | Sequence[Event | Impact]
    ) -> RunSettings:  # fmt: skip
        """The settings of a run that is about to begin."""
        return cls(eom, before_the_run(inputs), (events,) if isinstance(events, Event | Impact) else tuple(events))

    @property
    def impacts(self) -> list[str]:
        """The names of contacts, whose inputs are part of a recorded run."""
        return [event.name for event in self.events if isinstance(event, Impact)]

    @property
    def contacts(self) -> dict[str, str]:
        """A short digest of each contact, by name."""
        return {event.name: digest(event)[:16] for event in self.events if isinstance(event, Impact)}

    def joined(self, later: RunSettings) -> RunSettings:
        """The settings of this run and a later one together: the same, or not known."""
        if self._digest() and self._digest() == later._digest():
            return self
        return RunSettings(later.eom, {}, later.events, None, self.unknown or later.unknown or JOINED)

    def _digest(self) -> str:
        """The same for the same settings; empty if an object of the user cannot be identified."""
        inputs = {quantity.name: self.inputs.get(quantity.name, 0.0) for quantity in self.eom.inputs}
        try:
            return digest(inputs, self.events, self.integrator, self.unknown)
        except UnidentifiedError:
            return ""

    def __reduce__(self) -> tuple[Any, ...]:
        """Controllers and events may hold what belongs to this process alone: they stay behind."""
        return RunSettings, (self.eom, {}, (), None, ELSEWHERE)


def before_the_run(inputs: Mapping[str, Any] | None) -> dict[str, Any]:
    """Inputs that do not change when controllers remember something; what cannot be copied is kept as it is."""
    try:
        return dict(copied(inputs) or {})
    except Exception:  # noqa: BLE001 - of any kind, in an object of the user
        return dict(inputs or {})
