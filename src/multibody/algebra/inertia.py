"""The inertia of a rigid body: the motor dyad that maps its velocity to its momentum.

After Zaiczek and Enge-Rosenblatt, eq. (7).
"""

from __future__ import annotations

from typing import Any, Self, overload

import numpy as np
from numpy.typing import NDArray

from multibody.algebra.dyad import MotorDyad
from multibody.algebra.motor import AccelerationMotor, ForceMotor, MomentumMotor, Motor, VelocityMotor
from multibody.algebra.rotation import Rotation
from multibody.algebra.scalar import Scalar, number_or_none, stacked, vanishes, zero_like
from multibody.algebra.symmetric3 import Symmetric3, SymmetricLike
from multibody.algebra.value import Linear, set_once
from multibody.algebra.vectors import Mat3, Vec3, VectorLike
from multibody.errors import ConversionError, NumberError, ZeroDivisorError
from multibody.graph import same

Floats = NDArray[np.float64]


class InertiaProblem(str):
    """A sentence about an inertia that no rigid body has, with the stable code of this kind of problem.

    Attributes:
        code: see docs/error_codes.md.
    """

    __slots__ = ("code",)
    code: str

    def __new__(cls, sentence: str, code: str) -> InertiaProblem:
        """The sentence, with its code."""
        made = super().__new__(cls, sentence)
        made.code = code
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return InertiaProblem, (str(self), self.code)


def alike(a: Mat3, b: Mat3, tolerance: float = 1e-9) -> bool:
    """Whether two matrices are the same: numbers to rounding, beside the largest of them, expressions as functions."""
    pairs = list(zip(a.components(), b.components(), strict=True))
    numbers = [(number_or_none(x), number_or_none(y)) for x, y in pairs]
    size = max(
        (float(np.max(np.abs(number))) for pair in numbers for number in pair if number is not None), default=0.0
    )
    return all(
        same(x, y) if n is None or k is None else bool(np.all(np.abs(n - k) <= tolerance * size))
        for (x, y), (n, k) in zip(pairs, numbers, strict=True)
    )


def problems_of(mass: Scalar, first_moment: Vec3, tensor: Symmetric3, tolerance: float) -> list[InertiaProblem]:
    """Sentences about what is wrong, for numbers or batches of numbers; nothing while there are symbols."""
    scalars = [mass, *first_moment, *tensor.components()]
    numbers = [number_or_none(scalar) for scalar in scalars]
    if any(number is None for number in numbers):
        return _mass_problems(np.atleast_1d(numbers[0])) if numbers[0] is not None else []
    table = np.atleast_2d(stacked(numbers, 10)).astype(float)
    if not np.isfinite(table).all():
        return [InertiaProblem("There are entries that are not finite numbers.", code="inertia-not-finite")]
    found = _mass_problems(table[:, 0])
    return found or _massless_problems(table, tolerance) + _moment_problems(table[table[:, 0] > 0], tolerance)


def _mass_problems(mass: Any) -> list[InertiaProblem]:
    worst = float(np.min(mass))
    return [InertiaProblem(f"The mass is negative ({worst:.3g}).", code="mass-negative")] if worst < 0 else []


def _massless_problems(table: Floats, tolerance: float) -> list[InertiaProblem]:
    massless = table[table[:, 0] == 0]
    if np.any(np.abs(massless[:, 1:4]) > tolerance):
        return [InertiaProblem("The mass is zero, but the first moment is not.", code="first-moment-without-mass")]
    moments = _principal_moments(massless)
    return _sentences(moments, np.max(np.abs(moments), initial=0.0), tolerance)


def _moment_problems(table: Floats, tolerance: float) -> list[InertiaProblem]:
    """About the centre of mass, where the parallel axes have been taken out; rounding is relative to what was there."""
    central = table.copy()
    r = central[:, 1:4] / central[:, :1]
    products = r[:, :, None] * central[:, None, 1:4]
    square = np.trace(products, axis1=1, axis2=2)
    for column, (i, j) in enumerate(((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)), start=4):
        central[:, column] -= (square if i == j else 0.0) - products[:, i, j]
    return _sentences(_principal_moments(central), np.max(np.abs(table[:, 4:]), initial=0.0), tolerance)


