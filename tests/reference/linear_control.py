"""Controllability, observability, regulators and observers of random models in random units.

Verdicts are compared with exact ranks, gains with solutions of Riccati's equation with 50 digits. Models are written
twice: with the package, and as matrices M·q̈ + D·q̇ + K·q = H·f with exact fractions. Masses differ by up to 1e8, and
lengths go from 10 µm to 1 km, in SI units, mm-t-s or µm-µg-s.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import mpmath as mp
import numpy as np

import multibody as mb
from multibody.linearization import kalman, linearize, lqr

from . import exact_control as exact
from .case import REFUSED, RIGHT, WRONG, Outcome, Refused, generator, result_of
from .linear_points import Scale, scale

BATTERY = "linear_control"
GAIN = 1e-6
"""Largest error of gains, relative to the bound √(bᵀ·P·b)·√(Pⱼⱼ)/R of an entry."""
POLE = 1e-5
"""Largest error of poles that are not reached, relative to the largest pole; several may be equal."""
STILL = mp.mpf(10) ** -30


class Study(NamedTuple):
    """A model, and the same by hand.

    Attributes:
        system: of the package.
        names: coordinates, in the order of the reference.
        sizes: of these.
        mass: M.
        damping: D, gyroscopic terms included.
        stiffness: K.
        drive: H, a column for each input.
        outputs: sums of coordinates that are measured, by names of sensors.
    """

    system: Any
    names: tuple[str, ...]
    sizes: tuple[float, ...]
    mass: Sequence[Sequence[Any]]
    damping: Sequence[Sequence[Any]]
    stiffness: Sequence[Sequence[Any]]
    drive: Sequence[Sequence[Any]]
    outputs: dict[str, Sequence[Any]]


class Exact(NamedTuple):
    """A, B and C with fractions."""

    A: exact.Rows
    B: exact.Rows
    C: exact.Rows


def exact_matrices(study: Study) -> Exact:
    """A = [0 1; -M⁻¹·K -M⁻¹·D] and so on."""
    n, M = len(study.names), exact.fractions(study.mass)
    forces = [[-Fraction(value) for value in (*k, *d)] for k, d in zip(study.stiffness, study.damping, strict=True)]
    upper = [[Fraction(int(j == n + i)) for j in range(2 * n)] for i in range(n)]
    B = exact.solved(M, exact.fractions(study.drive))
    zeros = [[Fraction(0)] * len(B[0]) for _ in range(n)]
    C = [[*map(Fraction, row), *([Fraction(0)] * n)] for row in study.outputs.values()]
    return Exact([*upper, *exact.solved(M, forces)], [*zeros, *B], C)


# models --------------------------------------------------------------------------------------------------------------


class Line:
    """Masses on a line with springs and dampers, written with the package and as matrices.

    Args:
        name: of the system.
        masses: of the bodies.
        relative: whether each coordinate counts from the body before.
    """

    def __init__(self, name: str, masses: Sequence[float], relative: bool = False) -> None:
        self.count, self.relative = len(masses), relative
        self.system = mb.System(name, gravity=(0, 0, 0))
        bodies = [self.system.body(f"b{k}", float(mass)) for k, mass in enumerate(masses)]
        before = [self.system.world, *bodies] if relative else [self.system.world] * self.count
        self.joints = [
            self.system.joint(f"x{k}", base, body, "Tx")
            for k, (base, body) in enumerate(zip(before, bodies, strict=False))
        ]
        self.rows = [[int(j <= k) if relative else int(j == k) for j in range(self.count)] for k in range(self.count)]
        self.mass, self.damping, self.stiffness = (self._zeros() for _ in range(3))
        for mass, row in zip(masses, self.rows, strict=True):
            self._add(self.mass, row, float(mass))
        self.drive: list[list[Fraction]] = [[] for _ in range(self.count)]
        self.outputs: dict[str, list[Any]] = {}

    def _zeros(self) -> list[list[Fraction]]:
        return [[Fraction(0)] * self.count for _ in range(self.count)]

    def _add(self, matrix: list[list[Fraction]], row: Sequence[Any], value: float) -> None:
        for i in range(self.count):
            for j in range(self.count):
                matrix[i][j] += Fraction(value) * row[i] * row[j]

    def direction(self, weights: Sequence[Any]) -> list[Fraction]:
        """A sum of places of bodies, by coordinates."""
        return [sum((Fraction(w) * row[j] for w, row in zip(weights, self.rows, strict=True)), Fraction(0))
                for j in range(self.count)]  # fmt: skip

    def _expression(self, direction: Sequence[Fraction], speeds: bool = False) -> Any:
        symbols = [joint.speed if speeds else joint.coordinate for joint in self.joints]
        terms = [float(w) * symbol for w, symbol in zip(direction, symbols, strict=True) if w]
        return sum(terms[1:], terms[0])

    def _act(self, direction: Sequence[Fraction], force: Any) -> None:
        for joint, w in zip(self.joints, direction, strict=True):
            if w:
                self.system.load(mb.JointLoad(joint, float(w) * force))

    def spring(self, weights: Sequence[Any], k: float, c: float = 0.0) -> None:
        """A spring, with a damper, whose length is a sum of places."""
        direction = self.direction(weights)
        self._act(direction, -float(k) * self._expression(direction))
        self._add(self.stiffness, direction, float(k))
        if c:
            self._act(direction, -float(c) * self._expression(direction, speeds=True))
            self._add(self.damping, direction, float(c))

    def force(self, name: str, weights: Sequence[Any]) -> None:
        """An input that acts along a sum of places."""
        direction = self.direction(weights)
        self._act(direction, self.system.input(name))
        for row, w in zip(self.drive, direction, strict=True):
            row.append(w)

    def sensor(self, name: str, weights: Sequence[Any]) -> None:
        """A sum of places."""
        direction = self.direction(weights)
        self.system.sensor(name, mb.Expression(self._expression(direction)))
        self.outputs[name] = direction

    def swirl(self, i: int, j: int, g: float) -> None:
        """A gyroscopic force between two coordinates."""
        self.system.load(mb.JointLoad(self.joints[i], -float(g) * self.joints[j].speed))
        self.system.load(mb.JointLoad(self.joints[j], float(g) * self.joints[i].speed))
        self.damping[i][j] += Fraction(float(g))
        self.damping[j][i] -= Fraction(float(g))

    def study(self, s: Scale) -> Study:
        """All of it."""
        names = tuple(f"x{k}" for k in range(self.count))
        sizes = (s.length,) * self.count
        return Study(self.system, names, sizes, self.mass, self.damping, self.stiffness, self.drive, self.outputs)


def unit(count: int, *places: int) -> list[int]:
    """Ones at some places."""
    return [int(k in places) for k in range(count)]


def difference(count: int, i: int, j: int) -> list[int]:
    """Place i minus place j."""
    return [int(k == i) - int(k == j) for k in range(count)]


def masses(rng: np.random.Generator, s: Scale) -> Study:
    """Two or three masses in a row, which differ by up to 1e8, with or without springs to the ground."""
    count = int(rng.integers(2, 4))
    sizes = s.mass * 10 ** rng.uniform(-8, 0, count)
    line = Line("masses", sizes, relative=bool(rng.integers(2)))
    stiffness, damped = s.force / s.length, rng.random() < 0.5
    for k in range(count - 1):
        size = stiffness * 10 ** rng.uniform(-2, 2)
        lighter = float(sizes[k : k + 2].min())
        line.spring(difference(count, k + 1, k), size, 0.05 * np.sqrt(size * lighter) if damped else 0.0)
    if rng.random() < 0.6:
        line.spring(unit(count, 0), stiffness * 10 ** rng.uniform(-2, 2))
    line.force("F", unit(count, int(rng.integers(count))))
    line.sensor("y", unit(count, int(rng.integers(count))))
    return line.study(s)


def pair(rng: np.random.Generator, s: Scale) -> Study:
    """Two equal masses, or nearly so, with forces and sensors on the sum or on the difference."""
    off = float(rng.choice([0.0, 0.0, 1e-2, 1e-4]))
    line = Line("pair", [s.mass, s.mass * (1 + off)])
    k, coupling = s.force / s.length * 10 ** rng.uniform(-2, 2, 2)
    damper = float(rng.choice([0.0, 0.0, 0.02])) * np.sqrt(k * s.mass)
    for place in range(2):
        line.spring(unit(2, place), k, damper)
    line.spring(difference(2, 0, 1), coupling)
    line.force("F", [1, 1] if rng.integers(2) else [1, -1])
    line.sensor("y", [1, 1] if rng.integers(2) else [1, -1])
    return line.study(s)


def equals(rng: np.random.Generator, s: Scale) -> Study:
    """Equal oscillators that do not touch: poles of a group, of which as many are reached as there are inputs."""
    line = Line("equals", [s.mass] * 3)
    k = s.force / s.length * 10 ** rng.uniform(-2, 2)
    damper = float(rng.choice([0.0, 0.02])) * np.sqrt(k * s.mass)
    for place in range(3):
        line.spring(unit(3, place), k, damper)
    for number in range(int(rng.integers(1, 4))):
        line.force(f"F{number}", rng.integers(-2, 3, 3).tolist() if rng.random() < 0.5 else unit(3, number))
    for number in range(int(rng.integers(1, 4))):
        line.sensor(f"y{number}", unit(3, number, (number + 1) % 3))
    return line.study(s)


def chain(rng: np.random.Generator, s: Scale) -> Study:
    """A chain in relative coordinates, driven at one end or in the middle of a symmetric one."""
    mirror = rng.random() < 0.5
    sizes = [1.0, float(rng.uniform(0.3, 3)), 1.0] if mirror else rng.uniform(0.1, 2, 3).tolist()
    line = Line("chain", [s.mass * size for size in sizes], relative=True)
    k, ground = s.force / s.length * 10 ** rng.uniform(-2, 2, 2)
    line.spring(difference(3, 1, 0), k)
    line.spring(difference(3, 2, 1), k if mirror else k * rng.uniform(0.1, 10))
    if rng.random() < 0.5:
        line.spring(unit(3, 0), ground)
        line.spring(unit(3, 2), ground)
    line.force("F", unit(3, 1) if mirror else unit(3, 0))
    line.sensor("y", unit(3, int(rng.integers(3))))
    return line.study(s)


def gyroscope(rng: np.random.Generator, s: Scale) -> Study:
    """Two coordinates that a gyroscopic force couples, isotropic or not, on springs or free."""
    line = Line("gyroscope", [s.mass, s.mass * float(rng.choice([1.0, 1.7]))])
    k = s.force / s.length * 10 ** rng.uniform(-2, 2)
    if rng.random() < 0.7:
        line.spring(unit(2, 0), k)
        line.spring(unit(2, 1), k * float(rng.choice([1.0, 3.0])))
    line.swirl(0, 1, np.sqrt(k * s.mass) * 10 ** rng.uniform(-2, 2))
    line.force("F", unit(2, 0))
    line.sensor("y", unit(2, int(rng.integers(2))))
    return line.study(s)


def free(rng: np.random.Generator, s: Scale) -> Study:
    """Free bodies: driven from outside, or only against each other, so that their common motion is not reached."""
    line = Line("free", s.mass * 10 ** rng.uniform(-3, 0, 2), relative=bool(rng.integers(2)))
    if rng.random() < 0.7:
        k = s.force / s.length * 10 ** rng.uniform(-2, 2)
        line.spring(difference(2, 1, 0), k, np.sqrt(k * s.mass) * 0.1 if rng.integers(2) else 0.0)
    line.force("F", [[1, 0], [0, 1], [1, -1]][int(rng.integers(3))])
    line.sensor("y", [[1, 0], [0, 1], [1, -1]][int(rng.integers(3))])
    return line.study(s)


def cart(rng: np.random.Generator, s: Scale) -> Study:
    """A cart with one or two point masses on rods that stand or hang, equal or not, driven by a force."""
    count, up = int(rng.integers(1, 3)), bool(rng.integers(2))
    lengths = s.length * np.array([1.0, rng.choice([1.0, rng.uniform(0.2, 0.9)])])[:count]
    bobs = s.mass * np.array([1.0, rng.choice([1.0, rng.uniform(0.2, 0.9)])])[:count]
    box = float(s.mass * 10 ** rng.uniform(-1, 3))
    system = mb.System("cart", gravity=(0, 0, -s.gravity))
    body, sign = system.body("box", box), 1.0 if up else -1.0
    slide = system.joint("x", system.world, body, "Tx")
    for k, (length, bob) in enumerate(zip(lengths, bobs, strict=True)):
        system.joint(f"a{k}", body, system.body(f"bob{k}", float(bob), (0, 0, sign * float(length))), "Ry")
    system.load(mb.JointLoad(slide, system.input("F")))
    system.sensor("y", mb.Expression(slide.coordinate))
    n = count + 1
    M, K = [[Fraction(0)] * n for _ in range(n)], [[Fraction(0)] * n for _ in range(n)]
    M[0][0] = Fraction(box) + sum(map(Fraction, bobs.tolist()))
    for k, (length, bob) in enumerate(
        zip(map(Fraction, lengths.tolist()), map(Fraction, bobs.tolist()), strict=True), 1
    ):
        M[0][k] = M[k][0] = int(sign) * bob * length
        M[k][k] = bob * length**2
        K[k][k] = -int(sign) * bob * Fraction(s.gravity) * length
    zeros = [[Fraction(0)] * n for _ in range(n)]
    names, sizes = ("x", *(f"a{k}" for k in range(count))), (s.length, *([1.0] * count))
    return Study(system, names, sizes, M, zeros, K, [[1], *([[0]] * count)], {"y": unit(n, 0)})


STUDIES = (masses, pair, equals, chain, gyroscope, free, cart)


# verdicts ------------------------------------------------------------------------------------------------------------


def verdict_error(found: Any, A: exact.Rows, B: exact.Rows) -> str:
    """What a table of modes says that is wrong; empty if nothing is."""
    n, rank = len(A), len(exact.reachable(A, B))
    if found.rank + len(found.missing) + len(found.undecided) != n or found.complete != (found.rank == n):
        return f"contradictions: {found}"
    if [row[1] for row in found.rows()[1:]] != list(found.verdicts):
        return f"the table says something else: {found}"
    if found.rank > rank or len(found.missing) > n - rank:
        return f"rank {found.rank} of {n}, missing {found.missing} instead of rank {rank}"
    largest = float(max(abs(pole) for pole in exact.eigenvalues(A)))
    poles = np.array([complex(pole) for pole in exact.unreached_poles(A, B)])
    for pole in found.missing:
        if np.abs(poles - pole).min(initial=np.inf) > POLE * largest:
            return f"missing {pole} instead of {poles}"
    return ""


def holds(A: exact.Rows, B: exact.Rows) -> bool:
    """Whether all that is not reached decays."""
    largest = max(abs(pole) for pole in exact.eigenvalues(A))
    return all(mp.re(pole) < -STILL * largest for pole in exact.unreached_poles(A, B))


# gains ---------------------------------------------------------------------------------------------------------------


def gain_error(K: Any, data: tuple[Any, Any, Any, Any]) -> str:
    """What is wrong with gains, compared with the solution for exact matrices; empty if nothing is."""
    A, B, Q, R = data
    try:
        reference = exact.regulation(A, B, Q, R, mp.matrix(K.tolist()))
    except ValueError as error:
        return str(error)
    P = reference.P
    for i in range(B.cols):
        size = mp.sqrt(abs((B[:, i].T * P * B[:, i])[0])) / R[i, i]
        for j in range(A.rows):
            if abs(reference.K[i, j] - K[i][j]) > GAIN * size * mp.sqrt(abs(P[j, j])):
                return f"gains {K.tolist()} instead of {reference.K.tolist()}"
    return ""


def named(names: Sequence[str], values: Sequence[float]) -> dict[str, float]:
    """Numbers by name."""
    return dict(zip(names, values, strict=True))


def diagonal(values: Sequence[float]) -> Any:
    """A diagonal matrix of mpmath."""
    return mp.diag([mp.mpf(value) for value in values])


def judged(call: Callable[[], Any], possible: bool, check: Callable[[Any], str]) -> tuple[str, str]:
    """The verdict on a design that is possible or not."""
    try:
        design = result_of(call)
    except Refused as refusal:
        says_none = getattr(refusal.__cause__, "code", "") in ("mode-not-reached", "weights-miss-mode")
        return (WRONG if says_none and possible else RIGHT if says_none else REFUSED), str(refusal)
    if not possible:
        return WRONG, "a design that is not possible was accepted"
    text = check(design)
    return (WRONG, text) if text else (RIGHT, "")


def case(seed: int) -> Outcome:
    """A random model: verdicts on controllability and observability, gains of a regulator and of an observer."""
    rng = generator(BATTERY, seed)
    s = scale(rng)
    make = STUDIES[int(rng.integers(len(STUDIES)))]
    study = make(rng, s)
    what = f"{make.__name__} in {s.unit}: length {s.length:.3g}, mass {s.mass:.3g}"
    try:
        return _case(rng, seed, s, study, what)
    except Refused as refusal:
        return Outcome(BATTERY, seed, REFUSED, what, str(refusal))


def _case(rng: np.random.Generator, seed: int, s: Scale, study: Study, what: str) -> Outcome:
    eom = mb.derive(study.system)
    speeds = [f"{name}_dot" for name in study.names]
    linear = result_of(linearize, eom, outputs=list(study.outputs))
    A, B, C = exact_matrices(study)
    dual = exact.transposed(A), exact.transposed(C)
    for found, matrices in ((linear.controllability, (A, B)), (linear.observability, dual)):
        text = verdict_error(found, *matrices)
        if text:
            return Outcome(BATTERY, seed, WRONG, what, text)
        if len(found.undecided):
            return Outcome(BATTERY, seed, REFUSED, what, str(found))
    rate = float(np.sqrt(s.gravity / s.length))
    weights = 10 ** rng.uniform(-1, 1, len(study.names)) / np.array(study.sizes) ** 2
    effort = 10 ** rng.uniform(-1, 1, len(linear.inputs)) / s.force**2
    intensities = 10 ** rng.uniform(-1, 1, len(speeds)) * (rate**2 * np.array(study.sizes)) ** 2
    noise = 10 ** rng.uniform(-1, 1, len(linear.outputs)) * s.length**2
    order = [linear.states.index(name) for name in (*study.names, *speeds)]
    zeros = [0.0] * len(speeds)
    with mp.workdps(exact.DIGITS):
        precise = [exact.precise(matrix) for matrix in (A, B, C)]
        verdicts = [
            judged(
                lambda: lqr(linear, named(study.names, weights), named(linear.inputs, effort)),
                holds(A, B),
                lambda design: gain_error(
                    design.K[:, order], (precise[0], precise[1], diagonal([*weights, *zeros]), diagonal(effort))
                ),
            ),
            judged(
                lambda: kalman(linear, named(speeds, intensities), named(linear.outputs, noise)),
                holds(*dual),
                lambda design: gain_error(
                    design.L[order].T, (precise[0].T, precise[2].T, diagonal([*zeros, *intensities]), diagonal(noise))
                ),
            ),
        ]  # fmt: skip
    worst = next((pair for level in (WRONG, REFUSED) for pair in verdicts if pair[0] == level), (RIGHT, ""))
    return Outcome(BATTERY, seed, worst[0], what, worst[1])
