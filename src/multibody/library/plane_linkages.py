"""The four-bar linkage and the slider-crank."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.library.check import Check
from multibody.library.library_model import LibraryModel, one_of
from multibody.library.observe import accelerations, at_state, measured, poles
from multibody.model import Body, Box, ConstraintForce, Cylinder, JointLoad, JointSensor, KineticEnergy, System


def uniform_bar(system: System, name: str, length: Any, mass: Any) -> Body:
    """A uniform rod along its x axis, from its origin."""
    inertia = mass * length**2 / 12
    return system.body(name, mass, (length / 2, 0, 0), (0, inertia, inertia))


# four bars -----------------------------------------------------------------------------------------------------------


def four_bar(
    cut: str | None = None, *, lengths: Sequence[float] = (2.0, 1.0, 2.0, 1.0), density: float = 5.0, g: float = 9.81
) -> System:
    """The four-bar linkage of SymPy's tutorial: uniform bars, each joint turns one bar against the one before it.

    Args:
        cut: the joint ``"q1"``, ``"q2"``, ``"q3"`` or ``"q4"`` that closes the loop; by default the choice is free.
        lengths: of the fixed bar, along x with its middle in the origin, and of the three moving ones, in m.
        density: mass per length, in kg/m.
        g: gravity along -y, in m/s².
    """
    system = System("four_bar")
    if cut is not None:
        one_of(("q1", "q2", "q3", "q4"), cut, "cut", system.name)
    told = "fixed bar", "bar at the right pivot", "coupler", "bar at the left pivot"
    L = [
        system.parameter(f"l{k}", length, unit="m", description=f"length of the {what}")
        for k, (length, what) in enumerate(zip(lengths, told, strict=True), 1)
    ]
    rho = system.parameter("density", density, unit="kg/m", description="mass per length")
    system.gravity = (0, -system.parameter("g", g, unit="m/s^2", description="gravity"), 0)
    right, left = system.frame("right", (L[0] / 2, 0, 0)), system.frame("left", (-L[0] / 2, 0, 0))
    end = right
    for k, length in enumerate(L[1:], 1):
        bar = uniform_bar(system, f"bar{k}", length, rho * length)
        system.joint(f"q{k}", end, bar, "Rz", q=math.pi / 2, cut=cut == f"q{k}" or None)
        end = bar.frame(f"end{k}", (length, 0, 0))
        system.draw(bar, Cylinder(0.04), to=end, name=f"shape{k}")
    system.joint("q4", end, left, "Rz", q=math.pi / 2, cut=cut == "q4" or None)
    torque = system.input("torque", unit="N*m", description="drive of the bar at the right", slider=(-100.0, 100.0))
    system.load(JointLoad(system["q1"], torque), name="drive")
    system.sensor("reaction", ConstraintForce(system["q4"], expressed_in=system.world))
    return system


SYMPY = {"l1": 0.13, "l2": 0.24, "l3": 0.21, "l4": 0.34, "density": 997.0, "g": 0.0}
"""Lengths and density of SymPy's test, which has no gravity."""

SYMPY_MASS = (
    (34.52709815256506, 7.003948798374735, -4.939690970641498),
    (-2.203792703880936e-14, 0.2071702479957077, 0.2842917573033711),
    (-0.1300000000000123, -0.008836934896046506, 0.1864891330060847),
)
SYMPY_FORCING = -0.031211821321648, -0.00066022608181, 0.001813559741243
TEST = "SymPy, test_four_bar_linkage_with_manual_constraints"


def _turning(eom: EquationsOfMotion) -> float:
    return accelerations(eom, at_state(eom, {"q1": 2.1}, {"q1_dot": 0.2}, parameters=SYMPY))["q1_dot"]


def _reaction(eom: EquationsOfMotion) -> float:
    return float(measured(eom, at_state(eom, {"q1": math.pi / 2}, {"q1_dot": 0.0}), "reaction")[1])


FOUR_BAR = LibraryModel(
    "four_bar",
    "Four-bar linkage",
    "A parallelogram of uniform bars on two pivots, standing upright, where it does not stay.",
    "SymPy, tutorial on the four-bar linkage",
    four_bar,
    (
        Check("vertical force at the closing joint", -98.1, "SymPy, tutorial on the four-bar linkage", 1e-12,
              _reaction, "N"),
        Check("q1'' with the lengths of SymPy's test", float(np.linalg.solve(SYMPY_MASS, SYMPY_FORCING)[0]), TEST,
              1e-9, _turning, "rad/s^2"),
        Check("unstable pole, upright", math.sqrt((5 + 10) * 9.81 / (2 * 5 / 3 + 10)),
              "(2·m/3 + m_c)·l·θ'' = -(m + m_c)·g·cos θ for a parallelogram", 1e-10,
              lambda eom: max(poles(eom, {"q1": math.pi / 2}).real), "1/s"),
    ),
)  # fmt: skip

