"""Time spent on compilation, per thread, and a notice on the terminal where it takes long."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import NamedTuple

from multibody.support.progress_bars import shows_progress, status_line, terminal_in_use

NOTICE_AFTER = 0.5
"""Seconds of compilation without a notice."""

REFRESH = 0.2
"""Seconds between two updates of the notice."""

_log = logging.getLogger("multibody")


class Compilation(NamedTuple):
    """A compilation under way.

    Attributes:
        name: of the function that is compiled.
        begun: when it began, by ``time.perf_counter``.
    """

    name: str
    begun: float

    def __str__(self) -> str:
        return f"compiling {self.name}, {perf_counter() - self.begun:.1f} s"


class _ThreadClock(threading.local):
    """What one thread has spent so far."""

    seconds = 0.0


_clock = _ThreadClock()
_under_way: dict[int, Compilation] = {}
"""The compilations under way, by thread."""


def compile_seconds() -> float:
    """Seconds that this thread has spent on compilation so far.

    Example:
        >>> before = compile_seconds()
        >>> with compiling("nothing"):
        ...     pass
        >>> compile_seconds() > before
        True
    """
    return _clock.seconds


def compilation_of(thread: int | None) -> Compilation | None:
    """What a thread compiles now; None if it does something else."""
    return _under_way.get(thread or 0)


@contextmanager
def compiling(name: str) -> Iterator[None]:
    """Count the time of this block as compilation, and show it if it takes longer than half a second.

    A terminal shows a line meanwhile; in all cases a message of level INFO goes to the log ``multibody`` afterwards.
    Within such a block, another one changes nothing.

    Args:
        name: of the function that is compiled.
    """
    thread = threading.get_ident()
    if thread in _under_way:
        yield
        return
    over = threading.Event()
    _under_way[thread] = now = Compilation(name, perf_counter())
    if shows_progress():
        threading.Thread(target=_show, args=(now, over), daemon=True).start()
    try:
        yield
    finally:
        over.set()
        del _under_way[thread]
        seconds = perf_counter() - now.begun
        _clock.seconds += seconds
        if seconds > NOTICE_AFTER:
            _log.info("Compiled %s in %.1f s.", name, seconds)


def _show(compilation: Compilation, over: threading.Event) -> None:
    """A line on the terminal until the compilation is over; none where something else is shown."""
    if over.wait(NOTICE_AFTER) or terminal_in_use():
        return
    with status_line(_log.info) as show:
        show(str(compilation))
        while not over.wait(REFRESH):
            show(str(compilation))
