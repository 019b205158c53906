import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.spatial.transform import Rotation as Reference
from tests.refusal import refused

from multibody.algebra import Mat3, Rotation, Vec3, angle_rate_matrix, angular_velocity_matrix
from multibody.errors import ConversionError
from multibody.graph import symbols

from .samples import SEQUENCES, angles, close, proved

BOTH = [*SEQUENCES, *(sequence.upper() for sequence in SEQUENCES)]
sequences = st.sampled_from(BOTH)
triples = st.tuples(angles, angles, angles)


@settings(max_examples=50)
@given(sequences, triples)
def test_rotations_agree_with_scipy(sequence, values):
    theirs = Reference.from_euler(sequence.swapcase(), values)  # SciPy writes intrinsic sequences in capital letters
    R = Rotation.euler(sequence, values)
    assert np.allclose(R.to_array(), theirs.as_matrix(), rtol=0, atol=2e-15)
    assert close(Rotation.euler(sequence, R.angles(sequence)), R, 4e-15)


@settings(max_examples=50)
@given(sequences, triples)
def test_angles_agree_with_scipy(sequence, values):
    R = Rotation.euler(sequence, values)
    first, middle, last = R.angles(sequence)
    proper = sequence[0] == sequence[2]
    assert (0 <= middle <= math.pi) if proper else (-math.pi / 2 <= middle <= math.pi / 2)
    if abs(math.sin(middle) if proper else math.cos(middle)) > 1e-3:  # SciPy gives up earlier near gimbal lock
        theirs = Reference.from_matrix(R.to_array()).as_euler(sequence.swapcase())
        assert np.allclose(np.exp(1j * np.array([first, middle, last])), np.exp(1j * theirs), atol=1e-10)


@pytest.mark.parametrize("sequence", BOTH)
def test_angles_give_the_rotation_back_in_and_near_gimbal_lock(sequence):
    proper = sequence[0] == sequence[2]
    locks = (0.0, math.pi) if proper else (math.pi / 2, -math.pi / 2)
    distances = (0.0, 1e-16, -1e-16, 1e-15, 1e-14, -1e-14, 1e-12, 1e-9, 1e-7, 1e-5)
    for lock, distance, outer in itertools.product(
        locks, distances, ((0.3, -1.1), (0.0, 0.0), (2.0, 2.5), (-3.0, 3.0))
    ):
        R = Rotation.euler(sequence, (outer[0], lock + distance, outer[1]))
        found = R.angles(sequence)
        assert close(Rotation.euler(sequence, found), R, 3e-14)
        assert (0 <= found[1] <= math.pi) if proper else (abs(found[1]) <= math.pi / 2)
        if distance == 0.0:
            assert abs(found[0 if sequence.isupper() else 2]) < 1e-14  # the last intrinsic angle


def test_gimbal_lock_in_a_batch():
    middles = np.array([0.0, math.pi / 2, 0.5, -math.pi / 2])
    R = Rotation.euler("xyz", (0.3, middles, 0.4))
    assert close(Rotation.euler("xyz", R.angles("xyz")), R, 1e-14)


@pytest.mark.parametrize("sequence", BOTH)
def test_symbolic_angles(sequence):
    q = symbols("a b c")
    R = Rotation.euler(sequence, q)
    assert proved(R.to_matrix() @ R.to_matrix().transposed(), Mat3.identity().symbolic())
    values = dict(zip(q, (0.3, 0.4, -0.5), strict=True))
    found = Vec3(*R.angles(sequence)).evaluate(values)
    assert close(found, Vec3(*Rotation.euler(sequence, (0.3, 0.4, -0.5)).angles(sequence)), 1e-14)


@pytest.mark.parametrize("sequence", BOTH)
def test_angular_velocity_by_proof(sequence):
    """The cross product matrix of ω_A is Ṙ·Rᵀ, that of ω_B is Rᵀ·Ṙ."""
    q, u = symbols("a b c", "coordinate"), symbols("u v w", "speed")
    R = Rotation.euler(sequence, q).to_matrix()
    R_dot = R.time_derivative(dict(zip(q, u, strict=True)))
    in_body = angular_velocity_matrix(sequence, q) @ Vec3(*u)
    in_parent = angular_velocity_matrix(sequence, q, "parent") @ Vec3(*u)
    assert proved(Mat3.cross_matrix(in_body), R.transposed() @ R_dot)
    assert proved(Mat3.cross_matrix(in_parent), R_dot @ R.transposed())
    for frame in ("body", "parent"):
        H, G = angular_velocity_matrix(sequence, q, frame), angle_rate_matrix(sequence, q, frame)
        assert proved(H @ G, Mat3.identity().symbolic())
        assert proved(G @ H, Mat3.identity().symbolic())


@settings(max_examples=50)
@given(sequences, triples, st.sampled_from(["body", "parent"]))
def test_angle_rates_by_number(sequence, values, frame):
    b = values[1]
    if abs(math.sin(b) if sequence[0] == sequence[2] else math.cos(b)) > 1e-3:
        H, G = angular_velocity_matrix(sequence, values, frame), angle_rate_matrix(sequence, values, frame)
        assert close(H @ G, Mat3.identity(), 1e-12)


@pytest.mark.parametrize("frame", ["body", "parent"])
def test_rates_are_refused_in_gimbal_lock(frame):
    for sequence, middle in (("zxz", 0.0), ("xyz", math.pi / 2), ("ZYX", -math.pi / 2), ("XYX", math.pi)):
        with refused("division-by-zero"):
            angle_rate_matrix(sequence, (0.1, middle, 0.2), frame)
        with refused("division-by-zero"):
            angle_rate_matrix(sequence, (0.1, np.array([0.7, middle]), 0.2), frame)
        assert close(angular_velocity_matrix(sequence, (0.1, middle, 0.2), frame).determinant(), 0.0, 1e-15)


@pytest.mark.parametrize("wrong", ["xx", "xyzx", "xxy", "xyy", "abc", "xYz", "", None, 123, "xyZ", "ẋyz"])
def test_other_sequences_are_refused(wrong):
    with pytest.raises(ConversionError) as caught:
        Rotation.euler(wrong, (0.0, 0.0, 0.0))
    assert "zxz" in caught.value.remedy


def test_three_angles_are_needed_and_a_known_frame():
    with refused("array-wrong-shape"):
        Rotation.euler("xyz", (0.1, 0.2))
    with refused("option-unknown"):
        angular_velocity_matrix("xyz", (0.1, 0.2, 0.3), "world")
