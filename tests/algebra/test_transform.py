import numpy as np
import pytest
from hypothesis import given, settings
from tests.refusal import refused

from multibody.algebra import Rotation, Transform, Vec3
from multibody.errors import ConversionError
from multibody.graph import symbol

from .samples import close, proved, transform, transforms, vector, vectors


@settings(max_examples=50)
@given(transforms, transforms, vectors)
def test_transforms_agree_with_homogeneous_matrices(X, Y, p):
    A, B, x = X.to_array(), Y.to_array(), np.array([*p, 1.0])
    assert np.allclose((X @ Y).to_array(), A @ B, atol=1e-12)
    assert np.allclose(X.inverse().to_array(), np.linalg.inv(A), atol=1e-12)
    assert np.allclose(X.point_to_parent(p).to_array(), (A @ x)[:3], atol=1e-12)
    assert close(X.point_to_child(X.point_to_parent(p)), p)
    assert close(X.vector_to_child(X.vector_to_parent(p)), p)
    assert close(X.vector_to_parent(p), X.rotation @ p)


def test_laws_by_proof():
    X, Y, Z, p, q = transform("X"), transform("Y"), transform("Z"), vector("p"), vector("q")
    assert proved((X @ Y) @ Z, X @ (Y @ Z))
    assert proved((X @ Y).inverse(), Y.inverse() @ X.inverse())
    assert proved((X @ Y).point_to_parent(p), X.point_to_parent(Y.point_to_parent(p)))
    assert proved(X.point_to_child(X.point_to_parent(p)), p)
    assert proved(X.inverse().point_to_parent(p), X.point_to_child(p))
    distance = X.point_to_parent(p) - X.point_to_parent(q)
    assert proved(distance.dot(distance), (p - q).dot(p - q))
    assert proved(
        X @ X.inverse(), Transform(Rotation.matrix(Rotation.identity().to_matrix().symbolic()), vector("o") * 0)
    )


def test_identity_and_translation():
    X, p = transform("X"), vector("p")
    assert Transform.identity() @ X == Transform(X.rotation, X.position)
    assert Transform.translation(p).point_to_parent(Vec3.zero().symbolic()) == p
    assert Transform(Rotation.about_x(symbol("q"))).position == Vec3.zero()


@pytest.mark.parametrize("wrong", [np.eye(3), [[1, 0, 0], [0, 1, 0], [0, 0, 1]], None, 0.5])
def test_a_matrix_is_not_a_rotation_yet(wrong):
    with refused("value-not-a-rotation") as caught:
        Transform(wrong, (1, 2, 3))
    assert "Rotation.matrix" in caught.value.remedy


def test_a_vector_alone_is_ambiguous():
    with pytest.raises(ConversionError) as caught:
        Transform.identity() @ Vec3.zero()
    assert "point_to_parent" in caught.value.remedy
    with pytest.raises(TypeError):
        Transform.identity() @ 3.0
    with refused("array-wrong-shape"):
        Transform(Rotation.identity(), (1, 2))
