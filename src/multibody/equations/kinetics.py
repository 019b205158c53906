"""Forces through the tree, for given accelerations."""

from __future__ import annotations

from functools import cached_property

from multibody.algebra import ForceMotor
from multibody.equations.recursion import (
    LinkMotion,
    inward,
    outward,
    projected,
)
from multibody.equations.welds import weld_reaction
from multibody.graph import ZERO, Expr
from multibody.model import Joint, Model
from multibody.model.kinematics import ZERO3, Kinematics


class Kinetics(Kinematics):
    """Kinematics together with the forces that make it happen; u̇ are symbols."""

    def __init__(self, model: Model) -> None:
        model.require_tree()
        super().__init__(model)

    @cached_property
    def applied(self) -> dict[int, ForceMotor]:
        """The loads on each link, at its origin and in its axes."""
        totals: dict[int, ForceMotor] = {}
        for load in self.model.loads.values():
            for frame, force in load.forces(self):
                link, place = self.model.attachment(frame)
                if link >= 0:
                    known = totals.get(link, ForceMotor(ZERO3, ZERO3))
                    totals[link] = known + place.to_parent(force)
        return totals

    @cached_property
    def joint_loads(self) -> list[Expr]:
        """The loads that act directly on each speed."""
        result: list[Expr] = [ZERO] * len(self.model.speeds)
        for load in self.model.loads.values():
            for speed, force in load.generalized(self).items():
                if speed in self.model.speeds:
                    column = self.model.speeds.index(speed)
                    result[column] = result[column] + force
        return result

    def motions(self, *, with_acceleration: bool) -> list[LinkMotion]:
        """The motion of all links; without acceleration, only prescribed motions accelerate."""
        rates = [
            [a if with_acceleration or column is None else ZERO for a, column in zip(link.a, link.columns, strict=True)]
            for link in self.model.links
        ]
        return outward(self.model, rates)

    @cached_property
    def transmitted(self) -> list[ForceMotor]:
        """The force that each link gets through its motion, with u̇ as symbols."""
        return inward(self.model, self.motions(with_acceleration=True), self.applied)

    def residual(self) -> list[Expr]:
        """M·u̇ + h - f by one recursion."""
        needed = projected(self.model, self.transmitted)
        return [total - load for total, load in zip(needed, self.joint_loads, strict=True)]

    def bias(self) -> list[Expr]:
        """h - f by one recursion."""
        needed = projected(self.model, inward(self.model, self.motions(with_acceleration=False), self.applied))
        return [total - load for total, load in zip(needed, self.joint_loads, strict=True)]

    def inertia_bias(self) -> list[Expr]:
        """h: as ``bias``, without loads."""
        return projected(self.model, inward(self.model, self.motions(with_acceleration=False), {}))

    def reaction(self, joint: Joint) -> ForceMotor:
        """The force that a joint transmits to its child frame, at that frame's origin and in its axes.

        It contains everything that goes through the joint: constraint forces and, along the joint's own axes, the
        generalized force of the motion.
        """
        moved = [link.index for link in self.model.links if link.joint is joint]
        if not moved:
            return weld_reaction(self, joint)
        link, place = self.model.attachment(joint.child)
        if link == moved[-1]:
            return place.to_child(self.transmitted[link])
        _, base = self.model.attachment(joint.parent)  # the tree runs through this joint from child to parent
        there = base.to_child(self.transmitted[moved[-1]])
        return -self.pose(joint.child, joint.parent).to_child(there)
