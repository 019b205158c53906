"""Many steady states, from random starts."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from multibody.linearization.operating_points.sizes import LENGTH, coordinate_units, mechanism_length
from multibody.linearization.tolerances import SAME_SOLUTION, SOLUTION_DISTANCE, UNKNOWN_ERROR
from multibody.linearization.trim.newton import Trim
from multibody.mechanics.assembly.assembly import Vector
from multibody.mechanics.coordinate_kinds import angles_of

BETWEEN = (0.5, 0.382)
"""Places between two solutions that are looked at; half-way there may be a third one."""


LAW_SPREADS = (1.0, 2.0, 4.0, 8.0)
"""How wide starts are spread, relative to the distance within which forces change."""


def all_solved(
    trim: Trim, tries: int, seed: int, prepared: Callable[[Vector], Vector] | None = None
) -> tuple[list[Vector], Vector]:
    """Different solutions, those nearest to the start first, of equally near ones the smallest; and what came closest.

    Args:
        trim: the search.
        tries: how many starts.
        seed: of the random numbers.
        prepared: a better start for a random one.
    """
    found: list[Vector] = []
    best, least = trim.start, np.inf
    for search, start in _starts(trim, tries, np.random.default_rng(seed)):
        w, error = search.solved(start if prepared is None else prepared(start))
        if trim.openness(w) < least * (1 - SOLUTION_DISTANCE):
            best, least = w, trim.openness(w)
        if error <= UNKNOWN_ERROR and not any(are_same(trim, w, other) for other in found):
            found.append(w)
    origin = np.where(np.isin(np.arange(len(trim.start)), trim.free), 0.0, trim.start)
    return sorted(found, key=lambda w: (round(distance(trim, w, trim.start), 6), distance(trim, w, origin))), best


def _starts(trim: Trim, tries: int, rng: np.random.Generator) -> Iterator[tuple[Trim, Vector]]:
    """The start itself, then others: angles from a whole turn, all else from a bell curve, unit quaternions.

    Each with the search that begins there: where forces change within little, steps are short.
    """
    eom, chosen = trim.equations.eom, trim.free[: trim.chosen]
    angles = angles_of(eom.model)
    turning = np.array([trim.equations.symbols[k] in angles for k in chosen], dtype=bool)
    point, own = trim.equations.point(trim.start), trim.sizes[: trim.chosen]
    kinds = dict(zip(eom.coordinates, coordinate_units(eom), strict=True))
    lengths = np.array([kinds.get(trim.equations.symbols[k]) == LENGTH for k in chosen], dtype=bool)
    widest = np.where(lengths, np.maximum(own, mechanism_length(eom, point.q, point.p)), own)
    law = trim.law_lengths[: trim.chosen]
    for trial in range(tries):
        w, search = trim.start.copy(), trim
        if trial:
            sizes = widest if trial % 2 else own  # in the whole mechanism, and near the own part
            if trial % 3 == 2:
                sizes = np.where(law == own, sizes, law * LAW_SPREADS[trial % len(LAW_SPREADS)])
                search = trim.by_laws
            spread = np.maximum(sizes, np.abs(w[chosen])) * rng.normal(size=len(chosen))
            w[chosen] += np.where(turning, rng.uniform(-np.pi, np.pi, len(chosen)), spread)
            for places in eom.model.quaternions:
                where = [k + 1 for k in places if k + 1 in chosen]  # coordinates come after time
                w[where] /= max(float(np.linalg.norm(w[where])), 1e-300)
        yield search, w


def are_same(trim: Trim, w: Vector, other: Vector) -> bool:
    """Whether two solutions are one, but for rounding: they are near to each other, and so is all between them.

    Their distance alone does not tell, since an unknown may be much smaller than what its size is taken from.
    """
    if distance(trim, w, other) > SOLUTION_DISTANCE:
        return False
    between = (w + share * (other - w) for share in BETWEEN)
    return np.array_equal(w, other) or all(
        trim.by_laws.error(middle) <= SAME_SOLUTION * UNKNOWN_ERROR for middle in between
    )


def distance(trim: Trim, w: Vector, other: Vector) -> float:
    """Between two solutions, relative to the sizes of the unknowns."""
    chosen = trim.free[: trim.chosen]
    scale = np.maximum(trim.sizes[: trim.chosen], np.abs(other[chosen]))
    return float(np.linalg.norm((w - other)[chosen] / scale))
