"""The tutorial of the PyMbs manual, run as it stands there; orders of arguments; errors that name the command."""

import re
import runpy
from pathlib import Path

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
import multibody.view
from multibody.compat.pymbs import (
    MbsSystem,
    UsageError,
    VarKind,
    diag,
    genCode,
    genSarturisXml,
    pi,
    rotMat,
)
from multibody.graph import all_same
from multibody.model import Kinematics

SCRIPT = Path(__file__).resolve().parents[2] / "examples" / "crane_crab_pymbs.py"


@pytest.fixture
def crane(tmp_path, monkeypatch):
    """The tutorial's script, run in an empty folder; what it shows is kept instead of being shown."""
    shown = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(multibody.view, "show", lambda thing, **settings: shown.append(thing))
    return runpy.run_path(str(SCRIPT)) | {"shown": shown, "folder": tmp_path}


def reference():
    """The same crane, written for ``System``."""
    crane = mb.System("world", gravity=(0, 0, -9.81))
    F = crane.input("F")
    m1, m2, l2 = crane.parameters(m1=1.0, m2=1.0, l2=1.0)
    I2 = crane.parameter("I2", m2 * l2**2 / 12)
    crab, pend = crane.body("Crab", m1), crane.body("Pendulum", m2, inertia=mb.diag(0, I2, 0))
    crane.joint("TransCrab", crane.world, crab, "Tx", q=1.0)
    crane.joint("RotPendulum", crab, pend.frame("Pendulum_joint", (0, 0, l2)), "Ry", q=-1.0)
    crane.load(mb.PointToPointForce(crab, crane.world, F))
    crane.sensor("d", mb.DistanceAndRate(crab, crane.world))
    return mb.derive(crane, mb.Kane())


def test_the_tutorial_has_the_equations_of_the_same_model_in_our_words(crane):
    found, wanted = crane["world"].equations, reference()
    assert found.formalism == "NewtonEuler"
    assert all_same(list(found.acceleration), list(wanted.acceleration))
    assert all_same(list(found.outputs["d"]), list(wanted.outputs["d"]))
    assert found.model.start == wanted.model.start
    assert found.model.parameter_values() == wanted.model.parameter_values()


def by_hand(phi, w, F):
    """The load is at (x - sin φ, -cos φ): 2a - α·cos φ + ω²·sin φ = F, -a·cos φ + (1/12 + 1)·α + g·sin φ = 0, x > 0."""
    M = [[2.0, -np.cos(phi)], [-np.cos(phi), 13 / 12]]
    return np.linalg.solve(M, [F - w**2 * np.sin(phi), -9.81 * np.sin(phi)])


def test_the_tutorial_has_the_accelerations_of_a_crane_by_hand(crane):
    found = crane["world"].equations.forward_dynamics(0.0, [0.7, -1.0], [0.3, 1.9], [2.5], [1, 1, 1, 1 / 12])
    assert found == pytest.approx(by_hand(-1.0, 1.9, 2.5), rel=1e-12)


def test_the_tutorial_writes_the_files_that_the_manual_lists(crane):
    endings = "der_state.m der_state.mo der_state.py inputs.m sensors.m sim.m visual.m".split()
    assert all((crane["folder"] / f"CraneCrab_{ending}").is_file() for ending in endings)


def test_the_python_file_has_the_function_of_the_manual(crane):
    module = runpy.run_path(str(crane["folder"] / "CraneCrab_der_state.py"))
    y = np.array([0.7, -0.4, 0.3, 1.9])
    assert module["CraneCrab_der_state"](0.0, y) == pytest.approx([*y[2:], *by_hand(y[1], y[3], 0.0)], rel=1e-12)


def test_the_modelica_file_can_be_extended_as_the_manual_does(crane):
    """``extends CraneCrab_der_state; … flange.f = F; flange.s = d[1];``."""
    text = (crane["folder"] / "CraneCrab_der_state.mo").read_text()
    assert text.startswith("partial model CraneCrab_der_state ")
    assert "\n  Real F(" in text
    assert "\n  Real d[2] = {d_1, d_2};\n" in text


