"""The explicit form ẋ = f(t, x): the reduced equations solved, and carried down to all variables.

At the top M·a = -k is solved for the rates of the independent variables. Each level gives x = C̃·a + c̃, which contains
the rates of the independent variables of its parts; these do the same.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from multibody.equations.regularized import least_fill
from multibody.errors import SingularMatrixError
from multibody.graph import ZERO, Expr, Symbol, array, closed_form, jacobian, ldl, ldl_solve, reduced, solve
from multibody.graph.linear_algebra import Matrix
from multibody.graph.workspace import alone
from multibody.model.quantity import rate_name
from multibody.subsystems.arguments.vocabulary import rate_symbol
from multibody.subsystems.constraints.invariant import Invariant
from multibody.subsystems.content import SubsystemContent, spread_of
from multibody.subsystems.reduction import solved_by_blocks
from multibody.subsystems.sparse_product import negative, times


@alone
def explicit_form(system: SubsystemContent, seconds: float) -> Mapping[str, Expr]:
    """The rate of every variable, in closed form."""
    rates = accelerations(system)
    everything = {rate_name(variable.name): rate for variable, rate in system.rates.items()}
    everything |= {rate_name(variable.name): rates[variable] for variable in system.top}
    return dict(zip(everything, shortened(list(everything.values()), system, seconds), strict=True))


def shortened(values: list[Expr], system: SubsystemContent, seconds: float) -> list[Expr]:
    """Closed forms, with the known identities put in."""
    if not values:
        return []
    if system.identities:
        return list(reduced(values, system.identities, seconds=seconds))
    return list(closed_form(values, seconds=seconds))


def accelerations(system: SubsystemContent) -> dict[Symbol, Expr]:
    """The rates of all variables of the highest order, as functions of (t, q, u, inputs, parameters)."""
    return _carried_down(system, independent_rates(system))


def independent_rates(system: SubsystemContent) -> Matrix:
    """a from M·a = -k."""
    M, right = system.reduced.M, negative(system.reduced.k)
    if not len(M):
        return array([])
    try:
        if any(M[i, j].fp != M[j, i].fp for i in range(len(M)) for j in range(i)):
            return np.asarray(solve(M, right))
        order = least_fill(M)
        result = np.empty(len(M), dtype=object)
        result[order] = ldl_solve(ldl(M[np.ix_(order, order)]), right[order])
    except SingularMatrixError as error:
        raise _massless(system) from error
    return result


def _massless(system: SubsystemContent) -> SingularMatrixError:
    M = system.reduced.M
    idle = [
        variable.name
        for variable, row in zip(system.independent, M, strict=True)
        if all(entry.fp == 0 for entry in row)
    ]
    return SingularMatrixError(
        "Nothing resists "
        + (f"the motion of {', '.join(idle)}." if idle else "some combination of the independent variables."),
        where=f"subsystem '{system.label}'",
        cause="A new variable is not tied to the subsystems by a constraint, or a body has no mass.",
        remedy="Add the constraint that determines it, or give it an inertia.",
        code="inertia-missing",
        names=tuple(idle),
    )


def _carried_down(system: SubsystemContent, a: Matrix) -> dict[Symbol, Expr]:
    """The rates of all variables of a system and its parts, from those of its independent ones."""
    level = system.reduced
    x = times(level.C, a) + level.c if level.independent != level.below else a
    values = dict(zip(level.below, x, strict=True))
    found: dict[Symbol, Expr] = {}
    for part in system.parts:
        found |= _carried_down(part, array([values[variable] for variable in part.independent]))
    return found | {symbol: values[symbol] for symbol in system.own}


def multipliers(system: SubsystemContent, rates: Mapping[Symbol, Expr]) -> dict[Invariant, Expr]:
    """The forces λ of all invariants: of each level, what is left when those of the levels above are taken away.

    At a level Ãᵀ·λ = M̃·x + k̃ - (forces from above), solved in the rows of the dependent variables.
    """
    found: dict[Invariant, Expr] = {}
    _add_multipliers(system, rates, dict.fromkeys(system.top, ZERO), found)
    return found


def _add_multipliers(
    system: SubsystemContent, rates: Mapping[Symbol, Expr], above: dict[Symbol, Expr], found: dict[Invariant, Expr]
) -> None:
    level, spread = system.reduced, spread_of(system.parts, system.own)
    if system.invariants:
        x = array([rates[variable] for variable in level.below])
        pushed = times(spread.S.T, array([above[variable] for variable in spread.variables]))
        needed = times(level.mass, x) + level.bias - pushed
        rows = list(level.dependent)
        forces = solved_by_blocks(level.A[:, rows].T, needed[rows][:, None])[:, 0]
        found |= dict(zip(system.invariants, forces, strict=True))
        if not system.parts:
            return
        A = jacobian(
            [invariant.acceleration for invariant in system.invariants],
            [rate_symbol(variable) for variable in spread.variables],
        )
        acting = times(A.T, forces)
        above = {variable: above[variable] + force for variable, force in zip(spread.variables, acting, strict=True)}
    for part in system.parts:
        _add_multipliers(part, rates, {variable: above[variable] for variable in part.top}, found)
