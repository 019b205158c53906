"""Wrong models and wrong questions, as users write them: what is noticed, when, and in which words.

Each entry of a table is something wrong, the class of its error, and words that the message must have: the user's own
names, and what to do.
"""

from functools import cache
from math import inf, nan

import numpy as np
import pytest

import multibody as mb
from multibody.errors import (
    AssemblyError,
    InvalidNameError,
    MissingValueError,
    ModelError,
    MultibodyError,
    NumberError,
    ShapeError,
    SingularMatrixError,
    StorageError,
    TopologyError,
    UnknownNameError,
)
from multibody.graph import Table, less, sign, sin, sqrt, symbol, where


def refused(wrong, kind, *words):
    """The error of something wrong, which has all these words."""
    with pytest.raises(MultibodyError) as caught:
        wrong()
    assert isinstance(caught.value, kind), caught.value
    assert not [word for word in words if word not in str(caught.value)], str(caught.value)


# models that are used rightly ----------------------------------------------------------------------------------------


@cache
def pendulum(name="pendulum"):
    """With the parameters m, l and d, the input M and the sensor tip."""
    system = mb.System(name)
    m, l, d = system.parameters(m=2.0, l=1.0, d=0.05)
    bob = system.body("bob", m, (0, 0, -l))
    hinge = system.joint("angle", system.world, bob, "Ry", q=1.0)
    system.load(mb.JointDamper(hinge, d))
    system.load(mb.JointLoad(hinge, system.input("M")))
    system.sensor("tip", mb.Position(bob.frame("end", (0, 0, -l))))
    return system


@cache
def crane():
    """A crab whose place is an input, and a load that swings."""
    system = mb.System("crane")
    crab = system.body("crab", 10.0)
    system.joint("slide", system.world, crab, "Tx", prescribed=system.input("place"))
    system.joint("swing", crab, system.body("load", 1.0, (0, 0, -2.0)), "Ry")
    return system


@cache
def follower():
    """A body that a constraint makes follow an input."""
    system = one_body()
    system.constraint(system["hinge"].coordinate - system.input("place"), name="follow")
    return system


@cache
def ball():
    """1 m above the floor."""
    system = mb.System("ball")
    system.joint("z", system.world, system.body("rubber", 1.0), "Tz", q=1.0)
    return system


@cache
def satellite():
    """Free, with a quaternion."""
    system = mb.System("satellite", gravity=(0, 0, 0))
    system.joint("flight", system.world, system.body("hull", 1.0, (0, 0, 0), (1, 1, 1)), mb.Free())
    return system


@cache
def equations(make):
    return mb.derive(make())


def run(duration=0.1, make=pendulum, samples=3, **options):
    return mb.simulate(equations(make), duration, samples=samples, **options)


def sweep(make=pendulum, **options):
    return mb.sweep(equations(make), 0.1, samples=2, **options)


def one_body(mass=1.0, com=(0, 0, 0), inertia=(1, 1, 1), kind="Tx", **joint):
    """One body on one joint called hinge."""
    system = mb.System("machine")
    system.joint("hinge", system.world, system.body("arm", mass, com, inertia), kind, **joint)
    return system


def four_bar(rod):
    system = mb.System("four_bar", gravity=(0, -9.81, 0))
    lengths = {"crank": 0.3, "rod": rod, "rocker": 0.2}
    bodies = {name: system.body(name, l, (l / 2, 0, 0), (0.1, 0.1, 0.1)) for name, l in lengths.items()}
    ends = {name: bodies[name].frame(f"{name}_end", (l, 0, 0)) for name, l in lengths.items()}
    system.joint("drive", system.world, bodies["crank"], "Rz", q=1.0)
    system.joint("knee", ends["crank"], bodies["rod"], "Rz")
    system.joint("swing", system.frame("bearing", (0.9, 0, 0)), bodies["rocker"], "Rz", q=1.5)
    system.joint("pin", ends["rod"], ends["rocker"], "Rz")
    return system


# building ------------------------------------------------------------------------------------------------------------


def foreign_constraint():
    system = one_body()
    system.constraint(system["hinge"].coordinate - pendulum()["angle"].coordinate, name="tie")


