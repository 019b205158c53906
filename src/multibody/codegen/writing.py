"""Files on disk: written whole or not at all, and never over what a user has changed.

A small manifest beside the files remembers what was generated last. A file that differs from it belongs to the user by
now: it stays as it is. If what would be generated has changed since, the new text goes beside it, as ``name.new``.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from itertools import count
from pathlib import Path, PurePosixPath

from multibody.errors import StorageError
from multibody.support.files import atomic_file, read_regular
from multibody.support.text_tables import html_text

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
        removed: files of an earlier export with other options, which do not belong to this one.
    """

    folder: Path
    written: tuple[Path, ...] = ()
    replaced: tuple[Path, ...] = ()
    unchanged: tuple[Path, ...] = ()
    kept: tuple[Path, ...] = ()
    proposed: tuple[Path, ...] = ()
    removed: tuple[Path, ...] = ()

    @property
    def files(self) -> tuple[Path, ...]:
        """All of them, without those that are proposed or removed."""
        return tuple(sorted([*self.written, *self.replaced, *self.unchanged, *self.kept]))

    def _repr_html_(self) -> str:
        return html_text(str(self))

    def __str__(self) -> str:
        lines = [f"{path}  {what}" for what in (*_FATES, "removed") for path in getattr(self, what)]
        return "\n".join([*sorted(lines), *(f"{path}  the new text" for path in self.proposed)])


_FATES = ("written", "replaced", "unchanged", "kept")


def write(
    folder: str | Path, files: Mapping[str, str], *, overwrite: bool = False, superseded: Iterable[str] = ()
) -> Exported:  # fmt: skip
    """Write files below a folder.

    Args:
        folder: made if it does not exist.
        files: text by path.
        overwrite: whether files that the user has changed are replaced, too.
        superseded: paths of files that are removed if they were generated and not changed.
    """
    root = Path(folder)
    try:
        root.mkdir(parents=True, exist_ok=True)
        known = _manifest(root)
        fates: dict[str, list[Path]] = {fate: [] for fate in _FATES}
        proposed: dict[Path, str] = {}
        removed = tuple(_removed(root, superseded, known))
        for name, text in sorted(files.items()):
            fate = _written(_inside(root, name), text, known.get(name), overwrite)
            fates[fate].append(root / name)
            if fate == "kept" and known.get(name) != _digest(text):
                path = _beside(root, name, known)
                proposed[path] = f"{root / name} {'was changed by hand' if name in known else 'was there before'}"
                _replace(path, text)
                known[path.relative_to(root).as_posix()] = _digest(text)
            known[name] = _digest(text)
        _replace(root / MANIFEST, json.dumps(known, indent=1, sort_keys=True) + "\n")
    except OSError as error:
        raise _not_writable("The files cannot be written.", f"folder '{root}'", root, error) from error
    for path, why in proposed.items():
        _log.warning("%s and stays as it is; the new text is in %s", why, path.name)
    made = {fate: tuple(paths) for fate, paths in fates.items()}
    return Exported(root, **made, proposed=tuple(proposed), removed=removed)


def _beside(root: Path, name: str, known: Mapping[str, str]) -> Path:
    """Where a new text goes: ``name.new``, or ``name.new2`` and so on if that was changed by hand."""
    for number in count(1):
        beside = f"{name}.new{number if number > 1 else ''}"
        path = _inside(root, beside)
        if not path.exists() or _digest_of(path) == known.get(beside):
            return path
    raise AssertionError  # numbers do not end


def _removed(root: Path, names: Iterable[str], known: dict[str, str]) -> Iterator[Path]:
    """Removes what was generated and not changed."""
    for name in names:
        path = _inside(root, name)
        if name in known and path.exists() and _digest_of(path) == known.pop(name):
            path.unlink()
            yield path


def _written(path: Path, text: str, before: str | None, overwrite: bool) -> str:
    """What becomes of one file."""
    if not path.exists():
        _replace(path, text)
        return "written"
    now = _digest_of(path)
    if now == _digest(text):
        return "unchanged"
    if now == before or overwrite:
        _replace(path, text)
        return "replaced"
    return "kept"


def _inside(root: Path, name: str) -> Path:
    parts = PurePosixPath(name).parts
    if not parts or PurePosixPath(name).is_absolute() or ".." in parts:
        raise StorageError(
            f"{name!r} is not a path below the folder.", code="path-outside-folder", where=f"folder '{root}'", path=name
        )
    return root.joinpath(*parts)


def _replace(path: Path, text: str) -> None:
    """Replace a file by the whole text, or leave it as it was."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_file(path, overwrite=True) as stream:
        stream.write(text.encode())


def _not_writable(what: str, where: str, path: Path, error: OSError) -> StorageError:
    return StorageError(
        what, code="file-not-writable", where=where, cause=str(error), remedy="Use another folder.", path=str(path)
    )


def stored(path: Path, content: bytes) -> Path:
    """Write a whole binary file, or leave what was there before."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _not_writable("The file cannot be written.", f"'{path}'", path, error) from error
    with atomic_file(path, overwrite=True) as stream:
        stream.write(content)
    return path


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _digest_of(path: Path) -> str:
    """That of a file's text; ends of lines do not count, because tools change them."""
    return sha256(read_regular(path).replace(b"\r\n", b"\n")).hexdigest()


def _manifest(root: Path) -> dict[str, str]:
    """What was written before; nothing if that is not known."""
    try:
        found = json.loads(read_regular(root / MANIFEST))
    except (OSError, ValueError, RecursionError):
        return {}
    return {str(name): str(digest) for name, digest in found.items()} if isinstance(found, dict) else {}
