"""Poses, velocities and accelerations of all frames, each computed when it is first asked for.

Velocities and accelerations of a link are kept in its own axes and referred to its own origin.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from typing import NamedTuple

from multibody.algebra import ForceMotor, Transform, Vec3, VelocityMotor
from multibody.errors import ModelError
from multibody.graph import ZERO, Expr
from multibody.graph.workspace import in_own_table, own_table
from multibody.model.body import Frame
from multibody.model.joint import Joint
from multibody.model.joints.contract import IDENTITY
from multibody.model.model import Link, Model

ZERO3 = Vec3(ZERO, ZERO, ZERO)


def combined(axes: Sequence[VelocityMotor], weights: Sequence[Expr]) -> tuple[Vec3, Vec3]:
    """Σ weight·axis, as angular and linear part."""
    angular = linear = ZERO3
    for axis, weight in zip(axes, weights, strict=True):
        angular = angular + axis.resultant * weight
        linear = linear + axis.moment * weight
    return angular, linear


class RelativeMotion(NamedTuple):
    """How a link moves against its parent, at its origin and in its own axes: Ω, V and their rates."""

    turn: Vec3
    slide: Vec3
    turn_rate: Vec3
    slide_rate: Vec3


def relative_motion(link: Link, rates: Sequence[Expr]) -> RelativeMotion:
    """Ω and V are the axes times the speeds; their rates the axes times the rates of the speeds, and the bias."""
    axes = link.motion.axes(link.q)
    turn, slide = combined(axes, link.u)
    turn_rate, slide_rate = combined(axes, rates)
    bias = link.motion.bias(link.q, link.u)
    if bias is not None:
        turn_rate, slide_rate = turn_rate + bias.resultant, slide_rate + bias.moment
    return RelativeMotion(turn, slide, turn_rate, slide_rate)


@in_own_table
class Kinematics:
    """The motion of a model as expressions of q, u, u̇ and time.

    Args:
        model: a frozen model.

    Attributes:
        model: the model.
        table: nodes of its expressions: a table of its own, or that of the isolated block in which it was created.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.table = own_table(model.expressions)
        self.pose_of_link = cache(self._pose_of_link)
        self.velocity_of_link = cache(self._velocity_of_link)
        self.acceleration_of_link = cache(lambda index: self._accelerated(index, self.acceleration_of_link, "a"))
        self.drift_of_link = cache(lambda index: self._accelerated(index, self.drift_of_link, "drift"))
        self._seen_from = cache(self._seen_from_ancestor)

    # frames ------------------------------------------------------------------------------------------------------

    def pose(self, frame: Frame, relative_to: Frame | None = None) -> Transform:
        """X_RF: from coordinates of ``frame`` to those of ``relative_to`` (by default the world)."""
        base = self.model.world if relative_to is None else relative_to
        (link, place), (root, base_place) = self.model.attachment(frame), self.model.attachment(base)
        common = self._common(link, root)
        way_out = self._seen_from(link, common) @ place
        way_in = self._seen_from(root, common) @ base_place
        return way_in.inverse() @ way_out

    def velocity(self, frame: Frame, relative_to: Frame | None = None) -> VelocityMotor:
        """(ω, v) of a frame's origin as seen from ``relative_to`` (by default the world), in the frame's own axes."""
        link, place = self.model.attachment(frame)
        own = place.to_child(self.velocity_of_link(link))
        if relative_to is None or relative_to.body is self.model.world:
            return own
        other = self.pose(frame, relative_to)
        return own - other.to_child(self.velocity(relative_to))

    def acceleration(self, frame: Frame, relative_to: Frame | None = None) -> tuple[Vec3, Vec3]:
        """Angular acceleration and acceleration of the origin, seen from ``relative_to``, in the frame's own axes."""
        angular, linear = self._absolute_acceleration(frame)
        if relative_to is None or relative_to.body is self.model.world:
            return angular, linear
        pose = self.pose(frame, relative_to)
        base_angular, base_linear = map(pose.vector_to_child, self._absolute_acceleration(relative_to))
        spin = pose.vector_to_child(self.velocity(relative_to).resultant)
        arm = pose.vector_to_child(pose.position)
        moved = self.velocity(frame, relative_to)
        carried = base_linear + base_angular.cross(arm) + spin.cross(spin.cross(arm))
        return (
            angular - base_angular - spin.cross(moved.resultant),
            linear - carried - (spin * 2).cross(moved.moment),
        )

    def reaction(self, joint: Joint) -> ForceMotor:
        """The force that a joint transmits to its child frame; known only once forces are balanced."""
        raise ModelError(
            "Constraint forces need the equations of motion.",
            code="constraint-forces-unknown",
            where=f"joint '{joint.name}'",
            remedy="Derive the equations; a sensor for a constraint force is evaluated there.",
            name=joint.name,
        )

    def _absolute_acceleration(self, frame: Frame) -> tuple[Vec3, Vec3]:
        link, place = self.model.attachment(frame)
        angular, linear = self.acceleration_of_link(link)
        spin, arm = self.velocity_of_link(link).resultant, place.position
        at_frame = linear + angular.cross(arm) + spin.cross(spin.cross(arm))
        return place.vector_to_child(angular), place.vector_to_child(at_frame)

    # links -------------------------------------------------------------------------------------------------------

    def _pose_of_link(self, index: int) -> Transform:
        """X from a link's frame to its parent link's frame."""
        link = self.model.links[index]
        return link.before @ link.motion.pose(link.q)

    def _velocity_of_link(self, index: int) -> VelocityMotor:
        """(ω, v) of a link's origin, in its own axes."""
        if index < 0:
            return VelocityMotor(ZERO3, ZERO3)
        link = self.model.links[index]
        carried = self._carried(link)
        for axis, speed in zip(link.motion.axes(link.q), link.u, strict=True):
            carried = carried + axis * speed
        return carried

    def _carried(self, link: Link) -> VelocityMotor:
        """The velocity of a link's origin and axes if its motion stood still."""
        moved = link.before.to_child(self.velocity_of_link(link.parent))
        return link.motion.pose(link.q).to_child(moved)

    def _accelerated(self, index: int, of_parent: Callable[[int], tuple[Vec3, Vec3]], rates: str) -> tuple[Vec3, Vec3]:
        """Angular acceleration and acceleration of a link's origin, in its own axes.

        Args:
            index: of the link.
            of_parent: the same for its parent.
            rates: ``"a"`` with the rates of all speeds, ``"drift"`` while the model's speeds do not change.
        """
        if index < 0:
            return ZERO3, ZERO3
        link = self.model.links[index]
        pose, parent = self.pose_of_link(index), self.velocity_of_link(link.parent)
        angular, linear = of_parent(link.parent)
        arm = pose.position
        linear = linear + angular.cross(arm) + parent.resultant.cross(parent.resultant.cross(arm))
        angular, linear, spin = (pose.vector_to_child(v) for v in (angular, linear, parent.resultant))
        turn, slide, turn_rate, slide_rate = relative_motion(link, getattr(link, rates))
        return angular + turn_rate + spin.cross(turn), linear + slide_rate + (spin * 2 + turn).cross(slide)

    # paths -------------------------------------------------------------------------------------------------------

    @cached_property
    def _ancestors(self) -> dict[int, list[int]]:
        """For each link the way to the world, itself first."""
        ways: dict[int, list[int]] = {-1: [-1]}
        for link in self.model.links:
            ways[link.index] = [link.index, *ways[link.parent]]
        return ways

    def _common(self, a: int, b: int) -> int:
        """The last link that carries both."""
        others = set(self._ancestors[b])
        return next(link for link in self._ancestors[a] if link in others)

    def _seen_from_ancestor(self, link: int, ancestor: int) -> Transform:
        """X from a link's frame to that of one of its ancestors."""
        if link == ancestor:
            return IDENTITY
        return self._seen_from(self.model.links[link].parent, ancestor) @ self.pose_of_link(link)
