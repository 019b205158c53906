"""Random sensors of every class, in every way in which they can be given."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from multibody.model import (
    Acceleration,
    AngularAcceleration,
    AngularMomentum,
    AngularVelocity,
    Body,
    CenterOfMass,
    ConstraintForce,
    ConstraintTorque,
    Distance,
    DistanceAndRate,
    DistanceRate,
    Energy,
    Expression,
    JointSensor,
    KineticEnergy,
    LinearMomentum,
    Orientation,
    Position,
    PotentialEnergy,
    Sensor,
    System,
    TotalMass,
    Velocity,
)
from multibody.testing.chance import Seeded
from multibody.testing.site import Site

SensorMaker = Callable[[Site], Sensor | None]
"""Makes a sensor from what it finds; None if there is no place for it."""


def _on_joint(kind: type[JointSensor]) -> SensorMaker:
    def make(site: Site) -> Sensor | None:
        joint = site.joint()
        return None if joint is None else kind(joint)

    return make


def _through_joint(kind: type[ConstraintForce | ConstraintTorque]) -> SensorMaker:
    def make(site: Site) -> Sensor | None:
        joint = site.joint()
        return None if joint is None else kind(joint, expressed_in=site.frame())

    return make


def _bodies(site: Site) -> list[Body]:
    """No body, which represents all, or one, or two."""
    return list({site.massive(): None for _ in range(site.chance.index(3))})


def _formula(site: Site) -> Sensor:
    """It needs what another sensor measures."""
    name = site.name("seen")
    site.system.sensor(name, Position(site.frame()))
    x, y, z = site.system.measured(name)
    return Expression([x * y, z + site.quantity()])


SENSORS: tuple[SensorMaker, ...] = (
    lambda site: Position(site.frame(), site.frame(), site.frame()),
    lambda site: Orientation(site.frame(), site.frame()),
    lambda site: Velocity(site.frame(), site.frame(), site.frame(), site.frame()),
    lambda site: AngularVelocity(site.frame(), site.frame(), site.frame()),
    lambda site: Acceleration(site.frame(), site.frame(), site.frame(), site.frame()),
    lambda site: AngularAcceleration(site.frame(), site.frame(), site.frame(), site.frame()),
    lambda site: Distance(*site.line()),
    lambda site: DistanceRate(*site.line()),
    lambda site: DistanceAndRate(*site.line()),
    _on_joint(JointSensor),
    _through_joint(ConstraintForce),
    _through_joint(ConstraintTorque),
    lambda site: KineticEnergy(*_bodies(site)),
    lambda site: PotentialEnergy(*_bodies(site)),
    lambda site: Energy(*_bodies(site)),
    lambda site: TotalMass(*_bodies(site)),
    lambda site: CenterOfMass(*_bodies(site), relative_to=site.frame()),
    lambda site: LinearMomentum(*_bodies(site), expressed_in=site.frame()),
    lambda site: AngularMomentum(*_bodies(site), about=site.frame(), expressed_in=site.frame()),
    lambda site: AngularMomentum(*_bodies(site), about="com"),
    _formula,
)
"""Makers of all kinds of sensors."""


def add_random_sensors(system: System, seed: int, count: int, makers: Sequence[SensorMaker] = SENSORS) -> None:
    """Put random sensors on a system, with frames of their own.

    Args:
        system: all its bodies must be connected to the world.
        seed: the same seed puts the same sensors on the same system.
        count: how many; a sensor that needs another one brings it along.
        makers: which kinds of sensors.

    Example:
        >>> from multibody.testing import random_tree
        >>> system = random_tree(1, 2)
        >>> add_random_sensors(system, 1, 3)
        >>> len(system.sensors) >= 3
        True
    """
    site = Site(system, Seeded(seed, 3))
    for _ in range(count):
        sensor = site.made(makers)
        system.sensor(site.name("y"), sensor)  # named last: it may have brought another one along
