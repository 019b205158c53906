"""Subsystems of subsystems of subsystems, and subsystems that come from anywhere."""

from functools import cache
from math import cos, sin
from pathlib import Path

import numpy as np
import pinocchio
import pytest

import multibody as mb
from multibody.graph import evaluate, symbol
from multibody.model import Kinematics
from multibody.subsystems import KnownMotion, couple, from_system, subsystem
from multibody.subsystems.library import planar

from . import machines
from .same_motion import accelerations, carried_over, random_state, require_same, values

G = machines.G
ANGLES = [machines.angle(k, 3) for k in (1, 2, 3)]
BASES = [(0.9 * cos(at + 0.2), 0.9 * sin(at + 0.2)) for at in ANGLES]
FREE = ("x_C_dot", "x_P_dot", "y_P_dot", "theta_P_dot")
HELD = ["x_C", "x_P", "y_P", "theta_P", *FREE]


# rods, legs, a robot, a cart -----------------------------------------------------------------------------------------


def rods():
    """The two links of a leg."""
    return planar.rod("U", 1.2, 0.5), planar.rod("W", 0.9, 0.6)


def robot(legs):
    """A 3-RRR robot on a base at x_B that is free to move, and has no mass of its own."""
    pins = {f"pin_{a}_{k}": f"{a}_B_W_{k} = {a}_{k}_P" for k in (1, 2, 3) for a in "xy"}
    feet = {f"foot_x_{k}": f"x_A_U_{k} = x_B + {x}" for k, (x, _) in enumerate(BASES, 1)}
    feet |= {f"foot_y_{k}": f"y_A_U_{k} = {y}" for k, (_, y) in enumerate(BASES, 1)}
    table = planar.platform("P", 3, **machines.TABLE, gravity="-y")
    return couple(
        "robot", [*legs, table], pins | feet, variables="x_B", independent="x_B_dot x_P_dot y_P_dot theta_P_dot"
    )


def on_a_cart(carried):
    """A robot on a cart that is driven."""
    cart = planar.cart("C", 4.0, damping=0.5, drive="F")
    speeds = "x_C_dot x_P_dot y_P_dot theta_P_dot"
    return couple(
        "machine",
        [carried, cart],
        {"seat": "x_B = x_C"},
        independent=speeds,
        parameters={"g": G},
        motion=KnownMotion(start=_start()),
    )


def _start():
    """All rods where the platform is in the middle."""
    start = {}
    for k, (base, (first, bend)) in enumerate(machines.arm_places(3), 1):
        ends = base, (base[0] + 0.5 * cos(first), base[1] + 0.5 * sin(first))
        for name, (x, y), at, length in (("U", ends[0], first, 0.5), ("W", ends[1], first + bend, 0.6)):
            start |= {f"theta_{name}_{k}": at, f"x_{name}_{k}": x + length / 2 * cos(at)}
            start |= {f"y_{name}_{k}": y + length / 2 * sin(at)}
    return start


@cache
def nested():
    """Rods make a leg, legs a robot, and that rides on a cart."""
    upper, lower = rods()
    leg = couple("leg", [upper, lower], {"knee_x": "x_A_W = x_B_U", "knee_y": "y_A_W = y_B_U"})
    return on_a_cart(robot([leg.renamed(f"leg_{k}", suffix=f"_{k}", shared="g") for k in (1, 2, 3)]))


@cache
def flat():
    """The same rods and platform in one step."""
    parts = [one.renamed(f"{one.label}_{k}", suffix=f"_{k}", shared="g") for k in (1, 2, 3) for one in rods()]
    knees = [f"{a}_A_W_{k} = {a}_B_U_{k}" for k in (1, 2, 3) for a in "xy"]
    pins = [f"{a}_B_W_{k} = {a}_{k}_P" for k in (1, 2, 3) for a in "xy"]
    feet = [
        f"{a}_A_U_{k} = {place}" for k, (x, y) in enumerate(BASES, 1) for a, place in (("x", f"x_C + {x}"), ("y", y))
    ]
    parts += [planar.platform("P", 3, **machines.TABLE, gravity="-y"), planar.cart("C", 4.0, damping=0.5, drive="F")]
    return couple(
        "machine", parts, knees + pins + feet, independent=FREE, parameters={"g": G}, motion=KnownMotion(start=_start())
    )


