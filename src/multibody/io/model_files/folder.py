"""The folder of a model: no file outside it is ever read."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from multibody.io.model_files.nodes import Node


@dataclass(frozen=True)
class Folder:
    """Where files that a model names may lie.

    Attributes:
        root: the folder; None if no file may be named. Links in it are followed first: what counts is where a file
            really is.
        here: the folder of the file that is being read, from which its paths start.
    """

    root: Path | None
    here: Path | None = None

    def file(self, node: Node, path: str) -> Path:
        """The file that a path names; an error if it is outside the folder."""
        if self.root is None:
            node.fail(
                "A text that comes from no file cannot name other files.",
                remedy="Say below which folder they lie: read_model(text, folder=…).",
            )
        found = self.root
        with suppress(OSError, ValueError, RuntimeError):  # too long, or links in a circle
            found = ((self.here or self.root) / path).resolve()
        if found == self.root or not found.is_relative_to(self.root):
            node.fail(f"The path {path!r:.100} leads out of the folder of the model.", remedy="Put the file inside it.")
        return found
