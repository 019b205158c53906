"""The mass matrix by composite bodies: what a subtree feels like, seen from its root.

For link i and one of its ancestors k, F_{i,k} and L_{i,k} of the PyMbs manual, section 4.1.3, are linear in the motion
of k. By symmetry M_{k,i} = M_{i,k} it is enough to take the momentum of the composite body i for a unit speed of i
itself, and to carry it inward to every ancestor (Walker and Orin 1982).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from multibody.algebra import ForceMotor, Inertia, Transform, VelocityMotor
from multibody.graph import ZERO, Expr
from multibody.graph.linear_algebra import Matrix
from multibody.mechanics.recursion import passed_on
from multibody.model.model import Link, Model

Partial = Mapping[int, Expr]
"""The derivatives of an axis' speed by the model's speeds, by their numbers."""


def mass_matrix(model: Model, poses: Sequence[Transform]) -> Matrix:
    """M(q), with zeros where two speeds belong to different branches of the tree."""
    result = np.full((len(model.speeds), len(model.speeds)), ZERO, dtype=object)
    for link, composite in zip(reversed(model.links), _composites(model, poses), strict=True):
        if composite is None:
            continue
        axes = link.motion.axes(link.q)
        for number, (axis, partial) in enumerate(zip(axes, link.partials, strict=True)):
            if partial:
                momentum = composite.apply(axis).as_type(ForceMotor)
                _add(result, partial, partial, axis.inner(momentum))
                inner = list(zip(axes, link.partials, strict=True))[:number]
                _fill(model, poses, link, momentum, partial, inner, result)
    return result


def joint_poses(model: Model) -> list[Transform]:
    """For each link the pose of its motion: from its frame to the parent frame of its joint."""
    return [link.motion.pose(link.q) for link in model.links]


def _composites(model: Model, poses: Sequence[Transform]) -> list[Inertia | None]:
    """The inertia of each link with all that it carries, in its frame; last link first."""
    totals: list[Inertia | None] = [link.inertia for link in model.links]
    for link in reversed(model.links):
        own = totals[link.index]
        if own is not None and link.parent >= 0:
            carried = link.before.to_parent(poses[link.index].to_parent(own))
            known = totals[link.parent]
            totals[link.parent] = carried if known is None else known + carried
    return totals[::-1]


def _fill(
    model: Model, poses: Sequence[Transform], link: Link, momentum: ForceMotor, partial: Partial,
    inner: Sequence[tuple[VelocityMotor, Partial]], result: Matrix,
) -> None:  # fmt: skip
    """The momentum for a unit speed, projected on the axes further in: of the same link, then of its ancestors."""
    while True:
        for axis, other in inner:
            if other:
                value = axis.inner(momentum)
                _add(result, partial, other, value)
                _add(result, other, partial, value)
        if link.parent < 0:
            return
        momentum = passed_on(link, poses[link.index], momentum)
        link = model.links[link.parent]
        inner = list(zip(link.motion.axes(link.q), link.partials, strict=True))


def _add(result: Matrix, rows: Partial, columns: Partial, value: Expr) -> None:
    """M += ∂u_i/∂u ᵀ · m_ik · ∂u_k/∂u for two axes i and k; with a speed for each axis it is one entry."""
    for row, left in rows.items():
        for column, right in columns.items():
            result[row, column] = result[row, column] + left * right * value
