"""What the numbers of an inertia must satisfy for a rigid body to have them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from multibody.algebra.mat3 import Mat3
from multibody.algebra.scalar import Scalar, number_or_none, stacked
from multibody.algebra.symmetric3 import Symmetric3
from multibody.algebra.vec3 import Vec3
from multibody.graph import same

Floats = NDArray[np.float64]


def alike(a: Mat3, b: Mat3, tolerance: float = 1e-9) -> bool:
    """Whether two matrices are the same: numbers to rounding, beside the largest of them, expressions as functions."""
    pairs = list(zip(a.components(), b.components(), strict=True))
    numbers = [(number_or_none(x), number_or_none(y)) for x, y in pairs]
    size = max((float(np.max(np.abs(one))) for pair in numbers for one in pair if one is not None), default=0.0)
    return all(
        same(x, y) if n is None or k is None else bool(np.all(np.abs(n - k) <= tolerance * size))
        for (x, y), (n, k) in zip(pairs, numbers, strict=True)
    )


def problems_of(mass: Scalar, first_moment: Vec3, tensor: Symmetric3, tolerance: float) -> list[str]:
    """Sentences about what is wrong, for numbers or batches of numbers; nothing while there are symbols."""
    scalars = [mass, *first_moment, *tensor.components()]
    numbers = [number_or_none(scalar) for scalar in scalars]
    if any(number is None for number in numbers):
        return _mass_problems(np.atleast_1d(numbers[0])) if numbers[0] is not None else []
    table = np.atleast_2d(stacked(numbers, 10)).astype(float)
    if not np.isfinite(table).all():
        return ["There are entries that are not finite numbers."]
    found = _mass_problems(table[:, 0])
    return found or _massless_problems(table, tolerance) + _moment_problems(table[table[:, 0] > 0], tolerance)


def _mass_problems(mass: Any) -> list[str]:
    worst = float(np.min(mass))
    return [f"The mass is negative ({worst:.3g})."] if worst < 0 else []


def _massless_problems(table: Floats, tolerance: float) -> list[str]:
    massless = table[table[:, 0] == 0]
    if np.any(np.abs(massless[:, 1:4]) > tolerance):
        return ["The mass is zero, but the first moment is not."]
    moments = _principal_moments(massless)
    return _sentences(moments, np.max(np.abs(moments), initial=0.0), tolerance)


def _moment_problems(table: Floats, tolerance: float) -> list[str]:
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


def _sentences(moments: Floats, scale: float, tolerance: float) -> list[str]:
    margin = tolerance * scale
    negative = moments[:, 0] < -margin
    if negative.any():
        return [f"A principal moment of inertia is negative ({float(np.min(moments[:, 0])):.3g})."]
    excess = moments[:, 2] - moments[:, 0] - moments[:, 1]
    if not np.any(excess > margin):
        return []
    small, middle, large = moments[int(np.argmax(excess))]
    return [
        f"The largest principal moment of inertia ({large:.3g}) is more than the sum of the other two "
        f"({small:.3g} + {middle:.3g}), which no distribution of mass has."
    ]
