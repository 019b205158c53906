"""Files in and out: robots from URDF."""

from multibody.io.urdf import UrdfRobot, read_urdf

__all__ = ["UrdfRobot", "read_urdf"]
