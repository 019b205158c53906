"""The fourfold pendulum on two sliders, from a paper on motor calculus."""

from __future__ import annotations

import math
from itertools import accumulate

import numpy as np

from multibody.algebra import Rotation
from multibody.equations import EquationsOfMotion
from multibody.formalisms import Lagrange, derive
from multibody.library.check import Check
from multibody.library.library_model import BLUE, ORANGE, LibraryModel, one_of
from multibody.library.observe import accelerations, at_state, moved
from multibody.library.plane_linkages import uniform_bar
from multibody.model import Box, Capsule, Frame, JointDamper, Line, Position, System

FOURFOLD_START = (45.0, -15.0, 30.0, -37.5)
"""Degrees at the start: of the first rod from the vertical, and of each one from the one before it."""

SLOPE = 10.0
"""Degrees by which the second track rises."""

JOINTS = ("left", "phi1", "phi2", "phi3", "phi4", "phi5", "right")


def fourfold_pendulum(
    cut: str | None = None, *, length: float = 1.0, mass: float = 1.0, trolleys: tuple[float, float] = (2.0, 1.5),
    friction: float = 0.1, g: float = 9.81,
) -> System:  # fmt: skip
    """A chain of four bodies between two trolleys on straight tracks, with viscous friction in every joint.

    The paper prints the angles at the start, but no masses and lengths: these are uniform rods. The second track goes
    through the end of the chain at the start, and rises by 10 degrees. Sensors ``corner0`` … ``corner4`` are the
    corners of the polygon that the paper shows every second (figure 9).

    Args:
        cut: the joint that closes the loop; by default the choice is free.
        length: of a rod, in m.
        mass: of a rod, in kg.
        trolleys: masses of the left and the right one, in kg.
        friction: in every joint, in N·m·s and N·s/m.
        g: gravity along -y, in m/s².
    """
    system = System("fourfold_pendulum")
    if cut is not None:
        one_of(JOINTS, cut, "cut", system.name)
    L = system.parameter("length", length, unit="m", description="length of a rod")
    m = system.parameter("mass", mass, unit="kg", description="mass of a rod")
    m_left = system.parameter("left_mass", trolleys[0], unit="kg", description="mass of the left trolley")
    m_right = system.parameter("right_mass", trolleys[1], unit="kg", description="mass of the right trolley")
    d = system.parameter("friction", friction, description="in a hinge in N*m*s, on a track in N*s/m")
    system.gravity = (0, -system.parameter("g", g, unit="m/s^2", description="gravity"), 0)
    small = (0.01, 0.01, 0.01)
    left, right = (
        system.body("left_trolley", m_left, inertia=small),
        system.body("right_trolley", m_right, inertia=small),
    )
    x, y = _end()
    far = system.frame("far_track", (L * x, L * y, 0), Rotation.about_z(math.radians(SLOPE)))
    system.joint("left", system.world, left, "Tx", q=0.0, limits=(-4.0, 4.0), cut=cut == "left" or None)
    end: Frame = left
    for k, degrees in enumerate(FOURFOLD_START, 1):
        rod = uniform_bar(system, f"rod{k}", L, m)
        start = math.radians(degrees) - (math.pi / 2 if k == 1 else 0)
        system.joint(f"phi{k}", end, rod, "Rz", q=start, cut=cut == f"phi{k}" or None)
        end = rod.frame(f"end{k}", (L, 0, 0))
        system.draw(rod, Capsule(0.03, colour=BLUE), to=end, name=f"shape{k}")
        system.sensor(f"corner{k}", Position(end))
    last = math.pi / 2 - math.radians(sum(FOURFOLD_START) - SLOPE)
    system.joint("phi5", end, right, "Rz", q=last, cut=cut == "phi5" or None)
    system.joint("right", far, right, "Tx", q=0.0, limits=(-4.0, 4.0), cut=cut == "right" or None)
    for name in JOINTS:
        system.load(JointDamper(system[name], d), name=f"friction_{name}")
    system.sensor("corner0", Position(left))
    for name, track, trolley in (("left", system.world, left), ("right", far, right)):
        system.draw(track, Line(11), position=(-5.5, 0, 0), name=f"{name}_track")
        system.draw(trolley, Box(0.3, 0.15, 0.2, colour=ORANGE), name=f"{name}_shape")
    return system


# by hand, in the place of the left trolley and the angles of the rods from the vertical ------------------------------


def _angles() -> list[float]:
    return [math.radians(angle) for angle in accumulate(FOURFOLD_START)]


