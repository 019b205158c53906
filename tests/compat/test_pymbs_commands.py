"""Every command of the PyMbs reference, against the same model built by ``System``."""

import configparser
import zipfile
from fractions import Fraction

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
import multibody.view
from multibody.algebra import Vec3
from multibody.compat.pymbs import (
    Equal,
    Greater,
    If,
    Less,
    Matrix,
    MbsSystem,
    asin,
    cos,
    diag,
    eye,
    genEquations,
    norm,
    outer,
    pi,
    sin,
    skew,
    sqrt,
    transpose,
    zeros,
)  # fmt: skip
from multibody.graph import all_same, evaluate, free_symbols, symbol

G = (0, 0, -9.81)


def same(world, system, formalism=None):
    """Whether a world of PyMbs and a system have the same equations, outputs, states and start, proved."""
    found, wanted = mb.derive(world.system, formalism), mb.derive(system, formalism)
    assert found.coordinates == wanted.coordinates
    assert all_same(list(found.acceleration), list(wanted.acceleration))
    assert all_same(list(found.phi), list(wanted.phi))
    assert list(found.outputs) == list(wanted.outputs)
    for name, value in wanted.outputs.items():
        assert np.shape(found.outputs[name]) == np.shape(value)
        assert all_same(list(np.ravel(found.outputs[name])), list(np.ravel(value))), name
    assert {**found.model.start} == {**wanted.model.start}
    return True


def two_bodies():
    """Two bodies on joints in space, as a world and as a system, with frames on them."""
    world = MbsSystem([0, 0, -1])
    m, L = world.addParam("m", 2.0), world.addParam("L", [1.0, 2.0, 3.0])
    a = world.addBody(m, cg=L, inertia=diag([1, 2, 3]), name="a")
    b = world.addBody(mass=m + 1, cg=Matrix([[0], [0], [1]]), inertia=[4, 0.1, 5, 0.2, 0.3, 6], name="b")
    a.addFrame("A", [0, 1, 0])
    b.addFrame("B", p=[0, 0, -1], R=eye(3))
    j = world.addJoint(world, a, ["Tx", "Rz"], [0.1, 0.2], [0.3, 0.4], name="j")
    k = world.addJoint(a.A, b.B, "Ry", 0.5, name="k")

    system = mb.System("world", gravity=G)
    m, L = system.parameter("m", 2.0), [system.parameter(f"L_{axis}", k) for k, axis in enumerate("xyz", 1)]
    body_a = system.body("a", m, L, (1, 2, 3))
    body_b = system.body("b", m + 1, (0, 0, 1), (4, 0.1, 5, 0.2, 0.3, 6))
    A, B = body_a.frame("a_A", (0, 1, 0)), body_b.frame("b_B", (0, 0, -1))
    s_j = system.joint("j", system.world, body_a, ["Tx", "Rz"], q=(0.1, 0.2), u=(0.3, 0.4))
    s_k = system.joint("k", A, B, "Ry", q=0.5)
    return world, (a, b, j, k), system, (body_a, body_b, A, B, s_j, s_k)


def test_bodies_frames_joints_and_parameters():
    world, _, system, _ = two_bodies()
    assert same(world, system)


def test_gravity_changes_its_value_and_keeps_its_direction():
    world, _, system, _ = two_bodies()
    world.setGravity(1.62)
    system.gravity = (0, 0, -1.62)
    assert same(world, system)


def test_a_fixed_joint_has_no_coordinate():
    world, system = MbsSystem(), mb.System("world", gravity=G)
    stone, lid = world.addBody(1.0, name="stone"), world.addBody(2.0, [1, 0, 0], name="lid")
    world.addJoint(world, stone, "Ry", name="turn")
    world.addJoint(stone, lid, [], name="fixed")
    a, b = system.body("stone", 1.0), system.body("lid", 2.0, (1, 0, 0))
    system.joint("turn", system.world, a, "Ry")
    system.joint("fixed", a, b, mb.Weld())
    assert same(world, system)


def test_constraints_lock_what_they_say():
    world, (_, b, *_), system, (_, body_b, *_) = two_bodies()
    world.addConstraint("closed", world, b, [1, 0, 0], [0, 0, 1])
    system.constraint(system.world, body_b, translation="x", rotation="z", name="closed")
    assert same(world, system)


