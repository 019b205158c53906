"""The Whipple bicycle of the benchmark (Meijaard, Papadopoulos, Ruina and Schwab 2007), and the rolling disc."""

from functools import cache

import numpy as np
import pytest

import multibody as mb
from multibody.graph import symbol
from multibody.linearization import linearize, linearize_symbolic

from ..formalisms import mechanisms  # noqa: TID252

STATES = ("lean_rx", "steer", "lean_rx_dot", "steer_dot")
INDEPENDENT = (*STATES, "rear_dot")

M = [[80.81722, 2.3194133220870913477], [2.3194133220870913477, 0.29784188199685552999]]
C1 = [[0, 33.866413914924943883], [-0.85035641456978437036, 1.6854039739755967411]]
K0 = [[-80.95, -2.5995168524987164073], [-2.5995168524987164073, -0.80329488458617688081]]
K2 = [[0, 76.597345895732221519], [0, 2.6543152379460402523]]

EIGENVALUES = {  # castering, capsize, real and imaginary part of weave
    1: (-7.1100801463744077273, -3.1342312506657842279, 3.5269617099006941697, 0.8077402751993100451),
    2: (-8.6738798483173716281, -3.0715864564151425129, 2.6823451751274534547, 1.6806629659067577596),
    3: (-10.351014672459228198, -2.6336613725366529572, 1.7067560566397351538, 2.315824473843243567),
    4: (-12.158614265764439655, -1.4294442736132574503, 0.41325331521124132084, 3.079108186032053628),
    5: (-14.078389692798247151, -0.32286642900408707758, -0.77534188219584192547, 4.4648677137882251411),
    6: (-16.085371230980284041, -0.004066900769703362423, -1.5264448658414171457, 5.8767306059870840337),
    7: (-18.157884661252020911, 0.10268170574766415884, -2.1387564425836342792, 7.1952591332980425502),
    8: (-20.279408943945662988, 0.14327879765712949831, -2.6934868358109477186, 8.4603797139693359008),
    9: (-22.437885590408590587, 0.15790184030917298232, -3.2167540225249074692, 9.6937735153178219535),
    10: (-24.624596350174000247, 0.16105338653171554193, -3.7201684043728757266, 10.906811394762882004),
}


@cache
def bicycle():
    return mb.derive(mechanisms.bicycle())


@cache
def at_speed(v, independent=INDEPENDENT):
    return linearize(bicycle(), {"lean_rx": 0.0, "steer": 0.0, "rear_dot": -v / 0.3}, independent=independent)


@cache
def symbolic():
    v = symbol("v")
    at = {"lean_rx": 0, "steer": 0, "rear_dot": -v / 0.3}
    return linearize_symbolic(bicycle(), at, independent=INDEPENDENT)


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())


def test_canonical_matrices():
    """M·q̈ + v·C1·q̇ + (g·K0 + v²·K2)·q = 0 for roll and steer."""
    standing, rolling = (at_speed(v).second_order("lean_rx", "steer") for v in (0.0, 1.0))
    close(standing.M, M)
    np.testing.assert_allclose(standing.C, 0, atol=1e-13)
    close(rolling.C, C1)
    close(standing.K / 9.81, K0)
    close(rolling.K - standing.K, K2)


@pytest.mark.parametrize("v", EIGENVALUES)
@pytest.mark.parametrize("way", ["numbers", "symbols"])
def test_eigenvalues(v, way):
    lin = at_speed(float(v)) if way == "numbers" else symbolic().at(v=float(v))
    assert lin.steady
    poles = lin.part(*STATES).poles
    castering, capsize, real, imaginary = EIGENVALUES[v]
    nearly_zero = 2e-14  # the capsize pole at 6 m/s, beside one of -16/s: rounding is felt there
    np.testing.assert_allclose(np.sort(poles[poles.imag == 0].real), [castering, capsize], rtol=1e-12, atol=nearly_zero)
    weave = poles[poles.imag > 0]
    np.testing.assert_allclose([weave.real[0], weave.imag[0]], [real, imaginary], rtol=1e-12)


def test_eigenvalues_of_the_standing_bicycle():
    expected = [5.530943717653934639, 3.1316432479065556678, -3.1316432479065556678, -5.530943717653934639]
    np.testing.assert_allclose(at_speed(0.0).part(*STATES).poles, expected, rtol=1e-12)


