"""Runs that go on: from the end of another one, from any instant of it, and from a file."""

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.graph import sin
from multibody.simulation import DormandPrince8, Sampled, Status

from .runs import crane, linkage, pendulum
from .solver_models import ball

TIGHT = DormandPrince8(rtol=1e-12, atol=1e-13)


@pytest.fixture(scope="module")
def crab():
    return mb.derive(crane())


def force(eom):
    return {"F": 5 * sin(3 * eom.model.time)}


def test_two_halves_are_the_whole(crab):
    """States, works and energy balance go on; the force depends on time, and so must that."""
    whole = mb.simulate(crab, times=np.linspace(0, 4, 41), inputs=force(crab), integrator=TIGHT)
    first = mb.simulate(crab, times=whole.t[:21], inputs=force(crab), integrator=TIGHT)
    second = mb.simulate(crab, duration=2.0, samples=21, start=first, inputs=force(crab), integrator=TIGHT)
    assert (second.t[0], second.t[-1]) == (2.0, 4.0)
    assert np.array_equal(second.y[0], first.y[-1])
    both = first + second
    assert both.t == pytest.approx(whole.t, abs=1e-14)
    assert both.y == pytest.approx(whole.y, abs=1e-9)
    assert both.r == pytest.approx(whole.r, abs=1e-12)
    assert both.energy_drift < 1e-10
    assert both.counts.steps == first.counts.steps + second.counts.steps
    assert both.counts.integrator == repr(TIGHT)
    assert both.status is Status.DONE


def test_from_any_instant(crab):
    """Between two samples, the state is known to the fourth order of their distance, and so are the works."""
    whole = mb.simulate(crab, times=np.linspace(0, 4, 4001), inputs=force(crab), integrator=TIGHT)
    later = mb.simulate(crab, times=[1.2345, 2.0, 4.0], start=whole.at(1.2345), inputs=force(crab), integrator=TIGHT)
    assert later.t[0] == 1.2345
    assert later.y[1:] == pytest.approx(whole.y[[2000, 4000]], abs=1e-9)
    both = whole + later
    assert both.t.tolist() == [*whole.t[:1235], 1.2345, 2.0, 4.0]
    assert both.energy_drift < 1e-9


@pytest.mark.parametrize("suffix", ["npz", "parquet", "csv"])
def test_from_a_file(crab, tmp_path, suffix):
    run = mb.simulate(crab, duration=1.0, samples=11, parameters={"l": 1.3}, inputs={"F": 2.0})
    run.save(tmp_path / f"run.{suffix}")
    back = mb.Trajectory.read(tmp_path / f"run.{suffix}", crab, {"l": 1.3} if suffix == "csv" else None)
    for start in (run, back), (run.at(0.5), back.at(0.5)):
        one, other = (mb.simulate(crab, duration=0.5, samples=6, start=x) for x in start)
        assert np.array_equal(one.y, other.y)
        assert one.parameters["l"] == other.parameters["l"] == 1.3
        assert (other["F"] == 2.0).all()
    assert one.t[0] == 0.5
    assert mb.simulate(crab, 0.1, start=back, parameters={"l": 2.0}).parameters["l"] == 2.0


@pytest.mark.parametrize("at", [0.25, 0.3, 0.35])
def test_controllers_keep_their_clock_and_their_value(at):
    """A controller is asked at 0, 0.1, 0.2, … and not where a run happens to begin anew; its value is held."""
    eom = mb.derive(pendulum())
    asked = []

    def law(t, q, u):
        asked.append(round(t, 9))
        return -2.0 * q[0]

    options = {"inputs": {"M": Sampled(law, 0.1)}, "integrator": TIGHT}
    whole = mb.simulate(eom, times=np.arange(61) / 100, **options)
    assert asked == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]
    asked.clear()
    first = mb.simulate(eom, times=whole.t[whole.t <= at + 1e-9], **options)
    second = mb.simulate(eom, times=whole.t[whole.t >= at - 1e-9], start=first, **options)
    assert asked == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]
    assert (first + second).y == pytest.approx(whole.y, abs=1e-11)


def test_a_controller_is_asked_at_the_start_of_a_new_run():
    eom = mb.derive(pendulum())
    asked = []
    run = mb.simulate(eom, 0.2, t0=0.05, inputs={"M": Sampled(lambda t: asked.append(round(t, 9)) or 1.0, 0.1)})
    assert asked == [0.05, 0.1, 0.2]
    assert (run["M"] == 1.0).all()


