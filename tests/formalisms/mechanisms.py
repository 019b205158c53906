"""Mechanisms with closed loops and rolling wheels, from the literature.

Each function returns a new system whose start values are close to a configuration that can be assembled.
"""

import math
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import multibody as mb
from multibody import library
from multibody.graph import cos, sin
from multibody.library.whipple import TABLE


def values(eom: mb.EquationsOfMotion) -> list[float]:
    """Its parameters, as they are by default."""
    return list(eom.model.parameter_values().values())


# plane linkages ----------------------------------------------------------------------------------------------------


def slender(system: mb.System, name: str, length: float, mass: float) -> mb.Body:
    """A uniform rod along its x axis, from its origin."""
    inertia = mass * length**2 / 12
    return system.body(name, mass, (length / 2, 0, 0), (0, inertia, inertia))


def four_bar(cut: str | None = None, lengths: Sequence[float] = (2, 1, 2, 1), density: float = 5) -> mb.System:
    """The four-bar linkage of SymPy's tutorial: uniform bars, each joint turns one bar against the one before it.

    Args:
        cut: the joint ``"q1"``, ``"q2"``, ``"q3"`` or ``"q4"`` that closes the loop; by default the choice is free.
        lengths: of the fixed bar, along x with its middle in the origin, and of the three moving ones.
        density: mass per length.
    """
    system = mb.System("four_bar", gravity=(0, -9.81, 0))
    end = system.frame("right", (lengths[0] / 2, 0, 0))
    for k, length in enumerate(lengths[1:], 1):
        bar = slender(system, f"bar{k}", length, density * length)
        system.joint(f"q{k}", end, bar, "Rz", q=math.pi / 2, cut=cut == f"q{k}" or None)
        end = bar.frame(f"end{k}", (length, 0, 0))
    left = system.frame("left", (-lengths[0] / 2, 0, 0))
    system.joint("q4", end, left, "Rz", q=math.pi / 2, cut=cut == "q4" or None)
    return system


def n_four_bar(count: int) -> mb.System:
    """A row of four-bar linkages (La Coruña benchmark A02): all bars 1 m and 1 kg, verticals on pivots at x = 0, 1 …

    It starts with the verticals upright and turning with -1 rad/s, so that their tops move with 1 m/s.
    """
    system = mb.System("n_four_bar", gravity=(0, -9.81, 0))
    tops = []
    for k in range(count + 1):
        vertical = slender(system, f"vertical{k}", 1, 1)
        system.joint(f"pivot{k}", system.frame(f"ground{k}", (k, 0, 0)), vertical, "Rz", q=math.pi / 2, u=-1)
        tops.append(vertical.frame(f"top{k}", (1, 0, 0)))
    for k in range(count):
        bar = slender(system, f"horizontal{k}", 1, 1)
        system.joint(f"left{k}", tops[k], bar, "Rz", q=-math.pi / 2, u=1)
        system.joint(f"right{k}", bar.frame(f"end{k}", (1, 0, 0)), tops[k + 1], "Rz", cut=True)
    return system


def three_cranks() -> mb.System:
    """A beam on three equal cranks: a third loop that says nothing new, but only since the cranks are parallel."""
    system = mb.System("three_cranks", gravity=(0, -9.81, 0))
    beam = slender(system, "beam", 2, 3)
    for k in range(3):
        crank = slender(system, f"crank{k}", 1, 1)
        system.joint(f"q{k}", system.frame(f"pivot{k}", (k, 0, 0)), crank, "Rz", q=1.0)
        system.joint(f"p{k}", crank.frame(f"pin{k}", (1, 0, 0)), beam.frame(f"bearing{k}", (k, 0, 0)), "Rz", q=-1.0)
    return system


def peaucellier() -> mb.System:
    """The inversor of Peaucellier and Lipkin: the frame ``"P"`` moves on the straight line x = (2.5² - 1.2²)/2.

    Two arms of 2.5 m from the origin end in opposite corners C and D of a rhombus BCPD with sides of 1.2 m, so that
    OB·OP = 2.5² - 1.2²; a crank of 1 m moves B on a circle through the origin.
    """
    system = mb.System("peaucellier", gravity=(0, -9.81, 0))
    places: dict[str, mb.Frame] = {"O": system.world, "A": system.frame("A", (1, 0, 0))}
    for name, length, start in (
        ("AB", 1.0, 0.3), ("OC", 2.5, 0.5), ("OD", 2.5, -0.2), ("BC", 1.2, 1.0), ("BD", 1.2, -1.6), ("CP", 1.2, -1.5),
        ("DP", 1.2, 1.0),
    ):  # fmt: skip
        rod = slender(system, name, length, length)
        system.joint(f"at_{name}", places[name[0]], rod, "Rz", q=start)
        end = rod.frame(f"end_{name}", (length, 0, 0))
        if name[1] in places:
            system.joint(f"close_{name}", end, places[name[1]], "Rz", cut=True)
        else:
            places[name[1]] = end
    system.sensor("P", mb.Position(places["P"]))
    return system


