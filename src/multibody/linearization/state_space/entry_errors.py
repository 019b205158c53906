"""Sizes of the terms in each entry of A, B and C: relative errors of these sums bound the errors of the entries.

The descriptor form E·ẋ = F·x + G·r gives A = E⁻¹·F row by row. Relative errors ε of the entries of E and F change A by
up to ε·|E⁻¹|·(|F| + |E|·|A|) (Oettli and Prager 1964; Skeel 1979). This bound has the units of A: it is the same in
meters and in micrometers. An entry that is small in its row and in its column, such as a force times cos(π/2), has the
error of a share of the largest term there. Entries that are exactly zero are known.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from multibody.linearization.derivatives.elimination import Descriptor
from multibody.linearization.operating_points.point import Matrix
from multibody.linearization.tolerances import ENTRY_ROUNDING, ENTRY_SHARE


class KnownEntries(NamedTuple):
    """Matrices of a linear system without rounding errors in the place of zeros, and the sizes of their terms.

    Attributes:
        A: state matrix.
        B: input matrix.
        C: output matrix.
        A_terms: the sizes of what adds up to each entry of A; zero for entries that are zero by structure.
        B_terms: likewise.
        C_terms: likewise.
    """

    A: Matrix
    B: Matrix
    C: Matrix
    A_terms: Matrix
    B_terms: Matrix
    C_terms: Matrix

    def part(self, states: list[int], inputs: list[int] | None = None) -> KnownEntries:
        """Those of some states, and of some or all inputs."""
        square, columns = np.ix_(states, states), slice(None) if inputs is None else inputs
        B, B_terms = (matrix[states][:, columns] for matrix in (self.B, self.B_terms))
        C, C_terms = (matrix[:, states] for matrix in (self.C, self.C_terms))
        return KnownEntries(self.A[square], B, C, self.A_terms[square], B_terms, C_terms)


class Sizes(NamedTuple):
    """Sizes of all coordinates, of what all speeds are the rates of, and of the states."""

    coordinates: Matrix
    speeds: Matrix
    states: Matrix


def exact_entries(A: Matrix, B: Matrix, C: Matrix) -> KnownEntries:
    """Entries of a system of plain numbers: each is known to its own rounding error."""
    return KnownEntries(A, B, C, np.abs(A), np.abs(B), np.abs(C))


def model_entries(
    matrices: tuple[Matrix, Matrix, Matrix], descriptor: Descriptor, rows: list[int], sizes: Sizes
) -> KnownEntries:
    """Entries of the linear system of a model, with the terms of its descriptor form.

    Args:
        matrices: A, B and C.
        descriptor: E, F and G.
        rows: which rates of the descriptor form belong to the states.
        sizes: at the operating point.
    """
    largest = _terms(matrices[2], descriptor, rows, sizes, 1.0)
    A, B, C = (
        np.where(np.abs(values) > ENTRY_ROUNDING * bound, values, 0.0)
        for values, bound in zip(matrices, largest, strict=True)
    )
    return KnownEntries(A, B, C, *_terms(matrices[2], descriptor, rows, sizes, ENTRY_SHARE))


def _terms(
    C: Matrix, descriptor: Descriptor, rows: list[int], sizes: Sizes, share: float
) -> tuple[Matrix, Matrix, Matrix]:
    """The terms of A, B and C; an entry counts at least as much as a share of the largest in its row and column."""
    E, F, G = (np.asarray(matrix, dtype=float) for matrix in descriptor)
    n, m = len(sizes.coordinates), len(sizes.speeds)
    positions = sum(row < n for row in rows)
    ones, blocks = np.ones(len(E) - n - m), (slice(0, n), slice(n, n + m), slice(n + m, None))
    weights = 1 / sizes.coordinates, sizes.speeds, ones  # of rates, forces (by virtual work) and constraints
    E_terms, F_terms, G_terms = np.abs(E), np.abs(F), np.abs(G)
    for block, weight in zip(blocks, weights, strict=True):
        by_column = block is not blocks[2]  # constraint equations have units of their own
        for columns in (slice(0, positions), slice(positions, None)):
            F_terms[block, columns] = _raised(F[block, columns], weight, sizes.states[columns], share, by_column)
        G_terms[block] = _raised(G[block], weight, np.ones(G.shape[1]), share, by_column, by_row=False)
    forces, constraints = blocks[1], blocks[2]
    E_terms[forces, forces] = _raised(E[forces, forces], sizes.speeds, sizes.speeds, share)
    E_terms[forces, constraints] = _raised(E[forces, constraints], sizes.speeds, ones, share, by_row=False)
    E_terms[constraints, forces] = _raised(E[constraints, forces], ones, sizes.speeds, share, by_column=False)
    inverse = _inverse(E)
    by_x, by_r = np.abs(inverse @ F), np.abs(inverse @ G)
    A_terms = (np.abs(inverse) @ (F_terms + E_terms @ by_x))[rows]
    B_terms = (np.abs(inverse) @ (G_terms + E_terms @ by_r))[rows]
    outputs = [
        _raised(C[:, columns], np.ones(len(C)), sizes.states[columns], share, by_column=False)
        for columns in (slice(0, positions), slice(positions, None))
    ]
    return A_terms, B_terms, np.hstack(outputs)


def _raised(
    block: Matrix, left: Matrix, right: Matrix, share: float, by_column: bool = True, *, by_row: bool = True
) -> Matrix:
    """|block|, its nonzero entries raised to a share of the largest in their row or column, in sizes of the model."""
    scaled = np.abs(block) * left[:, None] * right
    largest = np.zeros_like(scaled)
    if by_row:
        largest = np.maximum(largest, scaled.max(axis=1, initial=0.0)[:, None])
    if by_column:
        largest = np.maximum(largest, scaled.max(axis=0, initial=0.0)[None, :])
    return np.where(block != 0, np.maximum(scaled, share * largest), 0.0) / (left[:, None] * right)


def _inverse(E: Matrix) -> Matrix:
    """E⁻¹ by way of rows and columns with the largest entries one; the pseudoinverse of that if it is singular."""
    left = 1 / np.maximum(np.abs(E).max(axis=1, initial=0.0), np.finfo(float).tiny)
    right = 1 / np.maximum(np.abs(left[:, None] * E).max(axis=0, initial=0.0), np.finfo(float).tiny)
    scaled = left[:, None] * E * right
    try:
        inverse = np.linalg.inv(scaled)
    except np.linalg.LinAlgError:
        inverse = np.linalg.pinv(scaled)
    return np.asarray(right[:, None] * inverse * left)
