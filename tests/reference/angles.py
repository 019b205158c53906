"""Four-bars with a spring on a dependent or cut joint whose angle passes π, against a closed form."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

import multibody as mb
from multibody.errors import MultibodyError

from .case import REFUSED, RIGHT, WRONG, Outcome, Refused, generator, simulated
from .integrators import occasional_integrator
from .mechanisms import GROUND, Layout, Pair, rod, system_of
from .one_degree import Rod, as_jet, direction, four_bar_points, sprung_motion

BATTERY = "angles"
GRAVITY = (0.0, -9.81, 0.0)
JOINTS = ("knee", "swing", "pin")
WAYS = ("FourBar", "recognised", "cut", "cut Kane", "cut Wittenburg", "cut IndependentSpeeds")
TIMES = np.linspace(0, 2.0, 41)
DEFAULTS = {"a": 0.3, "b": 1.0, "c": 0.8, "x": 0.9, "y": 0.0, "offset": 0.3, "k": 5.0, "rest": 0.0}


def layout(a: Any, b: Any, c: Any, x: Any, y: Any, offset: Any, **_: Any) -> Layout:
    """A four-bar whose bearing of the rocker is at (x, y); the pin's angle is counted from an offset."""
    bars = [rod("crank", a, 1.0), rod("coupler", b, 1.5), rod("rocker", c, 1.2)]
    pairs = [
        Pair("drive", "Rz", GROUND, "crank"),
        Pair("knee", "Rz", "crank", "coupler", (a, 0, 0)),
        Pair("swing", "Rz", GROUND, "rocker", (x, y, 0)),
        Pair("pin", "Rz", "coupler", "rocker", (b, 0, 0), child_at=(c, 0, 0), cut=True, turn=offset),
    ]
    return Layout(bars, pairs)


def explicit(sprung: str, posture: int) -> Any:
    """The same with its loop solved by FourBar."""
    system = mb.System("angles_explicit", gravity=GRAVITY)
    p = {name: system.parameter(name, value) for name, value in DEFAULTS.items()}
    made = layout(**p)
    bodies = {bar.name: system.body(bar.name, bar.mass, bar.center, bar.inertia) for bar in made.bars}
    joints = {}
    for pair in made.tree:
        parent = bodies[pair.parent] if pair.parent else system.world
        joints[pair.name] = system.joint(pair.name, parent.frame(f"{pair.name}_b", pair.at), bodies[pair.child], "Rz")
    ends = bodies["coupler"].frame("end", (p["b"], 0, 0)), bodies["rocker"].frame("end2", (p["c"], 0, 0))
    system.loop(mb.FourBar(*ends, posture=posture))
    add_spring(system, joints, sprung, p)
    return system


def add_spring(system: Any, joints: dict[str, Any], sprung: str, p: dict[str, Any]) -> None:
    """A torsion spring and a sensor of its angle."""
    system.load(mb.JointSpring(joints[sprung], p["k"], p["rest"]))
    system.sensor("sprung", mb.JointSensor(joints[sprung]))


@cache
def equations(way: str, sprung: str, posture: int) -> Any:
    """Equations by a way; a text where they are refused."""

    def loads(system: Any, joints: dict[str, Any], symbols: dict[str, Any]) -> None:
        add_spring(system, joints, sprung, symbols)

    try:
        if way == "FourBar":
            return mb.derive(explicit(sprung, posture))
        system = system_of(f"angles_{sprung}", layout, DEFAULTS, GRAVITY, loads, recognise_loops=way == "recognised")
        formalism = {"cut Kane": mb.Kane(), "cut Wittenburg": mb.Wittenburg()}.get(way)
        constraints = {"cut IndependentSpeeds": mb.IndependentSpeeds()}.get(way)
        if constraints is not None:
            return mb.derive(system, mb.Recursive(), constraints=constraints)
        return mb.derive(system, formalism) if formalism else mb.derive(system)
    except MultibodyError as error:
        return str(error)


class Question(NamedTuple):
    """A four-bar with values of its parameters, the start, and the motion: crank, its speed, the spring's angle."""

    values: dict[str, float]
    side: float
    q: dict[str, float]
    u: dict[str, float]
    motion: np.ndarray


