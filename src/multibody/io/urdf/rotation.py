"""Rotations and axes of a file, exact: right angles are right, and everything else is orthogonal without rounding.

Roll, pitch and yaw become cosines and sines of constant angles, for which R·Rᵀ = 1 holds in the fingerprint field too.
An angle that is a multiple of π/2 to within eleven digits is taken as that; one that is written with fewer digits
only if the user says so (``snap``), because that changes the robot, if only by micrometres.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from multibody.algebra import Rotation, exact_rotation
from multibody.errors import ModelError
from multibody.graph import Expr, constant, pi
from multibody.io.urdf.robot_data import NOWHERE, UrdfPose
from multibody.io.xml_numbers import Three

RIGHT_ANGLE_ROUNDING = 1e-11
"""Angles this close to a right angle are meant as one: π/2 with twelve digits, as xacro writes it, is off by 5e-12."""
NEARLY_RIGHT_ANGLE = 1e-3
"""Angles this close are probably meant as one."""


class Rotations:
    """Makes rotations and axes exact, and counts where ``snap`` would pay."""

    def __init__(self, snap: float | None) -> None:
        if snap is not None and not 0 <= snap <= 0.1:
            raise ModelError(
                f"snap = {snap} is not a small angle.",
                remedy="Give an angle from 0 to 0.1, such as 1e-6.",
                code="number-out-of-range",
                value=snap,
            )
        self.tolerance = max(snap or 0.0, RIGHT_ANGLE_ROUNDING)
        self._near: list[float] = []

    def rotation(self, pose: UrdfPose, *, counts: bool = True) -> Rotation:
        """The exact rotation of a place; ``counts`` if right angles in it make the equations shorter."""
        if pose.rpy == NOWHERE and pose.quaternion is None:
            return Rotation.identity()
        cosines = np.asarray(pose.rotation.to_array(), dtype=float)
        right = np.round(cosines)
        away = float(np.max(np.abs(cosines - right)))
        if away <= self.tolerance:
            return Rotation.identity() if np.array_equal(right, np.eye(3)) else exact_rotation(right)
        if away <= NEARLY_RIGHT_ANGLE and counts:
            self._near.append(away)
        if pose.quaternion is not None:
            return exact_rotation(cosines, self.tolerance)
        return Rotation.euler("XYZ", [self._angle(angle) for angle in pose.rpy])

    def axis(self, direction: Three) -> str | Three | None:
        """A direction as ``"x"``, ``"-y"`` …, or of length one; None if it is zero."""
        size = max(map(abs, direction))
        if size == 0:
            return None
        scaled = [component / size for component in direction]
        unit = [component / math.hypot(*scaled) for component in scaled]
        largest = max(range(3), key=lambda index: abs(unit[index]))
        away = max(abs(unit[index]) for index in range(3) if index != largest)
        if away <= self.tolerance:
            return ("-" if unit[largest] < 0 else "") + "xyz"[largest]
        if away <= NEARLY_RIGHT_ANGLE:
            self._near.append(away)
        return unit[0], unit[1], unit[2]

    def _angle(self, angle: float) -> Expr:
        quarters = round(angle / (math.pi / 2))
        if abs(quarters) <= 1000 and abs(angle - quarters * (math.pi / 2)) <= self.tolerance:
            return pi * Fraction(quarters % 4, 2)
        return constant(angle)

    def messages(self) -> list[str]:
        """Whether it would pay to snap."""
        if not self._near:
            return []
        worst = max(self._near)
        enough = 10.0 ** math.ceil(math.log10(worst) - 1e-9)
        return [
            f"Rotations and axes that are right angles up to {worst:.1e}, but not exactly: {len(self._near)}. "
            f"With snap={enough:.0e} they would be exact, and the equations shorter."
        ]


def turned_to(axis: str | Three) -> Rotation:
    """A rotation that takes z to an axis, exactly."""
    if isinstance(axis, str):
        sign = -1 if axis.startswith("-") else 1
        x, y, z = (float(sign) if letter == axis[-1] else 0.0 for letter in "xyz")
    else:
        x, y, z = axis
    sideways = (0.0, 1.0, 0.0) if abs(y) <= min(abs(x), abs(z)) else (1.0, 0.0, 0.0)
    first = np.cross(sideways, (x, y, z))
    first /= np.linalg.norm(first)
    return exact_rotation(np.column_stack([first, np.cross((x, y, z), first), np.array((x, y, z))]))
