import numpy as np
import pytest
from hypothesis import given, settings
from tests.refusal import refused

from multibody.algebra import Dyadic, Mat3, Rotation, Symmetric3, Vec3
from multibody.errors import ConversionError, NumberError, ShapeError
from multibody.graph import symbols

from .samples import close, matrices, matrix, numbers, proved, rotations, symmetric_matrices, vector, vectors


def _agree(value, array):
    return np.allclose(value.to_array(), array, rtol=1e-10, atol=1e-10)


@settings(max_examples=50)
@given(matrices, matrices, vectors, numbers)
def test_matrices_agree_with_numpy(a, b, v, s):
    A, B, x = a.to_array(), b.to_array(), v.to_array()
    assert _agree(a + b * s, A + s * B)
    assert _agree(a - b, A - B)
    assert _agree(a @ b, A @ B)
    assert _agree(a @ v, A @ x)
    assert _agree(a.apply_transposed(v), A.T @ x)
    assert _agree(a.transposed(), A.T)
    assert close(a.trace(), np.trace(A))
    assert close(a.determinant(), np.linalg.det(A))
    assert a[1, 2] == A[1, 2]
    assert np.array_equal(Mat3.from_any(A).to_array(), A)


def test_laws_of_matrices():
    a, b, v = matrix("a"), matrix("b"), vector("v")
    assert proved((a @ b).transposed(), b.transposed() @ a.transposed())
    assert proved((a @ b).determinant(), a.determinant() * b.determinant())
    assert proved(a @ a.inverse(), Mat3.identity().symbolic())
    assert proved(Mat3.cross_matrix(v) @ vector("w"), v.cross(vector("w")))


@settings(max_examples=50)
@given(symmetric_matrices, vectors, rotations)
def test_symmetric_matrices_agree_with_general_ones(s, v, R):
    full = s.to_mat3()
    assert full == full.transposed()
    assert s @ v == full @ v
    assert s.trace() == full.trace()
    turned = R.to_matrix() @ full @ R.to_matrix().transposed()
    assert close(R.turn_symmetric(s).to_mat3(), turned)
    assert close(R.turn_matrix(full), turned)
    assert Symmetric3.from_any(full) == s


@pytest.mark.parametrize("make", [Rotation.about_x, Rotation.about_y, Rotation.about_z, Rotation.exp])
def test_turned_tensors_by_proof(make):
    R = make(vector("r") if make == Rotation.exp else symbols("q")[0])
    s = Symmetric3(*symbols("xx yy zz xy xz yz"))
    cosines = R.to_matrix()
    turned = cosines @ s.to_mat3() @ cosines.transposed()
    assert proved(R.turn_symmetric(s).to_mat3(), turned)
    assert proved(R.turn_matrix(matrix("m")), cosines @ matrix("m") @ cosines.transposed())


@settings(max_examples=50)
@given(vectors, vectors)
def test_moment_and_square(a, b):
    x, y = a.to_array(), b.to_array()
    assert _agree(Symmetric3.moment(a, b), x @ y * np.eye(3) - (np.outer(x, y) + np.outer(y, x)) / 2)
    assert _agree(Symmetric3.square(a), np.outer(a, a))


def test_asymmetry_beyond_rounding_is_refused():
    rounded = [[1.0, 0.5, 0.0], [0.5 + 1e-12, 2.0, 0.0], [0.0, 0.0, 3.0]]
    assert Symmetric3.from_any(rounded).xy == (0.5 + (0.5 + 1e-12)) / 2
    with refused("matrix-not-symmetric"):
        Symmetric3.from_any([[1.0, 0.5, 0.0], [0.4, 2.0, 0.0], [0.0, 0.0, 3.0]])
    a, b = symbols("a b")
    assert Symmetric3.from_any([[1, a + b, 0], [b + a, 2, 0], [0, 0, 3]]).xy is a + b
    with pytest.raises(NumberError):
        Symmetric3.from_any([[1, a, 0], [b, 2, 0], [0, 0, 3]])
    with pytest.raises(ShapeError) as caught:
        Symmetric3.from_any([1.0, 2.0, 3.0])
    assert "diagonal" in caught.value.remedy


