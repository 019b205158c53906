"""Passages through singular positions, against closed forms that are smooth there."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from multibody.errors import MultibodyError

from . import one_degree
from .case import REFUSED, RIGHT, WRONG, Outcome, Refused, generator, simulated
from .integrators import occasional_integrator
from .linkages import FAMILIES, WAYS
from .mechanisms import GROUND, Bar, Layout, Pair, rod, system_of
from .one_degree import Jet, Rod, as_jet

BATTERY = "singular"
PISTON = 0.8


def slider_layout(a: Any) -> Layout:
    """Crank and rod of equal length, and a piston on the line through the bearing."""
    bars = [rod("crank", a, 1.0), rod("coupler", a, 1.5), Bar("piston", PISTON, (0, 0, 0), (0.1, 0.1, 0.1))]
    pairs = [
        Pair("drive", "Rz", GROUND, "crank"),
        Pair("knee", "Rz", "crank", "coupler", (a, 0, 0)),
        Pair("swing", "Tx", GROUND, "piston"),
        Pair("pin", "Rz", "coupler", "piston", (a, 0, 0), cut=True),
    ]
    return Layout(bars, pairs)


class Passage(NamedTuple):
    """A mechanism with its parameters, the ends of its coupler by the angle of the crank, and where it is singular."""

    name: str
    values: dict[str, float]
    points: Callable[[float], tuple[Jet, Jet]]
    ground: float
    singular_angle: float
    period: float


def random_passage(rng: np.random.Generator) -> Passage:
    """One of four kinds."""
    a, d = float(rng.uniform(0.3, 0.8)), float(rng.uniform(1.0, 1.6))
    kind = int(rng.integers(4))
    if kind == 0:
        return Passage("slider", {"a": a}, lambda x: one_degree.slider_crank_points(x, a), 0.0, np.pi / 2, np.pi)
    if kind == 1:
        lengths = {"a": a, "b": d, "c": a, "d": d}
        return Passage(
            "antiparallelogram", lengths, lambda x: one_degree.antiparallelogram_points(x, a, d), d, 0.0, np.pi
        )
    if kind == 2:
        lengths = {"a": a, "b": d, "c": a, "d": d}
        return Passage("parallelogram", lengths, lambda x: one_degree.parallelogram_points(x, a, d), d, 0.0, np.pi)
    side = float(rng.choice([-1.0, 1.0]))
    lengths = {"a": a, "b": d, "c": d, "d": a}
    return Passage("kite", lengths, lambda x: one_degree.kite_points(x, a, d, side), a, 0.0, 2 * np.pi)


def rods_of(passage: Passage) -> Callable[[float], list[Rod]]:
    """The rods of a passage, with the masses of the layouts."""

    def rods(angle: float) -> list[Rod]:
        A, B = passage.points(angle)
        first = [Rod(1.0, as_jet(0), A), Rod(1.5, A, B)]
        return [*first, Rod(PISTON, B, B) if passage.name == "slider" else Rod(1.2, as_jet(passage.ground), B)]

    return rods


def state(passage: Passage, angle: float, speed: float) -> tuple[dict[str, float], dict[str, float]]:
    """Coordinates and speeds of the joints."""
    A, B = passage.points(angle)

    def direction(P: Jet) -> tuple[float, float]:
        return float(np.angle(P.value)), float((np.conj(P.value) * P.first).imag / abs(P.value) ** 2 * speed)

    coupler, rate = direction(B - A)
    if passage.name == "slider":
        swing = float(B.value.real), float(B.first.real * speed)
    else:
        swing = direction(B - passage.ground)
    q = {"drive": angle, "knee": coupler - angle, "swing": swing[0]}
    return q, {"drive_dot": speed, "knee_dot": rate - speed, "swing_dot": swing[1]}


GRAVITY = (0.0, -9.81, 0.0)
SINGULAR_WAYS = [way for way in WAYS if way not in ("derive",)]


@cache
def equations(kind: str, way: str, recognise: bool) -> Any:
    """Equations of a slider-crank or four-bar by a way; a text where they are refused."""
    family = FAMILIES["four_bar"]
    layout, defaults = (slider_layout, {"a": 0.5}) if kind == "slider" else (family.layout, family.defaults)
    try:
        return WAYS[way](system_of(f"singular_{kind}", layout, defaults, GRAVITY, recognise_loops=recognise))
    except MultibodyError as error:
        return str(error)


def case(seed: int) -> Outcome:
    """One passage at a random speed."""
    rng = generator(BATTERY, seed)
    while True:
        passage = random_passage(rng)
        before = float(rng.uniform(0.2, 1.2)) * float(rng.choice([-1, 1]))
        start = passage.singular_angle + passage.period * int(rng.integers(-1, 2)) - before
        speed = float(rng.uniform(2, 7)) * float(np.sign(before))
        duration = float(rng.uniform(0.5, 1.5))
        times = np.linspace(0, duration, 101)
        angle, rate = one_degree.motion(rods_of(passage), complex(*GRAVITY[:2]), start, speed, times)
        turns = (angle - passage.singular_angle) / passage.period
        crossed = np.flatnonzero(np.diff(np.floor(turns)))
        if len(crossed) and np.abs(rate[crossed]).min() > 1.0 and abs(turns[-1] - np.round(turns[-1])) > 0.02:
            break
    way = str(rng.choice(list(WAYS)))
    recognise = way == "derive"
    q, u = state(passage, start, speed)
    what = f"{passage.name} {way} recognise_loops={recognise} T={duration!r} parameters={passage.values} q={q} u={u}"
    eom = equations("slider" if passage.name == "slider" else "four_bar", way, recognise)
    if isinstance(eom, str):
        return Outcome(BATTERY, seed, REFUSED, what, eom)
    names = {one.name for one in (*eom.coordinates, *eom.speeds)}
    chosen = occasional_integrator(rng)
    what += f" {chosen.name}"
    options = {"q": {k: x for k, x in q.items() if k in names}, "u": {k: x for k, x in u.items() if k in names}}
    try:
        run = simulated(eom, times=times, parameters=passage.values, integrator=chosen.integrator, **options)
    except Refused as refusal:
        return Outcome(BATTERY, seed, REFUSED, what, str(refusal))
    expected = [state(passage, x, v) for x, v in zip(angle, rate, strict=True)]
    detail = ""
    for name in ("drive", "knee", "swing"):
        if name not in names and name not in run.names:
            continue
        off = run[name] - np.array([one[0][name] for one in expected])
        if not (passage.name == "slider" and name == "swing"):
            off = off - 2 * np.pi * np.round(off / (2 * np.pi))
        if not np.abs(off).max() < max(1e-4, chosen.error):
            worst = int(np.argmax(np.abs(off) > max(1e-4, chosen.error)))
            detail += f"{name}: off by {np.abs(off).max():.2e}, first at t = {times[worst]:.4f}; "
    if detail:
        detail += f"singular at t = {times[crossed].round(3).tolist()}"
    return Outcome(BATTERY, seed, WRONG if detail else RIGHT, what, detail)
