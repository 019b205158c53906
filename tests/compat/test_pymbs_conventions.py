"""Where the manual of PyMbs and its program differ, and commands that its scripts use beyond the manual."""

from __future__ import annotations

import ast
import logging
import math
import re

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.compat.pymbs import (
    Matrix,
    MbsSystem,
    UsageError,
    der,
    inv,
    sign,
    sin,
    solve,
    symmetric_matrix,
)
from multibody.graph import evaluate, symbol


def messages(caplog, word):
    return [one.getMessage() for one in caplog.records if word in one.getMessage()]


@pytest.fixture(autouse=True)
def log(caplog):
    caplog.set_level(logging.WARNING, "multibody")


# conventions ---------------------------------------------------------------------------------------------------------


def gears(conventions=None, ratio=3):
    """Two flywheels of 1 and 2 kg·m², with a torque of 10 N·m on the first, in a fixed ratio."""
    world = MbsSystem([0, 0, 0])
    if conventions:
        world.conventions = conventions
    wheels = [world.addBody(1.0, inertia=[0, 0, 0, 0, 0, one], name=f"wheel{one}") for one in (1.0, 2.0)]
    first, second = (world.addJoint(world, one, "Rz", name=f"q{k}") for k, one in enumerate(wheels, 1))
    world.addLoad.Joint(10.0, first)
    world.addLoop.Transmission(first, second, ratio)
    eom = world.genEquations()
    return eom, float(evaluate(eom.acceleration[0], {}))


@pytest.mark.parametrize(
    ("conventions", "expected"),
    [("manual", 10 / (1 + 2 / 9)), ("program", 10 / (1 + 2 * 9)), (None, 10 / (1 + 2 / 9))],
)
def test_a_transmission_by_the_manual_and_by_the_program(conventions, expected, caplog):
    """q1 = 3·q2 makes 1 + 2/9 kg·m² at the first wheel, and q2 = 3·q1 makes 1 + 2·9."""
    eom, acceleration = gears(conventions)
    assert [one.name for one in eom.coordinates] == ["q1"]
    assert acceleration == pytest.approx(expected, rel=1e-12)
    told = messages(caplog, "addLoop.Transmission")
    assert len(told) == (conventions is None)
    for text in told:
        assert "q1 = ratio*q2 (PyMbs manual, section 3.2.1)" in text
        assert "q2 = ratio*q1" in text
        assert "world.conventions = 'program'" in text


def test_a_ratio_of_one_means_the_same_and_is_not_told(caplog):
    for ratio in (1, -1.0):
        assert gears(None, ratio)[1] == pytest.approx(10 / 3)
    assert not messages(caplog, "Transmission")


def test_a_ratio_of_zero_holds_the_second_joint_by_the_program():
    eom, acceleration = gears("program", 0)
    assert [one.name for one in eom.coordinates] == ["q1"]
    assert acceleration == pytest.approx(10.0)


@pytest.mark.parametrize("conventions", [None, "manual", "program"])
def test_axes_of_constraint_forces(conventions, caplog):
    """A bob of 2 kg hangs still at the end of a drive that holds it at 0.5 rad: the hinge carries 2·9.81 N upward."""
    world = MbsSystem([0, 0, -1])
    if conventions:
        world.conventions = conventions
    bob = world.addBody(2.0, cg=[0, 0, -1], name="bob")
    hinge = world.addJoint(world, bob, "Ry", 0.5, name="hinge")
    world.addLoad.Joint(2 * 9.81 * sin(hinge.coord), hinge)
    world.addSensor.ConstraintForce("F", hinge)
    world.addSensor.ConstraintTorque("L", hinge)
    eom = world.genEquations()
    run = mb.simulate(eom, 0.1, samples=2)
    upward = 2 * 9.81 * np.array([0, 0, 1.0])
    turned = np.array([[math.cos(0.5), 0, -math.sin(0.5)], [0, 1, 0], [math.sin(0.5), 0, math.cos(0.5)]]) @ upward
    np.testing.assert_allclose(run["F"][0], upward if conventions == "program" else turned, atol=1e-9)
    np.testing.assert_allclose(run["L"][0], [0, 2 * 9.81 * math.sin(0.5), 0], atol=1e-9)
    told = messages(caplog, "ConstraintForce")
    assert len(told) == (conventions is None)
    assert all("axes of the world" in one and "second frame" in one for one in told)


