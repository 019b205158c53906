"""Conformance of integrators: all of them, and sweeps, record the same in the same scenarios with known motions.

What is compared: how a run ends, which events happen in which order and when, at which times there are samples (two at
a jump), the states there, and how well constraints are kept. Expected values are exact solutions.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.graph import sign
from multibody.simulation import Status
from multibody.simulation.integrators.scipy_solvers import ScipySolver

from .test_singular_positions import closed_slider_crank, slider_crank, turning_crank

INTEGRATORS = {
    "DormandPrince8": mb.DormandPrince8(),
    "DormandPrince5": mb.DormandPrince5(rtol=1e-9),
    "Rodas5P": mb.Rodas5P(),
    "RungeKutta4": mb.RungeKutta4(step=0.01),
    "Symplectic": mb.Symplectic(step=0.01),
    "Cvode": mb.Cvode(),
    "Adams": mb.Cvode(method="Adams"),
    "Ida": mb.Ida(),
    "IndependentCoordinates": mb.IndependentCoordinates(),
    "DOP853": ScipySolver(),
    "Radau": ScipySolver(method="Radau"),
    "BDF": ScipySolver(method="BDF"),
    "LSODA": ScipySolver(method="LSODA"),
}
"""Symplectic is of second order: its errors are larger."""

COARSE = {"Symplectic": 100.0, "BDF": 5.0}
"""Errors of states and times relative to those of the others."""

TIMES = np.linspace(0.0, 2.0, 21)


@dataclass(frozen=True)
class Scenario:
    """A motion and what must be recorded of it.

    Attributes:
        make: equations and events.
        exact: coordinates, or coordinates and speeds, at a time, just before what happens then.
        events: names and times.
        status: how the run ends.
        end: the time of the last sample.
        doubled: times with two samples, before and after a jump.
        error: the allowed error of states.
        late: the allowed error of times of events.
        start: arguments of ``simulate``.
        refusals: statuses with which all but the default integrator may refuse instead.
    """

    make: Callable[[], tuple[mb.EquationsOfMotion, list[mb.Event]]]
    exact: Callable[[float], tuple[float, ...]]
    events: tuple[tuple[str, float], ...] = ()
    status: Status = Status.DONE
    end: float = 2.0
    doubled: tuple[float, ...] = ()
    error: float = 1e-6
    late: float = 1e-7
    start: dict[str, Any] = field(default_factory=dict)
    refusals: tuple[Status, ...] = ()


def cart(force=lambda t, x, v: 0 * t, x=0.0, v=1.0):
    """A box of 1 kg with a force of (t, x, v); its equations, position, speed and time."""
    system = mb.System("cart")
    slide = system.joint("x", system.world, system.body("box", mass=1.0), "Tx", q=x, u=v)
    system.load(mb.JointLoad(slide, force(system.time, slide.coordinate, slide.speed)))
    return mb.derive(system), slide.coordinate, slide.speed, system.time


def rolling(*signals, reset=None):
    """A box that rolls with 1 m/s, and events where it comes to places."""
    eom, x, *_ = cart()
    return eom, [mb.Event(x - place, name=name, reset=reset) for name, place in signals]


def thrown(offset=0.0):
    """x = (t - 1)² + offset, which touches zero, misses it or crosses it twice."""
    eom, x, *_ = cart(lambda t, x, v: 2 + 0 * t, 1.0 + offset, -2.0)
    return eom, [mb.Event(x, name="ground")]


def chatter():
    """Friction of 1 N against a push of 0.5 N: the box stops at t = 2/1.5 s, and its sign switches without end."""
    eom, *_ = cart(lambda t, x, v: 0.5 - sign(v), 0.0, 2.0 / 3.0)
    return eom, []


def bouncing():
    """A ball that falls from 1 m onto the floor, and leaves it with half its speed: it rests at 3·√(2h/g)."""
    eom, x, v, _ = cart(lambda t, x, v: -8 + 0 * t, 1.0, 0.0)
    return eom, [mb.Event(x, direction=-1, reset={"x_dot": -0.5 * v}, name="floor")]


def bounced(t):
    """Height and speed of this ball."""
    start, height, speed = 0.5, 0.0, 2.0
    if t <= start:
        return 1 - 4 * t * t, -8 * t
    while t - start > 2 * speed / 8 and speed > 1e-12:
        start, speed = start + 2 * speed / 8, 0.5 * speed
    t -= start
    return height + speed * t - 4 * t * t, speed - 8 * t


def stopping():
    """A box that is stopped for good where it comes to 0.7 m."""
    eom, x, *_ = cart()
    return eom, [mb.Event(x - 0.7, terminal=True, name="end")]


def redundant():
    """A rod on three parallel cranks of 1 m that turn with 1 rad/s, without gravity: one crank is redundant."""
    system = mb.System("cranks")
    rod = system.body("rod", 1.0, (1.0, 0, 0), (0, 0.1, 1 / 3))
    for k in range(3):
        crank = system.body(f"crank{k}", 1.0, (0.5, 0, 0), (0, 0.1, 1 / 12))
        foot = system.frame(f"foot{k}", (k, 0, 0)) if k else system.world
        system.joint(f"angle{k}", foot, crank, "Rz", q=0.3, u=1.0)
        tip = crank.frame(f"tip{k}", (1, 0, 0))
        if k == 0:
            system.joint("rod_angle", tip, rod, "Rz", q=-0.3, u=-1.0)
        else:
            system.joint(f"close{k}", rod.frame(f"end{k}", (k, 0, 0)), tip, "Rz", cut=True)
    return mb.derive(system), []


def passing():
    """A crank and a rod of 1 m that are both upright after 0.29 s, where the constraints are dependent."""
    return mb.derive(slider_crank(gravity=0.0)), []


def passed(t):
    """Coordinates of this linkage while the rod is the mirror image of the crank."""
    turn = turning_crank(1.0, 2.0, [t], gravity=0.0)[0] if t else 1.0
    return turn, -2 * turn, 2 * math.cos(turn)


def dead_point():
    """A crank and a rod of 1 m in closed form: two solutions meet where both are upright, after 1 s."""
    system = mb.System("slider_crank")
    crank = system.body("crank", 1.0, (0, 0, 0), (0, 0, 1e6))
    rod, piston = system.body("rod", 1e-6, inertia=(0, 0, 1e-6)), system.body("piston", 1e-6)
    system.joint("turn", system.world, crank, "Rz", q=math.pi / 2 - 1.0, u=1.0)
    system.joint("bend", crank.frame("pin", (1, 0, 0)), rod, "Rz")
    system.joint("slide", system.world, piston, "Tx")
    system.loop(mb.CrankSlider(rod.frame("eye", (1.0, 0, 0)), piston.frame("gudgeon")))
    return mb.derive(system), []


SCENARIOS = {
    "an event at the end of a step": Scenario(
        lambda: rolling(("half", 0.5)), lambda t: (t, 1.0), (("half", 0.5),)
    ),
    "an event at the last sample": Scenario(
        lambda: rolling(("end", 2.0)), lambda t: (t, 1.0), (("end", 2.0),)
    ),
    "two events in one step": Scenario(
        lambda: rolling(("second", 0.5032), ("first", 0.5031)), lambda t: (t, 1.0),
        (("first", 0.5031), ("second", 0.5032)),
    ),
    "two events at once": Scenario(
        lambda: rolling(("one", 0.55), ("other", 0.55)), lambda t: (t, 1.0), (("one", 0.55), ("other", 0.55))
    ),
    "an event at a sample": Scenario(
        lambda: rolling(("turn", 0.5), reset={"x_dot": 2.0}),
        lambda t: (t, 1.0) if t <= 0.5 else (2 * t - 0.5, 2.0),
        (("turn", 0.5),), doubled=(0.5,),
    ),
    "an event between samples": Scenario(
        lambda: rolling(("turn", 0.55), reset={"x_dot": 2.0}),
        lambda t: (t, 1.0) if t <= 0.55 else (2 * t - 0.55, 2.0),
        (("turn", 0.55),), doubled=(0.55,),
    ),
    "an event that ends the run": Scenario(
        stopping, lambda t: (t, 1.0), (("end", 0.7),), Status.EVENT, end=0.7
    ),
    "grazing": Scenario(thrown, lambda t: ((t - 1) ** 2, 2 * (t - 1)), (("ground", 1.0),), late=2e-3),
    "almost grazing": Scenario(
        lambda: thrown(1e-4), lambda t: ((t - 1) ** 2 + 1e-4, 2 * (t - 1))
    ),
    "crossing twice": Scenario(
        lambda: thrown(-1e-4), lambda t: ((t - 1) ** 2 - 1e-4, 2 * (t - 1)),
        (("ground", 0.99), ("ground", 1.01)), late=1e-4,
    ),
    "chattering": Scenario(
        chatter, lambda t: (2 / 3 * t - 0.25 * t * t, 2 / 3 - 0.5 * t), status=Status.SWITCHING, end=4 / 3,
        error=1e-5,
    ),
    "bouncing without end": Scenario(
        bouncing, bounced, (("floor", 0.5), ("floor", 1.0), ("floor", 1.25), ("floor", 1.375)),
        Status.EVENTS_ACCUMULATE, end=1.5, error=1e-5,
    ),
    "a dead point": Scenario(
        dead_point, lambda t: (math.pi / 2 - 1 + t, 1.0), status=Status.SINGULAR, end=1.0, error=1e-5,
    ),
    "a singular passage": Scenario(
        passing, passed, error=3e-5, start=dict(zip("qu", closed_slider_crank(1.0, 2.0), strict=True)),
        refusals=(Status.SINGULAR, Status.CONSTRAINTS_LOST, Status.SOLVER_FAILED, Status.NOT_FINITE),
    ),
    "redundant rows": Scenario(
        redundant, lambda t: (0.3 + t, -0.3 - t, 0.3 + t, 0.3 + t, 1.0, -1.0, 1.0, 1.0), error=1e-5
    ),
}  # fmt: skip


def run_of(scenario, integrator):
    """A run as ``simulate`` makes it."""
    eom, events = scenario.make()
    return mb.simulate(eom, times=TIMES, events=events, integrator=integrator, on_failure="return", **scenario.start)


def swept(scenario, integrator):
    """The same run twice, in a sweep."""
    eom, events = scenario.make()
    start = eom.consistent(**scenario.start)
    names = [one.name for one in (*eom.coordinates, *eom.speeds)]
    case = dict(zip(names, map(float, [*start.q, *start.u]), strict=True))
    return mb.sweep(eom, times=TIMES, events=events, integrator=integrator, cases=[case] * 2)


def require(scenario, run, factor=1.0, refusals=()):
    """All that must be recorded."""
    assert run.status is scenario.status or run.status in refusals, run.message
    found = [(one.name, one.t) for one in run.occurrences]
    if scenario.status is Status.EVENTS_ACCUMULATE:  # how many there are depends on the method
        found = found[: len(scenario.events)]
    assert [name for name, _ in found] == [name for name, _ in scenario.events]
    assert [t for _, t in found] == pytest.approx([t for _, t in scenario.events], abs=factor * scenario.late)
    _require_samples(scenario, run, factor)
    jumps = [*scenario.doubled, *(one.t for one in run.occurrences if scenario.status is Status.EVENTS_ACCUMULATE)]
    states = np.hstack([run.q, run.u])
    for t, y in zip(run.t, states, strict=True):
        if np.abs(t - np.array(jumps or [-1.0])).min() > factor * scenario.late:
            exact = scenario.exact(float(t))
            assert y[: len(exact)] == pytest.approx(exact, abs=factor * scenario.error), t
    if run.statistics.constrained and run.status is Status.DONE:
        assert run.statistics.constraint_residual < 1e-8


def _require_samples(scenario, run, factor):
    """Samples at the wanted times up to the end; two at every jump, before and after it.

    A jump at a wanted time is located to rounding: there may be three samples.
    """
    wanted = TIMES[scenario.end + 1e-12 >= TIMES]
    plain = [t for t in run.t if np.abs(TIMES - t).min() == 0.0]
    if run.status is Status.DONE:
        assert sorted(set(plain)) == list(wanted)
        jumps = [t for t in run.t if t not in wanted or np.count_nonzero(run.t == t) > 1]
        apart = np.abs(np.subtract.outer(jumps, scenario.doubled or [np.inf])).min(axis=1, initial=np.inf)
        assert (apart <= factor * scenario.late).all(), "no other samples than those that are wanted, and jumps"
    else:
        assert run.status is not scenario.status or run.t[-1] == pytest.approx(scenario.end, abs=0.11)
        assert (np.diff(run.t) >= 0).all()
        assert set(plain) <= set(wanted)
    for t in scenario.doubled:
        rows = np.flatnonzero(np.abs(run.t - t) <= factor * scenario.late)
        assert run.t[rows[-2]] == run.t[rows[-1]]
        assert run.u[rows[:-1], 0] == pytest.approx(1.0, abs=1e-6)
        assert run.u[rows[-1], 0] == pytest.approx(2.0, abs=1e-6)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("name", SCENARIOS)
def test_all_integrators_record_the_same(name, integrator):
    scenario = SCENARIOS[name]
    run = run_of(scenario, INTEGRATORS[integrator])
    refusals = () if integrator == "DormandPrince8" else scenario.refusals
    require(scenario, run, COARSE.get(integrator, 1.0), refusals)


@pytest.mark.parametrize("name", SCENARIOS)
def test_without_a_choice_they_are_the_same(name):
    require(SCENARIOS[name], run_of(SCENARIOS[name], None))


@pytest.mark.parametrize(
    "integrator", [None, mb.DormandPrince5(rtol=1e-9), mb.RungeKutta4(step=0.01), mb.Rodas5P()], ids=str
)
@pytest.mark.parametrize("name", SCENARIOS)
def test_sweeps_record_the_same(name, integrator):
    for run in swept(SCENARIOS[name], integrator):
        require(SCENARIOS[name], run, refusals=SCENARIOS[name].refusals)


def test_a_run_that_records_something_else_is_noticed():
    """The suite can fail: an event that is late, one too many, a wrong state, a sample too few."""
    scenario = SCENARIOS["an event between samples"]
    run = run_of(scenario, None)
    require(scenario, run)
    wrong = [
        replace(scenario, events=(("turn", 0.5501),)),
        replace(scenario, events=()),
        replace(scenario, status=Status.EVENT),
        replace(scenario, exact=lambda t: (t, 1.0)),
        replace(scenario, doubled=()),
    ]
    for other in wrong:
        with pytest.raises(AssertionError):
            require(other, run)
    shorter = mb.simulate(scenario.make()[0], times=TIMES[::2])
    with pytest.raises(AssertionError):
        require(replace(scenario, events=(), doubled=(), exact=lambda t: (t, 1.0)), shorter)
