import copy
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from tests.refusal import refused

from multibody.algebra import Mat3, Motor, Vec3
from multibody.algebra.scalar import atan2, cos, sin, sqrt, stacked, where
from multibody.errors import ShapeError
from multibody.graph import Constant, Expr, constant, symbol, symbols
from multibody.graph.expr import ONE, ZERO

from .samples import close, dyad, inertia, long_vectors, matrix, motor, numbers, proved, quaternion, vector, vectors


@settings(max_examples=50)
@given(vectors, vectors, numbers)
def test_vectors_agree_with_numpy(a, b, s):
    x, y = a.to_array(), b.to_array()
    assert close(list((a + b).to_array()), list(x + y))
    assert close(list((a - b * s).to_array()), list(x - s * y))
    assert close(list(a.cross(b).to_array()), list(np.cross(x, y)))
    assert close(a.dot(b), x @ y)
    assert close(list(a.outer(b).to_array().ravel()), list(np.outer(x, y).ravel()))
    assert close(a.norm(), np.linalg.norm(x))


def test_laws_of_vector_algebra():
    a, b, c, d = (vector(name) for name in "abcd")
    assert proved(a.cross(b), -b.cross(a))
    assert proved(a.cross(b.cross(c)), b * a.dot(c) - c * a.dot(b))  # Grassmann
    assert proved(a.cross(b).dot(c.cross(d)), a.dot(c) * b.dot(d) - a.dot(d) * b.dot(c))  # Lagrange
    assert proved(a.outer(b) @ c, a * b.dot(c))
    assert proved(a.unit().dot(a.unit()), ONE)


@settings(max_examples=50)
@given(long_vectors)
def test_unit_vectors(a):
    assert close(a.unit().norm(), 1.0, 1e-15)
    assert close(a.unit() * a.norm(), a)


def test_structural_zeros_and_ones_cost_nothing():
    a = vector("a")
    x, nothing = Vec3(1, 0, 0).symbolic(), Vec3.zero().symbolic()
    assert x.x is ONE
    assert x.y is ZERO
    assert a.dot(x) is a.x
    assert x.cross(a) == Vec3(ZERO, -a.z, a.y)
    assert (a + nothing).x is a.x
    assert (nothing - a).y is -a.y
    assert all(component is ZERO for component in a.cross(nothing))
    assert (a / ONE).x is a.x


@pytest.mark.parametrize(
    "given_", [[1, 2, 3], (1, 2, 3), np.array([1, 2, 3]), Vec3(1, 2, 3), range(1, 4), iter([1, 2, 3])]
)
def test_three_components_make_a_vector(given_):
    assert Vec3.from_any(given_) == Vec3(1, 2, 3)


@pytest.mark.parametrize(
    ("given_", "cause"),
    [
        ([1, 2], "2 entries"),
        ([1, 2, 3, 4], "4 entries"),
        (np.eye(3), "not all numbers"),
        ("abc", "not a list"),
        (7.0, "not a list"),
        (None, "not a list"),
        ({1.0, 2.0, 3.0}, "not a list"),
        (["1", 2, 3], "not all numbers"),
        (np.array(5.0), "not a list"),
        ([], "not a list"),
    ],
)
def test_anything_else_is_refused_with_its_cause(given_, cause):
    with pytest.raises(ShapeError) as caught:
        Vec3.from_any(given_, what="position")
    assert cause in caught.value.cause
    assert "position" in caught.value.what


def test_expressions_in_arrays_and_lists_stay_expressions():
    q = symbol("q")
    assert Vec3.from_any(np.array([q, 1, 0], dtype=object)).x is q
    assert Vec3(q, 1, 2).to_array().dtype == object
    assert all(isinstance(entry, Expr) for entry in Vec3(q, 1, 2).to_array())


def test_items_and_iteration():
    a = Vec3(1.0, 2.0, 3.0)
    assert list(a) == [1.0, 2.0, 3.0]
    assert (a[0], a[-1], len(a)) == (1.0, 3.0, 3)
    assert np.array_equal(np.asarray(a), [1.0, 2.0, 3.0])


def test_a_vector_never_changes():
    a = Vec3(1.0, 2.0, 3.0)
    with pytest.raises(AttributeError, match="never changes"):
        a.x = 5.0
    with pytest.raises(AttributeError):
        del a.x
    with pytest.raises(AttributeError):
        a.name = "a"


