"""Sensors: what can be measured."""

from multibody.model.sensors.contract import Sensor
from multibody.model.sensors.distance import Distance, DistanceAndRate, DistanceRate
from multibody.model.sensors.expression import Expression
from multibody.model.sensors.joint import ConstraintForce, ConstraintTorque, JointSensor
from multibody.model.sensors.motion import Acceleration, AngularAcceleration, AngularVelocity, Velocity
from multibody.model.sensors.position import Orientation, Position
from multibody.model.sensors.whole import (
    AngularMomentum,
    CenterOfMass,
    Energy,
    KineticEnergy,
    LinearMomentum,
    PotentialEnergy,
    TotalMass,
)

__all__ = [
    "Acceleration", "AngularAcceleration", "AngularMomentum", "AngularVelocity", "CenterOfMass", "ConstraintForce",
    "ConstraintTorque", "Distance", "DistanceAndRate", "DistanceRate", "Energy", "Expression", "JointSensor",
    "KineticEnergy", "LinearMomentum", "Orientation", "Position", "PotentialEnergy", "Sensor", "TotalMass", "Velocity",
]  # fmt: skip
