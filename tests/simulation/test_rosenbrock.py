"""The Rosenbrock method: its order, stiff problems beside SciPy's Radau, events, constraints and failures."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.refusal import refused

import multibody as mb
from multibody.graph import cos, exp, sin, sqrt, where
from multibody.simulation.contract import Status, Watch
from multibody.simulation.integrators.rosenbrock import RODAS5P, Rodas5P
from multibody.simulation.problem.problem import Problem

from . import solver_models as models
from .motions import double_pendulum, four_bars, move, on_a_rail, oscillator, start, swing
from .solver_models import moved, value

# the method ----------------------------------------------------------------------------------------------------------


def classical():
    """γ, α, γ_ij, b and b̂ of the method in its classical form (Hairer & Wanner 1996, IV.7 (7.4), (7.25))."""
    s = RODAS5P.stages - 1
    A, C, gamma = RODAS5P.A[1 : s + 1, 1 : s + 1], RODAS5P.C[1 : s + 1, 1 : s + 1], RODAS5P.gamma
    m = RODAS5P.A[s + 1, 1 : s + 1]
    Gamma = np.linalg.inv(np.eye(s) / gamma - C)
    b = m @ Gamma
    error = RODAS5P.E[0, 1 : s + 1] @ Gamma
    return gamma, A @ Gamma, Gamma, b, b - error


def test_conditions_of_order_five():
    """Hairer & Wanner, table 7.1: β_ij = α_ij + γ_ij; all trees up to four knots, and three of five."""
    _, alpha, Gamma, b, embedded = classical()
    beta, a = alpha + Gamma, alpha.sum(axis=1)
    B = beta.sum(axis=1)

    def conditions(b):
        return [
            (b.sum(), 1), (b @ B, 1 / 2), (b @ a**2, 1 / 3), (b @ beta @ B, 1 / 6), (b @ a**3, 1 / 4),
            (b @ (a * (alpha @ B)), 1 / 8), (b @ beta @ a**2, 1 / 12), (b @ beta @ beta @ B, 1 / 24),
        ]  # fmt: skip

    fifth = [(b @ a**4, 1 / 5), (b @ beta @ beta @ beta @ B, 1 / 120), (b @ beta @ a**3, 1 / 20)]
    for left, right in [*conditions(b), *fifth, *conditions(embedded)]:
        assert left == pytest.approx(right, abs=2e-12)


def test_it_is_stiffly_accurate_and_damps_what_is_infinitely_fast():
    gamma, alpha, Gamma, b, _ = classical()
    beta = alpha + Gamma
    assert b == pytest.approx(beta[-1], abs=1e-12)
    assert Gamma.diagonal() == pytest.approx([gamma] * len(b), abs=1e-15)
    assert 1 - b @ np.linalg.solve(beta, np.ones(len(b))) == pytest.approx(0.0, abs=1e-10)
    assert Gamma.sum(axis=1) == pytest.approx(RODAS5P.d[1:-1], abs=1e-12)
    assert alpha.sum(axis=1) == pytest.approx(RODAS5P.c[1:-1], abs=1e-12)


def forced():
    """A pendulum that is driven in time, with damping: nothing is linear, and time counts."""
    return on_a_rail(lambda t, x, v: -sin(x) - 0.2 * v * v * v + cos(3 * t), x=0.7, v=0.3)


def reference(problem, y0, times):
    """By SciPy's DOP853."""
    return solve_ivp(problem.evaluate, (0, times[-1]), y0, "DOP853", times, rtol=1e-13, atol=1e-14).y.T


@pytest.mark.parametrize("eom", [forced, double_pendulum], ids=["forced", "double pendulum"])
def test_the_order_is_five(eom):
    problem, y0 = start(eom())
    exact = reference(problem, y0, [1.0])[0]
    errors = []
    for steps in (16, 32, 64):
        found = move(Rodas5P(rtol=1e9, atol=1e9, max_step=1 / steps), problem, y0, 1.0, step=1 / steps)
        assert found.steps == steps
        errors.append(np.linalg.norm(found.last_y[: problem.n + problem.m] - exact[: problem.n + problem.m]))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert (orders > 4.5).all()
    assert orders[-1] < (5.5 if eom is forced else 7.0)  # the leading term is small for the double pendulum


