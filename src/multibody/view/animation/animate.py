"""``animate``: a run as a film, or as a model that moves."""

from __future__ import annotations

from collections.abc import Callable, Collection
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from multibody.errors import StorageError
from multibody.simulation import Trajectory
from multibody.support.atomic_files import refuse_existing
from multibody.view.animation.film import write_gif, write_mp4
from multibody.view.animation.frames import motion
from multibody.view.animation.glb import write_glb
from multibody.view.destination import destination
from multibody.view.scenes.subject import require_run


class Wanted(NamedTuple):
    """How an animation is to be."""

    path: Path
    fps: float
    speed: float
    size: tuple[int, int]
    camera: Any
    layers: Collection[str] | None
    overwrite: bool


def animate(
    run: Trajectory, path: str | PathLike[str], *, thing: Any = None, fps: float = 30, speed: float = 1.0,
    size: tuple[int, int] = (960, 640), camera: Any = None, layers: Collection[str] | None = None,
    overwrite: bool = False,
) -> Path:  # fmt: skip
    """Write a run as an animation; the suffix says how.

    ``.mp4`` and ``.gif`` are films. ``.glb`` is a model that moves, for Blender, browsers and nearly everything else
    that shows things in space. ``.html`` is a page that opens without a network. A file is written as a whole or not at
    all.

    Args:
        run: what ``simulate`` returns.
        path: where to.
        thing: what the run belongs to, if something else than its own system is to be checked.
        fps: frames for each second of watching.
        speed: seconds of the run for each second of watching: 0.1 is slow motion.
        size: of a film, width and height in pixels.
        camera: of a film; see ``picture``.
        layers: what to show; see ``picture``.
        overwrite: whether a file of this name may be replaced.

    Returns:
        The path.

    Raises:
        StorageError: for an unknown suffix, a file that exists already, or one that cannot be written.
        ModelError: for a run of another system.

    Example:
        >>> import tempfile
        >>> import multibody as mb
        >>> from multibody.view.animation import animate
        >>> pendulum = mb.System("pendulum")
        >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", 1, (0, 0, -1)), "Ry", 0.5)
        >>> run = mb.simulate(mb.derive(pendulum), duration=1.0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     animate(run, f"{folder}/pendulum.glb").stat().st_size > 1000
        True
    """
    require_run(run)
    wanted = Wanted(destination(path, "animate(run, 'film.mp4')"), fps, speed, size, camera, layers, overwrite)
    writer = WRITERS.get(wanted.path.suffix.lower())
    if writer is None:
        raise StorageError(
            f"Animations are not written as '{wanted.path.suffix or wanted.path.name}'.",
            code="file-kind-unknown",
            where=str(path),
            remedy=f"Use {', '.join(WRITERS)}; for one moment, use picture.",
            suffix=wanted.path.suffix,
        )
    refuse_existing(path, overwrite)  # before anything is computed
    writer(run, thing, wanted)
    return wanted.path


def _film(write: Callable[..., None]) -> Callable[[Trajectory, Any, Wanted], None]:
    def writer(run: Trajectory, thing: Any, wanted: Wanted) -> None:
        moving = motion(run, thing, wanted.fps, wanted.speed)
        write(moving, wanted.path, wanted.size, wanted.camera, wanted.layers, overwrite=wanted.overwrite)

    return writer


def _model(run: Trajectory, thing: Any, wanted: Wanted) -> None:
    moving = motion(run, thing, wanted.fps, wanted.speed)
    write_glb(moving, wanted.path, wanted.layers, overwrite=wanted.overwrite)


def _page(run: Trajectory, thing: Any, wanted: Wanted) -> None:
    from multibody.view.page import write_page

    write_page(run if thing is None else thing, wanted.path, run, overwrite=wanted.overwrite)


WRITERS: dict[str, Callable[[Trajectory, Any, Wanted], None]] = {
    ".mp4": _film(write_mp4), ".gif": _film(write_gif), ".glb": _model, ".html": _page,
}  # fmt: skip
