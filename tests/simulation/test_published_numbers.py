"""Whole simulations against published numbers and exact solutions."""

import math
from functools import cache

import numpy as np
import pytest

import multibody as mb
from multibody import library
from multibody.simulation import DormandPrince5, DormandPrince8, Ida, IndependentCoordinates, Status, simulate

from ..formalisms import mechanisms  # noqa: TID252
from . import published_models as models, published_numbers as numbers, solver_models
from .motions import double_pendulum, pendulum, pendulum_at, swing

TIGHT = DormandPrince8(rtol=1e-13, atol=1e-14)


def deviation(run, table, columns):
    """The largest difference from rows of time and values, which are those of the run's samples after the first."""
    np.testing.assert_allclose(run.t[1:], table[:, 0], rtol=1e-15)
    return max(np.abs(run[name][1:] - column).max() for name, column in zip(columns, table[:, 1:].T, strict=False))


# A01, the simple pendulum --------------------------------------------------------------------------------------------


def bob(run):
    """x and y of the pendulum, by an angle or in rectangular coordinates."""
    return (np.sin(run["angle"]), -np.cos(run["angle"])) if "angle" in run else (run["place_tx"], run["place_ty"])


@pytest.mark.parametrize("eom", [pendulum(), swing()], ids=["angle", "rope"])
@pytest.mark.parametrize(("integrator", "error"), [(None, 2e-7), (TIGHT, 2e-12)], ids=["default", "tight"])
def test_simple_pendulum_for_ten_seconds(eom, integrator, error):
    """Against elliptic functions."""
    run = simulate(eom, 10.0, integrator=integrator)
    assert run.status is Status.DONE
    np.testing.assert_allclose(bob(run), pendulum_at(run.t), atol=error)
    assert np.abs(run.energies.balance).max() < 10 * error
    assert run.statistics.constraint_residual < 1e-14


@pytest.mark.parametrize("eom", [pendulum(), swing()], ids=["angle", "rope"])
def test_simple_pendulum_of_the_la_coruna_library(eom):
    """Six digits of its solution file, for 2000 s and 845 periods."""
    run = simulate(eom, times=[0, *numbers.PENDULUM[:, 0]], integrator=TIGHT)
    found = np.transpose(bob(run))[1:]
    np.testing.assert_allclose(found, numbers.PENDULUM[:, 1:], atol=6e-7)
    np.testing.assert_allclose(found, np.transpose(pendulum_at(run.t[1:])), atol=1e-7)


# A02, the N-four-bar -------------------------------------------------------------------------------------------------


@cache
def four_bars(count):
    return mb.derive(mechanisms.n_four_bar(count))


def top(run):
    """x and y of B0, the top of the first vertical."""
    return np.transpose([np.cos(run["pivot0"]), np.sin(run["pivot0"])])


def spread(run, count):
    """How far the verticals are from being parallel: on another branch of the flat position they would not be."""
    return max(np.abs(run[f"pivot{k}"] - run["pivot0"]).max() for k in range(1, count + 1))


@pytest.mark.parametrize(
    ("integrator", "error"),
    [
        (None, 1e-5),
        (DormandPrince8(rtol=1e-11, atol=1e-12), 2e-8),
        (DormandPrince5(rtol=1e-10, atol=1e-11), 5e-7),
        (IndependentCoordinates(rtol=1e-10, atol=1e-12), 1e-6),
    ],
    ids=["default", "order 8", "order 5", "independent"],
)
def test_two_four_bars(integrator, error):
    """Ten seconds, ten times through the position in which all lie flat."""
    run = simulate(four_bars(2), times=[0, *numbers.TWO_FOUR_BARS[:, 0]], integrator=integrator)
    assert run.status is Status.DONE
    assert abs(run["pivot0"][-1] + 30.179800860191) < error
    np.testing.assert_allclose(top(run)[1:], numbers.TWO_FOUR_BARS[:, 1:], atol=error)
    np.testing.assert_allclose(top(run)[-1], numbers.TWO_FOUR_BARS_BY_EXUDYN, atol=1e-6 + error)
    assert np.abs(run.energies.balance).max() < min(10 * error, 1.8e-5)  # not more than Exudyn's
    assert run.energies.total[0] == pytest.approx(3.5 * 9.81 + 1.5, rel=1e-14)
    assert run.statistics.constraint_residual < 1e-10
    assert spread(run, 2) < 1e-8


