"""Newton and Euler from link to link: motion outward, forces inward.

After Fisette and Samin, as in the PyMbs manual, section 4.1.3.

Everything is written in the axes of the link it belongs to. Where the printed text has lost a term, it is
restored: the moment of the link's own inertia in L_i, and the term Ω × V of a joint that turns and slides at once.

The inertia enters by the pseudo-inertia K = ∫ r·rᵀ dm = ½·tr(Θ)·1 - Θ: with β = ω̃·ω̃ + ω̇̃ the moment of the
inertia forces about the link's origin is s × α + dual(β·K - (β·K)ᵀ), which takes fewer operations than Θ·ω̇ + ω ×
Θ·ω.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from multibody.algebra import ForceMotor, Inertia, Mat3, Rotation, Transform, Vec3
from multibody.graph import ZERO, Expr
from multibody.model import Link, Model
from multibody.model.kinematics import ZERO3, relative_motion


class LinkMotion(NamedTuple):
    """How a link moves, in its own axes.

    Attributes:
        pose: X from the link's frame to the motion's parent frame.
        spin: angular velocity ω.
        spin_rate: angular acceleration ω̇.
        beta: β = ω̃·ω̃ + ω̇̃, which gives the acceleration β·r of a point r relative to the origin.
        acceleration: α of the link's origin, minus gravity.
    """

    pose: Transform
    spin: Vec3
    spin_rate: Vec3
    beta: Mat3
    acceleration: Vec3


def beta_of(w: Vec3, dw: Vec3) -> Mat3:
    """β = ω̃·ω̃ + ω̇̃."""
    xx, yy, zz = w.x * w.x, w.y * w.y, w.z * w.z
    xy, xz, yz = w.x * w.y, w.x * w.z, w.y * w.z
    return Mat3(
        Vec3(-(yy + zz), xy - dw.z, xz + dw.y),
        Vec3(xy + dw.z, -(xx + zz), yz - dw.x),
        Vec3(xz - dw.y, yz + dw.x, -(xx + yy)),
    )


def outward(model: Model, accelerations: Sequence[Sequence[Expr]]) -> list[LinkMotion]:
    """The motion of every link, for given rates of its speeds; gravity acts as an upward acceleration of the world."""
    world = at_rest(model)
    motions: list[LinkMotion] = []
    for link, a in zip(model.links, accelerations, strict=True):
        motions.append(_carried(link, a, world if link.parent < 0 else motions[link.parent]))
    return motions


def at_rest(model: Model) -> LinkMotion:
    """The motion of the world, which gravity makes accelerate upward."""
    still = Mat3(ZERO3, ZERO3, ZERO3)
    return LinkMotion(Transform(Rotation.identity(), ZERO3), ZERO3, ZERO3, still, -model.gravity)


def _carried(link: Link, a: Sequence[Expr], parent: LinkMotion) -> LinkMotion:
    pose = link.motion.pose(link.q)
    turn, slide, turn_rate, slide_rate = relative_motion(link, a)
    carried_spin = into(link, pose, parent.spin)
    spin = carried_spin + turn
    spin_rate = into(link, pose, parent.spin_rate) + turn_rate + carried_spin.cross(turn)

    offset = link.before.position + link.before.rotation.apply(pose.position)
    acceleration = into(link, pose, parent.acceleration + parent.beta @ offset)
    acceleration = acceleration + slide_rate + (carried_spin * 2 + turn).cross(slide)
    return LinkMotion(pose, spin, spin_rate, beta_of(spin, spin_rate), acceleration)


def into(link: Link, pose: Transform, vector: Vec3) -> Vec3:
    """A vector in the parent link's axes, turned into the link's axes in two cheap steps."""
    return pose.rotation.apply_inverse(link.before.rotation.apply_inverse(vector))


def out_of(link: Link, pose: Transform, vector: Vec3) -> Vec3:
    """The way back."""
    return link.before.rotation.apply(pose.rotation.apply(vector))


def inertia_force(inertia: Inertia, motion: LinkMotion) -> ForceMotor:
    """Rate of momentum of a link about its origin: (m·α + β·s, s × α + dual(β·K - (β·K)ᵀ))."""
    s, a, beta = inertia.first_moment, motion.acceleration, motion.beta
    return ForceMotor(a * inertia.mass + beta @ s, s.cross(a) + _dual(beta, inertia))


def _dual(beta: Mat3, inertia: Inertia) -> Vec3:
    theta = inertia.tensor
    half = theta.trace() / 2
    rows = theta.rows
    k = [Vec3(*[(half - row[j] if i == j else -row[j]) for j in range(3)]) for i, row in enumerate(rows)]
    x, y, z = beta.rows
    return Vec3(z.dot(k[1]) - y.dot(k[2]), x.dot(k[2]) - z.dot(k[0]), y.dot(k[0]) - x.dot(k[1]))


def inward(model: Model, motions: Sequence[LinkMotion], applied: Mapping[int, ForceMotor]) -> list[ForceMotor]:
    """The force that each link's motion transmits to it, at the link's origin and in its axes: (F_i, L_i)."""
    totals: list[ForceMotor | None] = [None] * len(model.links)
    for link in reversed(model.links):
        motion = motions[link.index]
        total = totals[link.index]
        total = ForceMotor(ZERO3, ZERO3) if total is None else total
        if link.inertia is not None:
            total = total + inertia_force(link.inertia, motion)
        if link.index in applied:
            total = total - applied[link.index]
        totals[link.index] = total
        if link.parent >= 0:
            passed = passed_on(link, motion.pose, total)
            known = totals[link.parent]
            totals[link.parent] = passed if known is None else known + passed
    return [total for total in totals if total is not None]


def passed_on(link: Link, pose: Transform, force: ForceMotor) -> ForceMotor:
    """A force at the link's origin, at the parent link's origin and in its axes."""
    offset = link.before.position + link.before.rotation.apply(pose.position)
    resultant = out_of(link, pose, force.resultant)
    return ForceMotor(resultant, out_of(link, pose, force.moment) + offset.cross(resultant))


def projected(model: Model, forces: Sequence[ForceMotor]) -> list[Expr]:
    """Q_k = Φ_k·L_i + Ψ_k·F_i: the generalized force of every speed."""
    result: list[Expr] = [ZERO] * len(model.speeds)
    for link, force in zip(model.links, forces, strict=True):
        for axis, partial in zip(link.motion.axes(link.q), link.partials, strict=True):
            if partial:
                along = axis.resultant.dot(force.moment) + axis.moment.dot(force.resultant)
                for column, factor in partial.items():
                    result[column] = result[column] + factor * along
    return result
