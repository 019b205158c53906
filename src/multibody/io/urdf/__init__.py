"""Robots from URDF files."""

from multibody.io.urdf.data import (
    Box,
    Capsule,
    Cylinder,
    Geometry,
    Limits,
    Mesh,
    Mimic,
    Pose,
    Shape,
    Sphere,
)
from multibody.io.urdf.robot import UrdfRobot, read_urdf

__all__ = [
    "Box", "Capsule", "Cylinder", "Geometry", "Limits", "Mesh", "Mimic", "Pose", "Shape", "Sphere", "UrdfRobot",
    "read_urdf",
]  # fmt: skip
