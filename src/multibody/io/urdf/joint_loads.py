"""Loads on the joints of a robot: damping and friction of the file, and efforts as inputs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from multibody.errors import ModelError
from multibody.graph import Symbol
from multibody.graph.names import suggestion
from multibody.io.urdf.build import SystemBuilder
from multibody.io.urdf.couplings import SINGLE
from multibody.io.urdf.robot_data import JointData, RobotData
from multibody.model import JointDamper, JointFriction, JointLoad, System

Driven = bool | str | Iterable[str]
"""All joints, none, or some by the file's names."""
_PER_SPEED = ("*s/rad", "*s/m")


def apply_dynamics(
    system: System, robot: RobotData, builder: SystemBuilder, smoothing: Any, *, parameters: bool
) -> None:
    """Damping and friction on every joint with one coordinate: torque = -damping·u - friction·tanh(u/smoothing).

    Args:
        system: gets the loads ``<joint>_damping_load`` and ``<joint>_friction_load``.
        robot: the data of the file.
        builder: that has made the joints.
        smoothing: the speed at which friction has reached 76 % of its value.
        parameters: whether the numbers become parameters, ``<joint>_damping`` and ``<joint>_friction``.
    """
    for joint in (joint for joint in robot.joints if joint.kind in SINGLE):
        for what, value in (("damping", joint.damping), ("friction", joint.friction)):
            if not value:
                continue
            _require_positive(robot, joint, what, value)
            name = builder.names.helper(f"{builder.joints[joint]}_{what}")
            number: Any = value
            if parameters:
                unit = _unit(joint) + (_PER_SPEED[joint.kind == "prismatic"] if what == "damping" else "")
                number = system.parameter(name, value, unit=unit, description=f"{what} of {joint.name}")
            made = system[builder.joints[joint]]
            load = JointDamper(made, number) if what == "damping" else JointFriction(made, number, smoothing=smoothing)
            system.load(load, builder.names.helper(f"{name}_load"))


def drive(
    system: System, robot: RobotData, builder: SystemBuilder, wanted: Driven, followers: Iterable[JointData]
) -> Mapping[JointData, Symbol]:
    """An effort as input, ``<joint>_effort``, on joints with one coordinate that follow no other joint.

    A positive effort limit of the file limits the input in every run.

    Raises:
        ModelError: if a name is not that of such a joint.
    """
    followed = set(followers)
    able = [joint for joint in robot.joints if joint.kind in SINGLE and joint not in followed]
    made: dict[JointData, Symbol] = {}
    for joint in _chosen(robot, able, wanted):
        name = builder.names.helper(f"{builder.joints[joint]}_effort")
        most = joint.limits.effort if joint.limits is not None else None
        limits = (-most, most) if most is not None and most > 0 else None
        made[joint] = system.input(name, unit=_unit(joint), description=f"effort of {joint.name}", limits=limits)
        system.load(JointLoad(system[builder.joints[joint]], made[joint]), builder.names.helper(f"{name}_load"))
    return made


def _chosen(robot: RobotData, able: list[JointData], wanted: Driven) -> list[JointData]:
    if isinstance(wanted, bool):
        return able if wanted else []
    names = [wanted] if isinstance(wanted, str) else list(wanted)
    known = [joint.name for joint in able]
    for name in names:
        if name not in known:
            raise ModelError(
                f"The joint {name!r} cannot be driven.",
                where=f"robot '{robot.name}'",
                cause=suggestion([name], known) or "It does not move, has several coordinates, or follows another one.",
                remedy=f"Choose from: {', '.join(known)}."[:1000],
                code="joint-not-drivable",
                name=name,
            )
    return [joint for joint in able if joint.name in names]


def _unit(joint: JointData) -> str:
    return "N" if joint.kind == "prismatic" else "N*m"


def _require_positive(robot: RobotData, joint: JointData, what: str, value: float) -> None:
    if value < 0:
        raise ModelError(
            f"The {what} of joint '{joint.name}' is negative: {value:g}.",
            where=f"{robot.source}, line {joint.line}",
            cause=f"Negative {what} would drive the joint.",
            remedy='Correct the file, or read it without damping and friction: read_urdf(…, dynamics="ignore").',
            code="joint-dynamics-negative",
            name=joint.name,
            value=value,
        )
