"""Linearized subsystems under other names: one leg is linearized once, and reused for all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.graph import Expr, as_expr, substitute
from multibody.graph.linear_algebra import Matrix
from multibody.modular.auxiliary import Auxiliary, Unknowns
from multibody.modular.subsystem import Subsystem
from multibody.modular.vocabulary import rate_symbol

if TYPE_CHECKING:
    from multibody.modular.linear_subsystem import LinearSubsystem

Exchange = Mapping[Expr, Expr]


@dataclass(frozen=True, eq=False)
class KnownSlope:
    """S₁ of a level as it was found before, with the auxiliary parameters in it."""

    slope: Matrix
    auxiliary: Auxiliary | None


def exchanged_symbols(old: Subsystem, new: Subsystem) -> dict[Expr, Expr]:
    """The symbols of a subsystem, by those that its copy has in their places."""
    pairs: list[tuple[Any, Any]] = [*zip(old.orders, new.orders, strict=True)]
    pairs += [(rate_symbol(a), rate_symbol(b)) for a, b in pairs]
    for mine, theirs in zip(old.parameters, new.parameters, strict=True):
        pairs += zip(mine.default, theirs.default, strict=True)
    for given, other in zip(old.inputs, new.inputs, strict=True):
        pairs += zip(given.flat, other.flat, strict=True)
    return dict(pairs)


def carried_over(old: LinearSubsystem, new: LinearSubsystem, exchange: Exchange) -> LinearSubsystem:
    """A copy with reference motion, residual and first-order complement in its own symbols, at all levels."""
    pairs: Any = zip(old.parts, new.parts, strict=True)
    return replace(
        new,
        parts=tuple(carried_over(mine, theirs, exchange) for mine, theirs in pairs),
        nominal={_in(exchange, one): _in(exchange, value) for one, value in old.nominal.items()},
        conditions=tuple(_in(exchange, one) for one in old.conditions),
        sources={_in(exchange, one): source for one, source in old.sources.items()},
        residual=_matrix(exchange, old.residual),
        complement=None if old.complement is None else _slope(exchange, old.complement),
        turned=tuple(tuple(exchange[one] for one in group) for group in old.turned),  # type: ignore[misc]
    )


def _slope(exchange: Exchange, known: Any) -> KnownSlope:
    slope, auxiliary = _matrix(exchange, known.slope), None
    if known.auxiliary is not None:
        auxiliary = Auxiliary("")
        auxiliary.unknowns = [_unknowns(exchange, one) for one in known.auxiliary.unknowns]
    return KnownSlope(slope, auxiliary)


def _unknowns(exchange: Exchange, one: Unknowns) -> Unknowns:
    symbols: Any = tuple(_in(exchange, s) for s in one.symbols)
    return one._replace(symbols=symbols, matrix=_matrix(exchange, one.matrix), right=_matrix(exchange, one.right))


def _in(exchange: Exchange, one: Expr) -> Expr:
    return as_expr(substitute(one, exchange))


def _matrix(exchange: Exchange, entries: Matrix) -> Matrix:
    new: Matrix = np.array(substitute(list(entries.flat), exchange) if entries.size else [], dtype=object)
    return new.reshape(entries.shape)
