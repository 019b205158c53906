"""Axes of joints: a coordinate axis by name, or any direction."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from multibody.algebra import Quaternion, Rotation, Vec3, exact_rotation
from multibody.algebra.direction import named_axis
from multibody.errors import ModelError
from multibody.graph import Constant

Direction = Any
"""``"x"``, ``"-y"`` …, or a vector of three numbers or expressions."""

UNIT = (Vec3.ex(), Vec3.ey(), Vec3.ez())


@dataclass(frozen=True)
class Axis:
    """A direction as coordinate axis ``index`` (with ``sign``) of a frame turned by ``rotation``.

    Attributes:
        index: 0, 1 or 2 for x, y, z of the turned frame.
        sign: 1 or -1.
        rotation: from the turned frame to the given one; the identity for a coordinate axis.
    """

    index: int
    sign: int
    rotation: Rotation

    @property
    def vector(self) -> Vec3:
        """The direction in the turned frame."""
        return (UNIT[self.index] * self.sign).symbolic()


def axis(direction: Direction) -> Axis | Vec3:
    """A direction brought to a coordinate axis; a direction with symbols stays a vector, of length one.

    Example:
        >>> axis("-y").index, axis("-y").sign
        (1, -1)
        >>> axis((0, 0, 2.0)).index
        2
    """
    if isinstance(direction, str):
        return Axis(*named_axis(direction), Rotation.identity())
    vector = Vec3.from_any(direction, what="direction").symbolic()
    values = [float(component.value) for component in vector if isinstance(component, Constant)]
    return vector.unit() if len(values) < 3 else _numeric(values)


def known_axis(kind: object, direction: Direction) -> Axis:
    """The axis of a joint that closes a loop; it cannot have symbols, for which no perpendicular axes are known."""
    found = axis(direction)
    if isinstance(found, Vec3):
        raise ModelError(
            f"{kind!r} cannot close a loop, because its axis has symbols.",
            code="joint-cannot-close-loop",
            remedy="Cut another joint of the loop with cut=True, or turn its frames so that the axis is x, y or z.",
        )
    return found


def _numeric(values: list[float]) -> Axis:
    length = math.hypot(*values)
    if length == 0:
        raise ModelError(
            "An axis of length zero has no direction.",
            code="axis-without-direction",
            cause="All three components are zero.",
            remedy="Give a vector with a nonzero component.",
        )
    nonzero = [k for k, value in enumerate(values) if value != 0]
    if len(nonzero) == 1:
        return Axis(nonzero[0], 1 if values[nonzero[0]] > 0 else -1, Rotation.identity())
    x, y, z = (value / length for value in values)
    if z > -0.5:  # the shortest turn from z to the axis
        turn = Quaternion(1 + z, -y, x, 0.0)
        return Axis(2, 1, exact_rotation(Rotation.quaternion(turn.unit()).to_array()))
    turn = Quaternion(1 - z, y, -x, 0.0)
    return Axis(2, -1, exact_rotation(Rotation.quaternion(turn.unit()).to_array()))
