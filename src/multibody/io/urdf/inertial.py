"""Mass, centre of mass and inertia of a link, in the axes of the link, as constants or as parameters."""

from __future__ import annotations

from typing import Any, NamedTuple

from multibody.algebra import Symmetric3, Vec3
from multibody.io.urdf.names import Names
from multibody.io.urdf.robot_data import LinkData
from multibody.io.urdf.rotation import Rotations
from multibody.model import System


class MassProperties(NamedTuple):
    """What ``System.body`` needs: the inertia is about the centre of mass."""

    mass: Any
    com: Any
    inertia: Any


NOTHING = MassProperties(0, (0, 0, 0), (0, 0, 0))


def mass_properties(link: LinkData, rotations: Rotations) -> MassProperties:
    """The numbers of the file, turned exactly into the link's axes."""
    if link.inertial is None or link.massless:
        return NOTHING
    turn = rotations.rotation(link.inertial.pose, counts=False)
    tensor = turn.turn_symmetric(Symmetric3(*link.inertial.tensor).symbolic())
    return MassProperties(link.inertial.mass, Vec3(*link.inertial.pose.xyz), tensor)


def as_parameters(given: MassProperties, name: str, system: System, names: Names) -> MassProperties:
    """The same as parameters of the system, with the numbers as defaults."""
    i = given.inertia

    def parameter(what: str, default: Any, unit: str, description: str) -> Any:
        return system.parameter(
            names.helper(f"{name}_{what}"), default, unit=unit, description=f"{description} of {name}"
        )

    return MassProperties(
        parameter("mass", given.mass, "kg", "mass"),
        list(parameter("com", list(given.com), "m", "centre of mass")),
        parameter("inertia", [i.xx, i.xy, i.yy, i.xz, i.yz, i.zz], "kg*m^2", "inertia about the centre of mass"),
    )
