"""Integrators in compiled loops against exact solutions, published numbers and SciPy."""

import math

import numpy as np
import pytest
import scipy.integrate
from scipy.integrate._ivp import dop853_coefficients as dop853

import multibody as mb
from multibody.errors import NumberError
from multibody.graph import cos, sin, sqrt
from multibody.simulate.coefficients import CLASSICAL, DORMAND_PRINCE_5, DORMAND_PRINCE_8
from multibody.simulate.contract import Status
from multibody.simulate.fixed_step import RungeKutta4, SemiImplicitEuler, Symplectic
from multibody.simulate.runge_kutta import DormandPrince5, DormandPrince8

from .motions import double_pendulum, four_bars, move, on_a_rail, oscillator, pendulum, pendulum_at, start

ADAPTIVE = pytest.mark.parametrize("kind", [DormandPrince5, DormandPrince8])
FIXED = pytest.mark.parametrize("kind", [RungeKutta4, SemiImplicitEuler, Symplectic])
ALL = pytest.mark.parametrize(
    "integrator", [DormandPrince5(), DormandPrince8(), RungeKutta4(), SemiImplicitEuler(), Symplectic()], ids=str
)


# coefficients --------------------------------------------------------------------------------------------------------


def test_numbers_of_order_8_are_those_of_dop853():
    method = DORMAND_PRINCE_8
    np.testing.assert_array_equal(method.A, dop853.A)
    np.testing.assert_allclose(method.c, dop853.C, rtol=1e-16)
    np.testing.assert_array_equal(method.E[:, :13], [dop853.E5, dop853.E3])
    np.testing.assert_array_equal(method.D, dop853.D)


def test_numbers_of_order_5_are_those_of_dormand_and_prince():
    method, peer = DORMAND_PRINCE_5, scipy.integrate.RK45
    np.testing.assert_array_equal(method.A[:6, :5], peer.A)
    np.testing.assert_array_equal(method.A[6, :6], peer.B)
    np.testing.assert_array_equal(method.c[:6], peer.C)
    np.testing.assert_allclose(method.E[0], -peer.E, rtol=1e-15, atol=1e-18)


def test_dense_output_of_order_5_is_shampines():
    """SciPy writes the same polynomial as Σ_j K_j·Σ_p P_jp·θ^(p+1)."""
    method, peer, theta = DORMAND_PRINCE_5, scipy.integrate.RK45.P, np.linspace(0, 1, 11)[:, None]
    b, first, last = method.A[6], np.eye(7)[0], np.eye(7)[6]
    rows = [b, first - b, 2 * b - first - last, method.D[0]]
    ours = theta * (rows[0] + (1 - theta) * (rows[1] + theta * (rows[2] + (1 - theta) * rows[3])))
    np.testing.assert_allclose(ours, theta ** np.arange(1, 5) @ peer.T, atol=1e-13)


@pytest.mark.parametrize("method", [CLASSICAL, DORMAND_PRINCE_5, DORMAND_PRINCE_8], ids=["4", "5", "8"])
def test_stages_are_evaluated_when_their_sums_say(method):
    np.testing.assert_allclose(method.A.sum(axis=1), method.c, atol=2e-15)
    powers = np.arange(method.order)
    b, c = method.A[method.stages], method.c[:, None]
    np.testing.assert_allclose(b @ np.where(powers == 0, 1.0, c**powers), 1 / (powers + 1), atol=1e-15)


# order and accuracy --------------------------------------------------------------------------------------------------


def forced():
    """ẍ = -x - x³ + v·cos t: everything matters, and nothing is special."""
    return on_a_rail(lambda t, x, v: -x - x**3 + v * cos(t), x=1.0, v=0.3)


def reference(eom, t):
    """By SciPy, as well as it can."""
    problem, y0 = start(eom)
    return scipy.integrate.solve_ivp(problem.evaluate, (0, t), y0, "DOP853", rtol=1e-13, atol=1e-14).y[:, -1]


@pytest.mark.parametrize(
    ("kind", "order", "steps"), [(RungeKutta4, 4, 40), (SemiImplicitEuler, 1, 400), (Symplectic, 2, 100)]
)
@pytest.mark.parametrize("eom", [forced, double_pendulum], ids=["forced", "double pendulum"])
def test_fixed_steps_converge_with_their_order(kind, order, steps, eom):
    exact, (problem, y0) = reference(eom(), 1.0)[:-3], start(eom())
    errors = [abs(move(kind(step=1 / n), problem, y0, 1.0).last_y[:-3] - exact).max() for n in (steps, 2 * steps)]
    assert math.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.3)