@pytest.mark.parametrize("wrong", [[[1, 2, 3]] * 2, [[1, 2]] * 3, [1, 2, 3], np.eye(4), "abc", 5, np.ones((2, 3, 3))])
def test_other_shapes_are_refused(wrong):
    with pytest.raises(ShapeError):
        Mat3.from_any(wrong)


def test_rows_are_read_and_singular_matrices_refused():
    assert Mat3((1, 2, 3), [4, 5, 6], np.array([7, 8, 9])) @ Vec3(1, 0, 0) == Vec3(1, 4, 7)
    assert Mat3.from_any(Symmetric3(1, 2, 3, 4, 5, 6)) == Mat3((1, 4, 5), (4, 2, 6), (5, 6, 3))
    with refused("array-wrong-shape"):
        Mat3((1, 2), (4, 5, 6), (7, 8, 9))
    (s,) = symbols("s")
    for singular in (
        Mat3((1.0, 2.0, 3.0), (2.0, 4.0, 6.0), (0.0, 1.0, 0.0)),
        Mat3((s, 1, 0), (2 * s, 2, 0), (0, 0, 1)),
    ):
        with refused("division-by-zero"):
            singular.inverse()


def test_batches_of_matrices():
    arrays = np.random.default_rng(2).normal(size=(5, 3, 3))
    batch = Mat3.from_batch(arrays)
    assert np.array_equal(batch.to_array(), arrays)
    assert np.allclose((batch @ batch).to_array(), arrays @ arrays)
    with pytest.raises(ShapeError):
        Mat3.from_batch(np.eye(3))
    with pytest.raises(ShapeError):
        Mat3.from_batch(np.ones((2, 3, 2)))


def test_dyadics_follow_the_definitions_on_dyads():
    a, b, c, d, v = (vector(name) for name in "abcdv")
    ab, cd = Dyadic.outer(a, b), Dyadic.outer(c, d)
    assert proved(ab.dot(v), a * b.dot(v))
    assert proved(ab.left_dot(v), b * a.dot(v))
    assert proved(ab.cross(v), Dyadic.outer(a, b.cross(v)))
    assert proved(ab.left_cross(v), Dyadic.outer(v.cross(a), b))
    assert proved(ab.product(cd), Dyadic.outer(a, d) * b.dot(c))
    assert proved(ab.double_dot(cd), a.dot(c) * b.dot(d))
    assert proved(ab.transposed(), Dyadic.outer(b, a))
    assert proved(ab.trace(), a.dot(b))
    assert proved(ab.vector(), a.cross(b))
    assert proved(ab & v, ab.dot(v))
    assert proved(v & ab, ab.left_dot(v))
    assert proved(ab & cd, ab.product(cd))
    assert proved(ab ^ v, ab.cross(v))
    assert proved(v ^ ab, ab.left_cross(v))
    assert proved((Dyadic.unit().symbolic() & v), v)
    assert proved(ab.rotated(Rotation.about_y(symbols("q")[0])).trace(), a.dot(b))


def test_dyadics_agree_with_sympy():
    from sympy.physics.mechanics import ReferenceFrame, inertia

    N = ReferenceFrame("N")
    theirs = inertia(N, 1, 2, 3, 4, 5, 6)
    ours = Dyadic.of_inertia(1, 2, 3, 4, 5, 6)
    w = N.x + 2 * N.y - N.z
    assert list(theirs.dot(w).to_matrix(N)) == list(ours.dot(Vec3(1, 2, -1)))
    assert list(w.dot(theirs).to_matrix(N)) == list(ours.left_dot(Vec3(1, 2, -1)))
    crossed = w.cross(theirs).to_matrix(N)
    assert np.array_equal(np.array(crossed, dtype=float), ours.left_cross(Vec3(1, 2, -1)).to_array())


def test_wrong_products_are_refused():
    with pytest.raises(ConversionError):
        Mat3.identity() * Mat3.identity()
    with pytest.raises(TypeError):
        Mat3.identity() @ 2.0
    with pytest.raises(TypeError):
        Dyadic.unit() & 2.0
