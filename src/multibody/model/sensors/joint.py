"""Sensors of joints: coordinates, speeds, transmitted forces and torques."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from multibody.algebra import ForceMotor
from multibody.errors import ModelError
from multibody.graph import Expr, Symbol, array
from multibody.model.body import Frame
from multibody.model.joint import Joint
from multibody.model.kinematics import Kinematics
from multibody.model.sensors.contract import Sensor, as_array, given, in_axes


class JointState(NamedTuple):
    """Coordinates and speeds of a joint: symbols, or expressions of time where its motion is prescribed."""

    q: Sequence[Expr]
    u: Sequence[Expr]


def joint_state(kinematics: Kinematics, joint: Joint) -> JointState:
    """The state of a joint; angles of a joint that closes a loop are known between -π and π.

    Raises:
        ModelError: for a joint that closes a loop and whose coordinates cannot be read off its frames.
    """
    return JointState(_read_off(kinematics, joint, joint.coordinates), joint_speeds(kinematics, joint))


def joint_speeds(kinematics: Kinematics, joint: Joint) -> Sequence[Expr]:
    """The speeds of a joint; those of a ball joint that closes a loop are known, though its coordinates are not.

    Raises:
        ModelError: for a joint that closes a loop and whose speeds cannot be read off its frames.
    """
    return _read_off(kinematics, joint, joint.speeds)


def _read_off(kinematics: Kinematics, joint: Joint, symbols: Sequence[Symbol]) -> Sequence[Expr]:
    known = kinematics.model.values
    if joint in kinematics.model.cuts and not all(symbol in known for symbol in symbols):
        raise ModelError(
            "The joint closes a kinematic loop, and its coordinates cannot be read off its frames.",
            code="joint-without-coordinates",
            where=f"joint '{joint.name}'",
            remedy="Keep it with cut=False, or use sensors and loads between the frames that it connects.",
            name=joint.name,
        )
    return [known.get(symbol, symbol) for symbol in symbols]


class JointSensor(Sensor):
    """Coordinates and speeds of a joint in one array: (q, u) for one degree of freedom, else (q₁, q₂ …, u₁, u₂ …).

    Args:
        joint: any joint of the tree; for a prescribed one the given motion is measured.

    Example:
        >>> from multibody.model import System
        >>> crane = System("crane")
        >>> slide = crane.joint("slide", crane.world, crane.body("crab", mass=1), "Tx")
        >>> JointSensor(slide).measure(Kinematics(crane.freeze()))
        array([slide, slide_dot], dtype=object)
    """

    def __init__(self, joint: Joint) -> None:
        self.joint = joint

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """As many numbers as the joint has coordinates and speeds."""
        return (len(self.joint.coordinates) + len(self.joint.speeds),)

    def measure(self, kinematics: Kinematics) -> Any:
        """Coordinates, then speeds."""
        state = joint_state(kinematics, self.joint)
        return array([*state.q, *state.u])

    @property
    def touches(self) -> tuple[object, ...]:
        """The joint."""
        return (self.joint,)


class _Reaction(Sensor):
    """What the two sensors of constraint forces have in common.

    Args:
        joint: any joint.
        expressed_in: the frame whose axes give the three coordinates; by default the joint's child frame.
    """

    shape = (3,)

    def __init__(self, joint: Joint, expressed_in: Frame | None = None) -> None:
        self.joint = joint
        self.expressed_in = expressed_in

    def _transmitted(self, kinematics: Kinematics) -> ForceMotor:
        """The force motor at the child frame's origin, in the wanted axes."""
        child = self.joint.child
        force = kinematics.reaction(self.joint)
        axes = self.expressed_in or child
        return ForceMotor(*[in_axes(kinematics, part, child, axes) for part in (force.resultant, force.moment)])

    @property
    def touches(self) -> tuple[object, ...]:
        """The joint, and a frame if one was named."""
        return self.joint, *given(self.expressed_in)


class ConstraintForce(_Reaction):
    """The force that a joint transmits from its parent frame to its child frame.

    It is all that goes through the joint: the constraint force and, along its axes, springs, drives, friction, and what
    gears and other couplings of its coordinates exert on its speeds.
    """

    unit = "N"

    def measure(self, kinematics: Kinematics) -> Any:
        """Three coordinates."""
        return as_array(self._transmitted(kinematics).resultant)


class ConstraintTorque(_Reaction):
    """The torque that a joint transmits from its parent frame to its child frame, about the child frame's origin."""

    unit = "N·m"

    def measure(self, kinematics: Kinematics) -> Any:
        """Three coordinates."""
        return as_array(self._transmitted(kinematics).moment)
