"""Tolerances of ``mechanics``: what each of them bounds, and in which scale."""

from __future__ import annotations

import numpy as np

SMALLEST_GAP = 1e-16
"""The smallest gap that can be closed further."""

ROUNDED_GAP = 1e-14
"""A gap that is nothing but rounding."""

COORDINATE_ROUNDING = 4 * float(np.finfo(float).eps)
"""Rounding of a coordinate, relative to it: where it is large, it opens gaps."""

ROUNDED_VALUE = 1e-3
"""Relative change that comes from a value with few digits; that of an angle is relative to 1 rad at least."""

ROUNDED_SPEED = 1e-5
"""Change of a speed, relative to the largest one, that comes from coordinates with few digits."""

ROUNDED_NORM = 2e-2
"""Deviation of a quaternion from unit length that comes from components with few digits."""

SMALLEST_LISTED_CHANGE = 1e-9
"""Relative change above which a value is listed, and below which it is the rounding of numbers."""

NO_ROTATION = 1e-6
"""The length of a quaternion that counts as zero."""

SMALLEST_LINK_SHARE = 1e-6
"""A loop of links that are shorter than this share of the longest one is as large as that."""

CONSTANT_GAP = 1e-9
"""A constant gap in an equation that is smaller than this comes from rounded lengths and directions."""

ROUNDED_ROW = 1e-12
"""Size of a row of B that is rounding, in meters and radians, or relative to the largest row."""

DRIVEN_GAP = 1e-7
"""Motions that differ by less, relative to the driven motion, do not contradict each other in a closed position."""

DEPENDENT_ROW = 1e-6
"""Relative size of a row that counts as dependent."""

SINGULAR_CONSTRAINTS = 1e-7
"""Smallest singular value of the independent constraint equations, relative to the largest."""

NO_INERTIA = 1e-6
"""Smallest eigenvalue of a mass matrix whose diagonal is scaled to one."""

POTENTIAL_MISMATCH = 1e-10
"""A sum that is more than rounding, relative to the largest of both expressions."""

CLOSED_POTENTIAL_MISMATCH = 1e-6
"""A sum of force and slope in closed positions that is more than the rounding of these, relative to the largest."""

CLOSED_GAP = 1e-10
"""Largest gap of a state in which constraints are kept."""

UNREACHED_DIRECTION = 1e-6
"""Singular value of rows of length one that belongs to no direction."""

DIFFERENT_ROW = 1e-5
"""Part of a row of length one that other rows do not have."""

NEGLIGIBLE_INERTIA = 1e-12
"""A principal moment of inertia that is rounding, relative to the largest one."""