# a crank and a slider ------------------------------------------------------------------------------------------------


def slider_crank(
    *, crank: float = 0.15, rod: float = 0.5, crank_mass: float = 1.0, rod_mass: float = 2.0, slider_mass: float = 3.0,
    g: float = 9.81, angle: float = 1.0, speed: float = 10.0,
) -> System:  # fmt: skip
    """A crank, a connecting rod, and a slider that moves along x through the crank's pivot.

    Args:
        crank: length of the crank, in m.
        rod: length of the connecting rod, in m; longer than the crank.
        crank_mass: of the uniform crank, in kg.
        rod_mass: of the uniform rod, in kg.
        slider_mass: in kg.
        g: gravity along -y, in m/s².
        angle: of the crank at the start, from the x axis.
        speed: of the crank at the start, in rad/s.
    """
    system = System("slider_crank")
    r = system.parameter("crank", crank, unit="m", description="length of the crank")
    L = system.parameter("rod", rod, unit="m", description="length of the connecting rod")
    m1 = system.parameter("crank_mass", crank_mass, unit="kg", description="mass of the crank")
    m2 = system.parameter("rod_mass", rod_mass, unit="kg", description="mass of the connecting rod")
    m3 = system.parameter("slider_mass", slider_mass, unit="kg", description="mass of the slider")
    system.gravity = (0, -system.parameter("g", g, unit="m/s^2", description="gravity"), 0)
    arm, link = uniform_bar(system, "arm", r, m1), uniform_bar(system, "link", L, m2)
    slider = system.body("slider", m3)
    pin, end = arm.frame("pin", (r, 0, 0)), link.frame("end", (L, 0, 0))
    turn = system.joint("theta", system.world, arm, "Rz", q=angle, u=speed, limits=(-math.pi, math.pi))
    system.joint("phi", pin, link, "Rz", q=-angle - math.asin(crank / rod * math.sin(angle)))
    reach = crank * math.cos(angle) + math.sqrt(rod**2 - (crank * math.sin(angle)) ** 2)
    system.joint("x", system.world, slider, "Tx", q=reach, limits=(rod - crank, rod + crank))
    system.joint("piston_pin", end, slider, "Rz", cut=True)
    torque = system.input("torque", unit="N*m", description="drive of the crank", slider=(-50.0, 50.0))
    system.load(JointLoad(turn, torque), name="drive")
    system.sensor("slider_state", JointSensor(system["x"]))
    system.sensor("T", KineticEnergy())
    system.draw(arm, Cylinder(0.02), to=pin, name="crank_shape")
    system.draw(link, Cylinder(0.015), to=end, name="rod_shape")
    system.draw(slider, Box(0.12, 0.1, 0.1), name="piston")
    return system


def _closed_form() -> tuple[float, float, float]:
    """x and x' of the slider, and the kinetic energy, at θ = 2 rad and 10 rad/s.

    A uniform rod whose ends move with a and b has the kinetic energy m·(a² + a·b + b²)/6.
    """
    r, L, w, c, s = 0.15, 0.5, 10.0, math.cos(2.0), math.sin(2.0)
    root = math.sqrt(L**2 - (r * s) ** 2)
    x, v = r * c + root, -r * s * w - r**2 * s * c * w / root
    a, b = np.array([-r * s * w, r * c * w]), np.array([v, 0.0])
    return x, v, float(1.0 * a @ a + 2.0 * (a @ a + a @ b + b @ b)) / 6 + 3.0 * v**2 / 2


def _at_two(eom: EquationsOfMotion, sensor: str, place: int = 0) -> float:
    return float(measured(eom, at_state(eom, {"theta": 2.0}, {"theta_dot": 10.0}), sensor)[place])


RODS = "m·(a² + a·b + b²)/6 for a uniform rod whose ends move with a and b"

SLIDER_CRANK = LibraryModel(
    "slider_crank",
    "Slider-crank",
    "The mechanism of piston engines: a crank, a connecting rod and a slider; the crank turns at the start.",
    "Textbooks on machine dynamics",
    slider_crank,
    (
        Check("place of the slider at θ = 2", _closed_form()[0], "x = r·cos θ + √(l² - r²·sin² θ)", 1e-13,
              lambda eom: _at_two(eom, "slider_state"), "m"),
        Check("speed of the slider at θ = 2, θ' = 10", _closed_form()[1], "its derivative", 1e-13,
              lambda eom: _at_two(eom, "slider_state", 1), "m/s"),
        Check("kinetic energy at θ = 2, θ' = 10", _closed_form()[2], RODS, 1e-13, lambda eom: _at_two(eom, "T"), "J"),
    ),
)  # fmt: skip
