"""Random values for sweeps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from multibody.errors import NumberError
from multibody.graph.number import is_number
from multibody.simulation.contract import Vector


class Distribution(ABC):
    """Where random values of a sweep come from."""

    @abstractmethod
    def drawn(self, random: np.random.Generator, count: int) -> Vector:
        """So many independent values."""


@dataclass(frozen=True)
class Uniform(Distribution):
    """Any value between two bounds, all as likely.

    Args:
        low: the lower bound.
        high: the upper bound.

    Example:
        >>> values = Uniform(1.0, 2.0).drawn(np.random.default_rng(0), 1000)
        >>> bool(values.min() >= 1 and values.max() < 2)
        True
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        _require(self, _are_finite(self.low, self.high) and self.low <= self.high, "Give low <= high.")

    def drawn(self, random: np.random.Generator, count: int) -> Vector:
        """So many independent values."""
        return random.uniform(self.low, self.high, count)


@dataclass(frozen=True)
class Normal(Distribution):
    """Values around a mean, with Gauss' bell curve.

    Args:
        mean: the centre.
        deviation: the standard deviation.

    Example:
        >>> values = Normal(5.0, 0.1).drawn(np.random.default_rng(0), 1000)
        >>> bool(abs(values.mean() - 5) < 0.01)
        True
    """

    mean: float
    deviation: float

    def __post_init__(self) -> None:
        good = _are_finite(self.mean, self.deviation) and self.deviation >= 0
        _require(self, good, "Give a finite mean and a deviation >= 0.")

    def drawn(self, random: np.random.Generator, count: int) -> Vector:
        """So many independent values."""
        return random.normal(self.mean, self.deviation, count)


@dataclass(frozen=True)
class Choice(Distribution):
    """One of several values, all as likely.

    Args:
        values: to choose from.

    Example:
        >>> sorted(set(Choice([1, 2, 4]).drawn(np.random.default_rng(0), 100).tolist()))
        [1.0, 2.0, 4.0]
    """

    values: Sequence[float]

    def __post_init__(self) -> None:
        _require(self, len(self.values) > 0 and _are_finite(*self.values), "Give at least one finite number.")
        object.__setattr__(self, "values", tuple(map(float, self.values)))

    def drawn(self, random: np.random.Generator, count: int) -> Vector:
        """So many independent values."""
        return random.choice(np.array(self.values), count)


def _are_finite(*values: Any) -> bool:
    return all(is_number(value) and isfinite(value) for value in values)


def _require(distribution: Distribution, good: bool, remedy: str) -> None:
    if not good:
        raise NumberError(
            "Nothing can be drawn from this.", code="distribution-invalid", where=repr(distribution), remedy=remedy
        )
