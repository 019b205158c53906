"""Generalized speeds of the user's choice: the same model in terms of w = e(q, u, t), linear in the speeds u.

With E = ∂e/∂u the old speeds are u = E⁻¹·(w - e₀), and their rates u̇ = E⁻¹·(ẇ - ė), where ė is the rate of e while the
old speeds do not change (Kane and Levinson 1985, section 2.14).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from multibody.errors import ModelError, SingularMatrixError
from multibody.graph import (
    ZERO,
    Expr,
    Symbol,
    array,
    as_expr,
    evaluate,
    free_symbols,
    is_zero,
    jacobian,
    rank,
    solve_regular,
    substitute,
    symbol,
    time_derivative,
)  # fmt: skip
from multibody.model.kinematics import Kinematics
from multibody.model.model import Model, written_in
from multibody.model.quantity import acceleration_symbol
from multibody.model.sensors.contract import resolved


def with_speeds(model: Model, speeds: Mapping[str, Any]) -> Model:
    """The model with other speeds.

    Args:
        model: a model.
        speeds: new speeds by name, each as an expression that is linear in the old ones; where there are fewer than
            degrees of freedom, some of the old speeds stay.

    Raises:
        ModelError: if the old speeds do not follow from the new ones.

    Example:
        >>> from multibody.model import System
        >>> robot = System("robot")
        >>> turn = robot.joint("turn", robot.world, robot.body("arm", 1, (1, 0, 0), (1, 1, 1)), ["Rz", "Rx"])
        >>> pan, tilt = turn.speeds
        >>> with_speeds(robot.freeze(), {"w": pan + 2 * tilt}).speeds
        (w, turn_rz_dot)
    """
    given = {name: as_expr(resolved(as_expr(value), Kinematics(model))) for name, value in speeds.items()}
    new = [symbol(name, "speed", model.name) for name in given]
    _require_new_names(model, new)
    formulas = list(given.values()) + _kept(model, list(given.values()))
    w = new + [formula for formula in formulas[len(new) :] if isinstance(formula, Symbol)]
    _require_linear(model, formulas, new)
    u, a = _solved(model, formulas, w)
    known: dict[Expr, Expr] = dict(zip(model.speeds, u, strict=True))
    rates = dict(zip(model.accelerations, a, strict=True))
    accelerations = tuple(map(acceleration_symbol, w))
    values = {symbol: substitute(value, known | rates) for symbol, value in model.values.items()}
    changed = {
        symbol: value for symbol, value in (known | rates).items() if symbol is not value and isinstance(symbol, Symbol)
    }
    return replace(
        model,
        links=written_in(model.links, tuple(w), accelerations, known | rates),
        speeds=tuple(w),
        accelerations=accelerations,
        rates=tuple(substitute(list(model.rates), known)),
        start=MappingProxyType(_start(model, dict(zip(w, formulas, strict=True)))),
        values=MappingProxyType(values | changed),
    )


def _kept(model: Model, formulas: list[Expr]) -> list[Expr]:
    """Old speeds that complete the new ones, the first that do."""
    kept: list[Expr] = []
    rows = len(formulas)
    for speed in model.speeds:
        if rows == len(model.speeds):
            break
        if rank(jacobian([*formulas, *kept, speed], model.speeds)) == rows + 1:
            kept.append(speed)
            rows += 1
    return kept


def _solved(model: Model, formulas: Sequence[Expr], w: Sequence[Symbol]) -> tuple[list[Expr], list[Expr]]:
    """u and u̇ in terms of w and ẇ."""
    matrix = jacobian(list(formulas), model.speeds)
    offset = array(substitute(list(formulas), dict.fromkeys(model.speeds, ZERO)))
    try:
        u = list(solve_regular(matrix, array(list(w)) - offset))
    except SingularMatrixError as error:
        raise ModelError(
            "The old speeds do not follow from the new ones.",
            code="speeds-not-invertible",
            where=f"generalized speeds of system '{model.name}'",
            cause=f"{len(w)} independent combinations of {', '.join(s.name for s in model.speeds)} are needed.",
            remedy="Choose speeds that are independent of each other for almost all positions.",
        ) from error
    known: dict[Expr, Expr] = dict(zip(model.speeds, u, strict=True))
    change = array(substitute(time_derivative(list(formulas), model.flow()), known))
    return u, list(solve_regular(matrix, array([acceleration_symbol(speed) for speed in w]) - change))


def _start(model: Model, formulas: Mapping[Symbol, Expr]) -> dict[Symbol, float]:
    """The start values of the new speeds follow from the old ones."""
    coordinates = {q: model.start[q] for q in model.coordinates}
    known: dict[Any, Any] = {model.time: 0.0, **dict.fromkeys(model.input_symbols, 0.0), **model.start}
    if any(symbol.kind == "parameter" for symbol in free_symbols(list(formulas.values()))):
        known |= model.parameter_values()
    return coordinates | {w: float(evaluate(formula, known)) for w, formula in formulas.items()}


def _require_new_names(model: Model, new: Sequence[Symbol]) -> None:
    taken = {
        symbol.name for symbol in (*model.coordinates, *model.speeds, *model.input_symbols, *model.parameter_symbols)
    }
    twice = sorted(taken & {symbol.name for symbol in new})
    if twice:
        raise ModelError(
            f"The names {', '.join(map(repr, twice))} are taken.",
            code="name-taken",
            where=f"generalized speeds of system '{model.name}'",
            remedy="Choose other names for the speeds.",
            names=tuple(twice),
        )


def _require_linear(model: Model, formulas: Sequence[Expr], new: Sequence[Symbol]) -> None:
    matrix = jacobian(list(formulas[: len(new)]), model.speeds)
    for name, row in zip(new, matrix, strict=True):
        if any(not is_zero(entry) for line in jacobian(list(row), model.speeds) for entry in line):
            raise ModelError(
                f"The speed '{name}' is not linear in the speeds of the joints.",
                code="speeds-not-linear",
                where=f"generalized speeds of system '{model.name}'",
                remedy="Use sums of speeds, with factors that depend on coordinates, parameters and time only.",
                name=name,
            )
