"""Subsystems of every order, in every notation: held against solutions in closed form."""

import numpy as np
import pytest
import sympy
from tests.refusal import refused

import multibody as mb
from multibody.graph import all_same, same, sin, symbol
from multibody.subsystems import OwnEquations, couple, newton_euler, subsystem

FINE = mb.DormandPrince8(rtol=1e-12, atol=1e-13)


def at_end(made, duration, names, **run):
    """The last values of a run."""
    trajectory = mb.simulate(made.equations(), duration, integrator=FINE, samples=11, **run)
    assert trajectory.status is mb.Status.DONE
    return [trajectory[name][-1] for name in names.split()]


# one oscillator in every notation ------------------------------------------------------------------------------------

t = sympy.Symbol("t")
X, V, M, K, F = sympy.Function("x")(t), sympy.Function("v")(t), *sympy.symbols("m k F")
x, v, v_dot, m, k, force = (
    symbol("x", "coordinate"), symbol("v", "speed"), symbol("v_dot"), symbol("m", "parameter"),
    symbol("k", "parameter"), symbol("F", "input"),
)  # fmt: skip
NOTATIONS = {
    "text": ({"v": "F - k*x - m*v_dot"}, {"x": "v"}),
    "text, as equations": (["F - k*x = m*v_dot"], ["x_dot = v"]),
    "expressions": ({"v": force - k * x - m * v_dot}, {"x": v}),
    "SymPy": ([F - K * X - M * V.diff(t)], [X.diff(t) - V]),
    "SymPy, as equations": ([sympy.Eq(F - K * X, M * V.diff(t))], [sympy.Eq(X.diff(t), V)]),
    "SymPy's symbols": ([F - K * sympy.Symbol("x") - M * sympy.Symbol("v_dot")], {"x": sympy.Symbol("v")}),
    "mixed": ("F - k*x - m*v_dot", [sympy.Eq(X.diff(t), V)]),
}


@pytest.mark.parametrize("notation", NOTATIONS)
def test_every_notation_gives_the_same_equations(notation):
    dynamics, kinematics = NOTATIONS[notation]
    made = subsystem("osc", {0: "x", 1: "v"}, dynamics, kinematics=kinematics, parameters="m k", inputs="F")
    found = made.explicit()
    assert same(found["x_dot"], v, points=2)
    assert same(found["v_dot"], (force - k * x) / m, points=2)


def test_parameters_of_expressions_come_along():
    made = subsystem("osc", {0: "x", 1: "v"}, [-k * x - m * v_dot], kinematics={"x": v})
    assert {one.name for one in made.parameters} == {"m", "k"}


def test_constraints_in_every_notation():
    rules = ["p_B_z = 0", symbol("p_B_z", "coordinate"), sympy.Eq(sympy.Function("p_B_z")(t), 0), sympy.Symbol("p_B_z")]
    made = [couple("S", [newton_euler("B", "position", "-z")], [rule]) for rule in rules]
    assert all(all_same(one.M.matrix, made[0].M.matrix) for one in made)
    assert all(len(one.independent) == 5 for one in made)


# first order ---------------------------------------------------------------------------------------------------------


def test_a_first_order_subsystem():
    """A lag: T·ẋ + x = r."""
    lag = subsystem("lag", {0: "x"}, ["r - x - T*x_dot"], parameters={"T": 0.5}, inputs="r")
    assert at_end(lag, 1.0, "x", inputs={"r": 1.0}) == pytest.approx([1 - np.exp(-2)], rel=1e-10)


def test_rates_that_are_all_given():
    decay = subsystem("decay", {0: "x"}, kinematics={"x": "-2*x"}, start={"x": 3.0})
    assert decay.top == ()
    assert at_end(decay, 1.0, "x") == pytest.approx([3 * np.exp(-2)], rel=1e-10)


def test_a_lag_that_follows_a_mass():
    """A new variable of a coupled system, whose rate is given by variables of the parts."""
    mass = subsystem("mass", {0: "x", 1: "x_dot"}, ["-m*x_ddot"], parameters={"m": 2.0}, start={"x_dot": 1.0})
    made = couple(
        "S", [mass], variables={0: "y"}, own=OwnEquations(kinematics={"y": "(x - y)/T"}), parameters={"T": 0.5}
    )
    assert at_end(made, 1.0, "x y") == pytest.approx([1.0, 1 - 0.5 * (1 - np.exp(-2))], rel=1e-10)


