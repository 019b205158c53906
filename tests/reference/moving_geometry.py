"""Models whose geometry or inertia changes while they move: refused, where the same with a parameter is accepted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import multibody as mb
from multibody.graph import sin
from multibody.testing import random_tree

from .case import RIGHT, WRONG, Outcome, Refused, generator, result_of

BATTERY = "moving_geometry"


def hung(system: mb.System, frame: Any = None, kind: Any = "Ry", **inertia: Any) -> Any:
    """A further body on the tree."""
    body = system.body("extra", **({"mass": 1.0, "com": (0.1, 0.2, -1.0), "inertia": (0.3, 0.4, 0.5)} | inertia))
    return system.joint("extra_joint", system["b1"] if frame is None else frame, body, kind)


def _free(system: mb.System) -> Any:
    return hung(system, system.world, mb.Free("xyz")).child


PLACES: dict[str, Callable[[mb.System, Any], Any]] = {
    "frame": lambda s, x: hung(s, s["b1"].frame("f", (x, 0.1, 0))),
    "frame in the world": lambda s, x: hung(s, s.frame("f", (0.2, 0, x))),
    "frame on a frame": lambda s, x: hung(s, s["b1"].frame("f", (0, x, 0)).frame("g", (1, 0, 0))),
    "unused frame": lambda s, x: (hung(s), s["b1"].frame("f", (x, x, 0))),
    "child frame": lambda s, x: s.joint("j", s["b1"], s.body("c", 1, (0, 0, 1), (1, 1, 1)).frame("f", (0, 0, x)), "Rx"),
    "rotation": lambda s, x: hung(s, s["b1"].frame("f", (0, 0, 1), mb.Rotation.about_x(x))),
    "rotation about an axis": lambda s, x: hung(s, s["b1"].frame("f", (0, 0, 1), mb.Rotation.about((1, 2, 3), x))),
    "center of mass": lambda s, x: hung(s, com=(0, 0, x)),
    "mass": lambda s, x: hung(s, mass=2 + x),
    "inertia": lambda s, x: hung(s, inertia=(2 + x, 2, 2)),
    "product of inertia": lambda s, x: hung(s, inertia=((2, x / 9, 0), (x / 9, 2, 0), (0, 0, 2))),
    "inertia about a point": lambda s, x: hung(s, inertia=(9, 9, 9), about=(0, x / 9, 0)),
    "pitch": lambda s, x: hung(s, kind=mb.Screw("z", x)),
    "pitch of a given motion": lambda s, x: (hung(s), s.joint(
        "turn", s["extra"], s.body("nut", 1, (0, 0, 1), (1, 1, 1)), mb.Screw("z", x), prescribed=s.time**2)),
    "axis of a hinge": lambda s, x: hung(s, kind=mb.Revolute((x, 1, 0.5))),
    "axis of a slider": lambda s, x: hung(s, kind=mb.Prismatic((0.5, x, 1))),
    "axis of a cylinder": lambda s, x: hung(s, kind=mb.Cylindrical((1, 0.5, x))),
    "weld": lambda s, x: s.joint("w", s["b1"].frame("f", (x, 0, 0)), s.body("c", 1), mb.Weld()),
    "end of a spring": lambda s, x: (hung(s), s.load(mb.Spring(s.frame("f", (x, 0, 5)), s["extra"], 3.0))),
    "end of a rod": lambda s, x: s.constraint(mb.DistanceConstraint(s.frame("f", (x, 0, 5)), _free(s), 4.0)),
    "plane": lambda s, x: s.constraint(mb.PointOnPlane(s.world, _free(s), (x, 0.2, 1))),
    "axis of a wheel": lambda s, x: s.constraint(mb.RollingDisc(s.world, _free(s), 0.5, (x, 1, 0))),
    "radius of a ball": lambda s, x: s.constraint(mb.RollingSphere(s.world, _free(s), 2 + x)),
}  # fmt: skip
"""Where an expression can enter geometry or inertia."""

FOLLOWED: dict[str, Callable[[mb.System], Any]] = {
    "time": lambda s: sin(3 * s.time),
    "an input": lambda s: s.input("moved"),
    "a coordinate": lambda s: next(s.all(mb.Joint)).coordinates[0],
    "a speed": lambda s: next(s.all(mb.Joint)).speeds[0],
    "time and a parameter": lambda s: s.parameter("amplitude", 0.2) * sin(s.time),
}


def derived(seed: int, size: int, place: str, follow: Callable[[mb.System], Any], as_file: bool) -> Any:
    """Equations of a random tree with an expression in one place."""
    hinges = [lambda rng: str(rng.choice(["Rx", "Ry", "Tz"]))]
    system = random_tree(seed, size, hinges)
    PLACES[place](system, follow(system))
    return mb.derive(mb.read_model(mb.model_text(system)) if as_file else system)


def case(seed: int) -> Outcome:
    """One place: a parameter there is accepted, something that changes is refused; also in a model file."""
    rng = generator(BATTERY, seed)
    place = list(PLACES)[seed % len(PLACES)]
    followed, size, as_file = str(rng.choice(list(FOLLOWED))), int(rng.integers(1, 4)), bool(rng.integers(2))
    what = f"{place} that follows {followed}{' in a file' if as_file else ''}"
    try:
        result_of(derived, seed, size, place, lambda s: s.parameter("held", 0.3), as_file)
    except Refused as error:
        return Outcome(BATTERY, seed, WRONG, what, f"a parameter is refused: {error}")
    try:
        result_of(derived, seed, size, place, FOLLOWED[followed], as_file)
    except Refused as error:
        unknown = "ModelFileError" in str(error) and "is unknown" in str(error)  # in files, joints come after bodies
        told = ("depends on" in str(error) and "ModelError" in str(error)) or unknown
        return Outcome(BATTERY, seed, RIGHT if told else WRONG, what, "" if told else str(error))
    return Outcome(BATTERY, seed, WRONG, what, "accepted")
