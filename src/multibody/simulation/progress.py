"""Bars on a terminal for work that takes longer than a moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from threading import Event, Thread, get_ident
from time import perf_counter

from multibody.simulation.contract import Vector
from multibody.support.progress_bars import compilation_of, progress_bar, shows_progress, terminal_in_use

PATIENCE = 1.0  # seconds without a bar
GLANCE = 0.2  # seconds between two looks at the time that a run has reached

SweepProgress = Callable[[int, int, int], None]


@contextmanager
def time_bar(now: Vector, times: Vector, progress: object) -> Iterator[None]:
    """While a run goes on, a bar for the time it has reached; not if the user looks after progress, or has no terminal.

    A thread of its own looks at the time in the memory of the run, which is not disturbed by it. While the run waits
    for a compilation, the bar says so; it appears only after the notice of a compilation that is shown already.

    Args:
        now: the memory of the time.
        times: of the run.
        progress: what the user gave.
    """
    if progress is not None or not shows_progress():
        yield
        return
    over = Event()
    watcher = Thread(target=_watch, args=(over, now, float(times[0]), float(times[-1]), get_ident()), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def _watch(over: Event, now: Vector, start: float, end: float, thread: int) -> None:
    patience = PATIENCE
    while not over.wait(patience) and terminal_in_use():
        patience = GLANCE
    if over.is_set():
        return
    with progress_bar(f"{start:g} s to {end:g} s") as show:
        furthest = start
        while not over.wait(GLANCE):
            furthest = max(furthest, min(float(now), end))
            compilation = compilation_of(thread)
            show(furthest - start, end - start, str(compilation or f"{furthest:.4g} s"))


@contextmanager
def runs_bar(progress: SweepProgress | None) -> Iterator[SweepProgress]:
    """What to call with the number of runs that are done, of all runs, and of failures: the user's function, or a bar.

    Args:
        progress: what the user gave.
    """
    if progress is not None:
        yield progress
        return
    begun = perf_counter()
    with ExitStack() as open_bars:
        shown: list[Callable[[float, float, str], None]] = []

        def update(done: int, total: int, failed: int) -> None:
            if not shown and perf_counter() - begun > PATIENCE and shows_progress():
                shown.append(open_bars.enter_context(progress_bar("sweep")))
            for show in shown:
                show(done, total, f"{done} of {total} runs" + (f", {failed} failed" if failed else ""))

        yield update