def test_loads_act_on_the_first_frame_and_back_on_the_second():
    world, (a, b, j, k), system, (body_a, body_b, A, B, s_j, s_k) = two_bodies()
    F, T, P = world.addInput("F", (3,)), world.addInput("T", (3, 1)), world.addInput("P")
    world.addLoad.CmpForce(F, b.B, a.A, CSref=world)
    world.addLoad.CmpForce(F, b, world)
    world.addLoad.CmpTorque(T, b, a, world)
    world.addLoad.CmpTorque(T, a, world)
    world.addLoad.PtPForce(P, b, world)
    world.addLoad.Joint(P, k)
    world.addLoad.Joint(2 * P, j[1])
    world.addJointLoad([P, 3], j)

    F, T, P = system.input("F", 3), system.input("T", 3), system.input("P")
    system.load(mb.Force(B, F, expressed_in=system.world, reaction_on=A, reaction_at=A))
    system.load(mb.Force(body_b, F))
    system.load(mb.Torque(body_b, T, expressed_in=system.world, reaction_on=body_a))
    system.load(mb.Torque(body_a, T))
    system.load(mb.PointToPointForce(body_b, system.world, P))
    system.load(mb.JointLoad(s_k, P))
    system.load(mb.JointLoad(s_j, [P, 3 + 2 * P]))
    assert same(world, system)


def test_sensors_measure_what_the_manual_says():
    world, (a, b, j, k), system, (body_a, body_b, _, B, s_j, s_k) = two_bodies()
    sensors = world.addSensor
    sensors.Distance("d", world, b)
    sensors.Position("r", a, b, world)
    sensors.Velocity("v", a, b)
    sensors.Acceleration("acc", a, b.B, world)
    sensors.Orientation("T", a, b)
    sensors.AngularVelocity("om", a, b, b)
    sensors.AngularAcceleration("dom", a, b)
    sensors.Joint("s_j", j)
    sensors.Joint("s_1", j[1])
    sensors.ConstraintForce("CF", k)
    sensors.ConstraintTorque("CT", k)
    sensors.Energy("E_a", a)
    sensors.Energy("E", world)
    mass, centre = sensors.CenterofMass("all")
    sensors.CenterofMass("one", [b])
    sensors.CenterofMass("world", world)
    assert (mass.name, centre.shape) == ("all_Mass", (3,))

    for name, sensor in {
        "d": mb.DistanceAndRate(system.world, body_b),
        "r": mb.Position(body_b, body_a, system.world),
        "v": mb.Velocity(body_b, body_a, observer=system.world),
        "acc": mb.Acceleration(B, body_a, system.world, system.world),
        "T": mb.Orientation(body_b, body_a),
        "om": mb.AngularVelocity(body_b, body_a, body_b),
        "dom": mb.AngularAcceleration(body_b, body_a, observer=system.world),
        "s_j": mb.JointSensor(s_j),
        "s_1": mb.Expression([s_j.coordinates[1], s_j.speeds[1]]),
        "CF": mb.ConstraintForce(s_k),
        "CT": mb.ConstraintTorque(s_k),
        "E_a": mb.Energy(body_a),
        "E": mb.Energy(),
        "all_Mass": mb.TotalMass(),
        "all_r": mb.CenterOfMass(),
        "one_Mass": mb.TotalMass(body_b),
        "one_r": mb.CenterOfMass(body_b),
        "world_Mass": mb.TotalMass(body_a, body_b),
        "world_r": mb.CenterOfMass(body_a, body_b),
    }.items():
        system.sensor(name, sensor)
    assert same(world, system)


def test_six_numbers_are_an_inertia_in_the_order_of_the_manual():
    """[I_xx, I_xy, I_yy, I_xz, I_yz, I_zz]: the entries of the tensor, not of the moments of deviation."""
    world = MbsSystem()
    body = world.addBody(1.0, inertia=Matrix([[4], [0.1], [5], [0.2], [0.3], [6]]))
    found = np.array(body.made.inertia.symbolic().to_array(), dtype=float)
    assert found.tolist() == [[4, 0.1, 0.2], [0.1, 5, 0.3], [0.2, 0.3, 6]]