def test_new_variables_may_follow_rates():
    ball = newton_euler("B", "position", "none", start={"v_B_x": 3.0})
    made = couple("S", [ball], variables={0: "way"}, own=OwnEquations(kinematics=["way_dot - 2*p_B_x_dot"]))
    assert same(made.explicit()["way_dot"], 2 * symbol("v_B_x", "speed"))


def test_rates_that_are_linked():
    made = subsystem("c", {0: "x y", 1: "v"}, ["-v_dot"], kinematics={"x": "v", "y": "2*x_dot + x"})
    assert same(made.explicit()["y_dot"], 2 * v + x, points=2)
    mixed = subsystem(
        "c", {0: "x y", 1: "v w"}, ["-v_dot", "-w_dot"], kinematics=["x_dot + y_dot = v", "x_dot = y_dot + w"]
    )
    w = symbol("w", "speed")
    assert all_same([mixed.explicit()[n] for n in ("x_dot", "y_dot")], [(v + w) / 2, (v - w) / 2], points=2)


# quasi-accelerations -------------------------------------------------------------------------------------------------

POLAR = {"r": "vr", "phi": "vt/r", "vr": "ar + vt**2/r", "vt": "at - vr*vt/r"}
FREE = {"parameters": {"m": 2.0}, "inputs": "F_r F_t", "start": {"r": 1.0, "vr": 0.2, "vt": 0.5}}


def polar():
    """A particle, its acceleration resolved along the radius and across."""
    return subsystem(
        "P", {0: "r phi", 1: "vr vt", 2: "ar at"}, {"ar": "F_r - m*ar", "at": "F_t - m*at"}, kinematics=POLAR, **FREE
    )


def redundant_polar():
    """The same with its inertia in fixed axes, by two quasi-accelerations more and two invariants among them."""
    rows = {"ar": "F_r", "at": "F_t", "ax": "-m*ax", "ay": "-m*ay"}
    turned = {"x": "ax = ar*cos(phi) - at*sin(phi)", "y": "ay = ar*sin(phi) + at*cos(phi)"}
    return subsystem(
        "P", {0: "r phi", 1: "vr vt", 2: "ar at ax ay"}, rows, kinematics=POLAR, constraints=turned, **FREE
    )


@pytest.mark.parametrize("make", [polar, redundant_polar])
def test_quasi_accelerations_of_a_free_particle(make):
    r, phi, ar = at_end(make(), 2.0, "r phi ar")
    assert [r * np.cos(phi), r * np.sin(phi)] == pytest.approx([1.0 + 0.2 * 2, 0.5 * 2], rel=1e-10)
    assert ar == pytest.approx(0.0, abs=1e-10)


@pytest.mark.parametrize("make", [polar, redundant_polar])
def test_quasi_accelerations_on_a_circle(make):
    """Coupled by r = 1: the force across turns it, v̇_t = F_t/m."""
    ring = couple("ring", [make()], {"ring": "r - 1"})
    assert at_end(ring, 2.0, "vt phi", inputs={"F_t": 3.0}, u={"vr": 0.0}) == pytest.approx([3.5, 4.0], rel=1e-9)


def test_a_quasi_acceleration_in_a_constraint_of_a_larger_system():
    """Held at ä_t = 2: F_t does not matter any more."""
    made = couple("S", [redundant_polar()], {"push": "at = 2"})
    found = at_end(made, 0.5, "vr vt at", inputs={"F_t": 7.0}, q={"r": 1.0})
    assert found[2] == pytest.approx(2.0, rel=1e-12)


def test_quasi_accelerations_that_are_not_determined():
    with refused("quasi-accelerations-undetermined"):
        subsystem("P", {0: "r phi", 1: "vr vt", 2: "ar at ax"}, {"ar": "-m*ar"}, kinematics=POLAR, **FREE)


def test_third_order():
    """A jerk that a controller gives: the highest variable is an acceleration."""
    made = subsystem("j", {0: "x", 1: "v", 2: "a"}, ["r - a - T*a_dot"], kinematics={"x": "v", "v": "a"},
                     parameters={"T": 0.5}, inputs="r")  # fmt: skip
    exact = 1.0 - 0.5 * (1 - np.exp(-2))  # v(1) of a = 1 - exp(-t/T)
    assert at_end(made, 1.0, "v", inputs={"r": 1.0}) == pytest.approx([exact], rel=1e-10)


