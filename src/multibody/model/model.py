"""The frozen model: links in an order in which parents come first, symbols, loads, sensors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from multibody.algebra import Inertia, Transform, Vec3
from multibody.errors import MissingValueError, ModelError
from multibody.graph import ZERO, Expr, Symbol, as_expr, jacobian, substitute
from multibody.graph.linear_algebra import Matrix
from multibody.graph.names import require_known_names
from multibody.graph.piecewise.signs import Sign
from multibody.model.body import Body, Frame
from multibody.model.display import parts_html
from multibody.model.joint import Joint
from multibody.model.joints import Motion
from multibody.model.quantity import Input, Parameter, by_element, defaults, known_defaults, rate_name, shaped_names
from multibody.model.shapes.drawing import Drawing

QUATERNION = ("qw", "qx", "qy", "qz")
"""The labels of coordinates that form a unit quaternion."""


@dataclass(frozen=True, eq=False)
class Link:
    """A rigid part of the tree, with the motion that connects it to its parent.

    Its frame is the child frame of that motion; bodies are attached to it by fixed transforms.

    Attributes:
        index: its number; parents have smaller ones.
        parent: number of the parent link; -1 for the world.
        joint: the joint that the motion belongs to.
        before: X from the parent link's frame to the motion's parent frame; constant.
        motion: how it moves.
        q: its coordinates: symbols, or expressions where the motion is prescribed.
        u: its speeds.
        a: the rates of its speeds.
        columns: the number of each speed in the model's vector u; None where it is not one of these itself, or is
            that of another axis already.
        partials: for each of its speeds, the derivatives by the model's speeds, by their numbers; none where the motion
            is prescribed.
        drift: the rates of its speeds while the model's speeds do not change.
        inertia: of all bodies attached to it, in its frame; None without mass.
    """

    index: int
    parent: int
    joint: Joint
    before: Transform
    motion: Motion
    q: tuple[Expr, ...]
    u: tuple[Expr, ...]
    a: tuple[Expr, ...]
    columns: tuple[int | None, ...]
    partials: tuple[Mapping[int, Expr], ...]
    drift: tuple[Expr, ...]
    inertia: Inertia | None


def written_in(
    links: Sequence[Link], speeds: Sequence[Symbol], rates: Sequence[Symbol], known: Mapping[Expr, Expr]
) -> tuple[Link, ...]:
    """The same links in other coordinates and speeds; a speed that several axes have is that of the first one.

    Args:
        links: of a model.
        speeds: the new speeds of the model.
        rates: the symbols of their rates.
        known: the old coordinates, speeds and accelerations that are no states any more, in terms of the new ones.
    """
    free = {speed: column for column, speed in enumerate(speeds)}
    result = [_rewritten(link, speeds, rates, known) for link in links]
    columns = [[free.pop(speed, None) if isinstance(speed, Symbol) else None for speed in link.u] for link in result]
    return tuple(replace(link, columns=tuple(own)) for link, own in zip(result, columns, strict=True))


def _rewritten(link: Link, speeds: Sequence[Symbol], rates: Sequence[Symbol], known: Mapping[Expr, Expr]) -> Link:
    """A link in other coordinates and speeds, with its columns as they were."""
    q, u, a = (tuple(substitute(list(part), known)) for part in (link.q, link.u, link.a))
    table = jacobian(list(u), speeds).reshape(len(u), len(speeds))
    partials = tuple({k: factor for k, factor in enumerate(row) if factor.fp != 0} for row in table)
    drift = tuple(substitute(list(a), dict.fromkeys(rates, ZERO)))
    return replace(link, q=q, u=u, a=a, partials=partials, drift=drift)


@dataclass(frozen=True, eq=False)
class Model:
    """A system that does not change any more.

    Attributes:
        name: of the system.
        time: the symbol of time.
        gravity: acceleration of free fall in the world's axes.
        bodies: without the world.
        joints: of the tree, parents first.
        cuts: joints that close loops.
        links: the rigid parts of the tree, parents first.
        attachments: link number and fixed transform X_LB of every body; number -1 is the world.
        coordinates: symbols q, in the order in which their joints were written.
        speeds: symbols u, likewise.
        accelerations: symbols that stand for u̇.
        rates: q̇ as expressions of q and u.
        start: start value of every coordinate and speed.
        inputs: in the order of writing; then the rates of inputs that prescribed motions follow.
        constraints: what restricts the motion beyond the tree: closed loops, rolling, couplings.
        values: coordinates, speeds and accelerations of joints that are not states of their own, as expressions of
            those that are.
        unreduced: the model with all loops as constraints, if some of them are solved in closed form here.
        written: names of coordinates and speeds whose start values were given, not left at their defaults.
        frames: all that have a name, bodies and the world included.
        drawings: what parts look like.
    """

    name: str
    time: Symbol
    gravity: Vec3
    world: Body
    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    cuts: tuple[Joint, ...]
    links: tuple[Link, ...]
    attachments: Mapping[Body, tuple[int, Transform]]
    coordinates: tuple[Symbol, ...]
    speeds: tuple[Symbol, ...]
    accelerations: tuple[Symbol, ...]
    rates: tuple[Expr, ...]
    start: Mapping[Symbol, float]
    parameters: tuple[Parameter, ...]
    inputs: tuple[Input, ...]
    loads: Mapping[str, Any]
    sensors: Mapping[str, Any]
    constraints: Mapping[str, Any]
    values: Mapping[Symbol, Expr]
    unreduced: Model | None = None
    written: frozenset[str] = frozenset()
    frames: tuple[Frame, ...] = ()
    drawings: Mapping[str, Drawing] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Model({self.name!r})"

    def _repr_html_(self) -> str:
        parts = (self.bodies, [*self.joints, *self.cuts], self.parameters, self.inputs)
        registers: tuple[Mapping[str, Any], ...] = (self.constraints, {}, self.loads, self.sensors)
        return parts_html(f"model '{self.name}'", parts, registers, (self.coordinates, self.speeds))

    def attachment(self, frame: Frame) -> tuple[int, Transform]:
        """The link that carries a frame, and the constant X from the frame to that link."""
        if not isinstance(frame, Frame):
            raise ModelError(
                f"{frame!r} is not a body or a frame.",
                code="frame-not-in-system",
                where=f"system '{self.name}'",
                remedy="Use a body, body.frame(…) or system.world; a joint has the frames parent and child.",
            )
        link, place = self.attachments[frame.body]
        return link, place @ frame.pose

    def parameter_values(self, given: Mapping[str, Any] | None = None) -> dict[Symbol, float]:
        """The number for every parameter, in their order: as given by name, or else its default.

        An array can be given by its own name, ``{"cp": [1, 2, 3]}``, or by the names of its elements.
        """
        return dict(self._default_values) if not given else self._parameter_values(given)

    @cached_property
    def _default_values(self) -> Mapping[Symbol, float]:
        return self._parameter_values({})

    def _parameter_values(self, given: Mapping[str, Any]) -> dict[Symbol, float]:
        self.require_parameters(given)
        values = defaults(self.parameters, given)
        self.require_values(values)
        return {symbol: values[symbol] for symbol in self.parameter_symbols}

    def parameters_by_element(self, given: Mapping[str, Any] | None) -> dict[str, Any]:
        """Values of parameters by the names of their elements; see ``parameter_values``."""
        return by_element(self.parameters, given or {}, "parameter")

    def inputs_by_element(self, given: Mapping[str, Any] | None) -> dict[str, Any]:
        """Likewise of inputs."""
        return by_element(self.inputs, given or {}, "input")

    def known_parameter_values(self, given: Mapping[str, Any] | None = None) -> dict[Symbol, float]:
        """Likewise, without the parameters that have no number."""
        self.require_parameters(given or {})
        values = known_defaults(self.parameters, given)
        self.require_values(values)
        return {symbol: values[symbol] for symbol in self.parameter_symbols if symbol in values}

    def require_values(self, values: Mapping[Symbol, float]) -> None:
        """An error for values of parameters with which the formulas of the model do not hold.

        Those of a ``System`` hold with any; those of models from SymPy and of linear subsystems may not.
        """

    def require_parameters(self, names: Iterable[str]) -> None:
        """An error for names that are not those of parameters, or of elements of them."""
        known = {symbol.name for symbol in self.parameter_symbols}
        whole = {parameter.name for parameter in self.parameters}
        require_known_names(
            (name for name in names if name not in whole), known, "parameter", where=f"system '{self.name}'",
            error=MissingValueError,
        )  # fmt: skip

    @cached_property
    def passed(self) -> set[str]:
        """Names of the checks that the model has passed, so that none of them is made twice."""
        return set()

    @cached_property
    def parameter_symbols(self) -> tuple[Symbol, ...]:
        """All parameters, one after the other, arrays row by row."""
        return tuple(symbol for parameter in self.parameters for symbol in parameter.default)

    @cached_property
    def input_symbols(self) -> tuple[Symbol, ...]:
        """All inputs, one after the other, arrays row by row."""
        return tuple(symbol for input_ in self.inputs for symbol in input_.flat)

    @property
    def signs(self) -> Mapping[Symbol, Sign]:
        """The signs of symbols that formulas of the model rely on; none, unless it was read from SymPy."""
        return {}

    @cached_property
    def input_limits(self) -> Mapping[Symbol, tuple[float, float]]:
        """Low and high of the inputs that have limits; an end may be infinite."""
        return {symbol: input_.limits for input_ in self.inputs if input_.limits is not None for symbol in input_.flat}

    @cached_property
    def limited_coordinates(self) -> tuple[tuple[str, Symbol, tuple[float, float]], ...]:
        """Name of the joint, coordinate, and range of each coordinate that has limits; an end may be infinite."""
        return tuple(
            (joint.name, coordinate, limits)
            for joint in (*self.joints, *self.cuts)
            for coordinate, limits in zip(joint.coordinates, joint.limits, strict=True)
            if limits is not None
        )

    @property
    def closed_form_coordinates(self) -> tuple[Symbol, ...]:
        """Coordinates that follow from others by loops that are solved in closed form."""
        whole = () if self.unreduced is None else self.unreduced.coordinates
        return tuple(symbol for symbol in whole if symbol in self.values)

    @cached_property
    def measured(self) -> Mapping[str, str]:
        """The names of all symbols that stand for measured values, each with that of its sensor."""
        return {label: name for name, sensor in self.sensors.items() for label in shaped_names(name, sensor.shape)}

    def expressions(self) -> list[Expr]:
        """Everything that the links are made of: constants of geometry and inertia, coordinates, speeds."""
        found: list[Any] = [*self.gravity.components(), *self.rates]
        for link in self.links:
            found += [*link.before.components(), *link.q, *link.u, *link.a, *link.drift]
            found += [factor for partial in link.partials for factor in partial.values()]
            found += [] if link.inertia is None else link.inertia.components()
        return [as_expr(value) for value in found]

    @cached_property
    def inertias(self) -> tuple[tuple[tuple[str, ...], Sequence[Expr]], ...]:
        """For all that moves as one and has mass, the names of its bodies, and mass, first moment and tensor."""
        found = []
        for link in self.links:
            if link.inertia is not None:
                names = tuple(body.name for body, (number, _) in self.attachments.items() if number == link.index)
                found.append((names, [as_expr(part) for part in link.inertia.components()]))
        return tuple(found)

    @property
    def twins(self) -> tuple[tuple[str, Symbol, Symbol], ...]:
        """Entries of inertias that must be the same, each pair after the name of its body."""
        return tuple((body.name, *pair) for body in self.bodies for pair in body.twins)

    @cached_property
    def remembered(self) -> dict[str, Any]:
        """What others found out about the model, by the name of what it is, so that it is found out once."""
        return {}

    @property
    def given_mass_matrix(self) -> Matrix | None:
        """M where it was given by equations; None where it follows from bodies."""
        return None

    @cached_property
    def quaternions(self) -> list[list[int]]:
        """The numbers of coordinates that form unit quaternions."""
        places = {q: k for k, q in enumerate(self.coordinates)}
        found = []
        for link in self.links:
            parts = [q for q, label in zip(link.q, link.motion.coordinates, strict=True) if label in QUATERNION]
            if parts and all(isinstance(q, Symbol) and q in places for q in parts):
                found.append([places[q] for q in parts if isinstance(q, Symbol)])
        return found

    def children(self, index: int) -> Sequence[Link]:
        """The links that a link (or the world, -1) carries."""
        return [link for link in self.links if link.parent == index]

    def flow(self, accelerations: Sequence[Expr] | None = None) -> dict[Expr, Expr]:
        """The rate of every coordinate and speed, and of inputs whose rates are inputs too; for ``time_derivative``.

        Args:
            accelerations: the rates of the speeds; by default they do not change.
        """
        inputs = {symbol.name: symbol for symbol in self.input_symbols}
        rates = ((input_, inputs.get(rate_name(name))) for name, input_ in inputs.items())
        changes = (ZERO,) * len(self.speeds) if accelerations is None else accelerations
        return {
            **{variable: rate for variable, rate in rates if rate is not None},
            **dict(zip(self.coordinates, self.rates, strict=True)),
            **dict(zip(self.speeds, changes, strict=True)),
        }
