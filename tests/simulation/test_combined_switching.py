"""Switching through several elements: tables of tables and of sensors, events on sensors, sweeps with events.

Expected values are closed forms. Numbers are random, the same on every machine, and integrators take turns.
"""

import math
from itertools import pairwise

import numpy as np
import pytest

import multibody as mb
from multibody.graph import absolute, less, maximum, minimum, sin, where

INTEGRATORS = [
    None, mb.DormandPrince8(), mb.DormandPrince5(), mb.Rodas5P(), mb.Cvode(), mb.ScipySolver(),
    mb.RungeKutta4(step=1.3e-3),
]  # fmt: skip

both = pytest.mark.parametrize("seed", [0, 1])


def numbers(seed, name):
    """Random numbers of a test, and an integrator."""
    rng = np.random.default_rng([seed, *name.encode()])
    return rng, INTEGRATORS[rng.integers(len(INTEGRATORS))]


def cart(**start):
    """A mass of 1 kg on a rail, its coordinate and its speed."""
    system = mb.System("cart")
    joint = system.joint("x", system.world, system.body("box", mass=1.0), "Tx", **start)
    return system, joint, joint.coordinate, joint.speed


@both
def test_a_table_of_a_table_of_time(seed):
    """The impulse of F = T2(T1(t)), whose kinks are at points of T1 and where T1 passes points of T2."""
    rng, integrator = numbers(seed, "table of table")
    times, values = np.array([0.0, *np.sort(rng.uniform(0, 10, 5)), 10.0]), rng.uniform(-1, 1, 7)
    center, width = float(rng.uniform(-0.5, 0.5)), float(10 ** rng.uniform(-3, -1))
    levels, forces = [-2, center - width, center, center + width, 2], [0, 0, 5 / math.sqrt(width), 0, 0]
    system, joint, _, _ = cart()
    inner = mb.Table("inner", list(times), list(values))
    system.load(mb.JointLoad(joint, mb.Table("outer", levels, forces)(inner(system.time))))
    run = mb.simulate(mb.derive(system), 10.0, samples=11, integrator=integrator)
    kinks = [*times]
    for (a, b), (low, high) in zip(pairwise(times), pairwise(values), strict=True):
        kinks += [a + (b - a) * (x - low) / (high - low) for x in levels[1:4] if (low - x) * (high - x) < 0]
    kinks = np.sort(kinks)
    middles = np.interp(np.interp((kinks[1:] + kinks[:-1]) / 2, times, values), levels, forces)
    impulse = float(np.diff(kinks) @ middles)
    assert run["x_dot"][-1] == pytest.approx(impulse, abs=1e-5 * max(1.0, abs(impulse)))


@both
def test_a_table_of_a_sensor(seed):
    """A narrow force over a measured distance √(9 + x²): its work is an integral over x."""
    rng, integrator = numbers(seed, "table of sensor")
    speed, center, width = float(rng.uniform(0.5, 3)), float(rng.uniform(3.1, 4)), float(10 ** rng.uniform(-3, -1.5))
    system, joint, _, _ = cart(u=speed)
    system.sensor("d", mb.Distance(system.world.frame("post", (0, 3, 0)), joint.child))
    system.load(mb.JointLoad(joint, system.input("F")))
    hat = mb.Table("hat", [0, center - width, center, center + width, 1000], [0, 0, 1 / width, 0, 0])
    force = {"F": hat(system.measured("d"))}
    run = mb.simulate(mb.derive(system), 6.0, samples=5, integrator=integrator, inputs=force)
    d = np.linspace(center - width, center + width, 20_001)
    work = np.trapezoid(np.interp(d, [center - width, center, center + width], [0, 1 / width, 0]), np.sqrt(d**2 - 9))
    assert run["x_dot"][-1] == pytest.approx(math.sqrt(speed**2 + 2 * work), abs=1e-4)


@both
def test_events_on_a_sensor(seed):
    """The distance of two points on straight ways reaches a length at the roots of a parabola."""
    rng, integrator = numbers(seed, "distance")
    a, b, length = float(rng.uniform(0.5, 2)), -float(rng.uniform(0.5, 2)), float(rng.uniform(0.9, 3))
    system = mb.System("ways")
    first, second = system.body("first", 1.0), system.body("second", 1.0)
    system.joint("x", system.world, first, "Tx", u=a)
    system.joint("y", system.world, second, "Ty", q=1.0, u=b)
    system.sensor("d", mb.Distance(first, second))
    event = mb.Event(system.measured("d") - length)
    run = mb.simulate(mb.derive(system), 4.0, samples=5, integrator=integrator, events=[event])
    roots = np.roots([a**2 + b**2, 2 * b, 1 - length**2])
    expected = sorted(float(x.real) for x in roots if abs(x.imag) < 1e-12 and 0 < x.real < 4)
    assert [one.t for one in run.occurrences] == pytest.approx(expected, abs=1e-6)


@both
def test_narrow_pulses_again_and_again(seed):
    """A force of 1 N while sin(ωt) is above a level close to 1."""
    rng, integrator = numbers(seed, "periodic")
    w, level = float(rng.uniform(5, 60)), float(rng.uniform(0.9, 0.9999))
    system, joint, _, _ = cart()
    system.load(mb.JointLoad(joint, where(less(level, sin(w * system.time)), 1.0, 0.0)))
    run = mb.simulate(mb.derive(system), 10.0, samples=5, integrator=integrator)
    tops, half = (math.pi / 2 + 2 * math.pi * np.arange(0, 10 * w)) / w, math.acos(level) / w
    impulse = np.clip(np.minimum(tops + half, 10) - np.minimum(tops - half, 10), 0, None).sum()
    assert run["x_dot"][-1] == pytest.approx(impulse, abs=1e-6)


