"""Kinds of motors, motor axis and pitch, pairs of lines."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from tests.refusal import refused

from multibody.algebra import (
    AccelerationMotor,
    ForceMotor,
    MomentumMotor,
    Motor,
    MotorDyad,
    Rotation,
    StraightLine,
    Vec3,
    VelocityMotor,
    motor_of_lines,
)
from multibody.errors import ConversionError, MultibodyError
from multibody.graph import symbols

from .samples import (
    KINDS,
    angles,
    close,
    long_vectors,
    motor,
    motors,
    numbers,
    proved,
    transform,
    transforms,
    vector,
    vectors,
)


@pytest.mark.parametrize(("a", "b"), [*itertools.permutations(KINDS, 2)])
def test_quantities_of_different_kinds_cannot_be_added(a, b):
    for operation in (lambda x, y: x + y, lambda x, y: x - y):
        with pytest.raises(TypeError) as caught:
            operation(motor("a", a), motor("b", b))
        assert isinstance(caught.value, MultibodyError)
        assert a.__name__ in caught.value.what
        assert b.__name__ in caught.value.what
        assert "as_type" in caught.value.remedy


@pytest.mark.parametrize("kind", KINDS)
def test_a_motor_keeps_its_kind(kind):
    h = motor("h", kind)
    (s,) = symbols("s")
    for same_kind in (
        h + h,
        h - h,
        -h,
        h * s,
        s * h,
        h / s,
        transform("X") @ h,
        transform("X").to_child(h),
        kind.zero(),
    ):
        assert type(same_kind) is kind
    assert type(h.partial_derivative(s)) is kind
    assert type(h.as_type(ForceMotor)) is ForceMotor


PRODUCTS = {
    (VelocityMotor, VelocityMotor): AccelerationMotor,
    (VelocityMotor, MomentumMotor): ForceMotor,
    (MomentumMotor, VelocityMotor): ForceMotor,
}


@pytest.mark.parametrize(("a", "b"), [*itertools.product(KINDS, KINDS)])
def test_kinds_of_outer_products(a, b):
    assert type(motor("a", a).cross(motor("b", b))) is PRODUCTS.get((a, b), Motor)


def test_kinds_of_derivatives():
    speed = symbols("s", "speed")[0]
    for kind, rate in (
        (VelocityMotor, AccelerationMotor),
        (MomentumMotor, ForceMotor),
        (ForceMotor, Motor),
        (Motor, Motor),
    ):
        h = kind((speed, 0, 0), (0, speed * speed, 0))
        assert type(h.time_derivative({speed: 1})) is rate
        assert h.time_derivative({speed: 1}).moment.y is 2 * speed
        v = motor("v", VelocityMotor)
        assert type(h.fixed_frame_rate(h.time_derivative({speed: 0}), v)) is rate


def test_power_is_the_inner_product_of_force_and_velocity():
    f, v = motor("f", ForceMotor), motor("v", VelocityMotor)
    point, force = vector("r"), vector("f")
    assert proved(f.power(v), f.resultant.dot(v.moment) + f.moment.dot(v.resultant))
    assert proved(ForceMotor.single_force(force, point).power(v), force.dot(v.moment_at(point)))
    assert proved(ForceMotor.torque(force).power(v), force.dot(v.resultant))
    for wrong in (f, motor("p", MomentumMotor), 3.0):
        with refused("operands-incompatible"):
            f.power(wrong)


def test_products_with_anything_but_a_motor_are_refused():
    h = motor("h")
    for wrong in (Vec3.zero(), 3.0, None, MotorDyad.identity()):
        with refused("value-not-a-motor"):
            h.inner(wrong)
        with refused("value-not-a-motor"):
            h.cross(wrong)
        with refused("value-not-a-motor"):
            h.fixed_frame_rate(h, wrong)
        with refused("value-not-a-motor"):
            h.moving_frame_rate(h, wrong)
        with refused("value-not-a-motor"):
            MotorDyad.identity().apply(wrong)
    with refused("operands-incompatible") as caught:
        h * h
    assert "inner" in caught.value.remedy
    with refused("array-wrong-shape"):
        Motor((1, 2), (1, 2, 3))


def test_single_force_and_torque_add_up():
    """Section 2.2.1: the torque about any other point is that of eq. (1)."""
    f, r, d, p = (vector(name) for name in "frdp")
    total = ForceMotor.single_force(f, r) + ForceMotor.torque(d)
    assert proved(total.moment_at(p), (r - p).cross(f) + d)


@pytest.mark.parametrize("kind", KINDS)
def test_motors_as_six_numbers(kind):
    """The paper's ``Motor = Real[6]``: resultant first."""
    h = kind((1.0, 2.0, 3.0), (4.0, 5.0, 6.0))
    assert h.to_array().tolist() == [1, 2, 3, 4, 5, 6]
    assert kind.from_array(h.to_array()) == h
    batch = kind.from_array([[1, 2, 3, 4, 5, 6], [0, 0, 0, 1, 1, 1]])
    assert type(batch) is kind
    assert batch.moment.x.tolist() == [4, 1]
    assert proved(kind.from_array(motor("h", kind).to_array()), motor("h", kind))
    with refused("array-wrong-shape"):
        kind.from_array(np.eye(3))


