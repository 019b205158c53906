"""Files on disk: written whole or not at all, and never over what a user has changed.

A small manifest beside the files remembers what was generated last. A file that differs from it belongs to the user by
now: it stays as it is. If what would be generated has changed since, the new text goes beside it, as ``name.new``.
"""

from __future__ import annotations

import json
import logging
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath

from multibody.errors import StorageError
from multibody.model.display import html_text

MANIFEST = ".multibody-export.json"

_log = logging.getLogger("multibody")


@dataclass(frozen=True)
class Exported:
    """What became of each file.

    Attributes:
        folder: where the files are.
        written: new files.
        replaced: files that were written before, with new text.
        unchanged: files whose text is the same as before.
        kept: files that were changed by the user and stay.
        proposed: new texts, as ``name.new``, beside those of them that would be generated in another way now.
    """

    folder: Path
    written: tuple[Path, ...] = ()
    replaced: tuple[Path, ...] = ()
    unchanged: tuple[Path, ...] = ()
    kept: tuple[Path, ...] = ()
    proposed: tuple[Path, ...] = ()

    @property
    def files(self) -> tuple[Path, ...]:
        """All of them, without those that are proposed."""
        return tuple(sorted([*self.written, *self.replaced, *self.unchanged, *self.kept]))

    def _repr_html_(self) -> str:
        return html_text(str(self))

    def __str__(self) -> str:
        lines = [f"{path}  {what}" for what in _FATES for path in getattr(self, what)]
        return "\n".join([*sorted(lines), *(f"{path}  the new text" for path in self.proposed)])


_FATES = ("written", "replaced", "unchanged", "kept")


def write(folder: str | Path, files: Mapping[str, str], *, overwrite: bool = False) -> Exported:
    """Write files below a folder.

    Args:
        folder: made if it does not exist.
        files: text by path.
        overwrite: whether files that the user has changed are replaced, too.
    """
    root = Path(folder)
    try:
        root.mkdir(parents=True, exist_ok=True)
        known = _manifest(root)
        fates: dict[str, list[Path]] = {fate: [] for fate in _FATES}
        proposed = []
        for name, text in sorted(files.items()):
            fate = _written(_inside(root, name), text, known.get(name), overwrite)
            fates[fate].append(root / name)
            if fate == "kept" and known.get(name) != _digest(text):
                proposed.append(_beside(root / name))
                _replace(proposed[-1], text)
            known[name] = _digest(text)
        _replace(root / MANIFEST, json.dumps(known, indent=1, sort_keys=True) + "\n")
    except OSError as error:
        raise StorageError(
            "The files cannot be written.", where=f"folder '{root}'", cause=str(error), remedy="Use another folder."
        ) from error
    for path in proposed:
        _log.warning(
            "%s was changed by hand and stays as it is; the new text is in %s", path.with_suffix(""), path.name
        )
    return Exported(root, **{fate: tuple(paths) for fate, paths in fates.items()}, proposed=tuple(proposed))


def _beside(path: Path) -> Path:
    return path.with_name(path.name + ".new")


def _written(path: Path, text: str, before: str | None, overwrite: bool) -> str:
    """What becomes of one file."""
    if not path.exists():
        _replace(path, text)
        return "written"
    now = sha256(path.read_bytes()).hexdigest()
    if now == _digest(text):
        return "unchanged"
    if now == before or overwrite:
        _replace(path, text)
        return "replaced"
    return "kept"


def _inside(root: Path, name: str) -> Path:
    parts = PurePosixPath(name).parts
    if not parts or PurePosixPath(name).is_absolute() or ".." in parts:
        raise StorageError(f"{name!r} is not a path below the folder.", where=f"folder '{root}'")
    return root.joinpath(*parts)


def _replace(path: Path, text: str) -> None:
    """The whole text, or what was there before: a new file takes the place of the old one in one step."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".export-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        Path(temporary).chmod(0o666 & ~_umask())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _manifest(root: Path) -> dict[str, str]:
    """What was written before; nothing if that is not known."""
    try:
        found = json.loads((root / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(name): str(digest) for name, digest in found.items()} if isinstance(found, dict) else {}
