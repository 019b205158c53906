"""Spatial parts against ``System``, the equations of Newton and Euler, and each other."""

from math import cos, sin

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.graph import evaluate
from multibody.subsystems import couple
from multibody.subsystems.library import legs, spatial

from .library_states import of_system, rates, state

G = (0.4, -0.7, -9.6)
CLOSE = 1e-10


@pytest.mark.parametrize("seed", range(3))
def test_a_rod_on_a_fixed_point_is_a_spherical_pendulum(seed):
    rod = spatial.rod("R", 0.8, 1.3, gravity=G)
    machine = couple("M", [rod], ["x_A_R", "y_A_R", "z_A_R"])
    a, b, da, db = np.random.default_rng(seed).uniform(-1, 1, 4)
    end = {"x_B_R": 1.3 * sin(b), "y_B_R": -1.3 * sin(a) * cos(b), "z_B_R": 1.3 * cos(a) * cos(b)}
    speed = {
        "x_B_R_dot": 1.3 * db * cos(b),
        "y_B_R_dot": 1.3 * (-da * cos(a) * cos(b) + db * sin(a) * sin(b)),
        "z_B_R_dot": 1.3 * (-da * sin(a) * cos(b) - db * cos(a) * sin(b)),
    }
    found = rates(machine, state(machine, end | speed, {f"{axis}_A_R": 0.0 for axis in "xyz"}))

    system = mb.System("known", gravity=G)
    inertia = 0.8 * 1.3**2 / 12
    body = system.body("rod", 0.8, (0, 0, 0.65), (inertia, inertia, 0))
    hinge = system.joint("turn", system.world, body, ["Rx", "Ry"])
    names = [one.name for one in (*hinge.coordinates, *hinge.speeds)]
    known = of_system(system, **dict(zip(names, map(float, (a, b, da, db)), strict=True)))
    dda, ddb = (known[name] for name in names[2:])
    x = 1.3 * (ddb * cos(b) - db**2 * sin(b))
    z = -1.3 * (
        (dda * sin(a) + da**2 * cos(a)) * cos(b)
        - 2 * da * db * sin(a) * sin(b)
        + cos(a) * (ddb * sin(b) + db**2 * cos(b))
    )
    assert found["x_B_R_dot"] == pytest.approx(x, abs=CLOSE)
    assert found["z_B_R_dot"] == pytest.approx(z, abs=CLOSE)


@pytest.mark.parametrize("seed", range(2))
def test_a_rod_whose_end_slides_along_a_line(seed):
    machine = couple("M", [spatial.rod("R", 0.8, 1.3, gravity=G)], ["y_A_R", "z_A_R"])
    a, b, x, da, db, dx = map(float, np.random.default_rng(seed).uniform(-1, 1, 6))
    place = [x + 1.3 * sin(b), -1.3 * sin(a) * cos(b), 1.3 * cos(a) * cos(b)]
    moving = [
        dx + 1.3 * db * cos(b), 1.3 * (-da * cos(a) * cos(b) + db * sin(a) * sin(b)),
        1.3 * (-da * sin(a) * cos(b) - db * cos(a) * sin(b)),
    ]  # fmt: skip
    given = {"x_A_R": x, "x_A_R_dot": dx, "y_A_R": 0.0, "z_A_R": 0.0, "y_A_R_dot": 0.0, "z_A_R_dot": 0.0}
    given |= dict(zip(["x_B_R", "y_B_R", "z_B_R"], place, strict=True))
    given |= dict(zip(["x_B_R_dot", "y_B_R_dot", "z_B_R_dot"], moving, strict=True))
    found = rates(machine, state(machine, given))

    system = mb.System("known", gravity=G)
    inertia = 0.8 * 1.3**2 / 12
    body = system.body("rod", 0.8, (0, 0, 0.65), (inertia, inertia, 0))
    joint = system.joint("move", system.world, body, ["Tx", "Rx", "Ry"])
    known = of_system(
        system, **dict(zip(names_of([*joint.coordinates, *joint.speeds]), (x, a, b, dx, da, db), strict=True))
    )
    ddx, _, ddb = (known[name] for name in names_of(joint.speeds))
    assert found["x_A_R_dot"] == pytest.approx(ddx, abs=CLOSE)
    assert found["x_B_R_dot"] == pytest.approx(ddx + 1.3 * (ddb * cos(b) - db**2 * sin(b)), abs=CLOSE)


