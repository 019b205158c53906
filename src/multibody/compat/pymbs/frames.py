"""Bodies and frames of a PyMbs script: a frame that was added to a body is an attribute of it."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from multibody import model
from multibody.compat.pymbs.command import Value, command
from multibody.compat.pymbs.refusals import UsageError
from multibody.graph.names import suggestion


class PartNames(Protocol):
    """The world, as far as frames need it."""

    def part_name(self, wanted: str | None, kind: str = "part") -> str:
        """A free name for a part."""


class PymbsFrame:
    """A coordinate system on a body; scripts know it as ``Frame``.

    Attributes:
        name: unique on its body.
        made: the frame of the system.
        frames: those that were added to it, by name; each is an attribute as well.
    """

    def __init__(self, world: PartNames, name: str, made: model.Frame) -> None:
        self._world = world
        self.name = name
        self.made = made
        self.frames: dict[str, PymbsFrame] = {}

    @command()
    def addFrame(self, name: str, p: Value = (0, 0, 0), R: Value | None = None) -> PymbsFrame:
        """A new frame, which becomes an attribute: ``body.addFrame('tip', [0, 0, 1])`` makes ``body.tip``.

        Args:
            name: unique among the frames of this one.
            p: its origin, in coordinates of this one.
            R: its axes, as the columns of a matrix; see ``rotMat``.
        """
        if name in self.frames or hasattr(type(self), name) or name in vars(self):
            raise UsageError(
                f"'{self.name}' has something that is called '{name}' already.",
                remedy="Choose another name.",
                code="name-taken",
                name=name,
            )
        own = self._world.part_name(f"{self.made.name}_{name}")
        self.frames[name] = PymbsFrame(self._world, name, self.made.frame(own, vector(p), R))
        return self.frames[name]

    def __getattr__(self, name: str) -> PymbsFrame:
        found: PymbsFrame | None = vars(self).get("frames", {}).get(name)
        if found is None:
            frames = vars(self).get("frames", {})
            near = suggestion(
                [name], [*frames, *(attribute for attribute in dir(self) if not attribute.startswith("_"))]
            )
            raise AttributeError(
                f"'{vars(self).get('name')}' has no frame and nothing else called '{name}'; "
                f"frames: {', '.join(frames) or 'none'}. {near}".rstrip()
            )
        return found

    def __repr__(self) -> str:
        return f"{type(self).__name__.removeprefix('Pymbs')}({self.name!r})"


class PymbsBody(PymbsFrame):
    """A rigid body; scripts know it as ``Body``."""

    made: model.Body

    @property
    def mass(self) -> Any:
        """In kg."""
        return self.made.mass

    @property
    def cg(self) -> Any:
        """The centre of gravity, in the body's frame."""
        return self.made.com.to_array()


def vector(value: Any) -> list[Any]:
    """Three entries from a list, a vector, or a matrix of one column."""
    entries = list(np.ravel(np.array(value, dtype=object)))
    if len(entries) != 3:
        raise UsageError(
            f"A vector has three entries, not {len(entries)}.", remedy="Write [x, y, z].", code="count-mismatch"
        )
    return entries


def scalar(value: Any) -> Any:
    """One entry, also from a list or a matrix with one."""
    entries = list(np.ravel(np.array(value, dtype=object)))
    if len(entries) != 1:
        raise UsageError(
            f"One number or expression is needed, not {len(entries)}.", remedy="Give a scalar.", code="count-mismatch"
        )
    return entries[0]
