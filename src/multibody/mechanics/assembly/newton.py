"""Newton's method with the shortest steps, Δx = -J⁺·g, damped where a step does not make the gaps smaller.

With the pseudo-inverse J⁺ as little as possible is changed, and redundant equations do no harm.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from multibody.errors import MultibodyError
from multibody.mechanics.tolerances import SMALLEST_GAP

Vector = NDArray[np.float64]

STEPS = 60
DAMPING = (1.0, 0.5, 0.25, 0.1, 0.02)  # factors of a step, in the order in which they are tried


def damped_newton(
    gaps: Callable[[Vector], Vector], slopes: Callable[[Vector], Vector], guess: Vector, free: Sequence[int],
    longest: Callable[[float], Vector] | None = None,
) -> tuple[Vector, float]:  # fmt: skip
    """The best that Newton's method finds from a guess, with the largest gap that is left.

    It goes on until rounding stops it, because gaps of redundant equations shrink with the square of the distance.

    Args:
        gaps: what must vanish, as a function of all unknowns; a ``MultibodyError`` outside of its domain.
        slopes: its Jacobian.
        guess: of all unknowns.
        free: the numbers of those that may change.
        longest: the longest step of each unknown, by the largest gap of the guess; any length if it is not given.
    """
    x, there = guess.copy(), gaps_or_none(gaps, guess)
    error = largest_gap(there)
    limits = None if longest is None else longest(error)
    for _ in range(STEPS):
        if error <= SMALLEST_GAP or not len(free):
            break
        step = np.zeros_like(x)
        step[free] = -np.linalg.lstsq(slopes(x)[:, free], gaps(x) if there is None else there, rcond=1e-10)[0]
        if limits is not None:
            step *= min(1.0, 1 / max(float(np.abs(step / limits).max(initial=0.0)), 1e-300))
        trials = (x + factor * step for factor in DAMPING)
        results = ((trial, gaps_or_none(gaps, trial)) for trial in trials)
        better = next(((trial, values) for trial, values in results if largest_gap(values) < error), None)
        if better is None:
            break
        x, there = better
        error = largest_gap(there)
    return x, error


def gaps_or_none(gaps: Callable[[Vector], Vector], x: Vector) -> Vector | None:
    """The gaps; None outside of the domain of a function."""
    try:
        return gaps(x)
    except MultibodyError:
        return None


def largest_gap(gaps: Vector | None) -> float:
    """The largest of some gaps; infinite where they have no values."""
    return np.inf if gaps is None else float(np.abs(gaps).max(initial=0.0))
