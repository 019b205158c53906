"""Five bodies on ball joints and hinges."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.library.check import Check
from multibody.library.library_model import BLUE, ORANGE, LibraryModel
from multibody.library.observe import accelerations, at_state, moved
from multibody.model import Capsule, Energy, Position, System

MASSES = (3.0, 3.0, 2.0, 1.5, 1.5)
TENSORS = (
    (4 / 3, 4 / 3, 0.6 * 4 / 2),
    (4 / 3, 4 / 3, 0.6 * 4 / 3),
    (1 / 6, 5 / 24, 1 / 24),
    *[(1 / 3, 1 / 3, 0.2)] * 2,
)
"""Principal moments of inertia of the bodies, for 1 kg (model.m)."""

FIVE_BODY_START = (math.pi, 1.0, 2.0, 1.0, 2.0, 1.0, math.pi, 2.0, -2.0)
"""Angles at the start, below figure 7; it starts at rest."""


def five_body_chain(*, masses: tuple[float, ...] = MASSES, g: float = 9.81) -> System:
    """Two rods of 2 m on ball joints, a T-shaped body on a hinge below them, and a rod of 1 m on each of its arms.

    Ball joints have Euler angles z, x, z. Lengths, inertias and start values are those of model.m in the appendix of
    the course work; each body's frame is in its centre of mass.

    Args:
        masses: of the five bodies, in kg; inertias grow with them.
        g: gravity along -z, in m/s².
    """
    system = System("five_body")
    m = [
        system.parameter(f"m{k}", mass, unit="kg", description=f"mass of body {k}") for k, mass in enumerate(masses, 1)
    ]
    system.gravity = (0, 0, -system.parameter("g", g, unit="m/s^2", description="gravity"))
    one, two, tee, four, five = (
        system.body(name, mass, inertia=tuple(mass * moment for moment in tensor))
        for name, mass, tensor in zip(("rod1", "rod2", "tee", "rod4", "rod5"), m, TENSORS, strict=True)
    )
    euler, start = ["Rz", "Rx", "Rz"], FIVE_BODY_START
    system.joint("q1", system.world, one.frame("top1", (0, 0, 1)), euler, q=start[:3])
    system.joint("q2", one.frame("end1", (0, 0, -1)), two.frame("top2", (0, 0, 1)), euler, q=start[3:6])
    system.joint("q3", two.frame("end2", (0, 0, -1)), tee.frame("top3", (0, 0, 1)), "Rz", q=start[6])
    system.joint("q4", tee.frame("right", (0.5, 0, 0)), four.frame("top4", (0, 0, 0.5)), "Ry", q=start[7])
    system.joint("q5", tee.frame("left", (-0.5, 0, 0)), five.frame("top5", (0, 0, 0.5)), "Ry", q=start[8])
    system.sensor("E", Energy())
    for name in ("rod4", "rod5"):
        system.sensor(f"place_{name}", Position(system[name]))
        system.draw(system[name], Capsule(0.05, 0.9, colour=ORANGE), name=f"{name}_shape")
    for name in ("rod1", "rod2"):
        system.draw(system[name], Capsule(0.08, 1.84, colour=BLUE), name=f"{name}_shape")
    system.draw(tee, Capsule(0.05), to=system["top3"], name="stem")
    system.draw(system["left"], Capsule(0.05), to=system["right"], name="arms")
    return system


# numbers -------------------------------------------------------------------------------------------------------------

STARTING = {
    "11": -0.07717717922302574, "12": -3.348045082396261, "13": 0.04169900789459833, "22": -5.205540555128155,
    "41": 1.5324637802558354, "51": 0.30742294179216656,
}  # fmt: skip
"""Angular accelerations at the start, by dqdtcw.m of the course work: of hinge and angle."""
PLACES = {"11": 0, "12": 1, "13": 2, "22": 4, "41": 7, "51": 8}


def _energy() -> float:
    """Σ m·g·h at the start, with the transformation matrices (2) and (3) of the course work."""

    def x(a: float) -> np.ndarray:
        return np.array([[1, 0, 0], [0, math.cos(a), -math.sin(a)], [0, math.sin(a), math.cos(a)]])

    def z(a: float) -> np.ndarray:
        return np.array([[math.cos(a), -math.sin(a), 0], [math.sin(a), math.cos(a), 0], [0, 0, 1]])

    def y(a: float) -> np.ndarray:
        return np.array([[math.cos(a), 0, math.sin(a)], [0, 1, 0], [-math.sin(a), 0, math.cos(a)]])

    q, down = FIVE_BODY_START, np.array([0, 0, -1.0])
    A1 = z(q[0]) @ x(q[1]) @ z(q[2])
    A2 = A1 @ z(q[3]) @ x(q[4]) @ z(q[5])
    A3 = A2 @ z(q[6])
    h1, h2 = A1 @ down, 2 * A1 @ down + A2 @ down
    h3 = 2 * A1 @ down + 2 * A2 @ down + A3 @ down
    arms = [h3 + A3 @ [side, 0, 0] + A3 @ y(angle) @ (down / 2) for side, angle in ((0.5, q[7]), (-0.5, q[8]))]
    return 9.81 * sum(m * float(h[2]) for m, h in zip(MASSES, (h1, h2, h3, *arms), strict=True))


def _first(eom: EquationsOfMotion, k: int) -> float:
    q = dict(zip([coordinate.name for coordinate in eom.coordinates], FIVE_BODY_START, strict=True))
    return accelerations(eom, at_state(eom, q))[eom.speeds[k].name]


PROGRAM = "program of the course work, dqdtcw.m, run at the start"
HEIGHTS = "Σ m·g·h with the matrices (2) and (3) of the course work"

FIVE_BODY_CHAIN = LibraryModel(
    "five_body_chain",
    "Five-body chain",
    "Two rods, a T and two more rods below it, let go at rest; the example for Wittenburg's method.",
    "Course work on a five-body chain, after Wittenburg, Dynamics of Multibody Systems (1977)",
    five_body_chain,
    (
        *(
            Check(f"acceleration of q{name} at the start", value, PROGRAM, 1e-11,
                  partial(_first, k=PLACES[name]), "rad/s^2")
            for name, value in STARTING.items()
        ),
        Check("energy at the start", _energy(), HEIGHTS, 1e-13, lambda eom: moved(eom, 0.1)["E"][0], "J"),
        Check("energy after 5 s", _energy(), f"{HEIGHTS}; it is constant", 1e-10, lambda eom: moved(eom, 5.0)["E"][-1],
              "J"),
    ),
)  # fmt: skip
