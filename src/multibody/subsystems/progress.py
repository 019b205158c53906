"""Seconds for each stage of a derivation, reported to a function of the caller."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

Progress = Callable[[str, str, float], None]
"""Is told the label, the stage that was finished, and the seconds that it took."""


class Clock:
    """Seconds for each stage, reported to a function of the caller."""

    def __init__(self, label: str, progress: Progress | None) -> None:
        self._label, self._progress = label, progress
        self._last = perf_counter()
        self.seconds: dict[str, float] = {}

    def __call__(self, stage: str) -> None:
        """A stage is finished."""
        now = perf_counter()
        self.seconds[stage], self._last = now - self._last, now
        if self._progress is not None:
            self._progress(self._label, stage, self.seconds[stage])
