"""Joints that follow other joints: which couplings hold, and where they start."""

from __future__ import annotations

from collections.abc import Mapping

from multibody.io.urdf.robot_data import JointData, Mimic, RobotData
from multibody.model import ExpJoint, System

SINGLE = ("revolute", "continuous", "prismatic")


def couplings(robot: RobotData, messages: list[str]) -> dict[JointData, JointData]:
    """The leader of each joint that follows one.

    A coupling that leads nowhere, in a circle, or to a joint without exactly one coordinate is reported and left out.
    """
    by_name: dict[str, JointData] = {}
    for joint in robot.joints:
        by_name.setdefault(joint.name, joint)
    leaders: dict[JointData, JointData] = {}
    for joint in robot.joints:
        if joint.mimic is None or joint.fixed:  # a joint that has been fixed often keeps its mimic element
            continue
        leader = by_name.get(joint.mimic.joint)
        why = _fault(joint, leader, leaders)
        if leader is None or why:
            messages.append(f"The joint '{joint.name}' cannot mimic '{joint.mimic.joint}': {why}. It moves on its own.")
        else:
            leaders[joint] = leader
    return leaders


def _fault(joint: JointData, leader: JointData | None, leaders: dict[JointData, JointData]) -> str:
    if leader is None:
        return "there is no such joint"
    if leader.kind not in SINGLE or joint.kind not in SINGLE:
        return "only joints with one coordinate can be coupled"
    while True:
        if leader is joint:
            return "the coupling leads back to itself"
        if leader not in leaders:
            return ""
        leader = leaders[leader]


def start_values(robot: RobotData, leaders: dict[JointData, JointData]) -> dict[JointData, float]:
    """Where followers start, if their leaders start at zero."""
    return {joint: _start(joint, leaders) for joint in robot.joints if joint in leaders}


def _start(joint: JointData, leaders: dict[JointData, JointData]) -> float:
    value, factor = 0.0, 1.0
    while joint in leaders and joint.mimic is not None:
        value += factor * joint.mimic.offset
        factor *= joint.mimic.multiplier
        joint = leaders[joint]
    return value


def named(
    robot: RobotData, leaders: dict[JointData, JointData], names: dict[JointData, str], mode: str, messages: list[str]
) -> dict[str, Mimic]:
    """The couplings by the names that joints have in the system; each is reported."""
    result: dict[str, Mimic] = {}
    for joint in robot.joints:
        if joint in leaders and joint.mimic is not None:
            leader = leaders[joint]
            result[names[joint]] = Mimic(names[leader], joint.mimic.multiplier, joint.mimic.offset)
    if result:
        listed = ", ".join(f"{item} = {m.multiplier:g}·{m.joint} + {m.offset:g}" for item, m in result.items())
        what = "has its own coordinate" if mode == "independent" else "follows it"
        messages.append(f"Each joint that mimics another one {what}; the couplings are in 'mimic': {listed}.")
    return result


def impose(system: System, coupled: Mapping[str, Mimic]) -> None:
    """Let each follower follow: its coordinate becomes an expression of its leader's; leaders before followers."""
    waiting = dict(coupled)
    while waiting:
        for name in [parameter for parameter, mimic in waiting.items() if mimic.joint not in waiting]:
            mimic = waiting.pop(name)
            value = mimic.multiplier * system[mimic.joint].coordinate + mimic.offset
            system.loop(ExpJoint(system[name], value), f"{name}_mimic")
