"""Auxiliary parameters: entries of complements that are found by numbers (Orsino 2015, section 3).

The complement of a large linearized system may have no short closed form. Its entries are then symbols; for given
physical parameters they are the least-squares solution of the equations that define them, level by level. Entries that
change along the reference motion are no parameters; they are solved for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from multibody.errors import MissingValueError, ModelError
from multibody.graph import ZERO, Symbol, evaluate, free_symbols, jacobian, substitute, symbol
from multibody.graph.linear_algebra import Matrix
from multibody.graph.names import suggestion
from multibody.graph.workspace import alone
from multibody.model.quantity import Parameter, defaults
from multibody.modular.reduction import solved_by_blocks
from multibody.modular.reference import SOME_TIME
from multibody.modular.vocabulary import TIME

if TYPE_CHECKING:
    from multibody.modular.linear_subsystem import LinearSubsystem

TOLERANCE = 1e-8
"""How well the equations of auxiliary parameters must be satisfied, relative to their right-hand sides."""


class Unknowns(NamedTuple):
    """matrix·x = right, for auxiliary parameters x in the order of ``symbols``."""

    label: str
    symbols: tuple[Symbol, ...]
    matrix: Matrix
    right: Matrix


class Auxiliary:
    """Solves linear equations by giving names to the solution.

    Args:
        label: of the level, which the names begin with.
    """

    def __init__(self, label: str) -> None:
        self._label = label
        self.unknowns: list[Unknowns] = []

    def solve(self, matrix: Matrix, right: Matrix, names: list[str]) -> Matrix:
        """X with matrix·X = right: a new symbol for every entry, and for every deviation that it depends on."""
        if TIME in free_symbols([*matrix.flat, *right.flat]):
            return solved_by_blocks(matrix, right)
        result = np.full((matrix.shape[1], right.shape[1]), ZERO, dtype=object)
        for j, side in enumerate(right.T):
            deviations = [one for one in free_symbols(list(side)) if one.kind not in ("parameter", "time")]
            slopes = jacobian(list(side), deviations).reshape(len(side), len(deviations))
            still = np.array(substitute(list(side), dict.fromkeys(deviations, ZERO)), dtype=object)
            for factor, column in [(None, still), *zip(deviations, slopes.T, strict=True)]:
                if any(entry.fp != 0 for entry in column):
                    named = self._named(matrix, column, names)
                    result[:, j] = result[:, j] + (named if factor is None else named * factor)
        return result

    def _named(self, matrix: Matrix, column: Matrix, names: list[str]) -> Matrix:
        number = len(self.unknowns) + 1
        symbols = [symbol(f"c_{self._label}_{number}_{name}", "parameter") for name in names]
        self.unknowns.append(Unknowns(self._label, tuple(symbols), matrix, column))
        return np.array(symbols, dtype=object)

    def parameters(self) -> list[Parameter]:
        """The symbols as parameters without values."""
        return [Parameter(s.name, s, {s: None}, "", "auxiliary") for one in self.unknowns for s in one.symbols]


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
            f"{linear!r:.80} is not linearized.", where="evaluate_parameters", remedy="Give what linearize made."
        )
    auxiliary = {s.name for one in linear.unknowns for s in one.symbols}
    physical = [one for one in linear.parameters if one.name not in auxiliary]
    _require_known(linear, values or {}, [one.name for one in physical])
    known: dict[Any, float] = {**defaults(physical, values), TIME: SOME_TIME}
    for one in linear.unknowns:
        known |= _least_squares(one, known)
    _require_reference(linear, known)
    return {one.name: value for one, value in known.items() if one is not TIME}


def _require_known(linear: LinearSubsystem, values: Mapping[str, float], names: list[str]) -> None:
    unknown = [name for name in values if name not in names]
    if unknown:
        raise MissingValueError(
            f"There is no physical parameter {', '.join(map(repr, unknown))}.",
            where=f"subsystem '{linear.label}'",
            cause=suggestion(unknown, names),
            remedy=f"The physical parameters are: {', '.join(names)}.",
        )


def _require_reference(linear: LinearSubsystem, known: Mapping[Any, float]) -> None:
    for condition in (*linear.conditions, *linear.residual):
        gap = float(evaluate(condition, known))
        if abs(gap) > TOLERANCE:
            raise ModelError(
                f"For these values the reference is not a motion of the system: {condition} is {gap:.3g}, not zero.",
                where=f"subsystem '{linear.label}'",
                remedy="Correct the values, or the reference motion.",
            )


def _least_squares(one: Unknowns, known: Mapping[Any, float]) -> dict[Any, float]:
    matrix = np.array(evaluate(list(one.matrix.flat), known), dtype=float).reshape(one.matrix.shape)
    right = np.array(evaluate(list(one.right), known), dtype=float)
    found, _, rank, _ = np.linalg.lstsq(matrix, right, rcond=1e-12)
    gap = float(np.abs(matrix @ found - right).max(initial=0.0))
    if rank < len(one.symbols) or gap > TOLERANCE * max(1.0, float(np.abs(right).max(initial=0.0))):
        raise ModelError(
            f"The constraints of '{one.label}' do not determine its dependent variables on the reference motion.",
            where=f"subsystem '{one.label}'",
            cause="The reference is a singular configuration for these values.",
            remedy="Choose other independent variables, or another reference.",
        )
    return {s: float(value) for s, value in zip(one.symbols, found, strict=True)}
