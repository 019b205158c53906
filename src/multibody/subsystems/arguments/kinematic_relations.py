"""Kinematic relations: the rates of all variables but the highest, given, implied by names, or solved for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from multibody.errors import ModelError, SingularMatrixError
from multibody.graph import ZERO, Expr, Symbol, array, as_expr, free_symbols, jacobian, solve_regular, substitute
from multibody.graph.identity import independent_rows
from multibody.graph.names import require_known_names
from multibody.model.quantity import rate_name
from multibody.subsystems.arguments.vocabulary import LevelVocabulary, listed, rate_symbol


def lower_variables(orders: Mapping[Symbol, int], given: Any, vocabulary: LevelVocabulary) -> list[Symbol]:
    """The variables that need a rate: all below the highest order, and all whose rates are given."""
    highest = max(orders.values(), default=0)
    if _by_variable(given, orders):
        named = {variable for variable in orders if variable.name in given}
    else:
        rates = set(free_symbols(list(_equations(given, vocabulary).values())))
        named = {variable for variable in orders if rate_symbol(variable) in rates}
    return [variable for variable, order in orders.items() if order < highest or variable in named]


def kinematic_relations(
    label: str, lower: Sequence[Symbol], given: Any, vocabulary: LevelVocabulary, known: Mapping[str, Symbol]
) -> dict[Symbol, Expr]:
    """The rate of every variable below the highest order.

    Args:
        label: of the subsystem.
        lower: the variables that need a rate.
        given: rates by name, or equations in which the rates ``x_dot`` appear linearly.
        vocabulary: in which the unknown rates are symbols.
        known: all variables by name.
    """
    rates: dict[Symbol, Expr] = {}
    if _by_variable(given, lower):
        _require_variables(label, given, [variable.name for variable in lower])
        rates = {known[name]: vocabulary.read(relation, f"rate of '{name}'") for name, relation in given.items()}
        linked = [
            variable for variable, rate in rates.items() if {rate_symbol(o) for o in lower} & set(free_symbols(rate))
        ]
        equations = {variable.name: rate_symbol(variable) - rates.pop(variable) for variable in linked}
    else:
        equations = _equations(given, vocabulary)
        _require_rates(label, equations, lower)
    for variable in lower:
        if variable not in rates and variable.name not in equations and rate_name(variable.name) in known:
            rates[variable] = known[rate_name(variable.name)]
    equations = {
        name: as_expr(substitute(e, {rate_symbol(o): r for o, r in rates.items()})) for name, e in equations.items()
    }
    rates |= _solved(label, [variable for variable in lower if variable not in rates], equations)
    _require_no_accelerations(label, rates, known)
    return {variable: rates[variable] for variable in lower}


def _by_variable(given: Any, variables: Any) -> bool:
    return isinstance(given, Mapping) and any(variable.name in given for variable in variables)


def _equations(given: Any, vocabulary: LevelVocabulary) -> dict[str, Expr]:
    return {name: vocabulary.read(relation, f"kinematic relation '{name}'") for name, relation in listed(given).items()}


def _require_variables(label: str, given: Mapping[str, Any], names: Sequence[str]) -> None:
    require_known_names(
        given, names, "variable", purpose="of this level to have a rate", remedy="Give the rates of",
        code="variable-unknown", where=f"kinematics of subsystem '{label}'",
    )  # fmt: skip


def _require_rates(label: str, equations: Mapping[str, Expr], lower: Sequence[Symbol]) -> None:
    rates = {rate_symbol(variable) for variable in lower}
    idle = [name for name, equation in equations.items() if not rates & set(free_symbols(equation))]
    if idle:
        raise ModelError(
            f"The kinematic relation '{idle[0]}' has no unknown rate in it: {equations[idle[0]]} = 0.",
            where=f"subsystem '{label}'",
            cause="It gives the rate of no variable of this level that needs one.",
            remedy=f"Give the rates of: {', '.join(variable.name for variable in lower) or 'none'}; what restricts the "
            "variables belongs to the constraints.",
            code="kinematic-relation-without-rate",
            name=idle[0],
        )


def _require_no_accelerations(label: str, rates: Mapping[Symbol, Expr], known: Mapping[str, Symbol]) -> None:
    unknown = {rate_symbol(symbol) for symbol in known.values() if rate_name(symbol.name) not in known}
    for variable, rate in rates.items():
        unsolved = sorted(s.name for s in unknown & set(free_symbols(rate)))
        if unsolved:
            raise ModelError(
                f"The rate of '{variable.name}' depends on {', '.join(unsolved)}, which dynamic equations determine.",
                where=f"kinematics of subsystem '{label}'",
                cause="A kinematic relation gives a rate in terms of variables, not of accelerations.",
                remedy="Write it with variables of one order more, or as a constraint.",
                code="rate-depends-on-acceleration",
                name=variable.name,
            )


def _solved(label: str, missing: Sequence[Symbol], named: Mapping[str, Expr]) -> dict[Symbol, Expr]:
    """The missing rates, from equations that are linear in them."""
    unknown, equations = [rate_symbol(symbol) for symbol in missing], list(named.values())
    if not unknown and not equations:
        return {}
    matrix = jacobian(equations, unknown).reshape(len(equations), len(unknown))
    rows = independent_rows([[entry.fp for entry in row] for row in matrix]) if matrix.size else []
    lost = [
        symbol.name for symbol, column in zip(missing, matrix.T, strict=True) if all(entry.fp == 0 for entry in column)
    ]
    if len(rows) < len(unknown) or set(unknown) & set(free_symbols(matrix)):
        which = lost or [symbol.name for symbol in missing]
        raise ModelError(
            f"The rate of {', '.join(map(repr, which))} is not known.",
            where=f"subsystem '{label}'",
            cause=f"There is no variable {rate_name(which[0])!r} and no kinematic relation for it, or the relations "
            "are not linear in the rates.",
            remedy=f"Give kinematics={{'{which[0]}': …}}, or equations in which '{rate_name(which[0])}' appears.",
            code="rate-unknown",
            names=tuple(which),
        )
    found = _solution(label, matrix[rows], -array(substitute(equations, dict.fromkeys(unknown, ZERO)))[rows])
    gaps = dict(zip(named, substitute(equations, dict(zip(unknown, found, strict=True))), strict=True))
    over = [name for name, gap in gaps.items() if gap.fp != 0]
    if over:
        raise ModelError(
            f"The kinematic relation {', '.join(map(repr, over))} contradicts the others.",
            where=f"subsystem '{label}'",
            cause=f"With the rates that the others give, it is {gaps[over[0]]} = 0.",
            remedy="Give one relation for each rate; what restricts the variables belongs to the constraints.",
            code="kinematic-relation-contradictory",
            names=tuple(over),
        )
    return dict(zip(missing, found, strict=True))


def _solution(label: str, matrix: Any, right: Any) -> list[Expr]:
    try:
        return list(np.asarray(solve_regular(matrix, right))) if len(matrix) else []
    except SingularMatrixError as error:  # pragma: no cover - the rank was checked
        raise ModelError(
            "The kinematic relations cannot be solved.", where=f"subsystem '{label}'", code="rate-unknown"
        ) from error
