"""A benchmark problem: quantities with their references, and how ours are computed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Quantity:
    """Some numbers that belong together, with their reference.

    Attributes:
        what: the quantity, with its unit where it has one.
        reference: the numbers as they are published, or recomputed by others.
        source: where they come from.
        tolerance: how large the error may be, relative to the largest of them; absolute where all are zero.
    """

    what: str
    reference: Any
    source: str
    tolerance: float

    def error(self, ours: Any) -> float:
        """Of ours; a number that is none is never right."""
        reference = np.ravel(np.asarray(self.reference, dtype=float))
        return float(np.abs(np.ravel(ours) - reference).max() / (np.abs(reference).max() or 1.0))


@dataclass(frozen=True)
class Computation:
    """One computation, with the quantities that it yields, in this order."""

    quantities: Sequence[Quantity]
    compute: Callable[[], Sequence[Any]]


@dataclass(frozen=True)
class Problem:
    """A benchmark problem.

    Attributes:
        title: what people call it.
        about: what is computed, and how.
        computations: all of them.
    """

    title: str
    about: str
    computations: Sequence[Computation]


@dataclass(frozen=True)
class Found:
    """A quantity with our numbers, and the processor time in ms of the computation that it came from."""

    quantity: Quantity
    ours: Any
    milliseconds: float

    @property
    def error(self) -> float:
        """Of ours."""
        return self.quantity.error(self.ours)

    @property
    def ok(self) -> bool:
        """Whether it is small enough."""
        return self.error <= self.quantity.tolerance


def solved(problem: Problem) -> list[Found]:
    """All quantities of a problem."""
    found = []
    for one in problem.computations:
        begun = process_time()
        ours = one.compute()
        took = 1e3 * (process_time() - begun)
        found += [Found(quantity, value, took) for quantity, value in zip(one.quantities, ours, strict=True)]
    return found


def tested(module: str) -> Any:
    """A module of the tests, which hold many of the references."""
    if str(ROOT) not in sys.path:
        sys.path.append(str(ROOT))
    return import_module(f"tests.{module}")


def rows(text: str) -> list[list[float]]:
    """Numbers, line by line."""
    return [[float(number) for number in line.split()] for line in text.strip().splitlines()]
