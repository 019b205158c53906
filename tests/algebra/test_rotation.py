import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.spatial.transform import Rotation as Reference
from tests.refusal import refused

from multibody.algebra import Mat3, Rotation, Symmetric3, Vec3, direction
from multibody.compiler import Function
from multibody.errors import NumberError, ZeroDivisorError
from multibody.graph import constant, cos, is_zero, pi, same, sin, sqrt, symbol, symbols
from multibody.graph.expr import ONE, ZERO

from .samples import angles, close, long_vectors, proved, rotations, vector, vectors

MAKERS = {"x": Rotation.about_x, "y": Rotation.about_y, "z": Rotation.about_z}


@settings(max_examples=50)
@given(axis=st.sampled_from("xyz"), angle=angles, v=vectors)
def test_turns_agree_with_scipy(axis, angle, v):
    R, theirs = MAKERS[axis](angle), Reference.from_euler(axis, angle)
    assert np.allclose(R.to_array(), theirs.as_matrix(), atol=1e-15)
    assert np.allclose(R.apply(v).to_array(), theirs.apply(v), atol=1e-13)
    assert np.allclose(R.apply_inverse(v).to_array(), theirs.inv().apply(v), atol=1e-13)
    assert R.axis == axis


@settings(max_examples=50)
@given(long_vectors, angles)
def test_rotations_about_any_axis_agree_with_scipy(axis, angle):
    theirs = Reference.from_rotvec(axis.unit().to_array() * angle)
    assert np.allclose(Rotation.about(axis, angle).to_array(), theirs.as_matrix(), atol=1e-14)


@settings(max_examples=50)
@given(rotations, rotations, vectors)
def test_composition_inverse_and_application(R, S, v):
    product = R.to_matrix() @ S.to_matrix()
    assert close(R @ S, product)
    assert close((R @ S) @ v, R @ (S @ v))
    assert close(R.inverse(), R.to_matrix().transposed())
    assert close(R.apply_inverse(R.apply(v)), v)
    assert close(R.inverse() @ v, R.apply_inverse(v))
    assert close(R @ R.inverse(), Mat3.identity())


def test_composition_by_proof():
    q1, q2, q3 = symbols("q1 q2 q3")
    forms = [Rotation.identity(), Rotation.about_x(q1), Rotation.about_y(q2), Rotation.about(vector("n"), q3)]
    v = vector("v")
    for R in forms:
        assert proved(R.apply_inverse(R @ v), v)
        for S in forms:
            assert proved((R @ S) @ v, R @ (S @ v))
            assert proved((R @ S).inverse() @ v, S.inverse() @ (R.inverse() @ v))


def test_turns_about_one_axis_stay_a_turn():
    a, b = symbols("a b")
    R = Rotation.about_y(a) @ Rotation.about_y(b)
    assert R.axis == "y"
    assert is_zero(R.to_matrix()[0, 0] - cos(a + b))
    assert proved(R.to_matrix(), Rotation.about_y(a + b).to_matrix())
    assert (Rotation.about_y(a) @ Rotation.about_y(-a)) == Rotation.identity()
    assert (Rotation.about_x(a) @ Rotation.about_y(b)).axis is None


def test_no_rotation_costs_nothing():
    v, R = vector("v"), Rotation.about_z(symbol("q"))
    assert Rotation.identity() @ v is v
    assert (Rotation.identity() @ R) == R == (R @ Rotation.identity())
    assert Rotation.about_x(constant(0)) == Rotation.identity()
    assert (R @ R.inverse()) == Rotation.identity()


@pytest.mark.parametrize("axis", "xyz")
def test_applying_a_turn_costs_four_multiplications_and_two_additions(axis):
    v, q = vector("v"), symbol("q")
    for turned in (MAKERS[axis](q).apply(v), MAKERS[axis](q).apply_inverse(v)):
        operations = Function("turned", {"q": q, "v": list(v)}, {"out": list(turned)}).operations
        assert operations["mul"] == 4
        assert operations["add"] == 2
        assert set(operations) == {"add", "cos", "mul", "sin"}


