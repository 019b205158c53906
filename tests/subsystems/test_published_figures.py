"""The figures of the MoSs documentation: spherical pendulum three ways, double pendulum, equal to what is printed.

Printed equations are compared with ours as they are where both are the same function of their symbols, and otherwise
on the surface where the identities hold, which is parametrized by two angles: equal there means equal modulo the
identities, exactly.
"""

import numpy as np
import pytest

from multibody.algebra import Quaternion, Vec3
from multibody.graph import (
    ZERO,
    all_same,
    array,
    cos,
    is_zero,
    jacobian,
    parse,
    same,
    sin,
    substitute,
    symbol,
    time_derivative,
)
from multibody.subsystems import KnownMotion, KnownRelations, couple, subsystem
from multibody.subsystems.rigid_body.newton_euler import newton_euler
from multibody.subsystems.rigid_body.placement import rotation

SPIN = ["w_B_x", "w_B_y", "w_B_z"]
SPHERE = "p_B_x**2 + p_B_y**2 + p_B_z**2"
EULER = {  # printed in all three figures
    "w_B_x_dot": "(I_B_y - I_B_z)*w_B_y*w_B_z/I_B_x",
    "w_B_y_dot": "(-I_B_x + I_B_z)*w_B_x*w_B_z/I_B_y",
    "w_B_z_dot": "(I_B_x - I_B_y)*w_B_x*w_B_y/I_B_z",
}


def body():
    """``NewtonEuler["B", "Position", "-z"]``."""
    return newton_euler("B", "Position", "-z")


def known_in(system):
    """The symbols of a system by name."""
    parameters = {one.name: one for p in system.parameters for one in p.default}
    return parameters | {one.name: one for one in system.orders}


def printed(system, texts):
    """Printed expressions in the symbols of a system."""
    return array([parse(text, known_in(system)) for text in texts])


def on_sphere(expressions, system):
    """Expressions where p·p = a², p·v = 0 and k = v·v: in terms of two angles and their rates."""
    a, th, ph = (symbol(name, kind) for name, kind in (("a", "parameter"), ("th", "variable"), ("ph", "variable")))
    flow = {th: symbol("th_dot"), ph: symbol("ph_dot")}
    p = [a * sin(th) * cos(ph), a * sin(th) * sin(ph), -a * cos(th)]
    v = [time_derivative(entry, flow) for entry in p]
    values = dict(zip("p_B_x p_B_y p_B_z v_B_x v_B_y v_B_z".split(), [*p, *v], strict=True))
    values["k_B"] = sum((entry**2 for entry in v), start=ZERO)
    known = {one: values[name] for name, one in known_in(system).items() if name in values}
    return substitute(list(expressions), known)


def S_is_printed(system, rows, columns, texts):
    """Whether S is the printed matrix; columns are separated by commas, rows by semicolons."""
    expected = [printed(system, row.split(",")) for row in texts.split(";")]
    found = [[system.S[row, column] for column in columns] for row in rows]
    return (
        set(system.S.rows) == set(rows)
        and set(system.S.columns) == set(columns)
        and all_same(found, expected, points=2)
    )


@pytest.fixture(scope="module")
def figure_1():
    """Independent p_x, p_y, v_x, v_y and ω."""
    return couple(
        "S", [body()], {"sphere": f"{SPHERE} - a**2"}, parameters="a",
        relations=KnownRelations(identities={SPHERE: "a**2"}),
        independent={0: ["p_B_x", "p_B_y"], 1: ["v_B_x", "v_B_y", *SPIN]},
    )  # fmt: skip


@pytest.fixture(scope="module")
def figure_2():
    """With the quasi-velocity k_B = v·v; the columns of S say which independent variables MoSs has chosen."""
    identities = {
        SPHERE: "a**2",
        "p_B_x*v_B_x + p_B_y*v_B_y + p_B_z*v_B_z": 0,
        "p_B_x**2 + p_B_y**2": "a**2 - p_B_z**2",
        "p_B_x*v_B_x + p_B_y*v_B_y": "-p_B_z*v_B_z",
        "v_B_x**2 + v_B_y**2 + v_B_z**2": "k_B",
    }
    constraints = {"sphere": f"{SPHERE} - a**2", "k": "v_B_x**2 + v_B_y**2 + v_B_z**2 - k_B"}
    return couple(
        "S", [body()], constraints, variables={1: ["k_B"]}, parameters="a",
        relations=KnownRelations(identities=identities),
        independent=[*SPIN, "v_B_z", "v_B_y"],
    )  # fmt: skip


