"""Equilibria of loops that are solved in closed form, in the other ways to assemble them.

A closed form holds one assembly: a four-bar linkage with its beams crossed, or not. The others are found from the same
equations with all loops as constraints.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.errors import ExpressionError
from multibody.graph import Symbol, evaluate
from multibody.linearization.operating_points.sizes import coordinate_sizes
from multibody.linearization.tolerances import ASSEMBLY_DISTANCE, UNKNOWN_ERROR
from multibody.linearization.trim.newton import Trim
from multibody.linearization.trim.random_starts import all_solved, are_same
from multibody.mechanics.assembly.assembly import Assembly, Vector
from multibody.mechanics.coordinate_kinds import angles_of
from multibody.model.model import Model

MOST_COORDINATES = 20
"""Mechanisms with more coordinates are searched in the assembly of the closed form alone: the others are too many."""


def has_other_assemblies(eom: EquationsOfMotion) -> bool:
    """Whether loops are solved in closed form, in a mechanism that is small enough to be searched in all assemblies."""
    whole = eom.model.unreduced
    return whole is not None and len(whole.coordinates) <= MOST_COORDINATES


def solved_elsewhere(
    search: Trim, whole: Trim, found: Sequence[Vector], tries: int, seed: int
) -> tuple[list[Vector], list[Vector]]:
    """Solutions that the search with all loops as constraints adds to those that are known.

    Args:
        search: with loops solved in closed form.
        whole: the same with all loops as constraints.
        found: solutions of ``search``.
        tries: how many starts.
        seed: of the random numbers.

    Returns:
        Further solutions of ``search``, and solutions of ``whole`` that are assembled in another way.
    """
    own: list[Vector] = list(found)
    others: list[Vector] = []
    closing = partial(_closed, search.equations.eom, whole)
    for w in all_solved(whole, tries, seed, closing)[0]:
        if not _is_own_assembly(search.equations.eom, whole, w):
            others.append(w)
            continue
        values = dict(zip(whole.equations.symbols, w, strict=True))
        start = np.array(
            [values.get(symbol, x) for symbol, x in zip(search.equations.symbols, search.start, strict=True)]
        )
        solution, error = search.solved(start)
        if error <= UNKNOWN_ERROR and not any(are_same(search, solution, other) for other in own):
            own.append(solution)
    return own[len(found) :], others


def _closed(eom: EquationsOfMotion, whole: Trim, w: Vector) -> Vector:
    """A start with closed loops and the forces in them, with the independent coordinates of w if that is possible.

    Dependent coordinates of w that are random select one of the assemblies.
    """
    equations = whole.equations
    values = dict(zip(equations.symbols, w.tolist(), strict=True))
    parameters, inputs = (
        {variable.name: values[variable] for variable in group} for group in (eom.parameters, eom.inputs)
    )
    coordinates = equations.eom.coordinates
    assembly = Assembly(equations.eom.constraints, parameters, inputs, values[eom.model.time])
    fixed = [k for k, coordinate in enumerate(coordinates) if coordinate not in equations.unknown]
    independent = [k for k, coordinate in enumerate(coordinates) if coordinate not in eom.model.values]
    guess = np.array([values[coordinate] for coordinate in coordinates])
    start = w.copy()
    for held in ({*fixed, *independent}, fixed):
        q = assembly.closed(guess, held)
        if q is not None:
            start[[equations.symbols.index(coordinate) for coordinate in coordinates]] = q
            break
    return whole.with_forces(start)


def _is_own_assembly(eom: EquationsOfMotion, whole: Trim, w: Vector) -> bool:
    """Whether the dependent coordinates are those of the closed form."""
    values: dict[Symbol | str, Any] = dict(zip(whole.equations.symbols, map(float, w), strict=True))
    dependent = [coordinate for coordinate in whole.equations.eom.coordinates if coordinate in eom.model.values]
    try:
        formulas: Vector = np.asarray(
            evaluate([eom.model.values[coordinate] for coordinate in dependent], values), dtype=np.float64
        )
    except ExpressionError:
        return False
    difference = np.array([values[coordinate] for coordinate in dependent]) - formulas
    turning = angles_of(whole.equations.eom.model)
    turns = np.array([coordinate in turning for coordinate in dependent], dtype=bool)
    difference[turns] = (difference[turns] + np.pi) % (2 * np.pi) - np.pi
    point = whole.equations.point(w)
    sizes = dict(
        zip(whole.equations.eom.coordinates, coordinate_sizes(whole.equations.eom, point.q, point.p), strict=True)
    )
    return bool(
        (np.abs(difference) <= ASSEMBLY_DISTANCE * np.array([sizes[coordinate] for coordinate in dependent])).all()
    )


def dependent_values(model: Model, values: dict[str, float], t: float) -> dict[str, float]:
    """The coordinates and speeds that follow from those of a model with loops in closed form; none without a value."""
    whole = model.unreduced or model
    dependent = [symbol for symbol in (*whole.coordinates, *whole.speeds) if symbol in model.values]
    known: dict[Symbol | str, Any] = {model.time: t}
    known.update(values)
    try:
        numbers = evaluate([model.values[coordinate] for coordinate in dependent], known)
    except ExpressionError:
        return {}
    return {coordinate.name: float(value) for coordinate, value in zip(dependent, numbers, strict=True)}
