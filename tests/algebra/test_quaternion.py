import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.spatial.transform import Rotation as Reference, Slerp
from tests.refusal import refused

from multibody.algebra import Mat3, Quaternion, Rotation, Vec3
from multibody.graph import cos, is_zero, sin, symbols, topological
from multibody.graph.expr import ZERO

from .samples import close, proved, quaternion, quaternions, rotations, unit_quaternions, vector, vectors


def _theirs(q):
    return Reference.from_quat(q.components(), scalar_first=True)


@settings(max_examples=50)
@given(quaternions, quaternions, vectors)
def test_rotations_agree_with_scipy(p, q, v):
    assert np.allclose(q.to_rotation().to_array(), _theirs(q).as_matrix(), rtol=0, atol=1e-14)
    assert np.allclose((p * q).to_rotation().to_array(), (_theirs(p) * _theirs(q)).as_matrix(), rtol=0, atol=1e-13)
    assert np.allclose((q.to_rotation() @ v).to_array(), _theirs(q).apply(v), atol=1e-12)
    assert close(q.unit().to_rotation(unit=True), q.to_rotation(), 1e-14)


@settings(max_examples=50)
@given(unit_quaternions)
def test_there_and_back(q):
    back = Quaternion.from_rotation(q.to_rotation())
    assert back.w >= 0
    assert close(back, q, 4e-15) or close(back, -q, 4e-15)


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1), (-1, 2, 0), (0, -1, 1e-3), (1e-9, 1, 0)])
@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-6, 1.0, 2.0, 2.2, 3.0, math.pi - 1e-9, math.pi, math.pi + 1e-9, 4.0])
def test_all_traces_and_axes(axis, angle):
    R = Rotation.about(Vec3.from_any(axis) * 1.0, angle)
    q = R.to_quaternion()
    assert close(q.norm(), 1.0, 4e-16)
    assert close(q.to_rotation(), R, 1e-15)
    theirs = Reference.from_matrix(R.to_array()).as_quat(scalar_first=True)
    assert np.allclose(np.outer(q.components(), q.components()), np.outer(theirs, theirs), atol=1e-14)


def test_the_quaternion_of_a_turn_has_no_needless_branches():
    q = Rotation.about_z(symbols("a")[0]).to_quaternion()
    assert (q.x, q.y) == (ZERO, ZERO)
    assert len({node.args[0] for node in topological([q.w, q.z]) if node.op == "where"}) == 2  # larger one, and sign


def test_laws_of_quaternions():
    p, q, r = quaternion("p"), quaternion("q"), quaternion("r")
    assert proved((p * q) * r, p * (q * r))
    assert proved((p * q).conjugate(), q.conjugate() * p.conjugate())
    assert is_zero((p * q).dot(p * q) - p.dot(p) * q.dot(q))
    assert proved((p * q).to_rotation(), p.to_rotation() @ q.to_rotation())
    assert proved(q.conjugate().to_rotation(), q.to_rotation().inverse())
    R = q.to_rotation().to_matrix()
    assert proved(R @ R.transposed(), Mat3.identity().symbolic())
    v = vector("v")
    turned = q * Quaternion.from_parts(0 * v.x, v) * q.conjugate()
    assert proved(turned.vector / q.dot(q), q.to_rotation() @ v)
    assert proved(p * 2 + p, 3 * p)


def test_a_quaternion_of_length_one_is_not_divided():
    (a,) = symbols("a")
    q = Quaternion(cos(a), sin(a), 0, 0).symbolic()
    assert proved(q.to_rotation().to_matrix(), Rotation.about_x(2 * a).to_matrix())


def test_rates_by_proof():
    """q̇ = ½·q∘ω_B, and ω is that of the rotation."""
    names = symbols("q_w q_x q_y q_z", "coordinate")
    q, w = Quaternion(*names), vector("w")
    for frame in ("body", "parent"):
        rate = q.rate(w, frame)
        assert proved(q.angular_velocity(rate, frame), w)
        R = q.to_rotation().to_matrix()
        R_dot = R.time_derivative(dict(zip(names, rate.components(), strict=True)))
        spin = R.transposed() @ R_dot if frame == "body" else R_dot @ R.transposed()
        assert proved(spin, Mat3.cross_matrix(w))
        assert is_zero(q.dot(rate))  # the length stays
    w_A = q.to_rotation() @ w
    assert proved(q.rate(w_A, "parent"), q.rate(w, "body"))
    with refused("option-unknown"):
        q.rate(w, "world")


@settings(max_examples=50)
@given(unit_quaternions, unit_quaternions, st.floats(0, 1))
def test_slerp_agrees_with_scipy(p, q, t):
    ours = p.slerp(q, t)
    if abs(p.dot(q)) > 1e-6:  # half a turn can go either way
        theirs = Slerp([0, 1], Reference.concatenate([_theirs(p), _theirs(q)]))(t).as_matrix()
        assert np.allclose(ours.to_rotation().to_array(), theirs, rtol=0, atol=1e-9)
    assert close(ours.norm(), 1.0, 1e-14)
    assert close(p.slerp(q, 0.0), p, 1e-14)
    assert close(p.slerp(q, 1.0).to_rotation(), q.to_rotation(), 1e-13)


@settings(max_examples=50)
@given(rotations)
def test_logarithm_of_rotation_and_quaternion_agree(R):
    assert close(Rotation.exp(R.to_quaternion().log()), R, 4e-15)


def test_exponential_at_zero():
    assert Quaternion.exp(Vec3.zero()) == Quaternion.identity()
    assert Quaternion.exp(Vec3.zero().symbolic()).w == 1
    assert Quaternion.identity().log() == Vec3.zero()


def test_exponential_and_logarithm_of_batches():
    lengths = np.array([0.0, 1e-200, 1e-9, 1e-3, 0.019, 0.021, 1.0, 3.1, math.pi])
    v = Vec3(0.6 * lengths, 0.8 * lengths, 0.0)
    q = Quaternion.exp(v)
    assert close(q.log(), v, 1e-15)
    assert np.allclose(q.w, np.cos(lengths / 2), atol=1e-16)
    assert close(Rotation.exp(v).to_quaternion(), q, 1e-15)


def test_length_zero_is_refused():
    for nothing in (
        Quaternion(0, 0, 0, 0),
        Quaternion(0, 0, 0, 0).symbolic(),
        Quaternion(np.array([0.0, 1.0]), 0, 0, 0),
    ):
        for use in (Quaternion.unit, Quaternion.to_matrix, Quaternion.to_rotation):
            with refused("division-by-zero"):
                use(nothing)
