"""The energy balance can fail: each indicator, with a case that is broken on purpose."""

from dataclasses import replace

import numpy as np
import pytest
from tests.refusal import refused
from tests.unchecked_loads import derive_unchecked

import multibody as mb
from multibody.simulation import Status


def oscillator(*loads, x=1.0, mass=1.0):
    """A mass on a rail with loads on its joint; each of them is a function of the joint."""
    system = mb.System("oscillator")
    joint = system.joint("x", system.world, system.body("box", mass), "Tx", q=x)
    for k, one in enumerate(loads):
        system.load(one(joint), name=f"load{k}")
    return system


def spring(stiffness=4.0):
    return lambda joint: mb.JointSpring(joint, stiffness)


class SevenTimes(mb.JointSpring):
    def potential(self, kinematics):
        return 7 * super().potential(kinematics)


class SevenTimesAlongALine(mb.Spring):
    def potential(self, kinematics):
        return 7 * super().potential(kinematics)


def unchecked(system):
    """Equations of a system that ``derive`` refuses, because a potential does not belong to its force."""
    with refused("potential-not-of-force"):
        mb.derive(system)
    return derive_unchecked(system)


def failed(eom, duration=7.0, **options):
    with pytest.raises(mb.SimulationError) as caught:
        mb.simulate(eom, duration, **options)
    return caught.value


@pytest.mark.parametrize("samples", [2, 17, 1001])
def test_a_potential_that_does_not_belong_to_the_force_fails(samples):
    """V = 7·V₀ and T + V₀ = E: the balance is off by 6·V₀, of at most 7·E that are exchanged."""
    eom = unchecked(oscillator(lambda joint: SevenTimes(joint, 4.0)))
    error = failed(eom, samples=samples)
    run = error.trajectory
    assert run.status is Status.ENERGY_LOST
    assert run.energy_drift == pytest.approx(6 / 7, rel=0.02)
    assert "load0" in str(error)


def test_a_wrong_potential_of_a_spring_between_points_fails():
    system = oscillator()
    system.load(SevenTimesAlongALine(system.frame("wall", (-3, 0, 0)), system["box"], 4.0, 2.0), name="coil")
    assert "coil" in str(failed(unchecked(system)))


def test_the_drift_does_not_depend_on_the_samples():
    eom = mb.derive(oscillator(spring(), lambda joint: mb.JointDamper(joint, 0.1)))
    drifts = [mb.simulate(eom, 7.0, samples=n).energy_drift for n in (2, 3, 1001)]
    assert drifts[0] == drifts[1] == drifts[2] < 1e-7


def test_the_scale_is_that_of_all_steps():
    """At both samples the oscillator is at its turning point; half a joule has come and gone in between."""
    run = mb.simulate(mb.derive(oscillator(spring(1.0))), times=[0.0, 2 * np.pi])
    assert run.energies.scale == pytest.approx(0.5, rel=0.05)


@pytest.mark.parametrize("integrator", [None, mb.RungeKutta4(step=0.01), mb.ScipySolver(method="Radau")])
@pytest.mark.parametrize("samples", [2, 301])
def test_a_damper_that_gives_energy_fails(samples, integrator):
    eom = mb.derive(oscillator(spring(), lambda joint: mb.JointDamper(joint, -0.5)))
    error = failed(eom, 3.0, samples=samples, integrator=integrator)
    assert error.trajectory.status is Status.ENERGY_GENERATED
    assert "load1" in str(error)


def test_a_negative_damper_beside_a_stronger_one_fails():
    """All in all energy is dissipated; one of the two gives some."""
    loads = lambda joint: mb.JointDamper(joint, 2.0), lambda joint: mb.JointDamper(joint, -0.5)
    error = failed(mb.derive(oscillator(spring(), *loads)))
    assert "load2" in str(error)
    assert "load1" not in str(error)


@pytest.mark.parametrize("make", [
    lambda s, w: mb.Damper(w, s["box"], -1.0),
    lambda s, w: mb.SpringDamper(w, s["box"], 4.0, -1.0, 2.0),
    lambda s, w: mb.Bushing(w, s["box"], stiffness=4.0, damping=-1.0),
])  # fmt: skip
def test_negative_damping_between_frames_fails(make):
    system = oscillator(spring(20.0))
    system.load(make(system, system.frame("wall", (-3, 0, 0))), name="strut")
    assert "strut" in str(failed(mb.derive(system), 2.0))


def test_negative_damping_fails_in_a_sweep():
    system = mb.System("oscillator")
    c = system.parameter("c", 0.1)
    joint = system.joint("x", system.world, system.body("box", 1.0), "Tx", q=1.0)
    system.load(mb.JointSpring(joint, 4.0))
    system.load(mb.JointDamper(joint, c))
    runs = mb.sweep(mb.derive(system), 3.0, parameters={"c": [0.1, -0.1]}, samples=31)
    assert runs.status == ["DONE", "ENERGY_GENERATED"]


