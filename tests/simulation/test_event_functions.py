"""Event functions with known roots, events that accumulate, and motions that diverge."""

import math

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.graph import cos, sin, where
from multibody.simulation import Status

SOLVERS = [None, mb.DormandPrince5(), mb.RungeKutta4(step=0.04), mb.Cvode(), mb.ScipySolver(), mb.Ida()]


def named(integrator):
    return "chosen" if integrator is None else type(integrator).__name__


@pytest.fixture(scope="module")
def wheel():
    """A wheel with one revolution per second, and its angle."""
    system = mb.System("wheel")
    joint = system.joint("angle", system.world, system.body("disc", 1.0, inertia=(1, 1, 1)), "Rz", u=2 * math.pi)
    return mb.derive(system), joint.coordinate


@pytest.fixture(scope="module")
def ball():
    """A ball that falls from 1 m, with height and speed."""
    system = mb.System("ball", gravity=(0, 0, -9.81))
    joint = system.joint("z", system.world, system.body("rubber", mass=1.0), "Tz", q=1.0)
    return mb.derive(system), joint.coordinate, joint.speed


def spring(stiffness, damping=0.0, q=1.0, mass=1.0):
    system = mb.System("spring")
    slide = system.joint("x", system.world, system.body("mass", mass=mass), "Tx", q=q)
    system.load(mb.JointSpring(slide, stiffness))
    if damping:
        system.load(mb.JointDamper(slide, damping))
    return mb.derive(system)


@pytest.mark.parametrize("integrator", SOLVERS, ids=named)
def test_every_revolution_is_counted(wheel, integrator):
    eom, angle = wheel
    run = mb.simulate(eom, 10.0, events=[mb.Event(sin(angle), direction=1)], integrator=integrator)
    assert [one.t for one in run.occurrences] == pytest.approx(range(1, 11), abs=1e-7)


@pytest.mark.parametrize("integrator", SOLVERS, ids=named)
def test_many_roots_in_a_step_are_found(wheel, integrator):
    """sin(20·2π·t) = 0 from below every 0.05 s; both ways every 0.025 s."""
    eom, angle = wheel
    events = [mb.Event(sin(20 * angle), direction=1, name="up"), mb.Event(sin(20 * angle), name="both")]
    run = mb.simulate(eom, 2.0, events=events, integrator=integrator)
    times = {name: [one.t for one in run.occurrences if one.name == name] for name in ("up", "both")}
    assert times["up"] == pytest.approx(0.05 * np.arange(1, 41), abs=1e-7)
    assert times["both"] == pytest.approx(0.025 * np.arange(1, 81), abs=1e-7)


def test_hundreds_of_roots_in_a_step_are_found(wheel):
    eom, angle = wheel
    run = mb.simulate(eom, 10.0, events=[mb.Event(sin(3000 * angle))])
    assert len(run.occurrences) == 60_000


@pytest.mark.parametrize("integrator", SOLVERS, ids=named)
@pytest.mark.parametrize(
    ("law", "roots"),
    [
        (lambda angle: 1 - cos(angle), [1, 2, 3]),
        (lambda angle: cos(angle) ** 2, [0.25, 0.75, 1.25, 1.75, 2.25, 2.75]),
        (lambda angle: abs(cos(angle)), [0.25, 0.75, 1.25, 1.75, 2.25, 2.75]),
        (lambda angle: 1.0001 - cos(angle), []),
        (lambda angle: cos(angle) - 0.99999, [1 - math.acos(0.99999) / (2 * math.pi)]),
    ],
    ids=["one_side", "square", "kink", "near_miss", "narrow"],
)
def test_touching_roots(wheel, integrator, law, roots):
    """A signal that touches zero reaches it; the narrow one is beyond zero for 1.4 ms."""
    eom, angle = wheel
    duration = 1.0 if len(roots) == 1 else 3.0
    run = mb.simulate(eom, duration, events=[mb.Event(law(angle), direction=1 if len(roots) == 1 else 0)],
                      integrator=integrator)  # fmt: skip
    assert [one.t for one in run.occurrences] == pytest.approx(roots, abs=1e-5)


