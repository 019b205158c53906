"""Joints that are held fast: fingers that a task does not use, wheels whose links have no mass."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from multibody.algebra import Rotation, Transform, Vec3
from multibody.errors import ModelError
from multibody.graph.names import suggestion
from multibody.graph.number import is_number
from multibody.io.urdf.couplings import SINGLE
from multibody.io.urdf.robot_data import JointData, RobotData, UrdfPose

Wanted = Mapping[str, float] | Iterable[str]
"""Coordinates by the file's names of joints; names alone mean zero."""


def locked(robot: RobotData, wanted: Wanted, *, coupled: bool) -> RobotData:
    """The robot with some joints fixed.

    Args:
        robot: as the file describes it.
        wanted: which joints, and where.
        coupled: whether joints that mimic one of these are fixed, too.

    Raises:
        ModelError: if there is no such joint, or it cannot be held there.
    """
    values = _values(wanted)
    unknown = [name for name in values if name not in {joint.name for joint in robot.joints}]
    if unknown:
        raise ModelError(
            f"There is no joint {', '.join(map(repr, unknown))} to be locked.",
            where=f"robot '{robot.name}'",
            cause=suggestion(unknown, [joint.name for joint in robot.joints]),
            code="name-unknown",
            names=unknown,
        )
    if coupled:
        _follow(robot, values)
    held = {joint: values[joint.name] for joint in robot.joints if joint.name in values and not joint.fixed}
    if not held:
        return robot
    joints = tuple(_fixed(joint, held[joint]) if joint in held else joint for joint in robot.joints)
    told = ", ".join(f"'{joint.name}' at {value:g}" for joint, value in held.items())
    return replace(robot, joints=joints, messages=[*robot.messages, f"Held fast: {told}."])


def _values(wanted: Any) -> dict[str, float]:
    names = [wanted] if isinstance(wanted, str) else wanted
    values = dict(names) if isinstance(names, Mapping) else dict.fromkeys(names, 0.0)
    for name, value in values.items():
        if not is_number(value) or not abs(float(value)) < float("inf"):
            raise ModelError(
                f"The joint {name!r} cannot be locked at {value!r:.80}.",
                remedy="Give a number, in rad or m.",
                code="joint-not-lockable",
                name=name,
            )
    return {name: float(value) for name, value in values.items()}


def _follow(robot: RobotData, values: dict[str, float]) -> None:
    """Joints that mimic one that is held are held where the coupling puts them."""
    for _ in robot.joints:  # a follower may lead another one, in any order
        for joint in robot.joints:
            rule = joint.mimic
            if rule is not None and rule.joint in values:
                values.setdefault(joint.name, rule.multiplier * values[rule.joint] + rule.offset)


def _fixed(joint: JointData, value: float) -> JointData:
    return replace(joint, kind="fixed", pose=_placed(joint, value), limits=None)


def _placed(joint: JointData, value: float) -> UrdfPose:
    """Where a joint's child is for a coordinate: pose · motion."""
    if value == 0:
        return joint.pose
    if joint.kind not in SINGLE:
        raise ModelError(
            f"The {joint.kind} joint '{joint.name}' cannot be locked at {value:g}.",
            cause="It has several coordinates.",
            remedy="Lock it at zero.",
            code="joint-not-lockable",
            name=joint.name,
            value=value,
        )
    direction = Vec3(*(joint.axis if any(joint.axis) else (1.0, 0.0, 0.0)))
    axis = direction * (1 / direction.norm())
    if joint.kind == "prismatic":
        x, y, z = map(float, joint.pose.transform.point_to_parent(axis * value).components())
        return replace(joint.pose, xyz=(x, y, z))
    turned = (joint.pose.transform @ Transform(Rotation.about(axis, value))).rotation.to_quaternion()
    return UrdfPose(joint.pose.xyz, quaternion=(float(turned.w), float(turned.x), float(turned.y), float(turned.z)))
