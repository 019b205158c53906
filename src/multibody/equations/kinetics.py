"""Forces through the tree, for given accelerations: of links, of loops solved in closed form, and of welds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.algebra import ForceMotor, Inertia, Vec3
from multibody.graph import ONE, ZERO, Expr, Symbol, array, jacobian, product, solve_regular, substitute
from multibody.graph.identity import independent_rows
from multibody.graph.workspace import in_own_table
from multibody.mechanics.constraints.independence import Constraints
from multibody.mechanics.recursion import LinkMotion, at_rest, inertia_force, inward, outward, passed_on, projected
from multibody.model import Applied, Body, Joint, Model, Wrench
from multibody.model.freeze.closed_joints import closed_speeds
from multibody.model.kinematics import ZERO3, Kinematics

if TYPE_CHECKING:
    from multibody.compiler import Function


@in_own_table
class Kinetics(Kinematics):
    """Kinematics together with the forces that make it happen; u̇ are symbols."""

    @cached_property
    def loads(self) -> list[Applied]:
        """All loads on frames; what acts on a joint that closes a loop acts on both of its frames."""
        found = [applied for load in self.model.loads.values() for applied in load.forces(self)]
        closed = closed_speeds(self) if self.model.cuts else {}
        for load in self.model.loads.values():
            for speed, force in load.generalized(self).items():
                if speed in closed:
                    found += [Applied(frame, motor * force) for frame, motor in self.both_sides(closed[speed])]
        return found

    @cached_property
    def applied(self) -> dict[int, ForceMotor]:
        """The loads on each link, at its origin and in its axes."""
        return self.on_links(self.loads)

    def on_links(self, forces: Iterable[Applied]) -> dict[int, ForceMotor]:
        """The sum of forces on each link, at its origin and in its axes."""
        totals: dict[int, ForceMotor] = {}
        for frame, force in forces:
            link, place = self.model.attachment(frame)
            if link >= 0:
                known = totals.get(link, ForceMotor(ZERO3, ZERO3))
                totals[link] = known + place.to_parent(force)
        return totals

    @cached_property
    def joint_loads(self) -> list[Expr]:
        """The loads that act directly on each speed."""
        result: list[Expr] = [ZERO] * len(self.model.speeds)
        closed = {speed for joint in self.model.cuts for speed in joint.speeds}
        for load in self.model.loads.values():
            for speed, force in load.generalized(self).items():
                if speed not in closed:
                    for column, factor in self._partials(speed).items():
                        result[column] = result[column] + factor * force
        return result

    def _partials(self, speed: Symbol) -> Mapping[int, Expr]:
        """The derivatives of a joint's speed by the model's speeds."""
        if speed in self._columns:
            return {self._columns[speed]: ONE}
        row = jacobian([self.model.values[speed]], self.model.speeds)[0]
        return {column: factor for column, factor in enumerate(row) if factor is not ZERO}

    @cached_property
    def _columns(self) -> dict[Symbol, int]:
        return {speed: column for column, speed in enumerate(self.model.speeds)}

    @cached_property
    def motions(self) -> list[LinkMotion]:
        """The motion of all links, with u̇ as symbols."""
        return outward(self.model, [link.a for link in self.model.links])

    @cached_property
    def drifts(self) -> list[LinkMotion]:
        """The motion of all links while the speeds do not change: only prescribed motions accelerate."""
        return outward(self.model, [link.drift for link in self.model.links])

    @cached_property
    def constraints(self) -> Constraints:
        """The constraint equations, with their multipliers."""
        return Constraints.of(self, quickly_compiled)

    @cached_property
    def held(self) -> dict[int, ForceMotor]:
        """Loads and constraint forces on each link, at its origin and in its axes."""
        return self.on_links([*self.loads, *self.constraint_forces])

    @cached_property
    def constraint_forces(self) -> list[Applied]:
        """The forces of all constraints between frames, with λ as symbols."""
        rows = zip(self.constraints.multipliers, self.constraints.equations, strict=True)
        return [
            Applied(frame, motor * force)
            for force, equation in rows
            if equation.wrench is not None
            for frame, motor in self.both_sides(equation.wrench)
        ]

    def both_sides(self, wrench: Wrench) -> list[Applied]:
        """What a constraint does to both frames, for λ = 1."""
        back = -self.pose(wrench.frame, wrench.base).to_parent(wrench.axis)
        return [Applied(wrench.frame, wrench.axis), Applied(wrench.base, back)]

    @cached_property
    def transmitted(self) -> list[ForceMotor]:
        """The force that each link gets through its motion, with u̇ and λ as symbols."""
        return inward(self.model, self.motions, self.held)

    def residual(self) -> list[Expr]:
        """M·u̇ + h - f by one recursion."""
        needed = projected(self.model, inward(self.model, self.motions, self.applied))
        return [total - load for total, load in zip(needed, self.joint_loads, strict=True)]

    def bias(self) -> list[Expr]:
        """h - f by one recursion."""
        needed = projected(self.model, inward(self.model, self.drifts, self.applied))
        return [total - load for total, load in zip(needed, self.joint_loads, strict=True)]

    def inertia_bias(self) -> list[Expr]:
        """h: as ``bias``, without loads."""
        return projected(self.model, inward(self.model, self.drifts, {}))

    def reaction(self, joint: Joint) -> ForceMotor:
        """The force that a joint transmits to its child frame, at that frame's origin and in its axes.

        It contains everything that goes through the joint: constraint forces and, along the joint's own axes, the
        generalized force of the motion.
        """
        if self._unreduced is not None:
            return reaction_with_loops(self.model, self._unreduced, self._loop_forces, joint)
        if joint in self.model.cuts:
            return self._through_cut(joint)
        moved = [link.index for link in self.model.links if link.joint is joint]
        if not moved:
            return weld_reaction(self, joint)
        link, place = self.model.attachment(joint.child)
        if link == moved[-1]:
            return place.to_child(self.transmitted[link])
        _, base = self.model.attachment(joint.parent)  # the tree runs through this joint from child to parent
        there = base.to_child(self.transmitted[moved[-1]])
        return -self.pose(joint.child, joint.parent).to_child(there)

    @cached_property
    def _unreduced(self) -> Kinetics | None:
        """The same mechanism with all its loops as constraints, where some are solved in closed form."""
        return None if self.model.unreduced is None else Kinetics(self.model.unreduced)

    @cached_property
    def _loop_forces(self) -> dict[Expr, Expr]:
        assert self._unreduced is not None
        return loop_forces(self.model, self._unreduced)

    def _through_cut(self, joint: Joint) -> ForceMotor:
        """Constraint forces and loads of a joint that closes a loop."""
        rows = zip(self.constraints.owners, self.constraints.multipliers, self.constraints.equations, strict=True)
        total = ForceMotor(ZERO3, ZERO3)
        for owner, force, equation in rows:
            if owner == joint.name and equation.wrench is not None:
                total = total + equation.wrench.axis * force
        closed = closed_speeds(self)
        for load in self.model.loads.values():
            for speed, effort in load.generalized(self).items():
                if speed in joint.speeds:
                    total = total + closed[speed].axis * effort
        return total


# loops solved in closed form -----------------------------------------------------------------------------------------


def loop_forces(model: Model, full: Kinetics) -> dict[Expr, Expr]:
    """The multipliers of all closed loops, by the symbols of the unreduced model.

    The equations of the independent speeds do not contain the forces that close the loops. Those of the dependent
    speeds do: with all joints of the tree counted, (M·u̇ + h - f)_v = (Bᵀ·λ)_v, from which λ follows once the motion is
    known.

    Args:
        model: with loops solved in closed form.
        full: forces and motion of ``model.unreduced``.
    """
    constraints, speeds = full.constraints, full.model.speeds
    v = [k for k, speed in enumerate(speeds) if speed not in model.speeds]
    closed = [k for k, owner in enumerate(constraints.owners) if owner not in model.constraints]
    rest = [k for k in range(len(constraints)) if k not in closed]
    balance = array(full.residual())[v]
    if rest:
        others = array([constraints.multipliers[k] for k in rest])
        balance = balance - product(constraints.B[np.ix_(rest, v)].T, others)
    known = dict[Expr, Expr](model.values.items())  # first, because entries of B vanish where the loops are closed
    B = array(substitute(constraints.B[np.ix_(closed, v)], known))
    rows = independent_rows([[entry.fp for entry in row] for row in B])
    forces = solve_regular(B[rows].T, array(substitute(list(balance), known)))
    found: dict[Expr, Expr] = {constraints.multipliers[k]: ZERO for k in closed}
    found |= {constraints.multipliers[closed[row]]: force for row, force in zip(rows, forces, strict=True)}
    return found


def reaction_with_loops(model: Model, full: Kinetics, forces: dict[Expr, Expr], joint: Joint) -> ForceMotor:
    """The force through any joint, in terms of the independent coordinates, speeds and accelerations."""
    motor = full.reaction(joint)
    parts = substitute([*motor.resultant, *motor.moment], forces)
    parts = substitute(parts, dict[Expr, Expr](model.values.items()))
    return ForceMotor(Vec3(*parts[:3]), Vec3(*parts[3:]))


# rigid connections ---------------------------------------------------------------------------------------------------


def weld_reaction(kinetics: Kinetics, joint: Joint) -> ForceMotor:
    """The force that a weld transmits to its child frame, at that frame's origin and in its axes."""
    model = kinetics.model
    far = bodies_behind(model, joint)
    link, place = model.attachment(joint.child)
    total = ForceMotor(ZERO3, ZERO3)
    motion = kinetics.motions[link] if link >= 0 else at_rest(model)
    for body in far:
        if model.attachments[body][0] == link:
            own = model.attachments[body][1].to_parent(Inertia.rigid_body(body.mass, body.com, body.inertia))
            total = total + inertia_force(own, motion)
    for frame, force in (*kinetics.loads, *kinetics.constraint_forces):
        if frame.body in far and model.attachments[frame.body][0] == link:
            total = total - model.attachment(frame)[1].to_parent(force)
    for child in model.children(link):
        if {child.joint.parent.body, child.joint.child.body} & far and child.joint is not joint:
            pose = child.motion.pose(child.q)
            total = total + passed_on(child, pose, kinetics.transmitted[child.index])
    transmitted = place.to_child(total)
    return transmitted if joint.child.body in far else -transmitted


def bodies_behind(model: Model, joint: Joint) -> set[Body]:
    """All bodies whose way to the world leads through a joint."""
    at: dict[Body, list[Joint]] = {}
    for one in model.joints:
        for body in (one.parent.body, one.child.body):
            at.setdefault(body, []).append(one)
    reached, stack = {model.world}, [model.world]
    while stack:
        for one in at.get(stack.pop(), []):
            for body in (one.parent.body, one.child.body):
                if one is not joint and body not in reached:
                    reached.add(body)
                    stack.append(body)
    return {body for body in model.bodies if body not in reached}


def quickly_compiled(name: str, inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> Function:
    """A function whose machine code is made in little time; see ``Function.hasty``."""
    from multibody.compiler import Function  # late: expressions are made and read without a compiler

    return Function(name, inputs, outputs).hasty
