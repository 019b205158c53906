"""Triangles of a scene: gathered once with their normals, moved for each picture, clipped before the eye."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from multibody.model.shapes.colors import Colour
from multibody.view.scenes.placement import Poses, rotation_matrices
from multibody.view.scenes.scene import Scene
from multibody.view.scenes.triangles import Surface

# normals -------------------------------------------------------------------------------------------------------------

Vector = NDArray[np.float64]

CURVED, FLAT = np.cos(np.radians(50)), np.cos(np.radians(25))
"""The cosines of the angles up to which neighbours belong to the same smooth surface: in curved parts, and others."""

NEIGHBOURS = 64
"""Of the triangles around a vertex, so many count."""


@lru_cache(maxsize=512)  # links of a chain, and pictures of one robot, share their surfaces
def corner_normals(part: Surface) -> Vector:
    """A unit normal for each corner of each triangle: shape (triangles, 3, 3).

    It is the mean of the normals of the triangles around the vertex, by their areas, as far as the angle to that of the
    corner's own triangle is small. Vertices at the same place count as one.
    """
    a, b, c = np.moveaxis(part.vertices[part.faces], 1, 0)
    weighted = np.cross(b - a, c - a)
    unit = _unit(weighted)
    total = np.repeat(weighted[:, None], 3, axis=1).reshape(-1, 3)
    own = np.repeat(unit[:, None], 3, axis=1).reshape(-1, 3)
    for corner, other in _around(_merged(part).ravel()):
        near = np.einsum("ki,ki->k", own[corner], own[other]) > (CURVED if part.smooth else FLAT)
        total[corner[near]] += weighted[other[near] // 3]
    return _unit(total).reshape(-1, 3, 3)


def _merged(part: Surface) -> NDArray[np.int64]:
    """The faces, with one number for all vertices at the same place."""
    low = part.vertices.min(axis=0, initial=np.inf)
    grid = float((part.vertices - low).max(initial=0.0)) * 1e-6 or 1.0
    x, y, z = np.round((part.vertices - low) / grid).astype(np.int64).T  # up to a million, which 20 bits can hold
    _, number = np.unique((x << 40) | (y << 20) | z, return_inverse=True)
    return np.asarray(number).ravel()[part.faces]


def _around(vertex: NDArray[np.int64]) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """All pairs of different corners at one vertex, in bundles in which no corner is the first twice."""
    order = np.argsort(vertex, kind="stable")
    _, start, count = np.unique(vertex[order], return_index=True, return_counts=True)
    first, size = np.repeat(start, count), np.repeat(count, count)
    place = np.arange(len(order)) - first
    found = []
    for step in range(1, min(int(count.max(initial=1)), NEIGHBOURS)):
        here = np.flatnonzero(size > step)
        found.append((order[here], order[first[here] + (place[here] + step) % size[here]]))
    return found


def _unit(vectors: Vector) -> Vector:
    """Vectors of length one; those of length zero point along z."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.where(length > 0, vectors / np.where(length > 0, length, 1.0), [0.0, 0.0, 1.0])


# triangles of a scene ------------------------------------------------------------------------------------------------


class ScenePiece(NamedTuple):
    """A surface with its colour, and what moves it: the number of a place, or of a tie."""

    corners: Vector  # (triangles, 3, 3), in the coordinates of the place or of the tie
    normals: Vector
    colour: Colour
    place: int
    tie: bool


class Triangles(NamedTuple):
    """Corners (n, 3, 3) and their normals in the world's coordinates, and colours with opacity (n, 4)."""

    corners: Vector
    normals: Vector
    colours: Vector


def pieces(scene: Scene, layers: Collection[str]) -> tuple[ScenePiece, ...]:
    """All surfaces on these layers."""
    return (*_rigid(scene, layers), *_stretched(scene, layers))


def _rigid(scene: Scene, layers: Collection[str]) -> Iterator[ScenePiece]:
    for solid in scene.solids:
        if solid.layer in layers:
            turn, at = rotation_matrices(solid.pose.quaternion), solid.pose.position
            for part in solid.parts:
                one = _piece(part, solid.colour, solid.place, tie=False)
                yield one._replace(corners=one.corners @ turn.T + at, normals=one.normals @ turn.T)


def _stretched(scene: Scene, layers: Collection[str]) -> Iterator[ScenePiece]:
    for k, tie in enumerate(scene.ties):
        if tie.layer in layers:
            for part in tie.parts:
                yield _piece(part, tie.colour, k, tie=True)


def _piece(part: Surface, colour: Colour, place: int, *, tie: bool) -> ScenePiece:
    return ScenePiece(part.vertices[part.faces], corner_normals(part), part.colour or colour, place, tie)


def moved(scene: Scene, found: tuple[ScenePiece, ...], poses: Poses) -> Triangles:
    """The surfaces where the places are."""
    turns, ties = rotation_matrices(poses.quaternion), scene.stretched(poses)
    tie_turns = rotation_matrices(ties.quaternion)
    corners, normals = [np.zeros((0, 3, 3))], [np.zeros((0, 3, 3))]
    for piece in found:
        k = piece.place
        turn, at = (tie_turns[k], ties.position[k]) if piece.tie else (turns[k], poses.position[k])
        stretch = np.array([1.0, 1.0, ties.length[k] if piece.tie else 1.0])
        corners.append((piece.corners * stretch) @ turn.T + at)
        normals.append((piece.normals / np.maximum(stretch, 1e-12)) @ turn.T)
    colours = [np.zeros((0, 4)), *(np.tile(piece.colour, (len(piece.corners), 1)) for piece in found)]
    return Triangles(np.concatenate(corners), np.concatenate(normals), np.concatenate(colours))


# clipping ------------------------------------------------------------------------------------------------------------


def before_eye(triangles: Triangles, z: Vector, near: float) -> tuple[Triangles, Vector]:
    """What is before the eye; a triangle that reaches behind it is cut, into two where two corners are before it."""
    before = z > near
    number = before.sum(axis=1)
    if (number == 3).all():
        return triangles, z
    done = [(Triangles(*(array[number == 3] for array in triangles)), z[number == 3])]
    for alone, wanted in ((True, number == 1), (False, number == 2)):
        corner = np.argmax(before[wanted] == alone, axis=1)  # the one that stands alone, and the others after it
        turn = (corner[:, None] + np.arange(3)) % 3
        p, n = (np.take_along_axis(array[wanted], turn[..., None], axis=1) for array in triangles[:2])
        d, colours = np.take_along_axis(z[wanted], turn, axis=1), triangles.colours[wanted]
        done += [_cut(p, n, d, colours, near)] if alone else _cut_twice(p, n, d, colours, near)
    parts, depths = zip(*done, strict=True)
    return Triangles(*(np.concatenate(part) for part in zip(*parts, strict=True))), np.concatenate(depths)


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
