"""The verdict on stability, from poles and bounds of their errors: the only place where it is made.

stable     all poles are to the left of the imaginary axis, by more than their error bounds
unstable   a pole is to the right of it, by more than its error bound
marginal   no pole is to the right, and some are on the axis as far as they are known
undecided  no pole is to the right for sure, and some are known too coarsely to say that they are on the axis
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from multibody.linearization.operating_points.point import Matrix
from multibody.linearization.spectra.eigenpairs import Poles
from multibody.linearization.tolerances import POLE_ON_AXIS, ZERO_POLE_ON_AXIS

Stability = Literal["stable", "marginal", "unstable", "undecided"]


def sides(poles: Poles, bounds: Matrix) -> Matrix:
    """For each pole 1 if it is to the right of the axis, -1 if it is to the left; 0 if its error bound leaves it open.

    Example:
        >>> sides(np.array([1e-9 + 1j, -1.0]), np.array([1e-8, 1e-8])).tolist()
        [0.0, -1.0]
    """
    return np.asarray(np.where(np.abs(poles.real) > bounds, np.sign(poles.real), 0.0))


def stability_of(poles: Poles, bounds: Matrix, on_axis: NDArray[np.bool_] | None = None) -> Stability:
    """What poles say about stability.

    Args:
        poles: all of them.
        bounds: of their errors.
        on_axis: which of them are on the axis exactly.

    Example:
        >>> poles, bounds = np.array([1e-14 + 1j, 1e-14 - 1j, -5.0]), np.full(3, 1e-12)
        >>> stability_of(poles, bounds), stability_of(poles - 0.1, bounds), stability_of(poles - 0.1, 1e12 * bounds)
        ('marginal', 'stable', 'undecided')
    """
    places = sides(poles, bounds)
    if (places > 0).any():
        return "unstable"
    if (places < 0).all():
        return "stable"
    sizes, open_sides = np.abs(poles), (places == 0) & ~(np.zeros(len(poles), bool) if on_axis is None else on_axis)
    certain = sizes > bounds
    smallest = float(sizes[certain].min(initial=np.inf))
    limits = np.where(certain, POLE_ON_AXIS * sizes, ZERO_POLE_ON_AXIS * smallest)
    return "marginal" if (bounds[open_sides] <= limits[open_sides]).all() else "undecided"
