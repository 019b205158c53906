"""Tolerances of equations of motion: what each of them bounds, and in which scale."""

from __future__ import annotations

import numpy as np

FORCE_SOFTNESS = 1e-9
"""ε of the constraint forces where rows may become dependent; see ``regularized``.

Within a step of an integrator, states are off the constraints by some δ, where redundant equations contradict each
other: smaller values make their share of the forces rough. Larger ones hold less firmly near singular positions.
"""

CORRECTION_SOFTNESS = 1e-13
"""ε of corrections; see ``regularized``. Larger ones lose the constraints near singular positions.

A correction without a filter moves a state by at most gap/(2·√ε) in its units, about as a filtered one with 1e-12.
"""

DEPENDENT_PIVOT = 30 * FORCE_SOFTNESS
"""Relative pivots of constraint forces below this belong to equations that follow from others."""

LARGE_LENGTH_OR_SPEED = 1000.0
"""A speed from which on rounding is felt in velocities, and a length from which on it is felt in positions."""

ROUNDED_PIVOT = 1e-13
"""Relative pivots below this are rounding."""

VANISHED_SQUARE = 1e-12
"""Equations of a unit that are smaller than this share of what they are elsewhere, both squared, have vanished."""

DOUBTFUL_SQUARE = 1e-8
"""States of a batch with equations below this share of those of another state, both squared, are evaluated alone."""

DEPENDENT_SINGULAR_VALUE = 1e-6
"""Singular values below this share of the largest one belong to dependent equations."""

ROUNDED_INERTIA = 1e-13
"""Eigenvalues of a mass matrix with 1 on its diagonal below this are rounding."""

ROBUST_SINGULAR_VALUE = 1e-9
"""Singular values of B below this share of the largest one count as zero in ``RobustDynamics``."""

INVISIBLE_FACTOR = 1e-300
"""A factor for terms that do not change a result, except that it is NaN where they are NaN."""

MOTION_JUMP = 1e-5
"""A jump of a prescribed motion, relative to all that changes."""

CANCELLATION_ROUNDING = 1e3 * float(np.finfo(float).eps)
"""Rounding of a constraint, relative to the terms that cancel in it."""
