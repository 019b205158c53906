"""Over-constrained linkages, started at random positions, by several formalisms, against the reference."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

import multibody as mb
from multibody.errors import MultibodyError
from multibody.graph import cos, sin

from .case import REFUSED, RIGHT, UNDECIDED, WRONG, Outcome, Refused, generator, simulated
from .integrators import occasional_integrator
from .maximal import Undecided, checked
from .mechanisms import GROUND, Bar, Layout, Pair, closed_start, mechanism_of, rod, system_of

BATTERY = "linkages"
TIMES = np.linspace(0, 1.0, 6)


class Family(NamedTuple):
    """A kind of linkage: its layout by parameters, their defaults, random values, and a guess of closed joints."""

    layout: Callable[..., Layout]
    defaults: dict[str, float]
    values: Callable[[np.random.Generator], dict[str, float]]
    guess: Callable[[np.random.Generator, dict[str, float]], dict[str, float]]


def cranks(n: int, *, in_line: bool) -> Family:
    """A rod on n parallel cranks."""

    def layout(r: Any, m: Any, **places: Any) -> Layout:
        points = [(places[f"x{k}"], 0 if in_line else places[f"y{k}"], 0) for k in range(n)]
        bars = [rod(f"c{k}", r, m) for k in range(n)] + [Bar("rod", 2 * m, (0.3, 0.1, 0), (0.1 * m, 0.2 * m, 0.3 * m))]
        pairs = [Pair(f"p{k}", "Rz", GROUND, f"c{k}", points[k]) for k in range(n)]
        pairs.append(Pair("k0", "Rz", "c0", "rod", (r, 0, 0), child_at=points[0]))
        pairs += [Pair(f"k{k}", "Rz", f"c{k}", "rod", (r, 0, 0), child_at=points[k], cut=True) for k in range(1, n)]
        return Layout(bars, pairs)

    places = {f"{axis}{k}": 0.7 * k + 0.1 * (axis == "y") for k in range(n) for axis in ("x" if in_line else "xy")}

    def values(rng: np.random.Generator) -> dict[str, float]:
        spread = {name: float(rng.uniform(-0.2, 0.2) + value) for name, value in places.items()}
        return {"r": float(rng.uniform(0.3, 1.5)), "m": float(rng.uniform(0.5, 3)), **spread}

    def guess(rng: np.random.Generator, values: dict[str, float]) -> dict[str, float]:
        angle = float(rng.uniform(0.3, 2.8) * rng.choice([-1, 1]))
        return {**{f"p{k}": angle for k in range(n)}, "k0": -angle}

    return Family(layout, {"r": 1.0, "m": 1.0, **places}, values, guess)


def stack(n: int, rods: int) -> Family:
    """Several rods one above the other on n parallel cranks."""

    def layout(r: Any, m: Any, a: Any) -> Layout:
        heights = [r * (j + 1) / rods for j in range(rods)]
        bars = [rod(f"c{k}", r, m) for k in range(n)] + [rod(f"b{j}", a * (n - 1), m) for j in range(rods)]
        pairs = [Pair(f"p{k}", "Rz", GROUND, f"c{k}", (a * k, 0, 0)) for k in range(n)]
        pairs += [Pair(f"k{j}", "Rz", "c0", f"b{j}", (heights[j], 0, 0)) for j in range(rods)]
        pairs += [
            Pair(f"e{j}{k}", "Rz", f"c{k}", f"b{j}", (heights[j], 0, 0), child_at=(a * k, 0, 0), cut=True)
            for j in range(rods)
            for k in range(1, n)
        ]
        return Layout(bars, pairs)

    def values(rng: np.random.Generator) -> dict[str, float]:
        return {name: float(rng.uniform(0.5, 2)) for name in ("r", "m", "a")}

    def guess(rng: np.random.Generator, values: dict[str, float]) -> dict[str, float]:
        angle = float(rng.uniform(0.4, 2.7) * rng.choice([-1, 1]))
        return {**{f"p{k}": angle for k in range(n)}, **{f"k{j}": -angle for j in range(rods)}}

    return Family(layout, {"r": 1.0, "m": 1.0, "a": 1.0}, values, guess)


def four_bar() -> Family:
    """A planar four-bar of hinges in space: three redundant equations."""

    def layout(a: Any, b: Any, c: Any, d: Any) -> Layout:
        bars = [rod("crank", a, 1.0), rod("coupler", b, 1.5), rod("rocker", c, 1.2)]
        pairs = [
            Pair("drive", "Rz", GROUND, "crank"),
            Pair("knee", "Rz", "crank", "coupler", (a, 0, 0)),
            Pair("swing", "Rz", GROUND, "rocker", (d, 0, 0)),
            Pair("pin", "Rz", "coupler", "rocker", (b, 0, 0), child_at=(c, 0, 0), cut=True),
        ]
        return Layout(bars, pairs)

    def values(rng: np.random.Generator) -> dict[str, float]:
        a = float(rng.uniform(0.2, 0.5))
        b, c, d = (float(x) for x in rng.uniform(0.8, 1.3, 3))
        return {"a": a, "b": b, "c": c, "d": d}

    def guess(rng: np.random.Generator, values: dict[str, float]) -> dict[str, float]:
        return four_bar_angles(float(rng.uniform(-3, 3)), float(rng.choice([-1, 1])), **values)

    return Family(layout, {"a": 0.3, "b": 1.0, "c": 0.8, "d": 0.9}, values, guess)


def four_bar_angles(angle: float, side: float, a: float, b: float, c: float, d: float) -> dict[str, float]:
    """The angles of a four-bar for one of the crank, by the intersection of two circles."""
    A, D = np.array([a * np.cos(angle), a * np.sin(angle)]), np.array([d, 0.0])
    length = np.linalg.norm(D - A)
    x = (length**2 + b**2 - c**2) / (2 * length)
    if not abs(x) < b:
        raise Undecided("the four-bar cannot be closed")
    e = (D - A) / length
    C = A + x * e + side * np.sqrt(b**2 - x**2) * np.array([-e[1], e[0]])
    rod_angle, swing = np.arctan2(*(C - A)[::-1]), np.arctan2(*(C - D)[::-1])
    return {"drive": angle, "knee": float(rod_angle - angle), "swing": float(swing)}


def bennett() -> Family:
    """Four skew hinges: opposite links are equal, and lengths are as the sines of the twists."""

    def layout(a: Any, alpha: Any, beta: Any) -> Layout:
        b = a * sin(beta) / sin(alpha) if not isinstance(a, float) else a * np.sin(beta) / np.sin(alpha)
        lengths, twists = [a, b, a, b], [alpha, beta, alpha, beta]
        bars = [rod(f"b{k}", lengths[k], 1.0) for k in (1, 2, 3)]
        parents = [GROUND, "b1", "b2"]
        pairs = [Pair(f"q{k}", "Rz", parents[k - 1], f"b{k}", (lengths[k - 1], 0, 0), twists[k - 1]) for k in (1, 2, 3)]
        pairs.append(Pair("q4", "Rz", "b3", GROUND, (lengths[3], 0, 0), twists[3], cut=True))
        return Layout(bars, pairs)

    def values(rng: np.random.Generator) -> dict[str, float]:
        alpha, beta = rng.uniform(0.5, 1.4), rng.uniform(0.3, 1.2)
        return {"a": float(rng.uniform(0.7, 1.5)), "alpha": float(alpha), "beta": float(beta)}

    def guess(rng: np.random.Generator, values: dict[str, float]) -> dict[str, float]:
        angle = float(rng.uniform(0.5, 2.6))
        ratio = np.sin((values["beta"] + values["alpha"]) / 2) / np.sin((values["beta"] - values["alpha"]) / 2)
        other = 2 * np.arctan(ratio / np.tan(angle / 2))
        return {"q1": angle, "q2": -float(other), "q3": -angle}

    return Family(layout, {"a": 1.0, "alpha": 1.0, "beta": 0.5}, values, guess)


def bricard() -> Family:
    """Six hinges with right angles, alternating: every second angle is the same."""

    def layout(a: Any, m: Any) -> Layout:
        sides = [1, -1, 1, -1, 1, -1]
        bars = [rod(f"b{k}", a, m) for k in range(1, 6)]
        names = [GROUND, *(f"b{k}" for k in range(1, 6))]
        pairs = [
            Pair(f"q{k}", "Rz", names[k - 1], f"b{k}", (a, 0, 0), float(sides[k - 1]) * np.pi / 2) for k in range(1, 6)
        ]
        pairs.append(Pair("q6", "Rz", "b5", GROUND, (a, 0, 0), float(sides[5]) * np.pi / 2, cut=True))
        return Layout(bars, pairs)

    def guess(rng: np.random.Generator, values: dict[str, float]) -> dict[str, float]:
        one = float(rng.uniform(0.7, 1.9))
        other = float(np.arccos(np.clip(-np.cos(one) / (1 + np.cos(one)), -1, 1)))
        return {f"q{k}": one if k % 2 else other for k in range(1, 6)}

    return Family(layout, {"a": 1.0, "m": 1.0},
                  lambda rng: {"a": float(rng.uniform(0.5, 2)), "m": float(rng.uniform(0.5, 2))}, guess)  # fmt: skip


def sarrus(legs: int) -> Family:
    """A platform that rises straight on two or three folding legs."""

    def layout(l: Any, w: Any) -> Layout:
        half = [("Ry", (w, 0, 0)), ("Rx", (0, w, 0)), ("Ry", (-w, 0, 0))][:legs]
        bars, pairs = [Bar("top", 2.0, (0, 0, 0), (0.3, 0.4, 0.5))], []
        for k, (kind, foot) in enumerate(half):
            bars += [
                Bar(f"{part}{k}", 1.0, (0, 0, l / 2), (l**2 / 12, l**2 / 12, l**2 / 500)) for part in ("low", "up")
            ]
            pairs.append(Pair(f"a{k}", kind, GROUND, f"low{k}", foot))
            pairs.append(Pair(f"b{k}", kind, f"low{k}", f"up{k}", (0, 0, l)))
            pairs.append(Pair(f"c{k}", kind, f"up{k}", "top", (0, 0, l), child_at=foot, cut=k > 0))
        return Layout(bars, pairs)

    def guess(rng: np.random.Generator, values: dict[str, float]) -> dict[str, float]:
        angle, result = float(rng.uniform(0.3, 1.2)), {}
        for k in range(legs):
            side = float(rng.choice([-1, 1]))
            result |= {f"a{k}": side * angle, f"b{k}": -2 * side * angle, f"c{k}": side * angle}
        return result

    return Family(
        layout,
        {"l": 1.0, "w": 0.5},
        lambda rng: {"l": float(rng.uniform(0.6, 1.5)), "w": float(rng.uniform(0.2, 0.8))},
        guess,
    )


FAMILIES: dict[str, Family] = {
    **{f"cranks{n}": cranks(n, in_line=True) for n in (3, 4)},
    **{f"offset_cranks{n}": cranks(n, in_line=False) for n in (3, 5)},
    "stack22": stack(2, 2),
    "stack32": stack(3, 2),
    "four_bar": four_bar(),
    "bennett": bennett(),
    "bricard": bricard(),
    "sarrus2": sarrus(2),
    "sarrus3": sarrus(3),
}
SKEW = ["bennett", "bricard"]
"""Redundant only where the loop is closed: the reference evaluates its stages there."""
PLANAR = [name for name in FAMILIES if name.startswith(("cranks", "offset", "stack", "four"))]


def coupled(family: str) -> Any:
    """The tree of a planar linkage as a subsystem; its loops are coupling constraints."""
    made, trees = FAMILIES[family], []

    def tree(**values: Any) -> Layout:
        whole = made.layout(**values)
        trees.append(whole)
        return Layout(whole.bars, whole.tree)

    system = system_of(family, tree, made.defaults, GRAVITY)
    return mb.modular.couple("linkage", [mb.modular.from_system(system)], planar_gaps(trees[0], system)).equations()


def planar_gaps(layout: Layout, system: Any) -> dict[str, str]:
    """For each hinge that is cut, the distance of its points along x and y, as text."""
    symbols = {one.name: one for one in system.freeze().coordinates}
    poses: dict[str, tuple[Any, Any, Any]] = {GROUND: (0, 0, 0)}

    def point(body: str, at: Any) -> tuple[Any, Any]:
        x, y, angle = poses[body]
        c, s = (cos(angle), sin(angle)) if body else (1, 0)
        return x + c * at[0] - s * at[1], y + s * at[0] + c * at[1]

    for pair in layout.tree:
        x, y = point(pair.parent, pair.at)
        poses[pair.child] = (0, 0, poses[pair.parent][2] + symbols[pair.name])
        dx, dy = point(pair.child, pair.child_at)
        poses[pair.child] = (x - dx, y - dy, poses[pair.child][2])
    gaps = {}
    for pair in layout.pairs:
        if pair.cut:
            ends = zip("xy", point(pair.parent, pair.at), point(pair.child, pair.child_at), strict=True)
            gaps |= {f"{pair.name}_{axis}": str(one - other) for axis, one, other in ends}
    return gaps


WAYS: dict[str, Callable[[Any], Any]] = {
    "derive": mb.derive,
    "Recursive": lambda system: mb.derive(system, mb.Recursive()),
    "Recursive Multipliers": lambda system: mb.derive(system, mb.Recursive(), constraints=mb.Multipliers()),
    "Recursive IndependentSpeeds": lambda system: mb.derive(system, mb.Recursive(), constraints=mb.IndependentSpeeds()),
    "Wittenburg": lambda system: mb.derive(system, mb.Wittenburg()),
    "Kane": lambda system: mb.derive(system, mb.Kane()),
    "Kane Multipliers": lambda system: mb.derive(system, mb.Kane(), constraints=mb.Multipliers()),
    "modular": lambda system: mb.modular.from_system(system).equations(),
}
COUPLED = "couple"
GRAVITY = (1.0, -9.81, 0.5)


@cache
def equations(family: str, way: str) -> Any:
    """Equations of a family by a way, derived once; a text where they are refused."""
    made = FAMILIES[family]
    try:
        if way == COUPLED:
            return coupled(family)
        return WAYS[way](system_of(family, made.layout, made.defaults, GRAVITY, recognise_loops=False))
    except MultibodyError as error:
        return str(error)


def case(seed: int) -> Outcome:
    """One linkage at a random position, by a random way."""
    rng = generator(BATTERY, seed)
    name = str(rng.choice(list(FAMILIES)))
    way = str(rng.choice([one for one in WAYS if one != "modular" or name in PLANAR]))
    if way == "modular" and seed % 2 == 0:
        way = COUPLED
    family = FAMILIES[name]
    for _ in range(20):
        values = family.values(rng)
        try:
            layout = family.layout(**values)
            guess = family.guess(rng, values)
            rates = {pair.name: float(rng.uniform(-2, 2)) for pair in layout.tree}
            mechanism = mechanism_of(layout, guess, rates, GRAVITY, conservative=True, project_stages=name in SKEW)
            q, u = closed_start(mechanism, layout)
            motion = checked(mechanism, TIMES, rtol=1e-9)
        except Undecided:
            continue
        if mechanism.smallest_ratio > 2e-3:
            break
    else:
        return Outcome(BATTERY, seed, UNDECIDED, f"{name} {way}", "no regular motion was found")
    what = f"{name} {way} parameters={values} q={q} u={u}"
    chosen = occasional_integrator(rng)
    what += f" {chosen.name}"
    eom = equations(name, way)
    if isinstance(eom, str):
        return Outcome(BATTERY, seed, REFUSED, what, eom)
    try:
        run = simulated(eom, times=TIMES, q=q, u=u, parameters=values, integrator=chosen.integrator)
    except Refused as refusal:
        return Outcome(BATTERY, seed, REFUSED, what, str(refusal))
    detail = difference(run, layout, motion, max(1e-5, chosen.error))
    return Outcome(BATTERY, seed, WRONG if detail else RIGHT, what, detail)


def difference(run: Any, layout: Layout, motion: Any, tolerance: float) -> str:
    """Where coordinates (angles up to full turns) and rates of the joints of the tree differ from the reference."""
    texts = []
    for k, pair in enumerate(layout.pairs):
        if pair.cut:
            continue
        off = run[pair.name] - motion.values[:, k]
        if pair.kind[0] == "R":
            off = off - 2 * np.pi * np.round(off / (2 * np.pi))
        rate = run[f"{pair.name}_dot"] - motion.rates[:, k]
        bound = tolerance * (1 + np.abs(motion.rates[:, k]).max())
        if not (np.abs(off).max() <= bound and np.abs(rate).max() <= 10 * bound):
            texts.append(f"{pair.name}: off by {np.abs(off).max():.2e}, rate by {np.abs(rate).max():.2e}, "
                         f"end {run[pair.name][-1]:.6g} instead of {motion.values[-1, k]:.6g}")  # fmt: skip
    return "; ".join(texts[:3])
