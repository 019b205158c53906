"""Scenes: placement by numbers, what is drawn, and what is drawn by itself."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.spatial.transform import Rotation as Turn

import multibody as mb
from multibody.graph import evaluate
from multibody.model import Kinematics
from multibody.view.scenes import camera as cameras
from multibody.view.scenes.build import scene
from multibody.view.scenes.camera import FIELD, bounds, camera
from multibody.view.scenes.placement import (
    HERE,
    Poses,
    continuous,
    laid_between,
    quaternions,
    rotation_matrices,
    turning_z_to,
)
from multibody.view.scenes.scene import LAYERS

unit = st.floats(-1, 1)
four = st.tuples(unit, unit, unit, unit).filter(lambda q: np.linalg.norm(q) > 0.1)
quaternion = four.map(lambda q: np.array(q) / np.linalg.norm(q))


# placement -----------------------------------------------------------------------------------------------------------


@given(quaternion)
def test_quaternions_and_matrices_are_each_others_inverse(q):
    matrix = rotation_matrices(q)
    assert matrix == pytest.approx(Turn.from_quat(q, scalar_first=True).as_matrix(), abs=1e-14)
    back = quaternions(matrix)
    assert back[0] >= 0
    assert abs(back @ q) == pytest.approx(1, abs=1e-14)


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, -2, 3)])
@pytest.mark.parametrize("angle", [np.pi, np.pi - 1e-9, np.pi + 1e-9, 0.0, 1e-9, 2 * np.pi / 3])
def test_quaternions_of_half_turns_are_exact(axis, angle):
    turn = Turn.from_rotvec(angle * np.array(axis) / np.linalg.norm(axis))
    found = quaternions(turn.as_matrix())
    assert np.linalg.norm(found) == pytest.approx(1, abs=1e-15)
    assert rotation_matrices(found) == pytest.approx(turn.as_matrix(), abs=2e-15)


@given(st.tuples(unit, unit, unit).filter(lambda v: np.linalg.norm(v) > 1e-3))
def test_z_turns_to_any_direction_on_the_shortest_way(v):
    direction = np.array(v) / np.linalg.norm(v)
    q = turning_z_to(np.array(v))
    assert rotation_matrices(q) @ [0, 0, 1] == pytest.approx(direction, abs=1e-7)
    assert 2 * np.arccos(np.clip(abs(q[0]), 0, 1)) == pytest.approx(np.arccos(np.clip(direction[2], -1, 1)), abs=1e-6)


@pytest.mark.parametrize(
    "v", [(0, 0, -1), (1e-9, 0, -1), (1e-5, -1e-5, -1), (0, 2.8e-7, -1), (1e-200, 0, -1), (0, 0, -3)]
)
def test_z_turns_to_its_opposite(v):
    found = turning_z_to(np.array(v, dtype=float))
    assert np.linalg.norm(found) == pytest.approx(1)
    assert rotation_matrices(found) @ [0, 0, 1] == pytest.approx(v / np.linalg.norm(v), abs=1e-12)


def test_no_direction_is_no_turn():
    assert turning_z_to(np.zeros(3)).tolist() == HERE.quaternion.tolist()


def test_continuous_quaternions_do_not_jump_and_turn_the_same_way():
    angle = np.linspace(0, 6 * np.pi, 200)
    one = quaternions(Turn.from_rotvec(np.outer(angle, [0.6, 0, 0.8])).as_matrix())
    other = quaternions(Turn.from_rotvec(np.outer(-2 * angle, [0, 1.0, 0])).as_matrix())
    jumping = np.stack([one, other], axis=1)
    smooth = continuous(jumping)
    assert np.abs(np.diff(jumping, axis=0)).max() > 0.5
    assert np.abs(np.diff(smooth, axis=0)).max() < 0.25
    assert rotation_matrices(smooth) == pytest.approx(rotation_matrices(jumping), abs=1e-15)


def test_ties_reach_from_point_to_point():
    random = np.random.default_rng(1)
    turns = Turn.random(6, rng=random)
    poses = Poses(random.normal(size=(2, 3, 3)), turns.as_quat(scalar_first=True).reshape(2, 3, 4))
    points = [(random.normal(size=3), random.normal(size=3)) for _ in range(2)]
    found = laid_between([(0, 1), (2, 0)], points, poses)
    for k, (ends, local) in enumerate(zip([(0, 1), (2, 0)], points, strict=True)):
        for t in range(2):
            a, b = (
                poses.position[t, end] + turns[3 * t + end].apply(point) for end, point in zip(ends, local, strict=True)
            )
            tip = found.position[t, k] + rotation_matrices(found.quaternion[t, k]) @ [0, 0, found.length[t, k]]
            assert found.position[t, k] == pytest.approx(a)
            assert tip == pytest.approx(b)


# scenes --------------------------------------------------------------------------------------------------------------


def arm() -> mb.System:
    """Two links in space, with drawings of each kind."""
    system = mb.System("arm")
    first, second = (system.body(name, 2.0, (0.5, 0, 0), (0.02, 0.3, 0.31)) for name in ("first", "second"))
    system.joint("turn", system.world, first, "Rz", 0.3)
    elbow = first.frame("elbow", (1, 0, 0), mb.Rotation.about_x(mb.pi / 2))
    system.joint("bend", elbow, second, "Rz", 0.7)
    return system


def test_poses_are_those_of_the_kinematics():
    model = arm().freeze()
    seen, kinematics = scene(model), Kinematics(model)
    assert [place.name for place in seen.places if place.body] == ["world", "first", "second"]
    rows = np.random.default_rng(2).uniform(-3, 3, (5, 2))
    poses = seen.poses(0.0, rows)
    for q, position, turn in zip(rows, *poses, strict=True):
        values = dict(zip(model.coordinates, q, strict=True))
        for k, body in enumerate(model.bodies, 1):
            whole = np.array(evaluate(kinematics.pose(body).to_array().tolist(), values), dtype=float)
            assert position[k] == pytest.approx(whole[:3, 3], abs=1e-14)
            assert rotation_matrices(turn[k]) == pytest.approx(whole[:3, :3], abs=1e-14)


def test_entries_that_occur_more_than_once_are_compiled_once():
    """A planar chain: five of twelve numbers of a link's pose are new, and its joint has the same pose."""
    chain = mb.System("chain")
    end = chain.world
    for k in range(10):
        body = chain.body(f"b{k}", 1, (0.5, 0, 0))
        chain.joint(f"q{k}", end, body, "Rz", 0.2)
        end = body.frame(f"e{k}", (1, 0, 0))
    seen = scene(chain)
    assert len(seen._entries[0]) <= 5 * 10 + 2
    angle = 0.2 * np.arange(1, 11)
    poses = seen.poses(0.0, seen.start)
    assert poses.position[1:11, 0] == pytest.approx(np.concatenate([[0], np.cumsum(np.cos(angle))[:-1]]))
    assert poses.quaternion[1:11, 3] == pytest.approx(np.sin(angle / 2))


