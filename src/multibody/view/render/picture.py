"""Still pictures, without a browser and without a graphics card."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multibody.errors import NumberError
from multibody.simulation import Trajectory
from multibody.support.files import destination, refuse_existing
from multibody.view.render.image_file import image_kind, write_image
from multibody.view.render.studio import Studio, configurations
from multibody.view.scenes.build import scene
from multibody.view.scenes.subject import inputs_at, values_for, with_run

Vector = NDArray[np.float64]
Image = NDArray[np.uint8]
Path = str | PathLike[str]


def picture(
    thing: Any, path: Path | None = None, *, q: Any = None, t: Any = 0.0, run: Trajectory | None = None,
    parameters: Mapping[str, float] | None = None, size: tuple[int, int] = (960, 640), camera: Any = None,
    layers: Collection[str] | None = None, overwrite: bool = False,
) -> Image:  # fmt: skip
    """A picture of a system, or of a moment of a run.

    Coordinates that leave loops open are changed until these are closed, as little as possible. With many rows of
    coordinates, or many times of a run, all are drawn in one picture: the earlier, the paler.

    Args:
        thing: a ``System``, ``Model``, robot, ``EquationsOfMotion`` or ``Trajectory``.
        path: a file to write, ``.png`` or ``.jpg``.
        q: coordinates: a list, or values by name; or many of these; by default those of the start, or of the run.
        t: the time, or many times of a run.
        run: what to take the coordinates from.
        parameters: values by name, where they are not the defaults; a run brings its own.
        size: width and height, in pixels.
        camera: a direction to look from, three numbers; or eye and target, and perhaps what is up, three numbers each;
            by default all is seen.
        layers: what to show: "drawings", "skeleton", "joints", "frames", "masses", "ground"; by default what was drawn,
            or else the skeleton, on the ground.
        overwrite: whether a file of this name may be replaced.

    Returns:
        Red, green and blue of each pixel, from 0 to 255: an array of shape (height, width, 3).

    Example:
        >>> import multibody as mb
        >>> from multibody.view import picture
        >>> pendulum = mb.System("pendulum")
        >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", 1, (0, 0, -1)), "Ry")
        >>> picture(pendulum, q={"angle": 0.5}, size=(300, 200)).shape
        (200, 300, 3)
    """
    file = None if path is None else destination(path, "picture(system, 'picture.png')")
    if file is not None:  # refused before anything is computed
        image_kind(str(file))
        refuse_existing(file, overwrite)
    run = thing if run is None and isinstance(thing, Trajectory) else run
    shown = with_run(thing, run)
    t = _times(t, f"picture of system '{shown.model.name}'")
    values = values_for(run, parameters)
    seen = scene(shown, values)
    if run is not None and q is None:
        rows, inputs = np.atleast_2d(run.at(t).q), inputs_at(run, t)
    else:
        rows, inputs = configurations(shown.model, q, values, t), None
    poses = seen.poses(np.broadcast_to(t, len(rows)), rows, inputs)
    studio = Studio(seen, poses, size, camera, layers)
    image = studio.picture(poses)
    if file is not None:
        write_image(image, str(file), overwrite)
    return image


def _times(t: Any, where: str) -> Vector:
    """A time, or a list of them."""
    try:
        found = np.asarray(t, dtype=float)
    except (TypeError, ValueError):
        found = np.full(1, np.nan)
    if found.ndim > 1 or not found.size or not np.isfinite(found).all():
        raise NumberError(
            f"{t!r:.80} is not a time.", code="time-invalid", where=where, remedy="Give seconds, or a list of them."
        )
    return found