def test_cost_of_a_turned_symmetric_tensor():
    entries, q = symbols("xx yy zz xy xz yz"), symbol("q")
    turned = Rotation.about_x(q).turn_symmetric(Symmetric3(*entries)).components()
    operations = Function("turned", {"q": q, "s": entries}, {"out": turned}).operations
    assert operations["mul"] <= 12
    assert operations["add"] <= 8


def test_coordinate_axes_take_the_cheap_way():
    q = symbol("q")
    assert Rotation.about([0, 0, 1], q) == Rotation.about_z(q)
    assert Rotation.about([0, 0, -3.0], q) == Rotation.about_z(-q)
    assert Rotation.about(Vec3(1, 0, 0).symbolic(), q).axis == "x"
    assert Rotation.about([0.0, 2.0, 0.0], 0.5).axis == "y"


def test_an_axis_may_be_given_by_its_letter():
    for letter, axis in (("x", (1, 0, 0)), ("-y", (0, -1, 0)), ("Z", (0, 0, 1))):
        assert Rotation.about(letter, 0.3) == Rotation.about(axis, 0.3)
    with refused("axis-unknown", "w"):
        Rotation.about("w", 0.3)


@pytest.mark.parametrize(
    "axis", [(0.6, 0.8, 0.0), (1, 1, 0), (1, 2, 3), (0.1, -0.2, 0.3), (1e-9, 0.0, 1.0), (-1, -1, -1)]
)
def test_symbolic_angle_about_a_numeric_axis_is_exactly_orthogonal(axis):
    q = symbol("q")
    R = Rotation.about(axis, q)
    assert proved(R.to_matrix() @ R.to_matrix().transposed(), Mat3.identity().symbolic())
    assert proved(Rotation.about(axis, q) @ Rotation.about(axis, -q), Rotation.matrix(Mat3.identity().symbolic()))
    numeric = R.evaluate({q: 0.7})
    assert np.allclose(numeric.to_array().astype(float), Rotation.about(axis, 0.7).to_array(), atol=1e-15)


def test_symbolic_axis():
    n, q = vector("n"), symbol("q")
    R = Rotation.about(n, q)
    assert proved(R @ n, n)
    assert proved(R.to_matrix() @ R.to_matrix().transposed(), Mat3.identity().symbolic())
    assert proved(R.to_matrix().trace(), 1 + 2 * cos(q))
    already_unit = Vec3(cos(q), sin(q), 0)
    assert direction(already_unit).x is cos(q)


@settings(max_examples=50)
@given(long_vectors)
def test_directions_of_constants_are_exact(v):
    exact = direction(v.symbolic())
    assert exact.dot(exact) is ONE
    assert close(exact.map(float), v.unit(), 4e-16)


def test_directions():
    assert direction(Vec3(0.0, -2.0, 0.0).symbolic()) == Vec3(ZERO, constant(-1), ZERO)
    assert same(direction(Vec3(1, 1, 0).symbolic()).x, sqrt(2) / 2)
    assert direction(Vec3(0.0, 0.0, 1.0)) == Vec3(0.0, 0.0, 1.0)
    for nothing in (Vec3.zero(), Vec3.zero().symbolic()):
        with pytest.raises(ZeroDivisorError):
            direction(nothing)


def test_quarter_turns_are_exact():
    R = Rotation.about_z(pi / 2)
    assert R @ Vec3(1, 0, 0).symbolic() == Vec3(ZERO, ONE, ZERO)


def test_matrices_are_checked():
    good = Reference.random(rng=1).as_matrix()
    assert np.array_equal(Rotation.matrix(good).to_array(), good)
    for wrong in [
        2 * good,
        -good,  # a reflection
        good + 1e-6,
        np.full((3, 3), np.nan),
        np.zeros((3, 3)),
    ]:
        with refused("matrix-not-a-rotation"):
            Rotation.matrix(wrong)
        with refused("matrix-not-a-rotation"):
            Rotation.matrix(Mat3.from_batch(np.stack([good, wrong])))
    assert Rotation.matrix(good.round(4), tolerance=1e-3).to_array()[0, 0] == good.round(4)[0, 0]
    with pytest.raises(NumberError):
        Rotation.matrix(Mat3.diagonal(2, 1, 1).symbolic())
    Rotation.matrix([[symbol("q"), 0, 0], [0, 1, 0], [0, 0, 1]])  # expressions are trusted


