"""States whose start values follow from the others, so that a model with other lengths begins with closed loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from multibody.export.program import Program
from multibody.export.quantities import Result
from multibody.graph import Expr, Symbol, evaluate, jacobian

WELL = 0.1
"""A column is as good as any other if this share of the longest one is left of it."""


class Start(NamedTuple):
    """What must vanish at the start, and what is free to make it so.

    Attributes:
        gaps: φ and B·u + β of the constraints that act, with names.
        free: the coordinates and speeds whose start values are guesses; as many as there are gaps, or none at all.
    """

    gaps: Result
    free: frozenset[Symbol]


def starting(program: Program) -> Start:
    """Which states follow from the others: those first whose start values were not given.

    Without an answer (redundant constraints, or none that would do without quaternions) all states stay fixed.
    """
    rows, constraints = program.eom.constraints.acting, program.eom.constraints
    names = {k: constraints.names[k] for k in rows}
    places = {k: constraints.equations[k].position for k in rows}
    closed = {f"gap_{names[k]}": value for k, value in places.items() if value is not None}
    moving = {f"gap_rate_{names[k]}": constraints.velocity[k] for k in rows}
    gaps = Result.of("gaps", [*closed.values(), *moving.values()], "", [*closed, *moving])
    if not rows or constraints.softness:
        return Start(gaps, frozenset())
    quaternions = {program.eom.coordinates[k] for places in program.eom.model.quaternions for k in places}
    coordinates = [one for one in program.eom.coordinates if one not in quaternions]
    q = _following(program, list(closed.values()), coordinates, [])
    rates = dict(zip(program.eom.coordinates, program.eom.rates, strict=True))
    u = _following(program, list(moving.values()), program.eom.speeds, [rates[one] for one in q or ()])
    return Start(gaps, frozenset() if q is None or u is None else frozenset([*q, *u]))


def _following(
    program: Program, gaps: Sequence[Expr], symbols: Sequence[Symbol], first: Sequence[Expr]
) -> list[Symbol] | None:
    """As many symbols as gaps, such that the gaps determine them well; None if there are not enough."""
    if not gaps or not symbols:
        return None if gaps else []
    slopes = np.array(evaluate(jacobian(list(gaps), symbols), _values(program)), dtype=float)
    ranks = [0 if one in first else 2 if one.name in program.eom.model.written else 1 for one in symbols]
    groups = [[k for k, rank in enumerate(ranks) if rank == wanted] for wanted in range(3)]
    chosen = _pivots(slopes.reshape(len(gaps), len(symbols)), groups)
    return None if len(chosen) < len(gaps) else [symbols[k] for k in chosen]


def _values(program: Program) -> dict[Any, float]:
    known = {one.symbol: one.value for group in program.arguments.values() for one in group}
    return known | {program.eom.model.time: 0.0}


def _pivots(matrix: NDArray[np.float64], groups: Sequence[Sequence[int]]) -> list[int]:
    """Columns that span the space, those of the first group before the others; by Gram and Schmidt."""
    rest = matrix.copy()
    chosen: list[int] = []
    least = WELL * np.linalg.norm(matrix, axis=0).max(initial=0.0)
    for group in groups:
        while len(chosen) < len(matrix) and len(group):
            lengths = np.linalg.norm(rest[:, group], axis=0)
            if lengths.max() <= least:
                break
            chosen.append(group[int(lengths.argmax())])
            axis = rest[:, chosen[-1]] / lengths.max()
            rest = rest - np.outer(axis, axis @ rest)
    return chosen
