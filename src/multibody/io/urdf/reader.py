"""From XML to the data of a URDF file: what is missing or odd is reported and handled, what is absurd is refused."""

from __future__ import annotations

import math
from collections.abc import Iterable

from multibody.algebra import Inertia, Symmetric3
from multibody.errors import ModelError, TopologyError
from multibody.io.meshes import MeshFolder
from multibody.io.urdf.robot_data import KINDS, Inertial, JointData, Limits, LinkData, Mimic, RobotData
from multibody.io.urdf.shapes import ShapeReader, pose
from multibody.io.xml_numbers import number, three
from multibody.io.xml_text import Element

LIMITS = ("lower", "upper", "effort", "velocity")
INFINITE = ("inf", "infinity")
ONCE = {
    "link": ("inertial",),
    "inertial": ("origin", "mass", "inertia"),
    "joint": ("origin", "parent", "child", "axis", "limit", "mimic", "dynamics"),
}
"""What an element has once only."""
HARMLESS = ("xacro:property", "xacro:arg")
"""What xacro leaves behind in a file that it has worked on."""


def robot_data(root: Element, meshes: MeshFolder) -> tuple[RobotData, ShapeReader]:
    """Everything that a file says about a robot; transmissions, plugins and other extensions are passed over."""
    _require_urdf(root)
    reader = _Reader(root, meshes)
    return reader.robot(), reader.shapes


def _require_urdf(root: Element) -> None:
    if root.tag != "robot":
        kind = {"sdf": "an SDF file", "mujoco": "a MuJoCo file"}.get(root.tag, f"an element <{root.tag}>")
        raise ModelError(
            f"The document is {kind}, not a <robot>.",
            where=root.place,
            remedy="Give a URDF file.",
            code="urdf-root-not-robot",
            name=root.tag,
        )
    for element in (child for part in root.children for child in _read(part)):
        formula = any("${" in text or "$(" in text for text in element.attributes.values())
        if formula or element.tag.startswith("xacro:"):
            raise ModelError(
                "The file is a template for xacro, not a URDF file.",
                where=element.place,
                cause="It contains macros or formulas that xacro replaces.",
                remedy="Run xacro first: xacro robot.urdf.xacro > robot.urdf.",
                code="urdf-is-xacro-template",
            )


def _read(part: Element) -> Iterable[Element]:
    """What matters in a part of the robot: all of links, joints and materials, and macros that stand beside them."""
    if part.tag in ("link", "joint", "material"):
        return part.walk()
    return [part] if part.tag.startswith("xacro:") and part.tag not in HARMLESS else []


