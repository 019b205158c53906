"""Mechanisms with closed loops and rolling wheels against published numbers and closed-form relations.

Sources: the La Coruña library of benchmark problems (A02, A03), Hairer and Wanner's book and the test set for initial
value problems (Andrews' mechanism), SymPy's tutorials, the Modelica Standard Library, Meijaard and others (2007).
Trajectories were recomputed for this purpose with an independent program; see also ``test_sympy_constraints``.
"""

from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import multibody as mb
from multibody import library
from multibody.graph import evaluate

from . import mechanisms

CRANK_SPEED = np.radians(300)


def motion(eom, start, times):
    """Coordinates and speeds by name at some times, by an explicit method of order eight."""
    n = len(eom.coordinates)

    def rate(t, x):
        return np.concatenate(eom.state_rate(t, x[:n], x[n:], [], mechanisms.values(eom)))

    x = np.concatenate([start.q, start.u])
    run = solve_ivp(rate, (0, times[-1]), x, "DOP853", t_eval=times, rtol=1e-12, atol=1e-12)
    return dict(zip([one.name for one in (*eom.coordinates, *eom.speeds)], run.y, strict=True))


def ordered(eom, values):
    """Values by the names of coordinates, in the order of the equations."""
    return np.array([float(values[one.name]) for one in eom.coordinates])


# a row of four-bar linkages -----------------------------------------------------------------------------------------


@cache
def row(count):
    return mb.derive(mechanisms.n_four_bar(count))


def parallel(eom, theta, omega):
    """All verticals at one angle, all horizontals level."""
    places = {q.name: theta if q.name.startswith("pivot") else -theta for q in eom.coordinates}
    return eom.consistent(places, {"pivot0_dot": omega}, fixed=["pivot0", "pivot0_dot"])


@pytest.mark.parametrize("count", [1, 2, 5, 8])
@pytest.mark.parametrize(("theta", "omega"), [(np.pi / 2, -1.0), (1.0, 0.4), (2.6, 3.0), (-0.7, -2.0)])
def test_n_four_bar_moves_as_its_reduction_to_one_degree_of_freedom(count, theta, omega):
    """[(N + 1)/3 + N]·θ'' = -[(N + 1)/2 + N]·g·cos θ."""
    eom = row(count)
    state = parallel(eom, theta, omega)
    expected = -((count + 1) / 2 + count) * 9.81 * np.cos(theta) / ((count + 1) / 3 + count)
    found = dict(zip(eom.speeds, eom.forward_dynamics(0.0, state.q, state.u, [], []), strict=True))
    for speed, value in found.items():
        sign = 1 if speed.name.startswith("pivot") else -1
        assert value == pytest.approx(sign * expected, rel=1e-12, abs=1e-12)
        assert state[speed.name] == pytest.approx(sign * omega, rel=1e-12)


def test_n_four_bar_has_one_degree_of_freedom():
    eom = row(5)
    assert len(eom.speeds) - len(eom.constraints.independent) == 1
    assert all(name.rpartition("_")[2] in {"fz", "tx", "ty"} for name in eom.constraints.redundant)
    assert len(eom.constraints.redundant) == 3 * 5


def test_motion_of_two_four_bars():
    found = motion(row(2), row(2).consistent(), [0.05, 0.5])
    np.testing.assert_allclose(found["pivot0"], [1.5205575779748, 0.80197769923969], rtol=1e-11)
    np.testing.assert_allclose(found["pivot2_dot"], [-1.0143373823848, -2.7273084942771], rtol=1e-11)


# Andrews' squeezing mechanism ---------------------------------------------------------------------------------------