def test_states_within_steps_are_of_order_four():
    problem, y0 = start(forced())
    times = np.linspace(0, 1, 101)
    exact = reference(problem, y0, times)
    errors = [
        np.abs(move(Rodas5P(rtol=1e9, atol=1e9, max_step=1 / n), problem, y0, times, step=1 / n).y - exact)[:, :2].max()
        for n in (8, 16, 32)
    ]
    assert np.log2(errors[0] / errors[1]) > 4
    assert np.log2(errors[1] / errors[2]) > 4


def test_works_are_integrals_of_the_same_order():
    system = models.slide(2.0, 5.0, 0.7)
    x, v, _, dissipated, _ = moved(Rodas5P(rtol=1e-10), system, [3.0]).last_y
    assert 0.5 * 5.0 * (1 - x**2) - 0.5 * 2.0 * v**2 == pytest.approx(dissipated, abs=1e-8)


# stiff problems ------------------------------------------------------------------------------------------------------


def test_a_stiff_slide_follows_its_exact_solution():
    parts = {"mass": 1.0, "stiffness": 1e6, "damping": 1e6}
    times = np.array([0.0, 1e-6, 0.5, 2.0])
    segment = moved(Rodas5P(rtol=1e-9, atol=1e-11), models.slide(**parts), times)
    for t, y in zip(times, segment.y, strict=True):
        assert y[:2] == pytest.approx(models.slide_at(t, **parts), rel=1e-7, abs=1e-8)
    assert segment.steps < 300  # an explicit method needs 400 000
    assert segment.jacobians == segment.steps


def test_van_der_pol_of_the_ivp_test_set():
    system = models.van_der_pol()
    segment = moved(Rodas5P(rtol=1e-9), system, [2.0])
    assert value(segment, system, "x") == pytest.approx(1.706167732170469, abs=1e-6)
    assert value(segment, system, "x_dot") == pytest.approx(-0.8928097010248125, abs=1e-6)
    assert segment.steps < 8000


def test_a_governor_beside_radau():
    system = models.governor()
    times = np.linspace(0, 0.5, 11)
    ours = moved(Rodas5P(), system, times)
    theirs = moved(mb.ScipySolver(method="Radau", rtol=1e-9, atol=1e-11), system, times)
    assert ours.y[:, :-3] == pytest.approx(theirs.y[:, :-3], abs=2e-6)


def test_tighter_tolerances_give_smaller_errors():
    errors = [abs(moved(Rodas5P(rtol=tol), models.slide(1.0, 4.0), [10.0]).last_y[0] - math.cos(20))
              for tol in (1e-5, 1e-7, 1e-9)]  # fmt: skip
    assert errors[0] > 10 * errors[1] > 100 * errors[2]
    assert errors[2] < 1e-7


def test_a_law_of_python_takes_part_in_the_jacobian():
    """A controller in Python with a time constant of a microsecond: x follows sin(t)."""
    system = mb.System("held")
    slide = system.joint("x", system.world, system.body("mass", mass=1.0), "Tx")
    system.load(mb.JointLoad(slide, system.input("force")))

    def force(t, q, u):
        return 1e6 * (math.sin(t) - q[0]) + 1e6 * (math.cos(t) - u[0])

    run = mb.simulate(mb.derive(system), 3.0, inputs={"force": force}, u={"x_dot": 1.0}, integrator=mb.Rodas5P())
    assert run["x"] == pytest.approx(np.sin(run.t), abs=2e-6)
    assert run.statistics.steps < 2000


