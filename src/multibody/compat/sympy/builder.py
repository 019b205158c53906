"""The loads and constraints of one of our systems, in SymPy's words; see ``bodies``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from multibody.algebra import Vec3
from multibody.compat.sympy.bodies import SympyBodies
from multibody.equations import IndependentSpeeds
from multibody.graph import ZERO, Expr, Symbol, as_expr, jacobian
from multibody.graph.identity import independent_rows
from multibody.graph.sympy_system import REDUNDANT
from multibody.model import Frame
from multibody.model.constraint_equations import Constraints
from multibody.model.regularity import NO_NUMBERS, at_start


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
        return [self._symbols[one] for one in symbols if self._symbols[one] not in list(known)]

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
        link, place = next((one, k) for one in self._model.links for k, c in enumerate(one.columns) if c == column)
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
        positions = [one.position for one in rows if one.position is not None]
        u = [self._symbols[one] for one in self._model.speeds]
        self._system.u_ind = [one for k, one in enumerate(u) if k not in bound]
        self._system.u_dep = [u[k] for k in bound]
        if positions:
            self._system.add_holonomic_constraints(*(self._written(one) for one in positions))
            self._choose_coordinates(positions, [self._model.speeds[k] for k in bound])
        self._system.velocity_constraints = [self._written(one.velocity) for one in rows]
        kept = {constraints.names[k] for k in constraints.independent}
        left_out = {name: one for name, one in constraints.written.items() if name not in kept}
        vars(self._system)[REDUNDANT] = {name: self._written(one) for name, one in left_out.items()}

    def _choose_coordinates(self, positions: list[Expr], bound: list[Symbol]) -> None:
        """As many dependent coordinates as there are φ, preferably those that change with dependent speeds."""
        q = self._model.coordinates
        order = sorted(range(len(q)), key=lambda k: self._model.rates[k] not in bound)
        table = jacobian(positions, [q[k] for k in order])
        chosen = {q[order[k]] for k in independent_rows([[entry.fp for entry in column] for column in table.T])}
        self._system.q_ind = [self._symbols[one] for one in q if one not in chosen]
        self._system.q_dep = [self._symbols[one] for one in q if one in chosen]


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
