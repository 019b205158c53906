"""Events on what the resets of other events, impacts and controllers change."""

import math

import pytest
from tests.refusal import refused

import multibody as mb
from multibody.graph import where
from multibody.simulation import Sampled, Status

SOLVERS = [None, mb.DormandPrince5(), mb.RungeKutta4(step=0.01), mb.Cvode(), mb.ScipySolver(), mb.Ida()]


def named(integrator):
    return "chosen" if integrator is None else type(integrator).__name__


class Cart:
    """A box of 1 kg that moves at 1 m/s, with an input for its force and two without effect."""

    def __init__(self):
        system = mb.System("cart")
        self.on, self.count, self.force = (system.input(name) for name in ("on", "count", "force"))
        slide = system.joint("x", system.world, system.body("box", mass=1.0), "Tx", u=1.0)
        system.load(mb.JointLoad(slide, self.force))
        self.x, self.speed, self.eom = slide.coordinate, slide.speed, mb.derive(system)


@pytest.fixture(scope="module")
def cart():
    return Cart()


def happened(run):
    return [one.name for one in run.occurrences]


@pytest.mark.parametrize("integrator", SOLVERS, ids=named)
@pytest.mark.parametrize("backwards", [False, True])
def test_an_event_on_an_input_that_another_event_sets(cart, integrator, backwards):
    """From t = 1 s on the force is 1 N: after 3 s the speed is 1 + 2 m/s at 1 + 2 + 2 m."""
    events = [
        mb.Event(cart.x - 1, direction=1, reset={"on": 1.0}, name="first"),
        mb.Event(cart.on - 0.5, direction=1, reset={"force": 1.0}, name="second"),
    ]
    run = mb.simulate(cart.eom, 3.0, events=events[::-1] if backwards else events, integrator=integrator)
    assert happened(run) == ["first", "second"]
    assert [one.t for one in run.occurrences] == pytest.approx([1, 1], abs=1e-9)
    assert (run["x"][-1], run["x_dot"][-1]) == pytest.approx((5, 3), rel=1e-8)


@pytest.mark.parametrize("integrator", SOLVERS, ids=named)
def test_events_on_a_coordinate_that_another_event_sets(cart, integrator):
    """From 3 m to 5 m at once: over 4 m from below, and up to 5 m, but not from above; the clock goes on."""
    levels = [
        mb.Event(cart.x - 4, direction=1, name="over four"),
        mb.Event(cart.x - 4, direction=-1, name="under four"),
        mb.Event(cart.x - 5, direction=1, name="up to five"),
        mb.Event(cart.x - 5.5, direction=1, name="half a metre more"),
    ]
    hop = mb.Event(cart.x - 3, reset={"x": 5.0}, name="hop")
    run = mb.simulate(cart.eom, 4.0, events=[*levels, hop], integrator=integrator)
    assert happened(run) == ["hop", "over four", "up to five", "half a metre more"]
    assert [one.t for one in run.occurrences] == pytest.approx([3, 3, 3, 3.5], abs=1e-9)
    assert run["x"][-1] == pytest.approx(6, rel=1e-9)


def test_a_cascade_of_functions_and_expressions_ends_the_run(cart):
    """Three turns: each passage of x = 1 m goes back to 0 m and counts; the third count ends the run at 3 s."""
    lap = mb.Event(cart.x - 1, direction=1, reset=lambda t, q, u: {"x": 0.0, "on": 1.0}, name="lap")
    counted = mb.Event(cart.on - 0.5, direction=1, reset={"on": 0.0, "count": cart.count + 1}, name="counted")
    last = mb.Event(cart.count - 3, direction=1, terminal=True, name="last")
    run = mb.simulate(cart.eom, 10.0, events=[last, counted, lap])
    assert run.status is Status.EVENT
    assert happened(run) == ["lap", "counted"] * 3 + ["last"]
    assert run.t[-1] == pytest.approx(3, abs=1e-9)
    assert run["count"][-1] == 3


def test_there_are_two_samples_at_the_time_of_a_cascade(cart):
    events = [
        mb.Event(cart.x - 1, reset={"on": 1.0}),
        mb.Event(cart.on - 0.5, reset={"count": 1.0}),
        mb.Event(cart.count - 0.5, reset={"force": 2.0}),
    ]
    for times in ([0.0, 0.5, 2.0], [0.0, 1.0, 2.0]):
        run = mb.simulate(cart.eom, times=times, events=events)
        there = abs(run.t - 1) < 1e-9
        assert run["force"][there].tolist()[-2:] == [0, 2]
        assert run["on"][there].tolist()[-2:] == [0, 1]
        assert run["x_dot"][-1] == pytest.approx(3, rel=1e-9)


@pytest.mark.parametrize("integrator", [None, mb.Cvode()], ids=named)
def test_a_cascade_without_end_stops(cart, integrator):
    start = mb.Event(cart.x - 1, direction=1, reset={"on": 1.0}, name="start")
    up = mb.Event(cart.on - 0.5, direction=1, reset={"on": 0.0}, name="up")
    down = mb.Event(cart.on - 0.5, direction=-1, reset={"on": 1.0}, name="down")
    with refused("run-failed", "up", "down") as caught:
        mb.simulate(cart.eom, 3.0, events=[start, up, down], integrator=integrator)
    assert caught.value.trajectory.status is Status.EVENTS_ACCUMULATE
    assert caught.value.trajectory.t[-1] == pytest.approx(1, abs=1e-9)


