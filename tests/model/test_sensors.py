"""Sensors: derivatives of one another for the right observer, and PyMbs' meaning where it differs."""

import pytest
from tests.refusal import refused

from multibody.algebra import ForceMotor, Mat3, Vec3
from multibody.graph import array, evaluate, product, same, symbol, symbols, time_derivative
from multibody.model import (
    Acceleration,
    AngularAcceleration,
    AngularMomentum,
    AngularVelocity,
    CenterOfMass,
    ConstraintForce,
    ConstraintTorque,
    Distance,
    DistanceAndRate,
    DistanceRate,
    Energy,
    Expression,
    JointSensor,
    Kinematics,
    KineticEnergy,
    LinearMomentum,
    Orientation,
    Position,
    PotentialEnergy,
    Spherical,
    Spring,
    System,
    TotalMass,
    Velocity,
)
from multibody.model.energy import kinetic_energy, potential_energy

from .samples import frozen, proved, random_tree, rates

SEEDS = range(3)


def derivative(value, kinematics):
    return time_derivative(array(value), rates(kinematics.model))


def turned(kinematics, vector, of, axes):
    """A vector given in the axes of one frame, in those of another."""
    return kinematics.pose(of, axes).vector_to_parent(Vec3(*vector)).to_array()


@pytest.fixture(params=SEEDS)
def tree(request):
    system = random_tree(request.param, bodies=4)
    tip = system["b3"].frame("tip", (0.3, 0.2, 0.5))
    return system, frozen(system), tip, system["b1"], system["f2"]


# rates as the observer sees them -------------------------------------------------------------------------------------


def test_velocity_is_the_derivative_of_position(tree):
    _, kinematics, frame, base, _ = tree
    assert proved(derivative(Position(frame).measure(kinematics), kinematics), Velocity(frame).measure(kinematics))
    position, velocity = Position(frame, base), Velocity(frame, base)
    assert proved(derivative(position.measure(kinematics), kinematics), velocity.measure(kinematics))


def test_acceleration_is_the_derivative_of_velocity(tree):
    _, kinematics, frame, base, _ = tree
    for relative_to in (None, base):
        velocity = Velocity(frame, relative_to).measure(kinematics)
        assert proved(derivative(velocity, kinematics), Acceleration(frame, relative_to).measure(kinematics))
        spin = AngularVelocity(frame, relative_to).measure(kinematics)
        assert proved(derivative(spin, kinematics), AngularAcceleration(frame, relative_to).measure(kinematics))


def test_any_observer(tree):
    """The derivative of the components along the observer's axes is what the observer sees."""
    _, kinematics, frame, base, observer = tree
    position = Position(frame, base, expressed_in=observer).measure(kinematics)
    velocity = Velocity(frame, base, expressed_in=observer, observer=observer).measure(kinematics)
    acceleration = Acceleration(frame, base, expressed_in=observer, observer=observer).measure(kinematics)
    assert proved(derivative(position, kinematics), velocity)
    assert proved(derivative(velocity, kinematics), acceleration)
    spin = AngularVelocity(frame, base, expressed_in=observer).measure(kinematics)
    sensor = AngularAcceleration(frame, base, expressed_in=observer, observer=observer)
    assert proved(derivative(spin, kinematics), sensor.measure(kinematics))


def test_axes_do_not_change_the_vector(tree):
    _, kinematics, frame, base, axes = tree
    for kind in (Position, Velocity, AngularVelocity, Acceleration, AngularAcceleration):
        plain = kind(frame, base).measure(kinematics)
        assert proved(kind(frame, base, expressed_in=axes).measure(kinematics), turned(kinematics, plain, base, axes))


def test_rotation_matrix_and_angular_velocity(tree):
    """Ṙ = ω̃·R with ω in the axes of the frame that it is relative to."""
    _, kinematics, frame, base, _ = tree
    for relative_to in (None, base):
        R = Orientation(frame, relative_to).measure(kinematics)
        assert R.shape == (3, 3)
        spin = Mat3.cross_matrix(Vec3(*AngularVelocity(frame, relative_to).measure(kinematics)))
        assert proved(derivative(R, kinematics), spin @ Mat3.from_any(R.tolist()))


