"""``simulate``: inputs, events, controllers, impacts, failures, and running on."""

import subprocess
import sys

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.graph import Table, cos, sin
from multibody.simulation import DormandPrince8, Event, Impact, Sampled, Status, simulate

TIGHT = DormandPrince8(rtol=1e-11, atol=1e-13)


def cart(damping=0.0):
    system = mb.System("cart", gravity=(0, 0, 0))
    slide = system.joint("x", system.world, system.body("box", 2.0), "Tx")
    system.load(mb.JointLoad(slide, system.input("F")))
    if damping:
        system.load(mb.JointDamper(slide, damping))
    system.sensor("twice", mb.Expression(2 * slide.coordinate))
    return system, slide


def test_an_input_that_is_not_given_is_zero_and_a_number_pushes():
    eom = mb.derive(cart()[0])
    assert simulate(eom, 1.0)["x"][-1] == 0.0
    run = simulate(eom, 2.0, inputs={"F": 3.0}, integrator=TIGHT)
    np.testing.assert_allclose(run["x"], 0.75 * run.t**2, atol=1e-11)
    np.testing.assert_allclose(run["work_of_inputs"], 2.25 * run.t**2, atol=1e-11)


def test_expressions_tables_and_functions_as_inputs():
    system, slide = cart()
    eom = mb.derive(system)
    exact = simulate(eom, 2.0, inputs={"F": sin(3 * system.time) - 4 * slide.coordinate}, integrator=TIGHT)
    called = simulate(eom, 2.0, inputs={"F": lambda t, q, u: np.sin(3 * t) - 4 * q[0]}, integrator=TIGHT)
    np.testing.assert_allclose(called["x"], exact["x"], atol=1e-10)
    np.testing.assert_allclose(called["F"], exact["F"], atol=1e-9)
    sensed = simulate(
        eom, 2.0, inputs={"F": lambda t, q, u, sensors: np.sin(3 * t) - 2 * sensors["twice"]}, integrator=TIGHT
    )
    np.testing.assert_allclose(sensed["x"], exact["x"], atol=1e-10)
    ramp = simulate(eom, 1.0, inputs={"F": Table("ramp", [0, 1], [0, 2])}, integrator=TIGHT)
    assert ramp["x"][-1] == pytest.approx(1 / 6, abs=1e-9)


def test_a_controller_needs_no_sensors():
    system = mb.System("cart")
    system.load(mb.JointLoad(system.joint("x", system.world, system.body("box", 2.0), "Tx"), system.input("F")))
    run = simulate(mb.derive(system), 1.0, inputs={"F": lambda t, q, u, sensors: 4.0 + len(sensors)})
    assert run["x"][-1] == pytest.approx(1.0, abs=1e-6)


def test_feedback_by_a_measured_value():
    system, _ = cart()
    run = simulate(mb.derive(system), 3.0, q={"x": 1.0}, inputs={"F": -system.measured("twice")}, integrator=TIGHT)
    np.testing.assert_allclose(run["x"], np.cos(run.t), atol=1e-9)


def test_a_sampled_controller_holds_its_value():
    eom = mb.derive(cart()[0])
    seen = []

    def controller(t, q, u):
        seen.append(t)
        return -2.0 * q[0] - 3.0 * u[0]

    run = simulate(eom, 1.0, q={"x": 1.0}, inputs={"F": Sampled(controller, 0.1)}, integrator=TIGHT)
    np.testing.assert_allclose(seen, np.arange(10) * 0.1, atol=1e-12)
    x, v = 1.0, 0.0  # the exact motion between two samples
    for _ in range(10):
        a = (-2.0 * x - 3.0 * v) / 2.0
        x, v = x + 0.1 * v + 0.005 * a, v + 0.1 * a
    assert run["x"][-1] == pytest.approx(x, abs=1e-10)


def test_a_motion_that_follows_an_input_brings_its_rates():
    system = mb.System("driven", gravity=(0, 0, -9.81))
    where = system.input("where")
    crab = system.body("crab")
    system.joint("slide", system.world, crab, "Tx", prescribed=where)
    system.joint("swing", crab, system.body("bob", 1.0, (0, 0, -1)), "Ry")
    moving = simulate(mb.derive(system), 2.0, inputs={"where": 0.3 * sin(2 * system.time)}, integrator=TIGHT)
    direct = mb.System("direct", gravity=(0, 0, -9.81))
    crab = direct.body("crab")
    direct.joint("slide", direct.world, crab, "Tx", prescribed=0.3 * sin(2 * direct.time))
    direct.joint("swing", crab, direct.body("bob", 1.0, (0, 0, -1)), "Ry")
    same = simulate(mb.derive(direct), 2.0, integrator=TIGHT)
    np.testing.assert_allclose(moving["swing"], same["swing"], atol=1e-10)
    assert moving.energy_drift < 1e-9


