"""Places where something outside acts: everything that a contact, a tyre, a cylinder or a motion platform needs.

Each function makes inputs, loads and sensors at once, with the names that PyMbs gives them: ``r_`` position, ``T_``
rotation matrix, ``v_`` velocity, ``om_`` angular velocity, ``a_`` and ``dom_`` accelerations, ``d_`` distance and its
rate; the inputs are called ``F_`` (force) and ``M_`` (torque).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from multibody.model.body import Frame
from multibody.model.loads import Force, PointToPointForce, Torque
from multibody.model.sensors import (
    Acceleration,
    AngularAcceleration,
    AngularVelocity,
    DistanceAndRate,
    Orientation,
    Position,
    Velocity,
)

if TYPE_CHECKING:
    from multibody.model.system import System


class CouplingInputs(NamedTuple):
    """The inputs of a coupling: three components of force, three of torque."""

    force: Any
    torque: Any


def contact(system: System, name: str, frame: Frame) -> CouplingInputs:
    """A contact: position, orientation and velocities of a frame, and force and torque on it, all in the world's axes.

    Args:
        system: what it becomes part of.
        name: of the contact; it ends all the names that are made.
        frame: where the contact is.

    Returns:
        The inputs ``F_name`` and ``M_name``.

    Example:
        >>> from multibody.model import Free, System
        >>> robot = System("robot")
        >>> foot = robot.body("foot", mass=1, inertia=(1, 1, 1))
        >>> joint = robot.joint("base", robot.world, foot, Free())
        >>> contact(robot, "heel", foot).force[2], list(robot.sensors)
        (F_heel_3, ['r_heel', 'T_heel', 'v_heel', 'om_heel'])
    """
    system.sensor(f"r_{name}", Position(frame))
    system.sensor(f"T_{name}", Orientation(frame))
    system.sensor(f"v_{name}", Velocity(frame))
    system.sensor(f"om_{name}", AngularVelocity(frame))
    return _wrench(system, name, frame, system.world)


def tyre(system: System, name: str, carrier: Frame, rim: Frame) -> CouplingInputs:
    """A tyre: where the carrier is and how it moves, and force and torque on the rim, in the carrier's axes.

    The rotation matrix ``T_name`` leads from the world's axes to the carrier's.

    Args:
        system: what it becomes part of.
        name: of the tyre.
        carrier: the wheel's centre on the vehicle; it does not turn with the wheel.
        rim: the wheel's centre on the wheel; it does.

    Returns:
        The inputs ``F_name`` and ``M_name``.
    """
    system.sensor(f"r_{name}", Position(carrier))
    system.sensor(f"T_{name}", Orientation(system.world, relative_to=carrier))
    system.sensor(f"v_{name}", Velocity(carrier, expressed_in=carrier))
    system.sensor(f"om_{name}", AngularVelocity(carrier, expressed_in=carrier))
    return _wrench(system, name, rim, carrier)


def hydraulic_cylinder(system: System, name: str, bottom: Frame, rod: Frame) -> Any:
    """A hydraulic cylinder: its length and the rate of it in ``d_name``, and a force that pushes its ends apart.

    Args:
        system: what it becomes part of.
        name: of the cylinder.
        bottom: where the cylinder is fixed.
        rod: where the end of the rod is fixed.

    Returns:
        The input ``F_name``.
    """
    system.sensor(f"d_{name}", DistanceAndRate(bottom, rod))
    force = system.input(f"F_{name}", unit="N")
    system.load(PointToPointForce(bottom, rod, force), f"PtPForce_{name}")
    return force


def motion_platform(system: System, seat: Frame, name: str = "BWS") -> None:
    """All that the motion platform of a simulator needs to know: position, velocities and accelerations of the seat.

    Position and rotation matrix are relative to the world; velocities and accelerations are absolute, in the axes of
    the seat.

    Args:
        system: what it becomes part of.
        seat: where the driver sits.
        name: the end of all names.
    """
    system.sensor(f"r_{name}", Position(seat))
    system.sensor(f"T_{name}", Orientation(seat))
    system.sensor(f"v_{name}", Velocity(seat, expressed_in=seat))
    system.sensor(f"om_{name}", AngularVelocity(seat, expressed_in=seat))
    system.sensor(f"a_{name}", Acceleration(seat, expressed_in=seat))
    system.sensor(f"dom_{name}", AngularAcceleration(seat, expressed_in=seat))


def _wrench(system: System, name: str, on: Frame, axes: Frame) -> CouplingInputs:
    force = system.input(f"F_{name}", (3,), unit="N")
    torque = system.input(f"M_{name}", (3,), unit="N·m")
    system.load(Force(on, force, expressed_in=axes), f"CmpForce_{name}")
    system.load(Torque(on, torque, expressed_in=axes), f"CmpTorque_{name}")
    return CouplingInputs(force, torque)
