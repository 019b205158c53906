"""Stored results asked by another question: pairs of models, inputs and measures that differ in one detail.

The result of one question is stored, in a sweep or in a trajectory file, and the other question is asked of this file.
Right is a refusal, or the numbers of the other question, which are computed without any file. Every fourth pair is the
same question, written twice: right is that the stored result is taken, without running anything again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

import multibody as mb
from multibody.graph import Table, sin

from .case import REFUSED, RIGHT, WRONG, Outcome, Refused, generator, result_of

BATTERY = "stored"
SUFFIXES = (".npz", ".parquet", ".csv")
SAMPLES, DURATION = 4, 0.2


@dataclass
class Question:
    """A model, and how it is to be run."""

    eom: Any
    options: dict[str, Any] = field(default_factory=dict)
    events: tuple[Any, ...] = ()
    measures: dict[str, Any] = field(default_factory=dict)
    duration: float = DURATION


# models --------------------------------------------------------------------------------------------------------------


def arm(
    *, mass: float = 2.0, com: float = -1.0, inertia: float = 0.3, gravity: float = 9.81, stiffness: float = 3.0,
    table: float = 2.0, sensor: float = 0.5, push: float = 0.2, limit: float = 1.0, drive: float = 5.0,
    length: float = 1.0, start: float = 0.3,
) -> Any:  # fmt: skip
    """A pendulum with a spring, a tabulated torque, a force at a frame, a drive with limits and a sensor."""
    system = mb.System("arm", gravity=(0, 0, -gravity))
    l = system.parameter("l", length)
    rod = system.body("rod", mass, (0, 0, com * l), mb.diag(0.1, inertia, 0.2))
    hinge = system.joint("x", system.world, rod, "Ry", q=start, limits=(-1.5, limit))
    system.load(mb.JointSpring(hinge, stiffness), name="spring")
    law = Table("law", [-2.0, 0.0, 2.0], [-1.0, 0.1, table])
    system.load(mb.JointLoad(hinge, law(hinge.coordinate)), name="tabulated")
    system.load(mb.JointLoad(hinge, system.input("F", limits=(-drive, drive))), name="motor")
    system.load(mb.Force(rod.frame("grip", (0, 0, push)), (1.0, 0, 0)), name="push")
    system.sensor("tip", mb.Position(rod.frame("end", (0, sensor, -1))))
    return mb.derive(system)


def gears(*, ratio: float = -2.0, offset: float = 0.1, mass: float = 1.0, place: float = 0.2) -> Any:
    """Two wheels in mesh, one of them out of balance, on a table that is shaken."""
    system = mb.System("gears", gravity=(0, 0, -9.81))
    wheels = [system.body(f"wheel_{k}", mass, (place, 0, 0), (0.2, 0.2, 0.3)) for k in "ab"]
    a, b = (system.joint(k, system.world, wheel, "Ry") for k, wheel in zip("ab", wheels, strict=True))
    system.constraint(mb.Gear(a, b, ratio=ratio, offset=offset), name="mesh")
    return mb.derive(system)


def shaken(*, amplitude: float = 0.2, mass: float = 3.0, damping: float = 0.1) -> Any:
    """A pendulum on a table that moves up and down; the mass of the table changes energies and forces alone."""
    system = mb.System("shaken", gravity=(0, 0, -9.81))
    table = system.body("table", mass)
    system.joint("lift", system.world, table, "Tz", prescribed=amplitude * sin(3 * system.time))
    hinge = system.joint("x", table, system.body("bob", 1.0, (0, 0, -0.5)), "Ry", q=0.4)
    system.load(mb.JointDamper(hinge, damping), name="damper")
    return mb.derive(system)


def tied(*, frame: float = 0.3, distance: float = 1.0) -> Any:
    """A bob on a rod of given length, fixed at a frame of the world that may be elsewhere."""
    system = mb.System("tied", gravity=(0, 0, -9.81))
    bob = system.body("bob", 1.0)
    system.joint("p", system.world, bob, ["Tx", "Tz"], q=(frame + 0.6 * distance, -0.8 * distance))
    post = system.world.frame("post", (frame, 0, 0))
    system.constraint(mb.DistanceConstraint(post, bob, distance), name="rod")
    return mb.derive(system)


def falling(*, mass: float = 2.0) -> Any:
    """A stone: its mass changes nothing but its energies."""
    system = mb.System("falling", gravity=(0, 0, -9.81))
    system.joint("z", system.world, system.body("stone", mass), "Tz", q=1.0)
    return mb.derive(system)


# objects and functions -----------------------------------------------------------------------------------------------


@dataclass
class Controller:
    """A controller with fields, one of which is nested."""

    gain: float = 1.0
    more: dict[str, Any] = field(default_factory=dict)

    def __call__(self, t: float, q: Any, u: Any) -> float:
        return -self.gain * q[0] - float(np.sum(self.more.get("weights", [0.0]))) * u[0]

    def law(self, t: float, q: Any, u: Any) -> float:
        return self(t, q, u)


class Slotted:
    """A controller without a ``__dict__``."""

    __slots__ = ("gain",)

    def __init__(self, gain: float) -> None:
        self.gain = gain

    def __call__(self, t: float, q: Any) -> float:
        return -self.gain * q[0]


class Rebuilt:
    """A controller that says itself what it is made from, and hides a counter."""

    def __init__(self, gain: float) -> None:
        self.gain, self.calls = gain, 0

    def __reduce__(self) -> Any:
        return Rebuilt, (self.gain,)

    def __call__(self, t: float, q: Any) -> float:
        self.calls += 1
        return -self.gain * q[0]


class Peak:
    """A measure with a field."""

    def __init__(self, factor: float) -> None:
        self.factor = factor

    def __call__(self, run: Any) -> Any:
        return self.factor * np.abs(run["x"]).max()


def closure(gain: float) -> Callable[..., float]:
    return lambda t, q: -gain * q[0]


def with_default(gain: float) -> Callable[..., float]:
    def law(t: float, q: Any, *, gain: float = gain) -> float:
        return -gain * q[0]

    return law


def of_text(text: str, **names: Any) -> Any:
    """A function that was written in another way, in a module of its own."""
    return eval(text, dict(names))  # a text of this file


def proportional(gain: float, t: float, q: Any) -> float:
    return -gain * q[0]


def doubled_end(run: Any) -> Any:
    return 2 * run.y[-1, 0]


def scaled_end(factor: float, run: Any) -> Any:
    return factor * run["x"][-1]


def with_input(law: Callable[[float], Any]) -> Callable[[float], Question]:
    return lambda value: Question(arm(), {"inputs": {"F": law(value)}})


def with_measure(law: Callable[[float], Any]) -> Callable[[float], Question]:
    return lambda value: Question(arm(), measures={"size": law(value)})


def with_event(make: Callable[[Any, float], Any]) -> Callable[[float], Question]:
    def question(value: float) -> Question:
        eom = falling()
        return Question(eom, events=(make(eom, value),), duration=0.6)

    return question


def with_option(name: str, make: Callable[[float], Any]) -> Callable[[float], Question]:
    return lambda value: Question(arm(), {name: make(value)})


MODELS: dict[str, Callable[[float], Question]] = {
    "mass": lambda x: Question(arm(mass=2 + x)),
    "mass of a falling body": lambda x: Question(falling(mass=2 + x)),
    "mass of a driven body": lambda x: Question(shaken(mass=3 + x)),
    "center of mass": lambda x: Question(arm(com=-1 - 0.1 * x)),
    "inertia": lambda x: Question(arm(inertia=0.2 + 0.02 * x)),
    "gravity": lambda x: Question(arm(gravity=9.81 + 0.01 * x)),
    "stiffness": lambda x: Question(arm(stiffness=3 + x)),
    "table values": lambda x: Question(arm(table=2 + x)),
    "sensor frame": lambda x: Question(arm(sensor=0.5 + x)),
    "point of a force": lambda x: Question(arm(push=0.2 + x)),
    "joint limit": lambda x: Question(arm(limit=0.05 + 0.1 * x)),
    "input limit": lambda x: Question(arm(drive=0.2 + x), {"inputs": {"F": 20.0}}),
    "gear ratio": lambda x: Question(gears(ratio=-2 - x)),
    "gear offset": lambda x: Question(gears(offset=0.1 + x)),
    "unbalance of gears": lambda x: Question(gears(place=0.2 + 0.1 * x)),
    "prescribed motion": lambda x: Question(shaken(amplitude=0.2 + x)),
    "damping": lambda x: Question(shaken(damping=0.1 + x)),
    "frame of a constraint": lambda x: Question(tied(frame=0.3 + x)),
    "length of a constraint": lambda x: Question(tied(distance=1 + x)),
}
"""Details of models: they matter to sweeps, to files, and to runs that go on."""

IMPACTS: dict[str, Callable[[float], Question]] = {
    "restitution": with_event(lambda eom, x: mb.Impact(eom.coordinates[0] - 0.5, 0.3 + 0.1 * x, name="floor")),
    "gap of an impact": with_event(lambda eom, x: mb.Impact(eom.coordinates[0] - 0.2 - 0.1 * x, name="floor")),
}

RUNS: dict[str, Callable[[float], Question]] = {
    "default of a parameter": lambda x: Question(arm(length=1 + x)),
    "start value": lambda x: Question(arm(start=0.3 + 0.1 * x)),
    "event threshold": with_event(lambda eom, x: mb.Event(eom.coordinates[0] - 0.3 - 0.1 * x, terminal=True)),
    "event reset": with_event(lambda eom, x: mb.Event(eom.coordinates[0] - 0.5, -1, reset={"z_dot": 1.0 + x})),
    "event function": with_event(
        lambda eom, x: mb.Event(eom.coordinates[0] - 0.5, -1, reset=lambda t, q, u: {"z_dot": 1.0 + x})
    ),
    "event direction": with_event(lambda eom, x: mb.Event(eom.coordinates[0] - 0.5, 1 if x > 1 else -1, terminal=True)),
    "tolerance": with_option("integrator", lambda x: mb.DormandPrince8(rtol=1e-6 * (1 + x))),
    "step": with_option("integrator", lambda x: mb.RungeKutta4(0.02 * (1 + x))),
    "parameter": with_option("parameters", lambda x: {"l": 1.0 + x}),
    "cases": with_option("initial", lambda x: {"x": [0.1, 0.1 + 0.1 * x]}),
    "number input": with_input(lambda x: x),
    "expression input": with_input(lambda x: f"{x!r}*sin(3*t)"),
    "table input": with_input(lambda x: Table("drive", [0.0, 0.1, 1.0], [0.0, x, 1.0])),
    "controller field": with_input(lambda x: Controller(x)),
    "controller nested field": with_input(lambda x: Controller(1.0, {"weights": np.array([1.0, x])})),
    "controller slot": with_input(Slotted),
    "controller with reduce": with_input(Rebuilt),
    "bound method": with_input(lambda x: Controller(x).law),
    "closure": with_input(closure),
    "default of a function": with_input(with_default),
    "partial argument": with_input(lambda x: partial(proportional, x)),
    "constant of a function": with_input(lambda x: of_text(f"lambda t, q: -{x!r} * q[0]")),
    "global of a function": with_input(lambda x: of_text("lambda t, q: -gain * q[0]", gain=x)),
    "function of a function": with_input(
        lambda x: of_text("lambda t, q: law(t, q)", law=of_text("lambda t, q: -gain[0] * q[0]", gain=[x]))
    ),
    "sampled controller": with_input(lambda x: mb.Sampled(Controller(x), 0.05)),
    "period": with_input(lambda x: mb.Sampled(Controller(3.0), 0.02 * (1 + round(2 * x)))),
    "measure field": with_measure(Peak),
    "measure closure": with_measure(lambda x: lambda run: x * run["x"][-1]),
    "measure partial": with_measure(lambda x: partial(scaled_end, x)),
    "measure constant": with_measure(lambda x: of_text(f"lambda run: {x!r} * run['x'][-1]")),
}
"""Details of runs: they matter to sweeps."""


# asking --------------------------------------------------------------------------------------------------------------


def numbers(run: Any) -> dict[str, Any]:
    """Everything that a run says."""
    found = {name: run[name] for name in run.names}
    return found | {"limits": np.array([[one.t, one.furthest, *one.limits] for one in run.limit_violations]).ravel()}


def swept(question: Question, path: Path | None = None, **options: Any) -> Any:
    return mb.sweep(
        question.eom, question.duration, samples=SAMPLES, path=path, events=question.events, workers=1,
        measures={"end": doubled_end, **question.measures}, **question.options, **options,
    )  # fmt: skip


def content(runs: Any) -> list[dict[str, Any]]:
    """Everything that a sweep says."""
    return [runs.measures, *(numbers(run) for run in runs)]


def same(one: list[dict[str, Any]], other: list[dict[str, Any]]) -> bool:
    """Whether two results are the same, but for rounding."""

    def close(a: Any, b: Any) -> bool:
        return np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=1e-9, atol=1e-9)

    return len(one) == len(other) and all(
        {*a} == {*b} and all(close(a[name], b[name]) for name in a) for a, b in zip(one, other, strict=True)
    )


class Answer(NamedTuple):
    """What a file said to a question, what it should have said, and whether anything was run again."""

    stored: list[dict[str, Any]]
    right: list[dict[str, Any]]
    ran: bool


def ask_sweep(first: Question, second: Question, folder: Path) -> Answer:
    seen: list[Any] = []
    path = folder / "runs.sweep"
    swept(first, path)
    runs = result_of(swept, second, path, progress=lambda *counts: seen.append(counts))
    return Answer(content(runs), content(swept(second)), bool(seen))


def ask_read_sweep(first: Question, second: Question, folder: Path) -> Answer:
    path = folder / "runs.sweep"
    swept(first, path)
    runs = result_of(mb.read_sweep, path, second.eom, second.events)
    return Answer(content(runs), content(swept(second)), ran=False)


def simulated(question: Question, **options: Any) -> Any:
    return mb.simulate(
        question.eom, question.duration, samples=SAMPLES, events=question.events, **question.options, **options
    )


def ask_file(suffix: str) -> Callable[[Question, Question, Path], Answer]:
    def ask(first: Question, second: Question, folder: Path) -> Answer:
        path = folder / f"run{suffix}"
        simulated(first).save(path)
        given = {"parameters": {}} if suffix == ".csv" else {}
        back = result_of(mb.Trajectory.read, path, second.eom, events=second.events, **given)
        right = simulated(second)
        right = mb.Trajectory(right.eom, right.t, right.y, right.r, right.p)  # limits at the samples, as in a file
        return Answer([numbers(back)], [numbers(right)], ran=False)

    return ask


def ask_start(first: Question, second: Question, folder: Path) -> Answer:
    """The second goes on from the first: nothing but the same model may."""
    run, own = simulated(first), simulated(second)
    both = run + result_of(simulated, second, start=run)
    return Answer([numbers(both)], [numbers(own + simulated(second, start=own))], ran=False)


WAYS = {"sweep": ask_sweep, "read_sweep": ask_read_sweep, **{suffix: ask_file(suffix) for suffix in SUFFIXES}}


def case(seed: int) -> Outcome:
    """Ask a file, a sweep or a trajectory, the question of another one, or its own."""
    random = generator(BATTERY, seed)
    details = {**MODELS, **IMPACTS, **RUNS}
    name = [*details][seed % len(details)]
    is_model = name in MODELS
    ways = [*WAYS, *(["start"] if is_model else [])] if is_model or name in IMPACTS else ["sweep"]
    way = str(random.choice(ways))
    is_same = seed % 4 == 3
    first = float(random.uniform(0.2, 1.0))
    second = first if is_same else first + float(random.choice([0.9, 1.1]))
    what = f"{name}, {way}, {'the same' if is_same else f'{first:.3g} and {second:.3g}'}"
    ask = ask_start if way == "start" else WAYS[way]
    with TemporaryDirectory() as folder:
        questions = details[name](first), details[name](second)
        try:
            answer = ask(*questions, Path(folder))
        except Refused as error:
            return Outcome(BATTERY, seed, REFUSED if is_same else RIGHT, what, str(error))
    if not same(answer.stored, answer.right):
        return Outcome(BATTERY, seed, WRONG, what, "numbers of another question")
    if is_same and answer.ran:
        return Outcome(BATTERY, seed, WRONG, what, "the same question was run again")
    return Outcome(BATTERY, seed, RIGHT, what)