def test_events_are_found_in_time_and_direction():
    system = mb.System("oscillator", gravity=(0, 0, 0))
    slide = system.joint("x", system.world, system.body("b", 1.0), "Tx", q=1.0)
    system.load(mb.JointSpring(slide, 1.0))
    eom = mb.derive(system)
    run = simulate(eom, 20.0, events=[Event(slide.coordinate, -1, name="down")], integrator=TIGHT)
    times = [one.t for one in run.occurrences]
    np.testing.assert_allclose(times, np.pi / 2 + 2 * np.pi * np.arange(len(times)), atol=1e-9)
    assert len(times) == 3
    stopped = simulate(eom, 20.0, events=[Event(slide.coordinate, 1, terminal=True)], integrator=TIGHT)
    assert stopped.status is Status.EVENT
    assert stopped.t[-1] == pytest.approx(1.5 * np.pi, abs=1e-9)


def test_a_reset_of_speeds_and_inputs():
    system, slide = cart()
    turn = Event(slide.coordinate - 1.0, 1, reset={"x_dot": -0.5 * slide.speed, "F": 0.0}, name="wall")
    run = simulate(mb.derive(system), 3.0, inputs={"F": 2.0}, events=[turn], integrator=TIGHT)
    hit = np.sqrt(2.0)
    assert [one.t for one in run.occurrences] == [pytest.approx(hit, abs=1e-9)]
    np.testing.assert_allclose(run["x_dot"][run.t > hit + 1e-6], -0.5 * hit, atol=1e-9)
    assert run["F"][-1] == 0.0


def test_a_ball_bounces_down_to_rest():
    system = mb.System("ball", gravity=(0, 0, -9.81))
    height = system.joint("z", system.world, system.body("b", 1.0), "Tz", q=1.0).coordinate
    floor = Impact(height, restitution=0.8, rest=1e-5, name="floor")
    run = simulate(mb.derive(system), 6.0, events=[floor], integrator=TIGHT)
    first = np.sqrt(2 / 9.81)
    bounces = [one.t for one in run.occurrences if one.name == "floor"]
    exact = first + 2 * first * np.cumsum(0.8 ** np.arange(1, len(bounces)))
    np.testing.assert_allclose(bounces[1:], exact, atol=1e-8)
    speeds = np.sqrt(2 * 9.81) * 0.8 ** np.arange(1, len(bounces) + 1)
    assert speeds[-1] < 1e-5 <= speeds[-2]  # none is missed, and the last one is the first that is too slow
    assert np.abs(run["z"][run.t > 4.1]).max() < 1e-9
    assert run["z"].min() > -1e-9
    assert run.energy_drift < 1e-9
    assert run["dissipated"][-1] == pytest.approx(9.81, rel=1e-9)


def test_a_contact_that_rests_opens_again_when_it_is_pulled():
    system = mb.System("ball", gravity=(0, 0, -10))
    slide = system.joint("z", system.world, system.body("b", 1.0), "Tz", q=0.1)
    system.load(mb.JointLoad(slide, 20 * (sin(system.time - 3) + 0 * cos(system.time))))
    run = simulate(mb.derive(system), 5.0, events=[Impact(slide.coordinate, 0.0, name="floor")], integrator=TIGHT)
    lifts = 3 + np.arcsin(0.5)  # 20·sin(t - 3) = 10
    assert np.abs(run["z"][(run.t > 1) & (run.t < lifts - 1e-3)]).max() < 1e-9
    assert run["z"][-1] > 0.1
    assert any(one.name == "floor_opens" and abs(one.t - lifts) < 0.01 for one in run.occurrences)


