"""Energy, momentum, mass and centre of mass of bodies, as expressions.

Vectors are in the world's axes. Wherever ``bodies`` is None, all bodies of the model count.
"""

from __future__ import annotations

from collections.abc import Sequence

from multibody.algebra import Inertia, MomentumMotor, Vec3
from multibody.errors import ModelError
from multibody.graph import ZERO, Expr, is_zero
from multibody.model.body import Body, Frame
from multibody.model.kinematics import ZERO3, Kinematics


def kinetic_energy(
    kinematics: Kinematics, bodies: Sequence[Body] | None = None, relative_to: Frame | None = None
) -> Expr:
    """T = Σ ½·(v, M∘v) of velocities as ``relative_to`` sees them; absolute by default."""
    if bodies is not None or relative_to is not None:
        moving = [(inertia_of(body), kinematics.velocity(body, relative_to)) for body in _chosen(kinematics, bodies)]
        return sum((inertia.kinetic_energy(velocity) for inertia, velocity in moving), ZERO)
    links = [(link.inertia, link.index) for link in kinematics.model.links]
    return sum((i.kinetic_energy(kinematics.velocity_of_link(k)) for i, k in links if i is not None), ZERO)


def potential_energy(kinematics: Kinematics, bodies: Sequence[Body] | None = None) -> Expr:
    """V = -Σ m·g·r, zero at the world's origin; for all bodies together also what springs and other loads store."""
    weight = -kinematics.model.gravity.dot(first_moment(kinematics, bodies))
    if bodies is not None:
        return weight
    return weight + sum((load.potential(kinematics) for load in kinematics.model.loads.values()), ZERO)


def total_mass(kinematics: Kinematics, bodies: Sequence[Body] | None = None) -> Expr:
    """The sum of masses."""
    return sum((body.mass for body in _chosen(kinematics, bodies)), ZERO)


def first_moment(kinematics: Kinematics, bodies: Sequence[Body] | None = None) -> Vec3:
    """Σ m·r, with r from the world's origin to each centre of mass."""
    total = ZERO3
    for body in _chosen(kinematics, bodies):
        total = total + kinematics.pose(body).point_to_parent(body.com) * body.mass
    return total


def center_of_mass(kinematics: Kinematics, bodies: Sequence[Body] | None = None) -> Vec3:
    """The position of the common centre of mass.

    Raises:
        ModelError: if the bodies have no mass at all.
    """
    mass = total_mass(kinematics, bodies)
    if is_zero(mass):
        names = ", ".join(repr(body.name) for body in _chosen(kinematics, bodies))
        raise ModelError(
            "Bodies without mass have no centre of mass.",
            code="mass-zero",
            where=f"bodies {names}" if names else f"system '{kinematics.model.name}'",
            remedy="Give at least one of them a mass.",
        )
    return first_moment(kinematics, bodies) / mass


def momentum(
    kinematics: Kinematics, bodies: Sequence[Body] | None = None, relative_to: Frame | None = None
) -> MomentumMotor:
    """Momentum, and angular momentum about the world's origin; velocities are those that ``relative_to`` sees."""
    total = MomentumMotor(ZERO3, ZERO3)
    for body in _chosen(kinematics, bodies):
        total = total + kinematics.pose(body).to_parent(inertia_of(body).apply(kinematics.velocity(body, relative_to)))
    return total


def linear_momentum(
    kinematics: Kinematics, bodies: Sequence[Body] | None = None, relative_to: Frame | None = None
) -> Vec3:
    """Σ m·v of the centres of mass, as ``relative_to`` sees them move; absolute by default."""
    return momentum(kinematics, bodies, relative_to).resultant


def angular_momentum(
    kinematics: Kinematics, about: Frame | str | None = None, bodies: Sequence[Body] | None = None,
    relative_to: Frame | None = None,
) -> Vec3:  # fmt: skip
    """The moment of all momenta about a point.

    Args:
        kinematics: the motion of the model.
        about: a frame whose origin is the point, even if it moves; ``"com"`` for the common centre of mass; by default
            the world's origin.
        bodies: those that count; None for all.
        relative_to: the frame that sees the velocities; by default the world.
    """
    return momentum(kinematics, bodies, relative_to).moment_at(_point(kinematics, about, bodies))


def inertia_of(body: Body) -> Inertia:
    """The inertia of a body in its own frame."""
    return Inertia.rigid_body(body.mass, body.com, body.inertia)


def _point(kinematics: Kinematics, about: Frame | str | None, bodies: Sequence[Body] | None) -> Vec3:
    if about is None:
        return ZERO3
    if isinstance(about, Frame):
        return kinematics.pose(about).position
    if about == "com":
        return center_of_mass(kinematics, bodies)
    raise ModelError(
        f"{about!r} is not a point.", code="point-unknown", where="angular momentum", remedy="Give a frame, or 'com'."
    )


def _chosen(kinematics: Kinematics, bodies: Sequence[Body] | None) -> Sequence[Body]:
    return kinematics.model.bodies if bodies is None else bodies
