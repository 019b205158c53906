"""What no reader may do, whatever it is given: run code, start programs, reach for the network or for other files."""

from __future__ import annotations

import os
import sys
import sysconfig
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

SECONDS = 2.0
"""Of processor time, for one input."""

FORBIDDEN = (
    "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system", "pickle.find_class", "pty.spawn",
    "shutil.rmtree", "socket.connect", "socket.getaddrinfo", "subprocess.Popen", "urllib.Request", "webbrowser.open",
)  # fmt: skip
OURS = Path(__file__).resolve().parents[2]
LIBRARIES = tuple(
    {*map(os.path.realpath, (sys.prefix, sys.base_prefix, *sysconfig.get_paths().values(), OURS / "src"))}
)
SYSTEM = ("/dev/", "/proc/", "/sys/", "/etc/ld.so", "/usr/lib", "/usr/share/zoneinfo")


class Misdeed(BaseException):
    """A reader did what no reader may do; no ``except Exception`` hides it."""


class _Watch:
    """Listens to what Python does while ``folder`` is set."""

    folder = ""
    thread = 0
    misdeeds: list[str] = []  # noqa: RUF012 - there is one watch

    def __call__(self, event: str, args: tuple[Any, ...]) -> None:
        if not self.folder or threading.get_ident() != self.thread:
            return
        fault = self._fault(event, args)
        if fault:
            self.misdeeds.append(fault)
            raise Misdeed(fault)

    def _fault(self, event: str, args: tuple[Any, ...]) -> str:
        if event in FORBIDDEN:
            return f"{event}{args!r:.200}"
        if event == "exec" and not _in_file(args[0]) and not _importing():
            return f"code was run: {args[0]!r:.200}"
        if event == "open" and isinstance(args[0], str | bytes) and not self._allowed(os.fsdecode(args[0]), args[2]):
            return f"a file was opened: {args[0]!r:.200}"
        return ""

    def _allowed(self, name: str, flags: int) -> bool:
        place = os.path.abspath(name)  # noqa: PTH100 - links are not followed: that would be another look at the disk
        if place.startswith((self.folder, *SYSTEM)):
            return True
        return (not flags & (os.O_WRONLY | os.O_RDWR) and place.startswith(LIBRARIES)) or _importing()


def _in_file(code: Any) -> bool:
    return Path(code.co_filename).is_absolute()


def _importing() -> bool:
    frame: FrameType | None = sys._getframe()
    while frame is not None and "importlib._bootstrap" not in frame.f_code.co_filename:
        frame = frame.f_back
    return frame is not None


_watch = _Watch()
_installed: list[bool] = []


@contextmanager
def watched(folder: str | os.PathLike[str]) -> Iterator[None]:
    """Raises ``Misdeed`` for everything that the body does and must not do, and if it takes too long.

    Args:
        folder: in which files may be read and written.
    """
    if not _installed:
        sys.addaudithook(_watch)  # it stays for good, and is idle outside of this
        _installed.append(True)
    _watch.misdeeds.clear()
    begin = time.process_time()
    _watch.thread, _watch.folder = threading.get_ident(), str(Path(folder).resolve())
    try:
        yield
    finally:
        _watch.folder = ""
    if _watch.misdeeds:  # somebody caught it
        raise Misdeed(_watch.misdeeds[0])
    seconds = time.process_time() - begin
    if seconds > SECONDS:
        raise Misdeed(f"it took {seconds:.1f} s")


def playground() -> tempfile.TemporaryDirectory[str]:
    """A folder for the files of one process, in memory where there is such a place."""
    shared = Path("/dev/shm")
    return tempfile.TemporaryDirectory(prefix="fuzz-", dir=shared if shared.is_dir() else None)
