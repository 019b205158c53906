"""Machines from subsystems against the same machines built with ``System`` and derived as a whole."""

from functools import cache
from math import asin, pi

import numpy as np
import pytest

import multibody as mb
from multibody.graph import all_same
from multibody.subsystems import couple
from multibody.subsystems.library import elements

from . import machines, quick_return
from .same_motion import accelerations, carried_over, random_state, require_same, values

PLATFORM = ["x_P", "y_P", "theta_P", "x_P_dot", "y_P_dot", "theta_P_dot"]
PLATE = [f"{stem}_P_{axis}" for stem in "pvw" for axis in "xyz"] + ["q_P_x", "q_P_y", "q_P_z"]
STRUTS = [f"{stem}_{k}_dot" for stem in ("alpha", "beta", "slide") for k in range(1, 7)]


@cache
def planar(count=3):
    """Equations of motion of a planar robot: from subsystems, and of the whole."""
    robot = machines.planar_robot(machines.copies(machines.rr_leg, count))
    return robot.equations(), mb.derive(machines.planar_robot_as_system(count))


@cache
def stewart():
    """The same for a Stewart platform."""
    robot = machines.platform_on_struts(machines.copies(machines.ups_leg, 6))
    return robot.equations(), mb.derive(machines.platform_on_struts_as_system(6, recognise=False))


@cache
def shaper():
    """The same for a quick-return mechanism."""
    return quick_return.quick_return().equations(), mb.derive(quick_return.quick_return_as_system())


def turned_back(state):
    """What the system's free joint calls the motion of the platform: its velocity in axes of the body."""
    known = values(state)
    p, v, w = ([known[f"{stem}_P_{axis}"] for axis in "xyz"] for stem in "pvw")
    quaternion = [known[f"q_P_{one}"] for one in "txyz"]
    names = "x y z qw qx qy qz vx vy vz wx wy wz".split()
    motion = [*p, *quaternion, *attitude(quaternion).T @ v, *w]
    return known | {f"motion_{name}": one for name, one in zip(names, motion, strict=True)}


def attitude(quaternion):
    """The rotation matrix of a unit quaternion."""
    w, r = quaternion[0], np.array(quaternion[1:])
    cross = np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
    return np.eye(3) + 2 * w * cross + 2 * cross @ cross


@pytest.mark.parametrize("count", [3, 4])
@pytest.mark.parametrize("seed", range(3))
def test_planar_robots_of_renamed_legs_move_as_the_whole(count, seed):
    ours, whole = planar(count)
    torques = {f"tau_{k}": 0.7 * k - 1.5 for k in range(1, count + 1)}
    state = random_state(ours, PLATFORM, seed)
    known = accelerations(whole, carried_over(whole, values(state)), torques)
    require_same(accelerations(ours, state, torques), known, list(known))


@pytest.mark.parametrize("seed", range(3))
def test_a_stewart_platform_of_six_renamed_legs_moves_as_the_whole(seed):
    ours, whole = stewart()
    forces = {f"force_{k}": 120.0 + 10 * k for k in range(1, 7)}
    state = random_state(ours, PLATE, seed)
    there = turned_back(state)
    known = accelerations(whole, carried_over(whole, there), forces)
    found = accelerations(ours, state, forces)
    require_same(found, known, STRUTS)
    w, v = (np.array([there[f"motion_{stem}{axis}"] for axis in "xyz"]) for stem in "wv")
    in_body = np.array([known[f"motion_v{axis}"] for axis in "xyz"]) + np.cross(w, v)
    in_space = attitude([there[f"q_P_{one}"] for one in "txyz"]) @ in_body
    moved = dict(zip(["v_P_x", "v_P_y", "v_P_z"], in_space, strict=True))
    moved |= {f"w_P_{axis}": known[f"motion_w{axis}"] for axis in "xyz"}
    require_same(found, moved, list(moved))


@pytest.mark.parametrize("crank", [0.3, 1.9, 3.4, 5.5])
def test_a_quick_return_moves_as_the_whole(crank):
    ours, whole = shaper()
    guess = {"theta_C": crank, "theta_C_dot": 4.0}
    whole_state = whole.consistent({"theta_C": crank}, {"theta_C_dot": 4.0}, fixed=list(guess))
    known = values(whole_state)
    mine = ours.consistent(
        {name: known[name] for name in ("theta_C", "theta_V", "s", "x_R", "theta_L")}, {"theta_C_dot": 4.0},
        fixed=["theta_C", "theta_C_dot"],
    )  # fmt: skip
    expected = accelerations(whole, carried_over(whole, values(mine)), {"tau": 2.5})
    require_same(accelerations(ours, mine, {"tau": 2.5}), expected, list(expected))


