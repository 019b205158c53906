"""Describing a mechanical system: ``System`` to write, ``Model`` frozen."""

from multibody.model.body import Body, Frame
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
from multibody.model.model import Link, Model
from multibody.model.quantity import Input, Parameter
from multibody.model.system import System

__all__ = [
    "Body", "Cylindrical", "Elementary", "Frame", "Free", "Input", "Joint", "JointKind", "Link", "Model", "Motion",
    "Parameter", "Planar", "Prismatic", "Revolute", "Screw", "Spherical", "Step", "System", "Universal", "Weld",
]  # fmt: skip