START_ACCELERATION = (14222.4439199541138705911625887, -10666.8329399655854029433719415, 0, 0, 0, 0, 0)
START_MULTIPLIERS = (98.5668703962410896057654982170, -6.12268834425566265503114393122, 0, 0, 0, 0)
LATER = 0.03
LATER_PLACE = (
    15.810771195153707097, -15.75637105841183947, 0.040822240119645804858, -0.53473011634207959377,
    0.52440996587995406937, 0.53473011634207959377, 1.0480807410419378731,
)  # fmt: skip
LATER_SPEED = (
    1139.9203022591060642, -1424.3792951775400732, 11.032911910618593745, 19.293374105032040832,
    0.57356991482950245382, -19.293374105032040832, 0.32317914924913087499,
)  # fmt: skip
LATER_ACCELERATION = (
    -24631.76312287463447, 51850.319636464231534, 324102.60070757860581, 566749.42200099532649,
    16743.63541834544461, -566749.42200099532649, 9826.5078015441626885,
)  # fmt: skip
PUBLISHED_MULTIPLIERS = (  # at t = 0.03, good to about 1e-9 in the state and 1e-6 here
    0.1991753333731910e3, -0.2975531228015052e2, 0.2306654119098399e2, 0.3145271365475927e2, 0.2264249232082739e2,
    0.1161740700019673e2,
)  # fmt: skip


def angles(values):
    return dict(zip(mechanisms.ANDREWS_START, values, strict=True))


@cache
def squeezer(closed_by):
    return mb.derive({"hinges": mechanisms.andrews, "equations": mechanisms.andrews_by_equations}[closed_by]())


closings = pytest.mark.parametrize("closed_by", ["hinges", "equations"])


@closings
def test_andrews_at_the_start(closed_by):
    eom = squeezer(closed_by)
    q = ordered(eom, mechanisms.ANDREWS_START)
    residuals = eom.constraint_residuals(0.0, q, np.zeros(7), [], [])
    assert np.abs(residuals.position).max() < 1e-16
    expected = ordered(eom, angles(START_ACCELERATION))
    np.testing.assert_allclose(eom.forward_dynamics(0.0, q, np.zeros(7), [], []), expected, rtol=1e-12, atol=1e-9)


@closings
def test_andrews_at_full_speed(closed_by):
    eom = squeezer(closed_by)
    q, u, a = (ordered(eom, angles(values)) for values in (LATER_PLACE, LATER_SPEED, LATER_ACCELERATION))
    np.testing.assert_allclose(eom.forward_dynamics(LATER, q, u, [], []), a, rtol=1e-12)


def test_multipliers_of_andrews():
    """The book writes M·q'' = f - Gᵀ·λ, so its λ has the other sign."""
    eom = squeezer("equations")
    q, still = ordered(eom, mechanisms.ANDREWS_START), np.zeros(7)
    np.testing.assert_allclose(-eom.constraint_forces(0.0, q, still, [], []), START_MULTIPLIERS, rtol=1e-12, atol=1e-12)
    q, u = ordered(eom, angles(LATER_PLACE)), ordered(eom, angles(LATER_SPEED))
    np.testing.assert_allclose(-eom.constraint_forces(LATER, q, u, [], []), PUBLISHED_MULTIPLIERS, rtol=2e-6)


def test_both_closings_of_andrews_need_the_same_forces():
    """Bᵀ·λ of hinges at E and of the book's equations."""
    forces = []
    for closed_by in ("hinges", "equations"):
        eom = squeezer(closed_by)
        q, u = ordered(eom, angles(LATER_PLACE)), ordered(eom, angles(LATER_SPEED))
        B = eom.function("matrix", {"B": eom.B})(LATER, q, u, [], [])
        forces.append(B.T @ eom.constraint_forces(LATER, q, u, [], []))
    np.testing.assert_allclose(forces[0], forces[1], rtol=1e-10, atol=1e-10 * np.abs(forces[0]).max())


@closings
def test_mass_matrix_and_forces_of_andrews(closed_by):
    eom = squeezer(closed_by)
    rng = np.random.default_rng(0)
    q, u = angles(rng.uniform(-3, 3, 7)), angles(rng.uniform(-50, 50, 7))
    M, f = book(q, u)
    order = [list(mechanisms.ANDREWS_START).index(one.name) for one in eom.coordinates]
    arguments = 0.0, ordered(eom, q), ordered(eom, u), [], []
    np.testing.assert_allclose(eom.mass_matrix(*arguments), M[np.ix_(order, order)], rtol=1e-12, atol=1e-20)
    np.testing.assert_allclose(-eom.bias(*arguments), f[order], rtol=1e-11, atol=1e-16)


