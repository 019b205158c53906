"""From the data of a file to a ``System``: bodies, frames and joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from multibody.algebra import Rotation, Symmetric3, Vec3
from multibody.io.urdf.names import Names
from multibody.io.urdf.robot_data import JointData, Limits, LinkData, RobotData
from multibody.io.urdf.rotation import Rotations, turned_to
from multibody.io.xml_numbers import Three
from multibody.model import Body, Frame, Free, JointKind, Planar, Prismatic, Revolute, Spherical, System, Weld

ROOT_JOINT = "root_joint"
AXIS_LENGTH_TOLERANCE = 1e-6
"""How far the length of an axis may be from 1 without a message."""


@dataclass(frozen=True)
class Options:
    """How a robot is to be read; see ``read_urdf``."""

    floating: bool
    fixed: str
    numbers: str


class SystemBuilder:
    """Fills a system, link by link from the root outward.

    Attributes:
        frames: the frame of each link, by the file's name.
        joints: the name in the system of each joint that is there.
        messages: what was odd, and how it was handled.
        notes: what is the same in another form.
    """

    def __init__(self, robot: RobotData, system: System, rotations: Rotations, options: Options) -> None:
        self._robot = robot
        self._system = system
        self._rotations = rotations
        self._options = options
        self.names = Names()
        self.frames: dict[str, Frame] = {}
        self.joints: dict[JointData, str] = {}
        self.messages: list[str] = []
        self.notes: list[str] = []
        self._links: dict[str, str] = {}
        self._root_joint = ROOT_JOINT

    def build(self, root: str, order: Sequence[JointData], start: Mapping[JointData, float]) -> None:
        """All links from the root outward, then all joints as the file lists them.

        Args:
            root: the root link.
            order: the joints, parents first.
            start: start values that are not zero.
        """
        axes = {joint: self._axis(joint) for joint in order}
        self._name_everything(root, order, axes)
        self.frames[root] = self._root(self._robot.links[root])
        for joint in order:
            self.frames[joint.child] = self._carried(joint)
        for joint in self._robot.joints:
            if joint in self.joints:
                self._connect(joint, axes[joint], start.get(joint))

    # names -------------------------------------------------------------------------------------------------------

    def _name_everything(self, root: str, order: Sequence[JointData], axes: Mapping[JointData, Any]) -> None:
        """Joints that move come first, because their names are those of the coordinates; then links, then the rest."""
        if self._options.floating:
            self._root_joint = self.names.helper(ROOT_JOINT)
            for ending in _endings(Free()):
                self.names.helper(self._root_joint + ending)
        for joint in (joint for joint in self._robot.joints if not joint.fixed):
            self.joints[joint] = self.names.take(joint.name, "joint", _endings(_kind(joint, axes[joint])))
        for name in self._robot.links:
            self._links[name] = "world" if self._is_world(name, root) else self.names.take(name, "link")
        for joint in (item for item in order if item.fixed and self._has_body(item.child)):
            self.joints[joint] = self.names.take(joint.name, "joint")

    def _is_world(self, name: str, root: str) -> bool:
        return name == root == "world" and not self._options.floating

    def _has_body(self, link: str) -> bool:
        """Whether a link that is fixed to its parent becomes a body of its own, or a frame only."""
        return self._options.fixed == "keep" or not self._robot.links[link].massless

    # parts -------------------------------------------------------------------------------------------------------

    def _root(self, link: LinkData) -> Frame:
        world, name = self._system.world, self._links[link.name]
        if self._is_world(link.name, link.name):
            if not link.massless:
                self.messages.append(f"The link '{link.name}' is the world, which does not move; its mass is left out.")
            return world
        if not self._options.floating and not self._has_body(link.name):
            return world.frame(name)
        body = self._body(link)
        if not self._options.floating:
            self._root_joint = self.names.helper(ROOT_JOINT)
        self._system.joint(self._root_joint, world, body, Free() if self._options.floating else Weld())
        return body

    def _carried(self, joint: JointData) -> Frame:
        """The frame of a joint's child link."""
        if joint in self.joints:
            return self._body(self._robot.links[joint.child])
        turn = self._rotations.rotation(joint.pose)
        return self.frames[joint.parent].frame(self._links[joint.child], joint.pose.xyz, _or_none(turn))

    def _connect(self, joint: JointData, axis: str | Three, start: float | None) -> None:
        """The joint between two links."""
        turn, name = self._rotations.rotation(joint.pose), self.joints[joint]
        near, end = self.frames[joint.parent], self.frames[joint.child]
        if joint.kind == "planar" and axis not in ("x", "y", "z"):
            plane = turned_to(axis)  # a frame whose z axis is the normal, on both sides of the joint
            turn, end = turn @ plane, end.frame(self.names.helper(f"{name}_plane"), rotation=plane)
        base = self._placed(near, joint.pose.xyz, turn, name)
        self._system.joint(name, base, end, _kind(joint, axis), q=start, limits=_range(joint.limits))

    def _placed(self, near: Frame, xyz: Three, turn: Rotation, joint: str) -> Frame:
        """The frame that a joint starts from: the parent's own where the joint has no origin."""
        if not any(xyz) and _or_none(turn) is None:
            return near
        return near.frame(self.names.helper(f"{joint}_origin"), xyz, _or_none(turn))

    def _body(self, link: LinkData) -> Body:
        properties, name = mass_properties(link, self._rotations), self._links[link.name]
        if self._options.numbers == "parameters" and not link.massless:
            properties = as_parameters(properties, name, self._system, self.names)
        return self._system.body(name, *properties)

    def _axis(self, joint: JointData) -> str | Three:
        """The axis of a joint that has one, as a coordinate axis or of length one."""
        if joint.kind not in ("revolute", "continuous", "prismatic", "planar"):
            return "x"
        axis = self._rotations.axis(joint.axis)
        if axis is None:
            self.messages.append(f"The axis of joint '{joint.name}' is zero; the x axis is taken.")
            return "x"
        length = sum(component * component for component in joint.axis) ** 0.5
        if abs(length - 1) > AXIS_LENGTH_TOLERANCE:
            self.notes.append(f"The axis of joint '{joint.name}' has length {length:.6g}; it is brought to length 1.")
        return axis


