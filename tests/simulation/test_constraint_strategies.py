"""Ways to keep constraints, against exact motions and published numbers."""

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody import library
from multibody.simulation.contract import Status, Watch
from multibody.simulation.integrators.baumgarte import baumgarte
from multibody.simulation.integrators.independent_coordinates import IndependentCoordinates, Loops
from multibody.simulation.integrators.scipy_solvers import ScipySolver
from multibody.simulation.integrators.stabilized_index_2 import StabilisedForm
from multibody.simulation.integrators.sundials import Cvode, Ida
from multibody.simulation.problem.problem import Problem

from ..formalisms import mechanisms  # noqa: TID252
from . import solver_models as models
from .published_numbers import ANDREWS
from .solver_models import moved, problem_of, value

WAYS = {
    "projection": ScipySolver(rtol=1e-10, atol=1e-12),
    "pull": Cvode(method="Adams", rtol=1e-10, atol=1e-12),
    "pull, stiff": Cvode(rtol=1e-10, atol=1e-12),
    "stabilised": Ida(rtol=1e-10, atol=1e-12),
    "independent": IndependentCoordinates(rtol=1e-10, atol=1e-12),
}
EVERY_WAY = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


@EVERY_WAY
def test_a_mass_on_a_rod_swings_like_the_exact_pendulum(way):
    segment = moved(way, models.mass_on_rod(), [0.5, 1.0, 2.0])
    known = [
        (-0.3910487915505464, -0.9203699487851922),
        (0.9862917511318753, -0.1650108531255412),
        (-0.7935661953433217, -0.6084839304437915),
    ]
    np.testing.assert_allclose(segment.y[:, :2], known, atol=1e-7)
    np.testing.assert_allclose(np.hypot(segment.y[:, 0], segment.y[:, 1]), 1.0, atol=2e-10)
    np.testing.assert_allclose((segment.y[:, :2] * segment.y[:, 2:4]).sum(axis=1), 0.0, atol=2e-10)


@pytest.mark.parametrize("method", ["RK45", "Radau", "BDF", "LSODA"])
def test_other_solvers_of_scipy_keep_the_rod(method):
    way = ScipySolver(method=method, rtol=1e-7, atol=1e-9)
    x, y, vx, vy = moved(way, models.mass_on_rod(), [1.0]).last_y[:4]
    assert (x, y) == pytest.approx((0.9862917511318753, -0.1650108531255412), abs=3e-5)
    assert (np.hypot(x, y), x * vx + y * vy) == pytest.approx((1, 0), abs=2e-10)


@EVERY_WAY
def test_a_skate_on_a_slope(way):
    segment = moved(way, models.skate(), [1.0, 3.0])
    np.testing.assert_allclose(segment.y[:, :2], [models.skate_at(1.0), models.skate_at(3.0)], atol=1e-8)


@EVERY_WAY
def test_a_spherical_pendulum_keeps_energy_and_momentum(way):
    problem, y0 = problem_of(models.spherical_pendulum())
    eom = problem.eom
    kept = eom.function("kept", {"all": [eom.kinetic_energy + eom.potential_energy, eom.angular_momentum.z]})
    segment = way.run(problem, 0.0, y0, np.array([1.0, 3.0]), 0.0, Watch())
    before = kept(0.0, y0[:4], y0[4:7], (), ())
    for y in segment.y:
        np.testing.assert_allclose(kept(0.0, y[:4], y[4:7], (), ()), before, rtol=3e-8)
        assert y[:4] @ y[:4] == pytest.approx(1, abs=2e-10)


@EVERY_WAY
def test_fourbar1_of_modelica(way):
    system = library.spatial_four_bar()
    segment = moved(way, system, [1.0], u={"j1_dot": 5.235987755982989})
    known = {"j1": 7.8021634255, "j1_dot": 9.3617082513, "j2": -0.3222684380, "j2_dot": -1.0761969562}
    assert {name: value(segment, system, name) for name in known} == pytest.approx(known, abs=1e-6)


