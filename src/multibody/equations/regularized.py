"""Solution of symmetric systems S·x = r that may become singular: all rows, regularized by unit group, and filtered.

Rows of a constraint matrix may be redundant everywhere, or only in singular positions. None of them is left out. With
the mean D of the diagonal of S over all rows of the same unit, F = S + ε·D is factored; y = F⁻¹·r then has the share
f = σ/(σ + ε) of the solution in a direction with the relative eigenvalue σ. It serves Newton's method, which repeats
it. For a single solution, two filters make the share 1 where S is regular:

    refined:   y + F⁻¹·(r - S·y)                       f·(2 - f)        exact up to (ε/σ)², stiff where S is singular
    filtered:  3·y₁ - 2·y₂ with yₖ₊₁ = F⁻¹·S·yₖ        f²·(3 - 2·f)     exact up to 3·(ε/σ)², zero where S is singular

Because S = F - ε·D, no product with S is needed: F⁻¹·S·y = y - F⁻¹·(ε·D·y), and r - S·y = ε·D·y.

The scale D belongs to a unit (force, torque, other), so that the result does not depend on units. A scale of its own
for each row would fail where the row vanishes. Of all solutions of a redundant system it is the one with the smallest
xᵀ·D·x.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from multibody.graph import ZERO, Expr, ldl, ldl_solve
from multibody.graph.functions import smallest
from multibody.graph.linear_algebra import LDL, Matrix


class Regularized(NamedTuple):
    """The factors of S + ε·D.

    Attributes:
        order: of elimination.
        factors: L·diag·Lᵀ of the matrix in that order.
        scales: D for each row in that order.
        softness: ε; 0 if the matrix is regular everywhere.
    """

    order: list[int]
    factors: LDL
    scales: Matrix
    softness: float

    def solved(self, right: Matrix) -> Matrix:
        """x without a filter, for an iteration that repeats the correction."""
        return self._unsorted(ldl_solve(self.factors, right[self.order]))

    def refined(self, right: Matrix) -> Matrix:
        """x with one correction: it holds firmly, also close to singular positions."""
        y = ldl_solve(self.factors, right[self.order])
        if self.softness:
            y = y + self._rest(y)
        return self._unsorted(y)

    def filtered(self, right: Matrix) -> Matrix:
        """x without what contradictory rows would add where the matrix is singular."""
        y = ldl_solve(self.factors, right[self.order])
        if self.softness:
            y = y - self._rest(y)
            y = y + 2 * self._rest(y)
        return self._unsorted(y)

    @property
    def smallest_pivot(self) -> Expr:
        """The smallest pivot relative to the scale of its row: zero where rows are dependent, or vanish."""
        pivots: dict[Expr, list[Expr]] = {}
        for pivot, scale in zip(self.factors.d, self.scales, strict=True):
            pivots.setdefault(scale, []).append(pivot)
        return smallest([smallest(group) / scale for scale, group in pivots.items()])

    def _rest(self, y: Matrix) -> Matrix:
        """F⁻¹·(ε·D·y)."""
        return ldl_solve(self.factors, self.scales * self.softness * y)

    def _unsorted(self, values: Matrix) -> Matrix:
        result = np.empty(values.shape, dtype=object)
        result[self.order] = values
        return result


def regularized(matrix: Matrix, groups: Sequence[str], softness: float) -> Regularized:
    """The factors of a symmetric matrix, with ``softness`` times the mean of the diagonal of each group added to it.

    Args:
        matrix: symmetric and positive semidefinite.
        groups: the unit of each row; rows of one unit share their scale.
        softness: ε; 0 for a matrix that is regular everywhere.
    """
    order = least_fill(matrix)
    firm = matrix[np.ix_(order, order)].copy()
    units = [groups[k] for k in order]
    means = {unit: _mean([firm[k, k] for k, other in enumerate(units) if other == unit]) for unit in units}
    scales = np.array([means[unit] for unit in units], dtype=object)
    if softness:
        for k, scale in enumerate(scales):
            firm[k, k] = firm[k, k] + scale * softness
    return Regularized(order, ldl(firm), scales, softness)


def least_fill(matrix: Matrix) -> list[int]:
    """An order of elimination for a symmetric matrix: always the row with the fewest neighbours next."""
    neighbours = {i: {j for j, entry in enumerate(row) if entry is not ZERO and j != i} for i, row in enumerate(matrix)}
    order = []
    while neighbours:
        row = min(neighbours, key=lambda i: (len(neighbours[i]), i))
        clique = neighbours.pop(row)
        for i in clique:
            neighbours[i] = (neighbours[i] | clique) - {i, row}
        order.append(row)
    return order


def _mean(values: Sequence[Expr]) -> Expr:
    total: Expr = sum(values, ZERO)
    return total / len(values) if len(values) > 1 else total
