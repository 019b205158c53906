"""Films: MP4 by ffmpeg, GIF by Pillow."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from multibody.errors import StorageError
from multibody.support.atomic_files import atomic_file
from multibody.support.optional_libraries import require_library
from multibody.view.animation.frames import AnimationFrames
from multibody.view.render.studio import Studio
from multibody.view.scenes.placement import Poses

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
