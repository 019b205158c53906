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
import time
from functools import cache
from hashlib import sha256
from pathlib import Path

_log = logging.getLogger("multibody")

VARIABLE = "MULTIBODY_CACHE"
"""Environment variable: the cache directory, or ``off``."""

MAX_BYTES = 512 * 1024 * 1024
"""When the cache is larger than this, the files that were not used for longest are removed."""

_CHECKSUM = 32
_FORGOTTEN = 24 * 3600  # seconds after which a file is not being written any more: its process was killed


def directory() -> Path | None:
    """Where the cache is, or None if it is switched off, or if the user has no home."""
    chosen = os.environ.get(VARIABLE, "")
    if chosen.lower() == "off":
        return None
    if chosen:
        return Path(chosen)
    known = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME")
    try:
        base = Path(known) if known else Path.home() / ("AppData/Local" if sys.platform == "win32" else ".cache")
    except RuntimeError:  # a user whom the system does not know, as in a container
        return None
    return base / "multibody"


def private_folder(name: str) -> Path | None:
    """A folder of this user alone in the cache, for a tool that keeps files of its own; None if there is no cache."""
    base = directory()
    try:
        for folder in () if base is None else (base, base / name):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        _log.debug("The cache cannot be written: %s", error)
        return None
    return None if _private(base) is None or base is None else _private(base / name)


def load(key: str) -> bytes | None:
    """The code stored under ``key``, or None if it is missing or damaged."""
    folder = _private(directory())
    if folder is None:
        return None
    path = folder / f"{key}.o"
    try:
        if not _own_file(path.lstat()):
            _tell_once("%s is not a file of this user, and is not used as a cache.", path)
            return None
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
        _remove_oldest(folder)
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
    if not _own(status) or (hasattr(os, "getuid") and status.st_mode & (stat.S_IRWXG | stat.S_IRWXO)):
        _tell_once("%s is open to other users and is not used as a cache; set its mode to 700.", folder)
        return None
    return folder


@cache
def _tell_once(what: str, path: Path) -> None:
    _log.warning(what, path)


def _own(status: os.stat_result) -> bool:
    return not hasattr(os, "getuid") or status.st_uid == os.getuid()


def _own_file(status: os.stat_result) -> bool:
    """Not a link, which leads elsewhere; not a pipe, for which one would wait; not a device, which may have no end."""
    return stat.S_ISREG(status.st_mode) and _own(status)


def _remove_oldest(folder: Path) -> None:
    for path in folder.glob("*.tmp"):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > _FORGOTTEN:
                path.unlink()
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
