"""The crane crab of the PyMbs manual."""

from __future__ import annotations

import math

from multibody.algebra import Rotation
from multibody.equations import EquationsOfMotion
from multibody.graph import pi
from multibody.library.check import Check
from multibody.library.library_model import LibraryModel
from multibody.library.observe import accelerations, at_state, moved, passages, poles
from multibody.model import Box, Cylinder, DistanceAndRate, PointToPointForce, Sphere, System
from multibody.model.body import diag


def crane_crab(*, m1: float = 1.0, m2: float = 1.0, l2: float = 1.0, g: float = 9.81) -> System:
    """A crab on a rail along x, a load on a rod below it, and a force between wall and crab; names are the manual's.

    Args:
        m1: mass of the crab, in kg.
        m2: mass of the load, in kg.
        l2: from the hinge to the load's centre of mass, in m; its moment of inertia is that of a rod of this length.
        g: gravity along -z, in m/s².
    """
    world = System("CraneCrab")
    gravity = world.parameter("g", g, unit="m/s^2", description="gravity")
    world.gravity = (0, 0, -gravity)
    F = world.input("F", unit="N", description="DrivingForce", slider=(-10.0, 10.0))
    crab_mass = world.parameter("m1", m1, unit="kg", description="mass 1")
    mass = world.parameter("m2", m2, unit="kg", description="mass 2")
    length = world.parameter("l2", l2, unit="m", description="lengthOfRod 2")
    I2 = world.parameter("I2", mass * length**2 / 12, unit="kg*m^2", description="inertia 2")
    crab = world.body("Crab", mass=crab_mass)
    pend = world.body("Pendulum", mass=mass, inertia=diag(0, I2, 0))
    joint = pend.frame("joint", (0, 0, length))
    middle = pend.frame("middle", (0, 0, length / 2), Rotation.about_x(pi / 2))
    world.joint("TransCrab", world.world, crab, "Tx", 1.0, limits=(0.5, 5.0))
    world.joint("RotPendulum", crab, joint, "Ry", -1.0, limits=(-math.pi, math.pi))
    world.load(PointToPointForce(crab, world.world, F))
    world.sensor("d", DistanceAndRate(crab, world.world))
    world.draw(crab, Box(1, 0.5, 0.1))
    world.draw(middle, Cylinder(0.01, 1), rotation=Rotation.about_x(pi / 2))  # those of PyMbs lie along y
    world.draw(pend, Sphere(0.1))
    return world


# by hand, with m1 = m2 = l2 = 1 and I2 = 1/12 ------------------------------------------------------------------------


def _quarter() -> float:
    """The time from the start to the lowest point, without a force.

    Momentum along the rail stays zero, so [m2·l2² + I2 - (m2·l2·cos φ)²/(m1 + m2)]·w²/2 = m2·g·l2·(cos φ - cos 1).
    With sin(φ/2) = sin(1/2)·sin(s) there is no pole at the ends; the integrand is smooth and even in s about both ends,
    so that the trapezoidal rule converges at once.
    """

    def pace(s: float) -> float:
        half = math.asin(math.sin(0.5) * math.sin(s))
        return math.sqrt((13 / 12 - math.cos(2 * half) ** 2 / 2) / 9.81) / math.cos(half)

    n = 64
    inner = sum(pace(math.pi / 2 * k / n) for k in range(1, n))
    return math.pi / 2 / n * (inner + (pace(0.0) + pace(math.pi / 2)) / 2)


def _start() -> tuple[float, float]:
    """M·u̇ = -h at rest at φ = -1, solved by Cramer's rule."""
    c, s = math.cos(1.0), -math.sin(1.0)
    determinant = 2 * 13 / 12 - c**2
    return -c * 9.81 * s / determinant, -2 * 9.81 * s / determinant


def _at_start(eom: EquationsOfMotion, name: str) -> float:
    return accelerations(eom, at_state(eom, {"TransCrab": 1.0, "RotPendulum": -1.0}))[name]


def _moved_below(eom: EquationsOfMotion) -> float:
    """Where the crab is when the load is below it for the first time."""
    return float(moved(eom, float(passages(eom, "RotPendulum", 1.0)[0]))["TransCrab"][-1])


HAND = "equations by hand: T = m1·v²/2 + m2·(v² - 2·l2·cos(φ)·v·w + l2²·w²)/2 + I2·w²/2, V = -m2·g·l2·cos(φ)"

CRANE_CRAB = LibraryModel(
    "crane_crab",
    "Crane crab",
    "The example of the PyMbs manual: a crab that a force drives along its rail, and a load that swings below it.",
    "PyMbs user manual, section 2.3.2",
    crane_crab,
    (
        Check("acceleration of the crab at the start", _start()[0], HAND, 1e-13,
              lambda eom: _at_start(eom, "TransCrab_dot"), "m/s^2"),
        Check("acceleration of the load at the start", _start()[1], HAND, 1e-13,
              lambda eom: _at_start(eom, "RotPendulum_dot"), "rad/s^2"),
        Check("time until the load is below the crab", _quarter(), "quadrature of the energy integral", 1e-11,
              lambda eom: passages(eom, "RotPendulum", 1.0)[0], "s"),
        Check("place of the crab then", 1 + math.sin(1.0) / 2, "momentum: x - m2·l2·sin(φ)/(m1 + m2) is constant",
              1e-11, _moved_below, "m"),
        Check("frequency of small swings", math.sqrt(2 * 9.81 / (2 * 13 / 12 - 1)),
              "ω² = (m1 + m2)·m2·g·l2/((m1 + m2)·(m2·l2² + I2) - (m2·l2)²)", 1e-12,
              lambda eom: poles(eom, {"RotPendulum": 0.0})[-1].imag, "rad/s"),
    ),
)  # fmt: skip
