"""Progress on a terminal: bars and status lines for work that takes longer than a moment, and the time of compilation.

Compilation is measured for each thread; a notice is shown where it takes long.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from time import perf_counter
from typing import Any, NamedTuple

_shown: list[object] = []
"""The displays on the terminal now."""


def terminal_in_use() -> bool:
    """Whether a bar or a status line is shown now, by whichever thread."""
    return bool(_shown)


@contextmanager
def _display() -> Iterator[None]:
    """Note a display on the terminal, as long as it is there."""
    token = object()
    _shown.append(token)
    try:
        yield
    finally:
        _shown.remove(token)


def shows_progress() -> bool:
    """Whether standard error is a terminal and the library that draws bars is installed."""
    return sys.stderr is not None and sys.stderr.isatty() and find_spec("rich") is not None


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[float, float, str], None]]:
    """A bar that disappears at the end; call it with the amount done, the total, and a text."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns: list[Any] = [TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[reached]}")]
    with _display(), Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None, reached="")
        yield lambda done, total, reached: bar.update(task, completed=done, total=total, reached=reached)


@contextmanager
def status_line(log: Callable[[str], None]) -> Iterator[Callable[[str], None]]:
    """A line that disappears at the end; call it with the current stage. Without a terminal, stages go to ``log``."""
    if not shows_progress():
        yield log
        return
    from rich.console import Console

    with _display(), Console(stderr=True).status("") as status:
        yield status.update


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
