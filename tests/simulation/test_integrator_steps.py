"""Steps, samples and options of integrators in compiled loops."""

import math

import numpy as np
import pytest
from tests.refusal import refused

from multibody.simulation.contract import Status, Watch
from multibody.simulation.integrators.fixed_step import RungeKutta4, SemiImplicitEuler, Symplectic
from multibody.simulation.integrators.runge_kutta import DormandPrince5, DormandPrince8

from .motions import double_pendulum, move, oscillator, start

ADAPTIVE = pytest.mark.parametrize("kind", [DormandPrince5, DormandPrince8])
FIXED = pytest.mark.parametrize("kind", [RungeKutta4, SemiImplicitEuler, Symplectic])
ALL = pytest.mark.parametrize(
    "integrator", [DormandPrince5(), DormandPrince8(), RungeKutta4(), SemiImplicitEuler(), Symplectic()], ids=str
)


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
    with refused("times-not-increasing"):
        move(DormandPrince8(), problem, y0, times)


@pytest.mark.parametrize("option", [{"rtol": 0.0}, {"atol": -1.0}, {"gap": math.nan}, {"max_steps": 0}])
def test_options_that_make_no_sense_are_refused(option):
    with refused("integrator-option-invalid", *option):
        DormandPrince8(**option)


def test_sizes_that_do_not_fit_are_refused():
    """The loop writes by address."""
    problem, y0 = start(oscillator(), [oscillator().coordinates[0]])
    for state, watch in ((y0[:-1], Watch()), (y0, Watch((0, 0), (True, True))), (y0, Watch((0,), ()))):
        with refused("number-of-values-wrong"):
            move(DormandPrince8(), problem, state, 1.0, watch)
