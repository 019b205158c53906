"""Parallel robots, put together from legs, and built as one ``System``.

Legs are the same both ways: links on a base, whose place is a parameter. As a subsystem a leg follows from the velocity
of its end, so that its own Jacobian is inverted inside it, and a robot only has to say where the ends are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import atan2, cos, hypot, pi, sin

import multibody as mb
from multibody.graph import symbol
from multibody.model import Kinematics
from multibody.subsystems import KnownMotion, Subsystem, couple, from_system
from multibody.subsystems.library import planar, spatial

G = 9.81
ARMS = {"l_1": 0.5, "l_2": 0.6, "m_1": 1.2, "m_2": 0.9}
STRUT = {"m_1": 3.0, "c_1": 0.3, "I_1": 0.1, "J_1": 0.01, "m_2": 2.0, "c_2": 0.25, "I_2": 0.08, "J_2": 0.02}
TABLE = {"mass": 1.5, "inertia": 0.2, "radius": 0.25}
PLATE = {"mass": 50.0, "inertia": (3.0, 3.5, 5.0)}

Leg = Callable[[str, str], Subsystem]


def angle(k: int, count: int) -> float:
    """Where the k-th of several legs is attached."""
    return 2 * pi * (k - 1) / count


# legs ---------------------------------------------------------------------------------------------------------------


def arms(system: mb.System, base: mb.Frame, suffix: str = "", bent: tuple[float, float] = (0.5, 1.0)) -> mb.Frame:
    """Two uniform links in the plane on a base, the first one driven; where they end."""
    l1, l2, m1, m2 = system.parameters(**{name + suffix: value for name, value in ARMS.items()})
    upper = system.body(f"upper{suffix}", m1, (l1 / 2, 0, 0), (0, 0, m1 * l1**2 / 12))
    lower = system.body(f"lower{suffix}", m2, (l2 / 2, 0, 0), (0, 0, m2 * l2**2 / 12))
    shoulder = system.joint(f"shoulder{suffix}", base, upper, "Rz", q=bent[0])
    system.joint(f"elbow{suffix}", upper.frame(f"middle{suffix}", (l1, 0, 0)), lower, "Rz", q=bent[1])
    system.load(mb.JointLoad(shoulder, system.input(f"tau{suffix}")))
    return lower.frame(f"end{suffix}", (l2, 0, 0))


def strut(
    system: mb.System, base: mb.Frame, suffix: str = "", turned: tuple[float, float, float] = (0, 0, 1)
) -> mb.Frame:
    """A tube on a universal joint, and a driven rod in it that ends where the strut does."""
    m1, c1, I1, J1, m2, c2, I2, J2 = system.parameters(**{name + suffix: value for name, value in STRUT.items()})
    cross = system.body(f"cross{suffix}")
    tube = system.body(f"tube{suffix}", m1, (0, 0, c1), (I1, I1, J1))
    rod = system.body(f"rod{suffix}", m2, (0, 0, -c2), (I2, I2, J2))
    system.joint(f"alpha{suffix}", base, cross, "Rx", q=turned[0])
    system.joint(f"beta{suffix}", cross, tube, "Ry", q=turned[1])
    slide = system.joint(f"slide{suffix}", tube, rod, "Tz", q=turned[2])
    system.load(mb.JointLoad(slide, system.input(f"force{suffix}")))
    return rod


def rr_leg(label: str = "leg", suffix: str = "") -> Subsystem:
    """Two links, by the velocity of their end."""
    return _by_its_end(label, suffix, "xy", (0, -1, 0), arms)


def ups_leg(label: str = "leg", suffix: str = "") -> Subsystem:
    """A strut, by the velocity of its end."""
    return _by_its_end(label, suffix, "xyz", (0, 0, -1), strut)


def _by_its_end(
    label: str, suffix: str, axes: str, down: Sequence[int], links: Callable[[mb.System, mb.Frame, str], mb.Frame]
) -> Subsystem:
    system = mb.System(label)
    g = system.parameter("g", G)
    system.gravity = tuple(g * one for one in down)
    place = [system.parameter(f"{axis}_0{suffix}") for axis in axes]
    end = links(system, system.frame("base", (*place, *[0] * (3 - len(axes)))), suffix)
    position = Kinematics(system.freeze()).pose(end).position
    ends = {f"{axis}_E{suffix}": one for axis, one in zip(axes, position, strict=False)}
    where = {name: symbol(name, "coordinate") - one for name, one in ends.items()}
    return from_system(system, variables=[*ends], constraints=where, independent=[f"{name}_dot" for name in ends])


def copies(leg: Leg, count: int) -> list[Subsystem]:
    """One leg, derived once and used under other names."""
    one = leg("leg", "")
    return [one.renamed(f"leg_{k}", suffix=f"_{k}", shared="g") for k in range(1, count + 1)]


def singles(leg: Leg, count: int) -> list[Subsystem]:
    """The same legs, each of them derived."""
    return [leg(f"leg_{k}", f"_{k}") for k in range(1, count + 1)]


# planar robots ------------------------------------------------------------------------------------------------------


def arm_places(count: int) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """The base of each leg and the angles of its joints, for a platform in the middle that is not turned."""
    places = []
    for k in range(1, count + 1):
        at = angle(k, count)
        base = 0.9 * cos(at + 0.2), 0.9 * sin(at + 0.2)
        dx, dy = 0.25 * cos(at) - base[0], 0.25 * sin(at) - base[1]
        l1, l2, far = ARMS["l_1"], ARMS["l_2"], hypot(dx, dy)
        inner = _angle_beside(l1, far, l2)
        places.append((base, (atan2(dy, dx) - inner, pi - _angle_beside(l1, l2, far))))
    return places


def _angle_beside(a: float, b: float, opposite: float) -> float:
    """The law of cosines."""
    cosine = (a * a + b * b - opposite * opposite) / (2 * a * b)
    return atan2((1 - cosine**2) ** 0.5, cosine)


def planar_robot(legs: Sequence[Subsystem]) -> Subsystem:
    """A platform P on RR legs: for three of them, the 3-RRR robot."""
    count = len(legs)
    table = planar.platform("P", count, **TABLE, gravity="-y")
    pins = {f"{axis}_{k}": f"{axis}_E_{k} = {axis}_{k}_P" for k in range(1, count + 1) for axis in "xy"}
    places, start = {}, {}
    for k, ((x, y), (shoulder, elbow)) in enumerate(arm_places(count), 1):
        places |= {f"x_0_{k}": x, f"y_0_{k}": y}
        start |= {f"shoulder_{k}": shoulder, f"elbow_{k}": elbow}
        start |= {f"x_E_{k}": 0.25 * cos(angle(k, count)), f"y_E_{k}": 0.25 * sin(angle(k, count))}
    return couple(
        "robot",
        [*legs, table],
        pins,
        independent="x_P_dot y_P_dot theta_P_dot",
        parameters=places,
        motion=KnownMotion(start=start),
    )


def planar_robot_as_system(count: int) -> mb.System:
    """The same, with the pins of all legs as cut joints."""
    system = mb.System("robot")
    system.gravity = (0, -system.parameter("g", G), 0)
    m, I, r = system.parameters(m_P=TABLE["mass"], I_P=TABLE["inertia"], r_P=TABLE["radius"])
    rail, slide, table = system.body("rail"), system.body("slide"), system.body("table", m, (0, 0, 0), (0, 0, I))
    system.joint("x_P", system.world, rail, "Tx")
    system.joint("y_P", rail, slide, "Ty")
    system.joint("theta_P", slide, table, "Rz")
    for k, ((x, y), bent) in enumerate(arm_places(count), 1):
        x_0, y_0 = system.parameters(**{f"x_0_{k}": x, f"y_0_{k}": y})
        end = arms(system, system.frame(f"base_{k}", (x_0, y_0, 0)), f"_{k}", bent)
        pin = table.frame(f"pin_{k}", (r * cos(angle(k, count)), r * sin(angle(k, count)), 0))
        system.joint(f"hinge_{k}", end, pin, "Rz", cut=True)
    return system


# platforms in space --------------------------------------------------------------------------------------------------


def strut_places(count: int) -> list[tuple[tuple[float, ...], tuple[float, ...], tuple[float, float, float]]]:
    """The foot and the head of each leg, and its joints for a platform at the height of 1 that is not turned."""
    places = []
    for k in range(1, count + 1):
        at = angle(k, count)
        low, high = at + 0.35 * (-1) ** k, at - 0.2 * (-1) ** k
        foot, head = (cos(low), sin(low), 0.0), (0.6 * cos(high), 0.6 * sin(high), -0.05)
        dx, dy, dz = head[0] - foot[0], head[1] - foot[1], 1 + head[2]
        alpha = atan2(-dy, dz)  # about x, then about y: the axis z of the tube points to the head
        places.append((foot, head, (alpha, atan2(dx, hypot(dy, dz)), hypot(dx, dy, dz))))
    return places


def platform_on_struts(legs: Sequence[Subsystem]) -> Subsystem:
    """A platform P on UPS legs: for six of them, the Stewart platform."""
    places = strut_places(len(legs))
    plate = spatial.platform("P", {str(k): head for k, (_, head, _) in enumerate(places, 1)}, **PLATE)
    balls = {f"{axis}_{k}": f"{axis}_E_{k} = {axis}_{k}_P" for k in range(1, len(legs) + 1) for axis in "xyz"}
    bases, start = {}, {"p_P_z": 1.0}
    for k, (foot, head, turned) in enumerate(places, 1):
        bases |= {f"{axis}_0_{k}": one for axis, one in zip("xyz", foot, strict=True)}
        start |= dict(zip((f"alpha_{k}", f"beta_{k}", f"slide_{k}"), turned, strict=True))
        start |= {f"{axis}_E_{k}": one + up for axis, one, up in zip("xyz", head, (0, 0, 1), strict=True)}
    speeds = [f"{stem}_P_{axis}" for stem in "vw" for axis in "xyz"]
    return couple(
        "stewart", [*legs, plate], balls, independent=speeds, parameters=bases, motion=KnownMotion(start=start)
    )


def platform_on_struts_as_system(count: int, *, recognise: bool = True) -> mb.System:
    """The same, with the ball joints of all legs cut; without recognition, the joints of legs are coordinates."""
    system = mb.System("stewart")
    system.recognise_loops = recognise
    system.gravity = (0, 0, -system.parameter("g", G))
    names = {"m_P": PLATE["mass"]} | dict(zip(("I_P_x", "I_P_y", "I_P_z"), PLATE["inertia"], strict=True))
    m, *I = system.parameters(**names)
    plate = system.body("plate", m, (0, 0, 0), tuple(I))
    system.joint("motion", system.world, plate, mb.Free(), q=(0, 0, 1, 1, 0, 0, 0), cut=False)
    for k, (foot, head, turned) in enumerate(strut_places(count), 1):
        base = system.parameters(**{f"{axis}_0_{k}": one for axis, one in zip("xyz", foot, strict=True)})
        place = system.parameters(**{f"{letter}_{k}_P": one for letter, one in zip("abc", head, strict=True)})
        end = strut(system, system.frame(f"base_{k}", base), f"_{k}", turned)
        system.joint(f"ball_{k}", end, plate.frame(f"head_{k}", place), mb.Spherical(), cut=True)
    return system
