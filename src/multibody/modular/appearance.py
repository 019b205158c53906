"""What a subsystem keeps of the system that it was made from, besides equations: bodies, drawings and sensors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from multibody.algebra import Rotation, Transform, Vec3
from multibody.equations import Kinetics
from multibody.equations.without_bodies import BodyPlace, PlacedDrawing
from multibody.graph import Expr, array, as_expr
from multibody.model.sensors import Expression

Exchange = Callable[[list[Expr]], list[Expr]]
"""Expressions in other symbols."""


@dataclass(frozen=True, eq=False)
class Appearance:
    """Bodies, drawings and sensors of one level.

    Attributes:
        bodies: where they are.
        drawings: what they look like.
        sensors: what is measured, by name.
    """

    bodies: tuple[BodyPlace, ...] = ()
    drawings: tuple[PlacedDrawing, ...] = ()
    sensors: Mapping[str, Expression] = field(default_factory=dict)

    def expressions(self) -> list[Expr]:
        """Everything in it, in the order in which ``exchanged`` takes it."""
        found: list[Any] = []
        for body in self.bodies:
            found += [*body.position, *body.rotation, body.mass]
        for one in self.drawings:
            found += [*_of_pose(one.pose), *one.sizes.values(), *(one.end.components() if one.end else ())]
        for sensor in self.sensors.values():
            found += sensor.value.flat
        return [as_expr(one) for one in found]

    def exchanged(self, exchange: Exchange) -> Appearance:
        """The same in other symbols."""
        new = iter(exchange(self.expressions()))

        def take(count: int) -> list[Expr]:
            return [next(new) for _ in range(count)]

        bodies = [replace(one, position=tuple(take(3)), rotation=tuple(take(9)), mass=next(new)) for one in self.bodies]
        drawings = []
        for one in self.drawings:
            pose, sizes = _pose(take(12)), dict(zip(one.sizes, take(len(one.sizes)), strict=True))
            drawings.append(replace(one, pose=pose, sizes=sizes, end=Vec3(*take(3)) if one.end else None))
        sensors = {
            name: Expression(array(take(one.value.size)).reshape(one.value.shape), one.unit)
            for name, one in self.sensors.items()
        }
        return Appearance(tuple(bodies), tuple(drawings), sensors)

    def called(self, names: Mapping[str, str]) -> Appearance:
        """The same with other names of bodies."""
        bodies = tuple(replace(one, name=names[one.name]) for one in self.bodies)
        drawings = tuple(
            replace(one, body=names.get(one.body, one.body), to=names.get(one.to, one.to)) for one in self.drawings
        )
        return replace(self, bodies=bodies, drawings=drawings)


def appearance_of(kinetics: Kinetics, exchange: Exchange) -> Appearance:
    """What is kept of a model: where its bodies are, what was drawn on them, what its sensors measure."""
    model = kinetics.model
    bodies = []
    for body in model.bodies:
        pose = kinetics.pose(body)
        rotation = tuple(as_expr(one) for row in pose.rotation.to_matrix().rows for one in row)
        position = pose.point_to_parent(body.com).components()
        bodies.append(BodyPlace(body.name, tuple(map(as_expr, position)), rotation, body.mass))
    drawings = []
    for name, one in model.drawings.items():
        carrier, pose = one.frame.body, one.frame.pose @ one.pose
        pose = Transform(pose.rotation, pose.position - carrier.com)
        end = None if one.to is None else one.to.pose.position - one.to.body.com
        sizes = {key: as_expr(value) for key, value in one.shape.sizes.items()}
        to = "" if one.to is None else one.to.body.name
        drawings.append(PlacedDrawing(name, carrier.name, pose, one.shape, sizes, to, end))
    sensors = {name: Expression(one.measure(kinetics), one.unit) for name, one in model.sensors.items()}
    return Appearance(tuple(bodies), tuple(drawings), sensors).exchanged(exchange)


def whole_appearance(levels: Sequence[tuple[str, Appearance]]) -> Appearance:
    """That of all levels, given by their labels; what several levels call the same gets the label in front."""
    bodies = Counter(one.name for _, level in levels for one in level.bodies)
    sensors = Counter(name for _, level in levels for name in level.sensors)
    parts: list[Appearance] = []
    measured: dict[str, Expression] = {}
    for label, level in levels:
        parts.append(level.called({one.name: _titled(one.name, label, bodies) for one in level.bodies}))
        measured |= {_titled(name, label, sensors): one for name, one in level.sensors.items()}
    return Appearance(tuple(one for part in parts for one in part.bodies), tuple(_distinct(parts)), measured)


def _titled(name: str, label: str, known: Mapping[str, int]) -> str:
    return name if known[name] == 1 else f"{label}_{name}"


def _distinct(parts: Iterable[Appearance]) -> list[PlacedDrawing]:
    """Drawings with names that are all different."""
    found: dict[str, PlacedDrawing] = {}
    for one in (one for part in parts for one in part.drawings):
        name, number = one.name, 1
        while name in found:
            number += 1
            name = f"{one.name}_{number}"
        found[name] = replace(one, name=name)
    return list(found.values())


def _of_pose(pose: Transform) -> list[Any]:
    return [*(one for row in pose.rotation.to_matrix().rows for one in row), *pose.position.components()]


def _pose(entries: list[Expr]) -> Transform:
    return Transform(Rotation.matrix([entries[:3], entries[3:6], entries[6:9]]), Vec3(*entries[9:]))
