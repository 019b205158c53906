"""Membership: loads, sensors and constraints refer to frames and joints of one system; frames in use of a body."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from multibody.errors import ModelError
from multibody.model.body import Body, Frame
from multibody.model.constraints import Constraint
from multibody.model.description import Description
from multibody.model.joint import Joint
from multibody.model.loads.contract import Load
from multibody.model.loops import ExplicitLoop
from multibody.model.model import Model
from multibody.model.sensors.contract import Sensor


def require_part(system: Description, thing: Any, kind: type[Any], label: str) -> None:
    """An error unless ``thing`` is a load, sensor or constraint that looks only at frames and joints of this system."""
    where = f"{label} of system '{system.name}'"
    if not isinstance(thing, kind):
        raise ModelError(
            f"{thing!r} is not a {kind.__name__.lower()}.",
            code="element-of-other-kind",
            where=where,
            remedy=f"Give an object such as {_EXAMPLES[kind]}.",
        )
    for part in thing.touches:
        if not isinstance(part, Frame | Joint) or not _belongs(system, part):
            raise ModelError(
                f"{part!r} is not a body, frame or joint of this system.",
                code="element-not-in-system",
                where=f"{where}: {type(thing).__name__}",
                cause="It is None, a name instead of an object, or it belongs to another system.",
                remedy="Use what body(), body.frame(), joint() and system.world of this system return.",
            )


_EXAMPLES: dict[type, str] = {
    Load: "Spring(a, b, stiffness=k)", Sensor: "Distance(a, b)", Constraint: "FrameConstraint(a, b, translation='xyz')",
    ExplicitLoop: "FourBar(a, b)",
}  # fmt: skip


def _belongs(system: Description, part: Frame | Joint) -> bool:
    frame = part.child if isinstance(part, Joint) else part
    return frame._system is system


def joint_frames(model: Model, body: Body) -> list[Frame]:
    """The frames of a body that joints, constraints and loads use."""
    return [frame for frame in _frames_in_use(model.unreduced or model) if frame.body is body]


def _frames_in_use(model: Model) -> Iterator[Frame]:
    for joint in (*model.joints, *model.cuts):
        yield from (joint.parent, joint.child)
    for part in (*model.constraints.values(), *model.loads.values()):
        yield from (frame for frame in part.touches if isinstance(frame, Frame))
