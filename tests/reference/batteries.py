"""Cases by battery and number, with a limit of time; used by the benchmark and by tests."""

from __future__ import annotations

import signal
import traceback
from time import perf_counter

from . import (
    angles,
    events,
    exports,
    linear,
    linkages,
    moving_geometry,
    potentials,
    pulses,
    singular,
    stops,
    stored,
    urdf,
)
from .case import REFUSED, WRONG, Outcome

COUNTS = {
    "pulses": 1000, "events": 500, "linkages": 300, "singular": 200, "angles": 200, "stops": 100, "urdf": 138,
    "potentials": 100, "moving_geometry": 100, "exports": 50, "stored": 200, "linear": 300,
}  # fmt: skip
"""Cases of each battery."""

CASES = {
    "pulses": pulses.case,
    "events": events.case,
    "linkages": linkages.case,
    "singular": singular.case,
    "angles": angles.case,
    "stops": stops.case,
    "urdf": urdf.case,
    "potentials": potentials.case,
    "moving_geometry": moving_geometry.case,
    "exports": exports.case,
    "stored": stored.case,
    "linear": linear.case,
}
PATIENCE = 300
"""Seconds for one case."""


class _TooLong(BaseException):
    """A case takes too long."""


def _stop(*_: object) -> None:
    raise _TooLong


def outcome(battery: str, seed: int) -> Outcome:
    """What came of a case; an error that is not one of the package counts as wrong."""
    begun = perf_counter()
    before = signal.signal(signal.SIGALRM, _stop)
    signal.alarm(PATIENCE)
    try:
        found = CASES[battery](seed)
    except _TooLong:
        found = Outcome(battery, seed, REFUSED, "", f"no result within {PATIENCE} s")
    except Exception:  # noqa: BLE001 - whatever a case raises is reported
        found = Outcome(battery, seed, WRONG, "", traceback.format_exc(limit=-3))
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    return found._replace(battery=battery, seed=seed, seconds=perf_counter() - begun)
