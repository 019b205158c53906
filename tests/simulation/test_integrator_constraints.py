"""Integrators in compiled loops keep constraints, also through singular positions."""

import math

import numpy as np
import pytest

import multibody as mb
from multibody.graph import sin
from multibody.simulation.contract import Status, Watch
from multibody.simulation.integrators.compiled_integrator import CompiledIntegrator
from multibody.simulation.integrators.fixed_step import RungeKutta4, SemiImplicitEuler, Symplectic
from multibody.simulation.integrators.runge_kutta import DormandPrince5, DormandPrince8

from .motions import four_bars, move, pendulum_at, start, swing

ADAPTIVE = pytest.mark.parametrize("kind", [DormandPrince5, DormandPrince8])


def gap(problem, t, y):
    problem.project(t, y, 0.0, steps=1)
    return problem.gaps[:2].max()


@pytest.mark.parametrize(
    ("integrator", "eom"),
    [
        *((one, four_bars(2)) for one in (DormandPrince5(), DormandPrince8(), RungeKutta4(step=2e-3))),
        *((one, swing()) for one in (DormandPrince5(), DormandPrince8(), SemiImplicitEuler(), Symplectic(step=2e-3))),
    ],
    ids=lambda one: type(one).__name__ if isinstance(one, CompiledIntegrator) else one.model.name,
)
def test_constraints_do_not_drift(integrator, eom):
    problem, y0 = start(eom)
    times = np.linspace(0, 10, 201)
    segment = move(integrator, problem, y0, times)
    assert segment.status is Status.DONE
    assert max(gap(problem, t, y) for t, y in zip(times, segment.y, strict=True)) < 1e-10


@pytest.mark.parametrize("tolerance", [1e-7, 1e-8, 1e-9, 1e-10])
@ADAPTIVE
def test_four_bars_of_the_iftomm_library(kind, tolerance):
    """Ten seconds: five turns, ten times through the position in which all bars lie flat and all is singular."""
    problem, y0 = start(four_bars(2))
    times = [0.05, 0.5, 1.0, 2.0, 5.0, 10.0]
    segment = move(kind(rtol=tolerance, atol=tolerance / 10), problem, y0, times)
    x = [0.050217618290204, 0.6952866331644, -0.19502030194944, 0.057815795768011, -0.81131046100511, 0.32845811154082]
    assert segment.status is Status.DONE
    assert np.cos(segment.y[:, 0]) == pytest.approx(x, abs=500 * tolerance)


def test_what_was_found_before_a_retreat_is_found_once():
    """Sixteen starts: some of the steps end so near to the singular position that they have to be done again."""
    eom = four_bars(2)
    for k in range(16):
        problem, y0 = start(eom, [sin(eom.coordinates[0])])
        first = move(DormandPrince8(), problem, y0, [0.02 * k + 0.01])
        times = np.linspace(first.last_t, 4.0, 400)
        watch = Watch((0,), (False,))
        segment = move(DormandPrince8(), problem, first.last_y, times, watch, t0=first.last_t)
        np.testing.assert_array_equal(segment.t, times)
        angle, speed = segment.y[:, 0], segment.y[:, 5]
        assert abs(speed**2 * 3 / 2 + 3.5 * 9.81 * np.sin(angle) - 3.5 * 9.81 - 1.5).max() < 1e-5  # its energy
        found = [one.t for one in segment.occurrences]
        assert found == sorted(found)
        assert [round(one.y[0] / math.pi) for one in segment.occurrences] == [0, -1, -2, -3]


def test_a_swing_in_rectangular_coordinates_is_a_pendulum():
    problem, y0 = start(swing())
    times = np.linspace(0, 10, 101)
    y = move(DormandPrince8(rtol=1e-11, atol=1e-12), problem, y0, times).y
    assert abs(y[:, :2] - np.transpose(pendulum_at(times))).max() < 1e-9


def test_without_projection_constraints_do_drift():
    problem, y0 = start(swing())
    assert gap(problem, 10.0, move(DormandPrince5(project=False), problem, y0, 10.0).last_y) > 1e-8


def test_quaternions_stay_unit_and_momentum_stays():
    system = mb.System("top")
    body = system.body("body", mass=1.0, inertia=mb.diag(1, 2, 3))
    system.joint("spin", system.world, body, mb.Spherical(), u=[0.1, 5.0, 0.2])
    problem, y0 = start(mb.derive(system))
    y = move(DormandPrince5(), problem, y0, np.linspace(0, 20, 57)).y
    assert abs((y[:, :4] ** 2).sum(axis=1) - 1).max() < 1e-10
    assert np.ptp(((y[:, 4:7] * [1, 2, 3]) ** 2).sum(axis=1)) < 1e-4


def test_constraints_that_cannot_be_kept_end_the_run_where_that_begins():
    """A rope that becomes shorter and shorter is gone after one second: nothing is left of its direction."""
    problem, y0 = start(swing(lambda t: 1 - t))
    segment = move(DormandPrince5(), problem, y0, 2.0)
    assert not segment.status.ok
    assert 0.9 < segment.last_t <= 1.0
    assert np.isfinite(segment.last_y).all()
