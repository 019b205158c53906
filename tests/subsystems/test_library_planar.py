"""Planar parts coupled to small machines, whose equations are known from elsewhere."""

from math import cos, pi, sin, sqrt

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.errors import ModelError
from multibody.graph import same
from multibody.subsystems import couple
from multibody.subsystems.library import planar

from .library_states import of_system, rates, state

G = (0, -9.81)
CLOSE = 1e-10


def moved(names, seed, scale=1.0):
    """Random values."""
    rng = np.random.default_rng(seed)
    return {name: float(value) for name, value in zip(names, rng.uniform(-scale, scale, len(names)), strict=True)}


def link(system, name, mass, length):
    """A uniform rod along its x, with one end in its origin."""
    inertia = mass * length**2 / 12
    return system.body(name, mass, (length / 2, 0, 0), (0, inertia, inertia))


@pytest.mark.parametrize("as_variables", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_cart_and_rod_are_a_cart_pendulum(as_variables, seed):
    parts = [
        planar.cart("C", 1.3, damping=0.2, drive="F"),
        planar.rod("R", 0.7, 0.9, gravity=G, as_variables=as_variables),
    ]
    machine = couple("M", parts, ["x_A_R = x_C", "y_A_R"], independent="x_C_dot theta_R_dot")
    values = moved(["x_C", "theta_R", "x_C_dot", "theta_R_dot", "F_C"], seed)
    found = rates(machine, state(machine, values))

    system = mb.System("known", gravity=(*G, 0))
    cart = system.body("cart", 1.3)
    x = system.joint("x", system.world, cart, "Tx")
    system.joint("theta", cart, link(system, "rod", 0.7, 0.9), "Rz")
    system.load(mb.JointLoad(x, system.input("F")))
    system.load(mb.JointDamper(x, 0.2))
    names = ("x", "theta", "x_dot", "theta_dot", "F")
    known = of_system(system, **dict(zip(names, values.values(), strict=True)))
    assert found["x_C_dot"] == pytest.approx(known["x_dot"], abs=CLOSE)
    assert found["theta_R_dot"] == pytest.approx(known["theta_dot"], abs=CLOSE)


@pytest.mark.parametrize("as_variables", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_two_rods_are_a_double_pendulum(as_variables, seed):
    one = planar.rod("U", 0.7, 0.9, gravity=G, as_variables=as_variables)
    two = planar.rod("L", 0.4, 1.1, gravity=G, as_variables=as_variables)
    machine = couple("M", [one, two], ["x_A_U", "y_A_U", "x_A_L = x_B_U", "y_A_L = y_B_U"])
    values = moved(["theta_U", "theta_L", "theta_U_dot", "theta_L_dot"], seed)
    found = rates(machine, state(machine, values))

    system = mb.System("known", gravity=(*G, 0))
    upper = link(system, "upper", 0.7, 0.9)
    system.joint("a", system.world, upper, "Rz")
    system.joint("b", upper.frame("end", (0.9, 0, 0)), link(system, "lower", 0.4, 1.1), "Rz")
    a, b, da, db = values.values()
    known = of_system(system, a=a, b=b - a, a_dot=da, b_dot=db - da)
    assert found["theta_U_dot"] == pytest.approx(known["a_dot"], abs=CLOSE)
    assert found["theta_L_dot"] == pytest.approx(known["a_dot"] + known["b_dot"], abs=CLOSE)


def test_copies_by_renaming_are_the_same_as_new_parts():
    one = planar.rod("U", gravity=G, as_variables=True)
    copy = one.renamed("L", {one.name: one.name.replace("_U", "_L") for one in (*one.orders, *one.parameters)})
    new = planar.rod("L", gravity=G, as_variables=True)
    assert [u.name for u in copy.top] == [u.name for u in new.top]
    assert all(same(copy.rows[u], new.rows[u]) for u in new.rows)
    assert all(same(a, b) for a, b in zip(copy.S.matrix.flat, new.S.matrix.flat, strict=True))
    assert [p.name for p in copy.parameters] == [p.name for p in new.parameters]


@pytest.mark.parametrize("angle", [0.3, 1.2, 2.5, -0.8])
def test_rods_and_a_point_are_a_slider_crank(angle):
    crank, rod = planar.rod("C", 0.5, 0.3, gravity=G), planar.rod("R", 0.8, 1.0, gravity=G)
    piston = planar.point_mass("P", 1.4, gravity=G)
    joints = ["x_A_C", "y_A_C", "x_A_R = x_B_C", "y_A_R = y_B_C", "x_B_R = x_P", "y_B_R = y_P", "y_P"]
    machine = couple("M", [crank, rod, piston], joints)
    assert len(machine.independent) == 1
    guess = {"theta_R": 0.0, "x_P": 1.0, "y_P": 0.0}
    values = state(machine, {"theta_C": angle, "theta_C_dot": 1.7}, guess)
    found = rates(machine, values)

    system = mb.System("known", gravity=(*G, 0))
    first, second, slider = (
        link(system, "first", 0.5, 0.3),
        link(system, "second", 0.8, 1.0),
        system.body("slider", 1.4),
    )
    system.joint("a", system.world, first, "Rz")
    system.joint("b", first.frame("end_1", (0.3, 0, 0)), second, "Rz")
    system.joint("x", system.world, slider, "Tx")
    system.joint("pin", second.frame("end_2", (1.0, 0, 0)), slider, "Rz", cut=True)
    bend = values["theta_R"] - values["theta_C"], values["theta_R_dot"] - values["theta_C_dot"]
    known = of_system(system, a=angle, b=bend[0], x=values["x_P"], a_dot=1.7, b_dot=bend[1], x_dot=values["x_P_dot"])
    assert found["theta_C_dot"] == pytest.approx(known["a_dot"], abs=CLOSE)
    assert found["x_P_dot"] == pytest.approx(known["x_dot"], abs=CLOSE)


def test_a_body_hung_at_a_point_is_a_physical_pendulum():
    body = planar.rigid_body("B", 2.0, 0.3, points={"A": (0.4, -0.1)}, gravity=G)
    machine = couple("M", [body], ["x_A_B", "y_A_B"])
    values = state(machine, {"theta_B": 0.7, "theta_B_dot": -1.1})
    moment = 2.0 * 9.81 * (0.4 * cos(0.7) + 0.1 * sin(0.7))  # the centre is at -R·(0.4, -0.1) from the pivot
    assert rates(machine, values)["theta_B_dot"] == pytest.approx(moment / (0.3 + 2.0 * (0.4**2 + 0.1**2)), abs=CLOSE)


def test_a_body_in_free_fall_keeps_turning_and_its_points_do_as_rigid_bodies_do():
    body = planar.rigid_body("B", 2.0, 0.3, points={"A": (0.4, -0.1)}, gravity=G, as_variables=True)
    values = state(body, moved(["x_B", "y_B", "theta_B", "x_B_dot", "y_B_dot", "theta_B_dot"], 1))
    found = rates(body, values)
    theta, w = values["theta_B"], values["theta_B_dot"]
    arm = np.array([[cos(theta), -sin(theta)], [sin(theta), cos(theta)]]) @ [0.4, -0.1]
    assert found["theta_B_dot"] == 0
    assert [found["x_A_B_dot"], found["y_A_B_dot"]] == pytest.approx(np.array(G) - w**2 * arm, abs=CLOSE)
    velocity = [values["x_B_dot"] - w * arm[1], values["y_B_dot"] + w * arm[0]]
    assert [values["x_A_B_dot"], values["y_A_B_dot"]] == pytest.approx(velocity, abs=CLOSE)


def test_the_points_of_a_platform_form_a_regular_polygon():
    table = planar.platform("P", 5, radius=0.6)
    values = state(table, {"x_P": 0.2, "y_P": -0.3, "theta_P": 0.4}, parameters={"m_P": 1.0, "I_P": 1.0})
    from multibody.graph import evaluate

    places = np.array(
        [[evaluate(table.aliases[f"{axis}_{k}_P"], values) for axis in "xy"] for k in range(1, 6)], dtype=float
    )
    centre = [0.2, -0.3]
    assert places.mean(axis=0) == pytest.approx(centre)
    assert np.linalg.norm(places - centre, axis=1) == pytest.approx([0.6] * 5)
    assert places[0] - centre == pytest.approx([0.6 * cos(0.4), 0.6 * sin(0.4)])
    sides = np.linalg.norm(places - np.roll(places, 1, axis=0), axis=1)
    assert sides == pytest.approx([1.2 * sin(pi / 5)] * 5)


def test_a_pendulum_and_its_free_end():
    swing = planar.pendulum("P", 2.0, 1.5, pivot=(0.3, -0.2), gravity=G, as_variables=True)
    values = state(swing, {"theta_P": 0.6, "theta_P_dot": 0.9})
    found = rates(swing, values)
    assert found["theta_P_dot"] == pytest.approx(-1.5 * 9.81 / 1.5 * sin(0.6), abs=CLOSE)
    assert (values["x_B_P"], values["y_B_P"]) == pytest.approx((0.3 + 1.5 * sin(0.6), -0.2 - 1.5 * cos(0.6)))
    rod = couple("M", [planar.rod("R", 2.0, 1.5, gravity=G)], ["x_A_R - 0.3", "y_A_R + 0.2"])
    other = rates(rod, state(rod, {"theta_R": 0.6 - pi / 2, "theta_R_dot": 0.9}))
    assert found["x_B_P_dot"] == pytest.approx(
        2 * other["x_R_dot"], abs=CLOSE
    )  # the end is twice as far from the pivot as the centre


def test_a_solid_cylinder_in_a_track_has_the_textbook_frequency():
    ball = planar.rolling_cylinder("P", 2.0, 0.1, "m_P*r_P**2/2", track="circle", track_radius=0.7, gravity=G)
    small = 1e-6
    found = rates(ball, state(ball, {"psi_P": small, "psi_P_dot": 0.0}))
    assert sqrt(-found["psi_P_dot"] / small) == pytest.approx(sqrt(2 * 9.81 / (3 * (0.7 - 0.1))), rel=1e-9)
    turned = state(ball, {"psi_P": 0.5, "psi_P_dot": 0.2})
    assert turned["phi_P"] == pytest.approx(-0.5 * (0.7 - 0.1) / 0.1)  # it turns against its way along the track


def test_a_hoop_rolls_down_a_slope_with_half_the_acceleration():
    hoop = planar.rolling_cylinder("P", 2.0, 0.25, "m_P*r_P**2", slope=0.4, gravity=G, as_variables=True)
    values = state(hoop, {"s_P": 1.0, "s_P_dot": 0.3})
    found = rates(hoop, values)
    assert found["s_P_dot"] == pytest.approx(-9.81 * sin(0.4) / 2, abs=CLOSE)
    assert (values["x_P"], values["y_P"]) == pytest.approx((cos(0.4) - 0.25 * sin(0.4), sin(0.4) + 0.25 * cos(0.4)))
    assert found["y_P_dot"] == pytest.approx(-9.81 * sin(0.4) ** 2 / 2, abs=CLOSE)


@pytest.mark.parametrize("as_variables", [False, True])
def test_a_rod_on_a_rolling_cylinder_swings_as_on_a_heavier_cart(as_variables):
    wheel = planar.rolling_cylinder("W", 1.1, 0.2, 0.03, gravity=G, as_variables=as_variables)
    rod = planar.rod("R", 0.7, 0.9, gravity=G)
    machine = couple("M", [wheel, rod], ["x_A_R = x_W", "y_A_R = y_W"], independent="s_W_dot theta_R_dot")
    cart = couple(
        "N", [planar.cart("C", 1.1 + 0.03 / 0.2**2), planar.rod("R", 0.7, 0.9, gravity=G)], ["x_A_R = x_C", "y_A_R"]
    )
    given = {"theta_R": 0.8, "theta_R_dot": -1.2}
    one = rates(machine, state(machine, given | {"s_W": 0.3, "s_W_dot": 0.5}))
    two = rates(cart, state(cart, given | {"x_C": 0.3, "x_C_dot": 0.5}))
    assert one["theta_R_dot"] == pytest.approx(two["theta_R_dot"], abs=CLOSE)
    assert one["s_W_dot"] == pytest.approx(two["x_C_dot"], abs=CLOSE)


@pytest.mark.parametrize(
    ("gravity", "fall"),
    [("none", (0, 0)), ("+x", (3, 0)), ("x", (3, 0)), ("-X", (-3, 0)), ("-y", (0, -3)), ((1, "-g"), (1, -3))],
)
def test_gravity_has_the_direction_that_is_said(gravity, fall):
    mass = planar.point_mass("P", 2.0, gravity=gravity)
    known = {one.name: 3.0 for one in mass.parameters if one.name == "g"}
    found = rates(mass, state(mass, {}, parameters=known))
    assert (found["x_P_dot"], found["y_P_dot"]) == pytest.approx(fall)


def test_values_may_be_open_numbers_zero_or_expressions():
    def values(mass):
        return {p.name: p.default for p in planar.cart("C", mass).parameters}

    def default(mass):
        ((name, default),) = values(mass).items()
        return name, [None if one is None else float(one.value) for one in default.values()]

    assert default(None) == ("m_C", [None])
    assert default(2) == ("m_C", [2.0])
    assert set(values("rho*V")) == {"rho", "V"}
    assert "c_C" not in values(None)  # without damping there is no parameter for it


@pytest.mark.parametrize(
    ("wrong", "code", "named"),
    [
        (lambda: planar.rod("R", -1.0), "quantity-negative", "'m_R'"),
        (lambda: planar.rod("R", float("nan")), "number-not-finite", "nan"),
        (lambda: planar.rod("R", gravity="down"), "gravity-invalid", "'down'"),
        (lambda: planar.rod("R", gravity=(0, 0, -9.81)), "gravity-invalid", "-9.81"),
        (lambda: planar.rolling_cylinder("R", track="ellipse"), "track-invalid", "'ellipse'"),
        (lambda: couple("M", [planar.rod("R"), planar.rod("R")]), "name-taken", "'R'"),
        (lambda: planar.platform("P", 0), "platform-without-points", ""),
        (lambda: planar.rod("2 R"), "name-invalid", "'2 R'"),
        (lambda: planar.rigid_body("B", points={"A": (1, 2, 3)}), "number-of-values-wrong", "a_A, b_A"),
        (lambda: planar.rigid_body("B", points={"A 1": (1, 2)}), "name-invalid", "a_A 1_B"),
        (lambda: planar.rolling_cylinder("B", 1, 2, track="circle", track_radius=1), "cylinder-larger-than-track", "2"),
        (lambda: planar.cart("C", "x_C"), "name-taken", "'x_C'"),
    ],
)
def test_what_cannot_be_is_told(wrong, code, named):
    with refused(code, named):
        wrong()


def test_a_wrong_gravity_names_the_options():
    with pytest.raises(ModelError) as caught:
        planar.point_mass("P", gravity="-z")
    assert "'none', '+x', '-x', '+y', '-y', or 2 components" in str(caught.value)