def test_an_active_force_is_not_a_damper():
    """Van der Pol: the force gives energy for small x and takes it for large ones; the amplitude becomes 2."""
    eom = mb.derive(oscillator(spring(1.0), lambda one: mb.JointLoad(one, (1 - one.coordinate**2) * one.speed)))
    run = mb.simulate(eom, 30.0)
    assert run.status is Status.DONE
    assert np.abs(run["x"][run.t > 20]).max() == pytest.approx(2.0, abs=0.02)


def test_wrong_inertia_in_the_equations_fails():
    """ẍ = -k·x/m with another mass than that of the kinetic energy."""
    eom = mb.derive(oscillator(spring(), mass=1.0))
    heavy = mb.derive(oscillator(spring(), mass=3.0))
    assert failed(replace(eom, acceleration=heavy.acceleration)).trajectory.status is Status.ENERGY_LOST


def test_fixed_steps_that_are_too_long_fail():
    """ω·h = 2: within the stability limit of 2.83, but most of the energy is lost within some steps."""
    error = failed(mb.derive(oscillator(spring(1e4))), 1.0, integrator=mb.RungeKutta4(step=0.02))
    assert error.trajectory.status is Status.ENERGY_LOST
    run = mb.simulate(mb.derive(oscillator(spring(1e4))), 1.0, integrator=mb.RungeKutta4(step=0.0005))
    assert run.energy_drift < 1e-4


def test_energy_that_is_not_a_number_fails():
    """The potential has no value where the box goes after 0.8 s, the force has one."""

    class Blind(mb.JointSpring):
        def potential(self, kinematics):
            return super().potential(kinematics) + 1e-30 * mb.graph.sqrt(self.joint.coordinate)

    error = failed(mb.derive(oscillator(lambda joint: Blind(joint, 4.0))), integrator=mb.DormandPrince8())
    assert error.trajectory.status is Status.ENERGY_LOST
    assert np.isnan(error.trajectory.energy_drift)


def test_a_sweep_is_not_judged_by_its_samples():
    """Both samples are turning points: no energy seems to move, so that any rounding seems to be large."""
    eom = mb.derive(oscillator(spring(1.0)))
    runs = mb.sweep(eom, times=[0.0, 2 * np.pi], initial={"x": [1.0, 2.0, 3.0]})
    assert runs.status == ["DONE"] * 3
    assert all(one.energy_drift < 1e-6 for one in runs)


@pytest.mark.parametrize("gravity", [(0, 0, 0), (0, 0, -9.81)])
def test_a_body_at_rest_is_not_a_failure(gravity):
    system = mb.System("rest", gravity=gravity)
    system.joint("x", system.world, system.body("box", 1.0, (0, 0, 7.0)), "Tx")
    assert mb.simulate(mb.derive(system), 10.0).status is Status.DONE


def test_tiny_energies_are_compared_with_themselves():
    run = mb.simulate(mb.derive(oscillator(spring(), x=1e-9)), 5.0, integrator=mb.DormandPrince8(atol=1e-20))
    assert run.energy_drift < 1e-6
    error = failed(unchecked(oscillator(lambda j: SevenTimes(j, 4.0), x=1e-9)))
    assert error.trajectory.status is Status.ENERGY_LOST


def test_a_rest_length_that_follows_a_coordinate_brings_in_energy():
    """Two boxes; the rest length of the spring of the one follows the other: not a wrong potential."""
    system = mb.System("follower")
    a = system.joint("a", system.world, system.body("A", 1.0), "Tx", u=1.0)
    b = system.joint("b", system.world, system.body("B", 1.0), "Tx")
    system.load(mb.JointSpring(b, 4.0, rest=a.coordinate / 2))
    run = mb.simulate(mb.derive(system), 5.0)
    assert run.status is Status.DONE
    assert run.energy_drift < 1e-6


def test_a_spring_given_by_a_function_stores_nothing():
    system = mb.System("pair")
    joint = system.joint("x", system.world, system.body("box", 1.0), ["Tx", "Ty"], q=(1.0, 0.5))
    system.load(mb.JointSpring(joint, [4.0, lambda x: 4 * x + x**3]))
    run = mb.simulate(mb.derive(system), 5.0)
    assert run.status is Status.DONE
    assert run.energy_drift < 1e-6


