"""A rubber bushing: springs and dampers for all six directions between two frames."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from multibody.algebra import ForceMotor, Mat3, Symmetric3, Transform, Vec3
from multibody.graph import Expr
from multibody.model.body import Frame
from multibody.model.kinematics import Kinematics
from multibody.model.loads.contract import Applied, Load


class Bushing(Load):
    """Stiffness and damping against displacement and rotation of one frame relative to another.

    All matrices belong to the axes of ``a``. With r and R the position and rotation matrix of b in a, the stored energy
    is ½·rᵀ·K·r + tr(G·(1 - R)), G = ½·tr(C)·1 - C: for small angles φ that is ½·φᵀ·C·φ, and it is smooth and
    conservative for large ones too, where the torque goes with the sine of the angle. The reaction on ``a`` acts where
    b is, so that the pair has neither resultant nor moment.

    Args:
        a: the frame on the carrying body; put it where b is at rest.
        b: the frame on the carried body.
        stiffness: K in N/m: one number, three for the axes, or a symmetric 3×3 matrix.
        damping: the same for velocities, in N·s/m.
        torsion: C in N·m/rad, in the same way.
        torsion_damping: the same for angular velocities, in N·m·s/rad.

    Example:
        >>> from multibody.model import Free, System
        >>> engine = System("engine")
        >>> block = engine.body("block", mass=80, inertia=(3, 3, 3))
        >>> joint = engine.joint("motion", engine.world, block, Free())
        >>> mount = engine.load(Bushing(engine.world, block, stiffness=(1e5, 1e5, 3e5), damping=200, torsion=500))
    """

    holds_arguments = True

    def __init__(
        self, a: Frame, b: Frame, stiffness: Any = 0, damping: Any = 0, torsion: Any = 0, torsion_damping: Any = 0
    ) -> None:
        self.a = a
        self.b = b
        self.stiffness = as_symmetric(stiffness, "stiffness")
        self.damping = as_symmetric(damping, "damping")
        self.torsion = as_symmetric(torsion, "torsion")
        self.torsion_damping = as_symmetric(torsion_damping, "torsion damping")

    def forces(self, kinematics: Kinematics) -> Iterator[Applied]:
        """On b at its origin, and the opposite on a."""
        pose = kinematics.pose(self.b, self.a)
        motor = ForceMotor(self._force(pose, kinematics), self._torque(pose, kinematics))  # at b, in the axes of a
        yield Applied(self.a, -motor.referred_to(-pose.position))
        yield Applied(self.b, motor.rotated(pose.rotation.inverse()))

    def potential(self, kinematics: Kinematics) -> Expr:
        """½·rᵀ·K·r + tr(G·(1 - R))."""
        pose = kinematics.pose(self.b, self.a)
        stretch = pose.position.dot(self._matrix(self.stiffness, kinematics) @ pose.position) / 2
        g = self._half_trace(kinematics)
        return stretch + g.trace() - (g.to_mat3() @ pose.rotation.to_matrix()).trace()

    @property
    def dissipative(self) -> bool:
        """Stiffness stores energy, and damping takes it."""
        return True

    def _force(self, pose: Transform, kinematics: Kinematics) -> Vec3:
        velocity = pose.vector_to_parent(kinematics.velocity(self.b, self.a).moment)
        elastic = self._matrix(self.stiffness, kinematics) @ pose.position
        return -elastic - self._matrix(self.damping, kinematics) @ velocity

    def _torque(self, pose: Transform, kinematics: Kinematics) -> Vec3:
        """From d/dt tr(G·R) = tr(ω̃·R·G)."""
        turned = pose.rotation.to_matrix() @ self._half_trace(kinematics).to_mat3()
        elastic = twice_axial(turned)
        spin = pose.vector_to_parent(kinematics.velocity(self.b, self.a).resultant)
        return elastic - self._matrix(self.torsion_damping, kinematics) @ spin

    def _half_trace(self, kinematics: Kinematics) -> Symmetric3:
        """G = ½·tr(C)·1 - C."""
        c = self._matrix(self.torsion, kinematics)
        half = c.trace() / 2
        return Symmetric3(half - c.xx, half - c.yy, half - c.zz, -c.xy, -c.xz, -c.yz)

    def _matrix(self, matrix: Symmetric3, kinematics: Kinematics) -> Symmetric3:
        return matrix.map(lambda entry: self.scalar(entry, kinematics))

    @property
    def touches(self) -> tuple[object, ...]:
        """Two frames."""
        return self.a, self.b


def twice_axial(m: Mat3) -> Vec3:
    """The vector a with tr(ω̃·M) = ω·a for every ω."""
    return Vec3(m[1, 2] - m[2, 1], m[2, 0] - m[0, 2], m[0, 1] - m[1, 0])


def as_symmetric(value: Any, what: str) -> Symmetric3:
    """A symmetric matrix from one number, three numbers for the axes, or a matrix.

    Example:
        >>> as_symmetric((1, 2, 3), "stiffness").yy
        2
    """
    if isinstance(value, Symmetric3):
        return value.symbolic()
    if np.ndim(value) == 0:
        return Symmetric3.diagonal(value, value, value).symbolic()
    if np.ndim(value) == 1:
        return Symmetric3.diagonal(*Vec3.from_any(value, what=what)).symbolic()
    return Symmetric3.from_any(value, what=what).symbolic()
