"""Pulses and switching inputs on small models, against piecewise integration between the known switching times."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

import multibody as mb
from multibody.graph import Table, absolute, less, maximum, minimum, sign, sin, where

from .case import REFUSED, RIGHT, WRONG, Outcome, Refused, compare, generator, result_of, simulated
from .integrators import random_integrator

BATTERY = "pulses"


class Plant(NamedTuple):
    """A model with one force or torque F, and its accelerations by hand: of (force, mass, q, u)."""

    eom: Any
    time: Any
    acceleration: Callable[..., list[float]]
    coordinates: tuple[str, ...] = ("x",)


def cart() -> Plant:
    """A mass that only F moves."""
    system = mb.System("cart", gravity=(0, 0, 0))
    m = system.parameter("m", 2.0)
    slide = system.joint("x", system.world, system.body("box", m), "Tx")
    system.load(mb.JointLoad(slide, system.input("F")))
    return Plant(mb.derive(system), system.time, lambda F, m, q, u: [F / m])


def oscillator() -> Plant:
    """A mass on a spring and a damper, at rest."""
    system = mb.System("oscillator", gravity=(0, 0, 0))
    m = system.parameter("m", 2.0)
    slide = system.joint("x", system.world, system.body("box", m), "Tx")
    system.load(mb.JointSpring(slide, 9.0))
    system.load(mb.JointDamper(slide, 0.8))
    system.load(mb.JointLoad(slide, system.input("F")))
    return Plant(mb.derive(system), system.time, lambda F, m, q, u: [(F - 9.0 * q[0] - 0.8 * u[0]) / m])


def pendulum() -> Plant:
    """A hanging pendulum of 1 m, at rest; F is a torque."""
    system = mb.System("pendulum", gravity=(0, 0, -9.81))
    m = system.parameter("m", 2.0)
    hinge = system.joint("x", system.world, system.body("bob", m, (0, 0, -1)), "Ry")
    system.load(mb.JointDamper(hinge, 0.3))
    system.load(mb.JointLoad(hinge, system.input("F")))
    return Plant(mb.derive(system), system.time, lambda F, m, q, u: [(F - 0.3 * u[0]) / m - 9.81 * np.sin(q[0])])


def quarter_car() -> Plant:
    """A wheel on a tire and a car on its spring; F lifts the foot of the tire by F/1000."""
    system = mb.System("quarter_car", gravity=(0, 0, 0))
    m = system.parameter("m", 2.0)
    wheel = system.joint("y", system.world, system.body("wheel", 1.0), "Tz")
    body = system.joint("x", system.world, system.body("car", m), "Tz")
    system.load(mb.JointLoad(wheel, 1000.0 * (system.input("F") / 1000 - wheel.coordinate)))
    system.load(mb.JointLoad(body, 40.0 * (wheel.coordinate - body.coordinate) + 6.0 * (wheel.speed - body.speed)))
    reaction = -40.0 * (wheel.coordinate - body.coordinate) - 6.0 * (wheel.speed - body.speed)
    system.load(mb.JointLoad(wheel, reaction))

    def acceleration(F: float, m: float, q: Any, u: Any) -> list[float]:
        between = 40.0 * (q[0] - q[1]) + 6.0 * (u[0] - u[1])
        return [1000.0 * (F / 1000 - q[0]) - between, between / m]

    return Plant(mb.derive(system), system.time, acceleration, ("y", "x"))


PLANTS = {"cart": cart, "oscillator": oscillator, "pendulum": pendulum, "quarter_car": quarter_car}


@cache
def plant(name: str) -> Plant:
    """The model of a name, derived once."""
    return PLANTS[name]()


class Signal(NamedTuple):
    """A force over time: what the package is given, the same by hand, and where it jumps or has a kink."""

    given: Any
    value: Callable[[float], float]
    switching_times: list[float]


def box(t: Any, a: float, b: float, height: float) -> Any:
    """Height from a to b, else zero."""
    return where(less(a, t), where(less(t, b), height, 0), 0)


def number(value: float) -> str:
    """A number for a text, without loss."""
    return repr(float(value))


def table(rng: np.random.Generator, t: Any, a: float, b: float, height: float, duration: float) -> Signal:
    """A triangle, or a trapezoid."""
    inner = np.sort(rng.uniform(a, b, int(rng.integers(1, 3))))
    x = [-1.0, a, *inner, b, duration + 1]
    y = [0.0, 0.0, *([height] * len(inner)), 0.0, 0.0]
    return Signal(Table("pulse", x, y), lambda s: float(np.interp(s, x, y)), x)


def cubic(rng: np.random.Generator, t: Any, a: float, b: float, height: float, duration: float) -> Signal:
    """A smooth curve through a bump."""
    x = np.array([-1.0, a - (b - a), a, (a + b) / 2, b, b + (b - a), duration + 1])
    x[0] = min(x[0], x[1] - 1)
    x[-1] = max(x[-1], x[-2] + 1)
    y = np.array([0.0, 0.0, 0.0, height, 0.0, 0.0, 0.0])
    spline = CubicSpline(x, y, bc_type="natural")
    return Signal(Table("pulse", x, y, "cubic"), lambda s: float(spline(s)), [*x])


def conditions(rng: np.random.Generator, t: Any, a: float, b: float, height: float, duration: float) -> Signal:
    """By comparisons of time."""
    return Signal(box(t, a, b, height), lambda s: height * (a < s < b), [a, b])


def text(rng: np.random.Generator, t: Any, a: float, b: float, height: float, duration: float) -> Signal:
    """By comparisons of time, as a text."""
    written = f"where(t < {number(a)}, 0, where(t < {number(b)}, {number(height)}, 0))"
    return Signal(written, lambda s: height * (a < s < b), [a, b])


def text_triangle(rng: np.random.Generator, t: Any, a: float, b: float, height: float, duration: float) -> Signal:
    """By max and abs, as a text."""
    c, w = (a + b) / 2, (b - a) / 2
    written = f"{number(height)}*max(0, 1 - abs(t - {number(c)})/{number(w)})"
    return Signal(written, lambda s: height * max(0.0, 1 - abs(s - c) / w), [a, c, b])


def triangle(rng: np.random.Generator, t: Any, a: float, b: float, height: float, duration: float) -> Signal:
    """By maximum and absolute."""
    c, w = (a + b) / 2, (b - a) / 2
    return Signal(
        height * maximum(0, 1 - absolute(t - c) / w), lambda s: height * max(0.0, 1 - abs(s - c) / w), [a, c, b]
    )


def signs(rng: np.random.Generator, t: Any, a: float, b: float, height: float, duration: float) -> Signal:
    """The difference of two signs."""
    return Signal(height / 2 * (sign(t - a) - sign(t - b)), lambda s: height * (a < s < b), [a, b])


def ramp(rng: np.random.Generator, t: Any, a: float, b: float, height: float, duration: float) -> Signal:
    """Up by a ramp, and down at once."""
    up = minimum(1, maximum(0, (t - a) / (b - a)))
    given = height * up * where(less(t, b), 1, 0)
    return Signal(given, lambda s: height * (s - a) / (b - a) * (a < s < b), [a, b])


def train(rng: np.random.Generator, t: Any, a: float, b: float, height: float, duration: float) -> Signal:
    """Pulses that come again and again, through a sine of time."""
    period = float(rng.uniform(0.2, 0.5) * duration)
    half = float(rng.uniform(0.01, 0.15)) * period
    level, omega = float(np.cos(np.pi * 2 * half / period)), 2 * np.pi / period
    centers = a + period * np.arange(-int(a / period) - 2, int(duration / period) + 3)
    edges = [float(c + s * half) for c in centers for s in (-1, 1)]
    given = where(less(level, sin(omega * (t - a) + np.pi / 2)), height, 0)
    return Signal(given, lambda s: height * (np.cos(omega * (s - a)) > level), edges)


def two(rng: np.random.Generator, t: Any, a: float, b: float, height: float, duration: float) -> Signal:
    """Two pulses of opposite signs, by a formula of time: a parabola is compared with zero."""
    c = float(rng.uniform(b, duration))
    d = min(duration, c + float(rng.uniform(0.01, 1.0)))
    given = where(less((t - a) * (t - b), 0), height, 0) - where(less((t - c) * (t - d), 0), height / 2, 0)
    return Signal(given, lambda s: height * (a < s < b) - height / 2 * (c < s < d), [a, b, c, d])


def python(rng: np.random.Generator, t: Any, a: float, b: float, height: float, duration: float) -> Signal:
    """A function of Python, with a pulse that is longer than the longest step."""
    b = a + duration * float(rng.uniform(0.05, 0.2))
    return Signal(lambda s: height if a < s < b else 0.0, lambda s: height * (a < s < b), [a, b])


SIGNALS = [table, cubic, conditions, text, text_triangle, triangle, signs, ramp, train, two, python]


def response(plant: Plant, signal: Signal, mass: float, times: np.ndarray, breaks: list[float]) -> np.ndarray:
    """Coordinates and speeds at the times, by pieces between the switching times."""
    n = len(plant.coordinates)
    y = np.zeros(2 * n)
    marks = sorted({*times[1:].tolist(), *(b for b in breaks if times[0] < b < times[-1])})
    t, kept = float(times[0]), [y]
    for mark in marks:
        low, high = np.nextafter(t, np.inf), np.nextafter(mark, -np.inf)

        def rates(s: float, y: np.ndarray, low: float = low, high: float = high) -> np.ndarray:
            F = signal.value(min(max(s, low), high))
            return np.array([*y[n:], *plant.acceleration(F, mass, y[:n], y[n:])])

        y = solve_ivp(rates, (t, mark), y, "DOP853", rtol=1e-10, atol=1e-13).y[:, -1]
        t = mark
        if mark in times:
            kept.append(y)
    return np.array(kept)


def time_pulse(rng: np.random.Generator, seed: int) -> Outcome:
    """A pulse in time, on one of the plants, by one of the integrators."""
    name = str(rng.choice(list(PLANTS)))
    made, choice = plant(name), random_integrator(rng)
    duration = float(rng.choice([10.0, 20.0, 30.0, 60.0] if name == "cart" else [10.0, 20.0]))
    a, width, height = rng.uniform(0.05, 0.7) * duration, 10 ** rng.uniform(-2, 0.3), rng.uniform(2, 30)
    kind = SIGNALS[int(rng.integers(len(SIGNALS)))]
    signal = kind(rng, made.time, float(a), float(a + width), float(height), duration)
    mass = float(rng.uniform(1, 4))
    error = 2e-4 if kind is python and choice.error < 2e-4 else choice.error
    if kind is python and choice.name in {"RungeKutta4", "Symplectic", "SemiImplicitEuler"}:
        error = 3e-2  # a jump within a step of fixed length costs an order
    what = f"{name} {kind.__name__} {choice.name} T={duration:g} {a=:.6g} {width=:.4g} {height=:.4g} {mass=:.4g}"
    times = np.union1d(np.linspace(0, duration, 26), min(duration, a + width + 0.2))
    expected = response(made, signal, mass, times, signal.switching_times)
    options = {"times": times, "inputs": {"F": signal.given}, "integrator": choice.integrator}
    try:
        if choice.is_sweep:
            runs = result_of(mb.sweep, made.eom, parameters={"m": [mass, 1.5 * mass]}, workers=1, **options)
            if runs.status[0] not in ("DONE", mb.Status.DONE):
                return Outcome(BATTERY, seed, REFUSED, what, str(runs.messages[0]))
            computed = np.hstack([runs.values(one)[0][:, None] for one in _state_names(made)])
        else:
            run = simulated(made.eom, parameters={"m": mass}, **options)
            computed = np.hstack([run[one][:, None] for one in _state_names(made)])
    except Refused as refusal:
        return Outcome(BATTERY, seed, REFUSED, what, str(refusal))
    scale = np.abs(expected).max(axis=0)
    off = np.abs(computed - expected).max(axis=0) / scale
    if (off <= error).all():
        return Outcome(BATTERY, seed, RIGHT, what)
    detail = f"relative errors {off.round(6).tolist()}, end {computed[-1].tolist()} instead of {expected[-1].tolist()}"
    return Outcome(BATTERY, seed, WRONG, what, detail)


def _state_names(made: Plant) -> list[str]:
    return [*made.coordinates, *(f"{name}_dot" for name in made.coordinates)]


@cache
def plain_cart() -> Any:
    """A cart with a force that patches in space switch."""
    system = mb.System("patched", gravity=(0, 0, 0))
    m, low, high, strength = system.parameters(m=2.0, low=1.0, high=1.1, strength=5.0)
    slide = system.joint("x", system.world, system.body("box", m), "Tx")
    x = slide.coordinate
    system.load(mb.JointLoad(slide, box(x, low, high, strength) + system.input("F")))
    return mb.derive(system), x


def space_patch(rng: np.random.Generator, seed: int) -> Outcome:
    """A cart coasts through patches of force: in a load of the model, or in an input."""
    eom, x = plain_cart()
    choice = random_integrator(rng)
    m, v0, duration = float(rng.uniform(1, 4)), float(rng.uniform(1, 5)), 10.0
    edges = np.sort(rng.uniform(0.3, 0.7 * v0 * duration, 2))
    widths = np.minimum(10 ** rng.uniform(-2, -0.3, 2), [edges[1] - edges[0] - 1e-3, 10.0])
    forces = rng.uniform(-0.3, 1.0, 2) * m * v0**2 / 2 / widths  # the speed changes by up to some 40 %
    what = f"patch {choice.name} {m=:.4g} {v0=:.4g} {edges=} {widths=} {forces=}"
    t, place, v = 0.0, 0.0, v0
    for edge, width, force in zip(edges, widths, forces, strict=True):
        t, place = t + (edge - place) / v, float(edge)
        after = np.sqrt(v**2 + 2 * force * width / m)
        t, place, v = t + 2 * width / (v + after), place + float(width), after
    expected = {"x": place + v * (duration - t), "x_dot": v}
    if t > duration:
        return space_patch(rng, seed)
    parameters = {"m": m, "low": float(edges[0]), "high": float(edges[0] + widths[0]), "strength": float(forces[0])}
    given = box(x, float(edges[1]), float(edges[1] + widths[1]), float(forces[1]))
    options = {"inputs": {"F": given}, "integrator": choice.integrator, "duration": duration, "samples": 3}
    try:
        if choice.is_sweep:
            both = {**{k: [v, v] if k == "m" else v for k, v in parameters.items()}}
            runs = result_of(mb.sweep, eom, parameters=both, initial={"x_dot": v0}, workers=1, **options)
            if runs.status[0] not in ("DONE", mb.Status.DONE):
                return Outcome(BATTERY, seed, REFUSED, what, str(runs.messages[0]))
            computed = {name: float(runs.last(name)[0]) for name in expected}
        else:
            run = simulated(eom, parameters=parameters, u={"x_dot": v0}, **options)
            computed = {name: float(run[name][-1]) for name in expected}
    except Refused as refusal:
        return Outcome(BATTERY, seed, REFUSED, what, str(refusal))
    error = choice.error
    detail = compare(computed, expected, {name: error * abs(value) for name, value in expected.items()})
    return Outcome(BATTERY, seed, WRONG if detail else RIGHT, what, detail)


def sampled_controller(rng: np.random.Generator, seed: int) -> Outcome:
    """A cart under a sampled law with a memory and a late step of the command, against exact zero-order hold."""
    made, choice = plant("cart"), random_integrator(rng)
    m, period, late = float(rng.uniform(1, 4)), float(rng.choice([0.01, 0.05, 0.1, 0.37])), float(rng.uniform(2, 6))
    k, d, duration = float(rng.uniform(1, 3)), float(rng.uniform(1, 3)), 10.0
    what = f"sampled {choice.name} m={m:.4g} period={period} late={late:.4g} k={k:.4g} d={d:.4g}"

    def law(t: float, q: Any, u: Any) -> float:
        return k * ((1.0 if t >= late else 0.0) - q[0]) - d * u[0]

    x = v = t = 0.0
    for n in range(int(duration / period) + 1):
        t, end = n * period, min(duration, (n + 1) * period)
        if end <= t:
            break
        a, h = law(t, [x], [v]) / m, end - t
        x, v = x + v * h + a * h * h / 2, v + a * h
    if abs(late / period - round(late / period)) < 1e-6:
        return sampled_controller(rng, seed)
    expected = {"x": x, "x_dot": v}
    integrator = None if choice.is_sweep else choice.integrator
    try:
        run = simulated(made.eom, duration=duration, samples=3, inputs={"F": mb.Sampled(law, period)},
                        parameters={"m": m}, integrator=integrator)  # fmt: skip
    except Refused as refusal:
        return Outcome(BATTERY, seed, REFUSED, what, str(refusal))
    computed = {name: float(run[name][-1]) for name in expected}
    detail = compare(computed, expected, {"x": max(choice.error, 1e-5), "x_dot": max(choice.error, 1e-5)})
    return Outcome(BATTERY, seed, WRONG if detail else RIGHT, what, detail)


def case(seed: int) -> Outcome:
    """One case: mostly pulses in time, some patches in space, some sampled controllers."""
    rng = generator(BATTERY, seed)
    kind = rng.choice([time_pulse, space_patch, sampled_controller], p=[0.75, 0.15, 0.1])
    return kind(rng, seed)
