"""Runs side by side do what each of them does alone."""

import numpy as np
import pytest
from scipy.linalg import expm

import multibody as mb
from multibody.graph import sin
from multibody.simulation.contract import Status, Watch
from multibody.simulation.lanes.lanes import Lanes, allows_lanes
from multibody.simulation.problem.problem import Problem
from multibody.simulation.problem.run_functions import RunFunctions
from multibody.testing import random_arguments, random_floating_system, random_system

from .motions import four_bars, on_a_rail, swing

TIMES = np.array([0.0, 0.1, 0.35, 0.5, 0.5000001, 1.0])


def both(eom, integrator, starts, r, p, times=TIMES):
    """The segments of all runs side by side, and of each alone."""
    functions = RunFunctions(eom)
    together = Lanes(functions, integrator).run(times, starts, r, p)
    alone = []
    for k, start in enumerate(starts):
        problem = Problem(eom, p[k], functions=functions)
        problem.r[:] = r[k]
        y0 = np.concatenate([start, np.zeros(3)])
        alone.append(integrator.run(problem, float(times[0]), y0, times, 0.0, Watch()))
    return together, alone


def assert_equal(together, alone):
    assert [one.status for one in together] == [one.status for one in alone] == [Status.DONE] * len(alone)
    assert [(one.steps, one.rejected) for one in together] == [(one.steps, one.rejected) for one in alone]
    for one, other in zip(together, alone, strict=True):
        np.testing.assert_allclose(one.y, other.y, rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(one.last_y, other.last_y, rtol=1e-11, atol=1e-11)
        assert one.last_t == other.last_t == TIMES[-1]


def drawn(eom, runs):
    """Starts, inputs and parameters by chance, all different."""
    values = [random_arguments(eom.model, k) for k in range(runs)]
    starts = np.array([[*q, *u] for _, q, u, _, _ in values])
    p = np.array([one[-1] * (1 + 0.01 * k) for k, one in enumerate(values)])
    return 0.3 * starts, np.array([one[3] for one in values]), p


@pytest.mark.parametrize(
    "integrator",
    [
        mb.DormandPrince5(),
        mb.DormandPrince8(rtol=1e-10),
        mb.RungeKutta4(step=0.013),
        mb.DormandPrince8(max_step=0.02),
        mb.Rodas5P(),
    ],
    ids=["5", "8", "4", "short", "Rosenbrock"],
)
def test_random_trees(integrator):
    """Twelve runs in eight lanes: some take another run when they have finished their first."""
    eom = mb.derive(random_system(5, 3))
    assert_equal(*both(eom, integrator, *drawn(eom, 12)))


def test_quaternions_stay_unit():
    eom = mb.derive(random_floating_system(2, 2))
    starts, r, p = drawn(eom, 10)
    for row in starts:
        for place in eom.model.quaternions:
            row[list(place)] /= np.linalg.norm(row[list(place)])
    together, alone = both(eom, mb.DormandPrince8(), starts, r, p)
    assert_equal(together, alone)
    for one in together:
        for place in eom.model.quaternions:
            np.testing.assert_allclose((one.y[:, list(place)] ** 2).sum(axis=1), 1.0, atol=1e-12)


@pytest.mark.parametrize("integrator", [mb.DormandPrince8(), mb.Rodas5P()], ids=["8", "Rosenbrock"])
@pytest.mark.parametrize("runs", [1, 8, 19])
def test_constraints_are_kept(runs, integrator):
    """A rope in rectangular coordinates, from many angles."""
    eom = swing()
    angles = np.linspace(0.1, 3.0, runs)
    starts = np.column_stack([-np.cos(angles), -np.sin(angles), np.sin(angles), -np.cos(angles)])
    together, alone = both(eom, integrator, starts, np.zeros((runs, 0)), np.zeros((runs, 0)))
    assert_equal(together, alone)
    for one in together:
        np.testing.assert_allclose(np.hypot(one.y[:, 0], one.y[:, 1]), 1.0, atol=1e-10)


@pytest.mark.parametrize("integrator", [mb.DormandPrince8(), mb.Rodas5P()], ids=["8", "Rosenbrock"])
def test_a_closed_loop(integrator):
    eom = four_bars(1)
    begin = eom.consistent()
    starts = np.array([[*begin.q, *(speed * begin.u)] for speed in (0.1, 0.2, 0.3)])
    assert_equal(*both(eom, integrator, starts, np.zeros((3, 0)), np.zeros((3, 0))))


def test_exact_solutions_with_parameters_and_inputs_of_each_run():
    """ẍ = (F - c·x)/m from rest: x = F/c·(1 - cos √(c/m)·t)."""
    system = mb.System("spring")
    m, c, F = system.parameter("m", 1.0), system.parameter("c", 1.0), system.input("F")
    joint = system.joint("x", system.world, system.body("mass", mass=m), "Tx")
    system.load(mb.JointSpring(joint, c))
    system.load(mb.JointLoad(joint, F))
    rng = np.random.default_rng(4)
    p, r = rng.uniform(0.5, 4.0, (30, 2)), rng.normal(size=(30, 1))
    times = np.linspace(0.0, 3.0, 31)
    runs = Lanes(RunFunctions(mb.derive(system)), mb.DormandPrince8()).run(times, np.zeros((30, 2)), r, p)
    for one, (mass, stiffness), (force,) in zip(runs, p, r, strict=True):
        exact = force / stiffness * (1 - np.cos(np.sqrt(stiffness / mass) * times))
        np.testing.assert_allclose(one.y[:, 0], exact, atol=1e-7)


def test_one_that_fails_does_not_disturb_the_others():
    """ẍ = 2·x³ from x = v = 1 is x = 1/(1 - t), which ends at t = 1; from rest at 0 it stays."""
    eom = on_a_rail(lambda t, x, v: 2 * x**3)
    starts = np.array([[0.0, 0.0], [1.0, 1.0], [0.1, 0.0]])
    times = np.array([0.0, 2.0])
    runs = Lanes(RunFunctions(eom), mb.DormandPrince8()).run(times, starts, np.zeros((3, 0)), np.zeros((3, 0)))
    assert [one.status is Status.DONE for one in runs] == [True, False, True]
    assert 0.9 < runs[1].last_t < 1.0 + 1e-6
    assert runs[0].last_y[0] == 0.0


def brake(force=0.0):
    """m·ẍ = F(t) - k·x - d·ẋ, whose fast motion dies out at d/m."""
    system = mb.System("brake")
    k, d = system.parameters(k=1e4, d=1e4)
    joint = system.joint("x", system.world, system.body("mass", mass=1.0), "Tx")
    system.load(mb.JointSpring(joint, k))
    system.load(mb.JointDamper(joint, d))
    system.load(mb.JointLoad(joint, force * sin(3 * system.time)))
    return mb.derive(system)


def exact_brake(k, d, x, times, force=0.0):
    """The motion of this mass from rest at x, by the exponential of the matrix with the force as two more states."""
    matrix = np.zeros((4, 4))
    matrix[0, 1], matrix[1], matrix[2, 3], matrix[3, 2] = 1.0, (-k, -d, force, 0.0), 3.0, -3.0
    return np.array([(expm(matrix * t) @ [x, 0.0, 0.0, 1.0])[:2] for t in times])


@pytest.mark.parametrize("force", [0.0, 2e3])
def test_stiff_motions_with_parameters_of_each_run(force):
    """Rates of decay from 100/s to 1e8/s; with pivots that differ from lane to lane."""
    eom, rng = brake(force), np.random.default_rng(3)
    p = np.column_stack([10 ** rng.uniform(2, 5, 21), 10 ** rng.uniform(2, 8, 21)])
    names = [one.name for one in eom.parameters]
    p = p[:, [("k", "d").index(name) for name in names]]
    starts = np.column_stack([rng.normal(size=21), np.zeros(21)])
    together, alone = both(eom, mb.Rodas5P(), starts, np.zeros((21, 0)), p)
    assert_equal(together, alone)
    for one, values, (x, _) in zip(together, p, starts, strict=True):
        numbers = dict(zip(names, values, strict=True))
        exact = exact_brake(numbers["k"], numbers["d"], x, TIMES, force)
        np.testing.assert_allclose(one.y[:, 0], exact[:, 0], atol=2e-6 * max(1.0, abs(exact).max()))


def test_sweeps_choose_for_each_run():
    """Runs that are stiff and runs that are not, side by side with integrators of their own."""
    eom, dampers = brake(), [0.1, 1.0, 1e6, 1e7, 3e7]
    sweep = mb.sweep(eom, 2.0, parameters={"d": dampers}, initial={"x": 1.0})
    runs = [*sweep]
    assert [run.statistics.integrator.split("(")[0] for run in runs] == ["DormandPrince8"] * 2 + ["Rodas5P"] * 3
    for run, damper in zip(runs, dampers, strict=True):
        exact = exact_brake(1e4, damper, 1.0, run.t)
        np.testing.assert_allclose(run["x"], exact[:, 0], atol=1e-6)


def test_a_jacobian_without_a_value_is_left_to_the_loop_for_one_run():
    """The formula of the derivative of (x²)^0.75 is 0/0 at x = 0: there, columns are taken by differences."""
    eom = on_a_rail(lambda t, x, v: -1e4 * v - (x * x) ** 0.75)
    starts = np.array([[0.0, 0.0], [1.0, 0.0]])
    functions = RunFunctions(eom)
    runs = Lanes(functions, mb.Rodas5P()).run(TIMES, starts, np.zeros((2, 0)), np.zeros((2, 0)))
    slopes = functions.slopes(0.0, [0.0], [0.0], [], [])  # (t, q, u, r, p)
    assert not np.isfinite(np.asarray(slopes)).all()
    assert [one.status is Status.DONE for one in runs] == [False, True]


def test_methods_that_cannot_go_side_by_side():
    functions = RunFunctions(on_a_rail(lambda t, x, v: -x))
    assert allows_lanes(mb.DormandPrince5(), functions)
    assert allows_lanes(mb.RungeKutta4(step=0.1), functions)
    assert allows_lanes(mb.Rodas5P(), functions)
    assert not allows_lanes(mb.Rodas5P(), RunFunctions(mb.derive(random_system(3, 40))))
    assert not allows_lanes(mb.Symplectic(step=0.1), functions)
    assert not allows_lanes(mb.DormandPrince5(every_step=True), functions)
    assert not allows_lanes(mb.Cvode(), functions)
    assert not allows_lanes(mb.DormandPrince5(), RunFunctions(functions.eom, [functions.eom.coordinates[0]]))