def book(q, u):
    """M and f of Hairer and Wanner, page 534."""
    m1, m2, m3, m4, m5, m6, m7 = 0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498
    i1, i2, i3, i4, i5, i6, i7 = 2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5
    xb, yb, xc, yc, c0, l0, mom = -0.03635, 0.03273, 0.014, 0.072, 4530.0, 0.07785, 0.033
    da, e, ea, zf, fa, rr, ra = 0.0115, 0.02, 0.01421, 0.02, 0.01421, 0.007, 0.00092
    sa, sb, sc, sd, zt, ta, tb, u7, ua, ub = (
        0.01874,
        0.01043,
        0.018,
        0.02,
        0.04,
        0.02308,
        0.00916,
        0.04,
        0.01228,
        0.00449,
    )
    sin, cos = ({name: function(angle) for name, angle in q.items()} for function in (np.sin, np.cos))
    x, z = e - ea, zf - fa
    M = np.zeros((7, 7))
    M[0, 0] = m1 * ra**2 + m2 * (rr**2 - 2 * da * rr * cos["Theta"] + da**2) + i1 + i2
    M[0, 1] = M[1, 0] = m2 * (da**2 - da * rr * cos["Theta"]) + i2
    M[1, 1] = m2 * da**2 + i2
    M[2, 2] = m3 * (sa**2 + sb**2) + i3
    M[3, 3] = m4 * x**2 + i4
    M[3, 4] = M[4, 3] = m4 * (x**2 + zt * x * sin["Phi"]) + i4
    M[4, 4] = m4 * (zt**2 + 2 * zt * x * sin["Phi"] + x**2) + m5 * (ta**2 + tb**2) + i4 + i5
    M[5, 5] = m6 * z**2 + i6
    M[5, 6] = M[6, 5] = m6 * (z**2 - u7 * z * sin["Omega"]) + i6
    M[6, 6] = m6 * (z**2 - 2 * u7 * z * sin["Omega"] + u7**2) + m7 * (ua**2 + ub**2) + i6 + i7
    xd, yd = sd * cos["gamma"] + sc * sin["gamma"] + xb, sd * sin["gamma"] - sc * cos["gamma"] + yb
    length = np.hypot(xd - xc, yd - yc)
    fx, fy = -c0 * (length - l0) / length * np.array([xd - xc, yd - yc])
    f = [
        mom - m2 * da * rr * u["Theta"] * (u["Theta"] + 2 * u["beta"]) * sin["Theta"],
        m2 * da * rr * u["beta"] ** 2 * sin["Theta"],
        fx * (sc * cos["gamma"] - sd * sin["gamma"]) + fy * (sd * cos["gamma"] + sc * sin["gamma"]),
        m4 * zt * x * u["delta"] ** 2 * cos["Phi"],
        -m4 * zt * x * u["Phi"] * (u["Phi"] + 2 * u["delta"]) * cos["Phi"],
        -m6 * u7 * z * u["epsilon"] ** 2 * cos["Omega"],
        m6 * u7 * z * u["Omega"] * (u["Omega"] + 2 * u["epsilon"]) * cos["Omega"],
    ]
    return M, np.array(f)


def test_motion_of_andrews():
    eom = squeezer("hinges")
    found = motion(eom, eom.consistent(), [0.005, 0.01, LATER])
    beta = [0.211076385903266679, 2.16011313153152651, LATER_PLACE[0]]
    np.testing.assert_allclose(found["beta"], beta, rtol=1e-9)
    np.testing.assert_allclose(found["beta_dot"], [151.010701269234346, 711.923152831103979, LATER_SPEED[0]], rtol=1e-9)
    np.testing.assert_allclose(found["Omega"], -found["Phi"], rtol=1e-9)


# four-bar linkages --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cut", [None, "q1", "q2", "q3", "q4"])
def test_reaction_of_the_four_bar_in_the_tutorial_of_sympy(cut):
    """On two vertical bars: half of the coupler's weight and that of one bar, (0, -98.1) N."""
    system = mechanisms.four_bar(cut=cut)
    system.sensor("reaction", mb.ConstraintForce(system["q4"], expressed_in=system.world))
    eom = mb.derive(system)
    state = eom.consistent()
    np.testing.assert_allclose(eom.sensors(0.0, state.q, state.u, [], []), [0, -98.1, 0], rtol=1e-12, atol=1e-12)


