"""What a URDF file says is what the system is."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from tests.refusal import refused

from multibody.errors import InvalidNameError, ModelError
from multibody.formalisms import derive
from multibody.graph import is_zero, same
from multibody.io import read_urdf
from multibody.io.urdf import Limits, Mimic
from multibody.model import Body, Box, Capsule, Cylinder, Frame, Joint, Mesh, Sphere, Weld

from .samples import INERTIAL, about, arm, joint, link, pose, robot, rpy

ORIGIN = '<origin xyz="1 2 3" rpy="0.1 -0.7 2.0"/>'
PLACE = np.block([[rpy(0.1, -0.7, 2.0), np.array([[1.0], [2.0], [3.0]])], [np.zeros((1, 3)), np.ones((1, 1))]])


def moved(rotation: object = None, shift: object = (0, 0, 0)) -> np.ndarray:
    result = np.eye(4)
    result[:3, :3] = np.eye(3) if rotation is None else rotation
    result[:3, 3] = shift
    return result


# joints ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["revolute", "continuous"])
@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 0, -1), (0, 2, 0), (1, 2, -3), (-0.3, 0.1, -2)])
def test_rotations_about_any_axis(kind: str, axis: tuple[float, ...]) -> None:
    found = read_urdf(arm(f'{ORIGIN}<axis xyz="{" ".join(map(str, axis))}"/>', kind))
    np.testing.assert_allclose(pose(found, "tip", 0.8), PLACE @ moved(about(axis, 0.8)), atol=1e-14)


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, -3, 0), (1, 2, -3)])
def test_translations_along_any_axis(axis: tuple[float, ...]) -> None:
    found = read_urdf(arm(f'{ORIGIN}<axis xyz="{" ".join(map(str, axis))}"/>', "prismatic"))
    shift = 0.8 * np.array(axis) / np.linalg.norm(axis)
    np.testing.assert_allclose(pose(found, "tip", 0.8), PLACE @ moved(None, shift), atol=1e-14)


@pytest.mark.parametrize("kind", ["revolute", "continuous", "prismatic"])
def test_a_locked_joint_stays_where_it_was_put(kind: str) -> None:
    text = arm(f'{ORIGIN}<axis xyz="1 2 -3"/><limit lower="-1" upper="1"/>', kind)
    free, held = read_urdf(text), read_urdf(text, locked={"q": 0.8})
    assert (held.joints, dict(held.limits), held.messages[0]) == ((), {}, "Held fast: 'q' at 0.8.")
    np.testing.assert_allclose(pose(held, "tip"), pose(free, "tip", 0.8), atol=1e-14)
    np.testing.assert_allclose(pose(read_urdf(text, locked=["q"]), "tip"), PLACE, atol=1e-14)
    np.testing.assert_allclose(pose(read_urdf(text, locked="q"), "tip"), PLACE, atol=1e-14)


@pytest.mark.parametrize(("mimic", "left"), [("couple", ()), ("independent", ("r",))])
def test_joints_that_follow_a_locked_one_are_locked_where_couplings_count(mimic: str, left: tuple[str, ...]) -> None:
    follower = joint("r", "base", "hand", "continuous", '<mimic joint="q" multiplier="2" offset="0.1"/>')
    text = robot(link("base", ""), link("hand"), link("tip"), follower, joint("q", "base", "tip"))
    found = read_urdf(text, locked={"q": 0.3}, mimic=mimic)
    assert found.joints == left
    if not left:
        np.testing.assert_allclose(pose(found, "hand"), moved(about((1, 0, 0), 0.7)), atol=1e-14)


def test_what_cannot_be_locked() -> None:
    with refused("name-unknown", "Q") as error:
        read_urdf(arm(), locked=["Q"])
    assert "Did you mean 'q'?" in str(error.value)
    with refused("joint-not-lockable", "q"):
        read_urdf(arm(kind="planar"), locked={"q": 0.5})
    for value in (math.nan, math.inf, "0.3", None):
        with refused("joint-not-lockable", "q"):
            read_urdf(arm(), locked={"q": value})


def test_without_axis_it_is_x() -> None:
    assert np.allclose(pose(read_urdf(arm()), "tip", 0.8), moved(about((1, 0, 0), 0.8)))


@pytest.mark.parametrize("normal", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, -1), (-1, 0, 0), (0, -1, 0), (1, 2, -3)])
def test_planar_joints_move_in_the_plane_and_turn_about_its_normal(normal: tuple[float, ...]) -> None:
    found = read_urdf(arm(f'{ORIGIN}<axis xyz="{" ".join(map(str, normal))}"/>', "planar"))
    assert found.system.freeze().coordinates == found.joint("q").coordinates
    at_rest = pose(found, "tip", (0, 0, 0))
    np.testing.assert_allclose(at_rest, PLACE, atol=1e-14)
    turned = np.linalg.inv(PLACE) @ pose(found, "tip", (0, 0, 0.8))
    np.testing.assert_allclose(turned, moved(about(normal, 0.8)), atol=1e-14)
    shift = (np.linalg.inv(PLACE) @ pose(found, "tip", (0.3, 0.4, 0.0)))[:3, 3]
    np.testing.assert_allclose([np.linalg.norm(shift), shift @ normal], [0.5, 0.0], atol=1e-14)


def test_floating_joints_have_six_degrees_of_freedom() -> None:
    found = read_urdf(arm(ORIGIN, "floating"))
    model = found.system.freeze()
    assert [symbol.name for symbol in model.coordinates] == [f"q_{k}" for k in "x y z qw qx qy qz".split()]
    assert len(model.speeds) == 6
    half = math.sqrt(0.5)
    expected = PLACE @ moved(about((0, 0, 1), math.pi / 2), (1, 2, 3))
    np.testing.assert_allclose(pose(found, "tip", (1, 2, 3, half, 0, 0, half)), expected, atol=1e-14)


def test_spherical_joints_turn_about_a_point() -> None:
    found = read_urdf(arm(ORIGIN, "spherical"))
    assert [symbol.name for symbol in found.system.freeze().coordinates] == [f"q_{k}" for k in "qw qx qy qz".split()]
    half = math.sqrt(0.5)
    expected = PLACE @ moved(about((0, 1, 0), math.pi / 2))
    np.testing.assert_allclose(pose(found, "tip", (half, 0, half, 0)), expected, atol=1e-14)


def test_a_floating_base_moves_the_root_link() -> None:
    found = read_urdf(robot(link("base"), link("tip"), joint("q", "base", "tip")), floating=True)
    model = found.system.freeze()
    assert found.joint("root_joint").child is found.frame("base")
    assert len(model.speeds) == 7
    np.testing.assert_allclose(pose(found, "tip", (1, 2, 3, 1, 0, 0, 0, 0.5)), moved(about((1, 0, 0), 0.5), (1, 2, 3)))


# roots and fixed links -------------------------------------------------------------------------------------------


def test_a_root_called_world_is_the_world() -> None:
    found = read_urdf(robot(link("world", ""), link("tip"), joint("q", "world", "tip")))
    assert found.frame("world") is found.system.world
    assert found.messages == ()
    assert [body.name for body in found.system.freeze().bodies] == ["tip"]


def test_a_world_that_floats_is_a_body_of_another_name() -> None:
    found = read_urdf(robot(link("world", ""), link("tip"), joint("q", "world", "tip")), floating=True)
    assert found.frame("world").name == "world_link"
    assert found.originals["world_link"] == "world"
    assert isinstance(found.frame("world"), Body)


def test_a_link_called_world_inside_the_tree() -> None:
    found = read_urdf(robot(link("base", ""), link("world"), joint("q", "base", "world")))
    assert found.frame("world").name == "world_link"


CHAIN = robot(
    link("base"), link("arm"), link("tool", ""), link("hand"), link("tip", ""),
    joint("q", "base", "arm"), joint("mount", "arm", "tool", "fixed", ORIGIN),
    joint("grip", "tool", "hand", "fixed", '<origin xyz="0 0 1"/>'), joint("end", "hand", "tip", "fixed", ORIGIN),
)  # fmt: skip


def test_merged_links_without_mass_are_frames() -> None:
    found = read_urdf(CHAIN)
    assert [type(found.frame(name)) for name in ("base", "arm", "tool", "hand", "tip")] == [
        Body,
        Body,
        Frame,
        Body,
        Frame,
    ]
    assert found.frame("tip").body is found.frame("hand")
    assert {one.name for one in found.system.all(Joint)} == {"root_joint", "q", "grip"}


def test_kept_links_are_bodies() -> None:
    found = read_urdf(CHAIN, fixed="keep")
    assert all(isinstance(found.frame(name), Body) for name in ("base", "arm", "tool", "hand", "tip"))
    assert isinstance(found.joint("mount").kind, Weld)


def test_merged_and_kept_are_one_rigid_link_with_the_same_inertia() -> None:
    one, other = (read_urdf(CHAIN, fixed=fixed).system.freeze() for fixed in ("merge", "keep"))
    assert len(one.links) == len(other.links) == 1
    assert one.links[0].inertia is not None
    assert other.links[0].inertia is not None
    difference = one.links[0].inertia - other.links[0].inertia
    assert all(is_zero(component) for component in difference.components())
    assert float(one.links[0].inertia.mass) == 4.0
    for name in ("tool", "hand", "tip"):
        both = [pose(read_urdf(CHAIN, fixed=fixed), name, 0.4) for fixed in ("merge", "keep")]
        np.testing.assert_allclose(both[0], both[1], atol=1e-15)


# inertia ---------------------------------------------------------------------------------------------------------


def test_inertia_is_turned_into_the_axes_of_the_link() -> None:
    tilted = INERTIAL.replace('xyz="0.1 0.2 0.3"', 'xyz="0.1 0.2 0.3" rpy="0.4 0.5 -0.6"')
    body = read_urdf(robot(link("base", tilted)), floating=True).system["base"]
    given = np.array([[3, 0.1, 0.2], [0.1, 4, 0.3], [0.2, 0.3, 5]])
    R = rpy(0.4, 0.5, -0.6)
    np.testing.assert_allclose(np.array(body.inertia.to_array(), dtype=float), R @ given @ R.T, rtol=1e-14)
    assert [float(component) for component in body.com] == [0.1, 0.2, 0.3]


def test_numbers_as_parameters() -> None:
    found = read_urdf(CHAIN, numbers="parameters")
    model = found.system.freeze()
    assert [one.name for one in model.parameters[:3]] == ["base_mass", "base_com", "base_inertia"]
    values = model.parameter_values()
    assert sorted(set(values.values())) == [0.1, 0.2, 0.3, 2.0, 3.0, 4.0, 5.0]
    constants = read_urdf(CHAIN).system.freeze().links[0].inertia
    assert constants is not None
    assert model.links[0].inertia is not None
    same = model.links[0].inertia.evaluate(values)
    np.testing.assert_allclose(np.array(same.to_array(), float), np.array(constants.to_array(), float), rtol=1e-14)


# exact rotations -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "angles",
    [
        "1.5707963267948966 0 0",
        "0 -1.5707963267949 3.141592653589793",
        "1.57079632679 0 -1.57079632679",
        "0 6.283185307179586 0",
    ],
)
def test_right_angles_of_full_precision_are_exact(angles: str) -> None:
    found = read_urdf(arm(f'<origin rpy="{angles}"/>'))
    entries = [e for row in found.joint("q").parent.pose.rotation.to_matrix().rows for e in row]
    assert sorted(abs(float(entry)) for entry in entries) == [0.0] * 6 + [1.0] * 3
    np.testing.assert_allclose(pose(found, "tip", 0)[:3, :3], rpy(*map(float, angles.split())), atol=1e-11)
    assert not any("snap" in message for message in found.messages)


def test_other_rotations_are_exactly_orthogonal() -> None:
    for angles in ("0.1 -0.7 2.0", "1.5708 0.3 -1.5708", "1.5707963267948966 0.3 0.2", "0.3 1.5707963267948966 0.3"):
        rotation = read_urdf(arm(f'<origin rpy="{angles}"/>')).joint("q").parent.pose.rotation.to_matrix()
        rows = rotation.rows
        assert all(is_zero(rows[i].dot(rows[j]) - int(i == j)) for i in range(3) for j in range(3))
        np.testing.assert_allclose(np.array(rotation.to_array(), float), rpy(*map(float, angles.split())), atol=1e-15)


def test_a_quaternion_may_stand_for_the_angles() -> None:
    found = read_urdf(arm('<origin quat_xyzw="0 0 0.3 1.4"/>'))
    np.testing.assert_allclose(pose(found, "tip", 0)[:3, :3], about((0, 0, 1), 2 * math.atan2(0.3, 1.4)), atol=1e-15)
    turned = read_urdf(arm('<origin quat_xyzw="0.1 0.2 0.3 0.4"/>')).joint("q").parent.pose.rotation.to_matrix().rows
    assert all(is_zero(turned[i].dot(turned[j]) - int(i == j)) for i in range(3) for j in range(3))


ROUGH = robot(
    link("base", ""), link("a"), link("b"), link("c"),
    joint("one", "base", "a", inside='<origin rpy="1.5708 0 0"/><axis xyz="0 0 1"/>'),
    joint("two", "a", "b", inside='<origin rpy="0 -1.570796 3.1415926"/><axis xyz="0 1 0"/>'),
    joint("three", "b", "c", inside='<origin rpy="0.3 0 0"/><axis xyz="0 1 4e-6"/>'),
)  # fmt: skip


def test_the_reader_says_when_snapping_pays() -> None:
    (message,) = (message for message in read_urdf(ROUGH).messages if "snap" in message)
    assert message == (
        "Rotations and axes that are right angles up to 4.0e-06, but not exactly: 3. "
        "With snap=1e-05 they would be exact, and the equations shorter."
    )


def test_snapping_makes_right_angles_exact_and_leaves_the_rest() -> None:
    found = read_urdf(ROUGH, snap=1e-5)
    assert not any("snap" in message for message in found.messages)
    for name in ("one", "two"):
        entries = [e for row in found.joint(name).parent.pose.rotation.to_matrix().rows for e in row]
        assert sorted(abs(float(entry)) for entry in entries) == [0.0] * 6 + [1.0] * 3
    assert found.joint("three").kind.axis == "y"
    plain = pose(read_urdf(ROUGH), "c", (0.1, 0.2, 0.3))
    np.testing.assert_allclose(pose(found, "c", (0.1, 0.2, 0.3)), plain, atol=2e-5)
    assert read_urdf(ROUGH, snap=1e-9).messages == read_urdf(ROUGH).messages


def test_snapping_also_applies_to_single_angles() -> None:
    angles = "1.5708 0.4 0"
    rotation = read_urdf(arm(f'<origin rpy="{angles}"/>'), snap=1e-5).joint("q").parent.pose.rotation.to_matrix()
    np.testing.assert_allclose(np.array(rotation.to_array(), float), rpy(math.pi / 2, 0.4, 0), atol=1e-15)


# what stands beside mechanics ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "range_"),
    [
        ('lower="-inf" upper="inf"', (None, None)),
        ('lower="-Infinity" upper="1"', (None, 1.0)),
        ('upper="+inf"', (0, None)),
    ],
)
def test_infinite_limits_are_none(given: str, range_: tuple[object, object]) -> None:
    found = read_urdf(arm(f'<limit {given} effort="inf" velocity="2"/>'))
    assert found.limits["q"] == Limits(*range_, None, 2.0)
    assert found.joint("q").limits == (None,)


def test_limits_damping_and_friction() -> None:
    found = read_urdf(
        arm('<limit lower="-1" upper="2" effort="30" velocity="4"/><dynamics damping="0.5" friction="0.1"/>')
    )
    assert found.limits == {"q": Limits(-1.0, 2.0, 30.0, 4.0)}
    assert (found.damping, found.friction) == ({"q": 0.5}, {"q": 0.1})
    assert found.joint("q").limits == ((-1.0, 2.0),)
    turning = read_urdf(arm('<limit effort="30" velocity="4"/>', "continuous"))
    assert turning.limits == {"q": Limits(None, None, 30.0, 4.0)}
    assert turning.joint("q").limits == (None,)


FINGERS = robot(
    link("palm", ""), link("a"), link("b"), link("c"),
    joint("lead", "palm", "a"),
    joint("follow", "palm", "b", inside='<mimic joint="lead" multiplier="-2" offset="0.5"/>'),
    joint("chained", "palm", "c", inside='<mimic joint="follow" multiplier="3"/>'),
)  # fmt: skip


@pytest.mark.parametrize("mode", ["independent", "couple"])
def test_couplings_are_recorded_and_start_values_keep_them(mode: str) -> None:
    found = read_urdf(FINGERS, mimic=mode)
    assert found.mimic == {"follow": Mimic("lead", -2.0, 0.5), "chained": Mimic("follow", 3.0, 0.0)}
    assert [found.joint(name).q for name in ("lead", "follow", "chained")] == [(0.0,), (0.5,), (1.5,)]
    (message,) = (message for message in found.messages if "mimic" in message)
    assert "follow = -2·lead + 0.5, chained = 3·follow + 0" in message


VISUALS = """
<visual name="shell"><origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><geometry><box size="1 2 3"/></geometry>
  <material name="red"/></visual>