def test_equations_are_reduced_as_in_the_manual():
    """Eq. (5.1): a = 1, b = 0, c = 5·k, d = a·c, e = 2·a + 2, f = b·k, g = d + e + f. Eq. (5.2): c = 5·k, g = c + 4."""
    world = MbsSystem()
    world.addJoint(world, world.addBody(1.0), "Tx")
    k = world.addInput("k")
    a, b, c = (world.addExpression(*one) for one in (("a", 1), ("b", 0), ("c", 5 * k)))
    d, e, f = (world.addExpression(*one) for one in (("d", a * c), ("e", 2 * a + 2), ("f", b * k)))
    world.addExpression("g", d + e + f)
    outputs = world.genEquations().outputs
    assert {name: str(value) for name, value in outputs.items()} == {
        "a": "1", "b": "0", "c": "5*k", "d": "5*k", "e": "4", "f": "0", "g": "5*k + 4",
    }  # fmt: skip


def test_expressions_use_sensors_as_vectors():
    """The spring and damper of the reference: c·x[0] + d·x[1]; products of matrices as PyMbs writes them."""
    world, (a, b, *_), system, (body_a, body_b, *_) = two_bodies()
    x = world.addSensor.Distance("x", b, world)
    T, r = world.addSensor.Orientation("T", a, b), world.addSensor.Position("r", world, b)
    F = world.addExpression("F", -(3 * x[0] + sqrt(4) * x[1]))
    world.addExpression("turned", transpose(T) * r)
    world.addExpression("square", r * r)
    world.addLoad.PtPForce(F, b, world)

    system.sensor("x", mb.DistanceAndRate(body_b, system.world))
    system.sensor("T", mb.Orientation(body_b, body_a))
    system.sensor("r", mb.Position(body_b))
    (x, rate), T, r = (system.measured(name) for name in "xTr")
    F = system.expression("F", -(3 * x + 2 * rate))
    system.expression("turned", T.T @ r)
    system.expression("square", r @ r)
    system.load(mb.PointToPointForce(body_b, system.world, F))
    assert same(world, system)


# loops ---------------------------------------------------------------------------------------------------------------


def bars(plane="Rz"):
    """Bodies of a linkage in the plane, in a world and in a system; frames are made by ``at``."""
    world, system = MbsSystem([0, -1, 0]), mb.System("world", gravity=(0, -9.81, 0))
    pairs = {
        name: (world.addBody(1.0, [0.5, 0, 0], diag([1, 1, 1]), name), system.body(name, 1.0, (0.5, 0, 0), (1, 1, 1)))
        for name in ("one", "two", "three", "four")
    }
    pairs["world"] = world, system.world

    def at(body, name, *position):
        first, second = pairs[body]
        return first.addFrame(name, list(position)), second.frame(f"{body}_{name}", position)

    def joint(name, parent, child, kind, q=None):
        first = world.addJoint(parent[0], child[0], kind, q, name=name)
        return first, system.joint(name, parent[1], child[1], kind, q=q)

    return world, system, pairs, at, joint


@pytest.mark.parametrize("posture", [1, -1])
def test_four_bars(posture):
    world, system, body, at, joint = bars()
    joint("a", body["world"], body["one"], "Rz", 1.0)
    joint("b", at("one", "B", 1, 0, 0), body["two"], "Rz")
    joint("d", at("world", "D", 3, 0, 0), body["three"], "Rz")
    joint("rest", body["world"], body["four"], "Tx")
    (c3, s3), (c4, s4) = at("two", "C", 3, 0, 0), at("three", "C", 2, 0, 0)
    world.addLoop.FourBar(c3, c4, posture, "loop")
    system.loop(mb.FourBar(s3, s4, posture), "loop")
    assert same(world, system)
    assert [str(one) for one in world.genEquations().coordinates] == ["a", "rest"]
    assert [world.jointDict[name].IsIndependent for name in ("a", "b", "d", "rest")] == [True, False, False, True]
    assert world.addJoint(world, world.addBody(1.0), "Tx", name="free").IsIndependent


