"""Auxiliary parameters: entries of complements that are found by numbers (Orsino 2015, section 3).

The complement of a large linearized system may have no short closed form. Its entries are then symbols; for given
physical parameters they are the least-squares solution of the equations that define them, level by level. Entries that
change along the reference motion are no parameters; they are solved for.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from multibody.graph import ZERO, Symbol, free_symbols, jacobian, substitute, symbol
from multibody.graph.linear_algebra import Matrix
from multibody.model.quantity import Parameter
from multibody.subsystems.arguments.vocabulary import TIME
from multibody.subsystems.reduction import solved_by_blocks


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
            deviations = [symbol for symbol in free_symbols(list(side)) if symbol.kind not in ("parameter", "time")]
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
        return [Parameter(s.name, s, {s: None}, "", "auxiliary") for unknown in self.unknowns for s in unknown.symbols]
