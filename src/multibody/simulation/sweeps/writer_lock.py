"""A lock that keeps a second writer away from a file, while readers may open it."""

from __future__ import annotations

import errno
import os
import struct
from pathlib import Path

from multibody.errors import StorageError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_PLACE = 1 << 62  # of the byte that is locked: far behind the data, and behind the bytes that SQLite locks
_BUSY = (errno.EACCES, errno.EAGAIN)


def is_supported() -> bool:
    """Whether the system has locks that belong to an open file, not to a process."""
    return hasattr(fcntl, "F_OFD_SETLK")


class WriterLock:
    """The lock of a file; the system releases it if the process is killed.

    Raises:
        StorageError: if another writer has it.
    """

    def __init__(self, path: Path) -> None:
        self._file: int | None = os.open(path, os.O_RDWR | getattr(os, "O_CLOEXEC", 0))
        wanted = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, _PLACE, 1, 0)
        try:
            fcntl.fcntl(self._file, fcntl.F_OFD_SETLK, wanted)
        except OSError as error:
            self.release()
            if error.errno not in _BUSY:
                raise
            raise StorageError(
                "The file is in use.", code="file-in-use", where=str(path), cause="Another sweep writes to it.",
                remedy="Wait until the other sweep has ended, or choose another path.", path=str(path),
            ) from error  # fmt: skip

    def release(self) -> None:
        """Let another writer have it."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
