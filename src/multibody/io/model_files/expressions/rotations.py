"""Rotations as they stand in a file, read and written.

``{about: x, angle: pi/2}``, ``{about: [1, 1, 0], angle: 0.3}``, ``{euler: zxz, angles: [a, b, c]}``,
``{quaternion: [w, x, y, z]}``, ``{matrix: [[…], […], […]]}``; a list of these is their product, the first one
outermost.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from multibody.algebra import Quaternion, Rotation
from multibody.algebra.rotation_forms import AxisRotation, Identity
from multibody.graph import Constant, Expr, as_expr, pi
from multibody.graph.text.arrangement import operation
from multibody.io.model_files.yaml_text.nodes import List, Mapping, Scalar, YamlNode, kind_of
from multibody.model.body import as_rotation

FORMS = {
    "about": ("about", "angle"),
    "euler": ("euler", "angles"),
    "quaternion": ("quaternion",),
    "matrix": ("matrix",),
}
"""The keys of each form, by its first one."""

ABOUT = {"x": Rotation.about_x, "y": Rotation.about_y, "z": Rotation.about_z}
_REMEDY = (
    "Write {about: x, angle: pi/2}, {euler: zxz, angles: […]}, {quaternion: […]}, {matrix: […]}, or a list of these."
)


def read_rotation(node: YamlNode, value: Callable[[YamlNode], Any]) -> Any:
    """The rotation that a node describes.

    Args:
        node: one form, or a list of forms.
        value: reads numbers and expressions.
    """
    if isinstance(node, List):
        product = Rotation.identity()
        for item in node.items:
            product = product @ _as_factor(read_rotation(item, value))
        return product
    entries = node.entries if isinstance(node, Mapping) else {}
    form = next((keys for first, keys in FORMS.items() if first in entries), None)
    if form is None or set(entries) != set(form):
        node.fail(f"This is not a rotation: {kind_of(node)}.", remedy=_REMEDY, code="rotation-invalid")
    return _READERS[form[0]](*(entries[key].value for key in form), value)


def _as_factor(rotation: Any) -> Rotation:
    return rotation if isinstance(rotation, Rotation) else as_rotation(rotation, "rotation")


def _about(axis: YamlNode, angle: YamlNode, value: Callable[[YamlNode], Any]) -> Rotation:
    if isinstance(axis, Scalar) and axis.value in ABOUT:
        return ABOUT[str(axis.value)](value(angle))
    if not isinstance(axis, List):
        axis.fail("This is not an axis.", remedy="Write x, y, z, or three coordinates.", code="axis-unknown")
    return Rotation.about(value(axis), value(angle))


def _euler(sequence: YamlNode, angles: YamlNode, value: Callable[[YamlNode], Any]) -> Rotation:
    return Rotation.euler(str(sequence.value) if isinstance(sequence, Scalar) else "", value(angles))


def _quaternion(node: YamlNode, value: Callable[[YamlNode], Any]) -> Rotation:
    parts = value(node)
    if not isinstance(parts, list) or len(parts) != 4 or any(isinstance(part, list) for part in parts):
        node.fail(
            "A quaternion has four components, the scalar first.",
            remedy="Write [1, 0, 0, 0] for no rotation.",
            code="rotation-invalid",
        )
    return Rotation.quaternion(Quaternion(*parts))


def _matrix(node: YamlNode, value: Callable[[YamlNode], Any]) -> Any:
    rows = value(node)
    if np.shape(np.array(rows, dtype=object)) != (3, 3):
        node.fail("A rotation matrix has three rows of three entries.", code="rotation-invalid")
    return Rotation.matrix(rows) if any(isinstance(entry, Expr) for row in rows for entry in row) else rows


_READERS: dict[str, Callable[..., Any]] = {
    "about": _about, "euler": _euler, "quaternion": _quaternion, "matrix": _matrix,
}  # fmt: skip


def plain_rotation(rotation: Any, plain: Callable[[Any], Any]) -> Any:
    """A rotation as it stands in a file; None for no rotation.

    Args:
        rotation: as given by the user: a ``Rotation`` or a matrix.
        plain: writes numbers and expressions.
    """
    meant = as_rotation(rotation, "rotation")
    if isinstance(meant.form, Identity):
        return None
    form = rotation.form if isinstance(rotation, Rotation) else None
    for angle in _angles(form) if isinstance(form, AxisRotation) else ():
        letter = "xyz"[form.axis] if isinstance(form, AxisRotation) else ""
        if _same(as_rotation(ABOUT[letter](angle), "rotation"), meant):
            return {"about": letter, "angle": plain(angle)}
    return {"matrix": plain(rotation.to_array() if isinstance(rotation, Rotation) else rotation)}


def _angles(turn: AxisRotation) -> Iterator[Any]:
    """Angles that a turn may have been made with; that of a float as near as possible."""
    cosine, sine = turn.cosine, turn.sine
    if not isinstance(cosine, Expr) and not isinstance(sine, Expr):
        yield from _neighbours(math.atan2(float(sine), float(cosine)))
        return
    for part in (as_expr(cosine), as_expr(sine)):
        op, args = operation(part)
        if op == "neg":
            op, args = operation(args[0])
        if op in ("cos", "sin"):
            yield from (args[0], -args[0], pi - args[0], args[0] - pi, args[0] + pi, pi / 2 - args[0], args[0] - pi / 2)
    if all(isinstance(part, Constant | float | int) for part in (cosine, sine)):
        angle = math.atan2(float(sine), float(cosine))
        yield pi * Fraction(round(angle / math.pi * 360), 360)
        yield from map(as_expr, _neighbours(angle))


def _neighbours(angle: float) -> list[float]:
    return [angle, *(math.nextafter(angle, end) for end in (math.inf, -math.inf))]


def _same(a: Rotation, b: Rotation) -> bool:
    pairs = zip(a.to_matrix().components(), b.to_matrix().components(), strict=True)
    return all(as_expr(x).fp == as_expr(y).fp for x, y in pairs)