BUILDING = {
    "gravity as a number": (lambda: mb.System("s", 9.81), ShapeError, "gravity", "(x, y, z)"),
    "two words": (lambda: mb.System("s").body("left wheel"), InvalidNameError, "'left wheel'", "left_wheel"),
    "article": (lambda: mb.System("s").input("my input"), InvalidNameError, "the name of an input"),
    "axis of length zero": (lambda: one_body(kind=mb.Revolute((0, 0, 0))), ModelError, "joint 'hinge'", "nonzero"),
    "axis of two numbers": (lambda: one_body(kind=mb.Revolute((1, 0))), ShapeError, "joint 'hinge'", "(x, y, z)"),
    "kind of joint": (lambda: one_body(kind="Revolute"), ModelError, "'Revolute'", "joint 'hinge'", "'Rz'"),
    "limits that are no range": (lambda: one_body(limits=3), ModelError, "joint 'hinge'", "(low, high)"),
    "start that is no number": (lambda: one_body(q=nan), ModelError, "joint 'hinge'", "finite"),
    "function for a motion": (lambda: one_body(prescribed=lambda t: t), mb.errors.ConversionError, "joint 'hinge'"),
    "mass with a unit": (lambda: one_body("10 kg"), mb.errors.ConversionError, "body 'arm'", "10 kg"),
    "mass that is no number": (lambda: one_body(nan), NumberError, "body 'arm'"),
    "one number for an inertia": (lambda: one_body(inertia=3.0), ModelError, "body 'arm'", "three principal values"),
    "inertia about a misspelled point": (
        lambda: mb.System("s").body("arm", 1, (1, 0, 0), (1, 1, 1), about="orgin"),
        ModelError, "'orgin'", "body 'arm'", "about='origin'"),
    "frame that is turned by a number": (
        lambda: mb.System("s").frame("corner", (0, 0, 0), 90), ModelError, "frame 'corner'", "Rotation.about_x"),
    "frame in a plane": (lambda: mb.System("s").frame("corner", (0, 0)), ShapeError, "frame 'corner'", "(x, y, z)"),
    "joint from a body to itself": (
        lambda: (s := one_body()).joint("odd", s["arm"], s["arm"].frame("tip"), "Rz"),
        ModelError, "'arm'", "joint 'odd'", "two different bodies"),
    "spring from a body to itself": (
        lambda: (s := one_body()).load(mb.Spring(s["arm"], s["arm"], 100.0)), ModelError, "'arm'", "two frames"),
    "force as a number": (lambda: mb.Force(one_body()["arm"], 5.0), ShapeError, "force", "(x, y, z)"),
    "load on a joint of another system": (
        lambda: one_body().load(mb.JointDamper(pendulum()["angle"], 1.0), "brake"),
        ModelError, "Joint('angle'", "load 'brake' of system 'machine'", "another system"),
    "constraint with a symbol of another system": (foreign_constraint, ModelError, "'angle'", "constraint 'tie'"),
    "sensor that is not there": (lambda: pendulum().measured("tpi"), ModelError, "'tpi'", "'tip'", "Add it"),
    "thing that is not there": (lambda: pendulum()["bbo"], ModelError, "'bbo'", "Did you mean 'bob'"),
    "start of something as text": (lambda: one_body().start(hinge="1 m"), NumberError, "'hinge'", "SI units"),
}  # fmt: skip


@pytest.mark.parametrize("name", BUILDING)
def test_what_cannot_be_built_is_told_at_once(name):
    refused(*BUILDING[name])


def test_keywords_and_greek_letters_are_names():
    system = mb.System("class")
    slide = system.joint("lambda", system.world, system.body("für", 2.0), "Tx")
    system.load(mb.JointLoad(slide, system.input("φ")))
    found = mb.simulate(mb.derive(system), 2.0, inputs={"φ": 3.0})
    assert found["lambda"][-1] == pytest.approx(3.0)  # ½·(3 N / 2 kg)·(2 s)²


# what check() finds --------------------------------------------------------------------------------------------------


def with_load(make, **joint):
    """A machine with the load 'spring', made from its body."""
    system = one_body(**joint)
    system.load(make(system, system["arm"]), "spring")
    return system


def contradictory():
    """The angle is to be 1 and 2; with residuals relative to these, the sum of squares is least at 1.2."""
    system = one_body()
    for place in (1, 2):
        system.constraint(system["hinge"].coordinate - place, name=f"at_{place}")
    return system


def welded_apart():
    system = one_body(kind=mb.Free())
    other = system.body("plate", 1.0, (0, 0, 0), (1, 1, 1))
    system.joint("weld", system["arm"], other, mb.Weld())
    system.joint("again", other.frame("corner", (1, 0, 0)), system["arm"], mb.Weld())
    return system


def welded_in_a_circle():
    system = mb.System("machine")
    one, other = system.body("one", 1.0), system.body("other", 1.0)
    system.joint("weld", one, other, mb.Weld())
    system.joint("again", other, one, mb.Weld())
    return system