def test_a_failure_says_when_where_why_and_what_to_do():
    system = mb.System("falling", gravity=(0, 0, -9.81))
    slide = system.joint("z", system.world, system.body("b", 1.0), "Tz", q=1.0)
    system.load(mb.JointLoad(slide, mb.graph.sqrt(slide.coordinate)))
    with refused("run-failed") as caught:
        simulate(mb.derive(system), 2.0)
    run = caught.value.trajectory
    assert run.status in (Status.NOT_FINITE, Status.STEP_TOO_SMALL)
    assert 0.4 < run.t[-1] < 0.6
    assert np.isfinite(run.y).all()
    for part in ("The run ended at t = ", "system 'falling', z=", "cause: ", "fix: "):
        assert part in run.message


def test_an_error_in_a_users_function_is_raised():
    def broken(t, q, u):
        raise ZeroDivisionError("in my controller")

    with pytest.raises(ZeroDivisionError, match="in my controller"):
        simulate(mb.derive(cart()[0]), 1.0, inputs={"F": broken})


def test_an_interruption_keeps_what_was_computed_and_can_be_continued():
    eom = mb.derive(cart(damping=1.0)[0])

    def stop(t):
        if t > 1.0:
            raise KeyboardInterrupt

    whole = simulate(eom, 4.0, u={"x_dot": 1.0}, integrator=TIGHT)
    part = simulate(eom, 4.0, u={"x_dot": 1.0}, integrator=TIGHT, progress=stop, on_failure="return")
    assert part.status in (Status.INTERRUPTED, Status.DONE)
    np.testing.assert_allclose(part["x"], whole["x"][: len(part.t)], atol=1e-10)
    state = eom.consistent(*whole.at(2.0))
    rest = simulate(eom, 2.0, start=state, t0=2.0, integrator=TIGHT)
    assert rest["x"][-1] == pytest.approx(whole["x"][-1], abs=1e-9)


def test_parameters_are_given_by_name():
    system = mb.System("spring", gravity=(0, 0, 0))
    m, c = system.parameters(m=1.0, c=5.0)
    slide = system.joint("x", system.world, system.body("b", m), "Tx", q=1.0)
    system.load(mb.JointSpring(slide, c))
    run = simulate(mb.derive(system), 3.0, parameters={"c": 4.0}, integrator=TIGHT)
    np.testing.assert_allclose(run["x"], np.cos(2 * run.t), atol=1e-9)


def test_wrong_questions():
    eom = mb.derive(cart()[0])
    with refused("duration-missing"):
        simulate(eom)
    with refused("name-unknown", "G"):
        simulate(eom, 1.0, inputs={"G": 1.0})
    with refused("input-law-unknown"):
        simulate(eom, 1.0, inputs={"F": object()})
    with refused("name-unknown", "y"):
        simulate(eom, 1.0, events=[Event(eom.coordinates[0], reset={"y": 0.0})])
    with refused("duration-not-positive"):
        simulate(eom, -1.0)


def test_the_integrator_is_chosen_by_stiffness_and_reported():
    system, slide = cart()
    soft = simulate(mb.derive(system), 1.0)
    system.load(mb.JointDamper(slide, 1e7))
    stiff = simulate(mb.derive(system), 1.0, u={"x_dot": 1.0}, inputs={"F": 1e7})
    assert "DormandPrince8" in soft.statistics.integrator
    assert "Rodas5P" in stiff.statistics.integrator
    assert stiff["x_dot"][-1] == pytest.approx(1.0, rel=1e-6)


def test_what_is_no_event_is_refused():
    with refused("not-an-event"):
        mb.simulate(mb.derive(mb.System("nothing")), 1.0, events=["nonsense"])


def test_the_room_is_the_verb():
    """``mb.simulate`` can be called, and holds what belongs to it, from its first use on."""
    script = "import multibody as mb; assert mb.simulation.Cvode is mb.Cvode; assert callable(mb.simulate)"
    subprocess.run([sys.executable, "-c", script], check=True, timeout=300)


def test_the_choice_of_an_integrator_is_explained():
    def brake(damping):
        system = mb.System("brake")
        slide = system.joint("x", system.world, system.body("mass", mass=1.0), "Tx", q=1.0)
        system.load(mb.JointSpring(slide, 1e6))
        system.load(mb.JointDamper(slide, damping))
        return mb.simulate(mb.derive(system), duration=10.0)

    assert "stiff: decaying modes up to 1e+06/s" in str(brake(1e6))
    assert "not stiff" in str(brake(0.0))
    assert "chosen" not in str(mb.simulate(mb.derive(mb.System("nothing")), 1.0, integrator=mb.DormandPrince5()))


