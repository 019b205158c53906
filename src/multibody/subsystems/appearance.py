"""Drawings, sensors, limits and inertias that a subsystem keeps of the system it was made from.

Bodies, drawings and sensors; joints that are not states, because they close loops or are driven; limits of joints; and
the inertias of bodies, by which impossible values of parameters are found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from multibody.algebra import ForceMotor, Rotation, Transform, Vec3
from multibody.equations import Kinetics
from multibody.equations.without_bodies import BodyPlace, PlacedDrawing
from multibody.graph import Expr, Kind, Symbol, array, as_expr
from multibody.model import Joint, Model
from multibody.model.sensors import Expression

Exchange = Callable[[list[Expr]], list[Expr]]
"""Expressions in other symbols."""


class JointValue(NamedTuple):
    """A coordinate, speed or acceleration of a joint that is not a state.

    Attributes:
        kind: of its symbol.
        value: as an expression of the state, time and inputs.
        closed_form: whether a loop that is solved in closed form determines it.
    """

    kind: Kind
    value: Expr
    closed_form: bool


class JointLimit(NamedTuple):
    """The range of a coordinate.

    Attributes:
        joint: its name.
        coordinate: the symbol of a variable; or the name of a joint's coordinate that is not a state.
        limits: low and high.
    """

    joint: str
    coordinate: Symbol | str
    limits: tuple[float, float]


class BodyInertia(NamedTuple):
    """The inertia of what moves as one.

    Attributes:
        bodies: their names.
        parts: mass, first moment and tensor, ten scalars.
    """

    bodies: tuple[str, ...]
    parts: tuple[Expr, ...]


class EqualEntries(NamedTuple):
    """Two entries of the inertia of a body that must have the same value.

    Attributes:
        body: its name.
        entries: both symbols.
    """

    body: str
    entries: tuple[Symbol, Symbol]


@dataclass(frozen=True, eq=False)
class Appearance:
    """What one level keeps of its system.

    Attributes:
        bodies: where they are.
        drawings: what they look like.
        sensors: what is measured, by name.
        reactions: names of sensors that measure forces in joints. Forces of other levels act on variables, and which
            joints they go through is not known: such a sensor measures only where its level is the whole system.
        values: coordinates, speeds and accelerations of joints that are not states, by name.
        limits: of coordinates.
        inertias: of all that moves as one.
        twins: entries of inertias that must be equal.
    """

    bodies: tuple[BodyPlace, ...] = ()
    drawings: tuple[PlacedDrawing, ...] = ()
    sensors: Mapping[str, Expression] = field(default_factory=dict)
    reactions: frozenset[str] = frozenset()
    values: Mapping[str, JointValue] = field(default_factory=dict)
    limits: tuple[JointLimit, ...] = ()
    inertias: tuple[BodyInertia, ...] = ()
    twins: tuple[EqualEntries, ...] = ()

    def expressions(self) -> list[Expr]:
        """Everything in it, in the order in which ``exchanged`` takes it."""
        found: list[Any] = []
        for body in self.bodies:
            found += [*body.position, *body.rotation, body.mass]
        for drawing in self.drawings:
            found += [
                *_of_pose(drawing.pose),
                *drawing.sizes.values(),
                *(drawing.end.components() if drawing.end else ()),
            ]
        for sensor in self.sensors.values():
            found += sensor.value.flat
        found += [value.value for value in self.values.values()]
        found += [limit.coordinate for limit in self.limits if isinstance(limit.coordinate, Symbol)]
        found += [part for inertia in self.inertias for part in inertia.parts]
        found += [entry for twin in self.twins for entry in twin.entries]
        return [as_expr(expression) for expression in found]

    def exchanged(self, exchange: Exchange) -> Appearance:
        """The same in other symbols."""
        new = iter(exchange(self.expressions()))

        def take(count: int) -> list[Expr]:
            return [next(new) for _ in range(count)]

        bodies = [
            replace(body, position=tuple(take(3)), rotation=tuple(take(9)), mass=next(new)) for body in self.bodies
        ]
        drawings = []
        for drawing in self.drawings:
            pose, sizes = _pose(take(12)), dict(zip(drawing.sizes, take(len(drawing.sizes)), strict=True))
            drawings.append(replace(drawing, pose=pose, sizes=sizes, end=Vec3(*take(3)) if drawing.end else None))
        sensors = {
            name: Expression(array(take(sensor.value.size)).reshape(sensor.value.shape), sensor.unit)
            for name, sensor in self.sensors.items()
        }
        values = {name: value._replace(value=next(new)) for name, value in self.values.items()}
        limits = [
            limit._replace(coordinate=_symbol(next(new))) if isinstance(limit.coordinate, Symbol) else limit
            for limit in self.limits
        ]
        inertias = [inertia._replace(parts=tuple(take(len(inertia.parts)))) for inertia in self.inertias]
        twins = [twin._replace(entries=(_symbol(next(new)), _symbol(next(new)))) for twin in self.twins]
        return replace(
            self, bodies=tuple(bodies), drawings=tuple(drawings), sensors=sensors, values=values, limits=tuple(limits),
            inertias=tuple(inertias), twins=tuple(twins),
        )  # fmt: skip

    @property
    def of_inertias(self) -> Appearance:
        """The inertias alone."""
        return Appearance(inertias=self.inertias, twins=self.twins)

    def called(self, names: Mapping[str, str]) -> Appearance:
        """The same with other names of bodies."""
        bodies = tuple(replace(body, name=names[body.name]) for body in self.bodies)
        drawings = tuple(
            replace(drawing, body=names.get(drawing.body, drawing.body), to=names.get(drawing.to, drawing.to))
            for drawing in self.drawings
        )
        inertias = tuple(
            inertia._replace(bodies=tuple(names.get(name, name) for name in inertia.bodies))
            for inertia in self.inertias
        )
        twins = tuple(twin._replace(body=names.get(twin.body, twin.body)) for twin in self.twins)
        return replace(self, bodies=bodies, drawings=drawings, inertias=inertias, twins=twins)


class _WatchedKinetics(Kinetics):
    """Notes whether a force in a joint was asked for."""

    asked = False

    def reaction(self, joint: Joint) -> ForceMotor:
        """See ``Kinetics``."""
        self.asked = True
        return super().reaction(joint)


def appearance_of(kinetics: Kinetics, exchange: Exchange) -> Appearance:
    """What is kept of a model: bodies, drawings, sensors, joints that are not states, limits."""
    model = kinetics.model
    bodies = []
    for body in model.bodies:
        pose = kinetics.pose(body)
        rotation = tuple(as_expr(value) for row in pose.rotation.to_matrix().rows for value in row)
        position = pose.point_to_parent(body.com).components()
        bodies.append(BodyPlace(body.name, tuple(map(as_expr, position)), rotation, body.mass))
    drawings = []
    for name, drawing in model.drawings.items():
        carrier, pose = drawing.frame.body, drawing.frame.pose @ drawing.pose
        pose = Transform(pose.rotation, pose.position - carrier.com)
        end = None if drawing.to is None else drawing.to.pose.position - drawing.to.body.com
        sizes = {key: as_expr(value) for key, value in drawing.shape.sizes.items()}
        to = "" if drawing.to is None else drawing.to.body.name
        drawings.append(PlacedDrawing(name, carrier.name, pose, drawing.shape, sizes, to, end))
    sensors, reactions = {}, set()
    watched = _WatchedKinetics(model)
    for name, sensor in model.sensors.items():
        watched.asked = False
        sensors[name] = Expression(sensor.measure(watched), sensor.unit)
        reactions |= {name} if watched.asked else set()
    closed = set(model.closed_form_coordinates)
    values = {
        coordinate.name: JointValue(coordinate.kind, value, coordinate in closed)
        for coordinate, value in model.values.items()
    }
    inertias = tuple(BodyInertia(names, tuple(parts)) for names, parts in model.inertias)
    twins = tuple(EqualEntries(name, (first, other)) for name, first, other in model.twins)
    made = Appearance(
        tuple(bodies), tuple(drawings), sensors, frozenset(reactions), values, _limits(model), inertias, twins
    )
    return made.exchanged(exchange)


def _limits(model: Model) -> tuple[JointLimit, ...]:
    """Limits of coordinates that are states, and of those whose values are known."""
    states = set(model.coordinates)
    return tuple(
        JointLimit(joint, coordinate if coordinate in states else coordinate.name, limits)
        for joint, coordinate, limits in model.limited_coordinates
        if coordinate in states or coordinate in model.values
    )


def whole_appearance(levels: Sequence[tuple[str, Appearance]], taken: Iterable[str] = ()) -> Appearance:
    """That of all levels, given by their labels; what several levels call the same gets the label in front.

    Args:
        levels: label and appearance of each.
        taken: names of variables, parameters and inputs, which joints that are not states cannot have.
    """
    bodies = Counter(body.name for _, level in levels for body in level.bodies)
    sensors = Counter(name for _, level in levels for name in level.sensors)
    joints = Counter([*taken, *(name for _, level in levels for name in level.values)])
    parts: list[Appearance] = []
    measured: dict[str, Expression] = {}
    values: dict[str, JointValue] = {}
    limits: list[JointLimit] = []
    reactions: set[str] = set()
    for label, level in levels:
        parts.append(level.called({body.name: _titled(body.name, label, bodies) for body in level.bodies}))
        measured |= {_titled(name, label, sensors): sensor for name, sensor in level.sensors.items()}
        reactions |= {_titled(name, label, sensors) for name in level.reactions}
        values |= {_titled(name, label, joints): value for name, value in level.values.items()}
        limits += [
            limit if isinstance(limit.coordinate, Symbol)
            else limit._replace(coordinate=_titled(limit.coordinate, label, joints))
            for limit in level.limits
        ]  # fmt: skip
    return Appearance(
        tuple(body for part in parts for body in part.bodies), tuple(_distinct(parts)), measured, frozenset(reactions),
        values, tuple(limits), tuple(inertia for part in parts for inertia in part.inertias),
        tuple(twin for part in parts for twin in part.twins),
    )  # fmt: skip


def _titled(name: str, label: str, known: Mapping[str, int]) -> str:
    return name if known[name] == 1 else f"{label}_{name}"


def _distinct(parts: Iterable[Appearance]) -> list[PlacedDrawing]:
    """Drawings with names that are all different."""
    found: dict[str, PlacedDrawing] = {}
    for one in (drawing for part in parts for drawing in part.drawings):
        name, number = one.name, 1
        while name in found:
            number += 1
            name = f"{one.name}_{number}"
        found[name] = replace(one, name=name)
    return list(found.values())


def _symbol(one: Expr) -> Symbol:
    assert isinstance(one, Symbol)
    return one


def _of_pose(pose: Transform) -> list[Any]:
    return [*(value for row in pose.rotation.to_matrix().rows for value in row), *pose.position.components()]


def _pose(entries: list[Expr]) -> Transform:
    return Transform(Rotation.matrix([entries[:3], entries[3:6], entries[6:9]]), Vec3(*entries[9:]))
