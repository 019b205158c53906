"""Constants of the search for zero crossings within steps."""

from __future__ import annotations

import numpy as np

SETTLED = 100.0
"""So many tolerances after the start, the side of a quiet event no longer depends on how the event was located."""

LOCATED = 4.0
"""A signal that crosses zero within so many tolerances is at zero."""

# intervals -----------------------------------------------------------------------------------------------------------

RESOLVED = 1e-3
"""The allowed difference of a signal from the polynomial, relative to its largest value in the interval."""

GROWTH, FIRST_GROWTH = 2.0, 8.0
"""How much wider the next interval is; the second one soon after the start."""

SOON = 0.05
"""The part of the first step in which intervals grow from the shortest time, if there are quiet events."""

NARROWEST, CROWDED_WIDTH = 1e-9, 1.0 / 256.0
"""Smallest widths of intervals that are not resolved, relative to the step; the second one where there are many."""

PATIENCE = 3.0
"""Intervals after a division before a wider one is tried."""

# turning points ------------------------------------------------------------------------------------------------------

FINER = 5
"""Number of places between two probes at which the polynomial through all of them is evaluated."""

FLAT = 0.2
"""A crossing may hide others where the slope is smaller than this, relative to the mean slope between two probes."""

NEAR = 0.05
"""Turning points nearer to zero than this, relative to the largest value in the interval, are located."""

REFINEMENTS = 40
"""Largest number of steps to a turning point."""

GOLDEN = 0.382
"""The part of an interval at which a golden section divides it."""

# errors --------------------------------------------------------------------------------------------------------------

NOISE = 16.0 * float(np.finfo(float).eps)
"""What rounding may make of a signal, relative to its largest value."""

ACCUMULATED = 64.0
"""A signal that is so many roundings away from zero at the end of a run has reached it."""

NUDGE, TIME_NUDGE = 1e-7, 0.7e-7
"""Relative changes of state and time that show what rounding them does to a signal."""

LEAST_RELATIVE_ERROR, LARGEST_RELATIVE_ERROR = 1e-9, 1e-6
"""Bounds of the relative error of states, which is estimated as ten times the tolerance of a step."""