@both
def test_a_sweep_over_patches_of_force_in_space(seed):
    """Work of 2 J in patches of 0.2 mm to 20 cm: all runs of a sweep end with √5 m/s."""
    rng, integrator = numbers(seed, "patches")
    system, joint, x, _ = cart(u=1.0)
    center, width = system.parameter("center", 1.0), system.parameter("width", 0.1)
    system.load(mb.JointLoad(joint, where(less(absolute(x - center), width), 1 / width, 0.0)))
    values = {"center": list(rng.uniform(1, 8, 2)), "width": list(10 ** rng.uniform(-4, -1, 2))}
    runs = mb.sweep(mb.derive(system), 20.0, parameters=values, samples=5, integrator=integrator, workers=1)
    assert runs.last("x_dot").ravel() == pytest.approx(np.full(4, math.sqrt(5)), abs=1e-5)


@both
def test_a_sweep_over_times_of_pulses(seed):
    rng, integrator = numbers(seed, "pulses")
    system, joint, _, _ = cart()
    begin, width, t = system.parameter("begin", 1.0), system.parameter("width", 0.1), system.time
    system.load(mb.JointLoad(joint, where(less(t, begin), 0.0, where(less(t, begin + width), 1 / width, 0.0))))
    values = {"begin": list(rng.uniform(1, 18, 3)), "width": list(10 ** rng.uniform(-4, 0, 3))}
    runs = mb.sweep(mb.derive(system), 20.0, parameters=values, samples=5, integrator=integrator, workers=1)
    assert runs.last("x_dot").ravel() == pytest.approx(np.ones(9), abs=1e-6)


@both
def test_a_sweep_with_resets(seed):
    """How often balls bounce in 1.5 s from several heights."""
    rng, integrator = numbers(seed, "bounces")
    heights, e = list(rng.uniform(0.2, 2, 3)), float(rng.uniform(0.7, 0.95))
    system = mb.System("ball", gravity=(0, 0, -9.81))
    joint = system.joint("z", system.world, system.body("ball", 1.0), "Tz", q=1.0)
    bounce = mb.Event(joint.coordinate, direction=-1, reset={"z_dot": -e * joint.speed})
    counts = mb.sweep(
        mb.derive(system), 1.5, initial={"z": heights}, events=[bounce], samples=4, integrator=integrator, workers=1,
        measures={"bounces": lambda run: float(len(run.occurrences))},
    ).measures["bounces"]  # fmt: skip

    def bounces(height):
        t = math.sqrt(2 * height / 9.81)
        speed, number = 9.81 * t, 0
        while t < 1.5:
            number, speed = number + 1, e * speed
            t += 2 * speed / 9.81
        return number

    assert list(np.ravel(counts)) == [bounces(height) for height in heights]


@both
def test_a_controller_and_an_event_at_the_same_time(seed):
    """F = -x(kT) is held, and doubled by an event at a sample of the controller."""
    rng, integrator = numbers(seed, "controller")
    period = float(rng.choice([0.05, 0.1, 0.25]))
    system, joint, _, _ = cart(u=1.0)
    system.load(mb.JointLoad(joint, system.input("F") * (1 + system.input("more"))))
    run = mb.simulate(
        mb.derive(system), 3.0, samples=5, integrator=integrator,
        inputs={"F": mb.Sampled(lambda t, q, u: -float(q[0]), period)},
        events=[mb.Event(system.time - 1.0, reset={"more": 1.0})],
    )  # fmt: skip
    x, v = 0.0, 1.0
    for k in range(round(3 / period)):
        force = -x * (2 if k * period >= 1 - 1e-9 else 1)
        x, v = x + v * period + force * period**2 / 2, v + force * period
    assert run["x"][-1] == pytest.approx(x, abs=1e-6)
    assert run["x_dot"][-1] == pytest.approx(v, abs=1e-6)


@both
def test_three_events_at_one_time(seed):
    """Two of state, whose resets set an input each, and one of time."""
    rng, integrator = numbers(seed, "three")
    place = float(rng.uniform(0.5, 1.5))
    system, joint, x, _ = cart(u=1.0)
    system.load(mb.JointLoad(joint, system.input("a") + 10 * system.input("b")))
    events = [
        mb.Event(x - place, reset={"a": 1.0}, name="first"),
        mb.Event(2 * (x - place), reset={"b": 1.0}, name="second"),
        mb.Event(system.time - place, name="third"),
    ]
    run = mb.simulate(mb.derive(system), 2.0, samples=5, integrator=integrator, events=events)
    assert {one.name for one in run.occurrences} == {"first", "second", "third"}
    assert run["x_dot"][-1] == pytest.approx(1 + 11 * (2 - place), abs=1e-5)


@both
def test_a_spring_with_play(seed):
    """Half turns of a cosine with straight ways between them, through corners of min and max."""
    rng, integrator = numbers(seed, "play")
    play, k = float(rng.uniform(0.1, 0.5)), float(rng.uniform(10, 300))
    system, joint, x, _ = cart(q=1.0)
    system.load(mb.JointLoad(joint, -k * (maximum(x - play, 0.0) + minimum(x + play, 0.0))))
    run = mb.simulate(mb.derive(system), 8.0, samples=5, integrator=integrator)
    w, depth = math.sqrt(k), 1 - play
    half, free = math.pi / w, 2 * play / (depth * w)
    left, side = 8.0 + half / 2, 1
    while left > half + free:
        left, side = left - half - free, -side
    expected = play + depth * math.sin(w * left) if left < half else play - depth * w * (left - half)
    assert run["x"][-1] == pytest.approx(side * expected, abs=1e-4)
