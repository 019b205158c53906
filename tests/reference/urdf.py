"""Battery ``urdf``: every element and attribute of a robot file acts on the model, or is in its report.

The file is walked here by expat, without the reader's own code. What the report does not name is changed, one attribute
of one place in all links and joints at a time, and every link and joint that has it must come out different: its frame,
mass, drawings, joint or loads. A file that is refused after a change counts as different. Elements that hold text, and
elements without attributes and children that the specification does not know, must be in the report.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from multibody.errors import MultibodyError
from multibody.graph import symbol
from multibody.io import UrdfRobot, read_urdf
from multibody.model import Joint
from multibody.model.quantity import Input

from .case import REFUSED, RIGHT, WRONG, Outcome

VARIANTS: tuple[dict[str, Any], ...] = ({}, {"mimic": "couple", "drive": True, "floating": True})
SPECIFIED = set(
    "robot link joint material inertial origin mass inertia parent child axis limit mimic dynamics visual collision "
    "geometry box sphere cylinder capsule mesh color texture".split()
)
STRUCTURE = {"link@name", "joint@name", "joint/parent@link", "joint/child@link", "joint/mimic@joint", "robot@name",
             "link/visual/material@name", "link/collision/material@name"}  # fmt: skip
"""Names and references to names, which cannot be changed everywhere at once."""
MOST_SINGLE = 4
"""Places of one kind that are changed by themselves."""


@cache
def files() -> tuple[Path, ...]:
    """All robots of the package ``example-robot-data``."""
    import pinocchio

    root = Path(pinocchio.__file__).parents[4] / "share" / "example-robot-data" / "robots"
    return tuple(sorted(root.rglob("*.urdf")))


@dataclass(eq=False)
class Node:
    """An element of the file, and the place where it stands."""

    tag: str
    attributes: dict[str, str]
    line: int
    parent: Node | None = None
    children: list[Node] = field(default_factory=list)
    text: str = ""

    @property
    def path(self) -> str:
        """Tags from below the robot to here, as the report writes them."""
        above = "" if self.parent is None or self.parent.parent is None else f"{self.parent.path}/"
        return above + self.tag

    @property
    def owner(self) -> Node:
        """The child of the robot that it belongs to."""
        return self if self.parent is None or self.parent.parent is None else self.parent.owner

    def walk(self) -> Iterator[Node]:
        """The element and everything in it."""
        yield self
        for child in self.children:
            yield from child.walk()

    def number(self) -> int:
        """Which one of its kind it is among its siblings."""
        same = [one for one in self.parent.children if one.tag == self.tag] if self.parent else [self]
        return same.index(self)

    def place(self) -> tuple[str, ...]:
        """The way to it inside its owner, with numbers."""
        if self is self.owner:
            return (self.tag,)
        assert self.parent is not None
        return (*self.parent.place(), f"{self.tag}[{self.number()}]")

    def written(self) -> str:
        """As XML."""
        inside = "".join(child.written() for child in self.children)
        attributes = "".join(f" {name}={quoteattr(value)}" for name, value in self.attributes.items())
        return f"<{self.tag}{attributes}>{inside}</{self.tag}>\n"


def parsed(data: bytes) -> Node:
    """The robot of a file."""
    stack: list[Node] = []
    roots: list[Node] = []
    parser = expat.ParserCreate()

    def start(tag: str, attributes: dict[str, str]) -> None:
        node = Node(tag, attributes, parser.CurrentLineNumber, stack[-1] if stack else None)
        (stack[-1].children if stack else roots).append(node)
        stack.append(node)

    def text(content: str) -> None:
        stack[-1].text += content.strip()

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: stack.pop()
    parser.CharacterDataHandler = text
    parser.Parse(data.lstrip(), True)
    return roots[0]


# the model, by links and joints --------------------------------------------------------------------------------------


def _numbers(values: Any) -> tuple[float, ...]:
    return tuple(float(one) for one in values)


def _pose(pose: Any) -> tuple[float, ...]:
    return (*_numbers(pose.position), *_numbers(pose.rotation.to_array().ravel()))


def _frame(frame: Any) -> tuple[Any, ...]:
    return frame.name, frame.body.name, _pose(frame.pose)


def _link(frame: Any, drawn: list[Any]) -> tuple[Any, ...]:
    mass = (float(frame.mass), _numbers(frame.com), _numbers(frame.inertia.components())) if frame.body is frame and (
        hasattr(frame, "mass")) else ()  # fmt: skip
    shapes = [(repr(one.shape), _pose(one.pose)) for one in drawn if one.frame is frame]
    return (*_frame(frame), mass, shapes)


def _joint(frame: Any, robot: UrdfRobot) -> tuple[Any, ...]:
    """The joint that moves a link, with its loads, inputs and coupling; or the frame of the link."""
    system, x = robot.system, symbol("x")
    found: list[Any] = [_frame(frame)]
    for joint in system.all(Joint):
        if joint.child.body is frame:
            found += [
                joint.name,
                repr(joint.kind),
                _frame(joint.parent),
                _pose(joint.child.pose),
                joint.q,
                joint.limits,
            ]
            for load in system.loads.values():
                if load.joint is joint:
                    found += [str(law.force(x)) for law in getattr(load, "laws", ())]
                    found += [str(value) for value in getattr(load, "values", ())]
            found += [str(loop.value) for loop in system.loops.values() if loop.joint is joint]
            found += [one.limits for one in system.all(Input) if one.name == str(robot.efforts.get(joint.name))]
    return tuple(found)


def signatures(robot: UrdfRobot) -> dict[str, Any]:
    """What the model is made of: links, and joints by the links that they move, by the file's names of links."""
    drawn = list(robot.system.drawings.values())
    found: dict[str, Any] = {"": robot.system.name}
    for name, frame in robot.links.items():
        found[f"link {name}"] = _link(frame, drawn)
        found[f"joint to {name}"] = _joint(frame, robot)
    return found


