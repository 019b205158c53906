"""Search of a URDF file for elements and attributes that the robot does not depend on, or that do not act.

The file is walked from the robot inward. What the tables below do not name is not known to the reader, and is reported
with everything inside it. What they name is reported where the robot does not use it: the axis of a fixed joint, a
second inertial, the limits of a joint without a motor.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from multibody.io.urdf.couplings import SINGLE
from multibody.io.urdf.report import Unused
from multibody.io.urdf.robot_data import JointData, LinkData, RobotData
from multibody.io.urdf.shapes import PLAIN, SOLIDS, ShapeReader, geometry_element, pose
from multibody.io.xml_text import Element

ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "robot": ("name",),
    "link": ("name",),
    "joint": ("name", "type"),
    "material": ("name",),
    "origin": ("xyz", "rpy", "quat_xyzw"),
    "mass": ("value",),
    "inertia": ("ixx", "iyy", "izz", "ixy", "ixz", "iyz", "iyx", "izx", "izy"),
    "parent": ("link",),
    "child": ("link",),
    "axis": ("xyz",),
    "limit": ("lower", "upper", "effort", "velocity"),
    "mimic": ("joint", "multiplier", "offset"),
    "dynamics": ("damping", "friction"),
    "visual": ("name",),
    "collision": ("name",),
    "box": ("size",),
    "sphere": ("radius",),
    "cylinder": ("radius", "length"),
    "capsule": ("radius", "length"),
    "mesh": ("filename", "scale"),
    "color": ("rgba",),
    "texture": ("filename",),
}
"""Attributes that the reader knows, by element."""
SOLID_TAGS = ("box", *SOLIDS, "mesh")
CHILDREN: dict[str, tuple[str, ...]] = {
    "robot": ("link", "joint", "material"),
    "link": ("inertial", "visual", "collision"),
    "inertial": ("origin", "mass", "inertia"),
    "joint": ("origin", "parent", "child", "axis", "limit", "mimic", "dynamics"),
    "visual": ("origin", "geometry", "material"),
    "collision": ("origin", "geometry", "material"),
    "geometry": SOLID_TAGS,
    "material": ("color", "texture"),
}
"""Elements that the reader knows, by the element that they are in."""
SEVERAL = {("robot", "link"), ("robot", "joint"), ("robot", "material"), ("link", "visual"), ("link", "collision"),
           *(("geometry", tag) for tag in SOLID_TAGS)}  # fmt: skip
"""Elements that may come several times; of all others the first one counts."""

EXTENSIONS = {
    "gazebo": "It is an extension for a simulator.",
    "transmission": "It describes motors and gears, which are not part of the model; drive=True drives joints.",
    "ros2_control": "It describes motors and software, which are not part of the model; drive=True drives joints.",
    "sensor": "Sensors are not read; system.sensor(…) adds them.",
    "safety_controller": "It limits a controller, not the mechanism.",
    "calibration": "It is for the calibration of an encoder.",
    "contact": "There are no contacts in the system; mb.Contact adds them.",
}
TEXT = "The reader takes values from attributes, and not from text between tags."
UNKNOWN = "The reader does not know it."
FIXED = "The joint does not move."
HELD = "The joint is held fast."
NO_CONTACTS = "There are no contacts in the system."
NOT_A_STOP = "It is the range of sliders, and runs list when it is left; it is not a stop."
NO_SPEED_LIMIT = "Speeds are not limited."
NO_MOTOR = "Nothing drives the joint; with drive=True it limits the effort."
INDEPENDENT = 'Every joint has its own coordinate; with mimic="couple" it follows.'
SWITCHED_OFF = 'dynamics="ignore" was given.'
MANY_FREEDOMS = "It has a meaning for joints with one coordinate."


@dataclass(frozen=True)
class Choices:
    """How the robot was made of the file, as far as the report depends on it.

    Attributes:
        floating: whether the root link moves freely.
        coupled: whether joints follow those that they mimic.
        dynamics: whether damping and friction act.
        root: the root link.
        followers: joints whose coupling has a meaning.
        driven: joints with an effort as input.
        named: joints whose names are in the system.
    """

    floating: bool
    coupled: bool
    dynamics: bool
    root: str
    followers: Collection[JointData]
    driven: Collection[JointData]
    named: Collection[JointData]


def unused_parts(document: Element, robot: RobotData, shapes: ShapeReader, choices: Choices) -> tuple[Unused, ...]:
    """Everything in a file that does not act on the motion, in the order of the file."""
    return tuple(sorted(_UnusedWalk(document, robot, shapes, choices).entries(), key=lambda one: one.line))


class _UnusedWalk:
    """One walk through one file; each method yields what is unused in one kind of element."""

    def __init__(self, document: Element, robot: RobotData, shapes: ShapeReader, choices: Choices) -> None:
        self._document, self._robot, self._shapes, self._choices = document, robot, shapes, choices
        self._owner = ""

    def entries(self) -> Iterator[Unused]:
        """All of them."""
        yield from self._unknown(self._document, "")
        links: set[str] = set()
        joints = iter(self._robot.joints)
        for element in self._document.children:
            self._owner = ""
            if element.tag == "link":
                yield from self._link(element, links)
            elif element.tag == "joint":
                yield from self._joint(element, next(joints))
            elif element.tag == "material":
                yield from self._material(element, "material", of_shape=False)

    # entries -----------------------------------------------------------------------------------------------------

    def _whole(self, element: Element, path: str, why: str, kept: str = "") -> Unused:
        return Unused(path, element.line, self._owner, "", why, kept)

    def _some(self, element: Element, path: str, reasons: Mapping[str, str], kept: str = "") -> Iterator[Unused]:
        """Attributes that are there and are not used, each for its reason."""
        for name, why in reasons.items():
            if name in element.attributes:
                yield Unused(f"{path}@{name}", element.line, self._owner, element.get(name), why, kept)

    def _unknown(self, element: Element, path: str) -> Iterator[Unused]:
        """Attributes and elements in an element that the reader does not know, and those that come too often."""
        known, inside = ATTRIBUTES.get(element.tag, ()), CHILDREN.get(element.tag, ())
        here = path or element.tag
        for name, value in element.attributes.items():
            if name not in known:
                yield Unused(f"{here}@{name}", element.line, self._owner, value, UNKNOWN)
        for text in element.texts:
            yield Unused(f"{here}/text()", element.line, self._owner, text, TEXT)
        seen: set[str] = set()
        for child in element.children:
            place = f"{path}/{child.tag}" if path else child.tag
            if child.tag not in inside:
                yield self._whole(child, place, EXTENSIONS.get(child.tag, UNKNOWN))
            elif (element.tag, child.tag) not in SEVERAL:
                if child.tag in seen:
                    yield self._whole(child, place, "It comes several times, and the first one counts.")
                seen.add(child.tag)

    # links -------------------------------------------------------------------------------------------------------

    def _link(self, element: Element, seen: set[str]) -> Iterator[Unused]:
        name = element.get("name")
        self._owner = f"link '{name}'"
        if not name or name in seen:
            yield self._whole(element, "link", "It has the name of an earlier link." if name else "It has no name.")
            return
        seen.add(name)
        yield from self._unknown(element, "link")
        if (inertial := element.child("inertial")) is not None:
            yield from self._inertial(inertial, self._robot.links[name])
        for tag in ("visual", "collision"):
            for shape in element.all(tag):
                yield from self._shape(shape, f"link/{tag}")

    def _inertial(self, element: Element, link: LinkData) -> Iterator[Unused]:
        path = "link/inertial"
        if link.name == self._choices.root == "world" and not self._choices.floating:
            yield self._whole(element, path, "The link is the world, which does not move.")
            return
        yield from self._unknown(element, path)
        for tag in ("mass", "inertia"):
            if (part := element.child(tag)) is not None:
                yield from self._unknown(part, f"{path}/{tag}")
                if tag == "inertia":
                    mirrored = {"iyx": "ixy", "izx": "ixz", "izy": "iyz"}
                    why = {
                        attribute: f"The tensor is symmetric, and {other} is used."
                        for attribute, other in mirrored.items()
                    }
                    yield from self._some(part, f"{path}/inertia", why)
        if (origin := element.child("origin")) is not None:
            if link.massless:
                yield self._whole(origin, f"{path}/origin", "The link has neither mass nor inertia.")
            else:
                yield from self._origin(origin, f"{path}/origin")

    def _origin(self, element: Element | None, path: str) -> Iterator[Unused]:
        if element is None:
            return
        yield from self._unknown(element, path)
        turned = any(word.strip("+-0.eE") for word in element.get("quat_xyzw").split())
        if "quat_xyzw" in element.attributes:
            why = {"rpy": "The quaternion is used."} if turned else {"quat_xyzw": "It is zero."}
            yield from self._some(element, path, why)

    # shapes ------------------------------------------------------------------------------------------------------

    def _shape(self, element: Element, path: str) -> Iterator[Unused]:
        if id(element) in self._shapes.left_out:
            yield self._whole(element, path, "It has no geometry that can be read.")
            return
        if element.tag == "collision":
            yield self._whole(element, path, NO_CONTACTS, "robot.collisions")
        else:
            yield from self._some(element, path, {"name": "Drawings have no names."}, "robot.visuals")
        yield from self._unknown(element, path)
        yield from self._origin(element.child("origin"), f"{path}/origin")
        if (geometry := element.child("geometry")) is not None:
            yield from self._geometry(geometry, f"{path}/geometry")
        if (material := element.child("material")) is not None:
            yield from self._material(material, f"{path}/material", of_shape=True)

    def _geometry(self, element: Element, path: str) -> Iterator[Unused]:
        yield from self._unknown(element, path)
        used = geometry_element(element)
        for solid in (child for child in element.children if child.tag in SOLID_TAGS):
            if solid is used:
                yield from self._unknown(solid, f"{path}/{solid.tag}")
            else:
                yield self._whole(solid, f"{path}/{solid.tag}", "A shape has one geometry, and another one is used.")

    def _material(self, element: Element, path: str, *, of_shape: bool) -> Iterator[Unused]:
        """A material; one of a shape is used there, whether or not others use its name."""
        yield from self._unknown(element, path)
        name, defined = element.get("name"), self._shapes.defined(element)
        referenced = self._shapes.definitions.get(name) is element and name in self._shapes.looked_up
        if not of_shape and not referenced:
            yield self._whole(element, path, "No shape uses it.")
            return
        plain = defined == PLAIN
        if of_shape and not referenced and not (plain and name in self._shapes.definitions):
            why = "There is no material of this name." if plain else "The shape has a color or texture of its own."
            yield from self._some(element, path, {"name": why})
        for part in element.children:
            if part is element.child("color"):
                yield from self._unknown(part, f"{path}/color")
                if defined.colour is None:
                    yield from self._some(part, f"{path}/color", {"rgba": "It is not a color."})
            elif part is element.child("texture"):
                yield from self._unknown(part, f"{path}/texture")
                yield from self._some(part, f"{path}/texture", {"filename": "Textures are not drawn."},
                                      "robot.collisions" if "/collision/" in path else "robot.visuals")  # fmt: skip

    # joints ------------------------------------------------------------------------------------------------------

    def _joint(self, element: Element, joint: JointData) -> Iterator[Unused]:
        self._owner = f"joint '{joint.name}'"
        yield from self._unknown(element, "joint")
        if joint not in self._choices.named:
            why = "The link is fixed and has no mass: it is a frame, and there is no joint."
            yield from self._some(element, "joint", {"name": why})
        yield from self._origin(element.child("origin"), "joint/origin")
        for tag in ("parent", "child"):
            if (end := element.child(tag)) is not None:
                yield from self._unknown(end, f"joint/{tag}")
        rules = {"axis": self._axis, "limit": self._limit, "mimic": self._mimic, "dynamics": self._dynamics}
        for tag, rule in rules.items():
            part = element.child(tag)
            if part is None:
                continue
            if joint.fixed:
                if tag == "axis" and joint.pose != pose(element.child("origin")):
                    yield from self._unknown(part, "joint/axis")  # it says where the joint is held
                else:
                    yield self._whole(part, f"joint/{tag}", FIXED if element.get("type") == "fixed" else HELD)
            else:
                yield from self._unknown(part, f"joint/{tag}")
                yield from rule(part, joint)

    def _axis(self, element: Element, joint: JointData) -> Iterator[Unused]:
        if joint.kind in ("floating", "spherical"):
            yield from self._some(element, "joint/axis", {"xyz": f"A {joint.kind} joint has no axis."})

    def _limit(self, element: Element, joint: JointData) -> Iterator[Unused]:
        path, limits = "joint/limit", joint.limits
        if joint.kind not in ("revolute", "prismatic"):
            none = dict.fromkeys(("lower", "upper"), f"A {joint.kind} joint has no range.")
            yield from self._some(element, path, none)
        elif limits is not None and limits.lower is None and limits.upper is None:
            yield from self._some(element, path, dict.fromkeys(("lower", "upper"), "The range is open."))
        else:
            yield from self._some(element, path, dict.fromkeys(("lower", "upper"), NOT_A_STOP), "robot.limits")
        yield from self._some(element, path, {"velocity": NO_SPEED_LIMIT}, "robot.limits")
        if joint.kind not in SINGLE:
            yield from self._some(element, path, {"effort": MANY_FREEDOMS}, "robot.limits")
        elif joint not in self._choices.driven:
            yield from self._some(element, path, {"effort": NO_MOTOR}, "robot.limits")
        elif limits is not None and limits.effort is not None and limits.effort <= 0:
            why = "It is not a positive number, and the effort is not limited."
            yield from self._some(element, path, {"effort": why}, "robot.limits")

    def _mimic(self, element: Element, joint: JointData) -> Iterator[Unused]:
        if joint not in self._choices.followers:
            yield self._whole(element, "joint/mimic", "It cannot be followed; see robot.messages.")
        elif not self._choices.coupled:
            yield self._whole(element, "joint/mimic", INDEPENDENT, "robot.mimic")

    def _dynamics(self, element: Element, joint: JointData) -> Iterator[Unused]:
        kept = {"damping": "robot.damping", "friction": "robot.friction"}
        why = SWITCHED_OFF if not self._choices.dynamics else "" if joint.kind in SINGLE else MANY_FREEDOMS
        for name, place in kept.items() if why else ():
            yield from self._some(element, "joint/dynamics", {name: why}, place)
