"""``read_urdf``: a robot's description becomes a system, with everything that the file says beside mechanics."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal

from multibody.errors import ModelError
from multibody.graph import Symbol
from multibody.io.meshes import MeshFolder
from multibody.io.urdf.build import Options, SystemBuilder
from multibody.io.urdf.couplings import couplings, impose, named, start_values
from multibody.io.urdf.joint_loads import Driven, apply_dynamics, drive as add_efforts
from multibody.io.urdf.locked_joints import Wanted, locked as with_locked
from multibody.io.urdf.names import identifier
from multibody.io.urdf.reader import robot_data
from multibody.io.urdf.report import UrdfReport
from multibody.io.urdf.robot_data import JointData, Limits, LinkShape, Mimic, RobotData
from multibody.io.urdf.rotation import Rotations
from multibody.io.urdf.structure import root_and_joints
from multibody.io.urdf.unused_elements import Choices, unused_parts
from multibody.io.xml_text import Source, folder_of, read_xml
from multibody.model import Frame, Joint, System
from multibody.model.shapes.colors import Colour
from multibody.support.text_tables import counted

_log = logging.getLogger("multibody")


@dataclass(frozen=True, eq=False)
class UrdfRobot:
    """A robot from a URDF file. Tables are by the names in the system, which are the file's wherever that is possible.

    Attributes:
        system: bodies, frames and joints, ready for loads and sensors; gravity is set.
        name: of the robot, as in the file.
        joints: the joints that move, in the order of the file; coordinates and speeds of the system follow it, after
            those of a floating root.
        visuals: what each link looks like; ``system[name]`` is the link's frame.
        collisions: the shapes that each link collides with.
        limits: of joints that have some.
        damping: viscous, in N·m·s/rad or N·s/m; a load of the system unless ``dynamics="ignore"`` was given.
        friction: Coulomb friction, in N·m or N; likewise.
        efforts: the inputs that drive joints, by the names of the joints; see ``drive``.
        mimic: couplings between joints, imposed or not.
        messages: what was missing or odd in the file and how it was handled, in plain sentences.
        originals: the file's name of each link and joint.
        links: the frame of each link, by the file's name.
        report: every element and attribute of the file that is not used, or does not act on the motion.
    """

    system: System
    name: str
    joints: tuple[str, ...]
    visuals: Mapping[str, tuple[LinkShape, ...]]
    collisions: Mapping[str, tuple[LinkShape, ...]]
    limits: Mapping[str, Limits]
    damping: Mapping[str, float]
    friction: Mapping[str, float]
    mimic: Mapping[str, Mimic]
    messages: tuple[str, ...]
    originals: Mapping[str, str]
    links: Mapping[str, Frame]
    efforts: Mapping[str, Symbol]
    report: UrdfReport

    def frame(self, link: str) -> Frame:
        """The frame of a link, by the file's name or the system's; it is a ``Body`` if the link is one."""
        found = self.links.get(link) or next((f for f in self.links.values() if f.name == link), None)
        if found is None:
            raise ModelError(
                f"There is no link '{link}'.",
                where=f"robot '{self.name}'",
                cause=_known(self.links),
                code="name-unknown",
                name=link,
            )
        return found

    def joint(self, name: str) -> Joint:
        """A joint, by the file's name or the system's."""
        joints = {joint.name: joint for joint in self.system.all(Joint)}
        for known, joint in joints.items():
            if self.originals.get(known) == name:
                return joint
        if name not in joints:
            raise ModelError(
                f"There is no joint '{name}'.",
                where=f"robot '{self.name}'",
                cause=_known(joints),
                code="name-unknown",
                name=name,
            )
        return joints[name]

    def __str__(self) -> str:
        title = f"{self.name}: {counted(len(self.links), 'link')}, {counted(len(self.joints), 'moving joint')}"
        return "\n".join([title, *(f"  {line}" for line in (*self.messages, *self.report.lines()))])


def read_urdf(
    source: Source,
    *,
    name: str | None = None,
    floating: bool = False,
    fixed: Literal["merge", "keep"] = "merge",
    mimic: Literal["independent", "couple"] = "independent",
    locked: Wanted = (),
    numbers: Literal["constants", "parameters"] = "constants",
    snap: float | None = None,
    mesh_root: str | os.PathLike[str] | None = None,
    gravity: Any = (0, 0, -9.81),
    dynamics: Literal["apply", "ignore"] = "apply",
    smoothing: Any = 1e-3,
    drive: Driven = False,
) -> UrdfRobot:
    """A robot from a URDF file.

    Files that are only odd are read, and ``messages`` says what was odd; files without a meaning are refused.
    ``report`` lists every element and attribute that is not used, or does not act on the motion; one warning in the
    log sums it up. The file is not trusted: XML with a DOCTYPE is refused, and no file is touched outside
    ``mesh_root``.

    Args:
        source: the path of a file, or the XML itself.
        name: of the system; by default that of the robot.
        floating: whether the root link moves freely, by a ``Free()`` joint ``root_joint``; otherwise it is welded to
            the world. A root link called ``world`` is the world.
        fixed: ``"merge"`` makes a frame of a link that is fixed to its parent and has no mass, ``"keep"`` a body. A
            fixed link with mass is a body with a ``Weld()`` in either case; the model makes one rigid link of them.
        mimic: ``"independent"`` gives joints that follow another one a coordinate of their own; ``"couple"`` lets them
            follow, so that they have none. The couplings are in ``UrdfRobot.mimic`` in either case.
        locked: joints that are held fast, by the file's names: ``["finger"]`` at zero, or ``{"finger": 0.02}`` at a
            coordinate in rad or m. With ``mimic="couple"``, joints that follow them are held, too.
        numbers: ``"constants"`` puts the file's numbers into the equations, which makes them short; ``"parameters"``
            makes mass, centre of mass and inertia of each link parameters, ``arm_mass``, ``arm_com``, ``arm_inertia``.
        snap: an angle in radians; rotations and axes that are so close to right angles become exactly that. For files
            with angles such as 1.5708, use 1e-5.
        mesh_root: the folder below which meshes and textures are looked for: ``package://robot/arm.stl`` is
            ``robot/arm.stl`` or ``arm.stl`` in it, and ``../meshes/arm.stl`` is seen from the folder of the file.
        gravity: acceleration of free fall.
        dynamics: ``"apply"`` puts damping and friction of the file on the joints: the effort
            -damping·u - friction·tanh(u/smoothing), with u the speed of the joint. ``"ignore"`` leaves them out.
        smoothing: the speed in rad/s or m/s over which the jump of Coulomb friction at rest is drawn out. Below it a
            joint creeps instead of sticking; smaller values stick better, and make runs slower.
        drive: whether joints get an effort as input: ``True`` for all joints with one coordinate, or names of joints,
            as in the file. The input of ``elbow`` is ``elbow_effort``; it is zero unless a run gives it a value, and
            runs hold it within the effort limit of the file.

    Example:
        >>> robot = read_urdf('''
        ...     <robot name="pendulum">
        ...       <link name="base"/>
        ...       <link name="bob"><inertial><origin xyz="0 0 -1"/><mass value="2"/>
        ...         <inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial></link>
        ...       <joint name="hinge" type="continuous">
        ...         <parent link="base"/><child link="bob"/><axis xyz="0 1 0"/></joint>
        ...     </robot>''')
        >>> robot.system.freeze().coordinates, robot.joints
        ((hinge,), ('hinge',))
        >>> robot.messages
        ("Without inertial, and so without mass: 'base'.",)
    """
    _require(fixed=(fixed, ("merge", "keep")), mimic=(mimic, ("independent", "couple")),
             numbers=(numbers, ("constants", "parameters")), dynamics=(dynamics, ("apply", "ignore")))  # fmt: skip
    rotations, document = Rotations(snap), read_xml(source)
    meshes = MeshFolder(mesh_root, folder_of(source))
    written, shapes = robot_data(document, meshes)
    odd = list(written.messages)
    data = with_locked(written, locked, coupled=mimic == "couple")
    root, order = root_and_joints(data)
    leaders = couplings(data, odd)
    messages = [*data.messages, *odd[len(written.messages) :]]
    system = System(identifier(data.name, "robot") if name is None else name, gravity)
    builder = SystemBuilder(data, system, rotations, Options(floating, fixed, numbers))
    builder.build(root, order, start_values(data, leaders))
    odd += builder.messages
    messages += [*builder.messages, *builder.notes, *_massless(data, root, order, floating=floating)]
    coupled = named(data, leaders, builder.joints, mimic, messages)
    if mimic == "couple":
        impose(system, coupled)
    if dynamics == "apply":
        apply_dynamics(system, data, builder, smoothing, parameters=numbers == "parameters")
    driven = add_efforts(system, data, builder, drive, leaders if mimic == "couple" else ())
    _draw(system, data, builder)
    messages += [*builder.names.messages(), *rotations.messages(), *meshes.messages()]
    choices = Choices(floating, mimic == "couple", dynamics == "apply", root, leaders, driven, builder.joints)
    report = UrdfReport(data.name, unused_parts(document, data, shapes, choices))
    _tell(data.name, odd, report)
    return _robot(data, builder, system, coupled, driven, messages, report)


def _tell(robot: str, odd: list[str], report: UrdfReport) -> None:
    """One warning in the log: what was odd in the file and had to be read in some way, and what is not used."""
    first = odd[0].rstrip(".") if odd else ""
    others = f" (and {len(odd) - 1} more in robot.messages)" if len(odd) > 1 else ""
    told = [f"odd: {first}{others}"] if odd else []
    told += [report.summary()] if report else []
    if told:
        remedy = "For all places, print(robot.report), or run: multibody check FILE."
        _log.warning("robot '%s': %s. %s", robot, "; ".join(told), remedy)


def _draw(system: System, data: RobotData, builder: SystemBuilder) -> None:
    """What links look like becomes what the system looks like."""
    for link in data.links.values():
        for visual in link.visuals:
            shape = replace(visual.geometry, colour=_visible(visual.colour))
            system.draw(builder.frames[link.name], shape, position=visual.pose.xyz, rotation=visual.pose.rotation)


def _visible(rgba: tuple[float, ...] | None) -> Colour | None:
    """A colour of the file, brought into its range."""
    if rgba is None:
        return None
    red, green, blue, opacity = (min(max(channel, 0.0), 1.0) for channel in rgba)
    return red, green, blue, opacity


def _robot(
    data: RobotData, builder: SystemBuilder, system: System, coupled: dict[str, Mimic],
    driven: Mapping[JointData, Symbol], messages: list[str], report: UrdfReport,
) -> UrdfRobot:  # fmt: skip
    frames, names = builder.frames, builder.joints
    moving = [(names[joint], joint) for joint in data.joints if not joint.fixed]
    links = list(data.links.values())
    return UrdfRobot(
        system=system,
        name=data.name,
        joints=tuple(name for name, _ in moving),
        visuals=MappingProxyType({frames[link.name].name: link.visuals for link in links if link.visuals}),
        collisions=MappingProxyType({frames[link.name].name: link.collisions for link in links if link.collisions}),
        limits=MappingProxyType({name: joint.limits for name, joint in moving if joint.limits is not None}),
        damping=MappingProxyType({name: joint.damping for name, joint in moving if joint.damping is not None}),
        friction=MappingProxyType({name: joint.friction for name, joint in moving if joint.friction is not None}),
        mimic=MappingProxyType(coupled),
        messages=tuple(messages),
        originals=MappingProxyType(dict(builder.names.originals)),
        links=MappingProxyType(dict(frames)),
        efforts=MappingProxyType({names[joint]: symbol for joint, symbol in driven.items()}),
        report=report,
    )


def _massless(data: RobotData, root: str, order: Sequence[JointData], *, floating: bool) -> list[str]:
    """Links without mass, and joints that move no mass at all."""
    heavy = {name for name, link in data.links.items() if not link.massless}
    for joint in reversed(order):
        if joint.child in heavy:
            heavy.add(joint.parent)
    stuck = [joint.name for joint in order if not joint.fixed and joint.child not in heavy]
    stuck += ["root_joint"] if floating and root not in heavy else []
    found = []
    massless = {"world"} if root == "world" and not floating else set()  # the world needs no mass
    if bare := [name for name, link in data.links.items() if link.inertial is None and name not in massless]:
        found.append(f"Without inertial, and so without mass: {', '.join(map(repr, bare))}.")
    if empty := [name for name, link in data.links.items() if link.inertial is not None and link.massless]:
        found.append(f"With an inertial of mass and inertia zero: {', '.join(map(repr, empty))}.")
    if stuck:
        found.append(
            f"Nothing with mass moves with {', '.join(map(repr, stuck))}: their accelerations are not determined. "
            "Give their links mass, or hold them fast: read_urdf(…, locked=[…])."
        )
    return found


def _require(**choices: tuple[Any, tuple[str, ...]]) -> None:
    for option, (given, allowed) in choices.items():
        if given not in allowed:
            raise ModelError(
                f"{option}={given!r} is not a choice.",
                remedy=f"Use {' or '.join(map(repr, allowed))}.",
                code="option-unknown",
                name=option,
            )


def _known(names: Mapping[str, Any]) -> str:
    return f"There are: {', '.join(names)}."[:1000]