@cache
def as_system():
    """The same as a system, with angles that count from the link before."""
    system = mb.System("machine", gravity=(0, -G, 0))
    cart, rail, slide = system.body("cart", 4.0), system.body("rail"), system.body("slide")
    table = system.body("table", machines.TABLE["mass"], (0, 0, 0), (0, 0, machines.TABLE["inertia"]))
    drive = system.joint("x_C", system.world, cart, "Tx")
    for name, below, above, kind in (("x_P", system.world, rail, "Tx"), ("y_P", rail, slide, "Ty"),
                                     ("theta_P", slide, table, "Rz")):  # fmt: skip
        system.joint(name, below, above, kind)
    for k, (base, bent) in enumerate(machines.arm_places(3), 1):
        end = machines.arms(system, cart.frame(f"base_{k}", (*base, 0)), f"_{k}", bent)
        at = ANGLES[k - 1]
        system.joint(f"hinge_{k}", end, table.frame(f"pin_{k}", (0.25 * cos(at), 0.25 * sin(at), 0)), "Rz", cut=True)
    system.load(mb.JointLoad(drive, system.input("F_C")))
    system.load(mb.JointDamper(drive, 0.5))
    return mb.derive(system)


def in_relative_angles(known):
    """Values with the angles of joints: an elbow turns the lower rod against the upper one."""
    joints = {}
    for upper in [name for name in known if name.startswith("theta_U")]:
        joints[upper.replace("theta_U", "shoulder")] = known[upper]
        joints[upper.replace("theta_U", "elbow")] = known[upper.replace("U", "W")] - known[upper]
    return known | joints


@pytest.mark.parametrize("seed", range(3))
def test_a_robot_of_legs_of_rods_on_a_cart_moves_as_the_whole(seed):
    machine = nested()
    assert len(machine.levels()) == 2 * 3 + 3 + 1 + 1 + 1 + 1  # rods, legs, platform, robot, cart, machine
    ours, whole = machine.equations(), as_system()
    state = random_state(ours, HELD, seed)
    there = carried_over(whole, in_relative_angles(values(state)))
    expected = accelerations(whole, there, {"F_C": 12.0})
    found = in_relative_angles(accelerations(ours, state, {"F_C": 12.0}))
    require_same(found, expected, list(expected))


def test_levels_do_not_matter():
    deep, once = nested().equations(), flat().equations()
    state = random_state(deep, HELD, 7)
    known = accelerations(deep, state, {"F_C": -5.0})
    found = accelerations(once, carried_over(once, values(state)), {"F_C": -5.0})
    assert set(known) - set(found) == {"x_B_dot"}
    require_same(found, known, list(found))


def test_the_complement_goes_through_all_levels():
    S, eom = nested().S, nested().equations()
    assert S.rows == tuple(one.name for one in eom.speeds)
    assert S.columns == FREE
    assert S["x_B_dot", "x_C_dot"] == 1
    known = values(random_state(eom, HELD, 3))
    parameters = {one.name: value for one, value in eom.model.parameter_values().items()}
    table = np.array(evaluate(S.matrix.tolist(), known | parameters), dtype=float)
    free = [known[name] for name in S.columns]  # no constraint depends on time: speeds follow as their rates do
    assert table @ free == pytest.approx([known[name] for name in S.rows], abs=1e-12)


def test_a_whole_machine_can_be_renamed():
    machine = nested()
    other = machine.renamed("other", suffix="_b", shared="g")
    assert other.levels()[0].label == "U_1_b"
    state = random_state(machine.equations(), HELD, 1)
    eom = other.equations()
    there = {f"{one.removesuffix('_dot')}_b{'_dot' * one.endswith('_dot')}": v for one, v in values(state).items()}
    found = accelerations(eom, carried_over(eom, there), {"F_C_b": 3.0})
    known = accelerations(machine.equations(), state, {"F_C": 3.0})
    assert list(found.values()) == pytest.approx(list(known.values()), rel=1e-10)


