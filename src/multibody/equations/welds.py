"""Forces through rigid connections: the bodies behind a weld, balanced one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multibody.algebra import ForceMotor, Inertia
from multibody.equations.recursion import at_rest, inertia_force, passed_on
from multibody.model import Body, Joint, Model
from multibody.model.kinematics import ZERO3

if TYPE_CHECKING:
    from multibody.equations.kinetics import Kinetics


def weld_reaction(kinetics: Kinetics, joint: Joint) -> ForceMotor:
    """The force that a weld transmits to its child frame, at that frame's origin and in its axes."""
    model = kinetics.model
    far = bodies_behind(model, joint)
    link, place = model.attachment(joint.child)
    total = ForceMotor(ZERO3, ZERO3)
    motion = kinetics.motions[link] if link >= 0 else at_rest(model)
    for body in far:
        if model.attachments[body][0] == link:
            own = model.attachments[body][1].to_parent(Inertia.rigid_body(body.mass, body.com, body.inertia))
            total = total + inertia_force(own, motion)
    for frame, force in (*kinetics.loads, *kinetics.constraint_forces):
        if frame.body in far and model.attachments[frame.body][0] == link:
            total = total - model.attachment(frame)[1].to_parent(force)
    for child in model.children(link):
        if {child.joint.parent.body, child.joint.child.body} & far and child.joint is not joint:
            pose = child.motion.pose(child.q)
            total = total + passed_on(child, pose, kinetics.transmitted[child.index])
    transmitted = place.to_child(total)
    return transmitted if joint.child.body in far else -transmitted


def bodies_behind(model: Model, joint: Joint) -> set[Body]:
    """All bodies whose way to the world leads through a joint."""
    at: dict[Body, list[Joint]] = {}
    for one in model.joints:
        for body in (one.parent.body, one.child.body):
            at.setdefault(body, []).append(one)
    reached, stack = {model.world}, [model.world]
    while stack:
        for one in at.get(stack.pop(), []):
            for body in (one.parent.body, one.child.body):
                if one is not joint and body not in reached:
                    reached.add(body)
                    stack.append(body)
    return {body for body in model.bodies if body not in reached}
