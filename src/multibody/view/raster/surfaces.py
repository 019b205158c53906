"""The triangles of a scene: gathered once, and moved for each picture."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from multibody.model.colours import Colour
from multibody.view.placement import Poses, rotation_matrices
from multibody.view.raster.normals import corner_normals
from multibody.view.scenes import Scene
from multibody.view.triangles import Part

Vector = NDArray[np.float64]


class Piece(NamedTuple):
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


def pieces(scene: Scene, layers: Collection[str]) -> tuple[Piece, ...]:
    """All surfaces on these layers."""
    return (*_rigid(scene, layers), *_stretched(scene, layers))


def _rigid(scene: Scene, layers: Collection[str]) -> Iterator[Piece]:
    for solid in scene.solids:
        if solid.layer in layers:
            turn, at = rotation_matrices(solid.pose.quaternion), solid.pose.position
            for part in solid.parts:
                one = _piece(part, solid.colour, solid.place, tie=False)
                yield one._replace(corners=one.corners @ turn.T + at, normals=one.normals @ turn.T)


def _stretched(scene: Scene, layers: Collection[str]) -> Iterator[Piece]:
    for k, tie in enumerate(scene.ties):
        if tie.layer in layers:
            for part in tie.parts:
                yield _piece(part, tie.colour, k, tie=True)


def _piece(part: Part, colour: Colour, place: int, *, tie: bool) -> Piece:
    return Piece(part.vertices[part.faces], corner_normals(part), part.colour or colour, place, tie)


def moved(scene: Scene, found: tuple[Piece, ...], poses: Poses) -> Triangles:
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
