"""Variables of the highest order that stand for accelerations: w with u̇ = N·w + ν, and dynamic equations in w.

They are not states: w = W·u̇ + w₀ follows from the relations and from invariants that hold among them, and the dynamic
equations are projected on the states' rates, Wᵀ·d̄. The names stay known, as other names for these expressions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from multibody.errors import ModelError
from multibody.graph import ZERO, Expr, Symbol, array, jacobian, rank, solve_regular, substitute
from multibody.graph.linear_algebra import Matrix
from multibody.modular.vocabulary import rate_symbol


def accelerations_in_rates(
    label: str, top: Sequence[Symbol], relations: Mapping[Symbol, Expr], unknown: Sequence[Symbol],
    equations: Sequence[Expr],
) -> tuple[dict[str, Expr], Matrix]:  # fmt: skip
    """Each w as an expression of the rates u̇, and W.

    Args:
        label: of the subsystem.
        top: u.
        relations: u̇ = N·w + ν.
        unknown: w.
        equations: invariants among w.
    """
    rates = [rate_symbol(one) for one in top]
    known = [relations[one] - rate for one, rate in zip(top, rates, strict=True)] + list(equations)
    matrix = jacobian(known, unknown).reshape(len(known), len(unknown))
    if len(known) != len(unknown) or rank(matrix) < len(unknown):
        raise ModelError(
            f"The {len(unknown)} quasi-accelerations {', '.join(one.name for one in unknown)} do not follow from the "
            f"rates of {', '.join(one.name for one in top)}.",
            where=f"subsystem '{label}'",
            cause=f"{len(top)} kinematic relations and {len(equations)} invariants must determine them.",
            remedy="Give as many relations and invariants of this order as there are quasi-accelerations.",
        )
    rest = array(substitute(known, dict.fromkeys(unknown, ZERO)))
    values = solve_regular(matrix, -rest)
    W = jacobian(list(values), rates).reshape(len(unknown), len(rates))
    return {one.name: value for one, value in zip(unknown, values, strict=True)}, W


def projected_rows(top: Sequence[Symbol], rows: Sequence[Expr], W: Matrix) -> dict[Symbol, Expr]:
    """Wᵀ·d̄, by the variables u."""
    sums = np.full(len(top), ZERO, dtype=object)
    for row, factors in zip(rows, W, strict=True):
        sums = sums + np.array([factor * row for factor in factors], dtype=object)
    return {one: total for one, total in zip(top, sums, strict=True) if total.fp != 0}