def test_the_tutorial_shows_its_equations_and_a_rod_along_the_pendulum(crane):
    assert crane["shown"] == [crane["world"].equations]
    box, rod, ball = crane["world"].equations.model.drawings.values()
    assert [type(one.shape) for one in (box, rod, ball)] == [mb.Box, mb.Cylinder, mb.Sphere]
    place = rod.frame.pose @ rod.pose
    along = np.array(place.rotation.to_matrix().symbolic().to_array(), dtype=float)[:, 2]  # cylinders stand along z
    assert abs(along) == pytest.approx([0, 0, 1], abs=1e-15)
    assert [str(part) for part in place.position] == ["0", "0", "l2/2"]


# orders of arguments -------------------------------------------------------------------------------------------------


def name_first():
    world = MbsSystem([0, 0, -1])
    F = world.addInput("DrivingForce", "F", (3,), [-10, 10])
    c = world.addParam("stiffness", "c", 4.0, True)
    body = world.addBody("Body", 2.0, [0, 0, c], diag([1, 2, 3]))
    joint = world.addJoint("Slide", world, body, "Tx", 1.0, 0.5)
    d = world.addSensor.Distance(body, world, "d", "name_of_d")
    v = world.addSensor.Velocity(world, body, "v", world)
    E = world.addExpression("spring", "E", c * d[0] + v[0])
    world.addLoad.PtPForce(body, world, -E, "spring")
    world.addLoad.CmpForce(body, world, F, "push", world)
    world.addLoad.Joint(joint, c)
    world.addSensor.Energy(body, "energy", "E_name")
    world.addSensor.Joint(joint, "s")
    world.addVisualisation.Box(body, 1, 2, 3, "look")
    return world


def symbol_first():
    world = MbsSystem(gravity_vect=[0, 0, -1])
    F = world.addInput("F", shape=[3, 1], limits=[-10, 10], name="DrivingForce")
    c = world.addParam("c", 4.0, positive=True, name="stiffness")
    body = world.addBody(2.0, [0, 0, c], [1, 0, 2, 0, 0, 3], "Body")
    joint = world.addJoint(world, body, ["Tx"], [1.0], [0.5], "Slide")
    d = world.addSensor.Distance("d", body, world, "name_of_d")
    v = world.addSensor.Velocity("v", world, body, world, "name_of_v", VarKind.Sensor)
    E = world.addExpression("E", c * d[0] + v[0], "spring", VarKind.Sensor)
    world.addLoad.PtPForce(-E, body, world, "spring")
    world.addLoad.CmpForce(F, body, world, "push", world)
    world.addLoad.Joint(symbol=c, joint=joint)
    world.addSensor.Energy("energy", body)
    world.addSensor.Joint(symbol_str="s", joint=joint)
    world.addVisualisation.Box(name="look", cs=body, length=1, width=2, height=3)
    return world


def test_both_orders_of_arguments_say_the_same():
    first, second = (made().genEquations.Recursive() for made in (name_first, symbol_first))
    assert all_same(list(first.acceleration), list(second.acceleration))
    for one, other in zip(first.outputs.items(), second.outputs.items(), strict=True):
        assert one[0] == other[0]
        assert all_same(list(np.ravel(one[1])), list(np.ravel(other[1])))
    for part in ("start", "sensors", "loads", "drawings"):
        assert list(getattr(first.model, part)) == list(getattr(second.model, part))
    assert [one.slider for one in first.model.inputs] == [one.slider for one in second.model.inputs] == [(-10.0, 10.0)]
    assert [one.description for one in first.model.parameters] == ["stiffness"]


