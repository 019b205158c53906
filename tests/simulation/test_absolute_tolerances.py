"""Tiny motions are as accurate as large ones: absolute tolerances follow the scale of each coordinate and speed."""

from __future__ import annotations

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.graph import sin

OMEGA, DURATION = 3.0, 7.0
AMPLITUDES = [1.0, 1e-3, 1e-6, 1e-9, 1e-12, 1e-15]
INTEGRATORS = [
    None, mb.DormandPrince8(), mb.DormandPrince5(), mb.Cvode(), mb.Cvode(method="Adams"), mb.Ida(),
    mb.IndependentCoordinates(), *(mb.ScipySolver(method=name) for name in ("RK45", "DOP853", "Radau", "BDF", "LSODA")),
]  # fmt: skip
NAMES = [
    "automatic", "DormandPrince8", "DormandPrince5", "BDF", "Adams", "Ida", "IndependentCoordinates", "SciPy RK45",
    "SciPy DOP853", "SciPy Radau", "SciPy BDF", "SciPy LSODA",
]  # fmt: skip


@pytest.fixture(scope="module")
def oscillator() -> mb.EquationsOfMotion:
    """One mass on a spring, with a force on it."""
    system = mb.System("oscillator")
    force = system.input("force")
    mass = system.body("mass", mass=1.0)
    slide = system.joint("x", system.world, mass, "Tx")
    system.load(mb.JointSpring(slide, OMEGA**2))
    system.load(mb.JointLoad(slide, force))
    return mb.derive(system)


@pytest.fixture(scope="module")
def two_oscillators() -> mb.EquationsOfMotion:
    """Two masses on springs of their own, with a weak spring between them."""
    system = mb.System("two")
    (k,) = system.parameters(coupling=0.0)
    slides = []
    for name, stiffness in (("large", 1.0), ("small", OMEGA**2)):
        body = system.body(f"mass_{name}", mass=1.0)
        slide = system.joint(name, system.world, body, "Tx")
        system.load(mb.JointSpring(slide, stiffness))
        slides.append(slide)
    a, b = (slide.coordinate for slide in slides)
    system.load(mb.JointLoad(slides[0], k * (b - a)))
    system.load(mb.JointLoad(slides[1], k * (a - b)))
    return mb.derive(system)


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=NAMES)
@pytest.mark.parametrize("amplitude", AMPLITUDES)
def test_oscillations_of_any_size(oscillator, integrator, amplitude):
    for q, u in ((amplitude, 0.0), (0.0, OMEGA * amplitude)):
        run = mb.simulate(oscillator, duration=DURATION, q={"x": q}, u={"x_dot": u}, integrator=integrator)
        exact = q * np.cos(OMEGA * run.t) + u / OMEGA * np.sin(OMEGA * run.t)
        assert np.abs(run["x"] - exact).max() < 1e-5 * amplitude


@pytest.mark.parametrize("integrator", [None, mb.DormandPrince5()], ids=["automatic", "DormandPrince5"])
def test_oscillations_of_any_size_in_a_sweep(oscillator, integrator):
    by_displacement = mb.sweep(oscillator, DURATION, cases=[{"x": a} for a in AMPLITUDES], integrator=integrator)
    by_speed = mb.sweep(oscillator, DURATION, cases=[{"x_dot": a} for a in AMPLITUDES], integrator=integrator)
    for amplitude, one, other in zip(AMPLITUDES, by_displacement, by_speed, strict=True):
        assert np.abs(one["x"] - amplitude * np.cos(OMEGA * one.t)).max() < 1e-5 * amplitude
        exact = amplitude / OMEGA * np.sin(OMEGA * other.t)
        assert np.abs(other["x"] - exact).max() < 1e-5 * amplitude


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=NAMES)
def test_a_tiny_force_from_rest(oscillator, integrator):
    force = 1e-12
    run = mb.simulate(oscillator, duration=DURATION, inputs={"force": force}, integrator=integrator)
    exact = force / OMEGA**2 * (1 - np.cos(OMEGA * run.t))
    assert np.abs(run["x"] - exact).max() < 1e-5 * force


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=NAMES)
def test_a_tiny_harmonic_force_from_rest(oscillator, integrator):
    """Force and state are zero at the start."""
    run = mb.simulate(
        oscillator, duration=DURATION, inputs={"force": 1e-12 * sin(oscillator.model.time)}, integrator=integrator
    )
    exact = 1e-12 / (OMEGA**2 - 1) * (np.sin(run.t) - np.sin(OMEGA * run.t) / OMEGA)
    assert np.abs(run["x"] - exact).max() < 1e-5 * 1e-12


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=NAMES)
@pytest.mark.parametrize("coupling", [0.0, 1e-10], ids=["uncoupled", "coupled"])
def test_a_tiny_oscillation_beside_a_large_one(two_oscillators, integrator, coupling):
    q = np.array([1.0, 1e-9])
    run = mb.simulate(
        two_oscillators, duration=DURATION, q={"large": 1.0, "small": 1e-9}, parameters={"coupling": coupling},
        integrator=integrator,
    )  # fmt: skip
    stiffness = np.diag([1.0, OMEGA**2]) + coupling * np.array([[1.0, -1.0], [-1.0, 1.0]])
    squares, modes = np.linalg.eigh(stiffness)
    parts = np.linalg.solve(modes, q)
    exact = modes @ (parts[:, None] * np.cos(np.sqrt(squares)[:, None] * run.t))
    assert np.abs(run["large"] - exact[0]).max() < 1e-5
    assert np.abs(run["small"] - exact[1]).max() < 1e-3 * 1e-9


