"""Triangles that reach behind the eye, cut where they come too near (Sutherland & Hodgman 1974)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from multibody.view.raster.surfaces import Triangles

Vector = NDArray[np.float64]


def before_eye(triangles: Triangles, z: Vector, near: float) -> tuple[Triangles, Vector]:
    """What is before the eye; a triangle that reaches behind it is cut, into two where two corners are before it."""
    before = z > near
    number = before.sum(axis=1)
    if (number == 3).all():
        return triangles, z
    done = [(Triangles(*(one[number == 3] for one in triangles)), z[number == 3])]
    for alone, wanted in ((True, number == 1), (False, number == 2)):
        corner = np.argmax(before[wanted] == alone, axis=1)  # the one that stands alone, and the others after it
        turn = (corner[:, None] + np.arange(3)) % 3
        p, n = (np.take_along_axis(one[wanted], turn[..., None], axis=1) for one in triangles[:2])
        d, colours = np.take_along_axis(z[wanted], turn, axis=1), triangles.colours[wanted]
        done += [_cut(p, n, d, colours, near)] if alone else _cut_twice(p, n, d, colours, near)
    parts, depths = zip(*done, strict=True)
    return Triangles(*(np.concatenate(one) for one in zip(*parts, strict=True))), np.concatenate(depths)


def _share(d: Vector, k: int, near: float) -> Vector:
    """Where the side from corner 0 to corner k crosses the plane that is ``near``."""
    return ((near - d[:, 0]) / (d[:, k] - d[:, 0]))[:, None]


def _between(x: Vector, k: int, share: Vector) -> Vector:
    return x[:, 0] + share * (x[:, k] - x[:, 0])


def _cut(p: Vector, n: Vector, d: Vector, colours: Vector, near: float) -> tuple[Triangles, Vector]:
    """The tip of triangles of which corner 0 alone is before the eye."""
    one, two = _share(d, 1, near), _share(d, 2, near)
    p, n = (np.stack([x[:, 0], _between(x, 1, one), _between(x, 2, two)], axis=1) for x in (p, n))
    return Triangles(p, n, colours), np.column_stack([d[:, 0], np.full((len(d), 2), near)])


def _cut_twice(p: Vector, n: Vector, d: Vector, colours: Vector, near: float) -> list[tuple[Triangles, Vector]]:
    """The rest of triangles of which corner 0 alone is behind the eye, as two triangles."""
    one, two = _share(d, 1, near), _share(d, 2, near)
    edge = np.full(len(d), near)
    left = [np.stack([_between(x, 1, one), x[:, 1], x[:, 2]], axis=1) for x in (p, n)]
    right = [np.stack([_between(x, 1, one), x[:, 2], _between(x, 2, two)], axis=1) for x in (p, n)]
    return [
        (Triangles(left[0], left[1], colours), np.column_stack([edge, d[:, 1], d[:, 2]])),
        (Triangles(right[0], right[1], colours), np.column_stack([edge, d[:, 2], edge])),
    ]