@pytest.fixture(scope="module")
def figure_3():
    """In spherical coordinates."""
    constraints = ["p_B_x - a*sin(theta)*cos(phi)", "p_B_y - a*sin(theta)*sin(phi)", "p_B_z + a*cos(theta)"]
    return couple(
        "S", [body()], constraints, variables={0: ["phi", "theta"], 1: ["phi_dot", "theta_dot"]}, parameters="a",
        independent=["phi_dot", "theta_dot", *SPIN],
    )  # fmt: skip


def test_figure_1_explicit_equations_are_the_printed_ones(figure_1):
    expected = EULER | {
        "v_B_x_dot": "p_B_x*(g*p_B_z - v_B_x**2 - v_B_y**2 - v_B_z**2)/a**2",
        "v_B_y_dot": "p_B_y*(g*p_B_z - v_B_x**2 - v_B_y**2 - v_B_z**2)/a**2",
    }
    found = figure_1.explicit()
    assert all_same([found[name] for name in expected], printed(figure_1, expected.values()), points=2)


def test_figure_1_vertical_acceleration_is_printed_modulo_the_identity(figure_1):
    text = "-(g*(p_B_x**2 + p_B_y**2) + p_B_z*(v_B_x**2 + v_B_y**2 + v_B_z**2))/a**2"
    found, expected = figure_1.explicit()["v_B_z_dot"], printed(figure_1, [text])[0]
    assert all_same(on_sphere([found], figure_1), on_sphere([expected], figure_1), points=2)


def test_figure_1_S(figure_1):
    columns = ["v_B_x", "v_B_y", *SPIN]
    texts = "1,0,0,0,0; 0,1,0,0,0; -p_B_x/p_B_z,-p_B_y/p_B_z,0,0,0; 0,0,1,0,0; 0,0,0,1,0; 0,0,0,0,1"
    assert S_is_printed(figure_1, ["v_B_x", "v_B_y", "v_B_z", *SPIN], columns, texts)


def test_figure_2_explicit_equations_are_the_printed_ones(figure_2):
    expected = EULER | {
        "k_B_dot": "-2*g*v_B_z",
        "v_B_x_dot": "p_B_x*(-k_B + g*p_B_z)/a**2",
        "v_B_y_dot": "p_B_y*(-k_B + g*p_B_z)/a**2",
        "v_B_z_dot": "-(a**2*g + p_B_z*(k_B - g*p_B_z))/a**2",
    }
    found = figure_2.explicit()
    assert all_same([found[name] for name in expected], printed(figure_2, expected.values()), points=2)


def test_figure_2_S(figure_2):
    columns = [*SPIN, "v_B_z", "v_B_y"]
    texts = (
        "0,0,0, 2*(-p_B_z*v_B_x + p_B_x*v_B_z)/p_B_x, 2*(-p_B_y*v_B_x + p_B_x*v_B_y)/p_B_x;"
        "0,0,0,-p_B_z/p_B_x,-p_B_y/p_B_x; 0,0,0,0,1; 0,0,0,1,0; 1,0,0,0,0; 0,1,0,0,0; 0,0,1,0,0"
    )
    assert S_is_printed(figure_2, ["k_B", "v_B_x", "v_B_y", "v_B_z", *SPIN], columns, texts)


def test_figures_1_and_2_agree_where_the_identities_hold(figure_1, figure_2):
    names = ["v_B_x_dot", "v_B_y_dot", "v_B_z_dot"]
    first, second = (on_sphere([fig.explicit()[n] for n in names], fig) for fig in (figure_1, figure_2))
    assert all_same(first, second, points=2)


def test_figure_3_explicit_equations_are_the_printed_ones(figure_3):
    expected = EULER | {
        "v_B_x_dot": "-cos(phi)*sin(theta)*(cos(theta)*g + a*(theta_dot**2 + sin(theta)**2*phi_dot**2))",
        "v_B_y_dot": "-sin(theta)*sin(phi)*(cos(theta)*g + a*(theta_dot**2 + sin(theta)**2*phi_dot**2))",
        "v_B_z_dot": "-g*sin(theta)**2 + cos(theta)*a*(theta_dot**2 + sin(theta)**2*phi_dot**2)",
        "theta_ddot": "sin(theta)*(-g/a + cos(theta)*phi_dot**2)",
        "phi_ddot": "-2*cos(theta)*theta_dot*phi_dot/sin(theta)",
    }
    found = figure_3.explicit()
    assert all_same([found[name] for name in expected], printed(figure_3, expected.values()), points=2)


