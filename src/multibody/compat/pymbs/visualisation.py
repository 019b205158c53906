"""``addVisualisation``: what parts look like."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from multibody import model
from multibody.compat.pymbs.command import Paint, Value, command
from multibody.compat.pymbs.frames import PymbsFrame, scalar
from multibody.compat.pymbs.refusals import rigid_only
from multibody.compat.pymbs.world import WorldBase
from multibody.graph import as_expr
from multibody.graph.number import is_number
from multibody.model import Drawing


class AddVisualisation:
    """Commands for shapes. Without a name, a shape is called ``visual_1``, ``visual_2`` …."""

    def __init__(self, mbs: WorldBase) -> None:
        self._mbs = mbs

    @command("name cs length width height")
    def Box(
        self, cs: PymbsFrame, length: Value = 1, width: Value = 1, height: Value = 1, name: str | None = None,
        color: Paint | None = None,
    ) -> Drawing:  # fmt: skip
        """A box about the origin of a frame: length along x, width along y, height along z."""
        return self._draw(cs, model.Box(length, width, height, colour=_colour(color)), name)

    @command("name cs radius height res")
    def Cylinder(
        self, cs: PymbsFrame, radius: Value = 1, height: Value = 1, res: int = 20, name: str | None = None,
        color: Paint | None = None,
    ) -> Drawing:  # fmt: skip
        """A cylinder about the origin of a frame, along the *y* axis of the frame.

        The manual says that its circles lie in the plane of x and y, but PyMbs draws them across y, as VTK does, and
        its scripts turn their frames accordingly; so does the crane crab of the manual.

        Args:
            cs: the frame.
            radius: of the circle.
            height: along y, half of it on each side of the origin.
            res: not needed here: it is as round as it looks.
            name: of the shape.
            color: red, green and blue, from 0 to 1.
        """
        upright = model.Cylinder(radius, height, colour=_colour(color))
        return self._draw(cs, upright, name, rotation=[[1, 0, 0], [0, 0, 1], [0, -1, 0]])

    @command("name cs radius res")
    def Sphere(
        self, cs: PymbsFrame, radius: Value = 1, res: int = 50, name: str | None = None, color: Paint | None = None
    ) -> Drawing:
        """A sphere about the origin of a frame."""
        return self._draw(cs, model.Sphere(radius, colour=_colour(color)), name)

    @command("name cs length")
    def Line(self, cs: PymbsFrame, length: Value = 1, name: str | None = None, color: Paint | None = None) -> Drawing:
        """A line from the origin of a frame along its x axis; against it, if the length is negative."""
        away, back = _away(length)
        return self._draw(cs, model.Line(away, colour=_colour(color)), name, back)

    @command("name cs size")
    def Arrow(self, cs: PymbsFrame, size: Value = 1, name: str | None = None, color: Paint | None = None) -> Drawing:
        """An arrow from the origin of a frame along its x axis; against it, if the size is negative."""
        away, back = _away(size)
        return self._draw(cs, model.Arrow(away, colour=_colour(color)), name, back)

    @command("name cs size")
    def Frame(self, cs: PymbsFrame, size: Value = 1, name: str | None = None) -> Drawing:
        """The axes of a frame: x red, y green, z blue; PyMbs has y yellow and z green."""
        return self._draw(cs, model.Axes(size), name)

    @command("name cs fileName scale")
    def File(
        self, cs: PymbsFrame, fileName: str, scale: Value = 1, name: str | None = None, color: Paint | None = None
    ) -> Drawing:
        """A surface from a file: STL, OBJ, PLY, GLB or DAE.

        Args:
            cs: the frame.
            fileName: of the file.
            scale: how much smaller it becomes: the manual says 1000 for a file in millimetres, and scripts say
                0.001, because PyMbs multiplies. Both mean the same here.
            name: of the shape.
            color: red, green and blue, from 0 to 1.
        """
        return self._draw(cs, model.Mesh(Path(fileName), _smaller(scale), colour=_colour(color)), name)

    def flexible_Body(self, *args: Any, **named: Any) -> None:
        """Not supported."""
        raise rigid_only("addVisualisation.flexible_Body")

    def _draw(self, cs: Any, shape: model.Shape, name: str | None, rotation: Any = None) -> Drawing:
        own = self._mbs.part_name(name, "visual")
        return self._mbs.system.draw(cs.made, shape, rotation=rotation, name=own)


def _away(length: Any) -> tuple[Any, list[list[int]] | None]:
    """A length that is not negative, and the half turn about z that a negative one represents."""
    size = scalar(length)
    return (-size, [[-1, 0, 0], [0, -1, 0], [0, 0, 1]]) if is_number(size) and size < 0 else (size, None)


def _smaller(scale: Any) -> Any:
    """The factor that is meant by how much a drawing is to be scaled down: 1000 and 0.001 are the same."""
    size = scalar(scale)
    return size if is_number(size) and size <= 1 else 1 / as_expr(size)


def _colour(color: Any) -> Any:
    return color if color is None or isinstance(color, str) else tuple(map(float, color))
