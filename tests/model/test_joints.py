"""Every kind of joint: its velocity is the derivative of its pose, from both ends, for any axis."""

import pytest

from multibody.algebra import Mat3, Transform, VelocityMotor
from multibody.graph import ZERO, cos, rank, sin, symbol, symbols, time_derivative
from multibody.model import Free, Revolute, Screw, Spherical, System, Weld
from multibody.model.joints.contract import IDENTITY, reversed_steps

from .samples import KINDS, frozen, proved, rates, symbolic_kinds

ALL = {**KINDS, **{f"symbolic_{name}": kind for name, kind in symbolic_kinds("joints").items()}, "weld": Weld()}


def one_joint(kind, *, turned_round=False):
    """A body on one joint; if turned round, the joint starts at the body, so that the tree runs against it."""
    system = System("joints")
    system.parameter("e", [0.1, 0.2, 0.3])
    system.parameter("pitch", 0.1)
    body = system.body("body", 1, inertia=(1, 1, 1))
    ends = (body, system.world) if turned_round else (system.world, body)
    return system, body, system.joint("j", *ends, kind)


def derivative(thing, model):
    return time_derivative(list(thing), rates(model))


def differs_from_derivative(kinematics, frame, relative_to=None):
    """Where the velocity motor is not X⁻¹·Ẋ, or the acceleration not the derivative of the velocity."""
    model = kinematics.model
    pose, motor = kinematics.pose(frame, relative_to), kinematics.velocity(frame, relative_to)
    angular, linear = kinematics.acceleration(frame, relative_to)
    R, p = pose.rotation.to_matrix(), pose.position
    found = {}
    R_dot = derivative(R.components(), model)
    if not proved(R_dot, (R @ Mat3.cross_matrix(motor.resultant))):
        found["R'"] = R_dot
    if not proved(derivative(p, model), R @ motor.moment):
        found["p'"] = derivative(p, model)
    if not proved(derivative(R @ motor.resultant, model), R @ angular):
        found["w'"] = angular
    if not proved(derivative(R @ motor.moment, model), R @ linear):
        found["v'"] = linear
    return found


@pytest.mark.parametrize("name", ALL)
def test_velocity_is_the_derivative_of_the_pose(name):
    system, body, _ = one_joint(ALL[name])
    assert differs_from_derivative(frozen(system), body) == {}


@pytest.mark.parametrize("name", ALL)
def test_a_joint_that_the_tree_runs_through_backwards(name):
    system, body, _ = one_joint(ALL[name], turned_round=True)
    assert differs_from_derivative(frozen(system), body) == {}


@pytest.mark.parametrize("name", ALL)
def test_backwards_and_forwards_are_one_motion(name):
    """Pose and velocity of child relative to parent do not depend on which of them is nearer to the world."""
    system, body, joint = one_joint(ALL[name])
    forward = frozen(system)
    turned, other, _ = one_joint(ALL[name], turned_round=True)
    backward = frozen(turned)
    assert forward.model.speeds == joint.speeds
    assert set(backward.model.speeds) == set(joint.speeds)
    assert proved(forward.pose(body).rotation.to_matrix(), backward.pose(turned.world, other).rotation.to_matrix())
    assert proved(forward.pose(body).position, backward.pose(turned.world, other).position)
    assert proved(forward.velocity(body), backward.velocity(turned.world, other))
    for one, two in zip(forward.acceleration(body), backward.acceleration(turned.world, other), strict=True):
        assert proved(one, two)


@pytest.mark.parametrize("name", ALL)
def test_at_rest_parent_and_child_coincide(name):
    system, body, joint = one_joint(ALL[name])
    model = system.freeze()
    assert model.start == {**dict(zip(joint.coordinates, joint.q, strict=True)), **dict.fromkeys(joint.speeds, 0.0)}
    pose = frozen(system).pose(body).substitute(dict(zip(joint.coordinates, joint.q, strict=True)))
    assert proved(pose.rotation.to_matrix(), Mat3.identity())
    assert proved(pose.position, 0)


@pytest.mark.parametrize("name", ALL)
def test_axes_are_independent(name):
    """Almost everywhere; and there are as many speeds as the kind promises."""
    system, body, joint = one_joint(ALL[name])
    motor = frozen(system).velocity(body)
    columns = [motor.substitute({v: int(v is u) for v in joint.speeds}).components() for u in joint.speeds]
    assert len(joint.speeds) == sum(step.motion.freedom for step in joint.kind.steps())
    assert not columns or rank(columns) == len(columns)


@pytest.mark.parametrize("name", ALL)
def test_bias_of_every_motion(name):
    """Σ (d axis/dt)·u in the child frame is what ``bias`` says, for the motion and for its reverse."""
    for step in one_joint(ALL[name])[2].kind.steps():
        for motion in (step.motion, step.motion.reversed(), step.motion.reversed().reversed()):
            q = symbols(" ".join(f"q{k}" for k in range(len(motion.coordinates))), "coordinate")
            u = symbols(" ".join(f"u{k}" for k in range(motion.freedom)), "speed")
            total = VelocityMotor((ZERO,) * 3, (ZERO,) * 3)
            for axis, speed in zip(motion.axes(q), u, strict=True):
                total = total + axis * speed
            moving = {**dict(zip(q, motion.rates(q, u), strict=True)), **dict.fromkeys(u, 0)}
            found = time_derivative(total.components(), moving)
            bias = motion.bias(q, u)
            assert proved(found, 0 if bias is None else bias)


