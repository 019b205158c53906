"""Coordinates and speeds of joints that close loops: no states, but they can be read off their frames."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from multibody.graph import Expr, Symbol, time_derivative
from multibody.model.constraints import Wrench
from multibody.model.joint import Joint
from multibody.model.joints import Gauge
from multibody.model.kinematics import Kinematics
from multibody.model.model import Model
from multibody.model.quantity import acceleration_symbol


def with_closed_joints(model: Model) -> Model:
    """The model with values for the coordinates, speeds and accelerations of all joints that close loops."""
    if not model.cuts:
        return model
    kinematics = Kinematics(model)
    values: dict[Symbol, Expr] = {}
    for joint in model.cuts:
        gauges = _gauges(kinematics, joint)
        velocity = kinematics.velocity(joint.child, joint.parent)
        for speed, gauge in zip(joint.speeds, gauges, strict=False):
            values[speed] = velocity.inner(gauge.wrench)
            values[acceleration_symbol(speed)] = time_derivative(values[speed], model.flow(model.accelerations))
        if len(joint.coordinates) == len(gauges):
            pairs = zip(joint.coordinates, gauges, strict=True)
            values |= {q: gauge.position for q, gauge in pairs if gauge.position is not None}
    return replace(model, values=MappingProxyType({**model.values, **values}))


def closed_speeds(kinematics: Kinematics) -> dict[Symbol, Wrench]:
    """For each speed of a joint that closes a loop the wrench along which a load on it acts."""
    return {
        speed: Wrench(joint.child, joint.parent, gauge.wrench)
        for joint in kinematics.model.cuts
        for speed, gauge in zip(joint.speeds, _gauges(kinematics, joint), strict=False)
    }


def _gauges(kinematics: Kinematics, joint: Joint) -> list[Gauge]:
    return list(joint.kind.gauges(kinematics.pose(joint.child, joint.parent)))
