"""What a URDF file says, before anything is made of it: links, joints, shapes, in the file's own words and numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from multibody.algebra import Quaternion, Rotation, Transform, Vec3
from multibody.io.xml_numbers import Three
from multibody.model import Box, Capsule, Cylinder, Mesh, Sphere

NOWHERE: Three = (0.0, 0.0, 0.0)

MOVING = ("revolute", "continuous", "prismatic", "planar", "floating", "spherical")
KINDS = (*MOVING, "fixed")
"""Those of the specification; and ``spherical``, which Bullet and MuJoCo read too."""


@dataclass(frozen=True)
class UrdfPose:
    """A place: position in metres, and roll, pitch, yaw about the fixed axes x, y, z in radians.

    Attributes:
        xyz: the position.
        rpy: R = Rz(yaw)·Ry(pitch)·Rx(roll).
        quaternion: w, x, y, z, where the file gives it instead of the angles.
    """

    xyz: Three = NOWHERE
    rpy: Three = NOWHERE
    quaternion: tuple[float, float, float, float] | None = None

    @property
    def rotation(self) -> Rotation:
        """The rotation, in plain numbers."""
        if self.quaternion is not None:
            return Rotation.quaternion(Quaternion(*self.quaternion))
        return Rotation.euler("XYZ", self.rpy)

    @property
    def transform(self) -> Transform:
        """X from the placed frame to the one it is placed in, in plain numbers."""
        return Transform(self.rotation, Vec3(*self.xyz))


Geometry = Box | Cylinder | Capsule | Sphere | Mesh


@dataclass(frozen=True)
class LinkShape:
    """Something to look at, or to collide with.

    Attributes:
        geometry: the form.
        pose: its place in the frame of its link.
        name: if it has one.
        colour: red, green, blue, opacity from 0 to 1; None if the file leaves it open.
        texture: an image file below ``mesh_root``.
    """

    geometry: Geometry
    pose: UrdfPose
    name: str = ""
    colour: tuple[float, ...] | None = None
    texture: Path | None = None


@dataclass(frozen=True)
class Inertial:
    """Mass in kg, inertia tensor (xx, yy, zz, xy, xz, yz) about the centre of mass, in the axes of ``pose``."""

    mass: float
    tensor: tuple[float, float, float, float, float, float]
    pose: UrdfPose


class Limits(NamedTuple):
    """What a joint may do; None where the file says nothing.

    Attributes:
        lower: smallest coordinate, in rad or m.
        upper: largest coordinate.
        effort: largest torque or force, in N·m or N.
        velocity: largest speed, in rad/s or m/s.
    """

    lower: float | None
    upper: float | None
    effort: float | None
    velocity: float | None


class Mimic(NamedTuple):
    """A coupling: coordinate = multiplier · (coordinate of ``joint``) + offset."""

    joint: str
    multiplier: float
    offset: float


@dataclass(frozen=True)
class LinkData:
    """A link of the file."""

    name: str
    line: int
    inertial: Inertial | None = None
    visuals: tuple[LinkShape, ...] = ()
    collisions: tuple[LinkShape, ...] = ()

    @property
    def massless(self) -> bool:
        """Whether it has neither mass nor inertia."""
        return self.inertial is None or not any((self.inertial.mass, *self.inertial.tensor))


@dataclass(frozen=True, eq=False)
class JointData:
    """A joint of the file; damping and friction are None where the file says nothing. Two may have the same name."""

    name: str
    line: int
    kind: str
    parent: str
    child: str
    pose: UrdfPose = UrdfPose()
    axis: Three = (1.0, 0.0, 0.0)
    limits: Limits | None = None
    mimic: Mimic | None = None
    damping: float | None = None
    friction: float | None = None

    @property
    def fixed(self) -> bool:
        """Whether it does not move."""
        return self.kind == "fixed"


@dataclass(frozen=True)
class RobotData:
    """A whole file.

    Attributes:
        name: of the robot.
        source: the file, for messages.
        links: by name, in the order of the file.
        joints: in the order of the file; names may come twice.
        messages: what was missing or odd, and how it was handled.
    """

    name: str
    source: str
    links: dict[str, LinkData]
    joints: tuple[JointData, ...]
    messages: list[str] = field(default_factory=list)
