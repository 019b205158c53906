"""The orthogonal complement to first order, Ã₀·C₁ + Ã₁·C₀ = 0, and what it does to forces that are there already."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from multibody.graph import ZERO, Expr, Symbol, array
from multibody.graph.linear_algebra import Matrix
from multibody.subsystems.arguments.vocabulary import rate_symbol
from multibody.subsystems.constraints.invariant import coefficients
from multibody.subsystems.content import LevelReduction, Spread, SubsystemContent, spread_of
from multibody.subsystems.linear.auxiliary import Auxiliary
from multibody.subsystems.linear.first_order import Expansion
from multibody.subsystems.linear.linear_subsystem import LinearSubsystem
from multibody.subsystems.reduction import solved_by_blocks
from multibody.subsystems.sparse_product import combined, negative, times


class FirstOrder:
    """The first-order part C₁ of a level's complement, and what it does; computed when it is asked for.

    Args:
        system: the level that is linearized.
        parts: its parts, linearized.
        expansion: about the reference motion.
        found: the reduction on the reference motion.
        lost: the residual -d̄ of this level's own rows on the reference motion.
        auxiliary: gives names to what is not solved for.
    """

    def __init__(
        self, system: SubsystemContent, parts: tuple[LinearSubsystem, ...], expansion: Expansion, found: LevelReduction,
        lost: Mapping[Symbol, Expr], auxiliary: Auxiliary | None,
    ) -> None:  # fmt: skip
        self._system, self._parts, self._expansion, self._found = system, parts, expansion, found
        self._lost, self.auxiliary = lost, auxiliary

    @cached_property
    def spread(self) -> Spread:
        """S₀ of the parts."""
        return spread_of(self._parts, self._system.own)

    @cached_property
    def _own_residual(self) -> Matrix:
        """e₀ of this level's own rows, for all variables."""
        return array([self._lost.get(one, ZERO) for one in self.spread.variables])

    @cached_property
    def residual(self) -> Matrix:
        """e₀ of all that the parts leave open."""
        of_parts = [entry for part in self._parts for entry in part.residual]
        below = array([*of_parts, *[ZERO] * len(self._system.own)])
        return below + times(self.spread.S.T, self._own_residual)

    @property
    def geometric(self) -> Matrix:
        """C₁ᵀ·e₀, and C₀ᵀ·S₁ᵀ·e₀ of this level's own rows."""
        total = array([ZERO] * len(self._found.independent))
        if any(entry.fp != 0 for entry in self.residual):
            total = total + times(self.C1.T, self.residual)
        if any(entry.fp != 0 for entry in self._own_residual):
            total = total + times(self._found.C.T, times(self._slope_below.T, self._own_residual))
        return total

    @cached_property
    def C1(self) -> Matrix:
        """From K·C̃ = (0, 1), where K has the constraints and the rows of the independent variables."""
        chosen = [self.spread.variables.index(one) for one in self._found.independent]
        rates = [rate_symbol(one) for one in self.spread.variables]
        A0, A1 = self._expansion.matrix(coefficients(self._system.invariants, rates)[0])
        K0 = np.vstack([combined(A0, self.spread.S), self.spread.S[chosen]])
        K1 = np.vstack([combined(A1, self.spread.S) + combined(A0, self._slope_below), self._slope_below[chosen]])
        right = negative(combined(K1, self._found.C))
        names = [f"{one.name}_slope" for one in self.spread.below]
        how = self.auxiliary.solve if self.auxiliary else lambda matrix, sides, _: solved_by_blocks(matrix, sides)
        return how(K0, right, names)

    @cached_property
    def _slope_below(self) -> Matrix:
        """S₁ of the parts."""
        result = np.full(self.spread.S.shape, ZERO, dtype=object)
        row = column = 0
        for part in self._parts:
            rows, columns = len(part.top), len(part.independent)
            if part.complement is not None:
                result[row : row + rows, column : column + columns] = part.complement.slope
            row, column = row + rows, column + columns
        return result

    @cached_property
    def slope(self) -> Matrix:
        """S₁ of this level: S₁·C₀ + S₀·C₁."""
        if not self._system.invariants and not self._parts:
            return np.full((len(self.spread.variables), len(self._found.independent)), ZERO, dtype=object)
        return combined(self._slope_below, self._found.C) + combined(self.spread.S, self.C1)