def box_inertia(vertices: np.ndarray, mass: float) -> np.ndarray:
    """Of a homogeneous box about its centre, by its edges."""
    x, y, z = np.ptp(vertices, axis=0)
    return mass / 12 * np.diag([y**2 + z**2, x**2 + z**2, x**2 + y**2])


def test_a_body_is_shown_as_the_box_with_its_inertia():
    system = mb.System("flight")
    turn = Turn.from_rotvec([0.3, -0.5, 0.8])
    tensor = turn.as_matrix() @ np.diag([0.10, 0.17, 0.21]) @ turn.as_matrix().T
    body = system.body("brick", 3.0, (2.0, 1.0, 0.5), tensor.tolist())
    system.joint("free", system.world, body, mb.Free())
    (bone,) = [one for one in scene(system).solids if one.layer == "skeleton" and not one.parts[0].smooth]
    assert bone.pose.position == pytest.approx([2.0, 1.0, 0.5])
    axes = rotation_matrices(bone.pose.quaternion)
    assert np.linalg.det(axes) == pytest.approx(1)
    assert axes @ box_inertia(bone.parts[0].vertices, 3.0) @ axes.T == pytest.approx(tensor, rel=1e-12)


@pytest.mark.parametrize(("radius", "length"), [(0.6, 0.1), (0.1, 1.2)])
def test_a_body_with_an_axis_of_symmetry_is_shown_as_the_cylinder_with_its_inertia(radius, length):
    mass, axis = 3.0, np.array([0.6, 0.0, 0.8])
    along, across = mass * radius**2 / 2, mass * (3 * radius**2 + length**2) / 12
    system = mb.System("flight")
    tensor = across * np.eye(3) + (along - across) * np.outer(axis, axis)
    system.joint("free", system.world, system.body("roll", mass, (2, 1, 0.5), tensor.tolist()), mb.Free())
    (bone,) = [
        one for one in scene(system).solids if one.layer == "skeleton" and np.allclose(one.pose.position, (2, 1, 0.5))
    ]
    assert np.ptp(bone.parts[0].vertices, axis=0) == pytest.approx([2 * radius, 2 * radius, length], rel=1e-9)
    assert abs(rotation_matrices(bone.pose.quaternion)[:, 2] @ axis) == pytest.approx(1)


