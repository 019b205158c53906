"""Ctrl-C while compiled code calls functions of Python."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from multibody.simulate.problem import Problem


@contextmanager
def noticed(problem: Problem) -> Iterator[None]:
    """Within this block Ctrl-C is noticed, and ends the run at the next evaluation; pressed again, it is raised.

    An exception cannot pass through compiled code: it would be printed and forgotten wherever it comes up just as the
    function of Python is entered, and the rates would be those of the call before.
    """
    here = threading.current_thread() is threading.main_thread()
    handler = signal.getsignal(signal.SIGINT) if problem.law is not None and here else None
    if handler is not signal.default_int_handler:
        yield
        return

    def notice(number: int, frame: FrameType | None) -> None:
        if problem.failure is not None:
            signal.default_int_handler(number, frame)
        problem.failure = KeyboardInterrupt()

    signal.signal(signal.SIGINT, notice)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
