"""Sources of random choices: a seeded generator, or a property-based test that simplifies failures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from multibody.algebra import Rotation

Option = TypeVar("Option")


class Chance(ABC):
    """Makes all choices while a random system is built."""

    @abstractmethod
    def index(self, count: int) -> int:
        """A number from 0 to ``count - 1``; 0 represents the simplest choice."""

    @abstractmethod
    def number(self) -> Any:
        """A number of moderate size, of either sign; 0 is the simplest."""

    @abstractmethod
    def positive(self) -> Any:
        """A positive number of moderate size; 1 is the simplest."""

    @abstractmethod
    def rotation(self) -> Rotation | None:
        """How a frame is turned; None is the simplest."""

    def choice(self, options: Sequence[Option]) -> Option:
        """One of several things, the simplest of which stands first."""
        return options[self.index(len(options))]

    def vector(self) -> tuple[Any, Any, Any]:
        """Three numbers."""
        return self.number(), self.number(), self.number()


class Seeded(Chance):
    """Chance from a generator of random numbers: nothing is zero, nothing is special.

    Args:
        seed: the same seed gives the same choices; several numbers make one seed.

    Example:
        >>> Seeded(1).index(10) == Seeded(1).index(10)
        True
    """

    def __init__(self, *seed: int) -> None:
        self._generator = np.random.default_rng(seed)

    def index(self, count: int) -> int:
        """Each with the same probability."""
        return int(self._generator.integers(count))

    def number(self) -> float:
        """Normally distributed."""
        return float(self._generator.normal())

    def positive(self) -> float:
        """Between a half and two."""
        return float(self._generator.uniform(0.5, 2))

    def rotation(self) -> Rotation:
        """By three angles."""
        return Rotation.euler("xyz", self.vector())
