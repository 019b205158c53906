"""Shapes as a text file: for each one a section with its kind, its sizes, and its place on a body."""

from __future__ import annotations

from configparser import ConfigParser
from io import StringIO
from typing import Any

from multibody.equations import EquationsOfMotion
from multibody.graph import array, evaluate
from multibody.model import Drawing, Mesh


def graph_reps(eom: EquationsOfMotion) -> str:
    """All shapes of a system, with the numbers that parameters have by default.

    Each section has the name of a shape. ``r`` and ``T`` are position and rotation matrix, row by row, of the shape in
    the frame of its ``body``; boxes and cylinders have their centre there, cylinders stand along z.
    """
    known: dict[Any, float] = dict(eom.model.parameter_values())
    sheet = ConfigParser(interpolation=None)
    sheet.optionxform = str  # type: ignore[assignment, method-assign]
    for name, drawing in eom.model.drawings.items():
        sheet[name] = _entries(drawing, known)
    page = StringIO()
    sheet.write(page)
    return page.getvalue()


def _entries(drawing: Drawing, known: dict[Any, float]) -> dict[str, str]:
    place, shape = drawing.frame.pose @ drawing.pose, drawing.shape
    sizes = {size: _numbers(value, known) for size, value in shape.sizes.items()}
    file = {"file": shape.label, "scale": _numbers(shape.scale, known)} if isinstance(shape, Mesh) else {}
    colour = {} if shape.colour is None else {"colour": " ".join(f"{part:.6g}" for part in shape.colour)}
    return {
        "type": type(shape).__name__,
        "body": drawing.frame.body.name,
        **sizes,
        **file,
        **colour,
        "r": _numbers(place.position.to_array(), known),
        "T": _numbers(place.rotation.to_matrix().symbolic().to_array(), known),
    }


def _numbers(value: Any, known: dict[Any, float]) -> str:
    return " ".join(f"{float(evaluate(number, known)):.12g}" for number in array(value).flat)
