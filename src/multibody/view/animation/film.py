"""``animate``: a run as a film (MP4 by ffmpeg, GIF by Pillow), or as a model that moves."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Collection, Iterator
from os import PathLike
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from multibody.errors import StorageError
from multibody.simulation import Trajectory
from multibody.support.files import atomic_file, destination, refuse_existing
from multibody.support.optional_libraries import require_library
from multibody.view.animation.frames import AnimationFrames, motion
from multibody.view.animation.glb import write_glb
from multibody.view.render.studio import Studio
from multibody.view.scenes.placement import Poses
from multibody.view.scenes.subject import require_run

Image = NDArray[np.uint8]

QUALITY = "18"
"""ffmpeg's constant rate factor: differences can hardly be seen."""

SAMPLES = 8
"""Frames from which the colours of a GIF are chosen."""


def frames(moving: AnimationFrames, studio: Studio) -> Iterator[Image]:
    """One picture after the other."""
    for position, quaternion in zip(*moving.poses, strict=True):
        yield studio.picture(Poses(position, quaternion))


# MP4 -----------------------------------------------------------------------------------------------------------------


def write_mp4(
    moving: AnimationFrames,
    path: Path,
    size: tuple[int, int],
    camera: Any,
    layers: Collection[str] | None,
    *,
    overwrite: bool,
) -> None:
    """A film that plays everywhere; its width and height are even, as that demands."""
    program = require_library("imageio_ffmpeg", "view").get_ffmpeg_exe()
    studio = Studio(moving.scene, moving.poses, size, camera, layers)
    even = tuple(length + length % 2 for length in studio.size)
    padding = [(0, even[1] - studio.size[1]), (0, even[0] - studio.size[0]), (0, 0)]
    with tempfile.TemporaryDirectory() as folder, atomic_file(path, overwrite) as stream:
        film = Path(folder) / "film.mp4"
        with _encoder(_command(program, even, moving.fps, film), str(path)) as pipe:
            for frame in frames(moving, studio):
                pipe.write(np.pad(frame, padding, mode="edge").tobytes())
        with film.open("rb") as made:
            shutil.copyfileobj(made, stream)


def _command(program: str, size: tuple[int, ...], fps: float, film: Path) -> list[str]:
    return [
        program, "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{size[0]}x{size[1]}",
        "-r", f"{fps:.6f}", "-i", "-", "-an", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", QUALITY,
        "-movflags", "+faststart", "-y", str(film),
    ]  # fmt: skip


@contextlib.contextmanager
def _encoder(command: list[str], path: str) -> Iterator[IO[bytes]]:
    """The end of a pipe to a program that must succeed; it never outlives this."""
    with tempfile.TemporaryFile() as complaints:
        process = subprocess.Popen(  # noqa: S603 - ours, without a shell
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=complaints
        )
        assert process.stdin is not None
        try:
            with contextlib.suppress(BrokenPipeError):  # it says why, below
                yield process.stdin
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()
            process.wait()
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
            with contextlib.suppress(OSError):
                process.stdin.close()
        complaints.seek(0)
        said = complaints.read(2000).decode("utf-8", "replace").strip()
    if process.returncode:
        raise StorageError(
            "ffmpeg could not make the film; nothing was written.",
            code="film-not-written",
            where=path,
            cause=said or f"It ended with code {process.returncode}.",
            remedy="Check the size of the film and the free space on the disk, or write a .gif or .glb.",
        )


# GIF -----------------------------------------------------------------------------------------------------------------


def write_gif(
    moving: AnimationFrames,
    path: Path,
    size: tuple[int, int],
    camera: Any,
    layers: Collection[str] | None,
    *,
    overwrite: bool,
) -> None:
    """A film without end, in 256 colours that are chosen for all of it."""
    pillow = require_library("PIL.Image", "view")
    studio = Studio(moving.scene, moving.poses, size, camera, layers)
    palette = _palette(pillow, moving, studio)
    pages = (
        pillow.fromarray(frame).quantize(palette=palette, dither=pillow.Dither.NONE)
        for frame in frames(moving, studio)
    )  # fmt: skip
    with atomic_file(path, overwrite) as stream:
        next(pages).save(
            stream, "GIF", save_all=True, append_images=pages, duration=_durations(moving), loop=0, optimize=False
        )


def _palette(pillow: Any, moving: AnimationFrames, studio: Studio) -> Any:
    chosen = np.unique(np.linspace(0, len(moving.times) - 1, SAMPLES).astype(int))
    some = [studio.picture(Poses(*(array[k] for array in moving.poses)))[::2, ::2] for k in chosen]
    return pillow.fromarray(np.concatenate(some)).quantize(256, method=pillow.Quantize.MEDIANCUT)


def _durations(moving: AnimationFrames) -> list[int]:
    """How long each frame is shown, in milliseconds: hundredths of a second, whose sum stays right."""
    ends = np.rint(100 * np.arange(len(moving.times) + 1) / moving.fps).astype(int)
    return [10 * int(duration) for duration in np.maximum(np.diff(ends), 1)]


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