def test_a_touch_has_the_direction_it_came_in(wheel):
    eom, angle = wheel
    for direction, count in ((-1, 3), (0, 3), (1, 0)):
        run = mb.simulate(eom, 3.0, events=[mb.Event(1 - cos(angle), direction=direction)])
        assert len(run.occurrences) == count


@pytest.mark.parametrize("integrator", SOLVERS[:-1], ids=named)
@pytest.mark.parametrize("restitution", [0.5, 0.7])
def test_a_ball_that_bounces_without_end_stops(ball, integrator, restitution):
    """The bounces end at √(2h/g)·(1 + e)/(1 - e)."""
    eom, z, v = ball
    bounce = mb.Event(z, direction=-1, reset={"z_dot": -restitution * v}, name="floor")
    run = mb.simulate(eom, 3.0, events=[bounce], integrator=integrator, on_failure="return")
    assert run.status is Status.EVENTS_ACCUMULATE
    assert run.t[-1] == pytest.approx(math.sqrt(2 / 9.81) * (1 + restitution) / (1 - restitution), abs=1e-4)
    assert run["z"].min() > -1e-9
    assert "floor" in run.message
    assert "Impact" in run.message
    with refused("run-failed"):
        mb.simulate(eom, 3.0, events=[bounce], integrator=integrator)


@pytest.mark.parametrize("direction", [-1, 0])
@pytest.mark.parametrize(
    ("integrator", "restitution"),
    [
        (mb.SemiImplicitEuler(step=0.01), 0.5),
        (mb.SemiImplicitEuler(step=0.05), 0.9),
        (mb.ScipySolver(method="BDF"), 0.7),
        (mb.Cvode(method="Adams"), 0.3),
    ],
    ids=["Euler", "coarse_Euler", "BDF", "Adams"],
)
def test_errors_of_a_method_let_no_ball_through_the_floor(ball, integrator, restitution, direction):
    """The last small bounces may be shorter than these methods see: the ball arrives while it still moves up."""
    eom, z, v = ball
    bounce = mb.Event(z, direction=direction, reset={"z_dot": -restitution * v}, name="floor")
    run = mb.simulate(eom, 4.0, events=[bounce], integrator=integrator, on_failure="return")
    assert run.status is Status.EVENTS_ACCUMULATE
    assert run["z"].min() > -1e-9
    assert "floor" in run.message


def test_sides_of_a_signal_that_a_reset_only_sometimes_turns_back(ball):
    """Thrown through a lid: it passes upwards, and bounces from above; for direction 0, both are events."""
    eom, z, _ = ball
    lid = mb.Event(z - 2.0, reset=lambda t, q, u: {"z_dot": -u[0]} if u[0] < 0 else {}, name="lid")
    run = mb.simulate(eom, 4.0, u={"z_dot": 8.0}, events=[lid])
    up = math.sqrt(64 - 2 * 9.81)
    first = (8 - up) / 9.81
    assert [one.t for one in run.occurrences] == pytest.approx([first, first + 2 * up / 9.81, first + 4 * up / 9.81])
    assert run["z"][run.t > first + 1e-6].min() > 2 - 1e-9


def test_a_ball_that_still_bounces_at_the_end_is_right(ball):
    """Bounces at t₀, t₀ + 2·e·t₀, …: four of them within 3 s with e = 0.9."""
    eom, z, v = ball
    run = mb.simulate(eom, 3.0, events=[mb.Event(z, direction=-1, reset={"z_dot": -0.9 * v})])
    first = math.sqrt(2 / 9.81)
    expected = first + 2 * first * np.cumsum([0, 0.9, 0.9**2, 0.9**3])
    assert [one.t for one in run.occurrences] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("integrator", [None, mb.Cvode()], ids=named)