# changes -------------------------------------------------------------------------------------------------------------


def changed(path: str, value: str) -> str:
    """Another value of the same kind."""
    name = path.rpartition("@")[2]
    if path == "joint@type":
        return "prismatic" if value in ("revolute", "continuous") else "revolute"
    if name in ("name", "link", "joint", "filename", "type"):
        return f"{value}_changed"
    words = value.split()
    if name == "rgba":
        return " ".join(str(0.5 * float(word) + 0.1 * (k + 1)) for k, word in enumerate(words))
    return " ".join(str(1.3 * float(word) + 0.11 * (k + 1)) for k, word in enumerate(words))


def signature_key(node: Node) -> str:
    """The part of the model that must change with an element; empty if it may be any."""
    owner = node.owner
    if owner.tag == "link":
        return f"link {owner.attributes.get('name')}"
    ends = [one.attributes.get("link") for one in owner.children if one.tag == "child"]
    return f"joint to {ends[0]}" if owner.tag == "joint" and ends else ""


class Examination:
    """One file, read with some options."""

    def __init__(self, path: Path, options: dict[str, Any]) -> None:
        self._options = options
        self.root = parsed(path.read_bytes())
        text = self.root.written()
        self.root = parsed(text.encode())  # so that lines are those of the text that is read
        self.robot = read_urdf(text, **options)
        self._before = signatures(self.robot)
        self._reported = {(one.path, one.line) for one in self.robot.report.entries}

    def _read(self, text: str) -> dict[str, Any]:
        return signatures(read_urdf(text, **self._options))

    def reported(self, node: Node | None, attribute: str = "") -> bool:
        """Whether the report names an attribute, its element, or one around it."""
        if node is None:
            return False
        own = f"{node.path}@{attribute}" if attribute else node.path
        return (own, node.line) in self._reported or self.reported(node if attribute else node.parent)

    def unreported(self) -> list[str]:
        """Everything that neither acts nor is reported."""
        found = [f"<{one.path}> in line {one.line}" for one in self.root.walk() if self._is_lost(one)]
        for path, nodes in self._kinds().items():
            alone = path[-1] in STRUCTURE or nodes[0].owner.tag == "material"
            groups = [[one] for one in nodes[:MOST_SINGLE]] if alone else [nodes]
            for group in groups:
                lost = self._without_effect(group, path[-1])
                lost = self._without_effect(lost, path[-1], sharp=True) if lost else lost
                found += [
                    f"{path[-1]}={one.attributes[path[-1].rpartition('@')[2]]!r} in line {one.line}" for one in lost
                ]
        return found

    def _is_lost(self, node: Node) -> bool:
        """Text, and elements that the specification does not know, must be reported."""
        return (bool(node.text) or node.tag not in SPECIFIED) and not self.reported(node)

    def _kinds(self) -> dict[tuple[str, ...], list[Node]]:
        """Elements with an attribute that is not reported, by the way to it."""
        found: dict[tuple[str, ...], list[Node]] = {}
        for node in self.root.walk():
            for name in node.attributes:
                if not self.reported(node, name):
                    found.setdefault((*node.place(), f"{node.path}@{name}"), []).append(node)
        return found

    def _without_effect(self, nodes: list[Node], path: str, *, sharp: bool = False) -> list[Node]:
        """The elements whose part of the model stays the same when the attribute changes.

        With ``sharp``, inertias differ about all axes before the change; a ball does not show that it is turned.
        """
        name = path.rpartition("@")[2]
        inertias = [one for one in self.root.walk() if one.tag == "inertia"] if sharp else []
        kept = {id(one): dict(one.attributes) for one in (*nodes, *inertias)}
        for one in inertias:
            one.attributes.update(ixx="1.1", iyy="1.3", izz="1.7")
        before = self._read(self.root.written()) if sharp else self._before
        for one in nodes:
            one.attributes[name] = changed(path, one.attributes[name])
        text = self.root.written()
        for one in (*nodes, *inertias):
            one.attributes.update(kept[id(one)])
        try:
            after = self._read(text)
        except MultibodyError:
            return []
        keys = [signature_key(one) for one in nodes]
        return [one for one, key in zip(nodes, keys, strict=True)
                if (after.get(key) == before.get(key) if key else after == before)]  # fmt: skip


def case(seed: int) -> Outcome:
    """One file with one choice of options."""
    path = files()[seed % len(files())]
    options = VARIANTS[seed // len(files()) % len(VARIANTS)]
    what = f"{path.name} {options}"
    log = logging.getLogger("multibody")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        found = Examination(path, options).unreported()
    except MultibodyError as error:
        return Outcome("urdf", seed, REFUSED, what, str(error))
    finally:
        log.setLevel(level)
    return Outcome("urdf", seed, WRONG if found else RIGHT, what, f"{len(found)} unreported: " + "; ".join(found[:40]))
