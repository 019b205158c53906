"""A tree in layers: where its nodes stand, so that none covers another. Lengths are in inches."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from math import dist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class LayoutPoint(NamedTuple):
    """Where something stands; y grows upwards."""

    x: float
    y: float


def layered(
    root: Hashable, branches: Sequence[tuple[Hashable, Hashable]], widths: Mapping[Hashable, float], height: float
) -> dict[Hashable, LayoutPoint]:
    """The root at the top, and every node in the middle above what it carries.

    Subtrees are moved together until they touch in a layer (E. Reingold, J. Tilford: Tidier drawings of trees, 1981).

    Args:
        root: the node at the top.
        branches: pairs of a node and one that it carries; the node has been named before.
        widths: what each node needs for itself.
        height: from layer to layer.

    Example:
        >>> layered("a", [("a", "b"), ("a", "c")], {"a": 1, "b": 2, "c": 1}, 1.0)
        {'a': LayoutPoint(x=0.0, y=0.0), 'b': LayoutPoint(x=-0.75, y=-1.0), 'c': LayoutPoint(x=0.75, y=-1.0)}
    """
    carried: dict[Hashable, list[Hashable]] = {}
    for inner, outer in branches:
        carried.setdefault(inner, []).append(outer)
    outlines: dict[Hashable, Outline] = {}
    shifts: dict[Hashable, float] = {root: 0.0}
    for node in [*(outer for _, outer in reversed(branches)), root]:  # what is carried comes first
        below = carried.get(node, [])
        places, outlines[node] = _side_by_side([outlines.pop(child) for child in below])
        outlines[node].append((-widths[node] / 2, widths[node] / 2))
        shifts |= dict(zip(below, places, strict=True))
    found = {root: LayoutPoint(0.0, 0.0)}
    for inner, outer in branches:
        found[outer] = LayoutPoint(found[inner].x + shifts[outer], found[inner].y - height)
    return found


Outline = list[tuple[float, float]]
"""How far a subtree reaches to the left and to the right of its root, for each of its layers; the root is the last."""


def _side_by_side(parts: Sequence[Outline]) -> tuple[list[float], Outline]:
    """Where subtrees stand, the first as far to the left as the last to the right, and the outline of all."""
    if len(parts) == 1:
        return [0.0], parts[0]  # a chain is as wide as it was
    places: list[float] = []
    whole: Outline = []
    for part in (part[::-1] for part in parts):
        x = max((right - left for (_, right), (left, _) in zip(whole, part, strict=False)), default=0.0)
        moved = [(left + x, right + x) for left, right in part]
        both = [(old[0], new[1]) for old, new in zip(whole, moved, strict=False)]
        whole = both + whole[len(both) :] + moved[len(both) :]
        places.append(x)
    middle = (places[0] + places[-1]) / 2 if places else 0.0
    return [x - middle for x in places], [(left - middle, right - middle) for left, right in whole[::-1]]


class LayoutBox(NamedTuple):
    """A rectangle that something needs: its middle, its width and its height."""

    x: float
    y: float
    width: float
    height: float


class Route(NamedTuple):
    """An arc from a to b whose control point is their middle + curvature·(dy, -dx), and a place for its name."""

    a: LayoutPoint
    b: LayoutPoint
    curvature: float
    name: LayoutPoint

    def points(self) -> NDArray[np.float64]:
        """Points along the arc."""
        return _arc(self.a, self.b, self.curvature)


BENDS = (0.12, 0.25, 0.4, 0.6, 0.85, 1.15)
"""How far the control points of arcs are off the straight way, relative to its length."""

_ALONG = np.linspace(0.0, 1.0, 33)


def routed(a: LayoutPoint, b: LayoutPoint, size: tuple[float, float], boxes: Sequence[LayoutBox]) -> Route:
    """An arc between two places that passes by the boxes, with a name on it that covers none of them, if possible.

    Args:
        a: where it begins, in the middle of a box.
        b: where it ends.
        size: width and height of the name.
        boxes: what stands there already.
    """
    taken = np.array(boxes).reshape(-1, 4)
    foreign = taken[[not ({(box.x, box.y)} & {(a.x, a.y), (b.x, b.y)}) for box in boxes]]
    options = []
    for curvature in (sign * bend for bend in BENDS for sign in (1, -1)):
        points = _arc(a, b, curvature)
        crossed = np.count_nonzero(_overlaps(points, (0.0, 0.0), foreign).max(axis=1, initial=0.0))
        covered = 40 * _overlaps(points, size, taken).sum(axis=1) + 3 * abs(_ALONG - 0.5)
        best = int(covered[6:-6].argmin()) + 6  # a name stands away from the ends
        cost = crossed + covered[best] + (2 + dist(a, b)) * abs(curvature)
        options.append((float(cost), curvature, LayoutPoint(*map(float, points[best]))))
    _, curvature, name = min(options)
    return Route(a, b, curvature, name)


def _arc(a: LayoutPoint, b: LayoutPoint, curvature: float) -> NDArray[np.float64]:
    """The parabola from a to b with its control point beside the middle."""
    t, start, end = _ALONG[:, None], np.array(a), np.array(b)
    way = end - start
    control = (start + end) / 2 + curvature * np.array([way[1], -way[0]])
    return np.asarray((1 - t) ** 2 * start + 2 * t * (1 - t) * control + t**2 * end)


def _overlaps(points: NDArray[np.float64], size: tuple[float, float], boxes: NDArray[np.float64]) -> Any:
    """How much rectangles of a size around the points share with the boxes: from 0 to 1 for each side, multiplied."""
    overlap = (boxes[None, :, 2:] + np.array(size)) / 2 - abs(points[:, None, :] - boxes[None, :, :2])
    return np.clip(overlap / (np.array(size) + 1e-9), 0.0, 1.0).prod(axis=2)