@pytest.mark.parametrize("factor", [0.5, 0.0])
def test_a_reset_that_does_not_turn_back_stops(ball, integrator, factor):
    eom, z, v = ball
    wrong = mb.Event(z, direction=-1, reset={"z_dot": factor * v}, name="floor")
    run = mb.simulate(eom, 3.0, events=[wrong], integrator=integrator, on_failure="return")
    assert run.status is Status.EVENTS_ACCUMULATE
    assert run.t[-1] == pytest.approx(math.sqrt(2 / 9.81), abs=1e-6)
    assert "floor" in run.message
    assert "moves on through zero" in run.message


def test_resets_that_go_on_through_zero(ball):
    """A kick, a change of an input, and a loss of speed that is meant."""
    eom, z, v = ball
    kick = mb.Event(z - 0.5, direction=-1, reset={"z_dot": 1.1 * v})
    loss = mb.Event(z - 0.2, direction=-1, reset={"z_dot": 0.5 * v}, passes=True)
    run = mb.simulate(eom, 1.0, events=[kick, loss])
    assert run.status is Status.DONE
    assert len(run.occurrences) == 2


@pytest.mark.parametrize(
    ("integrator", "stable"),
    [(mb.RungeKutta4, 2.82), (mb.SemiImplicitEuler, 1.99), (mb.Symplectic, 1.99)],
)
def test_a_fixed_step_beyond_the_stability_limit_is_refused(integrator, stable):
    """ω = 1000 rad/s; the limits are h·ω = 2√2 and 2.

    Steps just within the limit are stable, not accurate: numerical damping may take all energy, and the run says so.
    """
    eom = spring(1e6)
    within = mb.simulate(eom, 1.0, integrator=integrator(step=stable * 1e-3), on_failure="return")
    assert within.status in (Status.DONE, Status.ENERGY_LOST)
    assert np.abs(within["x"]).max() < 20  # semi-implicit Euler: up to 1 / √(1 - (h·ω/2)²) ≈ 10 at steps
    for step in (1.01 * stable * 1e-3 + 2e-5, 0.01):
        run = mb.simulate(eom, 1.0, integrator=integrator(step=step), on_failure="return")
        assert run.status is Status.DIVERGED
        assert "stability limit" in run.message


def test_strong_damping_within_the_limit_runs():
    """λ = -2500/s and -0.4/s: h·λ = -2.5 is within the region of RungeKutta4, which ends at -2.785."""
    run = mb.simulate(spring(1e3, damping=2500.4), 2.0, integrator=mb.RungeKutta4(step=1e-3))
    assert run["x"][-1] == pytest.approx(math.exp(-2 * 0.4), rel=2e-3)
    late = mb.simulate(spring(1e3, damping=2900.0), 2.0, integrator=mb.RungeKutta4(step=1e-3), on_failure="return")
    assert late.status is Status.DIVERGED


def test_a_pendulum_that_falls_over_is_not_unstable():
    """A true motion that grows is not an instability of the method."""
    run = mb.simulate(spring(-100.0, q=1e-3), 1.0, integrator=mb.RungeKutta4(step=1e-3))
    assert run["x"][-1] == pytest.approx(1e-3 * math.cosh(10.0), rel=1e-6)


def test_a_step_that_becomes_too_long_on_the_way_is_refused():
    """A spring that becomes stiffer with time: the limit is passed after many steps."""
    system = mb.System("stiffening")
    slide = system.joint("x", system.world, system.body("mass", mass=1.0), "Tx", q=1.0)
    system.load(mb.JointLoad(slide, -((1 + 300 * system.time) ** 2) * slide.coordinate))
    run = mb.simulate(mb.derive(system), 30.0, integrator=mb.RungeKutta4(step=1e-3), on_failure="return")
    assert run.status is Status.DIVERGED


@pytest.mark.parametrize("integrator", [None, mb.Cvode(), mb.ScipySolver()], ids=named)
def test_a_motion_that_grows_without_bound_fails(integrator):
    run = mb.simulate(spring(-1e4), 10.0, integrator=integrator, on_failure="return")
    assert not run.status.ok


