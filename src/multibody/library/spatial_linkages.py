"""The four-bar mechanism in space of the Modelica Standard Library."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

from multibody.equations import EquationsOfMotion
from multibody.graph import pi
from multibody.library.check import Check
from multibody.library.library_model import BLUE, ORANGE, LibraryModel, one_of
from multibody.library.observe import moved
from multibody.model import Body, Box, Cylinder, DistanceConstraint, Frame, JointSensor, Spherical, System, Universal

CRANK, SLIDER, COUPLER = (0.0, 0.5, 0.1), (0.0, 0.2, 0.0), (-1.0, 0.3, 0.1)
"""From one end of a bar to the other, at the start."""

CUTS = {
    "hinges": ("j4", "j1", "j2", "j3", "j5", "rev", "rev1"), "ball": ("ball", "universal", "j1", "j2"),
    "rod": ("none",),
}  # fmt: skip
"""Joints that may close the loop, for each coupler; the first one does so by default."""


def spatial_four_bar(
    cut: str | None = None, *, coupler: Literal["hinges", "ball", "rod"] = "hinges", density: float = 7700.0,
    diameter: float = 0.05, g: float = 9.80665, speed: float = math.radians(300),
) -> System:  # fmt: skip
    """A crank that turns about x, a slider along x, and a coupler between them (Fourbar1, Fourbar2 of the library).

    Args:
        cut: the joint that closes the loop; by default ``"j4"``, with a ball joint ``"ball"``.
        coupler: how it is held: by ``"hinges"``, three of which make a ball joint (Fourbar1); by a universal joint and
            a ``"ball"`` joint, which is the same; or a massless ``"rod"`` in its place (Fourbar2).
        density: of the steel cylinders, in kg/m³.
        diameter: of the cylinders, in m.
        g: gravity along -y, in m/s².
        speed: of the crank at the start, in rad/s.
    """
    system = System("spatial_four_bar")
    system.parameter("density", density, unit="kg/m^3", description="of the cylinders")
    d = system.parameter("diameter", diameter, unit="m", description="of the cylinders")
    system.gravity = (0, -system.parameter("g", g, unit="m/s^2", description="gravity"), 0)
    one_of(CUTS, coupler, "coupler", system.name)
    closing = one_of(CUTS[coupler], cut or CUTS[coupler][0], "cut", system.name)
    crank, slider = _cylinder(system, "b1", CRANK), _cylinder(system, "b2", SLIDER)
    pin, pivot = crank.frame("pin", CRANK), slider.frame("pivot", SLIDER)
    system.joint("j1", system.world, crank, "Rx", q=0.0, u=speed, cut=closing == "j1" or None)
    rail = system.frame("b0", (1.2, 0, 0))
    system.joint("j2", rail, slider, "Tx", q=-0.2, limits=(-0.6, 0.0), cut=closing == "j2" or None)
    _couple(system, coupler, pin, pivot, closing)
    system.sensor("crank", JointSensor(system["j1"]))
    system.draw(crank, Cylinder(d / 2, colour=BLUE), to=pin, name="crank_shape")
    system.draw(slider, Box(0.1, 0.1, 0.1), name="slider_shape")
    system.draw(slider, Cylinder(d / 2), to=pivot, name="arm_shape")
    system.draw(pivot, Cylinder(d / 2, colour=ORANGE), to=pin, name="coupler_shape")
    return system


def _couple(system: System, coupler: str, pin: Frame, pivot: Frame, closing: str) -> None:
    """What connects the crank's pin with the slider's pivot."""
    if coupler == "rod":
        system.constraint(DistanceConstraint(pivot, pin, math.hypot(*COUPLER)), name="rod")
        return
    body = _cylinder(system, "b3", COUPLER)
    tip = body.frame("tip", COUPLER)
    if coupler == "ball":
        joints: list[tuple[str, Frame, Frame, Any]] = [
            ("universal", pivot, body, Universal("y", "z")), ("ball", pin, tip, Spherical()),
        ]  # fmt: skip
    else:
        ring1, ring2, ring3 = (system.body(f"ring{k}") for k in (1, 2, 3))
        joints = [
            ("rev", pivot, ring1, "Ry"), ("rev1", ring1, body, "Rz"),
            ("j3", pin, ring2, "Rx"), ("j4", ring2, ring3, "Ry"), ("j5", ring3, tip, "Rz"),
        ]  # fmt: skip
    for name, parent, child, kind in joints:
        system.joint(name, parent, child, kind, cut=closing == name or None)


def _cylinder(system: System, name: str, axis: Sequence[float]) -> Body:
    """A cylinder along a vector from its origin, as Modelica's BodyCylinder."""
    diameter, length = system["diameter"].symbols, math.hypot(*axis)
    mass = system["density"].symbols * pi * diameter**2 / 4 * length
    along, across = mass * diameter**2 / 8, mass * (length**2 / 12 + diameter**2 / 16)
    e = [x / length for x in axis]
    tensor = [[int(i == j) * across + (along - across) * (e[i] * e[j]) for j in range(3)] for i in range(3)]
    return system.body(name, mass, [x / 2 for x in axis], tensor)


# numbers -------------------------------------------------------------------------------------------------------------


def _at(eom: EquationsOfMotion, t: float, name: str) -> float:
    return float(moved(eom, t)[name][-1])


def _start(eom: EquationsOfMotion, name: str) -> float:
    return eom.consistent()[name]


MODELICA = "Modelica Standard Library, MultiBody.Examples.Loops.Fourbar1"
RESULTS = f"{MODELICA}, reference results (Dymola, DASSL at 1e-6)"
RECOMPUTED = "recomputed with SciPy at 1e-11"

SPATIAL_FOUR_BAR = LibraryModel(
    "spatial_four_bar",
    "Spatial four-bar mechanism",
    "Crank, coupler and slider in space; the crank starts with 300 degrees per second and nothing brakes it.",
    f"{MODELICA}; Zaiczek and Enge-Rosenblatt, Motor Calculus Using Modelica, section 4.3",
    spatial_four_bar,
    (
        Check("speed of the slider at the start", -0.10471976, MODELICA, 5e-8, lambda eom: _start(eom, "j2_dot"),
              "m/s"),
        Check("speed of the hinge rev at the start", 2.61799388, MODELICA, 1e-8, lambda eom: _start(eom, "rev_dot"),
              "rad/s"),
        Check("angle of the crank at t = 1 s", 7.8021338307, RESULTS, 1e-5, lambda eom: _at(eom, 1.0, "j1"), "rad"),
        Check("angle of the crank at t = 5 s", 40.3282362223, RESULTS, 4e-5, lambda eom: _at(eom, 5.0, "j1"), "rad"),
        Check("angle of the crank at t = 5 s", 40.3291654622, RECOMPUTED, 1e-11, lambda eom: _at(eom, 5.0, "j1"),
              "rad"),
        Check("place of the slider at t = 5 s", -0.4215266380, RECOMPUTED, 1e-9, lambda eom: _at(eom, 5.0, "j2"), "m"),
    ),
)  # fmt: skip
