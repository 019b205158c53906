"""The folder of a model: no file outside it is included, and what lies elsewhere is a mesh at most."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from multibody.io.model_files.yaml_text.nodes import YamlNode
from multibody.model.shapes.shapes import MESH_KINDS


@dataclass(frozen=True)
class Folder:
    """Where files that a model names may lie.

    Attributes:
        root: the folder; None if no file may be named. Links in it are followed first: what counts is where a file
            really is.
        here: the folder of the file that is being read, from which its paths start.
        distant_meshes: whether meshes may lie outside ``root``, on a local disk.
    """

    root: Path | None
    here: Path | None = None
    distant_meshes: bool = False

    @classmethod
    def of_file(cls, path: Path) -> Folder:
        """The folder of a model file where the caller names no other: included files lie in it or below."""
        return cls(path.parent, path.parent, distant_meshes=True)

    def below(self, here: Path) -> Folder:
        """The same rules for an included file, whose paths start from ``here``."""
        return replace(self, here=here)

    def mesh(self, node: YamlNode, path: str) -> Path:
        """The file of a mesh; an error if it must not be read.

        A mesh outside the folder is a regular mesh file by its name, and never an address in a network: looking for
        such a file would already send the name of the user to another computer.
        """
        slashed = path.replace("\\", "/")
        if not self.distant_meshes or slashed.startswith("//") or not slashed.lower().endswith(MESH_KINDS):
            return self.file(node, path)
        with suppress(OSError, ValueError, RuntimeError):
            assert self.here is not None
            distant = (self.here / path).resolve()
            if distant.suffix.lower() in MESH_KINDS:
                return distant
        return self.file(node, path)

    def file(self, node: YamlNode, path: str) -> Path:
        """The file that a path names; an error if it is outside the folder."""
        if self.root is None:
            node.fail(
                "A text that comes from no file cannot name other files.",
                remedy="Say below which folder they lie: read_model(text, folder=…).",
                code="path-without-folder",
            )
        found = self.root
        with suppress(OSError, ValueError, RuntimeError):  # too long, or links in a circle
            found = ((self.here or self.root) / path).resolve()
        if found == self.root or not found.is_relative_to(self.root):
            node.fail(
                f"The path {path!r:.100} leads out of the folder of the model.",
                remedy="Put the file inside it.",
                code="path-outside-folder",
            )
        return found