def test_large_systems_take_their_jacobian_by_differences():
    """To compile an exact one takes longer than the run; a row of 40 masses stretches like a string of springs."""
    system = mb.System("row")
    end = system.world
    for k in range(40):
        body = system.body(f"mass{k}", mass=1.0)
        joint = system.joint(f"x{k}", end, body, "Tx", q=0.1 if k == 0 else 0.0)
        system.load(mb.JointSpring(joint, 1e4))
        system.load(mb.JointDamper(joint, 1e4))
        end = body
    eom = mb.derive(system)
    run = mb.simulate(eom, 1.0, integrator=mb.Rodas5P())
    assert "slopes" not in vars(mb.simulation.preparation.prepared(eom).functions)
    assert run.q[-1] == pytest.approx([0.1 * math.exp(-1.0)] + [0.0] * 39, abs=3e-4)
    assert run.statistics.steps < 300


def test_columns_of_the_jacobian_without_a_value_are_taken_by_differences():
    """The derivative of |x|^1.5 divides by zero at x = 0."""

    def spring(t, x, v):
        return -1e4 * v - 1e3 * x * sqrt(sqrt(x * x))

    problem, y0 = start(on_a_rail(spring, x=0.0, v=1.0))
    segment = move(Rodas5P(), problem, y0, 1.0)
    assert segment.status is Status.DONE
    exact = solve_ivp(problem.evaluate, (0, 1), y0, "Radau", rtol=1e-9, atol=1e-12).y[:, -1]
    assert segment.last_y[:2] == pytest.approx(exact[:2], abs=1e-8)


def test_a_jump_of_the_load_ends_a_step():
    """The force of 1e5 N is switched off at 0.4 s; the mass follows it at once: x = 1 - exp(-t) up to there."""
    system = models.slide(1.0, 1e5, 1e5)
    system.load(mb.JointLoad(system["x"], where(system.time < 0.4, 1e5, 0.0)))
    run = mb.simulate(mb.derive(system), times=[0.0, 0.4, 1.0], q={"x": 0.0}, integrator=mb.Rodas5P())
    top = 1 - math.exp(-0.4)
    assert run["x"] == pytest.approx([0.0, top, top * math.exp(-0.6)], abs=3e-5)
    assert run.statistics.steps < 300


# events --------------------------------------------------------------------------------------------------------------


def test_events_are_found_in_order():
    eom = oscillator()
    problem, y0 = start(eom, [eom.coordinates[0] - 0.5, eom.speeds[0]])
    segment = move(Rodas5P(), problem, y0, 10.0, Watch((-1, 0), (False, False)))
    third = math.pi / 3
    known = sorted([(third, 0), (third + 2 * math.pi, 0)] + [(k * math.pi, 1) for k in (1, 2, 3)])
    assert [one.event for one in segment.occurrences] == [k for _, k in known]
    assert [one.t for one in segment.occurrences] == pytest.approx([t for t, _ in known], abs=2e-7)


def test_a_damped_ball_bounces_on_time():
    """Falling through thick oil: v' = -9.81 - 1e4·v; each bounce begins a layer that dies out in 0.1 ms."""
    eom = on_a_rail(lambda t, x, v: -9.81 - 1e4 * v, x=1e-3)
    bottom = mb.Event(eom.coordinates[0], direction=-1, terminal=True, name="bottom")
    run = mb.simulate(eom, 5.0, events=[bottom], integrator=mb.Rodas5P())
    speed = 9.81e-4
    exact = 1e-3 / speed + 1e-4  # but for exp(-1e4)
    assert run.occurrences[0].t == pytest.approx(exact, rel=1e-7)
    assert run.statistics.steps < 400


# constraints ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("eom", [swing, lambda: four_bars(2)], ids=["swing", "four-bars"])
def test_constraints_are_kept(eom):
    problem, y0 = start(eom())
    times = np.linspace(0, 2, 21)
    ours = move(Rodas5P(rtol=1e-9), problem, y0, times)
    theirs = move(mb.DormandPrince8(rtol=1e-11, atol=1e-13), start(eom())[0], y0, times)
    assert ours.status is Status.DONE
    assert ours.y[:, :-3] == pytest.approx(theirs.y[:, :-3], abs=2e-6)
    for t, y in zip(times, ours.y, strict=True):
        assert problem.project(t, y, 1e-9)[1].max() < 1e-9


