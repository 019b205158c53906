"""Tolerances of ``subsystems``: what each of them bounds, and in which scale."""

from __future__ import annotations

CLOSED_RESIDUAL = 1e-10
"""Residual of equations that are satisfied."""

CONTRADICTING_RESIDUAL = 1e-6
"""Residual of equations that contradict each other."""

EQUAL_SIDES = 1e-7
"""Difference of two sides that are equal, relative to the terms in them."""

ROUNDED_ROW = 1e-13
"""Relative size of what rounding leaves of a row that follows from others."""

AUXILIARY_RESIDUAL = 1e-8
"""How well the equations of auxiliary parameters must be satisfied, relative to their right-hand sides."""