# Andrews' squeezing mechanism ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("way", "times"),
    [
        (ScipySolver(rtol=1e-11, atol=1e-11), (0.03, 0.05)),
        (Cvode(method="Adams", rtol=1e-13, atol=1e-13), (0.03, 0.05)),
        (Cvode(rtol=1e-13, atol=1e-13), (0.03,)),
        (Ida(rtol=1e-12, atol=1e-12), (0.03,)),
        (IndependentCoordinates(rtol=1e-12, atol=1e-12), (0.03, 0.05)),
    ],
    ids=["projection", "pull", "pull, stiff", "stabilised", "independent"],
)
def test_andrews(way, times):
    system = mechanisms.andrews()
    names = [one.name for one in system.freeze().coordinates]
    segment = moved(way, system, times)
    assert segment.status is Status.DONE
    for t, y in zip(times, segment.y, strict=True):
        assert dict(zip(names, y, strict=False)) == pytest.approx(ANDREWS[t], rel=0, abs=1e-9)


# singular configurations ---------------------------------------------------------------------------------------------

N_FOUR_BAR = {0.05: (1.5205575779748, -1.0143373823848), 0.5: (0.80197769923969, -2.7273084942771)}


@EVERY_WAY
def test_n_four_bar_before_it_lies_flat(way):
    system = mechanisms.n_four_bar(2)
    places = [system.freeze().coordinates.index(system["pivot0"].coordinate)]
    problem, _ = problem_of(system)
    segment = moved(way, system, list(N_FOUR_BAR))
    found = segment.y[:, [places[0], problem.n + places[0]]]
    np.testing.assert_allclose(found, list(N_FOUR_BAR.values()), atol=2e-8)


@EVERY_WAY
def test_n_four_bar_passes_the_flat_position_or_says_where_it_ends(way):
    system = mechanisms.n_four_bar(2)
    segment = moved(replace(way, max_steps=1000), system, [1.0])
    if segment.status is Status.DONE:
        assert value(segment, system, "pivot0") == pytest.approx(-1.7670744763102, abs=1e-7)
    else:
        assert segment.status in (Status.STEP_TOO_SMALL, Status.CONSTRAINTS_LOST, Status.TOO_MANY_STEPS)
        assert abs(math.sin(value(segment, system, "pivot0"))) < 1e-2  # it ended there


def test_independent_coordinates_pass_the_flat_position():
    system = mechanisms.n_four_bar(2)
    segment = moved(WAYS["independent"], system, [10.0])
    assert value(segment, system, "pivot0") == pytest.approx(-30.179800860191, abs=1e-6)


# Baumgarte -----------------------------------------------------------------------------------------------------------


def drift(eom, duration, y0, tolerance=1e-5):
    """The largest gap on the way, without any projection."""
    problem = Problem(eom, [])
    way = ScipySolver(method="RK45", rtol=tolerance, atol=tolerance, project=False)
    segment = way.run(problem, 0.0, y0, np.linspace(0, duration, 200), 0.0, Watch())
    assert segment.status is Status.DONE
    return np.abs((segment.y[:, 0] ** 2 + segment.y[:, 1] ** 2 - 1) / 2), segment


def test_baumgarte_bounds_the_drift():
    eom = mb.derive(models.mass_on_rod())
    _, y0 = problem_of(models.mass_on_rod())
    plain, _ = drift(eom, 60.0, y0)
    held, _ = drift(baumgarte(eom, 5.0, 5.0), 60.0, y0)
    assert plain[-1] > 1e-2  # it grows with the square of time
    assert held.max() < 1e-4
    assert held[100:].max() < 3 * held[:100].max()  # and this does not grow