def test_all_ways_to_derive_agree():
    ways = [
        lambda world: world.genEquations(explicit=True),
        lambda world: world.genEquations(),
        lambda world: world.genEquations.Explicit(diff=2, kinematicsOnly=False),
        lambda world: world.genEquations.Recursive(simplify=True, graphOptimizations=True),
        lambda world: world.genEquations.OrderN([0, 1, 2]),
    ]
    found = [way(name_first()) for way in ways]
    assert [one.formalism for one in found] == [
        "NewtonEuler", "Recursive", "NewtonEuler", "Recursive", "ArticulatedBody"
    ]  # fmt: skip
    assert all(all_same(list(found[0].acceleration), list(one.acceleration)) for one in found)


# names ---------------------------------------------------------------------------------------------------------------


def test_names_that_pymbs_keeps_apart_may_be_the_same(caplog):
    """Frames are named on their body; a body, an input and a load may share a name."""
    world = MbsSystem()
    a, b = world.addBody(1.0, name="F"), world.addBody(1.0)
    for body in (a, b):
        body.addFrame("tip", [0, 0, 1]).addFrame("nested", [1, 0, 0])
    world.addJoint(world, a.tip, "Tx")
    joint = world.addJoint(a, b.tip.nested, "Tz", name="F")
    F = world.addInput("F")
    world.addLoad.Joint(F, joint, "F")
    assert world.genEquations().inputs[0] is F
    assert {one.name for one in world.equations.model.bodies} == {"F", "body_1"}
    assert f"The symbol 'F' is called '{F.name}'" in caplog.text
    assert (world.bodyDict, list(world.jointDict)) == ({"F": a, "body_1": b}, ["joint_1", "F"])
    assert [str(part) for part in b.tip.nested.made.pose.position] == ["1", "0", "1"]


def test_a_frame_is_turned_as_by_pymbs():
    """``rotMat`` of PyMbs is [[c, s], [-s, c]] in the plane, and the columns of R are the axes of the frame."""
    world = MbsSystem()
    world.addFrame("F", R=rotMat(pi / 6, "z"))
    world.addFrame("G", [1, 2, 3], rotMat(0.3, "x") * rotMat(0.2, "y"))
    found = [np.array(f.made.pose.rotation.to_matrix().symbolic().to_array(), dtype=float) for f in (world.F, world.G)]
    c, s = np.cos(pi / 6), np.sin(pi / 6)
    assert found[0] == pytest.approx(np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]), abs=1e-15)
    about_x = np.array([[1, 0, 0], [0, np.cos(0.3), np.sin(0.3)], [0, -np.sin(0.3), np.cos(0.3)]])
    about_y = np.array([[np.cos(0.2), 0, -np.sin(0.2)], [0, 1, 0], [np.sin(0.2), 0, np.cos(0.2)]])
    assert found[1] == pytest.approx(about_x @ about_y, abs=1e-15)


def test_frames_turned_by_a_parameter_are_rotations():
    world = MbsSystem()
    angle = world.addParam("angle", 0.3)
    body = world.addBody(1.0)
    world.addJoint(world.addFrame("slope", R=rotMat(angle, "y")), body, "Tx")
    position = mb.Position(body.made).measure(Kinematics(world.system.freeze()))
    assert [str(one) for one in position] == ["joint_1*cos(angle)", "0", "joint_1*sin(angle)"]


# errors --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def world():
    world = MbsSystem()
    world.body = world.addBody(1.0, name="stone")
    world.joint = world.addJoint(world, world.body, ["Tx", "Ry"], name="move")
    return world


