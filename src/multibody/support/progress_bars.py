"""Progress on a terminal: bars and status lines for work that takes longer than a moment."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

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
