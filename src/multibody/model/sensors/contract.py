"""The contract that all sensors keep."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from multibody.algebra import Vec3
from multibody.model.body import Frame
from multibody.model.given import Given
from multibody.model.kinematics import Kinematics


class Sensor(Given, ABC):
    """Something that can be measured while the system moves.

    Attributes:
        unit: SI unit, as text.
        shape: of the measured value: ``()`` for a scalar, ``(3,)`` for a vector, ``(3, 3)`` for a matrix.
    """

    unit: str = ""
    shape: tuple[int, ...] = ()

    @abstractmethod
    def measure(self, kinematics: Kinematics) -> Any:
        """The measured value: an expression, or an array of expressions of the sensor's shape."""

    @property
    @abstractmethod
    def touches(self) -> tuple[object, ...]:
        """The frames and joints that it looks at, for checks."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(named(element) for element in self.touches)})"


def named(thing: object) -> str:
    """A frame or joint by its name, in quotes; anything else as Python shows it."""
    return repr(getattr(thing, "name", thing))


def given(*frames: Frame | None) -> tuple[object, ...]:
    """Those frames that are not left to their default."""
    return tuple(frame for frame in frames if frame is not None)


def in_axes(kinematics: Kinematics, vector: Vec3, of: Frame, axes: Frame) -> Vec3:
    """A vector with coordinates along the axes of ``of``, in coordinates along those of ``axes``."""
    return vector if of is axes else kinematics.pose(of, axes).vector_to_parent(vector)


def as_array(vector: Vec3) -> Any:
    """A vector as an array of three expressions."""
    return vector.symbolic().to_array()