def test_a_difference_is_told_once(caplog):
    world = MbsSystem()
    joints = [world.addJoint(world, world.addBody(1.0), "Tx") for _ in range(4)]
    world.addLoop.Transmission(joints[0], joints[1], 2)
    world.addLoop.Transmission(joints[2], joints[3], 2)
    assert len(messages(caplog, "addLoop.Transmission")) == 1
    assert world.conventions == "manual"
    with refused("option-unknown"):
        world.conventions = "pymbs"


# suggested calls -----------------------------------------------------------------------------------------------------

CALL = re.compile(r"(?:world|body)\.[\w.]+\((?:[^()]|\([^()]*\))*\)")


def test_suggested_calls_are_python():
    """All commands, called with nonsense: what the errors suggest can be compiled."""
    world = MbsSystem()
    names = "addParam addInput addExpression addController setGravity addBody addJoint addConstraint setJointRange"
    names += " addFrame addSpringDamper simulate addTyreSensorsLoads addGraphicSensors addJointLoad exportGraphReps"
    groups = [world.addLoad, world.addLoop, world.addSensor, world.addVisualisation, world.genEquations, world.genCode]
    commands = [getattr(world, name) for name in names.split()]
    commands += [getattr(one, name) for one in groups for name in dir(one) if name[0].isupper()]
    remedies = []
    for one in commands:
        with pytest.raises(mb.errors.MultibodyError) as caught:
            one(object(), {}, unheard_of=1)
        remedies.append(caught.value.remedy)
    calls = [call for remedy in remedies for call in CALL.findall(remedy)]
    assert len(calls) > 40
    assert not any("…" in remedy for remedy in remedies)
    for call in calls:
        (tree,) = ast.parse(call).body
        assert isinstance(tree.value, ast.Call)
        target = ast.unparse(tree.value.func)
        owner = world.addBody(1.0) if target.startswith("body.") else world
        for name in target.split(".")[1:]:
            owner = getattr(owner, name)  # there is such a command
        assert callable(owner)


# names, joints -------------------------------------------------------------------------------------------------------


def test_vector_parameters_are_named_by_axes():
    world = MbsSystem([0, 0, -1])
    place = world.addParam("place of the bob", "cp", [1.0, 2.0, 3.0])
    scale, inertia = world.addParam("s", 2.0), world.addParam("I", [1.0, 0, 2, 0, 0, 3])
    far = world.addParam("far", [scale, 2 * scale, 0])
    assert [str(one) for one in place] == ["cp_x", "cp_y", "cp_z"]
    assert [str(one) for one in inertia][:2] == ["I_1", "I_2"]
    world.addJoint(world, world.addBody(1.0, cg=place + far, inertia=inertia), "Rz")
    values = {one.name: value for one, value in world.genEquations().model.parameter_values().items()}
    assert (values["cp_x"], values["cp_z"], values["far_y"]) == (1.0, 3.0, 4.0)
    with refused("name-taken", "cp"):
        world.addParam("cp", 1.0)
    with refused("name-taken", "cp_x"):
        world.addParam("cp_x", 1.0)


def test_a_second_joint_to_a_body_is_told(caplog):
    world = MbsSystem()
    one, two = world.addBody(1.0, name="one"), world.addBody(1.0, name="two")
    world.addJoint(world, one, "Tx", name="first")
    world.addJoint(one, two, "Tx", name="second")
    assert not caplog.records
    world.addJoint(world, two, "Tx", name="third")
    (text,) = messages(caplog, "addJoint")
    assert "The body 'two' is moved by joint 'second' already; joint 'third' closes a loop" in text
    world.addJoint(two, world, "Tx", name="fourth")
    assert "The world does not move; joint 'fourth' closes a loop" in messages(caplog, "fourth")[0]


