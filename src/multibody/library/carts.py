"""A pole on a cart."""

from __future__ import annotations

import math

from multibody.equations import EquationsOfMotion
from multibody.library.check import Check
from multibody.library.library_model import BLUE, ORANGE, LibraryModel
from multibody.library.observe import accelerations, at_state, poles
from multibody.model import Box, Capsule, JointLoad, JointSensor, Line, System


def cart_pole(
    *, cart: float = 1.0, pole: float = 0.1, half_length: float = 0.5, g: float = 9.8, angle: float = 0.05
) -> System:
    """A uniform pole that stands on a cart; a force pushes the cart along x. The angle is zero upright, about y.

    Args:
        cart: mass of the cart, in kg.
        pole: mass of the pole, in kg.
        half_length: from the hinge to the pole's centre of mass, in m.
        g: gravity, in m/s².
        angle: of the pole at the start.
    """
    system = System("cart_pole")
    m_c = system.parameter("cart", cart, unit="kg", description="mass of the cart")
    m_p = system.parameter("pole", pole, unit="kg", description="mass of the pole")
    L = system.parameter("half_length", half_length, unit="m", description="from the hinge to the pole's centre")
    system.gravity = (0, 0, -system.parameter("g", g, unit="m/s^2", description="gravity"))
    box = system.body("box", m_c)
    rod = system.body("rod", m_p, (0, 0, L), (m_p * L**2 / 3, m_p * L**2 / 3, 0))
    slide = system.joint("x", system.world, box, "Tx", limits=(-2.4, 2.4))
    hinge = system.joint("theta", box, rod, "Ry", q=angle, limits=(-math.pi, math.pi))
    system.load(JointLoad(slide, system.input("F", unit="N", description="push", slider=(-10.0, 10.0))), name="push")
    system.sensor("cart_state", JointSensor(slide))
    system.sensor("pole_state", JointSensor(hinge))
    system.draw(system.world, Line(4.8), position=(-2.4, 0, 0), name="track")
    system.draw(box, Box(0.4, 0.25, 0.15, colour=BLUE), name="cart_shape")
    system.draw(rod, Capsule(0.02, 2 * L, colour=ORANGE), position=(0, 0, L), name="pole_shape")
    return system


STATE = {"theta": 0.3, "x": 0.0}, {"theta_dot": -0.7, "x_dot": 0.5}
PUSH = 10.0
PAPER = "Barto, Sutton and Anderson, IEEE Trans. SMC 13 (1983) 834, equations of the appendix without friction"


def _published() -> tuple[float, float]:
    """θ'' and x'' of the paper, in a state that is not special."""
    g, m, total, L, F = 9.8, 0.1, 1.1, 0.5, PUSH
    theta, w = STATE[0]["theta"], STATE[1]["theta_dot"]
    s, c = math.sin(theta), math.cos(theta)
    turn = (g * s + c * (-F - m * L * w**2 * s) / total) / (L * (4 / 3 - m * c**2 / total))
    return turn, (F + m * L * (w**2 * s - turn * c)) / total


def _pushed(eom: EquationsOfMotion, name: str) -> float:
    return accelerations(eom, at_state(eom, *STATE, inputs={"F": PUSH}))[name]


CART_POLE = LibraryModel(
    "cart_pole",
    "Pole on a cart",
    "A pole that falls over unless the cart below it is moved.",
    "Barto, Sutton and Anderson, IEEE Trans. SMC 13 (1983) 834",
    cart_pole,
    (
        Check("θ'' under a push of 10 N", _published()[0], PAPER, 1e-13, lambda eom: _pushed(eom, "theta_dot"),
              "rad/s^2"),
        Check("x'' under a push of 10 N", _published()[1], PAPER, 1e-13, lambda eom: _pushed(eom, "x_dot"), "m/s^2"),
        Check("unstable pole, upright", math.sqrt(9.8 * 1.1 / (0.5 * (4 / 3 * 1.1 - 0.1))),
              "λ² = g·(M + m)/(l·(4·(M + m)/3 - m))", 1e-12,
              lambda eom: max(poles(eom, {"theta": 0.0}).real), "1/s"),
    ),
)  # fmt: skip