def test_a_point_mass_on_a_sphere():
    machine = couple("M", [spatial.point_mass("P", 2.0, gravity=(0, 0, -9.81))], ["x_P**2 + y_P**2 + z_P**2 = 1"])
    place = {"x_P": 0.6, "y_P": 0.0, "z_P": -0.8}
    values = state(machine, place | {"x_P_dot": 0.4, "y_P_dot": 0.5, "z_P_dot": 0.3})
    found = rates(machine, values)
    p, v, g = np.array([0.6, 0, -0.8]), np.array([0.4, 0.5, 0.3]), np.array([0, 0, -9.81])
    expected = g - (v @ v + g @ p) * p  # the string pulls so that d²(p·p)/dt² = 0
    assert [found[f"{axis}_P_dot"] for axis in "xyz"] == pytest.approx(expected, abs=CLOSE)


def turned(values, form):
    """The rotation matrix of the platform P, by an independent route."""
    if form == "quaternion":
        w, x, y, z = (values[f"q_P_{name}"] for name in "txyz")
        K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        return np.eye(3) + 2 * w * K + 2 * K @ K
    angles = [values[name] for name in ("psi_P", "phi_P", "theta_P")]
    return np.array(mb.Rotation.euler(form, angles).to_array(), dtype=float)


@pytest.mark.parametrize("as_variables", [False, True])
@pytest.mark.parametrize("form", ["quaternion", "xyz", "zxz"])
def test_a_platform_held_at_one_point_is_a_spinning_top(form, as_variables):
    arm, I = np.array([0.2, -0.3, 0.4]), np.diag([0.3, 0.4, 0.5])
    top = spatial.platform(
        "P", {"A": tuple(map(float, arm))}, 1.5, (0.3, 0.4, 0.5), orientation=form, gravity=G, as_variables=as_variables
    )
    machine = couple("M", [top], ["x_A_P", "y_A_P", "z_A_P"], independent="w_P_x w_P_y w_P_z")
    q = np.array([0.8, 0.3, -0.4, 0.2])
    pose = dict(zip([f"q_P_{name}" for name in "txyz"], q / np.linalg.norm(q), strict=True))
    pose = pose if form == "quaternion" else {"psi_P": 0.5, "phi_P": 0.8, "theta_P": -0.3}
    w = np.array([0.7, -1.1, 0.9])
    values = state(
        machine, {k: float(v) for k, v in pose.items()} | dict(zip(["w_P_x", "w_P_y", "w_P_z"], w, strict=True))
    )
    found = rates(machine, values)
    R = turned(values, form)
    assert [values[f"p_P_{axis}"] for axis in "xyz"] == pytest.approx(-R @ arm)
    held = I + 1.5 * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    torque = np.cross(-arm, 1.5 * R.T @ G)
    expected = np.linalg.solve(held, torque - np.cross(w, held @ w))
    assert [found[f"w_P_{axis}"] for axis in "xyz"] == pytest.approx(expected, abs=CLOSE)


BASES = [(1.2 * cos(a), 1.2 * sin(a), 0.0) for a in np.deg2rad([0, 55, 120, 175, 240, 295])]
PINS = [(0.5 * cos(a), 0.5 * sin(a), -0.05) for a in np.deg2rad([25, 40, 145, 160, 265, 280])]
LEG = {"masses": (1.2, 0.8), "centres": (0.2, 0.3), "inertias": (0.04, 0.05), "spins": (0.01, 0.02)}


