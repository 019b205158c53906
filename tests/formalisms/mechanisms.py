"""Mechanisms with closed loops and rolling wheels, from the literature and from the seeds.

Each function returns a new system whose start values are close to a configuration that can be assembled.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import multibody as mb
from multibody.graph import cos, sin

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


# the motor-calculus seed -------------------------------------------------------------------------------------------


def fourfold_pendulum(cut: str | None = None) -> mb.System:
    """A chain of four bodies between two trolleys on straight tracks, with viscous friction in every joint.

    The seed prints the angles at the start, here from the vertical and then from rod to rod, but no masses and lengths:
    these are uniform rods of 1 m and 1 kg. The second track is lower, and rises by 10 degrees.

    Args:
        cut: the joint that closes the loop; by default the choice is free.
    """
    system = mb.System("fourfold_pendulum", gravity=(0, -9.81, 0))
    left = system.body("left_trolley", 2.0, inertia=(0.01, 0.01, 0.01))
    right = system.body("right_trolley", 1.5, inertia=(0.01, 0.01, 0.01))
    far = system.frame("far_track", (2.4, -2.9, 0), mb.Rotation.about_z(math.radians(10)))
    system.joint("left", system.world, left, "Tx", cut=cut == "left" or None)
    inner: mb.Frame = left
    for k, degrees in enumerate((45, -15, 30, -37.5), 1):
        rod = slender(system, f"rod{k}", 1.0, 1.0)
        start = math.radians(degrees) - (math.pi / 2 if k == 1 else 0)
        system.joint(f"phi{k}", inner, rod, "Rz", q=start, cut=cut == f"phi{k}" or None)
        inner = rod.frame(f"end{k}", (1, 0, 0))
    system.joint("phi5", inner, right, "Rz", q=math.radians(77.5), cut=cut == "phi5" or None)
    system.joint("right", far, right, "Tx", cut=cut == "right" or None)
    for name in ("left", "phi1", "phi2", "phi3", "phi4", "phi5", "right"):
        system.load(mb.JointDamper(system[name], 0.1), name=f"friction_{name}")
    return system


def cylinder(system: mb.System, name: str, axis: Sequence[float], diameter: float = 0.05) -> mb.Body:
    """A steel cylinder (7700 kg/m³) along a vector from its origin, as Modelica's BodyCylinder."""
    length = math.hypot(*axis)
    mass = 7700 * math.pi * diameter**2 / 4 * length
    along, across = mass * diameter**2 / 8, mass * (length**2 / 12 + diameter**2 / 16)
    e = [x / length for x in axis]
    tensor = [[(i == j) * across + (along - across) * e[i] * e[j] for j in range(3)] for i in range(3)]
    return system.body(name, mass, [x / 2 for x in axis], tensor)


def spatial_four_bar(cut: str = "j4") -> mb.System:
    """Fourbar1 of the Modelica Standard Library: six hinges and a slider; three of the hinges form a ball joint.

    Args:
        cut: the joint ``"j1"`` … ``"j5"``, ``"rev"`` or ``"rev1"`` that closes the loop.
    """
    system, pin, pivot = _crank_and_slider(cut)
    coupler, rings = cylinder(system, "b3", (-1, 0.3, 0.1)), [system.body(f"ring{k}") for k in (1, 2, 3)]
    tip = coupler.frame("tip", (-1, 0.3, 0.1))
    joints = (
        ("rev", pivot, rings[0], "Ry"), ("rev1", rings[0], coupler, "Rz"),
        ("j3", pin, rings[1], "Rx"), ("j4", rings[1], rings[2], "Ry"), ("j5", rings[2], tip, "Rz"),
    )  # fmt: skip
    for name, parent, child, kind in joints:
        system.joint(name, parent, child, kind, cut=cut == name or None)
    return system


def spatial_four_bar_with_ball(cut: str = "ball") -> mb.System:
    """The same with a universal joint and a ball joint.

    Args:
        cut: the joint ``"j1"``, ``"j2"``, ``"universal"`` or ``"ball"`` that closes the loop.
    """
    system, pin, pivot = _crank_and_slider(cut)
    coupler = cylinder(system, "b3", (-1, 0.3, 0.1))
    tip = coupler.frame("tip", (-1, 0.3, 0.1))
    system.joint("universal", pivot, coupler, mb.Universal("y", "z"), cut=cut == "universal" or None)
    system.joint("ball", pin, tip, mb.Spherical(), cut=cut == "ball" or None)
    return system