def _or_none(turn: Rotation) -> Rotation | None:
    """Nothing for no rotation, as ``frame`` takes it."""
    return None if turn == Rotation.identity() else turn


def _kind(joint: JointData, axis: str | Three) -> JointKind:
    if joint.kind in ("revolute", "continuous"):
        return Revolute(axis)
    if joint.kind == "prismatic":
        return Prismatic(axis)
    if joint.kind == "planar":
        return Planar(axis if axis in ("x", "y", "z") else "z")
    return {"floating": Free, "spherical": Spherical}.get(joint.kind, Weld)()


def _endings(kind: JointKind) -> list[str]:
    """What the names of coordinates, speeds and accelerations add to the joint's name."""
    labels = [label for step in kind.steps() for label in (*step.motion.coordinates, *step.motion.speeds)]
    stems = [""] if len(labels) == 1 else [f"_{label}" for label in labels]
    return [stem + rate for stem in stems for rate in ("", "_dot", "_ddot")]


def _range(limits: Limits | None) -> tuple[float, float] | None:
    if limits is None or limits.lower is None or limits.upper is None:
        return None
    return limits.lower, limits.upper


# inertia -------------------------------------------------------------------------------------------------------------


class MassProperties(NamedTuple):
    """What ``System.body`` needs: the inertia is about the centre of mass."""

    mass: Any
    com: Any
    inertia: Any


NOTHING = MassProperties(0, (0, 0, 0), (0, 0, 0))


def mass_properties(link: LinkData, rotations: Rotations) -> MassProperties:
    """The numbers of the file, turned exactly into the link's axes."""
    if link.inertial is None or link.massless:
        return NOTHING
    turn = rotations.rotation(link.inertial.pose, counts=False)
    tensor = turn.turn_symmetric(Symmetric3(*link.inertial.tensor).symbolic())
    return MassProperties(link.inertial.mass, Vec3(*link.inertial.pose.xyz), tensor)


def as_parameters(given: MassProperties, name: str, system: System, names: Names) -> MassProperties:
    """The same as parameters of the system, with the numbers as defaults."""
    i = given.inertia

    def parameter(what: str, default: Any, unit: str, description: str) -> Any:
        return system.parameter(
            names.helper(f"{name}_{what}"), default, unit=unit, description=f"{description} of {name}"
        )

    return MassProperties(
        parameter("mass", given.mass, "kg", "mass"),
        list(parameter("com", list(given.com), "m", "centre of mass")),
        parameter("inertia", [i.xx, i.xy, i.yy, i.xz, i.yz, i.zz], "kg*m^2", "inertia about the centre of mass"),
    )
