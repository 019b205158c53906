"""A model without the coordinates that loops determine: eqs. (4.10) and (4.11) of the PyMbs manual.

The dependent joints stay where they are; their coordinates, speeds and accelerations become expressions of the
independent ones. M_red = Jᵀ·M·J, h_red = Jᵀ·(M·b + h) and F_red = Jᵀ·F then come out of every formalism by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from multibody.errors import ModelError
from multibody.graph import (
    ZERO,
    Expr,
    Symbol,
    array,
    free_symbols,
    jacobian,
    product,
    solve_regular,
    substitute,
    time_derivative,
)
from multibody.graph.identity import independent_rows
from multibody.model.kinematics import Kinematics
from multibody.model.loops.contract import ExplicitLoop
from multibody.model.model import Model, written_in


def reduced(model: Model, loops: Mapping[str, ExplicitLoop]) -> Model:
    """The model with its loops solved, in the given order; the model as it was stays known as ``unreduced``."""
    result = model
    for name, loop in loops.items():
        result = _without(result, name, loop)
    return replace(result, unreduced=model) if loops else model


def _without(model: Model, name: str, loop: ExplicitLoop) -> Model:
    """The model without the dependent coordinates of one loop."""
    kinematics = Kinematics(model)
    v = list(loop.dependent(kinematics))
    columns = _columns(model, v, name)
    H = loop.solution(kinematics)
    _require_solved(v, H, name)
    known: dict[Expr, Expr] = {coordinate: H[coordinate] for coordinate in v}
    speeds, rates = _rates(kinematics, loop, columns, known, name)
    known |= dict(zip([model.speeds[k] for k in columns], speeds, strict=True))
    known |= dict(zip([model.accelerations[k] for k in columns], rates, strict=True))
    kept = [k for k in range(len(model.speeds)) if k not in columns]
    free = [k for k, q in enumerate(model.coordinates) if q not in v]
    remaining = tuple(model.speeds[k] for k in kept)
    accelerations = tuple(model.accelerations[k] for k in kept)
    gone = {*v, *(model.speeds[k] for k in columns)}
    values = {coordinate: substitute(value, known) for coordinate, value in model.values.items()}
    return replace(
        model,
        links=written_in(model.links, remaining, accelerations, known),
        coordinates=tuple(model.coordinates[k] for k in free),
        speeds=remaining,
        accelerations=accelerations,
        rates=tuple(substitute([model.rates[k] for k in free], known)),
        start=MappingProxyType({symbol: value for symbol, value in model.start.items() if symbol not in gone}),
        constraints=MappingProxyType({key: constraint for key, constraint in model.constraints.items() if key != name}),
        values=MappingProxyType(
            values | {symbol: value for symbol, value in known.items() if isinstance(symbol, Symbol)}
        ),
    )


def _require_solved(v: list[Symbol], H: Mapping[Symbol, Expr], name: str) -> None:
    """No dependent coordinate may be left on the right: another coordinate of the loop may follow one of them."""
    left = [coordinate.name for coordinate in v if coordinate in free_symbols(list(H.values()))]
    if left:
        raise ModelError(
            f"The coordinate {', '.join(left)} cannot be a dependent one.",
            code="coordinate-not-dependent",
            where=f"loop '{name}'",
            cause="Other coordinates of the loop follow it, by another loop.",
            remedy="Choose other independent joints, add the loops in another order, or leave one to a constraint.",
            loop=name,
            names=tuple(left),
        )


def _columns(model: Model, v: list[Symbol], name: str) -> list[int]:
    """The speeds of the dependent coordinates; they must be their rates."""
    rates = dict(zip(model.coordinates, model.rates, strict=True))
    unfit = [coordinate.name for coordinate in v if rates.get(coordinate) not in model.speeds]
    if unfit:
        raise ModelError(
            f"The coordinate {', '.join(unfit)} cannot be a dependent one.",
            code="coordinate-not-dependent",
            where=f"loop '{name}'",
            cause="It is prescribed, determined by another loop, or its rate is not a speed of the model.",
            remedy="Choose another dependent coordinate, or leave the loop to a constraint.",
            loop=name,
            names=tuple(unfit),
        )
    return [model.speeds.index(rates[coordinate]) for coordinate in v]


def _rates(
    kinematics: Kinematics, loop: ExplicitLoop, columns: list[int], H: Mapping[Expr, Expr], name: str
) -> tuple[list[Expr], list[Expr]]:
    """v̇ = B_vu·u̇ and v̈ = B_vu·ü + b′ from ḣ = h_u·u̇ + h_v·v̇ = 0 and its derivative.

    v = H(u) is put in first, because only then it shows which entries of h_v vanish on the closed loop.
    """
    model = kinematics.model
    velocity = [equation.velocity for equation in loop.closure.equations(kinematics)]
    B = array(substitute(jacobian(velocity, model.speeds), H)).reshape(len(velocity), len(model.speeds))
    rows = independent_rows([[entry.fp for entry in row] for row in B[:, columns]])
    if len(rows) != len(columns):
        raise ModelError(
            f"The loop determines {len(rows)} coordinates, not {len(columns)}.",
            code="loop-determines-other-count",
            where=f"loop '{name}'",
            remedy="Choose the dependent coordinates so that they follow from the closed loop.",
            loop=name,
        )
    wanted = [velocity[row] for row in rows]
    offset = array(substitute(substitute(wanted, dict.fromkeys(model.speeds, ZERO)), H))
    drift = array(substitute(time_derivative(wanted, model.flow()), H))
    others = [k for k in range(len(model.speeds)) if k not in columns]
    factors, carried = B[np.ix_(rows, columns)], B[np.ix_(rows, others)]
    u, a = ([part[k] for k in others] for part in (model.speeds, model.accelerations))
    moved, pushed = (product(carried, array(x)) if others else array([0] * len(rows)) for x in (u, a))
    speeds = list(solve_regular(factors, -(moved + offset)))
    known: dict[Expr, Expr] = dict(zip([model.speeds[k] for k in columns], speeds, strict=True))
    return speeds, list(substitute(list(solve_regular(factors, -(pushed + drift))), known))
