"""States whose start values follow from the others, so that a model with other parameters begins with closed loops."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import Any, NamedTuple

import numpy as np

from multibody.codegen.program import Program
from multibody.codegen.program_data import Result
from multibody.codegen.start_equations import SOME
from multibody.graph import Expr, Symbol, evaluate, jacobian
from multibody.mechanics.constraints.equations import unit_length_gaps
from multibody.mechanics.constraints.rank import Vector, spanning_columns

WELL = 0.1
"""A column is as good as any other if this share of the longest one is left of it."""


class Start(NamedTuple):
    """What must vanish at the start, and what is free to make it so.

    Attributes:
        gaps: φ and B·u + β of the constraints that act, with names.
        solved: those of the names for which states are free; the others vanish for some values of parameters only.
        free: the coordinates and speeds whose start values are guesses.
        turned: quaternions that are among the free coordinates; each must have the length one.
    """

    gaps: Result
    solved: frozenset[str]
    free: frozenset[Symbol]
    turned: tuple[tuple[Symbol, ...], ...]


def starting(program: Program) -> Start:
    """Which states follow from the others: those first whose start values were not given.

    Coordinates and speeds are chosen apart. Quaternions are touched only where nothing else closes a loop. Where no
    choice determines them well (redundant constraints), they stay fixed.
    """
    rows, constraints = program.eom.constraints.acting, program.eom.constraints
    names = {k: constraints.names[k] for k in rows}
    places = {k: constraints.equations[k].position for k in rows}
    closed = {f"gap_{names[k]}": value for k, value in places.items() if value is not None}
    moving = {f"gap_rate_{names[k]}": constraints.velocity[k] for k in rows}
    gaps = Result.of("gaps", [*closed.values(), *moving.values()], "", [*closed, *moving])
    if len(rows) > len(constraints.independent) or not rows:
        return Start(gaps, frozenset(), frozenset(), ())
    q, turned = _coordinates(program, list(closed.values()))
    rates = dict(zip(program.eom.coordinates, program.eom.rates, strict=True))
    u = _following(program, list(moving.values()), program.eom.speeds, [rates[coordinate] for coordinate in q])
    solved = [*(closed if q else ()), *(moving if u else ())]
    return Start(gaps, frozenset(solved), frozenset([*q, *u]), turned)


def _coordinates(program: Program, gaps: list[Expr]) -> tuple[list[Symbol], tuple[tuple[Symbol, ...], ...]]:
    """Coordinates that the gaps determine, and quaternions among them."""
    every = program.eom.coordinates
    quaternions = tuple(tuple(every[k] for k in places) for places in program.eom.model.quaternions)
    parts = {part for quaternion in quaternions for part in quaternion}
    found = _following(program, gaps, [drawing for drawing in every if drawing not in parts], [])
    if found or not gaps or not quaternions:
        return found, ()
    lengths = unit_length_gaps(quaternions)
    found = _following(program, [*gaps, *lengths], every, [])
    return found, quaternions if found else ()


def _following(
    program: Program, gaps: Sequence[Expr], symbols: Sequence[Symbol], first: Sequence[Expr]
) -> list[Symbol]:
    """As many symbols as gaps, such that the gaps determine them well; none if there are not enough."""
    if not gaps or not symbols:
        return []
    slopes = np.array(evaluate(jacobian(list(gaps), list(symbols)), _values(program)), dtype=float)
    ranks = [0 if symbol in first else 2 if symbol.name in program.eom.model.written else 1 for symbol in symbols]
    groups = [[k for k, rank in enumerate(ranks) if rank == wanted] for wanted in range(3)]
    chosen = _pivots(slopes.reshape(len(gaps), len(symbols)), groups)
    return [] if len(chosen) < len(gaps) else [symbols[k] for k in chosen]


def _values(program: Program) -> dict[Any, float]:
    known = {variable.symbol: variable.value for group in program.arguments.values() for variable in group}
    known |= {parameter.symbol: SOME for parameter in program.parameters if isnan(parameter.value)}
    return known | {program.eom.model.time: 0.0}


def _pivots(matrix: Vector, groups: Sequence[list[int]]) -> list[int]:
    """Columns that span the space, those of the first group before the others; by Gram and Schmidt."""
    least = WELL * np.linalg.norm(matrix, axis=0).max(initial=0.0)

    def longest(lengths: Vector, _: list[int]) -> int | None:
        best = (group[int(lengths[group].argmax())] for group in groups if len(group))
        return next((column for column in best if lengths[column] > least), None)

    return spanning_columns(matrix, longest)
