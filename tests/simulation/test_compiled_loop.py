"""The compiled loop as machine code: threads, interruptions."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import multibody as mb
from multibody.simulation.contract import Status
from multibody.simulation.integrators import compiled_integrator as compiled_run
from multibody.simulation.integrators.fixed_step import RungeKutta4
from multibody.simulation.integrators.runge_kutta import DormandPrince5

from .motions import move, oscillator, start


def test_threads_run_at_once_each_with_a_problem_of_its_own():
    """With Python in the right-hand side: the lock is released by the loop, and taken where it is needed."""

    def one(k):
        system = mb.System("driven")
        joint = system.joint("x", system.world, system.body("mass", mass=1.0), "Tx", q=1.0)
        system.load(mb.JointLoad(joint, system.input("force")))
        problem, y0 = start(mb.derive(system))
        problem.follow(lambda: problem.r.__setitem__(0, -k * problem.y[0]))
        return move(DormandPrince5(), problem, y0, 2.0).last_y[0]

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(one, range(1, 9)))
    assert found == pytest.approx(np.cos(2 * np.sqrt(np.arange(1, 9))), abs=1e-6)


def test_an_interrupted_run_keeps_what_it_has():
    """Control-C arrives between two calls of the loop."""
    problem, y0 = start(oscillator())
    times, real = [], compiled_run.advance

    def advance(run):
        real(run)
        times.append(run.t)
        if len(times) == 3:
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled_run, "advance", advance)
        segment = move(RungeKutta4(step=1e-3, every_step=True), problem, y0, 100.0)
    assert segment.status is Status.INTERRUPTED
    assert segment.last_t == segment.t[-1] == pytest.approx(3.0)
    assert len(segment.t) == segment.steps == 3000
