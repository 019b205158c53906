"""Dead points of loops in closed form: the run ends there and names the loop, also where energies hardly change."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.refusal import refused

import multibody as mb
from multibody.simulation import Status

G = 9.81
INTEGRATORS = [None, mb.DormandPrince5(), mb.RungeKutta4(step=0.01), mb.Cvode(), mb.ScipySolver(method="LSODA")]


def slider_crank(rod_length=1.0, masses=(10.0, 0.01, 0.01), **turn):
    """A crank of 1 m, a rod and a piston; two solutions meet where the crank is upright and the rod is as long."""
    crank_mass, rod_mass, piston_mass = masses
    system = mb.System("slider_crank", gravity=(0, -G, 0))
    crank = system.body("crank", crank_mass, (0.5, 0, 0), (0, 0, crank_mass / 12))
    rod = system.body("rod", rod_mass, (rod_length / 2, 0, 0), (0, 0, rod_mass * rod_length**2 / 12))
    piston = system.body("piston", piston_mass)
    system.joint("turn", system.world, crank, "Rz", **turn)
    system.joint("bend", crank.frame("pin", (1, 0, 0)), rod, "Rz")
    system.joint("slide", system.world, piston, "Tx")
    system.loop(mb.CrankSlider(rod.frame("eye", (rod_length, 0, 0)), piston.frame("gudgeon")))
    return mb.derive(system)


def turning_crank(times, angle, speed, masses):
    """Angle of the crank while the rod is its mirror image."""
    crank, rod, piston = masses

    def rates(_, y):
        s, c = math.sin(y[0]), math.cos(y[0])
        inertia = crank / 3 + rod / 12 + rod * (2.25 * s * s + 0.25 * c * c) + 4 * piston * s * s
        change = (4 * rod + 8 * piston) * s * c
        return [y[1], (-G * (crank + rod) / 2 * c - 0.5 * change * y[1] ** 2) / inertia]

    return solve_ivp(rates, (0, times[-1]), [angle, speed], "DOP853", times, rtol=1e-12, atol=1e-12).y[0]


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=str)
@pytest.mark.parametrize("masses", [(1.0, 1.0, 1.0), (10.0, 0.01, 0.01)], ids=["heavy", "light"])
def test_equal_crank_and_rod_end_where_the_crank_is_upright(integrator, masses):
    """With a light rod, the jump of its velocity changes the energy by 2 % alone."""
    run = mb.simulate(slider_crank(masses=masses), 3.0, q={"turn": math.pi / 4}, u={"turn_dot": 6.0},
                      integrator=integrator, on_failure="return")  # fmt: skip
    assert run.status in (Status.SINGULAR, Status.STEP_TOO_SMALL)
    assert run.status is Status.SINGULAR or integrator is not None
    assert run["turn"][-1] < math.pi / 2
    assert run["turn"][-1] > math.pi / 2 - 0.1
    exact = turning_crank(run.t, math.pi / 4, 6.0, masses)
    assert run["turn"] == pytest.approx(exact, abs=1e-5)


def test_the_error_names_the_loop_and_a_way_out():
    with refused("run-failed") as caught:
        mb.simulate(slider_crank(), 3.0, q={"turn": 0.5}, u={"turn_dot": 6.0}, samples=2)
    assert "cut=True" in str(caught.value)
    assert caught.value.trajectory.t[-1] == 0.0  # of two samples, only the first one is before the dead point


@pytest.mark.parametrize("rod_length", [1.0 + 1e-6, 1.001, 1.2])
def test_a_longer_rod_passes(rod_length):
    """The rod does not reach the crank's pivot: there is no dead point, however near."""
    run = mb.simulate(slider_crank(rod_length), 2.0, q={"turn": 0.5}, u={"turn_dot": 6.0})
    assert np.abs(run["turn"]).max() > math.pi / 2
    assert run.energy_drift < 1e-5


@pytest.mark.parametrize(
    ("lengths", "angle"), [((0.9, 0.4, 0.6, 0.5), 0.3), ((0.6, 0.8, 0.5, 0.9), 0.3), ((0.8, 0.5, 0.4, 0.7), -0.4)]
)
def test_a_four_bar_at_the_end_of_its_range(lengths, angle):
    """The same linkage with constraint equations goes on in its other posture; until then both agree."""
    crank, coupler, rocker, base = lengths

    def linkage(closed):
        system = mb.System("four_bar", gravity=(0, -G, 0), recognise_loops=False)
        bodies = [system.body(f"b{k}", 1.0, (x / 2, 0, 0), (0, 0, 0.05)) for k, x in enumerate(lengths[:3])]
        system.joint("q1", system.world, bodies[0], "Rz")
        system.joint("q2", bodies[0].frame("tip", (crank, 0, 0)), bodies[1], "Rz")
        system.joint("q3", system.frame("ground", (base, 0, 0)), bodies[2], "Rz")
        ends = bodies[1].frame("end1", (coupler, 0, 0)), bodies[2].frame("end2", (rocker, 0, 0))
        if closed:
            system.loop(mb.FourBar(*ends))
        else:
            system.joint("q4", *ends, "Rz", cut=True)
        return mb.derive(system)

    run = mb.simulate(linkage(True), 2.0, q={"q1": angle}, u={"q1_dot": 3.0}, samples=201, on_failure="return")
    assert run.status is Status.SINGULAR
    assert 0.01 < run.t[-1] < 2.0
    assert "q2, q3" in run.message
    start = {name: float(run[name][0]) for name in ("q1", "q2", "q3")}
    speeds = {f"{name}_dot": float(run[f"{name}_dot"][0]) for name in start}
    whole = mb.simulate(linkage(False), 2.0, q=start, u=speeds, samples=201)
    assert run["q1"] == pytest.approx(whole["q1"][: len(run.t)], abs=1e-6)
    bend = np.sin(whole["q1"] + whole["q2"] - whole["q3"])
    assert bend.min() < 0 < bend.max()  # coupler and rocker have been on one line


