"""Rows of the dynamic equations d̄, by the variables that they have power with.

Variables w of the highest order may stand for accelerations, u̇ = N·w + ν, with dynamic equations in w. They are not
states: w = W·u̇ + w₀ follows from the relations and from invariants that hold among them, and the dynamic equations are
projected on the states' rates, Wᵀ·d̄. The names stay known, as other names for these expressions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from multibody.errors import ModelError
from multibody.graph import ZERO, Expr, Symbol, array, evaluate, free_symbols, jacobian, rank, solve_regular, substitute
from multibody.graph.linear_algebra import Matrix
from multibody.graph.names import suggestion
from multibody.model.quantity import rate_name
from multibody.subsystems.arguments.vocabulary import LevelVocabulary, rate_symbol, several
from multibody.subsystems.reduction import own_dynamics


def dynamic_rows(label: str, dynamics: Any, top: Sequence[Symbol], vocabulary: LevelVocabulary) -> dict[Symbol, Expr]:
    """Contributions to d̄ by variable; without names they belong to the highest variables in their order."""
    names = {one.name: one for one in top}
    if not isinstance(dynamics, Mapping):
        things = several(dynamics)
        if things and len(things) != len(top):
            raise ModelError(
                f"The number of dynamic equations is {len(things)}, not {len(top)}.",
                where=f"subsystem '{label}'",
                cause="" if top else "The rates of all variables are given by kinematic relations.",
                remedy=f"Give one for each of: {', '.join(names) or 'none'}; or by name, where some have none.",
                code="number-of-dynamic-equations-wrong",
                value=len(things),
            )
        dynamics = dict(zip(names, things, strict=False))
    unknown = [str(name) for name in dynamics if str(name) not in names]
    if unknown:
        raise ModelError(
            f"There is no row {', '.join(map(repr, unknown))} in the dynamic equations.",
            where=f"subsystem '{label}'",
            cause=suggestion(unknown, names)
            or "Rows belong to variables of the highest order, whose rates are unknown.",
            remedy=f"The rows are: {', '.join(names) or 'none'}.",
            code="dynamic-equation-unknown",
            names=tuple(unknown),
        )
    rows = {names[str(one)]: vocabulary.read(thing, f"dynamics of '{one}'") for one, thing in dynamics.items()}
    _require_signs(label, top, rows)
    return rows


def _require_signs(label: str, top: Sequence[Symbol], rows: Mapping[Symbol, Expr]) -> None:
    """An error for inertia with the wrong sign: coupled, such an equation would push where it should resist."""
    if not rows:
        return
    M, _ = own_dynamics(top, rows)
    for k, one in enumerate(rows):
        entry = M[k, list(top).index(one)]
        symbols = free_symbols(entry)
        constant = entry.fp != 0 and all(s.kind == "parameter" for s in symbols)
        if constant and float(evaluate(entry, dict.fromkeys(symbols, 1.0))) < 0:
            raise ModelError(
                f"The inertia in the dynamic equation of '{one.name}' has the wrong sign.",
                where=f"subsystem '{label}'",
                cause="Equations are written as applied forces minus inertia forces.",
                remedy=f"Change the sign of the whole equation, such as 'F - m*{rate_name(one.name)}'.",
                code="inertia-sign-wrong",
                name=one.name,
            )


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
            code="quasi-accelerations-undetermined",
            names=tuple(one.name for one in unknown),
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