@pytest.mark.parametrize("name", ALL)
def test_reversed_steps_undo_the_steps(name):
    kind = one_joint(ALL[name])[2].kind
    steps, end = kind.steps(), kind.end()
    back, back_end = reversed_steps(steps, end)
    counts = [len(step.motion.coordinates) for step in steps]
    pools = [symbols(" ".join(f"s{i}q{k}" for k in range(n)), "coordinate") for i, n in enumerate(counts)]
    total = IDENTITY
    for step, q in zip(steps, pools, strict=True):
        total = total @ step.before @ step.motion.pose(q)
    total = total @ end
    for step, q in zip(back, reversed(pools), strict=True):
        total = total @ step.before @ step.motion.pose(q)
    total = total @ back_end
    assert proved(total.position, 0)
    assert proved(total.rotation.to_matrix(), Mat3.identity())


# prescribed motion ---------------------------------------------------------------------------------------------------


def test_prescribed_function_of_time():
    system = System("given")
    arm = system.body("arm", 1, inertia=(1, 1, 1))
    tip = system.body("tip", 1, inertia=(1, 1, 1))
    t = system.time
    system.joint("crank", system.world, arm, ["Tx", "Rz"], prescribed=[t**3, sin(2 * t)])
    system.joint("hinge", arm.frame("end", (1, 0, 0)), tip, "Ry")
    kinematics = frozen(system)
    assert kinematics.model.speeds == (system["hinge"].speed,)
    assert differs_from_derivative(kinematics, arm) == {}
    assert differs_from_derivative(kinematics, tip) == {}
    assert differs_from_derivative(kinematics, tip, arm) == {}


def test_prescribed_by_an_input_asks_for_its_rates():
    system = System("driven")
    s = system.input("s")
    arm = system.body("arm", 1, inertia=(1, 1, 1))
    system.joint("drive", system.world, arm, "Tz", prescribed=2 * s)
    kinematics = frozen(system)
    assert [one.name for one in kinematics.model.inputs] == ["s", "s_dot", "s_ddot"]
    s_dot, s_ddot = (symbol(name, "input", "driven") for name in ("s_dot", "s_ddot"))
    assert proved(kinematics.velocity(arm).moment, [0, 0, 2 * s_dot])
    assert proved(kinematics.acceleration(arm)[1], [0, 0, 2 * s_ddot])


def test_prescribed_and_turned_round():
    system = System("round")
    arm = system.body("arm", 1, inertia=(1, 1, 1))
    system.joint("crank", arm, system.world, ["Tx", "Rz", "Ty"], prescribed=[system.time, system.time**2, 1])
    assert differs_from_derivative(frozen(system), arm) == {}


def test_free_joint_on_a_moving_base():
    """A body in flight, described from a body that moves itself."""
    system = System("moving")
    base = system.body("base", 1, inertia=(1, 1, 1))
    system.joint("lift", system.world, base, Free("xyz"))
    flyer = system.body("flyer", 1, inertia=(1, 1, 1))
    system.joint("flight", base.frame("deck", (0, 1, 0)), flyer, Free())
    kinematics = frozen(system)
    assert differs_from_derivative(kinematics, flyer) == {}
    assert differs_from_derivative(kinematics, flyer, base) == {}


# particular values ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("axis", "expected"),
    [("x", (1, 0, 0)), ("-y", (0, -1, 0)), ((0, 0, 5), (0, 0, 1)), ((0, -2, 0), (0, -1, 0))],
)
def test_coordinate_axes_stay_exact(axis, expected):
    system, body, joint = one_joint(Revolute(axis))
    assert proved(frozen(system).velocity(body).resultant, [joint.speed * part for part in expected])


def test_an_oblique_axis_is_the_same_from_both_frames():
    system, body, joint = one_joint(Revolute((1, 2, -2)))
    kinematics = frozen(system)
    spin = kinematics.velocity(body).resultant
    assert proved(spin, kinematics.pose(body).rotation.apply(spin))
    direction = [float(part) for part in spin.substitute({joint.speed: 1})]
    assert direction == pytest.approx([1 / 3, 2 / 3, -2 / 3], abs=1e-15)


def test_a_screw_advances_with_its_turn():
    system, body, joint = one_joint(Screw("z", pitch=0.5))
    assert proved(frozen(system).pose(body).position, [0, 0, joint.coordinate / 2])


@pytest.mark.parametrize("form", ["xyz", "zyx", "zxz", "yxy"])
def test_angles_keep_their_order(form):
    system, body, joint = one_joint(Spherical(form))
    stack, other, same = one_joint([f"R{letter}" for letter in form])
    names = dict(zip(same.coordinates, joint.coordinates, strict=True))
    rotation = frozen(stack).pose(other).rotation.to_matrix().substitute(names)
    assert proved(frozen(system).pose(body).rotation.to_matrix(), rotation)


def test_elementary_movements_are_carried_by_those_before():
    system, body, joint = one_joint(["Rz", "Tx"])
    turn, slide = joint.coordinates
    assert proved(frozen(system).pose(body).position, [slide * cos(turn), slide * sin(turn), 0])


def test_transform_equality_of_welds():
    system = System("welded")
    one, two = system.body("one", 1), system.body("two", 2)
    system.joint("slide", system.world, one, "Tx")
    system.joint("weld", one.frame("a", (1, 2, 3)), two.frame("b", (0, 0, 1)), Weld())
    kinematics = frozen(system)
    assert kinematics.pose(two, one) == Transform.translation((1, 2, 2)).symbolic()
    (link,) = kinematics.model.links
    assert link.inertia.mass == 3
