"""Values of all parameters of a linear model, with auxiliary ones as least-squares solutions, level by level."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from multibody.errors import MissingValueError, ModelError
from multibody.graph import evaluate
from multibody.graph.names import require_known_names
from multibody.graph.workspace import alone
from multibody.model.freeze.inertia_checks import require_known_inertias
from multibody.model.quantity import defaults
from multibody.subsystems.arguments.vocabulary import TIME
from multibody.subsystems.linear.auxiliary import Unknowns
from multibody.subsystems.linear.linear_subsystem import LinearSubsystem
from multibody.subsystems.linear.reference import SOME_TIME
from multibody.subsystems.tolerances import AUXILIARY_RANK, AUXILIARY_RESIDUAL


@alone
def evaluate_parameters(linear: LinearSubsystem, values: Mapping[str, float] | None = None) -> dict[str, float]:
    """Numbers for all parameters of a linearized system, auxiliary ones included.

    Args:
        linear: what ``linearize`` gave.
        values: of physical parameters, by name; by default their defaults.

    Returns:
        The physical and the auxiliary parameters, by name.

    Raises:
        ModelError: if the reference is not a motion of the system for these values, or is a singular configuration.
    """
    if not hasattr(linear, "unknowns"):
        raise ModelError(
            f"{linear!r:.80} is not linearized.",
            where="evaluate_parameters",
            remedy="Give what linearize made.",
            code="not-linearized",
        )
    auxiliary = {s.name for unknown in linear.unknowns for s in unknown.symbols}
    physical = [parameter for parameter in linear.parameters if parameter.name not in auxiliary]
    _require_known(linear, values or {}, [parameter.name for parameter in physical])
    known: dict[Any, float] = {**defaults(physical, values), TIME: SOME_TIME}
    require_known_inertias(linear.label, linear.whole_appearance().inertias, known)
    for group in linear.unknowns:
        known |= _least_squares(group, known)
    _require_reference(linear, known)
    return {symbol.name: value for symbol, value in known.items() if symbol is not TIME}


def _require_known(linear: LinearSubsystem, values: Mapping[str, float], names: list[str]) -> None:
    require_known_names(
        values, names, "physical parameter", code="value-of-unknown-name", where=f"subsystem '{linear.label}'",
        error=MissingValueError,
    )  # fmt: skip


def _require_reference(linear: LinearSubsystem, known: Mapping[Any, float]) -> None:
    for demand in linear.reference_conditions.demands:
        if abs(demand.share(known)) > AUXILIARY_RESIDUAL:
            gap = float(evaluate(demand.condition, known))
            raise ModelError(
                f"For these values the reference is not a motion of the system: {demand.condition} is {gap:.3g}, not "
                "zero.",
                where=f"subsystem '{linear.label}'",
                remedy="Correct the values, or the reference motion.",
                code="reference-not-a-motion",
                value=gap,
            )


def _least_squares(one: Unknowns, known: Mapping[Any, float]) -> dict[Any, float]:
    matrix = np.array(evaluate(list(one.matrix.flat), known), dtype=float).reshape(one.matrix.shape)
    right = np.array(evaluate(list(one.right), known), dtype=float)
    rows = _largest(matrix, 1)
    columns = _largest(matrix / rows[:, None], 0)
    table, sides = matrix / rows[:, None] / columns, right / rows
    found, _, rank, _ = np.linalg.lstsq(table, sides, rcond=AUXILIARY_RANK)
    gap, size = (float(np.abs(each).max(initial=0.0)) for each in (table @ found - sides, (*found, *sides)))
    if rank < len(one.symbols) or gap > AUXILIARY_RESIDUAL * size:
        raise ModelError(
            f"The constraints of '{one.label}' do not determine its dependent variables on the reference motion.",
            where=f"subsystem '{one.label}'",
            cause="The reference is a singular configuration for these values.",
            remedy="Choose other independent variables, or another reference.",
            code="reference-singular",
            name=one.label,
        )
    return {s: float(value) for s, value in zip(one.symbols, found / columns, strict=True)}


def _largest(matrix: Any, axis: int) -> Any:
    """The largest entry of each row or column; 1 where all are zero."""
    sizes = np.abs(matrix).max(axis=axis, initial=0.0)
    return np.where(sizes > 0, sizes, 1.0)
