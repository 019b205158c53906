"""The computational rules of motor calculus, section 2.1 of Zaiczek and Enge-Rosenblatt: by number and by proof."""

import pytest
from hypothesis import given, settings

from multibody.algebra import Motor, MotorDyad, Rotation, Transform, Vec3, VelocityMotor, angular_velocity_matrix
from multibody.graph import sin, symbols

from .samples import close, dyad, dyads, motor, motors, numbers, proved, transform, transforms

# one law is a function of three motors and two scalars that returns both sides
LAWS = {
    "addition is commutative": lambda a, b, c, s, t: (a + b, b + a),
    "addition is associative": lambda a, b, c, s, t: ((a + b) + c, a + (b + c)),
    "subtraction undoes addition": lambda a, b, c, s, t: (a + b - b, a),
    "scalars distribute over motors": lambda a, b, c, s, t: (s * (a + b), s * a + s * b),
    "motors distribute over scalars": lambda a, b, c, s, t: ((s + t) * a, s * a + t * a),
    "the inner product is symmetric": lambda a, b, c, s, t: (a.inner(b), b.inner(a)),
    "the inner product is additive": lambda a, b, c, s, t: (a.inner(b + c), a.inner(b) + a.inner(c)),
    "the inner product is homogeneous": lambda a, b, c, s, t: ((s * a).inner(b), s * a.inner(b)),
    "the outer product is skew": lambda a, b, c, s, t: (a.cross(b), -b.cross(a)),
    "the outer product is additive": lambda a, b, c, s, t: (a.cross(b + c), a.cross(b) + a.cross(c)),
    "the outer product is homogeneous": lambda a, b, c, s, t: ((s * a).cross(b), s * a.cross(b)),
    "bilinear on the left": lambda a, b, c, s, t: ((s * a + t * b).cross(c), s * a.cross(c) + t * b.cross(c)),
    "bilinear on the right": lambda a, b, c, s, t: (a.cross(s * b + t * c), s * a.cross(b) + t * a.cross(c)),
    "the triple product is cyclic": lambda a, b, c, s, t: (a.inner(b.cross(c)), b.inner(c.cross(a))),
    "and once more": lambda a, b, c, s, t: (b.inner(c.cross(a)), c.inner(a.cross(b))),
    "Jacobi's identity": lambda a, b, c, s, t: (
        a.cross(b.cross(c)) + b.cross(c.cross(a)) + c.cross(a.cross(b)),
        0 * a,
    ),
    "the inner product by vectors, eq. (2)": lambda a, b, c, s, t: (
        a.inner(b),
        a.resultant.dot(b.moment) + b.resultant.dot(a.moment),
    ),
    "the outer product as a dyad, after eq. (3)": lambda a, b, c, s, t: (MotorDyad.cross_dyad(a) @ b, a.cross(b)),
    "the dyadic product": lambda a, b, c, s, t: (MotorDyad.outer(a, b) @ c, a * b.inner(c)),
    "moments add up": lambda a, b, c, s, t: (
        (a + b).moment_at(c.moment),
        a.moment_at(c.moment) + b.moment_at(c.moment),
    ),
    "eq. (1)": lambda a, b, c, s, t: (a.moment_at(c.moment), a.moment + a.resultant.cross(c.moment)),
    "origins can be moved in two steps": lambda a, b, c, s, t: (
        a.referred_to(b.moment).referred_to(c.moment),
        a.referred_to(b.moment + c.moment),
    ),
    "eq. (6) both ways": lambda a, b, c, s, t: (
        a.moving_frame_rate(a.fixed_frame_rate(b, c.as_type(VelocityMotor)), c.as_type(VelocityMotor)),
        b,
    ),
}


@settings(max_examples=50)
@given(a=motors(), b=motors(), c=motors(), s=numbers, t=numbers)
def test_laws_by_number(a, b, c, s, t):
    for law, sides in LAWS.items():
        assert close(*sides(a, b, c, s, t)), law


@pytest.mark.parametrize("law", LAWS)
def test_law_by_proof(law):
    left, right = LAWS[law](motor("a"), motor("b"), motor("c"), *symbols("s t"))
    assert proved(left, right)


# laws of dyads: functions of three dyads, two motors and a scalar
DYAD_LAWS = {
    "the product is associative": lambda t, u, v, a, b, s: ((t @ u) @ v, t @ (u @ v)),
    "the product is application twice": lambda t, u, v, a, b, s: ((t @ u) @ a, t @ (u @ a)),
    "identity on the left": lambda t, u, v, a, b, s: (MotorDyad.identity() @ t, t),
    "identity on the right": lambda t, u, v, a, b, s: (t @ MotorDyad.identity(), t),
    "identity on a motor": lambda t, u, v, a, b, s: (MotorDyad.identity() @ a, a),
    "linear in the motor": lambda t, u, v, a, b, s: (t @ (a + s * b), t @ a + s * (t @ b)),
    "linear in the dyad": lambda t, u, v, a, b, s: ((t + s * u) @ a, t @ a + s * (u @ a)),
    "zero": lambda t, u, v, a, b, s: ((t - t) @ a, 0 * a),
    "the transposed is the adjoint": lambda t, u, v, a, b, s: (a.inner(t @ b), b.inner(t.transposed() @ a)),
    "transposed products": lambda t, u, v, a, b, s: ((t @ u).transposed(), u.transposed() @ t.transposed()),
}


