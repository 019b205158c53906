"""Positions in which accelerations are not determined, because constraints are not independent there.

Constraint equations may be redundant in all closed positions (a rod on three parallel cranks), which does no harm, or
in single ones (links on one line), from which a mechanism can move on in several ways. To distinguish them, the rank is
compared with that in other closed positions nearby.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.errors import MultibodyError, SingularMatrixError
from multibody.model.assembly import Assembly, Vector

if TYPE_CHECKING:
    from multibody.equations.equations import EquationsOfMotion

DEPENDENT = 1e-6
"""Singular values below this share of the largest one belong to dependent equations."""

NEARBY = 0.1
"""Distance of the other positions, in meters and radians."""

TRIES = 8
"""How many other positions are tried."""


def dependent_equations(eom: EquationsOfMotion, t: float, q: Any, p: Any) -> tuple[str, ...]:
    """The names of equations that are independent nearby, but not in this position; empty if it is a regular one.

    Args:
        eom: equations of motion.
        t: time.
        q: coordinates.
        p: values of the parameters.
    """
    constraints = eom.constraints
    rows = list(constraints.acting)
    values = dict(zip((one.name for one in eom.parameters), np.ravel(p), strict=True))
    assembly = Assembly(constraints, values, None, t)
    position = np.asarray(q, dtype=float).reshape(-1)
    left, sizes = _singular_values(assembly, position, rows)
    scale = _scale(assembly, position, rows)
    rank = _rank(sizes, scale)
    if rank == len(rows) or rank >= _rank_nearby(assembly, position, rows, scale):
        return ()
    involved = np.abs(left[:, rank:]).max(axis=1) > 0.1
    return tuple(constraints.names[row] for row, one in zip(rows, involved, strict=True) if one)


def singular_position(eom: EquationsOfMotion, names: tuple[str, ...], q: Any) -> SingularMatrixError:
    """The error for accelerations in a position in which equations are not independent."""
    state = ", ".join(f"{one.name}={value:.6g}" for one, value in zip(eom.coordinates, np.ravel(q), strict=False))
    loops = dict.fromkeys(eom.constraints.owners[eom.constraints.names.index(name)] for name in names)
    return SingularMatrixError(
        f"The accelerations are not determined in the singular position {state}.",
        where=f"system '{eom.model.name}', {', '.join(f'constraint {one!r}' for one in loops)}",
        cause=f"The equations {', '.join(names)} are not independent of each other there: links lie on one line, a "
        "dead point or a branching.",
        remedy="Evaluate a little away from it; runs pass through such positions.",
    )


def _singular_values(assembly: Assembly, q: Vector, rows: list[int]) -> tuple[Vector, Vector]:
    B = assembly.velocity(q)[0][rows]
    left, sizes, _ = np.linalg.svd(B)
    return left, sizes


def _scale(assembly: Assembly, q: Vector, rows: list[int]) -> float:
    """The largest singular value elsewhere, in a position that need not be closed: all rows may vanish at q."""
    elsewhere = q + NEARBY * np.random.default_rng(2).normal(size=len(q))
    return float(_singular_values(assembly, elsewhere, rows)[1].max(initial=0.0))


def _rank(sizes: Vector, scale: float) -> int:
    return int((sizes > DEPENDENT * max(scale, sizes.max(initial=0.0))).sum())


def _rank_nearby(assembly: Assembly, q: Vector, rows: list[int], scale: float) -> int:
    """The largest rank in closed positions around, in directions in which the mechanism may move."""
    _, sizes, right = np.linalg.svd(assembly.slopes(q))
    free = right[_rank(sizes, scale) :]
    rng = np.random.default_rng(1)
    ranks = [0]
    for _ in range(TRIES if len(free) else 0):
        direction = rng.normal(size=len(free)) @ free
        leading = int(np.abs(direction).argmax())
        try:  # the coordinate that moves most is held, or else it would come back
            near = assembly.closed(q + NEARBY * direction / abs(direction[leading]), (leading,), 1e-10)
        except MultibodyError:
            near = None
        if near is not None:
            ranks.append(_rank(_singular_values(assembly, near, rows)[1], scale))
    return max(ranks)
