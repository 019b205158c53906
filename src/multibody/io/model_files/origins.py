"""What bodies and frames were made with, as long as they are still what was made."""

from __future__ import annotations

from typing import Any

from multibody.algebra import Transform, Vec3
from multibody.graph import as_expr
from multibody.model import Body, Frame
from multibody.model.body import as_inertia, as_rotation
from multibody.model.given import given_to
from multibody.model.quantity import Parameter, with_symmetric_parameters


def body_arguments(body: Body) -> dict[str, Any]:
    """What a body was made with; what it is now, if it has been changed since."""
    given = given_to(body) or {}
    kept: dict[str, Any] = {key: given[key] for key in ("mass", "com", "inertia", "about") if key in given}
    com = Vec3.from_any(kept.get("com", (0, 0, 0))).symbolic()
    mass = as_expr(kept.get("mass", 0))
    written, _ = with_symmetric_parameters(kept.get("inertia", (0, 0, 0)), body._system.all(Parameter))
    inertia = as_inertia(written, mass, com, kept.get("about", "com"), body.name)
    if _same([mass, *com, *inertia.components()], [body.mass, *body.com, *body.inertia.components()]):
        return kept
    return {"mass": body.mass, "com": body.com, "inertia": body.inertia}


def frame_arguments(frame: Frame) -> dict[str, Any]:
    """What a frame was made with, on the frame ``self``; where it is on its body, if it has been moved since."""
    given = given_to(frame)
    if given is not None:
        position = Vec3.from_any(given.get("position", (0, 0, 0))).symbolic()
        pose = given["self"].pose @ Transform(as_rotation(given.get("rotation"), frame.name), position)
        if _same(_components(pose), _components(frame.pose)):
            return given
    return {"self": frame.body, "position": frame.pose.position, "rotation": frame.pose.rotation}


def _components(pose: Transform) -> list[Any]:
    return [*pose.rotation.to_matrix().components(), *pose.position]


def _same(some: list[Any], others: list[Any]) -> bool:
    return all(as_expr(a).fp == as_expr(b).fp for a, b in zip(some, others, strict=True))