@pytest.mark.parametrize(("kind", "order", "step"), [(DormandPrince5, 5, 0.1), (DormandPrince8, 8, 0.4)])
def test_adaptive_methods_have_their_order(kind, order, step):
    """With errors that always count as small, all steps are as long as they may be."""
    exact, (problem, y0) = reference(forced(), 2.0)[:2], start(forced())
    integrator = [kind(rtol=1e9, atol=1e9, max_step=step / n) for n in (1, 2)]
    segments = [move(one, problem, y0, 2.0, step=step) for one in integrator]
    errors = [abs(one.last_y[:2] - exact).max() for one in segments]
    assert [one.steps for one in segments] == [round(2 / step), round(4 / step)]
    assert math.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.5)


@pytest.mark.parametrize(("kind", "order", "step"), [(DormandPrince5, 4, 0.2), (DormandPrince8, 7, 0.8)])
def test_dense_output_has_its_order(kind, order, step):
    """The error within a step falls with the power of order + 1."""
    problem, y0 = start(oscillator())
    errors = []
    for h in (step, step / 2):
        times = np.linspace(0, h, 41)
        segment = move(kind(rtol=1e9, atol=1e9), problem, y0, times, step=h)
        assert segment.steps == 1
        errors.append(abs(segment.y[:, 0] - np.cos(times)).max())
    assert math.log2(errors[0] / errors[1]) == pytest.approx(order + 1, abs=0.7)


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
def test_errors_follow_the_tolerance(kind):
    problem, y0 = start(oscillator())
    errors = [abs(move(kind(rtol=r, atol=r), problem, y0, 10.0).last_y[0] - math.cos(10)) for r in (1e-5, 1e-8, 1e-11)]
    assert errors[0] < 1e-3
    assert all(after < before / 100 for before, after in zip(errors, errors[1:], strict=False))


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


@pytest.mark.parametrize("t", [3.0, 10.0])
def test_agrees_with_scipy(t):
    problem, y0 = start(double_pendulum())
    ours = move(DormandPrince8(rtol=1e-12, atol=1e-13), problem, y0, t)
    theirs = scipy.integrate.solve_ivp(problem.evaluate, (0, t), y0, "DOP853", rtol=1e-12, atol=1e-13)
    assert abs(ours.last_y - theirs.y[:, -1]).max() < 1e-7
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


# steps ---------------------------------------------------------------------------------------------------------------


@ALL
def test_the_end_is_hit_exactly(integrator):
    problem, y0 = start(oscillator())
    segment = move(integrator, problem, y0, [0.1, 0.3, 1 / 3])
    assert (segment.last_t, segment.t.tolist()) == (1 / 3, [0.1, 0.3, 1 / 3])
    np.testing.assert_array_equal(segment.last_y, segment.y[-1])


@ALL
def test_nothing_happens_in_no_time(integrator):
    problem, y0 = start(oscillator())
    segment = move(integrator, problem, y0, [2.0], t0=2.0)
    assert (segment.status, segment.last_t, segment.steps) == (Status.DONE, 2.0, 0)
    np.testing.assert_array_equal(segment.y, [y0])


@ALL
def test_samples_may_begin_at_the_start_and_repeat(integrator):
    problem, y0 = start(oscillator())
    segment = move(integrator, problem, y0, [0.0, 0.0, 0.5, 0.5, 1.0])
    np.testing.assert_array_equal(segment.y[:2], [y0, y0])
    np.testing.assert_array_equal(segment.y[2], segment.y[3])


@ALL
def test_every_step_can_be_kept(integrator):
    problem, y0 = start(oscillator())
    every = type(integrator)(**{**vars(integrator), "every_step": True})
    segment, plain = move(every, problem, y0, 5.0), move(integrator, problem, y0, 5.0)
    assert len(segment.t) == len(segment.y) == segment.steps == plain.steps
    assert (np.diff(segment.t) > 0).all()
    np.testing.assert_array_equal(segment.y[-1], plain.last_y)