def test_a_skeleton_reaches_from_joint_to_joint():
    seen = scene(arm())
    rods = [one for one in seen.solids if one.name.startswith("first_skeleton") and one.parts[0].smooth]
    ends = []
    for rod in rods:
        half = np.ptp(rod.parts[0].vertices[:, 2]) / 2
        ends += [rod.pose.position + s * half * rotation_matrices(rod.pose.quaternion)[:, 2] for s in (-1, 1)]
    assert {tuple(end.round(9) + 0.0) for end in ends} == {(0.0, 0.0, 0.0), (0.5, 0.0, 0.0), (1.0, 0.0, 0.0)}


def test_axes_of_joints_are_those_they_turn_about():
    seen = scene(arm())
    (axis,) = [one for one in seen.solids if one.name == "bend_axis"]
    poses = seen.poses(0.0, [0.3, 0.7])
    turn = rotation_matrices(poses.quaternion[axis.place]) @ rotation_matrices(axis.pose.quaternion)
    elbow = Turn.from_euler("ZX", [0.3, np.pi / 2]).as_matrix()
    assert abs(turn[:, 2] @ elbow[:, 2]) == pytest.approx(1)
    assert poses.position[axis.place] == pytest.approx([np.cos(0.3), np.sin(0.3), 0])


def test_drawings_hide_the_skeleton_and_keep_their_names_colours_and_places():
    system = arm()
    system.draw(system["first"], mb.Box(1, 0.2, 0.1, colour="orange"), position=(0.5, 0, 0), name="bar")
    system.draw(system.world, mb.Plane(4, 4), name="floor")
    system.draw(system["first"], mb.Coil(0.1), to=system["second"], name="spring")
    seen = scene(system)
    assert "skeleton" in seen.hidden
    bar, floor = (next(one for one in seen.solids if one.name == name) for name in ("bar", "floor"))
    assert (bar.place, bar.layer, floor.place, floor.layer) == (1, "drawings", 0, "ground")
    assert bar.colour == pytest.approx((1.0, 127 / 255, 14 / 255, 1.0))
    assert np.ptp(bar.parts[0].vertices, axis=0) == pytest.approx([1, 0.2, 0.1])
    (spring,) = seen.ties
    assert spring.ends == (1, 2)
    heights = np.concatenate([part.vertices[:, 2] for part in spring.parts])
    assert (heights.min(), heights.max()) == pytest.approx((0, 1), abs=0.02)
    assert len({one.name for one in seen.solids}) == len(seen.solids)
    assert {one.layer for one in seen.solids} <= set(LAYERS)


def test_sizes_follow_parameters():
    system = mb.System("pendulum")
    length = system.parameter("L", 2.0)
    bob = system.body("bob", 1, (0, 0, -length))
    system.joint("angle", system.world, bob, "Ry")
    system.draw(bob, mb.Cylinder(0.1, length), position=(0, 0, -length / 2))
    for parameters, expected in ((None, 2.0), ({"L": 5.0}, 5.0)):
        (rod,) = [one for one in scene(system, parameters).solids if one.layer == "drawings"]
        assert np.ptp(rod.parts[0].vertices[:, 2]) == pytest.approx(expected)
        assert rod.pose.position == pytest.approx([0, 0, -expected / 2])


