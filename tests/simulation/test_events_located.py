"""Events in compiled loops: all of them, once, in order, and on time."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from multibody.graph import absolute, cos, exp, maximum, sin
from multibody.simulation.contract import Status, Watch
from multibody.simulation.integrators.fixed_step import RungeKutta4, Symplectic
from multibody.simulation.integrators.runge_kutta import DormandPrince5, DormandPrince8

from .motions import ball, four_bars, move, on_a_rail, oscillator, start

BOTH = pytest.mark.parametrize("integrator", [DormandPrince5(), DormandPrince8()], ids=["order5", "order8"])
STOP = Watch((0,), (True,))


def count(*directions, stops=False):
    """Events that are written down and do not stop."""
    return Watch(tuple(directions), (stops,) * len(directions))


def clock(*signals):
    """A mass that does not move, and signals of time."""
    eom = on_a_rail(lambda t, x, v: 0 * t)
    return start(eom, [signal(eom.model.time) for signal in signals])


# a ball that bounces -------------------------------------------------------------------------------------------------


def bounces(integrator, watch_direction, lowest=1e-8, restitution=0.8):
    """Times of all impacts until the ball rises less than so high, with a restart after each of them."""
    eom = ball()
    problem, y = start(eom, [eom.coordinates[0]])
    t, quiet, times = 0.0, (), []
    while True:
        segment = move(integrator, problem, y, [100.0], Watch((watch_direction,), (True,), quiet), t)
        assert segment.status is Status.EVENT
        (hit,) = segment.occurrences
        assert (hit.event, hit.t) == (0, segment.last_t)
        times.append(hit.t)
        t, y, quiet = hit.t, hit.y.copy(), (0,)
        y[1] *= -restitution
        if y[1] ** 2 / (2 * 9.81) < lowest:
            return np.array(times)


@pytest.mark.parametrize("direction", [-1, 0])
@pytest.mark.parametrize(
    "integrator", [DormandPrince5(), DormandPrince8(), RungeKutta4(step=0.01), Symplectic(step=0.03)], ids=str
)
def test_a_bouncing_ball_misses_no_bounce_and_doubles_none(integrator, direction):
    """Falls for √(2h/g), then flies 2·√(2h/g)·e, ·e², …: a geometric series."""
    found = bounces(integrator, direction)
    first = math.sqrt(2 / 9.81)
    k = np.arange(len(found))
    exact = first + 2 * first * 0.8 * (1 - 0.8**k) / (1 - 0.8)
    assert len(found) == 1 + math.floor(math.log(1e-8) / math.log(0.64))
    assert abs(found - exact).max() < 1e-9


@pytest.mark.parametrize("restitution", [0.05, 0.5, 0.99])
def test_bounces_for_other_restitutions(restitution):
    found = bounces(DormandPrince8(), -1, 1e-8 if restitution < 0.9 else 0.2, restitution)
    first = math.sqrt(2 / 9.81)
    exact = first + 2 * first * restitution * (1 - restitution ** np.arange(len(found))) / (1 - restitution)
    assert abs(found - exact).max() < 1e-9


# how well they are located -------------------------------------------------------------------------------------------


@BOTH
def test_zeros_of_a_cosine_are_located_on_the_motion(integrator):
    """x = cos t crosses zero at π/2 + kπ; a stricter run is nearer."""
    problem, y0 = start(oscillator(), [oscillator().coordinates[0]])
    loose = move(integrator, problem, y0, [30.0], count(0))
    strict = move(type(integrator)(rtol=1e-12, atol=1e-13), problem, y0, [30.0], count(0))
    exact = math.pi * (np.arange(10) + 0.5)
    assert [one.event for one in loose.occurrences] == [0] * 10
    assert abs(np.array([one.t for one in loose.occurrences]) - exact).max() < 3e-7
    assert abs(np.array([one.t for one in strict.occurrences]) - exact).max() < 3e-11
    assert max(abs(one.y[0]) for one in strict.occurrences) < 2e-12  # the signal itself is zero there


@BOTH
def test_events_that_do_not_stop_change_nothing(integrator):
    problem, y0 = start(oscillator(), [oscillator().coordinates[0]])
    times = np.linspace(0, 10, 33)
    watched, plain = move(integrator, problem, y0, times, count(0)), move(integrator, problem, y0, times)
    np.testing.assert_array_equal(watched.y, plain.y)
    assert (watched.steps, watched.status) == (plain.steps, Status.DONE)


def test_directions_choose():
    problem, y0 = start(oscillator(), [oscillator().coordinates[0]] * 3)
    found = move(DormandPrince8(), problem, y0, [20.0], count(1, -1, 0)).occurrences
    times = {k: [round(one.t / math.pi - 0.5) for one in found if one.event == k] for k in range(3)}
    assert times == {0: [1, 3, 5], 1: [0, 2, 4], 2: [0, 1, 2, 3, 4, 5]}
    assert [one.t for one in found] == sorted(one.t for one in found)


@pytest.mark.parametrize("tolerance", [1e-4, 1e-8, 1e-12])
def test_the_tolerance_is_kept(tolerance):
    """Signals that are hard for secants: flat, steep, or both."""
    laws = [
        lambda t: (t - 1 / 3) ** 3,
        lambda t: 1e9 * (t - 1 / 3) + (t - 1 / 3) ** 5,
        lambda t: exp(30 * (t - 1 / 3)) - 1,
    ]
    problem, y0 = clock(*laws)
    found = move(DormandPrince8(), problem, y0, [1.0], Watch((0,) * 3, (False,) * 3, (), tolerance)).occurrences
    assert sorted(one.event for one in found) == [0, 1, 2]
    assert max(abs(one.t - 1 / 3) for one in found) <= tolerance


def test_an_event_stops_the_segment_and_samples_end_there():
    eom = oscillator()
    problem, y0 = start(eom, [eom.coordinates[0] - 0.5])
    times = np.linspace(0, 3, 301)
    segment = move(DormandPrince8(rtol=1e-12, atol=1e-12), problem, y0, times, STOP)
    assert segment.status is Status.EVENT
    assert segment.last_t == pytest.approx(math.acos(0.5), abs=1e-11)
    assert segment.last_y[:2] == pytest.approx([0.5, -math.sin(math.acos(0.5))], abs=1e-11)
    np.testing.assert_array_equal(segment.t, times[times <= segment.last_t])
    assert abs(segment.y[:, 0] - np.cos(segment.t)).max() < 1e-10
    np.testing.assert_array_equal(segment.occurrences[0].y, segment.last_y)


# several of them -----------------------------------------------------------------------------------------------------


def test_several_events_in_one_step_come_in_the_order_of_time():
    """A step of a motion without forces is as long as it may be: all of these are within one."""
    when = [0.7, 0.3, 0.30001, 0.2, 0.65]
    problem, y0 = clock(*(lambda t, zero=zero: t - zero for zero in when))
    segment = move(DormandPrince8(), problem, y0, [1.0], count(0, 0, 0, 0, 0), step=1.0)
    assert segment.steps == 1
    assert [one.event for one in segment.occurrences] == [3, 1, 2, 4, 0]
    assert [one.t for one in segment.occurrences] == pytest.approx(sorted(when), abs=1e-12)


def test_what_comes_after_the_one_that_stops_does_not_count():
    problem, y0 = clock(lambda t: t - 0.7, lambda t: t - 0.3, lambda t: t - 0.31)
    segment = move(DormandPrince8(), problem, y0, [1.0], Watch((0, 0, 0), (False, True, True)), step=1.0)
    assert [one.event for one in segment.occurrences] == [1]
    assert (segment.status, segment.last_t) == (Status.EVENT, pytest.approx(0.3, abs=1e-12))


def test_events_at_the_same_time_stop_together():
    """Otherwise the second one would start at zero, and be missed."""
    problem, y0 = clock(lambda t: t - 0.3, lambda t: sin(0.3 - t), lambda t: t * t - 0.09)
    segment = move(DormandPrince8(), problem, y0, [1.0], Watch((0, 0, 0), (True, True, False)), step=1.0)
    assert sorted(one.event for one in segment.occurrences) == [0, 1, 2]
    assert {one.t for one in segment.occurrences if one.event < 2} == {segment.last_t}
    assert all(segment.last_t - 1e-12 <= one.t <= segment.last_t for one in segment.occurrences)


def test_more_events_than_the_loop_has_room_for():
    problem, y0 = clock(lambda t: sin(1000 * t))
    found = move(RungeKutta4(step=1e-3), problem, y0, [10.0], count(0)).occurrences
    assert abs(np.array([one.t for one in found]) - math.pi / 1000 * np.arange(1, 3184)).max() < 1e-11


# two crossings near each other ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("middle", [0.01, 0.05, 0.5, 0.55, 0.98])
@pytest.mark.parametrize("apart", [0.1, 1e-3, 1e-6])
def test_a_signal_that_dips_below_zero_within_a_step_is_seen(middle, apart):
    problem, y0 = clock(lambda t: (t - middle) ** 2 - (apart / 2) ** 2)
    segment = move(DormandPrince8(), problem, y0, [1.0], count(0), step=1.0)
    inside = [one for one in (middle - apart / 2, middle + apart / 2) if 0 < one < 1]
    assert segment.steps == 1
    assert [one.t for one in segment.occurrences] == pytest.approx(inside, abs=1e-11)


@given(zeros=st.lists(st.floats(0.01, 0.99), min_size=1, max_size=5, unique=True), sign=st.sampled_from([1, -1]))
def test_crossings_that_are_wide_apart_are_all_found(zeros, sign):
    zeros = sorted(zeros)
    if np.diff(zeros).min(initial=1.0) < 0.15:
        return

    def signal(t):
        product = sign + 0 * t
        for zero in zeros:
            product = product * (t - zero)
        return product

    problem, y0 = clock(signal)
    found = move(DormandPrince5(), problem, y0, [1.0], count(0), step=1.0).occurrences
    assert [one.t for one in found] == pytest.approx(zeros, abs=1e-9)


# starts at zero ------------------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("quiet", [(), (0,)])
def test_a_signal_that_starts_at_zero_does_not_fire_at_once(integrator, quiet):
    """x = sin t: zero at the start, then at π."""
    eom = on_a_rail(lambda t, x, v: -x, v=1.0)
    problem, y0 = start(eom, [eom.coordinates[0]])
    segment = move(integrator, problem, y0, [4.0], Watch((0,), (True,), quiet))
    assert segment.last_t == pytest.approx(math.pi, abs=1e-7)


@pytest.mark.parametrize("soon", [1e-9, 1e-6, 1e-3])
@pytest.mark.parametrize("quiet", [(), (0,)])
def test_a_signal_that_starts_at_zero_fires_when_it_comes_back(soon, quiet):
    """Even if it is back long before the first step ends."""
    problem, y0 = clock(lambda t: t * (soon - t) / soon)
    segment = move(DormandPrince8(), problem, y0, [1.0], Watch((-1,), (True,), quiet), step=1.0)
    assert (segment.status, segment.last_t) == (Status.EVENT, pytest.approx(soon, abs=1e-11))


@pytest.mark.parametrize("offset", [-3e-13, 0.0, 3e-13])
def test_a_quiet_event_is_not_found_again(offset):
    """However it was located: a little before, or a little after."""
    problem, y0 = clock(lambda t: t - 0.5)
    segment = move(DormandPrince8(), problem, y0, [1.0], Watch((0,), (True,), (0,)), t0=0.5 + offset)
    assert (segment.status, segment.occurrences) == (Status.DONE, [])


def test_a_quiet_event_that_was_moved_away_from_zero_is_looked_for():
    """A reset may have put the state anywhere."""
    problem, y0 = clock(lambda t: t - 0.5)
    segment = move(DormandPrince8(), problem, y0, [1.0], Watch((0,), (True,), (0,)), t0=0.4999)
    assert segment.last_t == pytest.approx(0.5, abs=1e-12)


def test_rounding_does_not_cross_zero():
    """cos(π/2) is 6e-17, and means zero."""
    problem, y0 = clock(lambda t: cos(t + math.pi / 2), lambda t: (1e3 + t) - 1e3 - t)
    assert move(DormandPrince8(), problem, y0, [1.0], count(0, 0)).occurrences == []


def test_a_crossing_at_the_very_end_belongs_to_this_segment_and_not_to_the_next():
    problem, y0 = clock(lambda t: t - 0.5)
    first = move(DormandPrince8(), problem, y0, [0.25, 0.5], count(0))
    second = move(DormandPrince8(), problem, first.last_y, [1.0], count(0), t0=0.5)
    assert [one.t for one in first.occurrences + second.occurrences] == [0.5]


def test_a_signal_that_rests_at_zero_fires_when_it_arrives():
    problem, y0 = clock(lambda t: maximum(0.5 - t, 0 * t), lambda t: absolute(t - 0.5) + 1e-3)
    segment = move(DormandPrince8(), problem, y0, [1.0], count(0, 0), step=1.0)
    assert [(one.event, round(one.t, 9)) for one in segment.occurrences] == [(0, 0.5)]


def test_stopping_again_and_again_finds_what_one_run_finds():
    problem, y = start(oscillator(), [oscillator().coordinates[0], oscillator().speeds[0]])
    integrator, t, quiet, found = DormandPrince8(rtol=1e-11, atol=1e-12), 0.0, (), []
    while t < 50:
        segment = move(integrator, problem, y, [50.0], Watch((0, 0), (True, True), quiet), t)
        found += segment.occurrences
        t, y, quiet = segment.last_t, segment.last_y, tuple(one.event for one in segment.occurrences)
    assert [one.event for one in found] == [k % 2 for k in range(31)]
    assert abs(np.array([one.t for one in found]) - math.pi / 2 * np.arange(1, 32)).max() < 1e-8


# with constraints ----------------------------------------------------------------------------------------------------


def test_states_at_events_keep_the_constraints():
    eom = four_bars(2)
    problem, y0 = start(eom, [sin(eom.coordinates[0])])
    segment = move(DormandPrince8(), problem, y0, [2.0], count(0))
    assert len(segment.occurrences) == 2  # the bars lie flat twice in a turn
    for one in segment.occurrences:
        problem.project(one.t, one.y, 1e-10, steps=1)
        assert problem.gaps[0] < 1e-12
        assert problem.gaps[1] < 1e-8  # flat bars: along dependent equations, no correction reaches the velocities
        assert abs(math.sin(one.y[0])) < 1e-8