def _end() -> tuple[float, float]:
    """The end of a chain of rods of 1 m, below a trolley in the origin."""
    return sum(map(math.sin, _angles())), -sum(map(math.cos, _angles()))


def _potential() -> float:
    """Σ m·g·h at the start."""
    heights = [-math.cos(angle) for angle in _angles()]
    middles = [sum(heights[:k]) + heights[k] / 2 for k in range(4)]
    return 9.81 * (sum(middles) + 1.5 * sum(heights))


def _starting() -> np.ndarray:
    """Accelerations of the left trolley and of the absolute angles at the start, from rest, with one multiplier.

    The right trolley stays on its track: G·q'' = 0 with its normal; M = Σ m·Jᵀ·J + Σ I·eᵀ·e.
    """
    a, right, down = np.array(_angles()), np.array([1.0, 0.0]), np.array([0.0, -9.81])
    ways = np.column_stack([np.cos(a), np.sin(a)])  # d/da of (sin a, -cos a)

    def jacobian(reach: list[float]) -> np.ndarray:
        return np.column_stack([right, *(part * way for part, way in zip(reach, ways, strict=True))])

    middles = [jacobian([1.0] * k + [0.5] + [0.0] * (3 - k)) for k in range(4)]
    end, trolley = jacobian([1.0] * 4), jacobian([0.0] * 4)
    weights = [(1.0, J) for J in middles] + [(2.0, trolley), (1.5, end)]
    M = sum(m * J.T @ J for m, J in weights) + np.diag([0.0, *[1 / 12] * 4])
    f = sum(m * J.T @ down for m, J in weights)
    slope = math.radians(SLOPE)
    G = np.array([[-math.sin(slope), math.cos(slope)]]) @ end
    return np.linalg.solve(np.block([[M, -G.T], [G, np.zeros((1, 1))]]), np.append(f, 0.0))[:5]


# ours ----------------------------------------------------------------------------------------------------------------


def _first(eom: EquationsOfMotion, name: str) -> float:
    start = eom.consistent()
    q = {coordinate.name: start[coordinate.name] for coordinate in eom.coordinates}
    return accelerations(eom, at_state(eom, q, dict.fromkeys([speed.name for speed in eom.speeds], 0.0)))[name]


def _kept(eom: EquationsOfMotion) -> float:
    """What is left of the energy after ten seconds, and what friction has taken."""
    energies = moved(eom, 10.0).energies
    return float(energies.total[-1] + energies.dissipated[-1])


def _deviation(eom: EquationsOfMotion) -> float:
    """Of both trolleys at all times, between our equations and those by Lagrange."""
    other = derive(eom.model, Lagrange())
    first, second = (moved(equations, *np.linspace(0.1, 10.0, 100)) for equations in (eom, other))
    return float(max(np.abs(first[name] - second[name]).max() for name in ("left", "right")))


PAPER = "Zaiczek and Enge-Rosenblatt, Motor Calculus Using Modelica, section 4.2"
BY_HAND = "M·q'' = f + Gᵀ·λ in absolute angles, by hand"

FOURFOLD_PENDULUM = LibraryModel(
    "fourfold_pendulum",
    "Fourfold pendulum on two sliders",
    "Four rods between two trolleys, each on a track of its own, with friction everywhere; let go at rest.",
    PAPER,
    fourfold_pendulum,
    (
        Check("x of the right trolley at the start", _end()[0], f"{PAPER}: angles at the start", 1e-13,
              lambda eom: moved(eom, 0.1)["corner4"][0, 0], "m"),
        Check("y of the right trolley at the start", _end()[1], f"{PAPER}: angles at the start", 1e-13,
              lambda eom: moved(eom, 0.1)["corner4"][0, 1], "m"),
        Check("acceleration of the left trolley at the start", float(_starting()[0]), BY_HAND, 1e-10,
              lambda eom: _first(eom, "left_dot"), "m/s^2"),
        Check("acceleration of phi1 at the start", float(_starting()[1]), BY_HAND, 1e-10,
              lambda eom: _first(eom, "phi1_dot"), "rad/s^2"),
        Check("energy and what friction took, after 10 s", _potential(), "Σ m·g·h at the start", 1e-10, _kept, "J"),
        Check("deviation of the trolleys by another formalism", 0.0, f"{PAPER}: as in 4.1, below 1.2e-11 m", 1.2e-11,
              _deviation, "m"),
    ),
)  # fmt: skip
