"""Tolerances of ``subsystems``: what each of them bounds, and in which scale."""

from __future__ import annotations

CLOSED_RESIDUAL = 1e-10
"""Residual of equations that are satisfied, relative to their terms."""

HOPELESS_RESIDUAL = 1e-3
"""Residual, relative to the terms, with which no further search for a closed state is made."""

VANISHING_TERMS = 1e-6
"""Terms that all vanish in a closed state are compared with so much of those before the search."""

CONTRADICTING_RESIDUAL = 1e-6
"""Residual of equations that contradict each other, relative to its terms."""

REFERENCE_RESIDUAL = 1e-9
"""What must vanish on a reference motion, relative to its terms: values of parameters and references are rounded."""

EQUAL_SIDES = 1e-7
"""Difference of two sides that are equal, relative to the terms in them."""

ROUNDED_ROW = 1e-13
"""Relative size of what rounding leaves of a row that follows from others."""

AUXILIARY_RESIDUAL = 1e-8
"""How well equations of auxiliary parameters must be satisfied, relative to their terms."""

AUXILIARY_RANK = 1e-12
"""Singular values of these below this, relative to the largest, count as zero, after rows and columns were scaled."""