def test_runs_of_a_sweep_say_so():
    eom = slider_crank()
    sweep = mb.sweep(eom, 2.0, initial={"turn": [0.2, -1.0, 0.9]}, samples=51)
    assert sweep.status == ["SINGULAR"] * 3


def test_runs_of_a_sweep_end_there_as_single_runs_do():
    """Runs side by side look at samples alone; a light rod passes with an energy that hardly changes."""
    runs = mb.sweep(
        slider_crank(masses=(10.0, 0.01, 0.01)), 3.0, initial={"turn": [0.5, 0.6, 0.7], "turn_dot": [6.0]}, workers=1
    )
    assert list(runs.status) == ["SINGULAR"] * 3


@pytest.mark.parametrize("integrator", [*INTEGRATORS, mb.RungeKutta4(step=1e-4)], ids=str)
def test_nothing_is_reported_after_the_dead_point(integrator):
    """The crank would pass 2 rad later; it passes 1 rad before."""
    for limit, left in ((2.0, 0), (1.0, 1)):
        run = mb.simulate(slider_crank(limits=(-10, limit)), 3.0, q={"turn": 0.7}, u={"turn_dot": 6.0},
                          integrator=integrator, on_failure="return")  # fmt: skip
        assert run.status in (Status.SINGULAR, Status.STEP_TOO_SMALL)
        assert len(run.limit_violations) == left
        assert all(one.furthest < math.pi / 2 + 1e-3 for one in run.limit_violations)
        assert run.energy_drift < 1e-3 or integrator is not None


def driven_slider_crank(rod_length, given):
    """The crank turns with 3 rad/s, by time or by an input; the piston carries a pendulum."""
    system = mb.System("driven", gravity=(0, -G, 0), recognise_loops=False)
    crank = system.body("crank", 1.0)
    rod, piston = system.body("rod", 1e-4), system.body("piston", 1e-4)
    bob = system.body("bob", 1e-4, (0, -0.5, 0))
    angle = 0.5 + 3 * system.time if given == "time" else system.input("angle")
    system.joint("turn", system.world, crank, "Rz", prescribed=angle)
    system.joint("bend", crank.frame("pin", (1, 0, 0)), rod, "Rz")
    system.joint("slide", system.world, piston, "Tx")
    system.joint("swing", piston, bob, "Rz")
    system.loop(mb.CrankSlider(rod.frame("eye", (rod_length, 0, 0)), piston.frame("gudgeon")))
    eom = mb.derive(system)
    return eom, {} if given == "time" else {"angle": 0.5 + 3 * eom.model.time}


@pytest.mark.parametrize("given", ["time", "input"])
def test_a_loop_that_is_driven_ends_there_too(given):
    eom, inputs = driven_slider_crank(1.0, given)
    run = mb.simulate(eom, 2.0, inputs=inputs, on_failure="return")
    assert run.status is Status.SINGULAR
    assert "bend, slide" in run.message
    assert run.t[-1] == pytest.approx((math.pi / 2 - 0.5) / 3, abs=5e-3)
    eom, inputs = driven_slider_crank(1.1, given)
    assert mb.simulate(eom, 2.0, inputs=inputs).status is Status.DONE


@pytest.mark.parametrize("step", [0.01, 0.02, 0.05])
@pytest.mark.parametrize("masses", [(1.0, 1.0, 1.0), (10.0, 0.01, 0.01)], ids=["heavy", "light"])
def test_fixed_steps_name_the_loop_at_the_end_of_its_range(step, masses):
    """A rod of 0.8 m lets the crank turn to sin(turn) = 0.8; a step beyond has no finite accelerations."""
    run = mb.simulate(slider_crank(0.8, masses), 3.0, q={"turn": 0.5}, u={"turn_dot": 6.0},
                      integrator=mb.RungeKutta4(step=step), on_failure="return")  # fmt: skip
    assert run.status is Status.SINGULAR
    assert "bend, slide in closed form" in run.message
    assert run["turn"].max() < math.asin(0.8) + 0.01


@pytest.mark.parametrize("step", [0.1, 0.15, 0.2])
def test_long_steps_do_not_pass_over_a_dead_point(step):
    """The crank swings down to an angle of -π/2, where both solutions meet, by 0.7 rad and more in a step."""
    light = (10.0, 0.01, 0.01)
    long_steps = {"u": {"turn_dot": 2.0}, "integrator": mb.RungeKutta4(step=step), "on_failure": "return"}
    run = mb.simulate(slider_crank(masses=light), 3.0, q={"turn": math.pi / 4}, **long_steps)
    assert run.status is Status.SINGULAR
    assert run["turn"].min() > -math.pi / 2
    longer = mb.simulate(slider_crank(1.2, light), 3.0, q={"turn": math.pi / 4}, **long_steps)
    assert longer.status is not Status.SINGULAR
    assert longer["turn"].min() < -math.pi / 2