# constraints of every order ------------------------------------------------------------------------------------------


def test_a_constraint_on_accelerations_alone():
    """m·ẍ = F + λ and n·ÿ = -λ with ẍ - ÿ = sin t."""
    rows, rule = ["F - m*x_ddot", "-n*y_ddot"], {"apart": "x_ddot - y_ddot - sin(t)"}
    made = subsystem("two", {0: "x y", 1: "x_dot y_dot"}, rows, constraints=rule, parameters="m n", inputs="F")
    found = at_end(made, 1.0, "x y", parameters={"m": 1.0, "n": 3.0}, inputs={"F": 2.0})
    swing = 1.0 - np.sin(1.0)  # the double integral of sin
    assert found == pytest.approx([(2.0 / 2 + 3 * swing) / 4, (2.0 / 2 - swing) / 4], rel=1e-10)


def skate():
    """A knife edge on an inclined plane, Neimark and Fufaev (1972)."""
    rows = {"x_dot": "m*g*sin(al) - m*x_ddot", "y_dot": "-m*y_ddot", "phi_dot": "-J*phi_ddot"}
    return subsystem(
        "skate", {0: "x y phi", 1: "x_dot y_dot phi_dot"}, rows,
        constraints={"edge": "x_dot*sin(phi) - y_dot*cos(phi)"}, parameters={"m": 2.0, "g": 9.81, "al": 0.3, "J": 0.1},
        start={"phi_dot": 1.5}, energy=("m*(x_dot**2 + y_dot**2)/2 + J*phi_dot**2/2", "-m*g*sin(al)*x"),
    )  # fmt: skip


def test_a_knife_edge_on_an_incline_runs_on_a_cycloid():
    """x = g·sin α/(2ω²)·sin²ωt, y = g·sin α/(2ω²)·(ωt - ½·sin 2ωt), φ = ωt."""
    w, T = 1.5, 1.3
    size = 9.81 * np.sin(0.3) / (2 * w**2)
    exact = [size * np.sin(w * T) ** 2, size * (w * T - np.sin(2 * w * T) / 2), w * T]
    assert at_end(skate(), T, "x y phi") == pytest.approx(exact, rel=1e-9)


def test_its_energy_is_kept():
    run = mb.simulate(skate().equations(), 3.0, integrator=FINE)
    assert run.energy_drift < 1e-9


def rolling_disc():
    system = mb.System("disc", gravity=(0, 0, -9.81))
    disc = system.body("disc", 2.0, inertia=mb.diag(0.045, 0.09, 0.045))
    system.joint("at", system.world, disc, ["Tx", "Ty", "Tz", "Rz", "Rx", "Ry"])
    system.constraint(mb.RollingDisc(system.world, disc, 0.3), name="grip")
    return system


def test_a_rolling_disc_is_that_of_a_system():
    """As a model with multipliers, and as a subsystem: the same accelerations and contact forces."""
    system = rolling_disc()
    ours, theirs = mb.modular.from_system(system).equations(), mb.derive(system, constraints=mb.Multipliers())
    state = theirs.consistent({"at_rx": 0.4, "at_rz": 0.3}, {"at_rz_dot": 0.7, "at_rx_dot": -0.2, "at_ry_dot": 5.0})
    arguments = (0.0, state.q, state.u, [], [])
    a, forces = theirs.forward_dynamics(*arguments), theirs.constraint_forces(*arguments)
    assert np.abs(a).min() > 1e-3
    np.testing.assert_allclose(ours.forward_dynamics(*arguments), a, rtol=1e-10)
    np.testing.assert_allclose(ours.constraint_forces(*arguments), forces, rtol=1e-10)


def test_rolling_written_down():
    """A coin that rolls upright: its velocity is r·spin along its heading, which turns at a constant rate."""
    rows = {"x_dot": "-m*x_ddot", "y_dot": "-m*y_ddot", "heading_dot": "-J*heading_ddot", "spin_dot": "-I*spin_ddot"}
    rolling = {"x": "x_dot = r*spin_dot*cos(heading)", "y": "y_dot = r*spin_dot*sin(heading)"}
    coin = subsystem(
        "coin", {0: "x y heading spin", 1: list(rows)}, rows, constraints=rolling, independent="heading_dot spin_dot",
        parameters={"m": 1.0, "J": 0.2, "I": 0.1, "r": 0.5}, start={"heading_dot": 2.0, "spin_dot": 3.0, "x_dot": 1.5},
    )  # fmt: skip
    T, w, v = 1.7, 2.0, 1.5
    assert at_end(coin, T, "x y spin") == pytest.approx([v / w * np.sin(w * T), v / w * (1 - np.cos(w * T)), 3 * T])