def spatial_four_bar_with_rod() -> mb.System:
    """Fourbar2 of the Modelica Standard Library: a rod without mass in place of the coupler."""
    system, pin, pivot = _crank_and_slider()
    system.constraint(mb.DistanceConstraint(pivot, pin, math.sqrt(1.1)), name="rod")
    return system


def _crank_and_slider(cut: str = "") -> tuple[mb.System, mb.Frame, mb.Frame]:
    """Crank b1 and slider b2 of the four-bar mechanisms, and the points that the coupler connects."""
    system = mb.System("spatial_four_bar", gravity=(0, -9.80665, 0))
    crank, slider = cylinder(system, "b1", (0, 0.5, 0.1)), cylinder(system, "b2", (0, 0.2, 0))
    system.joint("j1", system.world, crank, "Rx", u=math.radians(300), cut=cut == "j1" or None)
    system.joint("j2", system.frame("b0", (1.2, 0, 0)), slider, "Tx", q=-0.2, cut=cut == "j2" or None)
    return system, crank.frame("pin", (0, 0.5, 0.1)), slider.frame("pivot", (0, 0.2, 0))


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


BICYCLE = {
    "rR": 0.3, "rF": 0.35, "g": 9.81,
    "d1": 0.9534570696121849, "d2": 0.2676445084476887, "d3": 0.03207142672761929,
    "l1": 0.4707271515135145, "l2": -0.47792881146460797, "l3": -0.00597083392418685, "l4": -0.3699518200282974,
    "mc": 85.0, "md": 2.0, "me": 4.0, "mf": 3.0,
    "ic11": 7.178169776497895, "ic22": 11.0, "ic31": 3.8225535938357873, "ic33": 4.821830223502103,
    "ie11": 0.05841337700152972, "ie22": 0.06, "ie31": 0.009119225261946298, "ie33": 0.007586622998470264,
    "id11": 0.0603, "id22": 0.12, "if11": 0.1405, "if22": 0.28,
}  # fmt: skip
"""The benchmark bicycle of Meijaard and others (2007), in the parameters of Moore (2012)."""


def bicycle() -> mb.System:
    """The Carvallo-Whipple bicycle: x forward, y to the right, z down; upright where pitch is π/10.

    The chain of frames is that of the SymPy seed: contact point of the rear wheel, yaw, roll, pitch of the frame C,
    rear wheel D, fork E that steers about its z axis, front wheel F. The coordinates keep the rear wheel on the ground.
    """
    system = mb.System("bicycle")
    p = dict(zip(BICYCLE, system.parameters(**BICYCLE), strict=True))
    system.gravity = (0, 0, p["g"])
    ground = system.frame("ground", rotation=mb.Rotation.about_x(mb.pi))
    contact, upright = system.body("contact"), system.body("upright")
    C = system.body("C", p["mc"], (p["l1"], 0, p["l2"]), (p["ic11"], 0, p["ic22"], p["ic31"], 0, p["ic33"]))
    D = system.body("D", p["md"], inertia=(p["id11"], p["id22"], p["id11"]))
    E_com = p["d3"] + p["l3"], 0, p["d2"] + p["l4"]
    E = system.body("E", p["me"], E_com, (p["ie11"], 0, p["ie22"], p["ie31"], 0, p["ie33"]))
    F = system.body("F", p["mf"], inertia=(p["if11"], p["if22"], p["if11"]))
    system.joint("place", system.world, contact, ["Tx", "Ty"])
    system.joint("lean", contact, upright, ["Rz", "Rx"])
    system.joint("pitch", upright.frame("axle", (0, 0, -p["rR"])), C, "Ry", q=math.pi / 10)
    system.joint("rear", C, D, "Ry")
    system.joint("steer", C.frame("head", (p["d1"], 0, 0)), E, "Rz")
    system.joint("front", E.frame("hub", (p["d3"], 0, p["d2"])), F, "Ry")
    for name, wheel, radius in (("rear_tyre", D, p["rR"]), ("front_tyre", F, p["rF"])):
        system.constraint(mb.RollingDisc(ground, wheel, radius, axis="-y"), name=name)
    return system