def test_a_gap_decays_as_baumgarte_says():
    eom = baumgarte(mb.derive(models.mass_on_rod()), 4.0, 4.0)
    y0 = np.array([-1.01, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    gap, segment = drift(eom, 2.0, y0, 1e-9)
    start = (1.01**2 - 1) / 2
    np.testing.assert_allclose(gap, start * (1 + 4 * segment.t) * np.exp(-4 * segment.t), atol=1e-8)


def test_baumgarte_for_a_skate():
    eom = baumgarte(mb.derive(models.skate()), 3.0, 3.0)
    problem, y0 = problem_of(models.skate())
    y0[4] += 0.01  # across the blade
    way = ScipySolver(rtol=1e-10, atol=1e-12, project=False)
    y = way.run(Problem(eom, []), 0.0, y0, np.array([0.5]), 0.0, Watch()).last_y
    across = y[4] * math.cos(y[2]) - y[3] * math.sin(y[2])
    assert across == pytest.approx(0.01 * math.exp(-6 * 0.5), rel=1e-6)
    assert problem.eom.acceleration != eom.acceleration


def test_numbers_that_stabilise_nothing():
    with refused("baumgarte-rates-invalid"):
        baumgarte(mb.derive(models.mass_on_rod()), 0.0, 1.0)


# what the strategies are made of -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "system", [models.skate, models.spherical_pendulum, mechanisms.spatial_four_bar_with_ball, mechanisms.andrews]
)
def test_the_stabilised_form_and_its_derivative(system):
    problem, y0 = problem_of(system())
    form = StabilisedForm(problem)
    Y, rate = form.consistent(0.0, y0)
    np.testing.assert_allclose(form.residual(0.0, Y, rate), 0.0, atol=1e-8 * max(1.0, np.abs(rate).max()))
    rng = np.random.default_rng(0)
    Y[: problem.size] += 0.1 * rng.normal(size=problem.size)
    c, J = 7.0, form.jacobian(0.0, Y, rate, 7.0).copy()
    for k in range(form.size):
        step = np.zeros(form.size)
        step[k] = 1e-5
        after, before = (form.residual(0.0, Y + s * step, rate + s * c * step).copy() for s in (1, -1))
        np.testing.assert_allclose(J[:, k], (after - before) / 2e-5, rtol=1e-5, atol=1e-5 * np.abs(J).max())


def test_divisions_follow_the_motion():
    problem, y0 = problem_of(models.mass_on_rod())
    problem.evaluate(0.0, y0)  # its state decides which equations are independent
    loops = Loops(problem)
    side = loops.divided(0.0, y0)
    below = loops.divided(0.0, np.array([0.0, -1.0, 1.0, 0.0, 0.0, 0.0, 0.0]))
    assert (side.q, side.bound_q) == ([1], [0])
    assert (below.q, below.bound_q) == ([0], [1])
    assert loops.growth(0.0, np.array([0.6, -0.8, 0.0, 0.0, 0.0, 0.0, 0.0]), below) == pytest.approx(0.75)
    full = loops.completed(0.0, np.array([0.28, 2.0, 0.0, 0.0, 0.0]), np.array([0.3, -1.0, 0, 0, 0, 0, 0]), below)
    np.testing.assert_allclose(full[:4], (0.28, -0.96, 2.0, 2.0 * 0.28 / 0.96), atol=1e-14)


def test_many_turns_with_independent_coordinates():
    segment = moved(WAYS["independent"], models.mass_on_rod(), [1.0], u={"place_ty_dot": 12.0})
    _, y, vx, vy = segment.last_y[:4]
    assert segment.status is Status.DONE
    assert 0.5 * (vx**2 + vy**2) + 9.81 * y == pytest.approx(72, rel=1e-8)


def test_an_unprojected_run_drifts_and_a_projected_one_does_not():
    def gap(project):
        problem, y0 = problem_of(models.mass_on_rod())
        way = Cvode(rtol=1e-6, atol=1e-6, project=project)
        end = way.run(problem, 0.0, y0, np.array([30.0]), 0.0, Watch()).last_y
        return abs(np.hypot(*end[:2]) - 1)

    assert gap(False) > 1e-5
    assert gap(True) < 1e-9


def test_inputs_that_are_functions_of_python_reach_the_stabilised_form():
    system = models.mass_on_rod()
    system.load(mb.JointLoad(system["place"], (0, system.input("lift"))))
    problem, y0 = problem_of(system)
    problem.follow(lambda: problem.r.__setitem__(0, 9.81))  # no weight is left
    y0[2:4] = (0.0, 1.0)
    end = WAYS["stabilised"].run(problem, 0.0, y0, np.array([1.5]), 0.0, Watch()).last_y
    np.testing.assert_allclose(end[:2], (-math.cos(1.5), math.sin(1.5)), atol=1e-7)
