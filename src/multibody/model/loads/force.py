"""Forces and torques given by their components."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from multibody.algebra import ForceMotor, Vec3
from multibody.model.body import Frame
from multibody.model.kinematics import ZERO3, Kinematics
from multibody.model.loads.contract import Applied, Load
from multibody.model.sensors.contract import given, in_axes

Point = Any
"""A frame, whose origin is meant, or three coordinates."""


class Force(Load):
    """A force on a body, at any point and in any axes; on request with its reaction on a second body.

    The reaction acts at the same point, so that the pair has neither resultant nor moment. In PyMbs' ``CmpForce(F, CS1,
    CS2, CSref)`` it acts at the origin of CS2: ``Force(CS1, F, expressed_in=CSref, reaction_on=CS2, reaction_at=CS2)``.

    Args:
        on: the frame that the force acts on.
        vector: three components, as numbers or expressions.
        at: where it acts: coordinates in ``on``, or a frame (on any body) whose origin it is; by default the origin of
            ``on``.
        expressed_in: the frame along whose axes the components are given; by default ``on``, while sensors
            measure along the axes of the world by default.
        reaction_on: a frame on the body that the force comes from; None for a force from outside.
        reaction_at: where the reaction acts: coordinates in ``reaction_on``, or a frame; by default at the same point.

    Example:
        >>> from multibody.model import System
        >>> crane = System("crane")
        >>> crab = crane.body("crab", mass=1)
        >>> slide = crane.joint("slide", crane.world, crab, "Tx")
        >>> push = crane.load(Force(crab, (0, 0, -5), at=(1, 0, 0), expressed_in=crane.world))
        >>> [applied.force.moment for applied in push.forces(Kinematics(crane.freeze()))]
        [Vec3(0, 5, 0)]
    """

    def __init__(
        self, on: Frame, vector: Any, *, at: Point = None, expressed_in: Frame | None = None,
        reaction_on: Frame | None = None, reaction_at: Point = None,
    ) -> None:  # fmt: skip
        self.on = on
        self.components = Vec3.from_any(vector, what="force")
        self.at = at
        self.expressed_in = expressed_in
        self.reaction_on = reaction_on
        self.reaction_at = reaction_at

    def forces(self, kinematics: Kinematics) -> Iterator[Applied]:
        """The force, and its reaction."""
        axes = self.expressed_in or self.on
        force = self.vector(self.components, kinematics)
        point = self._place(kinematics, self.at, self.on)
        yield Applied(self.on, ForceMotor.single_force(in_axes(kinematics, force, axes, self.on), point))
        if self.reaction_on is not None:
            back = in_axes(kinematics, -force, axes, self.reaction_on)
            yield Applied(self.reaction_on, ForceMotor.single_force(back, self._opposite(kinematics, point)))

    def _opposite(self, kinematics: Kinematics, point: Vec3) -> Vec3:
        """Where the reaction acts, in coordinates of ``reaction_on``."""
        assert self.reaction_on is not None
        if self.reaction_at is None:
            return kinematics.pose(self.on, self.reaction_on).point_to_parent(point)
        return self._place(kinematics, self.reaction_at, self.reaction_on)

    def _place(self, kinematics: Kinematics, point: Point, frame: Frame) -> Vec3:
        """A point in coordinates of a frame."""
        if point is None:
            return ZERO3
        if isinstance(point, Frame):
            return kinematics.pose(point, frame).position
        return self.vector(point, kinematics)

    @property
    def touches(self) -> tuple[object, ...]:
        """All frames that were named."""
        points = [point for point in (self.at, self.reaction_at) if isinstance(point, Frame)]
        return self.on, *given(self.reaction_on, self.expressed_in), *points


class Torque(Load):
    """A torque on a body, in any axes; on request with its reaction on a second body.

    PyMbs' ``CmpTorque(M, CS1, CS2, CSref)`` is ``Torque(CS1, M, expressed_in=CSref, reaction_on=CS2)``.

    Args:
        on: the frame that the torque acts on; where its origin lies does not matter.
        vector: three components, as numbers or expressions.
        expressed_in: the frame along whose axes the components are given; by default ``on``, while sensors
            measure along the axes of the world by default.
        reaction_on: a frame on the body that the torque comes from; None for a torque from outside.
    """

    def __init__(
        self, on: Frame, vector: Any, *, expressed_in: Frame | None = None, reaction_on: Frame | None = None
    ) -> None:
        self.on = on
        self.components = Vec3.from_any(vector, what="torque")
        self.expressed_in = expressed_in
        self.reaction_on = reaction_on

    def forces(self, kinematics: Kinematics) -> Iterator[Applied]:
        """The torque, and its reaction."""
        axes = self.expressed_in or self.on
        torque = self.vector(self.components, kinematics)
        yield Applied(self.on, ForceMotor(ZERO3, in_axes(kinematics, torque, axes, self.on)))
        if self.reaction_on is not None:
            back = in_axes(kinematics, -torque, axes, self.reaction_on)
            yield Applied(self.reaction_on, ForceMotor(ZERO3, back))

    @property
    def touches(self) -> tuple[object, ...]:
        """All frames that were named."""
        return self.on, *given(self.reaction_on, self.expressed_in)