SPATIAL = {
    "hinges": library.spatial_four_bar, "ball": mechanisms.spatial_four_bar_with_ball,
    "rod": mechanisms.spatial_four_bar_with_rod,
}  # fmt: skip


@cache
def spatial(kind):
    return mb.derive(SPATIAL[kind]())


def turning(eom):
    return eom.consistent(u={"j1_dot": CRANK_SPEED}, fixed=["j1", "j1_dot"])


def test_rates_of_fourbar1_at_the_start():
    state = turning(spatial("hinges"))
    found = [state[name] for name in ("j2_dot", "rev_dot", "rev1_dot")]
    np.testing.assert_allclose(found, [-0.10471976, 2.61799388, 0.52359878], atol=5e-9)


def test_masses_of_fourbar1():
    model = spatial("hinges").model
    masses = [float(evaluate(model.bodies[k].mass, model.parameter_values())) for k in range(3)]
    np.testing.assert_allclose(masses, [7.7091640801242844, 3.0237829290801765, 15.856851454825735], rtol=1e-14)


@pytest.mark.parametrize("kind", ["hinges", "ball"])
def test_motion_of_fourbar1(kind):
    found = motion(spatial(kind), turning(spatial(kind)), [0.25, 0.5, 1.0])
    np.testing.assert_allclose(found["j1"], [1.8037594048, 4.5338125692, 7.8021634255], atol=1e-9)
    np.testing.assert_allclose(found["j1_dot"], [10.1490812306, 8.8747755214, 9.3617082513], atol=1e-9)
    np.testing.assert_allclose(found["j2"], [-0.3544775449, -0.3034297899, -0.3222684380], atol=1e-9)
    np.testing.assert_allclose(found["j2_dot"], [-1.1124853618, 1.0092827074, -1.0761969562], atol=1e-9)


def test_motion_of_fourbar2():
    found = motion(spatial("rod"), turning(spatial("rod")), [0.25, 1.0])
    np.testing.assert_allclose(found["j1"], [1.7993951332, 7.7882833349], atol=1e-9)
    np.testing.assert_allclose(found["j1_dot"], [10.1082728200, 9.2923014166], atol=1e-9)
    np.testing.assert_allclose(found["j2"], [-0.3539988157, -0.3206726982], atol=1e-9)
    np.testing.assert_allclose(found["j2_dot"], [-1.1095932069, -1.0683467292], atol=1e-9)


# curious linkages ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("theta", [1.2, 1.9, -2.3])
def test_bennett(theta):
    """tan(θ/2)·tan(φ/2) = sin((β + α)/2)/sin((β - α)/2), opposite angles are opposite (Bennett 1903)."""
    eom = mb.derive(mechanisms.bennett("theta4"))
    guess = {"theta1": theta, "theta2": np.copysign(2.0, theta), "theta3": -theta}
    state = eom.consistent(guess, fixed=["theta1"])
    alpha, beta = np.radians([40, 75])
    ratio = np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2)
    assert np.tan(theta / 2) * np.tan(state["theta2"] / 2) == pytest.approx(ratio, rel=1e-9)
    assert state["theta3"] == pytest.approx(-theta, rel=1e-9)


@pytest.mark.parametrize("theta", [0.4, 1.0, 1.4])
def test_bricard(theta):
    """cos θ + cos φ + cos θ·cos φ = 0 (Chen, You and Tarnai 2005, for twists of 90 degrees)."""
    eom = mb.derive(mechanisms.bricard("theta6"))
    state = eom.consistent({"theta1": theta, "theta3": theta, "theta5": theta}, fixed=["theta1"])
    phi = np.arccos(-np.cos(theta) / (1 + np.cos(theta)))
    np.testing.assert_allclose(state.q, [theta, phi, theta, phi, theta], rtol=1e-7)


