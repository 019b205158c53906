"""Kane's method on random trees: forces by auxiliary speeds against reactions, and speeds of the user's choice."""

import pytest

import multibody as mb
from multibody.graph import all_same, cos, sin, substitute, symbol
from multibody.model import Joint
from multibody.testing import KINDS, random_system, random_tree

from .printed import solved

COMPONENTS = ("tx", "ty", "tz", "fx", "fy", "fz")


def reactions(eom, joints):
    """All components in the order of the auxiliary forces."""
    motors = [eom.reaction(joint) for joint in joints]
    return [component for motor in motors for component in (*motor.moment, *motor.resultant)]


@pytest.mark.parametrize("seed", range(8))
def test_auxiliary_forces_are_the_reactions(seed):
    """Sums over all bodies behind a joint against the recursion: every joint, every component, u̇ as symbols."""
    system = random_system(seed, 4)
    joints = list(system.all(Joint))
    eom = mb.derive(system, mb.Kane(auxiliary=joints))
    assert list(eom.auxiliary) == [f"{joint.name}_{label}" for joint in joints for label in COMPONENTS]
    assert all_same(list(eom.auxiliary.values()), reactions(eom, joints), points=2)


def beam_in_a_wall():
    """A beam of 2 kg in a wall, with 3 kg sliding up and down at its root; what the wall carries, by hand."""
    system = mb.System("beam", gravity=(0, 0, -10))
    beam, weight = system.body("beam", 2, (0.5, 0, 0), (1, 1, 1)), system.body("weight", 3)
    system.joint("wall", system.world, beam, mb.Weld())
    system.joint("slide", beam, weight, "Tz")
    eom = mb.derive(system, mb.Kane(auxiliary=["wall"]))
    return eom, [0, -0.5 * 20, 0, 0, 0, 20 + 3 * (10 + eom.model.accelerations[0])]


def test_auxiliary_forces_in_a_weld_to_the_world():
    eom, by_hand = beam_in_a_wall()
    assert all_same(list(eom.auxiliary.values()), by_hand, points=2)


def test_reaction_of_a_weld_to_the_world():
    eom, by_hand = beam_in_a_wall()
    assert all_same(reactions(eom, ["wall"]), by_hand, points=2)


def four_bar():
    system = mb.System("four_bar", gravity=(0, -9.81, 1))
    crank, coupler, rocker = (
        system.body(name, k, (0.5, 0.1 * k, 0.2), (1, 0.1, 2, 0.2, 0.3, 3)) for k, name in enumerate("abc", 1)
    )
    system.joint("ja", system.world, crank, "Rz")
    system.joint("jb", crank.frame("a_end", (1, 0, 0)), coupler, "Rz")
    system.joint("jc", system.frame("right", (2, 0, 0)), rocker, "Rz")
    system.joint("jd", coupler.frame("b_end", (1.5, 0, 0)), rocker.frame("c_end", (1, 0, 0)), "Rz")
    return system


def test_auxiliary_forces_in_a_loop():
    """With λ of the cut joint as symbols; in the plane, its redundant equations carry no force."""
    system = four_bar()
    joints = ["ja", "jb", "jc"]
    eom = mb.derive(system, mb.Kane(auxiliary=joints))
    assert all_same(list(eom.auxiliary.values()), reactions(eom, joints), points=2)
    cut = eom.reaction("jd").resultant
    assert any(one in eom.multipliers for component in cut for one in mb.graph.free_symbols(component))


def test_auxiliary_forces_of_a_closing_joint():
    """The joint that closes a loop is a constraint: its auxiliary forces are its multipliers."""
    eom = mb.derive(four_bar(), mb.Kane(auxiliary=["jd"]))
    other = mb.derive(four_bar(), mb.Recursive())
    names = [one.name.removeprefix("lambda_") for one in eom.multipliers]
    values = dict(zip(names, other.multiplier_values, strict=True))
    found = dict(zip(eom.auxiliary, substitute(list(eom.auxiliary.values()), solved(other)), strict=True))
    assert found.keys() == {"jd_fx", "jd_fy"}
    assert all_same(list(found.values()), [values[name] for name in found], points=2)