@pytest.mark.parametrize(("integrator", "error"), [(None, 5e-4), (DormandPrince8(rtol=1e-9, atol=1e-11), 3e-6)])
def test_forty_four_bars(integrator, error):
    """Twenty seconds, twenty times through the flat position; 81 bars, and 41 freedoms there instead of one."""
    times = np.unique([0, *numbers.FORTY_FOUR_BARS[:, 0], *numbers.FORTY_FOUR_BARS_OF_LIM[:, 0]])
    run = simulate(four_bars(40), times=times, integrator=integrator)
    assert run.status is Status.DONE
    for table, digits in ((numbers.FORTY_FOUR_BARS, 0.0), (numbers.FORTY_FOUR_BARS_OF_LIM, 2e-6)):
        found = top(run)[np.searchsorted(times, table[:, 0])]
        np.testing.assert_allclose(found, table[:, 1:], atol=error + digits)
    assert np.abs(run.energies.balance).max() < 20 * error  # of 620 J
    assert run.statistics.constraint_residual < 1e-10
    assert spread(run, 40) < 1e-8


# Andrews' squeezing mechanism ----------------------------------------------------------------------------------------


@cache
def squeezer(closed_by):
    match closed_by:
        case "multipliers":
            return mb.derive(mechanisms.andrews(), constraints=mb.Multipliers())
        case "independent speeds":
            return mb.derive(mechanisms.andrews(), constraints=mb.IndependentSpeeds())
        case _:
            return mb.derive(mechanisms.andrews_by_equations())


def squeezed(closed_by, integrator):
    run = simulate(squeezer(closed_by), times=[0, *numbers.ANDREWS], integrator=integrator)
    assert run.status is Status.DONE
    return run


@pytest.mark.parametrize(
    "integrator",
    [DormandPrince8(rtol=1e-13, atol=1e-13), DormandPrince5(rtol=1e-13, atol=1e-13)],
    ids=["order 8", "order 5"],
)
@pytest.mark.parametrize("closed_by", ["multipliers", "independent speeds", "equations"])
def test_andrews_with_projection(closed_by, integrator):
    run = squeezed(closed_by, integrator)
    for k, t in enumerate(numbers.ANDREWS, 1):
        found = {name: run[name][k] for name in numbers.ANDREWS[t]}
        speeds = {name: run[f"{name}_dot"][k] for name in numbers.ANDREWS_SPEEDS[t]}
        assert found == pytest.approx(numbers.ANDREWS[t], rel=0, abs=5e-12)
        assert speeds == pytest.approx(numbers.ANDREWS_SPEEDS[t], rel=1e-10)
    accelerations = {name: run[f"{name}_ddot"][1] for name in numbers.ANDREWS_ACCELERATIONS}
    assert accelerations == pytest.approx(numbers.ANDREWS_ACCELERATIONS, rel=1e-10)
    published = {name: run[name][1] for name in numbers.ANDREWS_PUBLISHED}
    assert published == pytest.approx(numbers.ANDREWS_PUBLISHED, rel=0, abs=5e-9)
    np.testing.assert_allclose(run["Omega"], -run["Phi"], rtol=1e-11)
    assert run.energy_drift < 1e-12
    assert run.statistics.constraint_residual < 1e-12


def test_andrews_by_the_stabilised_form():
    """IDA's steps at 1e-12 depend on the last bit of the machine: 6e-10 on one, 1.4e-9 on another.

    Other ways come as near, see ``test_constraint_strategies``.
    """
    run = squeezed("multipliers", Ida(rtol=1e-12, atol=1e-12))
    for k, t in enumerate(numbers.ANDREWS, 1):
        found = {name: run[name][k] for name in numbers.ANDREWS[t]}
        assert found == pytest.approx(numbers.ANDREWS[t], rel=0, abs=1e-8)


