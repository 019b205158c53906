"""Solvers of SUNDIALS and SciPy behind our contract: accuracy, events, samples, failures."""

import math
import sys
from dataclasses import replace

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody import library
from multibody.errors import MultibodyError
from multibody.simulation.contract import Status, Watch
from multibody.simulation.events.impacts import Impact
from multibody.simulation.integrators.scipy_solvers import ScipySolver
from multibody.simulation.integrators.stiffness import stiffness
from multibody.simulation.integrators.sundials import Cvode, Ida
from multibody.simulation.single_run import simulate

from . import solver_models as models
from .solver_models import moved, problem_of, value

BDF, ADAMS = Cvode(rtol=1e-9, atol=1e-11), Cvode(method="Adams", rtol=1e-9, atol=1e-11)
IDA = Ida(rtol=1e-9, atol=1e-11)
RADAU, LSODA = ScipySolver(method="Radau", rtol=1e-7, atol=1e-9), ScipySolver(method="LSODA", rtol=1e-9, atol=1e-11)
STIFF = [BDF, IDA, RADAU, ScipySolver(method="BDF", rtol=1e-8, atol=1e-10), LSODA]
ANY = [BDF, ADAMS, IDA, ScipySolver(rtol=1e-9, atol=1e-11), LSODA]


def named(integrator):
    return f"{type(integrator).__name__}-{getattr(integrator, 'method', '')}"


# accuracy ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("integrator", STIFF, ids=named)
def test_a_stiff_slide_follows_its_exact_solution(integrator):
    parts = {"mass": 1.0, "stiffness": 1e6, "damping": 1e6}
    times = np.array([0.0, 1e-6, 0.5, 2.0])
    segment = moved(integrator, models.slide(**parts), times)
    assert segment.status is Status.DONE
    np.testing.assert_array_equal(segment.t, times)
    for t, y in zip(times, segment.y, strict=True):
        np.testing.assert_allclose(y[:2], models.slide_at(t, **parts), rtol=2e-7, atol=2e-8)
    assert segment.steps < 2500  # an explicit method needs 400 000


@pytest.mark.parametrize("integrator", [BDF, IDA, replace(RADAU, rtol=1e-6), LSODA], ids=named)
def test_van_der_pol_of_the_ivp_test_set(integrator):
    system = models.van_der_pol()
    segment = moved(integrator, system, [2.0])
    assert value(segment, system, "x") == pytest.approx(1.706167732170469, abs=2e-6)
    assert value(segment, system, "x_dot") == pytest.approx(-0.8928097010248125, abs=2e-6)
    assert segment.steps < 8000


@pytest.mark.parametrize("integrator", ANY, ids=named)
def test_modelica_double_pendulum(integrator):
    system = library.double_pendulum()
    segment = moved(integrator, system, [0.6, 1.2])
    known = {"phi1": -2.1064918884, "phi1_dot": 5.0705206182, "phi2": -1.5163188773, "phi2_dot": -1.1694281354}
    assert {name: value(segment, system, name) for name in known} == pytest.approx(known, abs=2e-7)
    np.testing.assert_allclose(segment.y[0, :2], (-2.0930522764, -0.3647519108), atol=5e-8)


def test_a_governor_by_three_solvers():
    system = models.governor()
    runs = [moved(one, system, [0.5]).last_y for one in (BDF, IDA, ScipySolver(method="Radau", rtol=1e-8, atol=1e-10))]
    np.testing.assert_allclose(runs[0][:-3], runs[2][:-3], atol=1e-6)
    np.testing.assert_allclose(runs[1][:-3], runs[2][:-3], atol=1e-6)


@pytest.mark.parametrize("integrator", [BDF, ADAMS, IDA, ScipySolver(rtol=1e-9, atol=1e-11)], ids=named)
def test_what_a_damper_takes_is_what_is_lost(integrator):
    system = models.slide(2.0, 5.0, 0.7)
    segment = moved(integrator, system, [3.0])
    x, v, _, dissipated, _ = segment.last_y
    assert 0.5 * 5.0 * (1 - x**2) - 0.5 * 2.0 * v**2 == pytest.approx(dissipated, abs=1e-7)
    assert dissipated > 1


