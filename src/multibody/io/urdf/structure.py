"""Whether links and joints make a tree, and in which order to walk it."""

from __future__ import annotations

from collections.abc import Container, Sequence
from difflib import get_close_matches

from multibody.errors import TopologyError
from multibody.io.urdf.robot_data import JointData, RobotData


def root_and_joints(robot: RobotData) -> tuple[str, list[JointData]]:
    """The root link, and the joints in an order in which parents come first; an error if the links are no tree."""
    above: dict[str, JointData] = {}
    below: dict[str, list[JointData]] = {}
    for joint in robot.joints:
        _require_links(robot, joint)
        if joint.child in above:
            raise _two_parents(robot, above[joint.child], joint)
        above[joint.child] = joint
        below.setdefault(joint.parent, []).append(joint)
    root = _root(robot, above)
    order: list[JointData] = []
    stack = [root]
    while stack:
        carried = below.get(stack.pop(), [])
        order += carried
        stack += [joint.child for joint in reversed(carried)]
    if len(order) < len(robot.joints):
        reached = {joint.child for joint in order}
        raise _loop(robot, [joint for joint in robot.joints if joint.child not in reached])
    return root, order


def _require_links(robot: RobotData, joint: JointData) -> None:
    for link in (joint.parent, joint.child):
        if link not in robot.links:
            near = get_close_matches(link, robot.links, n=1)
            raise TopologyError(
                f"The joint '{joint.name}' leads to the link '{link}', which does not exist.",
                where=_place(robot, joint),
                cause=f"Perhaps '{near[0]}' is meant." if near else "A name is misspelled, or the link is missing.",
                remedy="Add the link, or correct the name.",
                code="urdf-link-missing",
                name=link,
            )
    if joint.parent == joint.child:
        raise TopologyError(
            f"The joint '{joint.name}' connects the link '{joint.child}' to itself.",
            where=_place(robot, joint),
            remedy="Name two different links as parent and child.",
            code="urdf-joint-to-itself",
            name=joint.name,
        )


def _two_parents(robot: RobotData, one: JointData, other: JointData) -> TopologyError:
    return TopologyError(
        f"The link '{one.child}' is the child of two joints, '{one.name}' and '{other.name}'.",
        where=f"{_place(robot, one)} and line {other.line}",
        cause="The mechanism has a closed loop, which URDF cannot describe, or a joint was copied.",
        remedy="Remove one of the joints; close a loop in the System that comes out.",
        code="urdf-link-with-two-parents",
        names=[one.name, other.name],
    )


def _root(robot: RobotData, above: Container[str]) -> str:
    roots = [name for name in robot.links if name not in above]
    if not roots:
        raise _loop(robot, robot.joints)
    if len(roots) > 1:
        raise TopologyError(
            f"The robot has {len(roots)} root links: {', '.join(map(repr, roots[:20]))}.",
            where=robot.source,
            cause="No joint has them as child: a joint is missing, or links are left over.",
            remedy="Connect them by joints (of type fixed, if they do not move), or remove them.",
            code="urdf-several-roots",
            names=roots[:20],
        )
    return roots[0]


def _loop(robot: RobotData, joints: Sequence[JointData]) -> TopologyError:
    names = ", ".join(repr(joint.name) for joint in joints[:20])
    return TopologyError(
        f"The joints {names} form a circle without a root link.",
        where=robot.source,
        cause="Each link in the circle is the child of another one.",
        remedy="Remove one joint of the circle, or exchange its parent and child.",
        code="urdf-joints-circular",
        names=[joint.name for joint in joints[:20]],
    )


def _place(robot: RobotData, joint: JointData) -> str:
    return f"{robot.source}, line {joint.line}"