# Andrews' squeezing mechanism --------------------------------------------------------------------------------------

ANDREWS_START = {
    "beta": -0.0617138900142764496, "Theta": 0.0, "gamma": 0.455279819163070380, "Phi": 0.222668390165885884,
    "delta": 0.487364979543842550, "Omega": -0.222668390165885884, "epsilon": 1.23054744454982119,
}  # fmt: skip
"""Hairer and Wanner, Solving Ordinary Differential Equations II, section VII.7."""


def andrews() -> mb.System:
    """Andrews' squeezing mechanism: seven bodies, and three hinges at the point E that close its loops."""
    system, ends = _andrews_tree()
    for name in ("E3", "E4", "E6"):
        system.joint(f"hinge_{name}", ends["E2"], ends[name], "Rz", cut=True)
    return system


def andrews_by_equations() -> mb.System:
    """The same, closed by the equations g1 … g6 of the book."""
    system, _ = _andrews_tree()
    be, th, ga, ph, de, om, ep = (system[name].coordinate for name in ANDREWS_START)
    rr, d, ss, e, zt, zf, u = 0.007, 0.028, 0.035, 0.02, 0.04, 0.02, 0.04
    E = rr * cos(be) - d * cos(be + th), rr * sin(be) - d * sin(be + th)
    others = (
        (ss * sin(ga) - 0.03635, -ss * cos(ga) + 0.03273),
        (e * sin(ph + de) + zt * cos(de) - 0.06934, -e * cos(ph + de) + zt * sin(de) - 0.00227),
        (zf * cos(om + ep) + u * sin(ep) - 0.06934, zf * sin(om + ep) - u * cos(ep) - 0.00227),
    )
    for k, other in enumerate(others):
        for i in range(2):
            system.constraint(E[i] - other[i], name=f"g{2 * k + i + 1}")
    return system


def _andrews_tree() -> tuple[mb.System, dict[str, mb.Frame]]:
    """Crank K1 with K2, triangle K3, and the pairs K5, K4 and K7, K6 on their pivots; and where they meet."""
    system = mb.System("andrews", gravity=(0, 0, 0))
    pivots = {"O": (0, 0, 0), "A": (-0.06934, -0.00227, 0), "B": (-0.03635, 0.03273, 0), "C": (0.014, 0.072, 0)}
    frames = {name: system.frame(name, place) for name, place in pivots.items()}
    # number, the frame that it turns in, its joint, mass, centre of mass, inertia, and frames on it
    parts: Iterable[Any] = (
        (1, "O", "beta", 0.04325, (0.00092, 0), 2.194e-6, {"F": (0.007, 0)}),
        (2, "F", "Theta", 0.00365, (-0.0115, 0), 4.410e-7, {"E2": (-0.028, 0)}),
        (3, "B", "gamma", 0.02373, (0.01043, -0.01874), 5.255e-6, {"E3": (0, -0.035), "D": (0.02, -0.018)}),
        (5, "A", "delta", 0.07050, (0.02308, 0.00916), 1.169e-5, {"G": (0.04, 0)}),
        (4, "G", "Phi", 0.00706, (0, 0.01421 - 0.02), 5.667e-7, {"E4": (0, -0.02)}),
        (7, "A", "epsilon", 0.05498, (-0.01228, -0.00449), 1.912e-5, {"H": (0, -0.04)}),
        (6, "H", "Omega", 0.00706, (0.02 - 0.01421, 0), 5.667e-7, {"E6": (0.02, 0)}),
    )
    for k, where, angle, mass, com, inertia, points in parts:
        body = system.body(f"K{k}", mass, (*com, 0), (0, 0, inertia))
        system.joint(angle, frames[where], body, "Rz", q=ANDREWS_START[angle])
        frames |= {name: body.frame(name, (*place, 0)) for name, place in points.items()}
    system.load(mb.JointLoad(system["beta"], 0.033), name="drive")
    system.load(mb.Spring(frames["C"], frames["D"], stiffness=4530.0, length=0.07785), name="spring")
    return system, frames


# Zaiczek and Enge-Rosenblatt ------------------------------------------------------------------------------------------

