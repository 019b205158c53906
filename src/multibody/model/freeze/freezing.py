"""From the builder to the frozen model: spanning tree, links, symbols.

Links are numbered along the tree; coordinates, speeds and inputs keep the order in which the user wrote them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import Any

from multibody.algebra import Inertia, Transform
from multibody.errors import ModelError, TopologyError
from multibody.graph import (
    ONE,
    ZERO,
    Expr,
    Symbol,
    as_expr,
    free_symbols,
    isolated,
    symbol,
    time_derivative,
    topological,
)
from multibody.graph.names import require_known_names
from multibody.model.body import Body, Frame
from multibody.model.constraints import ClosedJoint
from multibody.model.description import Description
from multibody.model.freeze.closed_joints import with_closed_joints
from multibody.model.freeze.constant_parts import require_constant
from multibody.model.freeze.inertia_checks import require_possible_bodies
from multibody.model.freeze.joint_motions import require_consistent_motions
from multibody.model.freeze.topology import Branch, Edge, Tree, spanning_tree
from multibody.model.joint import Joint
from multibody.model.joints import Step
from multibody.model.joints.contract import IDENTITY, reversed_steps
from multibody.model.loops import recognised, reduced
from multibody.model.model import Link, Model
from multibody.model.quantity import Input, Parameter, acceleration_symbol, rate_name, rate_unit


def frozen(system: Description, *, tried: bool = False) -> Model:
    """The model of a system; raises if bodies are not connected to the world, or if geometry or inertia change.

    Args:
        system: what is to be frozen.
        tried: whether geometry and inertia that change are accepted, for a report of all that is wrong.
    """
    nodes = topological(_written(system))
    if not tried:
        require_constant(system, nodes)
    with isolated(*nodes):
        model = _frozen(system)
    if not tried:
        require_possible_bodies(model)
        require_consistent_motions(system.all(Joint))
    return model


def _written(system: Description) -> list[Expr]:
    """Geometry and inertia as the user wrote them."""
    found: list[Any] = [*system.gravity.components()]
    for body in system.all(Body):
        found += [body.mass, *body.com.components(), *body.inertia.components()]
    for frame in system.all(Frame):
        found += frame.pose.components()
    return [as_expr(value) for value in found]


def _frozen(system: Description) -> Model:
    joints = {joint.name: joint for joint in system.all(Joint)}
    bodies = tuple(body for body in system.all(Body) if body is not system.world)
    tree = _tree(system, joints, bodies)
    inputs = list(system.all(Input))
    carrying = {branch.edge.name for branch in tree.branches}
    moving = [joint for joint in joints.values() if joint.name in carrying and joint.prescribed is None]
    builder = _Links(system, joints, moving, inputs)
    for branch in tree.branches:
        builder.add(branch)
    cuts = tuple(joints[edge.name] for edge in tree.cuts)
    closures = (*system.constraints.values(), *(loop.closure for loop in system.loops.values()))
    builder.follow([expression for constraint in closures for expression in constraint.expressions])
    model = Model(
        name=system.name,
        time=system.time,
        gravity=system.gravity,
        world=system.world,
        bodies=bodies,
        joints=tuple(joints[branch.edge.name] for branch in tree.branches),
        cuts=cuts,
        links=builder.links(),
        attachments=MappingProxyType(builder.attachments),
        coordinates=tuple(builder.rates),
        speeds=tuple(builder.columns),
        accelerations=tuple(map(acceleration_symbol, builder.columns)),
        rates=tuple(builder.rates.values()),
        start=MappingProxyType(_start(system, moving)),
        parameters=tuple(system.all(Parameter)),
        inputs=tuple(_as_written(system, inputs)),
        loads=MappingProxyType(dict(system.loads)),
        sensors=MappingProxyType(dict(system.sensors)),
        constraints=MappingProxyType(_constraints(system, cuts)),
        values=MappingProxyType(builder.values),
        written=frozenset(system.starts).union(*(joint.written for joint in moving)),
        frames=tuple(system.all(Frame)),
        drawings=MappingProxyType(dict(system.drawings)),
    )
    closed = with_closed_joints(model)
    return reduced(closed, recognised(closed) | system.loops if system.recognise_loops else system.loops)


def _tree(system: Description, joints: Mapping[str, Joint], bodies: Sequence[Body]) -> Tree:
    edges = [Edge(joint.name, joint.parent.body, joint.child.body) for joint in joints.values()]
    cut = [joint.name for joint in joints.values() if joint.cut]
    closed = len(joints) > len(bodies)  # otherwise there is one tree at most, and nothing to choose
    tree = spanning_tree(system.world, bodies, edges, cut, _reluctance(system, joints) if closed else {})
    if tree.unreached:
        lost = ", ".join(repr(body.name) for body in tree.unreached if isinstance(body, Body))
        among = [edge.name for edge in edges if edge.parent in tree.unreached]
        raise TopologyError(
            f"No joint connects {lost} to the world.",
            code="bodies-not-connected",
            where=f"system '{system.name}'",
            cause=f"The joints {', '.join(map(repr, among))} form a part of their own."
            if among
            else "A joint is missing.",
            remedy="Connect each part to the world; a body that moves freely needs a Free() joint.",
            names=tuple(body.name for body in tree.unreached if isinstance(body, Body)),
        )
    return tree


def _reluctance(system: Description, joints: Mapping[str, Joint]) -> dict[str, int]:
    """How much each joint would rather close a loop: those with loads not at all, those with much freedom gladly."""
    things = (*system.loads.values(), *system.sensors.values(), *system.loops.values(), *system.constraints.values())
    busy = {part.name for element in things for part in element.touches if isinstance(part, Joint)}
    return {name: 0 if name in busy else _freedom(joint) for name, joint in joints.items()}


def _freedom(joint: Joint) -> int:
    """Zero for a joint that must keep its coordinates; of those with equal freedom, hinges are cut before sliders."""
    if joint.prescribed is not None or joint.cut is False:
        return 0
    try:
        forces = [lock for lock in joint.kind.locks(IDENTITY) if lock.name[0] == "f"]
    except ModelError:
        return 0  # it cannot be cut
    return 2 * len(joint.speeds) + (len(forces) == 3)


def _constraints(system: Description, cuts: Sequence[Joint]) -> dict[str, Any]:
    """Joints that close loops, then loops and constraints that the user added."""
    loops = {name: loop.closure for name, loop in system.loops.items()}
    return {joint.name: ClosedJoint(joint) for joint in cuts} | loops | system.constraints


def _as_written(system: Description, inputs: Sequence[Input]) -> list[Input]:
    """The inputs of the system, then the rates that motions need, in the order of what they are rates of."""
    written = list(system.all(Input))
    added = {input_.name: input_ for input_ in inputs[len(written) :]}
    ordered: list[Input] = []
    for name in (entry.name for input_ in written for entry in input_.flat):
        while (name := rate_name(name)) in added:
            ordered.append(added[name])
    return written + ordered


def _start(system: Description, joints: Sequence[Joint]) -> dict[Symbol, float]:
    values: dict[Symbol, float] = {}
    for joint in joints:
        values |= dict(zip(joint.coordinates, joint.q, strict=True)) | dict(zip(joint.speeds, joint.u, strict=True))
    require_known_names(
        system.starts, [value.name for value in values], "coordinate or speed", purpose="to start",
        code="start-value-unknown", where=f"system '{system.name}'",
    )  # fmt: skip
    return {symbol: system.starts.get(symbol.name, value) for symbol, value in values.items()}


class _Links:
    """Collects links while the tree is walked; coordinates and speeds have the places in which they were written.

    Attributes:
        columns: the place of each speed in u.
        rates: q̇ by coordinates, in the order of q.
    """

    def __init__(
        self, system: Description, joints: Mapping[str, Joint], moving: Sequence[Joint], inputs: list[Input]
    ) -> None:
        self._system = system
        self._joints = joints
        self._inputs = inputs
        self._parts: list[dict[str, Any]] = []
        self._inertias: dict[int, Inertia] = {}
        self.attachments: dict[Body, tuple[int, Transform]] = {system.world: (-1, IDENTITY)}
        self.columns = {u: k for k, u in enumerate(u for joint in moving for u in joint.speeds)}
        self.rates: dict[Symbol, Expr] = {q: ZERO for joint in moving for q in joint.coordinates}
        self.values: dict[Symbol, Expr] = {}

    def links(self) -> tuple[Link, ...]:
        """All links, with the inertia of the bodies on them."""
        return tuple(Link(**part, inertia=self._inertias.get(part["index"])) for part in self._parts)

    def add(self, branch: Branch) -> None:
        """One joint with the body that it carries."""
        joint = self._joints[branch.edge.name]
        steps, end = joint.kind.steps(), joint.kind.end()
        near, far = joint.parent, joint.child
        motions = _motions(joint, steps, self)
        if branch.reversed:
            steps, end = reversed_steps(steps, end)
            near, far, motions = far, near, motions[::-1]
        parent, place = self.attachments[near.body]
        place = place @ near.pose
        for step, state in zip(steps, motions, strict=True):
            part: dict[str, Any] = {
                "index": len(self._parts),
                "parent": parent,
                "joint": joint,
                "before": place @ step.before,
            }
            self._parts.append(part | {"motion": step.motion} | state)
            parent, place = part["index"], IDENTITY
        self._attach(far.body, parent, place @ end @ far.pose.inverse())

    def _attach(self, body: Body, link: int, place: Transform) -> None:
        self.attachments[body] = link, place
        if body.mass is ZERO and all(c is ZERO for c in body.inertia.components()):
            return
        inertia = place.to_parent(Inertia.rigid_body(body.mass, body.com, body.inertia))
        known = self._inertias.get(link)
        self._inertias[link] = inertia if known is None else known + inertia

    def moving(self, joint: Joint, q: Sequence[Symbol], u: Sequence[Symbol], step: Step) -> dict[str, Any]:
        """Coordinates, speeds and accelerations of a step that moves freely, and their places in the model."""
        columns = tuple(self.columns[speed] for speed in u)
        a = tuple(map(acceleration_symbol, u))
        self.rates |= zip(q, step.motion.rates(q, u), strict=True)
        partials = tuple({column: ONE} for column in columns)
        drift = (ZERO,) * len(u)
        return {
            "q": tuple(q), "u": tuple(u), "a": a, "columns": columns, "partials": partials, "drift": drift
        }  # fmt: skip

    def prescribed(self, joint: Joint, q: Sequence[Expr], step: Step) -> dict[str, Any]:
        """The same for a step whose motion is given: its speeds follow by differentiation."""
        if step.motion.speeds:
            raise ModelError(
                "The motion of a joint with a quaternion or angular velocities cannot be prescribed.",
                code="motion-not-prescribable",
                where=f"joint '{joint.name}'",
                remedy="Use a stack of elementary movements such as ['Tx', 'Ty', 'Tz', 'Rz', 'Ry', 'Rx'].",
                name=joint.name,
            )
        moving = [s.name for s in free_symbols(list(q)) if s.kind not in ("parameter", "input", "time")]
        if moving:
            raise ModelError(
                f"The prescribed motion depends on {', '.join(moving)}.",
                code="prescribed-motion-depends-on-state",
                where=f"joint '{joint.name}'",
                cause="A prescribed motion is a function of time, inputs and parameters alone.",
                remedy="Couple coordinates by a constraint instead.",
                name=joint.name,
                names=tuple(moving),
            )
        unit = "rad" if step.motion.is_turn(q) else "m"
        u = time_derivative(list(q), self._input_rates(q, unit))
        a = time_derivative(u, self._input_rates(u))
        return {
            "q": tuple(q), "u": tuple(u), "a": tuple(a), "columns": (None,) * len(q), "partials": ({},) * len(q),
            "drift": tuple(a),
        }  # fmt: skip

    def follow(self, expressions: Sequence[Expr]) -> None:
        """Constraints that follow inputs need the rates of these, twice."""
        first = self._input_rates(expressions)
        self._input_rates(list(first.values()))

    def _input_rates(self, expressions: Sequence[Expr], unit: str = "") -> dict[Expr, Any]:
        """A prescribed motion that follows an input needs the input's rate as an input of its own.

        The unit is that of the expressions: an input that is one of them, and has no unit, is measured in it.
        """
        rates: dict[Expr, Any] = {}
        for variable in free_symbols(list(expressions)):
            if variable.kind == "input":
                name = rate_name(variable.name)
                rates[variable] = symbol(name, "input", variable.scope)
                if all(known.name != name for known in self._inputs):
                    own = next((known.unit for known in self._inputs if variable in known.flat), "")
                    own = own or (unit if any(variable is whole for whole in expressions) else "")
                    self._inputs.append(Input(name, rates[variable], rate_unit(own), f"rate of {variable.name}"))
        return rates


def _motions(joint: Joint, steps: Sequence[Step], links: _Links) -> list[dict[str, Any]]:
    """What each step needs: its share of the joint's coordinates and speeds."""
    result = []
    sizes = [(len(step.motion.coordinates), step.motion.freedom) for step in steps]
    q_edges = _edges([size for size, _ in sizes])
    u_edges = _edges([size for _, size in sizes])
    for step, (q0, q1), (u0, u1) in zip(steps, pairwise(q_edges), pairwise(u_edges), strict=True):
        if joint.prescribed is None:
            result.append(links.moving(joint, joint.coordinates[q0:q1], joint.speeds[u0:u1], step))
        else:
            state = links.prescribed(joint, joint.prescribed[q0:q1], step)
            links.values |= dict(zip(joint.coordinates[q0:q1], state["q"], strict=True))
            links.values |= dict(zip(joint.speeds[u0:u1], state["u"], strict=True))
            rates = [acceleration_symbol(speed) for speed in joint.speeds[u0:u1]]
            links.values |= dict(zip(rates, state["a"], strict=True))
            result.append(state)
    return result


def _edges(sizes: Sequence[int]) -> list[int]:
    edges = [0]
    for size in sizes:
        edges.append(edges[-1] + size)
    return edges