def test_gimbal_lock_is_named():
    """Three hinges without mass between them: the first and the last axis fall together where the second is at zero."""
    system = mb.System("gimbals")
    rotor = system.body("rotor", 1.0, (0, 0, 0), (1.0, 2.0, 3.0))
    system.joint("gimbals", system.world, rotor, ["Rz", "Ry", "Rz"], q=[0.3, 0.0, 0.1], u=[0.0, -1.0, 0.0])
    run = mb.simulate(mb.derive(system), 5.0, on_failure="return")
    assert not run.status.ok
    assert "gimbal lock" in run.message
    assert "Spherical()" in run.message


def lever():
    """A lever that a rod of prescribed length lifts: a closed loop."""
    system = mb.System("lever", gravity=(0, -9.81, 0), recognise_loops=False)
    stroke = system.input("stroke")
    arm, barrel, piston = (system.body(name, 1.0, (0.3, 0, 0), (0, 0, 0.1)) for name in ("arm", "barrel", "piston"))
    system.joint("angle", system.world, arm, "Rz", q=0.8)
    system.joint("lean", system.frame("foot", (0.2, -0.5, 0)), barrel, "Rz", q=1.2)
    system.joint("length", barrel, piston, "Tx", prescribed=stroke)
    system.joint("pin", piston, arm.frame("eye", (0.6, 0, 0)), "Rz", cut=True)
    return system


def test_a_prescribed_motion_in_a_loop_begins_where_its_expression_does():
    system = lever()
    eom = mb.derive(system)
    law = 0.9 + 0.1 * sin(system.time)
    run = mb.simulate(eom, 1.0, inputs={"stroke": law})
    assert run.status is Status.DONE
    eye = 0.6 * np.column_stack([np.cos(run["angle"]), np.sin(run["angle"])])
    np.testing.assert_allclose(np.hypot(*(eye - [0.2, -0.5]).T), 0.9 + 0.1 * np.sin(run.t), atol=1e-9)


def test_what_is_held_after_a_prescribed_motion_has_no_rate():
    system = lever()
    eom = mb.derive(system)
    moving = mb.simulate(eom, 1.0, inputs={"stroke": 0.9 + 0.1 * sin(system.time)})
    still = mb.simulate(eom, 1.0, start=moving.at(0.5))
    assert still["stroke_dot"].tolist() == [0.0] * len(still.t)
    assert still["stroke"][0] == still["stroke"][-1] == pytest.approx(0.9 + 0.1 * np.sin(0.5))


def test_arrays_of_inputs_take_arrays_of_values():
    system = mb.System("two_rails")
    forces = system.input("F", 2)
    for k in range(2):
        rail = system.joint(f"x{k}", system.world, system.body(f"mass{k}", mass=1.0), "Tx")
        system.load(mb.JointLoad(rail, forces[k]))
    eom = mb.derive(system)
    run = mb.simulate(eom, 2.0, inputs={"F": [1.0, lambda t: 3.0]})
    assert (run["x0"][-1], run["x1"][-1]) == pytest.approx((2.0, 6.0))
    with refused("array-wrong-shape"):
        mb.simulate(eom, 2.0, inputs={"F": [1.0, 2.0, 3.0]})


@pytest.mark.parametrize(("t0", "duration"), [(1e20, 1.0), (1e9, 1e-9), (-1e12, 1e-3)])
def test_times_that_are_not_different_numbers_are_refused(t0, duration):
    with refused("times-not-increasing"):
        mb.simulate(mb.derive(mb.System("nothing")), duration, t0=t0)


@pytest.mark.parametrize(("asked", "name"), [
    ("Rodas5P", "Rodas5P"), ("rodas5p", "Rodas5P"), ("Cvode", "Cvode"), ("RK45", "DormandPrince8"), (mb.Ida, "Ida"),
    (1e-6, "DormandPrince8"),
])  # fmt: skip
def test_an_integrator_that_is_named_is_shown_as_it_must_be_written(asked, name):
    system = mb.System("cart")
    system.joint("x", system.world, system.body("box", mass=1.0), "Tx", u=1.0)
    eom = mb.derive(system)
    with refused("integrator-expected", f"integrator=mb.{name}()"):
        mb.simulate(eom, 1.0, integrator=asked)
    assert mb.simulate(eom, 1.0, integrator=getattr(mb, name)())["x"][-1] == pytest.approx(1.0)