def _principal_moments(table: Floats) -> Floats:
    """In ascending order, one row per body."""
    xx, yy, zz, xy, xz, yz = table[:, 4:].T
    matrices = np.stack([xx, xy, xz, xy, yy, yz, xz, yz, zz], axis=-1).reshape(-1, 3, 3)
    return np.linalg.eigvalsh(matrices)


def _sentences(moments: Floats, scale: float, tolerance: float) -> list[InertiaProblem]:
    margin = tolerance * scale
    negative = moments[:, 0] < -margin
    if negative.any():
        least = float(np.min(moments[:, 0]))
        return [InertiaProblem(f"A principal moment of inertia is negative ({least:.3g}).", code="inertia-negative")]
    excess = moments[:, 2] - moments[:, 0] - moments[:, 1]
    if not np.any(excess > margin):
        return []
    small, middle, large = moments[int(np.argmax(excess))]
    sentence = (
        f"The largest principal moment of inertia ({large:.3g}) is more than the sum of the other two "
        f"({small:.3g} + {middle:.3g}), which no distribution of mass has."
    )
    return [InertiaProblem(sentence, code="inertia-triangle-inequality")]


class Inertia(Linear):
    """The inertia dyad (m·1, -m·R_s; m·R_s, Θ_O), by mass, first moment m·r_s and inertia tensor Θ_O about the origin.

    Kept in this way, inertias in one frame are simply added, and a body without mass is not a special case.

    Example:
        >>> rod = Inertia.rigid_body(2.0, (0.5, 0.0, 0.0), Symmetric3.diagonal(0.0, 0.1, 0.1))
        >>> rod.tensor.zz
        0.6
        >>> rod.apply(VelocityMotor((0.0, 0.0, 1.0), (0.0, 0.0, 0.0))).moment.z
        0.6
    """

    __slots__ = ("first_moment", "mass", "tensor")
    _fields = ("mass", "first_moment", "tensor")
    _products = "Use inertia.apply(velocity), or '@'."
    mass: Scalar
    first_moment: Vec3
    tensor: Symmetric3

    def __init__(self, mass: Scalar, first_moment: VectorLike, tensor: SymmetricLike) -> None:
        set_once(self, "mass", mass)
        set_once(self, "first_moment", Vec3.from_any(first_moment, what="first moment"))
        set_once(self, "tensor", Symmetric3.from_any(tensor, what="inertia tensor"))

    @classmethod
    def rigid_body(
        cls,
        mass: Scalar,
        center_of_mass: VectorLike = (0.0, 0.0, 0.0),
        tensor: SymmetricLike | None = None,
        *,
        about: VectorLike | None = None,
    ) -> Self:
        """The inertia of a rigid body; its tensor is given about the centre of mass, or about another point.

        Args:
            mass: the mass.
            center_of_mass: its position.
            tensor: the inertia tensor, along the axes of the frame; none for a point mass.
            about: the point that the tensor refers to, if it is not the centre of mass.
        """
        r = Vec3.from_any(center_of_mass, what="centre of mass")
        given = Symmetric3.zero() if tensor is None else Symmetric3.from_any(tensor, what="inertia tensor")
        about_origin = given + Symmetric3.moment(r, r * mass)
        if about is not None:
            d = r - Vec3.from_any(about, what="reference point")
            about_origin = about_origin - Symmetric3.moment(d, d * mass)
        return cls(mass, r * mass, about_origin)

    @classmethod
    def from_dyad(cls, dyad: MotorDyad) -> Self:
        """The inertia whose dyad this is: eq. (7) read backwards.

        Raises:
            NumberError: if the blocks are not (m·1, -m·R_s; m·R_s, Θ_O), to rounding.

        Example:
            >>> rod = Inertia.rigid_body(2.0, (0.5, 0.0, 0.0), Symmetric3.diagonal(0.0, 0.1, 0.1))
            >>> Inertia.from_dyad(rod.dyad()) == rod
            True
        """
        s = dyad.t21
        found = cls(dyad.t11[0, 0], Vec3(s[2, 1], s[0, 2], s[1, 0]), dyad.t22)
        if not all(alike(ours, part) for ours, part in zip(found.dyad().parts(), dyad.parts(), strict=True)):
            raise NumberError(
                "The dyad is not that of a rigid body.",
                code="dyad-not-an-inertia",
                cause="Its blocks are not (m·1, -m·R; m·R, Θ) with one mass m, and R·v = r × v for a vector r.",
                remedy="Give a dyad that maps velocities to momenta, such as inertia.dyad().",
            )
        return found

    @classmethod
    def zero(cls) -> Self:
        """The inertia of nothing."""
        return cls(0.0, Vec3.zero(), Symmetric3.zero())

    # and back ----------------------------------------------------------------------------------------------------

    @property
    def center_of_mass(self) -> Vec3:
        """The position r_s of the centre of mass."""
        if vanishes(self.mass):
            raise ZeroDivisorError("A body without mass has no centre of mass.", remedy="Ask for the first moment.")
        return self.first_moment / self.mass

    def tensor_about(self, point: VectorLike) -> Symmetric3:
        """The inertia tensor about another point, along the axes of this frame."""
        return self.referred_to(point).tensor

    @property
    def central_tensor(self) -> Symmetric3:
        """The inertia tensor about the centre of mass, along the axes of this frame."""
        return self.tensor - Symmetric3.moment(self.center_of_mass, self.first_moment)

    def problems(self, tolerance: float = 1e-9) -> list[InertiaProblem]:
        """What no rigid body can have, as plain sentences; an empty list if all is well or not yet known.

        Example:
            >>> Inertia.rigid_body(-1.0).problems()
            ['The mass is negative (-1).']
        """
        return problems_of(self.mass, self.first_moment, self.tensor, tolerance)

    # mechanics ---------------------------------------------------------------------------------------------------

    @overload
    def apply(self, motor: VelocityMotor) -> MomentumMotor: ...

    @overload
    def apply(self, motor: AccelerationMotor) -> ForceMotor: ...

    def apply(self, motor: VelocityMotor | AccelerationMotor) -> MomentumMotor | ForceMotor:
        """The momentum of a body with this velocity, eq. (7); or its rate, for an acceleration."""
        kind = _RESULTS.get(type(motor))
        if kind is None:
            raise ConversionError(
                f"An inertia is not applied to a {type(motor).__name__}.",
                code="operands-incompatible",
                remedy="Apply it to a VelocityMotor, which gives the momentum, or to an AccelerationMotor.",
                value=type(motor).__name__,
            )
        omega, v, s = motor.resultant, motor.moment, self.first_moment
        return kind(v * self.mass + omega.cross(s), s.cross(v) + self.tensor @ omega)

    __matmul__ = apply

    def kinetic_energy(self, velocity: VelocityMotor) -> Scalar:
        """T = ½·(v, M∘v)."""
        return velocity.inner(self.apply(velocity)) / 2

    def force(self, velocity: VelocityMotor, acceleration: AccelerationMotor) -> ForceMotor:
        """The force that the motion takes: f = M∘v° + v × (M∘v), eq. (8), Newton and Euler in one line."""
        return self.apply(acceleration) + velocity.cross(self.apply(velocity))

    # change of coordinates ---------------------------------------------------------------------------------------

    def rotated(self, rotation: Rotation) -> Self:
        """The inertia in A-coordinates from its B-coordinates, for R_AB and a common origin."""
        return type(self)(self.mass, rotation @ self.first_moment, rotation.turn_symmetric(self.tensor))

    def referred_to(self, point: VectorLike) -> Self:
        """The inertia with another point as origin: Huygens' and Steiner's theorem."""
        r = -Vec3.from_any(point, what="point")
        half = r * (self.mass / 2)
        middle = self.first_moment + half
        return type(self)(self.mass, self.first_moment + r * self.mass, self.tensor + Symmetric3.moments(r, middle))

    def dyad(self) -> MotorDyad:
        """The four blocks of eq. (7)."""
        zero = zero_like(self.mass)
        m = Mat3.identity().map(lambda x: self.mass if x else zero)
        s = Mat3.cross_matrix(self.first_moment)
        return MotorDyad(m, -s, s, self.tensor.to_mat3())

    def to_array(self) -> NDArray[Any]:
        """The 6×6 matrix of eq. (7); a batch keeps its own dimensions in front."""
        return self.dyad().to_array()


_RESULTS: dict[type[Motor], type[Any]] = {VelocityMotor: MomentumMotor, AccelerationMotor: ForceMotor}