def test_force_motors_are_summed():
    """f = Σ f_i + Σ d_j, section 2.2.1; only zero can be added that is not a motor."""
    forces = [ForceMotor.single_force(vector(f"f{k}"), vector(f"r{k}")) for k in range(3)]
    assert proved(sum(forces), forces[0] + forces[1] + forces[2])
    assert sum([Vec3(1, 2, 3), Vec3(1, 0, 0)]) == Vec3(2, 2, 3)
    with pytest.raises(TypeError):
        sum(forces, 1)


def test_acceleration_of_a_point_by_proof():
    """The acceleration of a body's point is the second time derivative of its position."""
    q, u = symbols("a b c x y z", "coordinate"), symbols("a1 b1 c1 x1 y1 z1", "speed")
    accelerations = symbols("a2 b2 c2 x2 y2 z2", "input")
    first, second = dict(zip(q, u, strict=True)), dict(zip([*q, *u], [*u, *accelerations], strict=True))
    R, o, r_B = Rotation.euler("zyx", q[:3]), Vec3(*q[3:]), vector("r", kind="parameter")
    position = R @ r_B + o
    R_dot = R.to_matrix().time_derivative(first)
    spin_matrix = R_dot @ R.to_matrix().transposed()
    spin = Vec3(spin_matrix[2, 1], spin_matrix[0, 2], spin_matrix[1, 0])
    v = VelocityMotor(spin, o.time_derivative(first)).referred_to(-o)  # in the world frame, about its origin
    assert proved(v.moment_at(position), position.time_derivative(first))
    a = v.time_derivative(second)
    assert type(a) is AccelerationMotor
    assert proved(a.of_point(position, v), position.time_derivative(first).time_derivative(second))


# axis and pitch --------------------------------------------------------------------------------------------------


@settings(max_examples=50)
@given(long_vectors, vectors, numbers)
def test_on_its_axis_the_moment_is_parallel_to_the_resultant(g, h, along):
    m = Motor(g, h)
    axis, pitch = m.axis(), m.pitch()
    for point in (axis.point, axis.point + axis.direction * along):
        assert close(m.moment_at(point), g * pitch, 1e-9 * max(1.0, 1 / g.norm()))
    assert close(axis.point.dot(axis.direction), 0.0, 1e-9 * max(1.0, 1 / g.norm()))


def test_axis_and_pitch_by_proof():
    m, X = motor("m"), transform("X")
    point, direction = m.axis()
    assert proved(m.moment_at(point).cross(m.resultant), Vec3.zero().symbolic())
    assert proved(m.moment_at(point), m.resultant * m.pitch())
    assert proved((X @ m).pitch(), m.pitch())
    assert proved((X @ m).axis().direction, X.vector_to_parent(direction))
    screw = Motor((0, 0, 2), (0, 0, 6))
    assert screw.pitch() == 3


@pytest.mark.parametrize(
    "nothing", [Motor((0.0, 0.0, 0.0), (1.0, 0.0, 0.0)), Motor.zero().symbolic(), ForceMotor.torque((0, 0, 1))]
)
def test_a_pure_couple_has_no_axis(nothing):
    for ask in (Motor.axis, Motor.pitch):
        with refused("division-by-zero"):
            ask(nothing)


# pairs of lines --------------------------------------------------------------------------------------------------


