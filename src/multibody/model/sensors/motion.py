"""Sensors of the motion of a frame: velocities and accelerations relative to an observer.

The rate of change of a vector depends on who watches. For all sensors here: r is the vector from the origin of
``relative_to`` to that of ``frame``, ω is the angular velocity of ``frame`` relative to ``relative_to``; the derivative
is the one that an observer on ``observer`` measures; the coordinates are along the axes of ``expressed_in``.

By default the observer sits on ``relative_to`` and its axes are used: then a velocity is simply the derivative of the
three numbers that ``Position`` gives. PyMbs subtracts absolute velocities and accelerations instead; that is
``observer=system.world``.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from multibody.algebra import Vec3
from multibody.model.body import Frame
from multibody.model.kinematics import Kinematics
from multibody.model.sensors.contract import Sensor, as_array, given, in_axes


class MotionSensor(Sensor):
    """What velocity and acceleration sensors have in common.

    Args:
        frame: the frame that moves.
        relative_to: the frame that its motion is compared with; by default the world.
        expressed_in: the frame whose axes give the three coordinates; by default those of ``relative_to``.
        observer: the frame from which the rate of change is seen; by default ``relative_to``.
    """

    shape = (3,)

    def __init__(
        self,
        frame: Frame,
        relative_to: Frame | None = None,
        expressed_in: Frame | None = None,
        observer: Frame | None = None,
    ) -> None:
        self.frame = frame
        self.relative_to = relative_to
        self.expressed_in = expressed_in
        self.observer = observer

    @abstractmethod
    def seen(self, kinematics: Kinematics, frame: Frame, observer: Frame) -> Vec3:
        """The rate for a frame relative to the observer, in the frame's own axes."""

    def measure(self, kinematics: Kinematics) -> Any:
        """Three coordinates: what the observer sees of ``frame``, minus what it sees of ``relative_to``."""
        base = self.relative_to or kinematics.model.world
        observer, axes = self.observer or base, self.expressed_in or base
        vector = in_axes(kinematics, self.seen(kinematics, self.frame, observer), self.frame, axes)
        if base.body is not observer.body:
            vector = vector - in_axes(kinematics, self.seen(kinematics, base, observer), base, axes)
        return as_array(vector)

    @property
    def touches(self) -> tuple[object, ...]:
        """Up to four frames."""
        return self.frame, *given(self.relative_to, self.expressed_in, self.observer)


class Velocity(MotionSensor):
    """The rate of change of the vector r from ``relative_to`` to ``frame``, as the observer sees it.

    Args:
        frame: the frame that moves.
        relative_to: the frame that its motion is compared with; by default the world.
        expressed_in: the frame whose axes give the three coordinates; by default those of ``relative_to``.
        observer: the frame from which the rate of change is seen; by default ``relative_to``.

    Example:
        >>> from multibody.model import System
        >>> crane = System("crane")
        >>> crab = crane.body("crab", mass=1)
        >>> slide = crane.joint("slide", crane.world, crab, "Tx")
        >>> Velocity(crab).measure(Kinematics(crane.freeze()))
        array([slide_dot, 0, 0], dtype=object)
    """

    unit = "m/s"

    def seen(self, kinematics: Kinematics, frame: Frame, observer: Frame) -> Vec3:
        """Velocity of the origin."""
        return kinematics.velocity(frame, observer).moment


class AngularVelocity(MotionSensor):
    """The angular velocity of ``frame`` relative to ``relative_to``; it is the same for all observers.

    Args:
        frame: the frame that turns.
        relative_to: the frame that its motion is compared with; by default the world.
        expressed_in: the frame whose axes give the three coordinates; by default those of ``relative_to``. Loads take
            their components along the axes of the body that they act on, if nothing else is said.

    Example:
        >>> from multibody.model import System, Torque
        >>> air = System("air")
        >>> ball = air.body("ball", mass=1, inertia=(1, 1, 1))
        >>> spin = air.sensor("spin", AngularVelocity(ball))
        >>> drag = air.load(Torque(ball, -0.1 * air.measured("spin"), expressed_in=air.world))
    """

    unit = "rad/s"

    def __init__(self, frame: Frame, relative_to: Frame | None = None, expressed_in: Frame | None = None) -> None:
        super().__init__(frame, relative_to, expressed_in)

    def seen(self, kinematics: Kinematics, frame: Frame, observer: Frame) -> Vec3:
        """Angular velocity."""
        return kinematics.velocity(frame, observer).resultant


class Acceleration(MotionSensor):
    """The second derivative of the vector r from ``relative_to`` to ``frame``, as the observer sees it.

    An accelerometer would show this minus gravity. Axes and observer are chosen as for ``Velocity``.
    """

    unit = "m/s²"

    def seen(self, kinematics: Kinematics, frame: Frame, observer: Frame) -> Vec3:
        """Acceleration of the origin."""
        return kinematics.acceleration(frame, observer)[1]


class AngularAcceleration(MotionSensor):
    """The rate of change of the angular velocity of ``frame`` relative to ``relative_to``, as the observer sees it.

    Axes and observer are chosen as for ``Velocity``.
    """

    unit = "rad/s²"

    def seen(self, kinematics: Kinematics, frame: Frame, observer: Frame) -> Vec3:
        """Angular acceleration."""
        return kinematics.acceleration(frame, observer)[0]