def test_quaternions_stay_unit():
    system = models.spherical_pendulum()
    run = mb.simulate(mb.derive(system), 3.0, integrator=mb.Rodas5P(rtol=1e-10))
    other = mb.simulate(mb.derive(models.spherical_pendulum()), 3.0, integrator=mb.DormandPrince8(rtol=1e-12))
    assert run.statistics.constraint_residual < 1e-9
    assert run.q == pytest.approx(other.q, abs=1e-6)


def test_a_rod_that_is_stiff_instead_of_rigid():
    """A mass on a damped spring of 1e8 N/m swings as one on a rod does, but for the stretch of 3·m·g/k = 3e-7 m."""
    system = mb.System("stiff_swing", gravity=(0, -9.81, 0))
    bob = system.body("bob", mass=1.0)
    system.joint("place", system.world, bob, ["Tx", "Ty"], q=(-1.0, 0.0))
    system.load(mb.SpringDamper(system.world, bob, stiffness=1e8, damping=1e6, length=1.0))
    times = np.linspace(0, 2, 21)
    run = mb.simulate(mb.derive(system), times=times, integrator=mb.Rodas5P())
    rigid = mb.simulate(swing(), times=times)
    assert run.q == pytest.approx(rigid.q, abs=1e-5)


# failures and options ------------------------------------------------------------------------------------------------


def test_a_domain_that_ends_is_reported():
    with refused("run-failed") as caught:
        mb.simulate(mb.derive(models.falling_out_of_domain()), 1.0, integrator=mb.Rodas5P())
    assert caught.value.trajectory.status is Status.NOT_FINITE


def test_a_motion_that_grows_without_bound_ends():
    run = mb.simulate(on_a_rail(lambda t, x, v: exp(x), v=5.0), 5.0, integrator=mb.Rodas5P(), on_failure="return")
    assert run.status in (Status.NOT_FINITE, Status.STEP_TOO_SMALL, Status.DIVERGED)


def test_too_many_steps_are_noticed():
    assert moved(Rodas5P(max_steps=20), models.van_der_pol(), [2.0]).status is Status.TOO_MANY_STEPS


def test_options_are_checked():
    for options in ({"rtol": 0.0}, {"atol": -1.0}, {"max_step": 0.0}, {"gap": math.nan}):
        with refused("integrator-option-invalid"):
            Rodas5P(**options)


def test_an_interrupted_law_keeps_what_it_has():
    system = mb.System("driven")
    slide = system.joint("x", system.world, system.body("mass", mass=1.0), "Tx")
    system.load(mb.JointLoad(slide, system.input("force")))

    def force(t):
        if t > 0.5:
            raise KeyboardInterrupt
        return 1.0

    with pytest.raises(mb.SimulationInterrupted) as caught:
        mb.simulate(mb.derive(system), 1.0, inputs={"force": force}, integrator=mb.Rodas5P())
    assert 0.3 < caught.value.trajectory.t[-1] <= 0.5


def test_repeated_runs_are_the_same_to_the_last_bit():
    eom = mb.derive(models.governor())
    one, other, third = (mb.simulate(eom, 0.2, integrator=mb.Rodas5P()) for _ in range(3))
    assert np.array_equal(one.q, other.q)
    assert np.array_equal(one.u, third.u)


def test_the_exact_jacobian_is_used():
    """Without it, by differences of a law, there are more evaluations."""
    eom = mb.derive(models.slide(1.0, 1e4, 1e4))
    problem = Problem(eom, [])
    y0 = np.array([1.0, 0.0, 0.0, 0.0, 0.0])
    exact = move(Rodas5P(), problem, y0, 1.0)
    problem = Problem(eom, [])
    problem.follow(lambda: None)
    rough = move(Rodas5P(), problem, y0, 1.0)
    assert rough.evaluations > exact.evaluations + 3 * exact.steps
    assert rough.last_y == pytest.approx(exact.last_y, rel=1e-9, abs=1e-9)