def zero_axis():
    system = mb.System("machine")
    a, b = system.parameters(a=0.0, b=0.0)
    system.joint("hinge", system.world, system.body("arm", 1, (0, 0, 0), (1, 1, 1)), mb.Revolute((a, b, 0)))
    return system


def massless_end():
    system = mb.System("machine")
    upper = system.body("upper", 1, (0, 0, -1))
    system.joint("shoulder", system.world, upper, "Ry")
    system.joint("elbow", upper.frame("end", (0, 0, -1)), system.body("hand"), "Ry")
    return system


FINDINGS = {
    "loop that cannot close": (lambda: four_bar(0.2), "error", "'pin' by 0.2", "Change lengths"),
    "contradictory constraints": (contradictory, "error", "'at_1' by 0.2", "'at_2' by 0.8"),
    "welds that do not fit": (welded_apart, "error", "_fx can never hold", "move the frames"),
    "welds in a circle, in the air": (welded_in_a_circle, "error", "'one', 'other'", "'weld', 'again'", "Free()"),
    "axis of length zero by parameters": (zero_axis, "error", "joint 'hinge'", "a=0, b=0", "other values"),
    "massless end of a chain": (massless_end, "error", "elbow_dot", "body 'hand'", "inertia"),
    "inertia about the wrong point": (
        lambda: (s := one_body()).joint("far", s["arm"], s.body("rod", 1, (1, 0, 0), (0, 1 / 12, 1 / 12),
                                                                about="origin"), "Rz") and s,
        "error", "negative", "body 'rod'"),
    "zero quaternion": (
        lambda: one_body(kind=mb.Free(), q=(1, 0, 0, 0, 0, 0, 0)), "error", "length 0", "hinge_x", "(1, 0, 0, 0)"),
    "degrees": (lambda: one_body(kind="Rz", q=45.0), "warning", "45 rad", "joint 'hinge'", "math.radians"),
    "limits in degrees": (
        lambda: one_body(kind="Rz", limits=(-90, 90)), "warning", "hinge", "three turns", "math.radians"),
    "inertia in kg mm²": (
        lambda: one_body(com=(0.25, 0, 0), inertia=(5000, 5000, 200), kind="Ry"),
        "warning", "70.7 m", "0.25 m", "body 'arm'", "kilogram"),
    "spring within a body": (
        lambda: with_load(lambda s, arm: mb.Spring(arm, arm.frame("tip", (1, 0, 0)), 1.0)),
        "warning", "on the body 'arm'", "load 'spring'", "two bodies"),
    "spring without direction at the start": (
        lambda: with_load(lambda s, arm: mb.Spring(s.world, arm, 1.0, 0.5)),
        "warning", "same point", "load 'spring': from 'world' to 'arm'", "JointSpring"),
    "start of a prescribed motion": (
        lambda: one_body(prescribed=1.0, q=2.0), "warning", "hinge have no effect", "prescribed", "Leave q"),
    "joint for a frame": (
        lambda: with_load(lambda s, arm: mb.Spring(s["hinge"], arm, 1.0)),
        "error", "Joint('hinge'", "load 'spring'", "body.frame"),
    "force on a joint": (
        lambda: with_load(lambda s, arm: mb.Force(s["hinge"], (1, 0, 0))),
        "error", "Joint('hinge'", "load 'spring'", "body.frame"),
}  # fmt: skip


@pytest.mark.parametrize("name", FINDINGS)
def test_what_check_finds(name):
    make, severity, *words = FINDINGS[name]
    (finding,) = make().check().findings
    assert finding.severity == severity
    assert not [word for word in words if word not in str(finding)], str(finding)


RIGHT = {
    "a spring of length zero": lambda: with_load(lambda s, arm: mb.Spring(s.world, arm, 1.0)),
    "a start of one turn": lambda: one_body(kind="Rz", q=-6.2, limits=(-7, 7)),
    "a loop that closes": lambda: four_bar(1.0),
    "a flywheel": lambda: one_body(com=(0.1, 0, 0), inertia=(2, 2, 4), kind="Rz"),
}


@pytest.mark.parametrize("name", RIGHT)
def test_nothing_is_said_about_what_is_right(name):
    assert not RIGHT[name]().check().findings


def test_gravity_in_millimetres():
    system = mb.System("machine", gravity=(0, 0, -9810))
    (finding,) = system.check().findings
    assert "9810 m/s²" in finding.what
    assert "mm/s²" in finding.cause


# deriving ------------------------------------------------------------------------------------------------------------