def test_figure_3_second_power_in_the_stored_text_is_a_misprint(figure_3):
    """The text has c_θ² where the figure's own p_z = -a·cos θ and θ̈ leave c_θ."""
    theta, rate = (known_in(figure_3)[name] for name in ("theta", "theta_dot"))
    p_z, theta_ddot = printed(figure_3, ["-a*cos(theta)", "sin(theta)*(-g/a + cos(theta)*phi_dot**2)"])
    implied = time_derivative(time_derivative(p_z, {theta: rate}), {theta: rate, rate: theta_ddot})
    text = "-g*sin(theta)**2 + cos(theta)**2*a*(theta_dot**2 + sin(theta)**2*phi_dot**2)"
    assert same(figure_3.explicit()["v_B_z_dot"], implied, points=2)
    assert not same(printed(figure_3, [text])[0], implied)


def test_figure_3_S(figure_3):
    columns = [*SPIN, "theta_dot", "phi_dot"]
    texts = (
        "0,0,0,a*cos(theta)*cos(phi),-a*sin(theta)*sin(phi); 0,0,0,a*cos(theta)*sin(phi),a*cos(phi)*sin(theta);"
        "0,0,0,a*sin(theta),0; 1,0,0,0,0; 0,1,0,0,0; 0,0,1,0,0; 0,0,0,1,0; 0,0,0,0,1"
    )
    rows = ["v_B_x", "v_B_y", "v_B_z", *SPIN, "theta_dot", "phi_dot"]
    assert S_is_printed(figure_3, rows, columns, texts)


# figure 4 ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def figure_4():
    """The double pendulum, before it is linearized; the bodies 1 and 2 of the figure are called b1 and b2."""
    bodies = [newton_euler(label, "Position", "-z") for label in ("b1", "b2")]
    constraints = [
        "p_b1_x - a1*sin(theta1)", "p_b1_y", "p_b1_z + a1*cos(theta1)",
        "p_b2_x - a1*sin(theta1) - a2*sin(theta2)", "p_b2_y", "p_b2_z + a1*cos(theta1) + a2*cos(theta2)",
    ]  # fmt: skip
    spins = [f"w_{label}_{axis}" for label in ("b1", "b2") for axis in "xyz"]
    return couple(
        "D", bodies, constraints, variables={0: "theta1 theta2", 1: "theta1_dot theta2_dot"}, parameters="a1 a2",
        independent=["theta1", "theta2", "theta1_dot", "theta2_dot", *spins],
        motion=KnownMotion(reference={"p_b1_z": "-a1", "p_b2_z": "-a1 - a2"}),
    )  # fmt: skip


def test_figure_4_nonlinear_model_is_that_of_lagrange(figure_4):
    """d/dt ∂T/∂θ̇ - ∂T/∂θ + ∂V/∂θ = 0 of the double pendulum of two particles, as every textbook has it."""
    found = figure_4.explicit()
    lagrange = [
        "(m_b1 + m_b2)*a1*A1 + m_b2*a2*A2*cos(theta1 - theta2) + m_b2*a2*theta2_dot**2*sin(theta1 - theta2)"
        " + (m_b1 + m_b2)*g*sin(theta1)",
        "a2*A2 + a1*A1*cos(theta1 - theta2) - a1*theta1_dot**2*sin(theta1 - theta2) + g*sin(theta2)",
    ]
    known = known_in(figure_4) | {"A1": found["theta1_ddot"], "A2": found["theta2_ddot"]}
    assert all(is_zero(parse(text, known), points=2) for text in lagrange)