def test_beams_are_not_crossed_in_posture_one():
    """A at (0, 0), B at (0, 1), D at (3, 0), |BC| = 3, |CD| = 2: C is where two circles meet, above BD or below."""
    for posture in (1, -1):
        world, _, body, at, joint = bars()
        joint("a", body["world"], body["one"], "Rz", pi / 2)
        joint("b", at("one", "B", 1, 0, 0), body["two"], "Rz")
        joint("d", at("world", "D", 3, 0, 0), body["three"], "Rz")
        joint("rest", body["world"], body["four"], "Tx")
        corner = at("two", "C", 3, 0, 0)[0]
        world.addLoop.FourBar(corner, at("three", "C", 2, 0, 0)[0], posture)
        r = world.addSensor.Position("r", world, corner)
        eom = world.genEquations()
        x, y, _ = (evaluate(one, {**eom.model.start}) for one in eom.outputs["r"])
        assert (x**2 + (y - 1) ** 2, (x - 3) ** 2 + y**2) == pytest.approx((9, 4), abs=1e-12)
        assert posture * (y - (1 - x / 3)) > 1
        assert r.shape == (3,)


@pytest.mark.parametrize(("start", "expected"), [(None, 1 - 2), (2.8, 1 + 2), (-1.2, 1 - 2)])
def test_the_crank_slider_takes_the_side_of_its_start_values_or_that_of_pymbs(start, expected):
    """PyMbs: q_piston = l1·cos q1 - l2·cos q_rod, with the rod between -90° and 90°."""
    world, system, body, at, joint = bars()
    joint("crank", body["world"], body["one"], "Ry", 0.0)
    joint("piston", body["world"], body["two"], "Tx", start)
    joint("rod", body["two"], body["three"], "Ry")
    joint("rest", body["world"], body["four"], "Tx")
    (c1, s1), (c3, s3) = at("one", "C", 1, 0, 0), at("three", "C", 2, 0, 0)
    world.addLoop.CrankSlider(c1, c3, "loop")
    system.loop(mb.CrankSlider(s1, s3, 1 if expected > 0 else -1), "loop")
    world.addSensor.Position("p", world, body["two"][0])
    system.sensor("p", mb.Position(system["two"]))
    assert same(world, system)
    eom = world.genEquations()
    assert evaluate(eom.outputs["p"][0], {**eom.model.start}) == pytest.approx(expected, abs=1e-12)


def test_a_lever_and_a_cylinder():
    world, system, body, at, joint = bars()
    joint("lever", body["world"], body["one"], "Rz", 1.0)
    joint("tilt", at("world", "C", 3, 0, 0), body["two"], "Rz")
    joint("length", body["two"], body["three"], "Tx")
    joint("rest", body["world"], body["four"], "Tx")
    (b2, s2), (b3, s3) = at("one", "B", 1, 0, 0), body["three"]
    world.addLoop.ThreeBarTrans("loop", b2, b3)
    system.loop(mb.ThreeBarTrans(s2, s3), "loop")
    assert same(world, system)


@pytest.mark.parametrize("swapped", [False, True])
def test_the_cylinder_of_a_four_bar_follows_crank_and_coupler(swapped):
    world, system, body, at, joint = bars()
    _, a = joint("a", body["world"], body["one"], "Rz", 1.0)
    _, b = joint("b", at("one", "B", 1, 0, 0), body["two"], "Rz", 0.3)
    joint("d", at("world", "D", 3, 0, 0), body["three"], "Rz")
    joint("slide", body["three"], body["four"], "Tx")
    (c3, s3), (c4, s4) = at("two", "C", 3, 0, 0), body["four"]
    world.addLoop.FourBarTrans(*([c4, c3] if swapped else [c3, c4]), posture=-1, name="loop")
    system.loop(mb.FourBarTrans(s3, s4, independent=[a, b]), "loop")
    assert same(world, system)
    model = world.genEquations().model
    (slide,) = (value for one, value in model.values.items() if one.name == "slide")
    tip = np.exp(1j) + 3 * np.exp(1.3j)
    assert evaluate(slide, model.start) == pytest.approx(abs(tip - 3))


@pytest.mark.parametrize("side", [1, -1])
def test_a_steering(side):
    world, system, body, at, joint = bars()
    joint("rack", at("world", "A", -1, 0, 0), body["one"], "Ty", 0.1)
    joint("b", body["one"], body["two"], "Rz")
    joint("c", at("two", "C", 1, 0, 0), body["three"], "Rz")
    joint("rest", body["world"], body["four"], "Tx")
    (d3, s3), (d0, s0) = at("three", "D", 1.2, 0, 0), at("world", "D", 0, 0.5, 0)
    world.addLoop.Steering(d0, d3, side, "loop")
    system.loop(mb.Steering(s0, s3, side), "loop")
    assert same(world, system)


