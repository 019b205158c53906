"""Files that are written as a whole or not at all, and never over others by accident."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

from multibody.errors import StorageError

__all__ = ["StorageError", "refuse", "whole_file"]


def refuse(path: str | PathLike[str], overwrite: bool) -> None:
    """An error if there is a file already that must not be replaced."""
    if not overwrite and os.path.lexists(path):
        raise StorageError(
            "The file exists already.", where=str(path), remedy="Choose another name, or say overwrite=True."
        )


def _place(path: str | PathLike[str]) -> Path:
    """Where the content goes; a link stays a link to the new one."""
    try:
        return Path(os.path.realpath(path))
    except ValueError as error:  # an umlaut, where the system knows ASCII alone
        raise StorageError(
            "No file can have this name here.", where=ascii(os.fspath(path)), cause=str(error),
            remedy="Choose another name, or set a locale with UTF-8, such as LC_ALL=C.UTF-8.",
        ) from error  # fmt: skip


@contextmanager
def whole_file(path: str | PathLike[str], overwrite: bool) -> Iterator[BinaryIO]:
    """A stream whose content appears under the name ``path`` when it is complete.

    It is a file of its own in the same folder until then, and what was there before stays if anything goes wrong: a
    full disk, an interruption, a folder that cannot be written.

    Raises:
        StorageError: if the file exists and must not be replaced, or if it cannot be written.
    """
    refuse(path, overwrite)
    final = _place(path)
    draft = final.with_name(f".{final.name[:100]}.{token_hex(6)}.part")
    try:
        with draft.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        refuse(path, overwrite)  # another program may have been quicker
        draft.replace(final)
    except BaseException as error:
        with contextlib.suppress(OSError):
            draft.unlink()
        if isinstance(error, OSError) and not isinstance(error, StorageError):
            raise StorageError(
                "The file cannot be written; what was there before is untouched.",
                where=str(path),
                cause=error.strerror or str(error),
                remedy="Check that the folder exists, that you may write to it, and that the disk has room.",
            ) from error
        raise
