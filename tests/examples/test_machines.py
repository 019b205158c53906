"""The machines among the examples: what they show is held against other models, and against statics by hand."""

import numpy as np
import pytest

import multibody as mb
from multibody.graph import cos, sin, sqrt


def turned(angle):
    """The rotation matrix of the plane."""
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def test_wheels_with_constant_spins_run_in_a_circle(shown):
    found, printed = shown("wheel_pair").defined, shown("wheel_pair").printed
    assert "redundant equations: right_grip_sideways" in printed
    run = mb.simulate(found["eom"], duration=5.0, u={"left_dot": 4.0, "right_dot": 6.0})
    radius = 1.2 / 2 * (6.0 + 4.0) / (6.0 - 4.0)
    assert abs(np.hypot(run["place_tx"], run["place_ty"] - radius) - radius).max() < 1e-7


def test_an_axle_in_space_leans_on_its_outer_wheel(ran):
    """The same axle with all six degrees of freedom: wheels carry it, a curve and their spins shift the load."""
    r, track, mass, spin_inertia, u = 0.3, 1.2, 30.0, 0.225, {"left_dot": 4.0, "right_dot": 6.0, "place_wy": 0.0}
    pair = mb.System("free_axle", gravity=(0, 0, -9.81))
    axle = pair.body("axle", 20.0, inertia=(2, 0.1, 2))
    pair.joint("place", pair.world, axle, mb.Free(), q=(0, 0, r, 1, 0, 0, 0))
    for side, y in ("left", track / 2), ("right", -track / 2):
        wheel = pair.body(side + "_wheel", 5.0, inertia=(0.1125, spin_inertia, 0.1125))
        pair.joint(side, axle.frame(side + "_end", (0, y, 0)), wheel, "Ry")
        pair.constraint(mb.RollingDisc(pair.world, wheel, r), name=side + "_grip")
    run = mb.simulate(mb.derive(pair), duration=2.0, u=u)
    left, right = run["lambda_left_grip_normal"], run["lambda_right_grip_normal"]
    speed, yaw_rate = r * (6.0 + 4.0) / 2, r * (6.0 - 4.0) / track
    spin = spin_inertia * (6.0 + 4.0)
    assert left + right == pytest.approx(mass * 9.81, rel=1e-9)
    assert right - left == pytest.approx(2 / track * yaw_rate * (mass * speed * r + spin), rel=1e-6)
    assert run.energy_drift < 1e-9


def test_the_camber_curve_of_a_double_wishbone_is_that_of_a_four_bar(ran):
    found = ran("double_wishbone")
    run, hinge, upper = found["run"], found["LOWER_HINGE"], found["UPPER_HINGE"]
    for lower_angle, camber in zip(run["lower_angle"][::50], run["camber"][::50], strict=True):
        low = hinge + turned(lower_angle) @ (found["LOWER_BALL"] - hinge)
        kingpin = turned(camber) @ (found["UPPER_BALL"] - found["LOWER_BALL"])
        arm = np.linalg.norm(low + kingpin - upper)
        assert arm == pytest.approx(np.linalg.norm(found["UPPER_BALL"] - upper), abs=1e-12)
    assert abs(found["rest"]["heave_dot"][-1]) < 1e-6