@pytest.mark.parametrize(
    ("command", "call"),
    [
        ("addJoint", lambda w: w.addJoint("name", w, "stone", "Tx")),
        ("addJoint", lambda w: w.addJoint(w, w.addBody(1.0), "Qx")),
        ("addJoint", lambda w: w.addJoint(w, w.addBody(1.0), "Tx", [1, 2])),
        ("addBody", lambda w: w.addBody("one", "two")),
        ("addBody", lambda w: w.addBody(1.0, cg=[1, 2])),
        ("addBody", lambda w: w.addBody(1.0, inertia=[1, 2])),
        ("addBody", lambda w: w.addBody(1.0, weight=3)),
        ("addBody", lambda w: w.addBody("one", 1.0, name="two")),
        ("addParam", lambda w: w.addParam("m")),
        ("addParam", lambda w: w.addParam("m", -1.0, positive=True)),
        ("addParam", lambda w: w.addParam("l", [-1.0, 1.0, -1.0], negative=True)),
        ("addParam", lambda w: [w.addParam("m", 1.0), w.addParam("m", 2.0)]),
        ("addInput", lambda w: w.addInput(3)),
        ("addFrame", lambda w: w.addFrame("addBody")),
        ("addFrame", lambda w: [w.addFrame("f"), w.addFrame("f")]),
        ("addConstraint", lambda w: w.addConstraint(w, w.body)),
        ("addLoad.PtPForce", lambda w: w.addLoad.PtPForce("F", w, w.body)),
        ("addLoad.PtPForce", lambda w: w.addLoad.PtPForce([1, 2, 3], w, w.body)),
        ("addLoad.CmpForce", lambda w: w.addLoad.CmpForce(1.0, w, w.body)),
        ("addLoad.Joint", lambda w: w.addLoad.Joint(1.0, w.joint)),
        ("addLoop.FourBar", lambda w: w.addLoop.FourBar(w, w.body, 3)),
        ("addLoop.Transmission", lambda w: w.addLoop.Transmission(w.joint, w.joint[1])),
        ("addLoop.ExpJoint", lambda w: w.addLoop.ExpJoint(w.joint, 1.0)),
        ("addSensor.Distance", lambda w: w.addSensor.Distance("d", w)),
        ("addSensor.ConstraintForce", lambda w: w.addSensor.ConstraintForce("F", w.joint[0])),
        ("addVisualisation.Box", lambda w: w.addVisualisation.Box(w, 1, 2, 3, 4)),
        ("setJointRange", lambda w: w.setJointRange(w.joint[0], 1, -1)),
        ("genEquations", lambda w: w.genEquations.Recursive(diff=3)),
        ("genMatlabAnimation", lambda w: w.genMatlabAnimation("name", axislimits=[1, -1] * 3)),
        ("genMatlabAnimation", lambda w: w.genMatlabAnimation("name", axislimits=[-1, 1])),
        ("genCode.Matlab", lambda w: w.genCode("m", "name")),
        ("show", lambda w: w.show("name")),
        ("exportGraphReps", lambda w: w.exportGraphReps("name")),
        ("addSensor", lambda w: w.addSensor("d", "Temperature", w, w.body)),
        ("genCode", lambda w: genCode("m", "name")),
        ("rotMat", lambda w: rotMat(1.0, "w")),
    ],
)
def test_wrong_usage_is_told_by_the_name_of_the_command(world, command, call):
    with pytest.raises(mb.errors.MultibodyError) as caught:
        call(world)
    assert f"PyMbs' {command}" in caught.value.where
    assert caught.value.code
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("command", "call"),
    [
        ("genSarturisXml", lambda w: w.genSarturisXml("name")),
        ("genSarturisXml", lambda w: genSarturisXml(w, "name")),
        ("addFlexibleBody", lambda w: w.addFlexibleBody("beam.sid")),
        ("genCode.Fortran90", lambda w: w.genCode("f90", "name")),
        ("genCode.CSharp", lambda w: w.genCode.CSharp("name")),
        ("genCode", lambda w: w.genCode("xml", "name")),
        ("genCode.Matlab", lambda w: w.genCode.Matlab("name", symbolic_mode=True)),
        ("addVisualisation.flexible_Body", lambda w: w.addVisualisation.flexible_Body(cs=w.body)),
        ("genCode.C", lambda w: w.genCode.C("name", pymbs_wrapper=True)),
    ],
)
def test_what_is_not_supported_says_so_and_names_another_way(world, command, call):
    with refused("pymbs-feature-unsupported", f"PyMbs' {command}") as caught:
        call(world)
    assert caught.value.remedy


