"""A row of four-bar linkages."""

from __future__ import annotations

import math
from typing import Any

from multibody.equations import EquationsOfMotion
from multibody.library.check import Check
from multibody.library.library_model import BLUE, ORANGE, LibraryModel
from multibody.library.observe import accelerations, at_state, moved
from multibody.library.plane_linkages import uniform_bar
from multibody.model import Cylinder, Position, System
from multibody.simulation import DormandPrince8


def n_four_bar(
    count: int = 2, *, length: float = 1.0, mass: float = 1.0, g: float = 9.81, speed: float = 1.0
) -> System:
    """A row of four-bar linkages (benchmark A02 of the La Coruña library): equal bars, verticals on pivots along x.

    It starts with the verticals upright, their tops moving to the right. Each time all bars lie flat there are
    count + 1 freedoms instead of one.

    Args:
        count: how many linkages.
        length: of each bar, in m.
        mass: of each uniform bar, in kg.
        g: gravity along -y, in m/s².
        speed: of the tops at the start, in m/s.
    """
    system = System("n_four_bar")
    L = system.parameter("length", length, unit="m", description="length of a bar")
    m = system.parameter("mass", mass, unit="kg", description="mass of a bar")
    system.gravity = (0, -system.parameter("g", g, unit="m/s^2", description="gravity"), 0)
    tops, turn = [], speed / length
    for k in range(count + 1):
        vertical = uniform_bar(system, f"vertical{k}", L, m)
        pivot = system.frame(f"ground{k}", (k * L, 0, 0))
        system.joint(f"pivot{k}", pivot, vertical, "Rz", q=math.pi / 2, u=-turn)
        tops.append(vertical.frame(f"top{k}", (L, 0, 0)))
        system.draw(vertical, Cylinder(0.02, colour=BLUE), to=tops[k], name=f"post{k}")
    for k in range(count):
        bar = uniform_bar(system, f"horizontal{k}", L, m)
        end = bar.frame(f"end{k}", (L, 0, 0))
        system.joint(f"left{k}", tops[k], bar, "Rz", q=-math.pi / 2, u=turn)
        system.joint(f"right{k}", end, tops[k + 1], "Rz", cut=True)
        system.draw(bar, Cylinder(0.02, colour=ORANGE), to=end, name=f"beam{k}")
    system.sensor("B0", Position(tops[0]))
    return system


def _after_ten(eom: EquationsOfMotion, name: str) -> Any:
    """At the flat positions constraints lose their rank: with more digits than these, steps there become too small."""
    return moved(eom, 10.0, integrator=DormandPrince8(rtol=1e-11, atol=1e-12))[name][-1]


def _at_one(eom: EquationsOfMotion) -> float:
    state = at_state(eom, {"pivot0": 1.0, "pivot1": 1.0, "pivot2": 1.0}, {"pivot0_dot": 0.0})
    return accelerations(eom, state)["pivot0_dot"]


EXUDYN = "Exudyn, NfourBar with h = 1.25e-4 (energy off by 1.8e-5 J)"
REDUCED = "[(N + 1)/3 + N]·l·θ'' = -[(N + 1)/2 + N]·g·cos θ"

N_FOUR_BAR = LibraryModel(
    "n_four_bar",
    "Row of four-bar linkages",
    "Two linkages side by side that go ten times through the position in which all bars lie flat, in ten seconds.",
    "La Coruña library of multibody benchmarks, A02",
    n_four_bar,
    (
        Check("x of B0 at t = 10 s", 0.3284573768, EXUDYN, 4e-6, lambda eom: _after_ten(eom, "B0")[0], "m"),
        Check("y of B0 at t = 10 s", 0.9445187937, EXUDYN, 1e-6, lambda eom: _after_ten(eom, "B0")[1], "m"),
        Check("angle of the verticals at t = 10 s", -30.179800860191, f"{REDUCED}, by mpmath with 22 digits", 5e-9,
              lambda eom: _after_ten(eom, "pivot0"), "rad"),
        Check("acceleration of the verticals at 1 rad", -(3 / 2 + 2) * 9.81 * math.cos(1.0) / (3 / 3 + 2), REDUCED,
              1e-10, _at_one, "rad/s^2"),
    ),
)  # fmt: skip
