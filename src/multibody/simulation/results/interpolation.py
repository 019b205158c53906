"""States between the samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from multibody.errors import NumberError
from multibody.simulation.contract import Vector

LARGEST_DEFECTS = (0.5 - np.sqrt(1 / 12), 0.5 + np.sqrt(1 / 12))
"""Where between two samples the rate of a cubic is farthest from that of a smooth function: shares of the interval."""


def around(t: Vector, times: Vector) -> Vector:
    """Times at which to estimate the error of interpolation at others: these, and two more in each of their intervals.

    Times of samples are left out: there is no error.
    """
    between = times[~np.isin(times, t)]
    low = np.unique(np.clip(np.searchsorted(t, between, side="right") - 1, 0, max(len(t) - 2, 0)))
    inner = [t[low] + share * (t[np.minimum(low + 1, len(t) - 1)] - t[low]) for share in LARGEST_DEFECTS]
    return np.concatenate([between, *inner])


def hermite(t: Vector, x: Vector, rates: Vector, times: Vector) -> Vector:
    """The cubic through values and rates at both ends of each interval; its error is of fourth order.

        x(s) = (1 + 2s)(1 - s)²·x₀ + s²(3 - 2s)·x₁ + h·s(1 - s)²·ẋ₀ - h·s²(1 - s)·ẋ₁,   s = (t - t₀) / h

    Where two samples have the same time, before and after a jump, the later one counts.

    Args:
        t: times of the samples, not decreasing.
        x: a row for each.
        rates: ẋ, a row for each.
        times: where values are wanted, within the range of t.

    Example:
        >>> t = np.array([0.0, 1.0, 2.0])
        >>> hermite(t, (t**3)[:, None], (3 * t**2)[:, None], np.array([0.5, 2.0]))
        array([[0.125],
               [8.   ]])
    """
    low, high, h, s = _intervals(t, times)
    values = (1 + 2 * s) * (1 - s) ** 2 * x[low] + s**2 * (3 - 2 * s) * x[high]
    return values + h[:, None] * (s * (1 - s) ** 2 * rates[low] - s**2 * (1 - s) * rates[high])


def hermite_rate(t: Vector, x: Vector, rates: Vector, times: Vector) -> Vector:
    """The derivative of the cubic of ``hermite`` by time; at samples it is the rate itself.

    Example:
        >>> t = np.array([0.0, 1.0, 2.0])
        >>> hermite_rate(t, (t**3)[:, None], (3 * t**2)[:, None], np.array([0.5, 2.0]))
        array([[ 0.75],
               [12.  ]])
    """
    low, high, h, s = _intervals(t, times)
    secant = np.divide(x[high] - x[low], h[:, None], out=np.zeros_like(x[low]), where=h[:, None] > 0)
    return 6 * s * (1 - s) * secant + (1 - s) * (1 - 3 * s) * rates[low] + s * (3 * s - 2) * rates[high]


def _intervals(t: Vector, times: Vector) -> tuple[Any, Any, Vector, Vector]:
    """For each of the times the samples on both sides, their distance, and the relative place between them."""
    last = len(t) - 1
    low = np.clip(np.searchsorted(t, times, side="right") - 1, 0, max(last - 1, 0))
    high = np.minimum(low + 1, last)
    h = t[high] - t[low]
    return low, high, h, np.divide(times - t[low], h, out=np.ones_like(h), where=h > 0)[:, None]


def with_unit_quaternions(q: Vector, quaternions: Sequence[Sequence[int]]) -> Vector:
    """Rows of coordinates in which those that form quaternions have unit length."""
    for places in quaternions:
        q[:, places] /= np.linalg.norm(q[:, places], axis=1, keepdims=True)
    return q


def times_within(t: Vector, wanted: Any, where: str) -> Vector:
    """The wanted times as a flat array, if all of them are within the run."""
    times = np.ravel(np.asarray(wanted, dtype=float))
    slack = 1e-12 * max(abs(t[0]), abs(t[-1]))  # the last sample may have missed a round number by its rounding
    outside = times[~((times >= t[0] - slack) & (times <= t[-1] + slack))]
    if len(outside):
        raise NumberError(
            f"The time {outside[0]:.9g} s is outside of the run.",
            code="time-outside-run",
            t=float(outside[0]),
            where=where,
            cause=f"It covers {t[0]:.9g} s to {t[-1]:.9g} s.",
            remedy="Ask for a time within, or run longer.",
        )
    return np.clip(times, t[0], t[-1])