def test_what_pymbs_measures(tree):
    """Differences of absolute velocities and accelerations, turned into the axes of CSref."""
    system, kinematics, cs2, cs1, ref = tree
    world = system.world

    def absolute(kind, frame):
        return Vec3(*kind(frame).measure(kinematics))

    for kind in (Velocity, Acceleration, AngularAcceleration):
        expected = turned(kinematics, absolute(kind, cs2) - absolute(kind, cs1), world, ref)
        assert proved(kind(cs2, relative_to=cs1, expressed_in=ref, observer=world).measure(kinematics), expected)
    spin = absolute(AngularVelocity, cs2) - absolute(AngularVelocity, cs1)
    found = AngularVelocity(cs2, relative_to=cs1, expressed_in=ref).measure(kinematics)
    assert proved(found, turned(kinematics, spin, world, ref))
    arrow = absolute(Position, cs2) - absolute(Position, cs1)
    found = Position(cs2, relative_to=cs1, expressed_in=ref).measure(kinematics)
    assert proved(found, turned(kinematics, arrow, world, ref))
    R1, R2 = (Orientation(cs).measure(kinematics) for cs in (cs1, cs2))
    assert proved(Orientation(cs2, relative_to=cs1).measure(kinematics), product(R1.T, R2))


def test_a_frame_at_rest_relative_to_its_own_body(tree):
    _, kinematics, frame, base, _ = tree
    a, b = base.frame("a", (1, 2, 3)), base.frame("b", (3, 2, 1))
    for kind in (Velocity, AngularVelocity, Acceleration, AngularAcceleration):
        assert proved(kind(frame, frame.body).measure(kinematics), 0)
        assert proved(kind(a, b).measure(kinematics), 0)


# distances -----------------------------------------------------------------------------------------------------------


def test_distance_and_its_rate(tree):
    system, kinematics, frame, base, _ = tree
    for a, b in ((system.world, frame), (base, frame), (frame, base)):
        distance = Distance(a, b).measure(kinematics)
        rate = DistanceRate(a, b).measure(kinematics)
        arrow = Vec3(*Position(b, a).measure(kinematics))
        assert same(distance**2, arrow.dot(arrow))
        assert same(derivative(distance, kinematics), rate)
        assert proved(DistanceAndRate(a, b).measure(kinematics), [distance, rate])


def test_distance_does_not_depend_on_the_order(tree):
    _, kinematics, frame, base, _ = tree
    assert same(Distance(frame, base).measure(kinematics), Distance(base, frame).measure(kinematics))
    assert same(DistanceRate(frame, base).measure(kinematics), DistanceRate(base, frame).measure(kinematics))


# joints --------------------------------------------------------------------------------------------------------------


def test_joint_sensor():
    system = System("joints")
    one = system.joint("one", system.world, system.body("a", 1), "Tx")
    ball = system.joint("ball", system["a"], system.body("b", 1), Spherical())
    given = system.joint("given", system["b"], system.body("c", 1), ["Tx", "Ty"], prescribed=[system.time, 2])
    kinematics = frozen(system)
    assert list(JointSensor(one).measure(kinematics)) == [one.coordinate, one.speed]
    assert list(JointSensor(ball).measure(kinematics)) == [*ball.coordinates, *ball.speeds]
    assert list(JointSensor(given).measure(kinematics)) == [system.time, 2, 1, 0]
    assert JointSensor(ball).shape == (7,)


class Balanced(Kinematics):
    """Kinematics with forces in the joints, made up for this test."""

    def reaction(self, joint):
        return ForceMotor(symbols("fx fy fz"), symbols("mx my mz"))


def test_constraint_forces_are_those_of_the_joint():
    system = System("arm")
    joint = system.joint("j", system.world, system.body("b", 1), "Rz")
    kinematics = Balanced(system.freeze())
    assert list(ConstraintForce(joint).measure(kinematics)) == list(symbols("fx fy fz"))
    assert list(ConstraintTorque(joint).measure(kinematics)) == list(symbols("mx my mz"))
    in_world = ConstraintForce(joint, expressed_in=system.world).measure(kinematics)
    assert proved(in_world, turned(kinematics, symbols("fx fy fz"), joint.child, system.world))
    with refused("constraint-forces-unknown") as caught:
        ConstraintForce(joint).measure(frozen(system))
    assert caught.value.where == "joint 'j'"


