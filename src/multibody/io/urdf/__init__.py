"""Robots from URDF files."""

from multibody.io.urdf.report import Unused, UrdfReport
from multibody.io.urdf.robot import UrdfRobot, read_urdf
from multibody.io.urdf.robot_data import Geometry, Limits, LinkShape as Shape, Mimic, UrdfPose as Pose

__all__ = ["Geometry", "Limits", "Mimic", "Pose", "Shape", "Unused", "UrdfReport", "UrdfRobot", "read_urdf"]
