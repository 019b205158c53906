"""Algebraic equations among those of motion: multipliers that stand among the states.

In M·(ẋ, λ) = F(x, λ) some rows hold no rates. The states λ of these rows are given by the equations themselves, whether
they stand in the place of rates, as the values of a multiplier do, or on the right.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from multibody.errors import ModelError
from multibody.graph import ZERO, Symbol, array, free_symbols, jacobian, rank, solve_regular, substitute
from multibody.graph.linear_algebra import Matrix


def solved_with_algebraic(name: str, matrix: Matrix, right: Matrix, algebraic: Mapping[int, Symbol]) -> Matrix:
    """(ẋ, λ) in the order of the columns, from (M - ∂F/∂λ)·(ẋ, λ) = F(x, 0).

    Args:
        name: of the model.
        matrix: M.
        right: F.
        algebraic: the symbol of each λ, by its column.
    """
    unknown = list(algebraic.values())
    W = matrix.copy()
    W[:, list(algebraic)] = W[:, list(algebraic)] - jacobian(list(right), unknown)
    if set(unknown) & set(free_symbols(W)) or rank(W) < len(W):
        raise ModelError(
            f"The algebraic equations {', '.join(map(str, algebraic))} of the SymbolicSystem cannot be solved.",
            where=f"model '{name}'",
            cause="They do not determine their own states, or are not linear in them: constraints on other states have "
            "to be differentiated first.",
            remedy="Convert the KanesMethod, LagrangesMethod or System that has the constraints.",
        )
    still: Any = dict.fromkeys(unknown, ZERO)
    solved: Matrix = solve_regular(W, array(substitute(list(right), still)))
    return solved