spatial_four_bar_with_ball = partial(library.spatial_four_bar, coupler="ball")
"""The library's mechanism with a universal joint and a ball joint."""

spatial_four_bar_with_rod = partial(library.spatial_four_bar, coupler="rod")
"""Fourbar2 of the Modelica Standard Library: a rod without mass in place of the coupler."""

# linkages that move only because of their proportions --------------------------------------------------------------


def ring_of_hinges(
    name: str, links: Sequence[tuple[float, Any]], start: Sequence[float], cut: str | None = None
) -> mb.System:
    """A closed chain of hinges θ1, θ2 …, in the convention of Denavit and Hartenberg without offsets.

    Args:
        name: of the system.
        links: length and twist of each link, from its hinge along x and about x; the last one is fixed.
        start: angles of the hinges.
        cut: the hinge ``"theta1"``, ``"theta2"`` … that closes the chain; by default the choice is free.
    """
    system = mb.System(name)
    *moving, (length, twist) = links
    end: mb.Frame = system.world
    for k, ((a, alpha), angle) in enumerate(zip(moving, start, strict=False), 1):
        link = system.body(f"link{k}", a, (a / 2, 0.1, 0), (0.01, 0.1, 0.1))
        system.joint(f"theta{k}", end, link, "Rz", q=angle, cut=cut == f"theta{k}" or None)
        end = link.frame(f"end{k}", (a, 0, 0), mb.Rotation.about_x(alpha))
    last = f"theta{len(links)}"
    fixed = system.frame("fixed", (-length, 0, 0), mb.Rotation.about_x(-twist))
    system.joint(last, end, fixed, "Rz", q=start[-1], cut=cut == last or None)
    return system


def bennett(cut: str | None = None) -> mb.System:
    """Bennett's linkage: four hinges in space that move since sin(α)/a = sin(β)/b."""
    alpha, beta = math.radians(40), math.radians(75)
    a, b = math.sin(alpha), math.sin(beta)
    return ring_of_hinges("bennett", [(a, alpha), (b, beta)] * 2, [1.0, 2.0, -1.0, -2.0], cut)


def bricard(cut: str | None = None) -> mb.System:
    """Bricard's linkage with threefold symmetry: six equal links, each hinge at right angles to its neighbours.

    It moves so that cos θ + cos φ + cos θ·cos φ = 0 for the angles θ and φ of odd and even hinges (Chen, You and
    Tarnai 2005).
    """
    return ring_of_hinges("bricard", [(1, mb.pi / 2), (1, -mb.pi / 2)] * 3, [1.0, 1.9] * 3, cut)


# machines ----------------------------------------------------------------------------------------------------------


def stewart_platform() -> mb.System:
    """A platform on six legs, each with a universal joint, a driven slider and a ball joint."""
    system = mb.System("stewart")
    platform = system.body("platform", 50.0, (0, 0, 0.05), (3, 3, 5))
    system.joint("motion", system.world, platform, mb.Free(), q=(0, 0, 1, 1, 0, 0, 0), cut=False)
    for k in range(6):
        low, high = (math.radians(60 * k + side * (-1) ** k) for side in (20, 10))
        place = (math.cos(low), math.sin(low), 0)
        foot = system.frame(f"foot{k}", place)
        head = platform.frame(f"head{k}", (0.6 * math.cos(high), 0.6 * math.sin(high), 0))
        dx, dy = 0.6 * math.cos(high) - place[0], 0.6 * math.sin(high) - place[1]
        first = math.atan2(-dy, 1)  # about x, then about y: the z axis of the leg points to the head
        second, length = math.atan2(dx, math.hypot(dy, 1)), math.hypot(dx, dy, 1)
        tube = system.body(f"tube{k}", 3.0, (0, 0, 0.3), (0.1, 0.1, 0.01))
        rod = system.body(f"rod{k}", 2.0, (0, 0, -0.3), (0.1, 0.1, 0.01))
        system.joint(f"universal{k}", foot, tube, mb.Universal("x", "y"), q=(first, second))
        slide = system.joint(f"slide{k}", tube, rod, "Tz", q=length)
        system.joint(f"ball{k}", rod, head, mb.Spherical(), cut=True)
        system.load(mb.JointLoad(slide, system.input(f"force{k}")))
    return system


BICYCLE = {name: value for name, (value, _, _) in TABLE.items()}
"""The benchmark bicycle of Meijaard and others (2007), in the parameters of Moore (2012)."""

bicycle = partial(library.bicycle, speed=0.0, push=0.0)
"""The library's bicycle, upright and at rest."""
