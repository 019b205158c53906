"""Sensors of the pose of a frame: position, orientation."""

from __future__ import annotations

from typing import Any

from multibody.model.body import Frame
from multibody.model.kinematics import Kinematics
from multibody.model.sensors.contract import Sensor, as_array, given, in_axes


class Position(Sensor):
    """The vector from the origin of one frame to the origin of another.

    PyMbs' ``Position(CS1, CS2, CSref)`` is ``Position(CS2, relative_to=CS1, expressed_in=CSref)``.

    Args:
        frame: where the vector ends.
        relative_to: where it begins; by default in the world's origin.
        expressed_in: the frame whose axes give the three coordinates; by default those of ``relative_to``.

    Example:
        >>> from multibody.model import System
        >>> crane = System("crane")
        >>> crab = crane.body("crab", mass=1)
        >>> slide = crane.joint("slide", crane.world, crab, "Tx")
        >>> Position(crab).measure(Kinematics(crane.freeze()))
        array([slide, 0, 0], dtype=object)
    """

    unit = "m"
    shape = (3,)

    def __init__(self, frame: Frame, relative_to: Frame | None = None, expressed_in: Frame | None = None) -> None:
        self.frame = frame
        self.relative_to = relative_to
        self.expressed_in = expressed_in

    def measure(self, kinematics: Kinematics) -> Any:
        """Three coordinates."""
        base = self.relative_to or kinematics.model.world
        vector = kinematics.pose(self.frame, base).position
        return as_array(in_axes(kinematics, vector, base, self.expressed_in or base))

    @property
    def touches(self) -> tuple[object, ...]:
        """Up to three frames."""
        return self.frame, *given(self.relative_to, self.expressed_in)


class Orientation(Sensor):
    """The rotation matrix R of one frame relative to another: v in ``relative_to`` is R · v in ``frame``.

    Its columns are the axes of ``frame``. PyMbs' ``Orientation(CS1, CS2)`` is ``Orientation(CS2, relative_to=CS1)``.

    Args:
        frame: the frame that turns.
        relative_to: as seen from here; by default from the world.
    """

    shape = (3, 3)

    def __init__(self, frame: Frame, relative_to: Frame | None = None) -> None:
        self.frame = frame
        self.relative_to = relative_to

    def measure(self, kinematics: Kinematics) -> Any:
        """Nine direction cosines."""
        return kinematics.pose(self.frame, self.relative_to).rotation.to_matrix().symbolic().to_array()

    @property
    def touches(self) -> tuple[object, ...]:
        """One or two frames."""
        return self.frame, *given(self.relative_to)