DERIVING = {
    "welds in a circle, in the air": (welded_in_a_circle, TopologyError, "'one', 'other'", "Free()"),
    "welds that do not fit": (welded_apart, ModelError, "_fx can never hold"),
    "massless end of a chain": (massless_end, SingularMatrixError, "elbow_dot", "mass or an inertia"),
    "massless end by default": (lambda: massless_by_default(), ModelError, "elbow_dot", "default values", "mass"),
    "joint for a frame": (
        lambda: with_load(lambda s, arm: mb.Spring(s["hinge"], arm, 1.0)), ModelError, "Joint('hinge'", "body.frame"),
    "nothing": (lambda: None, ModelError, "None is neither a system nor a model", "Give a System"),
    "equations": (lambda: mb.derive(pendulum()), ModelError, "neither a system nor a model"),
}  # fmt: skip


@pytest.mark.parametrize("name", DERIVING)
def test_what_cannot_be_derived(name):
    make, *expected = DERIVING[name]
    refused(lambda: mb.derive(make()), *expected)


@pytest.mark.parametrize("formalism", [mb.Kane, "Kane", pendulum])
def test_what_is_no_formalism(formalism):
    refused(lambda: mb.derive(pendulum(), formalism), ModelError, "is not a formalism", "Kane()")


NOT_COMPARED = {
    "nothing": (lambda: mb.compare(None), "None is neither a system nor a model", "where: compare"),
    "a class": (lambda: mb.compare(pendulum(), [mb.Kane, mb.Lagrange()]), "is not a formalism", "where: compare"),
    "one formalism": (lambda: mb.compare(pendulum(), mb.Kane()), "Kane() is not a list", "[Kane(), Lagrange()]"),
    "a name": (lambda: mb.compare(pendulum(), "Kane"), "'Kane' is not a list", "[Kane(), Lagrange()]"),
}


@pytest.mark.parametrize("name", NOT_COMPARED)
def test_what_cannot_be_compared(name):
    ask, *expected = NOT_COMPARED[name]
    refused(ask, ModelError, *expected)


@pytest.mark.parametrize("shape", [-1, 2.5, (2, -3), "two", True, None])
def test_shapes_of_inputs(shape):
    refused(lambda: mb.System("n").input("F", shape), ModelError, "input 'F'", "is not a shape", "(2, 3)")


# asking for a run ----------------------------------------------------------------------------------------------------


def simulated(system, **options):
    return mb.simulate(mb.derive(system), 0.1, samples=3, **options)


def without_values():
    system = mb.System("machine")
    slide = system.joint("x", system.world, system.body("box", 1.0), "Tx")
    system.load(mb.JointSpring(slide, system.parameter("k") * system.parameter("L")))
    return system


def called_alike():
    system = one_body()
    system.sensor("hinge_dot", mb.Expression(system["hinge"].coordinate))
    return system


def moved_by(place, duration=1.0):
    return run(duration, crane, inputs={"place": place})


def bounced(start=1.0, duration=1.0, sign=1, **impact):
    gap = sign * ball()["z"].coordinate
    floor = mb.Impact(gap, name="floor", **impact)
    return run(duration, ball, q={"z": start}, events=[floor], on_failure="return")