# cameras -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("direction", [None, (0, 0, 1), (1, -2, 0.5)])
@pytest.mark.parametrize("aspect", [0.5, 1.5, 3.0])
def test_a_camera_sees_everything_and_is_not_too_far(direction, aspect):
    seen = scene(arm())
    poses = seen.poses(0.0, np.random.default_rng(3).uniform(-3, 3, (20, 2)))
    eye, target, up = camera(seen, poses, direction, aspect)
    forward = (target - eye) / np.linalg.norm(target - eye)
    right = np.cross(forward, up if abs(forward @ up) < 0.999 else [0, 1, 0])
    right /= np.linalg.norm(right)
    spots = []
    for solid in seen.solids:
        if solid.layer not in seen.hidden:
            local = solid.parts[0].vertices @ solid.pose.matrix[:3, :3].T + solid.pose.position
            turns = rotation_matrices(poses.quaternion[:, solid.place])
            spots.append((np.einsum("tij,cj->tci", turns, local) + poses.position[:, None, solid.place]).reshape(-1, 3))
    spots = np.concatenate(spots) - eye
    depth = spots @ forward
    x, y = spots @ right / depth, spots @ np.cross(right, forward) / depth
    slope = np.tan(FIELD / 2)
    largest = max(np.abs(x).max() / (slope * aspect), np.abs(y).max() / slope)
    assert 0.7 < largest < 1
    low, high = bounds(seen, poses)
    assert ((low - 1e-9 <= spots + eye) & (spots + eye <= high + 1e-9)).all()


def test_a_camera_looks_at_some_of_very_many_moments(monkeypatch):
    monkeypatch.setattr(cameras, "CORNERS", most := 50_000)
    seen = scene(arm())
    turns = np.linspace(-3, 3, 10_001)
    many = seen.poses(0.0, np.stack([turns, turns], axis=-1))
    few = Poses(*(one[::10] for one in many))
    assert (
        sum(len(one) for one in cameras._spots(seen, many))
        <= most
        < sum(8 * len(turns) * len(one.parts) for one in seen.solids if one.layer not in seen.hidden)
    )
    for one, other in zip(camera(seen, many), camera(seen, few), strict=True):
        assert one == pytest.approx(other, abs=1e-3 * seen.size)


@pytest.mark.parametrize("gravity", [9.81, 0])
def test_planar_motion_is_seen_from_the_front(gravity):
    chain = mb.System("chain", gravity=(0, -gravity, 0))
    end = chain.world
    for k in range(3):
        body = chain.body(f"b{k}", 1, (0.5, 0, 0))
        chain.joint(f"q{k}", end, body, "Rz", 0.2)
        end = body.frame(f"e{k}", (1, 0, 0))
    seen = scene(chain)
    eye, target, up = camera(seen, seen.poses(0.0, seen.start))
    away = (eye - target) / np.linalg.norm(eye - target)
    assert up.tolist() == [0, 1, 0]
    assert away @ [0, 0, 1] > 0.9


# scenes that are kept ------------------------------------------------------------------------------------------------


def test_a_scene_of_equations_is_built_once_for_the_last_parameters() -> None:
    eom = mb.derive(mb.library.pendulum())
    name = eom.parameters[0].name
    first = scene(eom)
    assert scene(eom) is first
    changed = scene(eom, {name: 3.0})
    assert changed is not first
    assert changed.parameters[0] == 3.0
    assert scene(eom).parameters.tolist() == first.parameters.tolist()


def test_a_scene_with_files_is_built_anew(tmp_path) -> None:
    system = mb.System("cart")
    body = system.body("box", mass=1)
    system.joint("x", system.world, body, "Tx")
    system.draw(body, mb.Mesh(tmp_path / "missing.stl"))
    eom = mb.derive(system)
    assert scene(eom) is not scene(eom)
    assert scene(eom).messages
