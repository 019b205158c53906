"""The spatial mechanisms among the examples: what they show is held against formulas once more, from other numbers."""

import numpy as np
import pytest


def test_a_gyroscope_precesses_nutates_and_passes_near_gimbal_lock(shown):
    found, printed = shown("gyroscope").defined, shown("gyroscope").printed
    assert "nutation at 371.31" in printed
    angle = found["steady"]["precession"][-1]
    assert angle == pytest.approx(2.0 * 0.1 * 9.81 * 0.15 / (4.8e-3 * 300), abs=1e-8)  # t·m·g·l/H
    rotor_axis = found["smooth"]["R"][:, :, 1]
    closest = np.degrees(np.arccos(abs(rotor_axis[:, 2]))).min()
    assert closest == pytest.approx(found["lock"], abs=1e-3)  # the ball joint saw the same approach to the vertical
    assert abs(found["through"].energies.kinetic / found["smooth"].energies.kinetic - 1).max() < 1e-6


def test_a_spatial_slider_crank_keeps_its_rod_and_its_energy(ran):
    found = ran("spatial_slider_crank")
    run = found["run"]
    pin = np.stack([0 * run.t, 0.10 - 0.08 * np.sin(run["drive"]), 0.12 + 0.08 * np.cos(run["drive"])])
    slider = np.stack([run["stroke"], 0 * run.t, 0 * run.t])
    assert abs(np.linalg.norm(slider - pin, axis=0) - 0.30).max() < 1e-12
    speed = (pin[1] * np.cos(run["drive"]) + pin[2] * np.sin(run["drive"])) * 0.08 * run["drive_dot"] / run["stroke"]
    assert abs(run["stroke_dot"] - speed).max() < 1e-10  # the derivative of x = √(L² - y² - z²)
    assert run["drive_dot"][0] == 6.0
    crank, rod_and_slider = 0.12 * 0.04**2 + 1e-4 + 0.25 * 0.08**2, 2.0 + 0.25  # about its bearing, and along x
    kinetic = (crank * run["drive_dot"] ** 2 + rod_and_slider * run["stroke_dot"] ** 2) / 2
    assert abs(run["kinetic_energy"] - kinetic).max() < 1e-9


def test_bricards_linkage_moves_although_it_has_no_freedom_by_counting(shown):
    found, printed = shown("bricard").defined, shown("bricard").printed
    assert "degrees of freedom: 1 near the start, 0 in general, 0 by counting" in printed
    run = found["run"]
    rate = np.sin(run["q1"]) * (1 + np.cos(run["q2"])) * run["q1_dot"]
    assert abs(rate + np.sin(run["q2"]) * (1 + np.cos(run["q1"])) * run["q2_dot"]).max() < 1e-9  # its closure, derived
    assert run.statistics.constraint_residual < 1e-10


def test_a_stiff_governor_rises_as_porter_says(shown):
    found, printed = shown("governor").defined, shown("governor").printed
    assert "Rodas5P" in printed
    run = found["run"]
    assert run["lift"][-1] == pytest.approx(-2 * 3 * 9.81 / 100, rel=1e-6)
    assert run["left_angle"] == pytest.approx(run["right_angle"], abs=1e-9)
    inertia = 0.02 + 1e-3 + 2 * 1.0 * (0.4 * np.sin(run["left_angle"])) ** 2
    gained = 10.0**2 * (inertia[-1] - inertia[0])  # ω·ΔL: the work of a drive that keeps the speed
    assert run["work_of_drives"][-1] == pytest.approx(gained, rel=1e-5)


def test_a_disc_circles_and_falls_nearly_flat(ran):
    found = ran("rolling_disc")
    circling = found["circling"]
    normal = circling["lambda_grip_normal"]
    assert abs(normal / (2.0 * 9.81) - 1).max() < 1e-6
    friction = np.hypot(circling["lambda_grip_forward"], circling["lambda_grip_sideways"])
    assert abs(friction / (2.0 * 0.8 * found["yaw_rate"] ** 2) - 1).max() < 1e-6  # m·b·Ω²
    assert found["turn"] == pytest.approx(5**0.5, abs=1e-3)