QUESTIONS = {
    "a system": (lambda: mb.simulate(pendulum(), 10), ModelError, "System", "mb.derive(system)"),
    "a model": (lambda: mb.simulate(pendulum().freeze(), 10), ModelError, "Model", "mb.derive(system)"),
    "time before equations": (lambda: mb.simulate(10, equations(pendulum)), ModelError, "got int", "mb.derive(system)"),
    "class of integrators": (lambda: run(integrator=mb.Cvode), ModelError, "Cvode is a class", "integrator=mb.Cvode()"),
    "name of an integrator": (lambda: run(integrator="Cvode"), ModelError, "'Cvode' is not an integrator"),
    "formalism for an integrator": (lambda: run(integrator=mb.Kane()), ModelError, "not an integrator"),
    "tolerance as text": (lambda: mb.DormandPrince8(rtol="a"), NumberError, "'rtol'", "DormandPrince8"),
    "negative duration": (lambda: run(-1.0), ModelError, "positive number", "-1.0"),
    "endless duration": (lambda: run(inf), ModelError, "positive number", "inf"),
    "duration as text": (lambda: run("10 s"), ModelError, "positive number", "'10 s'"),
    "half a sample": (lambda: run(samples=2.5), ModelError, "from 2 on", "2.5"),
    "times that are none": (lambda: run(None, times=[0, nan]), ModelError, "increase"),
    "two beginnings": (lambda: run(None, times=[0, 1], t0=5.0), ModelError, "begin at 0 s", "start is at 5 s"),
    "no beginning": (lambda: run(t0=nan), NumberError, "t0"),
    "nothing to start from": (lambda: run(start={"angle": 1.0}), ModelError, "'angle'", "q={'name': 0.1}"),
    "unknown coordinate": (lambda: run(q={"anlge": 1.0}), ModelError, "no coordinate 'anlge'", "mean 'angle'"),
    "coordinate for a speed": (lambda: run(u={"angle": 1.0}), ModelError, "no speed 'angle'", "'angle_dot'"),
    "start that is no number": (lambda: run(q={"angle": nan}), NumberError, "'angle'", "radians"),
    "start that is nothing": (lambda: run(q={"angle": None}), NumberError, "None", "'angle'"),
    "list with a NaN": (lambda: run(q=[nan]), NumberError, "angle", "finite"),
    "number for a list": (lambda: run(q=0.3), ModelError, "1 values", "0.3", "{'angle': 0.1}"),
    "unknown fixed": (lambda: run(fixed="anlge"), ModelError, "'anlge'", "mean 'angle'"),
    "start of a prescribed motion": (
        lambda: run(make=crane, q={"slide": 1.0}), ModelError, "'slide'", "prescribed", "swing"),
    "zero quaternion": (
        lambda: run(make=satellite, q=[1, 0, 0, 0, 0, 0, 0]),
        ModelError, "flight_qw, flight_qx", "another order", "(1, 0, 0, 0)"),
    "unknown parameter": (lambda: run(parameters={"dd": 1.0}), MissingValueError, "'dd'", "Did you mean 'd'"),
    "symbol for a name": (
        lambda: run(parameters={symbol("l"): 1.0}), MissingValueError, "l is not text", "The parameters are"),
    "parameter that is no number": (lambda: run(parameters={"l": nan}), NumberError, "parameter 'l'", "finite"),
    "list of parameters": (lambda: run(parameters=[1.0]), ModelError, "parameters", "{'name': value}"),
    "parameters without values": (lambda: simulated(without_values()), MissingValueError, "L, k", "default"),
    "negative mass": (lambda: run(parameters={"m": -2.0}), ModelError, "body 'bob'", "negative", "m=-2"),
    "negative inertia": (
        lambda: simulated(one_body(inertia=(1, 1, -1), kind="Rz")), ModelError, "body 'arm'", "about='com'"),
    "axis of length zero by parameters": (lambda: simulated(zero_axis()), ModelError, "joint 'hinge'", "a=0, b=0"),
    "loop that cannot close": (lambda: simulated(four_bar(0.2)), AssemblyError, "'pin' by 0.2", "Change lengths"),
    "contradictory constraints": (lambda: simulated(contradictory()), AssemblyError, "'at_1'", "'at_2'"),
    "symbol of nobody": (
        lambda: simulated(with_load(lambda s, arm: mb.JointSpring(s["hinge"], symbol("stiff")))),
        ModelError, "No value for symbol 'stiff'", "system.check()"),
    "mass of nobody": (lambda: simulated(one_body(symbol("mass"))), ModelError, "No value for symbol 'mass'"),
    "two things of one name": (lambda: simulated(called_alike()), ModelError, "'hinge_dot'", "Rename"),
    "unknown input": (lambda: run(inputs={"Moment": 1.0}), ModelError, "'Moment'", "The inputs are: M"),
    "input that is no number": (lambda: run(inputs={"M": nan}), NumberError, "input 'M'"),
    "input that is nothing": (lambda: run(inputs={"M": None}), ModelError, "None", "input 'M'", "Table"),
    "input of another system": (
        lambda: run(inputs={"M": ball()["z"].coordinate}), ModelError, "'z' of system 'ball'", "input 'M'"),
    "feedback that returns a vector": (
        lambda: run(inputs={"M": lambda t, q, u: np.array([1.0, 2.0])}), ModelError, "input 'M'", "finite number"),
    "feedback that returns nothing": (
        lambda: run(inputs={"M": lambda t: None}), ModelError, "None at t = 0", "input 'M'", "finite number"),
    "feedback that returns NaN": (
        lambda: run(inputs={"M": lambda t: nan if t > 0.05 else 0.0}), ModelError, "nan at t = 0.0", "input 'M'"),
    "feedback of five parameters": (
        lambda: run(inputs={"M": lambda t, q, u, y, k: 0.0}), ModelError, "5 parameters", "input 'M'", "defaults"),
    "controller without a function": (lambda: mb.Sampled(3.0, 0.1), ModelError, "3.0 is not a function"),
    "controller that never sleeps": (lambda: mb.Sampled(lambda t: 0.0, 0), NumberError, "period", "positive"),
    "table that is too short": (
        lambda: run(2.0, inputs={"M": 2 * Table("push", [0, 0.5], [0, 4])(pendulum().time)}),
        ModelError, "'push' covers 0 s to 0.5 s", "0 s to 2 s", "input 'M'", "last value once more"),
    "motion that jumps": (
        lambda: moved_by(where(less(crane().time, 0.5), 0, 1)),
        ModelError, "jumps at t = 0.5 s", "joint 'slide'", "'cubic'"),
    "motion that jumps back and forth": (
        lambda: moved_by(sign(sin(40 * crane().time + 1))), ModelError, "it jumps", "joint 'slide'"),
    "motion with a kink": (
        lambda: moved_by(Table("way", [0, 0.5, 1], [0, 1, 0])),
        ModelError, "velocity jumps at t = 0.5 s", "joint 'slide'", "'cubic'"),
    "motion without a value": (
        lambda: moved_by(sqrt(crane().time - 0.5)), ModelError, "not finite at t = 0 s", "joint 'slide'"),
    "motion that follows what it moves": (
        lambda: moved_by(0.1 * crane()["swing"].coordinate), ModelError, "swing", "input 'place'", "constraint"),
    "motion that jumps, of a constraint": (
        lambda: run(1.0, follower, inputs={"place": Table("way", [0, 0.5, 1], [0, 1, 0])}),
        ModelError, "velocity jumps at t = 0.5 s", "input 'place'", "'cubic'"),
    "event that is a condition": (
        lambda: run(events=[mb.Event(pendulum()["angle"].coordinate > 0.6, name="up")]),
        ModelError, "event 'up'", "x - 0.6 instead of x > 0.6"),
    "event that is a function": (
        lambda: run(events=[mb.Event(lambda t: t, name="up")]), ModelError, "event 'up'", "crosses zero"),
    "event that never changes": (
        lambda: run(events=[mb.Event(3.0, name="up")]), ModelError, "3 never changes", "event 'up'"),
    "event of another system": (
        lambda: run(events=[mb.Event(ball()["z"].coordinate, name="up")]), ModelError, "'z' of system 'ball'"),
    "event of no direction": (lambda: mb.Event(0, "up", name="top"), ModelError, "'up'", "event 'top'", "-1"),
    "reset of something unknown": (
        lambda: run(events=[mb.Event(pendulum().time - 1, reset={"angel": 0.0}, name="up")]),
        ModelError, "'angel'", "event 'up'", "mean 'angle'"),
    "reset that returns nothing": (
        lambda: run(1.0, events=[mb.Event(pendulum().time - 0.5, reset=lambda t, q, u: None, name="up")]),
        ModelError, "None", "event 'up'", "{'name': value}"),
    "reset to no number": (
        lambda: run(1.0, events=[mb.Event(pendulum().time - 0.5, reset=lambda t, q, u: {"angle": nan}, name="up")]),
        NumberError, "event 'up'", "angle"),
    "impact that makes energy": (lambda: bounced(restitution=2.0), NumberError, "2.0", "impact 'floor'", "between 0"),
    "impact that lets through": (lambda: bounced(restitution=-0.5), NumberError, "-0.5", "impact 'floor'"),
    "impact of a negative speed": (lambda: bounced(rest=-1.0), NumberError, "'rest'", "impact 'floor'"),
    "impact that begins below the floor": (
        lambda: bounced(-0.5), ModelError, "gap is -0.5", "impact 'floor'", "not negative"),
    "impact with the wrong sign": (lambda: bounced(sign=-1), ModelError, "gap is -1", "sign is wrong"),
    "impacts of one name": (
        lambda: run(make=ball, events=[mb.Impact(ball()["z"].coordinate, rest=0, name="floor")] * 2),
        ModelError, "impact 'floor'", "name of its own"),
}  # fmt: skip


