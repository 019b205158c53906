"""Machines from the library run: they begin where their constraints hold, and keep their energy in balance."""

from math import cos, pi, sqrt

import numpy as np
import pytest

import multibody as mb
from multibody.subsystems import couple
from multibody.subsystems.library import elements, planar, spatial

G = (0, -9.81)
DOWN = (0, 0, -9.81)
SOLVER = mb.ScipySolver(method="DOP853", rtol=1e-11, atol=1e-12)


def crane():
    parts = [planar.cart("C", 1.3, damping=0.4), planar.rod("R", 0.7, 0.9, gravity=G, as_variables=True)]
    return couple("crane", parts, ["x_A_R = x_C", "y_A_R"], independent="x_C_dot theta_R_dot").with_start(theta_R=-1.0)


def drive():
    motor = elements.motor_with_gear("M", 0.01, 8.0, 0.2, 1.5, 0.05, 0.001)
    parts = [motor, planar.pendulum("P", 2.0, 0.9, gravity=G)]
    return couple("drive", parts, ["phi_M = theta_P"]).with_start(theta_P=0.5)


def shaken():
    parts = [elements.prescribed_motion("D", "0.1*sin(7*t)"), planar.rod("R", 2.0, 0.9, gravity=G)]
    return couple("shaken", parts, ["x_A_R", "y_A_R = s_D"]).with_start(theta_R=-1.0)


def top():
    body = spatial.platform("P", {"A": (0.2, -0.3, 0.4)}, 1.5, (0.3, 0.4, 0.5), gravity=DOWN, as_variables=True)
    return couple("top", [body], ["x_A_P", "y_A_P", "z_A_P"]).with_start(w_P_z=2.0)


def swing():
    rod = spatial.rod("R", 1.5, 1.0, gravity=DOWN)
    return couple("swing", [rod], ["x_A_R", "y_A_R", "z_A_R"]).with_start(y_B_R_dot=0.5)


@pytest.mark.parametrize("machine", [crane, drive, shaken, top, swing])
def test_energy_is_in_balance_and_constraints_hold(machine):
    run = mb.simulate(machine().equations(), 1.0, samples=41, integrator=SOLVER)
    assert np.ptp(run["kinetic_energy"]) > 0.05  # something happens
    assert run.energy_drift < 1e-7
    assert run.statistics.constraint_residual < 1e-7


def test_ends_that_are_variables_begin_and_stay_where_the_rod_is():
    run = mb.simulate(crane().equations(), 1.0, samples=11, integrator=SOLVER)
    assert run["x_B_R"] == pytest.approx(run["x_R"] + 0.45 * np.cos(run["theta_R"]), abs=1e-6)
    assert run["y_A_R"] == pytest.approx(np.zeros(len(run["t"])), abs=1e-6)
    assert run["x_R"][0] == pytest.approx(0.45 * cos(1.0) + run["x_C"][0])


def test_a_cylinder_swings_in_its_track_with_the_textbook_period():
    ball = planar.rolling_cylinder("P", 2.0, 0.1, "m_P*r_P**2/2", track="circle", track_radius=0.7, gravity=G)
    period = 2 * pi / sqrt(2 * 9.81 / (3 * 0.6))
    run = mb.simulate(ball.with_start(psi_P=0.001).equations(), period, samples=41, integrator=SOLVER)
    assert run["psi_P"][-1] == pytest.approx(0.001, rel=1e-5)
    assert run["psi_P"].min() == pytest.approx(-0.001, rel=1e-2)
