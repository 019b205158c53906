"""SymPy's frames, vectors, points and dyadics as expressions.

SymPy keeps what its user said: orientations and angular velocities between neighbouring frames, places between
neighbouring points, velocities of some points. All else it works out when asked, in long expressions. Here only what
was said is read, and the rest worked out in the graph, by the same rules.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from itertools import pairwise
from types import FunctionType
from typing import Any

import numpy as np

from multibody.compat.sympy.kinematics import SympyKinematics
from multibody.errors import ModelError
from multibody.graph import ONE, ZERO, array, product
from multibody.graph.linear_algebra import Matrix


class Geometry:
    """Everything in the axes of one frame.

    Args:
        world: the SymPy frame that stands still.
        kinematics: reads expressions, and differentiates them.
    """

    def __init__(self, world: Any, kinematics: SympyKinematics) -> None:
        self.world = world
        self._read, self._change = kinematics.read, kinematics.change
        self._way = _ways_to(world)
        self._velocities: dict[Any, Matrix] = {}
        self._turns: dict[tuple[Any, Any], Matrix] = {}
        self._places: dict[tuple[Any, Any], Matrix] = {}
        self._steps: dict[tuple[Any, Any], Matrix] = {}
        self._rotations: dict[tuple[Any, Any], Matrix] = {}

    def knows(self, frame: Any) -> bool:
        """Whether the orientation of a frame is known."""
        return frame in self._way or frame is self.world

    def rotation(self, frame: Any, seen_from: Any = None) -> Matrix:
        """The matrix that maps components in a frame to those in another one, by default the world.

        Only what lies between the two is multiplied: rounded cosines, times their own transpose, are not quite one.
        """
        base = self.world if seen_from is None else seen_from
        if (base, frame) not in self._rotations:
            inward, outward = self.to_world(base), self.to_world(frame)
            while len(inward) > 1 and len(outward) > 1 and inward[-2] is outward[-2]:
                inward.pop()
                outward.pop()
            matrix = _identity()
            for inner, outer in pairwise(inward):
                matrix = product(matrix, self._step(outer, inner).T)
            for outer, inner in pairwise(reversed(outward)):
                matrix = product(matrix, self._step(outer, inner))
            self._rotations[base, frame] = matrix
        return self._rotations[base, frame]

    def to_world(self, frame: Any) -> list[Any]:
        """The frames on the way to the world."""
        way = [frame]
        while way[-1] is not self.world:
            if way[-1] not in self._way:
                raise self._lost(frame)
            way.append(self._way[way[-1]])
        return way

    def _step(self, outer: Any, inner: Any) -> Matrix:
        if (outer, inner) not in self._steps:
            self._steps[outer, inner] = self._matrix(outer.dcm(inner))
        return self._steps[outer, inner]

    def vector(self, vector: Any, frame: Any = None) -> Matrix:
        """The components of a vector in the axes of a frame, by default the world."""
        total = array([ZERO] * 3)
        axes = self.world if frame is None else frame
        for column, own in getattr(vector, "args", ()):
            c = array([self._read(entry) for entry in column.flat()])
            total = total + (c if own is axes else product(self.rotation(own, axes), c))
        return total

    def tensor(self, dyadic: Any, frame: Any) -> Matrix:
        """The components of a dyadic in the axes of a frame."""
        total = np.full((3, 3), ZERO, dtype=object)
        for factor, left, right in getattr(dyadic, "args", ()):
            a, b = self.vector(left, frame), self.vector(right, frame)
            total = total + product(a[:, None] * self._read(factor), b[None, :])
        return total

    def angular_velocity(self, frame: Any, axes: Any = None) -> Matrix:
        """Of a frame, in the axes of another one, by default the world."""
        if (frame, axes) not in self._turns:
            way = _path(frame, self.world, lambda one: one._ang_vel_dict)
            if way is None:
                raise self._lost(frame, "angular velocity")
            self._turns[frame, axes] = self._turning(way, axes)
        return self._turns[frame, axes]

    def _turning(self, way: list[Any], axes: Any) -> Matrix:
        """That of the next frame on the way to the world, and what is added to it."""
        if len(way) == 1:
            return array([ZERO] * 3)
        frame, base = way[:2]
        own = self.vector(frame._ang_vel_dict[base], axes)
        if axes is frame and self.knows(base):
            return product(self.rotation(base, frame), self.angular_velocity(base, base)) + own
        return self.angular_velocity(base, axes) + own

    def velocity(self, point: Any) -> Matrix:
        """Of a point, in the world's axes: as it was said, or from the nearest point whose velocity is known."""
        if point not in self._velocities:
            if self.world in point._vel_dict:
                self._velocities[point] = self.vector(point.vel(self.world))
            else:
                self._velocities[point] = self._relative_velocity(point)
        return self._velocities[point]

    def _relative_velocity(self, point: Any) -> Matrix:
        known = lambda one: self.world in one._vel_dict or one in self._velocities  # noqa: E731
        way = _path(point, known, self._placed)
        if way is None:
            raise self._lost(point, "velocity")
        total = self.velocity(way[-1])
        for other, one in pairwise(reversed(way)):
            total = total + self._derivative(one._pos_dict[other])
            if one is not point:
                self._velocities.setdefault(one, total)
        return total

    def _derivative(self, vector: Any) -> Matrix:
        """d/dt of a vector as the world sees it: ċ + Ω × c for its components c in each frame."""
        total = array([ZERO] * 3)
        for column, frame in vector.args:
            c = array([self._read(entry) for entry in column.flat()])
            moved = array(self._change(list(c))) + cross(self.angular_velocity(frame, frame), c)
            total = total + product(self.rotation(frame), moved)
        return total

    def position(self, point: Any, origin: Any) -> Matrix | None:
        """Of a point from another one, in the world's axes; None if SymPy knows no way between them."""
        way = _path(point, origin, self._placed)
        if way is None:
            return None
        total = array([ZERO] * 3)
        for other, one in pairwise(reversed(way)):
            if (one, origin) not in self._places:
                self._places[one, origin] = total + self.vector(one._pos_dict[other])
            total = self._places[one, origin]
        return total

    def points_between(self, point: Any, origin: Any) -> list[Any]:
        """The points on the shortest way to another one, both included; empty if there is no way."""
        return _path(point, origin, self._placed) or []

    def on_the_way(self, point: Any, origin: Any) -> list[Any]:
        """The frames that the places between two points are written in."""
        way = _path(point, origin, self._placed) or [point]
        places = [one._pos_dict[other] for other, one in pairwise(reversed(way))]
        return list(dict.fromkeys(frame for place in places for _, frame in place.args))

    def _placed(self, point: Any) -> Iterable[Any]:
        """The points that a point has a place from, in frames that are connected to the world."""
        return [other for other, place in point._pos_dict.items() if all(self.knows(frame) for _, frame in place.args)]

    def _matrix(self, matrix: Any) -> Matrix:
        return array([[self._read(matrix[i, j]) for j in range(3)] for i in range(3)])

    def _lost(self, thing: Any, what: str = "orientation") -> ModelError:
        return ModelError(
            f"The {what} of '{thing}' in '{self.world}' is not known.",
            cause="SymPy has no definition of it, nor of anything that it follows from.",
            remedy="Orient the frame, or set the velocity of the point, in SymPy.",
            code="motion-unknown",
            name=str(thing),
        )


def cross(a: Matrix, b: Matrix) -> Matrix:
    """a × b."""
    return array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def _path(start: Any, goal: Any, neighbours: Callable[[Any], Iterable[Any]]) -> list[Any] | None:
    """The shortest way to a thing, or to the first one that a question says yes to; None if there is none."""
    found = goal if isinstance(goal, FunctionType) else lambda one: one is goal
    ways = deque([[start]])
    seen = {start}
    while ways:
        way = ways.popleft()
        if found(way[-1]):
            return way
        for other in neighbours(way[-1]):
            if other not in seen:
                seen.add(other)
                ways.append([*way, other])
    return None


def _ways_to(world: Any) -> dict[Any, Any]:
    """For every frame that is connected to the world, its neighbour on the shortest way there."""
    way: dict[Any, Any] = {}
    pending = deque([world])
    while pending:
        frame = pending.popleft()
        for other in frame._dcm_dict:  # the neighbours, which SymPy keeps to itself
            if other is not world and other not in way:
                way[other] = frame
                pending.append(other)
    return way


def _identity() -> Matrix:
    return array([[ONE if i == j else ZERO for j in range(3)] for i in range(3)])
