"""Runs that the page makes again: controllers, events and integrator are those of the run that is shown."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import multibody as mb
from multibody.graph import Table
from multibody.simulation import Trajectory
from multibody.view.viewer import show

pytest.importorskip("viser", reason="viser is not installed")

MASS, OTHER_MASS = 2.0, 5.0
START = {"q": {"x": 1.0}, "duration": 2.0}


class Integral:
    """A controller with a memory: the sum of all positions that it was asked for."""

    def __init__(self) -> None:
        self.total = 0.0

    def __call__(self, t: float, q: np.ndarray, u: np.ndarray) -> float:
        self.total += q[0]
        return -3.0 * q[0] - 2.0 * u[0] - 0.05 * self.total


def cart() -> mb.System:
    system = mb.System("cart")
    (mass,) = system.parameters(mass=MASS)
    slide = system.joint("x", system.world, system.body("box", mass), "Tx")
    system.load(mb.JointLoad(slide, system.input("F")))
    return system


def spring(system: mb.System) -> mb.graph.Expr:
    return -8 * system["x"].coordinate - 0.5 * system["x"].speed


CONTROLLERS = {
    "expression": spring,
    "text": lambda system: "-8*x - x_dot/2",
    "function": lambda system: lambda t, q, u: -8 * q[0] - 0.5 * u[0],
    "sampled": lambda system: mb.Sampled(lambda t, q, u: -8 * q[0], 0.05),
    "sampled with a memory": lambda system: mb.Sampled(Integral(), 0.05),
    "table": lambda system: Table("push", [0, 0.5, 1.0, 3.0], [0, 4.0, -4.0, 0]),
    "number": lambda system: 1.5,
}


def rerun(run: Trajectory, **parameters: float) -> tuple[Trajectory, tuple[str, ...]]:
    """The run that the page makes, with other parameters, and what it says."""
    with show(run, port=0, browser=False, block=False) as viewer:
        for name, value in parameters.items():
            viewer._loop.ask(name, partial(viewer._rerun.change, name, value))
        viewer._loop.ask("run", viewer._rerun.run)
        assert viewer._loop.settle(60)
        return viewer._exhibit.motion.run, viewer.messages


@pytest.mark.parametrize("kind", CONTROLLERS)
def test_the_controller_is_kept(kind: str) -> None:
    """With another mass, feedback gives another force than in the run before: a recorded force would be wrong."""
    system = cart()
    eom, law = mb.derive(system), CONTROLLERS[kind]
    run = mb.simulate(eom, **START, inputs={"F": law(system)})
    wanted = mb.simulate(eom, **START, inputs={"F": law(system)}, parameters={"mass": OTHER_MASS})
    made, said = rerun(run, mass=OTHER_MASS)
    assert said == ()
    assert made.parameters["mass"] == OTHER_MASS
    assert made["x"][-1] == pytest.approx(wanted["x"][-1], abs=1e-6)
    if kind not in ("table", "number"):
        assert np.abs(made["F"][-1] - run["F"][-1]) > 0.05


def test_a_controller_begins_with_the_memory_that_it_had() -> None:
    run = mb.simulate(mb.derive(cart()), **START, inputs={"F": mb.Sampled(Integral(), 0.05)})
    with show(run, port=0, browser=False, block=False) as viewer:
        for _ in range(2):
            viewer._loop.ask("run", viewer._rerun.run)
            assert viewer._loop.settle(60)
            assert viewer._exhibit.motion.run["x"][-1] == pytest.approx(run["x"][-1], abs=1e-8)


def test_events_and_integrator_are_kept() -> None:
    """A ball on a floor; and a run that ends at a wall."""
    ball = mb.System("ball", gravity=(0, 0, -9.81))
    fall = ball.joint("z", ball.world, ball.body("rubber", 1.0), "Tz", q=1.0)
    floor = mb.Impact(fall.coordinate, restitution=0.5, name="floor")
    integrator = mb.DormandPrince5(rtol=1e-9)
    run = mb.simulate(mb.derive(ball), 1.0, events=[floor], integrator=integrator)
    made, said = rerun(run)
    assert said == ()
    assert made["z"].min() > -1e-9
    assert [one.name for one in made.occurrences] == [one.name for one in run.occurrences]
    assert made.counts.integrator == repr(integrator)

    system = cart()
    wall = mb.Event(system["x"].coordinate - 2, terminal=True, name="wall")
    eom = mb.derive(system)
    run = mb.simulate(eom, 5.0, u={"x_dot": 1.0}, inputs={"F": 0.0}, events=[wall])
    made, _ = rerun(run)
    assert (made.status, made.t[-1]) == (mb.Status.EVENT, pytest.approx(2.0))


@pytest.mark.parametrize("suffix", [".csv", ".npz", ".parquet"])
def test_a_run_from_a_file_says_that_its_controller_is_not_known(tmp_path, suffix: str) -> None:
    system = cart()
    eom = mb.derive(system)
    mb.simulate(eom, **START, inputs={"F": spring(system)}).save(tmp_path / f"run{suffix}")
    run = Trajectory.read(tmp_path / f"run{suffix}", eom, {} if suffix == ".csv" else None)
    made, said = rerun(run, mass=OTHER_MASS)
    assert any("read from a file" in text and "F" in text and "not known" in text for text in said)
    np.testing.assert_allclose(made["F"][[0, -1]], run["F"][[0, -1]], atol=1e-6)


def test_joined_runs_with_different_controllers_say_so() -> None:
    system = cart()
    eom = mb.derive(system)
    first = mb.simulate(eom, **START, inputs={"F": spring(system)})
    other = first + mb.simulate(eom, 1.0, start=first, inputs={"F": 1.0})
    same = first + mb.simulate(eom, 1.0, start=first, inputs={"F": spring(system)})
    assert any("different settings" in text for text in rerun(other)[1])
    made, said = rerun(same)
    assert said == ()
    assert made["x"][-1] == pytest.approx(same["x"][-1], abs=1e-6)


def test_inputs_that_went_on_from_an_earlier_run_go_on() -> None:
    eom = mb.derive(cart())
    first = mb.simulate(eom, 1.0, inputs={"F": 4.0})
    later = mb.simulate(eom, 1.0, start=first)
    made, said = rerun(later)
    assert said == ()
    assert (made["F"] == 4.0).all()
    assert made["x"][-1] == pytest.approx(later["x"][-1], abs=1e-9)


def test_a_run_that_fails_in_the_page_says_so() -> None:
    """A force that has no value beyond 1.5 m; with 1 N on 2 kg the cart gets there in 2.45 s at the latest."""
    system = cart()
    system.load(mb.JointLoad(system["x"], 1e-9 * mb.graph.sqrt(1.5 - system["x"].coordinate)))
    run = mb.simulate(mb.derive(system), 1.0, inputs={"F": 1.0})
    with show(run, port=0, browser=False, block=False) as viewer:
        viewer._rerun.duration.value = 5.0
        viewer._loop.ask("run", viewer._rerun.run)
        assert viewer._loop.settle(60)
        made = viewer._exhibit.motion.run
        assert not made.status.ok
        assert viewer.messages == (made.message,)
