"""Normals at the corners of triangles: smooth where a surface is curved, and sharp at its edges."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from multibody.view.triangles import Part

Vector = NDArray[np.float64]

CURVED, FLAT = np.cos(np.radians(50)), np.cos(np.radians(25))
"""The cosines of the angles up to which neighbours belong to the same smooth surface: in curved parts, and others."""

NEIGHBOURS = 64
"""Of the triangles around a vertex, so many count."""


@lru_cache(maxsize=512)  # links of a chain, and pictures of one robot, share their surfaces
def corner_normals(part: Part) -> Vector:
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


def _merged(part: Part) -> NDArray[np.int64]:
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
