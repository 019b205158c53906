"""Runge–Kutta methods as numbers, against SciPy's and their order conditions."""

import numpy as np
import pytest
import scipy.integrate
from scipy.integrate._ivp import dop853_coefficients as dop853

from multibody.simulation.integrators.butcher_tableaus import CLASSICAL, DORMAND_PRINCE_5, DORMAND_PRINCE_8


def test_numbers_of_order_8_are_those_of_dop853():
    method = DORMAND_PRINCE_8
    np.testing.assert_array_equal(method.A, dop853.A)
    np.testing.assert_allclose(method.c, dop853.C, rtol=1e-16)
    np.testing.assert_array_equal(method.E[:, :13], [dop853.E5, dop853.E3])
    np.testing.assert_array_equal(method.D, dop853.D)


def test_numbers_of_order_5_are_those_of_dormand_and_prince():
    method, peer = DORMAND_PRINCE_5, scipy.integrate.RK45
    np.testing.assert_array_equal(method.A[:6, :5], peer.A)
    np.testing.assert_array_equal(method.A[6, :6], peer.B)
    np.testing.assert_array_equal(method.c[:6], peer.C)
    np.testing.assert_allclose(method.E[0], -peer.E, rtol=1e-15, atol=1e-18)


def test_dense_output_of_order_5_is_shampines():
    """SciPy writes the same polynomial as Σ_j K_j·Σ_p P_jp·θ^(p+1)."""
    method, peer, theta = DORMAND_PRINCE_5, scipy.integrate.RK45.P, np.linspace(0, 1, 11)[:, None]
    b, first, last = method.A[6], np.eye(7)[0], np.eye(7)[6]
    rows = [b, first - b, 2 * b - first - last, method.D[0]]
    ours = theta * (rows[0] + (1 - theta) * (rows[1] + theta * (rows[2] + (1 - theta) * rows[3])))
    np.testing.assert_allclose(ours, theta ** np.arange(1, 5) @ peer.T, atol=1e-13)


@pytest.mark.parametrize("method", [CLASSICAL, DORMAND_PRINCE_5, DORMAND_PRINCE_8], ids=["4", "5", "8"])
def test_stages_are_evaluated_when_their_sums_say(method):
    np.testing.assert_allclose(method.A.sum(axis=1), method.c, atol=2e-15)
    powers = np.arange(method.order)
    b, c = method.A[method.stages], method.c[:, None]
    np.testing.assert_allclose(b @ np.where(powers == 0, 1.0, c**powers), 1 / (powers + 1), atol=1e-15)