class _Reader:
    """Reads one file and collects what there is to say about it."""

    def __init__(self, root: Element, meshes: MeshFolder) -> None:
        self._root = root
        self._messages: list[str] = []
        self.shapes = ShapeReader(root, meshes, self._messages)

    def robot(self) -> RobotData:
        """All links and joints."""
        links: dict[str, LinkData] = {}
        for element in self._root.all("link"):
            self._add(links, element)
        if not links:
            raise ModelError(
                "The robot has no links.",
                where=self._root.place,
                remedy="Give a complete URDF file.",
                code="urdf-without-links",
            )
        joints = tuple(self._joint(element, count) for count, element in enumerate(self._root.all("joint"), start=1))
        if "world" not in links and (held := [joint for joint in joints if joint.parent == "world"]):
            self._messages.append(
                f"The joint '{held[0].name}' begins at 'world', which is not a link; it is taken as the world."
            )
            links["world"] = LinkData("world", held[0].line)
        return RobotData(self._root.get("name"), self._root.source, links, joints, self._messages)

    def _add(self, links: dict[str, LinkData], element: Element) -> None:
        name = element.get("name")
        if not name or name in links:
            why = f"has the name '{name}' of an earlier one" if name else "has no name"
            self._messages.append(f"The link in line {element.line} {why}; it is left out, with its mass.")
            return
        self._require_once(element, f"link '{name}'")
        inertial = self._inertial(element.child("inertial"), name)
        visuals, collisions = (self.shapes.shapes(element, tag) for tag in ("visual", "collision"))
        links[name] = LinkData(name, element.line, inertial, visuals, collisions)

    def _require_once(self, element: Element, what: str) -> None:
        for tag in ONCE[element.tag]:
            if len(element.all(tag)) > 1:
                self._messages.append(f"The {what} (line {element.line}) has several <{tag}>; the first one is used.")

    # inertia -----------------------------------------------------------------------------------------------------

    def _inertial(self, element: Element | None, link: str) -> Inertial | None:
        if element is None:
            return None
        self._require_once(element, f"inertial of link '{link}'")
        mass, tensor = element.child("mass"), element.child("inertia")
        m = None if mass is None else number(mass, "value")
        if m is None:
            self._messages.append(
                f"The inertial of link '{link}' (line {element.line}) gives no mass; it is taken as 0."
            )
        found = Inertial(m or 0.0, self._tensor(tensor, link, element.line), pose(element.child("origin")))
        self._judge(found, link, element.line)
        return found

    def _tensor(self, element: Element | None, link: str, line: int) -> tuple[float, float, float, float, float, float]:
        names = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
        given = {name: None if element is None else number(element, name) for name in names}
        missing = [name for name in names if given[name] is None]
        if missing:
            self._messages.append(
                f"The inertia of link '{link}' (line {line}) gives no {', '.join(missing)}; 0 is taken."
            )
        for one, other in (("ixy", "iyx"), ("ixz", "izx"), ("iyz", "izy")):
            mirrored = None if element is None else number(element, other)
            if mirrored is not None and mirrored != given[one]:
                self._messages.append(
                    f"The inertia of link '{link}' (line {line}) is not symmetric in {one} and {other}; {one} is used."
                )
        xx, yy, zz, xy, xz, yz = (given[name] or 0.0 for name in names)
        return xx, yy, zz, xy, xz, yz

    def _judge(self, inertial: Inertial, link: str, line: int) -> None:
        for problem in Inertia.rigid_body(inertial.mass, tensor=Symmetric3(*inertial.tensor)).problems():
            self._messages.append(f"The inertia of link '{link}' (line {line}) is kept, but no body has it: {problem}")
        if inertial.mass == 0 and any(inertial.tensor):
            self._messages.append(
                f"The link '{link}' (line {line}) has inertia but no mass; both are kept as they are."
            )

    # joints ------------------------------------------------------------------------------------------------------

    def _joint(self, element: Element, count: int) -> JointData:
        name = element.get("name")
        if not name:
            name = f"joint_{count}"
            self._messages.append(f"The joint in line {element.line} has no name; it is called '{name}'.")
        kind = element.get("type")
        if kind not in KINDS:
            raise ModelError(
                f"The joint has the type '{kind}', which is not known." if kind else "The joint has no type.",
                where=f"joint '{name}', {element.place}",
                remedy=f"Use one of {', '.join(KINDS)}.",
                code="urdf-joint-type-unknown",
                name=name,
                value=kind,
            )
        self._require_once(element, f"joint '{name}'")
        dynamics, axis = element.child("dynamics"), element.child("axis")
        if axis is not None and "xyz" not in axis.attributes and kind != "fixed":
            self._messages.append(f"The axis of joint '{name}' (line {axis.line}) has no xyz; the x axis is taken.")
        return JointData(
            name, element.line, kind, self._end(element, "parent", name), self._end(element, "child", name),
            pose(element.child("origin")), three(axis, "xyz", (1.0, 0.0, 0.0)),
            self._limits(element.child("limit"), name, kind), self._mimic(element.child("mimic"), name),
            None if dynamics is None else number(dynamics, "damping"),
            None if dynamics is None else number(dynamics, "friction"),
        )  # fmt: skip

    def _end(self, joint: Element, tag: str, name: str) -> str:
        element = joint.child(tag)
        link = "" if element is None else element.get("link")
        if not link:
            raise TopologyError(
                f"The joint names no {tag} link.",
                where=f"joint '{name}', {joint.place}",
                remedy=f'Add <{tag} link="…"/>.',
                code="urdf-joint-end-missing",
                name=name,
            )
        return link

    def _limits(self, element: Element | None, name: str, kind: str) -> Limits | None:
        ranged = kind in ("revolute", "prismatic")
        if element is None:
            if ranged:
                self._messages.append(f"The {kind} joint '{name}' has no limits; its range is left open.")
            return None
        lower, upper, effort, velocity = (_bound(element, key) for key in LIMITS)
        if ranged and lower is None and upper is None:
            self._messages.append(
                f"The {kind} joint '{name}' has limits without lower and upper; its range is left open."
            )
        elif ranged:
            lower, upper = lower or 0.0, upper or 0.0  # as the URDF specification says
            if lower > upper:
                self._messages.append(
                    f"The joint '{name}' has lower = {lower} above upper = {upper}; its range is left open."
                )
                lower = upper = None
        bounds = (lower, upper, effort, velocity) if ranged else (None, None, effort, velocity)
        return Limits(*(None if bound is None or math.isinf(bound) else bound for bound in bounds))

    def _mimic(self, element: Element | None, name: str) -> Mimic | None:
        if element is None:
            return None
        if not element.get("joint"):
            self._messages.append(f"The joint '{name}' mimics a joint without saying which; it moves on its own.")
            return None
        factor, offset = number(element, "multiplier"), number(element, "offset")
        return Mimic(element.get("joint"), 1.0 if factor is None else factor, offset or 0.0)


def _bound(element: Element, key: str) -> float | None:
    """A number that may be infinite, which some programs write where there is no limit."""
    text = element.get(key).strip().lower()
    if text.lstrip("+-") in INFINITE:
        return -math.inf if text.startswith("-") else math.inf
    return number(element, key, math.inf)
