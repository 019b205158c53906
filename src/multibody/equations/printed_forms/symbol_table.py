"""All symbols of a model with their units and meanings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from multibody.graph import Expr
from multibody.graph.workspace import alone
from multibody.mechanics.constraints.independence import Constraints
from multibody.model import Link, Model
from multibody.model.model import QUATERNION
from multibody.support.text_tables import TextTable


@dataclass(frozen=True)
class Entry:
    """One symbol: what it is called, what kind of quantity it is, its SI unit, and what it means."""

    name: str
    kind: str
    unit: str
    description: str


@dataclass(frozen=True)
class SymbolTable(TextTable):
    """All symbols of equations of motion. Printed, or shown in a notebook, it is a table."""

    entries: tuple[Entry, ...]

    def __getitem__(self, name: str) -> Entry:
        return next(entry for entry in self.entries if entry.name == name)

    def rows(self) -> list[list[str]]:
        """The table with its head."""
        return [["symbol", "kind", "unit", "meaning"], *([e.name, e.kind, e.unit, e.description] for e in self.entries)]


@alone
def symbol_table(model: Model, constraints: Constraints) -> SymbolTable:
    """Time, coordinates, speeds, inputs, parameters and multipliers, in this order."""
    return SymbolTable(
        (
            Entry(model.time.name, "time", "s", "time"),
            *_states(model),
            *(Entry(s.name, "input", input_.unit, input_.description) for input_ in model.inputs for s in input_.flat),
            *(
                Entry(s.name, "parameter", parameter.unit, parameter.description)
                for parameter in model.parameters
                for s in parameter.default
            ),
            *_multipliers(constraints),
        )
    )


def _states(model: Model) -> Iterator[Entry]:
    coordinates: dict[Expr, tuple[str, str]] = {}
    speeds: dict[Expr, tuple[str, str]] = {}
    for link in model.links:
        coordinates |= dict(zip(link.q, _coordinate_entries(link), strict=True))
        speeds |= dict(zip(link.u, _speed_entries(link), strict=True))
    for q in model.coordinates:
        yield Entry(q.name, "coordinate", *coordinates.get(q, ("", "generalized coordinate")))
    for u in model.speeds:
        yield Entry(u.name, "speed", *speeds.get(u, ("", "generalized speed")))


def _coordinate_entries(link: Link) -> Iterator[tuple[str, str]]:
    """Unit and meaning of each coordinate of a link."""
    labels = link.motion.coordinates
    for label in labels:
        if label in QUATERNION:
            yield "1", f"component {label[1]} of the quaternion of joint '{link.joint.name}'"
        elif _turns(link) if len(labels) == 1 else label[0] == "a":
            yield "rad", f"angle of joint '{link.joint.name}'"
        else:
            yield "m", f"displacement of joint '{link.joint.name}'"


def _speed_entries(link: Link) -> Iterator[tuple[str, str]]:
    """Unit and meaning of each speed of a link."""
    for axis in link.motion.axes(link.q):
        turning = any(part.fp != 0 for part in axis.resultant)
        what = "angular velocity" if turning else "velocity"
        yield "rad/s" if turning else "m/s", f"{what} of joint '{link.joint.name}'"


def _turns(link: Link) -> bool:
    return any(part.fp != 0 for part in link.motion.axes(link.q)[0].resultant)


def _multipliers(constraints: Constraints) -> Iterator[Entry]:
    rows = zip(constraints.multipliers, constraints.owners, constraints.equations, strict=True)
    for multiplier, owner, equation in rows:
        torque = equation.wrench is not None and all(part.fp == 0 for part in equation.wrench.axis.resultant)
        unit = "" if equation.wrench is None else "N·m" if torque else "N"
        yield Entry(multiplier.name, "multiplier", unit, f"{'torque' if torque else 'force'} of constraint '{owner}'")