def test_legs_of_a_hexapod():
    world, system, body, at, joint = bars()
    joint("flight", body["world"], body["one"], ["Tx", "Ty", "Tz", "Rx", "Ry", "Rz"], [1, 1, 1, 0, 0, 0])
    joint("foot", body["world"], body["two"], ["Ry", "Rz"])
    joint("length", body["two"], body["three"], "Tx")
    joint("rest", body["world"], body["four"], "Tx")
    (corner, s), (end, e) = at("one", "corner", 0.2, 0, 0), body["three"]
    world.addLoop.Hexapod(corner, end, "leg")
    system.loop(mb.Hexapod(s, e), "leg")
    assert same(world, system)


def test_a_leg_with_offsets_becomes_a_constraint():
    world, system, body, at, joint = bars()
    joint("flight", body["world"], body["one"], ["Tx", "Ty", "Tz", "Rx", "Ry", "Rz"], [0, 0, 2, 0, 0, 0])
    joint("foot", body["world"], body["two"], ["Ry", "Rx"])
    joint("cylinder", at("two", "C", 0, 0, 0.1), body["three"], ["Tz", "Rz"], [1.0, 0.0])
    joint("top", body["three"], body["four"], "Rx")
    (corner, s), (end, e) = at("one", "corner", 0.2, 0, 0), at("four", "E", 0, 0, 0.1)
    world.addLoop.Hexapod_m_AV(corner, end, "leg")
    system.constraint(mb.HexapodWithOffset(s, e), name="leg")
    assert same(world, system)


def test_joints_that_follow_others():
    world, system, body, _, joint = bars()
    (j1, s1), (j2, s2), (j3, s3), _ = (
        joint(f"j{k}", body["world"], body[name], kind)
        for k, (name, kind) in enumerate([("one", "Rz"), ("two", "Rz"), ("three", "Ty"), ("four", "Tx")], 1)
    )
    world.addLoop.Transmission(j1, j2, 3)
    world.addLoop.ExpJoint(j3, sin(j2.coord) * cos(0.5), "cam")
    system.loop(mb.Transmission(s2, s1, Fraction(1, 3)))
    system.loop(mb.ExpJoint(s3, mb.graph.sin(s2.coordinate) * np.cos(0.5)))
    assert same(world, system)
    world.genEquations()
    assert [one.IsIndependent for one in (j1, j2, j3)] == [True, False, False]
    assert (str(j2.vel), str(j2.acc)) == ("j2_dot", "j2_ddot")


def test_one_of_several_movements_may_follow():
    """A mass on the line x = 2y falls along y: (1 + 1/2²)·ẍ = -g/2; a third movement follows an input."""
    world = MbsSystem([0, -1, 0])
    j = world.addJoint(world, world.addBody(3.0), ["Tx", "Ty", "Tz"], name="j")
    world.addLoop.Transmission(j[0], j[1], 2)
    world.addLoop.ExpJoint(j[2], world.addInput("lift"))
    eom = world.genEquations()
    assert [one.name for one in eom.inputs] == ["lift", "lift_dot", "lift_ddot"]
    assert evaluate(eom.acceleration[0], {}) == pytest.approx(-9.81 / 2 / 1.25)
    assert evaluate(eom.model.values[j[1].coord], {j[0].coord: 3.0}) == 1.5


def test_a_ratio_of_zero_holds_the_first_joint():
    world, _, body, _, joint = bars()
    (j1, _), (j2, _), *_ = (
        joint(f"j{k}", body["world"], body[name], "Rz", 0.7) for k, name in enumerate(("one", "two", "three", "four"))
    )
    world.addLoop.Transmission(j1, j2, 0)
    model = world.genEquations().model
    assert [j1.IsIndependent, j2.IsIndependent] == [False, True]
    assert evaluate(model.values[j1.coord], {}) == 0


