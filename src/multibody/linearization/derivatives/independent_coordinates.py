"""Which coordinates and speeds are independent: by pivoting at the operating point, or as the user says."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.equations.singularity import dependent_equations
from multibody.errors import ModelError, SingularMatrixError
from multibody.linearization.derivatives.signals import listed_names
from multibody.linearization.derivatives.slopes import Blocks
from multibody.linearization.operating_points.point import LinearizationPoint, Matrix, require_names_of
from multibody.linearization.operating_points.sizes import coordinate_sizes, mechanism_length, speed_lengths
from multibody.linearization.tolerances import EQUAL_PIVOT, REDUNDANT_SINGULAR_VALUE, ROUNDING_ROW, SMALLEST_PIVOT
from multibody.mechanics.constraints.rank import Vector, basis, spanning_columns


class IndependentPart(NamedTuple):
    """Independent and dependent ones by their numbers, and the equations by which these follow from those."""

    free: list[int]
    bound: list[int]
    rows: list[int]


class IndependentChoice(NamedTuple):
    """How coordinates and speeds are divided.

    The equations of ``speeds`` are those of all constraints; those of ``coordinates`` restrict positions, quaternions
    included.
    """

    coordinates: IndependentPart
    speeds: IndependentPart


def choice(
    eom: EquationsOfMotion,
    numbers: Blocks,
    place: LinearizationPoint,
    wanted: Iterable[str] = (),
    moving: Iterable[str] = (),
) -> IndependentChoice:
    """The independent coordinates and speeds at a point.

    Args:
        eom: the equations.
        numbers: the derivatives there.
        place: the point.
        wanted: names that shall be independent; others are added to them by pivoting.
        moving: names of what changes along a steady motion, and should not be independent: only with states that stay
            as they are, the linear system does so.

    Raises:
        ModelError: if these cannot be independent.
        SingularMatrixError: if the constraints lose rank at the point, compared with closed positions nearby.
    """
    kept_q, kept_u = wanted_places(eom, wanted)
    J, B = scaled_rows(eom, numbers, place)
    _require_regular(eom, place)
    rows_q, rows_u = basis(J), basis(B)
    moving_q, moving_u = wanted_places(eom, moving)
    bound_q = bound_columns(J[rows_q], kept_q, moving_q, _told(eom, kept_q, kept_u))
    with_them = np.flatnonzero(np.abs(numbers["rates", "u"][bound_q]).max(axis=0, initial=0.0) > 0).tolist()
    bound_u = bound_columns(B[rows_u], kept_u, moving_u or with_them, _told(eom, kept_q, kept_u))
    return IndependentChoice(_division(J.shape[1], bound_q, rows_q), _division(B.shape[1], bound_u, rows_u))


def scaled_rows(eom: EquationsOfMotion, numbers: Blocks, place: LinearizationPoint) -> tuple[Matrix, Matrix]:
    """J and B for coordinates and speeds over their sizes, with rows of the length one, but for rows of rounding."""
    length = mechanism_length(eom, place.q, place.p)
    columns = coordinate_sizes(eom, place.q, place.p), speed_lengths(eom, length)
    found = []
    for matrix, sizes in zip((numbers["position", "q"], numbers["velocity", "u"]), columns, strict=True):
        rows = np.asarray(matrix, dtype=float) * sizes
        lengths = np.linalg.norm(rows, axis=1)
        lengths = np.maximum(lengths, ROUNDING_ROW * lengths.max(initial=0.0))
        found.append(rows / np.where(lengths > 0, lengths, 1.0)[:, None])
    return found[0], found[1]


def conditioning(
    eom: EquationsOfMotion, numbers: Blocks, place: LinearizationPoint, chosen: IndependentChoice | None = None
) -> float:  # fmt: skip
    """The largest over the smallest singular value of the constraints; it grows towards a dead point.

    Values that vanish but for rounding belong to equations that are redundant, and do not count.

    Args:
        eom: the equations.
        numbers: the derivatives at the point.
        place: the point.
        chosen: how the user divides coordinates and speeds. What is dependent must follow from what is not: the
            smallest singular value is that of the columns of dependent ones, which vanishes where a crank cannot drive
            its loop, although another coordinate could.
    """
    values = [1.0]
    for matrix, part in zip(scaled_rows(eom, numbers, place), chosen or (None, None), strict=True):
        sizes = np.linalg.svd(matrix, compute_uv=False) if matrix.size else np.ones(1)
        values.append(float(sizes[0] / sizes[sizes > REDUNDANT_SINGULAR_VALUE * sizes[0]][-1]) if sizes[0] > 0 else 1.0)
        if part and part.bound:
            values.append(float(sizes[0] / np.linalg.svd(matrix[np.ix_(part.rows, part.bound)], compute_uv=False)[-1]))
    return max(values)


def wanted_places(eom: EquationsOfMotion, wanted: Iterable[str]) -> tuple[list[int], list[int]]:
    """The numbers of the coordinates and of the speeds with these names."""
    names = [coordinate.name for coordinate in eom.coordinates], [speed.name for speed in eom.speeds]
    listed = listed_names(wanted)
    require_names_of(eom.model, "coordinate or speed", listed, [*names[0], *names[1]])
    q, u = ([group.index(name) for name in listed if name in group] for group in names)
    return q, u


def _division(size: int, bound: Sequence[int], rows: list[int]) -> IndependentPart:
    return IndependentPart([k for k in range(size) if k not in set(bound)], sorted(bound), rows)


def bound_columns(matrix: Matrix, kept: Collection[int], preferred: Collection[int], told: str) -> list[int]:
    """Columns that are a basis, none of them kept: by pivoting, but of pivots that are nearly as good the last one.

    Joints near the root of a tree come first, and so they stay independent where that does no harm.

    Args:
        matrix: with independent rows.
        kept: columns that must not be taken.
        preferred: columns that are taken where that does no harm.
        told: what was kept, for messages.
    """
    scale = float(np.linalg.norm(matrix, axis=0).max(initial=0.0))

    def last_good(lengths: Vector, found: list[int]) -> int:
        lengths[[*kept, *found]] = 0.0
        if lengths.max() <= SMALLEST_PIVOT * scale:
            raise _not_independent(told) if kept else _nearly_singular(told)
        good: list[int] = np.flatnonzero(lengths >= EQUAL_PIVOT * lengths.max()).tolist()
        return ([k for k in good if k in preferred] or good)[-1]

    return spanning_columns(matrix, last_good)


def _told(eom: EquationsOfMotion, kept_q: Sequence[int], kept_u: Sequence[int]) -> str:
    names = [*(eom.coordinates[k].name for k in kept_q), *(eom.speeds[k].name for k in kept_u)]
    return f"{', '.join(names)} in system '{eom.model.name}'".removeprefix(" in ")


def _not_independent(told: str) -> ModelError:
    return ModelError(
        "These coordinates and speeds cannot all be independent.",
        code="states-not-independent",
        where=told,
        cause="Constraints determine some of them by the others at the operating point.",
        remedy="Name fewer, or others; what is not named is chosen so that the rest follows well.",
    )


def _nearly_singular(told: str) -> SingularMatrixError:
    return SingularMatrixError(
        "The constraints are nearly singular at the operating point: there is no linear system with digits.",
        code="constraints-singular",
        where=told,
        cause="Some equations hardly differ from others there: the mechanism is next to a dead point or a branching.",
        remedy="Linearize at a configuration farther away from it.",
    )


def _require_regular(eom: EquationsOfMotion, place: LinearizationPoint) -> None:
    """An error where constraints lose rank, so that there is no linear picture of the motion."""
    if eom.constraints.always_independent:
        return
    names = dependent_equations(eom, place.t, place.q, place.r, place.p)
    if names:
        owners = dict.fromkeys(eom.constraints.owners[eom.constraints.names.index(name)] for name in names)
        raise SingularMatrixError(
            "The constraints are singular at the operating point: there is no linear system.",
            code="constraints-singular",
            where=f"system '{eom.model.name}', {', '.join(f'constraint {owner!r}' for owner in owners)}",
            cause=f"The equations {', '.join(names)} are not independent of each other there, but they are nearby: the "
            "mechanism is at a dead point or a branching, where it gains a freedom.",
            remedy="Linearize at a configuration nearby.",
            names=tuple(owners),
        )