# the whole -----------------------------------------------------------------------------------------------------------


def test_energy_sensors(tree):
    system, _, _, base, other = tree
    system.load(Spring(base, other, 3))
    kinematics = frozen(system)
    kinetic, potential = KineticEnergy().measure(kinematics), PotentialEnergy().measure(kinematics)
    assert same(kinetic, kinetic_energy(kinematics))
    assert same(potential, potential_energy(kinematics))
    assert same(Energy().measure(kinematics), kinetic + potential)
    assert same(Energy(system.world).measure(kinematics), kinetic + potential)
    parts = sum((KineticEnergy(body).measure(kinematics) for body in kinematics.model.bodies), start=0)
    assert same(parts, kinetic)
    weights = PotentialEnergy(*kinematics.model.bodies).measure(kinematics)
    assert same(weights + Spring(base, other, 3).potential(kinematics), potential)


def test_centre_of_mass_moves_with_the_momentum(tree):
    system, kinematics, frame, base, _ = tree
    mass = TotalMass().measure(kinematics)
    centre = CenterOfMass().measure(kinematics)
    assert proved(derivative(mass * centre, kinematics), LinearMomentum().measure(kinematics))
    some = (system["b1"], system["b3"])
    velocity = derivative(CenterOfMass(*some).measure(kinematics), kinematics)
    assert proved(TotalMass(*some).measure(kinematics) * velocity, LinearMomentum(*some).measure(kinematics))
    relative = Vec3(*CenterOfMass(relative_to=base).measure(kinematics))
    assert proved(kinematics.pose(base).point_to_parent(relative), centre)
    in_axes = LinearMomentum(expressed_in=frame).measure(kinematics)
    assert proved(in_axes, turned(kinematics, LinearMomentum().measure(kinematics), system.world, frame))


def test_angular_momentum_about_any_point(tree):
    """L_A = L_O - r_A × p; about the centre of mass the same."""
    system, kinematics, frame, _, _ = tree
    about_origin = Vec3(*AngularMomentum().measure(kinematics))
    p = Vec3(*LinearMomentum().measure(kinematics))
    for about, point in ((frame, Position(frame)), ("com", CenterOfMass())):
        arm = Vec3(*point.measure(kinematics))
        found = AngularMomentum(about=about).measure(kinematics)
        assert proved(found, about_origin - arm.cross(p))
    assert AngularMomentum(about="com").touches == ()
    assert AngularMomentum(system["b1"], about=frame).touches == (system["b1"], frame)


def test_momentum_as_a_moving_frame_sees_it(tree):
    """Its own centre of mass moves with it; what moves with the frame has none."""
    system, kinematics, frame, base, _ = tree
    moved = TotalMass().measure(kinematics) * CenterOfMass(relative_to=frame).measure(kinematics)
    assert proved(derivative(moved, kinematics), LinearMomentum(relative_to=frame).measure(kinematics))
    in_base = LinearMomentum(relative_to=frame, expressed_in=base).measure(kinematics)
    assert proved(in_base, turned(kinematics, LinearMomentum(relative_to=frame).measure(kinematics), frame, base))
    own = {"relative_to": frame}  # which is fixed to b3
    assert proved(AngularMomentum(system["b3"], about="com", **own).measure(kinematics), [0, 0, 0])
    assert same(KineticEnergy(system["b3"], **own).measure(kinematics), 0)
    assert same(KineticEnergy(relative_to=system.world).measure(kinematics), KineticEnergy().measure(kinematics))
    assert AngularMomentum(system["b1"], **own).touches == (system["b1"], frame)
    assert KineticEnergy(system["b1"], **own).touches == (system["b1"], frame)


