"""The report of a URDF file names what is not used, and what is kept without acting on the motion."""

from __future__ import annotations

import pytest

from multibody.io import UrdfRobot, read_urdf

from .samples import INERTIAL, arm, joint, link, robot

LIMIT = '<limit lower="-1" upper="2" effort="30" velocity="4"/>'
BOX = '<geometry><box size="1 2 3"/></geometry>'


def paths(found: UrdfRobot) -> list[str]:
    return [one.path for one in found.report.unused]


def kept(found: UrdfRobot) -> dict[str, str]:
    return {one.path: one.kept for one in found.report.kept}


def test_a_file_of_which_everything_is_used_has_an_empty_report() -> None:
    found = read_urdf(robot(link("base"), link("tip"), joint("q", "base", "tip")))
    assert not found.report
    assert str(found.report) == "All elements and attributes of the file are used."
    assert found.report.summary() == ""


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ('<dynamics damping="1" K="3"/>', ["joint/dynamics@K"]),
        ('<dynamics damping="1"/><dynamics damping="2"/>', ["joint/dynamics"]),
        ('<safety_controller k_velocity="1"/>', ["joint/safety_controller"]),
        ('<calibration rising="0"/>', ["joint/calibration"]),
        ('<origin xyz="1 2 3" rpy="1 0 0" quat_xyzw="0 0 0 1"/>', ["joint/origin@rpy"]),
        ('<origin xyz="1 2 3" rpy="1 0 0" quat_xyzw="0 0 0 0"/>', ["joint/origin@quat_xyzw"]),
        ('<origin xyz="1 2 3" unit="m"/>', ["joint/origin@unit"]),
        ('<limit lower="1" upper="2"/>', ["joint/limit@lower", "joint/limit@upper"]),
        ('<mimic joint="nobody"/>', ["joint/mimic"]),
        ('<axis xyz="0 0 1"><extra/></axis>', ["joint/axis/extra"]),
        ("<dynamics>\n 0.1</dynamics>", ["joint/dynamics/text()"]),
        ("<!-- 1 --> 0.1 <?odd 2?>", ["joint/text()"]),
    ],
)
def test_parts_of_a_joint_that_are_not_used(inside: str, expected: list[str]) -> None:
    assert paths(read_urdf(arm(inside, "continuous"))) == expected


@pytest.mark.parametrize("options", [{"kind": "fixed"}, {"locked": ["q"]}])
def test_what_a_joint_that_does_not_move_says_about_motion_is_not_used(options: dict[str, object]) -> None:
    kind = str(options.pop("kind", "revolute"))
    found = read_urdf(arm(f'<axis xyz="0 1 0"/>{LIMIT}<dynamics damping="1"/><mimic joint="q"/>', kind), **options)
    assert paths(found) == ["joint/axis", "joint/limit", "joint/mimic", "joint/dynamics"]


def test_the_axis_of_a_joint_that_is_held_elsewhere_than_at_zero_is_used() -> None:
    found = read_urdf(arm(f'<axis xyz="0 1 0"/>{LIMIT}'), locked={"q": 0.3})
    assert paths(found) == ["joint/limit"]
    assert found.report.unused[0].why == "The joint is held fast."


def test_limits_say_whether_they_act() -> None:
    still, driven = read_urdf(arm(LIMIT)), read_urdf(arm(LIMIT), drive=True)
    ends = dict.fromkeys(["joint/limit@lower", "joint/limit@upper", "joint/limit@velocity"], "robot.limits")
    assert kept(still) == ends | {"joint/limit@effort": "robot.limits"}
    assert kept(driven) == ends
    why = {one.path: one.why for one in still.report.kept}
    assert "not a stop" in why["joint/limit@lower"]
    assert "drive=True" in why["joint/limit@effort"]
    assert "not limited" in why["joint/limit@velocity"]
    zero = read_urdf(arm(LIMIT.replace("30", "0")), drive=True)
    assert kept(zero)["joint/limit@effort"] == "robot.limits"
    assert not zero.system.freeze().input_limits


def test_couplings_damping_and_friction_are_kept_where_they_do_not_act() -> None:
    follower = '<mimic joint="q" multiplier="2"/><dynamics damping="1" friction="2"/>'
    text = robot(link("base", ""), link("a"), link("b"), joint("q", "base", "a"),
                 joint("r", "base", "b", "continuous", follower))  # fmt: skip
    assert kept(read_urdf(text)) == {"joint/mimic": "robot.mimic"}
    assert kept(read_urdf(text, mimic="couple")) == {}
    ignored = {"joint/dynamics@damping": "robot.damping", "joint/dynamics@friction": "robot.friction"}
    assert kept(read_urdf(text, mimic="couple", dynamics="ignore")) == ignored
    planar = read_urdf(arm('<dynamics damping="1" friction="2"/>', "planar"))
    assert kept(planar) == ignored
    assert not planar.system.loads


