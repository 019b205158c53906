"""Poles, modes, verdicts and critical values of random models in random units, against matrices with 50 digits.

Models are written twice: with the package, and as M·q̈ + C·q̇ + K·q = 0 by hand. Poles of the latter are found with 50
digits for exactly the numbers of the model; what a change of these numbers in their last digits does to a pole is its
tolerance. Masses differ by up to twelve orders of magnitude, so that poles spread over twenty.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import mpmath as mp
import numpy as np
from scipy.optimize import linear_sum_assignment

import multibody as mb
from multibody.errors import ConditioningWarning
from multibody.graph import cos, sin
from multibody.linearization import critical_values, linearize
from multibody.linearization.studies.root_locus import along

from .case import REFUSED, RIGHT, WRONG, Outcome, Refused, generator, result_of
from .linear_points import DIGITS, Scale, expected_stability, scale

BATTERY = "linear_spectra"
POLE, VALUE = 1e-9, 1e-7
"""Largest relative errors of poles and of critical values."""
LAST_DIGITS, ROUNDING = 1e-14, 1e-16
"""Relative changes of the numbers of a model, and of the entries of its mass matrix, for the tolerances."""

ZERO = 1e-21
"""Relative to the largest, a pole so small is one of two that are zero."""

Numbers = Sequence[Any]


class Study(NamedTuple):
    """A model, and the same by hand.

    Attributes:
        eom: of the package.
        at: the operating point.
        numbers: of the model.
        matrices: M, C and K by these numbers.
        lossy: whether the mass matrix loses digits: a warning and the error bounds must say so.
    """

    eom: Any
    at: dict[str, float]
    numbers: list[float]
    matrices: Callable[[Numbers], tuple[Any, Any, Any]]
    lossy: bool = False


# models --------------------------------------------------------------------------------------------------------------


def chain(rng: np.random.Generator, s: Scale, masses: Any = None, dampers: Any = None) -> Study:
    """Masses in a row, each on a spring, or a spring and a damper, to the one before; the first perhaps free."""
    n = int(rng.integers(1, 6)) if masses is None else len(masses)
    damped = bool(rng.random() < 0.5) if dampers is None else True
    m = s.mass * 10 ** rng.uniform(-2, 1, n) if masses is None else masses
    k = s.force / s.length * 10 ** rng.uniform(-2, 3, n)
    c = dampers if dampers is not None else np.sqrt(k * m) * 10 ** rng.uniform(-3, 0.5, n) * damped
    free = bool(rng.random() < 0.3)
    if free:
        k[0] = c[0] = 0.0
    system = mb.System("chain", gravity=(0, 0, 0))
    before: Any = system.world
    for i in range(n):
        body = system.body(f"m{i}", float(m[i]))
        joint = system.joint(f"x{i}", before, body, "Tx")
        if k[i]:
            system.load(mb.JointSpring(joint, float(k[i])))
        if c[i]:
            system.load(mb.JointDamper(joint, float(c[i])))
        before = body

    def matrices(numbers: Numbers) -> tuple[Any, Any, Any]:
        m, k, c = (numbers[i * n : (i + 1) * n] for i in range(3))
        M = mp.matrix([[sum(m[max(i, j) :], mp.mpf(0)) for j in range(n)] for i in range(n)])
        return M, mp.diag(list(c)), mp.diag(list(k))

    lossy = bool(m[-1] > 1e3 * m.min())
    return Study(mb.derive(system), {}, [*map(float, (*m, *k, *c))], matrices, lossy)


def extreme_masses(rng: np.random.Generator, s: Scale) -> Study:
    """Two masses whose ratio is up to 1e12, with dampers that are stiff for the lighter one."""
    m = s.mass * np.array([1.0, 10 ** rng.uniform(-12, 12)])
    c = np.sqrt(s.force / s.length * s.mass) * np.array([10 ** rng.uniform(-3, 0), 10 ** rng.uniform(-1, 3)])
    return chain(rng, s, m, c)


def side_by_side(rng: np.random.Generator, s: Scale) -> Study:
    """Two masses of any ratio, each with its own coordinate, tied by a spring and a damper; the first on a spring."""
    m = s.mass * np.array([1.0, 10 ** rng.uniform(-12, 6)])
    k = s.force / s.length * 10 ** rng.uniform(-2, 2, 2) * np.array([rng.random() < 0.7, 1.0])
    c = float(np.sqrt(k[1] * s.mass) * 10 ** rng.uniform(-3, 2) * (rng.random() < 0.7))
    system = mb.System("pair", gravity=(0, 0, 0))
    bodies = [system.body(f"body_{name}", float(mass)) for name, mass in zip("ab", m, strict=True)]
    joints = [system.joint(name, system.world, body, "Tx") for name, body in zip("ab", bodies, strict=True)]
    (a, b), (va, vb) = (joint.coordinate for joint in joints), (joint.speeds[0] for joint in joints)
    pull = float(k[1]) * (b - a) + c * (vb - va)
    system.load(mb.JointLoad(joints[0], pull - float(k[0]) * a))
    system.load(mb.JointLoad(joints[1], -pull))

    def matrices(numbers: Numbers) -> tuple[Any, Any, Any]:
        m1, m2, k1, k2, c = numbers
        tie = mp.matrix([[1, -1], [-1, 1]])
        return mp.diag([m1, m2]), c * tie, k2 * tie + mp.diag([k1, 0])

    return Study(mb.derive(system), {}, [*map(float, (*m, *k)), c], matrices)


def cart(rng: np.random.Generator, s: Scale) -> Study:
    """A cart that may be anywhere, with a pole that stands or hangs on a spring."""
    m, big, l = s.mass, s.mass * 10 ** rng.uniform(-2, 3), s.length
    up = rng.random() < 0.5
    k = s.force * l * rng.uniform(0.1, 3)
    c = m * l**2 * np.sqrt(s.gravity / l) * 10 ** rng.uniform(-3, 0) * (rng.random() < 0.6)
    system = mb.System("cart", gravity=(0, 0, -s.gravity))
    (stiffness,) = system.parameters(k=float(k))
    box = system.body("box", float(big))
    system.joint("x", system.world, box, "Tx")
    height = float(l if up else -l)
    hinge = system.joint("a", box, system.body("pole", float(m), (0, 0, height)), "Ry")
    system.load(mb.JointSpring(hinge, stiffness))
    if c:
        system.load(mb.JointDamper(hinge, float(c)))

    def matrices(numbers: Numbers) -> tuple[Any, Any, Any]:
        m, big, height, k, c, g = numbers
        M = mp.matrix([[big + m, m * height], [m * height, m * height**2]])
        return M, mp.diag([0, c]), mp.diag([0, k - m * g * height])

    return Study(mb.derive(system), {}, [m, big, height, float(k), float(c), s.gravity], matrices)


def rotor(rng: np.random.Generator, s: Scale) -> Study:
    """A spinning disc on springs in two angles: gyroscopic terms ∓J·Ω."""
    across, along_axis = s.mass * s.length**2 * rng.uniform(0.1, 1), s.mass * s.length**2 * rng.uniform(0.15, 0.2)
    k = s.force * s.length * 10 ** rng.uniform(-1, 2, 2)
    spin = float(np.sqrt(k.max() / across) * 10 ** rng.uniform(-1, 3))
    c = float(np.sqrt(k.max() * across) * 10 ** rng.uniform(-3, 0) * (rng.random() < 0.5))
    system = mb.System("rotor", gravity=(0, 0, 0))
    disc = system.body("disc", s.mass, inertia=(float(across), float(across), float(along_axis)))
    outer = system.body("outer", 0.0)
    inner = system.body("inner", 0.0)
    first = system.joint("a", system.world, outer, "Rx")
    second = system.joint("b", outer, inner, "Ry")
    system.joint("spin", inner, disc, "Rz", u=spin)
    for joint, stiffness in ((first, k[0]), (second, k[1])):
        system.load(mb.JointSpring(joint, float(stiffness)))
        if c:
            system.load(mb.JointDamper(joint, c))

    def matrices(numbers: Numbers) -> tuple[Any, Any, Any]:
        across, along_axis, k1, k2, c, spin = numbers
        turning = along_axis * spin
        M = mp.diag([across, across, along_axis])
        C = mp.matrix([[c, turning, 0], [-turning, c, 0], [0, 0, 0]])
        return M, C, mp.diag([k1, k2, 0])

    numbers = [float(across), float(along_axis), float(k[0]), float(k[1]), c, spin]
    return Study(mb.derive(system), {"spin_dot": spin}, numbers, matrices)


def car(rng: np.random.Generator, s: Scale) -> Study:
    """A car on two tires with lateral forces -c·(slip angle), at a speed; place, heading and speed are free."""
    eom, numbers, critical = vehicle(rng, s)
    speed = float(rng.uniform(0.3, 2) * critical)
    return Study(eom, {"p_tx_dot": speed}, [*numbers, speed], _car_matrices)


def _car_matrices(numbers: Numbers) -> tuple[Any, Any, Any]:
    m, inertia, a, b, front, rear, v = numbers
    turn = a * front - b * rear
    C = mp.matrix([[0, 0, 0], [0, front + rear, turn], [0, turn, a**2 * front + b**2 * rear]]) / v
    K = mp.matrix([[0, 0, 0], [0, 0, -(front + rear)], [0, 0, -turn]])
    return mp.diag([m, m, inertia]), C, K


def vehicle(rng: np.random.Generator, s: Scale) -> tuple[Any, list[float], float]:
    """Equations of a car that oversteers, its numbers, and V² = c₁·c₂·l²/(m·(a·c₁ - b·c₂))."""
    a, b = s.length * rng.uniform(0.4, 0.7), s.length * rng.uniform(0.3, 0.5)
    front = s.force * 10 ** rng.uniform(0, 2)
    rear = front * a / b * rng.uniform(0.3, 0.95)
    inertia = s.mass * s.length**2 * rng.uniform(0.1, 0.5)
    system = mb.System("car", gravity=(0, 0, 0))
    body = system.body("chassis", s.mass, inertia=(0.0, 0.0, float(inertia)))
    joint = system.joint("p", system.world, body, ["Tx", "Ty", "Rz"])
    psi, (vx, vy, rate) = joint.coordinates[2], joint.speeds
    forward, side = cos(psi) * vx + sin(psi) * vy, cos(psi) * vy - sin(psi) * vx
    at_front = -float(front) * (side + float(a) * rate) / forward
    at_rear = -float(rear) * (side - float(b) * rate) / forward
    force = at_front + at_rear
    moment = float(a) * at_front - float(b) * at_rear
    system.load(mb.JointLoad(joint, (-sin(psi) * force, cos(psi) * force, moment)))
    numbers = [s.mass, *map(float, (inertia, a, b, front, rear))]
    critical = float(np.sqrt(front * rear * (a + b) ** 2 / (s.mass * (a * front - b * rear))))
    return mb.derive(system), numbers, critical


STUDIES = (chain, extreme_masses, side_by_side, cart, rotor, car)


# references ----------------------------------------------------------------------------------------------------------


def exact_poles(study: Study, numbers: Numbers, rng: np.random.Generator | None = None) -> list[Any]:
    """Eigenvalues of [0 1; -M⁻¹·K -M⁻¹·C]; exactly zero for coordinates and speeds on which nothing depends.

    Args:
        study: the model.
        numbers: of the model.
        rng: for changes of the sums of masses in M in the last digit of plain numbers.
    """
    M, C, K = study.matrices([mp.mpf(x) for x in numbers])
    n = M.rows
    for i in range(n if rng else 0):
        for j in range(i + 1):
            M[i, j] = M[j, i] = M[i, j] * (1 + mp.mpf(ROUNDING) * float(rng.choice([-1.0, 1.0])))
    stiffness, damping = mp.lu_solve(M, K) if n == 1 else M**-1 * K, M**-1 * C
    A = mp.zeros(2 * n)
    for i in range(n):
        A[i, n + i] = 1
        for j in range(n):
            A[n + i, j], A[n + i, n + j] = -stiffness[i, j], -damping[i, j]
    kept = list(range(2 * n))
    while ignorable := [j for j in kept if all(A[i, j] == 0 for i in kept)]:
        kept = [j for j in kept if j not in ignorable]
    zeros = [mp.mpf(0)] * (2 * n - len(kept))
    if not kept:
        return zeros
    part = mp.matrix([[A[i, j] for j in kept] for i in kept])
    return zeros + list(mp.eig(part, left=False, right=False))


def paired(poles: Any, others: Any) -> np.ndarray:
    """The places of others next to each pole, by distances relative to both."""
    a, b = (
        np.array([complex(s) for s in row])[shape] for row, shape in ((poles, np.s_[:, None]), (others, np.s_[None]))
    )
    sizes = np.maximum(np.abs(a) + np.abs(b), 1e-300)
    return np.asarray(linear_sum_assignment(np.abs(a - b) / sizes)[1])


def tolerances(study: Study, poles: list[Any], rng: np.random.Generator) -> np.ndarray:
    """What changes of all numbers in their last digits do to the poles."""
    changes = np.zeros(len(poles))
    for _ in range(2):
        factors = [1 + mp.mpf(LAST_DIGITS) * float(x) for x in rng.choice([-1.0, 1.0], len(study.numbers))]
        moved = exact_poles(study, [mp.mpf(x) * f for x, f in zip(study.numbers, factors, strict=True)], rng)
        order = paired(poles, moved)
        changes = np.maximum(changes, [float(abs(s - moved[j])) for s, j in zip(poles, order, strict=True)])
    return 100 * changes + POLE * np.array([float(abs(s)) for s in poles])


# cases ---------------------------------------------------------------------------------------------------------------


def poles(rng: np.random.Generator, seed: int) -> Outcome:
    """Poles, modes and the verdict of a linear system."""
    s = scale(rng)
    make = STUDIES[int(rng.integers(len(STUDIES)))]
    study = make(rng, s)
    what = f"poles of {make.__name__} in {s.unit}: length {s.length:.3g}, mass {s.mass:.3g}"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        linear = linearize(study.eom, study.at or None)
    warned = any(issubclass(one.category, ConditioningWarning) for one in caught)
    with mp.workdps(DIGITS):
        exact = exact_poles(study, study.numbers)
        allowed = tolerances(study, exact, rng)
        order = paired(exact, linear.poles)
        zero = np.array([abs(s) <= ZERO * max(map(abs, exact)) for s in exact])
        smallest = min((float(abs(s)) for s, vanishes in zip(exact, zero, strict=True) if not vanishes), default=1.0)
        exact = [mp.mpc(0) if vanishes else s for s, vanishes in zip(exact, zero, strict=True)]
        errors = np.array([float(abs(s - complex(linear.poles[j]))) for s, j in zip(exact, order, strict=True)])
        verdicts = expected_stability(exact, zero, allowed)
    allowed = np.where(zero, np.maximum(allowed, np.minimum(linear.spectrum.bounds[order], 1e-4 * smallest)), allowed)
    shown = f"{linear.poles.tolist()} instead of {[complex(s) for s in exact]}"
    if (errors > linear.spectrum.bounds[order] + 1e-15 * np.abs(linear.poles[order])).any():
        return Outcome(BATTERY, seed, WRONG, what, f"error bounds {linear.spectrum.bounds.tolist()}: {shown}")
    if (errors > allowed).any():
        return Outcome(BATTERY, seed, REFUSED if study.lossy and warned else WRONG, what, f"poles {shown}")
    if linear.stability == "undecided" and "undecided" not in verdicts:
        return Outcome(BATTERY, seed, REFUSED, what, f"undecided instead of {verdicts}: {shown}")
    if linear.stability not in verdicts or linear.stable != (linear.stability == "stable"):
        return Outcome(BATTERY, seed, WRONG, what, f"{linear.stability} instead of {verdicts}: {shown}")
    upper = [s for s in linear.poles if s.imag >= 0]
    if [mode.pole for mode in linear.modes] != upper or not all(_fits(mode) for mode in linear.modes):
        return Outcome(BATTERY, seed, WRONG, what, f"modes {linear.modes}")
    if not (result_of(str, linear) and wrong_shape(linear) is None):
        return Outcome(BATTERY, seed, WRONG, what, f"shape of {wrong_shape(linear)}")
    return Outcome(BATTERY, seed, RIGHT, what)


def _fits(mode: Any) -> bool:
    """Frequency and damping ratio are those of the pole."""
    s = mode.pole
    return mode.frequency == abs(s) and abs(mode.damping + (s.real / abs(s) if s else 0.0)) <= 1e-15


def wrong_shape(linear: Any) -> Any:
    """A mode whose shape does not satisfy A·x = s·x, entry by entry relative to the terms; None if all do."""
    for mode in linear.modes:
        x = np.array([mode.shape[name] for name in linear.states])
        terms = np.abs(linear.A) @ np.abs(x) + np.abs(mode.pole * x)
        if not (np.abs(linear.A @ x - mode.pole * x) <= 1e-6 * terms + 2 * mode.bound * np.abs(x).max()).all():
            return mode
    return None


def crossing(rng: np.random.Generator, seed: int) -> Outcome:
    """Critical values with closed forms."""
    s = scale(rng)
    make = (pole_on_cart, oversteer, whirl, follower)[int(rng.integers(4))]
    family, expected, frequency, destabilizing = make(rng, s)
    low, high = expected * rng.uniform(0.2, 0.9), expected * rng.uniform(1.1, 3)
    what = f"critical value of {make.__name__} in {s.unit}: length {s.length:.3g}, mass {s.mass:.3g}"
    found = result_of(critical_values, family, low, high, points=int(rng.choice([11, 31, 61])))
    shown = f"{found} instead of {expected}, {frequency}i"
    if len(found) != 1 or abs(found[0].value - expected) > VALUE * expected or found[0].destabilizing != destabilizing:
        return Outcome(BATTERY, seed, WRONG, what, shown)
    if abs(found[0].pole - 1j * frequency) > 1e-3 * frequency:
        return Outcome(BATTERY, seed, WRONG, what, shown)
    before, after = (family(expected * (1 + sign * 1e-4)).stability for sign in (-1, 1))
    unstable, other = (after, before) if destabilizing else (before, after)
    good = unstable == "unstable" and other in ("stable", "marginal")
    return Outcome(BATTERY, seed, RIGHT if good else WRONG, what, "" if good else f"{before}, then {after}: {shown}")


Critical = tuple[Callable[[float], Any], float, float, bool]


def pole_on_cart(rng: np.random.Generator, s: Scale) -> Critical:
    """A pole stands if its spring is stiffer than m·g·l."""
    while True:
        study = cart(rng, s)
        if study.numbers[2] > 0:
            break
    m, _, height, *_ = study.numbers
    return along(study.eom, "k"), m * s.gravity * height, 0.0, False


def oversteer(rng: np.random.Generator, s: Scale) -> Critical:
    """A car leaves its course at V² = c₁·c₂·l²/(m·(a·c₁ - b·c₂))."""
    eom, _, critical = vehicle(rng, s)
    return along(eom, "p_tx_dot"), critical, 0.0, True


def whirl(rng: np.random.Generator, s: Scale) -> Critical:
    """A shaft with damping that turns along whirls from Ω = ω·(1 + outer/inner damping) on, at ω (Smith 1933)."""
    k = s.force / s.length * 10 ** rng.uniform(-1, 4)
    inner = float(np.sqrt(k * s.mass) * 10 ** rng.uniform(-3, -1))
    outer = float(inner * rng.uniform(0.2, 4))
    system = mb.System("shaft", gravity=(0, 0, 0))
    (spin,) = system.parameters(spin=1.0)
    joint = system.joint("p", system.world, system.body("disc", s.mass), ["Tx", "Ty"])
    (x, y), (vx, vy) = joint.coordinates, joint.speeds
    damping = inner + outer
    system.load(
        mb.JointLoad(joint, (-float(k) * x - damping * vx - inner * spin * y,
                             -float(k) * y - damping * vy + inner * spin * x))
    )  # fmt: skip
    frequency = float(np.sqrt(k / s.mass))
    return along(mb.derive(system), "spin"), frequency * (1 + outer / inner), frequency, True


def follower(rng: np.random.Generator, s: Scale) -> Critical:
    """Two rods with a force that follows the second one flutter where two frequencies meet (Ziegler 1952)."""
    m1, m2 = s.mass * rng.uniform(0.5, 3, 2)
    l, k = s.length, s.force * s.length * 10 ** rng.uniform(-1, 3)
    system = mb.System("ziegler", gravity=(0, 0, 0))
    (force,) = system.parameters(P=1.0)
    upper, lower = system.body("upper", float(m1), (l, 0, 0)), system.body("lower", float(m2), (l, 0, 0))
    first = system.joint("a", system.world, upper, "Rz")
    second = system.joint("b", upper.frame("end", (l, 0, 0)), lower, "Rz")
    system.load(mb.JointSpring(first, float(k)))
    system.load(mb.JointSpring(second, float(k)))
    system.load(mb.JointLoad(first, -force * l * sin(second.coordinate)))
    # M·q̈ + K·q = 0 with M = l²·[m1 + 4·m2, 2·m2; 2·m2, m2], K = [k, P·l; 0, k]: (tr M⁻¹·K)² = 4·det M⁻¹·K
    det = m1 * m2
    trace_0, trace_1 = k * (m1 + 5 * m2) / (l**2 * det), -2 * m2 / (l * det)
    root = 2 * k / (l**2 * np.sqrt(det))
    critical = (root - trace_0) / trace_1
    frequency = float(np.sqrt(root / 2))
    return along(mb.derive(system), "P"), float(critical), frequency, True


def case(seed: int) -> Outcome:
    """One case: mostly poles, some critical values."""
    rng = generator(BATTERY, seed)
    kind = rng.choice([poles, crossing], p=[0.65, 0.35])
    try:
        return kind(rng, seed)
    except Refused as refusal:
        return Outcome(BATTERY, seed, REFUSED, kind.__name__, str(refusal))
