"""Runs that end before their time: they raise, and the error holds what was computed."""

import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.errors import SimulationError, SimulationInterrupted
from multibody.graph import sqrt
from multibody.linearization.trim.steady_motion import lasting
from multibody.simulation import Status

INTEGRATORS = [
    None, mb.DormandPrince5(), mb.RungeKutta4(step=1e-3), mb.SemiImplicitEuler(step=1e-3), mb.Symplectic(step=1e-3),
    mb.ScipySolver(), mb.Cvode(), mb.Ida(), mb.IndependentCoordinates(),
]  # fmt: skip


def edge(at=0.5):
    """A block that moves with 1 m/s; beyond the edge its force has no value. It gets there after ``at`` seconds."""
    system = mb.System("edge")
    (x,) = system.joint("x", system.world, system.body("block", 1.0), "Tx", u=1.0).coordinates
    system.load(mb.JointLoad(system["x"], 1e-9 * sqrt(at - x)), "weak")
    return mb.derive(system)


def failed(**options):
    with pytest.raises(SimulationError) as caught:
        mb.simulate(edge(), 2.0, **options)
    return caught.value


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=lambda one: type(one).__name__)
def test_every_integrator_raises(integrator):
    error = failed(integrator=integrator)
    run = error.trajectory
    assert not run.status.ok
    assert run.t[-1] == pytest.approx(0.5, abs=5e-3)
    np.testing.assert_allclose(run["x"], run.t, atol=1e-6)


def test_the_error_says_what_where_why_and_what_to_do():
    error = failed(samples=201)
    assert error.what.startswith("The run ended at t = 0.5")
    assert f"s of 2 s: {error.trajectory.status.value}" in error.what
    assert error.where.startswith("system 'edge', x=0.5")
    assert error.cause
    assert error.remedy
    assert str(error).replace(" [run-failed]", "") == error.trajectory.message
    assert mb.SimulationError is SimulationError
    assert issubclass(SimulationError, mb.MultibodyError)


def test_a_failed_run_is_returned_on_request():
    run = mb.simulate(edge(), 2.0, on_failure="return")
    assert not run.status.ok
    assert run.message == failed().trajectory.message
    with refused("run-failed") as caught:
        run.require_complete()
    assert caught.value.trajectory is run


@pytest.mark.parametrize("answer", ["ignore", "Return", None, True, ""])
def test_other_answers_to_a_failure_are_refused(answer):
    with refused("option-unknown") as caught:
        mb.simulate(edge(), 0.1, on_failure=answer)
    assert '"raise"' in caught.value.remedy


def test_the_end_and_a_terminal_event_are_no_failures():
    eom = edge()
    assert mb.simulate(eom, 0.4).require_complete().status is Status.DONE
    stop = mb.Event(eom.coordinates[0] - 0.3, terminal=True, name="stop")
    run = mb.simulate(eom, 2.0, events=[stop])
    assert run.status is Status.EVENT
    assert run.t[-1] == pytest.approx(0.3, abs=1e-6)


@pytest.mark.parametrize(
    "limit", [mb.DormandPrince8(max_steps=2), mb.Cvode(max_steps=2), mb.ScipySolver(max_steps=2)], ids=str
)
def test_too_many_steps_raise(limit):
    system = mb.System("spring")
    system.load(mb.JointSpring(system.joint("x", system.world, system.body("mass", 1.0), "Tx", q=1.0), 100.0))
    with refused("run-failed") as caught:
        mb.simulate(mb.derive(system), 100.0, integrator=limit)
    assert caught.value.trajectory.status is Status.TOO_MANY_STEPS


def test_a_failed_run_can_be_continued_with_other_loads():
    part = failed().trajectory
    rest = mb.simulate(edge(), 0.1, start=part.at(0.2))
    both = part + rest
    assert (both.status, both.t[-1]) == (Status.DONE, pytest.approx(0.3))
    again = mb.simulate(edge(), 1.0, start=part.at(0.2), on_failure="return")
    assert not (part + again).status.ok


# interruptions -------------------------------------------------------------------------------------------------------


def stop_after(seconds):
    def law(t):
        if t > seconds:
            raise KeyboardInterrupt
        return 0.0

    return law


def cart():
    system = mb.System("cart")
    slide = system.joint("x", system.world, system.body("box", 2.0), "Tx", u=1.0)
    system.load(mb.JointLoad(slide, system.input("F")))
    return mb.derive(system)


@pytest.mark.parametrize("integrator", [None, mb.RungeKutta4(step=0.01), mb.ScipySolver()], ids=str)
def test_an_interruption_is_a_keyboard_interrupt_that_keeps_the_run(integrator):
    eom = cart()
    options = {"inputs": {"F": stop_after(1.0)}, "integrator": integrator, "samples": 101}
    with pytest.raises(KeyboardInterrupt) as caught:
        mb.simulate(eom, 2.0, **options)
    assert isinstance(caught.value, SimulationInterrupted)
    assert isinstance(caught.value, SimulationError)
    run = caught.value.trajectory
    assert run.status is Status.INTERRUPTED
    assert mb.simulate(eom, 2.0, **options, on_failure="return").status is Status.INTERRUPTED
    later = mb.simulate(eom, 1.0, start=run, inputs={"F": 0.0})
    assert later["x"][-1] == pytest.approx(run["x"][-1] + 1.0, abs=1e-6)


# on their way to other processes -------------------------------------------------------------------------------------


def test_the_error_travels_with_its_trajectory():
    error = failed()
    arrived = pickle.loads(pickle.dumps(error))
    assert type(arrived) is SimulationError
    assert str(arrived) == str(error)
    assert arrived.trajectory.status is error.trajectory.status
    np.testing.assert_array_equal(arrived.trajectory["x"], error.trajectory["x"])


def test_an_error_whose_trajectory_cannot_travel_arrives_without_it():
    error = SimulationError("It ended.", where="here", trajectory=(one for one in "abc"))
    arrived = pickle.loads(pickle.dumps(error))
    assert (str(arrived), arrived.trajectory) == (str(error), None)


def test_another_process_raises_it_here():
    with (
        ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool,
        refused("run-failed") as caught,
    ):
        pool.submit(_elsewhere).result(timeout=120)
    assert caught.value.trajectory.t[-1] == pytest.approx(0.5, abs=5e-3)


def _elsewhere():
    return mb.simulate(edge(), 2.0).t[-1]


# callers -------------------------------------------------------------------------------------------------------------


def test_a_motion_that_ends_does_not_last():
    """At 0.1 s from the edge, poles at this instant say nothing about what comes after 0.2 s."""
    eom = edge()
    linear = mb.linearize(eom, {"x": 0.4, "x_dot": 1.0})
    assert not lasting(eom, linear, 0.2)
    assert lasting(eom, linear, 0.01)


def test_an_interruption_ends_more_than_the_run(monkeypatch):
    def interrupted(*args, **options):
        raise SimulationInterrupted("Stopped.")

    monkeypatch.setattr("multibody.linearization.trim.steady_motion.simulate", interrupted)
    eom = edge()
    with pytest.raises(KeyboardInterrupt):
        lasting(eom, mb.linearize(eom, {"x": 0.4}), 0.2)