def planar_chain() -> mb.EquationsOfMotion:
    """Three links that could move in space, but swing in a plane but for rounding."""
    system, parent = mb.System("chain", gravity=(0, 0, -9.81)), None
    for k in range(3):
        body = system.body(f"link{k}", mass=1.0 + 0.3 * k, inertia=(0.1, 0.2, 0.15), com=(0.5, 0, 0))
        place = system.world if parent is None else parent.frame(f"end{k}", position=(1, 0, 0))
        system.joint(f"joint{k}", place, body, ["Ry", "Rx", "Rz"], q=(0.3, 0, 0))
        parent = body
    return mb.derive(system)


def chain_in_a_slanted_plane() -> mb.EquationsOfMotion:
    """The same with quaternions, in a plane that is not one of the coordinates."""
    system, parent = mb.System("chain", gravity=(0, 0, -9.81)), None
    for k in range(2):
        body = system.body(f"link{k}", mass=1.0 + 0.3 * k, inertia=(0.1, 0.2, 0.15), com=(0.3, 0.4, 0))
        place = system.world if parent is None else parent.frame(f"end{k}", position=(0.6, 0.8, 0))
        system.joint(f"joint{k}", place, body, mb.Spherical())
        parent = body
    return mb.derive(system)


def mass_at_rest_on_a_spring() -> mb.EquationsOfMotion:
    """Gravity and spring cancel each other but for rounding."""
    system = mb.System("hanging", gravity=(0, 0, -9.81))
    slide = system.joint("z", system.world, system.body("mass", mass=1.7), "Tz", q=-1.7 * 9.81 / 913.3)
    system.load(mb.JointSpring(slide, 913.3))
    return mb.derive(system)


@pytest.mark.parametrize("model", [planar_chain, chain_in_a_slanted_plane])
@pytest.mark.parametrize("kind", [mb.DormandPrince8, mb.DormandPrince5, mb.Cvode])
def test_rounding_does_not_make_steps_shorter(model, kind):
    eom = model()
    run, with_given = (mb.simulate(eom, duration=5.0, integrator=one) for one in (kind(), kind(atol=1e-10)))
    tries = [one.statistics.steps + one.statistics.rejected for one in (run, with_given)]
    assert tries[0] <= 1.2 * tries[1]


@pytest.mark.parametrize("kind", [mb.DormandPrince8, mb.DormandPrince5, mb.Cvode, mb.ScipySolver])
def test_rest_in_an_equilibrium_takes_few_steps(kind):
    run = mb.simulate(mass_at_rest_on_a_spring(), duration=10.0, integrator=kind())
    assert run.statistics.steps + run.statistics.rejected < 500
    assert np.abs(run["z"] - run["z"][0]).max() < 1e-14


def test_scales_are_kept_across_events_and_begin_anew_with_each_run(oscillator):
    event = mb.Event(oscillator.coordinates[0], reset={"x_dot": oscillator.speeds[0]})
    first = mb.simulate(oscillator, duration=DURATION, q={"x": 1e-9}, events=[event])
    mb.simulate(oscillator, duration=DURATION, q={"x": 1.0})
    again = mb.simulate(oscillator, duration=DURATION, q={"x": 1e-9}, events=[event])
    exact = 1e-9 * np.cos(OMEGA * first.t)
    assert np.array_equal(first.y, again.y)
    assert np.abs(first["x"] - exact).max() < 1e-5 * 1e-9


def test_a_given_tolerance_is_absolute(oscillator):
    given = mb.DormandPrince5(atol=1e-10, max_step=DURATION)
    run = mb.simulate(oscillator, duration=DURATION, q={"x": 1e-12}, integrator=given, on_failure="return")
    assert np.abs(run["x"] - 1e-12 * np.cos(OMEGA * run.t)).max() > 0.1 * 1e-12


@pytest.mark.parametrize("kind", [mb.DormandPrince8, mb.Cvode, mb.ScipySolver])
@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), "small"])
def test_tolerances_that_make_no_sense_are_refused(kind, value):
    with refused("integrator-option-invalid", "atol"):
        kind(atol=value)
