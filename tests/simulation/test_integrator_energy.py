"""Symplectic methods over long times."""

import math

import numpy as np
import pytest

from multibody.graph import sin
from multibody.simulation.integrators.fixed_step import RungeKutta4, SemiImplicitEuler, Symplectic

from .motions import double_pendulum, move, on_a_rail, start


def energy_errors(integrator, periods=1e4):
    """Of ẍ = -sin x from x = 2, at all steps."""
    problem, y0 = start(on_a_rail(lambda t, x, v: -sin(x), x=2.0))
    y = move(integrator, problem, y0, periods * 2 * math.pi).y
    return abs(y[:, 1] ** 2 / 2 - np.cos(y[:, 0]) + math.cos(2.0))


@pytest.mark.parametrize(("kind", "power"), [(SemiImplicitEuler, 1), (Symplectic, 2)])
def test_symplectic_methods_keep_energy_near_its_value_for_ten_thousand_periods(kind, power):
    """Off by an amount like h or h², which does not grow."""
    errors = [energy_errors(kind(step=h, every_step=True)) for h in (0.1, 0.05)]
    for error in errors:
        assert error[-5000:].max() < 1.02 * error[:5000].max()
    assert errors[0].max() / errors[1].max() == pytest.approx(2**power, rel=0.15)


def test_a_method_that_is_not_symplectic_loses_energy():
    """What the test above can see."""
    error = energy_errors(RungeKutta4(step=0.2, every_step=True))
    assert error[-1000:].max() > 100 * error[:1000].max()


def test_leapfrog_is_its_own_reverse():
    """Forward, and back with all speeds reversed, although mass matrix and rates depend on everything."""
    problem, y0 = start(double_pendulum())
    there = move(Symplectic(step=0.01), problem, y0, 1.0).last_y.copy()
    there[2:4] *= -1
    back = move(Symplectic(step=0.01), problem, there, 1.0).last_y
    assert abs(back[:2] - y0[:2]).max() < 1e-9


def test_leapfrog_keeps_the_energy_of_a_double_pendulum():
    eom = double_pendulum()
    problem, y0 = start(eom)
    y0[:4] = -math.pi / 2 + 0.5, 0.4, 0.0, 0.0  # it swings and does not turn over
    y = move(Symplectic(step=0.02, every_step=True), problem, y0, 1000.0).y
    total = eom.function("total", {"energy": eom.kinetic_energy + eom.potential_energy})
    energy = total.batch(np.zeros(len(y)), y[:, :2], y[:, 2:4], np.zeros((len(y), 0)), np.zeros((len(y), 0)))
    error = abs(energy - total(0.0, y0[:2], y0[2:4], [], []))
    assert error[-5000:].max() < 1.2 * error[:5000].max() < 0.02