# exponential and logarithm ---------------------------------------------------------------------------------------

TINY = [0.0, 1e-300, 1e-160, 1e-20, 1e-12, 1e-9, 1e-6, 1e-4, 0.0099, 0.01, 0.0101, 0.02, 0.0199, 0.1]
NEAR_PI = [math.pi - small for small in (0.0, 1e-16, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 0.1)]


@settings(max_examples=200)
@given(angle=st.sampled_from([*TINY, 1.0, 2.0, *NEAR_PI]), axis=long_vectors)
def test_logarithm_gives_the_rotation_vector_back(angle, axis):
    v = axis.unit() * angle
    R = Rotation.exp(v)
    assert np.allclose(R.to_array(), Reference.from_rotvec(v.to_array()).as_matrix(), rtol=0, atol=1e-15)
    back = R.log()
    assert close(Rotation.exp(back), R, 2e-15)
    if angle < math.pi - 1e-7:  # at π the axis may point either way
        error = (back - v).norm()
        assert error <= 4e-16 * (1 + angle) + 1e-15 / (math.pi - angle) * 1e-15
        assert error <= 1e-15 * max(angle, 1.0)
    else:
        assert close(back.norm(), angle, 1e-8)


@pytest.mark.parametrize("angle", [1e-160, 1e-9, 1e-3])
def test_small_rotation_vectors_keep_their_relative_accuracy(angle):
    v = Vec3(1.0, -2.0, 0.5).unit() * angle
    assert (Rotation.exp(v).log() - v).norm() <= 1e-15 + 1e-15 * angle
    q = Rotation.exp(v).to_quaternion()
    assert q.vector.norm() == pytest.approx(angle / 2, rel=1e-6, abs=1e-15)


@settings(max_examples=50)
@given(rotations)
def test_exponential_of_the_logarithm(R):
    assert close(Rotation.exp(R.log()), R, 4e-15)
    assert R.log().norm() <= math.pi + 1e-15


def test_logarithm_of_a_turn_is_along_its_axis():
    assert Rotation.about_y(0.25).log() == Vec3(0.0, 0.25, 0.0)
    assert Rotation.identity().log() == Vec3(0.0, 0.0, 0.0)
    assert Rotation.about_x(4.0).log().x == pytest.approx(4.0 - 2 * math.pi, abs=1e-15)


def test_symbolic_exponential_works_at_zero_and_elsewhere():
    v = vector("v")
    R = Rotation.exp(v)
    assert proved(R.to_matrix() @ R.to_matrix().transposed(), Mat3.identity().symbolic())
    logarithm = R.log()
    for values in ((0.0, 0.0, 0.0), (1e-5, 0.0, 0.0), (0.3, -0.4, 1.2), (0.0, 3.1, 0.1)):
        given_ = dict(zip(v, values, strict=True))
        assert np.allclose(R.evaluate(given_).to_array(), Rotation.exp(values).to_array(), atol=1e-15)
        assert np.allclose(logarithm.evaluate(given_).to_array().astype(float), values, atol=1e-14)


@settings(max_examples=50)
@given(st.tuples(angles, angles, angles))
def test_expressions_and_numbers_agree(values):
    names = symbols("a b c")
    given_ = dict(zip(names, values, strict=True))
    symbolic, numeric = (
        Rotation.euler("zyx", s) @ Rotation.about((1, 2, 2), s[0]) @ Rotation.exp(Vec3(*s)) for s in (names, values)
    )
    assert close(symbolic.evaluate(given_), numeric)
    assert (
        close(symbolic.to_quaternion().evaluate(given_), numeric.to_quaternion(), 1e-6)
        or abs(numeric.to_quaternion().w) < 1e-6
    )