def test_values_are_equal_by_value_and_can_be_copied_hashed_and_pickled():
    a = Motor((1.0, 2.0, 3.0), (4.0, 5.0, 6.0))
    assert pickle.loads(pickle.dumps(a)) == a
    assert copy.deepcopy(a) == copy.copy(a) == a
    assert len({a, Motor((1, 2, 3), (4, 5, 6))}) == 1
    assert a != Motor((1.0, 2.0, 3.0), (4.0, 5.0, 7.0))
    assert Vec3(np.ones(2), 0.0, 0.0) == Vec3(np.ones(2), 0.0, 0.0)
    assert Vec3(1, 2, 3) != (1, 2, 3)


def test_products_with_numpy_scalars_and_arrays_are_vectors():
    a = Vec3(1.0, 2.0, 3.0)
    assert np.float64(2.0) * a == Vec3(2.0, 4.0, 6.0)
    assert (np.array([1.0, 2.0]) * a).y.tolist() == [2.0, 4.0]
    assert Fraction(1, 2) * Vec3(2, 4, 6) == Vec3(1, 2, 3)
    assert symbol("k") * Vec3(0, 1, 2) == Vec3(ZERO, symbol("k"), 2 * symbol("k"))


@pytest.mark.parametrize("value", [vector("a"), matrix("m"), motor("h"), dyad("t"), quaternion("q"), inertia("i")])
def test_exact_zeros_and_ones_as_factors(value):
    assert all(component is ZERO for component in (value * ZERO).components())
    assert all(component is ZERO for component in (ZERO * value).components())
    assert type(value * ZERO) is type(value)
    assert value * ONE == value == value / ONE
    assert value + value * ZERO == value


def test_wrong_products_and_sums_are_refused_with_a_remedy():
    a = Vec3(1.0, 2.0, 3.0)
    with refused("operands-incompatible") as caught:
        a * a
    assert "dot" in caught.value.remedy
    with refused("operands-incompatible"):
        a + Mat3.identity()
    for wrong in ("2", [2.0], None):
        with pytest.raises(TypeError):
            a * wrong
        with pytest.raises(TypeError):
            a + wrong


def test_the_zero_vector_has_no_direction():
    for nothing in (Vec3.zero(), Vec3.zero().symbolic(), Vec3(np.array([1.0, 0.0]), 0.0, 0.0)):
        with refused("division-by-zero"):
            nothing.unit()


def test_batches_from_arrays():
    rows = np.random.default_rng(1).normal(size=(4, 5, 3))
    batch = Vec3.from_batch(rows)
    assert batch.x.shape == (4, 5)
    assert np.array_equal(batch.to_array(), rows)
    assert np.allclose(batch.norm(), np.linalg.norm(rows, axis=-1))
    for wrong in (np.ones(3), np.ones((3, 2))):
        with pytest.raises(ShapeError):
            Vec3.from_batch(wrong)


def test_components_can_be_mapped_evaluated_and_replaced():
    x, y = symbols("x y")
    a = Vec3(x, x * y, 2)
    assert a.map(lambda c: c + 1) == Vec3(x + 1, x * y + 1, 3)
    assert a.evaluate({x: 2.0, y: 3.0}) == Vec3(2.0, 6.0, 2)
    assert a.substitute({x: y}) == Vec3(y, y * y, constant(2))
    assert a.evaluate({x: np.array([1.0, 2.0]), y: 3.0}).y.tolist() == [3.0, 6.0]


def test_functions_answer_in_the_kind_of_their_argument():
    x = symbol("x")
    for function, name in ((sin, "sin"), (cos, "cos"), (sqrt, "sqrt")):
        assert type(function(0.25)) is float
        assert np.array_equal(function(np.array([0.25, 0.5])), getattr(np, name)([0.25, 0.5]))
        assert function(x).op == name
        assert isinstance(function(0.25 + 1e-20j), complex)
        assert isinstance(function(constant(0.25)), Constant)
    assert atan2(np.array([1.0]), 1.0).shape == (1,)
    assert where(np.array([True, False]), 1.0, 2.0).tolist() == [1.0, 2.0]
    assert where(x < 0, 1.0, 2.0).op == "where"
    assert where(np.bool_(False), 1.0, 2.0) == 2.0
    assert stacked([x, 1.0, 2.0, 3.0], 2, 2).shape == (2, 2)
