"""Rows of the dynamic equations d̄, by the variables that they have power with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from multibody.errors import ModelError
from multibody.graph import Expr, Symbol, evaluate, free_symbols
from multibody.graph.names import suggestion
from multibody.model.quantity import rate_name
from multibody.modular.reduction import own_dynamics
from multibody.modular.vocabulary import Vocabulary, several


def dynamic_rows(label: str, dynamics: Any, top: Sequence[Symbol], vocabulary: Vocabulary) -> dict[Symbol, Expr]:
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
            )
