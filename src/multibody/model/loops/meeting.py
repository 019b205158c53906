"""The point where a loop is closed: the origins of two frames meet there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from multibody.algebra import ForceMotor, Vec3
from multibody.model.body import Frame
from multibody.model.constraints import Constraint, Equation
from multibody.model.kinematics import ZERO3, Kinematics
from multibody.model.loops.way import Way


class Directions(NamedTuple):
    """Directions in which the start and the end of a way meet, by name: constant in the axes of the end.

    They may have any length; the force that keeps the frames together is the multiplier times a direction.
    """

    way: Way
    vectors: Mapping[str, Vec3]


class Meeting(Constraint):
    """Two frames whose origins coincide in some directions.

    The directions are those in which the loop's equations are easy to solve: a movement of the loop changes as few of
    them as possible. So h_v, which is inverted for B_vu = -h_v⁻¹·h_u, is triangular, and singular at dead points only.

    Args:
        first: a frame at one end of the loop.
        second: a frame at the other end.
        directions: what holds them together.
    """

    def __init__(self, first: Frame, second: Frame, directions: Callable[[Kinematics], Directions]) -> None:
        self.first = first
        self.second = second
        self._directions = directions

    def equations(self, kinematics: Kinematics) -> Sequence[Equation]:
        """One for each direction."""
        way, vectors = self._directions(kinematics)
        pose = kinematics.pose(way.end, way.start)
        offset = pose.vector_to_child(pose.position)
        return [
            Equation.between(kinematics, name, way.end, way.start, ForceMotor(along, ZERO3), along.dot(offset))
            for name, along in vectors.items()
        ]

    @property
    def touches(self) -> tuple[object, ...]:
        """Both frames."""
        return self.first, self.second