def test_schemes_for_large_systems_take_loops_too():
    world, _, body, _, joint = bars()
    (j1, _), (j2, _), (j3, _), _ = (
        joint(f"j{k}", body["world"], body[name], "Rz") for k, name in enumerate(("one", "two", "three", "four"))
    )
    free = world.genEquations.OrderN()
    world.addLoop.Transmission(j1, j2, 3)
    world.addLoop.Transmission(j1, j3, -1)
    tied = world.genEquations.OrderN()
    assert (free.formalism, tied.formalism) == ("ArticulatedBody", "Recursive")
    assert [one.name for one in tied.coordinates] == ["j0", "j3"]


# macros, controllers, ranges -----------------------------------------------------------------------------------------


def test_macros_make_sensors_inputs_and_loads():
    world, (a, b, *_), system, (body_a, body_b, A, B, *_) = two_bodies()
    world.addContactSensorsLoads("heel", b.B)
    world.addTyreSensorsLoads("wheel", a, b)
    world.addHydCylSensorsLoads("cylinder", a, b.B)
    world.addMotionSystemSensors(b)
    r, T = world.addGraphicSensors(a.A, "look")
    mb.contact(system, "heel", B)
    mb.tyre(system, "wheel", body_a, body_b)
    mb.hydraulic_cylinder(system, "cylinder", body_a, B)
    mb.motion_platform(system, body_b)
    system.sensor("r_look", mb.Position(A))
    system.sensor("T_look", mb.Orientation(A))
    assert same(world, system)
    assert (r.shape, T.shape) == ((3,), (3, 3))


def test_a_controller_drives_a_simulation(monkeypatch):
    """A mass on a controlled spring and damper: x = cos 2t without the damper."""
    world = MbsSystem([0, 0, -1])
    mass = world.addBody(1.0)
    world.addJoint(world, mass, "Tx", 1.0, name="x")
    world.addSensor.Position("r", world, mass)
    F = world.addController("F", lambda t, y, sensors: np.array([[-4 * sensors["r"][0]], [0], [0]]), shape=(3, 1))
    world.addLoad.CmpForce(F, mass, world)
    run = mb.simulate(world.genEquations(), duration=1.0, inputs=world.inputs)
    assert run["x"][-1] == pytest.approx(np.cos(2.0), abs=1e-6)
    shown = []
    monkeypatch.setattr(multibody.view, "show", lambda thing, **settings: shown.append(settings))
    world.show("Mass", AAFrames=0, block=False)
    assert shown == [{"title": "Mass", "inputs": world.inputs, "block": False}]


def test_ranges_of_joints_are_those_of_the_sliders():
    world, (_, _, j, k), *_ = two_bodies()
    low = world.addParam("low", -0.5)
    world.setJointRange(k, -pi, pi)
    world.setJointRange(j[0], low, 2)
    assert [one.limits for one in world.genEquations().model.joints] == [((-0.5, 2.0), None), ((-pi, pi),)]


def test_kinematics_alone_need_no_masses(monkeypatch):
    shown = []
    monkeypatch.setattr(multibody.view, "show", lambda thing, **settings: shown.append((thing, settings)))
    world = MbsSystem()
    world.addJoint(world, world.addBody(0, name="ghost"), "Rz")
    assert world.genEquations.Recursive(kinematicsOnly=True) is None
    world.show("Ghost", block=False)
    assert shown == [(world.system, {"title": "Ghost", "block": False})]
    with refused("equations-missing"):
        world.genCode("m", "Ghost")
    with refused("matrix-singular"):
        world.genEquations()


# other forms that scripts have ---------------------------------------------------------------------------------------


def test_conditions_and_vectors_in_expressions():
    """A contact that pushes while it is pressed, and the angle between two vectors."""
    world, (_, b, *_), *_ = two_bodies()
    r = world.addSensor.Position("r", world, b)
    push = world.addExpression("push", If(Less(r[2], 0), -500 * r[2], 0))
    angle = asin(norm(skew(r) * Matrix([0, 0, 1])) / norm(r))
    world.addExpression("angle", angle)
    eom = world.genEquations()
    found = {name: evaluate(eom.outputs[name], eom.model.start | eom.model.parameter_values()) for name in eom.outputs}
    x, y, z = found["r"]
    assert found["push"] == pytest.approx(max(0.0, -500 * z))
    assert found["angle"] == pytest.approx(np.arcsin(np.hypot(x, y) / np.linalg.norm([x, y, z])))
    assert evaluate(push, dict.fromkeys(free_symbols(push), -0.25)) == 125
    assert [If(Greater(2, 1), "a", "b"), If(Equal(2, 1), "a", "b")] == ["a", "b"]
    assert outer([1, 2], [3, 4]).tolist() == [[3, 4], [6, 8]]


