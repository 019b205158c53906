"""One of our systems, built again with SymPy's bodies, joints, loads and constraints.

Every link of the tree becomes a rigid body: the first body that it carries, or one without mass between the movements
of a stack; further bodies on it are welded. A turn is a ``PinJoint``, a displacement a ``PrismaticJoint``. What SymPy
has no joint for (quaternions, screws, prescribed motions) is said with oriented frames, velocities, and kinematic
differential equations. Speeds are functions of time of their own, named as here, so that equations can be compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from multibody.algebra import Rotation, Symmetric3, Transform, Vec3, VelocityMotor
from multibody.compat.sympy.symbolic import written_inputs
from multibody.equations import IndependentSpeeds, Kinetics
from multibody.graph import ZERO, Expr, Symbol, array, as_expr, free_symbols, jacobian, same, to_sympy
from multibody.graph.identity import independent_rows
from multibody.graph.sympy.reader import time_symbol
from multibody.graph.sympy.system import REDUNDANT
from multibody.mechanics.constraints.independence import NO_NUMBERS, Constraints, at_start
from multibody.model import Body, Frame, Link, Model
from multibody.model.joints.contract import IDENTITY


class SympyBodies:
    """The bodies and joints of a frozen model in a SymPy ``System``."""

    def __init__(self, model: Model) -> None:
        from sympy.physics import mechanics as me

        self._me = me
        self._model = model.unreduced or model
        self._kinetics = Kinetics(self._model)
        self._symbols = _sympy_names(self._model)
        self._ground = me.RigidBody("ground")
        self._system = me.System.from_newtonian(self._ground)
        self._bodies: dict[int, tuple[Any, Transform, Vec3]] = {-1: (self._ground, IDENTITY, IDENTITY.position)}
        self._own: dict[Body, Any] = {}

    # bodies ------------------------------------------------------------------------------------------------------

    def _add(self, link: Link) -> None:
        """A body for a link, and the joint that moves it."""
        body, place, centre = self._carrier(link)
        self._bodies[link.index] = body, place, centre
        parent, parent_place, parent_centre = self._bodies[link.parent]
        base = parent_place.inverse() @ link.before  # in the axes of the parent's body
        tip = place.inverse()  # of the link's frame, in the axes of its body
        inner, outer = self._turned(parent.frame, base, link, "base"), self._turned(body.frame, tip, link, "tip")
        at = self._vector(base.position - parent_centre, parent.frame)
        back = self._vector(tip.position - centre, body.frame)
        axis = self._plain_axis(link)
        if axis is None:
            self._move(link, parent, body, inner, outer, at, back)
            return
        turns = any(part.fp != 0 for part in axis.resultant)
        kind: Any = self._me.PinJoint if turns else self._me.PrismaticJoint
        direction = self._vector(axis.resultant if turns else axis.moment, inner)
        joint = kind(
            f"{link.joint.name}_{link.index}", parent, body, self._symbols[link.q[0]], self._symbols[link.u[0]],
            parent_point=at, child_point=back, parent_interframe=inner, child_interframe=outer, joint_axis=direction,
        )  # fmt: skip
        self._system.add_joints(joint)
        slide = 0 * inner.x if turns else self._symbols[link.u[0]] * direction
        self._carry(parent, joint.parent_point, joint.child_point, slide)
        body.masscenter.v2pt_theory(joint.child_point, self._system.frame, body.frame)

    def _carry(self, parent: Any, base: Any, tip: Any, slide: Any) -> None:
        """The velocity of a joint's tip: that of the parent's body there, and how it moves against that."""
        world = self._system.frame
        if base is not parent.masscenter:
            base.v2pt_theory(parent.masscenter, world, parent.frame)
        arm = tip.pos_from(base)
        carried = self._me.cross(parent.frame.ang_vel_in(world), arm) if arm != 0 else 0 * world.x
        tip.set_vel(world, base.vel(world) + carried + slide)

    def _carrier(self, link: Link) -> tuple[Any, Transform, Vec3]:
        """A SymPy body for a link, its place on the link, and its centre of mass in its own axes."""
        for body in self._model.bodies:
            index, place = self._model.attachments[body]
            if index == link.index:
                return self._body(body), place, body.com
        massless = self._rigid(f"{link.joint.name}_{link.index}_part", ZERO, Symmetric3.zero().symbolic())
        return massless, IDENTITY, IDENTITY.position

    def _body(self, body: Body) -> Any:
        if body not in self._own:
            self._own[body] = self._rigid(body.name, body.mass, body.inertia)
        return self._own[body]

    def _rigid(self, name: str, mass: Expr, inertia: Symmetric3) -> Any:
        me = self._me
        frame, centre = me.ReferenceFrame(f"{name}_frame"), me.Point(f"{name}_centre")
        parts = (inertia.xx, inertia.yy, inertia.zz, inertia.xy, inertia.yz, inertia.xz)
        tensor = me.inertia(frame, *(self._written(part) for part in parts))
        return me.RigidBody(name, centre, frame, self._written(mass), (tensor, centre))

    def _weld(self, body: Body, link: int, place: Transform) -> None:
        carrier, at, centre = self._bodies[link]
        other, there = self._body(body), at.inverse() @ place
        inner = self._turned(carrier.frame, there, None, f"{body.name}_weld")
        offset = there.point_to_parent(body.com) - centre
        weld = self._me.WeldJoint(
            f"{body.name}_weld", carrier, other, parent_point=self._vector(offset, carrier.frame),
            parent_interframe=inner, child_interframe=other.frame,
        )  # fmt: skip
        self._system.add_joints(weld)
        other.masscenter.v2pt_theory(carrier.masscenter, self._system.frame, carrier.frame)

    # movements ---------------------------------------------------------------------------------------------------

    def _plain_axis(self, link: Link) -> VelocityMotor | None:
        """The axis of a turn or of a displacement at the rate of its own coordinate; None for anything else."""
        axes = link.motion.axes(link.q)
        states = len(link.q) == 1 and link.q[0] in self._symbols and link.u[0] in self._model.speeds
        if not states or link.motion.speeds or len(axes) != 1:
            return None
        parts = [as_expr(part) for part in (*axes[0].resultant, *axes[0].moment)]
        fixed = all(symbol.kind == "parameter" for symbol in free_symbols(parts))
        both = any(part.fp != 0 for part in parts[:3]) and any(part.fp != 0 for part in parts[3:])
        return axes[0] if fixed and not both else None

    def _move(self, link: Link, parent: Any, body: Any, inner: Any, outer: Any, at: Any, back: Any) -> None:
        """Any movement: orientation, angular velocity, position and velocity of the child, and q̇ = N·u + ν."""
        pose, name = link.motion.pose(link.q), f"{link.joint.name}_{link.index}"
        turn, slide = IDENTITY.position, IDENTITY.position
        for axis, speed in zip(link.motion.axes(link.q), link.u, strict=True):
            turn, slide = turn + axis.resultant * speed, slide + axis.moment * speed
        outer._dcm(inner, self._matrix(pose.rotation))  # orient_dcm would differentiate it, at length
        outer.set_ang_vel(inner, self._vector(turn, outer))
        base = parent.masscenter.locatenew(f"{name}_base", at)
        tip = base.locatenew(f"{name}_tip", self._vector(pose.position, inner))
        self._carry(parent, base, tip, self._vector(slide, outer))
        body.masscenter.set_pos(tip, -back)
        body.masscenter.v2pt_theory(tip, self._system.frame, body.frame)
        self._system.add_bodies(body)
        for q, rate in zip(link.q, link.motion.rates(link.q, link.u), strict=True):
            if q in self._symbols and q in self._model.coordinates:
                self._system.add_coordinates(self._symbols[q])
                self._system.add_kdes(self._symbols[q].diff(time_symbol()) - self._written(rate))
        self._system.add_speeds(*(self._symbols[u] for u in link.u if u in self._model.speeds))

    # expressions -------------------------------------------------------------------------------------------------

    def _written(self, value: Any) -> Any:
        return to_sympy(as_expr(value), self._symbols)

    def _vector(self, vector: Vec3, frame: Any) -> Any:
        parts = zip(vector, (frame.x, frame.y, frame.z), strict=True)
        return sum((self._written(part) * axis for part, axis in parts), 0 * frame.x)

    def _matrix(self, rotation: Rotation) -> Any:
        return to_sympy(array([list(row) for row in rotation.to_matrix().rows]), self._symbols)

    def _turned(self, frame: Any, place: Transform, link: Link | None, name: str) -> Any:
        """A frame fixed to a body; that of the body itself, where nothing is turned."""
        rotation = place.rotation.to_matrix()
        if all(same(rotation[i, j], int(i == j)) for i in range(3) for j in range(3)):
            return frame
        made = self._me.ReferenceFrame(name if link is None else f"{link.joint.name}_{link.index}_{name}")
        made._dcm(frame, self._matrix(place.rotation))
        made.set_ang_vel(frame, 0 * frame.x)
        return made


def _sympy_names(model: Model) -> Mapping[Any, Any]:
    """A SymPy object for every symbol: speeds and inputs are functions of their own, rates of inputs derivatives."""
    import sympy

    time = time_symbol()
    known = {symbol: sympy.Function(symbol.name)(time) for symbol in (*model.coordinates, *model.speeds)}
    parameters = {symbol: sympy.Symbol(symbol.name) for symbol in model.parameter_symbols}
    return {model.time: time, **known, **written_inputs(model.input_symbols), **parameters}


class SympyBuilder(SympyBodies):
    """Builds a SymPy ``System`` from a frozen model; all loops are constraints."""

    def system(self) -> Any:
        """The whole."""
        for link in self._model.links:
            self._add(link)
        for body in self._model.bodies:
            if body not in self._own:
                self._weld(body, *self._model.attachments[body])
        self._system.add_coordinates(*self._missing(self._model.coordinates, self._system.q))
        self._system.add_speeds(*self._missing(self._model.speeds, self._system.u))
        self._add_loads()
        self._add_constraints()
        return self._system

    def _missing(self, symbols: Iterable[Symbol], known: Any) -> list[Any]:
        return [self._symbols[symbol] for symbol in symbols if self._symbols[symbol] not in list(known)]

    def _add_loads(self) -> None:
        gravity = self._vector(self._model.gravity, self._system.frame)
        for body in self._own.values():
            if body.mass != 0 and gravity != 0:
                self._system.add_loads(self._me.Force(body, body.mass * gravity))
        for frame, force in self._kinetics.loads:
            link, _ = self._model.attachment(frame)
            if link >= 0:
                self._act(frame, force.resultant, force.moment)
        for column, effort in enumerate(self._kinetics.joint_loads):
            if effort is not ZERO:
                self._push(column, effort)

    def _act(self, frame: Frame, force: Vec3, torque: Vec3) -> None:
        """A force at the origin of a frame, and a torque, both in its axes."""
        body = self._own[frame.body]
        if not _nothing(force):
            arm = frame.pose.position - frame.body.com
            point = body.masscenter.locatenew(f"{frame.name}_origin", self._vector(arm, body.frame))
            point.v2pt_theory(body.masscenter, self._system.frame, body.frame)
            push = self._vector(frame.pose.vector_to_parent(force), body.frame)
            self._system.add_loads(self._me.Force(point, push))
        if not _nothing(torque):
            twist = self._vector(frame.pose.vector_to_parent(torque), body.frame)
            self._system.add_loads(self._me.Torque(body, twist))

    def _push(self, column: int, effort: Expr) -> None:
        """What acts on a speed: a torque about its axis or a force along it, and the opposite on the parent."""
        link, place = next((link, k) for link in self._model.links for k, c in enumerate(link.columns) if c == column)
        axis = link.motion.axes(link.q)[place]
        (body, at, centre), (parent, *_) = self._bodies[link.index], self._bodies[link.parent]
        tip, me = at.inverse(), self._me
        if not _nothing(axis.resultant):
            twist = self._vector(tip.vector_to_parent(axis.resultant * effort), body.frame)
            self._system.add_loads(me.Torque(body, twist), me.Torque(parent, -twist))
            return
        push = self._vector(tip.vector_to_parent(axis.moment * effort), body.frame)
        point = body.masscenter.locatenew(f"push_{column}", self._vector(tip.position - centre, body.frame))
        point.v2pt_theory(body.masscenter, self._system.frame, body.frame)
        twin = parent.masscenter.locatenew(f"back_{column}", point.pos_from(parent.masscenter))
        twin.set_vel(self._system.frame, self._carried(parent, twin))
        self._system.add_loads(me.Force(point, push), me.Force(twin, -push))

    def _carried(self, body: Any, point: Any) -> Any:
        """The velocity of the point of a body that is at this place now."""
        world = self._system.frame
        arm = point.pos_from(body.masscenter)
        return body.masscenter.vel(world) + self._me.cross(body.frame.ang_vel_in(world), arm)

    def _add_constraints(self) -> None:
        constraints = self._kinetics.constraints
        if not constraints.independent:
            return
        bound = IndependentSpeeds().complement(constraints).dependent
        rows = [constraints.equations[k] for k in _well_ordered(constraints, bound)]
        positions = [row.position for row in rows if row.position is not None]
        u = [self._symbols[speed] for speed in self._model.speeds]
        self._system.u_ind = [speed for k, speed in enumerate(u) if k not in bound]
        self._system.u_dep = [u[k] for k in bound]
        if positions:
            self._system.add_holonomic_constraints(*(self._written(position) for position in positions))
            self._choose_coordinates(positions, [self._model.speeds[k] for k in bound])
        self._system.velocity_constraints = [self._written(row.velocity) for row in rows]
        kept = {constraints.names[k] for k in constraints.independent}
        left_out = {name: equation for name, equation in constraints.written.items() if name not in kept}
        setattr(self._system, REDUNDANT, {name: self._written(equation) for name, equation in left_out.items()})

    def _choose_coordinates(self, positions: list[Expr], bound: list[Symbol]) -> None:
        """As many dependent coordinates as there are φ, preferably those that change with dependent speeds."""
        q = self._model.coordinates
        order = sorted(range(len(q)), key=lambda k: self._model.rates[k] not in bound)
        table = jacobian(positions, [q[k] for k in order])
        chosen = {q[order[k]] for k in independent_rows([[entry.fp for entry in column] for column in table.T])}
        self._system.q_ind = [self._symbols[coordinate] for coordinate in q if coordinate not in chosen]
        self._system.q_dep = [self._symbols[coordinate] for coordinate in q if coordinate in chosen]


def _well_ordered(constraints: Constraints, columns: Sequence[int]) -> list[int]:
    """The rows that count, in an order with pivots that are not zero at the start: SymPy eliminates without looking."""
    from scipy.linalg import lu  # late, because importing it takes long

    rows = list(constraints.independent)
    try:
        B = at_start(constraints)[2][np.ix_(rows, list(columns))]
    except NO_NUMBERS:
        return rows
    return [rows[k] for k in np.argsort(lu(B, p_indices=True)[0])]  # B = L[places] @ U


def _nothing(vector: Vec3) -> bool:
    return all(as_expr(part) is ZERO for part in vector)
