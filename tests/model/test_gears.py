"""Gears and racks: accelerations and tooth forces that are known."""

import pytest
from tests.refusal import refused

import multibody as mb

from .constrained import solved

G = 9.81


def wheels(*inertias, kind="Rz"):
    system = mb.System("wheels", gravity=(0, 0, -G))
    bodies = [system.body(f"wheel{k}", 1, (0, 0, 0), (0, 0, inertia)) for k, inertia in enumerate(inertias)]
    return system, [system.joint(f"q{k}", system.world, body, kind) for k, body in enumerate(bodies)]


@pytest.mark.parametrize("ratio", [-3.0, 0.5])
def test_a_motor_behind_a_gear(ratio):
    """u̇_b = T/(I_b + ratio²·I_a); the tooth force gives the wheel a the torque I_a·u̇_a."""
    I_a, I_b, T = 0.3, 0.05, 2.0
    system, (a, b) = wheels(I_a, I_b)
    system.constraint(mb.Gear(a, b, ratio, offset=0.25), name="mesh")
    system.load(mb.JointLoad(b, T))
    found = solved(system, q0=0.25 + ratio * 0.4, q1=0.4, q0_dot=ratio, q1_dot=1.0)
    turn = T / (I_b + ratio**2 * I_a)
    assert (found["q1_dot"], found["q0_dot"]) == pytest.approx((turn, ratio * turn))
    assert found["lambda_mesh"] == pytest.approx(I_a * ratio * turn)


def test_a_gear_between_chosen_coordinates_of_joints():
    """Only the second angle of the first joint turns the wheel."""
    system = mb.System("robot", gravity=(0, 0, 0))
    arm, wheel = system.body("arm", 1, (0, 0, 0), (1, 1, 1)), system.body("wheel", 1, (0, 0, 0), (0, 0, 2))
    hip = system.joint("hip", system.world, arm, ["Tx", "Rz"])
    turn = system.joint("turn", system.world, wheel, "Rz")
    system.constraint(mb.Gear(turn, (hip, 1), 2), name="mesh")
    system.load(mb.JointLoad(hip, [3.0, 4.5]))
    found = solved(system)
    assert (found["hip_tx_dot"], found["hip_rz_dot"], found["turn_dot"]) == pytest.approx((3, 0.5, 1))


def test_a_gear_on_a_joint_whose_motion_is_given():
    system, (a, _) = wheels(0.3, 0.05)
    crank = system.body("crank", 1, (0, 0, 0), (1, 1, 1))
    drive = system.joint("drive", system.world, crank, "Rz", prescribed=system.time**2)
    system.constraint(mb.Gear(a, drive, -2), name="mesh")
    found = solved(system, t=1.5, q0=-2 * 1.5**2, q0_dot=-2 * 2 * 1.5)
    assert found["q0_dot"] == pytest.approx(-4)
    assert found["lambda_mesh"] == pytest.approx(0.3 * -4)
    assert found["q1_dot"] == pytest.approx(0)


def test_the_phase_of_a_gear_can_be_driven():
    t = 0.3
    system, (a, b) = wheels(0.3, 0.05)
    system.constraint(mb.Gear(a, b, 2, offset=system.time**3), name="mesh")
    found = solved(system, t=t, q0=t**3, q0_dot=3 * t**2)
    push = 6 * t / (1 / 0.3 + 4 / 0.05)  # torques λ on a and -2·λ on b, with u̇_a = 2·u̇_b + 6·t
    assert found["lambda_mesh"] == pytest.approx(push)


def test_a_weight_on_a_rack_turns_the_pinion():
    """s̈ = -m·g·r²/(I + m·r²), and the teeth carry m·(g + s̈)."""
    m, r, I = 3.0, 0.2, 0.05
    system, (turn,) = wheels(I)
    slide = system.joint("slide", system.world, system.body("rack", m), "Tz")
    system.constraint(mb.RackAndPinion(turn, slide, r, offset=0.1), name="teeth")
    found = solved(system, q0=0.5, slide=0.1 + 0.5 * r, q0_dot=2.0, slide_dot=2.0 * r)
    fall = -m * G * r**2 / (I + m * r**2)
    assert (found["slide_dot"], found["q0_dot"]) == pytest.approx((fall, fall / r))
    assert found["lambda_teeth"] == pytest.approx(m * (G + fall))


def test_an_eliminated_gear_moves_as_a_constrained_one():
    ratio, accelerations = -2.5, []
    for couple in (lambda system, a, b: system.constraint(mb.Gear(a, b, ratio)),
                   lambda system, a, b: system.loop(mb.Transmission(a, b, ratio))):  # fmt: skip
        system, (a, b) = wheels(0.3, 0.05)
        couple(system, a, b)
        system.load(mb.JointLoad(a, 1.0))
        accelerations.append(solved(system)["q1_dot"])
    assert accelerations[0] == pytest.approx(accelerations[1])


def test_a_gear_cannot_hold_the_angle_of_a_joint_that_closes_a_loop():
    system, (a, b) = wheels(1.0, 1.0)
    loop = system.joint("loop", a.child, b.child, ["Tx", "Ty", "Rz"], cut=True)
    system.constraint(mb.Gear(a, (loop, 2), 2))
    with refused("angle-not-continuous"):
        mb.derive(system)
