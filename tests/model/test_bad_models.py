"""A table of bad models: each with the error it raises or the finding it gets: what, where, what to do."""

import math

import pytest
from tests.refusal import refused

import multibody as mb
from multibody.errors import (
    InvalidNameError,
    ModelError,
    MultibodyError,
    NumberError,
    ShapeError,
    TopologyError,
    ZeroDivisorError,
)
from multibody.graph import symbol
from multibody.model import (
    Acceleration,
    ConstraintForce,
    Distance,
    Force,
    Free,
    JointLoad,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Spring,
    System,
    UniformGravity,
    Universal,
)

# errors at once ------------------------------------------------------------------------------------------------------


def system():
    made = System("bad")
    made.body("a", 1, inertia=(1, 1, 1))
    made.body("b", 1, inertia=(1, 1, 1))
    return made


def stranger():
    other = System("other")
    other.joint("elsewhere", other.world, other.body("c", 1), "Tx")
    return other


AT_ONCE = {
    "name taken twice": (
        lambda s: s.body("a"), ModelError, "'a' is already in use", "system 'bad'", "choose another"),
    "name of a body for a parameter": (
        lambda s: s.parameter("a", 1.0), ModelError, "'a' is already in use", "system 'bad'", "choose another"),
    "name of a sensor taken twice": (
        lambda s: [s.sensor("d", Distance(s["a"], s["b"])) for _ in range(2)],
        ModelError, "'d' is already in use", "system 'bad'", "choose another"),
    "name of time": (
        lambda s: s.parameter("t", 1.0), ModelError, "'t' is reserved for time", "system 'bad'", "choose another"),
    "name that is none": (
        lambda s: s.body("left wheel"), InvalidNameError, "'left wheel' cannot be the name", "", "left_wheel"),
    "name of a system that is none": (
        lambda s: System("2x"), InvalidNameError, "cannot be the name of a system", "", "x2x"),
    "mass that is not a number": (
        lambda s: s.body("c", math.nan), NumberError, "nan cannot be part of an expression", "", "Find out"),
    "infinite inertia": (
        lambda s: s.body("c", 1, inertia=(math.inf, 1, 1)), NumberError, "inf cannot be part", "", "Find out"),
    "inertia that is not symmetric": (
        lambda s: s.body("c", 1, inertia=[[1, 2, 0], [0, 1, 0], [0, 0, 1]]),
        NumberError, "inertia is not symmetric", "body 'c': 2 and 0", "mirrored entries"),
    "inertia of the wrong shape": (
        lambda s: s.body("c", 1, inertia=(1, 2)), ModelError, "array of shape (2,)", "body 'c'", "six numbers"),
    "centre of mass with two coordinates": (
        lambda s: s.body("c", 1, com=(1, 2)), ShapeError, "needs three components", "(1, 2)", "(x, y, z)"),
    "rotation of the wrong shape": (
        lambda s: s["a"].frame("f", rotation=[[1, 0], [0, 1]]), ModelError, "shape (2, 2)", "frame 'f'", "about_x"),
    "rotation that is a reflection": (
        lambda s: s["a"].frame("f", rotation=[[1, 0, 0], [0, 1, 0], [0, 0, -1]]),
        MultibodyError, "reflection", "", ""),
    "joint to nowhere": (
        lambda s: s.joint("j", s["a"], None, "Rz"), ModelError, "None is not a body or frame", "joint 'j'", "body()"),
    "joint to a name": (
        lambda s: s.joint("j", s["a"], "b", "Rz"), ModelError, "'b' is not a body or frame", "joint 'j'", "body()"),
    "joint between two systems": (
        lambda s: s.joint("j", s["a"], stranger()["c"], "Rz"),
        ModelError, "Body('c') is not a body or frame", "joint 'j' of system 'bad'", "system.world"),
    "joint to itself": (
        lambda s: s.joint("j", s["a"], s["a"].frame("f"), "Rz"),
        ModelError, "Both ends of the joint are on the body 'a'", "joint 'j'", "two different bodies"),
    "movement that is none": (
        lambda s: s.joint("j", s["a"], s["b"], "Rw"),
        ModelError, "'Rw' is not an elementary movement", "joint 'j'", "'Tx'"),
    "axis of length zero": (
        lambda s: s.joint("j", s["a"], s["b"], Revolute((0, 0, 0))),
        ModelError, "length zero has no direction", "", "nonzero component"),
    "prismatic axis of length zero": (
        lambda s: s.joint("j", s["a"], s["b"], Prismatic((0, 0, 0))),
        ModelError, "length zero has no direction", "", "nonzero component"),
    "axis with a letter that is none": (
        lambda s: s.joint("j", s["a"], s["b"], Universal("x", "w")), ModelError, "'w' is not an axis", "", "'-x'"),
    "axis that is zero for all parameters": (
        lambda s: s.joint("j", s["a"], s["b"], Revolute((s.parameter("e") - s["e"].symbols, 0, 0))),
        (ModelError, ZeroDivisorError), "", "", ""),
    "plane that is none": (
        lambda s: s.joint("j", s["a"], s["b"], Planar("w")), ModelError, "is not an elementary movement", "", ""),
    "orientation that is none": (
        lambda s: s.joint("j", s["a"], s["b"], Spherical("abc")), ModelError, "'abc' is not a way", "", "quaternion"),
    "too many start values": (
        lambda s: s.joint("j", s["a"], s["b"], "Rz", q=[1, 2]),
        ModelError, "1 finite numbers are needed", "start value q of joint 'j'", ""),
    "too few start values": (
        lambda s: s.joint("j", s["a"], s["b"], Free(), q=[1, 2]),
        ModelError, "7 finite numbers are needed", "start value q of joint 'j'", ""),
    "start speed that is not a number": (
        lambda s: s.joint("j", s["a"], s["b"], "Rz", u=math.nan),
        ModelError, "1 finite numbers are needed", "start value u of joint 'j'", ""),
    "limits in the wrong order": (
        lambda s: s.joint("j", s["a"], s["b"], "Rz", limits=(1, -1)),
        ModelError, "is not a range (low, high)", "limits of joint 'j'", ""),
    "too few prescribed motions": (
        lambda s: s.joint("j", s["a"], s["b"], ["Tx", "Ty"], prescribed=[1]),
        ModelError, "motion of 2 coordinates is needed", "prescribed motion of joint 'j'", ""),
    "gravity that is a number": (
        lambda s: System("g", gravity=9.81), ShapeError, "A gravity needs three components", "9.81", "(x, y, z)"),
    "parameter that depends on a coordinate": (
        lambda s: s.parameter("p", s.joint("j", s.world, s["a"], "Tx").coordinate),
        ModelError, "The default depends on j", "parameter 'p'", "parameters of the same system"),
    "load that is none": (
        lambda s: s.load(3.0), ModelError, "3.0 is not a load", "load of system 'bad'", "Spring"),
    "load on nothing": (
        lambda s: s.load(Force(None, (1, 2, 3)), "push"),
        ModelError, "None is not a body, frame or joint", "load 'push' of system 'bad': Force", "body.frame()"),
    "load on another system": (
        lambda s: s.load(Spring(s["a"], stranger()["c"], 1)),
        ModelError, "Body('c') is not a body, frame or joint", "system 'bad': Spring", "of this system"),
    "load on a joint of another system": (
        lambda s: s.load(JointLoad(stranger()["elsewhere"], 1)),
        ModelError, "not a body, frame or joint of this system", "JointLoad", "of this system"),
    "sensor that is none": (
        lambda s: s.sensor("d", "distance"), ModelError, "'distance' is not a sensor", "sensor 'd'", "Distance"),
    "sensor on another system": (
        lambda s: s.sensor("d", Distance(s["a"], stranger().world)),
        ModelError, "Body('world') is not a body", "sensor 'd' of system 'bad': Distance", "of this system"),
    "thing that does not exist": (
        lambda s: s["wheel"], ModelError, "There is no 'wheel'", "system 'bad'", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", AT_ONCE)
def test_errors_at_once(name):
    make, kind, what, where, remedy = AT_ONCE[name]
    with pytest.raises(kind) as caught:
        make(system())
    assert what in caught.value.what
    assert where in caught.value.where
    assert remedy in caught.value.remedy


# errors when the model is frozen -------------------------------------------------------------------------------------


def loop_without_root(s):
    s.joint("j", s["a"], s["b"], "Rz")
    s.joint("k", s["b"].frame("end", (1, 0, 0)), s["a"].frame("other", (1, 1, 0)), "Rz")


def prescribed_ball(s):
    s.joint("j", s.world, s["a"], Spherical(), prescribed=[1, 0, 0, 0])
    s.joint("k", s["a"], s["b"], "Rz")


FROZEN = {
    "no joints at all": (lambda s: None, TopologyError, "No joint connects 'a', 'b' to the world", "bad", "Free()"),
    "loop without root": (loop_without_root, TopologyError, "'a', 'b' to the world", "bad", "Connect each part"),
    "one body left over": (
        lambda s: s.joint("j", s.world, s["a"], "Tx"), TopologyError, "No joint connects 'b'", "bad", "Free()"),
    "prescribed quaternion": (
        prescribed_ball, ModelError, "angular velocities cannot be prescribed", "joint 'j'", "elementary"),
}  # fmt: skip


@pytest.mark.parametrize("name", FROZEN)
def test_errors_when_frozen(name):
    """The check finds the same as freezing raises."""
    make, kind, what, where, remedy = FROZEN[name]
    bad = system()
    make(bad)
    with pytest.raises(kind) as caught:
        bad.freeze()
    report = bad.check()
    assert not report.ok
    (finding,) = report.errors
    for found in (caught.value, finding):
        assert what in found.what
        assert where in found.where
        assert remedy in found.remedy


# findings of the check -----------------------------------------------------------------------------------------------


def connected(s, kind="Tx"):
    """Both bodies on joints, so that nothing else is wrong."""
    s.joint("j", s.world, s["a"], kind)
    s.joint("k", s["a"].frame("end", (1, 0, 0)), s["b"], "Rz")
    return s


def extra(s, *args, kind="Rz", **given):
    """One more body, on a joint called ``extra``."""
    s.joint("extra", connected(s)["b"], s.body("c", *args, **given), kind)


def massless_between(s):
    """Two hinges on one axis with nothing between them."""
    connected(s)
    middle, tip = s.body("middle"), s.body("tip", 1, com=(1, 0, 0))
    s.joint("one", s["b"], middle, "Rz")
    s.joint("two", middle, tip, "Rz")


def massless_by_default(s):
    extra(s, s.parameter("m", 0.0), com=(1, 0, 0))


def accelerated_load(s):
    connected(s).sensor("acc", Acceleration(s["a"]))
    s.load(Force(s["a"], s.measured("acc")), "push")


def load_from_a_constraint_force(s):
    connected(s).sensor("through", ConstraintForce(s["k"]))
    doubled = s.expression("doubled", [2 * f for f in s.measured("through")])
    s.load(Force(s["a"], doubled), "push")


def moving_frame(s):
    connected(s)["a"].frame("wobble", (s.input("r"), 0, 0))


def foreign_symbol(s):
    connected(s).load(Force(s["a"], (symbol("k"), 0, 0)), "push")


def same_name(s):
    connected(s).load(Force(s["a"], (s.parameter("j_dot", 1.0), 0, 0)))


def same_name_by_array(s):
    F = connected(s).input("F", (3,))
    s.load(Force(s["a"], F * s.parameter("F_1", 2.0)))


FINDINGS = {
    "negative mass": (
        lambda s: extra(s, -0.5, inertia=(1, 1, 1)), "error", "The mass is negative (-0.5)", "body 'c'", "mass >= 0"),
    "negative mass by default": (
        lambda s: extra(s, s.parameter("m", -3.0), inertia=(1, 1, 1)),
        "error", "The mass is negative (-3)", "body 'c'", "mass >= 0"),
    "negative inertia": (
        lambda s: extra(s, 1, inertia=(1, 1, -0.25)),
        "error", "principal moment of inertia is negative (-0.25)", "body 'c'", ">= 0"),
    "inertia about the origin that is too small": (
        lambda s: extra(s, 2, com=(3, 0, 0), inertia=(1, 1, 1), about="origin"),
        "error", "principal moment of inertia is negative", "body 'c'", ""),
    "triangle inequality": (
        lambda s: extra(s, 1, inertia=(1, 1, 3)),
        "warning", "more than the sum of the other two (1 + 1)", "body 'c'", "in a plane only"),
    "massless tip": (
        lambda s: extra(s),
        "error", "Nothing resists the speed extra_dot", "joint 'extra', which moves body 'c'", "inertia"),
    "particle on a hinge through it": (
        lambda s: extra(s, 5.0), "error", "Nothing resists the speed extra_dot", "joint 'extra'", "mass off the axis"),
    "particle on a ball joint": (
        lambda s: extra(s, 5.0, com=(1, 0, 0), kind=Spherical()),
        "error", "Nothing resists the speed extra_wx, extra_wy, extra_wz", "joint 'extra'", "inertia"),
    "massless by default": (
        massless_by_default, "error", "extra_dot with the default values of the parameters", "joint 'extra'", "mass"),
    "massless between two hinges": (
        massless_between, "error", "The speeds one_dot, two_dot can change together", "system 'bad'", "between them"),
    "parameter without value": (
        lambda s: extra(s, s.parameter("m"), inertia=(1, 1, 1)), "warning", "No value for: m", "parameters", "default"),
    "parameter that is not used": (
        lambda s: connected(s).parameter("p", 1.0), "warning", "Not used: p", "parameters", "remove"),
    "input that is not used": (
        lambda s: connected(s).input("r", (3,)), "warning", "Not used: r", "inputs", "remove"),
    "load that depends on accelerations": (
        accelerated_load, "error", "cannot depend on accelerations: j_ddot", "load 'push': Force('a')", "velocities"),
    "load that depends on constraint forces": (
        load_from_a_constraint_force, "error", "cannot depend on constraint forces", "load 'push': joint 'k'", "input"),
    "load between points that coincide": (
        lambda s: connected(s).load(Spring(s["a"], s["a"].frame("same"), 1), "spring"),
        "error", "coincide in all positions", "load 'spring': from 'a' to 'same'", "JointLoad"),
    "frame that moves": (
        moving_frame, "error", "depends on r, but must not change with time", "frame 'wobble'", "prescribed motion"),
    "mass that changes": (
        lambda s: extra(s, 1 + s.time, inertia=(1, 1, 1)), "error", "depends on t", "body 'c'", "parameters"),
    "axis that changes": (
        lambda s: extra(s, 1, inertia=(1, 1, 1), kind=Revolute((s.time, 1, 1))),
        "error", "depends on t", "joint 'extra'", "parameters"),
    "symbol of nobody": (
        foreign_symbol, "error", "No value for symbol 'k'", "load 'push'", "of this system"),
    "speed and parameter of one name": (
        same_name, "error", "2 quantities are called 'j_dot': a speed and a parameter", "system 'bad'", "Rename"),
    "sensor called like an acceleration": (
        lambda s: connected(s).expression("j_ddot", s.time),
        "error", "2 quantities are called 'j_ddot': a rate of a speed and a sensor", "system 'bad'", "Rename"),
    "entry of an array and parameter of one name": (
        same_name_by_array, "error", "2 quantities are called 'F_1'", "system 'bad'", "Rename"),
    "start outside the limits": (
        lambda s: s.joint("extra", connected(s)["b"], s.body("c", 1, inertia=(1, 1, 1)), "Tx", q=3, limits=(0, 1)),
        "warning", "start value 3 of extra is not between 0 and 1", "joint 'extra'", "limits"),
    "quaternion of the wrong length": (
        lambda s: s.joint("extra", s["b"], connected(s).body("c", 1, inertia=(1, 1, 1)), Spherical(), q=(1, 1, 0, 0)),
        "warning", "has length 1.41421, not 1", "joint 'extra'", "Divide"),
    "gravity twice": (
        lambda s: connected(s).load(UniformGravity((0, 0, -1))),
        "warning", "Gravity acts twice", "bad", "gravity=(0, 0, 0)"),
}  # fmt: skip


@pytest.mark.parametrize("name", FINDINGS)
def test_findings(name):
    """Each model has exactly one thing wrong with it."""
    make, severity, what, where, remedy = FINDINGS[name]
    bad = system()
    make(bad)
    (finding,) = bad.check().findings
    assert finding.severity == severity
    assert what in finding.what
    assert where in finding.where
    assert remedy in finding.remedy


@pytest.mark.parametrize("name", [name for name, (_, severity, *_) in FINDINGS.items() if severity == "error"])
def test_what_check_finds_wrong_is_not_derived(name):
    bad = system()
    FINDINGS[name][0](bad)
    (finding,) = bad.check().errors
    with pytest.raises(MultibodyError) as caught:
        mb.derive(bad)
    found_later = {"matrix-singular": "mass-matrix-singular"}  # singular for all values: the equations have no solution
    assert found_later.get(caught.value.code, caught.value.code) == finding.code


def test_a_quaternion_of_length_zero_is_not_derived():
    bad = connected(system())
    bad.joint("extra", bad["b"], bad.body("c", 1, inertia=(1, 1, 1)), Spherical(), q=(0, 0, 0, 0))
    assert "quaternion-not-unit" in [finding.code for finding in bad.check().errors]
    with refused("quaternion-not-unit", "extra"):
        mb.derive(bad)


def test_a_length_that_is_zero_by_default_is_not_derived_if_nothing_resists():
    """Two particles on one place: only their sum resists, and the relative motion does not."""
    bad = System("bad")
    l = bad.parameter("l", 0.0)
    arm = bad.body("arm", 1, com=(0, 0, -1))
    bad.joint("one", bad.world, arm, "Ry")
    bad.joint("two", arm.frame("end", (0, 0, -1)), bad.body("tip", 1, com=(0, 0, -l)), "Ry")
    with refused("mass-matrix-singular", "two_dot"):
        mb.derive(bad)


@pytest.mark.parametrize(
    "twice",
    [
        lambda s: (s.parameter("k", [1.0, 2.0]), s.parameter("k_1", 5.0)),
        lambda s: (s.parameter("k_2", 5.0), s.parameter("k", [1.0, 2.0])),
        lambda s: (s.input("k", 3), s.input("k_3")),
    ],
)
def test_entries_of_arrays_have_names_of_their_own(twice):
    """They would be one symbol with one value."""
    with refused("name-taken"):
        twice(System("s"))
