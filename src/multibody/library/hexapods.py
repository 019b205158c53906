"""A platform on six legs."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.library.check import Check
from multibody.library.library_model import BLUE, GREY, LibraryModel
from multibody.library.observe import at_state, measured
from multibody.linearization import equilibrium
from multibody.model import (
    Body,
    Cylinder,
    Frame,
    Free,
    JointLoad,
    JointSensor,
    Position,
    Spherical,
    System,
    Universal,
)

FOOT, HEAD = 20, 10
"""Degrees from the nearest multiple of 60 at which legs stand on the ground and meet the platform, to both sides."""


def stewart_platform(
    *, base: float = 1.0, top: float = 0.6, height: float = 1.0, mass: float = 50.0, tube: float = 3.0,
    rod: float = 2.0, g: float = 9.81,
) -> System:  # fmt: skip
    """A platform on six legs, each with a universal joint on the ground, a driven slider and a ball joint.

    Args:
        base: radius of the circle on which the legs stand, in m.
        top: radius of the circle on which they meet the platform, in m.
        height: of the platform at the start, in m.
        mass: of the platform, in kg.
        tube: mass of the lower part of a leg, 0.3 m from its foot, in kg.
        rod: mass of the upper part of a leg, 0.3 m from its head, in kg.
        g: gravity along -z, in m/s².
    """
    system = System("stewart")
    R = system.parameter("base", base, unit="m", description="radius of the circle of feet")
    r = system.parameter("top", top, unit="m", description="radius of the circle of heads")
    m = system.parameter("mass", mass, unit="kg", description="mass of the platform")
    m_tube = system.parameter("tube", tube, unit="kg", description="mass of the lower part of a leg")
    m_rod = system.parameter("rod", rod, unit="kg", description="mass of the upper part of a leg")
    system.gravity = (0, 0, -system.parameter("g", g, unit="m/s^2", description="gravity"))
    platform = system.body("platform", m, (0, 0, 0.05), (m * 0.06, m * 0.06, m * 0.1))
    system.joint("motion", system.world, platform, Free(), q=(0, 0, height, 1, 0, 0, 0), cut=False)
    for k in range(6):
        low, high = _directions(k)
        foot = system.frame(f"foot{k}", (R * low[0], R * low[1], 0))
        head = platform.frame(f"head{k}", (r * high[0], r * high[1], 0))
        way = top * high - base * low
        lower = system.body(f"tube{k}", m_tube, (0, 0, 0.3), (0.1, 0.1, 0.01))
        upper = system.body(f"rod{k}", m_rod, (0, 0, -0.3), (0.1, 0.1, 0.01))
        _leg(system, k, (foot, lower, upper, head), (float(way[0]), float(way[1]), height))
    system.sensor("centre", Position(platform))
    system.draw(platform, Cylinder(r, 0.05, colour=BLUE), name="plate")
    return system


def _directions(k: int) -> tuple[np.ndarray, np.ndarray]:
    """Of a leg's foot and head from the centre."""
    low, high = (math.radians(60 * k + side * (-1) ** k) for side in (FOOT, HEAD))
    return np.array([math.cos(low), math.sin(low), 0]), np.array([math.cos(high), math.sin(high), 0])


def _leg(system: System, k: int, parts: tuple[Frame, Body, Body, Frame], way: tuple[float, float, float]) -> None:
    """A leg from foot to head: turned about x, then about y, until its z axis points along ``way``."""
    (foot, tube, rod, head), (dx, dy, dz) = parts, way
    first, second, length = math.atan2(-dy, dz), math.atan2(dx, math.hypot(dy, dz)), math.hypot(dx, dy, dz)
    system.joint(f"universal{k}", foot, tube, Universal("x", "y"), q=(first, second))
    slide = system.joint(f"slide{k}", tube, rod, "Tz", q=length, limits=(0.6 * length, 1.4 * length))
    system.joint(f"ball{k}", rod, head, Spherical(), cut=True)
    force = system.input(f"force{k}", unit="N", description=f"thrust of leg {k}", slider=(-500.0, 500.0))
    system.load(JointLoad(slide, force), name=f"drive{k}")
    system.sensor(f"leg{k}", JointSensor(slide))
    system.draw(tube, Cylinder(0.03, 0.6, colour=GREY), position=(0, 0, 0.3), name=f"tube_shape{k}")
    system.draw(rod, Cylinder(0.02, 0.6), position=(0, 0, -0.3), name=f"rod_shape{k}")


# numbers -------------------------------------------------------------------------------------------------------------

SHIFT, TURN = np.array([0.1, -0.05, 1.1]), 0.2
"""A pose: a place of the platform, and a turn about the vertical."""


def _inverse_kinematics(k: int) -> float:
    """The length of a leg, from foot to head."""
    low, high = _directions(k)
    c, s = math.cos(TURN), math.sin(TURN)
    turned = np.array([c * high[0] - s * high[1], s * high[0] + c * high[1], 0])
    return float(np.linalg.norm(SHIFT + 0.6 * turned - 1.0 * low))


def _length(eom: EquationsOfMotion, k: int) -> float:
    pose = (*SHIFT, math.cos(TURN / 2), 0.0, 0.0, math.sin(TURN / 2))
    names = [coordinate.name for coordinate in eom.coordinates if coordinate.name.startswith("motion")]
    return float(measured(eom, at_state(eom, dict(zip(names, pose, strict=True))), f"leg{k}")[0])


def _thrust() -> float:
    """6·F·dl/dz = dV/dz with the weights of the legs at 0.3 m from their ends."""
    low, high = _directions(0)
    offset = float(np.linalg.norm(0.6 * high - low))
    length = math.hypot(1.0, offset)
    lifted = 50.0 + 6 * 2.0 + 6 * (3.0 - 2.0) * 0.3 * offset**2 / length**3
    return 9.81 * lifted * length / 6


def _held(eom: EquationsOfMotion) -> float:
    """The force of a leg that holds the platform where it is."""
    still = [coordinate.name for coordinate in (*eom.coordinates, *eom.speeds)]
    return equilibrium(eom, fixed=still, free=[f"force{k}" for k in range(6)])["force3"]


STEWART_PLATFORM = LibraryModel(
    "stewart_platform",
    "Stewart platform",
    "A platform on six driven legs, as in flight simulators; without forces it falls.",
    "Stewart, Proc. Inst. Mech. Eng. 180 (1965) 371; dimensions of our own",
    stewart_platform,
    (
        *(
            Check(f"length of leg {k} in a pose", _inverse_kinematics(k), "inverse kinematics, ‖p + R·b - a‖", 1e-12,
                  partial(_length, k=k), "m")
            for k in (0, 1, 4)
        ),
        Check("force of a leg at rest", _thrust(), "virtual work, 6·F·dl/dz = dV/dz", 1e-10, _held, "N"),
    ),
)  # fmt: skip