# an arm from a file ---------------------------------------------------------------------------------------------------

ROBOTS = Path(pinocchio.__file__).parents[4] / "share" / "example-robot-data" / "robots"
JOINTS = ("shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint", "wrist_1_joint", "wrist_2_joint", "wrist_3_joint")
STIFFNESS, MASS = 300.0, 2.0


def ur5():
    """The robot UR5."""
    return mb.read_urdf(ROBOTS / "ur_description" / "urdf" / "ur5_robot.urdf")


def hanging_load():
    """A mass b on a spring without length from a hook h that has none, as equations on paper."""
    h, b = ([f"{point}_{axis}" for axis in "xyz"] for point in "hb")
    rows = {f"v_{one}": f"k*({other} - {one})" for one, other in zip(h, b, strict=True)}
    rows |= {f"v_{one}": f"k*({other} - {one}) - m*v_{one}_dot" for one, other in zip(b, h, strict=True)}
    rows["v_b_z"] += " - m*g"
    stretch = " + ".join(f"({one} - {other})**2" for one, other in zip(h, b, strict=True))
    speeds = {one: f"v_{one}" for one in (*h, *b)}
    return subsystem(
        "load", {0: list(speeds), 1: list(speeds.values())}, rows, kinematics=speeds,
        parameters={"k": STIFFNESS, "m": MASS, "g": G},
        energy=("m*(v_b_x**2 + v_b_y**2 + v_b_z**2)/2", f"k*({stretch})/2 + m*g*b_z"),
    )  # fmt: skip


@cache
def arm_with_load():
    """The load hooked to the tool of the arm, and the same as a system."""
    robot = ur5()
    tool = Kinematics(robot.system.freeze()).pose(robot.frame("tool0")).position
    hooks = {f"h_{axis}": symbol(f"h_{axis}", "coordinate") - one for axis, one in zip("xyz", tool, strict=True)}
    free = [f"{one}_dot" for one in JOINTS] + ["v_b_x", "v_b_y", "v_b_z"]
    ours = couple("hoist", [from_system(robot.system, "arm"), hanging_load()], hooks, independent=free)
    whole = ur5()
    bob, below = whole.system.body("bob", MASS), whole.system.world
    for name, axis in (("b_x", "Tx"), ("b_y", "Ty")):
        carrier = whole.system.body(f"carrier_{name}")
        whole.system.joint(name, below, carrier, axis)
        below = carrier
    whole.system.joint("b_z", below, bob, "Tz")
    whole.system.load(mb.Spring(whole.frame("tool0"), bob, STIFFNESS, 0))
    return ours.equations(), mb.derive(whole.system)


@pytest.mark.parametrize("seed", range(3))
def test_an_arm_from_a_file_carries_a_load_from_equations(seed):
    ours, whole = arm_with_load()
    held = [*JOINTS, *(f"{one}_dot" for one in JOINTS), *(f"{s}b_{axis}" for s in ("", "v_") for axis in "xyz")]
    state = random_state(ours, held, seed, size=1.5, speed=2.0)
    known = values(state)
    known |= {f"b_{axis}_dot": known[f"v_b_{axis}"] for axis in "xyz"}
    expected = accelerations(whole, carried_over(whole, known))
    found = accelerations(ours, state)
    found |= {f"b_{axis}_dot": found[f"v_b_{axis}"] for axis in "xyz"}
    require_same(found, expected, list(expected))


def test_energy_is_kept_across_an_arm_and_equations():
    ours, whole = arm_with_load()
    q = {"shoulder_lift_joint": -0.8, "elbow_joint": 0.9, "b_x": 0.5, "b_z": 0.3}
    runs = [mb.simulate(eom, 0.3, q=q, samples=7, integrator=mb.DormandPrince8(rtol=1e-11)) for eom in (ours, whole)]
    for name in (*JOINTS, "b_x", "b_y", "b_z", "kinetic_energy"):
        assert runs[0][name] == pytest.approx(runs[1][name], rel=1e-7, abs=1e-7)
    assert runs[0].statistics.energy_drift < 1e-7
