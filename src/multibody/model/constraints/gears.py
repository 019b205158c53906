"""Coordinates of two joints in a fixed ratio: gears, belts, racks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from multibody.errors import ModelError
from multibody.graph import Expr, Symbol, as_expr, is_zero, time_derivative
from multibody.model.constraints.between import CONSTANT, given
from multibody.model.constraints.contract import Constraint, Equation
from multibody.model.joint import Joint
from multibody.model.joints import Motion
from multibody.model.kinematics import Kinematics
from multibody.model.sensors.joint import joint_state

OneMovement = Joint | tuple[Joint, int]
"""A joint with one coordinate, or a joint and the number of a coordinate, counted from 0."""


class Gear(Constraint):
    """Couples the coordinates of two joints: q_a = ratio·q_b + offset, and u_a = ratio·u_b.

    For parallel axes in a common housing, which carries both joints, an external pair of gears has the ratio
    -teeth_b/teeth_a, an internal pair or a belt a positive one. The multiplier is the torque (or, on a slider, the
    force) that the coupling exerts on the speed u_a; on u_b it exerts -ratio times as much. Where this torque is not
    wanted, ``system.loop(Transmission(a, b, ratio))`` eliminates the coordinate q_a instead.

    Args:
        a: a joint with one coordinate, or (joint, k) for the coordinate number k of a joint with several.
        b: another one.
        ratio: a number or an expression of parameters.
        offset: a number or an expression of parameters, time and inputs, for a phase that is adjusted.

    Example:
        >>> from multibody.model import System
        >>> box = System("box")
        >>> wheels = [box.body(f"wheel_{k}", mass=1, inertia=(1, 1, 1)) for k in "ab"]
        >>> a, b = (box.joint(k, box.world, wheel, "Rz") for k, wheel in zip("ab", wheels))
        >>> mesh = box.constraint(Gear(a, b, ratio=-3), name="mesh")
        >>> mesh.equations(Kinematics(box.freeze()))[0].velocity
        a_dot + 3*b_dot
    """

    def __init__(self, a: OneMovement, b: OneMovement, ratio: Any, offset: Any = 0) -> None:
        self.ratio = as_expr(ratio)
        self.offset = as_expr(offset)
        self.joints = _joint(a), _joint(b)
        self.numbers = self._number(a), self._number(b)
        if self._coordinates[0] is self._coordinates[1]:
            raise ModelError(
                f"The coordinate {self._coordinates[0]} cannot be coupled to itself.",
                code="gear-with-itself",
                where=repr(self),
                remedy="Give two different joints, or two coordinates of one.",
            )
        if is_zero(self.ratio):
            raise ModelError(
                "A ratio of zero couples nothing.",
                code="gear-ratio-zero",
                where=repr(self),
                remedy="Give another ratio; to stop a joint, use prescribed=… or a Weld().",
            )

    def equations(self, kinematics: Kinematics) -> Sequence[Equation]:
        """One."""
        ratio, offset = given(self.ratio, kinematics, self, CONSTANT), given(self.offset, kinematics, self)
        a, b = (self._value(kinematics, *pair) for pair in zip(self.joints, self.numbers, strict=True))
        position = a - ratio * b - offset
        return [Equation("", time_derivative(position, kinematics.model.flow()), position)]

    @property
    def touches(self) -> tuple[object, ...]:
        """Both joints."""
        return self.joints

    @property
    def expressions(self) -> Sequence[Expr]:
        """Ratio and offset."""
        return self.ratio, self.offset

    @property
    def _coordinates(self) -> list[Symbol]:
        return [joint.coordinates[k] for joint, k in zip(self.joints, self.numbers, strict=True)]

    def _value(self, kinematics: Kinematics, joint: Joint, number: int) -> Expr:
        if joint in kinematics.model.cuts and _turns(joint, number):
            raise ModelError(
                f"The angle {joint.coordinates[number]} is known only between -π and π, so it cannot be geared.",
                code="angle-not-continuous",
                where=repr(self),
                cause="The joint closes a kinematic loop.",
                remedy=f"Let another joint of the loop be cut: system.joint('{joint.name}', …, cut=False).",
                name=joint.name,
            )
        return joint_state(kinematics, joint).q[number]

    def _number(self, movement: OneMovement) -> int:
        """Which coordinate is meant; it must be an angle or a length, whose rate is a speed."""
        joint = _joint(movement)
        only = 0 if len(joint.coordinates) == 1 else -1
        choice = movement[1] if isinstance(movement, tuple) else only
        if choice not in range(len(joint.coordinates)):
            named = ", ".join(f"({joint.name}, {k}) is {q}" for k, q in enumerate(joint.coordinates))
            raise ModelError(
                f"The joint '{joint.name}' has {len(joint.coordinates)} coordinates, and none of them is chosen.",
                code="coordinate-not-chosen",
                where=repr(self),
                remedy=f"Give the joint and a number: {named}." if named else "Give a joint that moves.",
                name=joint.name,
            )
        if _movement(joint, choice)[0].speeds:
            raise ModelError(
                f"The coordinate {joint.coordinates[choice]} is neither an angle nor a length, and cannot be coupled.",
                code="coordinate-not-a-rate",
                where=repr(self),
                cause="The speeds of this joint are angular velocities, not rates of its coordinates.",
                remedy="Use a joint made of elementary movements, or an ExpressionConstraint.",
                name=joint.coordinates[choice].name,
            )
        return choice


class RackAndPinion(Gear):
    """Couples a slider to a hinge: s = radius·angle + offset. Also a rope on a drum.

    The multiplier is the force on the slider, in N; the hinge gets -radius times as much as a torque.

    Args:
        turn: the hinge of the pinion; (joint, k) for one of several coordinates.
        slide: the slider of the rack, in the same way.
        radius: of the pinion in m, a number or an expression of parameters; negative if the rack moves the other way.
        offset: the position of the rack at the angle zero.

    Example:
        >>> from multibody.model import System
        >>> steering = System("steering")
        >>> pinion, rack = steering.body("pinion", mass=1, inertia=(1, 1, 1)), steering.body("rack", mass=2)
        >>> turn = steering.joint("turn", steering.world, pinion, "Rz")
        >>> slide = steering.joint("slide", steering.world, rack, "Tx")
        >>> teeth = steering.constraint(RackAndPinion(turn, slide, radius=0.02), name="teeth")
    """

    def __init__(self, turn: OneMovement, slide: OneMovement, radius: Any, offset: Any = 0) -> None:
        super().__init__(slide, turn, radius, offset)
        for joint, k, turns in zip(self.joints, self.numbers, (False, True), strict=True):
            if turns != _turns(joint, k):
                raise ModelError(
                    f"The coordinate {joint.coordinates[k]} is {'a length' if turns else 'an angle'}.",
                    code="coordinate-wrong-kind",
                    where=repr(self),
                    remedy="Give a hinge and then a slider; use Gear for other pairs.",
                    name=joint.coordinates[k].name,
                )


def _joint(movement: OneMovement) -> Joint:
    joint = movement[0] if isinstance(movement, tuple) and len(movement) == 2 else movement
    if not isinstance(joint, Joint):
        raise ModelError(
            f"{movement!r} is not a joint.",
            code="value-not-a-joint",
            where="coupling of two joints",
            remedy="Give what system.joint(…) returns, or (joint, k) for its coordinate number k.",
        )
    return joint


def _movement(joint: Joint, number: int) -> tuple[Motion, list[Symbol], int]:
    """The motion that a coordinate belongs to, the coordinates of this motion, and which of them it is."""
    start = 0
    for step in joint.kind.steps():
        end = start + len(step.motion.coordinates)
        if number < end:
            return step.motion, list(joint.coordinates[start:end]), number - start
        start = end
    raise IndexError(number)


def _turns(joint: Joint, number: int) -> bool:
    motion, coordinates, k = _movement(joint, number)
    return not all(map(is_zero, motion.axes(coordinates)[k].resultant))