def test_no_arguments_lead_to_other_errors(tmp_path, monkeypatch):
    """Many calls with arguments drawn at random: they are understood, or the command complains."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(12)
    names = "addParam addInput addExpression addController setGravity addBody addJoint addConstraint setJointRange"
    macros = "addTyreSensorsLoads addHydCylSensorsLoads addGraphicSensors addJointLoad addFrame exportGraphReps"
    understood, nameless = 0, []
    for round_ in range(1500):
        if round_ % 25 == 0:
            world = MbsSystem()
            stone = world.addBody(1.0)
            joint = world.addJoint(world, stone, ["Tx", "Ry"])
            pool = [world, stone, joint, joint[0], world.addParam("p", 1.0), world.addInput("V", (3,)), 1.0, -2, np.nan]
            pool += [
                "x",
                "y z",
                "",
                "Tx",
                ["Tx", "Ry"],
                [1, 2, 3],
                [],
                [[1, 2], [3]],
                None,
                True,
                np.eye(3),
                {},
                object,
            ]
            groups = [world.addLoad, world.addLoop, world.addSensor, world.addVisualisation]
            commands = [getattr(world, name) for name in f"{names} {macros}".split()]
            commands += [getattr(one, name) for one in groups for name in dir(one) if name[0].isupper()]
        call = commands[rng.integers(len(commands))]
        try:
            call(*(pool[rng.integers(len(pool))] for _ in range(rng.integers(5))))
            understood += 1
        except mb.errors.MultibodyError as error:
            nameless += [] if "PyMbs' " in error.where else [error]
    assert understood > 5
    assert not nameless


def test_the_orders_that_are_understood_are_listed(world):
    with pytest.raises(UsageError) as caught:
        world.addLoad.PtPForce("F", world, world.body)
    assert "world.addLoad.PtPForce(symbol, CS1, CS2, name=None)" in caught.value.remedy
    assert "world.addLoad.PtPForce(CS1, CS2, symbol, name=None)" in caught.value.remedy


def test_an_unknown_frame_is_told_with_the_known_ones(world):
    world.body.addFrame("tip")
    with pytest.raises(AttributeError, match=r"'stone' has no frame .* 'top'; frames: tip"):
        _ = world.body.top


def test_the_page_prints_what_it_shows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = (SCRIPT.parents[1] / "docs" / "from_pymbs.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", text, re.DOTALL)
    page = tmp_path / "page.py"
    page.write_text("".join(code for code, _ in blocks), encoding="utf-8")
    found = runpy.run_path(str(page))
    assert capsys.readouterr().out == "".join(shown for _, shown in blocks)
    assert found["run"]["TransCrab"][-1] > 1.0
    assert found["lin"].A.shape == (4, 4)


def test_misspelt_commands_and_languages_are_told_the_right_ones():
    world = MbsSystem()
    with pytest.raises(AttributeError, match="Did you mean 'addSensor'"):
        world.addSensr
    with refused("pymbs-feature-unsupported"):
        world.genCode("java", "model")


def test_parts_that_are_added_after_the_equations_are_in_them(caplog, tmp_path, monkeypatch):
    """A force, a sensor, a picture and gravity: without a word they would be missing in runs and code."""
    monkeypatch.chdir(tmp_path)
    world = MbsSystem([0, 0, -1])
    body = world.addBody(2.0, name="b")
    slide = world.addJoint(world, body, "Tz", name="z")
    world.genEquations.Recursive()
    world.addLoad.Joint(6.0, slide)
    world.addSensor.Joint("place", slide)
    world.addVisualisation.Box(body, 1, 1, 1)
    world.setGravity(1.0)
    with caplog.at_level("WARNING", "multibody"):
        run = world.simulate(t=1.0)
    assert run["z"][-1] == pytest.approx((3.0 - 1.0) / 2, rel=1e-9)
    assert [*world.equations.outputs] == ["place"]
    assert len(world.equations.model.drawings) == 1
    assert [record.getMessage() for record in caplog.records if "again" in record.getMessage()]
    caplog.clear()
    with caplog.at_level("WARNING", "multibody"):
        world.getMotionEquations()
    assert not caplog.records
