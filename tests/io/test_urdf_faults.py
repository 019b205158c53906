"""Files with faults: those that can be read are read and say so, the others are refused with name, cause and remedy."""

from __future__ import annotations

import pytest
from tests.refusal import refused

from multibody.errors import ModelError, MultibodyError, NumberError, ParseError, TopologyError
from multibody.io import read_urdf

from .samples import arm, joint, link, robot

NOTHING = '<inertial><mass value="0"/><inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial>'
INERTIA = '<inertia ixx="3" iyy="4" izz="5" ixy="0" ixz="0" iyz="0"/>'
TWO = link("base", "") + link("tip")
FOUR = "".join(link(name) for name in "abcd")


def inertial(inside: str) -> str:
    return robot(link("base", ""), link("tip", f"<inertial>{inside}</inertial>"), joint("q", "base", "tip"))


HANDLED = {
    "no inertial": (arm(), "Without inertial, and so without mass: 'base'."),
    "inertial of nothing": (
        robot(link("base"), link("tip", NOTHING), joint("q", "base", "tip")),
        "With an inertial of mass and inertia zero: 'tip'.",
    ),
    "a joint that moves no mass": (
        robot(link("base"), link("tip", ""), joint("q", "base", "tip")),
        "Nothing with mass moves with 'q'",
    ),
    "no mass element": (inertial(INERTIA), "The inertial of link 'tip' (line 4) gives no mass; it is taken as 0."),
    "no mass value": (inertial(f"<mass/>{INERTIA}"), "gives no mass"),
    "inertia without mass": (inertial(f'<mass value="0"/>{INERTIA}'), "'tip' (line 4) has inertia but no mass"),
    "negative mass": (inertial(f'<mass value="-2"/>{INERTIA}'), "no body has it: The mass is negative (-2)."),
    "no inertia element": (inertial('<mass value="1"/>'), "gives no ixx, iyy, izz, ixy, ixz, iyz; 0 is taken."),
    "incomplete inertia": (inertial('<mass value="1"/><inertia ixx="1" iyy="1" izz="1"/>'), "gives no ixy, ixz, iyz;"),
    "negative inertia": (
        inertial(f'<mass value="1"/>{INERTIA.replace("3", "-3")}'),
        "link 'tip' (line 4) is kept, but no body has it: A principal moment of inertia is negative (-3).",
    ),
    "impossible inertia": (inertial(f'<mass value="1"/>{INERTIA.replace("5", "50")}'), "is more than the sum"),
    "asymmetric inertia": (
        inertial(f'<mass value="1"/>{INERTIA.replace("/>", """ iyx="1"/>""")}'),
        "The inertia of link 'tip' (line 4) is not symmetric in ixy and iyx; ixy is used.",
    ),
    "zero axis": (arm('<axis xyz="0 0 0"/>'), "The axis of joint 'q' is zero; the x axis is taken."),
    "long axis": (arm('<axis xyz="0 0 2"/>'), "The axis of joint 'q' has length 2; it is brought to length 1."),
    "an axis as text": (arm("<axis>0 0 1</axis>"), "The axis of joint 'q' (line 5) has no xyz; the x axis is taken."),
    "two origins": (
        arm('<origin xyz="1 0 0"/><origin xyz="2 0 0"/>'),
        "The joint 'q' (line 5) has several <origin>; the first one is used.",
    ),
    "two masses": (
        inertial(f'<mass value="1"/><mass value="2"/>{INERTIA}'),
        "The inertial of link 'tip' (line 4) has several <mass>; the first one is used.",
    ),
    "no limits": (arm(), "The revolute joint 'q' has no limits; its range is left open."),
    "empty limits": (arm('<limit effort="1" velocity="1"/>'), "has limits without lower and upper"),
    "limits the wrong way": (arm('<limit lower="1" upper="-1"/>'), "lower = 1.0 above upper = -1.0"),
    "two links of one name": (
        robot(TWO, link("tip"), joint("q", "base", "tip")),
        "The link in line 4 has the name 'tip' of an earlier one; it is left out, with its mass.",
    ),
    "a link without name": (robot(TWO, "<link/>", joint("q", "base", "tip")), "The link in line 4 has no name"),
    "two joints of one name": (
        robot(FOUR, joint("q", "a", "b"), joint("q", "b", "c"), joint("p", "c", "d")),
        "joint 'q' is q_joint",
    ),
    "a joint without name": (
        robot(TWO, joint("", "base", "tip")),
        "The joint in line 4 has no name; it is called 'joint_1'.",
    ),
    "odd names": (
        robot(TWO.replace("tip", "a b"), joint("1", "base", "a b")),
        "joint '1' is joint_1, link 'a b' is a_b",
    ),
    "mimic of nobody": (arm('<mimic joint="elbow"/>'), "The joint 'q' cannot mimic 'elbow': there is no such joint."),
    "mimic without joint": (arm("<mimic/>"), "The joint 'q' mimics a joint without saying which"),
    "mimic of itself": (arm('<mimic joint="q"/>'), "the coupling leads back to itself"),
    "mimic in a circle": (
        robot(
            FOUR, joint("p", "a", "b", inside='<mimic joint="q"/>'), joint("q", "a", "c", inside='<mimic joint="p"/>'),
            joint("r", "a", "d"),
        ),
        "The joint 'q' cannot mimic 'p': the coupling leads back to itself.",
    ),
    "mimic of a fixed joint": (
        robot(
            FOUR, joint("p", "a", "b", "fixed"), joint("q", "a", "c", inside='<mimic joint="p"/>'), joint("r", "a", "d")
        ),
        "only joints with one coordinate can be coupled",
    ),
    "mass of the world": (
        robot(link("world"), link("tip"), joint("q", "world", "tip")),
        "The link 'world' is the world, which does not move; its mass is left out.",
    ),
    "no geometry": (robot(link("base", "<visual/>")), "A visual of link 'base' (line 3) has no known geometry"),
    "unknown geometry": (
        robot(link("base", "<collision><geometry><cone/></geometry></collision>")),
        "A collision of link 'base' (line 3) has no known geometry; it is left out.",
    ),
    "a scale of four numbers": (
        robot(link("base", '<visual><geometry><mesh filename="a.stl" scale="1 1 1 1"/></geometry></visual>')),
        "A visual of link 'base' (line 3) is left out: The attribute scale=\"1 1 1 1\" does not hold 3 numbers.",
    ),
    "a shape nowhere": (
        robot(link("base", '<collision><origin xyz="0 0"/><geometry><sphere radius="1"/></geometry></collision>')),
        "A collision of link 'base' (line 3) is left out",
    ),
    "a colour of three numbers": (
        robot(link("base", ""), '<material name="m"><color rgba="1 0 0"/></material>'),
        "A colour (line 4) is left open: The attribute rgba=\"1 0 0\" does not hold 4 numbers.",
    ),
    "a world that is no link": (
        robot(link("tip"), joint("q", "world", "tip")),
        "The joint 'q' begins at 'world', which is not a link; it is taken as the world.",
    ),
    "meshes without folder": (
        robot(link("base", '<visual><geometry><mesh filename="package://a/b.stl"/></geometry></visual>')),
        "1 files of meshes and textures are named; to find them, give mesh_root.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", HANDLED)
@pytest.mark.parametrize("floating", [False, True])
def test_files_that_are_only_odd_are_read_and_say_so(case: str, floating: bool) -> None:
    text, said = HANDLED[case]
    found = read_urdf(text, floating=floating)
    if case.startswith("negative"):  # it is read, and said; nothing can move so
        with refused(f"{case.split()[1]}-negative", "'tip'"):
            found.system.freeze()
    else:
        found.system.freeze()
    if case != "mass of the world" or not floating:
        assert any(said in message for message in found.messages), found.messages


HARMLESS = [
    '<transmission name="t"><type>x</type><joint name="q"/><actuator name="m"/></transmission>',
    '<gazebo reference="tip"><mu1>0.2</mu1><xacro:thing a="${b}"/></gazebo><sensor:camera interface:a="1"/>',
    '<xacro:property name="M_PI" value="3.14"/><!-- ${prefix} -->',
    '<ros2_control name="x"><joint name="${q}"/></ros2_control>',
    "text between elements &amp; <![CDATA[ <link> ]]>",
]


@pytest.mark.parametrize("extra", HARMLESS)
def test_extensions_are_passed_over(extra: str) -> None:
    plain, extended = (read_urdf(robot(TWO, joint("q", "base", "tip"), more)) for more in ("", extra))
    assert (plain.joints, plain.messages) == (extended.joints, extended.messages)


REFUSED = {
    "not a robot": ("<html/>", ModelError, "an element <html>, not a <robot>"),
    "an SDF file": ('<sdf version="1.6"><model/></sdf>', ModelError, "an SDF file"),
    "a MuJoCo file": ("<mujoco/>", ModelError, "a MuJoCo file"),
    "no links": ('<robot name="r"/>', ModelError, "The robot has no links."),
    "a doctype": ("<!DOCTYPE robot>" + arm().partition("?>")[2].lstrip(), ParseError, "DOCTYPE"),
    "cut off": (arm()[:-20], ParseError, "not well-formed"),
    "a xacro macro": (robot(link("base", ""), '<xacro:macro name="m"/>'), ModelError, "template for xacro"),
    "a xacro include": (robot(link("base", ""), '<xacro:include filename="x"/>'), ModelError, "template for xacro"),
    "a xacro formula": (arm('<origin rpy="${pi/2} 0 0"/>'), ModelError, "template for xacro"),
    "a xacro name": (robot(link("${prefix}base", "")), ModelError, "template for xacro"),
    "a nan": (arm('<origin xyz="nan 0 0"/>'), NumberError, 'xyz="nan 0 0"'),
    "an infinite mass": (inertial(f'<mass value="inf"/>{INERTIA}'), NumberError, 'value="inf"'),
    "two numbers": (arm('<origin xyz="0 0"/>'), NumberError, "does not hold 3 numbers"),
    "commas": (arm('<axis xyz="0,0,1"/>'), NumberError, "does not hold 3 numbers"),
    "a word": (arm('<limit lower="low" upper="1"/>'), NumberError, 'lower="low"'),
    "a number without bounds": (arm('<origin xyz="1e200 0 0"/>'), NumberError, "beyond"),
    "no type": (robot(TWO, joint("q", "base", "tip", "")), ModelError, "The joint has no type."),
    "an unknown type": (arm(kind="ball"), ModelError, "the type 'ball', which is not known"),
    "no child": (robot(TWO, '<joint type="fixed"><parent link="base"/></joint>'), TopologyError, "names no child link"),
    "no parent": (robot(TWO, '<joint type="fixed"><child link="tip"/></joint>'), TopologyError, "names no parent link"),
    "an unknown link": (robot(TWO, joint("q", "base", "tap")), TopologyError, "the link 'tap', which does not exist"),
    "a joint to itself": (robot(TWO, joint("q", "tip", "tip")), TopologyError, "connects the link 'tip' to itself"),
    "two parents": (
        robot(FOUR, joint("p", "a", "c"), joint("q", "b", "c"), joint("r", "a", "d")),
        TopologyError,
        "The link 'c' is the child of two joints, 'p' and 'q'.",
    ),
    "several roots": (robot(FOUR, joint("q", "a", "b")), TopologyError, "The robot has 3 root links: 'a', 'c', 'd'."),
    "no root": (
        robot(TWO, joint("p", "base", "tip"), joint("q", "tip", "base")),
        TopologyError,
        "'p', 'q' form a circle",
    ),
    "a loop beside the tree": (
        robot(FOUR, joint("p", "a", "b"), joint("q", "c", "d"), joint("r", "d", "c")),
        TopologyError,
        "'q', 'r' form a circle",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_files_without_a_meaning_are_refused(case: str) -> None:
    text, kind, said = REFUSED[case]
    with pytest.raises(kind) as caught:
        read_urdf(text)
    error = caught.value
    assert isinstance(error, MultibodyError)
    assert said in error.what
    assert "the given text" in error.where
    assert error.cause or error.remedy


def test_errors_name_the_line_and_what_may_be_meant() -> None:
    with pytest.raises(NumberError) as caught:
        read_urdf(arm('\n\n<origin xyz="0 0 nan"/>'))
    assert caught.value.where == "<origin> in the given text, line 7"
    with pytest.raises(NumberError) as commas:
        read_urdf(arm('<origin xyz="0, 0, 1"/>'))
    assert "not by commas" in commas.value.remedy
    with pytest.raises(TopologyError) as missing:
        read_urdf(robot(TWO, joint("q", "base", "tipp")))
    assert missing.value.cause == "Perhaps 'tip' is meant."


def test_long_chains_need_no_recursion() -> None:
    names = [f"l{k}" for k in range(500)]
    parts = [link(name, "") for name in names] + [joint(f"j{k}", f"l{k}", f"l{k + 1}", "fixed") for k in range(499)]
    assert len(read_urdf(robot(*parts)).system.freeze().links) == 0
