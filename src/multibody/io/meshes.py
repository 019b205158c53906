"""Where the files of meshes and textures are: below one folder, and never outside it."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from urllib.parse import unquote


class MeshFolder:
    """Finds the files that a robot's description names.

    Args:
        root: the folder below which all files must lie; None if files are not looked for.
        here: the folder of the description, from which relative paths start before they start from ``root``.
    """

    def __init__(self, root: str | os.PathLike[str] | None, here: Path | None = None) -> None:
        self._root = None if root is None else Path(root).resolve()
        self._here = None if here is None else here.resolve()
        self._known: dict[str, Path | None] = {}
        self._refused: dict[str, list[str]] = {}

    @property
    def root(self) -> Path | None:
        """The folder below which all files must lie."""
        return self._root

    def find(self, uri: str) -> Path | None:
        """The file behind ``package://…``, ``model://…``, ``file://…`` or a relative path; None if there is none.

        Symbolic links are followed first: what counts is where the file really is. But a path that leaves the folder
        as it is written is not even looked at.
        """
        if uri not in self._known:
            self._known[uri] = None if self._root is None else self._search(uri, self._root)
        return self._known[uri]

    def _search(self, uri: str, root: Path) -> Path | None:
        candidates = _candidates(uri)
        if not candidates:
            self._refuse("not looked for, because the address is not a path below mesh_root", uri)
            return None
        try:
            starts = [root] if self._here is None else [self._here, root]
            written = [Path(os.path.normpath(start / candidate)) for start in starts for candidate in candidates]
            places = [place.resolve() for place in written if place.is_relative_to(root)]
            below = [place for place in places if place.is_relative_to(root)]
            found = next((place for place in below if place.is_file()), None)
        except (OSError, ValueError, RuntimeError):  # too long, or links in a circle
            below, found = [], None
        if found is None:
            self._refuse("not found below mesh_root" if below else "not used, because they lie outside mesh_root", uri)
        return found

    def _refuse(self, why: str, uri: str) -> None:
        self._refused.setdefault(why, []).append(uri[:200])

    def messages(self) -> list[str]:
        """What was not found or not allowed."""
        if self._root is None and self._known:
            return [f"{len(self._known)} files of meshes and textures are named; to find them, give mesh_root."]
        return [f"Meshes or textures {why}: {_listed(uris)}." for why, uris in self._refused.items()]


def _listed(uris: list[str], most: int = 3) -> str:
    """The first few, and how many more there are; a humanoid has a hundred meshes in one folder."""
    more = len(uris) - most
    return ", ".join(map(repr, uris[:most])) + (f" and {more} more" if more > 0 else "")


def _candidates(uri: str) -> list[PurePosixPath]:
    """The paths that an address may stand for; none if it is of a kind that is not followed."""
    scheme, mark, rest = uri.replace("\\", "/").partition("://")
    if not mark:
        return _plain(scheme, upward=True)
    if scheme == "file":
        return _plain(unquote(rest))
    if scheme in ("package", "model"):
        package, _, inside = rest.partition("/")
        return [*_plain(f"{package}/{inside}", relative=True), *_plain(inside, relative=True)]
    return []


def _plain(text: str, *, relative: bool = False, upward: bool = False) -> list[PurePosixPath]:
    """A path without tricks, or nothing."""
    path = PurePosixPath(text)
    odd = not path.parts or ":" in text or any(ord(letter) < 32 for letter in text)
    odd = odd or (".." in path.parts and not upward) or (relative and path.is_absolute())
    return [] if odd else [path]
