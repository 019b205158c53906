"""Stops in trees: impacts on one joint from both sides, on several joints, and on joints that act on each other."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

import multibody as mb

from .case import REFUSED, RIGHT, WRONG, Outcome, Refused, generator, simulated
from .integrators import occasional_integrator
from .maximal import Stop, Undecided, checked
from .mechanisms import GROUND, Bar, Layout, Pair, mechanism_of, rod, system_of

BATTERY = "stops"
GRAVITY = (0.0, -9.81, 0.0)
STIFFNESS = 3.0


def slider() -> Layout:
    """A block that falls."""
    return Layout([Bar("block", 2.0, (0, 0, 0), (1, 1, 1))], [Pair("x", "Ty", GROUND, "block")])


def pendulum() -> Layout:
    """A rod."""
    return Layout([rod("one", 1.0, 1.5)], [Pair("a", "Rz", GROUND, "one")])


def double_pendulum() -> Layout:
    """Two rods."""
    pairs = [Pair("a", "Rz", GROUND, "one"), Pair("b", "Rz", "one", "two", (1.0, 0, 0))]
    return Layout([rod("one", 1.0, 1.5), rod("two", 0.8, 1.0)], pairs)


def cart() -> Layout:
    """A rod on a cart."""
    pairs = [Pair("x", "Tx", GROUND, "box"), Pair("a", "Rz", "box", "one")]
    return Layout([Bar("box", 2.0, (0, 0, 0), (1, 1, 1)), rod("one", 1.0, 1.0)], pairs)


def two_sliders() -> Layout:
    """A block on a block."""
    pairs = [Pair("x", "Tx", GROUND, "box"), Pair("z", "Tx", "box", "block")]
    bars = [Bar("box", 2.0, (0, 0, 0), (1, 1, 1)), Bar("block", 1.0, (0, 0, 0), (1, 1, 1))]
    return Layout(bars, pairs)


TREES = {one.__name__: one for one in (slider, pendulum, double_pendulum, cart, two_sliders)}


class Limit(NamedTuple):
    """A stop on a joint."""

    joint: str
    value: float
    sign: float
    restitution: float


@cache
def equations(name: str) -> Any:
    """Equations of a tree with a weak spring on each joint."""

    def loads(system: Any, joints: dict[str, Any], symbols: dict[str, Any]) -> None:
        for joint in joints.values():
            system.load(mb.JointSpring(joint, STIFFNESS))

    return mb.derive(system_of(name, TREES[name], {}, GRAVITY, loads))


def random_limits(rng: np.random.Generator, layout: Layout) -> tuple[list[Limit], dict[str, float], dict[str, float]]:
    """Stops, and a start between them."""
    limits, q, u = [], {}, {}
    for pair in layout.pairs:
        middle = -np.pi / 2 if pair.name == "a" else 0.0
        q[pair.name], u[pair.name] = float(middle + rng.uniform(-0.2, 0.2)), float(rng.uniform(-4, 4))
        kept = int(rng.integers(0, 4)) if limits else int(rng.integers(1, 4))  # low, high, or both
        for bit, sign in ((1, 1.0), (2, -1.0)):
            if kept & bit:
                value = float(q[pair.name] - sign * rng.uniform(0.2, 0.9))
                limits.append(Limit(pair.name, value, sign, float(rng.choice([0.4, 0.7, 0.9, 1.0]))))
    return limits, q, u


def case(seed: int) -> Outcome:
    """One tree with random stops."""
    rng = generator(BATTERY, seed)
    name = str(rng.choice(list(TREES)))
    made, eom = TREES[name](), equations(name)
    limits, q, u = random_limits(rng, made)
    rest, duration = float(rng.choice([0.0, 1e-3, 1e-6])), float(rng.uniform(0.8, 2.0))
    if any(limit.restitution < 1 for limit in limits):
        rest = max(rest, 1e-6)
    times = np.linspace(0, duration, 401)
    order = [pair.name for pair in made.pairs]
    stops = [Stop(order.index(one.joint), one.value, one.sign, one.restitution) for one in limits]
    what = f"{name} limits={[tuple(one) for one in limits]} q={q} u={u} rest={rest} T={duration!r}"
    mechanism = mechanism_of(made, q, u, GRAVITY, loads=lambda t, x, v: -STIFFNESS * x, stops=stops)
    try:
        motion = checked(mechanism, times[[0, 100, 200, 300, 400]], 1e-5, rtol=1e-9)
    except Undecided:
        motion = None  # impacts accumulate, or chaos: only the stops themselves are judged
    symbols = {one.name: one for one in eom.coordinates}
    impacts = [
        mb.Impact(one.sign * (symbols[one.joint] - one.value), restitution=one.restitution, rest=rest, name=f"stop{k}")
        for k, one in enumerate(limits)
    ]
    chosen = occasional_integrator(rng)
    what += f" {chosen.name}"
    start = {f"{joint}_dot": rate for joint, rate in u.items()}
    try:
        run = simulated(eom, times=times, q=q, u=start, events=impacts, integrator=chosen.integrator)
    except Refused as refusal:
        return Outcome(BATTERY, seed, REFUSED, what, str(refusal))
    gaps = np.array([one.sign * (run[one.joint] - one.value) for one in limits])
    if gaps.min() < -1e-6 or not np.isfinite(gaps).all():
        return Outcome(BATTERY, seed, WRONG, what, f"a stop was passed by {-gaps.min():.3g}")
    if motion is not None:
        last = np.array([run[joint][-1] for joint in order])
        off = np.abs(last - motion.values[-1]).max()
        if not off < max(1e-3, 10 * chosen.error):
            detail = f"end {last.tolist()} instead of {motion.values[-1].tolist()}; {len(motion.impacts)} impacts"
            return Outcome(BATTERY, seed, WRONG, what, detail)
    else:
        energy = run["total_energy"]
        if energy.max() > energy[0] + 1e-6 * (1 + abs(energy[0])):
            return Outcome(BATTERY, seed, WRONG, what, f"energy grew from {energy[0]:.6g} to {energy.max():.6g}")
    return Outcome(BATTERY, seed, RIGHT, what, "" if motion is not None else "stops only")