@settings(max_examples=50)
@given(t=dyads, u=dyads, v=dyads, a=motors(), b=motors(), s=numbers)
def test_dyad_laws_by_number(t, u, v, a, b, s):
    for law, sides in DYAD_LAWS.items():
        assert close(*sides(t, u, v, a, b, s)), law


@pytest.mark.parametrize("law", DYAD_LAWS)
def test_dyad_law_by_proof(law):
    left, right = DYAD_LAWS[law](dyad("t"), dyad("u"), dyad("v"), motor("a"), motor("b"), *symbols("s"))
    assert proved(left, right)


# what a change of coordinates leaves alone: functions of two motors, a dyad and a transform
INVARIANCES = {
    "inner product": lambda a, b, t, X: ((X @ a).inner(X @ b), a.inner(b)),
    "inner product, to the child": lambda a, b, t, X: (X.to_child(a).inner(X.to_child(b)), a.inner(b)),
    "outer product": lambda a, b, t, X: ((X @ a).cross(X @ b), X @ a.cross(b)),
    "there and back": lambda a, b, t, X: (X.to_child(X.to_parent(a)), a),
    "back and there": lambda a, b, t, X: (X.to_parent(X.to_child(a)), a),
    "the inverse transform": lambda a, b, t, X: (X.inverse().to_parent(a), X.to_child(a)),
    "the dyad of section 2.1.4": lambda a, b, t, X: (MotorDyad.coordinate_change(X) @ a, X.to_child(a)),
    "its inverse": lambda a, b, t, X: (MotorDyad.coordinate_change(X.inverse()) @ a, X.to_parent(a)),
    "dyads follow": lambda a, b, t, X: ((X @ t) @ (X @ a), X @ (t @ a)),
    "dyads, there and back": lambda a, b, t, X: (X.to_child(X.to_parent(t)), t),
    "a dyad by conjugation": lambda a, b, t, X: (
        X.to_child(t),
        MotorDyad.coordinate_change(X) @ t @ MotorDyad.coordinate_change(X.inverse()),
    ),
    "the field of moments": lambda a, b, t, X: (
        (X @ a).moment_at(X.point_to_parent(b.moment)),
        X.vector_to_parent(a.moment_at(b.moment)),
    ),
    "two transforms in a row": lambda a, b, t, X: ((X @ X.inverse() @ X) @ a, X @ (X.inverse() @ (X @ a))),
}


@settings(max_examples=50)
@given(a=motors(), b=motors(), t=dyads, X=transforms)
def test_invariances_by_number(a, b, t, X):
    for law, sides in INVARIANCES.items():
        assert close(*sides(a, b, t, X), tolerance=1e-9), law


@pytest.mark.parametrize("law", INVARIANCES)
def test_invariance_by_proof(law):
    left, right = INVARIANCES[law](motor("a"), motor("b"), dyad("t"), transform("X"))
    assert proved(left, right)


def test_identity_dyad_keeps_its_form_in_every_frame():
    X = transform("X")
    assert proved(X.to_parent(MotorDyad.identity().symbolic()), MotorDyad.identity().symbolic())


def test_derivative_by_a_parameter_is_taken_component_by_component():
    """Section 2.1.5, with the product rules that follow."""
    t, k = symbols("t k")
    a = Motor((sin(t), t * t, k), (k * t, 1, sin(k * t)))
    b = Motor((t, k, 2), (t**3, sin(t), t))
    assert proved(a.partial_derivative(t), a.time_derivative({t: 1, k: 0}))
    left, right = a.cross(b).partial_derivative(t), a.partial_derivative(t).cross(b) + a.cross(b.partial_derivative(t))
    assert proved(left, right)
    assert a.partial_derivative(t).moment.x is k


def test_derivative_in_a_moving_frame():
    """Eq. (6): for X(t), the velocity of the frame and constant components in it."""
    q, u = symbols("q_1 q_2 q_3 p_x p_y p_z", "coordinate"), symbols("u_1 u_2 u_3 v_x v_y v_z", "speed")
    rates = dict(zip(q, u, strict=True))
    X = Transform(Rotation.euler("zxz", q[:3]), Vec3(*q[3:]))
    spin = angular_velocity_matrix("zxz", q[:3], "body") @ Vec3(*u[:3])
    v_frame = VelocityMotor(spin, X.vector_to_child(Vec3(*u[3:])))  # of the frame, in the frame
    h = motor("h")
    seen_from_fixed = X.to_parent(h).time_derivative({**rates, **dict.fromkeys(h.components(), 0)})
    h_ring = 0 * h
    assert proved(X.to_child(seen_from_fixed), h.fixed_frame_rate(h_ring, v_frame))
