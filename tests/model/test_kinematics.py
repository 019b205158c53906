"""Poses, velocities and accelerations on random trees, against composition by hand and against derivatives."""

import random

import numpy as np
import pytest

from multibody.graph import time_derivative
from multibody.model import System

from .samples import KINDS, frozen, numbers, proved, random_tree, random_values, rates
from .test_joints import differs_from_derivative

SEEDS = range(5)


def homogeneous(pose, values):
    return numbers(pose.to_array(), values).reshape(4, 4)


def by_hand(model, frame, values):
    """The pose of a frame in the world as a product of 4×4 matrices, from joint to joint."""
    chain = homogeneous(frame.pose, values)
    body = frame.body
    while body is not model.world:
        joint = next(j for j in model.joints if body in (j.parent.body, j.child.body) and leads_home(model, j, body))
        movement = np.eye(4)
        q = list(joint.coordinates)
        for step in joint.kind.steps():
            own, q = q[: len(step.motion.coordinates)], q[len(step.motion.coordinates) :]
            movement = movement @ homogeneous(step.before, values) @ homogeneous(step.motion.pose(own), values)
        movement = movement @ homogeneous(joint.kind.end(), values)
        parent, child = homogeneous(joint.parent.pose, values), homogeneous(joint.child.pose, values)
        across = parent @ movement @ np.linalg.inv(child)  # from the child body to the parent body
        forward = joint.child.body is body
        chain = (across if forward else np.linalg.inv(across)) @ chain
        body = joint.parent.body if forward else joint.child.body
    return chain


def leads_home(model, joint, body):
    """Whether a joint is the one that carries the body: the other end is nearer to the world."""
    other = joint.parent.body if joint.child.body is body else joint.child.body
    return model.attachments[other][0] < model.attachments[body][0]


@pytest.mark.parametrize("seed", SEEDS)
def test_poses_by_hand(seed):
    system = random_tree(seed)
    kinematics = frozen(system)
    values = random_values(kinematics.model, seed)
    frames = [system["b4"], system["f3"], system["n4"]]
    world = {frame: by_hand(kinematics.model, frame, values) for frame in frames}
    for frame in frames:
        assert homogeneous(kinematics.pose(frame), values) == pytest.approx(world[frame], abs=1e-12)
        for base in frames:
            expected = np.linalg.inv(world[base]) @ world[frame]
            assert homogeneous(kinematics.pose(frame, base), values) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_derivatives_on_random_trees(seed):
    """Relative to the world and to a frame on another branch."""
    system = random_tree(seed, bodies=4)
    kinematics = frozen(system)
    frame, base = system["f3"], system["n1"]
    assert differs_from_derivative(kinematics, frame) == {}
    assert differs_from_derivative(kinematics, frame, base) == {}


@pytest.mark.parametrize("seed", SEEDS)
def test_velocity_by_finite_differences(seed):
    """A check that does not trust derivatives of expressions."""
    system = random_tree(seed)
    kinematics = frozen(system)
    model = kinematics.model
    values = random_values(model, seed)
    step = 1e-6
    speeds = dict(zip(model.coordinates, numbers(list(model.rates), values), strict=True))
    ahead = {**values, **{q: values[q] + step * rate for q, rate in speeds.items()}}
    behind = {**values, **{q: values[q] - step * rate for q, rate in speeds.items()}}
    frame = system["f4"]
    pose = kinematics.pose(frame)
    difference = (numbers(pose.position, ahead) - numbers(pose.position, behind)) / (2 * step)
    velocity = pose.vector_to_parent(kinematics.velocity(frame).moment)
    assert numbers(velocity, values) == pytest.approx(difference, abs=1e-7)


@pytest.mark.parametrize("seed", SEEDS)
def test_relative_motion_is_transitive(seed):
    """ω and poses add up along frames; a frame does not move relative to its own body."""
    system = random_tree(seed)
    kinematics = frozen(system)
    a, b, c = system["f1"], system["n3"], system["f4"]
    assert proved((kinematics.pose(b, c) @ kinematics.pose(a, b)).to_array(), kinematics.pose(a, c).to_array())
    turned = kinematics.pose(b, c).vector_to_parent(
        kinematics.pose(a, b).vector_to_parent(kinematics.velocity(a, b).resultant)
    )
    own = kinematics.pose(b, c).vector_to_parent(kinematics.velocity(b, c).resultant)
    total = kinematics.pose(a, c).vector_to_parent(kinematics.velocity(a, c).resultant)
    assert proved(total, turned + own)
    assert proved(kinematics.velocity(a, a.body), 0)
    assert all(proved(part, 0) for part in kinematics.acceleration(a, a.body))