def test_forms_of_older_versions():
    world = MbsSystem()
    m = world.addParam("m", 2.0, "mass of it")
    stone = world.addBody("stone", m)
    world.addJoint("fall", world, stone, "Tz")
    r = world.addSensor("Place", "Position", world, stone, "r")
    eom = genEquations(world, explicit=False)
    assert (len(r), list(eom.outputs), eom.model.parameters[0].description) == (3, ["r"], "mass of it")


def test_bodies_without_a_joint_stand_still(caplog):
    world = MbsSystem()
    world.addJoint(world, world.addBody(1.0), "Tz", name="fall")
    world.addBody(5.0, [1, 0, 0], name="stray")
    for eom in (world.genEquations.OrderN(), world.genEquations.Explicit()):
        assert [evaluate(one, {}) for one in eom.acceleration] == [-9.81]
    assert caplog.messages == ["The body 'stray' has no joint; it stands still."]
    assert [one.IsIndependent for one in world.jointDict.values()] == [True]


def test_settings_without_a_meaning_here_are_named(tmp_path, monkeypatch, caplog):
    monkeypatch.chdir(tmp_path)
    world = MbsSystem()
    world.addJoint(world, world.addBody(1.0), "Tz")
    world.genEquations()
    (path,) = world.genCode("py", "fall", ".\\some\\folder", debugMode=True)
    assert path.resolve() == tmp_path / "some" / "folder" / "fall_der_state.py"
    world.genMatlabAnimation("fall", axisLimits=(0, 1))
    world.genCode.Modelica("fall", genVisualFile="look")
    assert caplog.messages == [
        "genCode.Python: not used here: debugMode.", "genMatlabAnimation: not used here: axisLimits.",
        "genCode.Modelica: not used here: genVisualFile.",
    ]  # fmt: skip


# pictures and files --------------------------------------------------------------------------------------------------


def test_shapes_and_their_text(tmp_path):
    world = MbsSystem()
    size = world.addParam("size", 0.5)
    stone = world.addBody(1.0, name="stone")
    world.addJoint(world, stone.addFrame("top", [0, 0, 1]), "Tz")
    shapes = world.addVisualisation
    shapes.Box(stone, size, 2, 3)
    shapes.Cylinder(stone.top, 0.1, size, res=40, name="rod", color=[1, 0, 0])
    shapes.Sphere(stone, 0.2, 30)
    shapes.Line(stone, 1.5)
    shapes.Arrow(world, 2)
    shapes.Frame(world, size=0.3)
    shapes.File(stone, "stone.stl", 1000, name="mesh")
    shapes.File(stone, "stone.stl", 0.001, name="same_mesh")
    shapes.Line(stone, -2.5, name="back")
    drawn = world.genEquations().model.drawings
    assert [
        type(one.shape).__name__ for one in drawn.values()
    ] == "Box Cylinder Sphere Line Arrow Axes Mesh Mesh Line".split()
    assert drawn["mesh"].shape.scale == drawn["same_mesh"].shape.scale == (0.001, 0.001, 0.001)
    forward = Vec3(1, 0, 0)
    assert [float(x) for x in drawn["back"].pose.vector_to_parent(forward)] == [-1, 0, 0]
    assert drawn["back"].shape.length == 2.5
    page = configparser.ConfigParser()
    page.read(world.exportGraphReps(str(tmp_path / "shapes")))
    assert (tmp_path / "shapes.cfg").is_file()
    assert dict(page["rod"]) == {
        "type": "Cylinder", "body": "stone", "radius": "0.1", "length": "0.5", "colour": "1 0 0 1", "r": "0 0 1",
        "t": "1 0 0 0 0 1 0 -1 0",
    }  # fmt: skip
    assert [page["visual_1"][key] for key in "xyz"] == ["0.5", "2", "3"]


