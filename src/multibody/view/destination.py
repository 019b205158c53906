"""Names of files and folders given by the user."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from multibody.errors import StorageError


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
