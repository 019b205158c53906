"""Regular files for all readers: FIFOs, devices, sockets and directories are refused before anything is read.

Reading a FIFO waits for another program, perhaps forever, and a device such as ``/dev/zero`` has no end. Every reader
of a file that a user names opens it here. Symbolic links are followed: what counts is what they lead to.
"""

from __future__ import annotations

import os
import stat
from os import PathLike
from pathlib import Path
from typing import BinaryIO

from multibody.errors import StorageError

_KINDS = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISCHR, "a character device"),
    (stat.S_ISBLK, "a block device"),
    (stat.S_ISSOCK, "a socket"),
)
_CAUSES = {
    "a directory": "",
    "a FIFO": "Reading a FIFO waits until another program writes to it, which may be never.",
}
_NO_END = "What comes out of it may have no end."
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def require_regular(path: str | PathLike[str]) -> None:
    """An error if there is something at ``path`` that is not a regular file.

    Raises:
        StorageError: for a directory, a FIFO, a device or a socket.
        OSError: if there is nothing, or it cannot be looked at.

    Example:
        >>> require_regular(os.devnull)
        Traceback (most recent call last):
            ...
        multibody.errors.StorageError: The path is a character device, not a regular file. [path-not-a-file]
          where: /dev/null
          ...
    """
    _require(path, Path(path).stat())


def open_regular(path: str | PathLike[str]) -> BinaryIO:
    """A regular file, open for reading as bytes.

    It never waits: the path is looked at before it is opened, opened without blocking, and looked at once more, in case
    that it was exchanged in the meantime.

    Raises:
        StorageError: for a directory, a FIFO, a device or a socket.
        OSError: if there is nothing, or it cannot be read.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     path = f"{folder}/note.txt"
        ...     _ = Path(path).write_text("text")
        ...     with open_regular(path) as stream:
        ...         print(stream.read())
        b'text'
    """
    require_regular(path)
    handle = os.open(path, _FLAGS)
    try:
        _require(path, os.fstat(handle))
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def read_regular(path: str | PathLike[str]) -> bytes:
    """All bytes of a regular file; errors as in ``open_regular``."""
    with open_regular(path) as stream:
        return stream.read()


def _require(path: str | PathLike[str], status: os.stat_result) -> None:
    if stat.S_ISREG(status.st_mode):
        return
    kind = next((name for test, name in _KINDS if test(status.st_mode)), "something else")
    raise StorageError(
        f"The path is {kind}, not a regular file.",
        where=os.fspath(path)[:200],
        cause=_CAUSES.get(kind, _NO_END),
        remedy="Give the path of a file." if kind == "a directory" else "Write the content to a file, and read that.",
        code="path-not-a-file",
    )