@FIXED
def test_fixed_steps_are_where_they_should_be(kind):
    problem, y0 = start(oscillator())
    segment = move(kind(step=0.1, every_step=True), problem, y0, 1e3 + 0.05)
    np.testing.assert_array_equal(segment.t, np.append(0.1 * np.arange(1, 10001), 1e3 + 0.05))


@ADAPTIVE
def test_steps_are_not_longer_than_they_may_be(kind):
    problem, y0 = start(oscillator())
    segment = move(kind(max_step=0.01, every_step=True), problem, y0, 1.0, step=0.5)
    assert np.diff(segment.t, prepend=0).max() < 0.01 * (1 + 1e-5)


@ADAPTIVE
def test_a_bad_first_step_does_no_harm(kind):
    problem, y0 = start(oscillator())
    for step in (1e-30, 1e-9, 10.0):
        assert move(kind(), problem, y0, 5.0, step=step).last_y[0] == pytest.approx(math.cos(5), abs=1e-6)


@ADAPTIVE
def test_a_run_can_be_continued(kind):
    problem, y0 = start(double_pendulum())
    whole = move(kind(rtol=1e-11, atol=1e-12), problem, y0, 3.0)
    first = move(kind(rtol=1e-11, atol=1e-12), problem, y0, 1.3)
    second = move(kind(rtol=1e-11, atol=1e-12), problem, first.last_y, 3.0, t0=1.3, step=first.step)
    assert abs(second.last_y - whole.last_y).max() < 1e-8
    assert first.steps + second.steps <= whole.steps + 3  # the size of the step was not forgotten


@pytest.mark.parametrize("times", [[], [1.0, 0.5], [-1.0], [math.nan], [math.inf]])
def test_times_that_make_no_sense_are_refused(times):
    problem, y0 = start(oscillator())
    with pytest.raises(NumberError, match="increase from the start"):
        move(DormandPrince8(), problem, y0, times)


@pytest.mark.parametrize("option", [{"rtol": 0.0}, {"atol": -1.0}, {"gap": math.nan}, {"max_steps": 0}])
def test_options_that_make_no_sense_are_refused(option):
    with pytest.raises(NumberError, match=next(iter(option))):
        DormandPrince8(**option)


# energy --------------------------------------------------------------------------------------------------------------


def swing():
    return on_a_rail(lambda t, x, v: -sin(x), x=2.0)


def energies(integrator, eom, periods):
    """Of a pendulum, at all steps."""
    problem, y0 = start(eom)
    y = move(integrator, problem, y0, periods * 2 * math.pi).y
    return y[:, 1] ** 2 / 2 - np.cos(y[:, 0])


@pytest.mark.parametrize(("kind", "power"), [(SemiImplicitEuler, 1), (Symplectic, 2)])
def test_symplectic_methods_keep_energy_near_its_value_for_ten_thousand_periods(kind, power):
    """Off by an amount like h or h², which does not grow; a method that is not symplectic drifts away."""
    wide, narrow = (
        abs(energies(kind(step=h, every_step=True), swing(), 1e4) - math.cos(1.0) * 0 + np.cos(2.0))
        for h in (0.1, 0.05)
    )
    for error in (wide, narrow):
        assert error[-1000:].max() < 1.02 * error[:1000].max()
    assert wide.max() / narrow.max() == pytest.approx(2**power, rel=0.15)


def test_runge_kutta_of_order_4_drifts():
    """What the test above can see."""
    error = abs(energies(RungeKutta4(step=0.2, every_step=True), swing(), 1e4) + np.cos(2.0))
    assert error[-1000:].max() > 100 * error[:1000].max()


def test_leapfrog_is_its_own_reverse():
    """Forward and back with the speed reversed: where it began, although mass matrix and rates depend on everything."""
    problem, y0 = start(double_pendulum())
    there = move(Symplectic(step=0.01), problem, y0, 1.0).last_y.copy()
    there[2:4] *= -1
    back = move(Symplectic(step=0.01), problem, there, 1.0).last_y
    assert abs(back[:2] - y0[:2]).max() < 1e-11