@pytest.mark.parametrize("name", QUESTIONS)
def test_what_cannot_be_run_is_told_before(name):
    refused(*QUESTIONS[name])


# what is right, and was taken for wrong, or the other way round ------------------------------------------------------


def test_a_ball_that_lies_on_the_floor_stays_there():
    found = bounced(0.0, restitution=0.5)
    assert found["z"] == pytest.approx(0.0, abs=1e-12)
    assert found["floor_rests"][-1] == 1


def test_a_ball_that_is_thrown_from_the_floor_leaves_it():
    gap = ball()["z"].coordinate
    found = run(0.2, ball, q={"z": 0.0}, u={"z_dot": 2.0}, events=[mb.Impact(gap, name="floor")])
    assert not found.occurrences
    assert found["z"][-1] == pytest.approx(2.0 * 0.2 - 9.81 * 0.2**2 / 2)


def test_a_ball_that_never_rests_does_not_fall_through_the_floor():
    """Infinitely many bounces until 1.3546 s = √(2h/g)·(1 + e)/(1 - e), and no way to go on."""
    found = bounced(duration=3.0, restitution=0.5, rest=0.0)
    assert found.t[-1] == pytest.approx(np.sqrt(2 / 9.81) * 3, abs=1e-6)
    assert found["z"].min() > -1e-9
    assert not found.status.ok
    assert "rest > 0" in found.message


