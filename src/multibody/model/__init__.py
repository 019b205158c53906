"""Describing a mechanical system: ``System`` to write, ``Model`` frozen; joints, loads and sensors to fill it with."""

from multibody.model.body import Body, Frame
from multibody.model.constraints import (
    Constraint,
    DistanceConstraint,
    Equation,
    ExpressionConstraint,
    FrameConstraint,
    Gear,
    KnifeEdge,
    PointOnCurve,
    PointOnLine,
    PointOnPlane,
    PointOnSurface,
    RackAndPinion,
    RollingDisc,
    RollingSphere,
    Wrench,
)
from multibody.model.couplings import contact, hydraulic_cylinder, motion_platform, tyre
from multibody.model.joint import Joint
from multibody.model.joints import (
    Cylindrical,
    Elementary,
    Free,
    JointKind,
    Motion,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Step,
    Universal,
    Weld,
)
from multibody.model.kinematics import Kinematics
from multibody.model.loads import (
    Applied,
    Bushing,
    CentralGravity,
    Damper,
    Force,
    Friction,
    GravityField,
    JointDamper,
    JointFriction,
    JointLoad,
    JointSpring,
    Load,
    PointToPointForce,
    Spring,
    SpringDamper,
    Torque,
    UniformGravity,
)
from multibody.model.loops import (
    CrankSlider,
    ExpJoint,
    ExplicitLoop,
    FourBar,
    FourBarTrans,
    Hexapod,
    HexapodWithOffset,
    PlanarLoop,
    Steering,
    ThreeBarTrans,
    Transmission,
)
from multibody.model.model import Link, Model
from multibody.model.quantity import Input, Parameter
from multibody.model.report import Finding, Report
from multibody.model.sensors import (
    Acceleration,
    AngularAcceleration,
    AngularMomentum,
    AngularVelocity,
    CenterOfMass,
    ConstraintForce,
    ConstraintTorque,
    Distance,
    DistanceAndRate,
    DistanceRate,
    Energy,
    Expression,
    JointSensor,
    KineticEnergy,
    LinearMomentum,
    Orientation,
    Position,
    PotentialEnergy,
    Sensor,
    TotalMass,
    Velocity,
)
from multibody.model.speeds import with_speeds
from multibody.model.system import System

__all__ = [
    "Acceleration", "AngularAcceleration", "AngularMomentum", "AngularVelocity", "Applied", "Body", "Bushing",
    "CenterOfMass", "CentralGravity", "Constraint", "ConstraintForce", "ConstraintTorque", "CrankSlider",
    "Cylindrical", "Damper", "Distance", "DistanceAndRate", "DistanceConstraint", "DistanceRate", "Elementary",
    "Energy", "Equation", "ExpJoint", "ExplicitLoop", "Expression", "ExpressionConstraint", "Finding", "Force",
    "FourBar", "FourBarTrans", "Frame", "FrameConstraint", "Free", "Friction", "Gear", "GravityField", "Hexapod",
    "HexapodWithOffset", "Input", "Joint", "JointDamper", "JointFriction", "JointKind", "JointLoad", "JointSensor",
    "JointSpring", "Kinematics", "KineticEnergy", "KnifeEdge", "LinearMomentum", "Link", "Load", "Model", "Motion",
    "Orientation", "Parameter", "Planar", "PlanarLoop", "PointOnCurve", "PointOnLine", "PointOnPlane",
    "PointOnSurface", "PointToPointForce", "Position", "PotentialEnergy", "Prismatic", "RackAndPinion", "Report",
    "Revolute", "RollingDisc", "RollingSphere", "Screw", "Sensor", "Spherical", "Spring", "SpringDamper",
    "Steering", "Step", "System", "ThreeBarTrans", "Torque", "TotalMass", "Transmission", "UniformGravity",
    "Universal", "Velocity", "Weld", "Wrench", "contact", "hydraulic_cylinder", "motion_platform", "tyre",
    "with_speeds",
]  # fmt: skip
