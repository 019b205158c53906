"""Accelerations that were said in SymPy, beside velocities.

SymPy takes F_r* from the acceleration that was set for a centre of mass, if one was, whatever the velocity says. What
``a2pt_theory`` sets holds for two points of one body; a point of contact, which moves on, is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from multibody.compat.sympy.geometry import Geometry
from multibody.compat.sympy.kinematics import Kinematics
from multibody.errors import ModelError
from multibody.graph import same


def require_rates_of_velocities(kinematics: Kinematics, world: Any, bodies: Iterable[Any]) -> None:
    """An error if an acceleration that was set in the world is not the rate of the velocity."""
    said = list(_said(world, bodies))
    if not said:
        return
    geometry = Geometry(world, kinematics.with_accelerations())
    for thing, acceleration in said:
        velocity = geometry.velocity(thing) if hasattr(thing, "vel") else geometry.angular_velocity(thing)
        follows = kinematics.change(list(velocity))
        if not all(map(same, geometry.vector(acceleration), follows)):
            raise ModelError(
                f"The acceleration of '{thing}' that was set in '{world}' is not the rate of its velocity.",
                where=f"model '{kinematics.vocabulary.scope}'",
                cause="a2pt_theory holds for two points of one body; a point of contact, which moves on, is none.",
                remedy="Do not set accelerations: they follow from the velocities.",
            )


def _said(world: Any, bodies: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """Points and frames of bodies with their accelerations, where these were set in the world."""
    for body in bodies:
        point, frame = body.masscenter, getattr(body, "frame", None)
        if world in point._acc_dict:
            yield point, point._acc_dict[world]
        if frame is not None and world in frame._ang_acc_dict:
            yield frame, frame._ang_acc_dict[world]
