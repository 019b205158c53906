"""One level of coupling: Orsino 2015, eqs. (2) and (3).

The rates x of all that the parts leave open, and of the variables new at this level, keep Ã·x + γ̃ = 0. With the
orthogonal complement C̃ (Ã·C̃ = 0) and a particular solution c̃, all of them follow from independent ones: x = C̃·a + c̃.
Dynamic equations d̄ = -(M̃·x + k̃) = 0 become C̃ᵀ·d̄ = 0, from which the constraint forces have gone:

    M = C̃ᵀ·M̃·C̃,   k = C̃ᵀ·(M̃·c̃ + k̃),   d̄ = -(M·a + k)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from multibody.errors import ModelError
from multibody.graph import ONE, ZERO, Expr, Symbol, array, free_symbols, jacobian, rank, solve_regular, substitute
from multibody.graph.linear_algebra import Matrix
from multibody.subsystems.arguments.vocabulary import rate_symbol
from multibody.subsystems.constraints.invariant import Invariant, coefficients
from multibody.subsystems.constraints.redundancy import essential_rows, independent_columns, rows_where_closed
from multibody.subsystems.content import LevelReduction, Spread, SubsystemContent, spread_of
from multibody.subsystems.sparse_product import combined, negative, times

Stage = Callable[[str], None]
Solver = Callable[[Matrix, Matrix, list[str]], Matrix]


def reduction(
    label: str, parts: Sequence[SubsystemContent], own: Sequence[Symbol], invariants: Sequence[Invariant],
    rows: Mapping[Symbol, Expr], wanted: Sequence[str] | None, start: Mapping[Any, float] | None, stage: Stage,
    solve_for: Solver | None = None, quaternions: Sequence[Sequence[Symbol]] = (),
) -> LevelReduction:  # fmt: skip
    """Put parts together under the invariants of this level.

    Args:
        label: of the new system.
        parts: its subsystems.
        own: variables that are new at this level, of the highest order.
        invariants: that are new at this level.
        rows: contributions to the dynamic equations d̄, by the variable whose row they belong to.
        wanted: names of the independent variables, if the user has a choice.
        start: values for which the choice must be a good one.
        stage: receives the name of each finished stage.
        solve_for: another way to solve Ã_dependent·X = right; it is told what the rows of X stand for.
        quaternions: coordinates of unit length, of the parts and of this level.
    """
    spread = spread_of(parts, own)
    mass, bias = _dynamics(parts, spread, rows)
    stage("dynamics")
    rates = [rate_symbol(variable) for variable in spread.variables]
    A, gamma = coefficients(invariants, rates)
    gamma = gamma + times(A, spread.s) if len(A) else gamma
    A = combined(A, spread.S)
    below = [invariant for part in parts for invariant in part.all_invariants()]
    kept = essential_rows(A, invariants, below, rates, start or {})
    if start is not None:
        kept = rows_where_closed(A, kept, invariants, below, quaternions, start)
    A, gamma = A[kept], gamma[kept]
    stage("constraints")
    how = solve_for or (lambda matrix, right, names: solved_by_blocks(matrix, right))
    C, c, independent, dependent = _complement(label, spread, A, gamma, wanted, start, how)
    stage("complement")
    if not len(A) and independent == spread.below:
        M, k = mass, bias
    else:
        M = combined(C.T, combined(mass, C))
        k = times(C.T, times(mass, c) + bias)
    stage("reduction")
    return LevelReduction(
        spread.below, A, gamma, mass, bias, C, c, tuple(independent), tuple(dependent), M, k, tuple(kept)
    )


def _dynamics(parts: Sequence[SubsystemContent], spread: Spread, rows: Mapping[Symbol, Expr]) -> tuple[Matrix, Matrix]:
    """M̃ and k̃: those of the parts, and what is added at this level, projected on x."""
    n = len(spread.below)
    mass, bias = np.full((n, n), ZERO, dtype=object), np.full(n, ZERO, dtype=object)
    at = 0
    for part in parts:
        end = at + len(part.independent)
        mass[at:end, at:end], bias[at:end] = part.M.matrix, part.k
        at = end
    if rows:
        M, k = own_dynamics(spread.variables, rows)
        places = [spread.variables.index(row) for row in rows]
        onto = spread.S[places].T
        mass = mass + combined(onto, combined(M, spread.S))
        bias = bias + times(onto, times(M, spread.s) + k)
    return mass, bias


def own_dynamics(variables: Sequence[Symbol], rows: Mapping[Symbol, Expr]) -> tuple[Matrix, Matrix]:
    """M and k in d̄ = -(M·u̇ + k) of the given rows, for the rates of all variables."""
    rates = [rate_symbol(variable) for variable in variables]
    lost = [-row for row in rows.values()]
    M = jacobian(lost, rates).reshape(len(lost), len(rates))
    bent = (
        [variable.name for variable, row in zip(rows, M, strict=True) if set(rates) & set(free_symbols(row))]
        if M.size
        else []
    )
    if bent:
        raise ModelError(
            "A dynamic equation is not linear in the rates of the highest variables.",
            where=f"dynamics of {', '.join(map(repr, bent))}",
            remedy="Solve it for the rates, or name their nonlinear combination as a variable of its own.",
            code="dynamics-not-linear-in-rates",
            names=tuple(bent),
        )
    return M, array(substitute(lost, dict.fromkeys(rates, ZERO)))


def _complement(
    label: str, spread: Spread, A: Matrix, gamma: Matrix, wanted: Sequence[str] | None,
    start: Mapping[Any, float] | None, solve_for: Solver,
) -> tuple[Matrix, Matrix, Sequence[Symbol], list[int]]:  # fmt: skip
    """C̃ and c̃, the independent variables, and the columns of Ã that were solved for."""
    names = [variable.name for variable in spread.below]
    direct = wanted if wanted is None or set(wanted) <= set(names) else None
    free = independent_columns(A, names, direct, label, start)
    bound = [j for j in range(len(names)) if j not in free]
    C, c = np.full((len(names), len(free)), ZERO, dtype=object), np.full(len(names), ZERO, dtype=object)
    C[free, range(len(free))] = ONE
    if bound:
        sides = solve_for(A[:, bound], np.column_stack([A[:, free], gamma]), [names[j] for j in bound])
        C[bound], c[bound] = negative(sides[:, :-1]), negative(sides[:, -1])
    independent = [spread.below[j] for j in free]
    if wanted is None or direct is not None:
        return C, c, tuple(independent), bound
    return *_in_other_rates(label, spread, C, c, wanted), bound


def _in_other_rates(
    label: str, spread: Spread, C: Matrix, c: Matrix, wanted: Sequence[str]
) -> tuple[Matrix, Matrix, Sequence[Symbol]]:
    """C̃ and c̃ for independent variables that are dependent ones of the parts: a_wanted = T·a + …, solved for a."""
    names = [variable.name for variable in spread.variables]
    places = [names.index(name) for name in wanted]
    T = combined(spread.S[places], C)
    if len(places) != C.shape[1] or rank(T) < len(places):
        raise ModelError(
            f"The variables {', '.join(wanted)} cannot be the independent ones.",
            where=f"subsystem '{label}'",
            cause=f"{C.shape[1]} are needed, from which all others must follow; "
            + (f"{len(places)} are named." if len(places) != C.shape[1] else "these depend on each other."),
            remedy="Name others, or none at all to have them chosen.",
            code="independent-variables-invalid",
            names=tuple(wanted),
        )
    offset = times(spread.S[places], c) + spread.s[places]
    back = solve_regular(T, np.column_stack([array(np.eye(len(places), dtype=int)), offset]))
    inverse, shift = back[:, :-1], back[:, -1]
    return combined(C, inverse), c - times(C, shift), tuple(spread.variables[k] for k in places)


def solved_by_blocks(matrix: Matrix, right: Matrix) -> Matrix:
    """x with matrix·x = right, for each part of the matrix that is connected by itself."""
    result = np.empty((matrix.shape[1], right.shape[1]), dtype=object)
    for rows, columns in _blocks(matrix):
        sides = [j for j in range(right.shape[1]) if any(entry.fp != 0 for entry in right[rows, j])]
        result[columns] = ZERO
        if sides:
            result[np.ix_(columns, sides)] = solve_regular(matrix[np.ix_(rows, columns)], right[np.ix_(rows, sides)])
    return result


def _blocks(matrix: Matrix) -> list[tuple[list[int], list[int]]]:
    """Rows and columns that are connected by nonzero entries."""
    blocks: list[tuple[set[int], set[int]]] = []
    for i, row in enumerate(matrix):
        rows, columns = {i}, {j for j, entry in enumerate(row) if entry.fp != 0}
        for block in [b for b in blocks if b[1] & columns]:
            rows, columns = rows | block[0], columns | block[1]
            blocks.remove(block)
        blocks.append((rows, columns))
    return [(sorted(rows), sorted(columns)) for rows, columns in blocks]