def test_what_an_event_has_switched_stays_switched(crab):
    off = mb.Event(crab.coordinates[0] - 1.05, 1, reset={"F": 0.0}, name="off")
    first = mb.simulate(crab, 1.0, inputs={"F": 30.0}, events=[off])
    assert [one.name for one in first.occurrences] == ["off"]
    kept = mb.simulate(crab, 0.5, start=first, events=[off])
    assert (kept["F"] == 0.0).all()
    assert [one.name for one in (first + kept).occurrences] == ["off"]
    again = mb.simulate(crab, 0.5, start=first, inputs={"F": 30.0}, events=[off])
    assert (again["F"] == 30.0).all()


def test_a_ball_that_rests_goes_on_resting(tmp_path):
    system = ball()
    eom = mb.derive(system)
    ground = mb.Impact(system["z"].coordinate, 0.0, name="ground")
    first = mb.simulate(eom, 1.0, samples=11, events=[ground])
    assert first["ground_rests"][-1] == 1.0
    first.save(tmp_path / "ball.npz")
    back = mb.Trajectory.read(tmp_path / "ball.npz", eom, events=[ground])
    assert back["z_ddot"][-1] == pytest.approx(0.0, abs=1e-10)
    for start in (first, back):
        run = start + mb.simulate(eom, 1.0, samples=11, events=[ground], start=start)
        assert np.abs(run["z"][-11:]).max() < 1e-9
        assert run["ground_rests"][-1] == 1.0
        assert run["energy_balance"] == pytest.approx(np.zeros(len(run.t)), abs=1e-8)


def test_loops_go_on():
    eom = mb.derive(linkage())
    whole = mb.simulate(eom, times=np.linspace(0, 1, 101), integrator=TIGHT)
    for start in (whole.at(0.5), whole.at(0.503)):
        later = mb.simulate(eom, times=[start.t, 0.75, 1.0], start=start, integrator=TIGHT)
        assert later.status is Status.DONE
        assert later.y[1:] == pytest.approx(whole.y[[75, 100]], abs=1e-6)
        assert later.residuals.at_end[0] < 1e-9


def test_an_instant_is_a_pair_too(crab):
    run = mb.simulate(crab, 0.1, samples=3)
    q, u = run.at(0.05)
    assert (q.shape, u.shape) == ((2,), (2,))


def test_what_does_not_go_together_is_refused(crab):
    run = mb.simulate(crab, 1.0, samples=11)
    other = mb.simulate(mb.derive(pendulum()), 1.0, samples=3)
    changed = mb.simulate(crab, 1.0, samples=3, start=run, parameters={"l": 2.0})
    with refused("run-equations-differ"):
        mb.simulate(crab, 1.0, start=other)
    with refused("run-equations-differ"):
        run + other
    with refused("runs-not-consecutive", "l"):
        run + changed
    with refused("runs-not-consecutive"):
        run + mb.simulate(crab, 1.0, samples=3, t0=1.5)
    with pytest.raises(TypeError):
        run + 1
    with refused("start-time-differs"):
        mb.simulate(crab, times=[0, 1], start=run)
    with refused("start-value-twice"):
        mb.simulate(crab, 1.0, start=run, q={"slide": 0.0})
    with refused("start-not-one-instant"):
        mb.simulate(crab, 1.0, start=run.at([0.1, 0.2]))
    with refused("time-outside-run"):
        mb.simulate(crab, 1.0, start=run.at(1.5))


def test_the_clock_can_be_set(crab):
    run = mb.simulate(crab, 1.0, samples=11)
    assert mb.simulate(crab, 1.0, start=run, t0=0.0).t[0] == 0.0
    assert mb.simulate(crab, times=[5.0, 6.0], start=run, t0=5.0).t.tolist() == [5.0, 6.0]
    assert mb.simulate(crab, 1.0, start=crab.consistent()).t[0] == 0.0


def test_a_run_begins_at_an_equilibrium_and_stays_there():
    """A weight on a spring, lifted by a force: the inputs and parameters of the equilibrium come along."""
    system = mb.System("hanging", gravity=(0, 0, -9.81))
    m, k = system.parameters(m=2.0, k=100.0)
    slide = system.joint("z", system.world, system.body("weight", m), "Tz")
    system.load(mb.JointSpring(slide, k))
    system.load(mb.JointLoad(slide, system.input("F")))
    eom = mb.derive(system)
    found = mb.equilibrium(eom, at={"F": 3.0, "m": 1.0})
    for start in (found, found.point):
        run = mb.simulate(eom, duration=1.0, start=start)
        np.testing.assert_allclose(run["z"], (3.0 - 9.81) / 100.0, rtol=1e-12)
    released = mb.simulate(eom, duration=1.0, start=found, inputs={"F": 0.0})
    assert np.ptp(released["z"]) == pytest.approx(2 * 3.0 / 100.0, rel=1e-3)