def test_tolerances_are_kept_in_proportion():
    errors = []
    for tolerance in (1e-5, 1e-7, 1e-9):
        segment = moved(Cvode(rtol=tolerance, atol=tolerance), models.slide(1.0, 4.0), [10.0])
        errors.append(abs(segment.last_y[0] - math.cos(20)))
    assert errors[0] > 5 * errors[1] > 25 * errors[2]
    assert errors[2] < 1e-6


def test_statistics():
    segment = moved(BDF, models.slide(1.0, 4.0, 0.1), [5.0])
    assert segment.evaluations >= segment.steps > 50
    assert 0 < segment.jacobians < segment.steps / 10


def test_long_steps_can_be_forbidden():
    assert moved(Cvode(max_step=1e-3), models.slide(1.0, 1.0), [0.1]).steps >= 100


# events --------------------------------------------------------------------------------------------------------------


def crossings(integrator, directions, stops, times=(10.0,), quiet=()):
    """A slide cos(t) with two signals, x - 0.5 and ẋ."""
    signals = (lambda eom: eom.coordinates[0] - 0.5, lambda eom: eom.speeds[0])
    return moved(integrator, models.slide(), times, watch=Watch(directions, stops, quiet), signals=signals)


@pytest.mark.parametrize("integrator", ANY, ids=named)
def test_events_are_found_with_their_directions_and_in_order(integrator):
    segment = crossings(integrator, (-1, 0), (False, False))
    found = [(one.event, one.t) for one in segment.occurrences]
    third = math.pi / 3
    known = sorted(
        [(0, third), (0, third + 2 * math.pi)] + [(1, k * math.pi) for k in (1, 2, 3)], key=lambda one: one[1]
    )
    assert [k for k, _ in found] == [k for k, _ in known]
    np.testing.assert_allclose([t for _, t in found], [t for _, t in known], atol=1e-7)
    for one in segment.occurrences:
        assert abs(one.y[one.event] - (0.5, 0.0)[one.event]) < 1e-9
    assert segment.status is Status.DONE


@pytest.mark.parametrize("integrator", ANY, ids=named)
def test_an_event_stops_a_segment_and_is_not_found_again(integrator):
    segment = crossings(integrator, (1, 0), (True, False), times=(1.0, 5.0, 6.0))
    assert segment.status is Status.EVENT
    assert segment.last_t == pytest.approx(5 * math.pi / 3, abs=1e-7)
    np.testing.assert_array_equal(segment.t, [1.0, 5.0])
    assert [one.event for one in segment.occurrences] == [1, 0]
    problem, _ = problem_of(models.slide(), signals=(lambda eom: eom.coordinates[0] - 0.5,))
    watch = Watch((0,), (True,), quiet=(0,))
    after = integrator.run(problem, segment.last_t, segment.last_y, np.array([20.0]), 0.0, watch)
    assert after.last_t == pytest.approx(7 * math.pi / 3, abs=1e-7)


def test_two_crossings_within_a_step_are_both_found():
    signals = (lambda eom: eom.coordinates[0] + 0.999,)
    watch = Watch((0,), (False,))
    segment = moved(ScipySolver(rtol=1e-3, atol=1e-3), models.slide(), [2 * math.pi], watch=watch, signals=signals)
    assert len(segment.occurrences) == 2
    assert segment.steps < 12


@pytest.mark.parametrize("integrator", [Cvode(), Ida(), ScipySolver()], ids=named)
def test_a_bouncing_ball_comes_to_rest(integrator):
    system, e = models.ball(), 0.7
    t, v, known = math.sqrt(2 / 9.81), math.sqrt(2 * 9.81), []
    while e * v > 1e-3:
        known.append(t)
        v *= e
        t += 2 * v / 9.81
    known.append(t)
    height = system["z"].coordinate
    run = simulate(mb.derive(system), 4.0, events=[Impact(height, e, rest=1e-3)], integrator=integrator)
    assert run.status is Status.DONE
    found = [one.t for one in run.occurrences if one.name == "impact"]
    np.testing.assert_allclose(found, known, atol=5e-6)
    assert run["z"].min() > -1e-10
    assert abs(run["z"][-1]) < 1e-9


# failures ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("integrator", [BDF, IDA, ScipySolver(), ScipySolver(method="Radau")], ids=named)
def test_a_domain_that_is_left_is_a_status(integrator, capfd):
    segment = moved(integrator, models.falling_out_of_domain(), np.linspace(0, 1, 21))
    assert segment.status is Status.NOT_FINITE
    assert segment.last_t == pytest.approx(0.4523, abs=2e-3)  # from 1 m to the ground
    assert len(segment.t) == 10
    assert np.isfinite(segment.y).all()
    assert np.isfinite(segment.last_y).all()
    assert capfd.readouterr().out == ""