def test_the_boom_cylinder_of_an_excavator_by_statics(ran):
    """Moments about the foot of the boom: all weights in front of it, and the cylinder's push with its own weight."""
    run, g = ran("excavator")["run"], 9.81
    angle = {name: run[name][0] for name in run.names if name.endswith(("_angle", "_swing"))}
    stick = angle["boom_angle"] + angle["stick_angle"]
    bucket, rocker = stick + angle["bucket_angle"], stick + angle["rocker_angle"]
    link = rocker + run["link_angle"][0]

    def on(base, heading, *place):
        return base + turned(heading) @ np.array(place)

    def cylinder(foot, heading, length):
        return [(100, on(foot, heading, 0.5, 0)), (60, on(foot, heading, length - 0.5, 0))]

    foot = np.zeros(2)
    tip = on(foot, angle["boom_angle"], 5.7, 0)
    wrist, pin = on(tip, stick, 2.9, 0), on(tip, stick, 2.45, 0)
    knee = on(pin, rocker, 0.6, 0)
    assert on(knee, link, 0.6, 0) == pytest.approx(on(wrist, bucket, 0, 0.45), abs=1e-9)
    weights = [
        (1500, on(foot, angle["boom_angle"], 2.85, 0)), (800, on(tip, stick, 1.45, 0)),
        (1200, on(wrist, bucket, 0.6, -0.3)), (60, on(pin, rocker, 0.3, 0)), (60, on(knee, link, 0.3, 0)),
        *cylinder(on(foot, angle["boom_angle"], 2.9, 0.7), angle["boom_angle"] + angle["stick_swing"], 2.8),
        *cylinder(on(tip, stick, 0.5, 0.5), stick + angle["bucket_swing"], 2.0),
    ]  # fmt: skip
    lug, heading = on(foot, angle["boom_angle"], 2.6, 0.3), angle["boom_swing"]
    along, across = turned(heading).T
    push = run["boom_force"][0, 0] - 60 * g * np.sin(heading)
    sag = g * np.cos(heading) * (100 * 0.5 + 60 * (2.3 - 0.5)) / 2.3
    force = push * along - sag * across
    carried = sum(mass * g * place[0] for mass, place in weights)
    assert lug[0] * force[1] - lug[1] * force[0] == pytest.approx(carried, rel=1e-9)


def test_a_hexapod_on_rods_of_given_length_finds_the_pose(ran):
    """Legs without mass: six distances over time instead of six closed loops, and forces from multipliers."""
    found = ran("hexapod")
    feet, corners, height = found["FEET"], found["CORNERS"], found["HEIGHT"]
    stand = mb.System("rods", gravity=(0, 0, -9.81))
    table = stand.body("table", 500.0, (0, 0, 0.1), (60, 60, 100))
    stand.joint("pose", stand.world, table, mb.Free(), q=(0, 0, height, 1, 0, 0, 0))
    lift, roll = 0.1 * sin(stand.time) ** 3, 0.15 * sin(stand.time) ** 3
    for k in range(6):
        x, y, _ = corners[k]
        way = np.array([x, y * cos(roll), height + lift + y * sin(roll)]) - feet[k]
        ends = stand.frame(f"foot{k}", feet[k]), table.frame(f"corner{k}", corners[k])
        stand.constraint(mb.DistanceConstraint(*ends, sqrt(way @ way)), name=f"rod{k}")
    run = mb.simulate(mb.derive(stand), duration=1.0)
    moved = np.sin(run.t) ** 3
    assert run["pose_z"] == pytest.approx(height + 0.1 * moved, abs=1e-9)
    assert run["pose_qx"] == pytest.approx(np.sin(0.15 * moved / 2), abs=1e-9)
    assert abs(run.q[:, [0, 1, 5, 6]]).max() < 1e-9
    length = np.hypot(height, np.linalg.norm(corners[0] - feet[0]))
    pushes = [run[f"lambda_rod{k}"][0] for k in range(6)]
    assert pushes == pytest.approx([500 * 9.81 * length / height / 6] * 6, rel=1e-9)


def test_the_centre_of_mass_of_a_satellite_stays_while_its_panel_unfolds(ran):
    found = ran("satellite")
    run, edge, arm, share = found["unfold"], found["EDGE"], found["arm"], 20.0 / 235.0
    before = share * (edge + arm(np.pi / 2))
    after = run.q[-1, 1:3] + turned(found["by_hand"]) @ (share * (edge + arm(0.0)))
    assert after == pytest.approx(before, abs=1e-7)
    assert abs(np.linalg.norm(found["tumble"].q[:, 3:7], axis=1) - 1).max() < 1e-12
    energies = found["tumble"].energies
    work = energies.work_of_drives + energies.work_of_inputs
    assert work == pytest.approx(energies.total - energies.total[0], abs=1e-6)
