"""Tolerances of ``simulation``: what each of them bounds, and in which scale."""

from __future__ import annotations

import numpy as np

ENERGY_ROUNDING = 1.5e-8
"""√ε: V is known to ε·|V| only, and changes of that size must not look like drift."""

DOUBTFUL_DRIFT = 1e-3
"""The drift, relative to the energies that are exchanged, that a run should not have."""

GENERATED_ENERGY = 1e-6
"""What a damper may give, relative to the energies that are exchanged: rounding."""

COORDINATE_ROUNDING = 64 * float(np.finfo(float).eps)
"""Rounding errors of coordinates, relative to |q|; in closed loops, relative to 1 + |q|."""

ENERGY_UNDERFLOW = 1e-290
"""Joules; the squares of speeds lose digits in smaller energies."""

SMALLEST_CONTACT_ENERGY = 1e-12
"""Joules; the least energy of a run with stops that is motion: forces do work within the gap of a closed contact."""

FORCE_MISMATCH = 1e-6
"""The difference between the force of a load and the slope of its potential that is not rounding, relative to both."""

LIMIT_TOLERANCE = 1e-9
"""How far a coordinate may be beyond its limit, relative to 1 + |limit|: a stop at the limit holds it there."""

OPEN_GAP = 1e-6
"""So large a gap does not come from rounding: relative to the size of its equation, or in radians; or per second."""

TABLE_ROUNDING = 1e-9
"""How far an argument may be beyond the points of a table, relative to their range."""

TABLE_EXIT_ROUNDING = 1e-6
"""The same for the end of a step at which an argument leaves the points, or comes back."""

TABLE_EXIT_INTERPOLATION = 1e-3
"""The same in the middle of a step that does not end at the points of the table; states there are interpolated."""

SHRUNK_INTERVAL = 1e-7
"""Intervals between events that have become so much shorter than the longest one accumulate."""

UNCHANGED_RATE = 1e-9
"""Relative change of a signal's rate that is due to rounding."""

EVENT_TIME_ERROR = 1e-12
"""How close in time an event is located."""

KEPT_RESET = 1e-8
"""Values that a reset sets may change by so much, relative to the largest one of their kind, to keep constraints."""

NEAR_JUMP_TIME = 1e-9
"""A time near a jump, relative to the duration."""

POSITION_ROUNDING = 1e-12
"""Rounding of positions, relative to the largest."""
