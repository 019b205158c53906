"""Runs begin with code that was made in haste, and go on with better code when there is much to do."""

import numpy as np

import multibody as mb
from multibody.simulation.problem import problem


def _pendulum():
    system = mb.System("pendulum", gravity=(0, 0, -9.81))
    m, l = system.parameters(m=2.0, l=1.0)
    system.joint("angle", system.world, system.body("bob", m, (0, 0, -l)), "Ry", q=1.0)
    return mb.derive(system)


def test_better_code_on_the_way_changes_no_bit(monkeypatch):
    integrator = mb.DormandPrince8(max_step=1e-3)  # it pauses every thousand steps
    runs = []
    for many in (10**9, 5_000):
        monkeypatch.setattr(problem, "EVALUATIONS_IN_HASTE", many)
        runs.append(mb.simulate(_pendulum(), duration=3.0, integrator=integrator))
    assert runs[0].counts.evaluations > 4 * 5_000
    assert np.array_equal(runs[0].q, runs[1].q)
    assert np.array_equal(runs[0].u, runs[1].u)


def test_only_the_first_run_is_in_haste():
    eom = _pendulum()
    functions = problem.Problem(eom, [2.0, 1.0]).functions
    problems = [problem.Problem(eom, [2.0, 1.0], functions=functions) for _ in range(3)]
    assert [one._in_haste for one in problems] == [True, False, False]


def test_there_is_better_code_once(monkeypatch):
    monkeypatch.setattr(problem, "EVALUATIONS_IN_HASTE", 100)
    one = problem.Problem(_pendulum(), [2.0, 1.0])
    before, state = one.rhs.address, np.array([0.3, 0.2, 0, 0, 0])
    rate = one.evaluate(0.0, state)
    assert not one.settled(60)
    assert one.settled(60)
    assert not one.settled(60)
    assert one.rhs.address != before
    assert np.array_equal(one.evaluate(0.0, state), rate)