def test_peaucellier_draws_a_straight_line():
    system = mechanisms.peaucellier()
    system.sensor("a", mb.Acceleration(system["end_CP"]))
    eom = mb.derive(system)
    for crank in (0.1, 0.4, -0.5):
        state = eom.consistent({"at_AB": crank}, {"at_AB_dot": 3.0}, fixed=["at_AB", "at_AB_dot"])
        found = eom.sensors(0.0, state.q, state.u, [], [])
        assert found.P[0] == pytest.approx((2.5**2 - 1.2**2) / 2, rel=1e-12)
        assert found.P[1] == pytest.approx(found.P[0] * np.tan(crank / 2), rel=1e-10)  # B is on the same ray from O
        assert abs(found.a[0]) < 1e-11 < abs(found.a[1])


# the bicycle --------------------------------------------------------------------------------------------------------


@cache
def bicycle():
    return mb.derive(mechanisms.bicycle())


PARAMETERS = list(mechanisms.BICYCLE.values())
FREE = ("lean_rx", "steer", "lean_rx_dot", "steer_dot")


def riding(v, **deviations):
    """The bicycle at a forward speed, near to straight upright running."""
    eom = bicycle()
    values = dict.fromkeys(FREE, 0.0) | deviations
    q = {name: values[name] for name in FREE[:2]}
    u = {name: values[name] for name in FREE[2:]} | {"rear_dot": -v / 0.3}
    return eom.consistent(q, u, fixed=[*q, *u])


def lean_and_steer(state):
    """Accelerations of roll and steer."""
    eom = bicycle()
    found = dict(zip(eom.speeds, eom.forward_dynamics(0.0, state.q, state.u, [0.0], PARAMETERS), strict=True))
    return np.array([value for speed, value in found.items() if speed.name in FREE])


def test_constraints_of_the_bicycle():
    names = bicycle().constraints.names
    assert names == (
        "rear_tyre_forward", "rear_tyre_sideways", "front_tyre_forward", "front_tyre_sideways", "front_tyre_normal"
    )  # fmt: skip
    assert [names[k] for k in bicycle().constraints.holonomic] == ["front_tyre_normal"]
    assert not bicycle().constraints.redundant


@pytest.mark.parametrize("v", [0.0, 1.0, 5.0])
def test_upright_running_of_the_bicycle_is_steady(v):
    eom, state = bicycle(), riding(v)
    assert state["pitch"] == pytest.approx(np.pi / 10, abs=1e-12)  # the tilt of the steer axis
    np.testing.assert_allclose([state["place_tx_dot"], state["front_dot"]], [v, -v / 0.35], rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(eom.forward_dynamics(0.0, state.q, state.u, [0.0], PARAMETERS), 0, atol=1e-12)


def test_wheels_carry_the_weight_of_the_bicycle():
    """The front one carries m·g·x/w, with x the place of the centre of mass ahead of the rear contact."""
    eom, state = bicycle(), riding(3.0)
    found = eom.constraint_forces(0.0, state.q, state.u, [0.0], PARAMETERS)
    forces = dict(zip(eom.constraints.names, found, strict=True))
    share = (85 * 0.3 + 4 * 0.9 + 3 * 1.02) / 1.02
    assert forces["front_tyre_normal"] == pytest.approx(share * 9.81, rel=1e-12)
    assert abs(forces["front_tyre_forward"]) < 1e-11


@pytest.mark.parametrize("v", [1.0, 2.0, 3.0, 4.0, 5.0])
def test_linear_bicycle(v):
    """Central differences of the nonlinear equations against the state matrix (SymPy's test_kane3)."""
    step = 1e-4
    columns = [lean_and_steer(riding(v, **{x: step})) - lean_and_steer(riding(v, **{x: -step})) for x in FREE]
    by_steer = -0.891197738059089 * v**2 - 0.571523173729245, -1.97171508499972 * v**2 + 30.9087533932407
    lean = 9.48977444677355, by_steer[0], -0.105522449805691 * v, -0.330515398992311 * v
    steer = 11.7194768719633, by_steer[1], 3.67680523332152 * v, -3.08486552743311 * v
    np.testing.assert_allclose(np.transpose(columns) / (2 * step), [lean, steer], rtol=0, atol=2e-6)
