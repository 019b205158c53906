"""Rolling without slip, and blades: published numbers, known motions, and the forces at the contact."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.spatial.transform import Rotation
from tests.refusal import refused

import multibody as mb
from multibody.graph import evaluate
from multibody.model import Kinematics

from .constrained import State, between, solved

G = 9.81
M, R = 3.43, 0.26  # of the disc in SymPy's test_kane5.py


# a thin disc, with numbers of SymPy's test_kane5.py -------------------------------------------------------------------


def disc(coordinates):
    """A homogeneous disc with axis y: from the contact point up, in elementary movements, or flying."""
    system = mb.System("disc", gravity=(0, 0, -G))
    m, r = system.parameters(m=M, r=R)
    wheel = system.body("wheel", m, (0, 0, 0), mb.diag(m * r**2 / 4, m * r**2 / 2, m * r**2 / 4))
    if coordinates == "contact":
        lean = system.body("lean")
        system.joint("c", system.world, lean, ["Tx", "Ty", "Rz", "Rx"])
        system.joint("c_ry", lean.frame("hub", (0, 0, r)), wheel, "Ry")
    elif coordinates == "stack":
        system.joint("c", system.world, wheel, ["Tx", "Ty", "Tz", "Rz", "Rx", "Ry"])
    else:
        system.joint("c", system.world, wheel, mb.Free())
    system.constraint(mb.RollingDisc(system.world, wheel, r), name="grip")
    system.sensor("w", mb.AngularVelocity(wheel, expressed_in=wheel))
    system.sensor("w_dot", mb.AngularAcceleration(wheel, expressed_in=wheel))
    return system


CASES = {  # (q1 … q5), (u1, u2, u3), (q1' … q5'), (u1' … u5')
    1: (
        (0.3, 0.1, 1.97, -0.35, 2.27), (-0.2, 1.3, 0.15),
        (0.126603940595934, 0.215942571601660, 1.28736069604936, 0.319764288376543, 0.0989146857254898),
        (-0.925848952664489, -0.0181350656532944, 2.91695398184589, -0.00992793421754526, 0.0412861634829171),
    ),
    2: (
        (3.97, -0.28, 8.2, -0.35, 2.27), (-0.25, -2.2, 0.62),
        (0.0259159090798597, 0.668041660387416, -2.19283799213811, 0.385441810852219, 0.420109283790573),
        (1.45030568179066, -0.0110924422400793, -8.35617840186040, -0.154098542632173, -0.146102664410010),
    ),
}  # fmt: skip


def measured(system, **start):
    """Angular velocity and its rate, in the axes of the disc."""
    numbers = solved(system, **start)
    eom = mb.derive(system)
    known = {**eom.model.start, **eom.model.parameter_values()}
    known |= {a: numbers[u.name] for u, a in zip(eom.speeds, eom.model.accelerations, strict=True)}
    return numbers, [np.array(evaluate(list(eom.outputs[name]), known), dtype=float) for name in ("w", "w_dot")]


@pytest.mark.parametrize("case", CASES)
def test_the_published_disc_from_its_contact_point(case):
    (yaw, lean, spin, x, y), u, rates, u_dot = CASES[case]
    start = {"c_rz": yaw, "c_rx": lean, "c_ry": spin, "c_tx": x, "c_ty": y}
    start |= dict(zip(("c_rz_dot", "c_rx_dot", "c_ry_dot", "c_tx_dot", "c_ty_dot"), rates, strict=True))
    found, (w, w_dot) = measured(disc("contact"), **start)
    np.testing.assert_allclose(w, u, rtol=0, atol=1e-14)
    np.testing.assert_allclose([*w_dot, found["c_tx_dot"], found["c_ty_dot"]], u_dot, rtol=0, atol=1e-12)
    assert "lambda_grip_normal" not in found  # the coordinates keep it on the ground


def turn(yaw, lean, spin):
    """The rotation matrix Rz·Rx·Ry."""
    return Rotation.from_euler("ZXY", (yaw, lean, spin)).as_matrix()


def rolling_start(case):
    """Rotation, place and velocity of the centre, angular velocity, in the world."""
    (yaw, lean, spin, x, y), u, _, _ = CASES[case]
    rotation = turn(yaw, lean, spin)
    arm = R * turn(yaw, lean, 0)[:, 2]
    w = rotation @ u
    return rotation, np.array([x, y, 0]) + arm, np.cross(w, arm), w


def along(prefix, vector, suffix=""):
    """Start values for three coordinates or speeds."""
    return {f"{prefix}{k}{suffix}": float(part) for k, part in zip("xyz", vector, strict=True)}


def stack_start(case):
    """The start in six coordinates."""
    (yaw, lean, spin, _, _), _, rates, _ = CASES[case]
    _, place, velocity, _ = rolling_start(case)
    start = {"c_rz": yaw, "c_rx": lean, "c_ry": spin} | along("c_t", place) | along("c_t", velocity, "_dot")
    return start | dict(zip(("c_rz_dot", "c_rx_dot", "c_ry_dot"), rates[:3], strict=True))


DIRECTIONS = ("forward", "sideways", "normal")


@pytest.mark.parametrize("case", CASES)
def test_the_published_disc_in_six_coordinates(case):
    """The same angular acceleration; and the contact forces carry the centre of mass: m·a = m·g + Σ λ·direction."""
    (yaw, *_), _, _, u_dot = CASES[case]
    found, (_, w_dot) = measured(disc("stack"), **stack_start(case))
    np.testing.assert_allclose(w_dot, u_dot[:3], rtol=0, atol=1e-12)
    force = turn(yaw, 0, 0) @ [found[f"lambda_grip_{name}"] for name in DIRECTIONS]
    acceleration = np.array([found[f"c_t{k}_dot"] for k in "xyz"])
    np.testing.assert_allclose(M * acceleration, force - [0, 0, M * G], rtol=0, atol=1e-12)


@pytest.mark.parametrize("case", CASES)
def test_the_published_disc_with_a_quaternion(case):
    _, u, _, u_dot = CASES[case]
    rotation, place, velocity, _ = rolling_start(case)
    qx, qy, qz, qw = Rotation.from_matrix(rotation).as_quat()
    start = along("c_", place) | along("c_q", (qx, qy, qz)) | {"c_qw": float(qw)}
    found = solved(disc("free"), **start, **along("c_w", u), **along("c_v", rotation.T @ velocity))
    np.testing.assert_allclose([found[f"c_w{k}"] for k in "xyz"], u_dot[:3], rtol=0, atol=1e-12)


@pytest.mark.parametrize("case", CASES)
def test_contact_forces_are_those_of_the_auxiliary_equations(case):
    """The forces f1, f2, f3 that the SymPy manual finds with auxiliary speeds; u are components in the lean frame."""
    (yaw, lean, *_), *_ = CASES[case]
    found = solved(disc("stack"), **stack_start(case))
    u1, u2, u3 = turn(yaw, lean, 0).T @ rolling_start(case)[3]
    u1_dot, u2_dot = (4 * G * math.sin(lean) + 6 * R * u2 * u3 - R * u3**2 * math.tan(lean)) / (5 * R), -2 * u1 * u3 / 3
    expected = (
        M * R * (u1 * u3 + u2_dot),
        M * R * (u1**2 * math.sin(lean) + u2 * u3 / math.cos(lean) - math.cos(lean) * u1_dot),
        M * G - M * R * (u1**2 * math.cos(lean) + math.sin(lean) * u1_dot),
    )
    forces = [found[f"lambda_grip_{name}"] for name in DIRECTIONS]
    np.testing.assert_allclose(forces, expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize("coordinates", ["contact", "stack", "free"])
def test_all_formalisms_agree(coordinates):
    assert mb.compare(disc(coordinates)).proved


def test_an_upright_disc_rolls_on_straight_ahead():
    found = solved(disc("stack"), c_tz=R, c_rz=0.4, c_ry_dot=5.0,
                   c_tx_dot=5 * R * math.cos(0.4), c_ty_dot=5 * R * math.sin(0.4))  # fmt: skip
    expected = {name: M * G if name == "lambda_grip_normal" else 0.0 for name in found}
    assert found == pytest.approx(expected, abs=1e-12)


# where a wheel touches the ground -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "crown"), [("disc", 0.0), ("tyre", 0.15), ("ball", None)])
def test_the_contact_is_the_lowest_point_and_stands_still(kind, crown):
    """The lowest point by search; its slip by the derivative of where this point of the body is."""
    system, constraint = between(kind)
    state = State(system.freeze(), 6)
    kinematics = Kinematics(state.model)
    pose = kinematics.pose(constraint.frame, constraint.base)
    point = state(constraint.contact(kinematics).point)
    centre, rotation = state(pose.position), state(pose.rotation.to_matrix().components()).reshape(3, 3)
    if kind == "ball":
        lowest = centre - [0, 0, 0.4]
    else:
        a = rotation @ state(constraint.axis)
        e, f = np.linalg.svd(a[None])[2][1:]  # across the axis
        ring = lambda angle: (0.4 - crown) * (math.cos(angle) * e + math.sin(angle) * f)  # noqa: E731 - a formula
        best = min((minimize_scalar(lambda s: ring(s)[2], bracket=(k, k + 1)) for k in (0, 3)), key=lambda one: one.fun)
        lowest = centre + ring(best.x) - [0, 0, crown]
    np.testing.assert_allclose(centre + rotation @ point, lowest, rtol=0, atol=1e-7)
    assert lowest[2] == pytest.approx(0, abs=1e-13)

    slip = state.rate(pose.point_to_parent(mb.Vec3(*map(float, point)).symbolic()))
    tangents = [rotation @ state(tangent) for tangent in constraint.contact(kinematics).tangents.values()]
    np.testing.assert_allclose(np.cross(*tangents), [0, 0, 1], rtol=0, atol=1e-12)
    assert state([e.velocity for e in state.equations]) == pytest.approx([*(t @ slip for t in tangents), slip[2]])


def test_a_tyre_with_a_very_wide_crown_is_a_ball():
    accelerations = []
    for round_body in (lambda s, b: mb.RollingDisc(s.world, b, 0.4, crown=0.4 * (1 - 1e-9)),
                       lambda s, b: mb.RollingSphere(s.world, b, 0.4)):  # fmt: skip
        system = mb.System("ball", gravity=(1.0, 2.0, -G))
        body = system.body("body", 2, (0.01, 0.02, 0.03), (0.1, 0.2, 0.25))
        system.joint("c", system.world, body, ["Tx", "Ty", "Tz", "Rz", "Rx", "Ry"])
        system.constraint(round_body(system, body), name="grip")
        found = solved(system, c_tz=0.4, c_rz=0.3, c_rx=0.2, c_ry=0.1)
        accelerations.append([found[f"c_{k}_dot"] for k in ("tx", "ty", "rz", "rx", "ry")])
    np.testing.assert_allclose(*accelerations, rtol=1e-7, atol=1e-7)


# known motions --------------------------------------------------------------------------------------------------------


def on_slope(slope, inertia, roll):
    """A round body that lies on a slope which falls along x, ready to roll."""
    system = mb.System("slope", gravity=(0, 0, -G))
    hill = system.frame("hill", (0.3, 0.2, 0.1), mb.Rotation.about_y(slope))
    body = system.body("body", 2.0, (0, 0, 0), inertia)
    system.joint("c", hill, body, ["Tx", "Ty", "Tz", "Rz", "Rx", "Ry"])
    system.constraint(roll(hill, body), name="grip")
    return solved(system, c_tz=0.4, c_tx_dot=0.8, c_ry_dot=2.0)


@pytest.mark.parametrize("slope", [0.3, 1.1])
def test_a_disc_on_an_incline(slope):
    """ẍ = 2·g·sin α/3; friction m·g·sin α/3 uphill, normal force m·g·cos α."""
    I = 2.0 * 0.4**2 / 4
    found = on_slope(slope, (I, 2 * I, I), lambda hill, body: mb.RollingDisc(hill, body, 0.4))
    assert found["c_tx_dot"] == pytest.approx(2 * G * math.sin(slope) / 3)
    assert found["lambda_grip_forward"] == pytest.approx(-2.0 * G * math.sin(slope) / 3)
    assert found["lambda_grip_normal"] == pytest.approx(2.0 * G * math.cos(slope))
    assert found["lambda_grip_sideways"] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("slope", [0.3, 1.1])
def test_a_ball_on_an_incline(slope):
    """ẍ = 5·g·sin α/7; friction 2·m·g·sin α/7 uphill."""
    I = 2 / 5 * 2.0 * 0.4**2
    found = on_slope(slope, (I, I, I), lambda hill, body: mb.RollingSphere(hill, body, 0.4))
    assert found["c_tx_dot"] == pytest.approx(5 * G * math.sin(slope) / 7)
    assert found["lambda_grip_x"] == pytest.approx(-2 / 7 * 2.0 * G * math.sin(slope))
    assert found["lambda_grip_normal"] == pytest.approx(2.0 * G * math.cos(slope))


@pytest.mark.parametrize("driven", [True, False])
def test_a_ball_on_a_turntable_moves_in_circles(driven):
    """Seen from outside, a = 2/7·Ω × v for a homogeneous ball, wherever it is."""
    turntable, radius, t = 1.4, 0.1, 0.5
    system = mb.System("turntable", gravity=(0, 0, -G))
    plate = system.body("plate", 1, (0, 0, 0), (1e9, 1e9, 1e9))
    ball = system.body("ball", 3, (0, 0, 0), [2 / 5 * 3 * radius**2] * 3)
    prescribed = turntable * system.time if driven else None
    system.joint("plate_turn", system.world, plate, "Rz", prescribed=prescribed)
    system.joint("c", system.world, ball, ["Tx", "Ty", "Tz", "Rz", "Rx", "Ry"])
    system.constraint(mb.RollingSphere(plate, ball, radius), name="grip")
    place, spin = np.array([0.3, -0.2, radius]), np.array([1.2, 0.7, 0.4])
    carried = np.cross([0, 0, turntable], place - [0, 0, radius])
    velocity = carried + np.cross(spin, [0, 0, radius])
    start = along("c_t", place) | along("c_t", velocity, "_dot") | along("c_r", spin, "_dot")
    start |= {} if driven else {"plate_turn": turntable * t, "plate_turn_dot": turntable}
    found = solved(system, t, **start)
    expected = 2 / 7 * np.cross([0, 0, turntable], velocity)
    assert [found[f"c_t{k}_dot"] for k in "xyz"] == pytest.approx(expected, abs=1e-6 if not driven else 1e-12)


def test_a_cart_with_two_wheels():
    """Kane and Levinson 1985, example 8.12, on level ground (also in SymPy's test_kane2.py), for the speeds u1, u2:

    (I_A + 2·J·b²/R² + 2·K + m_A·a² + 2·m_B·b²)·u1' + m_A·a·u1·u2 = 0,   (m_A + 2·m_B + 2·J/R²)·u2' - m_A·a·u1² = 0.
    """
    mA, mB, IA, J, K, a, b, radius = 7.0, 1.5, 0.9, 0.06, 0.04, 0.25, 0.4, 0.3
    u1, u2, yaw = 0.8, 1.7, 0.5
    system = mb.System("cart", gravity=(0, 0, -G))
    cart = system.body("cart", mA, (a, 0, 0), (1, 1, IA))
    system.joint("p", system.frame("axle", (0, 0, radius)), cart, ["Tx", "Ty", "Rz"])
    for side, y in (("left", b), ("right", -b)):
        wheel = system.body(f"wheel_{side}", mB, (0, 0, 0), (K, J, K))
        system.joint(side, cart.frame(f"hub_{side}", (0, y, 0)), wheel, "Ry")
        system.constraint(mb.RollingDisc(system.world, wheel, radius), name=f"grip_{side}")
    found = solved(
        system, p_rz=yaw, p_tx_dot=u2 * math.cos(yaw), p_ty_dot=u2 * math.sin(yaw), p_rz_dot=u1,
        left_dot=(u2 - b * u1) / radius, right_dot=(u2 + b * u1) / radius,
    )  # fmt: skip
    turning = -mA * a * u1 * u2 / (IA + 2 * J * b**2 / radius**2 + 2 * K + mA * a**2 + 2 * mB * b**2)
    ahead = mA * a * u1**2 / (mA + 2 * mB + 2 * J / radius**2)
    assert found["p_rz_dot"] == pytest.approx(turning)
    c, s = math.cos(yaw), math.sin(yaw)
    assert found["p_tx_dot"] * c + found["p_ty_dot"] * s == pytest.approx(ahead)
    assert found["p_ty_dot"] * c - found["p_tx_dot"] * s == pytest.approx(u1 * u2)


def test_the_chaplygin_sledge():
    """v̇ = a·ω², (I + m·a²)·ω̇ = -m·a·v·ω; the blade carries m·(v·ω + a·ω̇)."""
    m, I, a, v, w, yaw = 5.0, 0.7, 0.3, 1.4, 0.9, 0.6
    system = mb.System("sledge", gravity=(0, 0, -G))
    sledge = system.body("sledge", m, (a, 0, 0), (1, 1, I))
    system.joint("p", system.world, sledge, ["Tx", "Ty", "Rz"])
    system.constraint(mb.KnifeEdge(system.world, sledge), name="blade")
    c, s = math.cos(yaw), math.sin(yaw)
    found = solved(system, p_rz=yaw, p_tx_dot=v * c, p_ty_dot=v * s, p_rz_dot=w)
    turning = -m * a * v * w / (I + m * a**2)
    assert found["p_rz_dot"] == pytest.approx(turning)
    assert found["p_tx_dot"] * c + found["p_ty_dot"] * s == pytest.approx(a * w**2)
    assert found["lambda_blade"] == pytest.approx(m * (v * w + a * turning))


@pytest.mark.parametrize("coordinates", ["stack", "flying"])
def test_a_disc_that_lies_nearly_flat_has_all_its_digits(coordinates):
    """At an inclination α its centre is at r·sin α; √(1 - cos²α) would have lost all digits of that."""
    inclination = 1e-7
    lean = math.pi / 2 - inclination
    height = R * math.sin(math.pi / 2 - lean)
    turned = {"c_rx": lean} if coordinates == "stack" else {"c_qw": math.cos(lean / 2), "c_qx": math.sin(lean / 2)}
    up = {"c_tz": height} if coordinates == "stack" else {"c_z": height}
    eom = mb.derive(disc(coordinates))
    q = [(turned | up).get(one.name, 0.0) for one in eom.coordinates]
    gap = eom.constraint_residuals(0.0, q, [0.0] * len(eom.speeds), [], [M, R]).position
    assert abs(gap[-1]) < 1e-8 * height


# faults ---------------------------------------------------------------------------------------------------------------


def test_a_wheel_that_its_joints_keep_above_the_ground_is_refused():
    system = mb.System("cart")
    wheel = system.body("wheel", 1, (0, 0, 0), (1, 1, 1))
    system.joint("p", system.frame("axle", (0, 0, 0.5)), wheel, ["Tx", "Ty", "Rz", "Ry"])
    system.constraint(mb.RollingDisc(system.world, wheel, 0.3), name="grip")
    with refused("contact-without-effect") as caught:
        mb.derive(system)
    assert "touching=False" in str(caught.value)
    system.constraints.clear()
    system.constraint(mb.RollingDisc(system.world, wheel, 0.3, touching=False), name="grip")
    assert len(mb.derive(system).multipliers) == 2


def test_a_blade_that_always_stands_on_its_end_is_refused():
    system = mb.System("sledge")
    sledge = system.body("sledge", 1, (0, 0, 0), (1, 1, 1))
    system.joint("p", system.world, sledge, ["Tx", "Ty", "Rz"])
    system.constraint(mb.KnifeEdge(system.world, sledge, "z"), name="blade")
    with refused("constraint-without-direction"):
        mb.derive(system)
