"""Robots from real files, against Pinocchio: the same mass, mass matrix, inverse and forward dynamics."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from multibody.io import read_urdf

from .against_pinocchio import ROBOTS, Pair
from .samples import pose

FILES = {
    "ur5": "ur_description/urdf/ur5_robot.urdf",  # root called world, π/2 with twelve digits
    "panda": "panda_description/urdf/panda.urdf",  # prismatic fingers that mimic each other
    "a1": "a1_description/urdf/a1.urdf",
    "anymal": "anymal_b_simple_description/robots/anymal.urdf",  # 23 links, many of them fixed
    "solo12": "solo_description/robots/solo12.urdf",
    "allegro": "allegro_hand_description/urdf/allegro_left_hand.urdf",  # names with dots
    "so101": "so_arm_description/urdf/so101.urdf",  # rotations from CAD
    "xarm7": "xarm_description/urdf/xarm7.urdf",  # 1.5708
    "z1": "z1_description/urdf/z1.urdf",  # link and joint of one name
    "double_pendulum": "double_pendulum_description/urdf/double_pendulum_continuous.urdf",  # continuous joints
    "hextilt": "hextilt_description/urdf/hextilt_flying_arm_5.urdf",
    "bolt": "bolt_description/robots/bolt.urdf",  # inertia without mass
    "baxter": "baxter_description/urdf/baxter.urdf",  # 57 links
    "simple_humanoid": "simple_humanoid_description/urdf/simple_humanoid.urdf",  # 29 joints
    "talos_arm": "talos_data/robots/talos_left_arm.urdf",  # what is left of xacro
    "kinova": "kinova_description/robots/kinova.urdf",  # 0.99 kg + 0.01 kg, which was -19 kg in a field where 2**61 = 1
}


@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize("name", FILES)
def test_the_dynamics_are_those_of_pinocchio(name: str, floating: bool) -> None:
    pair = Pair(FILES[name], floating=floating, name=f"{name}_{'floating' if floating else 'fixed'}")
    masses = [float(link.inertia.mass) for link in pair.model.links if link.inertia is not None]
    assert sum(masses) == pytest.approx(pin.computeTotalMass(pair.pin), rel=1e-14)
    for quantity, difference in pair.differences().items():
        assert difference < 1e-10, quantity


@pytest.mark.parametrize("options", [{"fixed": "keep"}, {"numbers": "parameters"}, {"snap": 1e-3}], ids=str)
def test_options_do_not_change_the_robot(options: dict[str, object]) -> None:
    pair = Pair(FILES["panda"], floating=False, name="panda_options", **options)
    assert max(pair.differences().values()) < 1e-10


def test_snapping_changes_the_robot_by_less_than_the_angle() -> None:
    pair = Pair(FILES["xarm7"], floating=False, name="xarm_snapped", snap=1e-5)
    difference = max(pair.differences().values())
    assert 1e-12 < difference < 1e-4


ONE_EACH = sorted({path.relative_to(ROBOTS).parts[0]: path for path in ROBOTS.rglob("*.urdf")}.values())


def test_the_collection_is_there() -> None:
    assert len(ONE_EACH) >= 30


@pytest.mark.parametrize("path", ONE_EACH, ids=lambda path: path.stem)
def test_every_robot_is_read(path: Path) -> None:
    theirs = pin.buildModelFromUrdf(str(path))
    found = read_urdf(path, mesh_root=ROBOTS.parents[1])
    assert sorted(found.originals[name] for name in found.joints) == sorted(theirs.names[1:])
    for name in found.joints:
        joint = theirs.joints[theirs.getJointId(found.originals[name])]
        if joint.nq == 1 and name in found.limits:
            low, high = found.limits[name].lower, found.limits[name].upper
            assert low is None or (low, high) == (
                theirs.lowerPositionLimit[joint.idx_q], theirs.upperPositionLimit[joint.idx_q]
            )  # fmt: skip
    for link in theirs.frames:
        if link.type == pin.FrameType.BODY and link.name != "universe":
            found.frame(link.name)


def test_frames_of_links_are_where_pinocchio_has_them() -> None:
    for name in ("ur5", "panda", "z1", "bolt"):
        pair = Pair(FILES[name], floating=False)
        q, _, _ = pair.state(1)
        pin.framesForwardKinematics(pair.pin, pair.data, pair._configuration(q))
        for k, frame in enumerate(pair.pin.frames):
            if frame.type == pin.FrameType.BODY and frame.name != "universe":
                theirs = pair.data.oMf[k].homogeneous
                np.testing.assert_allclose(pose(pair.robot, frame.name, q), theirs, atol=2e-11)


def test_meshes_of_a_real_robot_are_found() -> None:
    found = read_urdf(ROBOTS / FILES["panda"], mesh_root=ROBOTS.parents[1])
    shapes = [shape for of_link in found.visuals.values() for shape in of_link]
    assert shapes
    assert all(shape.geometry.path.is_file() for shape in shapes)
    assert not any("mesh" in message for message in found.messages)
