"""Shapes as surfaces made of triangles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import combinations, pairwise, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multibody.model.shapes import shapes
from multibody.model.shapes.colors import Colour

SECTIONS = 40  # of a circle
AXES: tuple[Colour, ...] = ((0.84, 0.15, 0.16, 1.0), (0.17, 0.63, 0.17, 1.0), (0.12, 0.40, 0.80, 1.0))
X_TO_Z = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])  # maps (0, 0, 1) to (1, 0, 0)


@dataclass(frozen=True, eq=False)
class Surface:
    """A surface.

    Attributes:
        vertices: a row for each, in metres.
        faces: three numbers of vertices for each triangle, counterclockwise from outside.
        colour: its own, or None for the colour of the whole.
        smooth: whether it is curved, so that normals are to be averaged over its triangles.
    """

    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]
    colour: Colour | None = None
    smooth: bool = False

    def moved(self, rotation: Any, position: Any = (0.0, 0.0, 0.0)) -> Surface:
        """The same surface, turned and then moved."""
        return replace(self, vertices=self.vertices @ np.asarray(rotation).T + np.asarray(position))

    def scaled(self, factors: Any) -> Surface:
        """The same surface, larger or smaller; mirrored ones are turned inside out again."""
        if np.all(np.asarray(factors) == 1):
            return self
        mirrored = np.prod(factors) < 0
        faces = self.faces[:, ::-1] if mirrored else self.faces
        return replace(self, vertices=self.vertices * np.asarray(factors, dtype=float), faces=faces)


def parts(shape: shapes.Shape, sizes: dict[str, float], thin: float) -> tuple[Surface, ...]:
    """The surfaces of a rigid shape in its own frame; meshes from files are read by ``mesh_files``.

    Args:
        shape: what it is.
        sizes: its lengths as numbers, by name.
        thin: the radius of lines.
    """
    return _MAKERS[type(shape)](shape, sizes, thin)


def tie_parts(shape: shapes.Shape, sizes: dict[str, float], thin: float) -> tuple[Surface, ...]:
    """The surfaces of a shape that is stretched: along z from 0 to 1."""
    whole = {**sizes, "length": 1.0}
    kind = shapes.Cylinder if isinstance(shape, shapes.Capsule) else type(shape)
    made = _MAKERS[kind](shape, whole, thin)
    if kind in {shapes.Line, shapes.Arrow}:
        return tuple(surface.moved(X_TO_Z.T) for surface in made)
    return tuple(surface.moved(np.eye(3), (0.0, 0.0, 0.5)) for surface in made)


def _revolved(radii: Any, heights: Any) -> Surface:
    """A closed surface about z: circles of the given radii at the given heights, upward, from one pole to the other.

    Each pair of neighbours is joined by two triangles per section, of which one is nothing at a pole.
    """
    angle = np.linspace(0.0, 2 * np.pi, SECTIONS, endpoint=False)
    vertices: list[Any] = []
    rings = []
    for r, z in zip(radii, heights, strict=True):
        turn = angle if r > 0 else angle[:1]
        rings.append(np.broadcast_to(len(vertices) + np.arange(len(turn)), SECTIONS))
        vertices += np.stack([r * np.cos(turn), r * np.sin(turn), np.full(len(turn), z)], axis=1).tolist()
    pairs = [(low, np.roll(low, -1), high, np.roll(high, -1)) for low, high in pairwise(rings)]
    lower = np.concatenate([np.stack([a, b, d], axis=1) for a, b, _, d in pairs if a[0] != b[0]])
    upper = np.concatenate([np.stack([a, d, c], axis=1) for a, _, c, d in pairs if c[0] != d[0]])
    return Surface(np.array(vertices), np.concatenate([lower, upper]), None, smooth=True)


def _divided_icosahedron(times: int) -> Surface:
    """A sphere: the triangles of an icosahedron, each divided into four, again and again."""
    golden = (1 + 5**0.5) / 2
    points = [np.roll((0, a, b * golden), k) for k in range(3) for a in (-1, 1) for b in (-1, 1)]
    triples = np.array(list(combinations(points, 3)))
    edges = np.linalg.norm(triples - np.roll(triples, 1, axis=1), axis=2)
    corners = triples[np.abs(edges - 2).max(axis=1) < 0.1]  # neighbours are at a distance of 2
    inward = np.linalg.det(corners) < 0
    corners[inward] = corners[inward, ::-1]
    for _ in range(times):
        corners = corners / np.linalg.norm(corners, axis=2, keepdims=True)
        a, b, c = np.moveaxis(corners, 1, 0)
        ab, bc, ca = (middle / np.linalg.norm(middle, axis=1, keepdims=True) for middle in (a + b, b + c, c + a))
        quarters = ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))
        corners = np.concatenate([np.stack(quarter, axis=1) for quarter in quarters])
    vertices, faces = np.unique(corners.reshape(-1, 3).round(12) + 0.0, axis=0, return_inverse=True)
    return Surface(vertices, faces.reshape(-1, 3), None, smooth=True)


@cache
def _unit(name: str) -> Surface:
    """A box, sphere or cylinder of size one, made once; all others are scaled."""
    match name:
        case "box":
            corners = np.array(list(product((-0.5, 0.5), repeat=3)))
            sides = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
            return Surface(corners, np.array([half for a, b, c, d in sides for half in ((a, b, c), (a, c, d))]))
        case "ball":
            return _divided_icosahedron(3)
        case _:
            return _revolved([0.0, 1.0, 1.0, 0.0], [-0.5, -0.5, 0.5, 0.5])


@lru_cache(maxsize=256)
def box(x: float, y: float, z: float) -> Surface:
    """A box about the origin."""
    return _unit("box").scaled((x, y, z))


@lru_cache(maxsize=256)
def ball(radius: float) -> Surface:
    """A sphere about the origin."""
    return _unit("ball").scaled((radius, radius, radius))


@lru_cache(maxsize=256)
def rod(radius: float, length: float) -> Surface:
    """A cylinder about z with its centre at the origin."""
    return _unit("rod").scaled((radius, radius, length))


def _box(_: Any, sizes: dict[str, float], thin: float) -> tuple[Surface, ...]:
    return (box(sizes["x"], sizes["y"], sizes["z"]),)


def _sphere(_: Any, sizes: dict[str, float], thin: float) -> tuple[Surface, ...]:
    return (ball(sizes["radius"]),)


def _ellipsoid(_: Any, sizes: dict[str, float], thin: float) -> tuple[Surface, ...]:
    return (ball(1.0).scaled((sizes["x"], sizes["y"], sizes["z"])),)


def _cylinder(_: Any, sizes: dict[str, float], thin: float) -> tuple[Surface, ...]:
    return (rod(sizes["radius"], sizes["length"]),)


def _cone(_: Any, sizes: dict[str, float], thin: float) -> tuple[Surface, ...]:
    half = sizes["length"] / 2
    return (_revolved([0.0, sizes["radius"], 0.0], [-half, -half, half]),)


def _capsule(_: Any, sizes: dict[str, float], thin: float) -> tuple[Surface, ...]:
    radius, half = sizes["radius"], sizes["length"] / 2
    angle = np.linspace(0.0, np.pi / 2, SECTIONS // 4 + 1)
    round_end, rise = radius * np.cos(angle[:-1]), radius * np.sin(angle)
    return (_revolved([0.0, *round_end[::-1], *round_end, 0.0], [*(-half - rise[::-1]), *(half + rise)]),)


def _line(_: Any, sizes: dict[str, float], thin: float) -> tuple[Surface, ...]:
    length = sizes["length"]
    return (rod(thin, length).moved(X_TO_Z, (length / 2, 0.0, 0.0)),)


def _arrow(_: Any, sizes: dict[str, float], thin: float) -> tuple[Surface, ...]:
    length = sizes["length"]
    head = min(8 * thin, 0.4 * length)
    shaft = rod(thin, length - head).moved(X_TO_Z, ((length - head) / 2, 0.0, 0.0))
    tip = _revolved([0.0, 3 * thin, 0.0], [0.0, 0.0, head])
    return shaft, tip.moved(X_TO_Z, (length - head, 0.0, 0.0))


def _axes(_: Any, sizes: dict[str, float], thin: float) -> tuple[Surface, ...]:
    along_x = _line(_, sizes, thin)[0]
    turns = (np.eye(3), np.roll(np.eye(3), 1, axis=0), np.roll(np.eye(3), 2, axis=0))  # x to y, x to z
    return tuple(replace(along_x.moved(turn), colour=colour) for turn, colour in zip(turns, AXES, strict=True))


def _plane(_: Any, sizes: dict[str, float], thin: float) -> tuple[Surface, ...]:
    half = np.array([sizes["x"] / 2, sizes["y"] / 2, 0.0])
    corners = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]) * half
    return (Surface(corners, np.array([[0, 1, 2], [0, 2, 3], [0, 2, 1], [0, 3, 2]])),)  # seen from both sides


def _coil(shape: Any, sizes: dict[str, float], thin: float) -> tuple[Surface, ...]:
    """A tube along a helix: rings of points in the planes across it."""
    steps, around = 20 * shape.turns, 8
    angle = np.linspace(0.0, 2 * np.pi * shape.turns, steps + 1)
    radius, length, wire = sizes["radius"], sizes["length"], sizes["wire"]
    outward = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=-1)
    middle = radius * outward + np.stack([0 * angle, 0 * angle, length * (angle / angle[-1] - 0.5)], axis=-1)
    upward = np.broadcast_to([0.0, 0.0, 1.0], middle.shape)
    turn = np.linspace(0.0, 2 * np.pi, around, endpoint=False)[None, :, None]
    rings = middle[:, None] + wire * (np.cos(turn) * outward[:, None] + np.sin(turn) * upward[:, None])
    k = np.arange(steps * around)
    here, beside = k, k // around * around + (k + 1) % around
    faces = np.concatenate([np.stack([here, here + around, beside], 1),
                            np.stack([beside, here + around, beside + around], 1)])  # fmt: skip
    return (Surface(rings.reshape(-1, 3), faces[:, ::-1], None, smooth=True),)


_MAKERS: dict[type, Callable[[Any, dict[str, float], float], tuple[Surface, ...]]] = {
    shapes.Box: _box, shapes.Sphere: _sphere, shapes.Ellipsoid: _ellipsoid, shapes.Cylinder: _cylinder,
    shapes.Cone: _cone, shapes.Capsule: _capsule, shapes.Line: _line, shapes.Arrow: _arrow, shapes.Axes: _axes,
    shapes.Plane: _plane, shapes.Coil: _coil,
}  # fmt: skip