<visual><geometry><cylinder radius="0.1" length="2"/></geometry>
  <material name="own"><color rgba="0 0 1 0.5"/></material></visual>
<visual><geometry><sphere radius="0.3"/></geometry><material name="unknown"/></visual>
<visual><geometry><capsule radius="0.3" length="1"/></geometry></visual>
<visual><geometry><mesh filename="package://arm/arm.stl" scale="0.001 0.001 0.001"/></geometry>
  <material name="skin"><texture filename="package://arm/skin.png"/></material></visual>
<visual><geometry><mesh filename="../../etc/passwd"/></geometry></visual>
<collision><geometry><sphere radius="0.3"/></geometry></collision>
"""


def test_shapes_are_kept_for_the_viewer(tmp_path: Path) -> None:
    for name in ("arm.stl", "skin.png"):
        (tmp_path / name).write_text("file")
    text = robot(link("base 1", VISUALS), '<material name="red"><color rgba="1 0 0 1"/></material>')
    found = read_urdf(text, mesh_root=tmp_path)
    shapes = found.visuals["base_1"]
    assert [shape.geometry for shape in shapes[:4]] == [
        Box(1.0, 2.0, 3.0),
        Cylinder(0.1, 2.0),
        Sphere(0.3),
        Capsule(0.3, 1.0),
    ]
    assert shapes[4].geometry == Mesh(tmp_path / "arm.stl", (0.001, 0.001, 0.001), "package://arm/arm.stl", tmp_path)
    assert shapes[5].geometry == Mesh(None, uri="../../etc/passwd", folder=tmp_path)
    assert [shape.colour for shape in shapes[:3]] == [(1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 0.5), None]
    assert (shapes[0].name, shapes[4].texture) == ("shell", tmp_path / "skin.png")
    np.testing.assert_allclose(shapes[0].pose.transform.to_array(), moved(rpy(0.1, 0.2, 0.3), (1, 2, 3)), atol=1e-15)
    assert len(found.collisions["base_1"]) == 1
    assert any("'../../etc/passwd'" in message for message in found.messages)
    assert found.system["base_1"] is found.frame("base 1")


# names -----------------------------------------------------------------------------------------------------------


def test_names_become_identifiers_and_stay_unique() -> None:
    names = ["panda_link0-x", "left hip", "7", "lambda", "a/b", "a b", "t", "größe", "__init__", "", "Å", "x" * 300]
    parts = [link(name) for name in names if name]
    parts += [joint(name, "panda_link0-x", name) for name in names[1:] if name]
    found = read_urdf(robot(*parts, name="a robot!"))
    assert found.system.name == "a_robot_"
    assert found.joints[:10] == (
        "left_hip", "joint_7", "lambda_", "a_b", "a_b_joint", "t_joint", "größe", "joint_init", "Å", "x" * 160
    )  # fmt: skip
    for name in names[1:9]:
        assert found.originals[found.joint(name).name] == name
        assert found.originals[found.frame(name).name] == name
    assert len(found.system.freeze().coordinates) == 10


def test_joints_keep_their_names_before_links() -> None:
    found = read_urdf(robot(link("base", ""), link("elbow"), joint("elbow", "base", "elbow")))
    assert (found.joint("elbow").name, found.frame("elbow").name) == ("elbow", "elbow_link")
    assert found.joint("elbow").coordinate.name == "elbow"
    assert found.frame("elbow_link") is found.frame("elbow")


def test_names_of_coordinates_and_speeds_do_not_collide() -> None:
    names = ["a", "a_dot", "a_ddot", "b", "b_tx", "root_joint", "root_joint_x"]
    kinds = dict.fromkeys(names, "continuous") | {"b": "planar"}
    parts = [link("base"), *(link(f"l{k}") for k in range(len(names)))]
    parts += [joint(name, "base", f"l{k}", kinds[name]) for k, name in enumerate(names)]
    model = read_urdf(robot(*parts), floating=True).system.freeze()
    symbols = [*model.coordinates, *model.speeds, *model.accelerations]
    assert len({symbol.name for symbol in symbols}) == len(symbols) == 7 + 9 + 6 + 9 + 6 + 9


def test_the_name_of_the_system_and_gravity_can_be_chosen() -> None:
    found = read_urdf(arm(), name="mine", gravity=(0, 1, 0))
    assert (found.system.name, found.name) == ("mine", "sample")
    assert [float(component) for component in found.system.gravity] == [0.0, 1.0, 0.0]
    with pytest.raises(InvalidNameError):
        read_urdf(arm(), name="not a name")


def test_wrong_options_and_unknown_names_are_errors() -> None:
    for options in (
        {"fixed": "glue"},
        {"mimic": "yes"},
        {"numbers": "all"},
        {"snap": 2.0},
        {"snap": -1.0},
        {"snap": math.nan},
    ):
        with pytest.raises(ModelError):
            read_urdf(arm(), **options)
    found = read_urdf(arm())
    for look in (found.frame, found.joint):
        with refused("name-unknown"):
            look("elbow")


def test_a_summary_for_people() -> None:
    assert str(read_urdf(arm())).splitlines() == [
        "sample: 2 links, 1 moving joint",
        "  The revolute joint 'q' has no limits; its range is left open.",
        "  Without inertial, and so without mass: 'base'.",
    ]


def test_followers_follow_when_coupled() -> None:
    coupled, free = (read_urdf(FINGERS, mimic=mode).system.freeze() for mode in ("couple", "independent"))
    assert [q.name for q in coupled.coordinates] == ["lead"]
    lead, follow, chained = free.coordinates
    assert [q.name for q in free.coordinates] == ["lead", "follow", "chained"]
    assert same(coupled.values[follow], -2.0 * lead + 0.5)
    assert same(coupled.values[chained], 3.0 * (-2.0 * lead + 0.5))
    eom = derive(coupled)
    full = derive(free)
    q, u = [0.3, -0.1, -0.3], [1.0, -2.0, -6.0]
    mass, bias = full.mass_matrix(0.0, q, u, [], []), full.bias(0.0, q, u, [], [])
    ratios = np.array(u)
    expected = -ratios @ bias / (ratios @ mass @ ratios)
    np.testing.assert_allclose(eom.forward_dynamics(0.0, q[:1], u[:1], [], []), [expected], rtol=1e-12)


def test_fingers_that_do_the_same_have_one_coordinate() -> None:
    parts = [link(name) for name in ("palm", "left", "right")]
    parts += [joint("a", "palm", "left", "prismatic"), joint("b", "palm", "right", "prismatic", '<mimic joint="a"/>')]
    eom = derive(read_urdf(robot(*parts), mimic="couple", gravity=(-9.81, 0, 0)).system)
    assert [q.name for q in eom.coordinates] == ["a"]
    np.testing.assert_allclose(eom.mass_matrix(0.0, [0.2], [0.0], [], []), [[4.0]])
    np.testing.assert_allclose(eom.forward_dynamics(0.0, [0.2], [0.3], [], []), [-9.81])