def test_an_event_does_not_happen_again_by_its_own_reset(cart):
    start = mb.Event(cart.x - 1, direction=1, reset={"on": 1.0}, name="start")
    relay = mb.Event(cart.on - 0.5, reset={"on": 0.0, "count": cart.count + 1}, name="relay")
    back = mb.Event(cart.x - 2, reset={"x": 0.5}, name="back")
    run = mb.simulate(cart.eom, 3.25, events=[start, relay, back])
    assert happened(run) == ["start", "relay", "back", "start", "relay"]
    assert run["count"][-1] == 2


def test_an_event_may_happen_again_by_the_reset_of_another_one(cart):
    """The first one sends x back to 0, the second one to 5 m: over 1 m once more."""
    first = mb.Event(cart.x - 1, direction=1, reset={"x": 0.0, "count": cart.count + 1}, name="first")
    second = mb.Event(cart.count - 1, direction=1, reset={"x": 5.0}, name="second")
    run = mb.simulate(cart.eom, 2.0, events=[first, second])
    assert happened(run) == ["first", "second", "first"]
    assert run["count"][-1] == 2
    assert run["x"][-1] == pytest.approx(1.0, abs=1e-9)


def test_a_condition_that_a_reset_changes(cart):
    hop = mb.Event(cart.x - 3, reset={"x": 5.0}, name="hop")
    patch = mb.Event(where(cart.x > 4, 1, -1), direction=1, reset={"force": 1.0}, name="patch")
    run = mb.simulate(cart.eom, 4.0, events=[patch, hop])
    assert happened(run) == ["hop", "patch"]
    assert run["x_dot"][-1] == pytest.approx(2, rel=1e-9)


def test_a_signal_that_a_reset_does_not_change_is_not_lost(cart):
    """It crosses zero 2e-12 s after the reset of another event."""
    first = mb.Event(cart.x - 1, reset={"on": 1.0}, name="first")
    second = mb.Event(cart.x - 1 - 2e-12, reset={"force": 1.0}, name="second")
    run = mb.simulate(cart.eom, 3.0, events=[first, second])
    assert happened(run) == ["first", "second"]
    assert run["x_dot"][-1] == pytest.approx(3, rel=1e-9)


@pytest.mark.parametrize("integrator", [None, mb.Cvode()], ids=named)
def test_impacts_make_events_happen(integrator):
    """A ball falls from 1 m and rebounds without loss: its speed changes sign in each of its bounces."""
    system = mb.System("ball", gravity=(0, 0, -9.81))
    bounces = system.input("bounces")
    fall = system.joint("z", system.world, system.body("rubber", mass=1.0), "Tz", q=1.0)
    turn = mb.Event(fall.speed, direction=1, reset={"bounces": bounces + 1}, name="turn")
    floor = mb.Impact(fall.coordinate, restitution=1.0, name="floor")
    run = mb.simulate(mb.derive(system), 3.0, events=[turn, floor], integrator=integrator)
    first = math.sqrt(2 / 9.81)
    times = [first + 2 * k * first for k in range(3)]
    assert [one.t for one in run.occurrences if one.name == "turn"] == pytest.approx(times, abs=1e-6)
    assert run["bounces"][-1] == 3


def test_an_impact_at_the_start_makes_events_happen():
    system = mb.System("ball", gravity=(0, 0, 0))
    fall = system.joint("z", system.world, system.body("rubber", mass=1.0), "Tz", u=-1.0)
    turn = mb.Event(fall.speed, direction=1, name="turn")
    run = mb.simulate(mb.derive(system), 1.0, events=[turn, mb.Impact(fall.coordinate, restitution=0.5, name="floor")])
    assert happened(run) == ["floor", "turn"]
    assert run["z"][-1] == pytest.approx(0.5, rel=1e-9)


def test_controllers_see_the_state_after_all_resets(cart):
    """The event comes at the time of a sample, and so does what follows from it."""
    seen = {}

    def law(t, q, u):
        seen[round(t, 6)] = q[0]
        return 0.0

    events = [
        mb.Event(cart.x - 1 + 1e-13, direction=1, reset={"on": 1.0}),
        mb.Event(cart.on - 0.5, reset={"x": 7.0}),
    ]
    mb.simulate(cart.eom, 2.0, events=events, inputs={"force": Sampled(law, 0.25)})
    assert seen[1.0] == pytest.approx(7, abs=1e-6)
    assert seen[1.25] == pytest.approx(7.25, abs=1e-6)


def test_an_input_that_a_controller_sets_to_zero_exactly(cart):
    """What is reached counts as crossed, as in a continuous motion."""
    law = Sampled(lambda t, q, u: -1.0 if t < 0.9 else 0.0, 0.25)
    run = mb.simulate(cart.eom, 2.0, events=[mb.Event(cart.count, direction=1, name="up")], inputs={"count": law})
    assert [one.t for one in run.occurrences] == pytest.approx([1.0], abs=1e-9)


@pytest.mark.parametrize("integrator", [None, mb.RungeKutta4(step=0.01)], ids=named)
def test_sweeps(cart, integrator):
    events = [
        mb.Event(cart.x - 1, direction=1, reset={"on": 1.0}, name="first"),
        mb.Event(cart.on - 0.5, direction=1, reset={"force": 1.0}, name="second"),
    ]
    found = mb.sweep(cart.eom, 3.0, initial={"x": [-1.0, 0.0, 0.5]}, events=events, integrator=integrator, workers=1)
    assert [run["x_dot"][-1] for run in found] == pytest.approx([2, 3, 3.5], rel=1e-9)