def test_energy_and_angular_momentum_as_the_crab_of_a_crane_sees_them():
    """By hand: the load turns about the crab with (J + m·l²)·w, wherever the crab goes."""
    system = System("crane")
    m, l, J = system.parameters(m=2.0, l=1.5, J=0.3)
    crab, load = system.body("crab", 10), system.body("load", m, (0, 0, -l), (0, J, 0))
    system.joint("slide", system.world, crab, "Tx")
    w = system.joint("swing", crab, load, "Ry").speed
    kinematics = frozen(system)
    assert same(KineticEnergy(relative_to=crab).measure(kinematics), (J + m * l**2) * w**2 / 2)
    assert proved(AngularMomentum(load, relative_to=crab).measure(kinematics), [0, (J + m * l**2) * w, 0])


def test_bodies_without_mass_have_no_centre():
    system = System("empty")
    ghost = system.body("ghost")
    system.joint("j", system.world, ghost, "Tx")
    with refused("mass-zero") as caught:
        CenterOfMass(ghost).measure(frozen(system))
    assert "'ghost'" in caught.value.where
    with refused("point-unknown", "middle"):
        AngularMomentum(about="middle").measure(frozen(system))


# expressions ---------------------------------------------------------------------------------------------------------


def test_expression_sensors_have_the_shape_of_their_value():
    system = System("formula")
    joint = system.joint("j", system.world, system.body("b", 1), "Tx")
    q, u = joint.coordinate, joint.speed
    assert Expression(q * u).shape == ()
    assert Expression([[q, u], [1, 2]]).shape == (2, 2)
    assert system.expression("power", q * u, unit="W") is q * u
    assert list(system.expression("both", [q, 2])) == [q, 2]
    assert system.sensors["power"].unit == "W"
    kinematics = frozen(system)
    assert kinematics.model.sensors["power"].measure(kinematics) is q * u
    assert repr(system.sensors["both"]) == "Expression([j, 2])"


def test_every_sensor_keeps_its_shape_and_has_a_unit():
    system = random_tree(1)
    a, b, joint = system["f2"], system["b4"].frame("tip", (0, 1, 2)), system["j0"]
    kinematics = Balanced(system.freeze())
    for sensor in (
        Position(a), Orientation(a, b), Velocity(a, b), AngularVelocity(a), Acceleration(a, b), AngularAcceleration(a),
        Distance(a, b), DistanceRate(a, b), DistanceAndRate(a, b), JointSensor(joint), ConstraintForce(joint),
        ConstraintTorque(joint), KineticEnergy(), PotentialEnergy(), Energy(), TotalMass(), CenterOfMass(),
        LinearMomentum(), AngularMomentum(about="com"), Expression([symbol("x")]),
    ):  # fmt: skip
        value = sensor.measure(kinematics)
        assert array(value).shape == sensor.shape, sensor
        assert bool(sensor.unit) or isinstance(sensor, Orientation | DistanceAndRate | JointSensor | Expression)


def test_sensors_show_what_they_look_at():
    system = random_tree(1)
    assert repr(Position(system["f2"], system["b1"])) == "Position('f2', 'b1')"
    assert repr(JointSensor(system["j0"])) == "JointSensor('j0')"


def test_a_pendulum_by_hand():
    system = System("pendulum", gravity=(0, 0, -10))
    bob = system.body("bob", 2, com=(0, 0, -3))
    joint = system.joint("swing", system.world, bob, "Ry")
    tip = bob.frame("tip", (0, 0, -3))
    kinematics = frozen(system)
    values = {joint.coordinate: 0.0, joint.speed: 2.0, kinematics.model.accelerations[0]: 0.5}
    for sensor, expected in (
        (Position(tip), [0, 0, -3]),
        (Velocity(tip), [-6, 0, 0]),
        (Acceleration(tip), [-1.5, 0, 12]),
        (AngularVelocity(tip), [0, 2, 0]),
        (AngularAcceleration(tip), [0, 0.5, 0]),
        (Energy(), 36 - 60),
        (LinearMomentum(), [-12, 0, 0]),
        (AngularMomentum(), [0, 36, 0]),
        (CenterOfMass(), [0, 0, -3]),
    ):
        assert evaluate(sensor.measure(kinematics), values) == pytest.approx(expected)