def test_events_that_pile_up_end_a_run():
    """A reset that goes back by next to nothing would happen millions of times."""
    again = mb.Event(ball()["z"].coordinate - 0.9, reset={"z": 0.9 + 1e-7}, name="again")
    found = run(10.0, ball, events=[again], on_failure="return")
    assert found.status is mb.Status.EVENTS_ACCUMULATE
    assert 0.14 < found.t[-1] < 0.15  # √(2·0.1 m / g) = 0.1428 s
    assert "Events accumulate" in found.message


def test_a_default_is_no_argument():
    """``k=k`` keeps a value of a loop; it is not the place for the coordinates."""
    laws = [lambda t, k=k: k for k in (0.0, 3.0)]
    both = [run(inputs={"M": law})["angle"][-1] for law in (*laws, 3.0)]
    assert both[1] == pytest.approx(both[2], abs=1e-9)
    assert both[0] != pytest.approx(both[1], abs=1e-3)


def test_a_hole_may_have_a_negative_mass():
    """A plate of 3 kg with a hole where 1 kg is missing."""
    system = mb.System("plate")
    plate, hole = system.body("plate", 3.0, (0, 0, 0), (1, 1, 2)), system.body("hole", -1.0)
    slide = system.joint("x", system.world, plate, "Tx")
    system.joint("cut", plate, hole, mb.Weld())
    system.load(mb.JointLoad(slide, 4.0))
    assert simulated(system)["x"][-1] == pytest.approx(4.0 / 2.0 * 0.1**2 / 2)


def test_one_event_needs_no_list():
    up = mb.Event(pendulum()["angle"].coordinate - 0.98, terminal=True, name="down")
    assert run(1.0, events=up).status is mb.Status.EVENT


def test_smooth_motions_may_be_fast():
    found = moved_by(1e-3 * sin(3000 * crane().time), 0.01)
    assert found.status.ok


# runs that fail ------------------------------------------------------------------------------------------------------


def negative_damper():
    system = one_body(u=1.0)
    system.load(mb.JointDamper(system["hinge"], -1e4), "brake")
    return system


def massless_by_default():
    system = mb.System("machine")
    upper = system.body("upper", 1, (0, 0, -1))
    system.joint("shoulder", system.world, upper, "Ry", q=0.1)
    hand = system.body("hand", system.parameter("m", 0.0), (0, 0, -1))
    system.joint("elbow", upper.frame("end", (0, 0, -1)), hand, "Ry", q=0.1)
    return system


