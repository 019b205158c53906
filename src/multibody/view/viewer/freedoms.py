"""Degrees of freedom that sliders move: single coordinates, and orientations as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from multibody.equations.printed_forms.symbol_table import symbol_table
from multibody.mechanics.constraints.independence import Constraints
from multibody.mechanics.coordinate_kinds import angles_of
from multibody.model.model import Model

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Freedom:
    """A coordinate, or the four of a unit quaternion, which are moved by a rotation vector.

    Attributes:
        name: of the coordinate, or of the joint.
        places: the numbers of its coordinates.
        unit: SI unit of what is moved.
        limits: what its joint allows, for each slider; None where it says nothing.
        wraps: whether it is an angle that is the same again after a turn.
    """

    name: str
    places: tuple[int, ...]
    unit: str
    limits: tuple[float, float] | None = None
    wraps: bool = False

    @property
    def turns(self) -> bool:
        """Whether it is an orientation."""
        return len(self.places) == 4

    @property
    def labels(self) -> tuple[str, ...]:
        """A name for each slider."""
        return tuple(f"{self.name} {axis}" for axis in "xyz") if self.turns else (self.name,)

    def read(self, q: Vector) -> Vector:
        """What its sliders show."""
        own = q[list(self.places)]
        if self.wraps:
            return np.pi - (np.pi - own) % (2 * np.pi)
        return rotation_vector(own) if self.turns else own

    def write(self, values: Vector, q: Vector) -> Vector:
        """Its coordinates near those in q, for what its sliders show."""
        if self.wraps:
            return values + 2 * np.pi * np.round((q[list(self.places)] - values) / (2 * np.pi))
        return unit_quaternion(values) if self.turns else values

    def tangents(self, q: Vector) -> Vector:
        """A row of coordinates for each of its own ways to move, by their rates: q̇ = ½·q∘ω for a quaternion."""
        if not self.turns:
            return np.ones((1, 1))
        w, x, y, z = q[list(self.places)]
        return np.array([[-x, w, z, -y], [-y, -z, w, x], [-z, y, -x, w]]) / 2

    def between(self, q: Vector, target: Vector, step: float) -> Iterator[Vector]:
        """Its coordinates on the way from those in q to a target, in steps that are not longer than ``step``."""
        start = q[list(self.places)]
        end = -target if self.turns and start @ target < 0 else target
        way = 2 * np.arccos(np.clip(start @ end, -1, 1)) if self.turns else abs(float((end - start)[0]))
        count = max(1, int(np.ceil(way / step)))
        for k in range(1, count + 1):
            point = start + (end - start) * (k / count)
            yield point / np.linalg.norm(point) if self.turns else point


def freedoms(constraints: Constraints) -> tuple[Freedom, ...]:
    """All that a model can do, in the order of its coordinates."""
    model = constraints.model
    units = {entry.name: entry.unit for entry in symbol_table(model, constraints).entries}
    ranges, angles = _limits(model), angles_of(model)
    turning = {places[0]: tuple(places) for places in model.quaternions}
    inner = {k for places in model.quaternions for k in places}
    found = []
    for k, coordinate in enumerate(model.coordinates):
        if k in turning:
            found.append(Freedom(coordinate.name.removesuffix("_qw"), turning[k], "rad"))
        elif k not in inner:
            limits = ranges.get(coordinate.name)
            found.append(
                Freedom(coordinate.name, (k,), units[coordinate.name], limits, limits is None and coordinate in angles)
            )
    return tuple(found)


def _limits(model: Model) -> dict[str, tuple[float, float]]:
    """By the name of a coordinate, where its joint has any."""
    pairs = (
        (coordinate, pair)
        for joint in model.joints
        for coordinate, pair in zip(joint.coordinates, joint.limits, strict=True)
    )
    return {coordinate.name: pair for coordinate, pair in pairs if pair is not None}


def unit_quaternion(vector: Vector) -> Vector:
    """(w, x, y, z) of a rotation vector: (cos θ/2, sin θ/2·v/θ)."""
    angle = float(np.linalg.norm(vector))
    return np.array([np.cos(angle / 2), *(np.sinc(angle / 2 / np.pi) / 2 * np.asarray(vector))])


def rotation_vector(quaternion: Vector) -> Vector:
    """The rotation vector of a unit quaternion, not longer than π."""
    w, *vector = quaternion if quaternion[0] >= 0 else -np.asarray(quaternion)
    size = float(np.linalg.norm(vector))
    return np.array(vector) * (2 * np.arctan2(size, w) / size if size > 1e-12 else 2.0)
