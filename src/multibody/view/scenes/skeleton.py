"""Automatic drawings of a model: rods to the joints, masses by their inertia, joints by their axes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from multibody.algebra import Vec3
from multibody.graph import Expr
from multibody.model import Body, Link, Model
from multibody.model.membership import joint_frames
from multibody.view.scenes.placement import NumericPose, quaternions, turning_z_to
from multibody.view.scenes.scene import ModelNumbers
from multibody.view.scenes.triangles import Surface, ball, box, rod

Vector = NDArray[np.float64]

UPRIGHT = np.array([1.0, 0.0, 0.0, 0.0])


class Bone(NamedTuple):
    """A piece of the picture, in the coordinates of what carries it."""

    pose: NumericPose
    parts: tuple[Surface, ...]


def joint_points(model: Model, body: Body, numbers: ModelNumbers) -> list[Vector]:
    """Where joints, constraints and loads act on a body, each place once, in the body's coordinates."""
    places = [numbers.point(frame.pose.position) for frame in joint_frames(model, body)]
    return list({tuple(place.round(9)): place for place in places}.values())


def body_bones(body: Body, points: Sequence[Vector], size: float, numbers: ModelNumbers) -> Iterator[Bone]:
    """Rods from the centre of mass to every point, and the mass itself."""
    mass, com = numbers(body.mass), numbers.point(body.com)
    massive = bool(mass)
    middle = com if massive or not points else np.mean(points, axis=0)
    for point in points:
        if float(np.linalg.norm(point - middle)) > 1e-3 * size:
            yield _bar(middle, point, 0.012 * size)
    if massive:
        yield _mass(body, com, mass, size, numbers)


def _bar(a: Vector, b: Vector, radius: float) -> Bone:
    length = float(np.linalg.norm(b - a))
    return Bone(NumericPose((a + b) / 2, turning_z_to(b - a)), (rod(radius, length),))


def _mass(body: Body, com: Vector, mass: float, size: float, numbers: ModelNumbers) -> Bone:
    """The homogeneous box or cylinder with the same mass and inertia; a ball for a point mass.

    Of a box, from m·(b² + c²)/12 = I_a and so on: a² = 6·(I_b + I_c - I_a)/m. Of a cylinder, where two moments are
    equal: r² = 2·I_z/m and l² = 12·I_x/m - 3·r². What would be far larger than the whole is made smaller.
    """
    tensor = np.array([[numbers(entry) for entry in row] for row in body.inertia.to_mat3().rows])
    principal, axes = np.linalg.eigh(tensor)
    if mass < 0 or principal.max() <= 0:
        return Bone(NumericPose(com, UPRIGHT), (ball(0.04 * size),))
    round_one = _axis_of_symmetry(principal)
    if round_one is not None:
        along, across = principal[round_one], principal[round_one - 1]
        radius_squared = 2 * along / mass
        length, radius = _sizes(12 * across / mass - 3 * radius_squared, radius_squared, size=size)
        return Bone(NumericPose(com, turning_z_to(axes[:, round_one])), (rod(max(radius, 0.015 * size), length),))
    edges = _sizes(*(6 * (principal.sum() - 2 * principal) / mass), size=size)
    axes[:, 2] *= np.sign(np.linalg.det(axes))  # right-handed
    return Bone(NumericPose(com, quaternions(axes)), (box(*edges),))


def _sizes(*squares: float, size: float) -> Vector:
    """Lengths from their squares, neither too small to be seen nor too large for the others to be seen."""
    lengths = np.sqrt(np.maximum(squares, 0.0))
    return np.asarray(np.maximum(lengths * min(1.0, 2.1 * size / lengths.max()), 0.03 * size))


def _axis_of_symmetry(principal: Vector) -> int | None:
    """The number of the moment of inertia that differs from two equal ones; the moments are in ascending order."""
    low, middle, high = principal
    near = 1e-3 * high
    if high - low < near:
        return None
    return 0 if high - middle < near else 2 if middle - low < near else None


def joint_bones(link: Link, size: float, numbers: ModelNumbers) -> Iterator[Bone]:
    """A short cylinder about each axis that turns, a rail along each that slides, a ball where three turn at once.

    Axes are those of the joint's step at rest, in the coordinates of the link that it moves. A free body has none.
    """
    motion = link.motion
    rest: Sequence[Expr] = [numbers.constant(value) for value in motion.rest]
    motors = motion.axes(rest)
    turning = [_direction(motor.resultant, numbers) for motor in motors]
    sliding = [_direction(motor.moment, numbers) for motor in motors]
    turns = [direction for direction in turning if direction is not None]
    slides = [slide for turn, slide in zip(turning, sliding, strict=True) if turn is None and slide is not None]
    if len(motors) > 3:
        return
    if len(turns) == 3:
        yield Bone(NumericPose(np.zeros(3), UPRIGHT), (ball(0.03 * size),))
        return
    for axis in turns:
        yield Bone(NumericPose(np.zeros(3), turning_z_to(axis)), (rod(0.022 * size, 0.07 * size),))
    for axis in slides:
        yield Bone(NumericPose(np.zeros(3), turning_z_to(axis)), (box(0.03 * size, 0.03 * size, 0.12 * size),))


def turning_axes(link: Link, numbers: ModelNumbers) -> list[Vector]:
    """The directions of the axes of one step of a joint, turning or sliding, of length one, in the link's frame."""
    rest = [numbers.constant(value) for value in link.motion.rest]
    found = []
    for motor in link.motion.axes(rest):
        axis = _direction(motor.resultant, numbers)
        axis = _direction(motor.moment, numbers) if axis is None else axis
        found += [] if axis is None else [axis]
    return found


def _direction(vector: Vec3, numbers: ModelNumbers) -> Vector | None:
    value = numbers.point(vector)
    length = float(np.linalg.norm(value))
    return value / length if length > 1e-12 else None