FAILURES = {
    "spring without direction": (
        lambda: with_load(lambda s, arm: mb.Spring(s.world, arm, 1.0, 0.5)), "load 'spring'", "JointSpring"),
    "damper of the wrong sign": (negative_damper, "without bound", "negative stiffness or damping"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAILURES)
def test_why_a_run_failed(name):
    make, *words = FAILURES[name]
    found = simulated(make(), integrator=mb.DormandPrince8(), on_failure="return")
    assert not found.status.ok
    assert not [word for word in words if word not in found.message], found.message
    assert np.isfinite(found.y).all()


# results and files ---------------------------------------------------------------------------------------------------

RESULTS = {
    "unknown quantity": (lambda found: found["anlge"], UnknownNameError, "'anlge'", "Did you mean 'angle'"),
    "element that is not there": (lambda found: found["tip_4"], UnknownNameError, "'tip_4'", "tip_3"),
    "list of names": (lambda found: found.plot(["angle", "M"]), UnknownNameError, "['angle', 'M']", "one by one"),
    "list of names for a file": (
        lambda found: found.save("never.npz", ["angle"]), UnknownNameError, "['angle']", "one by one"),
    "figure of a misspelled name": (lambda found: found.plot("anlge"), UnknownNameError, "'angle'"),
    "format that is not there": (lambda found: found.save("never.xls"), StorageError, "'.xls'", ".npz"),
    "time outside": (lambda found: found.at(5.0), NumberError, "5 s", "0 s to 0.1 s"),
}  # fmt: skip


@pytest.mark.parametrize("name", RESULTS)
def test_what_a_trajectory_does_not_have(name):
    wrong, *expected = RESULTS[name]
    found = run()
    refused(lambda: wrong(found), *expected)


def test_files_of_other_systems(tmp_path):
    run().save(tmp_path / "run.npz")
    (tmp_path / "noise.npz").write_bytes(b"hello")
    read = mb.Trajectory.read
    refused(lambda: read(tmp_path / "run.npz", equations(ball)), MissingValueError, "no z, z_dot", "another system")
    twin = mb.derive(pendulum("twin"))
    refused(lambda: read(tmp_path / "run.npz", twin), StorageError, "'pendulum'", "'twin'", "read_trajectory")
    refused(lambda: read(tmp_path / "run.npz", pendulum()), ModelError, "System", "mb.derive(system)")
    refused(lambda: read(tmp_path / "none.npz", twin), StorageError, "no such file", "Check the path")
    with pytest.raises(StorageError) as caught:
        mb.read_trajectory(tmp_path / "noise.npz")
    assert "no .npz file" in caught.value.cause
    assert "pickle" not in str(caught.value)  # nobody is told to load what may run code


# sweeps --------------------------------------------------------------------------------------------------------------

SWEEPS = {
    "a system": (lambda: mb.sweep(pendulum(), 1.0), ModelError, "System", "sweep(mb.derive(system)"),
    "class of integrators": (lambda: sweep(integrator=mb.Cvode), ModelError, "integrator=mb.Cvode()"),
    "unknown parameter": (lambda: sweep(parameters={"lx": [1, 2]}), UnknownNameError, "'lx'", "Did you mean 'l'"),
    "coordinate among parameters": (
        lambda: sweep(parameters={"angle": [1, 2]}), UnknownNameError, "'angle'", "initial={…}"),
    "input among parameters": (lambda: sweep(parameters={"M": [1, 2]}), UnknownNameError, "'M'", "inputs={…}"),
    "text for a value": (lambda: sweep(parameters={"l": "long"}), NumberError, "'long'", "'l'", "Uniform"),
    "texts for values": (lambda: sweep(parameters={"l": ["1", "2"]}), NumberError, "'l'", "sequence of numbers"),
    "a list of pairs": (lambda: sweep(parameters=[("l", 1)]), ModelError, "parameters", "{'name': value}"),
    "one case for a list": (lambda: sweep(cases={"l": 1.0}), ModelError, "cases=[{'name'"),
    "numbers for cases": (lambda: sweep(cases=[1.0, 2.0]), ModelError, "[1.0, 2.0]", "cases=[{'name'"),
    "half a draw": (
        lambda: sweep(parameters={"l": mb.Uniform(1, 2)}, draws=2.5), NumberError, "draws = 2.5", "whole number"),
    "seed as text": (lambda: sweep(seed="luck"), NumberError, "seed = 'luck'"),
    "range of texts": (lambda: mb.Uniform("low", 1), NumberError, "Uniform", "low <= high"),
    "choice among texts": (lambda: mb.Choice(["short", "long"]), NumberError, "Choice", "finite number"),
    "measure that is a name": (
        lambda: sweep(measures={"top": "angle"}), ModelError, "'angle'", "measure 'top'", "lambda run"),
    "measure without a name": (lambda: sweep(measures=len), ModelError, "measures", "{'name': value}"),
    "fewer than no workers": (lambda: sweep(workers=-1), NumberError, "-1"),
    "address for a client": (lambda: sweep(client="localhost"), ModelError, "'localhost'", "Client("),
    "parameter without value": (
        lambda: mb.sweep(mb.derive(without_values()), 1.0, parameters={"k": [1]}), MissingValueError, "L", "default"),
    "table that is too short": (
        lambda: sweep(inputs={"M": Table("push", [0, 0.05], [0, 4])}), ModelError, "'push' covers", "input 'M'"),
}  # fmt: skip


@pytest.mark.parametrize("name", SWEEPS)
def test_what_cannot_be_swept_is_told_before(name):
    refused(*SWEEPS[name])


def test_runs_with_impossible_masses_do_not_begin():
    found = sweep(parameters={"m": [-1.0, 1.0, 2.0]})
    assert found.status == ["NO_START", "DONE", "DONE"]
    assert "body 'bob'" in found.messages[0]
    assert np.isnan(found.last("angle")[0])


def test_runs_are_numbered():
    found = sweep(parameters={"l": [1.0, 2.0]})
    for wrong in ("l", 1.5, 2):
        refused(lambda wrong=wrong: found[wrong], MultibodyError, str(wrong), "There are 2")