def test_weave_and_capsize_by_bisection():
    """The speeds at which poles cross the imaginary axis; the symbolic system is compiled once."""
    from scipy.optimize import brentq

    function = symbolic().function
    rows = [symbolic().states.index(name) for name in STATES]

    def growth(v, oscillating):
        poles = np.linalg.eigvals(function(v).A[np.ix_(rows, rows)])
        chosen = poles[np.abs(poles.imag) > 0.1] if oscillating else poles[np.abs(poles.imag) < 0.1]
        return float(chosen.real.max())

    assert brentq(growth, 3.0, 5.0, args=(True,), xtol=1e-13) == pytest.approx(4.2923825363411039587, rel=1e-11)
    assert brentq(growth, 5.5, 7.0, args=(False,), xtol=1e-13) == pytest.approx(6.0242620153883588899, rel=1e-11)


def test_other_independent_states_have_the_same_poles():
    """Pitch instead of nothing, yaw rate instead of steer rate: another picture of the same motion."""
    first = at_speed(5.0)
    other = at_speed(5.0, ("lean_rz_dot", "lean_rx_dot", "rear_dot"))
    assert "steer_dot" not in other.states
    np.testing.assert_allclose(np.poly(other.A), np.poly(first.A), rtol=1e-9, atol=1e-7)


def test_shapes_of_modes_hold_the_dependent_motion():
    """In weave the yaw rate follows roll and steer: δψ̇·w·cos λ… = v·δ·cos λ/w + c·δ̇·cos λ/w for the rear contact."""
    lin = at_speed(5.0)
    weave = next(mode for mode in lin.modes if mode.oscillates)
    w, c, tilt = 1.02, 0.08, np.pi / 10
    yaw_rate = (5.0 * weave.shape["steer"] + c * weave.shape["steer_dot"]) * np.cos(tilt) / w
    assert weave.shape["lean_rz_dot"] == pytest.approx(yaw_rate, rel=1e-11)
    assert weave.damping == pytest.approx(0.77534188219584192547 / abs(-0.77534188219584 + 4.46486771378823j), rel=1e-9)


# the rolling disc ----------------------------------------------------------------------------------------------------


@cache
def disc():
    """A thin disc with radius, mass and gravity one; yaw, lean and spin, as in the SymPy manual."""
    system = mb.System("disc", gravity=(0, 0, -1))
    wheel = system.body("wheel", 1.0, inertia=(0.25, 0.5, 0.25))
    system.joint("place", system.world, wheel, ["Tx", "Ty", "Tz", "Rz", "Rx", "Ry"], q=(0, 0, 1, 0, 0, 0))
    system.constraint(mb.RollingDisc(system.world, wheel, 1.0), name="contact")
    return mb.derive(system)


def rolling(spin):
    independent = ["place_rz", "place_rx", "place_ry", "place_rz_dot", "place_rx_dot", "place_ry_dot"]
    return linearize(disc(), {"place_rx": 0.0, "place_ry_dot": spin}, independent=independent)


def test_the_disc_of_the_seed():
    """SymPy's 8×8 matrix: lean'' = 4/5·lean + 6/5·spin·yaw', yaw'' = -2·spin·lean'."""
    spin = 0.8
    lin = rolling(spin)
    assert lin.steady
    assert len(lin.states) == 8
    upright = lin.part("place_rx", "place_rx_dot", "place_rz_dot")
    np.testing.assert_allclose(upright.A, [[0, 1, 0], [0.8, 0, 1.2 * spin], [0, -2 * spin, 0]], rtol=1e-12, atol=1e-13)


def test_critical_speed_of_the_disc():
    """Upright rolling is stable for spins above 1/√3, where all eigenvalues are zero."""
    from scipy.optimize import brentq

    def square(spin):  # of the pole of lean: 4/5 - 12/5·spin²
        A = rolling(spin).part("place_rx", "place_rx_dot", "place_rz_dot").A
        return float((A @ A)[1, 1])

    assert brentq(square, 0.3, 0.9, xtol=1e-14) == pytest.approx(1 / np.sqrt(3), rel=1e-12)
    assert np.abs(rolling(1 / np.sqrt(3)).poles).max() < 1e-4  # a Jordan block: rounding^(1/3)
    assert rolling(0.5).poles.real.max() > 0.4
    assert rolling(0.7).poles.real.max() < 1e-7