@pytest.mark.parametrize("independent", ["joints", "end"])
def test_six_legs_and_a_platform_are_a_stewart_platform(independent):
    feet = [
        legs.ups_leg(f"L{k}", **LEG, base=base, length=1.3, gravity=G, independent=independent)
        for k, base in enumerate(BASES, 1)
    ]
    pins = {str(k): pin for k, pin in enumerate(PINS, 1)}
    table = spatial.platform("P", pins, 5.0, (0.3, 0.4, 0.5), orientation="xyz", gravity=G)
    joints = [f"{axis}_E_L{k} = {axis}_{k}_P" for k in range(1, 7) for axis in "xyz"]
    speeds = [f"{letter}_P_{axis}" for letter in "vw" for axis in "xyz"]
    machine = couple("stewart", [*feet, table], joints, independent=speeds)
    given = {"p_P_x": 0.05, "p_P_y": -0.1, "p_P_z": 1.1, "psi_P": 0.1, "phi_P": -0.15, "theta_P": 0.2}
    given |= dict(zip(speeds, (0.3, -0.2, 0.4, 0.5, -0.6, 0.7), strict=True))
    given |= {f"f_L{k}": 10.0 + k for k in range(1, 7)}
    values = state(machine, given, {f"s_L{k}": 1.3 for k in range(1, 7)})
    found = rates(machine, values)

    system = mb.System("known", gravity=G)
    body = system.body("table", 5.0, (0, 0, 0), (0.3, 0.4, 0.5))
    free = system.joint("free", system.world, body, ["Tx", "Ty", "Tz", "Rx", "Ry", "Rz"])
    pose = [f"p_P_{axis}" for axis in "xyz"] + ["psi_P", "phi_P", "theta_P"]
    moving = {one.name: evaluate(rate, values) for one, rate in machine.rates.items()}
    known = dict(zip(names_of(free.coordinates), [values[name] for name in pose], strict=True))
    known |= dict(zip(names_of(free.speeds), [moving[name] for name in pose], strict=True))
    for k, (base, pin) in enumerate(zip(BASES, PINS, strict=True), 1):
        tube = system.body(f"tube_{k}", 1.2, (0, 0, 0.2), (0.04, 0.04, 0.01))
        piston = system.body(f"piston_{k}", 0.8, (0, 0, -0.3), (0.05, 0.05, 0.02))
        turn = system.joint(f"u_{k}", system.world.frame(f"base_{k}", base), tube, ["Rx", "Ry"])
        slide = system.joint(f"s_{k}", tube, piston, "Tz")
        system.load(mb.JointLoad(slide, 10.0 + k))
        system.joint(f"pin_{k}", piston, body.frame(f"at_{k}", pin), mb.Spherical(), cut=True)
        ours = [f"{stem}_L{k}" for stem in ("alpha", "beta", "s")]
        known |= dict(zip(names_of([*turn.coordinates, *slide.coordinates]), [values[n] for n in ours], strict=True))
        known |= dict(zip(names_of([*turn.speeds, *slide.speeds]), [moving[n] for n in ours], strict=True))
    expected = of_system(system, **known)
    assert [found[f"s_L{k}_dot"] for k in range(1, 7)] == pytest.approx(
        [expected[f"s_{k}_dot"] for k in range(1, 7)], abs=CLOSE
    )
    assert [found[f"v_P_{axis}"] for axis in "xyz"] == pytest.approx(
        [expected[name] for name in names_of(free.speeds)[:3]], abs=CLOSE
    )


def names_of(symbols):
    return [one.name for one in symbols]


def test_a_leg_stands_upright_in_its_reference_motion():
    leg = legs.ups_leg("L", base=(0.1, None, 0), length=1.3)
    places = {one.name: str(value) for one, value in leg.reference.items()}
    assert places == {"s_L": "s_0_L", "x_E_L": "x_0_L", "y_E_L": "y_0_L", "z_E_L": "s_0_L"}


def test_points_without_an_orientation_have_no_place():
    with refused("orientation-missing"):
        spatial.platform("P", {"A": (0, 0, 0)}, orientation="position")


def test_formulas_may_give_the_inertia_of_a_platform():
    table = spatial.platform("P", {"A": (None, 0, 0)}, "rho*V", (1, 1, 1))
    known = {p.name: next(iter(p.default.values())) for p in table.parameters}
    assert str(known["m_P"]) in ("rho*V", "V*rho")
    assert {"rho", "V", "a_A_P", "I_P_x"} <= set(known)
