"""Regulators and observers, held against Riccati's equation and closed on nonlinear models."""

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.linearization import linearize
from multibody.linearization.control.design import kalman, lqr
from multibody.linearization.control.observer_feedback import held, output_feedback

pytest.importorskip("control")


@pytest.fixture(scope="module")
def cart():
    """A cart with a pole on it that stands, a force on the cart, and two sensors."""
    system = mb.System("cart", gravity=(0, 0, -9.81))
    box = system.body("box", 1.0)
    slide = system.joint("x", system.world, box, "Tx")
    hinge = system.joint("angle", box, system.body("pole", 0.2, (0, 0, 0.5), (0, 0.01, 0)), "Ry")
    system.load(mb.JointLoad(slide, system.input("F")))
    system.sensor("place", mb.Expression(slide.coordinate))
    system.sensor("tilt", mb.Expression(hinge.coordinate))
    return mb.derive(system)


def test_the_gains_solve_riccatis_equation(cart):
    lin = linearize(cart)
    found = lqr(lin, {"x": 2.0, "tilt": 10.0}, {"F": 0.1})
    weights = np.zeros((4, 4))
    weights[lin.states.index("x"), lin.states.index("x")] = 2.0
    weights[lin.states.index("angle"), lin.states.index("angle")] = 10.0  # what the sensor measures
    A, B = lin.A, lin.B
    closed = A - B @ found.K
    from scipy.linalg import solve_continuous_lyapunov  # the cost of the closed loop, by another equation

    cost = solve_continuous_lyapunov(closed.T, -(weights + 0.1 * found.K.T @ found.K))
    assert pytest.approx(B.T @ cost / 0.1, rel=1e-8) == found.K
    assert np.sort_complex(found.poles) == pytest.approx(np.sort_complex(np.linalg.eigvals(closed)), rel=1e-9)
    assert (found.poles.real < 0).all()


def test_a_pole_is_balanced_in_one_line(cart):
    law = lqr(linearize(cart), {"x": 1.0, "angle": 10.0}, {"F": 0.1}).inputs
    run = mb.simulate(cart, duration=10.0, q={"x": 1.0, "angle": 0.6}, inputs=law)
    assert abs(run.q[-1]).max() < 1e-3
    assert abs(run["angle"]).max() < 1.0
    free = mb.simulate(cart, duration=2.0, q={"angle": 0.6})
    assert free["angle"][-1] > 1.5


def test_an_arm_is_held_at_an_angle_that_needs_effort():
    system = mb.System("arm", gravity=(0, 0, -9.81))
    hinge = system.joint("angle", system.world, system.body("bob", 2.0, (0, 0, 0.5)), "Ry")
    system.load(mb.JointLoad(hinge, system.input("M")))
    eom = mb.derive(system)
    effort = -2 * 9.81 * 0.5 * np.sin(1.0)
    regulator = lqr(linearize(eom, {"angle": 1.0, "M": effort}), {"angle": 100.0}, {"M": 0.1})
    run = mb.simulate(eom, duration=5.0, q={"angle": 0.2}, inputs=regulator.inputs)
    assert run["angle"][-1] == pytest.approx(1.0, abs=1e-4)
    assert run["M"][-1] == pytest.approx(effort, rel=1e-3)


def test_what_does_not_matter_is_left_out(cart):
    lin = linearize(cart)
    states = "angle", "x_dot", "angle_dot"
    found = lqr(lin, {"angle": 10.0, "x_dot": 1.0}, {"F": 0.1}, states=states)
    assert found.K[0, lin.states.index("x")] == 0
    assert (np.sort(found.poles.real)[:3] < 0).all()
    assert abs(found.poles).min() == 0  # where the cart is


def test_a_pole_is_balanced_by_what_sensors_say(cart):
    lin = linearize(cart)
    regulator = lqr(lin, {"x": 1.0, "angle": 10.0}, {"F": 0.1})
    observer = kalman(lin, {"F": 1.0}, {"place": 1e-5, "tilt": 1e-5})
    assert (observer.poles.real < -1).all()
    law = output_feedback(regulator, observer, period=0.005)
    run = mb.simulate(cart, duration=8.0, q={"angle": 0.15}, inputs=law)
    assert abs(run.q[-1]).max() < 1e-2
    again = mb.simulate(cart, duration=8.0, q={"angle": 0.15}, inputs=law)
    assert (run.q == again.q).all()  # each run begins anew


def test_the_observer_between_samples_is_exact(cart):
    """Against many small steps of its differential equation."""
    lin = linearize(cart)
    observer = kalman(lin, {"F": 1.0}, {"place": 1e-3, "tilt": 1e-3})
    x, r, y = np.array([0.1, -0.2, 0.3, 0.4]), np.array([0.7]), np.array([0.05, -0.1])
    expected, steps, period = x, 20_000, 0.02
    for _ in range(steps):  # the midpoint rule
        half = expected + period / steps / 2 * slope(observer, expected, r, y)
        expected = expected + period / steps * slope(observer, half, r, y)
    assert held(observer, period) @ np.concatenate([x, r, y]) == pytest.approx(expected, rel=1e-8)


def slope(observer, x, r, y):
    lin = observer.system
    return lin.A @ x + lin.B @ r + observer.L @ (y - lin.C @ x - lin.D @ r)


def test_what_cannot_be_done_is_told(cart):
    lin = linearize(cart)
    with refused("name-unknown", "tlit"):
        lqr(lin, {"tlit": 1.0}, {"F": 1.0})
    with refused("weights-invalid"):
        lqr(lin, {"x": 1.0}, {"F": 0.0})
    blind = linearize(cart, outputs=["angle_dot"])
    with refused("mode-not-reached"):
        kalman(blind, {"F": 1.0}, {"angle_dot": 1.0})
    idle = mb.System("idle")
    idle.input("F")
    idle.joint("x", idle.world, idle.body("box", 1.0), "Tx")
    with refused("mode-not-reached") as error:
        lqr(linearize(mb.derive(idle)), {"x": 1.0}, {"F": 1.0})
    assert "reached by the inputs (F)" in str(error.value)


def test_regulator_and_observer_belong_together(cart):
    one, other = linearize(cart), linearize(cart)
    regulator, observer = lqr(one, {"x": 1.0}, {"F": 1.0}), kalman(other, {"F": 1.0}, {"place": 1.0, "tilt": 1.0})
    with refused("linear-systems-differ"):
        output_feedback(regulator, observer, 0.01)


def test_a_disturbance_that_an_accelerometer_feels_is_correlated_with_it():
    """Riccati's equation with S = B·W·Dᵀ and R + D·W·Dᵀ, solved by SciPy."""
    from scipy.linalg import solve_continuous_are

    system = mb.System("block")
    body = system.body("body", 2.0)
    slide = system.joint("x", system.world, body, "Tx")
    system.load(mb.JointSpring(slide, 8.0))
    system.load(mb.JointLoad(slide, system.input("F")))
    system.sensor("felt", mb.Acceleration(body))
    lin = linearize(mb.derive(system), outputs=["felt_1"])
    W, R = 3.0, 0.01
    S, whole = W * lin.B @ lin.D.T, R + W * lin.D @ lin.D.T
    P = solve_continuous_are(lin.A.T, lin.C.T, W * lin.B @ lin.B.T, whole, s=S)
    observer = kalman(lin, {"F": W}, {"felt_1": R})
    np.testing.assert_allclose(observer.L, (P @ lin.C.T + S) / whole, rtol=1e-8)