def test_forces_in_andrews():
    run = squeezed("equations", TIGHT)
    np.testing.assert_allclose(-run.multipliers[1], numbers.ANDREWS_MULTIPLIERS, rtol=2e-6)


# Modelica Standard Library -------------------------------------------------------------------------------------------

CRANK = {"u": {"j1_dot": math.radians(300)}, "fixed": ["j1", "j1_dot"]}
MODELICA = {
    "Pendulum": (models.modelica_pendulum, numbers.MODELICA_PENDULUM, {}, 1e-11),
    "DoublePendulum": (library.double_pendulum, numbers.MODELICA_DOUBLE_PENDULUM, {}, 1e-10),
    "Fourbar1": (library.spatial_four_bar, numbers.FOURBAR1, CRANK, 1e-10),
    "Fourbar1 with a ball joint": (mechanisms.spatial_four_bar_with_ball, numbers.FOURBAR1, CRANK, 1e-10),
    "Fourbar2": (mechanisms.spatial_four_bar_with_rod, numbers.FOURBAR2, CRANK, 1e-10),
}


@pytest.mark.parametrize(("build", "table", "start", "digits"), MODELICA.values(), ids=MODELICA)
def test_examples_of_modelica(build, table, start, digits):
    eom = mb.derive(build())
    run = simulate(eom, times=table.times, integrator=TIGHT, **start)
    assert deviation(run, table.recomputed, table.names) < digits
    if table.published is not None:
        assert deviation(run, table.published, table.names) < table.error
    assert run.energy_drift < 1e-11
    by_default = simulate(eom, times=table.times, **start)
    assert deviation(by_default, table.recomputed, table.names) < 1e-6


# energy over 100 s ---------------------------------------------------------------------------------------------------

BICYCLE = {"u": {"rear_dot": -5 / 0.3, "lean_rx_dot": 0.5}, "fixed": ["rear_dot", "lean_rx_dot"]}
UNDAMPED = {
    "double pendulum": (double_pendulum, {}),
    "gyroscope": (lambda: mb.derive(models.gyroscope()), {}),
    "spherical pendulum": (lambda: mb.derive(solver_models.spherical_pendulum()), {}),
    "four-bar in closed form": (lambda: mb.derive(mechanisms.four_bar(lengths=(2, 1, 2.5, 1.7))), {}),
    "four-bar": (
        lambda: mb.derive(mechanisms.four_bar(lengths=(2, 1, 2.5, 1.7)), constraints=mb.Multipliers()),
        {},
    ),
    "spatial four-bar": (lambda: mb.derive(library.spatial_four_bar()), CRANK),
    "rolling disc": (lambda: mb.derive(models.rolling_disc()), {}),
    "bicycle": (lambda: mb.derive(mechanisms.bicycle()), BICYCLE),
}


@pytest.mark.parametrize(("derive", "start"), UNDAMPED.values(), ids=UNDAMPED)
def test_energy_is_kept_for_a_hundred_seconds(derive, start):
    eom = derive()
    run = simulate(eom, 100.0, integrator=DormandPrince8(rtol=1e-12, atol=1e-13), **start)
    assert run.status is Status.DONE
    assert run.energy_drift < 1e-9
    assert np.abs(run.energies.total / run.energies.total[0] - 1).max() < 1e-9
    assert max(run.residuals.position.max(), run.residuals.velocity.max()) < 1e-9
    assert np.ptp(run.q, axis=0).max() > 1  # it does move
    assert simulate(eom, 100.0, **start).energy_drift < 1e-5


def test_a_free_gyroscope_turns_as_jacobi_says():
    run = simulate(mb.derive(models.gyroscope()), 100.0, integrator=TIGHT)
    np.testing.assert_allclose(run.u[:, :3].T, models.gyroscope_at(run.t), atol=1e-10)
