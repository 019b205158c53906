"""Forces through the tree, for given accelerations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from multibody.algebra import ForceMotor
from multibody.equations.constraint_functions import quickly_compiled
from multibody.equations.loop_forces import loop_forces, reaction_with_loops
from multibody.equations.recursion import LinkMotion, inward, outward, projected
from multibody.equations.welds import weld_reaction
from multibody.graph import ONE, ZERO, Expr, Symbol, jacobian
from multibody.graph.workspace import in_own_table
from multibody.model import Applied, Joint, Wrench
from multibody.model.closed_joints import closed_speeds
from multibody.model.constraint_equations import Constraints
from multibody.model.kinematics import ZERO3, Kinematics


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