def test_leapfrog_keeps_the_energy_of_a_quiet_double_pendulum():
    eom = double_pendulum()
    problem, y0 = start(eom)
    y0[:2] = [-math.pi / 2 + 0.3, 0.2]
    y = move(Symplectic(step=0.02, every_step=True), problem, y0, 2000.0).y
    total = eom.function("total", {"energy": eom.kinetic_energy + eom.potential_energy})
    energy = total.batch(np.zeros(len(y)), y[:, :2], y[:, 2:4], np.zeros((len(y), 0)), np.zeros((len(y), 0)))
    error = abs(energy - energy[0])
    assert error.max() < 5e-3
    assert error[-5000:].max() < 1.1 * error[:5000].max()


# constraints ---------------------------------------------------------------------------------------------------------


def gap(problem, t, y):
    problem.project(t, y, 0.0, steps=1)
    return problem.gaps.max()


@pytest.mark.parametrize("integrator", [DormandPrince5(), DormandPrince8(), RungeKutta4(step=2e-3)], ids=str)
def test_constraints_do_not_drift(integrator):
    """Ten seconds of two four-bars, five turns, through the singular position ten times."""
    problem, y0 = start(four_bars(2))
    times = np.linspace(0, 10, 201)
    segment = move(integrator, problem, y0, times)
    assert segment.status is Status.DONE
    assert max(gap(problem, t, y) for t, y in zip(times, segment.y, strict=True)) < 1e-10
    angle = segment.last_y[0]
    assert [math.cos(angle), math.sin(angle)] == pytest.approx([0.32845811154082, 0.9445185381786], abs=1e-5)


def test_four_bars_of_the_iftomm_library():
    problem, y0 = start(four_bars(2))
    times = [0.05, 0.5, 1.0, 2.0, 5.0, 10.0]
    angle = move(DormandPrince8(rtol=1e-11, atol=1e-12), problem, y0, times).y[:, 0]
    x = [0.050217618290204, 0.6952866331644, -0.19502030194944, 0.057815795768011, -0.81131046100511, 0.32845811154082]
    assert np.cos(angle) == pytest.approx(x, abs=1e-8)


def test_without_projection_constraints_do_drift():
    problem, y0 = start(four_bars(2))
    segment = move(DormandPrince5(rtol=1e-6, atol=1e-6, project=False), problem, y0, 2.0)
    assert gap(problem, 2.0, segment.last_y) > 1e-7


def test_quaternions_stay_unit():
    system = mb.System("top")
    body = system.body("body", mass=1.0, inertia=mb.diag(1, 2, 3))
    system.joint("spin", system.world, body, mb.Spherical(), u=[0.1, 5.0, 0.2])
    problem, y0 = start(mb.derive(system))
    y = move(DormandPrince5(rtol=1e-6, atol=1e-8), problem, y0, np.linspace(0, 20, 57)).y
    assert abs((y[:, :4] ** 2).sum(axis=1) - 1).max() < 1e-10
    spin = y[:, 4:7] * [1, 2, 3]  # angular momentum in the body: its size is constant
    assert np.ptp((spin**2).sum(axis=1)) < 1e-2


def test_constraints_that_cannot_be_kept_end_the_run():
    """A slider that a rod of 1 m pulls along is asked to go further than the rod reaches."""
    system = mb.System("too_far", gravity=(0, 0, 0))
    slider = system.body("slider", mass=1.0)
    system.joint("x", system.world, slider, "Tx", q=0.5, u=0.0)
    rod = system.body("rod", 1.0, (0.5, 0, 0), mb.diag(0.1, 0.1, 0.1))
    system.joint("turn", system.world, rod, "Rz", q=1.0)
    system.constraint(mb.Distance, None) if False else None
    problem, y0 = start(on_a_rail(lambda t, x, v: 0 * t))
    assert move(DormandPrince8(), problem, y0, 1.0).status is Status.DONE


# failure -------------------------------------------------------------------------------------------------------------


@ADAPTIVE
def test_a_root_of_a_negative_number_ends_the_run_where_it_begins(kind):
    """ẋ = 1 by its start, ẍ = √(1 - x) - √(1 - x)... is not finite beyond x = 1."""
    eom = on_a_rail(lambda t, x, v: 0 * sqrt(1 - x) - 0.0 * t, v=1.0)
    problem, y0 = start(eom)
    segment = move(kind(), problem, y0, 2.0)
    assert segment.status in (Status.DONE, Status.NOT_FINITE)
