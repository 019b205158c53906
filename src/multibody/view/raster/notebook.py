"""Scenes as pictures in a notebook."""

from __future__ import annotations

from io import BytesIO

from multibody.simulate.optional import library
from multibody.view.raster.picture import configurations
from multibody.view.raster.studio import Studio
from multibody.view.scenes import Scene

SIZE = (720, 480)


def scene_png(scene: Scene) -> bytes:
    """The start of a scene as a PNG file, with all loops closed.

    Example:
        >>> import multibody as mb
        >>> from multibody.view import scene
        >>> scene_png(scene(mb.library.pendulum()))[1:4]
        b'PNG'
    """
    names = (one.name for one in scene.model.parameter_symbols)
    rows = configurations(scene.model, None, dict(zip(names, map(float, scene.parameters), strict=True)))
    poses = scene.poses(0.0, rows[0])
    stream = BytesIO()
    library("PIL.Image", "view").fromarray(Studio(scene, poses, SIZE).picture(poses)).save(stream, "PNG")
    return stream.getvalue()