def test_a_moving_end_of_a_spring_and_damper_balances():
    """Given motion of one end: the drive brings in what spring and damper take."""
    system = mb.System("shaker")
    table = system.body("table", 1.0)
    system.joint("drive", system.world, table, "Tx", prescribed=mb.graph.sin(3 * system.time) / 10)
    box = system.body("box", 1.0)
    system.joint("x", system.world, box, "Tx", q=1.0)
    system.load(mb.SpringDamper(table, box, 40.0, 1.0, 1.0))
    run = mb.simulate(mb.derive(system), 5.0)
    assert run.status is Status.DONE
    assert run.energy_drift < 1e-6
    assert (np.diff(run["dissipated"]) >= -1e-12).all()


def test_a_length_that_follows_time_brings_in_energy():
    """A box on a rod that lifts it by t³: m·g·z + m·v²/2 at the end."""
    system = mb.System("lift", gravity=(0, 0, -10))
    box = system.body("box", 2.0)
    system.joint("z", system.world, box, "Tz", q=1.0)
    system.constraint(mb.DistanceConstraint(system.world, box, 1 + system.time**3), name="rod")
    run = mb.simulate(mb.derive(system), 1.0)
    assert run.energy_drift < 1e-6
    assert run["work_of_drives"][-1] == pytest.approx(2 * 10 * 1 + 2 * 3**2 / 2)


@pytest.mark.parametrize("samples", [2, 4])
def test_runs_of_a_sweep_are_checked_between_their_samples(samples):
    """After full periods the potential is what it was at the start, whatever it was in between."""
    eom = unchecked(oscillator(lambda joint: SevenTimes(joint, 4.0)))
    times = np.pi * np.arange(samples)
    runs = mb.sweep(eom, times=times, initial={"x": [1.0, 2.0]})
    assert [run.status for run in runs] == [Status.ENERGY_LOST] * 2


def test_a_run_with_wrong_energies_does_not_become_a_sound_one():
    """Neither by what follows it."""
    eom = unchecked(oscillator(lambda joint: SevenTimes(joint, 4.0)))
    first = failed(eom).trajectory
    rest = mb.simulate(eom, 1e-3, start=first, on_failure="return")
    assert replace(rest, status=Status.DONE, message="").status.ok
    both = first + replace(rest, status=Status.DONE, message="")
    assert (both.status, both.message) == (Status.ENERGY_LOST, first.message)


def tail(force):
    """A mass at rest that a tiny force pushes."""
    system = mb.System("tail")
    slide = system.joint("x", system.world, system.body("box", 1.0), "Tx")
    system.load(mb.JointLoad(slide, system.input("F")))
    return mb.simulate(
        mb.derive(system), 1.0, inputs={"F": force}, integrator=mb.RungeKutta4(step=0.2), on_failure="return"
    )


@pytest.mark.parametrize("size", [1.0, 1e-16, 1e-30, 1e-60])
def test_small_energies_balance_or_fail(size):
    """A pulse that one stage of one step has seen: the speed changes, and the work does not tell why."""
    run = tail(lambda t: size if 0.25 < t < 0.35 else 0.0)
    assert run.energy_drift > 0.1
    assert run.status is Status.ENERGY_LOST
    assert tail(lambda t: size).status is Status.DONE


def test_rounding_is_no_motion():
    """A four-bar at rest without gravity, with a spring at its free length, moves by rounding alone."""
    system = mb.System("rest")
    thin = mb.diag(0, 0, 0.02)
    crank, coupler, rocker = (system.body(name, 1.0, (0.2, 0, 0), thin) for name in ("crank", "coupler", "rocker"))
    drive = system.joint("drive", system.world, crank, "Rz", q=0.5)
    system.joint("knee", crank.frame("tip", (0.3, 0, 0)), coupler, "Rz")
    system.joint("swing", system.world.frame("ground", (0.9, 0, 0)), rocker, "Rz")
    system.loop(mb.FourBar(coupler.frame("end", (1.0, 0, 0)), rocker.frame("end_2", (0.8, 0, 0)), posture=1))
    for free in (0.5, 0.5 + 1e-16, 0.5 * (1 + 4e-16)):
        eom = mb.derive(with_spring(system, drive, free))
        for integrator in (None, mb.Cvode(), mb.RungeKutta4(step=0.01)):
            assert mb.simulate(eom, 2.0, integrator=integrator).status.ok


def with_spring(system, joint, free):
    """The system with one more spring."""
    system.load(mb.JointSpring(joint, 1e3, free), name=f"spring_{len(system.loads)}")
    return system


def test_a_doubtful_drift_is_a_warning(caplog):
    stiff = mb.derive(oscillator(spring(4.0)))
    run = mb.simulate(stiff, 10.0, integrator=mb.RungeKutta4(step=0.35))
    assert 1e-3 < run.energy_drift < 0.1
    assert f"drift {run.energy_drift:.1e}" in caplog.text
    caplog.clear()
    mb.simulate(stiff, 10.0)
    assert not caplog.text
