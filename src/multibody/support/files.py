"""Files: written as a whole or not at all, never over others by accident, and read if they are regular.

Readers refuse FIFOs, devices, sockets and directories before anything is read: reading a FIFO waits for another
program, perhaps forever, and a device such as ``/dev/zero`` has no end. Every reader of a file that a user names opens
it here. Symbolic links are followed: what counts is what they lead to.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from secrets import token_hex
from typing import Any, BinaryIO

from multibody.errors import StorageError


def refuse_existing(path: str | PathLike[str], overwrite: bool) -> None:
    """An error if there is a file already that must not be replaced."""
    if not overwrite and os.path.lexists(path):
        raise StorageError(
            "The file exists already.",
            where=str(path),
            remedy="Choose another name, or say overwrite=True.",
            code="file-exists",
            allowed_by="overwrite",
        )


def _place(path: str | PathLike[str]) -> Path:
    """Where the content goes; a link stays a link to the new one."""
    try:
        return Path(os.path.realpath(path))
    except ValueError as error:  # an umlaut, where the system knows ASCII alone
        raise StorageError(
            "No file can have this name here.", where=ascii(os.fspath(path)), cause=str(error),
            remedy="Choose another name, or set a locale with UTF-8, such as LC_ALL=C.UTF-8.",
            code="file-name-impossible",
        ) from error  # fmt: skip


def _keep_permissions(final: Path, draft: Path) -> None:
    """Let the file that replaces another one be readable by the same users."""
    with contextlib.suppress(OSError):  # there is none yet, or the file system has no permissions
        draft.chmod(stat.S_IMODE(final.stat().st_mode))


@contextmanager
def atomic_file(
    path: str | PathLike[str], overwrite: bool, check: Callable[[], None] = lambda: None
) -> Iterator[BinaryIO]:
    """A stream whose content appears under the name ``path`` when it is complete.

    It is a file of its own in the same folder until then, and what was there before stays if anything goes wrong: a
    full disk, an interruption, a folder that cannot be written. A file that is replaced keeps its permissions.

    Args:
        path: of the file.
        overwrite: whether a file that exists may be replaced.
        check: raises an error if the file must not be written; called before the start and again right before the file
            is replaced.

    Raises:
        StorageError: if the file exists and must not be replaced, or if it cannot be written.
    """
    refuse_existing(path, overwrite)
    check()
    final = _place(path)
    draft = final.with_name(f".{final.name[:100]}.{token_hex(6)}.part")
    try:
        with draft.open("xb") as stream:
            _keep_permissions(final, draft)
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        refuse_existing(path, overwrite)  # another program may have been quicker
        check()
        draft.replace(final)
    except BaseException as error:
        with contextlib.suppress(OSError):
            draft.unlink()
        if isinstance(error, OSError) and not isinstance(error, StorageError):
            raise StorageError(
                "The file cannot be written; what was there before is untouched.",
                where=str(path),
                cause=error.strerror or str(error),
                remedy="Check that the folder exists, that you may write to it, and that the disk has free space.",
                code="file-not-writable",
            ) from error
        raise


def destination(path: Any, call: str) -> Path:
    """A path from what the user gives, which may stand where something else should.

    Args:
        path: the name of a file or a folder.
        call: how it is written.

    Raises:
        StorageError: if it is not such a name.

    Example:
        >>> destination("films/crane.mp4", "animate(run, path)").name
        'crane.mp4'
    """
    if not isinstance(path, (str, PathLike)) or not str(path):
        raise StorageError(
            f"{path!r:.80} is not the name of a file.", code="file-name-invalid", remedy=f"Write {call}."
        )
    return Path(path)


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
