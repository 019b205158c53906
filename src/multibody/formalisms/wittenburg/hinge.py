"""A hinge of Wittenburg's method: all steps of a joint in one, with its axes as seen from the body that it carries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from multibody.algebra import AccelerationMotor, Rotation, Transform, Vec3, VelocityMotor
from multibody.graph import ZERO, Expr
from multibody.model import Link, Model
from multibody.model.kinematics import ZERO3, combined


@dataclass(frozen=True)
class Hinge:
    """The motion of body i⁻ relative to body i⁺; all vectors have components along the axes of body i⁻.

    The hinge point is fixed on body i⁻. It does not move on body i⁺ unless the joint slides: then the k-vectors of the
    general joint (Wittenburg 1977, chapter 5) tell how, as the p-vectors do for the rotation.

    Attributes:
        name: of the joint.
        A: the rotation from the axes of i⁻ to those of i⁺ (1)-(3).
        on_inner: the hinge point in the frame of body i⁺; it depends on coordinates where the joint slides.
        on_outer: the hinge point in the frame of body i⁻.
        p: the rotation axis of each speed (27)-(31); Ω = Σ p·u (4).
        k: the direction in which each speed moves the hinge point on i⁺; V = Σ k·u.
        partials: for each axis, the derivatives of its speed by the model's speeds; none where the motion is given.
        Omega: Ω, the angular velocity of i⁻ relative to i⁺.
        V: the velocity of the hinge point relative to i⁺.
        phi: φ, the rate of Ω seen from i⁻ (or i⁺: it is the same) while the model's speeds do not change (15)-(17).
        sigma: σ, the rate of V seen from i⁺ while the model's speeds do not change.
    """

    name: str
    A: Rotation
    on_inner: Vec3
    on_outer: Vec3
    p: tuple[Vec3, ...]
    k: tuple[Vec3, ...]
    partials: tuple[dict[int, Expr], ...]
    Omega: Vec3
    V: Vec3
    phi: Vec3
    sigma: Vec3

    @property
    def slides(self) -> bool:
        """Whether the hinge point moves on body i⁺."""
        return any(component is not ZERO for axis in self.k for component in axis)


def steps_by_joint(model: Model) -> list[list[Link]]:
    """The links of each joint: frames without mass, and last the one that the body is fixed to."""
    return [list(links) for _, links in groupby(model.links, key=lambda link: link.joint)]


def is_prescribed(links: Sequence[Link]) -> bool:
    """Whether the motion of a joint is given as a function of time."""
    return not any(partial for link in links for partial in link.partials)


def hinge(links: Sequence[Link], inner: Transform, outer: Transform) -> Hinge:
    """One hinge from the steps of a joint.

    Args:
        links: the steps, from body i⁺ to body i⁻.
        inner: from the frame of body i⁺ to that of its link.
        outer: from the frame of body i⁻ to that of its link, the last one.
    """
    pose = inner.inverse()
    axes: list[VelocityMotor] = []
    velocity, rest = VelocityMotor(ZERO3, ZERO3), AccelerationMotor(ZERO3, ZERO3)
    for link in links:
        step, own = link.motion.pose(link.q), link.motion.axes(link.q)
        speed = VelocityMotor(*combined(own, link.u))
        pose = pose @ link.before @ step
        axes = [step.to_child(link.before.to_child(axis)) for axis in axes] + list(own)
        velocity = step.to_child(link.before.to_child(velocity)) + speed
        rest = step.to_child(link.before.to_child(rest)) + velocity.cross(speed) + _own_rest(link)
    turn = outer.rotation.inverse()
    axes, velocity, rest = [axis.rotated(turn) for axis in axes], velocity.rotated(turn), rest.rotated(turn)
    return Hinge(
        name=links[0].joint.name,
        A=pose.rotation @ outer.rotation,
        on_inner=pose.position,
        on_outer=outer.inverse().position,
        p=tuple(axis.resultant for axis in axes),
        k=tuple(axis.moment for axis in axes),
        partials=tuple(dict(partial) for link in links for partial in link.partials),
        Omega=velocity.resultant,
        V=velocity.moment,
        phi=rest.resultant,
        sigma=rest.of_point(ZERO3, velocity),
    )


def _own_rest(link: Link) -> AccelerationMotor:
    """What changes the velocity of one step apart from the model's u̇: given accelerations, and moving axes."""
    given = AccelerationMotor(*combined(link.motion.axes(link.q), link.drift))
    bias = link.motion.bias(link.q, link.u)
    return given if bias is None else given + bias.as_type(AccelerationMotor)
