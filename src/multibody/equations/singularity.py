"""Positions in which accelerations are not determined: constraints are not independent there, or nothing has inertia.

Constraint equations may be redundant in all closed positions (a rod on three parallel cranks), which does no harm, or
in single ones (links on one line), from which a mechanism can move on in several ways. To distinguish them, the rank is
compared with that in other closed positions nearby.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from multibody.equations.contract import MotionEquations
from multibody.equations.tolerances import DEPENDENT_SINGULAR_VALUE, ROUNDED_INERTIA
from multibody.errors import MultibodyError, SingularMatrixError
from multibody.graph import Expr, topological
from multibody.mechanics.assembly.assembly import Assembly, Vector
from multibody.model import Model
from multibody.model.model import Link

NEARBY = 0.1
"""Distance of the other positions, in meters and radians."""

TRIES = 8
"""How many other positions are tried."""


def may_lose_inertia(model: Model) -> bool:
    """Whether axes of hinges without bodies between them may line up (gimbal lock), so that M becomes singular.

    Two axes are always at an angle to each other, so that this takes three, or a body on its own axis without inertia.
    """
    turns: list[int] = []
    for link in model.links:
        above = turns[link.parent] if link.parent >= 0 and model.links[link.parent].inertia is None else 0
        turns.append(above + (link.motion.is_turn(link.q) and any(column is not None for column in link.columns)))
    return any(
        count > 2 or (count == 2 and link.inertia is not None and _is_slender(link))
        for count, link in zip(turns, model.links, strict=True)
    )


def _is_slender(link: Link) -> bool:
    """Whether a body has no inertia about one of its axes: a point, or a rod."""
    assert link.inertia is not None
    tensor, moment, mass = link.inertia.tensor, link.inertia.first_moment, link.inertia.mass
    x, y, z = moment.components()
    diagonals = ((tensor.xx, y, z), (tensor.yy, x, z), (tensor.zz, x, y))
    return any((mass * own - first * first - other * other).fp == 0 for own, first, other in diagonals)


def loses_inertia(M: Vector) -> Vector:
    """For each of several mass matrices whether it is singular, but for rounding."""
    sizes = np.sqrt(np.maximum(np.diagonal(M, axis1=1, axis2=2), 1e-300))
    scaled = M / (sizes[:, :, None] * sizes[:, None, :])
    finite = np.isfinite(scaled).all(axis=(1, 2))
    smallest = np.linalg.eigvalsh(np.where(finite[:, None, None], scaled, 0.0))[:, 0]
    return ~(smallest > ROUNDED_INERTIA) & finite


def with_constraints(M: Vector, B: Vector) -> Vector:
    """M + c·Bᵀ·B of several positions: singular where neither inertia nor constraints resist a motion.

    M is positive on all motions that B allows if and only if this sum is positive; c gives both parts the same size.
    """
    held = np.swapaxes(B, 1, 2) @ B
    sizes = np.trace(held, axis1=1, axis2=2)
    factors = np.trace(M, axis1=1, axis2=2) / np.where(sizes > 0, sizes, 1.0)
    return np.asarray(M + factors[:, None, None] * held)


def gimbal_lock(eom: MotionEquations, M: Vector, q: Any) -> SingularMatrixError:
    """The error for accelerations in a position in which nothing resists a motion."""
    sizes = np.sqrt(np.maximum(np.diagonal(M), 1e-300))
    motion = np.linalg.eigh(M / np.outer(sizes, sizes))[1][:, 0]
    stuck = [k for k, part in enumerate(motion) if abs(part) > 0.1]
    joints = dict.fromkeys(link.joint.name for link in eom.model.links if {*link.columns} & {*stuck})
    state = _named_position(eom, q)
    return SingularMatrixError(
        f"The accelerations are not determined in the position {state}: nothing resists a motion of "
        f"{' and '.join(eom.speeds[k].name for k in stuck)}.",
        code="gimbal-lock",
        where=f"system '{eom.model.name}', {', '.join(f'joint {joint!r}' for joint in joints)}",
        names=tuple(joints),
        cause="Axes of hinges are in line there (gimbal lock), or masses are on an axis.",
        remedy="Use Spherical() or Free() with a quaternion, which have no such positions, or evaluate elsewhere.",
    )


def _named_position(eom: MotionEquations, q: Any) -> str:
    return ", ".join(
        f"{coordinate.name}={value:.6g}" for coordinate, value in zip(eom.coordinates, np.ravel(q), strict=False)
    )


def dependent_equations(eom: MotionEquations, t: float, q: Any, r: Any, p: Any) -> tuple[str, ...]:
    """The names of equations that are independent nearby, but not in this position; empty if it is a regular one.

    Args:
        eom: equations of motion.
        t: time.
        q: coordinates.
        r: inputs.
        p: values of the parameters.
    """
    constraints = eom.constraints
    rows = list(constraints.acting)
    values, inputs = (
        dict(zip((symbol.name for symbol in symbols), map(float, np.ravel(numbers)), strict=True))
        for symbols, numbers in ((eom.parameters, p), (eom.inputs, r))
    )
    assembly = Assembly(constraints, values, inputs, t)
    position = np.asarray(q, dtype=float).reshape(-1)
    left, sizes = _singular_values(assembly, position, rows)
    scale = _scale(assembly, position, rows)
    rank = _rank(sizes, scale)
    if rank == len(rows) or rank >= _rank_nearby(assembly, position, rows, scale):
        return ()
    involved = np.abs(left[:, rank:]).max(axis=1) > 0.1
    return tuple(constraints.names[row] for row, is_involved in zip(rows, involved, strict=True) if is_involved)


def singular_position(eom: MotionEquations, names: tuple[str, ...], q: Any) -> SingularMatrixError:
    """The error for accelerations in a position in which equations are not independent."""
    state = _named_position(eom, q)
    loops = dict.fromkeys(eom.constraints.owners[eom.constraints.names.index(name)] for name in names)
    return SingularMatrixError(
        f"The accelerations are not determined in the singular position {state}.",
        code="position-singular",
        where=f"system '{eom.model.name}', {', '.join(f'constraint {loop!r}' for loop in loops)}",
        names=tuple(loops),
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
    return int((sizes > DEPENDENT_SINGULAR_VALUE * max(scale, sizes.max(initial=0.0))).sum())


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


def square_roots(eom: MotionEquations) -> dict[Expr, tuple[str, ...]]:
    """Discriminants of loops that are solved in closed form, with the names of the coordinates that follow from them.

    The dependent coordinates of such a loop are ±√D + …, where D depends on the others and on time. Where D becomes
    zero, two solutions meet: a dead point.
    """
    model, found = eom.model, dict[Expr, tuple[str, ...]]()
    for coordinate in model.closed_form_coordinates:
        for node in topological([model.values[coordinate]]):
            if node.op == "sqrt":
                found[node.args[0]] = (*found.get(node.args[0], ()), coordinate.name)
    return found
