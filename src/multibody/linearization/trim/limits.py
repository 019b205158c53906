"""Limits that a steady state must respect: ranges of joints and inputs, and parameters for which bodies exist."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from multibody.errors import EquilibriumError, ExpressionError, MultibodyError
from multibody.graph import Symbol, evaluate
from multibody.linearization.operating_points.point import beyond_limits, tables_left
from multibody.linearization.tolerances import LIMIT_EXCESS, UNKNOWN_ERROR
from multibody.linearization.trim.newton import Trim
from multibody.mechanics.assembly.assembly import Vector
from multibody.mechanics.coordinate_kinds import angles_of
from multibody.model.freeze.inertia_checks import require_possible

Range = tuple[float, float]


def limits_passed(search: Trim, w: Vector) -> list[str]:
    """What there is to say about joints and inputs beyond their limits, and about parameters without a body."""
    equations = search.equations
    model, values = equations.eom.model, equations.point(w).values
    passed = [*beyond_limits(model, values), *_joints_passed(search, values), *tables_left(equations.eom, values)]
    parameters = {symbol: values[symbol] for symbol in model.parameter_symbols}
    try:
        model.require_values(parameters)
        require_possible(model, parameters)
    except MultibodyError as error:
        passed.append(error.what.removesuffix("."))
    return passed


def within_turns(search: Trim, w: Vector) -> Vector:
    """The same state with angles that are within the limits of their joints, as far as whole turns can do that."""
    equations = search.equations
    places, angles = {symbol: k for k, symbol in enumerate(equations.symbols)}, angles_of(equations.eom.model)
    for coordinate, (low, high) in _ranges(search):
        k = places.get(coordinate)
        if coordinate not in angles or k not in search.free or k is None or low <= w[k] <= high:
            continue
        other = w.copy()
        turns = np.ceil((low - w[k]) / (2 * np.pi)) if w[k] < low else -np.ceil((w[k] - high) / (2 * np.pi))
        other[k] += 2 * np.pi * turns
        if low <= other[k] <= high and search.error(other) <= UNKNOWN_ERROR:
            w = other
    return w


def within_limits(search: Trim, several: list[Vector], *, required: bool = True) -> list[Vector]:
    """The solutions that respect all limits.

    Raises:
        EquilibriumError: if there is none, and one is required.
    """
    turned = [within_turns(search, w) for w in several]
    held = [w for w in turned if not limits_passed(search, w)]
    if not held and required:
        kind = "steady motion" if search.equations.moving else "equilibrium"
        raise EquilibriumError(
            f"No {kind} within the limits was found: {'; '.join(limits_passed(search, turned[0]))}.",
            code="equilibrium-beyond-limits",
            where=f"system '{search.equations.eom.model.name}'",
            cause="Runs hold an input within its limits, joints and tables have ranges, and masses are not negative.",
            remedy="Fix other values, free another input, or give wider limits: system.input(…, limits=…), "
            "system.joint(…, limits=…), Table(…, outside=…).",
            name=search.equations.eom.model.name,
        )
    return held


def _ranges(search: Trim) -> Iterator[tuple[Symbol, Range]]:
    for _, coordinate, limits in search.equations.eom.model.limited_coordinates:
        if np.isfinite(limits).any():
            yield coordinate, limits


def _joints_passed(search: Trim, values: dict[Symbol, float]) -> Iterator[str]:
    formulas = search.equations.eom.model.values
    known: dict[Any, Any] = dict(values)
    for coordinate, (low, high) in _ranges(search):
        if coordinate not in values and coordinate not in formulas:
            continue  # its value is not known
        try:
            value = values[coordinate] if coordinate in values else float(evaluate(formulas[coordinate], known))
        except ExpressionError:
            continue
        slack = LIMIT_EXCESS * max(abs(end) for end in (low, high, value) if np.isfinite(end))
        if not low - slack <= value <= high + slack:
            yield f"{coordinate.name} = {value:.6g} is beyond the limits [{low:.6g}, {high:.6g}] of its joint"