# speeds -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_a_ball_joint_in_the_axes_of_the_world(seed):
    """Its angular velocity in the world's axes, instead of its own, in the middle of a tree."""
    system = random_tree(seed, 2, [KINDS[0], KINDS[2], KINDS[4]])
    inner, outer = (system.body(name, 1, (0.1, 0.2, 0.3), (1, 2, 3)) for name in ("inner", "outer"))
    ball = system.joint("ball", system["b2"], inner, mb.Spherical())
    system.joint("hinge", inner.frame("rim", (0.5, 0, 0)), outer, "Ry")
    system.sensor("w", mb.AngularVelocity(ball.child, relative_to=ball.parent))
    speeds = dict(zip(("wx", "wy", "wz"), system.measured("w"), strict=True))
    comparison = mb.compare(system, [mb.Kane(speeds), mb.Kane(), mb.Recursive(), mb.Lagrange()])
    assert len(comparison.pairs) == 6
    assert comparison.proved
    chosen = comparison.derivations[0].equations
    assert [one.name for one in chosen.speeds[:3]] == ["wx", "wy", "wz"]


@pytest.mark.parametrize("seed", range(5))
def test_mixtures_of_speeds(seed):
    """Combinations with factors that depend on coordinates, parameters and time, under any loads."""
    system = random_system(seed, 3, prescribed=0.0)
    joints = [joint for joint in system.all(Joint) if joint.speeds]
    first, last = joints[0], joints[-1]
    q, k = first.coordinates[0], system.parameter("k", 2.0)
    speeds = {
        "w1": first.speeds[0] * 3 + last.speeds[-1] * cos(q) + sin(system.time),
        "w2": last.speeds[-1] * k * (2 + sin(system.time)) + q,
    }
    if first.speeds[0] is last.speeds[-1]:
        speeds = {"w2": speeds["w2"]}
    comparison = mb.compare(system, [mb.Kane(speeds), mb.Recursive(), mb.NewtonEuler()])
    assert len(comparison.pairs) == 3
    assert comparison.proved


@pytest.mark.parametrize("seed", range(3))
def test_velocities_of_a_point_as_speeds(seed):
    """The three speeds of free flight replaced by the velocity of another point of the body, in the world's axes."""
    system = random_tree(seed, 2, [KINDS[0]])
    body = system.body("flyer", 2, (0.1, 0.2, 0.3), (1, 2, 3))
    system.joint("flight", system["b1"], body, mb.Free())
    system.sensor("v", mb.Velocity(body.frame("nose", (1, 0.5, -0.2))))
    speeds = dict(zip(("vx", "vy", "vz"), system.measured("v"), strict=True))
    comparison = mb.compare(system, [mb.Kane(speeds), mb.ArticulatedBody(), mb.Kane()])
    assert len(comparison.pairs) == 3
    assert comparison.proved


def test_constraints_in_chosen_speeds():
    """A loop, in absolute angular velocities: accelerations and Bᵀ·λ are proved equal."""
    system = four_bar()
    ja, jb = system["ja"].speed, system["jb"].speed
    comparison = mb.compare(system, [mb.Kane({"w2": ja + jb}), mb.Kane(), mb.Recursive(), mb.Lagrange()])
    assert len(comparison.pairs) == 6
    assert comparison.proved


def test_the_meaning_of_a_chosen_speed():
    """d/dt of the speed's formula along the motion is its own acceleration."""
    system = random_tree(3, 3, [KINDS[0]], chain=True)
    joints = list(system.all(Joint))
    formula = joints[0].speed * cos(joints[1].coordinate) + joints[2].speed
    eom = mb.derive(system, mb.Kane({"w": formula}))
    plain = mb.derive(system, mb.Recursive())
    flow = plain.model.flow(plain.acceleration)
    rate = mb.graph.time_derivative(formula, flow)
    back = {symbol("w", "speed", eom.model.name): formula}
    assert all_same([substitute(eom.acceleration[0], back)], [rate], points=2)