def test_figure_4_first_order_terms_are_the_printed_ones(figure_4):
    """The derivatives of the explicit equations at rest, hanging down, times the deviations."""
    expected = dict.fromkeys([f"{row}_dot" for row in figure_4.S.rows], "0") | {
        "v_b1_x_dot": "g*(-(m_b1 + m_b2)*theta1 + m_b2*theta2)/m_b1",
        "v_b2_x_dot": "-g*theta2",
    }
    del expected["theta1_dot_dot"], expected["theta2_dot_dot"]
    expected |= {
        "theta1_ddot": "g*(-(m_b1 + m_b2)*theta1 + m_b2*theta2)/(a1*m_b1)",
        "theta2_ddot": "g*(m_b1 + m_b2)*(theta1 - theta2)/(a2*m_b1)",
    }
    found = figure_4.explicit()
    first_order = [linear_part(found[name], figure_4) for name in expected]
    assert all_same(first_order, printed(figure_4, expected.values()), points=2)


def linear_part(expression, system):
    """Σ (∂f/∂x)·x with all variables x at zero; those of the explicit equations are zero at rest."""
    variables = [one for one in system.orders if not one.name.startswith("p_")]
    slopes = substitute(list(jacobian([expression], variables)[0]), dict.fromkeys(variables, ZERO))
    return sum((slope * one for slope, one in zip(slopes, variables, strict=True)), start=ZERO)


# the quaternion ------------------------------------------------------------------------------------------------------


def test_printed_rates_of_the_quaternion_belong_to_inertial_axes():
    """Orsino's q̇ = ½·ω∘q holds for ω in inertial axes, while its I·ω̇ + ω × I·ω = T holds in body axes.

    Only q̇ = ½·q∘ω, which ``newton_euler`` has, turns the body with the angular velocity of the dynamic equations.
    """
    made = newton_euler("B", "quaternion", "none")
    q = [one for one in made.rates if one.name.startswith("q_")]
    w = Vec3(*(one for one in made.top if one.name.startswith("w_")))
    R = rotation("B", "quaternion").to_matrix()
    as_printed = dict(zip(q, seed_rates(q, w), strict=True))
    ours = {one: made.rates[one] for one in q}
    for rates, holds_in_body, holds_in_space in ((as_printed, False, True), (ours, True, False)):
        columns = [[time_derivative(entry, rates) for entry in column] for column in R.columns]
        in_body = [list(R @ w.cross(unit)) for unit in np.eye(3)]
        in_space = [list(w.cross(column)) for column in R.columns]
        assert all_same(columns, in_body, points=2) is holds_in_body
        assert all_same(columns, in_space, points=2) is holds_in_space


def seed_rates(q, w):
    """Lines 73 to 76 of ``NewtonEuler``, the scalar part first."""
    t, x, y, z = q
    return (
        (-x * w.x - y * w.y - z * w.z) / 2,
        (t * w.x + z * w.y - y * w.z) / 2,
        (-z * w.x + t * w.y + x * w.z) / 2,
        (y * w.x - x * w.y + t * w.z) / 2,
    )


def test_seed_rates_are_the_product_from_the_left():
    q, w = [symbol(f"q{axis}") for axis in "txyz"], Vec3(*(symbol(f"w{axis}") for axis in "xyz"))
    assert all_same(list(seed_rates(q, w)), Quaternion(*q).rate(w, "parent").components(), points=2)


def test_a_body_written_down_by_hand_is_the_same(figure_1):
    """Orsino 2015, eq. (1) for B, typed in: the pendulum made of it has the same equations."""
    rows = {f"v_B_{axis}": f"-m_B*v_B_{axis}_dot" + (" - m_B*g" if axis == "z" else "") for axis in "xyz"}
    for i, j, k in ("xyz", "yzx", "zxy"):
        rows[f"w_B_{i}"] = f"-I_B_{i}*w_B_{i}_dot - (I_B_{k} - I_B_{j})*w_B_{j}*w_B_{k}"
    by_hand = subsystem(
        "B", {0: [f"p_B_{axis}" for axis in "xyz"], 1: list(rows)}, rows,
        kinematics={f"p_B_{axis}": f"v_B_{axis}" for axis in "xyz"}, parameters="m_B g I_B_x I_B_y I_B_z",
    )  # fmt: skip
    other = couple(
        "S", [by_hand], {"sphere": f"{SPHERE} - a**2"}, parameters="a", independent=["v_B_x", "v_B_y", *SPIN]
    )
    assert all_same(other.M.matrix, figure_1.M.matrix, points=2)
    assert all_same(other.k, figure_1.k, points=2)
