"""Simulations of the systems that publications describe, from the conditions that they print."""

import csv
import math
from functools import cache
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import multibody as mb
from multibody import library
from multibody.graph import sin
from multibody.simulation import Cvode, DormandPrince8, Event, Status, Trajectory, read_trajectory, simulate

from ..formalisms import wittenburg_program  # noqa: TID252
from . import published_models as models

TIGHT = DormandPrince8(rtol=1e-13, atol=1e-13)


# Wittenburg's method: five bodies, five seconds ----------------------------------------------------------------------


@cache
def five_bodies(formalism, integrator):
    return simulate(mb.derive(library.five_body_chain(), formalism()), 5.0, integrator=integrator)


@pytest.mark.parametrize("formalism", [mb.Wittenburg, mb.Recursive])
@pytest.mark.parametrize(("integrator", "error"), [(TIGHT, 1e-10), (None, 1e-7)], ids=["tight", "default"])
def test_energy_of_five_bodies_is_constant(formalism, integrator, error):
    run = five_bodies(formalism, integrator)
    assert run.status is Status.DONE
    np.testing.assert_allclose(run.energies.total, run.energies.total[0], rtol=error)
    assert np.ptp(run.energies.kinetic) > 100  # of 190 J: it does move
    assert run.energy_drift < error


def test_energy_of_five_bodies_is_that_of_the_program_of_the_seed():
    """Energy.m, with the states of our trajectory."""
    run, program = five_bodies(mb.Wittenburg, TIGHT), wittenburg_program.model()
    samples = range(0, len(run.t), 25)
    found = [wittenburg_program.energy(program, np.concatenate([run.q[k], run.u[k]])) for k in samples]
    np.testing.assert_allclose(found, run.energies.total[::25], rtol=1e-13)
    np.testing.assert_allclose(found, found[0], rtol=1e-10)


def test_five_bodies_move_alike_by_other_formalisms_and_another_solver():
    """The chain comes so near to a pole of its Euler angles that they turn with 190 rad/s."""
    run = five_bodies(mb.Wittenburg, TIGHT)
    assert np.abs(run.u).max() > 100
    np.testing.assert_allclose(five_bodies(mb.Recursive, TIGHT).q, run.q, atol=1e-7)
    adams = five_bodies(mb.Recursive, Cvode(method="Adams", rtol=1e-12, atol=1e-12))
    np.testing.assert_allclose(adams.q, run.q, atol=1e-5)


def test_table_of_five_bodies(tmp_path):
    """Written as CSV and read back: by our own reader and by Python's."""
    run, path = five_bodies(mb.Wittenburg, TIGHT), tmp_path / "five_bodies.csv"
    run.save(path)
    again = Trajectory.read(path, run.eom, parameters={})
    np.testing.assert_array_equal(again.y, run.y)
    np.testing.assert_allclose(again.energies.total, run.energies.total, rtol=1e-14)
    np.testing.assert_array_equal(read_trajectory(path)["q4"], run["q4"])
    with path.open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert header[0] == "t [s]"
    assert {"q1_rx [rad]", "q5_dot [rad/s]", "total_energy [J]"} <= set(header)
    assert len(rows) == 501
    column = header.index("total_energy [J]")
    np.testing.assert_allclose([float(row[column]) for row in rows], run.energies.total, rtol=1e-15)


# motor calculus: three mechanisms ------------------------------------------------------------------------------------

CRANK = {"u": {"j1_dot": math.radians(300)}, "fixed": ["j1", "j1_dot"]}  # 300 degrees per second, section 4.3
MECHANISMS = {
    "movable double pendulum": (models.movable_double_pendulum, {}),
    "fourfold pendulum on two sliders": (library.fourfold_pendulum, {}),
    "fourbar": (library.spatial_four_bar, CRANK),
}