# moving constraints --------------------------------------------------------------------------------------------------


def shaken_pendulum(rule, **more):
    """A particle on a rod whose pivot moves along x."""
    rows, rod = {"x_dot": "-m*x_ddot", "z_dot": "-m*g - m*z_ddot"}, ["x = s + l*sin(th)", "z = -l*cos(th)"]
    parameters = {"m": 2.0, "g": 9.81, "l": 0.7}
    ball = subsystem("ball", {0: "x z", 1: "x_dot z_dot"}, rows, parameters=parameters)
    return couple("S", [ball], [*rod, rule], variables="s th", independent=["th_dot"], **more)


def lagrange(duration, th, course):
    """θ̈ = -(g·sin θ + s̈·cos θ)/l by SciPy."""
    from scipy.integrate import solve_ivp

    flow = lambda time, y: [y[1], -(9.81 * np.sin(y[0]) + course(time) * np.cos(y[0])) / 0.7]  # noqa: E731
    return solve_ivp(flow, (0, duration), [th, 0.0], "DOP853", rtol=1e-12, atol=1e-13).y[0, -1]


START = {"q": {"th": 0.4, "x": 0.7 * np.sin(0.4), "z": -0.7 * np.cos(0.4)}}


def test_a_constraint_that_moves_with_time():
    made = shaken_pendulum("s = A*(1 - cos(W*t))", parameters={"A": 0.2, "W": 3.0})
    exact = lagrange(1.5, 0.4, lambda time: 0.2 * 9 * np.cos(3 * time))
    assert at_end(made, 1.5, "th", **START) == pytest.approx([exact], rel=1e-8)


def test_a_constraint_that_follows_an_input_with_its_rates():
    made = shaken_pendulum("s = r", inputs="r")
    assert [one.name for one in made.inputs] == ["r", "r_dot", "r_ddot"]
    course = 0.2 * sin(3 * made.equations().model.time) ** 2
    exact = lagrange(1.5, 0.4, lambda time: 0.2 * 18 * np.cos(6 * time))
    assert at_end(made, 1.5, "th", inputs={"r": course}, **START) == pytest.approx([exact], rel=1e-8)


def test_a_prescribed_velocity():
    made = shaken_pendulum("s_dot = r", inputs="r")
    course = 0.2 * sin(3 * made.equations().model.time) ** 2
    exact = lagrange(1.5, 0.4, lambda time: 0.2 * 3 * np.sin(6 * time))
    assert at_end(made, 1.5, "th s", inputs={"r": course}, **START)[0] == pytest.approx(exact, rel=1e-8)


# a quasi-velocity that is not linear ---------------------------------------------------------------------------------


def test_the_square_of_a_velocity_as_a_quasi_velocity():
    """k_B = v·v of the spherical pendulum (MoSs, figure 2): it stays what it is, and energy is kept."""
    ball = newton_euler("B", "position", "-z", parameters={"m_B": 2, "g": 9.81, "I_B_x": 1, "I_B_y": 1, "I_B_z": 1})
    rules = {"sphere": "p_B_x**2 + p_B_y**2 + p_B_z**2 - a**2", "k": "k_B = v_B_x**2 + v_B_y**2 + v_B_z**2"}
    made = couple("S", [ball], rules, variables={1: "k_B"}, parameters={"a": 1.0})
    begin = {"q": {"p_B_x": 0.6, "p_B_z": -0.8}, "u": {"v_B_y": 1.2, "k_B": 1.44}}
    run = mb.simulate(made.equations(), 1.0, integrator=FINE, **begin)
    squares = sum(run[f"v_B_{axis}"] ** 2 for axis in "xyz")
    np.testing.assert_allclose(run["k_B"], squares, rtol=1e-9)
    np.testing.assert_allclose(run["k_B"] / 2 + 9.81 * run["p_B_z"], 1.44 / 2 - 9.81 * 0.8, rtol=1e-9)
    assert run.energy_drift < 1e-9