def test_rates_of_the_model_are_what_they_say():
    """q̇ of a stack of movements is its speed; of quaternions it keeps their length."""
    system = random_tree(5)
    model = system.freeze()
    for joint in model.joints:
        parts = [q for q in joint.coordinates if q.name[-3:] in ("_qw", "_qx", "_qy", "_qz")]
        if parts:
            assert proved(time_derivative(sum(q * q for q in parts), rates(model)), 0)


# names and numbering -------------------------------------------------------------------------------------------------


def shuffled(seed):
    """The same mechanism, written down in another order, and the names of its joints in that order."""
    rng = random.Random(seed)
    system = System("order")
    bodies = {}
    steps = [("arm", "world"), ("hand", "arm"), ("finger10", "hand"), ("finger2", "hand"), ("tail", "world")]
    names = [name for name, _ in steps]
    rng.shuffle(names)
    for name in names:
        bodies[name] = system.body(name, mass=1, com=(1, 0, 0))
    rng.shuffle(steps)
    for name, carrier in steps:
        system.joint(f"to_{name}", bodies.get(carrier, system.world), bodies[name], "Rz")
    return system.freeze(), [f"to_{name}" for name, _ in steps]


@pytest.mark.parametrize("seed", range(6))
def test_links_are_numbered_along_the_tree_and_coordinates_as_they_were_written(seed):
    model, written = shuffled(seed)
    assert [link.joint.name for link in model.links] == ["to_arm", "to_hand", "to_finger2", "to_finger10", "to_tail"]
    assert [link.parent for link in model.links] == [-1, 0, 1, 1, -1]
    assert [q.name for q in model.coordinates] == written
    assert [u.name for u in model.speeds] == [f"{name}_dot" for name in written]
    assert all(model.speeds[link.columns[0]] is link.u[0] for link in model.links)


def test_parents_come_first():
    for seed in SEEDS:
        for link in random_tree(seed).freeze().links:
            assert link.parent < link.index


@pytest.mark.parametrize(
    ("kind", "coordinates", "speeds"),
    [
        ("Tx", ["j"], ["j_dot"]),
        (["Tx", "Ry"], ["j_tx", "j_ry"], ["j_tx_dot", "j_ry_dot"]),
        (["Rx", "Ry", "Rx"], ["j_rx1", "j_ry", "j_rx2"], ["j_rx1_dot", "j_ry_dot", "j_rx2_dot"]),
        ("cylindrical", ["j_t", "j_r"], ["j_t_dot", "j_r_dot"]),
        ("universal", ["j_r1", "j_r2"], ["j_r1_dot", "j_r2_dot"]),
        ("planar", ["j_tz", "j_tx", "j_ry"], ["j_tz_dot", "j_tx_dot", "j_ry_dot"]),
        ("spherical", ["j_qw", "j_qx", "j_qy", "j_qz"], ["j_wx", "j_wy", "j_wz"]),
        ("spherical_euler", ["j_a1", "j_a2", "j_a3"], ["j_wx", "j_wy", "j_wz"]),
        (
            "free",
            ["j_x", "j_y", "j_z", "j_qw", "j_qx", "j_qy", "j_qz"],
            ["j_wx", "j_wy", "j_wz", "j_vx", "j_vy", "j_vz"],
        ),
    ],
)
def test_names_of_coordinates_and_speeds(kind, coordinates, speeds):
    system = System("names")
    chosen = KINDS.get(kind, kind) if isinstance(kind, str) else kind
    joint = system.joint("j", system.world, system.body("b", 1), chosen)
    model = system.freeze()
    assert [q.name for q in joint.coordinates] == coordinates
    assert [u.name for u in joint.speeds] == speeds
    expected = [f"{name.removesuffix('_dot')}_ddot" if name.endswith("_dot") else f"{name}_dot" for name in speeds]
    assert [a.name for a in model.accelerations] == expected


def test_names_of_arrays():
    system = System("arrays")
    p = system.parameter("p", [[1, 2], [3, 4]])
    r = system.input("r", (3,))
    assert [s.name for s in p.flat] == ["p_1_1", "p_1_2", "p_2_1", "p_2_2"]
    assert [s.name for s in r] == ["r_1", "r_2", "r_3"]
