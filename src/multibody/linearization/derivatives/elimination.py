"""From the derivatives of all equations to the linear system of independent states, and the errors of its entries.

Small deviations from the operating point keep the equations to first order (Peterson, Gede and Hubbard 2015):

    J·δq + φ_r·δr = 0                                                    (1)  positions
    B·δu + ψ_q·δq + ψ_r·δr = 0                                           (2)  velocities
    [R_a  R_λ; α_a  0]·(δu̇, δλ) = -[R_q R_u; α_q α_u]·(δq, δu) - [R_r; α_r]·δr   (3)  forces and accelerations
    δq̇ = κ_q·δq + κ_u·δu + κ_r·δr                                        (4)  rates
    δy = g_q·δq + g_u·δu + g_a·δu̇ + g_λ·δλ + g_r·δr                      (5)  outputs

From (1) and (2) all deviations follow from the independent ones, (δq, δu) = T·δx + S·δr; with them (3) and (4) are the
descriptor form E·(δq̇, δu̇, δλ) = F·δx + G·δr of SymPy's mechanics manual. Solved for the rates, its independent rows are
A and B. The text is the same for numbers and expressions: ``Algebra`` says how matrices are multiplied and solved.

Matrices that are added, multiplied and solved lose digits where terms cancel, and the operating point is known to
rounding only: what should be zero is a small number then, as is the effect of a cart's place on its speed. The errors
of A and C follow from the same formulas with absolute values (running error analysis, Higham 2002, 3.3 and 9.3); an
entry below its error is zero. The comparison is the same in all units. Below, ``dT`` is the error of ``T``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from multibody.linearization.derivatives.independent_coordinates import IndependentChoice
from multibody.linearization.derivatives.matrices import Algebra, scaled
from multibody.linearization.derivatives.slopes import Blocks
from multibody.linearization.operating_points.point import Matrix
from multibody.linearization.tolerances import POINT_ERROR, PRODUCT_ROUNDING


class Descriptor(NamedTuple):
    """E·(δq̇, δu̇, δλ) = F·δx + G·δr, with all coordinates, speeds and multipliers on the left.

    These are the matrices M, A and B of SymPy's mechanics manual; multipliers of redundant equations are left out.
    """

    E: Any
    F: Any
    G: Any


class Elimination(NamedTuple):
    """The linear system with all that led to it.

    Attributes:
        A: state matrix.
        B: input matrix.
        C: output matrix.
        D: feedthrough.
        T: (δq, δu) = T·δx + S·δr gives all coordinates and speeds.
        S: see T.
        descriptor: the implicit form.
    """

    A: Any
    B: Any
    C: Any
    D: Any
    T: Any
    S: Any
    descriptor: Descriptor


def eliminated(d: Blocks, choice: IndependentChoice, inputs: list[int], algebra: Algebra) -> Elimination:
    """A, B, C, D from the derivatives of all equations; see the head of this file."""
    T, S = tangent(d, choice, inputs, algebra)
    x_columns, n = ("q", "u"), d["rates", "q"].shape[0]
    left = [_restricted(d, kind, choice, x_columns) for kind in ("rates", "force", "acceleration")]
    right = [_restricted(d, kind, choice, ("r",))[:, inputs] for kind in ("rates", "force", "acceleration")]
    slopes, drives = np.vstack([left[0], -left[1], -left[2]]), np.vstack([right[0], -right[1], -right[2]])
    F, G = algebra.product(slopes, T), algebra.product(slopes, S) + drives

    solved = algebra.balance(*balance_blocks(d, choice), np.hstack([F[n:], G[n:]]))  # (δu̇, δλ) by δx and δr
    by_x, by_r = np.vstack([F[:n], solved[:, : T.shape[1]]]), np.vstack([G[:n], solved[:, T.shape[1] :]])
    rows = [*choice.coordinates.free, *(n + k for k in choice.speeds.free)]

    sensed, reacting = _joined(d, "output", x_columns), _reacting(d, choice)
    C = algebra.product(sensed, T) + algebra.product(reacting, by_x[n:])
    D = algebra.product(sensed, S) + algebra.product(reacting, by_r[n:]) + d["output", "r"][:, inputs]
    return Elimination(by_x[rows], by_r[rows], C, D, T, S, Descriptor(_descriptor(d, choice, algebra), F, G))


def tangent(d: Blocks, choice: IndependentChoice, inputs: list[int], algebra: Algebra) -> tuple[Any, Any]:
    """T and S in (δq, δu) = T·(δq_i, δu_i) + S·δr, by equations (1) and (2)."""
    (q_free, q_bound, q_rows), (u_free, u_bound, u_rows) = choice
    n, m, inner = len(q_free) + len(q_bound), len(u_free) + len(u_bound), len(q_free)
    T = algebra.zeros(n + m, inner + len(u_free))
    S = algebra.zeros(n + m, len(inputs))
    T[q_free, range(inner)] = T[[n + k for k in u_free], range(inner, T.shape[1])] = algebra.one
    if q_bound:
        J, by_r = d["position", "q"][q_rows], d["position", "r"][np.ix_(q_rows, inputs)]
        found = -algebra.solve(J[:, q_bound], np.hstack([J[:, q_free], by_r]))
        T[q_bound, :inner], S[q_bound] = found[:, :inner], found[:, inner:]
    if u_bound:
        B, by_q = d["velocity", "u"][u_rows], d["velocity", "q"][u_rows]
        by_r = d["velocity", "r"][np.ix_(u_rows, inputs)] + algebra.product(by_q, S[:n])
        right = np.hstack([algebra.product(by_q, T[:n, :inner]), B[:, u_free], by_r])
        found, rows = -algebra.solve(B[:, u_bound], right), [n + k for k in u_bound]
        T[rows], S[rows] = found[:, : T.shape[1]], found[:, T.shape[1] :]
    return T, S


def reaction(d: Blocks, choice: IndependentChoice, algebra: Algebra) -> Any:
    """u̇ and λ at the operating point, from the derivatives and the values of R and α for u̇ = 0 and λ = 0."""
    rows = choice.speeds.rows
    right = -np.concatenate([d.value("force"), d.value("acceleration")[rows]])
    return algebra.balance(*balance_blocks(d, choice), right[:, None])[:, 0]


def balance_blocks(d: Blocks, choice: IndependentChoice) -> tuple[Any, Any, Any]:
    """M, -Bᵀ and B of the constraint equations that count."""
    rows = choice.speeds.rows
    return d["force", "a"], d["force", "l"][:, rows], d["acceleration", "a"][rows]


def _descriptor(d: Blocks, choice: IndependentChoice, algebra: Algebra) -> Any:
    mass, forces, rows = balance_blocks(d, choice)
    n, m, size = d["rates", "q"].shape[0], len(mass), len(rows)
    E = algebra.zeros(n + m + size, n + m + size)
    E[range(n), range(n)] = algebra.one
    E[n : n + m, n : n + m], E[n : n + m, n + m :], E[n + m :, n : n + m] = mass, forces, rows
    return E


def _joined(d: Blocks, kind: str, columns: tuple[str, ...]) -> Any:
    return np.hstack([d[kind, column] for column in columns])


def _restricted(d: Blocks, kind: str, choice: IndependentChoice, columns: tuple[str, ...]) -> Any:
    """The derivatives of equations of a kind; of the accelerations only those that count."""
    found = _joined(d, kind, columns)
    return found[choice.speeds.rows] if kind == "acceleration" else found


def _reacting(d: Blocks, choice: IndependentChoice) -> Any:
    return np.hstack([d["output", "a"], d["output", "l"][:, choice.speeds.rows]])


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
        works = largest_entries(whole[m:, :m] * lengths, 1)  # of a unit multiplier
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
    rows = largest_entries(matrix, 1)[:, None]
    columns = largest_entries(matrix / rows, 0)
    return np.asarray(np.linalg.inv(matrix / rows / columns) / columns[:, None] / rows.T)


def largest_entries(matrix: Matrix, axis: int) -> Matrix:
    """The largest entries along an axis, by absolute value; one where there are none."""
    found = np.abs(matrix).max(axis=axis, initial=0.0)
    return np.where(found > 0, found, 1.0)


def without_rounding(matrix: Matrix, errors: Matrix) -> Matrix:
    """A matrix in which entries that are nothing but rounding are zero."""
    return np.where(np.abs(matrix) > errors, matrix, 0.0)
