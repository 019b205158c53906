"""Loads: what pushes, pulls and turns."""

from multibody.model.loads.bushing import Bushing
from multibody.model.loads.contract import Applied, Load
from multibody.model.loads.force import Force, Torque
from multibody.model.loads.friction import Friction, JointFriction
from multibody.model.loads.gravity import CentralGravity, GravityField, UniformGravity
from multibody.model.loads.joint import JointDamper, JointLoad, JointSpring
from multibody.model.loads.line import Damper, PointToPointForce, Spring, SpringDamper

__all__ = [
    "Applied", "Bushing", "CentralGravity", "Damper", "Force", "Friction", "GravityField", "JointDamper",
    "JointFriction", "JointLoad", "JointSpring", "Load", "PointToPointForce", "Spring", "SpringDamper", "Torque",
    "UniformGravity",
]  # fmt: skip
