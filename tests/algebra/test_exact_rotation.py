import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.spatial.transform import Rotation as Reference
from tests.refusal import refused

from multibody.algebra import Mat3, Rotation, Vec3, exact_rotation
from multibody.errors import ShapeError
from multibody.graph import Constant, is_zero, symbol

from .samples import SEQUENCES, angles, rotations

SIGNED_PERMUTATIONS = [
    matrix
    for order in itertools.permutations(range(3))
    for signs in itertools.product((1, -1), repeat=3)
    if np.linalg.det(matrix := np.eye(3)[list(order)] * np.array(signs)[:, None]) > 0
]


def _check(matrix, tolerance=0.0, within=1e-15):
    """The exact rotation, after checking that it is exactly orthogonal and near the matrix."""
    R = exact_rotation(matrix, tolerance)
    cosines = R.to_matrix()
    assert cosines == Mat3.identity() or all(isinstance(entry, Constant) for entry in cosines.components())
    residual = cosines @ cosines.transposed() - Mat3.identity()
    assert all(is_zero(entry, points=2) for entry in residual.components())
    assert is_zero(cosines.determinant() - 1, points=2)
    assert np.max(np.abs(cosines.map(float).to_array() - matrix)) <= within
    return R


def test_signed_permutations_become_integers():
    assert len(SIGNED_PERMUTATIONS) == 24
    for matrix in SIGNED_PERMUTATIONS:
        noise = np.random.default_rng(5).uniform(-2e-16, 2e-16, (3, 3))
        for given_ in (matrix, matrix + noise):
            R = _check(given_)
            assert [int(entry) for entry in R.to_matrix().map(float).components()] == matrix.ravel().tolist()
            assert all(isinstance(number(entry), int) for entry in R.to_matrix().components())


def number(entry):
    return entry.value if isinstance(entry, Constant) else int(entry)


@settings(max_examples=50)
@given(st.sampled_from("xyz"), angles)
def test_a_turn_about_a_coordinate_axis_stays_one(axis, angle):
    matrix = Reference.from_euler(axis, angle).as_matrix()
    R = _check(matrix)
    assert R.axis == axis or np.max(np.abs(matrix - np.round(matrix))) <= 1e-15


@pytest.mark.parametrize("k", range(-4, 5))
def test_multiples_of_a_quarter_turn(k):
    R = _check(Reference.from_euler("x", k * math.pi / 2).as_matrix())
    assert set(map(number, R.to_matrix().components())) <= {-1, 0, 1}


@settings(max_examples=50)
@given(st.sampled_from([*itertools.permutations("xyz", 2)]), angles, angles)
def test_two_turns_keep_their_zero(axes, a, b):
    first, second = (Reference.from_euler(axis, angle).as_matrix() for axis, angle in zip(axes, (a, b), strict=True))
    matrix = first @ second
    exact = _check(matrix).to_matrix().components()
    assert any(number(entry) == 0 for entry, given_ in zip(exact, matrix.ravel(), strict=True) if given_ == 0)


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_three_turns_with_a_quarter_turn_between(sequence):
    for a, b, c in ((0.3, math.pi / 2, -1.2), (0.3, 0.0, 2.0), (math.pi / 2, 0.4, 0.7), (1.0, math.pi, 3.0)):
        _check(Reference.from_euler(sequence, (a, b, c)).as_matrix())


@settings(max_examples=50)
@given(rotations)
def test_any_rotation(R):
    _check(R.to_array())


def test_many_random_rotations():
    for matrix in Reference.random(100, rng=3).as_matrix():
        _check(matrix)


def test_an_entry_on_the_edge_of_rounding():
    rng = np.random.default_rng(8)
    for a, b, c in rng.uniform((-3, 2e-16, -3), (3, 2e-15, 3), (100, 3)):
        _check(Reference.from_euler("XYZ", (a, b, c)).as_matrix())


def test_snapping_is_done_only_on_request():
    nearly = Reference.from_euler("x", 1.5708).as_matrix()  # a rounded π/2, as files have it
    assert set(map(number, _check(nearly).to_matrix().components())) != {-1, 0, 1}
    assert set(map(number, _check(nearly, 1e-5, 1e-5).to_matrix().components())) == {-1, 0, 1}
    tilted = Reference.from_euler("XYZ", (1.5708, 0.25, 3.14159)).as_matrix()
    snapped = _check(tilted, 1e-5, 2e-5).to_matrix()
    assert [number(entry) == 0 for entry in snapped.components()].count(True) == 4


def test_a_matrix_of_few_digits_becomes_the_nearest_rotation():
    good = Reference.random(rng=4).as_matrix()
    printed = np.round(good, 10)
    R = exact_rotation(printed)
    assert np.max(np.abs(R.map(float).to_array() - good)) < 2e-10


def test_exactness_survives_composition_and_application():
    R, S = (exact_rotation(matrix) for matrix in Reference.random(2, rng=5).as_matrix())
    q = symbol("q")
    v = Vec3(q, 1 + q, q * q)
    assert is_zero((R @ S @ v).dot(R @ S @ v) - v.dot(v))
    assert is_zero((R @ Rotation.about_x(q) @ v).norm() ** 2 - v.dot(v))


def test_anything_but_a_rotation_is_refused():
    with refused("matrix-not-a-rotation"):
        exact_rotation(np.eye(3) * 1.001)
    with refused("matrix-not-a-rotation"):
        exact_rotation(-np.eye(3))
    with pytest.raises(ShapeError):
        exact_rotation(np.eye(2))
