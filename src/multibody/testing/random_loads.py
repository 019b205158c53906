"""Random loads of every class, in every way in which they can be given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from multibody.graph import Table
from multibody.model import (
    Body,
    Bushing,
    CentralGravity,
    Damper,
    Force,
    Friction,
    GravityField,
    Joint,
    JointDamper,
    JointFriction,
    JointLoad,
    JointSpring,
    Load,
    PointToPointForce,
    Spring,
    SpringDamper,
    System,
    Torque,
    UniformGravity,
    Velocity,
)
from multibody.testing.chance import Seeded
from multibody.testing.site import Site

LoadMaker = Callable[[Site], Load | None]
"""Makes a load from what it finds; None if there is no place for it."""


# forces and torques ------------------------------------------------------------------------------------------------


def _force(site: Site) -> Load:
    return Force(site.frame(), site.quantities(), expressed_in=site.frame())


def _force_at_a_point(site: Site) -> Load:
    return Force(site.frame(), site.quantities(), at=site.quantities())


def _force_with_distant_reaction(site: Site) -> Load:
    a, b = site.line()
    return Force(a, site.quantities(), at=site.frame(), expressed_in=b, reaction_on=b, reaction_at=site.frame())


def _force_that_brakes(site: Site) -> Load:
    """It needs what a sensor measures."""
    frame, sensor = site.frame(), site.name("brake")
    site.system.sensor(sensor, Velocity(frame))
    return Force(frame, -site.strength() * site.system.measured(sensor), expressed_in=site.system.world)


def _force_between_bodies(site: Site) -> Load:
    a, b = site.line()
    return Force(a, site.quantities(), expressed_in=site.frame(), reaction_on=b)


def _torque(site: Site) -> Load:
    return Torque(site.frame(), site.quantities(), expressed_in=site.frame())


def _torque_between_bodies(site: Site) -> Load:
    a, b = site.line()
    return Torque(a, site.quantities(), reaction_on=b)


# along a line ------------------------------------------------------------------------------------------------------


def _push(site: Site) -> Load:
    return PointToPointForce(*site.line(), site.quantity())


def _spring(site: Site) -> Load:
    return Spring(*site.line(), site.strength(), length=site.quantity())


def _spring_by_table(site: Site) -> Load:
    table = Table("pull", [-2, -1, 0, 1, 3], [-5, -1, 0, 2, 7], "cubic", outside="extrapolate")
    return Spring(*site.line(), table, length=site.strength())


def _spring_by_law(site: Site) -> Load:
    k = site.strength()
    return Spring(*site.line(), lambda x: k * x**3)


def _spring_by_energy(site: Site) -> Load:
    k = site.strength()
    return Spring(*site.line(), length=site.quantity(), energy=lambda x: k * x**4 / 4)


def _damper(site: Site) -> Load:
    return Damper(*site.line(), site.strength())


def _damper_by_friction(site: Site) -> Load:
    return Damper(*site.line(), Friction(site.strength(), site.strength(), static=3, stribeck=0.5, smoothing=0.2))


def _spring_damper(site: Site) -> Load:
    return SpringDamper(*site.line(), site.strength(), site.strength(), length=site.strength())


def _progressive_damper(site: Site) -> Load:
    k = site.strength()
    return SpringDamper(*site.line(), k, length=site.strength(), law=lambda x, v: k * abs(x) * v)


def _bushing(site: Site) -> Load:
    a, b = site.line()
    full = [[5, 1, 0], [1, 4, 1], [0, 1, 3]]
    return Bushing(a, b, [site.strength() for _ in range(3)], site.strength(), full, [site.strength()] * 3)


# gravity -----------------------------------------------------------------------------------------------------------


def _uniform_gravity(site: Site) -> Load:
    return UniformGravity(site.quantities(), [site.massive()])


def _central_gravity(site: Site) -> Load:
    return CentralGravity(site.strength(), site.system.frame(site.name("planet"), (5, 6, 7)))


def _field(site: Site) -> Load:
    k = site.quantity()
    return GravityField(lambda r: (k * r.y, -k * r.x, 0), bodies=[site.massive()])


def _potential_field(site: Site) -> Load:
    k = site.quantity()
    return GravityField(potential=lambda r: k * r.x * r.y + r.z**2)


# on joints ---------------------------------------------------------------------------------------------------------


def _drive(site: Site) -> Load | None:
    joint = site.joint()
    return None if joint is None else JointLoad(joint, site.quantities(len(joint.speeds)))


def _joint_spring(site: Site) -> Load | None:
    joint = site.joint(_has_lengths_and_angles)
    if joint is None:
        return None
    return JointSpring(joint, [site.strength() for _ in joint.coordinates], rest=site.quantity())


def _joint_spring_by_energy(site: Site) -> Load | None:
    joint = site.joint(_has_lengths_and_angles)
    energy: Any = [lambda x: x**4 / 4] * (0 if joint is None else len(joint.coordinates))
    return None if joint is None else JointSpring(joint, energy=energy)


def _joint_damper(site: Site) -> Load | None:
    joint = site.joint()
    return None if joint is None else JointDamper(joint, [site.strength() for _ in joint.speeds])


def _joint_friction(site: Site) -> Load | None:
    joint = site.joint(lambda joint: len(joint.speeds) == 1)
    return None if joint is None else JointFriction(joint, site.strength(), site.strength(), smoothing=0.2)


def _has_lengths_and_angles(joint: Joint) -> bool:
    return not any(step.motion.speeds for step in joint.kind.steps())


INTERNAL_LOADS: tuple[LoadMaker, ...] = (
    _drive, _joint_spring, _joint_spring_by_energy, _joint_damper, _joint_friction,
    _push, _spring, _spring_by_table, _spring_by_law, _spring_by_energy, _damper, _damper_by_friction, _spring_damper,
    _progressive_damper, _bushing, _force_between_bodies, _torque_between_bodies,
)  # fmt: skip
"""Makers of loads that act with equal and opposite forces on two bodies."""

LOADS: tuple[LoadMaker, ...] = (
    _force, _torque, _force_at_a_point, _force_with_distant_reaction, _force_that_brakes,
    _uniform_gravity, _central_gravity, _field, _potential_field, *INTERNAL_LOADS,
)  # fmt: skip
"""Makers of all kinds of loads."""


def add_random_loads(system: System, seed: int, count: int, makers: Sequence[LoadMaker] = LOADS) -> None:
    """Put random loads on a system, with frames, parameters and inputs of their own.

    Args:
        system: all its bodies must be connected to the world.
        seed: the same seed puts the same loads on the same system.
        count: how many.
        makers: which kinds of loads; a function that makes a load from a ``Site``, or None if there is no place for it.

    Example:
        >>> from multibody.testing import random_tree
        >>> system = random_tree(1, 2)
        >>> add_random_loads(system, 1, 2)
        >>> list(system.loads)
        ['load_1', 'load_2']
    """
    site = Site(system, Seeded(seed, 2))
    for _ in range(count):
        system.load(site.made(makers))


def add_internal_loads(system: System, seed: int, count: int) -> None:
    """Put random loads between the bodies of a system, none of which touches the world."""
    bodies = [body for body in system.all(Body) if body is not system.world]
    joints = [j for j in system.all(Joint) if system.world not in (j.parent.body, j.child.body)]
    site = Site(system, Seeded(seed, 2), bodies, joints)
    for _ in range(count):
        system.load(site.made(INTERNAL_LOADS))
