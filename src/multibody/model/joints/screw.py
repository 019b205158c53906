"""The screw joint."""

from __future__ import annotations

from collections.abc import Sequence

from multibody.algebra import Transform
from multibody.graph import ZERO, Expr, as_expr
from multibody.model.joints.axis import Direction, axis, known_axis
from multibody.model.joints.contract import Gauge, JointKind, Lock, Step, fixed
from multibody.model.joints.elementary import turn_steps
from multibody.model.joints.locks import others, thread_lock, turn_gauge, turned_locks


class Screw(JointKind):
    """A rotation about an axis with a proportional advance along it: a nut on a thread.

    Args:
        axis: ``"x"``, ``"-z"`` …, or a direction in the parent frame, which is the same in the child frame.
        pitch: the advance in metres per radian; may be a parameter.
    """

    def __init__(self, axis: Direction = "z", pitch: Expr | float = 0.0) -> None:
        self.axis = axis
        self.pitch = pitch

    def steps(self) -> tuple[Step, ...]:
        """One rotation with its advance."""
        return turn_steps(axis(self.axis), "r", as_expr(self.pitch))[0]

    def end(self) -> Transform:
        """Back from the turned frame of an axis that is not a coordinate axis."""
        return turn_steps(axis(self.axis), "r")[1]

    def locks(self, pose: Transform) -> Sequence[Lock]:
        """As a cylindrical joint, with advance and angle tied together."""
        along, pitch = known_axis(self, self.axis), as_expr(self.pitch)
        other = others(along.index)
        if pitch is ZERO:
            return list(turned_locks(pose, along.rotation, ("xyz", other)))
        there = fixed(along.rotation)
        thread = thread_lock(there.inverse() @ pose @ there, along.index, along.sign, pitch)
        return [
            *turned_locks(pose, along.rotation, (other, other)),
            Lock(thread.name, thread.position, there.to_parent(thread.wrench)),
        ]

    def gauges(self, pose: Transform) -> Sequence[Gauge]:
        """The angle, within one turn."""
        along = known_axis(self, self.axis)
        return [turn_gauge(pose, along.rotation, along.index, along.sign)]
