"""Transforms X_AB, which map B-coordinates to A-coordinates: of points, vectors, motors, dyads and inertias."""

from __future__ import annotations

from typing import Any, Protocol, Self, TypeVar, overload

from multibody.algebra.rotation import Rotation
from multibody.algebra.scalar import stacked
from multibody.algebra.value import Value, set_once
from multibody.algebra.vectors import Vec3, VectorLike
from multibody.errors import ConversionError


class Spatial(Protocol):
    """Whatever has coordinates with respect to the axes and the origin of a frame: motor, motor dyad, inertia."""

    def rotated(self, rotation: Rotation) -> Self:
        """The same in A-coordinates, for R_AB and a common origin."""

    def referred_to(self, point: VectorLike) -> Self:
        """The same with another point as origin."""


Thing = TypeVar("Thing", bound=Spatial)


class Transform(Value):
    """X_AB = (R_AB, p_AB_A): the point x_B is at x_A = R_AB·x_B + p_AB_A.

    A is the parent, B the child. Everything goes both ways: ``…to_parent`` takes B-coordinates to A, ``…to_child``
    takes A-coordinates to B. All motors (velocity, acceleration, force, momentum) are transformed by one rule.

    Example:
        >>> X_AB = Transform(Rotation.identity(), Vec3(1.0, 0.0, 0.0))
        >>> X_AB.point_to_parent((0.0, 2.0, 0.0))
        Vec3(1.0, 2.0, 0.0)
    """

    __slots__ = ("position", "rotation")
    _fields = ("rotation", "position")
    rotation: Rotation
    position: Vec3

    def __init__(self, rotation: Rotation, position: VectorLike = (0.0, 0.0, 0.0)) -> None:
        if not isinstance(rotation, Rotation):
            raise ConversionError(
                f"A {type(rotation).__name__} is not a rotation.",
                code="value-not-a-rotation",
                where=repr(rotation)[:200],
                remedy="Make one of it: Rotation.matrix(…), Rotation.euler(…), Rotation.about(…).",
                value=type(rotation).__name__,
            )
        set_once(self, "rotation", rotation)
        set_once(self, "position", Vec3.from_any(position, what="position"))

    @classmethod
    def identity(cls) -> Self:
        """A and B are the same frame."""
        return cls(Rotation.identity(), Vec3.zero())

    @classmethod
    def translation(cls, position: VectorLike) -> Self:
        """A and B have parallel axes."""
        return cls(Rotation.identity(), position)

    def inverse(self) -> Transform:
        """X_BA."""
        return Transform(self.rotation.inverse(), -self.rotation.apply_inverse(self.position))

    # points and vectors ------------------------------------------------------------------------------------------

    def point_to_parent(self, point: VectorLike) -> Vec3:
        """The point x_A = R·x_B + p."""
        return self.rotation.apply(point) + self.position

    def point_to_child(self, point: VectorLike) -> Vec3:
        """The point x_B = Rᵀ·(x_A - p)."""
        return self.rotation.apply_inverse(Vec3.from_any(point) - self.position)

    def vector_to_parent(self, vector: VectorLike) -> Vec3:
        """The vector v_A = R·v_B."""
        return self.rotation.apply(vector)

    def vector_to_child(self, vector: VectorLike) -> Vec3:
        """The vector v_B = Rᵀ·v_A."""
        return self.rotation.apply_inverse(vector)

    # motors, motor dyads, inertias -------------------------------------------------------------------------------

    def to_parent(self, thing: Thing) -> Thing:
        """A motor, motor dyad or inertia in A, from B: for a motor (R·g, R·h + p × R·g), section 2.1.4 backwards.

        Example:
            >>> from multibody.algebra import ForceMotor
            >>> X_AB = Transform.translation((1.0, 0.0, 0.0))
            >>> X_AB.to_parent(ForceMotor((0.0, 1.0, 0.0), (0.0, 0.0, 0.0))).moment
            Vec3(0.0, 0.0, 1.0)
        """
        return thing.rotated(self.rotation).referred_to(-self.position)

    def to_child(self, thing: Thing) -> Thing:
        """A motor, motor dyad or inertia in B, from A: for a motor (Rᵀ·g, Rᵀ·(h - p × g)), section 2.1.4."""
        return thing.referred_to(self.position).rotated(self.rotation.inverse())

    @overload
    def __matmul__(self, other: Transform) -> Transform: ...

    @overload
    def __matmul__(self, other: Thing) -> Thing: ...

    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, Transform):
            return Transform(self.rotation @ other.rotation, self.point_to_parent(other.position))
        if isinstance(other, Vec3):
            raise ConversionError(
                "A transform and a Vec3 have no product '@'.",
                code="operands-incompatible",
                cause="It cannot be seen whether the vector is the position of a point or a free vector.",
                remedy="Write X.point_to_parent(p) or X.vector_to_parent(v).",
            )
        return self.to_parent(other) if hasattr(other, "referred_to") else NotImplemented

    def entries(self) -> list[Any]:
        """The entries of the rotation matrix, row by row, and of the position: the same for equal transforms."""
        return [*self.rotation.to_matrix().components(), *self.position]

    def to_array(self) -> Any:
        """The homogeneous 4×4 matrix; a batch keeps its own dimensions in front."""
        rows = zip(self.rotation.to_matrix().rows, self.position, strict=True)
        entries = [entry for row, offset in rows for entry in (*row, offset)]
        return stacked([*entries, 0.0, 0.0, 0.0, 1.0], 4, 4)
