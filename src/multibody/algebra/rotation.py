"""Rotations R_AB, which map B-coordinates to A-coordinates."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self, overload

import numpy as np

from multibody.algebra import euler
from multibody.algebra.direction import coordinate_axis, direction, named_axis
from multibody.algebra.mat3 import Mat3, MatrixLike
from multibody.algebra.quaternion import Quaternion
from multibody.algebra.rotation_forms import Form, Identity, Matrix, Turn, composed
from multibody.algebra.scalar import Scalar, atan2, cos, number_or_none, sin, times, zero_like
from multibody.algebra.symmetric3 import Symmetric3
from multibody.algebra.value import Value, set_once
from multibody.algebra.vec3 import Vec3, VectorLike
from multibody.errors import NumberError
from multibody.graph import Expr


class Rotation(Value):
    """R_AB: ``v_A = R_AB @ v_B`` and ``R_AC = R_AB @ R_BC``.

    Rotations about x, y and z know that they are: applying one costs 4 multiplications and 2 additions. ``Rotation(R)``
    with a 3×3 matrix of direction cosines is ``Rotation.matrix(R)``.

    Example:
        >>> from multibody.graph import symbol
        >>> R_AB = Rotation.about_z(symbol("q"))
        >>> R_AB @ Vec3(1, 0, 0)
        Vec3(cos(q), sin(q), 0)
    """

    __slots__ = ("form",)
    _fields = ("form",)
    form: Form

    def __init__(self, form: Form | MatrixLike) -> None:
        set_once(self, "form", form if isinstance(form, Form) else Rotation.matrix(form).form)

    # making one --------------------------------------------------------------------------------------------------

    @classmethod
    def identity(cls) -> Self:
        """No rotation; applying it costs nothing."""
        return cls(Identity())

    @classmethod
    def about_x(cls, angle: Scalar) -> Self:
        """The rotation about x."""
        return cls(euler.turn_by(0, angle))

    @classmethod
    def about_y(cls, angle: Scalar) -> Self:
        """The rotation about y."""
        return cls(euler.turn_by(1, angle))

    @classmethod
    def about_z(cls, angle: Scalar) -> Self:
        """The rotation about z."""
        return cls(euler.turn_by(2, angle))

    @classmethod
    def about(cls, axis: VectorLike | str, angle: Scalar) -> Self:
        """The rotation about any axis, which need not have length 1; about x, y or z at the lower price.

        Example:
            >>> Rotation.about([0, 0, -2], 0.5) == Rotation.about("-z", 0.5) == Rotation.about_z(-0.5)
            True
        """
        if isinstance(axis, str):
            index, sign = named_axis(axis)
            return cls(euler.turn_by(index, angle * sign))
        given = Vec3.from_any(axis, what="axis")
        along = coordinate_axis(given)
        if along is not None:
            return cls(euler.turn_by(along[0], angle * along[1]))
        n = direction(given.symbolic() if isinstance(angle, Expr) else given)
        c, s = cos(angle), sin(angle)
        by_sine = n * s
        rows = zip(
            n * (1 - c), Mat3.cross_matrix(by_sine).rows, Mat3.identity().map(lambda x: times(x, c)).rows, strict=True
        )
        return cls(Matrix(Mat3(*[n * x + cross + diagonal for x, cross, diagonal in rows])))

    @classmethod
    def euler(cls, sequence: str, angles: Iterable[Scalar]) -> Self:
        """Three turns: "zxz" (any of the 12 sequences) about moving axes, "ZXZ" about fixed axes; see ``euler``.

        Example:
            >>> Rotation.euler("xyz", (0.1, 0.2, 0.3)) == Rotation.euler("ZYX", (0.3, 0.2, 0.1))
            True
        """
        return cls(euler.form_of(sequence, angles))

    @classmethod
    def quaternion(cls, quaternion: Quaternion, *, unit: bool = False) -> Self:
        """The rotation of a quaternion; ``unit=True`` promises that its length is 1 and saves the division."""
        return cls(Matrix(quaternion.to_matrix(unit=unit)))

    @classmethod
    def matrix(cls, matrix: MatrixLike, *, tolerance: float = 1e-9) -> Self:
        """The rotation with these direction cosines; numbers are checked, expressions are trusted.

        Example:
            >>> Rotation.matrix([[1, 0, 0], [0, 1, 0], [0, 0, -1]])
            Traceback (most recent call last):
            multibody.errors.NumberError: The matrix is a reflection, not a rotation...
        """
        cosines = Mat3.from_any(matrix, what="rotation matrix")
        numbers = [number_or_none(entry) for entry in cosines.components()]
        if all(number is not None for number in numbers):
            _require_rotation(cosines.map(number_or_none).to_array(), tolerance)
        return cls(Matrix(cosines))

    @classmethod
    def exp(cls, rotation_vector: VectorLike) -> Self:
        """The rotation of a rotation vector: direction of the axis, length of the angle."""
        return cls.quaternion(Quaternion.exp(rotation_vector))

    # using it ----------------------------------------------------------------------------------------------------

    @overload
    def __matmul__(self, other: Vec3) -> Vec3: ...

    @overload
    def __matmul__(self, other: Rotation) -> Rotation: ...

    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, Vec3):
            return self.form.apply(other)
        return Rotation(composed(self.form, other.form)) if isinstance(other, Rotation) else NotImplemented

    def apply(self, vector: VectorLike) -> Vec3:
        """A vector in A-coordinates, from its B-coordinates."""
        return self.form.apply(Vec3.from_any(vector))

    def apply_inverse(self, vector: VectorLike) -> Vec3:
        """A vector in B-coordinates, from its A-coordinates."""
        return self.form.apply_inverse(Vec3.from_any(vector))

    def inverse(self) -> Rotation:
        """R_BA."""
        return Rotation(self.form.inverse())

    def turn_matrix(self, matrix: Mat3) -> Mat3:
        """R·M·Rᵀ: a tensor in A-coordinates, from its B-coordinates."""
        return self.form.turn_matrix(matrix)

    def turn_symmetric(self, matrix: Symmetric3) -> Symmetric3:
        """R·S·Rᵀ for a symmetric tensor."""
        return self.form.turn_symmetric(matrix)

    # looking at it -----------------------------------------------------------------------------------------------

    @property
    def axis(self) -> str | None:
        """'x', 'y' or 'z' for a rotation that is kept as a turn about this axis, otherwise None."""
        return "xyz"[self.form.axis] if isinstance(self.form, Turn) else None

    def to_matrix(self) -> Mat3:
        """The direction cosines."""
        return self.form.matrix()

    def to_quaternion(self) -> Quaternion:
        """The unit quaternion with w ≥ 0."""
        return Quaternion.from_matrix(self.to_matrix())

    def log(self) -> Vec3:
        """The rotation vector, of length at most π; ``exp`` gives the rotation back."""
        if isinstance(self.form, Turn):
            zero = zero_like(self.form.cosine)
            angle = atan2(self.form.sine, self.form.cosine)
            return Vec3(*(angle if index == self.form.axis else zero for index in range(3)))
        return self.to_quaternion().log()

    def angles(self, sequence: str) -> tuple[Scalar, Scalar, Scalar]:
        """The Euler or Cardan angles; ``euler`` gives the rotation back, in gimbal lock too."""
        return euler.angles_of(self.to_matrix(), sequence)

    def to_array(self) -> Any:
        """The direction cosines as an array of shape (3, 3); a batch keeps its own dimensions in front."""
        return self.to_matrix().to_array()


def _require_rotation(cosines: Any, tolerance: float) -> None:
    """An error unless the rows are orthonormal and right-handed."""
    defect = float(np.max(np.abs(cosines @ np.swapaxes(cosines, -1, -2) - np.eye(3))))
    remedy = "Check the entries; Rotation.about, euler or quaternion make rotations that are right by construction."
    if not defect <= tolerance:
        raise NumberError(
            "The matrix is not a rotation.",
            where=str(cosines.tolist())[:200],
            cause=f"Its rows are not orthonormal; the largest error is {defect:.1e}.",
            remedy=remedy,
        )
    if np.any(np.linalg.det(cosines) < 0):
        raise NumberError(
            "The matrix is a reflection, not a rotation.",
            where=str(cosines.tolist())[:200],
            cause="Its determinant is -1: the frame is left-handed.",
            remedy=remedy,
        )
