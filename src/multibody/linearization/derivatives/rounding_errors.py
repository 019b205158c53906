"""Errors of the entries of A and C, by running error analysis of the elimination (Higham 2002, 3.3 and 9.3).

Matrices that are added, multiplied and solved lose digits where terms cancel, and the operating point is known to
rounding only: what should be zero is a small number then, as is the effect of a cart's place on its speed. The errors
of all entries follow from the same formulas with absolute values; an entry below its error is zero. The comparison is
the same in all units. Below, ``dT`` is the error of ``T``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from multibody.linearization.derivatives.elimination import Elimination, balance_blocks
from multibody.linearization.derivatives.independent_coordinates import IndependentChoice
from multibody.linearization.derivatives.matrices import scaled
from multibody.linearization.derivatives.slopes import Blocks
from multibody.linearization.operating_points.point import Matrix
from multibody.linearization.tolerances import POINT_ERROR, PRODUCT_ROUNDING


class Rounding(NamedTuple):
    """Errors of the entries of A and C."""

    A: Matrix
    C: Matrix


def rounding_errors(d: Blocks, changes: Blocks, choice: IndependentChoice, found: Elimination) -> Rounding:
    """The errors of the entries of a linear system.

    Args:
        d: the derivatives of all equations.
        changes: of these, where the operating point changes by the sizes of its numbers.
        choice: of independent coordinates and speeds.
        found: the linear system.
    """
    errors = Blocks(PRODUCT_ROUNDING * np.abs(d.matrix) + POINT_ERROR * changes.matrix, d.values, d.rows, d.columns)
    n, rows = d["rates", "q"].shape[0], choice.speeds.rows
    T, dT = np.abs(found.T), _tangent_errors(d, errors, choice, np.abs(found.T))
    slopes, dslopes = (np.abs(_slopes(blocks, rows)) for blocks in (d, errors))
    dF = slopes @ dT + dslopes @ T
    whole, dwhole = (_whole(blocks, choice) for blocks in (d, errors))
    inverse = scaled_inverse(whole)
    solved = np.abs(inverse @ found.descriptor.F[n:])
    dsolved = np.abs(inverse) @ (dF[n:] + dwhole @ solved)
    places = [*choice.coordinates.free, *(n + k for k in choice.speeds.free)]
    (sensed, reacting), (dsensed, dreacting) = (_outputs(blocks, rows) for blocks in (d, errors))
    dC = sensed @ dT + dsensed @ T + reacting @ dsolved + dreacting @ solved
    return Rounding(np.vstack([dF[:n], dsolved])[places], dC)


def reaction_sizes(d: Blocks, choice: IndependentChoice, reactions: Matrix, lengths: Matrix) -> Matrix:
    """Sizes of accelerations and multipliers: those of the terms that balance in them.

    Args:
        d: the derivatives of all equations.
        choice: of independent coordinates and speeds.
        reactions: accelerations, and multipliers of the constraints that count.
        lengths: of what each speed is the rate of, so that forces and moments are comparable.
    """
    whole, m, sizes = _whole(d, choice), len(lengths), np.abs(reactions)
    if len(whole) > m:
        works = _largest(whole[m:, :m] * lengths, 1)  # of a unit multiplier
        sizes[m:] = (sizes[m:] * works).max() / works
    return np.asarray(np.maximum(sizes, np.abs(scaled_inverse(whole)) @ (np.abs(whole) @ sizes)))


def mass_condition(d: Blocks, choice: IndependentChoice) -> float:
    """The condition of the mass matrix, after rows and columns were scaled to the same size; 1 with constraints.

    Constraints make up for masses that are missing, and have a condition of their own.
    """
    mass, _, constraints = balance_blocks(d, choice)
    if not len(mass) or len(constraints):
        return 1.0
    return float(np.linalg.cond(scaled(np.asarray(mass), len(mass))[0]))


def _slopes(d: Blocks, rows: list[int]) -> Matrix:
    """The derivatives of rates, forces and accelerations by coordinates and speeds."""
    rates, forces, accelerations = (
        np.hstack([d[kind, "q"], d[kind, "u"]]) for kind in ("rates", "force", "acceleration")
    )
    return np.vstack([rates, forces, accelerations[rows]])


def _whole(d: Blocks, choice: IndependentChoice) -> Matrix:
    mass, forces, constraints = balance_blocks(d, choice)
    size = len(constraints)
    return np.block([[mass, forces], [constraints, np.zeros((size, size))]]) if size else np.asarray(mass)


def _outputs(d: Blocks, rows: list[int]) -> tuple[Matrix, Matrix]:
    """Sizes of the derivatives of outputs by coordinates and speeds, and by accelerations and multipliers."""
    sensed = np.hstack([d["output", "q"], d["output", "u"]])
    reacting = np.hstack([d["output", "a"], d["output", "l"][:, rows]])
    return np.abs(sensed), np.abs(reacting)


def _tangent_errors(d: Blocks, errors: Blocks, choice: IndependentChoice, T: Matrix) -> Matrix:
    """Errors of T: dependent coordinates and speeds by independent ones."""
    (q_free, q_bound, q_rows), (u_free, u_bound, u_rows) = choice
    n, inner, found = len(q_free) + len(q_bound), len(q_free), np.zeros(T.shape)
    if q_bound:
        J, dJ = d["position", "q"][q_rows], errors["position", "q"][q_rows]
        right = dJ[:, q_free] + dJ[:, q_bound] @ T[q_bound, :inner]
        found[q_bound, :inner] = np.abs(scaled_inverse(J[:, q_bound])) @ right
    if u_bound:
        B, dB = d["velocity", "u"][u_rows], errors["velocity", "u"][u_rows]
        by_q, dby_q = np.abs(d["velocity", "q"][u_rows]), errors["velocity", "q"][u_rows]
        places = [n + k for k in u_bound]
        turned = by_q @ found[:n, :inner] + dby_q @ T[:n, :inner]
        right = np.hstack([turned, dB[:, u_free]]) + dB[:, u_bound] @ T[places]
        found[places] = np.abs(scaled_inverse(B[:, u_bound])) @ right
    return found


def scaled_inverse(matrix: Matrix) -> Matrix:
    """The inverse, after rows and columns were scaled to the same size."""
    if not len(matrix):
        return np.zeros((0, 0))
    rows = _largest(matrix, 1)[:, None]
    columns = _largest(matrix / rows, 0)
    return np.asarray(np.linalg.inv(matrix / rows / columns) / columns[:, None] / rows.T)


def _largest(matrix: Matrix, axis: int) -> Matrix:
    found = np.abs(matrix).max(axis=axis, initial=0.0)
    return np.where(found > 0, found, 1.0)


def without_rounding(matrix: Matrix, errors: Matrix) -> Matrix:
    """A matrix in which entries that are nothing but rounding are zero."""
    return np.where(np.abs(matrix) > errors, matrix, 0.0)
