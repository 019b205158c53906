"""Robots from URDF files."""

from multibody.io.urdf.data import Geometry, Limits, Mimic, Pose, Shape
from multibody.io.urdf.report import Unused, UrdfReport
from multibody.io.urdf.robot import UrdfRobot, read_urdf

__all__ = ["Geometry", "Limits", "Mimic", "Pose", "Shape", "Unused", "UrdfReport", "UrdfRobot", "read_urdf"]