@pytest.mark.parametrize(
    ("dialect", "files"),
    [
        ("py", ["Two_der_state.py"]),
        ("m", [f"Two_{end}.m" for end in "der_state inputs parameters sensors sim visual".split()]),
        ("mo", ["Two_der_state.mo"]),
        ("c", ["CMakeLists.txt", "Two.c", "Two.h", "Two_model.cmake", "Two_test.c"]),
        ("cpp", ["Two.hpp"]),
    ],
)
def test_code_has_the_name_that_is_given(tmp_path, dialect, files):
    world, *_ = two_bodies()
    world.genEquations()
    assert [path.name for path in world.genCode(dialect, "Two", str(tmp_path / "Output"))] == files


def test_an_fmu_is_written(tmp_path):
    world, *_ = two_bodies()
    world.genEquations()
    (path,) = world.genCode.Fmu("Two", str(tmp_path), compile=False)
    assert "modelDescription.xml" in zipfile.ZipFile(path).namelist()
    assert path.name == "Two.fmu"


def test_the_animation_for_matlab_comes_with_what_it_calls_on_the_axes_that_are_wanted(tmp_path, caplog):
    world, *_ = two_bodies()
    world.genEquations()
    fitting = world.genMatlabAnimation("Two", str(tmp_path))[-1].read_text()
    assert "limits = (low + high)" in fitting
    files = world.genMatlabAnimation("Two", str(tmp_path), axislimits=(-0.02, 0.1, -1, 1, 0, 3))
    assert [path.name for path in files] == ["Two_inputs.m", "Two_parameters.m", "Two_visual.m"]
    chosen = files[-1].read_text()
    assert "    limits = [-0.02, 0.1; -1.0, 1.0; 0.0, 3.0];\n" in chosen
    assert "axes('PlotBoxAspectRatio', diff(limits, 1, 2).', 'XLim', limits(1, :)," in chosen
    assert len(chosen.splitlines()) == len(fitting.splitlines())
    assert not caplog.text


def test_vectors_are_arrays_in_modelica(tmp_path):
    world, (a, b, *_), *_ = two_bodies()
    world.addLoad.CmpForce(world.addInput("F", (3,)), b, world)
    world.addSensor.Orientation("T", a, b)
    world.genEquations()
    (path,) = world.genCode("mo", "Two", str(tmp_path))
    text = path.read_text()
    assert "  Real T[3, 3] = {{T_1_1, T_1_2, T_1_3}, {T_2_1, T_2_2, T_2_3}, {T_3_1, T_3_2, T_3_3}};" in text
    assert "  Real F[3];" in text
    assert text[text.index("\nequation") :].startswith("\nequation\n  F_1 = F[1];\n  F_2 = F[2];\n  F_3 = F[3];\n")
    (path,) = world.genCode.Modelica("Inputs", str(tmp_path))
    assert path.read_text().startswith("model Inputs_der_state ")
    assert "input Real F_1" in path.read_text()


def test_equations_can_be_read():
    world = MbsSystem([0, 0, -1])
    m, L = world.addParam("m", 2.0), world.addParam("L", 0.5)
    hinge = world.addJoint(world, world.addBody(m, [0, 0, -L]), "Ry", name="phi")
    world.addSensor.Joint("s", hinge)
    world.genEquations.Explicit()
    (motion,), (sensor,) = world.getMotionEquations(), world.getSensorEquations()
    assert (str(motion.lhs), str(motion.rhs)) == ("phi_ddot", "-9.81*sin(phi)/L")
    assert (sensor.lhs, [str(one) for one in sensor.rhs]) == ("s", ["phi", "phi_dot"])
    assert world.getParameters() == {"m": 2, "L": 0.5}


# mathematics ---------------------------------------------------------------------------------------------------------


def test_matrices_multiply_as_matrices():
    x = symbol("x")
    A, v = Matrix([[0, 1], [x, 2]]), Matrix([3, x])
    assert (A * v).tolist() == [x, 3 * x + 2 * x]
    assert (A * A).tolist() == [[x, 2], [2 * x, x + 4]]
    assert ([1, 1] * v, v * v) == (3 + x, 9 + x * x)
    assert (x * v).tolist() == (v * x).tolist() == [3 * x, x * x]
    assert (2 * A - A).tolist() == A.tolist()
    assert transpose(A).tolist() == [[0, x], [1, 2]]
    assert zeros((3, 1)).shape == (3, 1)
