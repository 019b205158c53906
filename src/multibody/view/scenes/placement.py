"""Positions and orientations as numbers: quaternions (w, x, y, z), and things that are stretched between two points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


class NumericPose(NamedTuple):
    """A position and a unit quaternion (w, x, y, z)."""

    position: Vector
    quaternion: Vector

    @property
    def matrix(self) -> Vector:
        """The 4×4 matrix of the same map."""
        whole = np.eye(4)
        whole[:3, :3], whole[:3, 3] = rotation_matrices(self.quaternion), self.position
        return whole

    def __matmul__(self, inner: NumericPose) -> NumericPose:
        """Where something is whose pose is given in this one."""
        both = self.matrix @ inner.matrix
        return NumericPose(both[:3, 3], quaternions(both[:3, :3]))


HERE = NumericPose(np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))


class Poses(NamedTuple):
    """Positions and unit quaternions of many places, along the last axis but one; perhaps for many times before it."""

    position: Vector
    quaternion: Vector


class Stretched(NamedTuple):
    """Where ties are: their origins, how their z axes are turned, and their lengths along these."""

    position: Vector
    quaternion: Vector
    length: Vector


def quaternions(rotation: Vector) -> Vector:
    """Unit quaternions (w, x, y, z) of rotation matrices, w ≥ 0, stable for all angles (Shepperd 1978).

    Of the four ways to compute one, the one that divides by the largest number is taken for each matrix.
    """
    m = np.asarray(rotation, dtype=float)
    trace = np.trace(m, axis1=-2, axis2=-1)
    diagonal = np.diagonal(m, axis1=-2, axis2=-1)
    squares = np.concatenate([(1 + trace)[..., None], 1 - trace[..., None] + 2 * diagonal], axis=-1)  # 4·(w², x², …)
    best = np.argmax(squares, axis=-1)
    w_x, w_y, w_z = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    x_y, y_z, z_x = m[..., 0, 1] + m[..., 1, 0], m[..., 1, 2] + m[..., 2, 1], m[..., 2, 0] + m[..., 0, 2]
    products = np.stack([  # 4·q·qᵀ, by rows
        np.stack([squares[..., 0], w_x, w_y, w_z], axis=-1),
        np.stack([w_x, squares[..., 1], x_y, z_x], axis=-1),
        np.stack([w_y, x_y, squares[..., 2], y_z], axis=-1),
        np.stack([w_z, z_x, y_z, squares[..., 3]], axis=-1),
    ], axis=-2)  # fmt: skip
    row = np.take_along_axis(products, best[..., None, None], axis=-2)[..., 0, :]
    unit = row / np.linalg.norm(row, axis=-1, keepdims=True)
    return np.where(unit[..., :1] < 0, -unit, unit)


def continuous(quaternion: Vector) -> Vector:
    """The same orientations over time (first axis) without jumps from q to -q, for interpolation between keys."""
    signs = np.where(np.sum(quaternion[1:] * quaternion[:-1], axis=-1) < 0, -1.0, 1.0)
    turned = np.cumprod(np.concatenate([np.ones_like(signs[:1]), signs]), axis=0)
    return quaternion * turned[..., None]


def rotation_matrices(quaternion: Vector) -> Vector:
    """Rotation matrices of unit quaternions (w, x, y, z)."""
    w, x, y, z = np.moveaxis(np.asarray(quaternion, dtype=float), -1, 0)
    return np.stack([
        np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], axis=-1),
        np.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], axis=-1),
        np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=-1),
    ], axis=-2)  # fmt: skip


def turning_z_to(direction: Vector) -> Vector:
    """The shortest turn of the z axis to each direction, as a unit quaternion; no turn for a direction of length 0."""
    length = np.linalg.norm(direction, axis=-1, keepdims=True)
    x, y, z = np.moveaxis(np.where(length > 0, direction / np.where(length > 0, length, 1.0), [0.0, 0.0, 1.0]), -1, 0)
    lift = np.where(1 + z > 1e-6, 1 + z, (x * x + y * y) / (1 - np.minimum(z, 0.0)))  # 1 + z, without cancellation
    raw = np.stack([lift, -y, x, np.zeros_like(z)], axis=-1)  # (1 + a·b, a × b), of length zero for opposite axes
    raw = np.where(np.abs(raw).max(axis=-1, keepdims=True) > 1e-100, raw, [0.0, 1.0, 0.0, 0.0])
    return raw / np.linalg.norm(raw, axis=-1, keepdims=True)


def laid_between(
    ends: Sequence[tuple[int, int]], points: Sequence[tuple[Vector, Vector]], poses: Poses
) -> Stretched:  # fmt: skip
    """Ties from their first points to their second ones, with z along them."""
    count = len(ends)
    numbers = np.array(ends, dtype=int).reshape(count, 2)
    local = np.array(points, dtype=float).reshape(count, 2, 3)
    turn = rotation_matrices(poses.quaternion)
    a, b = (
        poses.position[..., end, :] + np.einsum("...nij,nj->...ni", turn[..., end, :, :], point)
        for end, point in zip(numbers.T, np.moveaxis(local, 1, 0), strict=True)
    )
    return Stretched(a, turning_z_to(b - a), np.linalg.norm(b - a, axis=-1))
