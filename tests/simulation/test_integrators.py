"""Integrators in compiled loops against exact solutions, published numbers and SciPy."""

import math

import numpy as np
import pytest
import scipy.integrate

import multibody as mb
from multibody.graph import cos
from multibody.simulation.integrators.fixed_step import RungeKutta4, SemiImplicitEuler, Symplectic
from multibody.simulation.integrators.runge_kutta import DormandPrince5, DormandPrince8

from .motions import double_pendulum, move, on_a_rail, oscillator, pendulum, pendulum_at, start

ADAPTIVE = pytest.mark.parametrize("kind", [DormandPrince5, DormandPrince8])


def forced():
    """ẍ = -x - x³ + v·cos t: everything matters, and nothing is special."""
    return on_a_rail(lambda t, x, v: -x - x**3 + v * cos(t), x=1.0, v=0.3)


def reference(problem, t0, y0, times, **options):
    """By SciPy, as well as it can."""
    options = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-15, **options}
    return scipy.integrate.solve_ivp(problem.evaluate, (t0, times[-1]), y0, t_eval=times, **options).y.T


def observed(errors):
    """The order, when the step is halved from one to the next."""
    return np.log2(errors[:-1] / errors[1:])


@pytest.mark.parametrize("eom", [forced, double_pendulum], ids=["forced", "double pendulum"])
@pytest.mark.parametrize(("kind", "order", "steps"), [(SemiImplicitEuler, 1, 200), (Symplectic, 2, 50)])
def test_split_methods_converge_with_their_order(kind, order, steps, eom):
    problem, y0 = start(eom())
    exact = reference(problem, 0, y0, [1.0])[0, :-3]
    ends = [move(kind(step=1 / n), problem, y0, 1.0).last_y[:-3] for n in (steps, 2 * steps, 4 * steps)]
    assert observed(np.array([np.linalg.norm(end - exact) for end in ends])) == pytest.approx([order] * 2, abs=0.05)


@pytest.mark.parametrize(
    ("integrator", "order", "step"),
    [
        (lambda h: RungeKutta4(step=h), 4, 0.05),
        (lambda h: DormandPrince5(rtol=1e9, atol=1e9, max_step=h), 5, 1 / 16),
        (lambda h: DormandPrince8(rtol=1e9, atol=1e9, max_step=h), 8, 1 / 3),
    ],
    ids=["4", "5", "8"],
)
def test_runge_kutta_methods_converge_with_their_order(integrator, order, step):
    """Errors that always count as small make all steps as long as they may be."""
    problem, y0 = start(forced())
    exact = reference(problem, 0, y0, [1.0])[0, :2]
    segments = [move(integrator(step / n), problem, y0, 1.0, step=step / n) for n in (1, 2, 4)]
    assert [one.steps for one in segments] == [round(n / step) for n in (1, 2, 4)]
    errors = np.array([np.linalg.norm(one.last_y[:2] - exact) for one in segments])
    assert observed(errors) == pytest.approx([order] * 2, abs=0.5)


@pytest.mark.parametrize(("kind", "order", "step"), [(DormandPrince5, 4, 0.1), (DormandPrince8, 7, 0.4)])
def test_dense_output_has_its_order(kind, order, step):
    """The error within one step falls with the power order + 1, or better."""
    problem, y0 = start(forced())
    y0[:2] = 0.3, 0.9
    errors = []
    for h in (step, step / 2):
        times = 0.7 + np.linspace(0, h, 21)
        segment = move(kind(rtol=1e9, atol=1e9), problem, y0, times, t0=0.7, step=h)
        assert segment.steps == 1
        errors.append(abs(segment.y - reference(problem, 0.7, y0, times, max_step=h / 20))[:, :2].max())
    assert order + 0.9 < observed(np.array(errors))[0] < order + 2.1


@ADAPTIVE
@pytest.mark.parametrize("tolerance", [1e-5, 1e-8, 1e-11])
def test_errors_follow_the_tolerance(kind, tolerance):
    problem, y0 = start(oscillator())
    error = abs(move(kind(rtol=tolerance, atol=tolerance), problem, y0, 10.0).last_y[0] - math.cos(10))
    assert error < 30 * tolerance


@ADAPTIVE
def test_samples_are_as_good_as_steps(kind):
    problem, y0 = start(oscillator())
    times = np.linspace(0, 20, 1001)
    segment = move(kind(rtol=1e-10, atol=1e-12), problem, y0, times)
    np.testing.assert_array_equal(segment.t, times)
    assert segment.steps < 700
    assert abs(segment.y[:, 0] - np.cos(times)).max() < 3e-9
    assert abs(segment.y[:, 1] + np.sin(times)).max() < 3e-9


@ADAPTIVE
def test_simple_pendulum_of_the_iftomm_library(kind):
    problem, y0 = start(pendulum())
    times = np.linspace(0, 10, 101)
    angle = move(kind(rtol=1e-11, atol=1e-12), problem, y0, times).y[:, 0]
    x, y = pendulum_at(times)
    assert abs(np.sin(angle) - x).max() < 1e-9
    assert abs(-np.cos(angle) - y).max() < 1e-9
    assert np.sin(angle[[5, 10, 20, 50, 100]]) == pytest.approx(
        [-0.3910487915505464, 0.9862917511318753, -0.7935661953433217, -0.9423054350437573, -0.2750874625761169],
        abs=1e-9,
    )  # printed


def test_agrees_with_scipy():
    problem, y0 = start(double_pendulum())
    times = np.linspace(0, 4, 81)
    ours = move(DormandPrince8(rtol=1e-12, atol=1e-13), problem, y0, times)
    theirs = scipy.integrate.solve_ivp(problem.evaluate, (0, 4), y0, "DOP853", times, rtol=1e-12, atol=1e-13)
    assert abs(ours.y - theirs.y.T).max() < 1e-8
    assert ours.evaluations < 1.15 * theirs.nfev


def test_work_is_integrated_with_the_motion():
    """A damped oscillator: what is lost is in the third place from the end, and does not choose the steps."""
    system = mb.System("damped")
    joint = system.joint("x", system.world, system.body("mass", mass=2.0), "Tx", q=1.0)
    system.load(mb.JointSpring(joint, 8.0))
    system.load(mb.JointDamper(joint, 0.5))
    problem, y0 = start(mb.derive(system))
    x, v, _, dissipated, _ = move(DormandPrince8(), problem, y0, 5.0).last_y
    assert dissipated == pytest.approx(4.0 - 4 * x**2 - v**2, abs=1e-7)
    assert dissipated > 2
