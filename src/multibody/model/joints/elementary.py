"""Elementary movements about and along axes, and their stacks: ``"Tx"``, ``["Tz", "Rx", "Ry"]``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from multibody.algebra import Rotation, Transform, Vec3, VelocityMotor
from multibody.errors import ModelError
from multibody.graph import ZERO, Expr
from multibody.model.joints.axis import UNIT, Axis
from multibody.model.joints.contract import Gauge, JointKind, Lock, Motion, Step, fixed, motor
from multibody.model.joints.locks import (  # fmt: skip
    angle_lock,
    others,
    rotation_locks,
    seen_from_child,
    slide_gauge,
    translation_locks,
    turn_gauge,
)

_ABOUT = (Rotation.about_x, Rotation.about_y, Rotation.about_z)
_NOTHING = Vec3(ZERO, ZERO, ZERO)


class Turn(Motion):
    """A rotation about a coordinate axis, with an advance of ``pitch`` metres per radian for a screw."""

    def __init__(self, index: int, sign: int = 1, label: str = "r", pitch: Expr | float = 0) -> None:
        self.coordinates = (label,)
        self.rest = (0.0,)
        self._index = index
        self._sign = sign
        self._axis = (UNIT[index] * sign).symbolic()
        self._pitch = pitch

    def pose(self, q: Sequence[Expr]) -> Transform:
        """A plain turn; a screw advances along its axis too."""
        rotation = _ABOUT[self._index](q[0] * self._sign)
        return Transform(rotation, self._axis * (self._pitch * q[0]))

    def axes(self, q: Sequence[Expr]) -> tuple[VelocityMotor, ...]:
        """The axis, which is the same in both frames."""
        return (motor(self._axis, self._axis * self._pitch),)

    def reversed(self) -> Turn:
        """The opposite turn."""
        return Turn(self._index, -self._sign, self.coordinates[0], self._pitch)


class Slide(Motion):
    """A translation along a direction of the parent frame."""

    def __init__(self, direction: Vec3, label: str = "t") -> None:
        self.coordinates = (label,)
        self.rest = (0.0,)
        self._direction = direction.symbolic()

    def pose(self, q: Sequence[Expr]) -> Transform:
        """A displacement."""
        return fixed(position=self._direction * q[0])

    def axes(self, q: Sequence[Expr]) -> tuple[VelocityMotor, ...]:
        """The direction."""
        return (motor(_NOTHING, self._direction),)

    def reversed(self) -> Slide:
        """The opposite displacement."""
        return Slide(-self._direction, self.coordinates[0])


class TurnAbout(Motion):
    """A rotation about any direction, given as a unit vector with symbols; a screw if ``pitch`` is not zero."""

    def __init__(self, direction: Vec3, label: str = "r", pitch: Expr | float = 0) -> None:
        self.coordinates = (label,)
        self.rest = (0.0,)
        self._direction = direction.symbolic()
        self._pitch = pitch

    def pose(self, q: Sequence[Expr]) -> Transform:
        """Rodrigues' formula."""
        return Transform(Rotation.about(self._direction, q[0]), self._direction * (self._pitch * q[0]))

    def axes(self, q: Sequence[Expr]) -> tuple[VelocityMotor, ...]:
        """The direction, which is the same in both frames."""
        return (motor(self._direction, self._direction * self._pitch),)


def turn_steps(axis: Axis | Vec3, label: str, pitch: Expr | float = 0) -> tuple[tuple[Step, ...], Transform]:
    """The step for a rotation about an axis, and the transform that ends it."""
    if isinstance(axis, Vec3):
        return (Step(TurnAbout(axis, label, pitch), fixed()),), fixed()
    step = Step(Turn(axis.index, axis.sign, label, pitch), fixed(axis.rotation))
    return (step,), fixed(axis.rotation.inverse())


def slide_direction(axis: Axis | Vec3) -> Vec3:
    """The direction of an axis in the frame that it was given in."""
    return axis if isinstance(axis, Vec3) else axis.rotation.apply(axis.vector)


class Elementary(JointKind):
    """A stack of elementary movements, each one carried by those before it: ``Tx Ty Tz Rx Ry Rz`` in any order.

    Args:
        movements: such as ``"Tx"``, ``["Tx", "Ry"]``; an empty list is a fixed connection.

    Example:
        >>> [step.motion.coordinates for step in Elementary(["Tz", "Rx"]).steps()]
        [('tz',), ('rx',)]
    """

    def __init__(self, movements: str | Sequence[str]) -> None:
        self.movements = (movements,) if isinstance(movements, str) else tuple(movements)
        for movement in self.movements:
            _check(movement)

    def steps(self) -> tuple[Step, ...]:
        """One step for each movement."""
        repeated = Counter(self.movements)
        seen: Counter[str] = Counter()
        result = []
        for movement in self.movements:
            seen[movement] += 1
            label = movement.lower() + (str(seen[movement]) if repeated[movement] > 1 else "")
            result.append(Step(_motion(movement, label), fixed()))
        return tuple(result)

    def locks(self, pose: Transform) -> Sequence[Lock]:
        """What translations and then rotations forbid; the other way round, the same seen from the other end."""
        kinds = "".join(movement[0] for movement in self.movements)
        if "RT" not in kinds:
            return _locks_of_stack(pose, self.movements)
        if "TR" in kinds:
            return super().locks(pose)
        return list(seen_from_child(pose, _locks_of_stack(pose.inverse(), self.movements[::-1])))

    def gauges(self, pose: Transform) -> Sequence[Gauge]:
        """Translations along different axes and then at most one rotation; other stacks cannot be read off."""
        if len(set(self.movements)) < len(self.movements) or any(m[0] == "R" for m in self.movements[:-1]):
            return super().gauges(pose)
        return [_gauge(pose, movement) for movement in self.movements]


def _gauge(pose: Transform, movement: str) -> Gauge:
    index = "xyz".index(movement[1])
    turn = movement[0] == "R"
    return turn_gauge(pose, Rotation.identity(), index, 1) if turn else slide_gauge(pose, UNIT[index])


def _locks_of_stack(pose: Transform, movements: Sequence[str]) -> list[Lock]:
    """Translations along axes of the base, then at most three rotations about different axes in turn."""
    slides = ["xyz".index(m[1]) for m in movements if m[0] == "T"]
    turns = ["xyz".index(m[1]) for m in movements if m[0] == "R"]
    turns = [axis for k, axis in enumerate(turns) if k == 0 or axis != turns[k - 1]]
    locks = list(translation_locks(pose, others(*slides)))
    if len(turns) <= 1:
        return locks + list(rotation_locks(pose, others(*turns)))
    if len(turns) == 2:
        return [*locks, angle_lock("t", pose, UNIT[turns[0]], UNIT[turns[1]])]
    return locks


def _check(movement: Any) -> None:
    known = isinstance(movement, str) and len(movement) == 2 and movement[0] in "TR" and movement[1] in "xyz"
    if not known:
        raise ModelError(
            f"'{movement}' is not an elementary movement.",
            code="movement-unknown",
            cause="A movement is T (translation) or R (rotation) with an axis x, y or z.",
            remedy="Write 'Tx', 'Rz', or a list of these; for other directions Revolute('-y') or Prismatic((1, 1, 0)).",
            name=movement,
        )


def _motion(movement: str, label: str) -> Motion:
    index = "xyz".index(movement[1])
    return Turn(index, label=label) if movement[0] == "R" else Slide(UNIT[index], label)
