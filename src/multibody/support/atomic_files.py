"""Files that are written as a whole or not at all, and never over others by accident; their names and folders."""

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
        StorageError: if it is no such name.

    Example:
        >>> destination("films/crane.mp4", "animate(run, path)").name
        'crane.mp4'
    """
    if not isinstance(path, (str, PathLike)) or not str(path):
        raise StorageError(
            f"{path!r:.80} is not the name of a file.", code="file-name-invalid", remedy=f"Write {call}."
        )
    return Path(path)
