"""One random case of a battery: how it is run and judged.

A case is "right", "refused" (an error, or a status that is not ok, with a message), "wrong" (silently), or "undecided"
where the reference itself does not know.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

import multibody as mb
from multibody.errors import MultibodyError

RIGHT, REFUSED, WRONG, UNDECIDED = "right", "refused", "wrong", "undecided"


class Outcome(NamedTuple):
    """What came of a case, and what is needed to repeat it."""

    battery: str
    seed: int
    verdict: str
    what: str
    detail: str = ""
    seconds: float = 0.0


class Refused(Exception):
    """The package gave no result, and said why."""


def generator(battery: str, seed: int) -> np.random.Generator:
    """Random numbers of a case, the same on every machine."""
    return np.random.default_rng([seed, *battery.encode()])


def result_of(call: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """What a call returns; Refused if it raises an error of the package, or returns a run that failed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run = call(*args, **options)
    except MultibodyError as error:
        raise Refused(f"{type(error).__name__}: {error}") from error
    status = getattr(run, "status", None)
    if isinstance(status, mb.Status) and not status.ok:
        raise Refused(f"{status.name}: {run.message}")
    return run


def simulated(eom: Any, **options: Any) -> Any:
    """A run that came to its end."""
    return result_of(mb.simulate, eom, **options)


def compare(computed: Mapping[str, float], expected: Mapping[str, float], tolerances: Mapping[str, float]) -> str:
    """What differs by more than its tolerance, as a text; empty if nothing does."""
    wrong = [
        f"{name}: {computed[name]:.9g} instead of {expected[name]:.9g}"
        for name in expected
        if not (math.isfinite(computed[name]) and abs(computed[name] - expected[name]) <= tolerances[name])
    ]
    return ", ".join(wrong)