def random_question(rng: np.random.Generator, sprung: str) -> Question:
    """A four-bar with a crank that can turn, where the angle of the spring passes π."""
    while True:
        a = float(rng.uniform(0.2, 0.5))
        b, c, d = (float(x) for x in rng.uniform(0.8, 1.3, 3))
        if a + max(b, c, d) > 0.95 * (b + c + d - max(b, c, d)):
            continue
        relative, side = float(rng.uniform(-3, 3)), float(rng.choice([-1, 1]))
        k, rest, speed = (
            float(rng.uniform(1, 6)),
            float(rng.uniform(-1, 1)),
            float(rng.uniform(4, 9) * rng.choice([-1, 1])),
        )
        A, B = four_bar_points(relative, a, b, c, d, side)
        (coupler, coupler_rate), (rocker, rocker_rate) = direction(B - A), direction(B - d)
        before = float(rng.uniform(0.05, 0.3))  # rad: so near to half a turn the spring begins
        turn = float(np.sign(rocker_rate * speed) * (np.pi - before) - rocker)
        offset = float(rocker - coupler - np.sign((rocker_rate - coupler_rate) * speed) * (np.pi - before))
        angle, ground = relative + turn, d * np.exp(1j * turn)

        def directions(
            x: float, g: complex = ground, side: float = side, abc: tuple = (a, b, c), o: float = offset
        ) -> dict:
            A, B = four_bar_points(x, *abc, g, side)
            coupler, rocker = direction(B - A), direction(B - g)
            differences = {
                "knee": (coupler, (x, 1.0)),
                "swing": (rocker, (0, 0)),
                "pin": (rocker, (coupler[0] + o, coupler[1])),
            }
            return {name: (p[0] - q[0], p[1] - q[1]) for name, (p, q) in differences.items()}

        def rods(x: float, g: complex = ground, side: float = side, abc: tuple = (a, b, c)) -> list[Rod]:
            A, B = four_bar_points(x, *abc, g, side)
            return [Rod(1.0, as_jet(0), A), Rod(1.5, A, B), Rod(1.2, as_jet(g), B)]

        start = directions(angle)
        state = [angle, speed, wrapped(start[sprung][0])]
        motion = sprung_motion(rods, -9.81j, state, TIMES, lambda x: directions(x)[sprung], k, rest)
        if abs(state[2]) < 3.1 and np.abs(motion[2]).max() > np.pi + 0.1:
            break
    values = {
        "a": a,
        "b": b,
        "c": c,
        "x": float(ground.real),
        "y": float(ground.imag),
        "offset": offset,
        "k": k,
        "rest": rest,
    }
    q = {"drive": angle, "knee": wrapped(start["knee"][0]), "swing": wrapped(start["swing"][0])}
    u = {"drive_dot": speed, "knee_dot": start["knee"][1] * speed, "swing_dot": start["swing"][1] * speed}
    return Question(values, side, q, u, motion)


def case(seed: int) -> Outcome:
    """One four-bar whose sprung angle leaves (-π, π]."""
    rng = generator(BATTERY, seed)
    sprung, way = str(rng.choice(JOINTS)), str(rng.choice(WAYS))
    if way == "FourBar" and sprung == "pin":
        sprung = "knee"
    values, side, q, u, motion = random_question(rng, sprung)
    what = f"{sprung} {way} parameters={values} side={side} q={q} u={u}"
    eom = equations(way, sprung, int(side))
    if isinstance(eom, str):
        return Outcome(BATTERY, seed, REFUSED, what, eom)
    chosen = occasional_integrator(rng)
    what += f" {chosen.name}"
    allowed = max(1e-4, chosen.error)
    names = {one.name for one in (*eom.coordinates, *eom.speeds)}
    start = {"q": {name: x for name, x in q.items() if name in names}, "u": {n: x for n, x in u.items() if n in names}}
    try:
        run = simulated(eom, times=TIMES, parameters=values, integrator=chosen.integrator, **start)
    except Refused as refusal:
        return Outcome(BATTERY, seed, REFUSED, what, str(refusal))
    crank = run["drive"] - motion[0] if "drive" in names else np.zeros(1)
    crank = crank - 2 * np.pi * np.round(crank / (2 * np.pi))
    angle = run["sprung"][:, 0]
    off = np.abs(angle - motion[2])
    detail = ""
    if not (np.abs(crank).max() < allowed and off.max() < allowed):
        first = int(np.argmax(off > allowed))
        detail = (f"crank off by {np.abs(crank).max():.2e}, angle of {sprung} by {off.max():.2e}, first at "
                  f"t = {TIMES[first]:.3f} ({angle[first]:.4f} instead of {motion[2][first]:.4f})")  # fmt: skip
    return Outcome(BATTERY, seed, WRONG if detail else RIGHT, what, detail)


def wrapped(angle: float) -> float:
    """The angle between -π and π."""
    return float(np.arctan2(np.sin(angle), np.cos(angle)))