def test_sweeps_refuse_steps_that_are_too_long():
    system = mb.System("spring")
    k = system.parameters(k=1.0)
    slide = system.joint("x", system.world, system.body("mass", mass=1.0), "Tx", q=1.0)
    system.load(mb.JointSpring(slide, k))
    values, steps = {"k": [1.0, 1e6]}, mb.RungeKutta4(step=0.01)
    found = mb.sweep(mb.derive(system), 1.0, parameters=values, integrator=steps, workers=1)
    assert list(found.status) == ["DONE", "DIVERGED"]


def test_fixed_steps_have_no_limit_of_their_number():
    run = mb.simulate(spring(1.0), 1100.0, integrator=mb.RungeKutta4(step=1e-3), samples=2)
    assert run.statistics.steps == 1_100_000
    few = mb.simulate(spring(1.0), 1.0, integrator=mb.RungeKutta4(step=1e-3, max_steps=10), on_failure="return")
    assert few.status is Status.TOO_MANY_STEPS


@pytest.mark.parametrize("integrator", [mb.DormandPrince8, mb.DormandPrince5, mb.Cvode, mb.ScipySolver], ids=str)
def test_the_longest_step_is_a_part_of_the_run(integrator):
    """A cart at rest takes steps of any length; a pulse of a Python function is seen nevertheless."""
    system = mb.System("cart")
    slide = system.joint("x", system.world, system.body("box", mass=1.0), "Tx")
    system.load(mb.JointLoad(slide, system.input("F")))
    eom = mb.derive(system)
    pulse = {"F": lambda t: max(0.0, 1.0 - abs(t - 5.3))}
    assert mb.simulate(eom, 10.0, inputs=pulse, integrator=integrator())["x_dot"][-1] == pytest.approx(1.0, abs=1e-3)
    assert mb.simulate(eom, 10.0, integrator=integrator(max_step=5.0)).statistics.steps < 50


@pytest.mark.parametrize("integrator", SOLVERS, ids=named)
@pytest.mark.parametrize("apart", [1e-2, 1e-3])
def test_two_roots_close_together_are_no_touching_root(wheel, integrator, apart):
    """(t - a)·(t - b) falls below zero at a and rises above it at b, however near they are."""
    eom, _ = wheel
    t, a = eom.model.time, 4.3217
    falling = mb.Event((t - a) * (t - a - apart), direction=-1, name="falls")
    rising = mb.Event((t - a) * (t - a - apart), direction=1, name="rises")
    run = mb.simulate(eom, 10.0, events=[falling, rising], integrator=integrator)
    assert [one.name for one in run.occurrences] == ["falls", "rises"]
    assert [one.t for one in run.occurrences] == pytest.approx([a, a + apart], abs=1e-6)


@pytest.mark.parametrize("integrator", SOLVERS, ids=named)
@pytest.mark.parametrize("apart", [0.0304, 0.011, 0.004])
def test_three_roots_close_together_are_found(wheel, integrator, apart):
    """Between two probes of a flat crossing the signal may leave zero and come back: all values seem monotonic."""
    eom, _ = wheel
    roots = [3.1376, 3.8402, 3.8402 + apart, 3.8402 + 1.12 * apart, 4.6491]
    signal = math.prod(eom.model.time - root for root in roots)
    run = mb.simulate(eom, 6.0, events=[mb.Event(signal, name="root")], integrator=integrator)
    assert [one.t for one in run.occurrences] == pytest.approx(roots, abs=1e-6)


