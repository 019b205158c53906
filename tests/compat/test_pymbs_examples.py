"""Ten scripts in the style of PyMbs' examples, run through the door, against closed forms and other integrators."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import multibody as mb
from multibody.cli.sources import find_model

SCRIPTS = Path(__file__).with_name("pymbs_scripts")
NAMES = sorted(path.stem for path in SCRIPTS.glob("*.py"))
G = 9.81


@pytest.fixture
def script(tmp_path, monkeypatch):
    """Run a script in an empty folder, without a screen; its world."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MULTIBODY_HEADLESS", "1")
    return lambda name: runpy.run_path(str(SCRIPTS / f"{name}.py"))["world"]


def test_there_are_ten():
    assert len(NAMES) == 10


@pytest.mark.parametrize("name", NAMES)
def test_a_script_is_a_model_for_the_command(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MULTIBODY_HEADLESS", "1")
    found = find_model(str(SCRIPTS / f"{name}.py"))
    assert found.kind == "python"
    assert len(found.equations().speeds) >= 1


def test_mass_spring_damper(script):
    world = script("mass_spring_damper")
    values = np.load("MassSpringDamper_values.npy")
    run = mb.simulate(world.equations, 2.0)
    np.testing.assert_allclose(values, np.hstack([run.q, run.u]), atol=1e-9)
    rest, delta = 1 + 2 * G / 50, 1.0
    w = np.sqrt(25 - delta**2)
    expected = rest + (1 - rest) * np.exp(-delta * run.t) * (np.cos(w * run.t) + delta / w * np.sin(w * run.t))
    np.testing.assert_allclose(run["l"][:, 0], expected, atol=1e-6)
    np.testing.assert_allclose(run["z"], -expected, atol=1e-6)


def test_rod_pendulum(script, monkeypatch):
    world = script("rod_pendulum")
    monkeypatch.syspath_prepend(".")
    monkeypatch.delitem(sys.modules, "RodPendulum_der_state", raising=False)
    from RodPendulum_der_state import RodPendulum_der_state

    stiffness = 3 * G / (2 * 0.8)
    np.testing.assert_allclose(RodPendulum_der_state(0.0, [0.7, 1.1]), [1.1, -stiffness * np.sin(0.7)], rtol=1e-12)
    a, b = 1.0, np.cos(0.6)
    for _ in range(8):  # the arithmetic-geometric mean of Gauss
        a, b = (a + b) / 2, np.sqrt(a * b)
    period = 2 * np.pi / np.sqrt(stiffness) / a
    run = mb.simulate(world.equations, period, integrator=mb.DormandPrince8(rtol=1e-11))
    assert run["Swing"][-1] == pytest.approx(1.2, abs=1e-8)
    assert run["Swing"].min() == pytest.approx(-1.2, abs=1e-4)
    assert np.ptp(run["E"]) < 1e-8


def test_double_pendulum(script):
    eom = script("double_pendulum").equations
    m1, m2, l1, l2 = 1.0, 0.6, 0.9, 0.7
    a, b, va, vb = 0.5, -0.8, 1.3, -0.4
    one, two, v1, v2 = a, a + b, va, va + vb
    mass = [[(m1 + m2) * l1, m2 * l2 * np.cos(one - two)], [l1 * np.cos(one - two), l2]]
    right = [-(m1 + m2) * G * np.sin(one) - m2 * l2 * v2**2 * np.sin(one - two),
             -G * np.sin(two) + l1 * v1**2 * np.sin(one - two)]  # fmt: skip
    first, second = np.linalg.solve(mass, right)
    p = list(eom.model.parameter_values().values())
    assert [one.name for one in eom.coordinates] == ["a", "b"]
    found = eom.forward_dynamics(0.0, [a, b], [va, vb], [], p)
    np.testing.assert_allclose(found, [first, second - first], rtol=1e-11)


def test_geared_flywheels(script):
    """By the program, the rope moves by 0.02 m for each radian of the shaft."""
    eom = script("geared_flywheels").equations
    assert [one.name for one in eom.coordinates] == ["shaft"]
    p = list(eom.model.parameter_values().values())
    expected = (8.0 - 30 * G * 0.02) / (0.02 + 30 * 0.02**2)
    np.testing.assert_allclose(eom.forward_dynamics(0.0, [0.3], [1.0], [8.0], p), [expected], rtol=1e-12)


def test_crank_slider(script):
    run = mb.simulate(script("crank_slider").equations, 2.0, integrator=mb.DormandPrince8(rtol=1e-10))
    angle, r, l = run["turn"], 0.2, 0.7
    np.testing.assert_allclose(run["x"][:, 0], r * np.cos(angle) + np.sqrt(l**2 - (r * np.sin(angle)) ** 2), atol=1e-12)
    assert np.ptp(angle) > 2 * np.pi
    assert run.statistics.energy_drift < 1e-7


def test_excavator_boom(script):
    eom = script("excavator_boom").equations
    p = list(eom.model.parameter_values().values())

    def length(q):
        return np.hypot(1.2 * np.cos(q), 0.8 - 1.2 * np.sin(q))

    for q, force in ((-0.3, 0.0), (0.1, -2000.0), (-0.6, 3000.0)):
        slope = (length(q + 1e-5) - length(q - 1e-5)) / 2e-5
        expected = (force * slope + 120 * G * np.cos(q)) / (40 + 120)
        np.testing.assert_allclose(eom.forward_dynamics(0.0, [q], [0.0], [force], p), [expected], rtol=1e-7)
    run = mb.simulate(eom, 0.3)
    np.testing.assert_allclose(run["length"][:, 0], length(run["lift"]), atol=1e-10)


def test_bouncing_ball(script):
    """A fall of 1 m, then a spring: z = -(g/ω²)(1 - cos ωτ) - (v/ω) sin ωτ while the ball touches the floor."""
    eom = script("bouncing_ball").equations
    begin, v, w = np.sqrt(2 / G), np.sqrt(2 * G), np.sqrt(2000 / 0.5)
    for tau in (0.01, 0.03):
        run = mb.simulate(eom, begin + tau)
        expected = -(G / w**2) * (1 - np.cos(w * tau)) - (v / w) * np.sin(w * tau)
        assert run["z"][-1] == pytest.approx(expected, abs=1e-7)
        assert run["N"][-1] == pytest.approx(-2000 * expected, abs=1e-3)
    whole = 2 * begin + (2 * np.pi - 2 * np.arctan2(v * w, G)) / w
    up = mb.simulate(eom, whole)
    assert up["z"][-1] == pytest.approx(1.0, abs=1e-6)


def test_free_flight(script):
    world = script("free_flight")
    run = mb.simulate(world.equations, 0.5, integrator=mb.DormandPrince8(rtol=1e-11))
    t = run.t
    np.testing.assert_allclose(run["r"], np.column_stack([3 * t, 0 * t, 1 + 4 * t - G * t**2 / 2]), atol=1e-9)
    assert np.ptp(run["E"]) < 1e-8
    inertia = 2 / 12 * np.array([0.1**2 + 0.05**2, 0.2**2 + 0.05**2, 0.2**2 + 0.1**2])
    c, s = np.cos, np.sin
    b, g = 0.2, 0.3
    turn_y, turn_z = np.array([[c(b), 0, s(b)], [0, 1, 0], [-s(b), 0, c(b)]]), np.array(
        [[c(g), -s(g), 0], [s(g), c(g), 0], [0, 0, 1]])  # fmt: skip
    start = turn_z.T @ (turn_y.T @ [1, 0, 0] + [0, 2, 0]) + [0, 0, 3]
    euler = solve_ivp(
        lambda _, u: -np.cross(u, inertia * u) / inertia, (0, 0.5), start, "DOP853", t, rtol=1e-11, atol=1e-12
    )
    np.testing.assert_allclose(run["om"], euler.y.T, atol=1e-8)


def test_rope(script):
    """Small oscillations of n equal masses on n equal links: ω² = (g/l)·(the zeros of the Laguerre polynomial Lₙ)."""
    eom = script("rope").equations
    poles = mb.linearize(eom, at=dict.fromkeys((one.name for one in eom.coordinates), 0.0)).poles
    found = np.sort(np.abs(poles.imag[poles.imag > 0]))
    expected = np.sqrt(G / 0.2 * np.polynomial.laguerre.lagroots([0] * 5 + [1]))
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    assert np.abs(poles.real).max() < 1e-6


def test_controlled_slide(script):
    world = script("controlled_slide")
    run = world.simulate([0.4], 2.0)
    expected = 0.4 * np.exp(-2 * run.t) * (np.cos(3 * run.t) + 2 / 3 * np.sin(3 * run.t))
    np.testing.assert_allclose(run["x"], expected, atol=1e-6)
