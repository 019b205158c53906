"""Messages about joints that leave their limits, and inputs that are held at theirs, during a run."""

from __future__ import annotations

import logging

from multibody.simulation.results.trajectory import Trajectory

LISTED = 6
"""Joints that are listed; ``run.limit_violations`` has all of them."""

_log = logging.getLogger("multibody")


def report_limits(run: Trajectory) -> None:
    """One message in the log for a run whose joints leave their limits; nothing holds them there."""
    if run.limit_violations:
        lines = "\n".join(f"  joint '{one.joint}': {one}" for one in run.limit_violations[:LISTED])
        others = len(run.limit_violations) - LISTED
        if others > 0:
            lines += f"\n  and {others} more: run.limit_violations"
        _log.warning("Joints of system '%s' leave their limits.\n%s", run.eom.model.name, lines)


def report_saturations(run: Trajectory) -> None:
    """One message in the log for a run whose inputs are held at their limits."""
    if run.saturations:
        lines = "\n".join(f"  input '{one.input}': {one}" for one in run.saturations)
        _log.warning("Inputs of system '%s' reach their limits.\n%s", run.eom.model.name, lines)
