"""A chain of equal links."""

from __future__ import annotations

import math
from functools import partial

from multibody.equations import EquationsOfMotion
from multibody.library.check import Check
from multibody.library.library_model import BLUE, GREY, LibraryModel
from multibody.library.observe import accelerations, at_state, poles
from multibody.model import Cylinder, Frame, Position, Sphere, System


def n_link_chain(
    n: int = 3, *, length: float = 1.0, mass: float = 1.0, inertia: float = 0.0, g: float = 9.81, angle: float = 0.0
) -> System:
    """A hanging chain of n equal links; the mass of each is at its far end. Joints turn about z, gravity acts along -y.

    Args:
        n: how many links.
        length: of each link, in m.
        mass: at the far end of each link, in kg.
        inertia: of that mass about its own centre and the axis z, in kg·m².
        g: gravity, in m/s².
        angle: of the first link at the start, from the x axis; the others are in line with it.

    Example:
        >>> len(n_link_chain(7).freeze().coordinates)
        7
    """
    system = System("n_link_chain")
    L = system.parameter("length", length, unit="m", description="length of a link")
    m = system.parameter("mass", mass, unit="kg", description="mass at the end of a link")
    J = system.parameter("inertia", inertia, unit="kg*m^2", description="of that mass about its own centre")
    system.gravity = (0, -system.parameter("g", g, unit="m/s^2", description="gravity"), 0)
    end: Frame = system.world
    for k in range(1, n + 1):
        link = system.body(f"link{k}", m, (L, 0, 0), (J, J, J))
        system.joint(f"q{k}", end, link, "Rz", q=angle if k == 1 else 0.0, limits=(-math.pi, math.pi))
        end = link.frame(f"end{k}", (L, 0, 0))
        system.draw(link, Cylinder(0.02, colour=GREY), to=end, name=f"rod{k}")
        system.draw(end, Sphere(0.06, colour=BLUE), name=f"ball{k}")
    system.sensor("tip", Position(end))
    return system


LAGUERRE = (0.41577455678347908331, 2.29428036027904171982, 6.28994508293747919687)
"""Zeros of 1 - 3·x + 3·x²/2 - x³/6."""

RBDL = "RBDL, tests/DynamicsTests.cc, triple chain"
BERNOULLI = "ω² = x·g/l with the zeros x of the Laguerre polynomial L₃ (D. Bernoulli's loaded chain)"


def _hanging(eom: EquationsOfMotion, which: int) -> float:
    return float(poles(eom, {"q1": -math.pi / 2, "q2": 0.0, "q3": 0.0})[3 + which].imag)


def _released(eom: EquationsOfMotion, name: str) -> float:
    """From the horizontal, at rest, with I = 1 as in RBDL's test."""
    state = at_state(eom, {"q1": 0.0, "q2": 0.0, "q3": 0.0}, parameters={"inertia": 1.0})
    return accelerations(eom, state)[name]


N_LINK_CHAIN = LibraryModel(
    "n_link_chain",
    "Chain of n links",
    "Equal masses on massless rods in one plane, let go from the horizontal.",
    "Loaded chain of Daniel Bernoulli (1738); RBDL's tests of dynamics",
    n_link_chain,
    (
        *(
            Check(f"frequency {k + 1} of the hanging chain, n = 3", math.sqrt(x * 9.81), BERNOULLI, 1e-10,
                  partial(_hanging, which=k), "rad/s")
            for k, x in enumerate(LAGUERRE)
        ),
        Check("q1'' from the horizontal, I = 1", -6.03692307692308, RBDL, 1e-13,
              lambda eom: _released(eom, "q1_dot"), "rad/s^2"),
        Check("q2'' from the horizontal, I = 1", 3.77307692307692, RBDL, 1e-13,
              lambda eom: _released(eom, "q2_dot"), "rad/s^2"),
        Check("q3'' from the horizontal, I = 1", 1.50923076923077, RBDL, 1e-13,
              lambda eom: _released(eom, "q3_dot"), "rad/s^2"),
    ),
)  # fmt: skip