def test_rates_that_are_not_finite_at_the_start():
    segment = moved(BDF, models.falling_out_of_domain(), [0.0, 1.0], q={"z": -1.0})
    assert segment.status is Status.NOT_FINITE
    assert segment.last_t == 0
    assert segment.message == "at the start"


def test_too_many_steps():
    segment = moved(Cvode(max_steps=7), models.slide(), [1.0, 100.0])
    assert segment.status is Status.TOO_MANY_STEPS
    assert segment.steps == 7
    assert 0 < segment.last_t < 1


def test_a_step_that_becomes_too_small_comes_with_the_words_of_the_solver(capfd):
    def blow_up():
        system = models.ball()
        z = system["z"]
        system.load(mb.JointLoad(z, z.speed * z.speed * z.coordinate * 5))
        return system

    segment = moved(BDF, blow_up(), [10.0], u={"z_dot": 3.0})
    assert segment.status in (Status.STEP_TOO_SMALL, Status.NOT_FINITE)
    assert "CVode" in segment.message or "cv" in segment.message
    assert segment.last_t < 1
    assert "Error" not in capfd.readouterr().out


@pytest.mark.parametrize("integrator", [BDF, IDA, ScipySolver()], ids=named)
def test_a_function_of_python_may_fail_or_be_interrupted(integrator):
    system = models.ball()
    system.load(mb.JointLoad(system["z"], system.input("push")))
    eom = mb.derive(system)
    from multibody.simulation.problem.problem import Problem

    def segment(error):
        problem = Problem(eom, [])

        def law():
            if problem.t > 0.2:
                raise error
            problem.r[0] = 9.81  # it hovers until then

        problem.follow(law)
        y0 = np.array([1.0, 0.0, 0.0, 0.0, 0.0])
        return problem, integrator.run(problem, 0.0, y0, np.array([0.1, 1.0]), 0.0, Watch())

    problem, failed = segment(RuntimeError("no idea"))
    assert failed.status is Status.NOT_FINITE
    assert str(problem.failure) == failed.message == "no idea"
    _, stopped = segment(KeyboardInterrupt())
    assert stopped.status is Status.INTERRUPTED
    for one in (failed, stopped):
        assert 0 <= one.last_t <= 0.2
        assert one.last_y[0] == pytest.approx(1.0)


def test_what_users_print_is_not_swallowed(capsys):
    problem, y0 = problem_of(models.slide())
    problem.follow(lambda: print("here"))
    Cvode().run(problem, 0.0, y0, np.array([0.01]), 0.0, Watch())
    assert capsys.readouterr().out.startswith("here\nhere\n")


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Cvode(method="RK4"), lambda: ScipySolver(method="Euler"), lambda: Cvode(rtol=0.0),
        lambda: Ida(max_steps=0), lambda: ScipySolver(atol=float("nan")),
    ],
)  # fmt: skip
def test_wrong_options(wrong):
    with pytest.raises(MultibodyError):
        wrong()


def test_a_library_that_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sksundae.cvode", None)
    with refused("library-missing") as caught:
        moved(BDF, models.slide(), [1.0])
    assert "multibody[stiff]" in caught.value.remedy


# stiff or not --------------------------------------------------------------------------------------------------------


def test_what_is_stiff():
    def verdict(system, duration, u=None):
        problem, y0 = problem_of(system, u=u)
        return stiffness(problem, 0.0, y0, duration)

    brake = verdict(models.slide(1.0, 1e6, 1e6), 10.0)
    assert brake.stiff
    assert brake.fastest == pytest.approx(1e6, rel=1e-4)
    assert brake.slowest_needed == pytest.approx(1.0, rel=1e-2)
    assert verdict(models.van_der_pol(), 2.0).stiff
    assert verdict(models.governor(), 10.0).stiff
    assert not verdict(models.slide(1.0, 1e12), 10.0).stiff  # a vibration must be followed by any method
    assert not verdict(models.slide(1.0, 1e6, 1e6), 1e-5).stiff  # nothing dies out in so short a time
    assert not verdict(library.double_pendulum(), 100.0).stiff
    assert str(brake).startswith("stiff: ")