def test_links_that_are_left_out_and_inertias_that_do_not_count() -> None:
    zero = '<inertial><origin xyz="1 2 3"/><mass value="0"/><inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/>'
    found = read_urdf(robot(link("world"), link("tip", f"{INERTIAL}{INERTIAL}<contact/>"), link("tip"),
                            link("end", f"{zero}</inertial>"), joint("q", "world", "tip"),
                            joint("e", "tip", "end", "fixed")))  # fmt: skip
    assert paths(found) == [
        "link/inertial", "link/inertial", "link/contact", "link", "link/inertial/origin", "joint@name"
    ]  # fmt: skip
    symmetric = read_urdf(robot(link("a", INERTIAL.replace("iyz=", 'iyx="9" iyz='))), floating=True)
    assert paths(symmetric) == ["link/inertial/inertia@iyx"]


def test_shapes_and_materials() -> None:
    text = robot(
        link("a", f'<visual name="shell">{BOX}<material name="red"/></visual>'
                  f'<visual>{BOX}<material name="own"><color rgba="0 0 1 1"/></material></visual>'
                  f'<visual>{BOX}<material name="nobody"/></visual>'
                  '<visual><geometry><cone size="1"/></geometry></visual>'
                  '<visual><geometry><sphere radius="1"/><box size="1 1 1"/></geometry></visual>'
                  f"<collision>{BOX}<verbose/></collision>"),
        '<material name="red"><color rgba="1 0 0 1"/></material>',
        '<material name="blue"><color rgba="0 0 1 1"/><texture filename="a.png"/></material>',
    )  # fmt: skip
    found = read_urdf(text)
    assert sorted(paths(found)) == [
        "link/collision/verbose", "link/visual", "link/visual/geometry/box", "link/visual/material@name",
        "link/visual/material@name", "material",
    ]  # fmt: skip
    assert kept(found) == {"link/visual@name": "robot.visuals", "link/collision": "robot.collisions"}
    (blue,) = (one for one in found.report.unused if one.path == "material")
    assert blue.why == "No shape uses it."


def test_extensions_and_unknown_attributes_of_the_robot() -> None:
    text = robot(link("base"), "<gazebo><static>1</static></gazebo>", '<transmission name="motor"/>', "<sensor/>",
                 "<whatever/>").replace('name="sample"', 'name="sample" version="1.1" xmlns:xacro="x"')  # fmt: skip
    found = read_urdf(text)
    assert paths(found) == ["robot@version", "robot@xmlns:xacro", "gazebo", "transmission", "sensor", "whatever"]
    assert [one.line for one in found.report.unused] == [2, 2, 4, 5, 6, 7]
    assert "  whatever: The reader does not know it. Line 7." in str(found.report).splitlines()
    assert "whatever" in found.report.summary()
    assert str(found).endswith(str(found.report).splitlines()[-1])


def test_many_places_are_counted() -> None:
    found = read_urdf(robot(link("base"), *["<gazebo/>"] * 5))
    assert "  gazebo (5 times): It is an extension for a simulator. Line 4; line 5; line 6; and 2 more." in (
        found.report.lines()
    )


def test_a_mass_between_tags_is_reported_with_its_text() -> None:
    found = read_urdf(robot('<link name="base"><inertial><mass>3.5</mass></inertial></link>'))
    (entry,) = found.report.unused
    assert (entry.path, entry.value, entry.owner) == ("link/inertial/mass/text()", "3.5", "link 'base'")
    assert "gives no mass" in found.messages[0]


@pytest.mark.parametrize(
    ("kind", "effort", "why"),
    [
        ("revolute", "-3", "It is not a positive number, and the effort is not limited."),
        ("revolute", "0", "It is not a positive number, and the effort is not limited."),
        ("revolute", "inf", ""),
        ("revolute", "3", ""),
        ("floating", "3", "It has a meaning for joints with one coordinate."),
    ],
)
def test_efforts_of_driven_joints_say_why_they_do_not_act(kind: str, effort: str, why: str) -> None:
    found = read_urdf(arm(f'<limit effort="{effort}"/>', kind), drive=True)
    assert [one.why for one in found.report.entries if one.path == "joint/limit@effort"] == ([why] if why else [])
