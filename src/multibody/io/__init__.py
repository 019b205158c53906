"""Files in and out: models as YAML, robots from URDF."""

from multibody.io.model_files import ModelFile, model_text, read_model, schema, write_model
from multibody.io.urdf import UrdfReport, UrdfRobot, read_urdf

__all__ = ["ModelFile", "UrdfReport", "UrdfRobot", "model_text", "read_model", "read_urdf", "schema", "write_model"]
