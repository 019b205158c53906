"""The inertia of a link whose outer joints move freely: no longer that of any rigid body, but still symmetric."""

from __future__ import annotations

from dataclasses import dataclass

from multibody.algebra import (
    ForceMotor,
    Inertia,
    Mat3,
    Motor,
    Rotation,
    Symmetric3,
    Transform,
    Vec3,
)
from multibody.graph import ZERO


@dataclass(frozen=True)
class ArticulatedInertia:
    """A symmetric motor dyad: force = mass·a + couplingᵀ·α, moment = coupling·a + tensor·α for the motor (α, a)."""

    mass: Symmetric3
    coupling: Mat3
    tensor: Symmetric3

    @staticmethod
    def rigid(inertia: Inertia) -> ArticulatedInertia:
        """That of a rigid body, eq. (7)."""
        m, s = inertia.mass, inertia.first_moment
        return ArticulatedInertia(Symmetric3(m, m, m, ZERO, ZERO, ZERO), Mat3.cross_matrix(s), inertia.tensor)

    def __add__(self, other: ArticulatedInertia) -> ArticulatedInertia:
        return ArticulatedInertia(self.mass + other.mass, self.coupling + other.coupling, self.tensor + other.tensor)

    def apply(self, motor: Motor) -> ForceMotor:
        """The force that an acceleration (α, a) takes."""
        turn, move = motor.resultant, motor.moment
        force = self.mass @ move + self.coupling.apply_transposed(turn)
        return ForceMotor(force, self.coupling @ move + self.tensor @ turn)

    def less(self, left: ForceMotor, right: ForceMotor) -> ArticulatedInertia:
        """The inertia minus the symmetric dyad left·rightᵀ, whose product is known to be symmetric."""
        f, g = left.resultant, right.resultant
        t, s = left.moment, right.moment
        return ArticulatedInertia(
            self.mass - _symmetric(f, g), self.coupling - t.outer(g), self.tensor - _symmetric(t, s)
        )

    def to_parent(self, pose: Transform) -> ArticulatedInertia:
        """The same in the axes and about the origin of the parent frame."""
        return self.rotated(pose.rotation).shifted(pose.position)

    def rotated(self, rotation: Rotation) -> ArticulatedInertia:
        """In the axes of A, for R_AB."""
        return ArticulatedInertia(
            rotation.turn_symmetric(self.mass),
            rotation.turn_matrix(self.coupling),
            rotation.turn_symmetric(self.tensor),
        )

    def shifted(self, p: Vec3) -> ArticulatedInertia:
        """About an origin from which the present one is at ``p``.

        With p̃ the cross product matrix: coupling + p̃·mass, and tensor - coupling·p̃ + p̃·couplingᵀ - p̃·mass·p̃.
        """
        if all(component is ZERO for component in p):
            return self
        moved = Mat3(*[self.coupling.rows[i] + row for i, row in enumerate(_cross_rows(p, self.mass))])
        # tensor' = tensor + p̃·couplingᵀ - (coupling + p̃·mass)·p̃; both products together are symmetric
        left = _cross_rows(p, self.coupling.transposed())
        right = [-(p.cross(row)) for row in moved.rows]  # row·p̃ = -(p × row)ᵀ
        both = [left[i] - right[i] for i in range(3)]
        tensor = Symmetric3(
            self.tensor.xx + both[0].x,
            self.tensor.yy + both[1].y,
            self.tensor.zz + both[2].z,
            self.tensor.xy + both[0].y,
            self.tensor.xz + both[0].z,
            self.tensor.yz + both[1].z,
        )
        return ArticulatedInertia(self.mass, moved, tensor)


def _cross_rows(p: Vec3, matrix: Mat3 | Symmetric3) -> list[Vec3]:
    """The rows of p̃·matrix."""
    x, y, z = matrix.rows
    return [z * p.y - y * p.z, x * p.z - z * p.x, y * p.x - x * p.y]


def _symmetric(a: Vec3, b: Vec3) -> Symmetric3:
    return Symmetric3(a.x * b.x, a.y * b.y, a.z * b.z, a.x * b.y, a.x * b.z, a.y * b.z)
