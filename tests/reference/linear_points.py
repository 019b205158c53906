"""Equilibria and state matrices of random models in random units, against closed forms with 50 digits.

Models are written twice: with the package, and as plain functions: potential energy V(q), mass matrix M(q) and damping
C, whose derivatives are found by differences of numbers with 50 digits. Lengths go from 10 µm to 1 km and masses from
1e-12 kg to 10 t, in SI units, mm-t-s or µm-µg-s.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import mpmath as mp
import numpy as np

import multibody as mb
from multibody.errors import ExpressionError
from multibody.graph import Table, absolute, cos, less, where
from multibody.linearization import equilibrium, linearize

from .case import REFUSED, RIGHT, WRONG, Outcome, Refused, generator, result_of

BATTERY = "linear_points"
UNITS = {"SI": (1.0, 1.0), "mm-t-s": (1e3, 1e-3), "µm-µg-s": (1e6, 1e9)}
"""How many units of length a meter has, and how many units of mass a kilogram."""
DIGITS = 50
PLACE, SLOPE = 1e-9, 1e-7
"""Largest errors of coordinates and of entries of A, relative to their sizes."""
REAL_PART = 1e-7
"""Real parts of poles that are smaller, relative to these, decide nothing, unless they are exactly zero."""


class Scale(NamedTuple):
    """Numbers of a case: a length, a mass and gravity in the units of the model."""

    unit: str
    length: float
    mass: float
    gravity: float

    @property
    def force(self) -> float:
        """A typical force."""
        return self.mass * self.gravity


class Study(NamedTuple):
    """A model, and the same by hand.

    Attributes:
        eom: of the package.
        names: coordinates, in the order of the reference.
        sizes: of these.
        potential: V(q), whose minimum or saddle is the equilibrium.
        mass: M(q).
        damping: C.
        start: a guess.
    """

    eom: Any
    names: tuple[str, ...]
    sizes: tuple[float, ...]
    potential: Callable[..., Any]
    mass: Callable[..., Any]
    damping: Sequence[Sequence[float]]
    start: dict[str, float]


def scale(rng: np.random.Generator) -> Scale:
    """Random sizes in random units."""
    unit = str(rng.choice(list(UNITS)))
    length, mass = UNITS[unit]
    return Scale(unit, 10 ** rng.uniform(-5, 3) * length, 10 ** rng.uniform(-12, 4) * mass, 9.81 * length)


# models --------------------------------------------------------------------------------------------------------------


def bearing(rng: np.random.Generator, s: Scale) -> Study:
    """A mass in the gap of two magnets, on a spring, with a small load."""
    gap, k = s.length * rng.uniform(1e-4, 1), s.force / s.length * 10 ** rng.uniform(0, 3)
    pull, load, c = k * gap**3 * rng.uniform(0.02, 0.4), k * gap * rng.uniform(-0.03, 0.03), np.sqrt(k * s.mass) * 0.1
    system = mb.System("bearing", gravity=(0, 0, 0))
    slide = system.joint("x", system.world, system.body("rotor", s.mass), "Tx")
    x = slide.coordinate
    system.load(mb.JointLoad(slide, pull * (1 / (gap - x) ** 2 - 1 / (gap + x) ** 2) + load))
    system.load(mb.JointSpring(slide, k))
    system.load(mb.JointDamper(slide, c))

    def potential(x: Any) -> Any:
        return mp.mpf(k) * x**2 / 2 - pull * (1 / (gap - x) + 1 / (gap + x)) - load * x

    return Study(mb.derive(system), ("x",), (gap,), potential, lambda x: [[s.mass]], [[c]], {})


def pendulum(rng: np.random.Generator, s: Scale) -> Study:
    """A pendulum with a spring in its hinge, from any start."""
    stiffness, rest = s.force * s.length * rng.uniform(0, 2), rng.uniform(-2, 2)
    c = s.mass * s.length**2 * np.sqrt(s.gravity / s.length) * rng.uniform(0.01, 0.5)
    system = mb.System("pendulum", gravity=(0, 0, -s.gravity))
    hinge = system.joint("a", system.world, system.body("bob", s.mass, (0, 0, -s.length)), "Ry")
    system.load(mb.JointSpring(hinge, stiffness, rest))
    system.load(mb.JointDamper(hinge, c))

    def potential(a: Any) -> Any:
        return -mp.mpf(s.mass) * s.gravity * s.length * mp.cos(a) + mp.mpf(stiffness) * (a - rest) ** 2 / 2

    mass = s.mass * s.length**2
    return Study(mb.derive(system), ("a",), (1.0,), potential, lambda a: [[mass]], [[c]], {"a": rng.uniform(-3, 3)})


def double_pendulum(rng: np.random.Generator, s: Scale) -> Study:
    """Two points on rods, each with a spring in its hinge; the second angle counts from the first rod."""
    m, k = s.mass * 10 ** rng.uniform(-2, 0, 2), s.force * s.length * rng.uniform(0, 0.5, 2)
    l = s.length * rng.uniform(0.2, 1, 2)
    rest, c = rng.uniform(-1, 1, 2), float(m.max() * s.length**2 * np.sqrt(s.gravity / s.length) * 0.1)
    system = mb.System("double", gravity=(0, 0, -s.gravity))
    upper, lower = system.body("upper", m[0], (0, 0, -l[0])), system.body("lower", m[1], (0, 0, -l[1]))
    hinges = (
        system.joint("a", system.world, upper, "Ry"),
        system.joint("b", upper.frame("end", (0, 0, -l[0])), lower, "Ry"),
    )
    for hinge, stiffness, angle in zip(hinges, k, rest, strict=True):
        system.load(mb.JointSpring(hinge, float(stiffness), float(angle)))
        system.load(mb.JointDamper(hinge, c))
    (m1, m2), (l1, l2), (k1, k2), (r1, r2) = (list(map(mp.mpf, map(float, x))) for x in (m, l, k, rest))

    def potential(a: Any, b: Any) -> Any:
        heights = -m1 * l1 * mp.cos(a) - m2 * (l1 * mp.cos(a) + l2 * mp.cos(a + b))
        return s.gravity * heights + k1 * (a - r1) ** 2 / 2 + k2 * (b - r2) ** 2 / 2

    def mass(a: Any, b: Any) -> Any:
        both, own = l1**2 + l2**2 + 2 * l1 * l2 * mp.cos(b), l2**2 + l1 * l2 * mp.cos(b)
        return [[m1 * l1**2 + m2 * both, m2 * own], [m2 * own, m2 * l2**2]]

    start = {"a": rng.uniform(-2, 2), "b": rng.uniform(-2, 2)}
    return Study(mb.derive(system), ("a", "b"), (1.0, 1.0), potential, mass, [[c, 0], [0, c]], start)


def cart(rng: np.random.Generator, s: Scale) -> Study:
    """A cart on a spring with a pendulum, under a constant push."""
    m, big = s.mass, s.mass * 10 ** rng.uniform(-1, 2)
    k, push = s.force / s.length * 10 ** rng.uniform(-1, 4), s.force * rng.uniform(-1, 1)
    c = np.sqrt(k * big) * 0.05
    system = mb.System("cart", gravity=(0, 0, -s.gravity))
    box = system.body("box", big)
    slide = system.joint("x", system.world, box, "Tx")
    system.joint("a", box, system.body("bob", m, (0, 0, -s.length)), "Ry")
    system.load(mb.JointSpring(slide, k))
    system.load(mb.JointDamper(slide, c))
    system.load(mb.JointLoad(slide, push))

    def potential(x: Any, a: Any) -> Any:
        return mp.mpf(k) * x**2 / 2 - push * x - mp.mpf(m) * s.gravity * s.length * mp.cos(a)

    def mass(x: Any, a: Any) -> Any:
        across = -mp.mpf(m) * s.length * mp.cos(a)
        return [[mp.mpf(big) + m, across], [across, mp.mpf(m) * s.length**2]]

    sizes = (max(abs(push) / k, 1e-3 * s.length), 1.0)
    return Study(mb.derive(system), ("x", "a"), sizes, potential, mass, [[c, 0], [0, 0]], {"a": rng.uniform(-3, 3)})


def two_springs(rng: np.random.Generator, s: Scale) -> Study:
    """A point in a vertical plane on two springs with free lengths."""
    k, free = s.force / s.length * 10 ** rng.uniform(0.5, 3, 2), s.length * rng.uniform(0.3, 1.0, 2)
    posts = [(-s.length, 0.0), (s.length, s.length * rng.uniform(-0.5, 0.5))]
    c = float(np.sqrt(k.max() * s.mass) * 0.1)
    system = mb.System("springs", gravity=(0, 0, -s.gravity))
    body = system.body("point", s.mass)
    joint = system.joint("p", system.world, body, ["Tx", "Tz"])
    for n, ((x, z), stiffness, rest) in enumerate(zip(posts, k, free, strict=True)):
        system.load(mb.Spring(system.frame(f"post{n}", (x, 0, z)), body, float(stiffness), float(rest)))
    system.load(mb.JointDamper(joint, (c, c)))

    def potential(x: Any, z: Any) -> Any:
        springs = sum(
            mp.mpf(float(stiffness)) * (mp.sqrt((x - a) ** 2 + (z - b) ** 2) - float(rest)) ** 2 / 2
            for (a, b), stiffness, rest in zip(posts, k, free, strict=True)
        )
        return springs + mp.mpf(s.mass) * s.gravity * z

    start = {"p_tx": s.length * rng.uniform(-0.3, 0.3), "p_tz": -s.length * rng.uniform(0.2, 1.0)}
    mass = [[s.mass, 0], [0, s.mass]]
    sizes = (s.length, s.length)
    return Study(mb.derive(system), ("p_tx", "p_tz"), sizes, potential, lambda x, z: mass, [[c, 0], [0, c]], start)


def slider_crank(rng: np.random.Generator, s: Scale) -> Study:
    """A crank, a rod and a slider as a loop with multipliers; a spring pushes the slider, masses are at the pins."""
    r, l = s.length * rng.uniform(0.1, 0.4), s.length
    pin, slider, k = s.mass, s.mass * 10 ** rng.uniform(-1, 1), s.force / s.length * 10 ** rng.uniform(-1, 1)
    c = float(pin * r**2 * np.sqrt(s.gravity / s.length) * 0.2)
    system = mb.System("crank", gravity=(0, 0, -s.gravity))
    crank, block = system.body("crank", pin, (r, 0, 0)), system.body("block", slider)
    guess = float(rng.uniform(0.3, 1.2))
    hinge = system.joint("a", system.world, crank, "Ry", q=guess)
    slide = system.joint("x", system.world, block, "Tx", q=l)
    system.constraint(mb.DistanceConstraint(crank.frame("pin", (r, 0, 0)), block, l), name="bar")
    system.load(mb.JointSpring(slide, k, l))
    system.load(mb.JointDamper(hinge, c))

    def place(a: Any) -> Any:
        return r * mp.cos(a) + mp.sqrt(mp.mpf(l) ** 2 - (r * mp.sin(a)) ** 2)

    def potential(a: Any) -> Any:
        return -mp.mpf(pin) * s.gravity * r * mp.sin(a) + mp.mpf(k) * (place(a) - l) ** 2 / 2

    def mass(a: Any) -> Any:
        return [[mp.mpf(pin) * r**2 + mp.mpf(slider) * mp.diff(place, a) ** 2]]

    return Study(mb.derive(system, constraints=mb.Multipliers()), ("a",), (1.0,), potential, mass, [[c]], {"a": guess})


def contact(rng: np.random.Generator, s: Scale) -> Study:
    """A spring with a cubic law whose travel is down to 1e-9 of the size of the body that it carries."""
    travel, load = s.length * 10 ** rng.uniform(-9, 0), s.force * rng.uniform(0.1, 3)
    c = float(np.sqrt(s.force / travel * s.mass) * rng.uniform(0.01, 0.5))
    inertia = s.mass * s.length**2
    system = mb.System("contact", gravity=(0, 0, 0))
    slide = system.joint("x", system.world, system.body("block", s.mass, inertia=(inertia,) * 3), "Tx")
    system.load(mb.JointLoad(slide, load - s.force * (slide.coordinate / travel) ** 3))
    system.load(mb.JointDamper(slide, c))

    def potential(x: Any) -> Any:
        return s.force * x**4 / (4 * mp.mpf(travel) ** 3) - load * x

    place = float(travel * (load / s.force) ** (1 / 3))
    start = {"x": place * rng.uniform(0.3, 2)}
    return Study(mb.derive(system), ("x",), (place,), potential, lambda x: [[s.mass]], [[c]], start)


STUDIES = (bearing, pendulum, double_pendulum, cart, two_springs, slider_crank, contact)


# references ----------------------------------------------------------------------------------------------------------


def gradient(study: Study, q: Sequence[Any]) -> Any:
    """∂V/∂q."""
    n = len(q)
    return mp.matrix([mp.diff(study.potential, tuple(q), tuple(int(i == k) for i in range(n))) for k in range(n)])


def curvature(study: Study, q: Sequence[Any]) -> Any:
    """∂²V/∂q²."""
    n = len(q)

    def order(i: int, j: int) -> tuple[int, ...]:
        return tuple(int(i == k) + int(j == k) for k in range(n))

    return mp.matrix([[mp.diff(study.potential, tuple(q), order(i, j)) for j in range(n)] for i in range(n)])


def exact_place(study: Study, q: Sequence[float]) -> list[Any]:
    """The equilibrium next to q, by Newton's method."""
    sizes, place = mp.matrix(study.sizes), mp.matrix([mp.mpf(float(x)) for x in q])
    for _ in range(12):
        step = mp.lu_solve(curvature(study, list(place)), gradient(study, list(place)))
        place = place - step
        if max(abs(step[k] / sizes[k]) for k in range(len(q))) < mp.mpf(10) ** (-DIGITS // 2):
            break
    return list(place)


def exact_matrix(study: Study, q: Sequence[Any]) -> Any:
    """A = [0 1; -M⁻¹·K -M⁻¹·C] with all digits."""
    n, M = len(q), mp.matrix(study.mass(*q))
    lower = [-mp.inverse(M) * curvature(study, q), -mp.inverse(M) * mp.matrix(study.damping)]
    A = mp.zeros(2 * n)
    for i in range(n):
        A[i, n + i] = 1
        for j in range(n):
            A[n + i, j], A[n + i, n + j] = lower[0][i, j], lower[1][i, j]
    return A


def expected_stability(poles: Sequence[Any], zero: np.ndarray, allowed: np.ndarray) -> set[str]:
    """Verdicts that are right: those of the real parts, unless they are within the tolerances."""
    real = np.where(zero, 0.0, [float(s.real) for s in poles])
    if (real > allowed).any():
        return {"unstable"}
    if (real < -allowed).all():
        return {"stable"}
    doubtful = [s for s, x, rest, off in zip(poles, zero, real, allowed, strict=True) if not x and abs(rest) <= off]
    on_axis = all(abs(s.real) <= mp.mpf(10) ** (-DIGITS // 2) * abs(s) for s in doubtful)
    return {"marginal"} if on_axis else {"marginal", "stable", "unstable", "undecided"}


def largest_terms(study: Study, A: np.ndarray) -> np.ndarray:
    """What entries of A are compared with: themselves, or the largest term of their row in this column's unit."""
    sizes = np.array(study.sizes)
    n, fastest = len(sizes), float(np.sqrt(np.abs(A[len(sizes) :, : len(sizes)] * sizes / sizes[:, None]).max()))
    states = np.concatenate([sizes, sizes * fastest])
    rows = (np.abs(A) * states).max(axis=1, keepdims=True)
    return np.maximum(np.abs(A), 1e-3 * rows / states) * np.repeat([[1.0], [1.0]], n, axis=0)


# cases ---------------------------------------------------------------------------------------------------------------


def static(rng: np.random.Generator, seed: int) -> Outcome:
    """An equilibrium from a start, its state matrix, and what it says about steadiness and stability."""
    s = scale(rng)
    make = STUDIES[int(rng.integers(len(STUDIES)))]
    study = make(rng, s)
    what = f"{make.__name__} in {s.unit}: length {s.length:.3g}, mass {s.mass:.3g}"
    found = result_of(equilibrium, study.eom, at=study.start)
    with mp.workdps(DIGITS):
        q = [found[name] for name in study.names]
        exact = exact_place(study, q)
        off = [abs(float(x - y)) / size for x, y, size in zip(q, exact, study.sizes, strict=True)]
        if not max(off) <= PLACE:
            return Outcome(BATTERY, seed, WRONG, what, f"{q} instead of {[float(x) for x in exact]}")
        precise = exact_matrix(study, exact)
        A, poles = np.array(precise.tolist(), dtype=float), mp.eig(precise, left=False, right=False)
        allowed = REAL_PART * np.array([float(abs(s)) for s in poles])
        verdicts = expected_stability(poles, np.zeros(len(poles), dtype=bool), allowed)
    if found.lasts is not True or not result_of(lambda: found.linear).steady:
        return Outcome(BATTERY, seed, WRONG, what, f"lasts={found.lasts}, steady={found.linear.steady}")
    speeds = [f"{name}_dot" for name in study.names]
    linear = result_of(linearize, study.eom, at=found, independent=[*study.names, *speeds])
    order = [linear.states.index(name) for name in (*study.names, *speeds)]
    wrong = np.abs(linear.A[np.ix_(order, order)] - A) > SLOPE * largest_terms(study, A)
    if wrong.any():
        return Outcome(BATTERY, seed, WRONG, what, f"A = {linear.A.tolist()} instead of {A.tolist()}")
    if found.stability in verdicts:
        return Outcome(BATTERY, seed, RIGHT, what)
    wrong = f"{found.stability} instead of {verdicts} with the poles {[complex(s) for s in poles]}"
    return Outcome(BATTERY, seed, REFUSED if found.stability == "undecided" else WRONG, what, wrong)


def circling(rng: np.random.Generator, seed: int) -> Outcome:
    """A pendulum on a shaft that turns freely: cos φ = g/(l·ω²), and its state matrix."""
    s = scale(rng)
    inertia, ratio = s.mass * s.length**2 * rng.uniform(0.1, 10), rng.uniform(1.1, 4)
    omega = float(np.sqrt(ratio * s.gravity / s.length))
    system = mb.System("conical", gravity=(0, 0, -s.gravity))
    shaft = system.body("shaft", s.mass, inertia=(inertia, inertia, inertia))
    system.joint("turn", system.world, shaft, "Rz", u=omega)
    system.joint("a", shaft, system.body("bob", s.mass, (0, 0, -s.length)), "Ry", q=0.8)
    what = f"conical in {s.unit}: length {s.length:.3g}, mass {s.mass:.3g}, omega {omega:.3g}"
    found = result_of(equilibrium, mb.derive(system), fixed={"turn_dot": omega}, moving=["turn"])
    with mp.workdps(DIGITS):
        m, l, g, w, I = (mp.mpf(float(x)) for x in (s.mass, s.length, s.gravity, omega, inertia))
        tilts = [mp.acos(g / (l * w**2)), -mp.acos(g / (l * w**2)), mp.mpf(0), mp.pi]
        tilt = min(tilts, key=lambda one: abs(one - found["a"]))

        def rates(a: Any, v: Any, w: Any) -> tuple[Any, Any, Any]:
            swing = mp.sin(a) * mp.cos(a) * w**2 - g / l * mp.sin(a)
            return v, swing, -2 * m * l**2 * mp.sin(a) * mp.cos(a) * v * w / (I + m * l**2 * mp.sin(a) ** 2)

        point = (tilt, mp.mpf(0), w)
        A = [[mp.diff(lambda *x, i=i: rates(*x)[i], point, tuple(int(j == k) for k in range(3))) for j in range(3)]
             for i in range(3)]  # fmt: skip
        exact, expected = float(tilt), np.array(A, dtype=float)
    if abs(found["a"] - exact) > PLACE or found.lasts is not True or not found.linear.steady or found.linear.at_rest:
        return Outcome(BATTERY, seed, WRONG, what, f"{found['a']} instead of {exact}, lasts={found.lasts}")
    linear = found.linear
    order = [linear.states.index(name) for name in ("a", "a_dot", "turn_dot")]
    sizes = np.array([1.0, omega, omega])
    off = np.abs(linear.A[np.ix_(order, order)] - expected) * sizes / sizes[:, None] / omega
    bad = off.max() > SLOPE
    return Outcome(BATTERY, seed, WRONG if bad else RIGHT, what, f"{linear.A.tolist()} instead of {A}" if bad else "")


def trimmed(rng: np.random.Generator, seed: int) -> Outcome:
    """A moment that holds a pendulum at an angle; beyond its limits there is none."""
    s = scale(rng)
    angle, share = float(rng.uniform(0.1, 1.5)), float(rng.choice([0.5, 0.999, 1.001, 2.0]))
    needed = s.force * s.length * np.sin(angle)
    system = mb.System("held", gravity=(0, 0, -s.gravity))
    hinge = system.joint("a", system.world, system.body("bob", s.mass, (0, 0, -s.length)), "Ry")
    limit = share * needed
    system.load(mb.JointLoad(hinge, system.input("M", limits=(-limit, limit))))
    what = f"held in {s.unit}: length {s.length:.3g}, mass {s.mass:.3g}, limit {share} of the moment"
    try:
        found = result_of(equilibrium, mb.derive(system), fixed={"a": angle}, free=["M"])
    except Refused as refusal:
        return Outcome(BATTERY, seed, RIGHT if share < 1 else REFUSED, what, "" if share < 1 else str(refusal))
    good = share > 1 and abs(found["M"] - needed) <= 1e-12 * needed
    return Outcome(BATTERY, seed, RIGHT if good else WRONG, what, "" if good else f"{found['M']} instead of {needed}")


def unsteady(rng: np.random.Generator, seed: int) -> Outcome:
    """Forces that follow time, and laws with a kink at the equilibrium: nothing is decided there."""
    s = scale(rng)
    k, rate = s.force / s.length, 10 ** rng.uniform(-2, 3) * float(np.sqrt(s.gravity / s.length))
    system = mb.System("unsteady", gravity=(0, 0, 0))
    slide = system.joint("x", system.world, system.body("box", s.mass), "Tx")
    x, t = slide.coordinate, system.time
    kind = str(rng.choice(["cos", "power", "table", "where", "abs", "switch"]))
    force = {
        "cos": lambda: s.force * cos(rate * t) - k * x,
        "power": lambda: s.force * (1 + (rate * t) ** 4) - k * x,
        "switch": lambda: where(less(rate * t, 1), s.force, 0) - k * x,
        "table": lambda: -k * s.length * Table("f", [-2.0, 0.0, 2.0], [-2.0, 0.0, 6.0])(x / s.length),
        "where": lambda: where(less(x, 0), -k * x, -3 * k * x),
        "abs": lambda: -k * x - k / 2 * absolute(x),
    }[kind]()
    system.load(mb.JointLoad(slide, force))
    system.load(mb.JointDamper(slide, float(np.sqrt(k * s.mass))))
    what = f"{kind} in {s.unit}: length {s.length:.3g}, mass {s.mass:.3g}, rate {rate:.3g}"
    found = result_of(equilibrium, mb.derive(system))
    decided = found.stability != "undecided" or "undecided" not in str(found)
    if kind in ("cos", "power", "switch"):
        return Outcome(BATTERY, seed, WRONG if decided or found.lasts is not False else RIGHT, what, str(found.lasts))
    try:
        slope = found.linear.A[1, 0]
    except ExpressionError:
        return Outcome(BATTERY, seed, WRONG if decided else RIGHT, what)
    return Outcome(BATTERY, seed, WRONG, what, f"a slope {slope} at a kink")


def case(seed: int) -> Outcome:
    """One case: mostly equilibria, some steady motions, trims, and points at which nothing is decided."""
    rng = generator(BATTERY, seed)
    kind = rng.choice([static, circling, trimmed, unsteady], p=[0.6, 0.15, 0.1, 0.15])
    try:
        return kind(rng, seed)
    except Refused as refusal:
        return Outcome(BATTERY, seed, REFUSED, kind.__name__, str(refusal))