def test_a_run_does_not_begin_at_the_point_of_another_system(crab):
    with refused("run-equations-differ"):
        mb.simulate(crab, duration=1.0, start=mb.equilibrium(mb.derive(pendulum())))


def test_other_lengths_are_met_anew():
    """A run that goes on with a longer rope begins on it, not on the old one; the weight moves straight out."""
    system = mb.System("rope", gravity=(0, -9.81, 0))
    (length,) = system.parameters(length=1.0)
    weight = system.body("weight", 1.0)
    system.joint("place", system.world, weight, ["Tx", "Ty"], q=(0.6, -0.8))
    system.constraint(mb.DistanceConstraint(system.world, weight, length))
    eom = mb.derive(system)
    first = mb.simulate(eom, 0.5, samples=3)
    later = mb.simulate(eom, 0.5, samples=3, start=first, parameters={"length": 1.2})
    assert later.q[0] == pytest.approx(1.2 * first.q[-1], rel=1e-6)
    assert later.residuals.position.max() < 1e-9
    assert later.energy_drift < 1e-6


def test_a_start_between_samples_that_are_too_far_apart_is_refused():
    spring = mb.System("spring")
    slide = spring.joint("x", spring.world, spring.body("mass", mass=1.0), "Tx", q=1.0)
    spring.load(mb.JointSpring(slide, 1.0))
    eom = mb.derive(spring)
    coarse = mb.simulate(eom, times=[0.0, 10.0])
    with refused("samples-too-far-apart"):
        mb.simulate(eom, 1.0, start=coarse.at(5.0))
    fine = mb.simulate(eom, 10.0)
    run = mb.simulate(eom, 1.0, start=fine.at(4.999))
    assert run["x"][-1] == pytest.approx(np.cos(5.999), abs=1e-6)


def test_a_start_beside_a_pulse_between_two_samples_is_refused():
    cart = mb.System("cart")
    slide = cart.joint("x", cart.world, cart.body("box", mass=1.0), "Tx")
    cart.load(mb.JointLoad(slide, cart.input("F")))
    eom = mb.derive(cart)
    first = mb.simulate(eom, 60.0, inputs={"F": "where(t > 20.001 and t < 20.011, 100, 0)"})
    assert first["x_dot"][-1] == pytest.approx(1.0)
    with refused("samples-too-far-apart"):
        mb.simulate(eom, 1.0, start=first.at(20.02))


def thrown(**start):
    system = mb.System("thrown", gravity=(0, 0, -9.81))
    return system.joint("z", system.world, system.body("ball", mass=1.0), "Tz", q=1.0, **start), system


def test_runs_with_different_states_at_the_seam_are_not_joined():
    _, system = thrown()
    eom = mb.derive(system)
    first = mb.simulate(eom, 0.1)
    other = mb.simulate(eom, 0.1, t0=0.1)  # begins at rest, at z = 1 m
    with refused("runs-not-consecutive"):
        first + other
    faster = mb.simulate(eom, 0.1, t0=0.1, q={"z": first["z"][-1]}, u={"z_dot": -2.0})
    with refused("runs-not-consecutive"):
        first + faster
    same = mb.simulate(eom, 0.1, t0=0.1, q={"z": first["z"][-1]}, u={"z_dot": first["z_dot"][-1]})
    assert (first + same)["z"][-1] == pytest.approx(1 - 9.81 * 0.2**2 / 2)
    branch = mb.simulate(eom, 0.1, start=first.at(0.0501))
    assert (first + branch).t[-1] == pytest.approx(0.1501)


def test_runs_are_joined_at_an_event_that_resets_the_state():
    hinge, system = thrown()
    eom = mb.derive(system)
    floor = mb.Event(hinge.coordinate, direction=-1, terminal=True, reset={"z_dot": -0.5 * hinge.speed})
    first = mb.simulate(eom, 2.0, events=[floor])
    both = first + mb.simulate(eom, 0.1, start=first, events=[floor])
    speed = np.sqrt(2 * 9.81) / 2
    assert both["z_dot"][-1] == pytest.approx(speed - 9.81 * 0.1)
    with refused("runs-not-consecutive"):
        first + mb.simulate(eom, 0.1, t0=first.t[-1], q={"z": 0.0}, u={"z_dot": 5.0})