@pytest.mark.parametrize(
    "integrator",
    [*SOLVERS, mb.Symplectic(step=0.05), mb.SemiImplicitEuler(step=0.05), mb.RungeKutta4(step=0.2)],
    ids=named,
)
@pytest.mark.parametrize("apart", [0.01, 0.003, 0.001])
def test_roots_on_both_sides_of_the_end_of_a_step(integrator, apart):
    """Steps end at 5 s: the signal turns back just before or after it, between probes of either step."""
    system = mb.System("cart")
    slide = system.joint("x", system.world, system.body("box", 1.0), "Tx", u=1.0)
    eom, x = mb.derive(system), slide.coordinate
    for share in (0.3, 0.8, 1.3, 1.7):
        roots = 5.0 + apart * (np.arange(3) - share)
        signal = math.prod(x - root for root in roots.tolist())
        run = mb.simulate(eom, 10.0, events=[mb.Event(signal, name="root")], integrator=integrator, samples=3)
        assert [one.t for one in run.occurrences] == pytest.approx(roots, abs=1e-3 * apart)


@pytest.mark.parametrize("integrator", SOLVERS, ids=named)
def test_a_signal_that_jumps_to_zero_at_the_end_of_a_step(wheel, integrator):
    """No interval before the jump is short enough for a polynomial: the search ends nevertheless."""
    eom, _ = wheel
    time = eom.model.time
    signal = where(time < 2, 0 * time, where(time < 4, time - 2, 0 * time))
    run = mb.simulate(eom, 6.0, events=[mb.Event(signal, name="back")], integrator=integrator)
    assert [one.t for one in run.occurrences] == pytest.approx([4.0])


@pytest.mark.parametrize("integrator", SOLVERS, ids=named)
@pytest.mark.parametrize("direction", [0, 1])
@pytest.mark.parametrize("later", [2.0, 0.0, -1.0, 7.0])
def test_a_reset_of_an_input_need_not_turn_its_signal_back(integrator, direction, later):
    """A mass of 1 kg with 5 N reaches 1 m/s at 0.2 s, and goes on with another force."""
    system = mb.System("motor")
    force, box = system.input("F"), system.body("box", 1.0)
    slide = system.joint("x", system.world, box, "Tx")
    system.load(mb.Force(box, (force, 0, 0)))
    shift = mb.Event(slide.speed - 1, direction=direction, reset={"F": later}, name="shift")
    run = mb.simulate(mb.derive(system), 2.0, inputs={"F": 5.0}, events=[shift], integrator=integrator)
    assert run.occurrences[0].t == pytest.approx(0.2)
    assert len(run.occurrences) == 1 or not later  # without a force, the signal stays at zero, but for rounding
    assert run["x_dot"][-1] == pytest.approx(1.0 + 1.8 * later)


def test_a_reset_of_a_speed_must_turn_its_signal_back():
    system = mb.System("mass")
    slide = system.joint("x", system.world, system.body("box", 1.0), "Tx", u=2.0)
    slower = mb.Event(slide.coordinate - 1, reset={"x_dot": 0.5 * slide.speed}, name="wall")
    with refused("run-failed"):
        mb.simulate(mb.derive(system), 2.0, events=[slower])


@pytest.mark.parametrize("integrator", [None, mb.DormandPrince5(), mb.RungeKutta4(step=0.01), mb.Cvode()], ids=str)
def test_touching_roots_at_the_ends_of_steps_count_once(integrator):
    """1 - cos(k·angle) touches zero once in each turn of 2π/k, wherever steps happen to end."""
    system = mb.System("wheel")
    disc = system.body("disc", mass=1, inertia=mb.diag(1, 1, 1))
    angle = system.joint("angle", system.world, disc, "Rz", q=0.1, u=5.0).coordinate
    eom = mb.derive(system)
    for factor in (3.0, 5.3, 7.0, 9.7):
        touch = mb.Event(1 - cos(factor * angle), name="touch")
        run = mb.simulate(eom, 10.0, events=[touch], integrator=integrator)
        turns = np.arange(1, np.floor(factor * 50.1 / (2 * np.pi)) + 1)
        assert [one.t for one in run.occurrences] == pytest.approx((turns * 2 * np.pi / factor - 0.1) / 5, abs=1e-3)
