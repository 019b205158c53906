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
from multibody.model.shapes.drawing import Drawing
from multibody.model.shapes.shapes import (
    Arrow,
    Axes,
    Box,
    Capsule,
    Coil,
    Cone,
    Cylinder,
    Ellipsoid,
    Line,
    Mesh,
    Plane,
    Shape,
    Sphere,
)
from multibody.model.speeds import with_speeds
from multibody.model.system import System

__all__ = [
    "Acceleration", "AngularAcceleration", "AngularMomentum", "AngularVelocity", "Applied", "Arrow", "Axes", "Body",
    "Box", "Bushing", "Capsule", "CenterOfMass", "CentralGravity", "Coil", "Cone", "Constraint", "ConstraintForce",
    "ConstraintTorque", "CrankSlider", "Cylinder", "Cylindrical", "Damper", "Distance", "DistanceAndRate",
    "DistanceConstraint", "DistanceRate", "Drawing", "Elementary", "Ellipsoid", "Energy", "Equation", "ExpJoint",
    "ExplicitLoop", "Expression", "ExpressionConstraint", "Finding", "Force", "FourBar", "FourBarTrans", "Frame",
    "FrameConstraint", "Free", "Friction", "Gear", "GravityField", "Hexapod", "HexapodWithOffset", "Input", "Joint",
    "JointDamper", "JointFriction", "JointKind", "JointLoad", "JointSensor", "JointSpring", "Kinematics",
    "KineticEnergy", "KnifeEdge", "Line", "LinearMomentum", "Link", "Load", "Mesh", "Model", "Motion",
    "Orientation", "Parameter", "Planar", "PlanarLoop", "Plane", "PointOnCurve", "PointOnLine", "PointOnPlane",
    "PointOnSurface", "PointToPointForce", "Position", "PotentialEnergy", "Prismatic", "RackAndPinion", "Report",
    "Revolute", "RollingDisc", "RollingSphere", "Screw", "Sensor", "Shape", "Sphere", "Spherical", "Spring",
    "SpringDamper", "Steering", "Step", "System", "ThreeBarTrans", "Torque", "TotalMass", "Transmission",
    "UniformGravity", "Universal", "Velocity", "Weld", "Wrench", "contact", "hydraulic_cylinder", "motion_platform",
    "tyre", "with_speeds",
]  # fmt: skip
