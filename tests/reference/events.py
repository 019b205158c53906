"""Event functions with known roots: several in a step, touching ones, directions, resets, terminal events."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq

import multibody as mb
from multibody.graph import sin

from .case import REFUSED, RIGHT, WRONG, Outcome, Refused, generator, result_of, simulated
from .integrators import Choice, random_integrator

BATTERY = "events"
EDGE = 2e-3  # seconds: no root is so near to the start or the end


class Wheel(NamedTuple):
    """A wheel that turns evenly, and its symbols."""

    eom: Any
    angle: Any
    time: Any


@cache
def wheel() -> Wheel:
    """A wheel without load."""
    system = mb.System("wheel", gravity=(0, 0, 0))
    joint = system.joint("angle", system.world, system.body("disc", 1.0, (0, 0, 0), (0.1, 0.1, 0.2)), "Rz")
    return Wheel(mb.derive(system), joint.coordinate, system.time)


@cache
def oscillator() -> tuple[Any, Any, Any]:
    """A mass of 1 kg on a spring of 4 N/m: x = A·cos(2t) from rest at A."""
    system = mb.System("oscillator", gravity=(0, 0, 0))
    joint = system.joint("x", system.world, system.body("mass", 1.0), "Tx")
    system.load(mb.JointSpring(joint, 4.0))
    return mb.derive(system), joint.coordinate, joint.speed


class Question(NamedTuple):
    """Equations, a start, events, and when each must happen."""

    eom: Any
    q: dict[str, float]
    u: dict[str, float]
    duration: float
    events: list[Any]
    expected: list[list[float]]
    what: str
    tolerance: float = 1e-6


def crossings(times: np.ndarray, rising: np.ndarray, direction: int) -> list[float]:
    """The times that belong to a direction."""
    wanted = np.ones(len(times), bool) if direction == 0 else rising == (direction > 0)
    return [float(t) for t in np.asarray(times)[wanted]]


def direction_of(rng: np.random.Generator) -> int:
    """A random direction."""
    return int(rng.integers(-1, 2))


def sine_of_angle(rng: np.random.Generator) -> Question:
    """sin(k·angle + c), up to hundreds of roots."""
    made = wheel()
    k, c, duration = float(rng.choice([1, 2, 5, 20, 33.3])), float(rng.uniform(-3, 3)), float(rng.choice([5.0, 10.0]))
    start, speed = float(rng.uniform(-2, 2)), float(rng.uniform(2, 7) * rng.choice([-1, 1]))
    direction = direction_of(rng)
    phase, rate = k * start + c, k * speed
    ends = np.sort([phase, phase + rate * duration]) / np.pi
    numbers = np.arange(np.ceil(ends[0]), np.floor(ends[1]) + 1)
    times = (numbers * np.pi - phase) / rate
    order = np.argsort(times)
    rising = (numbers % 2 == 0) == (rate > 0)
    event = mb.Event(sin(k * made.angle + c), direction=direction, name="e")
    what = f"sin({k}*angle + {c:.6g}) direction={direction} angle0={start:.6g} speed={speed:.6g} T={duration}"
    expected = crossings(times[order], rising[order], direction)
    return Question(made.eom, {"angle": start}, {"angle_dot": speed}, duration, [event], [expected], what)


def polynomial(rng: np.random.Generator) -> Question:
    """A product of (s - root), of time or of the angle; some roots are close together."""
    made = wheel()
    duration, of_time, direction = 10.0, bool(rng.integers(2)), direction_of(rng)
    speed = float(rng.uniform(0.5, 5))
    count = int(rng.integers(2, 6))
    times = np.sort(rng.uniform(0.2, 9.8, count))
    if rng.integers(2):
        times[1] = times[0] + 10 ** rng.uniform(-3, -1)
        times = np.sort(times)
    symbol, roots = (made.time, times) if of_time else (made.angle, times * speed)
    expression: Any = 1.0
    for root in roots:
        expression = expression * (symbol - float(root))
    rising = (count - np.arange(count)) % 2 == 1
    event = mb.Event(expression, direction=direction, name="e")
    what = f"polynomial of {'t' if of_time else 'angle'} roots={roots.tolist()} direction={direction} speed={speed:.6g}"
    return Question(
        made.eom, {"angle": 0.0}, {"angle_dot": speed}, duration, [event], [crossings(times, rising, direction)], what
    )


def touching(rng: np.random.Generator) -> Question:
    """Squares, which touch zero; perhaps times a factor that crosses it."""
    made = wheel()
    duration, speed = 10.0, float(rng.uniform(0.5, 5))
    of_time = bool(rng.integers(2))
    touch, cross = np.sort(rng.uniform(0.5, 9.5, 2))
    symbol, scale = (made.time, 1.0) if of_time else (made.angle, speed)
    side = float(rng.choice([-1.0, 1.0]))
    expression = side * (symbol - float(touch * scale)) ** 2
    expected = [float(touch)]
    if rng.integers(2) and cross - touch > 0.05:
        expression = expression * (symbol - float(cross * scale))
        expected.append(float(cross))
    event = mb.Event(expression, direction=0, name="e")
    what = f"touching of {'t' if of_time else 'angle'} at t={expected} side={side} speed={speed:.6g}"
    return Question(made.eom, {"angle": 0.0}, {"angle_dot": speed}, duration, [event], [expected], what, 1e-4)


def level(rng: np.random.Generator) -> Question:
    """An oscillation through a level, also near its peak."""
    eom, x, _ = oscillator()
    amplitude, duration, direction = float(10 ** rng.uniform(-2, 1)), float(rng.uniform(5, 15)), direction_of(rng)
    ratio = float(rng.choice([rng.uniform(-0.9, 0.9), 0.99, -0.99]))
    angle = np.arccos(ratio)
    n = np.arange(0, int(duration / np.pi) + 2)
    down, up = (angle + 2 * np.pi * n) / 2, (2 * np.pi - angle + 2 * np.pi * n) / 2
    times = np.concatenate([down, up])
    order = np.argsort(times)
    rising = np.concatenate([np.zeros(len(n), bool), np.ones(len(n), bool)])[order]
    times = times[order]
    inside = times < duration
    event = mb.Event(x - ratio * amplitude, direction=direction, name="e")
    what = f"level {ratio:.6g} of amplitude {amplitude:.6g} direction={direction} T={duration:.6g}"
    expected = crossings(times[inside], rising[inside], direction)
    return Question(eom, {"x": amplitude}, {"x_dot": 0.0}, duration, [event], [expected], what, 2e-5)


def two_waves(rng: np.random.Generator) -> Question:
    """Two sines of the angle, several events in one run."""
    made = wheel()
    speed, duration = float(rng.uniform(1, 5)), 6.0
    events, expected, texts = [], [], []
    for k in range(int(rng.integers(1, 4))):
        a, b, c, direction = (
            float(rng.uniform(1, 3)),
            float(rng.uniform(4, 15)),
            float(rng.uniform(0.2, 1)),
            direction_of(rng),
        )
        fine = np.linspace(0, duration, 40_001)

        def f(t: Any, a: float = a, b: float = b, c: float = c) -> Any:
            return np.sin(a * speed * t + 1) + c * np.sin(b * speed * t + 2)

        values = f(fine)
        places = np.flatnonzero(values[:-1] * values[1:] < 0)
        times = np.array([brentq(f, fine[i], fine[i + 1], xtol=1e-14) for i in places])
        expected.append(crossings(times, values[places] < 0, direction))
        events.append(
            mb.Event(sin(a * made.angle + 1) + c * sin(b * made.angle + 2), direction=direction, name=f"e{k}")
        )
        texts.append(f"(a={a:.6g} b={b:.6g} c={c:.6g} direction={direction})")
        near = np.abs(values)[1:-1]
        extreme = (near < np.abs(values)[:-2]) & (near < np.abs(values)[2:]) & (values[:-2] * values[2:] > 0)
        if (near[extreme] < 1e-3).any():
            return two_waves(rng)  # nearly touching: rounding would decide
    what = f"two waves {' '.join(texts)} speed={speed:.6g}"
    return Question(made.eom, {"angle": 0.0}, {"angle_dot": speed}, duration, events, expected, what)


def walls(rng: np.random.Generator) -> Question:
    """A wheel that turns back at two angles, by resets."""
    made = wheel()
    speed, low, high = float(rng.uniform(1, 6)), float(-rng.uniform(0.05, 1)), float(rng.uniform(0.05, 1))
    duration, factor = 4.0, float(rng.choice([1.0, 0.9]))
    hits: list[list[float]] = [[], []]
    t, place, v = 0.0, 0.0, speed
    while True:
        wall = high if v > 0 else low
        t += (wall - place) / v
        if t > duration or len(hits[0]) > 500:
            break
        hits[0 if v > 0 else 1].append(t)
        place, v = wall, -factor * v
    rate = mb_speed(made.eom)
    events = [
        mb.Event(made.angle - high, direction=1, reset={"angle_dot": -factor * rate}, name="high"),
        mb.Event(made.angle - low, direction=-1, reset={"angle_dot": -factor * rate}, name="low"),
    ]
    what = f"walls {low:.6g} {high:.6g} speed={speed:.6g} factor={factor}"
    return Question(made.eom, {"angle": 0.0}, {"angle_dot": speed}, duration, events, hits, what)


def mb_speed(eom: Any) -> Any:
    """The symbol of the only speed."""
    return eom.speeds[0]


def terminal(rng: np.random.Generator) -> Question:
    """The first root of a wave ends the run."""
    question = two_waves(rng)
    event = question.events[0]
    first = question.expected[0][:1]
    ends = mb.Event(event.expression, direction=event.direction, terminal=True, name="e0")
    return question._replace(events=[ends], expected=[first], what=f"terminal, first of {question.what}")


KINDS = [sine_of_angle, polynomial, touching, level, two_waves, walls, terminal]


def judged(question: Question, choice: Choice, occurrences: list[tuple[str, float]]) -> str:
    """What is missing, or too much; empty if all roots were found."""
    tolerance = max(question.tolerance, {"Symplectic": 2e-3, "SemiImplicitEuler": 2e-2}.get(choice.name, 0.0))
    if choice.error > 1e-4:
        tolerance = max(tolerance, choice.error)
    for event, expected in zip(question.events, question.expected, strict=True):
        times = sorted(t for name, t in occurrences if name == event.name)
        if len(times) != len(expected):
            return f"{event.name}: {len(times)} of {len(expected)} events, {times[:6]} instead of {expected[:6]}"
        off = np.abs(np.array(times) - np.array(sorted(expected))).max(initial=0)
        if off > tolerance:
            return f"{event.name}: times are off by {off:.2e} s"
    return ""


def case(seed: int) -> Outcome:
    """One case."""
    rng = generator(BATTERY, seed)
    kind = KINDS[int(rng.integers(len(KINDS)))]
    choice = random_integrator(rng)
    question = kind(rng)
    roots = [t for times in question.expected for t in times]
    if any(min(t, abs(question.duration - t)) < EDGE for t in roots):
        question = question._replace(duration=question.duration + 2 * EDGE)
        if any(min(t, abs(question.duration - t)) < EDGE for t in roots) or kind is sine_of_angle:
            return case(seed + 1_000_000)
    if kind is level and choice.error > 1e-4:
        choice = Choice("default", None, 1e-5)
    what = f"{choice.name}: {question.what}"
    options = {"duration": question.duration, "samples": 5, "events": question.events, "integrator": choice.integrator}
    try:
        if choice.is_sweep:
            start = {name: [value] for name, value in {**question.q, **question.u}.items()}
            runs = result_of(mb.sweep, question.eom, initial=start, workers=1, **options)
            run = runs[0]
            if not run.status.ok:
                raise Refused(run.message)
        else:
            run = simulated(question.eom, q=question.q, u=question.u, **options)
    except Refused as refusal:
        return Outcome(BATTERY, seed, REFUSED, what, str(refusal))
    detail = judged(question, choice, [(one.name, float(one.t)) for one in run.occurrences])
    return Outcome(BATTERY, seed, WRONG if detail else RIGHT, what, detail)