# mathematics ---------------------------------------------------------------------------------------------------------


def test_functions_of_matrices():
    a = symbol("a")
    A, b = Matrix([[a, 1], [2, 3]]), Matrix([1, a])
    value = {a: 5.0}
    x = np.array(evaluate(solve(A, b).tolist(), value), float)
    np.testing.assert_allclose(x, np.linalg.solve([[5, 1], [2, 3]], [1, 5]), rtol=1e-14)
    inverse = np.array(evaluate(inv(A).tolist(), value), float)
    np.testing.assert_allclose(inverse, np.linalg.inv([[5, 1], [2, 3]]), rtol=1e-14)
    assert (inv(4), sign(-3), sign(0), sign(2.5)) == (0.25, -1, 0, 1)
    assert evaluate(sign(a), {a: -2.0}) == -1
    assert symmetric_matrix([1, 2, 3, 4, 5, 6]).tolist() == [[1, 2, 4], [2, 3, 5], [4, 5, 6]]
    for call in (lambda: solve([[1, 2]], [1]), lambda: inv([[1, 2, 3]]), lambda: symmetric_matrix([1, 2])):
        with pytest.raises(UsageError) as caught:
            call()
        assert caught.value.remedy
    with pytest.raises(mb.errors.SingularMatrixError):
        inv([[1, 2], [2, 4]])


def test_derivatives_by_time():
    world = MbsSystem()
    j, p, force = (
        world.addJoint(world, world.addBody(1.0), "Tx", name="x"),
        world.addParam("p", 2.0),
        world.addInput("F"),
    )
    l = world.addSensor.Distance("l", world, world.addBody(1.0))
    x, v = j.coord, j.vel
    assert str(der(p * x**2)) == "2*p*x*x_dot"
    assert str(der(v)) == "x_ddot"
    assert (der(p), der(world.time), der(3)) == (0, 1, 0)
    assert [str(one) for one in der(Matrix([x, p * x]))] == ["x_dot", "p*x_dot"]
    for rateless in (force, l[0] * x):
        with refused("rate-unknown"):
            der(rateless)
    assert der(x) is v


# a spring, a run, a steering -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", [True, False])
def test_a_spring_and_damper(first):
    """2 kg on 200 N/m and 4 N·s/m: ω² = 100 - 1, δ = 1."""
    world = MbsSystem([0, 0, 0])
    mass = world.addBody(2.0, name="mass")
    world.addJoint(world, mass, "Tx", 1.5, name="x")
    if first:
        world.addSpringDamper(world, mass, 200.0, 4.0, 1.0, name="strut")
    else:
        world.addSpringDamper("strut", world, mass, 200.0, 4.0, l0=1.0)
    run = mb.simulate(world.genEquations(), 1.0)
    w = math.sqrt(99)
    expected = 1 + 0.5 * np.exp(-run.t) * (np.cos(w * run.t) + np.sin(w * run.t) / w)
    np.testing.assert_allclose(run["x"], expected, atol=1e-6)


