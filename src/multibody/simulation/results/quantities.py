"""Everything that a trajectory knows by name: kinds, units and shapes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from multibody.equations import EquationsOfMotion
from multibody.model import Joint
from multibody.model.model import Model
from multibody.model.quantity import acceleration_symbol
from multibody.simulation.problem.problem import WORKS

ENERGIES = ("kinetic_energy", "potential_energy", "total_energy", *WORKS, "energy_balance")
"""The names of the energies, in the order of ``Energies``."""


@dataclass(frozen=True)
class Quantity:
    """Something that has a value at every sample.

    Attributes:
        name: how it is called; if the model uses the name of an energy for something else, the energy gets a ``_``.
        kind: "time", "coordinate", "speed", "input", "sensor", "joint" (what a joint that is driven or closes a loop
            does), "acceleration", "multiplier" or "energy".
        place: its number among those of its kind.
        unit: SI unit, as text; empty if it is not known.
        meaning: in words.
    """

    name: str
    kind: str
    place: int
    unit: str
    meaning: str

    @property
    def label(self) -> str:
        """Name and unit, as they stand in the head of a table or at an axis."""
        return f"{self.name} [{self.unit}]" if self.unit else self.name


def quantities(eom: EquationsOfMotion) -> dict[str, Quantity]:
    """All of them by name: first what the user has named, then what follows from it; found once."""
    return eom.once("quantities", lambda: _quantities(eom))


def _quantities(eom: EquationsOfMotion) -> dict[str, Quantity]:
    found: dict[str, Quantity] = {}
    places: dict[str, int] = {}
    for name, kind, unit, meaning in _entries(eom):
        while name in found:
            name += "_"
        found[name] = Quantity(name, kind, places.get(kind, 0), unit, meaning)
        places[kind] = places.get(kind, 0) + 1
    return found


def _entries(eom: EquationsOfMotion) -> Iterator[tuple[str, str, str, str]]:
    """Name, kind, unit and meaning."""
    model = eom.model
    table: dict[str, list[tuple[str, str, str, str]]] = {
        kind: [] for kind in ("time", "coordinate", "speed", "input", "multiplier", "parameter")
    }
    for entry in eom.symbol_table().entries:
        table[entry.kind].append((entry.name, entry.kind, entry.unit, entry.description))
    for kind in ("time", "coordinate", "speed", "input"):
        yield from table[kind]
    for name, sensor in model.sensors.items():
        yield name, "sensor", sensor.unit, repr(sensor)
    units = _joint_units(model)
    for value in model.values:
        yield value.name, "joint", units.get(value.name, ""), "follows from coordinates, speeds and time"
    for symbol, (speed, _, unit, _) in zip(model.accelerations, table["speed"], strict=True):
        yield symbol.name, "acceleration", f"{unit}²" if unit.endswith("/s") else "", f"rate of {speed}"
    yield from table["multiplier"]
    for name in ENERGIES if eom.energy_known else ():
        yield name, "energy", "J", name.replace("_", " ")


def _joint_units(model: Model) -> dict[str, str]:
    """Units of coordinates, speeds and accelerations of all joints, also of those that are no states."""
    units: dict[str, str] = {}
    for joint in (*model.joints, *model.cuts):
        lengths = _lengths(joint)
        if len(lengths) == len(joint.coordinates):
            units |= {coordinate.name: what for coordinate, what in zip(joint.coordinates, lengths, strict=True)}
        units |= {speed.name: f"{what}/s" for speed, what in zip(joint.speeds, lengths, strict=True)}
        units |= {
            acceleration_symbol(speed).name: f"{what}/s²" for speed, what in zip(joint.speeds, lengths, strict=True)
        }
    return units


def _lengths(joint: Joint) -> list[str]:
    """For each speed of a joint the unit of its integral: rad for a rotation, m for a displacement."""
    found, start = [], 0
    for step in joint.kind.steps():
        end = start + len(step.motion.coordinates)
        axes = step.motion.axes(joint.coordinates[start:end])
        found += ["rad" if any(part.fp != 0 for part in axis.resultant) else "m" for axis in axes]
        start = end
    return found
