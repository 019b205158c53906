"""Model files: systems as YAML that people read and edit, with a schema, and without any code in them."""

from multibody.io.model_files.edit import ModelFile
from multibody.io.model_files.reader import read_model
from multibody.io.model_files.schema import schema
from multibody.io.model_files.writer import model_text, write_model

__all__ = ["ModelFile", "model_text", "read_model", "schema", "write_model"]