@pytest.mark.parametrize("text", [False, True])
def test_simulate_returns_a_run_and_writes_the_file_of_pymbs(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    world = MbsSystem([0, 0, -1])
    world.addJoint(world, world.addBody(1.0), "Tz", 9.0, name="z")
    with refused("equations-missing"):
        world.simulate([1.0], 1.0)
    world.genEquations()
    run = world.simulate([5.0], 0.5, "fall", text)
    assert run["z"][-1] == pytest.approx(5 - 9.81 / 8)
    path = tmp_path / f"fall_values.{'csv' if text else 'npy'}"
    values = np.loadtxt(path) if text else np.load(path)
    np.testing.assert_allclose(values, np.column_stack([5 - 9.81 * run.t**2 / 2, -9.81 * run.t]), atol=1e-7)
    with refused("count-mismatch") as caught:
        world.simulate([1.0, 2.0], 1.0)
    assert "z" in caught.value.remedy
    assert world.simulate(t=0.1)["z"][0] == 9.0


def rack(side_h, side_s, x=0.4, y=0.5, L1=0.1, R2=0.55, R3=0.3, start=0.02):
    """A rack along y, a tie rod along ±y of its body, an arm along x of its body, and a hinge at (±x, ±y)."""
    world = MbsSystem([0, 0, 0])
    one, two, three = (world.addBody(1.0, inertia=[1, 0, 1, 0, 0, 1], name=name) for name in ("one", "two", "three"))
    world.addFrame("D", [side_h * x, side_s * y, 0])
    one.addFrame("B", [0, side_s * L1, 0])
    two.addFrame("C", [0, side_s * R2, 0])
    three.addFrame("D", [R3, 0, 0])
    joints = [world.addJoint(world, one, "Ty", start, name="a"), world.addJoint(one.B, two, "Rz", name="b"),
              world.addJoint(two.C, three, "Rz", name="c")]  # fmt: skip
    return world, three, joints


@pytest.mark.parametrize("side_h", [1, -1])
@pytest.mark.parametrize("side_s", [1, -1])
def test_a_steering_with_the_settings_of_the_program(side_h, side_s, caplog):
    world, arm, (a, b, c) = rack(side_h, side_s)
    world.addSensor.Position("gap", world.D, arm.D)
    world.addLoop.Steering(world.D, arm.D, setUpH=side_h, setUpS=side_s)
    eom = world.genEquations()
    assert not messages(caplog, "Steering")
    assert [a.IsIndependent, b.IsIndependent, c.IsIndependent] == [True, False, False]
    x, y, L1, R2, R3, q = 0.4, 0.5, 0.1, 0.55, 0.3, 0.02
    h, k0 = side_h * x, y - L1 - side_s * q
    k1 = (R2**2 - h**2 - R3**2 - k0**2) / (2 * R3)
    phi = 2 * math.atan((h - side_h * math.sqrt(h * h + k0 * k0 - k1 * k1)) / (k0 + k1))
    angle = -side_s * math.asin((h + R3 * math.sin(phi)) / R2)
    known = dict(eom.model.start)
    assert evaluate(eom.model.values[b.coord], known) == pytest.approx(angle, abs=1e-9)
    turned = evaluate(eom.model.values[c.coord], known) - (-side_s * (math.pi / 2 + phi) - angle)
    assert math.remainder(turned, 2 * math.pi) == pytest.approx(0, abs=1e-9)
    run = mb.simulate(eom, 0.2, u={"a_dot": 0.3})
    np.testing.assert_allclose(run["gap"], 0, atol=1e-9)


def test_steerings_that_pymbs_does_not_know():
    world, arm, _ = rack(1, 1)
    with refused("option-unknown"):
        world.addLoop.Steering(world.D, arm.D, setUpH=2)
    with refused("steering-not-recognized"):
        world.addLoop.Steering(arm.D, world.D, setUpH=1)
    short, arm, _ = rack(1, 1, x=2.0)
    with refused("loop-cannot-close"):
        short.addLoop.Steering(short.D, arm.D, setUpS=1)


def test_a_steering_with_the_wrong_side_is_told(caplog):
    world, arm, _ = rack(1, 1)
    world.addLoop.Steering(world.D, arm.D, setUpH=-1, setUpS=-1)
    world.genEquations()
    assert "does not close this loop" in messages(caplog, "Steering")[0]


# without a screen ----------------------------------------------------------------------------------------------------


def test_nothing_is_shown_without_a_screen(monkeypatch, caplog):
    monkeypatch.setattr("multibody.view.show", lambda *args, **named: "shown")
    world = MbsSystem()
    world.addJoint(world, world.addBody(1.0), "Tx")
    monkeypatch.setenv("MULTIBODY_HEADLESS", "1")
    with refused("equations-missing"):
        world.show()
    world.genEquations()
    assert world.show("title") is None
    assert "MULTIBODY_HEADLESS" in messages(caplog, "show")[0]
    for value in ("", "0"):
        monkeypatch.setenv("MULTIBODY_HEADLESS", value)
        assert world.show("title") == "shown"
