"""What sensors measure, in words for the readers of generated code: a description and a unit for each number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from multibody.model.quantity import rate_unit
from multibody.model.sensors import (
    ConstraintForce,
    ConstraintTorque,
    Distance,
    DistanceAndRate,
    DistanceRate,
    Expression,
    JointSensor,
    Orientation,
    Sensor,
)

LONG = 100
"""A formula with more characters is not shown."""

_NOUNS = {
    Orientation: "rotation matrix",
    ConstraintForce: "force transmitted by",
    ConstraintTorque: "torque transmitted by",
}


def entry_descriptions(sensor: Sensor, shape: tuple[int, ...] | None = None) -> list[tuple[str, str]]:
    """Description and unit of each number that a sensor measures, row by row; the shape is the sensor's by default.

    Example:
        >>> import multibody as mb
        >>> crane = mb.System("crane")
        >>> crab = crane.body("crab", mass=1)
        >>> entry_descriptions(mb.DistanceAndRate(crane.world, crab))
        [('distance from world to crab', 'm'), ('rate of the distance from world to crab', 'm/s')]
        >>> entry_descriptions(mb.Position(crab))[2]
        ('z component of the position of crab', 'm')
    """
    if isinstance(sensor, DistanceAndRate):
        whole = description(Distance(sensor.a, sensor.b))
        return [(whole, "m"), (f"rate of the {whole}", "m/s")]
    if isinstance(sensor, JointSensor):
        return list(_joint(sensor))
    if isinstance(sensor, Expression):
        return [(_formula(value), sensor.unit) for value in np.ravel(np.asarray(sensor.value, dtype=object))]
    shape = sensor.shape if shape is None else shape
    return [(f"{_component(place, shape)}{description(sensor)}", sensor.unit) for place in np.ndindex(shape)]


def description(sensor: Sensor) -> str:
    """What a sensor measures, as a whole.

    Example:
        >>> import multibody as mb
        >>> crane = mb.System("crane")
        >>> crab = crane.body("crab", mass=1)
        >>> description(mb.Velocity(crab, expressed_in=crab)), description(mb.KineticEnergy())
        ('velocity of crab, along the axes of crab', 'kinetic energy of the system')
    """
    if isinstance(sensor, DistanceAndRate):
        return f"distance from {_name(sensor.a)} to {_name(sensor.b)}, and its rate"
    if isinstance(sensor, Distance | DistanceRate):
        rate = "rate of the " if isinstance(sensor, DistanceRate) else ""
        return f"{rate}distance from {_name(sensor.a)} to {_name(sensor.b)}"
    if isinstance(sensor, JointSensor):
        return f"coordinates and speeds of joint {_name(sensor.joint)}"
    if isinstance(sensor, Expression):
        return _formula(sensor.value.tolist())
    if isinstance(sensor, ConstraintForce | ConstraintTorque):
        return f"{_NOUNS[type(sensor)]} joint {_name(sensor.joint)}{_seen(sensor)}"
    return f"{_noun(sensor)} of {_subject(sensor)}{_seen(sensor)}"


def _noun(sensor: Sensor) -> str:
    """The name of the class in words: AngularVelocity is an angular velocity."""
    return _NOUNS.get(type(sensor)) or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", type(sensor).__name__).lower()


def _subject(sensor: Any) -> str:
    """What it looks at: a frame, bodies, or the whole system."""
    if hasattr(sensor, "frame"):
        return _name(sensor.frame)
    touched = sensor.bodies if hasattr(sensor, "bodies") else sensor.touches
    return ", ".join(map(_name, touched)) or "the system"


def _seen(sensor: Any) -> str:
    """Relative to what, and along which axes, where that was given."""
    forms = {
        "relative_to": " relative to {}",
        "observer": ", as seen from {}",
        "expressed_in": ", along the axes of {}",
    }
    return "".join(
        form.format(_name(getattr(sensor, key))) for key, form in forms.items() if getattr(sensor, key, None)
    )


def _name(thing: object) -> str:
    return str(getattr(thing, "name", thing))


def _component(place: tuple[int, ...], shape: tuple[int, ...]) -> str:
    if not shape:
        return ""
    if shape == (3,):
        return f"{'xyz'[place[0]]} component of the "
    return f"entry {', '.join(str(k + 1) for k in place)} of the "


def _formula(value: object) -> str:
    text = str(value)
    return text if len(text) <= LONG else "an expression"


def _joint(sensor: JointSensor) -> Iterator[tuple[str, str]]:
    joint = sensor.joint
    plain = len(joint.coordinates) == len(joint.speeds)
    units = (
        ["rad" if coordinate in joint.angles else "m" for coordinate in joint.coordinates]
        if plain
        else [""] * len(joint.coordinates)
    )
    yield from (
        (f"coordinate {coordinate.name} of joint {joint.name}", unit)
        for coordinate, unit in zip(joint.coordinates, units, strict=True)
    )
    rates = [rate_unit(unit) for unit in units] if plain else [""] * len(joint.speeds)
    yield from (
        (f"speed {speed.name} of joint {joint.name}", unit) for speed, unit in zip(joint.speeds, rates, strict=True)
    )