@settings(max_examples=50)
@given(transforms, angles, numbers, numbers, numbers)
def test_motor_of_two_lines(X, angle, distance, a, b):
    """Built about z, where the answer is plain, and then moved anywhere."""
    if abs(math.cos(angle)) < 1e-3 or abs(math.sin(angle)) < 1e-3:
        return
    first = StraightLine(Vec3(a, 0.0, 0.0), Vec3(1.0, 0.0, 0.0))
    along = Vec3(math.cos(angle), math.sin(angle), 0.0)
    second = StraightLine(Vec3(0.0, 0.0, distance) + along * b, along * 2.0)
    here = Motor((0.0, 0.0, math.tan(angle)), (0.0, 0.0, distance))
    assert close(motor_of_lines(first, second), here, 1e-9)
    moved = [
        StraightLine(X.point_to_parent(line.point), X.vector_to_parent(line.direction)) for line in (first, second)
    ]
    assert close(motor_of_lines(*moved), X @ here, 1e-6)


def test_motor_of_parallel_and_perpendicular_lines():
    x, y = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0)
    assert motor_of_lines(StraightLine(Vec3.zero(), x), StraightLine(Vec3(7.0, 2.0, 0.0), x)) == Motor(
        (0, 0, 0), (0.0, 2.0, 0.0)
    )
    with refused("division-by-zero"):
        motor_of_lines(StraightLine(Vec3.zero(), x), StraightLine(Vec3.zero(), y))


def test_lines_are_read_and_judged():
    """Points and directions as tuples; parallel or perpendicular but for rounding; a batch member by member."""
    x_axis = StraightLine((0, 0, 0), (1, 0, 0))
    across = StraightLine((0, 0, 2), (1, 1, 0))
    assert motor_of_lines(x_axis, across) == motor_of_lines(x_axis, (Vec3(0, 0, 2), [-3, -3, 0]))
    slanted, longer = (0.1, 0.2, 0.3), (0.1 * 3, 0.2 * 3, 0.3 * 3)
    assert Vec3(*slanted).cross(longer).norm() > 0  # rounding
    found = motor_of_lines(StraightLine((0, 0, 0), slanted), StraightLine((0.3, 0.1, -0.2), longer))
    assert close(found, Motor((0, 0, 0), Vec3(0.3, 0.1, -0.2) + Vec3(*slanted) * (0.01 / 0.14)))
    two = Vec3(np.array([2.0, 1.0]), np.array([1.0, 0.0]), 0.0)
    both = motor_of_lines(x_axis, StraightLine((0, 0, 2), two)).to_array()
    assert np.array_equal(both, [[0, 0, 0.5, 0, 0, 2], [0, 0, 0, 0, 0, 2]])
    with refused("division-by-zero"):
        motor_of_lines(x_axis, StraightLine((0, 0, 1), (math.cos(math.pi / 2), 1, 0)))
    with refused("division-by-zero"):
        motor_of_lines(x_axis, StraightLine((0, 0, 1), (0, 0, 0)))
    with refused("value-not-a-line"):
        motor_of_lines(x_axis, Vec3(1, 0, 0))


def test_motor_of_two_lines_by_proof():
    """Pairs of lines that a screw about the common normal takes into each other define one motor."""
    distance, angle, turn, rise = symbols("d phi turn rise")
    screw = Rotation.about_z(turn)
    x, lift = Vec3(1, 0, 0), Vec3(0, 0, rise)

    def motor_after(move, up):
        second = Rotation.about_z(angle) @ x
        return motor_of_lines(StraightLine(up, move @ x), StraightLine(Vec3(0, 0, distance) + up, move @ second))

    assert proved(motor_after(screw, lift), motor_after(Rotation.identity(), Vec3.zero()))


@settings(max_examples=50)
@given(motors(), transforms)
def test_dyads_as_matrices(h, X):
    """T∘h = T·Γ·h with 6×6 matrices, eq. (4) and section 2.1.4."""
    gamma = np.block([[np.zeros((3, 3)), np.eye(3)], [np.eye(3), np.zeros((3, 3))]])
    T = MotorDyad.coordinate_change(X).to_array()
    assert np.allclose(T @ gamma @ h.to_array(), X.to_child(h).to_array(), atol=1e-11)
    assert np.array_equal(MotorDyad.identity().to_array(), gamma)
    assert np.array_equal(MotorDyad.from_array(T).to_array(), T)


def test_dyads_of_other_shapes_are_refused():
    with refused("array-wrong-shape"):
        MotorDyad.from_array(np.eye(5))
    with pytest.raises(ConversionError):
        MotorDyad.identity() * MotorDyad.identity()
    with pytest.raises(TypeError):
        MotorDyad.identity() @ 3.0