def test_a_quick_return_returns_quickly():
    """With a crank that turns evenly, strokes take times as π + 2·asin(r/d) to π - 2·asin(r/d)."""
    even = elements.prescribed_motion("D", "theta_0 + omega*t")
    driven = couple(
        "driven",
        [quick_return.quick_return(), even],
        ["theta_C = s_D"],
        parameters={"theta_0": pi / 2, "omega": 2 * pi},
    )
    assert not driven.independent
    run = mb.simulate(driven.equations(), 1.0, samples=1001)
    t, w = run.t, run["theta_V_dot"]
    turns = [a - x * (b - a) / (y - x) for a, b, x, y in zip(t, t[1:], w, w[1:], strict=False) if x * y < 0]
    back = turns[1] - turns[0]
    half = asin(quick_return.CRANK / quick_return.PIVOT)
    assert (1 - back) / back == pytest.approx((pi + 2 * half) / (pi - 2 * half), rel=1e-5)
    assert np.ptp(run["theta_V"]) == pytest.approx(2 * half, rel=1e-5)


@pytest.mark.parametrize(
    ("robot", "leg", "count"),
    [(machines.planar_robot, machines.rr_leg, 3), (machines.platform_on_struts, machines.ups_leg, 2)],
)
def test_a_renamed_leg_is_the_leg_derived_under_that_name(robot, leg, count):
    copied, derived = (robot(legs(leg, count)) for legs in (machines.copies, machines.singles))
    assert [one.name for one in copied.orders] == [one.name for one in derived.orders]
    assert {one.name for one in copied.parameters} == {one.name for one in derived.parameters}
    assert all_same(copied.S.matrix, derived.S.matrix)
    assert all_same(copied.M.matrix, derived.M.matrix)
    assert all_same(copied.k, derived.k)


def test_legs_share_what_is_said_to_be_shared():
    robot = machines.planar_robot(machines.copies(machines.rr_leg, 3))
    names = [one.name for one in robot.parameters]
    assert names.count("g") == 1
    assert [name for name in names if name.startswith("m_1")] == ["m_1_1", "m_1_2", "m_1_3"]


def test_the_pins_of_a_planar_robot_carry_the_same_forces():
    ours, whole = planar()
    runs = [mb.simulate(eom, 0.1, inputs={"tau_2": 3.0}, samples=5) for eom in (ours, whole)]
    for k in (1, 2, 3):
        mine = np.hypot(*(runs[0][f"lambda_robot_{axis}_{k}"] for axis in "xy"))
        theirs = np.hypot(*(runs[1][f"lambda_hinge_{k}_f{axis}"] for axis in "xy"))
        assert mine == pytest.approx(theirs, rel=1e-6)


@pytest.mark.parametrize(
    ("machine", "inputs", "seconds"),
    [
        (planar, {"tau_1": 2.0, "tau_2": -1.0, "tau_3": 0.5}, 0.3),
        (stewart, {f"force_{k}": 100.0 + 5 * k for k in range(1, 7)}, 0.2),
        (shaper, {"tau": 4.0}, 0.6),
    ],
)
def test_runs_stay_together(machine, inputs, seconds):
    fine = mb.DormandPrince8(rtol=1e-11, atol=1e-12)
    ours, whole = (mb.simulate(eom, seconds, inputs=inputs, integrator=fine, samples=9) for eom in machine())
    common = [one.name for one in whole.eom.coordinates if one.name in ours.names]
    assert len(common) >= 5
    for name in common:
        assert ours[name] == pytest.approx(whole[name], rel=1e-8, abs=1e-8)
    for name in ("kinetic_energy", "work_of_inputs", "dissipated"):
        assert ours[name] == pytest.approx(whole[name], rel=1e-7, abs=1e-8)
    assert np.diff(ours["potential_energy"]) == pytest.approx(np.diff(whole["potential_energy"]), rel=1e-7, abs=1e-7)
    assert abs(ours.statistics.energy_drift) < 1e-8
