"""Files that a run is written to; the suffix says what."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from multibody.cli.exit_codes import CommandError
from multibody.errors import StorageError
from multibody.support.files import refuse_existing

if TYPE_CHECKING:
    from multibody.simulation import Trajectory

NUMBERS = (".csv", ".npz", ".parquet")
CURVES = (".png", ".svg", ".pdf")
MOVING = (".html", ".mp4", ".gif", ".glb")
OF_A_RUN = (*NUMBERS, *CURVES, *MOVING)


def require_writable(paths: Iterable[Path], overwrite: bool, suffixes: tuple[str, ...] = OF_A_RUN) -> None:
    """An error before anything is computed, if a file could not be written.

    Args:
        paths: of the files.
        overwrite: whether they may replace others.
        suffixes: that can be written.

    Raises:
        CommandError: for an unknown suffix.
        StorageError: for a file that exists already, or a folder that does not.
    """
    for path in paths:
        if path.suffix.lower() not in suffixes:
            raise CommandError(
                f"There is no writer for '{path.name}'.",
                where="--output",
                remedy=f"Let it end in {'one of: ' if len(suffixes) > 1 else ''}{' '.join(suffixes)}.",
                code="file-format-unknown",
            )
        if not path.parent.is_dir():
            raise StorageError(
                f"There is no folder '{path.parent}'.", where="--output", remedy="Make it first.", code="folder-missing"
            )
        refuse_existing(path, overwrite)


def write_run(run: Trajectory, path: Path, names: tuple[str, ...] = (), *, overwrite: bool = False) -> Path:
    """Write a run.

    Args:
        run: to be written.
        path: where to; its suffix is one of ``OF_A_RUN``.
        names: what the curves show.
        overwrite: whether a file of this name may be replaced.
    """
    suffix = path.suffix.lower()
    if suffix in NUMBERS:
        run.save(path, overwrite=overwrite)
    elif suffix in CURVES:
        run.plot(*names, path=path, overwrite=overwrite)
    elif suffix == ".html":
        from multibody.view import write_page

        write_page(run, path, plots=names, overwrite=overwrite)
    else:
        from multibody.view.animation import animate

        animate(run, path, overwrite=overwrite)
    return path