@pytest.mark.parametrize(("build", "start"), MECHANISMS.values(), ids=MECHANISMS)
def test_mechanisms_of_the_motor_calculus_by_two_formalisms(build, start):
    """Ten seconds with motors, and without; figure 8 of the course work shows 1.2e-11, figure 13 growing deviations."""
    first, second = (
        simulate(mb.derive(build(), formalism), 10.0, integrator=DormandPrince8(rtol=1e-13, atol=1e-14), **start)
        for formalism in (mb.Recursive(), mb.Lagrange())
    )
    assert first.status is second.status is Status.DONE
    assert [one.name for one in first.eom.coordinates] == [one.name for one in second.eom.coordinates]
    np.testing.assert_allclose(first.q, second.q, rtol=0, atol=1e-10)
    assert np.ptp(first.q, axis=0).max() > 1  # it does move
    for run in (first, second):
        assert run.energy_drift < 1e-11
        assert run.statistics.constraint_residual < 1e-12
    dissipated = first.energies.dissipated
    assert bool(dissipated[-1] > 1) is not bool(start)  # the fourbar alone has no friction
    assert all(after >= before - 1e-12 for before, after in pairwise(dissipated))


# PyMbs: the crane crab -----------------------------------------------------------------------------------------------

G, M1, M2, L2, I2 = 9.81, 1.0, 1.0, 1.0, 1 / 12


@cache
def crane_crab():
    return mb.derive(library.crane_crab())


def test_crane_crab_swings_as_found_by_hand():
    """Without a force, momentum along the rail stays zero, and energy gives the time from one passage to the next.

    (m1 + m2)·v = m2·l2·cos(φ)·w, so x moves with sin φ, and [m2·l2² + I2 - (m2·l2·cos φ)²/(m1 + m2)]·w²/2 =
    m2·g·l2·(cos φ - cos 1).
    """
    phi = crane_crab().coordinates[1]
    run = simulate(crane_crab(), 10.0, events=[Event(phi, name="below")], integrator=TIGHT)
    x, angle = run["TransCrab"], run["RotPendulum"]
    assert (x[0], angle[0]) == (1.0, -1.0)  # the start values of the script
    np.testing.assert_allclose(x, 1 + M2 * L2 / (M1 + M2) * (np.sin(angle) + math.sin(1)), atol=1e-11)

    def pace(s):
        """dt/ds for sin(φ/2) = sin(1/2)·sin(s), which has no pole at the ends."""
        half = mpmath.asin(mpmath.sin(mpmath.mpf(1) / 2) * mpmath.sin(s))
        inertia = M2 * L2**2 + I2 - (M2 * L2 * mpmath.cos(2 * half)) ** 2 / (M1 + M2)
        return mpmath.sqrt(inertia / (M2 * G * L2)) / mpmath.cos(half)

    quarter = float(mpmath.quad(pace, [0, mpmath.pi / 2]))
    passages = [one.t for one in run.occurrences]
    assert len(passages) == math.floor((10.0 / quarter + 1) / 2)
    np.testing.assert_allclose(passages, quarter * (2 * np.arange(len(passages)) + 1), atol=1e-10)
    assert run.energy_drift < 1e-11


def test_crane_crab_with_a_driving_force():
    """F acts along the line between crab and wall; SciPy integrates M·q'' = … as solved by hand."""

    def rate(t, state):
        _, phi, v, w = state
        M = [[M1 + M2, -M2 * L2 * math.cos(phi)], [-M2 * L2 * math.cos(phi), M2 * L2**2 + I2]]
        right = [2 * math.sin(3 * t) - M2 * L2 * math.sin(phi) * w**2, -M2 * G * L2 * math.sin(phi)]
        return [v, w, *np.linalg.solve(M, right)]

    run = simulate(crane_crab(), 5.0, inputs={"F": 2 * sin(3 * crane_crab().model.time)}, integrator=TIGHT, samples=51)
    known = solve_ivp(rate, (0, 5), [1, -1, 0, 0], "DOP853", run.t, rtol=1e-12, atol=1e-12).y.T
    np.testing.assert_allclose(np.hstack([run.q, run.u]), known, atol=1e-9)
    distance, speed = run["d"].T
    np.testing.assert_allclose([distance, speed], known[:, [0, 2]].T, atol=1e-9)
    assert abs(run.energies.work_of_inputs[-1]) > 0.1
    assert run.energy_drift < 1e-11
