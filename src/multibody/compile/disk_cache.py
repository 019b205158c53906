"""Machine code on disk, so that the second run starts at once.

Whoever can write here can run code as the user, so the directory must belong to the user and be closed to all others;
otherwise it is not used. A file is a checksum and the code; it appears under its name only when it is complete.
"""

from __future__ import annotations

import contextlib
import logging
import os
import stat
import sys
import tempfile
from hashlib import sha256
from pathlib import Path

_log = logging.getLogger("multibody")

VARIABLE = "MULTIBODY_CACHE"
"""Environment variable: the cache directory, or ``off``."""

MAX_BYTES = 512 * 1024 * 1024
"""When the cache is larger than this, the files that were not used for longest are removed."""

_CHECKSUM = 32


def directory() -> Path | None:
    """Where the cache is, or None if it is switched off."""
    chosen = os.environ.get(VARIABLE, "")
    if chosen.lower() == "off":
        return None
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", str(Path.home() / "AppData" / "Local"))
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "multibody"


def load(key: str) -> bytes | None:
    """The code stored under ``key``, or None if it is missing or damaged."""
    folder = _private(directory())
    if folder is None:
        return None
    path = folder / f"{key}.o"
    try:
        content = path.read_bytes()
        checksum, code = content[:_CHECKSUM], content[_CHECKSUM:]
        if sha256(key.encode() + code).digest() != checksum:
            _log.warning("The cached code %s is damaged; it will be compiled again.", path.name)
            return None
        with contextlib.suppress(OSError):  # a read-only file system
            os.utime(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        _log.debug("The cache cannot be read: %s", error)
        return None
    return code


def save(key: str, code: bytes) -> None:
    """Store code; without a usable directory nothing happens, and the next run compiles again."""
    folder = directory()
    try:
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder = _private(folder)
        if folder is None:
            return
        handle, temporary = tempfile.mkstemp(dir=folder, suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(sha256(key.encode() + code).digest() + code)
            Path(temporary).replace(folder / f"{key}.o")
        except BaseException:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
            raise
        _make_room(folder)
    except OSError as error:
        _log.debug("The cache cannot be written: %s", error)


def _private(folder: Path | None) -> Path | None:
    """The folder, if it exists, is the user's own and is closed to all others."""
    if folder is None:
        return None
    try:
        status = folder.stat()
    except OSError:
        return None
    if hasattr(os, "getuid") and (status.st_uid != os.getuid() or status.st_mode & (stat.S_IRWXG | stat.S_IRWXO)):
        _log.warning("%s is open to other users and is not used as a cache; set its mode to 700.", folder)
        return None
    return folder


def _make_room(folder: Path) -> None:
    files = []
    for path in folder.glob("*.o"):
        with contextlib.suppress(OSError):
            status = path.stat()
            files.append((status.st_mtime, status.st_size, path))
    excess = sum(size for _, size, _ in files) - MAX_BYTES
    for _, size, path in sorted(files):
        if excess <= 0:
            return
        with contextlib.suppress(OSError):
            path.unlink()
            excess -= size
