"""Linear studies of random models in random units: points, spectra and control, in turn."""

from __future__ import annotations

from . import linear_control, linear_points, linear_spectra
from .case import Outcome

PARTS = (linear_points.case, linear_spectra.case, linear_control.case)


def case(seed: int) -> Outcome:
    """One case of the part that the number chooses."""
    return PARTS[seed % len(PARTS)](seed)
