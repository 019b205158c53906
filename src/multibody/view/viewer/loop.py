"""The thread that executes requests of the page in order, and the ticks of playback.

Of many requests of a kind, such as the positions of a slider that is dragged, only the newest counts: work that is late
is dropped and does not pile up.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from functools import partial
from math import isfinite
from time import perf_counter
from typing import Any

from multibody.errors import MultibodyError

_log = logging.getLogger("multibody")

PERIOD = 1 / 60
"""Seconds between two pictures."""


class PageLoop:
    """A thread that does what it is asked for.

    Args:
        trouble: called with the text of an error, and with nothing after something went well.
    """

    def __init__(self, trouble: Callable[..., None]) -> None:
        self._trouble = trouble
        self._tick: Callable[[], bool] = bool
        self._asked: dict[str, Callable[[], None]] = {}
        self._news = threading.Condition()
        self._busy = self._ended = False
        self._thread = threading.Thread(target=self._run, name="multibody viewer", daemon=True)

    def start(self, tick: Callable[[], bool]) -> None:
        """Begin.

        Args:
            tick: called for every picture while there is something to play; it says whether there is more.
        """
        self._tick = tick
        self._thread.start()

    def ask(self, kind: str, action: Callable[[], None]) -> None:
        """Do something soon; it takes the place of what was asked for with the same kind and is not done yet."""
        with self._news:
            self._asked[kind] = action
            self._news.notify_all()

    def asking(self, kind: str, action: Callable[[], None]) -> Callable[[Any], None]:
        """What a slider, box or button calls: it acts if a user has touched it, not if it was moved from here."""

        def touched(event: Any) -> None:
            if event.client is not None:
                self.ask(kind, action)

        return touched

    def taking(self, kind: str, action: Callable[[float], None]) -> Callable[[Any], None]:
        """What a slider calls: it asks with the value that it has now; what is played moves it on in the meantime."""

        def touched(event: Any) -> None:
            value = float(event.target.value)
            if event.client is not None and isfinite(value):
                self.ask(kind, partial(action, value))

        return touched

    def settle(self, seconds: float = 10.0) -> bool:
        """Wait until everything is done that was asked for; whether it was."""
        with self._news:
            return self._news.wait_for(lambda: self._ended or not (self._asked or self._busy), seconds)

    def stop(self) -> None:
        """End, after what is being done."""
        with self._news:
            self._ended = True
            self._news.notify_all()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(5.0)

    def _run(self) -> None:
        playing, due = False, perf_counter()
        while True:
            action = self._next(max(0.0, due - perf_counter()) if playing else None)
            if self._ended:
                return
            if action is not None:
                self._do(action)
                playing = True  # perhaps: the next tick tells
            if playing and perf_counter() >= due:
                due = max(due + PERIOD, perf_counter())  # a picture that is late is not made up for
                playing = self._ticked()

    def _next(self, patience: float | None) -> Callable[[], None] | None:
        with self._news:
            self._busy = False
            self._news.notify_all()
            self._news.wait_for(lambda: self._ended or self._asked, patience)
            if not self._asked:
                return None
            self._busy = True
            return self._asked.pop(next(iter(self._asked)))

    def _ticked(self) -> bool:
        more: list[bool] = []
        self._do(lambda: more.append(self._tick()))
        return bool(more and more[0])

    def _do(self, action: Callable[[], None]) -> None:
        """An error is told in the page, and does not end the thread."""
        try:
            action()
            self._trouble()
        except MultibodyError as error:
            self._trouble(str(error))
        except Exception as error:  # noqa: BLE001 - the page must go on, whatever happens in it
            _log.exception("The viewer met an error.")
            self._trouble(f"{type(error).__name__}: {error}")
